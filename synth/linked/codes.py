"""Rows of linked tables as codes, and histograms of them. PUBLIC code: the rows may be
private.

>>> import numpy as np
>>> from synth.domain import Boolean, Domain, LinkedPackage, LinkedTable
>>> domain = Domain(x=bool)
>>> key = (("id", "integer"),)
>>> package = LinkedPackage(
...     "p",
...     (
...         LinkedTable(
...             name="a", path="", domain=domain, order=("id", "x"), keys=key, root_key="id"
...         ),
...         LinkedTable(
...             name="b",
...             path="",
...             domain=domain,
...             order=("id", "x"),
...             keys=key,
...             root_key="id",
...             parent=0,
...             most=4,
...         ),
...     ),
... )
>>> rows = LinkedCodes(
...     package=package,
...     levels=(
...         TableCodes((np.array([0, 1]),), np.array([0, 0])),
...         TableCodes((np.array([0, 1, 1]),), np.array([0, 0, 0])),
...     ),
... )
>>> rows.tally(LinkedMarginal(table=1, columns=((1, 0),), law=CountLaw.ROWS)).tolist()
[1, 2]
>>> rows.tally(
...     LinkedMarginal(table=1, columns=((1, 0),))
... ).tolist()  # a third of 256 units, and two thirds
[86, 170]
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from synth.domain import LinkedPackage
from synth.linked.marginals import CountLaw, LinkedMarginal, Place
from synth.util import Ints, SmallCodes, number_cells

# Positions of rows, of the other row of each, and what each pair adds to a histogram.
WeightedPairs = tuple[Ints, Ints, Ints]
# Pairs of rows held at a time; fewer are kept.
PAIRS_AT_ONCE = 2**21


@dataclass(frozen=True, eq=False)
class TableCodes:
    """The rows of one table, siblings together, in an order of their content.

    Attributes:
        codes: One array of shape (rows,) a column; those of numbers and bands are added
            later.
        parent: Each row's parent, ascending, shape (rows,); of the root, 0.
        found: Rows of each parent before any was left out; None if all are there.
    """

    codes: tuple[SmallCodes, ...]
    parent: Ints
    found: Ints | None = None

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.parent)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LinkedCodes:
    """The rows of the first tables of a package, or of all.

    Attributes:
        package: The declared tables.
        levels: The rows of each table, parents first.
    """

    package: LinkedPackage
    levels: tuple[TableCodes, ...]
    _units: dict[tuple[int, int], Ints] = field(default_factory=dict)
    _kept_pairs: dict[tuple[int, int], WeightedPairs] = field(default_factory=dict)

    def numbers(self, child: int) -> Ints:
        """Return how many rows of a child table each of its parents has, shape (parents,).

        Rows that the limit leaves out are not counted.
        """
        parent = self.package.tables[child].parent
        assert parent is not None
        return np.bincount(self.levels[child].parent, minlength=self.levels[parent].rows)

    def column(self, place: Place) -> SmallCodes:
        """Return the codes of a column of all rows of its table, shape (rows,).

        `place` is the number of a table and of a column there. After the declared columns
        come two for each child table: the number of rows there, and the band of this number.
        """
        table, column = place
        level = self.levels[table]
        if column < len(level.codes):
            return level.codes[column]
        # Drawn tables hold numbers and bands too; of others they are counted here.
        extra_column = column - len(self.package.tables[table].domain.shape)
        child_place, is_band = divmod(extra_column, 2)
        child = self.package.children(table)[child_place]
        # What the limit left out counts here, so that the release tells of it.
        original_numbers = self.levels[child].found
        declared = self.package.tables[child]
        cells = declared.number_of(
            self.numbers(child) if original_numbers is None else original_numbers
        )
        return declared.bands[cells] if is_band else cells

    def tally(self, marginal: LinkedMarginal) -> Ints:
        """Return the exact histogram of a marginal, shape (cells,).

        Each row, or each pair of rows of one parent, adds its whole weight to one cell. A
        marginal may have columns of rows above, whose codes are looked up.
        """
        shape = marginal.shape(self.package)
        total = np.zeros(int(np.prod(shape)), dtype=np.int64)
        columns = {place: self.column(place) for place in marginal.places}
        for first_rows, second_rows, weights in self._lines(marginal):
            codes = []
            for place in marginal.columns:
                table_above, _ = place
                rows_above = self._climb(marginal.table, first_rows, table_above)
                codes.append(columns[place][rows_above])
            # The columns of the other row of a pair are its own, so nothing is looked up.
            codes += [columns[place][second_rows] for place in marginal.others]
            if marginal.by_agreement:  # cell 0 for pairs that differ, 1 for those that agree
                codes = [np.asarray(codes[0] == codes[1])]
            np.add.at(total, number_cells(codes, shape), weights)
        return total

    def _climb(self, table: int, rows: Ints, top: int) -> Ints:
        """Return, for some rows of a table, the rows of the table `top` that they belong to.

        `rows` and the result are positions of rows in their tables. ValueError is raised if
        `top` is neither the table nor above it.
        """
        for ancestor in self.package.lineage(table):
            if ancestor == top:
                return rows
            rows = self.levels[ancestor].parent[rows]
        raise ValueError(top)

    def _lines(self, marginal: LinkedMarginal) -> Iterator[WeightedPairs]:
        """Yield what a marginal counts, in parts that fit into memory.

        A part holds the positions of rows, those of the other row of each pair, and the whole
        weight that each row or pair adds, all of one shape. Single rows stand twice.
        """
        if marginal.others:
            yield from self._pairs(marginal)
            return
        rows = np.arange(self.levels[marginal.table].rows)
        if marginal.law is CountLaw.ROWS:
            yield rows, rows, np.ones(len(rows), np.int64)
        elif marginal.law is CountLaw.BANDS:
            # A row counts more often if its parent has few rows.
            declared = self.package.tables[marginal.table]
            weights_by_band = np.array(declared.times)
            siblings = self.numbers(marginal.table)[self.levels[marginal.table].parent]
            yield rows, rows, weights_by_band[declared.bands[siblings]]
        else:
            yield rows, rows, self._units_of(marginal.table, marginal.units(self.package))

    def _units_of(self, table: int, units: int) -> Ints:
        """Return how many of a root's whole units each row of a table has, shape (rows,).

        A root, which is a row of the root table, has `units` units. The units of a row are
        shared among its children. The answer is remembered.
        """
        if (table, units) not in self._units:
            level = self.levels[table]
            if self.package.tables[table].parent is None:
                shared = np.full(level.rows, units)
            else:
                parent_units = self._parent_units(table, units)[level.parent]
                # The place of each row among its siblings, from 0.
                ranks = np.arange(level.rows) - self._starts(table)[level.parent]
                shared = _share(parent_units, self.numbers(table)[level.parent], ranks)
            self._units[table, units] = shared
        return self._units[table, units]

    def _parent_units(self, table: int, units: int) -> Ints:
        parent = self.package.tables[table].parent
        assert parent is not None
        return self._units_of(parent, units)

    def _starts(self, table: int) -> Ints:
        # The first row of each parent.
        numbers = self.numbers(table)
        return np.cumsum(numbers) - numbers

    def _pairs(self, marginal: LinkedMarginal) -> Iterator[WeightedPairs]:
        """Yield all pairs of two different rows of one parent, in parts.

        A part holds the positions of the first rows and of the second ones, and how many of
        the root's units each pair has. If one part holds all pairs, it is remembered.

        Args:
            marginal: Says the tables of the first and of the second rows, which may be one.
        """
        tables = marginal.table, marginal.others[0][0]
        if tables in self._kept_pairs:
            yield self._kept_pairs[tables]
            return
        is_one_table = tables[0] == tables[1]
        # A row has no pair with itself.
        partners = self.numbers(tables[1]) - is_one_table
        pair_counts = self.numbers(tables[0]) * partners
        parent_units = self._parent_units(marginal.table, marginal.units(self.package))
        starts = [self._starts(table) for table in tables]
        # Parents are split where their pairs fill a part of `PAIRS_AT_ONCE`.
        ends = np.cumsum(pair_counts)
        cuts = np.arange(PAIRS_AT_ONCE, ends[-1] if len(ends) else 0, PAIRS_AT_ONCE)
        for parents in np.split(np.arange(len(pair_counts)), np.searchsorted(ends, cuts)):
            pairs = pair_counts[parents]
            parent = np.repeat(parents, pairs)
            # The number of each pair among those of its parent, from 0.
            rank = np.arange(len(parent)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
            first, second = np.divmod(rank, partners[parent])
            if is_one_table:
                second += second >= first  # so that no row meets itself
            weights = _share(parent_units[parent], pair_counts[parent], rank)
            weighted = starts[0][parent] + first, starts[1][parent] + second, weights
            if not len(cuts):  # one part holds all pairs
                self._kept_pairs[tables] = weighted
            yield weighted


def _share(units: Ints, shares: Ints, rank: Ints) -> Ints:
    """Return the whole units of the share with this rank, from 0; arrays of one shape.

    `units` are divided into so many `shares`; units that remain go to the first shares.
    """
    quotient, remainder = np.divmod(units, np.maximum(shares, 1))
    return np.asarray(quotient + (rank < remainder))
