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
# The largest number below 1 that a float of 32 bits can be.
LARGEST_UNIFORM = 1 - 2.0**-24

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
    """Return drawn rows of the table after those above.

    Args:
        package: The declared tables.
        above: The drawn tables, parents first; the number of these is that of the table.
        numbers: Rows to draw for each parent, shape (parents,); for the root table, all its
            rows as one number.
        factors: Logarithms of weights by histogram, in its shape.
        generator: Gives the random numbers.
    """
    return _Drawing(package, above, numbers, factors=factors, generator=generator).draw()


class _Drawing:
    """One table being drawn: the first rows of all parents come first."""

    def __init__(
        self,
        package: LinkedPackage,
        above: tuple[TableCodes, ...],
        numbers: Ints,
        *,
        factors: Factors,
        generator: np.random.Generator,
    ) -> None:
        """Make room for the rows, and turn factors into weights of single columns.

        Args:
            package: The declared tables.
            above: The drawn tables, parents first.
            numbers: Rows to draw for each parent, shape (parents,); for the root table, all
                its rows as one number.
            factors: Logarithms of weights by histogram, in its shape.
            generator: Gives the random numbers.
        """
        self.package = package
        self.above = above
        self.generator = generator
        self.table = len(above)
        self.declared = package.tables[self.table]
        self.numbers = numbers
        # The position of the first row of each parent, and the parent of each row.
        self.starts = np.cumsum(numbers) - numbers
        self.parent = np.repeat(np.arange(len(numbers)), numbers)
        # The number of cells of each column, with those of numbers and bands of child rows.
        self.sizes = package.sizes(self.table)
        # The codes of each column; 0 where they are not yet drawn.
        self.codes = [np.zeros(len(self.parent), np.int32) for _ in self.sizes]
        # Rows for which no cell is possible.
        self.is_gone = np.zeros(len(self.parent), dtype=np.bool_)
        # The column after the number of rows of a child table holds the band of this number.
        self.bands = {
            package.number(child)[1] + 1: package.tables[child].bands
            for child in package.children(self.table)
        }
        # Each factor gives weights to one of its columns, the one that is drawn last.
        self.factors: dict[int, list[tuple[LinkedMarginal, Lines]]] = {}
        for marginal, logs in factors.items():
            column, lines = self._lines_of(marginal, logs)
            self.factors.setdefault(column, []).append((marginal, lines))
        # The first parent of those being drawn, and the weights of a row by rows that are
        # not above it, a line for each of these parents.
        self.first_parent = 0
        self.weights_by_others: dict[LinkedMarginal, Lines] = {}

    def draw(self) -> TableCodes:
        """Return all rows of the table, drawn in parts that fit into memory.

        Rows that could only repeat a combination of values that may not repeat are left out.
        """
        if self.declared.parent is None:
            # Rows of the root table have no siblings, so that no row was drawn before them.
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

        `first_parent` is the position of the first of `DRAWN_AT_ONCE` parents. Before, the
        weights are set that rows of other tables under the same parents add.
        """
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
        # In each turn, the next row of all parents that have so many.
        for turn in range(int(numbers.max(initial=0))):
            self._draw_rows(starts[numbers > turn] + turn, turn)

    def _source_column(self, column: int) -> int:
        """Return the column, or for a band that of the number from which it follows."""
        return column - 1 if column in self.bands else column

    def _lines_of(self, marginal: LinkedMarginal, logs: Floats) -> tuple[int, Lines]:
        """Return the column of a factor that is drawn last, and its weights of cells there.

        The weights are logarithms, shape (cells of all other columns, cells of the column):
        one line for each combination of the others. A band of a number of rows counts as the
        number, from which it follows.

        Args:
            marginal: The factor's histogram.
            logs: The factor's logarithms of weights, in the shape of the histogram.
        """
        if marginal.by_agreement:
            # Two logarithms, of pairs that differ and that agree, become a square table.
            is_equal = np.eye(self.sizes[marginal.columns[0][1]], dtype=np.bool_)
            logs = np.where(is_equal, logs[1], logs[0])
        # The axis of the column that is drawn last. Columns are drawn in their order; of one
        # column in two rows, the later axis counts.
        _, last_axis = max(
            (self._source_column(column), axis)
            for axis, (table, column) in enumerate(marginal.places)
            if table == self.table
        )
        _, column = marginal.places[last_axis]
        # This axis comes last, and all other axes become one.
        lines = np.moveaxis(logs, last_axis, -1).reshape(-1, logs.shape[last_axis])
        if column in self.bands:
            # Each number of rows has the weight of its band.
            lines = lines[:, self.bands[column]]
        return self._source_column(column), lines.astype(np.float32)

    def _weigh_others(self, marginal: LinkedMarginal, lines: Lines, parents: int) -> Lines:
        """Return what rows of another table add to the weights of rows of the same parent.

        Args:
            marginal: The factor's histogram, of pairs of rows of one parent.
            lines: The factor's weights, a line for each cell of the other row's column.
            parents: The number of parents whose rows are being drawn.

        Returns:
            The sums over all other rows of a parent, shape (parents, cells); zeros if the
            other row is of the same table, as these are added while they are drawn.
        """
        weights = np.zeros((parents, lines.shape[1]), np.float32)
        # In a pair the other row, which was drawn before, comes first.
        table, column = marginal.columns[0]
        if table == self.table:
            return weights
        # Rows of another table, which was drawn before, in the order of their parents: each
        # parent's rows are a slice.
        level = self.above[table]
        bounds = np.arange(self.first_parent, self.first_parent + parents + 1)
        ends = np.searchsorted(level.parent, bounds)
        starts = ends[:-1]
        numbers = np.diff(ends)
        # The first rows of all parents, then the second ones, and so on.
        for rank in range(int(numbers.max(initial=0))):
            has_row = numbers > rank
            weights[has_row] += lines[level.codes[column][starts[has_row] + rank]]
        return weights

    def _draw_rows(self, rows: Ints, turn: int) -> None:
        """Draw rows column by column.

        Args:
            rows: Positions of the rows, at most one for each parent.
            turn: How many rows of the same parent were drawn before each.
        """
        for column in range(len(self.sizes)):
            if column in self.bands:
                continue  # it was set with the column of the number before it
            self._draw_column(column, rows, turn)
            band_column = column + 1
            if band_column in self.bands:  # the column holds numbers of child rows
                numbers = self.codes[column][rows]
                self.codes[band_column][rows] = self.bands[band_column][numbers]
            self._weigh_later_siblings(column, rows)

    def _draw_column(self, column: int, rows: Ints, turn: int) -> None:
        """Draw the cells of a column.

        The logarithms of the weights of all factors that end in the column are added. Cells
        that would repeat a combination that may not repeat weigh nothing. A row without any
        other cell is marked as gone.

        Args:
            column: The column's number.
            rows: Positions of the rows, at most one for each parent.
            turn: How many rows of the same parent were drawn before each.
        """
        factors = self.factors.get(column, ())
        parents = self.parent[rows] - self.first_parent
        # For each factor: its weights by line, and the line of each row.
        sources = [
            (lines, self._lines_of_rows(marginal, column, rows))
            for marginal, lines in factors
            if not marginal.others
        ]
        for marginal, _ in factors:
            if marginal.others:
                sources.append((self.weights_by_others[marginal], parents))
        taken_by_siblings = self._taken_cells(column, rows, turn)
        # In parts, so that not the weights of all rows are in memory.
        for start in range(0, len(rows), PICKED_AT_ONCE):
            chunk = slice(start, start + PICKED_AT_ONCE)
            weights = np.zeros((len(rows[chunk]), self.sizes[column]), np.float32)
            for lines, line in sources:
                weights += lines.take(line[chunk], axis=0)
            for cells in taken_by_siblings:
                taken = cells[chunk]  # -1 where the sibling takes no cell
                weights[np.flatnonzero(taken >= 0), taken[taken >= 0]] = -np.inf
            if taken_by_siblings:
                self.is_gone[rows[chunk]] |= ~np.isfinite(weights.max(axis=1))
            self.codes[column][rows[chunk]] = _pick(weights, self.generator)

    def _weigh_later_siblings(self, column: int, rows: Ints) -> None:
        """Add what the drawn cells of a column weigh in siblings that are drawn later.

        Siblings are rows of the same parent; only their same column is concerned. `rows` are
        the positions of the drawn rows, at most one for each parent.
        """
        parents = self.parent[rows] - self.first_parent
        for marginal, lines in self.factors.get(column, ()):
            # Factors of pairs within one table; the others do not change as rows are drawn.
            if marginal.others and marginal.others[0][0] == marginal.table:
                drawn_lines = lines[self.codes[column][rows]]
                self.weights_by_others[marginal][parents] += drawn_lines

    def _lines_of_rows(self, marginal: LinkedMarginal, column: int, rows: Ints) -> Ints:
        """Return the line of each row in a factor's weights, shape (rows,).

        The line is the mixed-radix number of the codes in all columns of the factor but the
        last drawn one; these may be columns of the rows above.

        Args:
            marginal: The factor's histogram.
            column: The column that is drawn last.
            rows: Positions of the rows.
        """
        line = np.zeros(len(rows), np.int64)
        places = zip(marginal.places, marginal.shape(self.package), strict=True)
        for (table, other_column), size in places:
            if table == self.table and self._source_column(other_column) == column:
                continue  # the column that is drawn is no part of the line
            line *= size
            if table == self.table:
                line += self.codes[other_column][rows]
            else:
                line += self._codes_above(table, other_column, rows)
        return line

    def _codes_above(self, table: int, column: int, rows: Ints) -> SmallCodes:
        """Return the codes of a column in the rows of a table above that rows belong to.

        `rows` are positions of rows of the table being drawn. The result has their shape.
        """
        ancestors = self.parent[rows]
        # The tables from the parent up to the root; one climbs to `table`.
        lineage = self.package.lineage(self.table)[1:]
        for level in lineage[: lineage.index(table)]:
            ancestors = self.above[level].parent[ancestors]
        return self.above[table].codes[column][ancestors]

    def _taken_cells(self, column: int, rows: Ints, turn: int) -> list[Ints]:
        """Return the cells of a column that earlier siblings take from rows.

        The values of some columns together may not repeat among the rows of one parent. When
        the last of these columns is drawn, a sibling that is equal in the others takes its
        cell.

        Args:
            column: The column that is drawn.
            rows: Positions of the rows, at most one for each parent.
            turn: How many rows of the same parent were drawn before each.

        Returns:
            For each earlier sibling its cell by row, shape (rows,), or -1 if it takes none;
            nothing for other columns.
        """
        names = self.declared.unique
        unique_columns = [self.declared.domain.names.index(name) for name in names]
        if not unique_columns or column != max(unique_columns):
            return []
        taken = []
        for earlier_turn in range(turn):
            # Rows of one parent follow each other.
            siblings = rows - (turn - earlier_turn)
            is_equal = ~self.is_gone[siblings]
            for unique_column in unique_columns:
                if unique_column != column:
                    codes = self.codes[unique_column]
                    is_equal &= codes[siblings] == codes[rows]
            taken.append(np.where(is_equal, self.codes[column][siblings], -1))
        return taken


def _pick(weights: Lines, generator: np.random.Generator) -> SmallCodes:
    """Return a randomly drawn cell for each line, shape (lines,).

    `weights` holds the logarithms of the cells' weights, shape (lines, cells).
    """
    # Cells are the first axis, so that each step below is one pass over all lines.
    running = np.ascontiguousarray(weights.T)
    # The largest weight becomes 1, so that no exponential overflows. A line without any
    # possible cell has no finite one.
    top = running.max(axis=0)
    np.exp(running - np.where(np.isfinite(top), top, 0), out=running)
    # Running sums of the weights; the drawn cell is the one in which the mark lies.
    for cell in range(1, len(running)):
        running[cell] += running[cell - 1]
    uniform = np.minimum(_spaced_numbers(running, generator), LARGEST_UNIFORM)
    marks = uniform.astype(np.float32) * running[-1]
    cells = (running <= marks).sum(axis=0)
    # Only in a line without any weight the mark is past the last cell.
    return np.asarray(np.minimum(cells, len(running) - 1).astype(np.int32))


def _spaced_numbers(running: Lines, generator: np.random.Generator) -> Floats:
    """Return a random number from 0 to 1 for each line, by which its cell is chosen.

    Each is uniform. Lines with nearly the same mean cell get evenly spaced numbers, so that
    the drawn rows of each cell are hardly more or fewer than expected.

    Args:
        running: The running sums of each line's weights, shape (cells, lines).
    """
    # The sum of running sums tells the mean cell, from the other end; lines without any
    # weight must not divide by 0.
    mean_cell = running.sum(axis=0) / np.maximum(running[-1], np.float32(1e-30))
    # Means are at most the number of cells, so that there are `MEANS_APART` groups.
    group = (mean_cell * np.float32(MEANS_APART / len(running))).astype(np.int16)
    # Lines of one group follow each other, in a random order within it.
    order = generator.permutation(len(group))
    order = order[np.argsort(group[order], kind="stable")]
    even = np.empty(len(group))
    # Multiples of the golden ratio, modulo 1, are evenly spaced for any number of them.
    even[order] = np.mod(generator.random() + GOLDEN * np.arange(len(group)), 1.0)
    return even
