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
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
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
    codes_of,
    describe_missing,
    is_number,
    label_map,
    refuse_codebook,
)
from synth.domain.origin import LOOKED_UP
from synth.errors import LimitError, name_some
from synth.foreign import Fault, Reply, Request, first_sheet, read_labels

# Most whole numbers in a range of missing codes that are listed.
SPAN = 500
# Most values that a sentence names.
SHOWN_VALUES = 5
# A note on a column that needs a kind, bounds or categories, or that has labels only.
OPEN_NOTE = re.compile(r"Column '(.*)' (?:needs|lists|has labels) ")
DATE_FORMAT = re.compile(r"[AESJ]?DATE|%-?t?d|%-?td", re.IGNORECASE)
DATETIME_FORMAT = re.compile(r"DATETIME|YMDHMS|%-?tc", re.IGNORECASE)


def from_statistics(path: Path, name: str) -> Converted:
    """Return a Table Schema of the labels and missing codes of an SPSS or Stata file.

    Only the file's header is read, none of its rows, and only in the child process. If the
    file has rows, its labels may come from them, and are marked as taken from the data.

    Args:
        path: The file.
        name: What messages call the file.

    Raises:
        DomainError: The library is not installed, or the file is damaged.
        LimitError: It lists more than a declaration can have.
    """
    if find_spec("pyreadstat") is None:
        refuse_codebook(
            f"Reading '{name}' needs the package pyreadstat: pip install 'pyreadstat<2'."
        )
    # One column more than are allowed is refused; the others need not be read.
    labels = [*islice(_labels(path, name), limits.FIELDS + 1)]
    document, notes = as_schema(map(_variable, labels))
    notes += _note_ranges(labels)
    if any(description["rows"] for description in labels):
        document["synth:origin"] = LOOKED_UP
    return document, notes


