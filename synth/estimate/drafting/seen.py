"""What noisy counts show: cells that stand out of the noise, and where most rows are. PUBLIC.

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

BETA = 0.02
"""The chance that any empty cell of a column stands out of the noise."""
LOST = 0.005
"""Share of the rows that may be beyond each bound."""


@dataclass(frozen=True, eq=False)
class Seen:
    """Noisy counts of a column's cells.

    Attributes:
        values: Shape (k,).
        scale: Scale of their Laplace noise.
    """

    values: Ints
    scale: float

    @property
    def least(self) -> float:
        """What an empty cell reaches with a chance of `BETA` among all of them."""
        return least_seen(len(self.values), self.scale)

    def rows(self, cells: slice | Ints) -> int:
        """Rows of those of some cells that stand out, with noise."""
        some = self.values[cells]
        return int(some[some >= self.least].sum())

    def standing(self, names: Sequence[Name], cells: slice) -> list[Name]:
        """The names of those of some cells that stand out."""
        counts = self.values[cells]
        return [name for name, count in zip(names, counts, strict=True) if count >= self.least]

    def reach(self, rows: float, cells: slice = slice(None)) -> tuple[int, int] | None:
        """The first and the last of some cells between which nearly all rows are."""
        some = self.values[cells]
        first, last = self._first(some, rows), self._first(some[::-1], rows)
        if first is None or last is None or first > len(some) - 1 - last:
            return None
        return first, len(some) - 1 - last

    def _first(self, values: Ints, rows: float) -> int | None:
        """Where a count stands out, or the sum so far is more than noise and a small share."""
        noise = 5 * self.scale * np.sqrt(np.arange(1, len(values) + 1))
        found = (values >= self.least) | (np.cumsum(values) >= LOST * rows + noise)
        return int(np.argmax(found)) if found.any() else None


def least_seen(cells: int, scale: float) -> float:
    """A count that an empty one of so many cells reaches with a chance of `BETA`."""
    return max(1.0, scale * math.log(cells / (2 * BETA)))
