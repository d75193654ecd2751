"""Whose data a table is: asked before a first spend, so that no file opens a budget in
silence.
"""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shell import home
from synth.door import Ledger
from tests.app.steward import FIELD, draft, go, metrics, press, said, use, visit
from tests.app.test_ledger_page import path, spent

__all__ = ["path"]


@pytest.fixture
def updated(path: Path) -> Path:
    """The same people, one row more, another file name; the first table is released."""
    spent(path, "1", budget="3")
    newer = path.with_name("survey_v2.csv")
    newer.write_text(path.read_text() + "F\n")
    return newer


def ready(table: Path) -> AppTest:
    app = use(visit(), table)
    app.session_state["draft"] = draft(app).with_declaration({"fields": [FIELD]})
    return go(app, "release")


def answer(app: AppTest, name: str) -> AppTest:
    box = app.selectbox(key="people")
    box.options.append(
        name
    )  # what is typed is none of those listed, which AppTest does not know
    return box.set_value(name).run()


def release(app: AppTest) -> AppTest:
    app.checkbox(key="agreed").check().run()
    return press(app, "Release with epsilon 1")


def offered(app: AppTest) -> bool:
    return any(button.label.startswith("Release with") for button in app.button)


def book() -> Ledger:
    return Ledger(home.folder() / "ledger.db", readonly=True)


def test_the_first_table_is_asked_about_with_its_name_filled_in(path: Path) -> None:
    app = ready(path)
    box = app.selectbox(key="people")
    assert (box.label, box.value) == ("Whose data is this?", "people")
    assert "All tables about the same people share one budget." in [
        c.value for c in app.caption
    ]
    assert offered(app)
    answer(app, "patients of 2024")
    release(app)
    assert book().datasets() == ["patients of 2024"]
    assert draft(use(visit(), path)).source.people == "patients of 2024", "known by its table"


def test_an_updated_table_opens_no_budget_in_silence(updated: Path) -> None:
    app = ready(updated)
    assert app.selectbox(key="people").value is None
    assert app.selectbox(key="people").options == ["people"]
    assert "Say whose data this is to go on." in said(app)
    assert not offered(app)
    go(app, "ledger")
    assert metrics(app) == ["not set", "0", "-"]
    app.text_input(key="new_budget").input("9").run()
    press(app, "Set the budget")
    assert "Say first, in the step Release, whose data this is" in said(app)
    go(app, "release")
    answer(app, "people")
    assert "with 1 spent before, it is 2 in all" in said(app)
    release(app)
    assert not app.exception
    assert str(book().balance("people").left) == "1"
    go(app, "ledger")
    assert list(app.dataframe[0].value["table"]) == ["table 1", "table 2"]


def test_other_people_get_a_budget_of_their_own_where_that_is_said(updated: Path) -> None:
    app = ready(updated)
    answer(app, "other people")
    assert offered(app)
    release(app)
    assert book().datasets() == ["people", "other people"]


def test_a_name_that_looks_like_another_is_asked_about_once_more(updated: Path) -> None:
    app = answer(ready(updated), "Pe\u043eple")
    assert "There is a population people, which looks like Pe\u043eple." in said(app)
    assert not offered(app)
    app.checkbox(key="new Pe\u043eple").check().run()
    assert offered(app)
    release(app)
    assert book().datasets() == ["people", "Pe\u043eple"]


def test_the_same_table_under_a_new_name_is_asked_about_once_more(path: Path) -> None:
    spent(path)
    copy = path.with_name("copy.csv")
    copy.write_bytes(path.read_bytes())
    app = use(visit(), copy)
    assert draft(app).source.people == "people"
    go(app, "plan")
    app.text_input(key="choice_epsilon").input("1/2").run()
    answer(go(app, "release"), "strangers")
    assert "This very table was released before as people." in said(app)
    assert not offered(app)


def test_spellings_of_one_name_are_one_population(updated: Path) -> None:
    app = answer(ready(updated), "  \uff50eople ")
    assert draft(app).source.people == "people"
    assert offered(app)
