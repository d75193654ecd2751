"""Declarations as files: a Domain from and to Frictionless Table Schema JSON.

The native format is a Table Schema with a few keys of our own:

=================  ==========================================================================
``synth:bins``     number of bins of an integer, number, date or datetime field
``synth:edges``    the bin edges instead, ascending, from the minimum to the maximum
``synth:outside``  what happens to values outside: ``cell``, ``nearest``, ``missing``, ``drop``
``synth:decimals`` digits after the point of synthetic numbers
=================  ==========================================================================

``constraints.required: false`` gives the column a cell for missing values.

>>> from synth.schemas import read_schema
>>> read_schema({"fields": [{"name": "age", "type": "integer", "synth:bins": 10,
...     "constraints": {"minimum": 0, "maximum": 99, "required": True}}]}).shape
(10,)
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from synth import limits
from synth.dialects import from_other, read_codebook
from synth.domain import (
    DECLARED,
    LOOKED_UP,
    Binned,
    Boolean,
    Categorical,
    Column,
    Date,
    Domain,
    Integer,
    Number,
    Outside,
)
from synth.errors import DomainError, LimitError

SCHEMA = "https://datapackage.org/profiles/2.0/tableschema.json"
OUTSIDE_WORDS = {rule.value: rule for rule in Outside} | {
    "own cell": Outside.CELL,
    "nearest bound": Outside.NEAREST,
    "drop the row": Outside.DROP,
}
FIELD_KEYS = {"synth:bins", "synth:edges", "synth:outside", "synth:decimals", "synth:cells"}
BINNED: dict[str, type[Integer | Number | Date]] = {
    "integer": Integer,
    "number": Number,
    "date": Date,
    "datetime": Date,
}


def read_schema(source: str | Path | bytes | Mapping[str, Any]) -> Domain:
    """Read a declaration.

    Args:
        source: A path, the bytes of a file, or the parsed JSON object.

    Raises:
        DomainError: It is no Table Schema, or what it declares is wrong; the message names
            the field.
        LimitError: The file is larger than a declaration can be.
    """
    return finish(load_schema(source)[0])


def load_schema(source: str | Path | bytes | Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Read a declaration of any kind as a Table Schema, and list what it does not say.

    Raises:
        DomainError: It is of no known kind.
        LimitError: The file is larger than a declaration can be.
    """
    if isinstance(source, Mapping):
        return from_other(source)
    content = _load(source)
    start = content.lstrip()[:1]
    if start not in (b"{", b"[", b'"') and b"," in content.partition(b"\n")[0]:
        try:
            return read_codebook(content.decode("utf-8-sig"))
        except UnicodeDecodeError:
            _refuse("The domain file is not UTF-8 text.")
    return from_other(_parse(content))


def finish(document: Mapping[str, Any]) -> Domain:
    """The domain that a Table Schema declares.

    Raises:
        DomainError: What it declares is wrong or incomplete; the message names the field.
    """
    fields = document.get("fields")
    if not isinstance(fields, list):
        _refuse("This is no Table Schema: expected a JSON object with a list under 'fields'.")
    missing = document.get("missingValues", [""])
    if not isinstance(missing, list) or not all(isinstance(m, str) for m in missing):
        _refuse("'missingValues' must be a list of texts.")
    columns = tuple(_column(field, position) for position, field in enumerate(fields, 1))
    origin = document.get("synth:origin", DECLARED)
    if origin not in (DECLARED, LOOKED_UP):
        _refuse(f"'synth:origin' must be '{LOOKED_UP}', or left out.")
    return Domain(columns, tuple(m.strip() for m in missing), origin)


def write_schema(domain: Domain) -> dict[str, Any]:
    """The declaration as a Table Schema object; `read_schema` gives back an equal Domain."""
    stamp = {} if domain.origin == DECLARED else {"synth:origin": domain.origin}
    return {
        "$schema": SCHEMA,
        "fields": [_field(column) for column in domain.columns],
        "missingValues": list(domain.missing_values),
        "synth:universe_cells": domain.size,
        **stamp,
    }


def _load(source: str | Path | bytes) -> bytes:
    if isinstance(source, bytes):
        content = source
    else:
        try:
            with Path(source).open("rb") as file:
                content = file.read(limits.SCHEMA_MB * 2**20 + 1)
        except OSError:
            _refuse(f"The domain file '{source}' cannot be read.")
    if len(content) > limits.SCHEMA_MB * 2**20:
        message = f"The domain file is larger than {limits.SCHEMA_MB} MB."
        raise LimitError(message)
    return content


def _parse(content: bytes) -> Any:
    try:
        # Numbers stay text, so that 0.1 means exactly one tenth.
        return json.loads(content.decode("utf-8-sig"), parse_float=str, parse_constant=str)
    except UnicodeDecodeError:
        _refuse("The domain file is not UTF-8 text.")
    except RecursionError:
        _refuse("The domain file is nested too deeply.")
    except ValueError as error:
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        _refuse(f"The domain file is not valid JSON{where}.")


