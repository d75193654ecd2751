"""Every chart of every page has an alternative text and a table twin."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from synth.plans import Method
from tests.app.charts import count_charts
from tests.app.steward import choose_example, go_to, visit
from tests.tables import ROOT

DRAWING = (
    "plotly_chart bar_chart line_chart area_chart scatter_chart altair_chart vega_lite_chart"
)
OTHERS = "pyplot pydeck_chart graphviz_chart bokeh_chart map image html"


@pytest.mark.slow
def test_the_steps_before_the_release() -> None:
    """Each chart of the steps before a release has an alternative text and a table beside it.

    `count_charts` checks both for every chart of the page, and returns how many there are.
    """
    survey = visit("data", choose_example())
    assert count_charts(survey) == 0
    assert count_charts(go_to(survey, "domain")) == 0
    survey.session_state["advanced"] = True  # the section with the forecasts is open
    assert count_charts(go_to(survey, "plan")) > 0
    for method in (Method.AUTO, Method.TREE):
        survey.selectbox(key="choice_method").set_value(method).run()
        count_charts(survey)


def called_names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute):
            yield node.attr


def test_nothing_draws_but_by_the_one_way_that_has_both() -> None:
    """Only `charts.py` calls a function of Streamlit that draws.

    It draws with an alternative text and a table, so no page can draw a chart without them.
    """
    drawing = {*DRAWING.split(), *OTHERS.split()}
    drawing_calls = {
        p.name: drawing & set(called_names(p)) for p in (ROOT / "pages").rglob("*.py")
    }
    assert {name: names for name, names in drawing_calls.items() if names} == {
        "charts.py": {"html", "plotly_chart"}
    }
