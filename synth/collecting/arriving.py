"""Collected files by name and content, from folders, zips or single files. PUBLIC."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from synth import limits
from synth.errors import CollectError, LimitError
from synth.foreign import JOINED_FILE, Fault, Request, join_members, load_file
from synth.foreign import line as on_one_line

RESPONSE_ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".txt")
"""Files to read from a folder or a zip; other and hidden files are skipped."""


Content = tuple[str, bytes]


def find_responses(request: Request) -> Iterator[Content]:
    """Yield the files under some paths, each with a name for messages.

    Raises:
        CollectError: A path can't be read, or holds no file of answers.
        LimitError: There are too many files, or one is too large.
    """
    for path, name in ((Path(path), str(name)) for path, name in request["sources"]):
        if path.is_dir():
            yield from _in_folder(path)
        elif name.lower().endswith(".zip"):
            yield from _in_zip(path, name, request)
        else:
            yield name, _load(path)


def _in_folder(path: Path) -> Iterator[Content]:
    found = sorted(one for one in path.rglob("*") if _is_read(one.name) and not one.is_dir())
    if not found:
        _refuse_empty(path.name)
    _check_number(path.name, len(found))
    for one in found:
        yield str(one.relative_to(path)), _load(one)


def _in_zip(path: Path, name: str, request: Request) -> Iterator[Content]:
    shown, joined = on_one_line(name, 120), Path(request["folder"]) / JOINED_FILE
    _load(path, 0)
    members: list[tuple[str, int]] = []
    try:
        members = join_members({**request, "source": str(path)})
    except Fault as fault:
        if "members" in fault.answer:
            _check_number(shown, int(str(fault.answer["members"])))
        large = f"unpacks to more than {limits.COLLECTED_MB} MB"
        told = {"twice": "holds two files of the same name", "size": large, "ratio": large}
        said = told.get(str(fault.answer["fault"]), "is not a whole zip file")
        raise CollectError(f"'{shown}' {said}.") from None
    if not any(_is_in_zip(name) for name, _ in members):
        _refuse_empty(shown)
    with joined.open("rb") as file:
        for name, size in members:
            content = file.read(size)
            if _is_in_zip(name):
                yield name, content
    joined.unlink()


def _is_in_zip(name: str) -> bool:
    path = PurePosixPath(name.replace("\\", "/"))
    return not name.endswith("/") and "__MACOSX" not in path.parts and _is_read(path.name)


def _is_read(name: str) -> bool:
    return not name.startswith(".") and name.lower().endswith(RESPONSE_ENDINGS)


def _check_number(name: str, number: int) -> None:
    if number > limits.COLLECTED_FILES:
        raise LimitError(
            f"'{name}' holds {number:,} files; the limit is {limits.COLLECTED_FILES:,}, so put the "
            "answers into one file, a line each."
        )


def _load(path: Path, most: int = limits.COLLECTED_MB * 2**20) -> bytes:
    return load_file(path, most, "The file", CollectError)


def _refuse_empty(name: str) -> None:
    raise CollectError(
        f"'{on_one_line(name, 120)}' holds no files of answers ({', '.join(RESPONSE_ENDINGS)})."
    )
