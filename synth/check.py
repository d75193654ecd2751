"""Guards for public arguments, named by keyword.

>>> from synth.check import positive
>>> positive(scale=-1)
Traceback (most recent call last):
synth.errors.ArgumentError: scale must be above 0, but it is -1.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, SupportsFloat, TypeVar

from synth.errors import ArgumentError

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
"""A JSON value."""
Document = dict[str, Json]
"""A JSON object."""

T = TypeVar("T")


def _is_number(value: object) -> bool:
    if isinstance(value, int | Fraction):  # first, as a protocol takes a hundred times as long
        return not isinstance(value, bool)
    return isinstance(value, SupportsFloat) and math.isfinite(float(value))


def finite(**values: object) -> None:
    """Raise ArgumentError unless every value is a finite number."""
    for name, value in values.items():
        if not _is_number(value):
            message = f"{name} must be a finite number, but it is {value!r}."
            raise ArgumentError(message)


def positive(**values: Any) -> None:
    """Raise ArgumentError unless every value is a finite number above 0."""
    finite(**values)
    for name, value in values.items():
        if not value > 0:
            message = f"{name} must be above 0, but it is {value}."
            raise ArgumentError(message)


def in_range(low: Any, high: Any, /, **values: Any) -> None:
    """Raise ArgumentError unless ``low <= value <= high`` for every value."""
    finite(**values)
    for name, value in values.items():
        if not low <= value <= high:
            message = f"{name} must be between {low} and {high}, but it is {value}."
            raise ArgumentError(message)


def whole(minimum: int, /, **values: Any) -> None:
    """Raise ArgumentError unless every value is a whole number of at least ``minimum``."""
    finite(**values)
    for name, value in values.items():
        if value != int(value) or value < minimum:
            message = f"{name} must be a whole number of at least {minimum}, but it is {value}."
            raise ArgumentError(message)


def once(pairs: Sequence[tuple[str, T]]) -> dict[str, T]:
    """The members of a JSON object (an ``object_pairs_hook``), of which none may be said twice.

    Raises:
        ArgumentError: A member is; a parser that took the last in silence would hide the other.

    >>> once([("epsilon", "1"), ("epsilon", "2")])
    Traceback (most recent call last):
    synth.errors.ArgumentError: it says 'epsilon' twice; leave one.
    """
    content: dict[str, T] = {}
    for name, value in pairs:
        if name in content:
            message = f"it says '{name[:40]}' twice; leave one."
            raise ArgumentError(message)
        content[name] = value
    return content
