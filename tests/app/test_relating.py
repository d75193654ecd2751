"""The page Domain: relations that all rows obey, taken in by a click."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from pages.ui.domain.relating import HEADING, open_proposals
from pages.ui.domain.remarks import left_out
from pages.ui.shell.draft import Draft
from pages.ui.shell.saved import choices_of
from synth.domain import LOOKED_UP
from tests.app import steward
from tests.counting.related_tables import write_cities, write_loans, write_outcomes


def look_at(table: Path) -> AppTest:
    """Return the page Domain after a look at a table."""
    app = steward.use_file(steward.visit(), table)
    app = steward.go_to(app, "domain")
    label = next(b.label for b in app.button if b.label.startswith("Look at the data"))
    return steward.press(app, label)


def click(app: AppTest, key: str) -> AppTest:
    """Press the button of a key, and return the page after it."""
    app.button(key=key).click().run()
    assert not app.exception
    return app


def test_a_relation_is_taken_in_by_one_click(tmp_path: Path) -> None:
    """Each proposal has a button. Taken in, it is a derived column that is marked.

    Nothing of a proposal that waits goes into the project.
    """
    app = look_at(write_cities(tmp_path))
    assert HEADING in steward.text_of(app)
    draft = steward.draft_of(app)
    assert [proposal.name for proposal in open_proposals(draft)] == [
        "age from born",
        "country from city",
    ]
    assert "Graz" not in str(choices_of(draft)["derived"])

    draft = steward.draft_of(click(app, "take country from city"))
    assert draft.domain is not None
    (country,) = draft.domain.derived
    assert (country.name, country.taken, draft.origin) == ("country", True, LOOKED_UP)
    assert draft.domain.names == ("city", "born", "age")
    assert left_out(draft)["country"] == "It follows from other columns by a rule."
    assert [proposal.name for proposal in open_proposals(draft)] == ["age from born"]


def test_all_relations_are_taken_in_and_one_is_removed_again(tmp_path: Path) -> None:
    """One click takes in all proposed relations; the button of one of them removes it
    again.
    """
    app = click(look_at(write_cities(tmp_path)), "take all")
    draft = steward.draft_of(app)
    assert draft.domain is not None
    assert {rule.name for rule in draft.domain.derived} == {"age", "country"}
    assert HEADING not in steward.text_of(app)
    assert "(taken from the rows)" in steward.text_of(app)

    draft = steward.draft_of(click(app, "derived_0"))
    assert draft.domain is not None
    assert draft.domain.names == ("city", "born", "age")


def test_a_rule_is_taken_in_and_marked_on_the_plan(tmp_path: Path) -> None:
    """An order becomes a rule; the plan's caveat says that it was taken from the rows."""
    app = click(look_at(write_loans(tmp_path)), "take started <= paid_off")
    draft: Draft = steward.draft_of(app)
    assert draft.rules == {"taken": {"order": [["started", "paid_off"]]}}
    assert "'started' is at most 'paid_off'" in draft.plan().caveats[-1]


def test_without_a_proposal_nothing_is_shown(tmp_path: Path) -> None:
    assert HEADING not in steward.text_of(look_at(write_outcomes(tmp_path)))
