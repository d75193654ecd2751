"""Least, greatest and mean contributions of the cells of a release to an answer. PUBLIC."""
# A cell does not show the positions of its rows within bins, and a condition may cut a bin.
# The mean is that of evenly spread rows.

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
        """Return the entries of one total."""
        at = slice(*np.searchsorted(self.totals, [total, total + 1]))
        return CellSums._make(array[at] for array in self)

    def with_offsets(self, moment: KnownMoment) -> "CellSums | None":
        """Return entries with sums of offsets, which give the positions of rows in their
        bins.

        The sums follow the cells. None if they do not cover these totals.
        """
        if not self.whole.all():
            return None
        shape = [moment.domain.shape[column] for column in moment.place]
        middle, off = (
            np.broadcast_to(entries, shape).reshape(-1)[self.cells]
            for entries in (moment.middles, moment.rounding)
        )
        parts = [self._replace(low=middle - off, high=middle + off, middle=middle)]
        for total in np.unique(self.totals).tolist():
            mask = np.zeros(shape)
            mask.reshape(-1)[self.select_total(total).cells] = 1.0
            weights = moment.weigh(mask)
            if weights is None:
                return None
            places_of_sums = np.flatnonzero(weights)
            sum_weights = weights[places_of_sums]
            nothing = np.zeros(len(places_of_sums))
            places = np.full(len(places_of_sums), total)
            ones = np.ones(len(places_of_sums), bool)
            parts.append(
                CellSums(
                    places,
                    mask.size + places_of_sums,
                    sum_weights,
                    sum_weights,
                    sum_weights,
                    nothing,
                    ones,
                )
            )
        joined = [np.concatenate(entries) for entries in zip(*parts, strict=True)]
        order = np.argsort(joined[0], kind="stable")
        return CellSums(*(entries[order] for entries in joined))

    def add_least(self, ratio: float = 0.0) -> Floats:
        """Return the least that a row of a cell adds, minus a ratio for each row of the
        total.
        """
        contribution = self.low - ratio * self._counted
        return np.where(self.whole, contribution, np.minimum(contribution, 0))

    def add_most(self, ratio: float = 0.0) -> Floats:
        """Return the most that a row of a cell adds, minus a ratio for each row of the
        total.
        """
        contribution = self.high - ratio * self._counted
        return np.where(self.whole, contribution, np.maximum(contribution, 0))

    def add_evenly(self, ratio: float = 0.0) -> Floats:
        """Return the mean for evenly spread rows, minus a ratio for each row in the total."""
        return self.middle - ratio * self.part

    @property
    def _counted(self) -> Floats:
        return np.where(self.whole, self.part, 1.0)

    @property
    def are_exact(self) -> bool:
        """Whether nothing is assumed."""
        return bool((self.whole & (self.low == self.high)).all())


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
    """

    workload: Workload

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of atoms of each column."""
        return self.workload.universe.shape

    @cached_property
    def cells(self) -> Ints:
        """The declared cell of every atom, -1 for rows that are left out; shape (atoms,)."""
        cells = np.zeros(self.shape, np.int64)
        left_out = np.zeros(self.shape, bool)
        for axis, column in enumerate(self.workload.columns):
            codes = self._put_along(column.declared_codes, axis)
            cells = cells * column.base.size + codes
            left_out = left_out | (codes < 0)
        return np.where(left_out, -1, cells).reshape(-1)

    @cached_property
    def parts(self) -> Floats:
        """The part of its declared cell in every atom, by width; shape (atoms,)."""
        parts = np.ones(self.shape)
        for axis, column in enumerate(self.workload.columns):
            parts = parts * self._put_along(_parts(column), axis)
        return parts.reshape(-1)

    @cached_property
    def atoms_by_cell(self) -> Ints:
        """Atoms of every declared cell, shape (cells,)."""
        size = prod(column.base.size for column in self.workload.columns)
        return np.bincount(self.cells[self.cells >= 0], minlength=size)

    def add_by_atom(self, tally: Tally) -> Added:
        """Return which total of a tally a row of each atom adds to, and how much."""
        place = tally.place[np.ix_(*tally.classes)] if tally.axes else tally.place
        shape = [size if axis in tally.axes else 1 for axis, size in enumerate(self.shape)]
        places = np.broadcast_to(place.reshape(shape), self.shape).reshape(-1)
        if tally.summed is None:
            counted = np.ones(places.shape)
            return Added(places, counted, counted)
        low, high = (np.zeros(self.shape[tally.summed]) for _ in range(2))
        column = self.workload.columns[tally.summed]
        low[: column.intervals], high[: column.intervals] = column.ends
        return Added(
            places, self._spread(low, tally.summed), self._spread(high, tally.summed)
        )

    def of_tally(self, number: int) -> CellSums:
        """Return the contributions of each cell to the totals of a tally."""
        if number not in self._found:
            self._found[number] = self.sums(self.add_by_atom(self.workload.tallies[number]))
        return self._found[number]

    @cached_property
    def _found(self) -> dict[int, CellSums]:
        return {}

    def sums(self, added: Added) -> CellSums:
        """Return the contributions of each cell to each total, from those of its atoms.

        The atoms of a cell that add to one total are a run of the sorted keys (total, cell).
        The contribution lies between the least and the greatest of its atoms; the middle is
        for rows spread evenly. If all atoms of the cell add, no part of it is assumed.
        """
        atoms = np.flatnonzero((self.cells >= 0) & (added.places >= 0))
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
        if not len(starts):
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
        return np.broadcast_to(self._put_along(values, axis), self.shape).reshape(-1)

    def _put_along(self, values: NDArray[T], axis: int) -> NDArray[T]:
        shape = [1] * len(self.shape)
        shape[axis] = self.shape[axis]
        return values.reshape(shape)


def _parts(column: CutColumn) -> Floats:
    """Return each interval's share of the width of its declared cell; 0 outside of all
    cells.
    """
    widths = np.ones(column.size)
    if isinstance(column.base, Binned):
        ends = (*column.starts, column.end)
        widths[: column.intervals] = [float(high - low) for low, high in pairwise(ends)]
    codes = column.declared_codes
    is_counted = codes >= 0
    wholes = np.bincount(codes[is_counted], widths[is_counted], minlength=column.base.size)
    return np.where(is_counted, widths / np.maximum(wholes[codes], 1e-300), 0.0)
