"""Linked tables drawn one after another, each row from what is known before it. PUBLIC.

A column of a row has a weight for each of its cells: the product of one factor for each histogram
that was measured with it, given the cells of the rows above, of the row's columns before it, and of
the rows of the same parent before it. Nothing says what the factors must be for the rows to have
these histograms; so rows are drawn, counted in the same way, and the factors are moved by what is
missing, some rounds long. Rows of one root avoid or attract each other as the counts say.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from synth.domain import LinkedPackage
from synth.estimate.models.junction_rows import GOLDEN
from synth.estimate.relational.codes import LinkedCodes, TableCodes
from synth.estimate.relational.marginals import LinkedMarginal, Place
from synth.util import Floats, Ints, Mask, SmallCodes

FIT_ROUNDS = 14
"""How often rows are drawn to fit a table."""
SAMPLE_ROOTS = 15_000
"""Most roots of a drawing that only fits factors."""
POLISHED = 3
"""How often all rows of a table are drawn again, to set its columns right."""
PACE = 0.8
"""Part of what is missing that factors are moved by, at first."""
LARGEST_STEP, LARGEST = 1.5, 30.0
"""Most that the logarithm of a factor moves in a round, and its largest size."""
TWIN = 2.0
DRAWN_AT_ONCE = 2**16
"""Rows whose weights are held at a time."""

Factors = dict[LinkedMarginal, Floats]
"""Logarithms of weights, each in the shape of its histogram."""


@dataclass(frozen=True, eq=False)
class Target:
    """What rows should have.

    Attributes:
        marginal: The histogram.
        values: Expected counts of its cells, not negative, in its shape.
        is_base: Whether it alone says how a column of the table is distributed.
    """

    marginal: LinkedMarginal
    values: Floats
    is_base: bool = False


@dataclass(eq=False)
class LinkedModel:
    """Factors of the tables that were fitted, and a sample drawn by them.

    Attributes:
        package: The tables.
        roots: Rows that the root table is believed to have.
        factors: Those of each table.
        targets: What its columns should have, one by one.
        sample: Rows of the tables that were fitted.
    """

    package: LinkedPackage
    roots: int
    factors: list[Factors] = field(default_factory=list)
    targets: list[list[Target]] = field(default_factory=list)
    sample: tuple[TableCodes, ...] = ()

    def fit(self, targets: Sequence[Target], rounds: int = FIT_ROUNDS) -> None:
        """Fit the next table to what was measured of it, and add it to the sample."""
        factors, generator = {one.marginal: _start(one) for one in targets}, _generator()
        level = self._draw(self.sample, factors, generator)
        for turn in range(rounds):
            rows = LinkedCodes(self.package, (*self.sample, level))
            _move(factors, targets, rows, PACE / (1 + turn / rounds))
            level = self._draw(self.sample, factors, generator)
        self.factors.append(factors)
        self.targets.append([one for one in targets if one.is_base])
        self.sample = (*self.sample, level)

    def try_out(self, targets: Sequence[Target]) -> LinkedCodes:
        """Rows of the next table by some targets as they stand, under the sample."""
        level = self._draw(self.sample, {t.marginal: _start(t) for t in targets}, _generator())
        return LinkedCodes(self.package, (*self.sample, level))

    def draw(self, seed: int) -> LinkedCodes:
        """Rows of all tables that were fitted."""
        generator = np.random.default_rng(seed)
        levels: tuple[TableCodes, ...] = ()
        for fitted, targets in zip(self.factors, self.targets, strict=True):
            factors = dict(fitted)
            for left in range(POLISHED, -1, -1):
                level = self._draw(levels, factors, generator, self.roots)
                if left:
                    _move(factors, targets, LinkedCodes(self.package, (*levels, level)), 1.0)
            levels = (*levels, level)
        return LinkedCodes(self.package, levels)

    def _draw(
        self,
        above: tuple[TableCodes, ...],
        factors: Factors,
        generator: np.random.Generator,
        roots: int | None = None,
    ) -> TableCodes:
        """Rows of the next table, under those of the tables before it."""
        if not above:
            rows = min(self.roots, SAMPLE_ROOTS) if roots is None else roots
            numbers = np.ones(1, np.int64) * rows
            return _Drawing(self.package, above, numbers, factors, generator).draw()
        one = self.package.tables[len(above)]
        parent, column = self.package.number(len(above))
        numbers = np.minimum(above[parent].codes[column].astype(np.int64), one.most)
        return _Drawing(self.package, above, numbers, factors, generator).draw()


def _move(
    factors: Factors, targets: Sequence[Target], rows: LinkedCodes, pace: float
) -> None:
    """Move the factors by what rows that were drawn lack."""
    level = rows.levels[-1]
    for one in targets:
        step = _missing(one, rows.tally(one.marginal), level.rows)
        if one.marginal.others:
            step = step / TWIN
        moved = factors[one.marginal] + np.clip(pace * step, -LARGEST_STEP, LARGEST_STEP)
        factors[one.marginal] = np.clip(moved, -LARGEST, LARGEST)


def _generator() -> np.random.Generator:
    """The same for every fit, which follows from noisy counts alone."""
    return np.random.default_rng(0)


class _Drawing:
    """One table under way: its rows by parent, of which the first of all parents come first.

    Args:
        package: The tables.
        above: Rows of the tables before it.
        numbers: Rows of each parent; of the root table, all its rows.
        factors: Weights.
        generator: Source of the drawing.
    """

    def __init__(
        self,
        package: LinkedPackage,
        above: tuple[TableCodes, ...],
        numbers: Ints,
        factors: Factors,
        generator: np.random.Generator,
    ) -> None:
        self.package, self.above, self.generator = package, above, generator
        self.table, self.declared = len(above), package.tables[len(above)]
        self.numbers, self.starts = numbers, np.cumsum(numbers) - numbers
        self.parent = np.repeat(np.arange(len(numbers)), numbers)
        self.sizes = package.sizes(self.table)
        self.codes = [np.zeros(len(self.parent), np.int32) for _ in self.sizes]
        self.gone = np.zeros(len(self.parent), dtype=np.bool_)
        self.maps = {
            package.number(child)[1] + 1: package.tables[child].bands
            for child in package.children(self.table)
        }
        self.factors: dict[int, list[tuple[LinkedMarginal, Floats]]] = {}
        for one, logs in factors.items():
            self.factors.setdefault(self._last(one), []).append((one, logs))

    def _last(self, one: LinkedMarginal) -> int:
        """The column that a factor is about: the last that is drawn."""
        return max(self._drawn(c) for t, c in one.places if t == self.table)

    def _drawn(self, column: int) -> int:
        """The column that a column follows from: of a band, the number."""
        return column - 1 if column in self.maps else column

    def draw(self) -> TableCodes:
        """Draw all rows."""
        if self.declared.parent is None:
            self._draw_rows(np.arange(len(self.parent)), 0)
        else:
            for turn in range(int(self.numbers.max(initial=0))):
                self._draw_rows(self.starts[self.numbers > turn] + turn, turn)
        there = ~self.gone
        return TableCodes(tuple(codes[there] for codes in self.codes), self.parent[there])

    def _draw_rows(self, rows: Ints, turn: int) -> None:
        """Draw one row each of some parents, column by column."""
        for column, size in enumerate(self.sizes):
            if column in self.maps:
                continue
            sources = [
                (logs, index)
                for one, logs in self.factors.get(column, ())
                for logs, index in self._given(one, logs, column, size, rows, turn)
            ]
            even = self._even(len(rows), sources)
            barred = self._barred(column, rows, turn)
            for start in range(0, len(rows), DRAWN_AT_ONCE):
                some = slice(start, start + DRAWN_AT_ONCE)
                weights = np.zeros((len(rows[some]), size))
                for logs, index in sources:
                    weights += logs[index[some]]
                for one in barred:
                    taken = one[some]
                    weights[np.flatnonzero(taken >= 0), taken[taken >= 0]] = -np.inf
                self.codes[column][rows[some]] = _pick(weights, even[some])
                if barred:
                    self.gone[rows[some]] |= ~np.isfinite(weights.max(axis=1))
            if column + 1 in self.maps:
                self.codes[column + 1][rows] = self.maps[column + 1][self.codes[column][rows]]

    def _given(
        self, one: LinkedMarginal, logs: Floats, column: int, size: int, rows: Ints, turn: int
    ) -> Iterator[tuple[Floats, Ints]]:
        """Weights by line, and the line of each row; once for each other row that there is."""
        own = [i for i, p in enumerate(one.places) if p[0] == self.table
               and self._drawn(p[1]) == column]  # fmt: skip
        axis = own[0] if len(one.others) == 0 or own[0] < len(one.columns) else own[-1]
        table = np.moveaxis(logs, axis, -1)
        table = table.reshape(-1, table.shape[-1])
        if one.places[axis][1] in self.maps and one.places[axis][0] == self.table:
            table = table[:, self.maps[one.places[axis][1]]]
        if table.shape[1] != size:
            raise ValueError(one)
        rest = [(i, place) for i, place in enumerate(one.places) if i != axis]
        for others, there in self._others(one, axis, rows, turn):
            line = np.zeros(len(rows), np.int64)
            for i, place in rest:
                apart = (i >= len(one.columns)) != (axis >= len(one.columns))
                line = line * logs.shape[i] + self._code(place, others if apart else rows, apart)
            if there is None:
                yield table, line
            else:  # a last line of no weight, where there is no such row
                yield np.vstack([table, np.zeros(size)]), np.where(there, line, len(table))

    def _others(
        self, one: LinkedMarginal, axis: int, rows: Ints, turn: int
    ) -> Iterator[tuple[Ints, Mask | None]]:
        """The other rows of a factor, one place after another, and which of them are there."""
        if not one.others:
            yield rows, None
        elif one.others[0][0] == one.table:
            for before in range(turn):
                yield rows - (turn - before), None
        else:
            other = one.table if axis >= len(one.columns) else one.others[0][0]
            parents = self.parent[rows]
            numbers = np.bincount(self.above[other].parent, minlength=len(self.numbers))
            starts = np.cumsum(numbers) - numbers
            for place in range(self.package.tables[other].most):
                there = numbers[parents] > place
                yield np.where(there, starts[parents] + place, 0), there

    def _code(self, place: Place, rows: Ints, apart: bool) -> Ints:
        """The code of a column of these rows, or of the rows above them."""
        table, column = place
        if table == self.table:
            return self.codes[column][rows].astype(np.int64)
        at = rows
        if not apart or table in self.package.lineage(self.table):
            at = self.parent[rows]
            lineage = self.package.lineage(self.table)[1:]
            for level in lineage[: lineage.index(table)]:
                at = self.above[level].parent[at]
        elif not len(self.above[table].codes[column]):
            return np.zeros(len(rows), np.int64)
        return self.above[table].codes[column][at].astype(np.int64)

    def _even(self, rows: int, sources: Sequence[tuple[Floats, Ints]]) -> Floats:
        """RowNumbers from 0 to 1 that lie evenly among the rows of each line of a factor."""
        order = self.generator.permutation(rows)
        if sources:
            widest = max((index for _, index in sources), key=lambda i: int(i.max(initial=0)))
            order = order[np.argsort(widest[order], kind="stable")]
        even = np.empty(rows)
        even[order] = np.mod(self.generator.random() + GOLDEN * np.arange(rows), 1.0)
        return even

    def _barred(self, column: int, rows: Ints, turn: int) -> list[Ints]:
        """Cells that rows may not have, as a row before has them: -1 where there is none."""
        names = self.declared.unique
        own = [self.declared.domain.names.index(name) for name in names]
        if not own or column != max(own):
            return []
        found = []
        for before in range(turn):
            others = rows - (turn - before)
            same = ~self.gone[others]
            for one in own:
                if one != column:
                    same &= self.codes[one][others] == self.codes[one][rows]
            found.append(np.where(same, self.codes[column][others], -1))
        return found


def _pick(weights: Floats, even: Floats) -> SmallCodes:
    """A cell of each line by the logarithms of its weights, shape (lines,)."""
    top = weights.max(axis=1, keepdims=True)
    chances = np.exp(weights - np.where(np.isfinite(top), top, 0))
    running = np.cumsum(chances, axis=1)
    wanted = even * running[:, -1]
    found = (running <= wanted[:, None]).sum(axis=1)
    return np.asarray(np.minimum(found, weights.shape[1] - 1).astype(np.int32))


def _start(one: Target) -> Floats:
    """The logarithm of a factor before anything was drawn."""
    values = one.values + 1e-6 * max(float(one.values.sum()), 1e-9) / one.values.size
    return np.log(values) if one.is_base else _association(values)


def _association(values: Floats) -> Floats:
    """How the logarithm of a table of two or more columns deviates from that of independence."""
    logs = np.log(values)
    total = np.log(values.sum())
    for axis in range(values.ndim):
        others = tuple(i for i in range(values.ndim) if i != axis)
        logs = logs - np.log(values.sum(axis=others, keepdims=True)) + total / values.ndim * 0
    return np.asarray(logs + (values.ndim - 1) * total)


def _missing(one: Target, drawn: Ints, rows: int) -> Floats:
    """What the logarithm of a factor lacks, by what its rows have."""
    ease = 0.5 / max(rows, 1) / 4
    wanted = one.values / max(float(one.values.sum()), 1e-9) + ease / one.values.size
    found = drawn.reshape(one.values.shape) / max(int(drawn.sum()), 1) + ease
    wanted = wanted + ease
    if one.is_base:
        return np.asarray(np.log(wanted) - np.log(found))
    return _association(wanted) - _association(found)
