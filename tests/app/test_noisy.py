"""The noisy histogram of the step Release, and the choice of its repair."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from synth.bundle import find_negative_columns, find_negative_table
from synth.estimate import Repair
from synth.plans import REPAIR_SEEN, Method
from synth.verification import verify
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
    visit,
)


@pytest.fixture
def released_page() -> AppTest:
    """The step Release after a release of the survey as a histogram."""
    app = visit("data", choose_example())
    count_charts(release_by_plan(choose(app, method=Method.DENSE)))
    return app


def button_labels(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


def test_the_release_opens_with_its_noisy_counts_and_a_card_for_each_repair(
    released_page: AppTest,
) -> None:
    """Counts below 0 are counted in words and drawn, and each other repair can be shown.

    The release used the pooled repair, whose card has no button.
    """
    assert not released_page.exception
    assert "Your noisy histogram" in [header.value for header in released_page.header]
    assert "fell below 0." in text_of(released_page)
    assert count_charts(released_page) == 1
    shown = [label for label in button_labels(released_page) if label.startswith("Show ")]
    assert shown == [
        f"Show {title}" for title in ("Nearest", "Most likely", "Clamp", "Rescale", "None")
    ]


def test_the_bars_of_columns_open_where_a_count_fell_below_zero(
    released_page: AppTest,
) -> None:
    """The chosen columns are the first ones with a summed noisy count below 0."""
    released_page.segmented_control(key="bars_3").set_value("By columns").run()
    release = draft_of(released_page).release
    names = release.noisy_counts.domain.names
    expected = [names[column] for column in find_negative_columns(release.noisy_counts)]
    assert released_page.multiselect(key="noisy_columns").value == expected
    assert not released_page.exception


def test_another_repair_draws_the_rows_again_and_spends_nothing(
    released_page: AppTest,
) -> None:
    """The picture shows the repair first. Then the rows are drawn by it, at no cost.

    The certificate names the repair, has no caveat, and the files follow from it. The page
    says that its expected errors are those of the usual repair.
    """
    of_pooled = "The expected errors are those of the repair Pooled. You chose Clamp"
    assert of_pooled not in text_of(released_page).replace("**", "")
    noisy_before = draft_of(released_page).release.result.record.histogram.values
    spends = len(released_page.session_state["rehearsal"].entries())
    press(released_page, "Show Clamp")
    assert "The picture shows Clamp" in text_of(released_page).replace("**", "")
    press(released_page, "Draw the rows by Clamp")
    count_charts(released_page)
    assert of_pooled in text_of(released_page).replace("**", "")

    after = draft_of(released_page).release
    assert not error_texts(released_page)
    assert after.result.record.repair == Repair.CLAMP
    assert after.result.certificate.repair == Repair.CLAMP
    assert (after.result.record.histogram.values == noisy_before).all()
    assert REPAIR_SEEN not in after.result.certificate.caveats
    assert len(released_page.session_state["rehearsal"].entries()) == spends
    assert verify(after.files["bundle.zip"]).certificate.repair == Repair.CLAMP


def test_a_stored_release_says_that_its_repair_changes(released_page: AppTest) -> None:
    """The same noisy counts are offered at no cost, and the page says how the rows
    are repaired; with the repair of the release it says nothing.
    """
    choose(released_page, repair=Repair.CLAMP)
    go_to(released_page, "release")
    assert "Get the stored release" in button_labels(released_page)
    said = "they are drawn by Clamp now, and were drawn by Pooled."
    assert said in text_of(released_page)

    choose(released_page, repair=Repair.AUTO)
    assert said not in text_of(go_to(released_page, "release"))


@pytest.mark.slow
def test_a_repair_that_is_chosen_after_a_comparison_is_named_so(
    released_page: AppTest,
) -> None:
    """After real rows were in sight, the certificate and the statement say so; `verify` holds
    the plan and the certificate against each other.
    """
    go_to(released_page, "compare")
    press(released_page, "Compare with the confidential table")
    go_to(released_page, "release")
    press(released_page, "Show Nearest")
    assert "The certificate will say that you chose the repair" in text_of(released_page)
    press(released_page, "Draw the rows by Nearest")
    count_charts(released_page)

    release = draft_of(released_page).release
    assert release.plan.repair_seen
    assert REPAIR_SEEN in release.result.certificate.caveats
    statement = verify(release.files["bundle.zip"]).archive["statement.txt"].decode()
    assert REPAIR_SEEN in " ".join(statement.split())


@pytest.mark.slow
def test_a_model_shows_each_histogram_that_it_measured() -> None:
    """One measured histogram is drawn, beside the rows of the model; others can be chosen."""
    app = visit("data", choose_example())
    count_charts(release_by_plan(choose(app, method=Method.ONE_SHOT), "9"))

    assert not app.exception
    measured = app.selectbox(key="noisy_table")
    record = draft_of(app).release.result.record
    assert len(measured.options) == len(record.measured)
    # It opens where a count fell below 0, unless none did.
    assert measured.value == find_negative_table(record)
    assert "after the model" in text_of(app)
    pair = next(name for name in measured.options if " by " in name)
    measured.select(pair).run()
    assert not app.exception


def release_four_columns() -> AppTest:
    """The step Release of four columns, for which Automatic takes a histogram."""
    draft = choose_example()
    four = {"age", "sex", "education", "employment"}
    left_out = draft.left_out | {name for name in draft.chosen_names if name not in four}
    app = visit("data", replace(draft, left_out=left_out))
    count_charts(release_by_plan(app))
    return app


def test_all_pairs_of_the_automatic_histogram_are_ticked_as_measured() -> None:
    """The sentence says that all six pairs were measured, and each has its tick."""
    app = release_four_columns()
    assert "Relations measured: all 6 pairs of columns." in text_of(app)
    bars = next(table.value for table in app.dataframe if "Off by up to" in table.value)
    assert len([pair for pair in bars["Pair"] if pair.count(" and ") == 1]) == 6
    assert bars["Measured"].all()


def test_the_automatic_histogram_has_the_same_cards() -> None:
    """A histogram that the automatic method chose by the number of rows is repaired the same.

    Of four columns with 1,152 cells it takes one histogram, as 2,000 rows outweigh its noise.
    Rows are drawn again from its noisy counts after clamp, and `verify` draws them once more.
    """
    app = release_four_columns()
    release = draft_of(app).release
    assert release.result.record.repair is None

    press(app, "Show Clamp")
    press(app, "Draw the rows by Clamp")
    count_charts(app)
    assert not error_texts(app)
    again = draft_of(app).release
    assert again.plan.repair == Repair.CLAMP
    assert verify(again.files["bundle.zip"], redraw=True).certificate.rows
