"""Checks of public arguments, named by keyword, and the one reader of JSON.

>>> from synth.util.check import positive
>>> positive(scale=-1)
Traceback (most recent call last):
synth.errors.ArgumentError: scale must be above 0, but it is -1.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any, NoReturn

from synth import limits
from synth.errors import ArgumentError, SynthError, describe_value

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
Document = dict[str, Json]


def _is_number(value: object) -> bool:
    if isinstance(value, int | Fraction):  # first, as it is the usual case
        return not isinstance(value, bool)
    return isinstance(value, Real | Decimal) and math.isfinite(value)


def finite(**values: object) -> None:
    """Raise ArgumentError unless every value is a finite number."""
    for name, value in values.items():
        if not _is_number(value):
            raise ArgumentError(
                f"{name} must be a finite number, but it is {describe_value(value)}."
            )


def positive(**values: Any) -> None:
    """Raise ArgumentError unless every value is a finite number above 0."""
    finite(**values)
    for name, value in values.items():
        if not value > 0:
            raise ArgumentError(f"{name} must be above 0, but it is {value}.")


def in_range(low: Any, high: Any, /, **values: Any) -> None:
    """Raise ArgumentError unless ``low <= value <= high`` for every value."""
    finite(**values)
    for name, value in values.items():
        if not low <= value <= high:
            raise ArgumentError(
                f"{name} must be between {low} and {high}, but it is {value}."
            )


def check_whole(minimum: int, /, **values: Any) -> None:
    """Raise ArgumentError unless every value is a whole number of at least ``minimum``."""
    finite(**values)
    for name, value in values.items():
        if value != int(value) or value < minimum:
            raise ArgumentError(
                f"{name} must be a whole number of at least {minimum}, but it is {value}."
            )


def read_json(
    content: str | bytes,
    name: str,
    *,
    exact: bool = False,
    kind: type[SynthError] = ArgumentError,
) -> Any:
    """Read a JSON value by the standard: no name twice in an object, no NaN, no Infinity.

    Python's own reader keeps the last of two equal names in silence.

    Args:
        content: Bytes are UTF-8, with or without a byte order mark.
        name: The subject of the error's sentence.
        exact: Whether numbers with a fraction stay text, so that 0.1 means exactly one tenth.
        kind: The class of the error.

    Raises:
        SynthError: The text is no JSON, has a name twice, or is nested too deeply.

    >>> read_json('{"epsilon": "1", "epsilon": "2"}', "The plan")
    Traceback (most recent call last):
    synth.errors.ArgumentError: The plan says 'epsilon' twice; leave one.
    """

    def once(pairs: Sequence[tuple[str, Json]]) -> Document:
        names = [key for key, _ in pairs]
        if len({*names}) < len(names):
            twice = Counter(names).most_common(1)[0][0]
            refuse(f"says '{twice[:40]}' twice; leave one")
        return dict(pairs)

    def number(text: str) -> float:
        found = float(text)
        return found if math.isfinite(found) else refuse("holds a number beyond all bounds")

    def refuse(what: str) -> NoReturn:
        raise kind(f"{name} {what}.")

    try:
        value = json.loads(
            content if isinstance(content, str) else content.decode("utf-8-sig"),
            object_pairs_hook=once,
            parse_float=str if exact else number,
            parse_constant=lambda said: refuse(f"holds {said}, which is no number of JSON"),
        )
        return (
            value
            if depth_within(value, limits.JSON_DEPTH)
            else refuse("is nested too deeply")
        )
    except SynthError:
        raise
    except RecursionError:
        refuse("is nested too deeply")
    except ValueError as error:
        refuse(_describe_trouble(error))


def _describe_trouble(error: ValueError) -> str:
    # Without quoting the text.
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8 text"
    line = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
    return f"is not valid JSON{line}"


def depth_within(document: Json, most: int) -> bool:
    """Return whether objects and lists are nested at most this deep.

    >>> depth_within({"a": [1]}, 2), depth_within({"a": [[1]]}, 2)
    (True, False)
    """
    level: list[Json] = [document]
    for _ in range(most + 1):
        if not level:
            return True
        level = inside(level)
    return not level


def inside(parts: Iterable[Json]) -> list[Json]:
    """Return the content of the objects and lists among parts of a document."""
    holders = [part for part in parts if isinstance(part, dict | list)]
    held = (part.values() if isinstance(part, dict) else part for part in holders)
    return [item for items in held for item in items]
