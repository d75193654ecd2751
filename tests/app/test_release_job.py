"""A release in its thread: Stop in every stage, others that wait, closed pages, its bar."""

import threading
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pages.ui.shell.job import WRITING
from pages.ui.shell.private import PrivateFolder
from pages.ui.shell.release import Release, Source
from pages.ui.shell.release_job import (
    ALL_STAGES,
    BUNDLE,
    STOPPED_CHANGING,
    STOPPED_LATER,
    STOPPED_WRITING,
    FilesJob,
    ReleaseJob,
)
from synth.bundle import SINGLE_FILES, Result
from synth.door import Ledger
from synth.plans import Method, Plan
from synth.privacy import parse_budget
from synth.private.counting import DuckDB
from synth.private.table import open_table
from synth.util import STOPPED
from synth.verification import verify
from tests.patience import SECONDS, until
from tests.tables import MIXED, ROWS, write

PLAN = Plan(domain=MIXED, epsilon=Fraction(1), method=Method.DENSE, dataset="t.csv")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A table with the columns of MIXED and the 11 rows of ROWS."""
    return write(tmp_path / "t.csv", list(MIXED.names), ROWS)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger file in which epsilon 1 may be spent."""
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.set_budget("t.csv", parse_budget("1", PLAN.neighbors))
    return ledger


def begin(path: Path, ledger: Ledger, folder: PrivateFolder | None = None) -> ReleaseJob:
    """Start a release of a table."""
    source = Source(title="t.csv", table=open_table(path))
    return ReleaseJob(source, PLAN, ledger=ledger, folder=folder or PrivateFolder())


def stop_in(monkeypatch: pytest.MonkeyPatch, stage: str) -> None:
    """Let the user press Stop as soon as a stage has begun."""
    original = ReleaseJob._progress

    def progress(job: ReleaseJob, begun: str) -> None:
        original(job, begun)
        if begun == stage:
            assert job.may_stop
            job.stop()

    monkeypatch.setattr(ReleaseJob, "_progress", progress)


