"""Other tools' declarations, to and from Table Schema.

============== ==========================================================================
``nist``       NIST's ``data_dictionary.json``: codes with labels, smallest and largest values
``pgm``        private-pgm's ``domain.json``: a number of codes for each column
``sdv``        SDV metadata, one table (V1) or several (V2): kinds of columns, and no more
``codebook``   a CSV of columns' names, their categories and, if you like, their labels
============== ==========================================================================

None of them can say all that a release needs; what is missing or lost is listed.

>>> document, notes = from_other({"age": 85, "sex": 2})
>>> [field["type"] for field in document["fields"]]
['integer', 'integer']
"""

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from synth.check import Json
from synth.errors import DomainError

ForeignDocument = dict[str, Any]
Converted = tuple[ForeignDocument, list[str]]

OTHER = ("nist", "pgm", "sdv", "codebook")
SDV_TYPES = {
    "categorical": "string",
    "boolean": "boolean",
    "numerical": "number",
    "datetime": "datetime",
}
HEADERS = [
    {"column", "name", "variable", "field"},
    {"category", "value", "code"},
    {"label", "meaning", "description"},
]
"""What the columns of a code book may be called."""
INT_DIGITS = 4_300
"""From here up Python reads no whole number."""
COUSINS = {
    "properties": "a JSON Schema",
    "resources": "a data package: take the 'schema' of one of its resources",
    "tableSchema": "metadata for CSV on the Web",
}


def recognize(document: Json) -> str:
    """Which tool's declaration this is: one of `OTHER`, or ``table schema``.

    Raises:
        DomainError: None that is known.
    """
    if isinstance(document, Mapping) and "fields" in document:
        return "table schema"
    if isinstance(document, Mapping) and ("columns" in document or "tables" in document):
        return "sdv"
    cousin = next((k for k in COUSINS if isinstance(document, Mapping) and k in document), None)
    if isinstance(document, Mapping) and cousin and not isinstance(document[cousin], int):
        _refuse(f"This looks like {COUSINS[cousin]}; expected a list of columns under 'fields'.")
    values = list(document.values()) if isinstance(document, Mapping) else []
    if values and all(type(value) is int for value in values):
        return "pgm"
    if values and all(
        isinstance(v, Mapping) and {"values", "description"} & set(v) for v in values
    ):
        return "nist"
    _refuse(
        "This is no Table Schema: expected a JSON object with a list under 'fields', or SDV "
        "metadata, a NIST data dictionary, or private-pgm's domain.json."
    )


def from_other(document: Json) -> Converted:
    """A Table Schema of another tool's declaration, and what it does not say."""
    kind = recognize(document)
    assert isinstance(document, Mapping)
    return READERS[kind](dict(document))


def to_other(document: ForeignDocument, kind: str) -> Converted:
    """A Table Schema as another tool's declaration, and what that cannot say."""
    return WRITERS[kind](document)


def read_codebook(text: str) -> Converted:
    """A Table Schema of a code book: names, categories and perhaps labels; maybe with a header.

    >>> read_codebook("column,category\\nsex,F\\nsex,M")[0]["fields"][0]["constraints"]["enum"]
    ['F', 'M']
    """
    rows = [row for row in csv.reader(io.StringIO(text)) if any(cell.strip() for cell in row)]
    wide = len(rows[0]) if rows else 0
    wrong = [number for number, row in enumerate(rows, 1) if len(row) != wide or not row[0].strip()]
    if wide not in (2, 3) or wrong:
        where = f" in row {wrong[0]}" if wrong else ""
        _refuse(
            "A code book has two columns, a name and a category, and perhaps a third for the "
            f"label; expected both{where}."
        )
    if all(cell.strip().lower() in known for cell, known in zip(rows[0], HEADERS, strict=False)):
        rows = rows[1:]
    books: dict[str, dict[str, str]] = {}
    for name, code, *label in rows:
        book = books.setdefault(name.strip(), {})
        if code.strip() in book:
            _refuse(f"The code book lists '{code.strip()}' of column '{name.strip()}' twice.")
        book[code.strip()] = label[0].strip() if label else ""
    return {"fields": [{"name": name, **_listed(book)} for name, book in books.items()]}, []


def _listed(book: Mapping[str, str]) -> ForeignDocument:
    """The part of a field that lists codes and what they stand for."""
    named = {code: label for code, label in book.items() if label}
    labels = [{"value": c, "label": named[c]} if c in named else c for c in book]
    field = {"type": "string", "constraints": {"enum": [*book], "required": True}}
    return field | ({"categories": labels} if named else {})


def _from_pgm(document: ForeignDocument) -> Converted:
    fields = []
    for name, size in document.items():
        if size < 1:
            _refuse(f"Column '{name}' has {size} codes; expected at least 1.")
        bounds = {"minimum": 0, "maximum": size - 1, "required": True}
        fields.append({"name": name, "type": "integer", "synth:bins": size, "constraints": bounds})
    return {"fields": fields}, ["Codes are whole numbers from 0; what they stand for is not said."]


