"""Code books of any kind, recognised by content, one or several; the child reads them.

>>> import tempfile
>>> from synth.util.check import read_json
>>> path = Path(tempfile.mkdtemp()) / "book.csv"
>>> _ = path.write_text("column,category\\nsex,F\\nsex,M")
>>> answer = answer_books({"sources": [[str(path), "a.csv"]], "want": "schema", "titled": False,
...     "roles": None, "part": "", "folder": path.parent, "most": 1_000})
>>> read_json((path.parent / SAID).read_bytes(), "It")["schema"][0]["fields"][0]["name"]
'sex'
"""

import json
from pathlib import Path
from typing import Any

from synth import limits
from synth.domain.codebooks.agreement import merge_books
from synth.domain.codebooks.contents import (
    PACKED,
    SAID,
    decode_text,
    has_labels,
    is_json,
    load_bytes,
    parse_json,
    refuse_size,
    without_mark,
)
from synth.domain.codebooks.ddi import from_ddi
from synth.domain.codebooks.formats import from_other
from synth.domain.codebooks.packages import parts_of
from synth.domain.codebooks.pieces import Converted, refuse_codebook
from synth.domain.codebooks.redcap import is_redcap
from synth.domain.codebooks.sheets import Sheet, arrange_sheet, from_sheet, read_codebook, sheet_of
from synth.domain.codebooks.statistics import from_statistics
from synth.errors import LimitError, name_some
from synth.foreign import Fault, Reply, Request, first_sheet


def answer_books(request: Request) -> Reply:
    """Read code books, or find what you must choose first, and leave it as JSON.

    Raises:
        DomainError: A code book is of no known kind, or wrong, or two disagree.
        LimitError: A code book is larger than a declaration can be, or would unfold to more.
    """
    text = json.dumps(_summarize(request), ensure_ascii=False).encode(errors="surrogatepass")
    if len(text) > request["most"]:
        raise LimitError(
            f"The code book takes more than {request['most'] // 2**20} MB as a declaration, the "
            "limit."
        )
    (Path(request["folder"]) / SAID).write_bytes(text)
    return {}


def _summarize(request: Request) -> dict[str, Any]:
    sources = [(Path(path), str(name)) for path, name in request["sources"]]
    path, name = sources[0]
    if len(sources) > 1:
        books = [(name, _read(path, name, request)) for path, name in sources]
        return {"schema": merge_books(books)}
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
    if has_labels(name):
        return from_statistics(path, name)
    content, roles = load_bytes(path), request["roles"]
    if is_json(content):
        return from_other(parse_json(content), request["part"])
    if without_mark(content).startswith(b"<"):
        return from_ddi(content)
    sheet = _sheet_in(content, path, name, request)
    if request["titled"]:
        sheet = sheet.with_titles()
    if roles is None and not sheet.is_sure and not is_redcap(sheet.header):
        if not sheet.has_titles and not content.startswith(PACKED):
            return read_codebook(decode_text(content))
        titles = [f"'{name[:60]}'" for name in sheet.header]
        refuse_codebook(
            "Say which column of the code book is what: its columns are "
            f"{name_some(titles, 12)} (--map name=COLUMN --map value=COLUMN ...)."
        )
    return from_sheet(sheet, roles)


def _sheet_in(content: bytes, path: Path, name: str, request: Request) -> Sheet:
    if not content.startswith(PACKED):
        return sheet_of(decode_text(content))
    try:
        rows = first_sheet({**request, "source": str(path)}, limits.SCHEMA_MB * 2**20)
    except Fault as fault:
        if fault.answer["fault"] in ("size", "ratio"):
            refuse_size()
        refuse_codebook(f"'{name}' cannot be read as a workbook; it is damaged or protected.")
    return arrange_sheet(rows)


def is_sheet(content: bytes) -> bool:
    return not (is_json(content) or without_mark(content).startswith(b"<"))
