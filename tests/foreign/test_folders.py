"""Private copies on disk: who may read them, and that they go however a process ends."""

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from synth.errors import TableError
from synth.foreign import Folder, folders, place, sweep
from tests.patience import SECONDS, signals_by_default, until
from tests.tables import ROOT

posix = pytest.mark.skipif(os.name != "posix", reason="signals and modes of POSIX")

# Programs that make a private copy or folder, and print its path.
UNPACKED = """
import sys, time
from synth.private.table.private_table import open_table
table = open_table(sys.argv[1])
print(table.data, flush=True)
"""
WAITING = UNPACKED + "time.sleep(600)"
ABORTED = UNPACKED + "import os; sys.stdin.readline(); os._exit(3)"
# Such a program without the script that waits for its end and removes its folder.
ALONE = (
    "import synth.foreign.folders\nsynth.foreign.folders._start_cleaner = lambda path: None\n"
)
THREADED = """
import threading
from pathlib import Path
from synth.foreign.folders import Folder
kept = Folder()
thread = threading.Thread(target=lambda: print(kept.path, flush=True))
thread.start(); thread.join()
import time; time.sleep(600)
"""


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """A packed CSV file of one person."""
    import gzip

    path = tmp_path / "people.csv.gz"
    path.write_bytes(gzip.compress(b"name,age\nAda,36\n"))
    return path


@pytest.fixture(autouse=True)
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of the test's own, for this process and those it starts."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr(folders, "FOLDERS_BY_PROCESS", {})
    return folder


Started = Callable[..., tuple["subprocess.Popen[str]", Path]]


@pytest.fixture
def started() -> Iterator[Started]:
    """Starts a process at work; gives it, and the private file or folder it says it has."""
    processes = []

    def start(code: str, *arguments: object) -> tuple["subprocess.Popen[str]", Path]:
        with signals_by_default():
            process = subprocess.Popen(
                [sys.executable, "-c", code, *map(str, arguments)],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        processes.append(process)
        assert process.stdout is not None
        copy = Path(process.stdout.readline().strip())
        assert copy.exists()
        return process, copy

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def end_process(process: "subprocess.Popen[str]", number: int = 0) -> None:
    """Wait for the end of a process, after a signal if a number is given."""
    if number:
        process.send_signal(number)
    process.communicate(timeout=SECONDS)


def is_gone(path: Path) -> bool:
    """Whether it goes; what outlives a killed process needs a moment."""
    return until(lambda: not path.exists())


@posix
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL]
)
def test_no_signal_leaves_an_unpacked_copy(
    started: Started, packed: Path, number: signal.Signals
) -> None:
    """A process that a signal ends leaves no private copy; the packed table stays.

    Even SIGKILL, which no program can catch: a second process then removes the folder.
    """
    process, copy = started(WAITING, packed)
    assert copy.read_text() == "name,age\nAda,36\n"
    end_process(process, number)
    assert is_gone(copy.parent.parent)
    assert packed.exists()


@posix
def test_nor_does_an_end_without_farewell(started: Started, packed: Path) -> None:
    """A process that ends at once, without Python's usual end, leaves no private copy."""
    process, copy = started(ABORTED, packed)
    end_process(process)
    assert is_gone(copy.parent.parent)


