"""Dataclasses as JSON objects: written, and read back strictly. PUBLIC.

The type hint of a field decides. A field made by `omitted` is left out if it has its
default.

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
from dataclasses import Field, field, fields, is_dataclass
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
from synth.util import Json

Kind = TypeVar("Kind")

DEFAULT_OMITTED: Mapping[str, object] = {"left out": True}


class WrongFormError(ValueError):
    """The content does not have the form of the dataclass; the message says where."""


def omitted(default: Any) -> Any:
    """Return a field of a dataclass that is left out if it has its default."""
    return field(default=default, metadata=DEFAULT_OMITTED)


def says(description: str = "", **keywords: Json) -> tuple[tuple[str, Json], ...]:
    return (*keywords.items(), *([("description", description)] if description else []))


def may_lack(one: Field[object]) -> bool:
    return one.metadata == DEFAULT_OMITTED


@cache
def hints(kind: type) -> Mapping[str, object]:
    return _hints(kind, include_extras=True)


def write(value: object) -> Json:
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
    if not is_dataclass(value):
        return cast("Json", value)
    held = ((one, getattr(value, one.name)) for one in fields(value))
    return {one.name: write(p) for one, p in held if not may_lack(one) or p != one.default}


def read_typed(kind: type[Kind], content: object) -> Kind:
    """Read the dataclass that `write` wrote; WrongFormError for any other content or
    spelling.
    """
    return cast("Kind", _read(kind, content, ""))


def _read(hint: object, content: object, place: str) -> object:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _read(parts[0], content, place)
    if origin in (Union, UnionType):
        for part in parts:
            try:
                return _read(part, content, place)
            except WrongFormError:
                pass
        return _wrong(place)
    if origin is Literal:
        return content if content in parts else _wrong(place)
    if origin is tuple and isinstance(content, list):
        return tuple(_read(parts[0], part, f"{place}.{i}") for i, part in enumerate(content))
    if origin is Mapping and isinstance(content, dict):
        return {
            name: _read(parts[1], part, f"{place}.{name}") for name, part in content.items()
        }
    if isinstance(hint, type) and is_dataclass(hint) and hint not in (Guarantee, Mechanism):
        known = {one.name: one for one in fields(hint)}
        if not isinstance(content, dict) or content.keys() - known.keys():
            return _wrong(place)
        if {name for name, one in known.items() if not may_lack(one)} - content.keys():
            return _wrong(place)
        inside = {name: f"{place}.{name}".removeprefix(".") for name in content}
        return hint(
            **{n: _read(hints(hint)[n], part, inside[n]) for n, part in content.items()}
        )
    # An exact number is read only in its written form.
    if hint is float and type(content) in (int, float):
        return content
    if hint is object:  # any JSON
        return content
    if hint in (str, int, bool, type(None)):
        return content if type(content) is hint else _wrong(place)
    try:
        found = _exact(hint, content)
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        _wrong(place)
    return found if write(found) == content else _wrong(place)


def _exact(hint: object, content: object) -> object:
    if hint is Fraction:
        return Fraction(cast("str", content))
    if hint in (Guarantee, Mechanism):
        return (from_terms if hint is Guarantee else mechanism_of)(
            cast("dict[str, str]", content)
        )
    return cast("type[Enum]", hint)(content)


def _wrong(place: str) -> NoReturn:
    raise WrongFormError(place)
