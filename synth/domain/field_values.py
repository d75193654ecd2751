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
    """Return the list of texts or numbers under a key, as texts without blanks around them.

    Args:
        name: The column's name, for messages.
        holder: The field or its constraints.
        key: A key that it has.

    Raises:
        DomainError: The value is no list, or holds something else.
    """
    values = holder[key]
    if not isinstance(values, list | tuple):
        refuse_field(f"Column '{name}': '{key}' must be a list.")
    if any(isinstance(value, bool | list | dict) or value is None for value in values):
        refuse_field(f"Column '{name}': '{key}' must hold texts or numbers.")
    return tuple(str(value).strip() for value in values)


def boolean(name: str, holder: Field, key: str) -> bool:
    """Return the truth under a key of a column's field or constraints; false if absent.

    `name` is the column's name, for the DomainError if it is something else.
    """
    value = holder.get(key, False)
    if not isinstance(value, bool):
        refuse_field(f"Column '{name}': '{key}' must be true or false.")
    return value


def read_codes(name: str, items: Json, key: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the codes of a list as texts, and the labels of the ones that have one, by code.

    Args:
        name: The column's name, for messages.
        items: Texts and numbers, or objects with a value and a label.
        key: The key of the field under which the list stands, for messages.

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
    """Return codes as a field lists them: as an object with a label if there is a meaning.

    `meanings` holds the meaning of a code by its text.
    """
    return [
        {"value": code, "label": meanings[str(code)]} if str(code) in meanings else code
        for code in codes
    ]


def read_spellings(entries: Json, where: str = "") -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the spellings under a key ``missingValues``, each once, and their labels.

    Args:
        entries: Texts, or objects with a value and perhaps a label.
        where: What has the key, for messages, with a blank after it; empty for the schema.

    Raises:
        DomainError: It is something else.

    >>> read_spellings(["", {"value": "-9", "label": "refused"}])
    (('', '-9'), {'-9': 'refused'})
    """
    if not isinstance(entries, list | tuple):
        refuse_field(f"{where}'missingValues' must be a list of texts.")
    labels: dict[str, str] = {}  # a mapping keeps the order
    for entry in entries:
        spelling = entry.get("value") if isinstance(entry, Mapping) else entry
        label = entry.get("label", "") if isinstance(entry, Mapping) else ""
        if not isinstance(spelling, str):
            refuse_field(f"{where}'missingValues' must be a list of texts.")
        labels[spelling.strip()] = label.strip() if isinstance(label, str) else ""
    return tuple(labels), {spelling: label for spelling, label in labels.items() if label}


def bounds(name: str, values: Json) -> tuple[str, ...]:
    """Return bounds or edges of a column as texts.

    DomainError is raised unless they are a list of texts and whole numbers. JSON is read with
    fractions as texts, so that 0.1 means exactly one tenth.
    """
    if not isinstance(values, list | tuple) or not values:
        refuse_field(f"Column '{name}': 'synth:edges' must be a list of values.")
    if not all(
        isinstance(value, str | int) and not isinstance(value, bool) for value in values
    ):
        refuse_field(f"Column '{name}': bounds and edges must be numbers or dates.")
    return tuple(str(value) for value in values)


def word(
    name: str, field: Field, key: str, *, words: Iterable[str], expected_words: Iterable[str]
) -> str:
    """Return the word under a key of a column's field; empty if absent.

    Args:
        name: The column's name, for messages.
        field: The Table Schema field.
        key: The key.
        words: All words that are accepted.
        expected_words: Those that the message names.

    Raises:
        DomainError: It is something else than one of the words.
    """
    value = field.get(key)
    if value is None:
        return ""
    if not isinstance(value, str) or value not in words:
        word_list = ", ".join(expected_words)
        refuse_field(
            f"Column '{name}': '{key}' is {quote_value(value)}; expected one of {word_list}."
        )
    return value


def quote_value(value: Json) -> str:
    """Return a value as a message quotes it."""
    return f"'{value}'" if isinstance(value, str | int) else "not a text"


def refuse_field(message: str) -> NoReturn:
    """Raise DomainError with a message."""
    raise DomainError(message)
