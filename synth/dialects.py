"""Other tools' declarations, to and from Table Schema.

============== ==========================================================================
``nist``       NIST's ``data_dictionary.json``: codes with labels, smallest and largest values
``pgm``        private-pgm's ``domain.json``: a number of codes for each column
``sdv``        SDV metadata, one table (V1) or several (V2): kinds of columns, and no more
``codebook``   a CSV of two columns, a column's name and one of its categories
============== ==========================================================================

None of them can say all that a release needs; what is missing or lost is listed.

>>> document, notes = from_other({"age": 85, "sex": 2})
>>> [field["type"] for field in document["fields"]]
['integer', 'integer']
"""

import csv
import io
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from synth.errors import DomainError

Document = dict[str, Any]
Converted = tuple[Document, list[str]]

OTHER = ("nist", "pgm", "sdv", "codebook")
SDV_TYPES = {
    "categorical": "string",
    "boolean": "boolean",
    "numerical": "number",
    "datetime": "datetime",
}


def recognize(document: Any) -> str:
    """Which tool's declaration this is: one of `OTHER`, or ``table schema``.

    Raises:
        DomainError: None that is known.
    """
    if isinstance(document, Mapping) and "fields" in document:
        return "table schema"
    if isinstance(document, Mapping) and ("columns" in document or "tables" in document):
        return "sdv"
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


def from_other(document: Any) -> Converted:
    """A Table Schema of another tool's declaration, and what it does not say."""
    kind = recognize(document)
    return READERS[kind](dict(document))


def to_other(document: Document, kind: str) -> Converted:
    """A Table Schema as another tool's declaration, and what that cannot say."""
    return WRITERS[kind](document)


def read_codebook(text: str) -> Converted:
    """A Table Schema of a two-column code book; the first line may be its header.

    >>> read_codebook("column,category\\nsex,F\\nsex,M")[0]["fields"][0]["constraints"]["enum"]
    ['F', 'M']
    """
    rows = [row for row in csv.reader(io.StringIO(text)) if any(cell.strip() for cell in row)]
    wrong = [number for number, row in enumerate(rows, 1) if len(row) != 2]
    if not rows or wrong:
        where = f" in row {wrong[0]}" if wrong else ""
        _refuse(f"A code book has two columns, a name and a category; expected both{where}.")
    if [cell.strip().lower() for cell in rows[0]] in (
        ["column", "category"], ["name", "value"], ["column", "value"], ["variable", "code"],
    ):  # fmt: skip
        rows = rows[1:]
    codes: dict[str, list[str]] = {}
    for name, code in rows:
        codes.setdefault(name.strip(), []).append(code.strip())
    return {"fields": [_listed(name, found) for name, found in codes.items()]}, []


def _listed(name: str, codes: list[str], required: bool = True) -> Document:
    return {"name": name, "type": "string", "constraints": {"enum": codes, "required": required}}


def _from_pgm(document: Document) -> Converted:
    fields = []
    for name, size in document.items():
        if size < 1:
            _refuse(f"Column '{name}' has {size} codes; expected at least 1.")
        bounds = {"minimum": 0, "maximum": size - 1, "required": True}
        fields.append({"name": name, "type": "integer", "synth:bins": size, "constraints": bounds})
    return {"fields": fields}, ["Codes are whole numbers from 0; what they stand for is not said."]


def _to_pgm(document: Document) -> Converted:
    """Sizes of the columns, which `synth.schemas.write_schema` notes in a finished schema."""
    sizes = {field["name"]: field.get("synth:cells") for field in document["fields"]}
    unknown = [name for name, size in sizes.items() if size is None]
    if unknown:
        _refuse(f"Column '{unknown[0]}' is not declared in full, so its cells cannot be counted.")
    lost = ["Labels, bounds, missing values and rules for values outside are lost."]
    return sizes, lost


def _from_nist(document: Document) -> Converted:
    fields, notes, missing = [], [], [""]
    for name, entry in document.items():
        values = dict(entry.get("values", {}))
        if not values:
            notes.append(f"Column '{name}' is left out: its values are not listed.")
            continue
        low, high = values.pop("min", None), values.pop("max", None)
        field: Document = {"name": name, "description": str(entry.get("description", ""))}
        if low is None or high is None:
            field |= _listed(name, list(values))
            field["categories"] = [{"value": v, "label": t} for v, t in values.items()]
        else:
            field |= _ranged(name, low, high, values, notes)
            missing += [v for v in values if v not in missing and not _is_number(v)]
        fields.append(field)
    return {"fields": fields, "missingValues": missing}, notes


