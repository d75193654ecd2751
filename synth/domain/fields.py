"""One column as a field of a Table Schema, read and written.

The standard's keys, and a few of our own:

=================== =========================================================================
``synth:bins``      number of bins of an integer, number, date or datetime field
``synth:edges``     the bin edges instead, ascending, from the minimum to the maximum
``synth:period``    or bins by the calendar: ``day``, ``week``, ``month``, ``quarter``, ``year``
``synth:spikes``    values with a cell of their own, or objects with a ``value`` and a ``label``
``synth:outside``   what happens to values outside: ``cell``, ``nearest``, ``missing``, ``drop``
``synth:decimals``  digits after the point of synthetic numbers
=================== =========================================================================

>>> column = read_field({"name": "hours", "type": "integer", "synth:spikes": [40],
...     "synth:edges": [0, 35, 99], "constraints": {"required": True}}, 1)
>>> column.cells
('0 to 34', '35 to 39', '40', '41 to 99')
>>> write_field(column)["synth:spikes"]
['40']
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NoReturn

from synth import limits
from synth.domain.column import refuse_long
from synth.domain.domain import (
    Binned,
    Boolean,
    Categorical,
    Column,
    Date,
    Integer,
    Number,
    Outside,
    Period,
)
from synth.errors import DomainError

OUTSIDE_WORDS = {rule.value: rule for rule in Outside} | {
    "own cell": Outside.CELL,
    "nearest bound": Outside.NEAREST,
    "drop the row": Outside.DROP,
}
OURS = {f"synth:{key}" for key in "bins edges period spikes outside decimals cells".split()}
STANDARD = set(
    "name type format title description example constraints categories categoriesOrdered "
    "missingValues rdfType trueValues falseValues decimalChar groupChar bareNumber itemType "
    "delimiter".split()
)
CONSTRAINTS = set(
    "required unique minimum maximum exclusiveMinimum exclusiveMaximum jsonSchema pattern enum "
    "minLength maxLength".split()
)
UNUSED = {"missingValues", "decimalChar", "groupChar", "bareNumber", "itemType", "delimiter"}
"""Standard keys that tell how to read a cell, which the step Data does for the whole table."""
USED_CONSTRAINTS = {"required", "minimum", "maximum", "enum"}
BINNED: dict[str, type[Integer | Number | Date]] = {
    "integer": Integer,
    "number": Number,
    "date": Date,
    "datetime": Date,
    "year": Integer,
}
LISTED = ("string", "integer", "number", "any", "year")


def read_field(field: Any, position: int) -> Column:
    """The column that a field declares.

    Args:
        field: The parsed JSON object.
        position: Its place in the schema from 1, for messages about fields without a name.

    Raises:
        DomainError: What it declares is wrong or incomplete.
    """
    name, constraints = _frame(field, position)
    kind = field.get("type", "string")
    shared: dict[str, Any] = {
        "name": name,
        "missing": not _boolean(name, constraints, "required"),
        "outside": _outside(name, field.get("synth:outside")),
        "description": str(field.get("description", "")),
    }
    if kind in LISTED and ("enum" in constraints or "categories" in field):
        return Categorical(**shared, **_categories(name, field, constraints))
    if kind == "boolean":
        return Boolean(**shared, **_spellings(name, field))
    if isinstance(kind, str) and kind in BINNED:
        return BINNED[kind](**shared, **_binned(name, kind, field, constraints))
    if kind == "string":
        _refuse(f"Column '{name}' is text without a list of categories (constraints.enum).")
    _refuse(
        f"Column '{name}' has the type {_shown(kind)}; expected string with an enum, boolean, "
        "integer, number, date or datetime."
    )


def write_field(column: Column) -> dict[str, Any]:
    """The field that declares a column; `read_field` gives back an equal one."""
    field = {"name": column.name, **_typed(column)}
    field["constraints"]["required"] = not column.missing
    if column.outside is not None:
        field["synth:outside"] = column.outside.value
    if column.description:
        field["description"] = column.description
    return field


def unused(field: Mapping[str, Any]) -> list[str]:
    """Keys of a field that say something and that no release looks at."""
    constraints = field.get("constraints", {})
    found = [key for key in field if key in UNUSED or key not in STANDARD | OURS]
    return found + [key for key in constraints if key not in USED_CONSTRAINTS]


def check_keys(where: str, keys: Iterable[str], known: Iterable[str]) -> None:
    """Refuse a key that looks like a misspelled one.

    Raises:
        DomainError: With the key and the one that was expected.
    """
    known = sorted(known)
    for key in keys:
        meant = get_close_matches(key, known, 1, 0.8)
        if key not in known and meant:
            _refuse(f"{where}: unknown key '{key}'; expected '{meant[0]}'.")


def _frame(field: Any, position: int) -> tuple[str, Mapping[str, Any]]:
    """Name and constraints of a field whose keys are all as they should be."""
    if not isinstance(field, Mapping):
        _refuse(f"Field {position} must be a JSON object.")
    name = field.get("name")
    if not isinstance(name, str) or not name.strip():
        _refuse(f"Field {position} has no name.")
    name = name.strip()
    refuse_long(f"The name of column {position}", [name], limits.NAME_LENGTH)
    constraints = field.get("constraints", {})
    if not isinstance(constraints, Mapping):
        _refuse(f"Column '{name}': 'constraints' must be a JSON object.")
    if max(len(field), len(constraints)) > limits.KEYS:
        _refuse(f"Column '{name}' has over {limits.KEYS} keys; the limit is {limits.KEYS}.")
    check_keys(f"Column '{name}'", field, STANDARD | OURS)
    check_keys(f"Column '{name}'", constraints, CONSTRAINTS)
    unknown = {key for key in field if key.startswith("synth:")} - OURS
    if unknown:
        expected = ", ".join(sorted(OURS - {"synth:cells"}))
        _refuse(f"Column '{name}': unknown key '{min(unknown)}'; expected one of {expected}.")
    return name, constraints


def _categories(
    name: str, field: Mapping[str, Any], constraints: Mapping[str, Any]
) -> dict[str, Any]:
    codes, meanings = _coded(name, field.get("categories", []), "categories")
    if "enum" in constraints:
        codes = _texts(name, constraints, "enum")
    ordered = _boolean(name, field, "categoriesOrdered")
    kept = {code: meanings[code] for code in codes if code in meanings}
    return {"categories": codes, "ordered": ordered, "meanings": kept}


def _coded(name: str, items: Any, key: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Codes, and what they stand for where an item is an object with a value and a label."""
    if not isinstance(items, list):
        _refuse(f"Column '{name}': '{key}' must be a list.")
    codes, meanings = [], {}
    for item in items:
        value, label = item, ""
        if isinstance(item, Mapping):
            value, label = item.get("value"), item.get("label", "")
        if isinstance(value, bool | list | Mapping) or value is None or not isinstance(label, str):
            _refuse(
                f"Column '{name}': '{key}' must hold texts or numbers, or objects with a 'value' "
                "and a 'label'."
            )
        codes.append(str(value).strip())
        if label.strip():
            meanings[codes[-1]] = label.strip()
    return tuple(codes), meanings


