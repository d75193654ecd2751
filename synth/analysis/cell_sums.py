"""Least, greatest and mean contributions of the cells of a release to an answer. PUBLIC."""
# A cell does not show the positions of its rows within bins, and a condition may cut a bin.
# The mean is that of evenly spread rows.

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from synth.analysis.known_moments import KnownMoment
from synth.domain import Binned
from synth.questions import CutColumn, Tally, Workload
from synth.util import Floats, Ints, Mask

T = TypeVar("T", bound=np.generic)


class CellSums(NamedTuple):
    """What one row adds to totals, by total and cell; each of shape (k,).

    Attributes:
        totals, cells: Numbers of the total, ascending, and of the cell.
        low, high: Least and most that a row of this cell adds if it is in this total.
        middle: The mean if rows are spread evenly in the cell.
        part: The part of the cell in this total, by width; 0 for a sum of offsets.
        whole: Whether all of it is.
    """

    totals: Ints
    cells: Ints
    low: Floats
    high: Floats
    middle: Floats
    part: Floats
    whole: Mask

    def select_total(self, total: int) -> "CellSums":
        """Return the entries of one total, by its number."""
        # Entries are sorted by total, so those of one total follow each other.
        of_total = slice(*np.searchsorted(self.totals, [total, total + 1]))
        return CellSums._make(array[of_total] for array in self)

    def with_offsets(self, moment: KnownMoment) -> "CellSums | None":
        """Return these contributions with measured sums of offsets as further entries.

        An offset is a value's distance from the middle of its bin. With noisy sums of them, a
        row adds the middle of its bin, and nothing is assumed about its position. Each sum
        counts like a cell after the last cell, and adds its weight.

        Returns:
            None if a condition cuts a cell, or if the sums do not cover these totals.
        """
        if not self.whole.all():
            return None
        shape = [moment.domain.shape[column] for column in moment.place]
        # For each entry: the middle of its bin, and the largest rounding error of a row.
        middle = np.broadcast_to(moment.middles, shape).reshape(-1)[self.cells]
        off = np.broadcast_to(moment.rounding, shape).reshape(-1)[self.cells]
        parts = [self._replace(low=middle - off, high=middle + off, middle=middle)]
        for total in np.unique(self.totals).tolist():
            # 1 for the cells of this total, the only ones whose offsets the sums must give.
            mask = np.zeros(shape)
            mask.reshape(-1)[self.select_total(total).cells] = 1.0
            weights = moment.weigh(mask)  # of each measured sum, in the sum over these cells
            if weights is None:
                return None
            places_of_sums = np.flatnonzero(weights)
            sum_weights = weights[places_of_sums]
            parts.append(
                CellSums(
                    totals=np.full(len(places_of_sums), total),
                    cells=mask.size + places_of_sums,
                    low=sum_weights,
                    high=sum_weights,
                    middle=sum_weights,
                    part=np.zeros(len(places_of_sums)),
                    whole=np.ones(len(places_of_sums), bool),
                )
            )
        return join_sums(parts)

    def add_least(self, ratio: float = 0.0) -> Floats:
        """Return the least that a row of each entry's cell may add, shape (k,).

        A row adds its contribution less ``ratio``. If a condition cuts the cell, a row may
        also be outside and add 0. A sum of offsets counts no rows, so ``ratio`` is not taken
        off it.
        """
        contribution = self.low - ratio * self._counted
        return np.where(self.whole, contribution, np.minimum(contribution, 0))

    def add_most(self, ratio: float = 0.0) -> Floats:
        """Return the most that a row of each entry's cell may add, shape (k,).

        A row adds its contribution less ``ratio``. If a condition cuts the cell, a row may
        also be outside and add 0. A sum of offsets counts no rows, so ``ratio`` is not taken
        off it.
        """
        contribution = self.high - ratio * self._counted
        return np.where(self.whole, contribution, np.maximum(contribution, 0))

    def add_evenly(self, ratio: float = 0.0) -> Floats:
        """Return the mean for evenly spread rows, minus a ratio for each row in the total."""
        return self.middle - ratio * self.part

    @property
    def _counted(self) -> Floats:
        """1 for cells, of which all rows may be in the total; 0 for sums of offsets.

        Whole cells have the part 1 and sums of offsets 0; cells that are cut get 1 here.
        """
        return np.where(self.whole, self.part, 1.0)

    @property
    def are_exact(self) -> bool:
        """Whether nothing is assumed: no cell is cut, and what a row adds is known."""
        return bool((self.whole & (self.low == self.high)).all())


def join_sums(parts: Sequence[CellSums]) -> CellSums:
    """Return the entries of several contributions together, in the order of their totals."""
    joined = [np.concatenate(entries) for entries in zip(*parts, strict=True)]
    order = np.argsort(joined[0], kind="stable")  # by total, as `select_total` needs
    return CellSums(*(entries[order] for entries in joined))


