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
MAX_LOST_SHARE = 0.005
# Scales of Laplace noise that it hardly exceeds: 3.5 standard deviations of one count.
SURE_SCALES = 5


@dataclass(frozen=True, eq=False)
class Seen:
    """Noisy counts of a column's cells, with Laplace noise.

    A count exceeds the noise if it is at least `least`: an empty cell hardly reaches it.

    Attributes:
        values: The noisy counts of rows, shape (cells,).
        scale: The scale of the noise on each, in rows.
    """

    values: Ints
    scale: float

    @property
    def least(self) -> float:
        """The count that an empty cell hardly reaches."""
        return least_seen(len(self.values), self.scale)

    def rows(self, cells: slice | Ints) -> int:
        """Return the sum of the noisy counts of some cells, without those below `least`.

        `cells` are the positions of the cells that are looked at.
        """
        counts = self.values[cells]
        return int(counts[counts >= self.least].sum())

    def standing(self, names: Sequence[Name], cells: slice) -> list[Name]:
        """Return the names of those of some cells whose counts exceed the noise.

        `cells` are the positions of the cells that are looked at, and `names` are their names
        in the same order.
        """
        counts = self.values[cells]
        return [
            name for name, count in zip(names, counts, strict=True) if count >= self.least
        ]

    def reach(self, rows: float, cells: slice = slice(None)) -> tuple[int, int] | None:
        """Return the first and the last of some cells in order that hold nearly all rows.

        Args:
            rows: The noisy number of rows in these cells.
            cells: The positions of the cells; all by default.

        Returns:
            Two positions among these cells, both inside; None if no cell surely has rows.
        """
        counts = self.values[cells]
        first = self._first(counts, rows)
        last_from_end = self._first(counts[::-1], rows)
        if first is None or last_from_end is None:
            return None
        last = len(counts) - 1 - last_from_end
        # Of few rows, the sums from both ends exceed their noise late, and may cross.
        return (first, last) if first <= last else None

    def _first(self, counts: Ints, rows: float) -> int | None:
        """Return the first position at which there surely are rows; None if nowhere.

        There the count exceeds the noise; or the sum of all counts up to there exceeds its
        own noise and the share `MAX_LOST_SHARE` of the `rows`, which may lie beyond the
        bound.
        """
        # The noise of a sum of n counts grows with the root of n.
        noise = SURE_SCALES * self.scale * np.sqrt(np.arange(1, len(counts) + 1))
        exceeds = (counts >= self.least) | (
            np.cumsum(counts) >= MAX_LOST_SHARE * rows + noise
        )
        # `argmax` returns the first True.
        return int(np.argmax(exceeds)) if exceeds.any() else None


def least_seen(cells: int, scale: float) -> float:
    """Return the count that any of so many empty cells reaches with probability `BETA`.

    Laplace noise reaches t with probability exp(-t / scale) / 2; that of all cells adds up to
    `BETA`. The count is at least 1.
    """
    return max(1.0, scale * math.log(cells / (2 * BETA)))
