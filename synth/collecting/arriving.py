"""Collected files by name and content, out of a folder, a zip or single files. PUBLIC."""

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from synth import limits
from synth.collecting.answers import Content
from synth.errors import CollectError, LimitError
from synth.foreign.folders import Folder
from synth.foreign.packed import JOINED
from synth.foreign.parent import read_apart
from synth.foreign.text import line as on_one_line

ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".txt")
"""What is read of a folder or a zip; other files in it are passed over, and hidden ones."""


def arriving(paths: Iterable[Path]) -> Iterator[Content]:
    """The files under some paths.

    Raises:
        CollectError: One cannot be read, or holds no file of answers.
        LimitError: There are too many, or one is too large.
    """
    for path in paths:
        if path.is_dir():
            yield from _in_folder(path)
        elif path.suffix.lower() == ".zip":
            yield from _in_zip(path)
        else:
            yield path.name, _content(path)


def uploaded_answers(files: Iterable[Content]) -> Iterator[Content]:
    """The same of uploads, whose zips are put into a private folder first."""
    for name, content in files:
        if not name.lower().endswith(".zip"):
            yield name, content
            continue
        with Folder() as folder:
            path = folder / "answers.zip"
            path.write_bytes(content)
            yield from _in_zip(path, name)


def _in_folder(path: Path) -> Iterator[Content]:
    found = sorted(one for one in path.rglob("*") if one.is_file() and _is_read(one.name))
    if not found:
        _nothing(path.name)
    _check_number(path.name, len(found))
    for one in found:
        yield str(one.relative_to(path)), _content(one)


def _in_zip(path: Path, name: str = "") -> Iterator[Content]:
    shown = on_one_line(name or path.name, 120)
    _content(path, 1)
    with Folder() as folder:
        most = {"unpacked_mb": limits.COLLECTED_MB, "members": limits.COLLECTED_FILES}
        answer = read_apart("joined", path, folder, shown, **most)
        match answer.get("fault"):
            case None:
                pass
            case "members":
                _check_number(shown, int(answer["members"]))
            case "twice":
                _refuse(f"'{shown}' holds two files of the same name.")
            case "size" | "ratio":
                _refuse(f"'{shown}' unpacks to more than {limits.COLLECTED_MB} MB.")
            case _:
                _refuse(f"'{shown}' is not a whole zip file.")
        members = [(str(name), int(size)) for name, size in answer["members"]]
        if not any(_is_in_zip(name) for name, _ in members):
            _nothing(shown)
        with (folder / JOINED).open("rb") as file:
            for name, size in members:
                content = file.read(size)
                if _is_in_zip(name):
                    yield name, content


def _is_in_zip(name: str) -> bool:
    path = PurePosixPath(name.replace("\\", "/"))
    return not name.endswith("/") and "__MACOSX" not in path.parts and _is_read(path.name)


def _is_read(name: str) -> bool:
    return not name.startswith(".") and name.lower().endswith(ENDINGS)


def _check_number(name: str, number: int) -> None:
    if number > limits.COLLECTED_FILES:
        message = (
            f"'{name}' holds {number:,} files; the limit is {limits.COLLECTED_FILES:,}, so put the "
            "answers into one file, a line each."
        )
        raise LimitError(message)


def _content(path: Path, most: int = limits.COLLECTED_MB * 2**20 + 1) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError:
        message = f"The file '{path}' cannot be read."
        raise CollectError(message) from None


def _nothing(name: str) -> None:
    _refuse(f"'{on_one_line(name, 120)}' holds no files of answers ({', '.join(ENDINGS)}).")


def _refuse(message: str) -> None:
    raise CollectError(message)