class Added(NamedTuple):
    """The total that a row of each atom adds to (-1 for none), and bounds of its
    contribution.
    """

    places: Ints
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class AtomGrid:
    """The atoms of all columns of a workload of one question, cut at the declared cells
    too.

    An atom is a part of a cell that no condition cuts. Arrays by atom are flat, the last
    column varying fastest.
    """

    workload: Workload

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of atoms of each column."""
        return self.workload.universe.shape

    @cached_property
    def cells(self) -> Ints:
        """The declared cell of every atom, shape (atoms,).

        An atom is a part of a cell that no condition cuts. Cells are numbered with the last
        column fastest; -1 is for rows that a rule of a column leaves out.
        """
        cells = np.zeros(self.shape, np.int64)
        left_out = np.zeros(self.shape, bool)
        for axis, column in enumerate(self.workload.columns):
            codes = self._put_along(column.declared_codes, axis)
            cells = cells * column.base.size + codes
            left_out = left_out | (codes < 0)
        return np.where(left_out, -1, cells).reshape(-1)

    @cached_property
    def parts(self) -> Floats:
        """Each atom's share of its declared cell, by width, shape (atoms,).

        An atom is a part of a cell that no condition cuts. In several columns, shares are
        multiplied.
        """
        parts = np.ones(self.shape)
        for axis, column in enumerate(self.workload.columns):
            parts = parts * self._put_along(_parts(column), axis)
        return parts.reshape(-1)

    @cached_property
    def atoms_by_cell(self) -> Ints:
        """The number of atoms of every declared cell, shape (cells,)."""
        # `base` is the column as declared, before conditions cut it.
        size = prod(column.base.size for column in self.workload.columns)
        return np.bincount(self.cells[self.cells >= 0], minlength=size)

    def add_by_atom(self, tally: Tally) -> Added:
        """Return which total of a tally a row of each atom adds to, and how much.

        An atom is a part of a cell that no condition cuts. A tally is a sum over the rows by
        group: of 1 for a count, or of the numbers of its ``summed`` column.

        Returns:
            Arrays of shape (atoms,): the total, -1 for none, and the least and the greatest
            number of a row there.
        """
        # A tally knows the total of each combination of classes, which are groups of a
        # column's atoms. First it is spread to the combinations of atoms in the tally's own
        # columns, then to those of all columns.
        total = tally.place[np.ix_(*tally.classes)] if tally.axes else tally.place
        shape = [size if axis in tally.axes else 1 for axis, size in enumerate(self.shape)]
        totals = np.broadcast_to(total.reshape(shape), self.shape).reshape(-1)
        if tally.summed is None:
            ones = np.ones(totals.shape)  # each row counts for 1
            return Added(totals, ones, ones)
        # Atoms after the intervals, such as missing values, have no number and add 0.
        column = self.workload.columns[tally.summed]
        low = np.zeros(self.shape[tally.summed])
        high = np.zeros(self.shape[tally.summed])
        low[: column.intervals], high[: column.intervals] = column.ends
        return Added(
            totals, self._spread(low, tally.summed), self._spread(high, tally.summed)
        )

    def of_tally(self, number: int) -> CellSums:
        """Return the contributions of each cell to the totals of a tally, by its number."""
        if number not in self._sums_by_tally:  # kept, as grids are used again
            tally = self.workload.tallies[number]
            self._sums_by_tally[number] = self.sums(self.add_by_atom(tally))
        return self._sums_by_tally[number]

    @cached_property
    def _sums_by_tally(self) -> dict[int, CellSums]:
        """The results of `of_tally` so far."""
        return {}

    def sums(self, added: Added) -> CellSums:
        """Return what a row of each cell adds to each total, from what it adds in each atom.

        An atom is a part of a cell that no condition cuts. The contribution of a cell lies
        between the least and the greatest of its atoms; the middle is for rows spread evenly.
        If all atoms of the cell add to the total, the cell is whole: nothing is assumed.

        Args:
            added: For each atom, the total (-1 for none) and bounds of a row's contribution.
        """
        atoms = np.flatnonzero((self.cells >= 0) & (added.places >= 0))
        # One key for each pair (total, cell); after sorting, equal keys follow each other.
        keys = added.places[atoms] * len(self.atoms_by_cell) + self.cells[atoms]
        order = np.argsort(keys, kind="stable")
        atoms = atoms[order]
        keys = keys[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        totals, cells = np.divmod(keys[starts], len(self.atoms_by_cell))
        is_whole = np.diff(starts, append=len(keys)) == self.atoms_by_cell[cells]
        low = added.low[atoms]
        high = added.high[atoms]
        part = self.parts[atoms]
        if not len(starts):  # `reduceat` takes no empty list; all arrays are empty
            return CellSums(totals, cells, low, high, part, part, is_whole)
        low, high, middle, part = (
            np.minimum.reduceat(low, starts),
            np.maximum.reduceat(high, starts),
            np.add.reduceat((low + high) / 2 * part, starts),
            np.add.reduceat(part, starts),
        )
        part = np.where(is_whole, 1.0, part)  # without rounding where nothing is assumed
        middle = np.where(is_whole & (low == high), low, middle)
        return CellSums(totals, cells, low, high, middle, part, is_whole)

    def _spread(self, values: Floats, axis: int) -> Floats:
        """Return values of one column's atoms for all atoms, shape (atoms,)."""
        return np.broadcast_to(self._put_along(values, axis), self.shape).reshape(-1)

    def _put_along(self, values: NDArray[T], axis: int) -> NDArray[T]:
        """Reshape values of one column's atoms to broadcast over the grid: 1 elsewhere."""
        shape = [1] * len(self.shape)
        shape[axis] = self.shape[axis]
        return values.reshape(shape)


def _parts(column: CutColumn) -> Floats:
    """Return each atom's share of the width of its declared cell, shape (atoms,).

    An atom is a part of a cell that no condition cuts. A listed value or a missing value is
    one atom, with the share 1. Rows that a rule leaves out are in no cell: 0.
    """
    widths = np.ones(column.size)
    if isinstance(column.base, Binned):
        ends = (*column.starts, column.end)
        widths[: column.intervals] = [float(high - low) for low, high in pairwise(ends)]
    codes = column.declared_codes
    is_counted = codes >= 0
    wholes = np.bincount(codes[is_counted], widths[is_counted], minlength=column.base.size)
    # The tiny number only avoids a division by 0 for atoms that are not counted.
    return np.where(is_counted, widths / np.maximum(wholes[codes], 1e-300), 0.0)
