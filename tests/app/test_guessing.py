"""A public table on the Plan page: who vouches, what is refused, what the promise says of
it.
"""

import pytest
from streamlit.testing.v1 import AppTest

from synth.lessons import write_example
from tests.app.steward import (
    choose,
    choose_example,
    draft_of,
    go_to,
    press,
    release_by_plan,
    text_of,
    visit,
)


@pytest.fixture
def page() -> AppTest:
    """The Plan page of the simulated survey."""
    return visit("plan", choose_example())


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines of the simulated survey as CSV, with its header."""
    return write_example(tmp_path_factory.mktemp("survey"))[0].read_text().splitlines()


def test_a_public_table_is_taken_named_and_removed(page: AppTest, survey: list[str]) -> None:
    """A public table is part of the plan with the name of who vouches for it, until it is
    removed. The release page shows its digest. The table is the header and 1,000 rows.
    """
    page.text_input(key="public_by").input("The Office").run()
    assert "Nothing in this table is protected" in text_of(page)
    part = "\n".join(survey[:1001]).encode()
    page.file_uploader(key="public_0").upload("old.csv", part, "text/csv").run()
    assert "1,000 public rows of" in text_of(page)

    plan = draft_of(page).plan()
    assert plan.public is not None
    assert plan.public.vouched_by == "The Office"

    page.switch_page("pages/steps/release.py").run()
    assert plan.public.digest in text_of(page)

    page.switch_page("pages/steps/plan.py").run()
    press(page, "Remove the public table")
    assert draft_of(page).plan().public is None


@pytest.mark.slow
def test_compare_shows_the_table_as_it_stands_and_the_release_with_it_and_without(
    page: AppTest, survey: list[str]
) -> None:
    """The step Compare shows the error of the public table, of the release, and of one
    without it. No project keeps the public table, so a later comparison asks for it again and
    checks its digest.
    """
    page.text_input(key="public_by").input("The Office").run()
    part = "\n".join(survey[:1001]).encode()
    page.file_uploader(key="public_0").upload("old.csv", part, "text/csv").run()
    release_by_plan(page)

    go_to(page, "compare")
    press(page, "Compare with the confidential table")
    page.session_state["view"] = "Details"
    page.run()
    page.button_group(key="detail").set_value("The public table that was the guess").run()
    labels = [metric.label for metric in page.metric]
    assert labels[-3:] == [
        "The public table alone",
        "This release, around it",
        "Without it (forecast)",
    ]

    # As after the project was opened anew.
    choose(page, public=None)
    draft_of(page).release.comparison.by_public.clear()
    page.run()
    assert "no project and no bundle keeps it" in text_of(page)

    other_rows = "\n".join(survey[:900]).encode()
    page.file_uploader(key="compared_public_0").upload(
        "other.csv", other_rows, "text/csv"
    ).run()
    assert "does not have the digest in the plan" in page.error[0].value

    page.file_uploader(key="compared_public_1").upload("old.csv", part, "text/csv").run()
    assert [metric.label for metric in page.metric] == labels


def test_what_cannot_be_is_one_sentence(page: AppTest, survey: list[str]) -> None:
    """A public table needs somebody who vouches for it.

    One without any declared column is refused, and so is the confidential table itself.
    """
    assert page.file_uploader(key="public_0").disabled

    page.text_input(key="public_by").input("The Office").run()
    page.file_uploader(key="public_0").upload("o.csv", b"x,y\n1,2\n", "text/csv").run()
    assert "The public table has none of the declared columns" in page.error[0].value

    all_rows = ("\n".join(survey) + "\n").encode()
    page.file_uploader(key="public_1").upload("o.csv", all_rows, "text/csv").run()
    assert "is the confidential table itself" in page.error[0].value
    assert draft_of(page).public is None
