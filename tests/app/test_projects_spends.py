"""What the list of projects says of their releases is what the ledger says."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from pages.ui.data import projects
from pages.ui.shell import budgets
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
    """A ledger with a budget of 9 for the dataset "us", which the pages use as theirs.

    The budget is its entry 1.
    """
    with Ledger(tmp_path / "l.db") as ledger:
        ledger.set_budget("us", parse_budget("9", Neighbors.REPLACE_ONE))
        monkeypatch.setattr(budgets, "real_ledger", lambda: ledger)
        yield ledger


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """The simulated survey in a file."""
    return write_example(tmp_path)[0]


def plan_of(epsilon: int) -> Plan:
    return Plan(
        domain=survey_domain().project(("sex", "smoker")),
        epsilon=Fraction(epsilon),
        dataset="us",
    )


def start_release(book: Ledger, table: Path, epsilon: int) -> Started:
    """Return what a project stores when its release by this plan begins."""
    opened = open_table(table)
    return Started(
        "us", book.fingerprint(*opened.files), request_of(plan_of(epsilon), opened)
    )


def project_of(*started: Started, mark: str) -> Project:
    """Return a project that began these releases; its current table has the fingerprint
    `mark`.
    """
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
    """A project remembers its release, although its current table has another fingerprint.

    Entry 1 of the ledger is the budget, so the release is entry 2.
    """
    release = start_release(book, table, 3)
    result = synthesize(plan_of(3), table, ledger=book)
    result.write_archive(table.parent / "b.zip", book)
    other_project = project_of(release, mark="cd" * 16)
    assert projects.how_far(other_project) == "Released: entry 2 of the ledger."


def test_a_stopped_release_does_not_hide_an_earlier_spend(book: Ledger, table: Path) -> None:
    """A release that was stopped before its spend is reported beside an earlier one that was
    made. The release for epsilon 5 never spends; the release for 3 is entry 2, after the
    budget.
    """
    mark = book.fingerprint(table)
    # Only begun: nothing is spent for it.
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
    """A release that was interrupted after its spend goes on only with the table that was
    paid for. The list of projects says so, and names its entry 2 of the ledger (entry 1 is
    the budget). A later release that was stopped is reported, too.
    """
    release = start_release(book, table, 3)

    # Interrupts the release after its spend, before rows are drawn.
    def stop(stage: str) -> None:
        if stage == "Drawing rows":
            raise ReleaseError(stage)

    with pytest.raises(ReleaseError):
        synthesize(plan_of(3), table, ledger=book, progress=stop)

    # The project has the table that was paid for.
    mark = release.table
    progress = projects.how_far(project_of(release, mark=mark))
    assert (
        "interrupted after its spend (entry 2 of the ledger). Open it, and it goes on"
        in progress
    )

    # The project has another table now.
    progress = projects.how_far(project_of(release, mark="cd" * 16))
    assert "Open it with the table of that release, and it goes on" in progress

    # A later release for 5 was stopped before its spend.
    never = start_release(book, table, 5)
    progress = projects.how_far(project_of(release, never, mark=mark))
    assert progress == (
        f"Interrupted after its spend: entry 2 of the ledger. Its last release {STOPPED}"
    )


def test_a_practice_table_at_hand_changes_nothing(book: Ledger, table: Path) -> None:
    """A project of a practice table is shown as a rehearsal, beside a project with a real
    release. The ledger of practice tables knows no spend of a real project.
    """
    release = start_release(book, table, 3)
    synthesize(plan_of(3), table, ledger=book).write_archive(table.parent / "b.zip", book)

    rehearsal = replace(
        project_of(mark=""), table=KnownTable(title="practice", simulated=True)
    )
    assert projects.how_far(rehearsal) == "A rehearsal."
    assert projects.how_far(project_of(release, mark=release.table)).startswith("Released")