def _to_pgm(document: ForeignDocument) -> Converted:
    """Sizes of the columns, which `write_schema` notes in a finished schema."""
    sizes = {field["name"]: field.get("synth:cells") for field in document["fields"]}
    unknown = [name for name, size in sizes.items() if size is None]
    if unknown:
        _refuse(f"Column '{unknown[0]}' is not declared in full, so its cells cannot be counted.")
    return sizes, lost(document, "pgm")


def _from_nist(document: ForeignDocument) -> Converted:
    fields, notes, missing = [], [], {"": None}
    for name, entry in document.items():
        values = entry.get("values", {})
        if not isinstance(values, Mapping) or any(
            isinstance(v, list | dict) for v in values.values()
        ):
            _refuse(
                f"NIST data dictionary: expected an object of texts under 'values' of '{name}'."
            )
        book = dict(values)
        if not book:
            notes.append(f"Column '{name}' is left out: its values are not listed.")
            continue
        low, high = book.pop("min", None), book.pop("max", None)
        field: ForeignDocument = {"name": name, "description": str(entry.get("description", ""))}
        if low is None or high is None:
            field |= _listed({code: str(label) for code, label in book.items()})
        else:
            field |= _ranged(name, low, high, book, notes)
            missing |= dict.fromkeys(code for code in book if not _is_number(code))
        fields.append(field)
    return {"fields": fields, "missingValues": [*missing]}, notes


def _ranged(
    name: str, low: Json, high: Json, codes: ForeignDocument, notes: list[str]
) -> ForeignDocument:
    """A field of numbers with codes beside them: numbers are spikes, words are missing."""
    if not _is_number(low) or not _is_number(high):
        _refuse(f"NIST data dictionary: expected numbers as 'min' and 'max' of '{name}'.")
    ends = {"minimum": str(low), "maximum": str(high)}
    spikes = [{"value": code, "label": str(codes[code])} for code in codes if _is_number(code)]
    if spikes:
        shown = ", ".join(spike["value"] for spike in spikes)
        notes.append(f"Column '{name}': the code {shown} gets a cell of its own.")
    words = [code for code in codes if not _is_number(code)]
    if words:
        notes.append(f"Column '{name}': {', '.join(words)} stands for a missing value.")
    whole = all(map(_is_whole, [*ends.values(), *(spike["value"] for spike in spikes)]))
    field: ForeignDocument = {"type": "integer" if whole else "number"}
    field |= {"constraints": {**ends, "required": not words}}
    return field | ({"synth:spikes": spikes} if spikes else {})


def _to_nist(document: ForeignDocument) -> Converted:
    entries: ForeignDocument = {}
    notes, kept = [], []
    words = [word for word in _codes(document.get("missingValues", [""])) if word]
    for field in document["fields"]:
        constraints = field.get("constraints", {})
        if "enum" in constraints:
            labels = _labels(field.get("categories", ()))
            codes = map(str, constraints["enum"])
            values: ForeignDocument = {code: labels.get(code, code) for code in codes}
        elif field.get("type") in ("integer", "number") and "minimum" in constraints:
            values = {end[:3]: _number(constraints[end]) for end in ("minimum", "maximum")}
            spikes = field.get("synth:spikes", ())
            values |= dict(zip(_codes(spikes), _codes(spikes), strict=True)) | _labels(spikes)
            if words and not constraints.get("required", False):
                values |= dict.fromkeys(words, "missing")
                constraints = {**constraints, "required": True}
        else:
            notes.append(f"Column '{field['name']}' ({field.get('type')}) is left out.")
            continue
        kept.append({**field, "constraints": constraints})
        entries[field["name"]] = {"description": field.get("description", ""), "values": values}
    return entries, [*lost({"fields": kept}, "nist"), *notes]


def _codes(items: Iterable[Json]) -> list[str]:
    return [str(item["value"] if isinstance(item, Mapping) else item) for item in items]


def _labels(items: Iterable[Json]) -> ForeignDocument:
    """What codes stand for, where they are objects with a value and a label."""
    return {str(item["value"]): item["label"] for item in items if isinstance(item, Mapping)}


def _from_sdv(document: ForeignDocument) -> Converted:
    columns, notes = _sdv_columns(document), []
    fields = []
    for name, column in columns.items():
        said = column if isinstance(column, Mapping) else {}
        kind, form, stored = (
            str(said.get(key, ""))
            for key in ("sdtype", "datetime_format", "computer_representation")
        )
        if kind not in SDV_TYPES:
            notes.append(f"Column '{name}' ({kind or 'no sdtype'}) is left out: it is no category.")
            continue
        field: ForeignDocument = {"name": name, "type": SDV_TYPES[kind]}
        if kind == "numerical" and stored.startswith(("Int", "UInt")):
            field["type"] = "integer"
        if kind == "datetime" and form:
            timed = any(mark in form for mark in ("%H", "%I", "%c", "%X"))
            field |= {"type": "datetime" if timed else "date", "format": form}
        lacking = {"string": "categories", "boolean": ""}.get(field["type"], "bounds")
        if lacking:
            notes.append(f"Column '{name}' needs {lacking}; SDV metadata does not say them.")
        fields.append(field)
    return {"fields": fields}, notes


