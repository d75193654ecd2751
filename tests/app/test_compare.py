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
from tests.app.charts import count_charts
from tests.app.steward import (
    choose,
    choose_example,
    draft_of,
    error_texts,
    go_to,
    press,
    release_by_plan,
    text_of,
    use_file,
    visit,
)


@pytest.fixture
def app() -> AppTest:
    """The app with the simulated survey chosen."""
    return visit("data", choose_example())


def release_and_compare(
    app: AppTest, method: Method = Method.DENSE, epsilon: str = "1"
) -> AppTest:
    """Make a release of the survey and open the step Compare."""
    count_charts(release_by_plan(choose(app, method=method), epsilon))
    return go_to(app, "compare")


@pytest.fixture
def compared_page(app: AppTest) -> AppTest:
    """The step Compare after a comparison with the confidential table."""
    release_and_compare(app)
    return press(app, "Compare with the confidential table")


def choose_view(app: AppTest, name: str) -> AppTest:
    """Choose a view of the step Compare; it must show no error."""
    app.button_group(key="view").set_value(name).run()
    assert app.button_group(key="view").value == name
    assert not app.exception
    assert not app.error, app.error[0].value
    return app


def chart_specs(app: AppTest) -> list[str]:
    """Return the specification of each chart of the page as text."""
    return [chart.proto.spec or str(chart.proto) for chart in app.get("plotly_chart")]


def test_repairs_are_compared_without_the_confidential_table(app: AppTest) -> None:
    """The repairs of a release can be compared without reading the confidential table.

    So the page shows no real error, holds no comparison, and marks nothing as private.
    """
    release_and_compare(app)
    assert not app.get("plotly_chart")
    go_to(app, "release")

    (table,) = [d.value for d in app.dataframe if "repair" in d.value]
    assert {*table["repair"]} == {
        *("Pooled", "Nearest", "Most likely", "Clamp", "Rescale", "None")
    }
    assert "real error of pairs" not in table
    assert draft_of(app).release.comparison is None
    assert "PRIVATE" not in chart_specs(app)[0]


def test_every_view_opens_and_is_watermarked(compared_page: AppTest) -> None:
    """Each view of a comparison shows charts with the watermark PRIVATE.

    The comparison is neither in the certificate nor in a printed object. The three skipped
    views need a model, a derived column or a public guess.
    """
    for name in VIEWS:
        if name in ("Model's bars", "Derived", "Public guess"):
            continue
        choose_view(compared_page, name)
        if name == "Training":
            press(compared_page, "Train and test")
        assert not compared_page.error
        assert count_charts(compared_page), name
        assert all("PRIVATE" in figure for figure in chart_specs(compared_page))

    release = draft_of(compared_page).release
    assert repr(release.comparison) == "Looked(private)"
    assert "comparison" not in json.dumps(release.result.certificate.to_json())


@pytest.mark.slow
def test_a_models_bars_are_shown_against_the_real_error(app: AppTest) -> None:
    """The page counts how many pairs have a real error within the error bar of the model.

    Six columns have 15 pairs. The epsilon is 9, because at 1 the model may measure no pair
    and then promises nothing.
    """
    release_and_compare(app, Method.ONE_SHOT, "9")
    assert "From the release alone" in " ".join(s.value for s in app.header)
    assert next(e.label for e in app.expander).startswith("How far off the model expects")

    press(app, "Compare with the confidential table")
    assert count_charts(choose_view(app, "Model's bars"))
    coverage = covered_pairs(draft_of(app).release.comparison.compared)
    assert coverage.bars == 15
    assert f"{coverage.within} of 15 pairs are within their bar" in text_of(app)
    assert count_charts(choose_view(app, "Error split"))
    assert "Repairs" not in app.button_group(key="view").options


def test_a_table_of_one_column_has_no_views_of_pairs(app: AppTest) -> None:
    """A release of one column offers no view that compares pairs of columns, and the other
    views open.
    """
    others = draft_of(app).left_out | set(draft_of(app).domain.names) - {"age"}
    choose(app, left_out=others, method=Method.DENSE)
    release_by_plan(app)
    go_to(app, "compare")
    press(app, "Compare with the confidential table")
    assert not app.error

    assert set(app.button_group(key="view").options) == {
        "Worst first",
        "Columns",
        "Error split",
        "Repairs",
    }
    choose_view(app, "Columns")
    choose_view(app, "Repairs")


@pytest.mark.slow
def test_a_score_is_bought_and_is_in_the_bundle(app: AppTest) -> None:
    """A score for epsilon 0.1 is a second spend, and the bundle states 1.1 in all.

    `verify` returns 3 if no claim of a bundle is refuted and some cannot be checked.
    """
    release_and_compare(app)
    app.text_input(key="score_epsilon").input("0").run()
    assert error_texts(app) == ["epsilon must be above 0, but it is 0."]
    app.text_input(key="score_epsilon").input("0.1").run()
    assert "move the score by up to 1.5 points" in " ".join(c.value for c in app.caption)
    app.checkbox(key="score_agreed").check().run()

    press(app, "Buy the score for epsilon 0.1")
    assert not app.error
    assert "Bought score" in text_of(app)
    scored = draft_of(app).release
    assert scored.comparison is None
    assert len(app.session_state["rehearsal"].entries()) == 2
    assert main(["verify", str(scored.files["bundle.zip"])]) == 3

    go_to(app, "download")
    assert "1.1-differentially private" in text_of(app)


def test_a_score_that_does_not_fit_the_budget_is_refused(
    app: AppTest, tmp_path: Path
) -> None:
    """A score that costs more than what is left of the budget is refused, and nothing is
    spent. The release costs 1 of a budget of 1.01, and the score would cost 0.05.
    """
    table = tmp_path / "people.csv"
    table.write_text("sex\n" + "F\nM\n" * 50)
    use_file(app, table)
    go_to(app, "domain")
    app.selectbox(key="column sex kind").select("categorical").run()
    app.text_area(key="column sex enum").input("F\nM").run()

    choose(app, budget="1.01")
    release_by_plan(app)
    go_to(app, "compare")
    app.checkbox(key="score_agreed").check().run()
    press(app, "Buy the score for epsilon 0.05")

    assert "only 0.01 is left" in app.error[0].value.replace("\\", "")
    assert draft_of(app).release.result.scores == ()
    assert len(app.session_state["ledger"].entries()) == 1