def _binned(
    name: str, kind: str, field: Mapping[str, Any], constraints: Mapping[str, Any]
) -> dict[str, Any]:
    edges = _bounds(name, field["synth:edges"]) if "synth:edges" in field else ()
    bins = field.get("synth:bins")
    if bins is not None and type(bins) is not int:
        _refuse(f"Column '{name}': 'synth:bins' must be a whole number.")
    given_cuts = [key for key in ("synth:bins", "synth:edges", "synth:period") if field.get(key)]
    if len(given_cuts) > 1:
        _refuse(f"Column '{name}' declares both '{given_cuts[0]}' and '{given_cuts[1]}'; keep one.")
    spikes, meanings = _coded(name, field.get("synth:spikes", []), "synth:spikes")
    given: dict[str, Any] = {"bins": bins, "edges": edges, "spikes": spikes, "meanings": meanings}
    if edges:
        given |= {"minimum": edges[0], "maximum": edges[-1]}
    for end in ("minimum", "maximum"):
        if end in constraints:
            given[end] = _bounds(name, [constraints[end]])[0]
        elif end not in given:
            _refuse(f"Column '{name}' ({kind}) declares no {end}.")
    return given | _extra(name, kind, field)


def _extra(name: str, kind: str, field: Mapping[str, Any]) -> dict[str, Any]:
    if kind not in ("date", "datetime") and "synth:period" in field:
        _refuse(f"Column '{name}' ({kind}) has 'synth:period', which is for dates only.")
    if kind == "number" and "synth:decimals" in field:
        if type(field["synth:decimals"]) is not int:
            _refuse(f"Column '{name}': 'synth:decimals' must be a whole number.")
        return {"decimals": field["synth:decimals"]}
    if kind not in ("date", "datetime"):
        return {}
    pattern = field.get("format", "default")
    if not isinstance(pattern, str) or pattern == "any":
        _refuse(f"Column '{name}': 'format' must be one date pattern such as %d.%m.%Y.")
    return {
        "time": kind == "datetime",
        "format": "" if pattern == "default" else pattern,
        "period": _period(name, field.get("synth:period")),
    }


def _period(name: str, word: Any) -> Period | None:
    if word is None:
        return None
    if word not in [period.value for period in Period]:
        known = ", ".join(period.value for period in Period)
        _refuse(f"Column '{name}': 'synth:period' is {_shown(word)}; expected one of {known}.")
    return Period(word)


def _typed(column: Column) -> dict[str, Any]:
    match column:
        case Categorical():
            return _listed_field(column)
        case Boolean():
            spellings = {
                "trueValues": list(column.true_values),
                "falseValues": list(column.false_values),
            }
            return {"type": "boolean", **spellings, "constraints": {}}
        case Binned():
            return _binned_field(column)
    raise TypeError(column.kind)


def _listed_field(column: Categorical) -> dict[str, Any]:
    field: dict[str, Any] = {"type": "string"}
    if column.meanings:
        field["categories"] = _labeled(column.categories, column.meanings)
    if column.ordered:
        field["categoriesOrdered"] = True
    return {**field, "constraints": {"enum": list(column.categories)}}


def _labeled(codes: Iterable[Any], meanings: Mapping[str, str]) -> list[Any]:
    """Codes, those with a meaning as objects."""
    return [{"value": c, "label": meanings[c]} if c in meanings else c for c in codes]


def _binned_field(column: Binned) -> dict[str, Any]:
    kind = "datetime" if isinstance(column, Date) and column.time else column.kind
    field: dict[str, Any] = {"type": kind}
    if isinstance(column, Date):
        field["format"] = column.format or "default"
    field["constraints"] = {"minimum": column.minimum, "maximum": column.maximum}
    if isinstance(column, Date) and column.period:
        field["synth:period"] = column.period.value
    elif column.edges:
        field["synth:edges"] = list(column.edges)
    else:
        field["synth:bins"] = column.bin_count
    if column.spikes:
        field["synth:spikes"] = _labeled(column.spikes, column.meanings)
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


def _boolean(name: str, holder: Mapping[str, Any], key: str) -> bool:
    value = holder.get(key, False)
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
