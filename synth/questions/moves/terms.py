"""A workload as terms: vectors of numbers to which every row adds in at most one place.
PUBLIC.

An axis is a column, cut into atoms that no question cuts. A row is in one atom of every axis.

>>> age, sex = np.array([0, 0, 1, 1]), np.array([0, 1])
>>> Term(
...     axes=(0, 1),
...     classes=(age, sex),
...     place=np.array([[0, 1], [2, 3]]),
...     value=np.ones((2, 2), int),
...     size=4,
... ).axes
(0, 1)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from synth.errors import ArgumentError
from synth.util import Ints, check

# A row adds less than this to a number, so that squares fit into 64 bits.
MAX_CONTRIBUTION = 2**31


@dataclass(frozen=True, eq=False, kw_only=True)
class Term:
    """A vector of ``size`` numbers to which every row adds in at most one place.

    All arrays are read-only copies of 64-bit integers.

    Attributes:
        axes: The different axes that it depends on; none for a constant term.
        classes: The class of every atom of each axis, shape (atoms,), from 0 up.
        place: The place that a row adds to, 0 to size - 1, or -1 if none, over the grid of
            classes.
        value: Same shape: 1 for a count; grid steps for a sum.

    Raises:
        ArgumentError: They do not fit each other.
    """

    axes: tuple[int, ...]
    classes: tuple[Ints, ...]
    place: Ints
    value: Ints
    size: int

    def __post_init__(self) -> None:
        """Replace the arrays by read-only copies, and refuse tables that do not fit each
        other.
        """
        check.check_whole(1, size=self.size)
        classes = tuple(_read_whole("classes", labels) for labels in self.classes)
        place = _read_whole("place", self.place)
        value = _read_whole("value", self.value)
        for name, content in (("classes", classes), ("place", place), ("value", value)):
            object.__setattr__(self, name, content)
        _check_fit(self)


def _read_whole(name: str, numbers: Any) -> Ints:
    """Return a read-only copy of whole numbers as 64-bit integers.

    ``name`` is how a message names the array.
    """
    array = np.asarray(numbers)
    if array.dtype.kind not in "iu" or not np.can_cast(array.dtype, np.int64):
        raise ArgumentError(f"{name} must be 64-bit integers, but they are {array.dtype}.")
    integers = array.astype(np.int64)
    integers.flags.writeable = False
    return integers


def _check_fit(term: Term) -> None:
    """Refuse a term whose axes, classes, places and values do not fit each other.

    A term says for each class of rows to which number a row adds, and how much.

    Raises:
        ArgumentError: They do not.
    """
    axes = term.axes
    if len(set(axes)) < len(axes) or min(axes, default=0) < 0:
        raise ArgumentError(f"axes must be different and not negative, but they are {axes}.")
    if not len(axes) == len(term.classes) == term.place.ndim:
        raise ArgumentError(
            f"a term of {len(axes)} axes has the classes of {len(term.classes)}, and places "
            f"of {term.place.ndim}."
        )
    for axis, classes, count in zip(axes, term.classes, term.place.shape, strict=True):
        if classes.ndim != 1 or not classes.size or not _are_within(classes, 0, count - 1):
            raise ArgumentError(
                f"classes of axis {axis} must be numbers from 0 to {count - 1}, one an atom."
            )
    if term.value.shape != term.place.shape:
        raise ArgumentError(
            f"value must have the shape of place, {term.place.shape}, but it is "
            f"{term.value.shape}."
        )
    if not _are_within(term.place, -1, term.size - 1):
        raise ArgumentError(f"place must be from -1 to {term.size - 1}.")
    if not _are_within(term.value, 1 - MAX_CONTRIBUTION, MAX_CONTRIBUTION - 1):
        raise ArgumentError(f"value must be below {MAX_CONTRIBUTION:,} in size.")


def _are_within(integers: Ints, low: int, high: int) -> bool:
    return bool(integers.min() >= low and integers.max() <= high)
