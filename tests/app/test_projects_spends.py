"""What the list of projects says of their releases is what the ledger says."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from pages.ui.data import projects
from pages.ui.shell import state
from synth.door import Ledger
from synth.errors import ReleaseError
from synth.lessons import survey_domain, write_example
from synth.plans import KnownTable, Plan, Project, Started, new_identifier
from synth.privacy import Neighbors, parse_budget
from synth.private.table import open_table
from synth.spending import request_of, synthesize

STOPPED = "was stopped before anything was spent."


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ledger]:
    with Ledger(tmp_path / "l.db") as ledger:
        ledger.set_budget("us", parse_budget("9", Neighbors.REPLACE_ONE))
        monkeypatch.setattr(state, "real_ledger", lambda: ledger)
        yield ledger


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_example(tmp_path)[0]


def plan_of(epsilon: int) -> Plan:
    return Plan(
        domain=survey_domain().project(("sex", "smoker")),
        epsilon=Fraction(epsilon),
        dataset="us",
    )


def start_release(book: Ledger, table: Path, epsilon: int) -> Started:
    opened = open_table(table)
    return Started(
        "us", book.fingerprint(*opened.files), request_of(plan_of(epsilon), opened)
    )


def project_of(*started: Started, mark: str) -> Project:
    known_table = KnownTable(title="people.csv", mark=mark)
    return Project(
        identifier=new_identifier(),
        name="people",
        table=known_table,
        choices={},
        started=started,
    )


def test_a_spend_is_found_after_another_table_came_in_between(
    book: Ledger, table: Path
) -> None:
    """A project remembers its release, although its current table has another fingerprint."""
    release = start_release(book, table, 3)
    result = synthesize(plan_of(3), table, ledger=book)
    result.write_archive(table.parent / "b.zip", book)
    other_project = project_of(release, mark="cd" * 16)
    assert projects.how_far(other_project) == "Released: entry 2 of the ledger."


def test_a_stopped_release_does_not_hide_an_earlier_spend(book: Ledger, table: Path) -> None:
    """The release for 5 was stopped before its spend; the earlier one for 3 was made."""
    mark = book.fingerprint(table)
    never = start_release(book, table, 5)
    assert projects.how_far(project_of(never, mark=mark)) == f"Its release {STOPPED}"
    release = start_release(book, table, 3)
    result = synthesize(plan_of(3), table, ledger=book)
    result.write_archive(table.parent / "b.zip", book)
    progress = projects.how_far(project_of(release, never, mark=mark))
    assert progress == f"Released: entry 2 of the ledger. Its last release {STOPPED}"


def test_an_interrupted_release_of_another_table_asks_for_that_table(
    book: Ledger, table: Path
) -> None:
    """A spend without its release goes on only with the table that was paid for."""
    release = start_release(book, table, 3)

    def stop(stage: str) -> None:
        if stage == "Drawing rows":
            raise ReleaseError(stage)

    with pytest.raises(ReleaseError):
        synthesize(plan_of(3), table, ledger=book, progress=stop)
    mark = release.table
    progress = projects.how_far(project_of(release, mark=mark))
    assert (
        "interrupted after its spend (entry 2 of the ledger). Open it, and it goes on"
        in progress
    )
    progress = projects.how_far(project_of(release, mark="cd" * 16))
    assert "Open it with the table of that release, and it goes on" in progress
    never = start_release(book, table, 5)
    progress = projects.how_far(project_of(release, never, mark=mark))
    assert progress == (
        f"Interrupted after its spend: entry 2 of the ledger. Its last release {STOPPED}"
    )


def test_a_practice_table_at_hand_changes_nothing(book: Ledger, table: Path) -> None:
    """The ledger of practice tables knows no spend of a real project."""
    release = start_release(book, table, 3)
    synthesize(plan_of(3), table, ledger=book).write_archive(table.parent / "b.zip", book)
    rehearsal = replace(
        project_of(mark=""), table=KnownTable(title="practice", simulated=True)
    )
    assert projects.how_far(rehearsal) == "A rehearsal."
    assert projects.how_far(project_of(release, mark=release.table)).startswith("Released")
