"""Values of a column that change places within cells, until sums with other columns are right."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from synth.domain import Binned, Domain
from synth.rows.ordered_pairs import Units
from synth.util import Codes, Floats, Ints, Mask

EXCHANGES = 3
"""Times that values change places between groups; each closes most of the gap that is left."""


class Exchange:
    """Rows of which one column's values change places, within strata.

    Args:
        domain: The columns.
        codes: Their codes, one array of shape (rows,) a column.
        units: Their values in steps; those of the column change in place.
        number: The column.
        strata: Within which of its rows values change places, shape (rows,).
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
        """The values, with those of some rows in the order of numbers, by stratum."""
        assert self.moved is not None
        found = self.moved.copy()
        to = rows[np.lexsort((by[rows], self.strata[rows]))]
        found[to] = self.moved[rows[np.lexsort((self.moved[rows], self.strata[rows]))]]
        return found

    def tie_groups(self, group: Codes, law: Floats, rng: np.random.Generator) -> None:
        """Let groups have the mean offsets of a law, as far as its noise allows."""
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
        """Sort as many values by the other column as the mean product needs."""
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
    """Values from the middle of their column's range, in half ranges."""
    first, last = column.spans[0][0], column.spans[-1][1]
    return np.asarray((2.0 * units - first - last) / max(1, last - first))


def cell_ends(column: Binned, codes: Codes) -> tuple[Units, Units]:
    """First and last value of the codes' cells."""
    first, last = np.asarray(column.spans).T
    safe = np.where(codes < len(column.pieces), codes, 0)
    return first[safe], last[safe]