def _ranged(name: str, low: Any, high: Any, codes: Document, notes: list[str]) -> Document:
    """A field of numbers with some codes beside them: numbers join the range, words are missing."""
    ends = [str(low), str(high), *(code for code in codes if _is_number(code))]
    joined = [code for code in codes if _is_number(code)]
    if joined:
        notes.append(f"Column '{name}': the code {', '.join(joined)} joins the range of numbers.")
    words = [code for code in codes if not _is_number(code)]
    if words:
        notes.append(f"Column '{name}': {', '.join(words)} stands for a missing value.")
    kind = "integer" if all(_is_whole(end) for end in ends) else "number"
    ends.sort(key=float)
    bounds = {"minimum": ends[0], "maximum": ends[-1], "required": not words}
    return {"name": name, "type": kind, "constraints": bounds}


def _to_nist(document: Document) -> Converted:
    entries: Document = {}
    notes = ["Bins, rules for values outside, and formats of dates are lost."]
    words = [word for word in document.get("missingValues", [""]) if word]
    for field in document["fields"]:
        constraints = field.get("constraints", {})
        if "enum" in constraints:
            labels = {c["value"]: c["label"] for c in field.get("categories", ())}
            values = {str(code): labels.get(code, str(code)) for code in constraints["enum"]}
        elif field["type"] in ("integer", "number"):
            values = {end[:3]: _number(constraints[end]) for end in ("minimum", "maximum")}
            if not constraints.get("required", False):
                values |= dict.fromkeys(words, "missing")
        else:
            notes.append(f"Column '{field['name']}' ({field['type']}) is left out.")
            continue
        entries[field["name"]] = {"description": field.get("description", ""), "values": values}
    return entries, notes


def _from_sdv(document: Document) -> Converted:
    columns, notes = _sdv_columns(document), []
    fields = []
    for name, column in columns.items():
        kind = column.get("sdtype", "") if isinstance(column, Mapping) else ""
        if kind not in SDV_TYPES:
            notes.append(f"Column '{name}' ({kind or 'no sdtype'}) is left out: it is no category.")
            continue
        field: Document = {"name": name, "type": SDV_TYPES[kind]}
        whole = column.get("computer_representation", "").startswith(("Int", "UInt"))
        if kind == "numerical" and whole:
            field["type"] = "integer"
        if kind == "datetime" and "datetime_format" in column:
            timed = any(mark in column["datetime_format"] for mark in ("%H", "%I", "%c", "%X"))
            field |= {
                "type": "datetime" if timed else "date",
                "format": column["datetime_format"],
            }
        lacking = {"string": "categories", "boolean": ""}.get(field["type"], "bounds")
        if lacking:
            notes.append(f"Column '{name}' needs {lacking}; SDV metadata does not say them.")
        fields.append(field)
    return {"fields": fields}, notes


def _sdv_columns(document: Document) -> Document:
    if "tables" in document:
        tables = document["tables"]
        if not isinstance(tables, Mapping) or len(tables) != 1:
            _refuse("SDV metadata of several tables: expected exactly one under 'tables'.")
        document = dict(next(iter(tables.values())))
    columns = document.get("columns")
    if not isinstance(columns, Mapping):
        _refuse("SDV metadata: expected an object under 'columns'.")
    return dict(columns)


def _to_sdv(document: Document) -> Converted:
    columns: Document = {}
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
    lost = ["Categories, bounds, bins, missing values and rules for values outside are lost."]
    return {"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "columns": columns}, lost


def _to_codebook(document: Document) -> Converted:
    rows = [
        [field["name"], str(code)]
        for field in document["fields"]
        for code in field.get("constraints", {}).get("enum", ())
    ]
    left = [f["name"] for f in document["fields"] if "enum" not in f.get("constraints", {})]
    notes = [f"Column '{name}' is left out: it lists no categories." for name in left]
    return {"rows": rows}, [*notes, "Missing values and rules for values outside are lost."]


def _is_number(text: Any) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdigit()


def _number(text: Any) -> int | float:
    return int(text) if _is_whole(str(text)) else float(text)


def _same(document: Document) -> Converted:
    return document, []


def _refuse(message: str) -> NoReturn:
    raise DomainError(message)


READERS: dict[str, Callable[[Document], Converted]] = {
    "table schema": _same,
    "pgm": _from_pgm,
    "nist": _from_nist,
    "sdv": _from_sdv,
}
WRITERS: dict[str, Callable[[Document], Converted]] = {
    "pgm": _to_pgm,
    "nist": _to_nist,
    "sdv": _to_sdv,
    "codebook": _to_codebook,
}
