"""A code book of any kind, by its content, and several of them together; what the child reads.

>>> import tempfile
>>> path = Path(tempfile.mkdtemp()) / "book.csv"
>>> _ = path.write_text("column,category\\nsex,F\\nsex,M")
>>> answer = answer_books({"sources": [[str(path), "a.csv"]], "want": "schema", "titled": False,
...     "roles": None, "part": "", "folder": path.parent, "most": 1_000})
>>> read_json((path.parent / SAID).read_bytes(), "It")["schema"][0]["fields"][0]["name"]
'sex'
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, cast

from synth import limits
from synth.check import Json, read_json
from synth.codebooks.agreement import merged
from synth.codebooks.ddi import from_ddi
from synth.codebooks.formats import from_other
from synth.codebooks.packages import parts_of
from synth.codebooks.pieces import Converted, refuse_codebook
from synth.codebooks.redcap import is_redcap
from synth.codebooks.sheets import Sheet, arranged, from_sheet, read_codebook, sheet_of
from synth.codebooks.statistics import from_statistics, has_labels
from synth.errors import ArgumentError, LimitError
from synth.foreign.fault import Fault, Reply, Request
from synth.foreign.files import read_file
from synth.foreign.workbooks import first_sheet

PACKED = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
SAID = "said.json"
"""The file that says what the code books say."""


def answer_books(request: Request) -> Reply:
    """Read code books, or what has to be asked about one, and leave it as JSON.

    Raises:
        DomainError: One is of no known kind, or wrong, or two disagree.
        LimitError: One is larger than a declaration can be, or would unfold to more.
    """
    text = json.dumps(_said(request), ensure_ascii=False).encode(errors="surrogatepass")
    if len(text) > request["most"]:
        message = (
            f"What the code book says takes more than {request['most'] // 2**20} MB as a "
            "declaration, the limit."
        )
        raise LimitError(message)
    (Path(request["folder"]) / SAID).write_bytes(text)
    return {}


def _said(request: Request) -> dict[str, Any]:
    """What is wanted of the files: their schema, the sheet in one, or what there is to ask."""
    sources = [(Path(path), str(name)) for path, name in request["sources"]]
    path, name = sources[0]
    if len(sources) > 1:
        books = [(name, _read(path, name, request)) for path, name in sources]
        return {"schema": merged(books)}
    if request["want"] == "sheet":
        return {"sheet": vars(_sheet_in(load_bytes(path), path, name, request).beginning())}
    if request["want"] == "choice" and not has_labels(name):
        content = load_bytes(path)
        if is_json(content) and (parts := parts_of(parse_json(content))):
            return {"parts": parts}
        if is_sheet(content):
            sheet = _sheet_in(content, path, name, request)
            if not sheet.is_plain and not is_redcap(sheet.header):
                return {"sheet": vars(sheet.beginning())}
    return {"schema": _read(path, name, request)}


def _read(path: Path, name: str, request: Request) -> Converted:
    """A Table Schema of a code book of any kind."""
    if has_labels(name):
        return from_statistics(path, name)
    content, roles = load_bytes(path), request["roles"]
    if is_json(content):
        return from_other(parse_json(content), request["part"])
    if _bare(content).startswith(b"<"):
        return from_ddi(content)
    sheet = _sheet_in(content, path, name, request)
    if request["titled"]:
        sheet = sheet.titled()
    if roles is None and not sheet.is_sure and not is_redcap(sheet.header):
        if not sheet.has_titles and not content.startswith(PACKED):
            return read_codebook(decoded(content))
        refuse_codebook(
            "Say which column of the code book is what: its columns are "
            f"{_listing(sheet.header)} (--map name=COLUMN --map value=COLUMN ...)."
        )
    return from_sheet(sheet, roles)


def _sheet_in(content: bytes, path: Path, name: str, request: Request) -> Sheet:
    """The sheet of a workbook, or of delimited text."""
    if not content.startswith(PACKED):
        return sheet_of(decoded(content))
    try:
        rows = first_sheet({**request, "source": str(path)}, limits.SCHEMA_MB * 2**20)
    except Fault as fault:
        if fault.answer["fault"] in ("size", "ratio"):
            refuse_size()
        refuse_codebook(f"'{name}' cannot be read as a workbook; it is damaged or protected.")
    return arranged(rows)


def is_sheet(content: bytes) -> bool:
    """Whether a file is a sheet, whose columns a steward may say the roles of."""
    return not (is_json(content) or _bare(content).startswith(b"<"))


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
        return cast("Json", read_json(content, "The domain file", exact=True))
    except ArgumentError as error:
        refuse_codebook(str(error))


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
        content = read_file(path, limits.SCHEMA_MB * 2**20)
    except OSError:
        refuse_codebook(f"The domain file '{path}' cannot be read.")
    check_size(content)
    return content


def check_size(content: bytes) -> None:
    """Refuse a file that is larger than a declaration can be.

    Raises:
        LimitError: With the limit.
    """
    if len(content) > limits.SCHEMA_MB * 2**20:
        refuse_size()


def refuse_size() -> NoReturn:
    """Refuse a file as larger than a declaration can be.

    Raises:
        LimitError: Always, with the limit.
    """
    message = f"The domain file is larger than {limits.SCHEMA_MB} MB."
    raise LimitError(message)


def _bare(content: bytes) -> bytes:
    return content.removeprefix(b"\xef\xbb\xbf").lstrip()


def _listing(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{name[:60]}'" for name in names[:12])
    return shown + (f" and {len(names) - 12} more" if len(names) > 12 else "")
