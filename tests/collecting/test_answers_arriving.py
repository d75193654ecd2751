"""Answers out of folders and zips, and what else is in these."""

import zipfile
from pathlib import Path

import pytest

from synth import limits
from synth.collecting import answers as room
from synth.collecting.answers import Content
from synth.errors import CollectError, LimitError
from synth.foreign import Folder


def read_arriving(paths: list[Path]) -> list[Content]:
    """What the child finds under some paths."""
    with Folder() as place:
        sources = [(str(path), path.name) for path in paths]
        request = {
            "sources": sources,
            "folder": str(place),
            "unpacked_mb": limits.COLLECTED_MB,
            "members": limits.COLLECTED_FILES,
            "ratio": limits.PACKED_RATIO,
            "free_mb": limits.UNPACKED_FREE_MB,
        }
        return [*room.find_responses(request)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two answers, one of them deeper, and with a form and a hidden file."""
    root = tmp_path / "answers"
    (root / "deep").mkdir(parents=True)
    for name in ("a.json", "deep/b.json", "form.html", ".hidden.json"):
        (root / name).write_text(name)
    return root


def zip_folder(folder: Path, *options: tuple[str, str]) -> Path:
    """The folder as a zip file, with a file that macOS adds and the ones of `options`."""
    path = folder.parent / "answers.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for answer_path in sorted(folder.rglob("*")):
            archive.write(answer_path, f"answers/{answer_path.relative_to(folder)}")
        for name, text in (("__MACOSX/answers/a.json", "x"), *options):
            archive.writestr(name, text)
    return path


def test_a_folder_a_file_and_a_zip(folder: Path) -> None:
    """Answers are found in a folder, as single files, and in a zip file, at any depth.

    Forms, hidden files and what macOS adds to zip files are left out.
    """
    single = folder / "a.json"
    path = zip_folder(folder)
    inside = [("answers/a.json", b"a.json"), ("answers/deep/b.json", b"deep/b.json")]

    assert read_arriving([folder]) == [("a.json", b"a.json"), ("deep/b.json", b"deep/b.json")]
    assert read_arriving([single, path]) == [("a.json", b"a.json"), *inside]


def test_names_in_a_zip_lead_nowhere(folder: Path) -> None:
    """A name in a zip file that climbs out of its folder is only a name: nothing is
    written there.
    """
    path = zip_folder(folder, ("../../out.json", "x"), ("/etc/out.json", "y"))

    assert ("../../out.json", b"x") in read_arriving([path])
    assert not (folder.parent.parent / "out.json").exists()
    assert not (folder.parent / "out.json").exists()


def test_what_cannot_be_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing file, a cut zip, one with a name twice, an empty folder and too many files
    are refused.

    The message names the file or the limit.
    """
    with pytest.raises(CollectError, match=r"The file '.*nowhere.json' cannot be read"):
        read_arriving([folder / "nowhere.json"])

    damaged = folder.parent / "damaged.zip"
    damaged.write_bytes(zip_folder(folder).read_bytes()[:-30])
    with pytest.raises(CollectError, match=r"'damaged.zip' is not a whole zip file"):
        read_arriving([damaged])

    twice = folder.parent / "twice.zip"
    with zipfile.ZipFile(twice, "w") as archive:
        archive.writestr("a.json", "1")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("a.json", "2")
    with pytest.raises(CollectError, match=r"'twice.zip' holds two files of the same name"):
        read_arriving([twice])

    (folder.parent / "none").mkdir()
    with pytest.raises(CollectError, match="'none' holds no files of answers"):
        read_arriving([folder.parent / "none"])

    # Two answers are too many where the limit is one file.
    monkeypatch.setattr(limits, "COLLECTED_FILES", 1)
    for path in (folder, zip_folder(folder)):
        with pytest.raises(
            LimitError, match="the limit is 1, so put the answers into one file"
        ):
            read_arriving([path])


def test_a_zip_that_unpacks_to_too_much(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small zip file that unpacks to 2 MB of blanks is refused where 1 MB is the limit."""
    monkeypatch.setattr(limits, "COLLECTED_MB", 1)
    path = zip_folder(folder, ("large.json", " " * 2**21))

    with pytest.raises(CollectError, match="unpacks to more than 1 MB"):
        read_arriving([path])


def test_a_zip_without_answers(folder: Path) -> None:
    """A zip file that holds a form but no answers is refused by its name."""
    path = folder.parent / "empty.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("form.html", "")

    with pytest.raises(CollectError, match=r"'empty.zip' holds no files of answers"):
        read_arriving([path])
