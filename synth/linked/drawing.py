"""One linked table drawn row by row, by factors of its histograms. PUBLIC.

The first rows of all parents are drawn together, then their second rows, and so on; each row
column by column. A cell's weight is the product of its factors, given

- earlier columns of the row, and the rows above it;
- earlier siblings, and the rows of other tables under its parent, which each have a factor.

Cells are picked by evenly spread numbers among rows whose weights are alike, so that the rows
of each cell are hardly more or fewer than expected (Weyl's sequence of the golden ratio).
"""

import numpy as np
from numpy.typing import NDArray

from synth.domain import LinkedPackage
from synth.estimate import GOLDEN
from synth.linked.codes import TableCodes
from synth.linked.marginals import LinkedMarginal
from synth.util import Floats, Ints, SmallCodes

# Parents whose rows are drawn at a time.
DRAWN_AT_ONCE = 2**16
# Rows with weights in memory.
PICKED_AT_ONCE = 2**13
# Different means of cells; rows whose means are nearer count as alike.
MEANS_APART = 4096
# The largest number below 1 of 32 bits.
LARGEST_EVEN = 1 - 2.0**-24

# Weights of a column's cells, a line for each combination of other columns.
Lines = NDArray[np.float32]
# Logarithms of weights, in their histograms' shapes.
Factors = dict[LinkedMarginal, Floats]


def draw_table(
    package: LinkedPackage,
    above: tuple[TableCodes, ...],
    numbers: Ints,
    *,
    factors: Factors,
    generator: np.random.Generator,
) -> TableCodes:
    """Return rows of the table after those above.

    Args:
        above: The drawn tables.
        numbers: Rows of each parent; of the root table, all its rows.
    """
    return _Drawing(package, above, numbers, factors=factors, generator=generator).draw()


