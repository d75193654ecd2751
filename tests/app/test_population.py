"""Whose data a table is: asked before a first spend, so that no file opens a budget in
silence.
"""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shell import home
from synth.door import Ledger
from synth.privacy import Neighbors
from tests.app.steward import (
    FIELD,
    draft_of,
    go_to,
    press,
    text_of,
    use_file,
    visit,
)
from tests.app.test_ledger_page import path, release_with_budget

__all__ = ["path"]


@pytest.fixture
def updated_table(path: Path) -> Path:
    """The same people, one row more, another file name; the first table is released."""
    release_with_budget(path, "1", budget="3")
    newer = path.with_name("survey_v2.csv")
    newer.write_text(path.read_text() + "F\n")
    return newer


def visit_ready(table: Path) -> AppTest:
    """Open the step Release for a table with its column declared."""
    app = use_file(visit(), table)
    app.session_state["draft"] = draft_of(app).with_declaration({"fields": [FIELD]})
    return go_to(app, "release")


def answer_dataset(app: AppTest, name: str) -> AppTest:
    """Answer whose data the table is, on the page Data, and open the step Release."""
    go_to(app, "data")
    box = app.selectbox(key="people")
    box.options.append(
        name
    )  # what is typed is none of those listed, which AppTest does not know
    box.set_value(name).run()
    return go_to(app, "release")


def release_once(app: AppTest) -> AppTest:
    app.checkbox(key="agreed").check().run()
    return press(app, "Release with epsilon 1")


def is_release_offered(app: AppTest) -> bool:
    return any(button.label.startswith("Release with") for button in app.button)


def open_ledger() -> Ledger:
    return Ledger(home.folder() / "ledger.db", readonly=True)


def test_the_first_table_is_asked_about_with_its_name_filled_in(path: Path) -> None:
    """For a first table the page Data asks whose data it is, and fills in the name of the
    file; the step Release says it, and asks no second time.

    The spend is recorded under the answer, and the table is recognised later.
    """
    app = visit_ready(path)
    assert "This takes from the budget of **people**. All tables about" in text_of(app)
    assert not [box for box in app.selectbox if box.key == "people"]
    assert is_release_offered(app)

    go_to(app, "data")
    box = app.selectbox(key="people")
    assert (box.label, box.value) == ("Whose data is this?", "people")
    assert "All tables about the same people share one budget." in [
        c.value for c in app.caption
    ]

    answer_dataset(app, "patients of 2024")
    release_once(app)
    assert open_ledger().datasets() == ["patients of 2024"]
    assert draft_of(use_file(visit(), path)).source.people == "patients of 2024", (
        "known by its table"
    )


@pytest.mark.slow
def test_an_updated_table_opens_no_budget_in_silence(updated_table: Path) -> None:
    """An updated table has the name of its file, and the page names the people that the
    ledger knows. Once the user says that it is about them, its spends are added to those of
    the first table. 1 of 3 was spent before; after a second release for 1, 1 is left.
    """
    app = visit_ready(updated_table)
    said = "'survey_v2' is new here and gets a budget of its own."
    assert said in text_of(app)
    assert "If the table is about the people of 'people', choose that name" in text_of(app)

    go_to(app, "data")
    assert said in text_of(app)
    assert app.selectbox(key="people").value == "survey_v2"
    assert app.selectbox(key="people").options == ["people", "survey_v2"]
    answer_dataset(app, "people")
    assert said not in text_of(app)
    assert "with 1 spent before, it is 2 in all" in text_of(app)

    release_once(app)
    assert not app.exception
    assert str(open_ledger().balance("people").left) == "1"
    go_to(app, "ledger")
    assert list(app.dataframe[0].value["table"]) == ["table 1", "table 2"]


def test_other_people_get_a_budget_of_their_own_where_that_is_said(
    updated_table: Path,
) -> None:
    """If the user says that a table is about other people, it gets a budget of its own."""
    app = visit_ready(updated_table)
    answer_dataset(app, "other people")
    assert is_release_offered(app)
    release_once(app)
    assert open_ledger().datasets() == ["people", "other people"]


@pytest.mark.slow
def test_a_name_that_looks_like_another_is_asked_about_once_more(updated_table: Path) -> None:
    """A name that looks like a known one needs a confirmation before it gets a budget of its
    own. The letter o of this name is Cyrillic.
    """
    app = answer_dataset(visit_ready(updated_table), "Pe\u043eple")
    assert "There is a population people, which looks like Pe\u043eple." in text_of(app)
    assert not is_release_offered(app)

    app.checkbox(key="new Pe\u043eple").check().run()
    assert is_release_offered(app)
    release_once(app)
    assert open_ledger().datasets() == ["people", "Pe\u043eple"]


@pytest.mark.slow
def test_the_same_table_under_a_new_name_is_asked_about_once_more(path: Path) -> None:
    """A copy of a released table is recognised by its content.

    If the user says that it is about others, the page objects and offers no release.
    """
    release_with_budget(path)
    copy = path.with_name("copy.csv")
    copy.write_bytes(path.read_bytes())
    app = use_file(visit(), copy)
    assert draft_of(app).source.people == "people"

    go_to(app, "plan")
    app.text_input(key="choice_epsilon").input("1/2").run()
    answer_dataset(app, "strangers")
    assert "This very table was released before as people." in text_of(app)
    assert not is_release_offered(app)


def test_a_release_without_a_forecast_says_so(path: Path) -> None:
    """Where the number of rows is private, nobody knows before the spend how rough the table
    gets, unless somebody types about how many there are.
    """
    app = visit_ready(path)
    warning = "Type about how many rows the table has in the step Plan."
    assert warning not in text_of(app)
    changed = draft_of(app).change(neighbors=Neighbors.ADD_REMOVE)
    app.session_state["draft"] = changed
    assert warning in text_of(app.run())
    app.session_state["draft"] = changed.change(about_rows=500)
    assert warning not in text_of(app.run())


def test_spellings_of_one_name_are_one_population(updated_table: Path) -> None:
    """Blanks and letters of full width do not make another population: the name is `people`
    again.
    """
    app = answer_dataset(visit_ready(updated_table), "  \uff50eople ")
    assert draft_of(app).source.people == "people"
    assert is_release_offered(app)
