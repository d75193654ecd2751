"""Frictionless data packages, and metadata for CSV on the Web, CSVW-EO among them.

>>> from_csvw(
...     {
...         "tableSchema": {
...             "columns": [
...                 {
...                     "titles": "age",
...                     "datatype": {"base": "integer", "minimum": 0, "maximum": 99},
...                 }
...             ]
...         }
...     },
...     "",
... )[0]["fields"][0]["type"]
'integer'
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from synth.domain.codebooks.csvw_eo import key_values, list_assumptions, mark_open_lists
from synth.domain.codebooks.variables import (
    Converted,
    ForeignDocument,
    Variable,
    as_schema,
    refuse_codebook,
)
from synth.errors import name_some
from synth.util import Json

PACKAGE_KINDS = {
    **dict.fromkeys(
        "integer int long short byte nonNegativeInteger positiveInteger".split(), "integer"
    ),
    **dict.fromkeys("unsignedInt unsignedLong unsignedShort unsignedByte".split(), "integer"),
    **dict.fromkeys("negativeInteger nonPositiveInteger".split(), "integer"),
    **dict.fromkeys("number decimal double float".split(), "number"),
    **dict.fromkeys("string normalizedString token anyURI any xml html json".split(), ""),
    "boolean": "boolean",
    "date": "date",
    **dict.fromkeys("datetime dateTime dateTimeStamp".split(), "datetime"),
}
DATE_PARTS = {
    "yyyy": "%Y",
    "yy": "%y",
    "MMMM": "%B",
    "MMM": "%b",
    "MM": "%m",
    "M": "%m",
    "dd": "%d",
    "d": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
    "SSSSSS": "%f",
    "SSS": "%f",
    "'T'": "T",
}
# Most parts that a sentence names.
MAX_NAMED_PARTS = 10


def from_package(document: ForeignDocument, part: str = "") -> Converted:
    """Return the Table Schema of one resource of a data package, and no notes.

    `part` is the name or path of the resource; empty if there is only one.

    Raises:
        DomainError: There are several and you name none, or it has no schema.
    """
    resource = _choose_part(
        document["resources"], part, "resource", name_keys=("name", "path")
    )
    schema = resource.get("schema")
    if not isinstance(schema, Mapping) or not isinstance(schema.get("fields"), list):
        refuse_codebook(
            "The resource of the data package holds no schema with a list under 'fields'; "
            "one in a file of its own is read from there."
        )
    return dict(schema), []


def from_csvw(document: ForeignDocument, part: str = "") -> Converted:
    """Return a Table Schema of a table of CSV on the Web, and notes on missing information.

    Virtual columns, which the file does not have, are left out, and so is the column that
    identifies persons. `part` is the address or ID of the table; empty if there is only one.

    Raises:
        DomainError: There are several and you name none, or it has no columns.
    """
    table: Mapping[str, Any] = document
    if isinstance(document.get("tables"), list):
        table = _choose_part(document["tables"], part, "table", name_keys=("url", "id"))
    schema = table.get("tableSchema", document.get("tableSchema"))
    columns = schema.get("columns") if isinstance(schema, Mapping) else None
    if not isinstance(columns, list) or not all(
        isinstance(column, Mapping) for column in columns
    ):
        refuse_codebook(
            "The metadata for CSV on the Web holds no list of objects under 'columns' of its "
            "'tableSchema'."
        )
    declared_columns = [
        column
        for column in columns
        if column.get("virtual") is not True and column.get("privacyId") is not True
    ]
    # Codes for missing values may stand with the schema, the table or all tables.
    null_codes = schema.get("null", table.get("null", document.get("null", "")))
    converted, notes = as_schema(
        _variable(column, number, null_codes)
        for number, column in enumerate(declared_columns, 1)
    )
    mark_open_lists(converted, declared_columns)
    return converted, notes + list_assumptions(table, columns)


def parts_of(document: Json) -> list[str]:
    """Return the names of the tables in a data package or in metadata for CSV on the Web.

    There are none if it has only one table.
    """
    top = document if isinstance(document, Mapping) else {}
    for key, name_keys in {"resources": ("name", "path"), "tables": ("url", "id")}.items():
        tables = top.get(key)
        if isinstance(tables, list) and len(tables) > 1:
            return _name_tables(tables, name_keys)
    return []


def _choose_part(
    tables: object, part: str, noun: str, *, name_keys: Sequence[str]
) -> Mapping[str, Any]:
    """Return the description of the table with a name, or of the only table.

    Args:
        tables: The list of descriptions, if the file has one.
        part: The name of the table; empty if there is only one.
        noun: What the format calls a table, for messages.
        name_keys: The keys under which a table's name may stand, in order.

    Raises:
        DomainError: There is none, or none with this name, or several and no name is given.
    """
    entries = tables if isinstance(tables, list) else []
    descriptions = [table for table in entries if isinstance(table, Mapping)]
    if not descriptions:
        refuse_codebook(f"The file describes no {noun}.")
    if not part and len(descriptions) == 1:
        return descriptions[0]
    names = _name_tables(descriptions, name_keys)
    if part not in names:
        some_names = name_some([f"'{name}'" for name in names], MAX_NAMED_PARTS)
        refuse_codebook(
            f"The file describes {len(descriptions)} tables: {some_names}; say which {noun} "
            "is meant (--part NAME)."
        )
    return descriptions[names.index(part)]


def _name_tables(tables: Sequence[object], name_keys: Sequence[str]) -> list[str]:
    """Return the text under the first of some keys of each table; else its number."""
    return [_name(table, name_keys) or str(number) for number, table in enumerate(tables, 1)]


def _name(table: object, name_keys: Sequence[str]) -> str:
    entries = table if isinstance(table, Mapping) else {}
    return next((entries[key] for key in name_keys if isinstance(entries.get(key), str)), "")


def _variable(column: Mapping[str, Any], number: int, fallback: object) -> Variable:
    """Return a column of CSV on the Web as a variable of a code book.

    Args:
        column: The column's description.
        number: The position of the column from 1, for a column without a name.
        fallback: The table's codes for missing values, a text or a list, if the column has
            none of its own.
    """
    title = _text(column.get("titles")) or _text(column.get("name"))
    datatype = column.get("datatype", "string")
    if not isinstance(datatype, Mapping):
        datatype = {"base": datatype}
    base = datatype.get("base", "string")
    form = datatype.get("format")
    kind = PACKAGE_KINDS.get(base if isinstance(base, str) else "", "")
    low = datatype.get("minimum", datatype.get("minInclusive", column.get("minimum")))
    high = datatype.get("maximum", datatype.get("maxInclusive", column.get("maximum")))
    null = column.get("null", fallback)
    null_codes = null if isinstance(null, list) else [null]
    variable = Variable(
        name=title or f"column {number}",
        kind=kind,
        description=_text(column.get("dc:description", column.get("dcterms:description"))),
        missing={code: "" for code in null_codes if isinstance(code, str) and code},
        low=_bound_text(low, kind),
        high=_bound_text(high, kind),
        required=column.get("required") is True,
    )
    if kind in ("date", "datetime") and isinstance(form, str):
        # ``dd.MM.yyyy`` becomes ``%d.%m.%Y``. In `DATE_PARTS` the longer parts come first.
        variable.form = re.sub("|".join(DATE_PARTS), lambda m: DATE_PARTS[m[0]], form)
    if not kind and isinstance(form, str):
        # A pattern that only lists texts: ``F|M``, ``^(F|M)$``.
        listing = re.fullmatch(r"\^?\(?([\w .,/-]+(?:\|[\w .,/-]+)+)\)?\$?", form)
        if listing:
            variable.codes = dict.fromkeys(listing[1].split("|"), "")
    keys = key_values(column, kind)
    if keys:
        variable.codes = dict.fromkeys(keys, "")
        if column.get("exhaustiveKeys") is True:
            # The list says all values, so bounds add nothing.
            variable.low = variable.high = ""
    return variable


def _text(text: object) -> str:
    """Return a text, or the first one in a list or object of texts."""
    if isinstance(text, Mapping):
        text = next(iter(text.values()), "")
    if isinstance(text, list):
        text = text[0] if text else ""
    return text.strip() if isinstance(text, str) else ""


def _bound_text(bound: object, kind: str) -> str:
    """Return a bound as text; empty if it is no text and no number.

    A bound of whole numbers may be written as 176.0, which becomes "176".
    """
    if isinstance(bound, bool) or not isinstance(bound, str | int | float):
        return ""
    return str(bound).removesuffix(".0") if kind == "integer" else str(bound)