def _column(field: Any, position: int) -> Column:
    if not isinstance(field, Mapping):
        _refuse(f"Field {position} must be a JSON object.")
    name = field.get("name")
    if not isinstance(name, str) or not name.strip():
        _refuse(f"Field {position} has no name.")
    name = name.strip()
    kind = field.get("type", "string")
    constraints = field.get("constraints", {})
    if not isinstance(constraints, Mapping):
        _refuse(f"Column '{name}': 'constraints' must be a JSON object.")
    unknown = {k for k in field if k.startswith("synth:")} - FIELD_KEYS
    if unknown:
        _refuse(f"Column '{name}': unknown key '{min(unknown)}'.")
    shared: dict[str, Any] = {
        "name": name,
        "missing": not _boolean(name, constraints, "required"),
        "outside": _outside(name, field.get("synth:outside")),
        "description": str(field.get("description", "")),
    }
    if "enum" in constraints and kind in ("string", "integer", "number", "any", "year"):
        return Categorical(categories=_texts(name, constraints, "enum"), **shared)
    if kind == "boolean":
        return Boolean(**shared, **_spellings(name, field))
    if kind in BINNED:
        return BINNED[kind](**shared, **_binned(name, kind, field, constraints))
    if kind == "string":
        _refuse(f"Column '{name}' is text without a list of categories (constraints.enum).")
    _refuse(
        f"Column '{name}' has the type {_shown(kind)}; expected string with an enum, boolean, "
        "integer, number, date or datetime."
    )


def _binned(
    name: str, kind: str, field: Mapping[str, Any], constraints: Mapping[str, Any]
) -> dict[str, Any]:
    edges = _bounds(name, field["synth:edges"]) if "synth:edges" in field else ()
    bins = field.get("synth:bins")
    if bins is not None and type(bins) is not int:
        _refuse(f"Column '{name}': 'synth:bins' must be a whole number.")
    if bins is not None and edges:
        _refuse(f"Column '{name}' declares both 'synth:bins' and 'synth:edges'; keep one.")
    given: dict[str, Any] = {"bins": bins, "edges": edges}
    if edges:
        given |= {"minimum": edges[0], "maximum": edges[-1]}
    for end in ("minimum", "maximum"):
        if end in constraints:
            given[end] = _bounds(name, [constraints[end]])[0]
        elif end not in given:
            _refuse(f"Column '{name}' ({kind}) declares no {end}.")
    return given | _extra(name, kind, field)


def _extra(name: str, kind: str, field: Mapping[str, Any]) -> dict[str, Any]:
    if kind == "number" and "synth:decimals" in field:
        if type(field["synth:decimals"]) is not int:
            _refuse(f"Column '{name}': 'synth:decimals' must be a whole number.")
        return {"decimals": field["synth:decimals"]}
    if kind not in ("date", "datetime"):
        return {}
    pattern = field.get("format", "default")
    if not isinstance(pattern, str) or pattern == "any":
        _refuse(f"Column '{name}': 'format' must be one date pattern such as %d.%m.%Y.")
    return {"time": kind == "datetime", "format": "" if pattern == "default" else pattern}


def _field(column: Column) -> dict[str, Any]:
    field = {"name": column.name, **_typed_field(column)}
    field["constraints"]["required"] = not column.missing
    if column.outside is not None:
        field["synth:outside"] = column.outside.value
    if column.description:
        field["description"] = column.description
    return field


def _typed_field(column: Column) -> dict[str, Any]:
    match column:
        case Categorical():
            return {"type": "string", "constraints": {"enum": list(column.categories)}}
        case Boolean():
            spellings = {
                "trueValues": list(column.true_values),
                "falseValues": list(column.false_values),
            }
            return {"type": "boolean", **spellings, "constraints": {}}
        case Binned():
            return _binned_field(column)
    raise TypeError(column.kind)


def _binned_field(column: Binned) -> dict[str, Any]:
    kind = "datetime" if isinstance(column, Date) and column.time else column.kind
    field: dict[str, Any] = {"type": kind}
    if isinstance(column, Date):
        field["format"] = column.format or "default"
    field["constraints"] = {"minimum": column.minimum, "maximum": column.maximum}
    if column.edges:
        field["synth:edges"] = list(column.edges)
    else:
        field["synth:bins"] = column.bin_count
    if isinstance(column, Number) and column.decimals is not None:
        field["synth:decimals"] = column.decimals
    return field


def _outside(name: str, word: Any) -> Outside | None:
    if word is None:
        return None
    if not isinstance(word, str) or word not in OUTSIDE_WORDS:
        known = ", ".join(rule.value for rule in Outside)
        _refuse(f"Column '{name}': 'synth:outside' is {_shown(word)}; expected one of {known}.")
    return OUTSIDE_WORDS[word]


def _boolean(name: str, constraints: Mapping[str, Any], key: str) -> bool:
    value = constraints.get(key, False)
    if not isinstance(value, bool):
        _refuse(f"Column '{name}': '{key}' must be true or false.")
    return value


def _texts(name: str, holder: Mapping[str, Any], key: str) -> tuple[str, ...]:
    values = holder[key]
    if not isinstance(values, list):
        _refuse(f"Column '{name}': '{key}' must be a list.")
    if any(isinstance(v, bool | list | dict) or v is None for v in values):
        _refuse(f"Column '{name}': '{key}' must hold texts or numbers.")
    return tuple(str(v).strip() for v in values)


def _spellings(name: str, field: Mapping[str, Any]) -> dict[str, Any]:
    keys = {"trueValues": "true_values", "falseValues": "false_values"}
    return {ours: _texts(name, field, key) for key, ours in keys.items() if key in field}


def _bounds(name: str, values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not values:
        _refuse(f"Column '{name}': 'synth:edges' must be a list of values.")
    if not all(isinstance(v, str | int) and not isinstance(v, bool) for v in values):
        _refuse(f"Column '{name}': bounds and edges must be numbers or dates.")
    return tuple(str(v) for v in values)


def _shown(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str | int) else "not a text"


def _refuse(message: str) -> NoReturn:
    raise DomainError(message)