class _Drawing:
    """One table being drawn: the first rows of all parents come first.

    Args:
        numbers: Rows of each parent; of the root table, all its rows.
    """

    def __init__(
        self,
        package: LinkedPackage,
        above: tuple[TableCodes, ...],
        numbers: Ints,
        *,
        factors: Factors,
        generator: np.random.Generator,
    ) -> None:
        self.package = package
        self.above = above
        self.generator = generator
        self.table = len(above)
        self.declared = package.tables[self.table]
        self.numbers = numbers
        self.starts = np.cumsum(numbers) - numbers
        self.parent = np.repeat(np.arange(len(numbers)), numbers)
        self.sizes = package.sizes(self.table)
        self.codes = [np.zeros(len(self.parent), np.int32) for _ in self.sizes]
        self.is_gone = np.zeros(len(self.parent), dtype=np.bool_)
        # The bands of numbers of child rows, by their column, which follows the numbers'.
        self.bands = {
            package.number(child)[1] + 1: package.tables[child].bands
            for child in package.children(self.table)
        }
        self.factors: dict[int, list[tuple[LinkedMarginal, Lines]]] = {}
        for marginal, logs in factors.items():
            column, lines = self._lines_of(marginal, logs)
            self.factors.setdefault(column, []).append((marginal, lines))
        # The first parent of those being drawn, and the weights of a row by rows that are
        # not above it, a line for each of these parents.
        self.first_parent = 0
        self.weights_by_others: dict[LinkedMarginal, Lines] = {}

    def draw(self) -> TableCodes:
        """Draw all rows of the table, those without a possible cell left out."""
        if self.declared.parent is None:
            for start in range(0, len(self.parent), DRAWN_AT_ONCE):
                end = min(start + DRAWN_AT_ONCE, len(self.parent))
                self._draw_rows(np.arange(start, end), 0)
        else:
            for first in range(0, len(self.numbers), DRAWN_AT_ONCE):
                self._draw_children(first)
        is_there = ~self.is_gone
        codes = tuple(column[is_there] for column in self.codes)
        return TableCodes(codes, self.parent[is_there])

    def _draw_children(self, first_parent: int) -> None:
        """Draw the rows of some parents: all first children, then all second ones, and so on.

        Sets the weights that rows of other tables under the same parents add.
        """
        # The rows of some parents, from this one on.
        parents = slice(first_parent, first_parent + DRAWN_AT_ONCE)
        numbers = self.numbers[parents]
        starts = self.starts[parents]
        self.first_parent = first_parent
        self.weights_by_others = {}
        for column_factors in self.factors.values():
            for marginal, lines in column_factors:
                if marginal.others:
                    weights = self._weigh_others(marginal, lines, len(numbers))
                    self.weights_by_others[marginal] = weights
        for turn in range(int(numbers.max(initial=0))):
            self._draw_rows(starts[numbers > turn] + turn, turn)

    def _source_column(self, column: int) -> int:
        # A band follows from the number.
        return column - 1 if column in self.bands else column

    def _lines_of(self, marginal: LinkedMarginal, logs: Floats) -> tuple[int, Lines]:
        """Return the last drawn column of a factor, and its weights by line of the others.

        Weights are logarithms, shape (cells of the other columns, cells of the column). A
        factor of agreement becomes a table of two columns first.
        """
        if marginal.by_agreement:
            is_equal = np.eye(self.sizes[marginal.columns[0][1]], dtype=np.bool_)
            logs = np.where(is_equal, logs[1], logs[0])
        drawn_here = [
            axis for axis, (table, _) in enumerate(marginal.places) if table == self.table
        ]
        last = max(
            drawn_here, key=lambda axis: (self._source_column(marginal.places[axis][1]), axis)
        )
        column = marginal.places[last][1]
        lines = np.moveaxis(logs, last, -1).reshape(-1, logs.shape[last])
        if column in self.bands:
            lines = lines[:, self.bands[column]]
        return self._source_column(column), lines.astype(np.float32)

    def _weigh_others(self, marginal: LinkedMarginal, lines: Lines, parents: int) -> Lines:
        """Return the sums of a factor's weights over the other rows of each parent.

        Weights of a row's cells by the rows of another table under its parent.
        """
        weights = np.zeros((parents, lines.shape[1]), np.float32)
        table, column = marginal.columns[0]
        if table == self.table:
            return weights
        level = self.above[table]
        bounds = np.arange(self.first_parent, self.first_parent + parents + 1)
        ends = np.searchsorted(level.parent, bounds)
        starts = ends[:-1]
        numbers = np.diff(ends)
        for place in range(int(numbers.max(initial=0))):
            has_row = numbers > place
            weights[has_row] += lines[level.codes[column][starts[has_row] + place]]
        return weights

    def _draw_rows(self, rows: Ints, turn: int) -> None:
        """Draw rows that are the turn-th children of their parents.

        One row each of some parents, column by column.
        """
        for column in range(len(self.sizes)):
            if column in self.bands:
                continue
            self._draw_column(column, rows, turn)
            band_column = column + 1
            if band_column in self.bands:
                self.codes[band_column][rows] = self.bands[band_column][
                    self.codes[column][rows]
                ]
            self._weigh_later_siblings(column, rows)

    def _draw_column(self, column: int, rows: Ints, turn: int) -> None:
        """Draw a column's cells for rows that are the turn-th children of their parents.

        Weights of all factors that end in the column are added; cells that a unique
        combination forbids weigh nothing, and a row without any other cell is marked as gone.
        """
        factors = self.factors.get(column, ())
        parents = self.parent[rows] - self.first_parent
        # Weights by line, and the line of each row.
        sources = [
            (lines, self._line(marginal, column, rows))
            for marginal, lines in factors
            if not marginal.others
        ]
        for marginal, _ in factors:
            if marginal.others:
                sources.append((self.weights_by_others[marginal], parents))
        taken_by_siblings = self._taken_cells(column, rows, turn)
        for start in range(0, len(rows), PICKED_AT_ONCE):
            some = slice(start, start + PICKED_AT_ONCE)
            weights = np.zeros((len(rows[some]), self.sizes[column]), np.float32)
            for lines, line in sources:
                weights += lines.take(line[some], axis=0)
            for cells in taken_by_siblings:
                taken = cells[some]
                weights[np.flatnonzero(taken >= 0), taken[taken >= 0]] = -np.inf
            if taken_by_siblings:
                self.is_gone[rows[some]] |= ~np.isfinite(weights.max(axis=1))
            self.codes[column][rows[some]] = _pick(weights, self.generator)

    def _weigh_later_siblings(self, column: int, rows: Ints) -> None:
        """Add the weights of drawn cells to those of the siblings that are drawn later.

        Drawn rows weigh on the same column of siblings after them.
        """
        parents = self.parent[rows] - self.first_parent
        for marginal, lines in self.factors.get(column, ()):
            if marginal.others and marginal.others[0][0] == marginal.table:
                drawn_lines = lines[self.codes[column][rows]]
                self.weights_by_others[marginal][parents] += drawn_lines

    def _line(self, marginal: LinkedMarginal, column: int, rows: Ints) -> Ints:
        """Return the line of each row in a factor's weights, by its other columns and rows
        above.
        """
        line = np.zeros(len(rows), np.int64)
        places = zip(marginal.places, marginal.shape(self.package), strict=True)
        for (table, other_column), size in places:
            if table == self.table and self._source_column(other_column) == column:
                continue
            line *= size
            if table == self.table:
                line += self.codes[other_column][rows]
            else:
                line += self._codes_above(table, other_column, rows)
        return line

    def _codes_above(self, table: int, column: int, rows: Ints) -> SmallCodes:
        """Return the codes of a column of the rows that these belong to.

        Codes of the rows above.
        """
        ancestors = self.parent[rows]
        lineage = self.package.lineage(self.table)[1:]
        for level in lineage[: lineage.index(table)]:
            ancestors = self.above[level].parent[ancestors]
        return self.above[table].codes[column][ancestors]

    def _taken_cells(self, column: int, rows: Ints, turn: int) -> list[Ints]:
        """Return the cells that would repeat a unique combination.

        Cells of earlier siblings that rows may not repeat; -1 if there is none.
        """
        names = self.declared.unique
        unique_columns = [self.declared.domain.names.index(name) for name in names]
        if not unique_columns or column != max(unique_columns):
            return []
        taken = []
        for earlier_turn in range(turn):
            siblings = rows - (turn - earlier_turn)
            is_equal = ~self.is_gone[siblings]
            for unique_column in unique_columns:
                if unique_column != column:
                    codes = self.codes[unique_column]
                    is_equal &= codes[siblings] == codes[rows]
            taken.append(np.where(is_equal, self.codes[column][siblings], -1))
        return taken


