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

# Rows, the other row of each, and what each pair adds.
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
        """Return the kept rows of each parent, shape (parents,)."""
        parent = self.package.tables[child].parent
        assert parent is not None
        return np.bincount(self.levels[child].parent, minlength=self.levels[parent].rows)

    def column(self, place: Place) -> SmallCodes:
        """Return the codes of a column, perhaps of numbers, shape (rows,)."""
        table, column = place
        level = self.levels[table]
        if column < len(level.codes):
            return level.codes[column]
        number, is_band = divmod(column - len(self.package.tables[table].domain.shape), 2)
        child = self.package.children(table)[number]
        original_numbers = self.levels[child].found
        declared = self.package.tables[child]
        cells = declared.number_of(
            self.numbers(child) if original_numbers is None else original_numbers
        )
        return declared.bands[cells] if is_band else cells

    def tally(self, marginal: LinkedMarginal) -> Ints:
        """Return the exact histogram of a marginal, shape (cells,).

        Each line counts a row, or a pair of rows, with its weight; columns of rows above are
        looked up.
        """
        shape = marginal.shape(self.package)
        total = np.zeros(int(np.prod(shape)), dtype=np.int64)
        columns = [self.column(place) for place in marginal.places]
        for here, there, weights in self._lines(marginal):
            ends = [(marginal.table, here) for _ in marginal.columns]
            ends += [(place[0], there) for place in marginal.others]
            codes = [
                column[self._climb(table, rows, place[0])]
                for (table, rows), place, column in zip(
                    ends, marginal.places, columns, strict=True
                )
            ]
            if marginal.by_agreement:
                codes = [np.asarray(codes[0] == codes[1])]
            np.add.at(total, number_cells(codes, shape), weights)
        return total

    def _climb(self, table: int, rows: Ints, top: int) -> Ints:
        """Return the rows of a table above that rows of another one belong to."""
        for at in self.package.lineage(table):
            if at == top:
                return rows
            rows = self.levels[at].parent[rows]
        raise ValueError(top)

    def _lines(self, marginal: LinkedMarginal) -> Iterator[WeightedPairs]:
        """Yield what a marginal counts, in parts.

        Rows, the other row of each pair, and what each of them adds.
        """
        if marginal.others:
            yield from self._pairs(marginal)
            return
        rows = np.arange(self.levels[marginal.table].rows)
        if marginal.law is CountLaw.ROWS:
            yield rows, rows, np.ones(len(rows), np.int64)
        elif marginal.law is CountLaw.BANDS:
            declared = self.package.tables[marginal.table]
            times = np.array(declared.times)
            number = self.numbers(marginal.table)[self.levels[marginal.table].parent]
            yield rows, rows, times[declared.bands[number]]
        else:
            yield rows, rows, self._units_of(marginal.table, marginal.units(self.package))

    def _units_of(self, table: int, units: int) -> Ints:
        """Return how many units each row of a table has.

        The units of a row are shared among its children.
        """
        if (table, units) not in self._units:
            level = self.levels[table]
            if self.package.tables[table].parent is None:
                shared = np.full(level.rows, units)
            else:
                parent_units = self._parent_units(table, units)[level.parent]
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
        """Yield the pairs that a marginal of two tables counts, in parts.

        All pairs of two different rows of one parent, and what each of them adds.
        """
        tables = marginal.table, marginal.others[0][0]
        if tables in self._kept_pairs:
            yield self._kept_pairs[tables]
            return
        partners = self.numbers(tables[1]) - (tables[0] == tables[1])
        pair_counts = self.numbers(tables[0]) * partners
        parent_units = self._parent_units(marginal.table, marginal.units(self.package))
        starts = [self._starts(table) for table in tables]
        ends = np.cumsum(pair_counts)
        cuts = np.arange(PAIRS_AT_ONCE, ends[-1] if len(ends) else 0, PAIRS_AT_ONCE)
        for parents in np.split(np.arange(len(pair_counts)), np.searchsorted(ends, cuts)):
            pairs = pair_counts[parents]
            parent = np.repeat(parents, pairs)
            turn = np.arange(len(parent)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
            first, second = np.divmod(turn, partners[parent])
            if tables[0] == tables[1]:
                second += second >= first
            weights = _share(parent_units[parent], pair_counts[parent], turn)
            weighted = starts[0][parent] + first, starts[1][parent] + second, weights
            if not len(cuts):
                self._kept_pairs[tables] = weighted
            yield weighted


def _share(units: Ints, shares: Ints, turn: Ints) -> Ints:
    # Whole units of one of so many shares: odd ones go to the first.
    quotient, odd = np.divmod(units, np.maximum(shares, 1))
    return np.asarray(quotient + (turn < odd))
