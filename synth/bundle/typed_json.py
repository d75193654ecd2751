"""Dataclasses as JSON objects: written, and read back strictly. PUBLIC.

The type hint of a field decides. A field made by `synth.util.omitted` is left out if it has
its default.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Share:
...     name: str
...     part: Fraction
>>> write(Share("a", Fraction(1, 3)))
{'name': 'a', 'part': '1/3'}
>>> read_typed(Share, {"name": "a", "part": "2/6"})
Traceback (most recent call last):
synth.bundle.typed_json.WrongFormError: part
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NoReturn,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)
from typing import get_type_hints as _hints

from synth.noise import Mechanism, mechanism_of
from synth.privacy import Guarantee, from_terms, terms
from synth.util import Json, may_lack

Kind = TypeVar("Kind")


class WrongFormError(ValueError):
    """The content does not have the form of the dataclass; the message says where."""


def says(description: str = "", **keywords: Json) -> tuple[tuple[str, Json], ...]:
    """Return keywords of JSON Schema for a field, as names and values.

    They are the notes of an `Annotated` type hint.

    Args:
        description: The keyword ``description``; empty for none.
        keywords: Other keywords.
    """
    if not description:
        return tuple(keywords.items())
    return (*keywords.items(), ("description", description))


@cache
def hints(kind: type) -> Mapping[str, object]:
    """Return the type hints of a dataclass by field, with their notes."""
    return _hints(kind, include_extras=True)


def write(value: object) -> Json:
    """Return a value as JSON.

    A dataclass becomes an object of its fields, a cost or a mechanism an object of its
    parameters, a fraction or a choice a text, and a tuple a list.
    """
    match value:
        case Guarantee():
            return terms(value)
        case Mechanism():
            return dict[str, Json](value.describe())
        case Fraction():
            return str(value)
        case Enum():
            return cast("str", value.value)
        case tuple():
            return [write(part) for part in value]
        case Mapping():
            return {str(name): write(part) for name, part in value.items()}
    if not is_dataclass(value):  # text, number, true, false or null
        return cast("Json", value)
    content: dict[str, Json] = {}
    for part in fields(value):
        part_value = getattr(value, part.name)
        if not may_lack(part) or part_value != part.default:
            content[part.name] = write(part_value)
    return content


def read_typed(kind: type[Kind], content: object) -> Kind:
    """Read the dataclass that `write` wrote.

    Args:
        kind: The dataclass.
        content: The JSON value.

    Raises:
        WrongFormError: It is other content, or has another spelling.
    """
    return cast("Kind", _read(kind, content, ""))


def _read(hint: object, content: object, place: str) -> object:
    """Return the value of this type that JSON content stands for.

    Args:
        hint: The type.
        content: The JSON value.
        place: The steps from the whole document to the content, with points between them.

    Raises:
        WrongFormError: The content does not have this type.
    """
    if get_origin(hint) is not None:
        return _read_generic(hint, content, place)
    if isinstance(hint, type) and is_dataclass(hint) and hint not in (Guarantee, Mechanism):
        return _read_dataclass(hint, content, place)
    # Exact classes are compared, as True is an instance of int.
    if hint is float and type(content) in (int, float):
        return content
    # Any JSON.
    if hint is object:
        return content
    if hint in (str, int, bool, type(None)):
        return content if type(content) is hint else _refuse(place)
    return _read_exact(hint, content, place)


def _read_generic(hint: object, content: object, place: str) -> object:
    """Return the value of a union, a literal, a tuple or a mapping.

    The arguments are those of `_read`. Of a union, the first type that fits is taken.

    Raises:
        WrongFormError: The content does not have this type.
    """
    origin = get_origin(hint)
    arguments = get_args(hint)
    if origin is Annotated:
        return _read(arguments[0], content, place)
    if origin in (Union, UnionType):
        for choice in arguments:
            try:
                return _read(choice, content, place)
            except WrongFormError:
                pass  # the next type of the union may fit
        return _refuse(place)
    if origin is Literal:
        return content if content in arguments else _refuse(place)
    if origin is tuple and isinstance(content, list):
        return tuple(
            _read(arguments[0], part, f"{place}.{number}")
            for number, part in enumerate(content)
        )
    if origin is Mapping and isinstance(content, dict):
        return {
            name: _read(arguments[1], part, f"{place}.{name}")
            for name, part in content.items()
        }
    return _refuse(place)


def _read_dataclass(hint: Any, content: object, place: str) -> object:
    """Return a dataclass, if the content is an object of its fields and no others (`_read`).

    Fields that are left out if they have their default may be missing.
    """
    parts = {part.name: part for part in fields(hint)}
    if not isinstance(content, dict) or content.keys() - parts.keys():
        return _refuse(place)
    required = {name for name, part in parts.items() if not may_lack(part)}
    if required - content.keys():
        return _refuse(place)
    values = {
        name: _read(hints(hint)[name], part, f"{place}.{name}".removeprefix("."))
        for name, part in content.items()
    }
    return hint(**values)


def _read_exact(hint: object, content: object, place: str) -> object:
    """Return a fraction, a cost, a mechanism or a choice, if spelled as `write` does.

    The arguments are those of `_read`. Other spellings, such as 2/6 for 1/3, are refused, so
    that equal values have equal bytes.
    """
    try:
        value = _parse(hint, content)
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        _refuse(place)
    return value if write(value) == content else _refuse(place)


def _parse(hint: object, content: object) -> object:
    """Return a fraction, a cost, a mechanism or a choice, however it is spelled.

    Raises an error of Python's own if the content stands for no such value.
    """
    if hint is Fraction:
        return Fraction(cast("str", content))
    if hint is Guarantee:
        return from_terms(cast("dict[str, str]", content))
    if hint is Mechanism:
        return mechanism_of(cast("dict[str, str]", content))
    return cast("type[Enum]", hint)(content)


def _refuse(place: str) -> NoReturn:
    """Raise a `WrongFormError` about a place of the document."""
    raise WrongFormError(place)
