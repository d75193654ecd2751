"""Tables of few columns each, measured as residuals; see `closed_form`. PUBLIC.

>>> residual(np.array([[5, 1], [0, 2], [1, 0]]))
array([[ 9, -9],
       [-9,  9],
       [ 0,  0]])
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from synth.noise import CellNoise
from synth.questions.strategies.closed_form import ClosedForm, Subset
from synth.questions.way.strategy import Moves
from synth.questions.workloads.block import Block
from synth.questions.workloads.tallies import Tally
from synth.util import Document, Floats, Ints


def residual(counts: Ints) -> Ints:
    """Return counts with m I - J applied along every axis of m classes, J being all ones.

    Along an axis each count is taken m times, less the sum over the axis. That is m times the
    count's distance from the mean, but whole. The shape stays the same.
    """
    table = counts
    for axis, classes in enumerate(counts.shape):
        table = table * classes - table.sum(axis=axis, keepdims=True)
    return table


def centre(noisy: Floats) -> Floats:
    """Return an array with the mean subtracted along every axis: I - J / m of m classes.

    For a residual, noise outside the space of residuals is removed by it.
    """
    table = noisy
    for axis in range(noisy.ndim):
        table = table - table.mean(axis=axis, keepdims=True)
    return table


@dataclass(frozen=True, eq=False)
class Residuals:
    """The residuals of tables; see `CountStrategy`.

    Attributes:
        parts: The rows by cell of each residual's columns.
        places: Positions of the cells of each table among its totals, -1 for unrequested
            ones.
    """

    closed: ClosedForm
    parts: tuple[Tally, ...]
    places: tuple[Ints, ...]

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """Rows by cell of each set of columns."""
        return self.parts

    @property
    def size(self) -> int:
        """Number of measured numbers."""
        return sum(part.size for part in self.parts)

    @cached_property
    def _moves(self) -> tuple[Moves, bool]:
        return self.closed.moves()

    @property
    def moves(self) -> Moves:
        """How far a row moves all residuals."""
        return self._moves[0]

    @property
    def exact(self) -> bool:
        """Whether two rows have that distance."""
        return self._moves[1]

    def describe(self, names: Sequence[str]) -> list[Document]:
        """Return the columns and the weight of each residual, as JSON.

        ``names`` are the names of all columns, by number. A residual is the part of a table
        that smaller tables lack.
        """
        pairs = zip(self.closed.subsets, self.closed.weights, strict=True)
        return [
            {"columns": [names[i] for i in subset], "weight": weight}
            for subset, weight in pairs
        ]

    def measure(self, counts: Sequence[Ints]) -> Ints:
        """Return the exact residuals in steps, one after another, shape (size,).

        A residual is the part of a table that smaller tables lack. ``counts`` has for each
        set of columns the rows by cell, flattened.
        """
        closed = self.closed
        measured = []
        for subset, weight, cells in zip(closed.subsets, closed.weights, counts, strict=True):
            table = cells.reshape(closed.shape(subset))
            measured.append(residual(table).reshape(-1) * weight)
        return np.concatenate(measured)

    def estimates(self, noisy: Ints) -> Floats:
        """Return the requested cells of all tables in rows, one table after another.

        ``noisy`` has the residuals in steps. Noise outside the space of residuals is removed
        from each before they are added up. A residual is the part of a table that smaller
        tables lack.
        """
        ends = np.cumsum([part.size for part in self.parts])[:-1]
        noisy_parts = np.split(noisy.astype(np.float64), ends)
        residuals: dict[Subset, Floats] = {}
        for number, subset in enumerate(self.closed.subsets):
            in_steps = noisy_parts[number].reshape(self.closed.shape(subset))
            residuals[subset] = centre(in_steps / self.closed.steps_of_row(number))
        tables = [
            _in_place(self._table(table, residuals).reshape(-1), place)
            for table, place in zip(self.closed.tables, self.places, strict=True)
        ]
        return np.concatenate(tables)

    def _table(self, table: Subset, residuals: dict[Subset, Floats]) -> Floats:
        """Return a table as the sum of the residuals of its subsets of columns.

        Along columns that a residual lacks, it is spread evenly over the table's cells. A
        residual is the part of a table that smaller tables lack.

        Args:
            table: The columns of the table, by number.
            residuals: The estimated residual of each set of columns, in rows.
        """
        cells = np.zeros(self.closed.shape(table))
        for subset, values in residuals.items():
            if set(subset) <= set(table):
                shape = [self.closed.classes[i] if i in subset else 1 for i in table]
                # Each number is divided among the table's cells that it stands for.
                cells += values.reshape(shape) * (values.size / cells.size)
        return cells

    def _weigh_within(self, table: Subset) -> list[tuple[float, float]]:
        """Return, for each residual of a table, two factors of the variance of a cell.

        The first is how much a step of the residual moves a cell of the table, in rows. The
        second is the share of the noise's variance that is left after the projection onto
        residuals. The variance is the square of the first times the second. ``table`` has the
        table's columns. A residual is the part of a table that smaller tables lack.
        """
        closed = self.closed
        size = math.prod(self.closed.shape(table))
        # A residual has fewer cells, each of which stands for several of the table. A row
        # counts for `steps_of_row` steps in it.
        return [
            (
                math.prod(closed.shape(subset)) / size / closed.steps_of_row(number),
                math.prod(1 - 1 / m for m in closed.shape(subset)),
            )
            for number, subset in enumerate(closed.subsets)
            if set(subset) <= set(table)
        ]

    def variances(self) -> Floats:
        """Return the variances of all requested cells, as multiples of the noise's on one
        step.

        They are equal within a table. A step is the unit in which noise is drawn.
        """
        table_variances = [
            sum(weight**2 * left for weight, left in self._weigh_within(table))
            for table in self.closed.tables
        ]
        return self._cells(table_variances)

    def halves(self, noise: CellNoise, level: float) -> Floats:
        """Return half widths of the intervals of all requested cells, in rows.

        A residual is the part of a table that smaller tables lack.

        Args:
            noise: The noise on each step of a residual.
            level: The probability with which each interval holds the true count.
        """
        largest_weights = self._cells(
            [
                max(weight for weight, _ in self._weigh_within(table))
                for table in self.closed.tables
            ]
        )
        # Cells of equal variance and weight have equal intervals, computed only once.
        kinds, which = np.unique(
            np.stack([self.variances(), largest_weights]), axis=1, return_inverse=True
        )
        halves = noise.number_law.bounded_halves(kinds[0], kinds[1], self.size, level=level)
        return np.asarray(halves[which.reshape(-1)])

    def sizes(self, noise: CellNoise) -> Floats:
        """Return the expected sizes of the errors of all cells, in rows."""
        return np.asarray(np.sqrt(2 / math.pi * noise.variance * self.variances()))

    def _cells(self, by_table: Sequence[float]) -> Floats:
        """Repeat the number of each table for each of its requested cells."""
        asked_cells = [int((place >= 0).sum()) for place in self.places]
        return np.repeat(np.array(by_table, dtype=np.float64), asked_cells)


def _in_place(values: Floats, place: Ints) -> Floats:
    """Return the requested cells of a table in the order of its totals.

    ``place`` has the place of each cell among the totals, -1 for one that is not requested.
    """
    numbers = np.zeros(int((place >= 0).sum()))
    numbers[place[place >= 0]] = values[place >= 0]
    return numbers


@dataclass(frozen=True, eq=False)
class WholeTables:
    """Tables of some columns, every cell by itself, that cut no column differently.

    Attributes:
        places: Positions of the cells of each among its totals, -1 for unrequested ones.
        classes: The class of every atom of each column.
    """

    axes: tuple[Subset, ...]
    places: tuple[Ints, ...]
    classes: Mapping[int, Ints]

    @property
    def asked_cells(self) -> list[int]:
        """Number of cells of each table that some question asks for."""
        return [int((place >= 0).sum()) for place in self.places]

    @property
    def sizes(self) -> list[int]:
        """The number of classes of each column, by its number; 0 for columns in no table."""
        columns = max(self.classes, default=-1) + 1
        return [
            int(self.classes[i].max()) + 1 if i in self.classes else 0 for i in range(columns)
        ]

    def measured_by(self, closed: ClosedForm) -> Residuals:
        """Return the strategy that measures these tables by residuals with these weights.

        A residual is the part of a table that smaller tables lack.
        """
        parts = tuple(self._part(subset, closed.shape(subset)) for subset in closed.subsets)
        return Residuals(closed, parts, self.places)

    def _part(self, subset: Subset, shape: tuple[int, ...]) -> Tally:
        """Return the tally that counts the rows by cell of some columns.

        Args:
            subset: The columns, by number.
            shape: The number of classes of each.
        """
        size = math.prod(shape)
        return Tally(
            axes=subset,
            classes=tuple(self.classes[i] for i in subset),
            place=np.arange(size).reshape(shape),
            size=size,
        )


def whole_tables(block: Block) -> WholeTables | None:
    """Return the tables of a block of questions; None if it asks for anything else.

    Every total must be a single cell of a table, and the tables must cut each column alike.
    """
    classes: dict[int, Ints] = {}
    tallies = [block.workload.tallies[number] for number in block.tallies]
    for tally in tallies:
        total_numbers = tally.place.reshape(-1)
        numbers_of_cells = np.sort(total_numbers[total_numbers >= 0])
        has_all_cells = np.array_equal(numbers_of_cells, np.arange(tally.size))
        # A column of one class would have a residual of 0 everywhere, and the closed form
        # takes columns in ascending order.
        if (
            not has_all_cells
            or 1 in tally.place.shape
            or list(tally.axes) != sorted(tally.axes)
        ):
            return None
        for axis, column_classes in zip(tally.axes, tally.classes, strict=True):
            first_seen = classes.setdefault(axis, column_classes)
            if not np.array_equal(first_seen, column_classes):
                return None
    axes = tuple(tally.axes for tally in tallies)
    return WholeTables(axes, tuple(tally.place.reshape(-1) for tally in tallies), classes)
