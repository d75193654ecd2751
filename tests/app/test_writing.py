"""Files that the app writes on request: in a thread of their own, with Stop."""

import threading
from pathlib import Path

from pages.ui.shell.private import PrivateFolder
from pages.ui.shell.writing import STOPPED_FILE, Progress, WritingJob
from synth.door import Ledger
from synth.util import check_deadline

SECONDS = 30


def begin(write: object, folder: PrivateFolder) -> WritingJob:
    """Begin to write."""
    return WritingJob(
        write,  # type: ignore[arg-type]
        place="place",
        title="t.xlsx",
        ledger=Ledger(),
        folder=folder,
    )


def test_a_written_file_stays_and_its_progress_is_told() -> None:
    """The outcome is the path, and the bar is full."""

    def write(place: Path, progress: Progress) -> Path:
        (place / "t.xlsx").write_bytes(b"rows")
        progress(1.0)
        return place / "t.xlsx"

    job = begin(write, PrivateFolder())
    assert job.wait(SECONDS)
    assert job.error is None
    assert job.outcome is not None
    assert job.outcome.read_bytes() == b"rows"
    assert job.share(1.0) == 1.0


def test_a_stopped_file_leaves_nothing_and_says_so() -> None:
    """Half of a file is written when Stop comes; its folder goes with it."""
    half_written = threading.Event()
    stop_pressed = threading.Event()
    places = []

    def write(place: Path, progress: Progress) -> Path:
        (place / "t.xlsx").write_bytes(b"half")
        places.append(place)
        progress(0.5)
        half_written.set()
        assert stop_pressed.wait(SECONDS)
        check_deadline()
        raise AssertionError("Stop was not heard.")

    job = begin(write, PrivateFolder())
    assert half_written.wait(SECONDS)
    assert job.may_stop.startswith("Stop")
    job.stop()
    stop_pressed.set()
    assert job.wait(SECONDS)
    assert job.error == STOPPED_FILE
    assert job.outcome is None
    assert not places[0].exists()


def test_stop_in_the_last_moment_keeps_no_file_either() -> None:
    """The file is whole, but the steward did not want it any more."""
    places = []
    jobs: list[WritingJob] = []
    is_begun = threading.Event()

    def write(place: Path, _progress: Progress) -> Path:
        assert is_begun.wait(SECONDS)
        places.append(place)
        (place / "t.xlsx").write_bytes(b"rows")
        jobs[0].stop()
        return place / "t.xlsx"

    jobs.append(begin(write, PrivateFolder()))
    is_begun.set()
    assert jobs[0].wait(SECONDS)
    assert (jobs[0].error, jobs[0].outcome) == (STOPPED_FILE, None)
    assert not places[0].exists()
