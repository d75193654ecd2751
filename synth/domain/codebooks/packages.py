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
    """Return the schema of one resource of a data package.

    Raises:
        DomainError: There are several and you name none, or it has no schema.
    """
    resource = _choose_part(document["resources"], part, "resource", names=("name", "path"))
    schema = resource.get("schema")
    if not isinstance(schema, Mapping) or not isinstance(schema.get("fields"), list):
        refuse_codebook(
            "The resource of the data package holds no schema with a list under 'fields'; "
            "one in a file of its own is read from there."
        )
    return dict(schema), []


def from_csvw(document: ForeignDocument, part: str = "") -> Converted:
    """Return the schema of one table of CSV on the Web.

    Raises:
        DomainError: There are several and you name none, or it has no columns.
    """
    table: Mapping[str, Any] = document
    if isinstance(document.get("tables"), list):
        table = _choose_part(document["tables"], part, "table", names=("url", "id"))
    schema = table.get("tableSchema", document.get("tableSchema"))
    columns = schema.get("columns") if isinstance(schema, Mapping) else None
    if not isinstance(columns, list) or not all(isinstance(c, Mapping) for c in columns):
        refuse_codebook(
            "The metadata for CSV on the Web holds no list of objects under 'columns' of its "
            "'tableSchema'."
        )
    told = [
        c for c in columns if c.get("virtual") is not True and c.get("privacyId") is not True
    ]
    fallback = schema.get("null", table.get("null", document.get("null", "")))
    found, notes = as_schema(
        _variable(c, number, fallback) for number, c in enumerate(told, 1)
    )
    mark_open_lists(found, told)
    return found, [*notes, *list_assumptions(table, columns)]


def parts_of(document: Json) -> list[str]:
    said = document if isinstance(document, Mapping) else {}
    for holder, names in {"resources": ("name", "path"), "tables": ("url", "id")}.items():
        listed = said.get(holder)
        if isinstance(listed, list) and len(listed) > 1:
            return [_name(one, names) or str(i) for i, one in enumerate(listed, 1)]
    return []


def _choose_part(
    listed: object, part: str, what: str, *, names: Sequence[str]
) -> Mapping[str, Any]:
    items = (
        [one for one in listed if isinstance(one, Mapping)]
        if isinstance(listed, list)
        else []
    )
    known = [_name(one, names) or str(i) for i, one in enumerate(items, 1)]
    if part in known:
        return items[known.index(part)]
    if not items or (len(items) > 1 and not part) or part:
        shown = name_some([f"'{name}'" for name in known], MAX_NAMED_PARTS)
        refuse_codebook(
            f"The file describes {len(items)} tables: {shown}; say which {what} is meant "
            "(--part NAME)."
            if items
            else f"The file describes no {what}."
        )
    return items[0]


def _name(one: object, names: Sequence[str]) -> str:
    said = one if isinstance(one, Mapping) else {}
    return next((said[key] for key in names if isinstance(said.get(key), str)), "")


def _variable(column: Mapping[str, Any], number: int, fallback: object) -> Variable:
    title = _text(column.get("titles")) or _text(column.get("name"))
    said = column.get("datatype", "string")
    said = said if isinstance(said, Mapping) else {"base": said}
    base, form = said.get("base", "string"), said.get("format")
    kind = PACKAGE_KINDS.get(base if isinstance(base, str) else "", "")
    null = column.get("null", fallback)
    words = [
        w for w in (null if isinstance(null, list) else [null]) if isinstance(w, str) and w
    ]
    one = Variable(
        name=title or f"column {number}",
        kind=kind,
        description=_text(column.get("dc:description", column.get("dcterms:description"))),
        missing=dict.fromkeys(words, ""),
        low=_end(said.get("minimum", said.get("minInclusive", column.get("minimum"))), kind),
        high=_end(said.get("maximum", said.get("maxInclusive", column.get("maximum"))), kind),
        required=column.get("required") is True,
    )
    if kind in ("date", "datetime") and isinstance(form, str):
        # ``dd.MM.yyyy`` becomes ``%d.%m.%Y``.
        one.form = re.sub("|".join(DATE_PARTS), lambda m: DATE_PARTS[m[0]], form)
    if not kind and isinstance(form, str):
        # A pattern that only lists texts: ``F|M``, ``^(F|M)$``.
        found = re.fullmatch(r"\^?\(?([\w .,/-]+(?:\|[\w .,/-]+)+)\)?\$?", form)
        one.codes = dict.fromkeys(found[1].split("|") if found else [], "")
    if keys := key_values(column, kind):
        one.codes = dict.fromkeys(keys, "")
    if keys and column.get("exhaustiveKeys") is True:
        one.low = one.high = ""
    return one


def _text(said: object) -> str:
    if isinstance(said, Mapping):
        said = next(iter(said.values()), "")
    if isinstance(said, list):
        said = said[0] if said else ""
    return said.strip() if isinstance(said, str) else ""


def _end(said: object, kind: str) -> str:
    # A bound of whole numbers may be written as 176.0.
    if isinstance(said, bool) or not isinstance(said, str | int | float):
        return ""
    return str(said).removesuffix(".0") if kind == "integer" else str(said)
