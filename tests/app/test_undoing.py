"""Undo in the header: the last choice of the reading, the description and the plan."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shell.draft import Draft
from pages.ui.shell.history import PARTS, History
from tests.app.steward import (
    FIELD,
    choose,
    choose_example,
    draft_of,
    go_to,
    press,
    release_by_plan,
    text_of,
    use_file,
    visit,
)
from tests.tables import write


@pytest.fixture
def app(tmp_path: Path) -> AppTest:
    """The step Data with a table of people whose column sex is described."""
    rows = [[str(30 + number), "FM"[number % 2]] for number in range(20)]
    app = use_file(visit(), write(tmp_path / "people.csv", ["age", "sex"], rows))
    return choose(app, fields=({"name": "age"}, FIELD)).run()


def undo(app: AppTest) -> AppTest:
    """Press *Undo* in the header."""
    return app.button(key="undo").click().run()


def test_undo_says_what_it_takes_back_and_redo_does_it_again(app: AppTest) -> None:
    """Undo and redo of a left-out column change the draft, and the page says what they
    did.
    """
    choose(app, left_out=frozenset({"sex"})).run()
    undo(app)
    assert "Undone: sex left out." in text_of(app)
    assert draft_of(app).left_out == frozenset()

    app.button(key="redo").click().run()
    assert "Done again: sex left out." in text_of(app)
    assert draft_of(app).left_out == {"sex"}
    assert not [button for button in app.button if button.key == "redo"]


def test_nothing_is_undone_before_a_choice(tmp_path: Path) -> None:
    """The button is off, and an earlier table's choices are no part of the history."""
    table = write(tmp_path / "first.csv", ["a"], [["x"]] * 9)
    app = use_file(visit(), table)
    assert app.button(key="undo").disabled

    choose(app, epsilon="2").run()
    assert not app.button(key="undo").disabled
    use_file(app, write(tmp_path / "second.csv", ["a"], [["y"]] * 9))
    assert app.button(key="undo").disabled


def test_a_choice_of_the_plan_is_undone_on_its_page(app: AppTest) -> None:
    """The slider of Plan draws only its page; Undo takes its last move back all the same."""
    go_to(app, "plan")
    app.text_input(key="choice_epsilon").input("2").run()
    assert draft_of(app).epsilon == "2"
    undo(app)
    assert "Undone: epsilon 2." in text_of(app)
    assert draft_of(app).epsilon == "1"
    assert not app.exception


def test_another_reading_of_the_file_is_undone(tmp_path: Path) -> None:
    """The header can be read from another line, and back, with what was described before."""
    table = write(tmp_path / "people.csv", ["age", "sex"], [["30", "F"], ["40", "M"]] * 9)
    app = choose(use_file(visit(), table), fields=({"name": "age"}, FIELD)).run()
    project = draft_of(app).project
    app.number_input(key="format header").set_value(2).run()
    assert draft_of(app).source.table.header == ("30", "F")
    assert [button.label for button in app.button if button.key == "undo header"] == [
        "Undo: back to 1"
    ]

    undo(app)
    assert "Undone: how the file is read." in text_of(app)
    assert draft_of(app).source.table.header == ("age", "sex")
    assert draft_of(app).chosen_names == ("sex",)
    assert draft_of(app).project == project

    app.number_input(key="format header").set_value(2).run()
    app.button(key="undo header").click().run()
    assert draft_of(app).source.table.header == ("age", "sex")


def test_whose_data_it_is_can_be_undone(app: AppTest) -> None:
    """Undo brings back the earlier dataset (whose data it is), and the page says so."""
    app.selectbox(key="people").options.append("patients")
    app.selectbox(key="people").set_value("patients").run()
    assert draft_of(app).source.people == "patients"
    undo(app)
    assert draft_of(app).source.people == "people"
    assert "Undone: whose data it is, patients." in text_of(app)


def test_undo_never_takes_back_a_release_or_a_spend(app: AppTest) -> None:
    """The release of epsilon 1 stays paid for, whatever is undone after it."""
    release_by_plan(app)
    choose(app, left_out=frozenset({"sex"})).run()
    for _ in range(9):
        if app.button(key="undo").disabled:
            break
        undo(app)
    assert app.button(key="undo").disabled
    assert not app.exception
    go_to(app, "ledger")
    assert [*app.dataframe[0].value["table"]] == ["table 1"]


def test_the_word_that_values_are_public_does_not_come_back() -> None:
    """Undo brings back earlier values, but not the word that values are public, given for
    later ones.
    """
    history = History()
    first = choose_example()
    history.see(first)
    later = first.change(fields=first.fields[:3], vouched=True)
    history.see(later)
    assert not history.go(later, -1).vouched


def test_what_was_paid_seen_or_released_is_no_part_of_the_history() -> None:
    kept = {"releases", "answers", "checks", "drafts", "looked", "compared", "repair_seen"}
    assert not kept & {*PARTS}
    assert {*PARTS} <= {*Draft.__dataclass_fields__}


@pytest.mark.parametrize("step", ["ledger", "learn", "use", "collect", "ask"])
def test_every_page_says_what_was_undone(step: str) -> None:
    """Undo on any page says which epsilon it took back."""
    app = visit("data", choose_example())
    choose(app, epsilon="2").run()
    go_to(app, step)
    undo(app)
    assert "Undone: epsilon 2." in text_of(app)


def test_many_columns_are_told_by_their_number() -> None:
    """If undo concerns more than three columns, the page says how many instead of naming
    them.
    """
    app = visit("data", choose_example())
    names = frozenset(draft_of(app).chosen_names)
    assert len(names) > 3
    choose(app, left_out=draft_of(app).left_out | names).run()
    press(app, "Undo")
    assert f"Undone: {len(names)} columns left out." in text_of(app)
