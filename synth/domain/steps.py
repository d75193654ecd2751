"""Numbers and dates as whole steps of a public grid, so that sums of them are exact.

A value is clipped to its column's bounds and rounded to the grid before any addition. So no order
of addition and no rounding can move a sum by more than its steps say (Casacuberta, Shoemate,
Vadhan, Wagaman 2022). Half a step is rounded away from step 0. Values at the same distance on
either side then have the same number of steps, which sums of products need.

>>> ages = Steps(column=0, middle=50.0, grid=0.5, most=100)
>>> steps_of(np.array([0.0, 49.9, 50.0, 50.3, 99.0]), ages).tolist()
[-100, 0, 0, 1, 98]
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from synth.domain.domain import Domain
from synth.domain.reading import Summable
from synth.errors import ArgumentError
from synth.util import Floats, Ints

# Most steps to one side; sums over 2^42 rows then fit into 63 bits.
MOST_STEPS = 2**20


@dataclass(frozen=True)
class Steps:
    """Turns the values of a column into whole steps.

    Attributes:
        middle: Position of step 0, in units of reading: numbers, or seconds since 1970 for dates.
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
        if not (math.isfinite(self.middle) and math.isfinite(self.grid) and self.grid > 0):
            raise ArgumentError(
                "The grid of a sum must be a positive number, and its middle a finite one."
            )
        if not 1 <= self.most <= MOST_STEPS:
            raise ArgumentError(f"A sum takes from 1 to {MOST_STEPS:,} steps to each side.")


class Product(NamedTuple):
    first: Steps
    second: Steps


Summand = Steps | Product


def steps_of(values: Floats, steps: Steps) -> Ints:
    """Return the steps of values inside their column's bounds, shape of the values; monotone and
    odd.

    Values are in units of reading: numbers, or seconds since 1970; whole units if the column has
    them (whole numbers, the days of a date).
    """
    with np.errstate(over="ignore"):  # of a grid so small, any number is the most
        away = (values - steps.middle) / steps.grid
        whole = np.trunc(away + np.copysign(0.5, away))
    return np.clip(whole, -steps.most, steps.most).astype(np.int64)


def summed_column(domain: Domain, steps: Steps) -> Summable:
    """Return how to add the values of a column.

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