def _note_ranges(labels: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a sentence on each range of missing codes that is too long to be listed.

    `labels` describes the columns, as `read_labels` does.
    """
    return [
        f"Column '{description['name']}': all numbers from {low} to {high} mean a missing "
        "value. List those that occur as spellings of missing values of this column."
        for description in labels
        for low, high in description["missing"]
        if low != high and not _whole_numbers(low, high)
    ]


def _labels(path: Path, name: str) -> Iterator[Mapping[str, Any]]:
    """Yield what an SPSS or Stata file says of each column; DomainError if it is damaged.

    `name` is the file's name in the message. The keys are those of `read_labels`.
    """
    try:
        yield from read_labels(path)
    except (MemoryError, ImportError):  # these say nothing about the file
        raise
    except Exception:  # noqa: BLE001 - the library's messages may quote the file
        refuse_codebook(f"'{name}' cannot be read as an SPSS or Stata file; it is damaged.")


def _variable(description: Mapping[str, Any]) -> Variable:
    """Return the column that `read_labels` describes for an SPSS or Stata file.

    Codes in a declared range of missing values become codes for missing values. On a scale,
    labelled numbers are spikes, which are values with a cell of their own.
    """
    variable = Variable(
        name=description["name"],
        kind=_kind(description),
        description=description["label"],
        codes=dict(description["codes"]),
        is_closed=False,
        ordered=description["measure"] == "ordinal",
    )
    variable.set_missing(description["missing"])
    variable.missing |= description["letters"]
    # Codes in these ranges that have no label are missing values too.
    for low, high in description["missing"]:
        for code in [low] if low == high else _whole_numbers(low, high):
            variable.missing.setdefault(code, variable.codes.pop(code, ""))
    is_scale = description["measure"] == "scale" and variable.kind in ("integer", "number")
    if is_scale and variable.codes:
        variable.spikes = variable.codes
        variable.codes = {}
    return variable


def _kind(description: Mapping[str, Any]) -> str:
    """Return the kind of a column in an SPSS or Stata file.

    The description has the display format (``form``), and says whether the column holds texts
    (``text``) or whole numbers (``whole``).
    """
    if DATETIME_FORMAT.match(description["form"]):
        return "datetime"
    if DATE_FORMAT.match(description["form"]):
        return "date"
    if description["text"]:
        return "string"
    return "integer" if description["whole"] else "number"


def _whole_numbers(low: str, high: str) -> list[str]:
    """Return the whole numbers from one to another as texts; none if there are too many."""
    if not (is_number(low) and is_number(high)) or float(high) - float(low) >= SPAN:
        return []
    return [str(i) for i in range(math.ceil(float(low)), math.floor(float(high)) + 1)]


def merge_books(books: Sequence[tuple[str, Converted]]) -> Converted:
    """Return a Table Schema of all columns of several code books.

    A column may be in several books if they agree on it. `books` holds the name of each file
    and its Table Schema with notes.

    Raises:
        DomainError: Two disagree on a column; the message names it and quotes both.
    """
    fields: dict[str, ForeignDocument] = {}
    book_of_column: dict[str, str] = {}
    notes: dict[str, None] = {}  # a set that keeps the order
    for book, (document, book_notes) in books:
        if "synth:draft" in document or ("synth:origin" in document and not has_labels(book)):
            refuse_codebook(
                f"'{book}' was drafted from a table; it is taken alone, not with code books."
            )
        missing_of_book = document.get("missingValues", [""])
        notes |= dict.fromkeys(book_notes)
        for field in document.get("fields", []):
            name = field.get("name") if isinstance(field, Mapping) else None
            if not isinstance(name, str):
                refuse_codebook(f"'{book}' describes a column without a name.")
            # Codes of this book count in its columns only.
            if missing_of_book != [""]:
                field = {"missingValues": missing_of_book, **field}
            if name in fields:
                field = _merge_fields(fields[name], field, (book_of_column[name], book))
            fields[name] = dict(field)
            book_of_column[name] = book
    described = {name for name, field in fields.items() if _has_values(field)}
    # What one book lacks, another may describe.
    open_notes = [note for note in notes if _open_column(note) not in described]
    merged: ForeignDocument = {"fields": [*fields.values()], "missingValues": [""]}
    if any("synth:origin" in document for _, (document, _) in books):
        merged["synth:origin"] = LOOKED_UP
    return merged, open_notes


def _open_column(note: str) -> str:
    """Return the column that a note calls open; empty for other notes.

    >>> _open_column("Column 'age' needs bounds; the code book does not say them.")
    'age'
    """
    match = OPEN_NOTE.match(note)
    return match[1] if match else ""


def _merge_fields(
    first: ForeignDocument, second: ForeignDocument, books: tuple[str, str]
) -> ForeignDocument:
    """Return one field of what two code books say of a column.

    Of an entry that both have, the one counts whose book alone says which values there are;
    otherwise that of the second book.

    Args:
        first: The column's field by the first book.
        second: The column's field by the second book.
        books: The names of both files.

    Raises:
        DomainError: Both say which values there are, and differ; the books are named.
    """
    missing = _join_missing(first, second)
    # Labels of some values yield to a list or bounds.
    if not _has_values(first):
        return {**_without_open_list(first, second), **second, **missing}
    if not _has_values(second):
        return {**_without_open_list(second, first), **first, **missing}
    if _essence(first) != _essence(second):
        refuse_codebook(
            f"Two code books disagree on column '{first['name']}': '{books[0]}' says "
            f"{_in_words(first)}, and '{books[1]}' says {_in_words(second)}."
        )
    return {**first, **second, **missing}


def _join_missing(first: ForeignDocument, second: ForeignDocument) -> ForeignDocument:
    """Return the codes for missing values of two fields of a column as entry of a field.

    A code counts if one of them has it. The entry of a single field is not changed.
    """
    lists = [
        field["missingValues"]
        for field in (first, second)
        if isinstance(field.get("missingValues"), list)
    ]
    if len(lists) < 2:
        return {"missingValues": lists[0]} if lists else {}
    entries = [*lists[0], *lists[1]]
    labels = dict.fromkeys(codes_of(entries), "") | label_map(entries)
    return describe_missing(labels)


def _without_open_list(field: ForeignDocument, second: ForeignDocument) -> ForeignDocument:
    """Return a field without its list of labelled values, if a second one says all values."""
    if not field.get("synth:open_list") or not _has_values(second):
        return field
    listing = ("synth:open_list", "synth:outside", "constraints", "type", "categories")
    annotations = {key: value for key, value in field.items() if key not in listing}
    # A range or a list takes the labels in.
    return {**annotations, "synth:labels": field.get("categories", [])}


def _has_values(field: Mapping[str, Any]) -> bool:
    """Return whether a field says which values its column can have, and not only labels."""
    if field.get("synth:open_list"):
        return False
    constraints = field.get("constraints")
    constraint_names = set(constraints) if isinstance(constraints, Mapping) else set()
    return bool(constraint_names & {"enum", "minimum", "maximum"}) or (
        field.get("type") == "boolean"
    )


def _essence(field: Mapping[str, Any]) -> dict[str, Any]:
    """Return what two fields of a column must have in common: its type, bounds and values.

    The order of the values and whether the column is required do not matter.
    """
    constraints = dict(field.get("constraints", {}))
    constraints.pop("required", None)
    values = constraints.pop("enum", None)
    if isinstance(values, list):
        values = sorted(map(str, values))
    # Listed numbers and listed texts are the same categories.
    kind = "string" if values is not None else field.get("type", "string")
    ends = {key: str(value) for key, value in constraints.items()}
    return {"type": kind, **ends, "enum": values}


def _in_words(field: Mapping[str, Any]) -> str:
    """Return what a field declares in words, to show how two code books differ."""
    constraints = field.get("constraints", {})
    values = constraints.get("enum")
    if isinstance(values, list):
        return f"{len(values)} values ({name_some([*map(str, values)], SHOWN_VALUES)})"
    if "minimum" in constraints or "maximum" in constraints:
        ends = f"{constraints.get('minimum', '?')} to {constraints.get('maximum', '?')}"
        return f"{field.get('type', 'number')} from {ends}"
    return str(field.get("type", "nothing"))


def answer_books(request: Request) -> Reply:
    """Read code books in the child process, and write the result to a file for the parent.

    The result is a Table Schema with notes, or what you must choose first, as JSON.

    Args:
        request: What `apart` asks: the files with their names under ``sources``, what to
            return (``want``), a ``folder`` for the result, and the ``most`` bytes of it.

    Raises:
        DomainError: A code book is of no known kind, or wrong, or two disagree.
        LimitError: A code book is larger than a declaration can be, or would unfold to more.
    """
    # A name may hold half a character, which the parent refuses with a proper message.
    text = json.dumps(_summarize(request), ensure_ascii=False).encode(errors="surrogatepass")
    if len(text) > request["most"]:
        raise LimitError(
            f"The code book takes more than {request['most'] // 2**20} MB as a declaration, "
            "the limit."
        )
    (Path(request["folder"]) / SAID).write_bytes(text)
    return {}


def _summarize(request: Request) -> dict[str, Any]:
    """Return what the parent process asks of the code books, as an object with one key.

    The key is ``schema`` for a Table Schema with notes, ``parts`` for the names of several
    tables of which one must be chosen, or ``sheet`` for the first rows of a sheet whose
    columns' roles must be chosen.
    """
    sources = [(Path(path), str(name)) for path, name in request["sources"]]
    path, name = sources[0]
    if len(sources) > 1:
        books = [(name, _read(path, name, request)) for path, name in sources]
        return {"schema": merge_books(books)}
    if request["want"] == "sheet":
        sheet = _sheet_in(load_bytes(path), path, name, request=request)
        return {"sheet": vars(sheet.beginning())}
    # Files of statistics programs (`has_labels`) leave nothing to choose.
    if request["want"] == "choice" and not has_labels(name):
        content = load_bytes(path)
        if is_json(content) and (parts := parts_of(parse_json(content))):
            return {"parts": parts}
        if is_sheet(content):
            sheet = _sheet_in(content, path, name, request=request)
            # In a plain sheet, and in REDCap's, the roles of all columns are known.
            if not sheet.is_plain and not is_redcap(sheet.header):
                return {"sheet": vars(sheet.beginning())}
    return {"schema": _read(path, name, request)}


def _read(path: Path, name: str, request: Request) -> Converted:
    """Return a code book of any kind as a Table Schema, with notes on missing information.

    Args:
        path: The file.
        name: Its name, whose ending identifies statistics files.
        request: May name one of several tables (``part``), and say how to read a sheet: its
            ``roles``, None to guess them, and whether its first row is a header (``titled``).

    Raises:
        DomainError: It cannot be read, or the roles of a sheet's columns must be chosen.
    """
    if has_labels(name):
        return from_statistics(path, name)
    content = load_bytes(path)
    roles = request["roles"]
    if is_json(content):
        return from_other(parse_json(content), request["part"])
    if without_mark(content).startswith(b"<"):
        return from_ddi(content)
    sheet = _sheet_in(content, path, name, request=request)
    if request["titled"]:
        sheet = sheet.with_titles()
    if roles is None and not sheet.is_sure and not is_redcap(sheet.header):
        # Text without titles is tried as names, categories and labels in this order; a
        # workbook (`PACKED` are its first bytes) is not.
        if not sheet.has_titles and not content.startswith(PACKED):
            return read_codebook(decode_text(content))
        refuse_codebook(
            f"Say which column of the code book is what: it has {sheet.name_titles()} (--map "
            "name=COLUMN --map value=COLUMN ...)."
        )
    return from_sheet(sheet, roles)


def _sheet_in(content: bytes, path: Path, name: str, *, request: Request) -> Sheet:
    """Return delimited text, or the first sheet of a workbook, as a sheet.

    Args:
        content: The bytes of the file.
        path: The file, which a workbook is read from.
        name: What messages call the file.
        request: The parent's request, which the reader of workbooks needs.

    Raises:
        DomainError: The workbook is damaged or protected.
        LimitError: It would unfold to more than a declaration can be.
    """
    if not content.startswith(PACKED):
        return sheet_of(decode_text(content))
    try:
        rows = first_sheet({**request, "source": str(path)}, limits.SCHEMA_MB * 2**20)
    except Fault as fault:
        if fault.answer["fault"] in ("size", "ratio"):  # it unfolds to too much
            refuse_size()
        refuse_codebook(f"'{name}' cannot be read as a workbook; it is damaged or protected.")
    return arrange_sheet(rows)


def is_sheet(content: bytes) -> bool:
    """Return whether a file is meant as a sheet: it is neither JSON nor XML."""
    return not (is_json(content) or without_mark(content).startswith(b"<"))
