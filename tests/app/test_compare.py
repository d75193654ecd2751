"""The step Compare: three lanes, one view at a time, nothing private before it is asked
for.
"""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.compare.findings import VIEWS
from synth.cli.main import main
from synth.plans import Method
from synth.private.comparison import covered_pairs
from tests.app.charts import charts
from tests.app.steward import (
    change,
    draft,
    errors,
    example,
    go,
    press,
    said,
    spend,
    use,
    visit,
)


@pytest.fixture
def app() -> AppTest:
    return visit("data", example())


def release(app: AppTest, method: Method = Method.DENSE, epsilon: str = "1") -> AppTest:
    charts(spend(change(app, method=method), epsilon))
    return go(app, "compare")


@pytest.fixture
def compared(app: AppTest) -> AppTest:
    release(app)
    return press(app, "Compare with the confidential table")


def view(app: AppTest, name: str) -> AppTest:
    app.button_group(key="view").set_value(name).run()
    assert app.button_group(key="view").value == name
    assert not app.exception
    assert not app.error, app.error[0].value
    return app


def figures(app: AppTest) -> list[str]:
    return [chart.proto.spec or str(chart.proto) for chart in app.get("plotly_chart")]


def test_repairs_are_compared_without_the_confidential_table(app: AppTest) -> None:
    release(app)
    assert not app.get("plotly_chart")
    app.toggle(key="repairs_shown").set_value(True).run()
    (table,) = [d.value for d in app.dataframe if "repair" in d.value]
    assert {*table["repair"]} == {"none", "clamp", "rescale", "simplex", "bayes", "pooled"}
    assert "real error of pairs" not in table
    assert draft(app).release.comparison is None
    assert "PRIVATE" not in figures(app)[0]


def test_every_view_opens_and_is_watermarked(compared: AppTest) -> None:
    for name in VIEWS:
        if name in ("Model's bars", "Derived", "Public guess"):
            continue
        view(compared, name)
        if name == "Training":
            press(compared, "Train and test")
        assert not compared.error
        assert charts(compared), name
        assert all("PRIVATE" in figure for figure in figures(compared))
    release = draft(compared).release
    assert repr(release.comparison) == "Looked(private)"
    assert "comparison" not in json.dumps(release.result.certificate.to_json())


@pytest.mark.slow
def test_a_models_bars_are_shown_against_the_real_error(app: AppTest) -> None:
    release(
        app, Method.ONE_SHOT, "9"
    )  # at 1 it may measure no pair, and then promises nothing
    assert "From the release alone" in " ".join(s.value for s in app.header)
    assert next(e.label for e in app.expander).startswith("How far off the model expects")
    press(app, "Compare with the confidential table")
    assert charts(view(app, "Model's bars"))
    coverage = covered_pairs(draft(app).release.comparison.compared)
    assert coverage.bars == 15
    assert f"{coverage.within} of 15 pairs are within their bar" in said(app)
    assert charts(view(app, "Error split"))
    assert "Repairs" not in app.button_group(key="view").options


def test_a_table_of_one_column_has_no_views_of_pairs(app: AppTest) -> None:
    others = draft(app).left_out | set(draft(app).domain.names) - {"age"}
    change(app, left_out=others, method=Method.DENSE)
    spend(app)
    go(app, "compare")
    press(app, "Compare with the confidential table")
    assert not app.error
    assert set(app.button_group(key="view").options) == {
        "Worst first",
        "Columns",
        "Error split",
        "Repairs",
    }
    view(app, "Columns")
    view(app, "Repairs")


@pytest.mark.slow
def test_a_score_is_bought_and_is_in_the_bundle(app: AppTest) -> None:
    release(app)
    app.text_input(key="score_epsilon").input("0").run()
    assert errors(app) == ["epsilon must be above 0, but it is 0."]
    app.text_input(key="score_epsilon").input("0.1").run()
    assert "move the score by up to 1.5 points" in " ".join(c.value for c in app.caption)
    app.checkbox(key="score_agreed").check().run()
    press(app, "Buy the score for epsilon 0.1")
    assert not app.error
    assert "Bought score" in said(app)
    scored = draft(app).release
    assert scored.comparison is None
    assert len(app.session_state["rehearsal"].entries()) == 2
    assert main(["verify", str(scored.files["bundle.zip"])]) == 3
    go(app, "download")
    assert "1.1-differentially private" in said(app)


def test_a_score_that_does_not_fit_the_budget_is_refused(
    app: AppTest, tmp_path: Path
) -> None:
    table = tmp_path / "people.csv"
    table.write_text("sex\n" + "F\nM\n" * 50)
    use(app, table)
    go(app, "domain")
    app.selectbox(key="column sex kind").select("categorical").run()
    app.text_area(key="column sex enum").input("F\nM").run()
    change(app, budget="1.01")
    spend(app)
    go(app, "compare")
    app.checkbox(key="score_agreed").check().run()
    press(app, "Buy the score for epsilon 0.05")
    assert "only 0.01 is left" in app.error[0].value.replace("\\", "")
    assert draft(app).release.result.scores == ()
    assert len(app.session_state["ledger"].entries()) == 1
