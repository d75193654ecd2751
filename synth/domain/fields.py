"""One column read from a field of a Table Schema.

The standard's keys, and a few of our own:

==================== ======================================================================
``synth:bins``       number of bins of an integer, number, date or datetime field
``synth:edges``      the bin edges instead, ascending, from the minimum to the maximum
``synth:period``     or bins by the calendar: ``day``, ``week``, ``month``, ``quarter``,
                     ``year``
``synth:zone``       the zone of dates whose texts have offsets: ``UTC``, ``+02:00``
``synth:also``       patterns of further forms in which some dates are written
``synth:pivot``      the first of the hundred years that two digits of a year mean
``synth:spikes``     values with a cell of their own, or objects with a ``value`` and a
                     ``label``
``synth:signs``      texts that are no values, such as ``<5``, with a cell of their own, in
                     the same form
``synth:labels``     labels of values without a cell of their own, as such objects
``synth:open_list``  whether a list may lack values, as its code book only labels them
``synth:outside``    what happens to values outside: ``cell``, ``nearest``, ``missing``,
                     ``drop``
``synth:decimals``   digits after the point of synthetic numbers
``synth:derived``    the rule that a column follows by (`synth.domain.derived`)
``synth:identifier`` the pattern of IDs (`synth.domain.identifiers`)
==================== ======================================================================

The standard's ``missingValues`` of a field count for its column in place of those of the
schema. Each may be an object with a ``value`` and a ``label``.

>>> column = read_field(
...     {
...         "name": "hours",
...         "type": "integer",
...         "synth:spikes": [40],
...         "synth:edges": [0, 35, 99],
...         "constraints": {"required": True},
...     },
...     1,
... )
>>> column.cells
('0 to 34', '35 to 39', '40', '41 to 99')
>>> column.write_field()["synth:spikes"]
['40']
>>> COLUMN_KINDS["date and time"], kind_of({"name": "age", "type": "year"})
(<class 'synth.domain.dates.Date'>, <class 'synth.domain.numbers.Integer'>)
"""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from synth import limits
from synth.domain.clocks import Duration, TimeOfDay
from synth.domain.column import Column, Outside, refuse_long
from synth.domain.dates import Date
from synth.domain.field_values import (
    Arguments,
    Field,
    boolean,
    constraints,
    quote_value,
    read_spellings,
    word,
)
from synth.domain.listed import Boolean, Categorical
from synth.domain.numbers import Integer, Number
from synth.errors import DomainError
from synth.util import Json

# Kinds by the name people choose; dates have two names.
# The order is that of screens, and of the search for a field's kind. To add a kind, write its
# class in a module and add a line here.
COLUMN_KINDS: dict[str, type[Column]] = {
    name: kind
    for kind in (Categorical, Boolean, Integer, Number, Date, TimeOfDay, Duration)
    for name in kind.types
}


def kind_of(field: Field) -> type[Column] | None:
    """Return the kind of a field by its type and constraints; None if no kind has it."""
    return next((kind for kind in COLUMN_KINDS.values() if kind.declared_by(field)), None)


def name_kind(field: Field) -> str | None:
    """Return the name of a field's kind that people choose; None if it has no type.

    The field may still lack its bounds or its list of categories. A type without a name of
    its own gets the first name of its kind, or of all kinds.

    >>> name_kind({"name": "day", "type": "datetime"}), name_kind({"name": "age"})
    ('date and time', None)
    """
    if "type" not in field:
        return None
    kind = kind_of(field)
    # The type of each name: of the field's kind, or of all kinds if it has none.
    types = {
        name: column_kind.types[name]
        for name, column_kind in COLUMN_KINDS.items()
        if kind is None or kind is column_kind
    }
    for name, type_name in types.items():
        if type_name == field["type"]:
            return name
    return next(iter(types))


OUTSIDE_WORDS = {rule.value: rule for rule in Outside} | {
    "own cell": Outside.CELL,
    "nearest bound": Outside.NEAREST,
    "drop the row": Outside.DROP,
}
# Keys of our own that fields of all kinds may have.
OURS = {
    f"synth:{key}"
    for key in "bins edges spikes labels signs outside cells derived identifier".split()
}
STANDARD = set(
    "name type format title description example constraints categories categoriesOrdered "
    "missingValues rdfType trueValues falseValues decimalChar groupChar bareNumber itemType "
    "delimiter".split()
)
CONSTRAINTS = set(
    "required unique minimum maximum exclusiveMinimum exclusiveMaximum jsonSchema pattern "
    "enum minLength maxLength".split()
)
# Standard keys about reading cells, which the step Data sets for the whole table.
UNUSED = {"decimalChar", "groupChar", "bareNumber", "itemType", "delimiter"}
USED_CONSTRAINTS = {"required", "minimum", "maximum", "enum"}
# From this similarity on (difflib's, 1 if equal), an unknown key counts as misspelled.
MISSPELLED = 0.8


