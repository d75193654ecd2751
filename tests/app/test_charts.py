"""Every chart of every page has an alternative text and a table twin."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from synth.plans.plan import Method
from tests.app.charts import charts
from tests.app.steward import draft, example, go, press, spend, visit
from tests.tables import ROOT

DRAWING = "plotly_chart bar_chart line_chart area_chart scatter_chart altair_chart vega_lite_chart"
OTHERS = "pyplot pydeck_chart graphviz_chart bokeh_chart map image"


def choose(app: AppTest, name: str) -> None:
    """Choose from a row of buttons."""
    app.get("button_group")[0].set_value(name).run()
    assert app.get("button_group")[0].value == name


@pytest.fixture
def survey() -> AppTest:
    return visit("data", example())


def test_the_steps_before_the_release(survey: AppTest) -> None:
    assert charts(survey) == 0
    assert charts(go(survey, "domain")) == 0
    assert charts(go(survey, "plan")) > 0
    for method in (Method.AUTO, Method.TREE):
        survey.selectbox(key="choice_method").set_value(method).run()
        charts(survey)


@pytest.mark.slow
@pytest.mark.parametrize("method", [Method.DENSE, Method.TREE])
def test_every_view_of_a_release(survey: AppTest, method: Method) -> None:
    go(survey, "plan")
    survey.selectbox(key="choice_method").set_value(method).run()
    charts(spend(survey))
    assert draft(survey).release is not None
    go(survey, "compare")
    for toggle in survey.toggle:
        toggle.set_value(True).run()
    press(survey, "Compare with the confidential table")
    seen = 0
    for view in list(survey.get("button_group")[0].options):
        choose(survey, view)
        if view == "Training":
            press(survey, "Train and test")
        seen += charts(survey)
    assert seen >= 6
    assert charts(go(survey, "download")) == 0
    assert charts(go(survey, "ledger")) == 0


def calls(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            yield node.attr


def test_nothing_draws_but_by_the_one_way_that_has_both() -> None:
    drawing = {*DRAWING.split(), *OTHERS.split()}
    found = {p.name: drawing & set(calls(p)) for p in (ROOT / "pages").rglob("*.py")}
    assert {name: names for name, names in found.items() if names} == {
        "charts.py": {"plotly_chart"}
    }
