"""What is refused as an output, whatever the command, and how the others are written."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from synth.errors import ReleaseError
from synth.util import FileOutput, FolderOutput, Output, Protection, refuse_shared_ledger

ZIP = (".zip",)


def write_text(text: str) -> Callable[[Path], object]:
    """A function that writes this text to a file."""
    return lambda part: part.write_text(text)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table, a ledger, and much that is no place for an output."""
    monkeypatch.chdir(tmp_path)
    for name in ("t.csv", "l.db", "l.db.key", "there.zip", "read_only.zip"):
        (tmp_path / name).write_text(name)
    (tmp_path / "read_only.zip").chmod(0o444)
    for name in ("folder", "folder.zip", "parquet", "full"):
        (tmp_path / name).mkdir()
    (tmp_path / "full" / "a.csv").write_text("mine")
    (tmp_path / "link.zip").symlink_to("there.zip")
    (tmp_path / "dangling.zip").symlink_to("nowhere.zip")
    (tmp_path / "to_table.zip").symlink_to("t.csv")
    (tmp_path / "to_folder").symlink_to("folder")
    os.link("t.csv", "hard.zip")
    os.mkfifo("pipe.zip")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.zip")
    return tmp_path


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("t.csv", "'t.csv' is used by the same call as an input or the ledger"),
        ("folder/../t.csv", "is used by the same call as an input"),
        ("to_table.zip", "is used by the same call as an input"),
        ("hard.zip", "is used by the same call as an input"),
        ("l.db", "is used by the same call as an input or the ledger"),
        ("l.db.key", "'l.db.key' belongs to 'l.db', which the same call uses"),
        ("l.db.key.new", "belongs to 'l.db'"),
        ("l.db-journal", "belongs to 'l.db'"),
        ("t.csv-wal", "belongs to 't.csv'"),
        ("parquet/more.zip", "would be in the folder 'parquet', which the same call reads"),
        ("folder.zip", "'folder.zip' is a folder; name a file"),
        ("", "'' is a folder; name a file"),
        ("link.zip", "'link.zip' is a link, which is never replaced"),
        ("dangling.zip", "is a link, which is never replaced"),
        ("pipe.zip", "is a pipe, which is never replaced"),
        ("socket.zip", "is a socket, which is never replaced"),
        ("release.csv", "needs a name that ends with .zip"),
        ("release", "needs a name that ends with .zip"),
        ("nowhere/r.zip", "There is no folder 'nowhere' for 'r.zip'; make it first"),
        ("there.zip/r.zip", "'there.zip' is no folder, so 'r.zip' cannot be written there"),
        ("a\0b.zip", "cannot be the name of a file"),
        (f"{'a' * 300}.zip", "cannot be the name of a file"),
    ],
)
def test_an_output_that_cannot_be(
    home: Path, path: str, sentence: str, overwrite: bool
) -> None:
    """A file that cannot or must not be written is refused, and nothing in the folder
    changes.

    The call reads t.csv and the folder `parquet`, and has the ledger l.db. Not even
    overwrite=True lets it replace these, a folder, a link or a pipe.
    """
    before = [*home.rglob("*")]
    protection = Protection((Path("t.csv"), Path("l.db"), Path("parquet")), overwrite)
    with pytest.raises(ReleaseError) as refused:
        protection.check(FileOutput(path, ZIP))
    assert sentence.replace("''", "'.'") in str(refused.value)  # "" is the current folder
    assert [*home.rglob("*")] == before


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        (FolderOutput("t.csv"), "'t.csv' is no folder; name one"),
        (FolderOutput("pipe.zip"), "'pipe.zip' is no folder"),
        (FolderOutput("dangling.zip"), "'dangling.zip' is no folder"),
        (FolderOutput(".", ("t.csv",)), "'t.csv' is used by the same call as an input"),
        (FolderOutput(".", ("pipe.zip",)), "'pipe.zip' is a pipe"),
        (FolderOutput(".", ("folder",)), "'folder' is a folder; name a file"),
        (FolderOutput("parquet", ("a.parquet",)), "would be in the folder 'parquet'"),
        (FolderOutput("nowhere/deeper"), "There is no folder 'nowhere' for 'deeper'"),
        (FolderOutput("to_folder", as_new=True), "There is something at 'to_folder' already"),
        (FolderOutput("there.zip", as_new=True), "There is something at 'there.zip' already"),
    ],
)
def test_a_folder_that_cannot_be(output: Output, sentence: str) -> None:
    """A folder that cannot be made or filled is refused; one written as a whole
    must be new.
    """
    with pytest.raises(ReleaseError) as refused:
        Protection((Path("t.csv"), Path("parquet"))).check(output)
    assert sentence in str(refused.value)


@pytest.mark.usefixtures("home")
def test_what_is_there_stays_unless_somebody_says_otherwise() -> None:
    """A check returns the outputs that are there already and must stay.

    With ``overwrite`` these are only folders that should be new and hold a file. Read-only
    files are refused even then.
    """
    there, full = Path("there.zip"), Path("full")
    outputs = [FileOutput(there, ZIP), FolderOutput(full, ("a.csv", "b.csv"))]
    assert Protection().check(*outputs) == (there, full / "a.csv")
    assert Protection(overwrite=True).check(*outputs) == ()
    assert Protection(overwrite=True).check(FolderOutput(full, as_new=True)) == (full,)
    assert Protection().check(FolderOutput("folder", as_new=True)) == ()
    with pytest.raises(ReleaseError, match=r"'there.zip' is there already and is kept"):
        Protection().check_new(*outputs)
    with pytest.raises(
        ReleaseError, match=r"'read_only.zip' is read-only, so it is not replaced"
    ):
        Protection(overwrite=True).check(FileOutput("read_only.zip"))


