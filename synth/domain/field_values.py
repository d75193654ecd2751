"""Values of a Table Schema field, checked and read in one way.

>>> read_codes("sex", [{"value": 1, "label": "male"}, "2"], "categories")
(('1', '2'), {'1': 'male'})
"""

from collections.abc import Iterable, Mapping
from typing import Any, NoReturn, TypeAlias

from synth.errors import DomainError
from synth.util import Json

# A field of a Table Schema, or its constraints.
Field: TypeAlias = Mapping[str, Json]

# Attributes of a column by name, of many types.
Arguments: TypeAlias = dict[str, Any]


def constraints(field: Field) -> Field:
    """Return the constraints of a field; empty if they are no object."""
    declared = field.get("constraints", {})
    return declared if isinstance(declared, Mapping) else {}


def read_texts(name: str, holder: Field, key: str) -> tuple[str, ...]:
    """Read a list of texts or numbers; DomainError if it is something else."""
    values = holder[key]
    if not isinstance(values, list | tuple):
        refuse_field(f"Column '{name}': '{key}' must be a list.")
    if any(isinstance(v, bool | list | dict) or v is None for v in values):
        refuse_field(f"Column '{name}': '{key}' must hold texts or numbers.")
    return tuple(str(v).strip() for v in values)


def boolean(name: str, holder: Field, key: str) -> bool:
    """Read true or false, false if absent; DomainError if it is something else."""
    value = holder.get(key, False)
    if not isinstance(value, bool):
        refuse_field(f"Column '{name}': '{key}' must be true or false.")
    return value


def read_codes(name: str, items: Json, key: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Read codes, and labels of those that are objects with a value and a label.

    Raises:
        DomainError: It is something else.
    """
    if not isinstance(items, list | tuple):
        refuse_field(f"Column '{name}': '{key}' must be a list.")
    codes: list[str] = []
    meanings: dict[str, str] = {}
    for item in items:
        value = item.get("value") if isinstance(item, Mapping) else item
        label = item.get("label", "") if isinstance(item, Mapping) else ""
        if (
            isinstance(value, bool | list | Mapping)
            or value is None
            or not isinstance(label, str)
        ):
            refuse_field(
                f"Column '{name}': '{key}' must hold texts or numbers, or objects with a "
                "'value' and a 'label'."
            )
        codes.append(str(value).strip())
        if label.strip():
            meanings[codes[-1]] = label.strip()
    return tuple(codes), meanings


def label_codes(
    codes: Iterable[str | int | float], meanings: Mapping[str, str]
) -> list[Json]:
    """Return codes as a list of a field: objects with a label for a code with a meaning."""
    return [
        {"value": code, "label": meanings[str(code)]} if str(code) in meanings else code
        for code in codes
    ]


def bounds(name: str, values: Json) -> tuple[str, ...]:
    """Read bounds or edges as texts; DomainError unless a list of texts and whole numbers."""
    if not isinstance(values, list | tuple) or not values:
        refuse_field(f"Column '{name}': 'synth:edges' must be a list of values.")
    if not all(isinstance(v, str | int) and not isinstance(v, bool) for v in values):
        refuse_field(f"Column '{name}': bounds and edges must be numbers or dates.")
    return tuple(str(v) for v in values)


def word(
    name: str, field: Field, key: str, *, words: Iterable[str], expected_words: Iterable[str]
) -> str:
    """Read one of some words, empty if absent; the refusal names the expected words."""
    value = field.get(key)
    if value is None:
        return ""
    if not isinstance(value, str) or value not in words:
        word_list = ", ".join(expected_words)
        refuse_field(
            f"Column '{name}': '{key}' is {shown(value)}; expected one of {word_list}."
        )
    return value


def shown(value: Json) -> str:
    """Return a value as a message quotes it."""
    return f"'{value}'" if isinstance(value, str | int) else "not a text"


def refuse_field(message: str) -> NoReturn:
    """Raise DomainError with a message."""
    raise DomainError(message)