def test_an_orderly_end_waits_until_all_is_gone(away: Path, packed: Path) -> None:
    """When a program has ended as usual, its private folder is gone at once.

    The user's folder for all processes stays, and is empty.
    """
    done = subprocess.run(
        [sys.executable, "-c", UNPACKED, str(packed)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not Path(done.stdout.strip()).parent.parent.exists()
    assert [*next(away.iterdir()).iterdir()] == []


@posix
def test_a_thread_may_be_first_to_need_it(started: Started) -> None:
    """A private folder that a thread was first to make goes with its process."""
    process, folder = started(THREADED)
    end_process(process, signal.SIGTERM)
    assert is_gone(folder.parent)


@posix
def test_a_start_sweeps_what_dead_processes_left_and_no_more(
    started: Started, packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that starts removes the folders of ended processes and keeps those in use.

    A lock tells them apart, not the number: the dead folder has the number of a living
    process. The script that removes this process's own folder at its end is made to do
    nothing.
    """
    monkeypatch.setattr(folders, "OUTLIVER", "exit")
    living_folder = Folder()
    folder_of_the_dead = living_folder.path.parent.parent / f"{os.getpid()}-left"
    folder_of_the_dead.mkdir(0o700)
    (folder_of_the_dead / "plain.csv").write_text("x")

    process, copy = started(WAITING, packed)
    assert not folder_of_the_dead.exists()
    assert living_folder.path.exists()
    sweep()
    assert copy.exists()

    end_process(process, signal.SIGKILL)
    sweep()
    assert is_gone(copy.parent.parent)
    assert living_folder.path.exists()


@posix
def test_a_killed_process_whose_shell_died_too_is_swept_by_the_next(
    started: Started, packed: Path
) -> None:
    """If nobody removed the folder of a killed process, the next process does.

    The killed process runs without the script that waits for its end to remove its folder.
    """
    process, copy = started(ALONE + WAITING, packed)
    end_process(process, signal.SIGKILL)
    time.sleep(0.2)  # in which the script would have removed it
    assert copy.exists()

    place()
    assert not copy.parent.parent.exists()


@posix
def test_only_the_user_can_look(started: Started, packed: Path) -> None:
    """Private folders and copies are for the user alone, even if the umask allows all."""
    usual_umask = os.umask(0)
    try:
        process, copy = started(WAITING, packed)
        with Folder() as mine:
            modes = [stat.S_IMODE(path.stat().st_mode) for path in (mine, *mine.parents[:2])]
    finally:
        os.umask(usual_umask)

    assert modes == [0o700] * 3
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
    end_process(process, signal.SIGTERM)


@posix
def test_a_folder_somebody_else_prepared_is_not_used(away: Path, tmp_path: Path) -> None:
    """A folder of the expected name that is a link, or open to others, is passed over.

    The next number is tried, first 1 and then 2. Nothing is written to where the link leads.
    """
    trap = tmp_path / "trap"
    trap.mkdir(0o700)
    taken = away / f"synth-{os.getuid()}"
    taken.symlink_to(trap)
    with Folder() as folder:
        assert folder.parent.parent == away / f"synth-{os.getuid()}-1"

    (away / f"synth-{os.getuid()}-1").chmod(0o750)
    folders.FOLDERS_BY_PROCESS.clear()
    with Folder() as folder:
        assert folder.parent.parent.name.endswith("-2")

    assert [*trap.iterdir()] == []


@posix
def test_links_in_the_place_are_not_followed(tmp_path: Path) -> None:
    """Removing leftover folders follows no link to a folder elsewhere."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "precious.csv").write_text("x")
    root = place().parent
    (root / "link").symlink_to(mine)
    sweep()
    assert (mine / "precious.csv").exists()


@posix
def test_where_no_name_is_left_the_sentence_says_what_to_do(
    away: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If all names of the private folder are taken, the refusal advises another place.

    Only one name is tried here, and a file has it.
    """
    monkeypatch.setattr(folders, "ROOTS", 1)
    (away / f"synth-{os.getuid()}").write_text("")
    with pytest.raises(
        TableError, match=r"^No private folder can be made in .*name another by TM"
    ):
        place()


@posix
def test_a_forked_process_leaves_its_parents_folder_alone() -> None:
    """A forked process makes its own private folder, and its end keeps that of its parent.

    The child ends with code 0 if the folders differ. Then the parent's folder must exist.
    """
    code = (
        "import os, sys\nfrom synth.foreign.folders import Folder\n"
        "kept = Folder()\nmine = kept.path\n"
        "if not os.fork():\n    sys.exit(0 if Folder().path.parent != mine.parent else 1)\n"
        "print(os.wait()[1], mine.exists())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["0", "True"]


def test_a_folder_that_nobody_needs_is_never_made() -> None:
    assert "path" not in vars(Folder())


def test_a_folder_can_be_removed_and_made_again() -> None:
    """A removed folder is made anew, under another name, when it is next needed.

    To remove it twice does no harm.
    """
    folder = Folder()
    first = folder.path
    folder.remove()
    folder.remove()
    assert not first.exists()
    assert folder.path != first
