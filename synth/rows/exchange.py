"""Values of a column, permuted within cells until sums with other columns match."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from synth.domain import Binned, Domain
from synth.rows.ordered_pairs import Units
from synth.util import Codes, Floats, Ints, Mask

# Each exchange closes most of the remaining gap.
EXCHANGES = 3


class Exchange:
    """Rows in which one column's values are permuted within strata.

    Args:
        codes: One array of shape (rows,) per column.
        units: Values in steps; those of the column change in place.
        strata: The stratum of each row, shape (rows,).
    """

    def __init__(
        self,
        domain: Domain,
        codes: Sequence[Codes],
        units: Sequence[Units | None],
        number: int,
        strata: Ints,
    ) -> None:
        self.domain, self.codes, self.units, self.strata = domain, codes, units, strata
        self.number, self.moved = number, units[number]
        self.there = self._is_there(number)

    def _is_there(self, number: int) -> Mask:
        column = self.domain.columns[number]
        assert isinstance(column, Binned)
        return np.asarray(self.codes[number] < len(column.pieces))

    def sort(self, rows: npt.NDArray[np.intp], by: Floats) -> Units:
        """Return the values, with those of some rows sorted by these numbers within strata."""
        assert self.moved is not None
        found = self.moved.copy()
        to = rows[np.lexsort((by[rows], self.strata[rows]))]
        found[to] = self.moved[rows[np.lexsort((self.moved[rows], self.strata[rows]))]]
        return found

    def tie_groups(self, group: Codes, law: Floats, rng: np.random.Generator) -> None:
        """Give groups a law's mean offsets, as far as its noise allows."""
        column = self.domain.columns[self.number]
        assert isinstance(column, Binned)
        assert self.moved is not None
        first, last = cell_ends(column, self.codes[self.number])
        half = max(1, *(last - first for first, last in column.spans)) / 2
        size = np.maximum(np.bincount(group, minlength=len(law)), 1)
        rows = np.flatnonzero(self.there)

        def means(units: Units) -> Floats:
            offsets = np.where(self.there, (units - (first + last) / 2) / half, 0.0)
            return np.bincount(group, offsets, len(law)) / size

        for _ in range(EXCHANGES):
            gap = law[:, 0] - means(self.moved)
            gap *= gap**2 / np.maximum(gap**2 + law[:, 1], 1e-300)
            by = gap[group] + 1e-9 * rng.random(len(group))
            most = means(self.sort(rows, by)) - means(self.moved)
            reached = float(size @ most**2)
            share = float(size @ (gap * most)) / reached if reached else 0.0
            self.moved[:] = self.sort(rows[rng.random(len(rows)) < share], by)

    def tie_products(self, other: int, law: Floats, rng: np.random.Generator) -> None:
        """Sort enough values by the other column to reach the mean product."""
        column, second = self.domain.columns[self.number], self.domain.columns[other]
        fixed = self.units[other]
        assert isinstance(column, Binned)
        assert isinstance(second, Binned)
        assert self.moved is not None
        assert fixed is not None
        there = self.there & self._is_there(other)
        away = np.where(there, _place_in_range(second, fixed), 0.0)
        rows, now = np.flatnonzero(there), _place_in_range(column, self.moved)
        if not len(rows):
            return
        gap = float(law[0] - (now * away).mean())
        by = np.sign(gap) * away
        most = float(((_place_in_range(column, self.sort(rows, by)) - now) * away).mean())
        if gap * most > 0:
            share = gap / most * gap**2 / (gap**2 + float(law[1]))
            self.moved[:] = self.sort(rows[rng.random(len(rows)) < share], by)


def _place_in_range(column: Binned, units: Units) -> Floats:
    first, last = column.spans[0][0], column.spans[-1][1]
    return np.asarray((2.0 * units - first - last) / max(1, last - first))


def cell_ends(column: Binned, codes: Codes) -> tuple[Units, Units]:
    first, last = np.asarray(column.spans).T
    safe = np.where(codes < len(column.pieces), codes, 0)
    return first[safe], last[safe]