@pytest.mark.parametrize("stage", ALL_STAGES)
@pytest.mark.first_case
def test_it_stops_in_every_stage(
    path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    """A release that the user stops ends soon, in whichever stage it is.

    Before the ledger's line nothing is spent. After it the same plan goes on at no cost, and
    its bundle is right. A release whose rows are drawn is kept, without files.
    """
    with monkeypatch.context() as patched:
        stop_in(patched, stage)
        stopped = begin(path, ledger)
        assert stopped.wait(SECONDS)

    is_unpaid = stage == ALL_STAGES[0]
    has_rows = stage == WRITING
    assert stopped.error is not None
    if has_rows:
        sentence = STOPPED_WRITING
    elif is_unpaid:
        sentence = STOPPED
    else:
        sentence = STOPPED_LATER
    assert stopped.error.startswith(sentence)
    assert len(ledger.entries()) == (0 if is_unpaid else 1)
    assert (stopped.outcome is not None) == has_rows
    assert stopped.outcome is None or stopped.outcome.files == {}

    again = begin(path, ledger)
    assert again.wait(SECONDS)
    assert again.outcome is not None, again.error
    assert again.outcome.result.repeated is not is_unpaid
    assert len(ledger.entries()) == 1
    assert ledger.state(ledger.entries()[0]) == "bundle made"
    assert verify(again.outcome.files[BUNDLE], ledger).verdict == "confirmed"


def test_files_that_were_not_written_are_written_later(
    path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release that was stopped while its files were written gets them by a job of their
    own, which spends nothing.
    """
    with monkeypatch.context() as patched:
        stop_in(patched, WRITING)
        stopped = begin(path, ledger)
        assert stopped.wait(SECONDS)
    assert stopped.outcome is not None

    folder = PrivateFolder()
    writing = FilesJob(stopped.outcome, ledger=ledger, folder=folder)
    assert writing.wait(SECONDS)
    assert writing.outcome is not None, writing.error
    assert set(SINGLE_FILES) < set(writing.outcome.files)
    assert len(ledger.entries()) == 1
    # It takes the place of the release without files, also if that was compared meanwhile.
    assert writing.changes((stopped.outcome,))["releases"][0].files == writing.outcome.files


def test_vouching_that_is_stopped_changes_nothing(
    path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A steward who stops while the words of the files change has the files as they were."""
    made = begin(path, ledger)
    assert made.wait(SECONDS)
    assert made.outcome is not None
    before = {name: file.read_bytes() for name, file in made.outcome.files.items()}

    original = Result.vouch
    running: list[FilesJob] = []

    def vouch_and_stop(result: Result) -> Result:
        assert until(lambda: running)
        running[0].stop()
        return original(result)

    monkeypatch.setattr(Result, "vouch", vouch_and_stop)
    running.append(FilesJob(made.outcome, ledger=ledger, folder=PrivateFolder(), vouch=True))
    assert running[0].wait(SECONDS)
    assert (running[0].outcome, running[0].error) == (None, STOPPED_CHANGING)
    assert before == {name: file.read_bytes() for name, file in made.outcome.files.items()}


class Gate:
    """A function that holds its first caller back until it is opened."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()
        self._function = function

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the function; the first time wait before it."""
        is_first = not self.reached.is_set()
        self.reached.set()
        if is_first:
            assert self.opened.wait(SECONDS)
        return self._function(*arguments, **named)

    def patch(self, monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> None:
        """Put the gate in the place of a method."""
        monkeypatch.setattr(owner, name, lambda *given, **named: self(*given, **named))


def test_nobody_waits_for_the_files_of_another_release(
    path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one session writes its files, another one makes its release from beginning to
    end, even where only one release may be at work at once.
    """
    monkeypatch.setenv("SYNTH_WORKERS", "1")
    gate = Gate(Result.write_archive)
    gate.patch(monkeypatch, Result, "write_archive")
    writing = begin(path, ledger)
    assert gate.reached.wait(SECONDS)
    assert writing.stage == WRITING

    other = begin(path, Ledger())
    assert other.wait(SECONDS)
    assert other.outcome is not None, other.error
    assert other.outcome.files

    gate.opened.set()
    assert writing.wait(SECONDS)
    assert writing.error is None


@pytest.mark.parametrize(("megabytes", "waits"), [("64", False), ("99999999", True)])
def test_as_many_are_at_work_as_memory_admits(
    path: Path, monkeypatch: pytest.MonkeyPatch, megabytes: str, waits: bool
) -> None:
    """Two releases are at work at once if the memory of one, SYNTH_MEMORY_MB, is there twice.

    Otherwise the second one waits until the first has drawn its rows.
    """
    monkeypatch.setenv("SYNTH_WORKERS", "2")
    monkeypatch.setenv("SYNTH_MEMORY_MB", megabytes)
    gate = Gate(DuckDB.marginals)
    gate.patch(monkeypatch, DuckDB, "marginals")
    first = begin(path, Ledger())
    assert gate.reached.wait(SECONDS)

    second = begin(path, Ledger())
    if waits:
        assert second.before == 1
        assert not second.wait(0.2)
    else:
        assert second.before == 0
        assert second.wait(SECONDS)
    gate.opened.set()
    for running in (first, second):
        assert running.wait(SECONDS)
        assert running.error is None


def test_a_release_behind_a_closed_page_gives_way(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release whose page was closed for good goes on, until another one waits for it.

    Then it ends before its spend, and the other one is made.
    """
    monkeypatch.setenv("SYNTH_WORKERS", "1")
    gate = Gate(DuckDB.marginals)
    gate.patch(monkeypatch, DuckDB, "marginals")
    left_ledger = Ledger()
    folder = PrivateFolder(lambda: False, grace=0.05)
    left = begin(path, left_ledger, folder)
    assert gate.reached.wait(SECONDS)
    assert until(lambda: folder.is_left)
    assert not left.is_stopped  # nobody waits for it

    other = begin(path, Ledger())
    assert left.is_stopped
    gate.opened.set()
    assert left.wait(SECONDS)
    assert left.error == (
        "Its page was closed, and others waited: stopped; nothing was spent."
    )
    assert left_ledger.entries() == []
    assert other.wait(SECONDS)
    assert other.error is None


def test_a_page_is_left_once_it_is_closed_for_good() -> None:
    """A page is left after its grace, here 0.05 seconds, and no longer when it is back."""
    is_open = True
    folder = PrivateFolder(lambda: is_open, grace=0.05)
    assert not folder.is_left
    threading.Event().wait(0.1)
    assert not folder.is_left  # it is open
    is_open = False
    assert until(lambda: folder.is_left)
    folder.pass_to(lambda: True)
    assert not folder.is_left
    assert not PrivateFolder(None, grace=0.0).is_left  # no server, no page


def test_one_bar_covers_all_stages_and_never_falls(
    path: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each stage has its part of the bar, and the last one is full with the last file."""
    shares: list[tuple[str, float]] = []
    original_progress = ReleaseJob._progress
    original_written = ReleaseJob._note_written

    def progress(job: ReleaseJob, stage: str) -> None:
        original_progress(job, stage)
        shares.append((stage, job.share(10.0)))

    def written(job: ReleaseJob, share: float) -> None:
        original_written(job, share)
        shares.append((job.stage, job.share(10.0)))

    monkeypatch.setattr(ReleaseJob, "_progress", progress)
    monkeypatch.setattr(ReleaseJob, "_note_written", written)
    done = begin(path, ledger)
    assert done.wait(SECONDS)

    assert [stage for stage, _ in shares][:5] == list(ALL_STAGES)
    assert shares == sorted(shares, key=lambda pair: pair[1])
    assert shares[-1] == (WRITING, 1.0)
    assert len(shares) > len(ALL_STAGES)
    # However long a stage takes, it stays inside its part.
    done.stage = ALL_STAGES[0]
    assert 0 < done.share(0.0) <= 0.15


def test_a_release_that_was_compared_meanwhile_keeps_its_comparison(
    path: Path, ledger: Ledger
) -> None:
    """Files that are written while the steward compares the release are put into the
    compared one.
    """
    made = begin(path, ledger)
    assert made.wait(SECONDS)
    release: Release | None = made.outcome
    assert release is not None
    writing = FilesJob(release, ledger=ledger, folder=PrivateFolder(), vouch=True)
    assert writing.wait(SECONDS)
    compared = replace(release, comparison="compared")
    changes = writing.changes((compared,))
    (changed,) = changes["releases"]
    assert changed.comparison == "compared"
    assert changed.result.certificate.declaration.taken_is_public
    assert set(changes) == {"releases"}, "the next release asks anew"
