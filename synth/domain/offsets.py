"""Distances of numbers from the middle of their bins, in whole steps of a public grid. PUBLIC.

Half a step is rounded away from the middle, as in `synth.domain.steps`.

>>> from synth.domain.numbers import Integer
>>> ages = Domain((Integer(name="age", minimum=0, maximum=99, edges=(0, 20, 99)),))
>>> own = Offsets.build(ages, 0, Frame.OWN)
>>> own.middles.tolist(), own.halves.tolist()
([9.5, 59.5], [9.5, 39.5])
>>> own.steps(np.array([0.0, 9.5, 99.0]), np.array([0, 0, 1])).tolist()
[-4096, 0, 4096]
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import numpy as np

from synth.domain.domain import Domain
from synth.domain.steps import Steps, summed_column
from synth.util import Codes, Floats, Ints

# Steps to either side of an offset, and of the finer numbers of a product.
OFFSET_STEPS, PRODUCT_STEPS = 2**12, 2**15


class Frame(StrEnum):
    # From the middle of the value's bin, in half widths of that bin.
    OWN = "own"
    # From the middle of the value's bin, in half widths of the widest bin.
    WIDEST = "widest"
    # From the middle of the column's range, in half ranges.
    RANGE = "range"
    # As `RANGE`, in the finer steps of products.
    FACTOR = "factor"

    @property
    def steps(self) -> int:
        return PRODUCT_STEPS if self is Frame.FACTOR else OFFSET_STEPS


@dataclass(frozen=True, eq=False)
class Offsets:
    """How the values of a column become whole steps, bin by bin.

    Attributes:
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
        """Return middles and units of a column; ArgumentError unless it has numbers or dates."""
        known = summed_column(domain, Steps(column, 0.0, 1.0, 1))
        cells = slice(known.first, known.last + 1)
        middles, halves = np.zeros((2, domain.shape[column]))
        low, high = np.array(domain.columns[column].cell_ends[cells]).T
        middles[cells], halves[cells] = low + (high - low) / 2, (high - low) / 2
        if frame is Frame.WIDEST:
            halves = np.where(halves > 0, halves.max(), 0.0)
        elif frame is not Frame.OWN:
            middles[cells] = known.low + (known.high - known.low) / 2
            halves[cells] = (known.high - known.low) / 2
        return cls(column, middles, halves, frame.steps)

    def steps(self, values: Floats, codes: Codes) -> Ints:
        """Return the steps of values inside their column's bounds, shape of the values.

        Values are in units of reading, whole units if the column has them; ``codes`` are their
        cells.
        """
        grid = self.halves[codes] / self.most
        away = (values - self.middles[codes]) / np.where(grid > 0, grid, 1.0)
        whole = np.where(grid > 0, np.trunc(away + np.copysign(0.5, away)), 0.0)
        return np.clip(whole, -self.most, self.most).astype(np.int64)


def may_lack_number(domain: Domain, column: int) -> bool:
    """Return whether a cell of a column of numbers has none."""
    return not Offsets.build(domain, column, Frame.RANGE).halves.all()


def has_offsets(domain: Domain, column: int) -> bool:
    return any(high > low for low, high in domain.columns[column].cell_ends)
