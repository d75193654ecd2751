"""Values in order within cells, for rules such as start <= end.

>>> from synth.domain.numbers import Integer
>>> day = Integer(name="day", minimum=0, maximum=9, bins=1)
>>> first, last, there = np.zeros(3, dtype=int), np.full(3, 9), np.ones(3, dtype=bool)
>>> start = Tied(column=day, first=first, last=last, there=there, units=np.array([5, 2, 9]))
>>> end = Tied(
...     column=day,
...     first=first.copy(),
...     last=last.copy(),
...     there=there,
...     units=np.array([4, 3, 0]),
... )
>>> put_in_order([start, end], [(0, 1)], np.random.default_rng())
>>> bool((start.units <= end.units).all())
True
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from synth.domain import Binned
from synth.rows.value_numbers import steps_of_values, values_at_steps
from synth.util import Mask

RowNumbers = npt.NDArray[np.intp]
# Values by number (`synth.rows.value_numbers`): whole numbers, days, months, seconds or last
# decimals.
Units = npt.NDArray[np.int64]

# Column numbers; the first value is at most the second, if both exist.
Pairs = Sequence[tuple[int, int]]

# Redraws before the smallest values in order are used.
TRIES = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class Tied:
    """A column that a rule puts in order with another.

    Attributes:
        first, last: Ends of each row's cell, shape (rows,); changed in place, like ``units``.
        there: Whether the row has a value.
    """

    column: Binned
    first: Units
    last: Units
    there: Mask
    units: Units

    def position(self, units: Units) -> npt.NDArray[np.float64]:
        """Return values on an axis shared by both columns."""
        steps = steps_of_values(self.column, units)
        return np.asarray(steps * self.column.step.numerator / self.column.step.denominator)

    def units_at(self, position: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return values, in parts of a step, from the shared axis."""
        step = self.column.step
        steps = np.asarray(np.round(position * step.denominator / step.numerator, 6))
        return values_at_steps(self.column, steps)

    def draw(self, rows: RowNumbers, rng: np.random.Generator) -> None:
        self.units[rows] = rng.integers(self.first[rows], self.last[rows], endpoint=True)


def put_in_order(
    tied: Mapping[int, Tied] | Sequence[Tied], pairs: Pairs, rng: np.random.Generator
) -> None:
    """Redraw rows out of order, so that values are uniform among those in order.

    After `TRIES` rounds, rows get the smallest values in order. The cells must allow an
    order."""
    columns = [tied[i] for i in sorted({i for pair in pairs for i in pair})]
    rows = np.arange(len(columns[0].units) if columns else 0)
    rows = rows[_wrong(tied, pairs, rows)]
    for _ in columns:
        for a, b in pairs:
            _narrow(tied[a], tied[b], rows)
    for _ in range(TRIES):
        if not len(rows):
            return
        for one in columns:
            one.draw(rows, rng)
        rows = rows[_wrong(tied, pairs, rows)]
    for one in columns:
        one.units[rows] = one.first[rows]


def _narrow(a: Tied, b: Tied, rows: RowNumbers) -> None:
    rows = rows[a.there[rows] & b.there[rows]]
    least = np.ceil(b.units_at(a.position(a.first[rows]))).astype(np.int64)
    most = np.floor(a.units_at(b.position(b.last[rows]))).astype(np.int64)
    b.first[rows] = np.maximum(b.first[rows], least)
    a.last[rows] = np.minimum(a.last[rows], most)


def _wrong(tied: Mapping[int, Tied] | Sequence[Tied], pairs: Pairs, rows: RowNumbers) -> Mask:
    wrong = np.zeros(len(rows), dtype=np.bool_)
    for a, b in pairs:
        both = tied[a].there[rows] & tied[b].there[rows]
        low, high = (tied[i].position(tied[i].units[rows]) for i in (a, b))
        wrong |= both & (low > high)
    return wrong