def _sdv_columns(document: ForeignDocument) -> ForeignDocument:
    if "tables" in document:
        tables = document["tables"]
        if not isinstance(tables, Mapping) or len(tables) != 1:
            _refuse("SDV metadata of several tables: expected exactly one under 'tables'.")
        document = next(iter(tables.values()))
    columns = document.get("columns") if isinstance(document, Mapping) else None
    if not isinstance(columns, Mapping):
        _refuse("SDV metadata: expected an object under 'columns'.")
    return dict(columns)


def _to_sdv(document: ForeignDocument) -> Converted:
    columns: ForeignDocument = {}
    for field in document["fields"]:
        kind = field["type"]
        if "enum" in field.get("constraints", {}):
            kind = "string"
        match kind:
            case "integer":
                column = {"sdtype": "numerical", "computer_representation": "Int64"}
            case "number":
                column = {"sdtype": "numerical"}
            case "date" | "datetime":
                given = field.get("format", "default")
                iso = "%Y-%m-%d" if kind == "date" else "%Y-%m-%dT%H:%M:%S"
                column = {"sdtype": "datetime"} | (
                    {"datetime_format": iso if given == "default" else given}
                )
            case "boolean":
                column = {"sdtype": "boolean"}
            case _:
                column = {"sdtype": "categorical"}
        columns[field["name"]] = column
    metadata = {"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "columns": columns}
    return metadata, lost(document, "sdv")


def _to_codebook(document: ForeignDocument) -> Converted:
    listed = [f for f in document["fields"] if "enum" in f.get("constraints", {})]
    labels = {f["name"]: _labels(f.get("categories", ())) for f in listed}
    rows = [["column", "category", "label"]] if any(labels.values()) else [["column", "category"]]
    for field in listed:
        for code in map(str, field["constraints"]["enum"]):
            rows.append([field["name"], code, labels[field["name"]].get(code, "")][: len(rows[0])])
    left = [f["name"] for f in document["fields"] if "enum" not in f.get("constraints", {})]
    notes = [f"Column '{name}' is left out: it lists no categories." for name in left]
    return {"rows": rows}, [*lost({**document, "fields": listed}, "codebook"), *notes]


SAYABLE = {
    "nist": {"categories", "labels", "bounds", "spikes", "descriptions"},
    "pgm": set[str](),
    "sdv": {"formats of dates"},
    "codebook": {"categories", "labels"},
}
"""What each format can say of a column, besides its name and kind."""


def lost(document: ForeignDocument, kind: str) -> list[str]:
    """What a Table Schema says and another format cannot, with the columns it is about.

    >>> field = {"name": "age", "type": "integer", "synth:spikes": [0], "constraints":
    ...     {"minimum": 0, "maximum": 99, "required": True}}
    >>> lost({"fields": [field]}, "nist"), lost({"fields": [field]}, "sdv")
    ([], ["Lost: bounds of 'age'.", "Lost: spikes of 'age'."])
    """
    found: dict[str, list[str]] = {}
    for field in document["fields"]:
        for what in _says(field) - SAYABLE[kind]:
            found.setdefault(what, []).append(f"'{field['name']}'")
    return [f"Lost: {what} of {_some(names)}." for what, names in sorted(found.items())]


def _says(field: ForeignDocument) -> set[str]:
    constraints = field.get("constraints", {})
    listed = (*field.get("categories", ()), *field.get("synth:spikes", ()))
    said = {
        "categories": "enum" in constraints,
        "labels": any(isinstance(item, Mapping) for item in listed),
        "the order of categories": field.get("categoriesOrdered"),
        "spellings of yes and no": "trueValues" in field,
        "bounds": "minimum" in constraints,
        "bins": {"synth:bins", "synth:edges", "synth:period"} & set(field),
        "spikes": field.get("synth:spikes"),
        "decimals": "synth:decimals" in field,
        "formats of dates": field.get("format", "default") != "default",
        "the missing cell": constraints and not constraints.get("required", False),
        "the rule for values outside": "synth:outside" in field,
        "descriptions": field.get("description"),
    }
    return {what for what, is_said in said.items() if is_said}


def _some(names: list[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _is_number(text: Json) -> bool:
    try:
        return isinstance(text, str | int | float) and math.isfinite(float(text))
    except (TypeError, ValueError):
        return False


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def _number(text: str | int | float) -> int | float:
    return int(text) if _is_whole(str(text)) and len(str(text)) < INT_DIGITS else float(text)


def _same(document: ForeignDocument) -> Converted:
    return document, []


def _refuse(message: str) -> NoReturn:
    raise DomainError(message)


READERS: dict[str, Callable[[ForeignDocument], Converted]] = {
    "table schema": _same,
    "pgm": _from_pgm,
    "nist": _from_nist,
    "sdv": _from_sdv,
}
WRITERS: dict[str, Callable[[ForeignDocument], Converted]] = {
    "pgm": _to_pgm,
    "nist": _to_nist,
    "sdv": _to_sdv,
    "codebook": _to_codebook,
}
