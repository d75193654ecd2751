"""Values in order within cells, for rules such as start <= end.

>>> from synth.domain.numbers import Integer
>>> day = Integer(name="day", minimum=0, maximum=9, bins=1)
>>> def column_of(units: list[int]) -> OrderedColumn:
...     return OrderedColumn(
...         column=day,
...         first=np.zeros(3, dtype=int),
...         last=np.full(3, 9),
...         has_value=np.ones(3, dtype=bool),
...         units=np.array(units),
...     )
>>> start = column_of([5, 2, 9])
>>> end = column_of([4, 3, 0])
>>> put_in_order([start, end], [(0, 1)], np.random.default_rng())
>>> bool((start.units <= end.units).all())
True
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from synth.domain import Binned
from synth.rows.value_numbers import Units, steps_of_values, values_at_steps
from synth.util import Mask

RowNumbers = npt.NDArray[np.intp]

# Column numbers; the first value is at most the second, if both exist.
Pairs = Sequence[tuple[int, int]]

# Redraws before the smallest values in order are used.
MAX_REDRAWS = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class OrderedColumn:
    """A column that a rule puts in order with another.

    Attributes:
        column: The declared column.
        first: The first value of each row's cell, shape (rows,); changed in place.
        last: The last value of each row's cell, likewise.
        has_value: Whether the row has a value, shape (rows,).
        units: The values, shape (rows,); changed in place.
    """

    column: Binned
    first: Units
    last: Units
    has_value: Mask
    units: Units

    def position(self, units: Units) -> npt.NDArray[np.float64]:
        """Return values on an axis shared by all columns that may be compared.

        Args:
            units: Values as the column numbers them, any shape.
        """
        steps = steps_of_values(self.column, units)
        return np.asarray(steps * self.column.step.numerator / self.column.step.denominator)

    def units_at(self, position: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the numbers of values, perhaps with fractions, at places of the shared axis.

        Args:
            position: Places on the axis, any shape.
        """
        step = self.column.step
        # Rounded, so that a value of this column does not end up just beside its own place.
        steps = np.asarray(np.round(position * step.denominator / step.numerator, 6))
        return values_at_steps(self.column, steps)

    def draw(self, rows: RowNumbers, rng: np.random.Generator) -> None:
        """Draw uniform values for some rows, in place."""
        self.units[rows] = rng.integers(self.first[rows], self.last[rows], endpoint=True)


def put_in_order(
    columns: Mapping[int, OrderedColumn] | Sequence[OrderedColumn],
    pairs: Pairs,
    rng: np.random.Generator,
) -> None:
    """Redraw rows out of order, so that values are uniform among those in order.

    After `MAX_REDRAWS` rounds, rows get the smallest values in order. The cells must allow an
    order.

    Args:
        columns: The columns by number; their values change in place.
        pairs: Numbers of columns; the first value is at most the second.
        rng: Source of randomness.
    """
    numbers = sorted({number for pair in pairs for number in pair})
    paired_columns = [columns[number] for number in numbers]
    rows = np.arange(len(paired_columns[0].units) if paired_columns else 0)
    rows = rows[_is_wrong(columns, pairs, rows)]  # only these are drawn again
    # Each round carries the bounds of cells one pair further.
    for _ in paired_columns:
        for first, second in pairs:
            _drop_impossible_values(columns[first], columns[second], rows)
    for _ in range(MAX_REDRAWS):
        if not len(rows):
            return
        for column in paired_columns:
            column.draw(rows, rng)
        rows = rows[_is_wrong(columns, pairs, rows)]
    for column in paired_columns:
        column.units[rows] = column.first[rows]


def _drop_impossible_values(
    first: OrderedColumn, second: OrderedColumn, rows: RowNumbers
) -> None:
    """Leave out values of two columns that no value of the other one allows, in place.

    Args:
        first: The column whose value is at most the other one's; its last values may fall.
        second: The other column; its first values may rise.
        rows: Places of the rows; the ones that lack a value are left out.
    """
    rows = rows[first.has_value[rows] & second.has_value[rows]]
    # The ends of one cell as numbers of the other column's values, rounded inwards.
    lowest = np.ceil(second.units_at(first.position(first.first[rows]))).astype(np.int64)
    highest = np.floor(first.units_at(second.position(second.last[rows]))).astype(np.int64)
    second.first[rows] = np.maximum(second.first[rows], lowest)
    first.last[rows] = np.minimum(first.last[rows], highest)


def _is_wrong(
    columns: Mapping[int, OrderedColumn] | Sequence[OrderedColumn],
    pairs: Pairs,
    rows: RowNumbers,
) -> Mask:
    """Return whether some pair of values of each row is out of order, shape (rows,).

    Args:
        columns: The columns by number.
        pairs: Numbers of columns; the first value is at most the second, if both exist.
        rows: Places of the rows to look at.
    """
    is_wrong = np.zeros(len(rows), dtype=np.bool_)
    for first, second in pairs:
        lower = columns[first]
        upper = columns[second]
        has_both = lower.has_value[rows] & upper.has_value[rows]
        positions = lower.position(lower.units[rows])
        is_wrong |= has_both & (positions > upper.position(upper.units[rows]))
    return is_wrong
