"""Numbers and dates as whole steps of a public grid, so that their sums are exact. PUBLIC.

A value is clipped to its column's bounds and rounded to the grid before any addition. So no
order of addition and no rounding can move a sum by more than its steps say (Casacuberta,
Shoemate, Vadhan, Wagaman 2022). Half a step is rounded away from step 0. Values at the same
distance on either side then have the same number of steps, which sums of products need.

Steps count from one middle of the column (`Steps`), or from the middle of the value's bin
(`Offsets`).

>>> ages = Steps(column=0, middle=50.0, grid=0.5, most=100)
>>> steps_of(np.array([0.0, 49.9, 50.0, 50.3, 99.0]), ages).tolist()
[-100, 0, 0, 1, 98]
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Self

import numpy as np

from synth.domain.domain import Domain
from synth.domain.reading import Summable
from synth.errors import ArgumentError
from synth.util import Floats, Ints

# Most steps to one side; sums over 2^42 rows then fit into 63 bits.
MOST_STEPS = 2**20


@dataclass(frozen=True, kw_only=True)
class Steps:
    """Turns the values of a column into whole steps.

    Attributes:
        column: The column's number.
        middle: Position of step 0, in units of reading: numbers, or seconds since 1970 for
            dates.
        grid: Size of a step, in the same unit.
        most: Steps are clipped to [-most, most].

    Raises:
        ArgumentError: A size is not positive, not finite, or too large.
    """

    column: int
    middle: float
    grid: float
    most: int

    def __post_init__(self) -> None:
        """Raise ArgumentError if a size is not positive, not finite or too large."""
        if not (math.isfinite(self.middle) and math.isfinite(self.grid) and self.grid > 0):
            raise ArgumentError(
                "The grid of a sum must be a positive number, and its middle a finite one."
            )
        if not 1 <= self.most <= MOST_STEPS:
            raise ArgumentError(f"A sum takes from 1 to {MOST_STEPS:,} steps to each side.")


class Product(NamedTuple):
    """The product of two columns' steps.

    Attributes:
        first: The steps of the first column.
        second: The steps of the second one.
    """

    first: Steps
    second: Steps


Summand = Steps | Product


def steps_of(values: Floats, steps: Steps) -> Ints:
    """Return the whole steps of values, in the shape of the values.

    Half a step is rounded away from step 0, so values at the same distance on either side
    of the middle have steps of the same size. Steps are clipped to [-most, most].

    Args:
        values: Numbers, or seconds since 1970 for dates, inside their column's bounds.
        steps: Where step 0 is, how long a step is, and how many there are at most.
    """
    with np.errstate(over="ignore"):  # a tiny grid gives infinity, which is clipped below
        away = (values - steps.middle) / steps.grid
        steps_away = np.trunc(away + np.copysign(0.5, away))
    return np.clip(steps_away, -steps.most, steps.most).astype(np.int64)


def summed_column(domain: Domain, steps: Steps) -> Summable:
    """Return how to add the values of a column: its bounds, rounding and cells.

    Of `steps` only the column's number matters.

    Raises:
        ArgumentError: No column has this number, or its values are no numbers and no dates.
    """
    if not 0 <= steps.column < len(domain.columns):
        raise ArgumentError(f"There is no column number {steps.column} to be summed.")
    column = domain.columns[steps.column]
    if column.summable is None:
        raise ArgumentError(
            f"Column '{column.name}' ({column.kind}) holds no numbers and no dates to sum."
        )
    return column.summable


# Steps to either side of an offset.
OFFSET_STEPS = 2**12
# Steps to either side of the finer numbers of a product.
PRODUCT_STEPS = 2**15


class Frame(StrEnum):
    """Where offsets count from, and in which unit."""

    # An offset from the middle of the value's bin, in half widths of that bin.
    OWN = "own"
    # An offset from the middle of the value's bin, in half widths of the widest bin.
    WIDEST = "widest"
    # An offset from the middle of the column's range, in half ranges.
    RANGE = "range"
    # An offset as for `RANGE`, in the finer steps of products.
    FACTOR = "factor"

    @property
    def steps(self) -> int:
        """Steps to either side."""
        return PRODUCT_STEPS if self is Frame.FACTOR else OFFSET_STEPS


@dataclass(frozen=True, eq=False, kw_only=True)
class Offsets:
    """How the values of a column become whole steps, bin by bin.

    >>> from synth.domain.numbers import Integer
    >>> ages = Domain((Integer(name="age", minimum=0, maximum=99, edges=(0, 20, 99)),))
    >>> offsets = Offsets.build(ages, 0, Frame.OWN)
    >>> offsets.middles.tolist(), offsets.halves.tolist()
    ([9.5, 59.5], [9.5, 39.5])

    Attributes:
        column: The column's number.
        middles: Where step 0 is, shape (cells,), as values are read; seconds of dates.
        halves: The size of ``most`` steps, shape (cells,); 0 where a cell adds nothing.
        most: Steps to either side.
    """

    column: int
    middles: Floats
    halves: Floats
    most: int

    @classmethod
    def build(cls, domain: Domain, column: int, frame: Frame) -> Self:
        """Return the middle and half width of each cell of a column, by a frame.

        Cells outside the bounds and the one for missing values keep the half width 0.

        Args:
            domain: The declared columns.
            column: The column's number in it.
            frame: Whether offsets count from the middle of each bin or of the whole range.

        Raises:
            ArgumentError: It holds neither numbers nor dates.
        """
        # Only the column's number is used; the sizes stand in.
        summable = summed_column(domain, Steps(column=column, middle=0.0, grid=1.0, most=1))
        cells = slice(summable.first, summable.last + 1)
        middles, halves = np.zeros((2, domain.shape[column]))
        low, high = np.array(domain.columns[column].cell_ends[cells]).T
        middles[cells] = low + (high - low) / 2
        halves[cells] = (high - low) / 2
        if frame is Frame.WIDEST:
            halves = np.where(halves > 0, halves.max(), 0.0)
        elif frame is not Frame.OWN:  # RANGE or FACTOR
            middles[cells] = summable.low + (summable.high - summable.low) / 2
            halves[cells] = (summable.high - summable.low) / 2
        return cls(column=column, middles=middles, halves=halves, most=frame.steps)


def may_lack_number(domain: Domain, column: int) -> bool:
    """Return whether a cell of a column has no number."""
    return len(domain.columns[column].cell_ends) < domain.columns[column].size


def has_offsets(domain: Domain, column: int) -> bool:
    """Return whether some cell of a column has a width, so that offsets tell more."""
    return any(high > low for low, high in domain.columns[column].cell_ends)
