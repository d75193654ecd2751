"""Rows of linked tables as codes, and histograms of them. PUBLIC code: the rows may be private.

>>> import numpy as np
>>> from synth.domain import Boolean, Domain, LinkedPackage, LinkedTable
>>> domain, key = Domain(x=bool), (("id", "integer"),)
>>> package = LinkedPackage("p", (LinkedTable("a", "", domain, ("id", "x"), key, "id"),
...     LinkedTable("b", "", domain, ("id", "x"), key, "id", parent=0, most=4)))
>>> rows = LinkedCodes(package, (TableCodes((np.array([0, 1]),), np.array([0, 0])),
...     TableCodes((np.array([0, 1, 1]),), np.array([0, 0, 0]))))
>>> rows.tally(LinkedMarginal(1, ((1, 0),), law=CountLaw.ROWS)).tolist()
[1, 2]
>>> rows.tally(LinkedMarginal(1, ((1, 0),))).tolist()  # a third of 256 units, and two thirds
[86, 170]
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from synth.domain import LinkedPackage
from synth.estimate.relational.marginals import CountLaw, LinkedMarginal, Place
from synth.util import Ints, SmallCodes, number_cells


@dataclass(frozen=True, eq=False)
class TableCodes:
    """The rows of one table, those of one parent together, in an order of their content.

    Attributes:
        codes: One array of shape (rows,) a column; those of numbers and bands are added later.
        parent: The parent's row of each, ascending, shape (rows,); of the root, 0.
        found: Rows of each parent before any was left out; None where all are there.
    """

    codes: tuple[SmallCodes, ...]
    parent: Ints
    found: Ints | None = None

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.parent)


@dataclass(frozen=True, eq=False, repr=False)
class LinkedCodes:
    """The rows of the first tables of a package, or of all.

    Attributes:
        package: The tables.
        levels: The rows of each, in the order of the package.
    """

    package: LinkedPackage
    levels: tuple[TableCodes, ...]
    _weights: dict[tuple[int, int], tuple[Ints, Ints]] = field(default_factory=dict)

    def numbers(self, child: int) -> Ints:
        """The kept rows of each parent, shape (parents,)."""
        parent = self.package.tables[child].parent
        assert parent is not None
        return np.bincount(self.levels[child].parent, minlength=self.levels[parent].rows)

    def column(self, place: Place) -> SmallCodes:
        """The codes of a column of a table, of its own or of its numbers, shape (rows,)."""
        table, column = place
        level = self.levels[table]
        if column < len(level.codes):
            return level.codes[column]
        number, is_band = divmod(column - len(self.package.tables[table].domain.shape), 2)
        child = self.package.children(table)[number]
        found = self.levels[child].found
        declared = self.package.tables[child]
        cells = declared.number_of(self.numbers(child) if found is None else found)
        return declared.bands[cells] if is_band else cells

    def tally(self, one: LinkedMarginal) -> Ints:
        """The histogram, exact, shape (cells,)."""
        shape = one.shape(self.package)
        total = np.zeros(int(np.prod(shape)), dtype=np.int64)
        columns = [self.column(place) for place in one.places]
        for here, there, kinds, which in self._lines(one):
            ends = [(one.table, here)] * len(one.columns)
            ends += [(place[0], there) for place in one.others]
            codes = [
                column[self._climb(table, rows, place[0])].astype(np.int64)
                for (table, rows), place, column in zip(ends, one.places, columns, strict=True)
            ]
            cells = number_cells(codes, shape)
            total += _add_up(cells, kinds, which, len(total))
        return total

    def _climb(self, table: int, rows: Ints, top: int) -> Ints:
        """The rows of a table above some of another one's."""
        for at in self.package.lineage(table):
            if at == top:
                return rows
            rows = self.levels[at].parent[rows]
        raise ValueError(top)

    def _lines(self, one: LinkedMarginal) -> Iterator[tuple[Ints, Ints, Ints, Ints]]:
        """Rows, other rows, the weights that there are, and which of them each line has."""
        if one.others:
            yield from self._pairs(one)
            return
        rows = np.arange(self.levels[one.table].rows)
        if one.law is CountLaw.ROWS:
            yield rows, rows, np.ones(1, np.int64), np.zeros(len(rows), np.int64)
        elif one.law is CountLaw.BANDS:
            declared = self.package.tables[one.table]
            times = np.array([1, *(declared.most // top for top in declared.tops)])
            number = self.numbers(one.table)[self.levels[one.table].parent]
            yield rows, rows, times, declared.bands[number].astype(np.int64)
        else:
            yield rows, rows, *self._units_of(one.table, one.units(self.package))

    def _units_of(self, table: int, units: int) -> tuple[Ints, Ints]:
        """The units of each row of a table, where those of a row are shared among its children."""
        if (table, units) not in self._weights:
            level = self.levels[table]
            if self.package.tables[table].parent is None:
                shared = np.full(level.rows, units)
            else:
                whole = self._parent_units(table, units)[level.parent]
                shared = _share(whole, self.numbers(table)[level.parent], self._ranks(table))
            kinds, which = np.unique(shared, return_inverse=True)
            self._weights[table, units] = kinds, which.astype(np.int64)
        return self._weights[table, units]

    def _parent_units(self, table: int, units: int) -> Ints:
        """The units of each parent of a table's rows."""
        parent = self.package.tables[table].parent
        assert parent is not None
        kinds, which = self._units_of(parent, units)
        return kinds[which]

    def _starts(self, table: int) -> Ints:
        """The first row of each parent."""
        numbers = self.numbers(table)
        return np.cumsum(numbers) - numbers

    def _ranks(self, table: int) -> Ints:
        """The place of each row among those of its parent."""
        level = self.levels[table]
        return np.arange(level.rows) - self._starts(table)[level.parent]

    def _pairs(self, one: LinkedMarginal) -> Iterator[tuple[Ints, Ints, Ints, Ints]]:
        """Lines of two different rows of one parent, one place of each after another."""
        other = one.others[0][0]
        left, right = self.numbers(one.table), self.numbers(other)
        starts, ends = self._starts(one.table), self._starts(other)
        whole = self._parent_units(one.table, one.units(self.package))
        twins = other == one.table
        many = left * (right - 1) if twins else left * right
        for s in range(self.package.tables[one.table].most):
            some = np.flatnonzero(left > s)
            for t in range(self.package.tables[other].most):
                if twins and s == t:
                    continue
                at = some[right[some] > t]
                turn = s * (right[at] - 1) + t - (t > s) if twins else s * right[at] + t
                weights = _share(whole[at], many[at], turn)
                yield starts[at] + s, ends[at] + t, *np.unique(weights, return_inverse=True)


def _share(units: Ints, shares: Ints, turn: Ints) -> Ints:
    """Whole units of one of so many shares: those that are odd go to the first ones."""
    each, odd = np.divmod(units, np.maximum(shares, 1))
    return np.asarray(each + (turn < odd))


def _add_up(cells: Ints, kinds: Ints, which: Ints, size: int) -> Ints:
    """The sum of the weights of each cell, exact."""
    counted = np.bincount(cells * len(kinds) + which, minlength=size * len(kinds))
    return np.asarray(counted.reshape(size, len(kinds)).astype(np.int64) @ kinds)