@pytest.mark.usefixtures("home")
def test_two_outputs_are_two_files() -> None:
    """Two outputs of a call must not be the same file, however they are spelled.

    A file may be inside of another output, a folder that does not exist yet.
    """
    both = [FolderOutput(".", ("a.csv", "b.csv")), FileOutput("folder/../b.csv")]
    with pytest.raises(
        ReleaseError, match=r"Two outputs are the same file 'folder/../b.csv'"
    ):
        Protection().check(*both)

    inside = [FileOutput("new/r.zip"), FolderOutput("new", ("a.csv",))]
    assert Protection().check(*inside) == ()


def test_a_file_is_written_whole_or_not_at_all(home: Path) -> None:
    """If writing a file fails half-way, no part of it is left, and the folder is as before.

    The same holds if its folder does not exist, or if another file has its name.
    """

    def fail(part: Path) -> None:  # it fails after half of the file
        part.write_text("half")
        raise OSError

    before = sorted(home.rglob("*"))
    with pytest.raises(ReleaseError, match=r"The file 'new.zip' cannot be written"):
        Protection().write_file("new.zip", fail)
    with pytest.raises(ReleaseError, match=r"The file 'new/r.zip' cannot be written"):
        Protection().write_file("new/r.zip", fail)
    with pytest.raises(ReleaseError, match=r"'there.zip' is there already"):
        Protection().write_file("there.zip", write_text("other"))
    assert (sorted(home.rglob("*")), Path("there.zip").read_text()) == (before, "there.zip")


@pytest.mark.parametrize(
    "name", ["t.csv", "pipe.zip", "link.zip", "read_only.zip", "folder.zip"]
)
def test_what_came_in_between_is_not_replaced_either(home: Path, name: str) -> None:
    """When a file is written at last, inputs, pipes, links, folders and read-only files still
    stay.

    They may have come there after the first check, which this test leaves out.
    """
    before = sorted(home.rglob("*"))
    with pytest.raises(ReleaseError):
        Protection((Path("t.csv"),), overwrite=True).write_file(name, write_text("other"))
    assert sorted(home.rglob("*")) == before
    assert (Path("t.csv").read_text(), Path("there.zip").read_text()) == (
        "t.csv",
        "there.zip",
    )


@pytest.mark.usefixtures("home")
def test_a_file_of_the_same_content_stays() -> None:
    """If a file has the content that is to be written, it stays, even if it is read-only.

    Otherwise the written file takes its place, with an inode of its own.
    """
    for overwrite in (False, True):
        for name in ("there.zip", "read_only.zip"):
            inode = Path(name).stat().st_ino
            Protection(overwrite=overwrite).write_file(name, write_text(name))
            assert Path(name).stat().st_ino == inode
    Protection(overwrite=True).write_file("there.zip", write_text("other"))
    assert Path("there.zip").read_text() == "other"


def test_files_of_a_folder_appear_together_or_not(home: Path) -> None:
    """Files of a folder appear all together, or none of them if one must not be replaced.

    Until then they are in a folder that nobody else can read. Other files in the folder stay.
    """

    def fill(protection: Protection) -> None:
        with protection.fill_folder("full", last="c.csv") as part:
            assert part.stat().st_mode & 0o077 == 0
            for name in ("c.csv", "a.csv", "b.csv"):
                (part / name).write_text("new")

    (home / "full" / "foreign.txt").write_text("mine")
    with pytest.raises(ReleaseError, match=r"'full/a.csv' is there already"):
        fill(Protection())
    assert sorted(os.listdir("full")) == ["a.csv", "foreign.txt"]

    fill(Protection(overwrite=True))
    assert {name: (home / "full" / name).read_text() for name in os.listdir("full")} == {
        **dict.fromkeys(("a.csv", "b.csv", "c.csv"), "new"),
        "foreign.txt": "mine",
    }


@pytest.mark.usefixtures("home")
def test_a_private_file_is_for_its_owner() -> None:
    """A private file can be read by its owner only, and is written in a folder of its own
    first.
    """
    parts: list[Path] = []  # where each file was written before it got its name

    def write(part: Path) -> None:
        parts.append(part)
        part.write_text("private")

    for name in ("one.html", "two.html"):
        Protection().write_file(name, write, private=True)
        assert Path(name).stat().st_mode & 0o777 == 0o600
    assert len({part.parent.name for part in parts}) == 2


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("name", ["t.csv", "folder/../t.csv", "hard.zip"])
def test_a_ledger_is_no_input(name: str) -> None:
    """A ledger must not be a file that the same call reads, nor must its key.

    The file is compared itself, so neither another spelling nor a hard link helps.
    """
    with pytest.raises(ReleaseError, match="cannot be its ledger or the key of its ledger"):
        refuse_shared_ledger(name, ["t.csv"])
    with pytest.raises(
        ReleaseError, match=r"'l.db.key' is used by the same call as an input"
    ):
        refuse_shared_ledger("l.db", ["l.db.key"])
    refuse_shared_ledger("l.db", ["t.csv"])
    refuse_shared_ledger(None, ["t.csv"])