def _pick(weights: Lines, generator: np.random.Generator) -> SmallCodes:
    """Draw a cell for each line.

    A cell of each line by the logarithms of its weights, shape (lines,).
    """
    running = np.ascontiguousarray(weights.T)
    top = running.max(axis=0)
    np.exp(running - np.where(np.isfinite(top), top, 0), out=running)
    for cell in range(1, len(running)):
        running[cell] += running[cell - 1]
    even = np.minimum(_even_numbers(running, generator), LARGEST_EVEN)
    marks = even.astype(np.float32) * running[-1]
    cells = (running <= marks).sum(axis=0)
    return np.asarray(np.minimum(cells, len(running) - 1).astype(np.int32))


def _even_numbers(running: Lines, generator: np.random.Generator) -> Floats:
    """Return a random number from 0 to 1 for each line, by which its cell is chosen.

    Each is uniform. Lines with nearly the same mean cell get evenly spaced numbers, so that
    the drawn rows of each cell are hardly more or fewer than expected.

    Args:
        running: The running sums of each line's weights, shape (cells, lines).
    """
    mean_cell = running.sum(axis=0) / np.maximum(running[-1], np.float32(1e-30))
    group = (mean_cell * np.float32(MEANS_APART / len(running))).astype(np.int16)
    order = generator.permutation(len(group))
    order = order[np.argsort(group[order], kind="stable")]
    even = np.empty(len(group))
    # Multiples of the golden ratio, modulo 1, are evenly spaced for any number of them.
    even[order] = np.mod(generator.random() + GOLDEN * np.arange(len(group)), 1.0)
    return even
