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
    """Return whether a value is a finite real number; True and False are none."""
    if isinstance(value, int | Fraction):  # first, as it is the usual case
        return not isinstance(value, bool)
    return isinstance(value, Real | Decimal) and math.isfinite(value)


def finite(**values: object) -> None:
    """Raise ArgumentError unless every value, named by its keyword, is a finite number."""
    for name, value in values.items():
        if not _is_number(value):
            raise ArgumentError(
                f"{name} must be a finite number, but it is {describe_value(value)}."
            )


def positive(**values: Any) -> None:
    """Raise ArgumentError unless every value, named by its keyword, is finite and above 0."""
    finite(**values)
    for name, value in values.items():
        if not value > 0:
            raise ArgumentError(f"{name} must be above 0, but it is {value}.")


def in_range(low: Any, high: Any, /, **values: Any) -> None:
    """Raise ArgumentError unless ``low <= value <= high`` for every value.

    Each value is passed by keyword, and the error calls it by that name.
    """
    finite(**values)
    for name, value in values.items():
        if not low <= value <= high:
            raise ArgumentError(
                f"{name} must be between {low} and {high}, but it is {value}."
            )


def check_whole(minimum: int, /, **values: Any) -> None:
    """Raise ArgumentError unless every value is a whole number of at least ``minimum``.

    Each value is passed by keyword, and the error calls it by that name.
    """
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
        content: The JSON text. Bytes are UTF-8, with or without a byte order mark.
        name: What is read, as the subject of the error's sentence, such as "The plan".
        exact: Whether numbers with a fraction stay text, so that 0.1 means exactly one tenth.
        kind: The class of the error.

    Returns:
        The value, with objects as dicts and arrays as lists.

    Raises:
        SynthError: Of the class ``kind``: the text is no JSON, has a name twice, holds a
            number that is not finite, or is nested deeper than `limits.JSON_DEPTH`.

    >>> read_json('{"epsilon": "1", "epsilon": "2"}', "The plan")
    Traceback (most recent call last):
    synth.errors.ArgumentError: The plan says 'epsilon' twice; leave one.
    """

    def build_object(pairs: Sequence[tuple[str, Json]]) -> Document:
        """Return one object's pairs of names and values as a dict; refuse a repeated name."""
        names = [key for key, _ in pairs]
        if len({*names}) < len(names):
            repeated = Counter(names).most_common(1)[0][0]
            # 40 letters of a name are enough to find it, and keep the sentence short.
            refuse(f"says '{repeated[:40]}' twice; leave one")
        return dict(pairs)

    def read_float(text: str) -> float:
        """Return a number with a fraction or an exponent; refuse one such as 1e999."""
        number = float(text)
        return number if math.isfinite(number) else refuse("holds a number beyond all bounds")

    def refuse_constant(text: str) -> NoReturn:
        """Refuse NaN and Infinity, which Python's reader would accept."""
        refuse(f"holds {text}, which is no number of JSON")

    def refuse(fault: str) -> NoReturn:
        """Raise the error with the name of what is read and its fault."""
        raise kind(f"{name} {fault}.")

    try:
        value = json.loads(
            content if isinstance(content, str) else content.decode("utf-8-sig"),
            object_pairs_hook=build_object,
            parse_float=str if exact else read_float,
            parse_constant=refuse_constant,
        )
        if not depth_within(value, limits.JSON_DEPTH):
            refuse("is nested too deeply")
        return value
    except SynthError:  # refused above; some are ValueErrors, so they pass first
        raise
    except RecursionError:  # so deep that Python's own reader gives up
        refuse("is nested too deeply")
    except ValueError as error:
        refuse(_describe_trouble(error))


def _describe_trouble(error: ValueError) -> str:
    """Return in words why a text could not be read as JSON, without quoting the text."""
    if isinstance(error, UnicodeDecodeError):
        return "is not UTF-8 text"
    line = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
    return f"is not valid JSON{line}"


def depth_within(document: Json, max_depth: int) -> bool:
    """Return whether objects and lists are nested at most ``max_depth`` deep.

    >>> depth_within({"a": [1]}, 2), depth_within({"a": [[1]]}, 2)
    (True, False)
    """
    # Level by level and not recursively, so that no depth exhausts Python's stack.
    level: list[Json] = [document]
    for _ in range(max_depth + 1):
        if not level:
            return True
        level = inside(level)
    return not level


def inside(parts: Iterable[Json]) -> list[Json]:
    """Return the values that are directly inside those parts that are objects or lists.

    ``parts`` are values of a JSON document. Numbers, texts and the like contain nothing.
    """
    content: list[Json] = []
    for part in parts:
        if isinstance(part, dict):
            content += part.values()
        elif isinstance(part, list):
            content += part
    return content
