"""Private files: readable by their owner alone, and gone afterwards."""

import io
import stat
import time
from pathlib import Path

import pytest

from pages.ui.shell.private import PrivateFolder
from synth.errors import TableError
from tests.patience import until


def test_an_upload_is_kept_for_the_owner_alone() -> None:
    """Only the owner of the process can read an upload (mode 600) or open its folder (mode
    700).
    """
    folder = PrivateFolder()
    path = folder.keep(io.BytesIO(b"a,b\n1,2\n"), "people.csv")
    assert path.read_bytes() == b"a,b\n1,2\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "..\\..\\x.csv", "/etc/shadow", "..", ""]
)
def test_a_name_cannot_climb_out(name: str) -> None:
    """Whatever an upload is called, its copy stays in the private folder.

    Each upload has a folder of its own there.
    """
    folder = PrivateFolder()
    path = folder.keep(io.BytesIO(b"x"), name)
    assert path.parent.parent == folder.path


def test_dropping_removes_only_what_was_kept(tmp_path: Path) -> None:
    """Dropping an upload removes its copy, and a file that the folder never kept is left
    alone.
    """
    folder = PrivateFolder()
    path = folder.keep(io.BytesIO(b"x"), "a.csv")
    folder.drop(path)
    assert not path.parent.exists()

    other_path = tmp_path / "mine.csv"
    other_path.write_text("x")
    folder.drop(other_path)
    assert other_path.exists()


def test_everything_goes_with_the_session() -> None:
    """When the object of the folder is gone, so are the folder and its files.

    The session holds that object.
    """
    folder = PrivateFolder()
    path = folder.keep(io.BytesIO(b"x"), "a.csv")
    place = folder.path
    del folder
    assert not path.exists()
    assert not place.exists()


def test_a_failed_copy_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk is full while an upload is copied, the user reads one sentence and no part
    of it stays.
    """

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    folder = PrivateFolder()
    monkeypatch.setattr("shutil.copyfileobj", full)
    with pytest.raises(TableError, match="the disk may be full"):
        folder.keep(io.BytesIO(b"x"), "a.csv")
    assert list(folder.path.iterdir()) == []


def test_a_lost_session_loses_its_files() -> None:
    """A private folder is removed once its session is no longer open for the grace time.

    While the session is open, it stays for longer than that: 0.3 seconds instead of 0.05.
    """
    open_sessions = {"mine"}
    folder = PrivateFolder(lambda: "mine" in open_sessions, grace=0.05)
    path = folder.keep(io.BytesIO(b"x"), "a.csv")
    time.sleep(0.3)
    assert path.exists()

    open_sessions.clear()
    assert until(lambda: not folder.path.exists())
