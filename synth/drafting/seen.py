"""Cells whose noisy counts exceed the noise, and the range of most rows. PUBLIC.

>>> seen = Seen(np.array([2, -1, 900, 40, 3]), 4.0)
>>> round(seen.least, 1), seen.reach(1_000)
(19.3, (2, 3))
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from synth.util import Ints

Name = TypeVar("Name")

# Probability that any empty cell of a column exceeds the noise threshold.
BETA = 0.02
# Share of rows that may be beyond each bound.
LOST = 0.005


@dataclass(frozen=True, eq=False)
class Seen:
    """Noisy counts of a column's cells, shape (k,), with Laplace noise."""

    values: Ints
    scale: float

    @property
    def least(self) -> float:
        """The count that an empty cell hardly reaches."""
        return least_seen(len(self.values), self.scale)

    def rows(self, cells: slice | Ints) -> int:
        """Return the rows in cells that exceed the noise."""
        some = self.values[cells]
        return int(some[some >= self.least].sum())

    def standing(self, names: Sequence[Name], cells: slice) -> list[Name]:
        """Return the names of cells that exceed the noise."""
        counts = self.values[cells]
        return [
            name for name, count in zip(names, counts, strict=True) if count >= self.least
        ]

    def reach(self, rows: float, cells: slice = slice(None)) -> tuple[int, int] | None:
        """Return the first and the last of the cells that contain nearly all rows."""
        some = self.values[cells]
        first = self._first(some, rows)
        last = self._first(some[::-1], rows)
        if first is None or last is None or first > len(some) - 1 - last:
            return None
        return first, len(some) - 1 - last

    def _first(self, values: Ints, rows: float) -> int | None:
        """Return the first place that surely has rows, or None.

        There a count exceeds the noise, or the sum up to there exceeds its noise and the
        share of rows that may be beyond.
        """
        # Five scales, 3.5 standard deviations, of one count's Laplace noise.
        noise = 5 * self.scale * np.sqrt(np.arange(1, len(values) + 1))
        exceeds = (values >= self.least) | (np.cumsum(values) >= LOST * rows + noise)
        return int(np.argmax(exceeds)) if exceeds.any() else None


def least_seen(cells: int, scale: float) -> float:
    """Return the count that any of so many empty cells reaches with probability `BETA`."""
    return max(1.0, scale * math.log(cells / (2 * BETA)))
