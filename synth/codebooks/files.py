"""A code book of any kind, by its content, and several of them together.

>>> document, notes = read_codebooks([("a.csv", b"column,category\\nsex,F\\nsex,M")])
>>> document["fields"][0]["name"]
'sex'
"""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from synth import limits
from synth.check import Json
from synth.codebooks.agreement import merged
from synth.codebooks.ddi import from_ddi
from synth.codebooks.formats import from_other
from synth.codebooks.pieces import Converted, refuse_codebook
from synth.codebooks.redcap import is_redcap
from synth.codebooks.sheets import Sheet, arranged, from_sheet, read_codebook, sheet_of
from synth.codebooks.statistics import from_statistics, has_labels
from synth.errors import LimitError
from synth.foreign.folders import Folder
from synth.foreign.parent import read_apart
from synth.foreign.workbooks import PLAIN

PACKED = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")


def read_codebook_file(
    content: bytes, name: str = "", roles: Mapping[str, int] | None = None, part: str = ""
) -> Converted:
    """A Table Schema of a code book of any kind.

    Args:
        content: Of the file.
        name: Of the file: its ending tells statistics files and workbooks.
        roles: Of a sheet, the place of each role; by default guessed from its first row.
        part: Which of several resources or tables is meant.

    Raises:
        DomainError: It is of no known kind, or wrong.
        LimitError: It is larger than a declaration can be.
    """
    check_size(content)
    if has_labels(name):
        folder = Folder()
        return from_statistics(_kept(content, name, folder), name)
    if is_json(content):
        return from_other(parse_json(content), part)
    if _bare(content).startswith(b"<"):
        return from_ddi(content)
    sheet = sheet_in(content, name)
    if roles is None and not sheet.is_sure and not is_redcap(sheet.header):
        if not sheet.has_titles and not content.startswith(PACKED):
            return read_codebook(decoded(content))
        refuse_codebook(
            "Say which column of the code book is what: its columns are "
            f"{_listing(sheet.header)} (--map name=COLUMN --map value=COLUMN ...)."
        )
    return from_sheet(sheet, roles)


def read_codebook_path(
    path: str | Path, roles: Mapping[str, int] | None = None, part: str = ""
) -> Converted:
    """A Table Schema of a code book on disk; a statistics file may be of any size.

    Raises:
        DomainError: It cannot be read, is of no known kind, or wrong.
        LimitError: It is larger than a declaration can be.
    """
    path = Path(path)
    if has_labels(path) and path.is_file():
        return from_statistics(path, path.name)
    return read_codebook_file(load_bytes(path), path.name, roles, part)


def read_codebooks(files: Sequence[tuple[str, bytes]], part: str = "") -> Converted:
    """A Table Schema of several code books, which must agree on the columns they share.

    Args:
        files: Their names and contents.
        part: Which of several resources or tables is meant.

    Raises:
        DomainError: One is wrong, or two disagree; the message names the column and both.
        LimitError: One is larger than a declaration can be.
    """
    if len(files) == 1:
        ((name, content),) = files
        return read_codebook_file(content, name, part=part)
    return merged([(name, read_codebook_file(content, name, part=part)) for name, content in files])


def sheet_in(content: bytes, name: str = "") -> Sheet:
    """The sheet of a workbook, or of delimited text.

    Raises:
        DomainError: It is none.
        LimitError: It is larger than a code book can be.
    """
    if not content.startswith(PACKED):
        return sheet_of(decoded(content))
    folder = Folder()
    answer = read_apart("sheet", _kept(content, name, folder), folder.path, name, sheet="")
    if answer.get("fault"):
        refuse_codebook(f"'{name}' cannot be read as a workbook; it is damaged or protected.")
    check_size_of((folder.path / PLAIN).stat().st_size)
    with (folder.path / PLAIN).open(encoding="utf-8", newline="") as file:
        return arranged([*csv.reader(file)])


def is_sheet(content: bytes, name: str = "") -> bool:
    """Whether a file is a sheet, whose columns a steward may say the roles of."""
    return not (has_labels(name) or is_json(content) or _bare(content).startswith(b"<"))


def is_json(content: bytes) -> bool:
    """Whether a file is meant as JSON: it begins like it, or its first line is no row."""
    first = _bare(content).partition(b"\n")[0]
    several = any(mark in first for mark in (b",", b";", b"\t", b"|"))
    if content.startswith((*PACKED, b"\xff\xfe", b"\xfe\xff")) or first.startswith(b"<"):
        return False
    return first.startswith((b"{", b"[")) or not several


def parse_json(content: bytes) -> Json:
    """A JSON value, with numbers as text, so that 0.1 means exactly one tenth.

    Raises:
        DomainError: It is none, or nested too deeply.
    """
    try:
        text = content.decode("utf-8-sig")
        document: Json = json.loads(text, parse_float=str, parse_constant=str)
        if depth_within(document, limits.JSON_DEPTH):
            return document
        refuse_codebook("The domain file is nested too deeply.")
    except UnicodeDecodeError:
        refuse_codebook("The domain file is not UTF-8 text.")
    except RecursionError:
        refuse_codebook("The domain file is nested too deeply.")
    except ValueError as error:
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        refuse_codebook(f"The domain file is not valid JSON{where}.")


def depth_within(document: Json, most: int) -> bool:
    """Whether objects and lists are nested at most so deep.

    >>> depth_within({"a": [1]}, 2), depth_within({"a": [[1]]}, 2)
    (True, False)
    """
    level: list[Json] = [document]
    for _ in range(most + 1):
        level = inside(level)
    return not level


def inside(parts: Iterable[Json]) -> list[Json]:
    """What the objects and lists among parts of a document hold."""
    holders = [part for part in parts if isinstance(part, dict | list)]
    held = (part.values() if isinstance(part, dict) else part for part in holders)
    return [item for items in held for item in items]


def decoded(content: bytes) -> str:
    """Text in UTF-8, or in UTF-16 with its mark.

    Raises:
        DomainError: It is in another encoding.
    """
    wide = len(content) > 2 and content.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        return content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        refuse_codebook("The domain file is not UTF-8 text.")


def load_bytes(path: str | Path) -> bytes:
    """What a file holds.

    Raises:
        DomainError: It cannot be read.
        LimitError: It is larger than a declaration can be.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(limits.SCHEMA_MB * 2**20 + 1)
    except OSError:
        refuse_codebook(f"The domain file '{path}' cannot be read.")
    check_size(content)
    return content


def check_size(content: bytes) -> None:
    """Refuse a file that is larger than a declaration can be.

    Raises:
        LimitError: With the limit.
    """
    check_size_of(len(content))


def check_size_of(size: int) -> None:
    """Refuse that many bytes.

    Raises:
        LimitError: With the limit.
    """
    if size > limits.SCHEMA_MB * 2**20:
        message = f"The domain file is larger than {limits.SCHEMA_MB} MB."
        raise LimitError(message)


def _kept(content: bytes, name: str, folder: Folder) -> Path:
    """The file where its reader finds it."""
    path = folder.path / f"codebook{Path(name).suffix.lower() or '.xlsx'}"
    path.write_bytes(content)
    return path


def _bare(content: bytes) -> bytes:
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()


def _listing(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name[:60]}'" for name in names[:12])
    return shown + (f" and {len(names) - 12} more" if len(names) > 12 else "")
