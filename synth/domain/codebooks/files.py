"""Code books of any kind, recognised by content, one or several; the child reads them.

>>> import tempfile
>>> from synth.util.check import read_json
>>> path = Path(tempfile.mkdtemp()) / "book.csv"
>>> _ = path.write_text("column,category\\nsex,F\\nsex,M")
>>> answer = answer_books(
...     {
...         "sources": [[str(path), "a.csv"]],
...         "want": "schema",
...         "titled": False,
...         "roles": None,
...         "part": "",
...         "folder": path.parent,
...         "most": 1_000,
...     }
... )
>>> read_json((path.parent / SAID).read_bytes(), "It")["schema"][0]["fields"][0]["name"]
'sex'

Variable descriptions in SPSS and Stata files: labels, codes and missing codes.

Only the file's header is read, none of its rows.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from synth import limits
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
from synth.domain.codebooks.redcap import is_redcap
from synth.domain.codebooks.sheets import (
    Sheet,
    arrange_sheet,
    from_sheet,
    read_codebook,
    sheet_of,
)
from synth.domain.codebooks.variables import (
    Converted,
    ForeignDocument,
    Variable,
    as_schema,
    is_number,
    refuse_codebook,
)
from synth.errors import LimitError, name_some
from synth.foreign import Fault, Reply, Request, first_sheet, read_labels

# Most whole numbers in a range of missing codes.
SPAN = 1_000
DATE_FORMAT = re.compile(r"[AESJ]?DATE|%-?t?d|%-?td", re.IGNORECASE)
DATETIME_FORMAT = re.compile(r"DATETIME|YMDHMS|%-?tc", re.IGNORECASE)


def from_statistics(path: Path, name: str) -> Converted:
    """Return a Table Schema of the labels and missing codes of an SPSS or Stata file, in the
    child.

    Raises:
        DomainError: The library is not installed, or the file is damaged.
        LimitError: It lists more than a declaration can have.
    """
    if find_spec("pyreadstat") is None:
        refuse_codebook(
            f"Reading '{name}' needs the package pyreadstat: "
            "pip install -r requirements-statistics.txt."
        )
    return as_schema(map(_variable, _labels(path, name)))


def _labels(path: Path, name: str) -> Iterator[Mapping[str, Any]]:
    try:
        yield from read_labels(path)
    except (MemoryError, ImportError):
        raise
    except Exception:  # noqa: BLE001 - the library's messages may quote the file
        refuse_codebook(f"'{name}' cannot be read as an SPSS or Stata file; it is damaged.")


def _variable(said: Mapping[str, Any]) -> Variable:
    one = Variable(
        name=said["name"], description=said["label"], ordered=said["measure"] == "ordinal"
    )
    one.kind = _kind(said)
    one.codes = dict(said["codes"])
    one.set_missing(said["missing"])
    for low, high in said["missing"]:
        for code in [low] if low == high else _whole_numbers(low, high):
            one.missing.setdefault(code, one.codes.pop(code, ""))
    if said["measure"] == "scale" and one.kind in ("integer", "number") and one.codes:
        one.spikes, one.codes = one.codes, {}
    return one


def _kind(said: Mapping[str, Any]) -> str:
    if DATETIME_FORMAT.match(said["form"]):
        return "datetime"
    if DATE_FORMAT.match(said["form"]):
        return "date"
    return "string" if said["text"] else "integer" if said["whole"] else "number"


def _whole_numbers(low: str, high: str) -> list[str]:
    if not (is_number(low) and is_number(high)) or float(high) - float(low) >= SPAN:
        return []
    return [str(i) for i in range(math.ceil(float(low)), math.floor(float(high)) + 1)]


SHOWN_VALUES = 5


def merge_books(books: Sequence[tuple[str, Converted]]) -> Converted:
    """Return a Table Schema of all columns of several code books, each with its file's name.

    Raises:
        DomainError: Two disagree on a column; the message names it and quotes both.
    """
    fields: dict[str, ForeignDocument] = {}
    said_by: dict[str, str] = {}
    missing: dict[Any, None] = {"": None}
    notes: dict[str, None] = {}
    for book, (document, remarks) in books:
        if {"synth:origin", "synth:draft"} & document.keys():
            refuse_codebook(
                f"'{book}' was drafted from a table; it is taken alone, not with code books."
            )
        missing |= dict.fromkeys(
            m for m in document.get("missingValues", []) if isinstance(m, str)
        )
        notes |= dict.fromkeys(remarks)
        for field in document.get("fields", []):
            name = field.get("name") if isinstance(field, Mapping) else None
            if not isinstance(name, str):
                refuse_codebook(f"'{book}' describes a column without a name.")
            if name in fields:
                field = _both(fields[name], field, (said_by[name], book))
            fields[name], said_by[name] = dict(field), book
    told = {name for name, field in fields.items() if _is_told(field)}
    left = [
        n for n in notes if n.removeprefix("Column '").partition("' needs")[0] not in told
    ]
    return {"fields": [*fields.values()], "missingValues": [*missing]}, left


def _both(
    one: ForeignDocument, other: ForeignDocument, books: tuple[str, str]
) -> ForeignDocument:
    if not (_is_told(one) and _is_told(other)):
        more, less = (one, other) if _is_told(one) else (other, one)
        return {**less, **more}
    first, second = _essence(one), _essence(other)
    if first != second:
        refuse_codebook(
            f"Two code books disagree on column '{one['name']}': '{books[0]}' says "
            f"{_in_words(one)}, and '{books[1]}' says {_in_words(other)}."
        )
    return {**one, **other}


def _is_told(field: Mapping[str, Any]) -> bool:
    limiting = field.get("constraints")
    listed = {"enum", "minimum", "maximum"} & set(
        limiting if isinstance(limiting, Mapping) else ()
    )
    return bool(listed) or field.get("type") == "boolean"


def _essence(field: Mapping[str, Any]) -> dict[str, Any]:
    limiting = dict(field.get("constraints", {}))
    limiting.pop("required", None)
    if isinstance(limiting.get("enum"), list):
        limiting["enum"] = sorted(map(str, limiting["enum"]))
    ends = {key: str(value) for key, value in limiting.items() if key != "enum"}
    kind = "string" if "enum" in limiting else field.get("type", "string")
    return {"type": kind, **ends, "enum": limiting.get("enum")}


def _in_words(field: Mapping[str, Any]) -> str:
    limiting = field.get("constraints", {})
    values = limiting.get("enum")
    if isinstance(values, list):
        return f"{len(values)} values ({name_some([*map(str, values)], SHOWN_VALUES)})"
    if "minimum" in limiting or "maximum" in limiting:
        ends = f"{limiting.get('minimum', '?')} to {limiting.get('maximum', '?')}"
        return f"{field.get('type', 'number')} from {ends}"
    return str(field.get("type", "nothing"))


def answer_books(request: Request) -> Reply:
    """Read code books, or find what you must choose first, and leave it as JSON.

    Raises:
        DomainError: A code book is of no known kind, or wrong, or two disagree.
        LimitError: A code book is larger than a declaration can be, or would unfold to more.
    """
    text = json.dumps(_summarize(request), ensure_ascii=False).encode(errors="surrogatepass")
    if len(text) > request["most"]:
        raise LimitError(
            f"The code book takes more than {request['most'] // 2**20} MB as a declaration, "
            "the limit."
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
        return {
            "sheet": vars(
                _sheet_in(load_bytes(path), path, name, request=request).beginning()
            )
        }
    if request["want"] == "choice" and not has_labels(name):
        content = load_bytes(path)
        if is_json(content) and (parts := parts_of(parse_json(content))):
            return {"parts": parts}
        if is_sheet(content):
            sheet = _sheet_in(content, path, name, request=request)
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
    sheet = _sheet_in(content, path, name, request=request)
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


def _sheet_in(content: bytes, path: Path, name: str, *, request: Request) -> Sheet:
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
