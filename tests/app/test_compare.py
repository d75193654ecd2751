"""The step Compare: all columns at first, one tab at a time, nothing private before it is
asked for.
"""

import json
import re
import string
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shell.draft import Draft, start
from pages.ui.shell.release import Source
from synth.cli.main import main
from synth.estimate import REPAIRS, Repair
from synth.plans import Method
from synth.private.comparison import covered_pairs
from synth.private.table import open_table
from tests.app.charts import count_charts, find_small
from tests.app.steward import (
    FIELD,
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


def open_tab(app: AppTest, name: str) -> AppTest:
    """Open a tab of the step Compare; it must show no error."""
    app.session_state["view"] = name
    app.run()
    assert not app.exception
    assert not app.error, app.error[0].value
    return app


def choose_detail(app: AppTest, name: str) -> AppTest:
    """Choose a detail in the tab Details; it must show no error."""
    open_tab(app, "Details")
    app.button_group(key="detail").set_value(name).run()
    assert app.button_group(key="detail").value == name
    assert not app.exception
    assert not app.error, app.error[0].value
    return app


def tab_labels(app: AppTest) -> list[str]:
    return [tab.label for tab in app.tabs]


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
    # The automatic repair stands for another, and without long columns none is smoothed.
    assert {*table["repair"]} == {
        repair.title
        for name, repair in REPAIRS.items()
        if name not in (Repair.AUTO, Repair.SMOOTHED)
    }
    assert "real error of pairs" not in table
    assert draft_of(app).release.comparison is None
    assert "PRIVATE" not in chart_specs(app)[0]


def test_compare_opens_with_all_columns_side_by_side(compared_page: AppTest) -> None:
    """The first tab has a picture of each column, the worst first, and a verdict in words.

    Numbers count by value, and the words say so where it is by bins. The pictures are marked.
    """
    assert tab_labels(compared_page) == ["Columns", "Pairs", "Groups", "Details"]
    assert count_charts(compared_page) == 6
    (pictures,) = find_small(compared_page)
    assert pictures.count('data-mark="PRIVATE">') == 6

    findings = draft_of(compared_page).release.comparison
    assert drawn_names(compared_page) == findings.values.worst_first
    age = findings.values.by_column["age"]
    assert f"Off by {100 * age.error:.1f}\xa0%" in pictures
    assert "in bins " in pictures
    assert findings.verdict.sentence in text_of(compared_page).replace("**", "")
    assert len(compared_page.dataframe[-1].value) == 6  # all columns in numbers


def test_the_numbers_below_the_verdict_are_sentences(compared_page: AppTest) -> None:
    """The sentences say what is off by how much, what chance alone makes, and what that is
    like.
    """
    findings = draft_of(compared_page).release.comparison
    (text,) = [m.value for m in compared_page.markdown if "Chance alone makes" in m.value]
    columns, pairs = text.replace("**", "").replace("\xa0", " ").split("\n")
    assert f"Columns are off by {100 * findings.values.mean:.1f} % on average" in columns
    mean_in_bins = findings.compared.errors.one_way.mean
    assert (
        f"as the forecast counts them, they are off by {100 * mean_in_bins:.1f} %" in columns
    )
    mean_of_pairs = findings.compared.errors.two_way.mean
    assert f"Pairs of columns are off by {100 * mean_of_pairs:.1f} % on average" in pairs
    assert "Pairs are as close as in a random sample of" in pairs


@pytest.mark.slow
def test_one_frame_says_that_a_section_is_private(compared_page: AppTest) -> None:
    """Each section has one frame, and that of a release names its guarantee in words."""
    for tab in ("Columns", "Pairs", "Groups", "Details"):
        text = text_of(open_tab(compared_page, tab))
        assert text.count("Private - do not share") == 1
        assert text.count("Differentially private") == 1


def test_lost_relations_are_a_warning_only_where_the_result_is_judged(app: AppTest) -> None:
    """The step Compare warns; the steps Release and Download name it in a short sentence."""
    lost = "relations between columns are lost"
    release_and_compare(app, Method.INDEPENDENT)
    assert [lost in warning.value for warning in app.warning] == [True]
    for step in ("release", "download"):
        go_to(app, step)
        assert not [warning for warning in app.warning if "elations" in warning.value]
        text = text_of(app)
        assert "Relations kept: 0 of 15 pairs of columns." in text
        assert lost not in text


def test_one_column_is_shown_with_its_values(compared_page: AppTest) -> None:
    """A column in bins has a picture of its cells and one of its values; a list has one."""
    for name, charts in (("age", 2), ("sex", 1)):
        compared_page.selectbox(key="one_column").set_value(name).run()
        assert count_charts(compared_page) == 6 + charts
        assert all("PRIVATE" in figure for figure in chart_specs(compared_page))


@pytest.mark.slow
def test_every_tab_and_detail_opens_and_is_watermarked(compared_page: AppTest) -> None:
    """Each tab and detail of a comparison shows charts with the watermark PRIVATE.

    The comparison is neither in the certificate nor in a printed object. The details that
    need a model, a derived column or a public guess are not offered.
    """

    def check_marks(charts: int) -> None:
        assert count_charts(compared_page) == charts
        assert all("PRIVATE" in figure for figure in chart_specs(compared_page))

    for matrix in ("Errors", "Worst first", "Strength of relations"):
        open_tab(compared_page, "Pairs")
        compared_page.button_group(key="matrix").set_value(matrix).run()
        check_marks(1)
    findings = draft_of(compared_page).release.comparison
    worst_pair = findings.compared.errors.two_way.worst_first[0][0]
    compared_page.selectbox(key="one_pair").set_value(worst_pair).run()
    check_marks(2)
    open_tab(compared_page, "Groups")
    check_marks(1)

    open_tab(compared_page, "Details")
    check_marks(0)
    details = compared_page.button_group(key="detail").options
    assert details == [
        "Where the error comes from",
        "Other repairs",
        "A classifier that learns from synthetic rows",
    ]
    for detail, charts in zip(details, (2, 1, 1), strict=True):
        choose_detail(compared_page, detail)
        if detail == details[-1]:
            press(compared_page, "Train and test")
        check_marks(charts)

    release = draft_of(compared_page).release
    assert repr(release.comparison) == "Findings(private)"
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
    assert count_charts(choose_detail(app, "Bars that the model gave"))
    coverage = covered_pairs(draft_of(app).release.comparison.compared)
    assert coverage.bars == 15
    assert f"{coverage.within} of 15 pairs are within their bar" in text_of(app)
    assert count_charts(choose_detail(app, "Where the error comes from"))
    assert "Other repairs" not in app.button_group(key="detail").options


@pytest.mark.slow
def test_a_table_of_one_column_has_no_tabs_of_pairs(app: AppTest) -> None:
    """A release of one column offers no tab that compares pairs of columns, and the other
    tabs open.
    """
    others = draft_of(app).left_out | set(draft_of(app).domain.names) - {"age"}
    choose(app, left_out=others, method=Method.DENSE)
    release_by_plan(app)
    go_to(app, "compare")
    press(app, "Compare with the confidential table")
    assert not app.error

    assert tab_labels(app) == ["Columns", "Details"]
    assert "Relations:" not in text_of(app)
    assert count_charts(app) == 1
    choose_detail(app, "Where the error comes from")
    assert app.button_group(key="detail").options == [
        "Where the error comes from",
        "Other repairs",
    ]
    choose_detail(app, "Other repairs")


@pytest.fixture
def wide_page(tmp_path: Path) -> AppTest:
    """The step Compare of a table of 26 columns, each of its own."""
    names = [f"{letter}{'ge' * (letter in 'ax')}" for letter in string.ascii_lowercase]
    table = tmp_path / "wide.csv"
    rows = [",".join("FM"[(i * j) % 7 < 3] for j in range(26)) for i in range(200)]
    table.write_text("\n".join([",".join(names), *rows]))
    draft = start(Source(title="wide", table=open_table(table), simulated=True), Draft())
    fields = [{**FIELD, "name": name} for name in names]
    app = visit("data", replace(draft.with_declaration({"fields": fields}), about_rows=200))
    release_and_compare(app, Method.INDEPENDENT)
    return press(app, "Compare with the confidential table")


def drawn_names(app: AppTest) -> list[str]:
    """The columns with a small picture, in their order."""
    (pictures,) = find_small(app)
    return re.findall('<b translate="no" title="([^"]*)"', pictures)


@pytest.mark.slow
def test_many_columns_come_by_twelve_and_can_be_found(wide_page: AppTest) -> None:
    """A wide table shows twelve columns at a time, and finds columns by part of a name."""
    worst_first = draft_of(wide_page).release.comparison.values.worst_first
    assert drawn_names(wide_page) == worst_first[:12]
    wide_page.session_state["columns_page_3"] = 3
    wide_page.run()
    assert drawn_names(wide_page) == worst_first[24:]

    wide_page.text_input(key="find_column").input("GE").run()
    assert sorted(drawn_names(wide_page)) == ["age", "xge"]
    wide_page.text_input(key="find_column").input("none has this").run()
    assert "No column has this in its name." in text_of(wide_page)
    assert not find_small(wide_page)


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
    assert main(["verify", str(scored.files["bundle.zip"])]) == 0

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
