"""Several code books of one table: how they complete each other, and where they disagree.

>>> one = {"fields": [{"name": "age", "type": "integer"}]}
>>> other = {"fields": [{"name": "age", "type": "integer",
...     "constraints": {"minimum": "0", "maximum": "99"}}]}
>>> merge_books([("a", (one, [])), ("b", (other, []))])[0]["fields"][0]["constraints"]["maximum"]
'99'
"""

from collections.abc import Mapping, Sequence
from typing import Any

from synth.domain.codebooks.pieces import Converted, ForeignDocument, refuse_codebook
from synth.errors import name_some

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
        missing |= dict.fromkeys(m for m in document.get("missingValues", []) if isinstance(m, str))
        notes |= dict.fromkeys(remarks)
        for field in document.get("fields", []):
            name = field.get("name") if isinstance(field, Mapping) else None
            if not isinstance(name, str):
                refuse_codebook(f"'{book}' describes a column without a name.")
            if name in fields:
                field = _both(fields[name], field, (said_by[name], book))
            fields[name], said_by[name] = dict(field), book
    told = {name for name, field in fields.items() if _is_told(field)}
    left = [n for n in notes if n.removeprefix("Column '").partition("' needs")[0] not in told]
    return {"fields": [*fields.values()], "missingValues": [*missing]}, left


def _both(one: ForeignDocument, other: ForeignDocument, books: tuple[str, str]) -> ForeignDocument:
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
    listed = {"enum", "minimum", "maximum"} & set(limiting if isinstance(limiting, Mapping) else ())
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