def read_field(field: Json, position: int) -> Column:
    """Return the column that a Table Schema field declares.

    Args:
        field: The field, a JSON object.
        position: Its position in the schema from 1, for messages about fields without a name.

    Raises:
        DomainError: It is wrong or incomplete.
    """
    name, checked = _check_form(field, position)
    rule_word = word(
        name,
        checked,
        "synth:outside",
        words=OUTSIDE_WORDS,
        expected_words=[rule.value for rule in Outside],
    )
    shared: Arguments = {
        "name": name,
        "missing": not boolean(name, constraints(checked), "required"),
        "outside": OUTSIDE_WORDS[rule_word] if rule_word else None,
        "description": str(checked.get("description", "")),
    }
    if "missingValues" in checked:
        spellings, labels = read_spellings(checked["missingValues"], f"Column '{name}': ")
        shared |= {"missing_values": spellings, "missing_meanings": labels}
    kind = kind_of(checked)
    if kind is not None:
        if checked.get("synth:signs") and "signs" not in kind.asks:
            raise DomainError(
                f"Column '{name}' ({kind.kind}) has 'synth:signs', which are for numbers and "
                "dates; list them as values."
            )
        return kind(**shared, **kind.read_field(name, checked))
    type_name = checked.get("type", "string")
    if type_name == "string":
        raise DomainError(
            f"Column '{name}' is text without a list of categories (constraints.enum)."
        )
    # Each type once, in order.
    types = dict.fromkeys(kind.types[name] for name, kind in COLUMN_KINDS.items())
    *others, last = ("string with an enum" if text == "string" else text for text in types)
    raise DomainError(
        f"Column '{name}' has the type {quote_value(type_name)}; expected "
        f"{', '.join(others)} or {last}."
    )


def list_unused_keys(field: Field) -> list[str]:
    """List the keys of a field and of its constraints that are not used."""
    keys = [key for key in field if key in UNUSED or key not in STANDARD | _our_keys()]
    return keys + [key for key in constraints(field) if key not in USED_CONSTRAINTS]


def check_keys(where: str, keys: Iterable[str], expected_keys: Iterable[str]) -> None:
    """Refuse a key that looks like a misspelled one.

    Other unknown keys are allowed, as other tools may use them.

    Args:
        where: What has the keys, in words; the message begins with it.
        keys: The keys to check.
        expected_keys: All known keys.

    Raises:
        DomainError: It names the key, and the known one that it resembles.
    """
    expected_keys = sorted(expected_keys)
    for key in keys:
        if key in expected_keys:
            continue
        similar = get_close_matches(key, expected_keys, 1, MISSPELLED)
        if similar:
            raise DomainError(f"{where}: unknown key '{key}'; expected '{similar[0]}'.")


def _check_form(field: Json, position: int) -> tuple[str, Field]:
    """Return a field's name, without blanks around it, and the unchanged field.

    Args:
        field: What stands in the list of fields.
        position: The position of the field in the schema from 1, for messages.

    Raises:
        DomainError: It is no object, has no name or too many keys, or has a misspelled key or
            an unknown one that begins with ``synth:``.
    """
    if not isinstance(field, Mapping):
        raise DomainError(f"Field {position} must be a JSON object.")
    name = field.get("name")
    if not isinstance(name, str) or not name.strip():
        raise DomainError(f"Field {position} has no name.")
    name = name.strip()
    refuse_long(f"The name of column {position}", [name], limits.NAME_LENGTH)
    constraint_entries = field.get("constraints", {})
    if not isinstance(constraint_entries, Mapping):
        raise DomainError(f"Column '{name}': 'constraints' must be a JSON object.")
    if max(len(field), len(constraint_entries)) > limits.MAX_KEYS:
        raise DomainError(
            f"Column '{name}' has over {limits.MAX_KEYS} keys; the limit is "
            f"{limits.MAX_KEYS}."
        )
    check_keys(f"Column '{name}'", field, STANDARD | _our_keys())
    check_keys(f"Column '{name}'", constraint_entries, CONSTRAINTS)
    refuse_unknown(name, field)
    return name, field


def refuse_unknown(name: str, field: Field) -> None:
    """Refuse a field with an unknown key that begins with ``synth:``.

    A newer version may have written the key, and it may change the meaning of the column.

    Args:
        name: The column's name, for the message.
        field: The Table Schema field.

    Raises:
        DomainError: It names the key.
    """
    unknown = {key for key in field if key.startswith("synth:")} - _our_keys()
    if unknown:
        # Synth itself writes the number of cells, which nobody declares.
        expected = ", ".join(sorted(_our_keys() - {"synth:cells"}))
        raise DomainError(
            f"Column '{name}': unknown key '{min(unknown)}'; expected one of {expected}."
        )


def _our_keys() -> set[str]:
    return OURS.union(*(kind.keys for kind in COLUMN_KINDS.values()))
