"""The top of every page: the table, whose data it is, its budget, and a new start."""

from fractions import Fraction
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shell import budgets, state
from pages.ui.shell.words import say_spent, share_spent
from synth.door import Ledger
from synth.privacy import Guarantee, Neighbors, parse_budget
from tests.app.charts import count_charts
from tests.app.steward import (
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


def test_every_page_names_the_table_and_its_people(tmp_path: Path) -> None:
    """The people have the name of the file until somebody says otherwise."""
    table = write(tmp_path / "people.csv", ["age", "sex"], [["30", "f"]] * 20)
    app = use_file(visit(), table)
    for step in ("data", "domain", "ledger"):
        go_to(app, step)
        assert "**people.csv** · whose data: people" in text_of(app)


def test_without_a_table_nothing_can_be_undone_or_left() -> None:
    app = visit()
    assert not [button for button in app.button if button.key in ("start_over", "undo")]


def record_spend(ledger: Ledger) -> None:
    """Record a release of epsilon 1."""
    ledger.spend(
        guarantee=Guarantee.pure(Fraction(1)),
        neighbors=Neighbors.REPLACE_ONE,
        purpose="histogram",
        dataset="survey",
        table="",
        request="",
    )


@pytest.fixture
def ledger() -> Ledger:
    """A ledger with a budget of epsilon 3, of which nothing is spent."""
    made = Ledger()
    made.set_budget("survey", parse_budget("3", Neighbors.REPLACE_ONE))
    return made


def test_the_budget_is_told_as_spent_of_all(ledger: Ledger) -> None:
    """A release of epsilon 1 of a budget of 3 has a third of the bar."""
    record_spend(ledger)
    balance = ledger.balance("survey")

    assert say_spent(balance) == "epsilon 1 of 3 spent"
    assert share_spent(balance) == 1 / 3


def test_the_bar_follows_a_spend_at_work(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that shows the progress of a release draws the bar anew in its place."""
    monkeypatch.setattr(budgets, "balance", lambda: ledger.balance("survey"))
    monkeypatch.setattr(state, "spend_here", lambda: record_spend(ledger), raising=False)

    def show_progress() -> None:
        from pages.ui.shell import state
        from pages.ui.shell.budget_bar import renew_budget, show_budget

        show_budget()
        state.spend_here()  # type: ignore[attr-defined]
        renew_budget()

    page = AppTest.from_function(show_progress).run()
    assert [bar.proto.text for bar in page.get("progress")] == ["epsilon 1 of 3 spent"]


def test_starting_over_leaves_the_table_and_keeps_what_was_paid() -> None:
    """The rehearsal's release stays; the step Data asks for a table again."""
    app = visit("data", choose_example())
    count_charts(release_by_plan(app))
    assert len(draft_of(app).releases) == 1
    press(app, "Start over with another table")

    assert draft_of(app).source is None
    assert len(draft_of(app).releases) == 1
    go_to(app, "data")
    assert not app.exception
    assert "Take the tour" in [button.label for button in app.button]


def test_a_page_that_needs_no_table_has_it_too() -> None:
    app = go_to(visit("data", choose_example()), "learn")
    assert "whose data: nobody: simulated" in text_of(app)
