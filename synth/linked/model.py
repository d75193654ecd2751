"""Linked tables drawn one after another, each row given earlier ones. PUBLIC.

A column's cells have weights: products of a factor for each measured histogram, given rows
above, columns before, and siblings before. No formula gives the factors; so rows are drawn,
counted in the same way, and the factors moved by the gaps, for some rounds. Rows of one root
avoid or attract each other as the counts say."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from synth.domain import LinkedPackage
from synth.estimate import GOLDEN
from synth.linked.codes import LinkedCodes, TableCodes
from synth.linked.marginals import LinkedMarginal
from synth.util import Floats, Ints, SmallCodes

# Drawings to fit a table.
FIT_ROUNDS = 20
# Most roots of a drawing that only fits factors.
SAMPLE_ROOTS = 15_000
# Drawings that correct a table's columns before the last one, and the most roots of them.
POLISHED, POLISHED_ROOTS = 8, 30_000
# Part of the gap by which factors move at first, and of the last move that is repeated, as
# factors of one column hinder each other.
PACE, MOMENTUM = 0.8, 0.6
# Largest move of a factor's logarithm, and its largest size.
LARGEST_STEP, LARGEST = 1.5, 30.0
# A factor of two rows of one parent takes half a step, as each row is moved once as either;
# with more rows it takes less, as each row is moved by all others.
TWIN = 2.0
# Associations of a column that may move and start as if they were alone.
CROWD = 3
# Parents whose rows are drawn at a time, and rows with weights in memory.
DRAWN_AT_ONCE, PICKED_AT_ONCE = 2**16, 2**13
# Means of cells that are told apart.
MEANS_APART = 4096
# The largest number below 1 of 32 bits.
LARGEST_EVEN = 1 - 2.0**-24

# Weights of a column's cells, a line for each combination of other columns.
Lines = NDArray[np.float32]
# Logarithms of weights, in their histograms' shapes.
Factors = dict[LinkedMarginal, Floats]


@dataclass(frozen=True, eq=False, kw_only=True)
class Target:
    """Wanted counts of rows.

    Attributes:
        values: Expected counts, not negative, in the histogram's shape.
        is_base: Whether it alone decides how a column of the table is distributed.
        pace: The part of a gap by which its factor moves.
    """

    marginal: LinkedMarginal
    values: Floats
    is_base: bool = False
    pace: float = 1.0


@dataclass(eq=False, kw_only=True)
class LinkedModel:
    """Factors of the fitted tables, and a sample drawn by them.

    Attributes:
        roots: The believed rows of the root table.
        targets: The wanted counts of each table's columns.
        sample: Rows of the fitted tables.
    """

    package: LinkedPackage
    roots: int
    factors: list[Factors] = field(default_factory=list)
    targets: list[list[Target]] = field(default_factory=list)
    sample: tuple[TableCodes, ...] = ()

    def fit(self, targets: Sequence[Target], rounds: int = FIT_ROUNDS) -> None:
        """Fit the next table to its measurements, and add it to the sample."""
        targets = _pace_factors(targets)
        factors, generator = {one.marginal: _start(one) for one in targets}, _generator()
        moves: Factors = {}
        level = self._draw(self.sample, factors, generator)
        for turn in range(rounds):
            rows, done = (
                LinkedCodes(package=self.package, levels=(*self.sample, level)),
                turn / rounds,
            )
            _move(
                factors,
                moves,
                targets,
                rows=rows,
                pace=PACE / (1 + done),
                momentum=MOMENTUM * (1 - done),
            )
            level = self._draw(self.sample, factors, generator)
        self.factors.append(factors)
        self.targets.append(
            [one for one in targets if one.is_base or one.marginal.by_agreement]
        )
        self.sample = (*self.sample, level)

    def try_out(self, targets: Sequence[Target]) -> LinkedCodes:
        """Return rows of the next table by unfitted targets, under the sample."""
        level = self._draw(
            self.sample, {t.marginal: _start(t) for t in targets}, _generator()
        )
        return LinkedCodes(package=self.package, levels=(*self.sample, level))

    def draw(self, seed: int) -> LinkedCodes:
        """Return rows of all fitted tables."""
        generator = np.random.default_rng(seed)
        levels: tuple[TableCodes, ...] = ()
        for fitted, targets in zip(self.factors, self.targets, strict=True):
            factors, moves = dict(fitted), Factors()
            for left in range(POLISHED, -1, -1):
                roots = POLISHED_ROOTS if left else self.roots
                level = self._draw(levels, factors, generator, roots=roots)
                if left:
                    pace = 2 / (POLISHED + 2 - left)
                    rows = LinkedCodes(package=self.package, levels=(*levels, level))
                    _move(factors, moves, targets, rows=rows, pace=pace, momentum=MOMENTUM)
            levels = (*levels, level)
        return LinkedCodes(package=self.package, levels=levels)

    def _draw(
        self,
        above: tuple[TableCodes, ...],
        factors: Factors,
        generator: np.random.Generator,
        *,
        roots: int = SAMPLE_ROOTS,
    ) -> TableCodes:
        if not above:
            numbers = np.ones(1, np.int64) * min(self.roots, roots)
            return _Drawing(self.package, above, numbers, factors, generator).draw()
        one = self.package.tables[len(above)]
        parent, column = self.package.number(len(above))
        numbers = np.minimum(above[parent].codes[column].astype(np.int64), one.most)
        numbers[self._rows_under(above, parent, roots) :] = 0
        return _Drawing(self.package, above, numbers, factors, generator).draw()

    def _rows_under(self, above: tuple[TableCodes, ...], table: int, roots: int) -> int:
        # How many rows of a table the first roots have.
        for one in reversed(self.package.lineage(table)[:-1]):
            roots = int(np.searchsorted(above[one].parent, roots))
        return roots


def _move(
    factors: Factors,
    moves: Factors,
    targets: Sequence[Target],
    *,
    rows: LinkedCodes,
    pace: float,
    momentum: float,
) -> None:
    # Factors move by the gaps of drawn rows, and by part of their last moves.
    level = rows.levels[-1]
    for one in targets:
        step = one.pace * _missing(one, rows.tally(one.marginal), level.rows)
        if one.marginal.others:
            each = level.rows / max(1, len(np.unique(level.parent)))
            step = step / max(
                TWIN, each**0.75 if one.marginal.by_agreement else each * one.pace
            )
        move = np.clip(pace * step, -LARGEST_STEP, LARGEST_STEP)
        if one.marginal in moves and not one.is_base:
            move += momentum * moves[one.marginal]
        moves[one.marginal] = move
        factors[one.marginal] = np.clip(factors[one.marginal] + move, -LARGEST, LARGEST)


def _pace_factors(targets: Sequence[Target]) -> list[Target]:
    # Factors that move one column, and associations that overlap in it, have a part each.
    last = Counter(max(one.marginal.places) for one in targets if not one.is_base)

    def pace(one: LinkedMarginal) -> float:
        return 1.0 if one.by_agreement else min(1.0, CROWD / last[max(one.places)])

    return [one if one.is_base else replace(one, pace=pace(one.marginal)) for one in targets]


def _generator() -> np.random.Generator:
    # The same for every fit, which follows from noisy counts alone.
    return np.random.default_rng(0)


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
        self.factors: dict[int, list[tuple[LinkedMarginal, Lines]]] = {}
        for one, logs in factors.items():
            column, lines = self._lines_of(one, logs)
            self.factors.setdefault(column, []).append((one, lines))
        self.first = 0
        self.met: dict[LinkedMarginal, Lines] = {}

    def _source_column(self, column: int) -> int:
        # A band follows from the number.
        return column - 1 if column in self.maps else column

    def _lines_of(self, one: LinkedMarginal, logs: Floats) -> tuple[int, Lines]:
        # The last drawn column of a factor, and its weights by line of the others.
        if one.by_agreement:
            logs = np.where(
                np.eye(self.sizes[one.columns[0][1]], dtype=np.bool_), logs[1], logs[0]
            )
        own = [i for i, place in enumerate(one.places) if place[0] == self.table]
        axis = max(own, key=lambda i: (self._source_column(one.places[i][1]), i))
        column = one.places[axis][1]
        lines = np.moveaxis(logs, axis, -1).reshape(-1, logs.shape[axis])
        if column in self.maps:
            lines = lines[:, self.maps[column]]
        return self._source_column(column), lines.astype(np.float32)

    def draw(self) -> TableCodes:
        if self.declared.parent is None:
            for start in range(0, len(self.parent), DRAWN_AT_ONCE):
                self._draw_rows(
                    np.arange(start, min(start + DRAWN_AT_ONCE, len(self.parent))), 0
                )
        else:
            for first in range(0, len(self.numbers), DRAWN_AT_ONCE):
                some, self.first = slice(first, first + DRAWN_AT_ONCE), first
                numbers, starts = self.numbers[some], self.starts[some]
                self.met = {
                    one: self._weigh_others(one, lines, len(numbers))
                    for several in self.factors.values()
                    for one, lines in several
                    if one.others
                }
                for turn in range(int(numbers.max(initial=0))):
                    self._draw_rows(starts[numbers > turn] + turn, turn)
        there = ~self.gone
        return TableCodes(tuple(codes[there] for codes in self.codes), self.parent[there])

    def _weigh_others(self, one: LinkedMarginal, lines: Lines, parents: int) -> Lines:
        # Weights of a row's cells by the rows of another table under its parent.
        found = np.zeros((parents, lines.shape[1]), np.float32)
        table, column = one.columns[0]
        if table != self.table:
            level = self.above[table]
            ends = np.searchsorted(
                level.parent, np.arange(self.first, self.first + parents + 1)
            )
            starts, numbers = ends[:-1], np.diff(ends)
            for place in range(int(numbers.max(initial=0))):
                some = numbers > place
                found[some] += lines[level.codes[column][starts[some] + place]]
        return found

    def _draw_rows(self, rows: Ints, turn: int) -> None:
        # One row each of some parents, column by column.
        parents = self.parent[rows] - self.first
        for column, size in enumerate(self.sizes):
            if column in self.maps:
                continue
            factors = self.factors.get(column, ())
            sources = [
                (lines, self._line(one, column, rows))
                for one, lines in factors
                if not one.others
            ]
            met = [(self.met[one], parents) for one, _ in factors if one.others]
            barred = self._taken_cells(column, rows, turn)
            for start in range(0, len(rows), PICKED_AT_ONCE):
                some = slice(start, start + PICKED_AT_ONCE)
                weights = np.zeros((len(rows[some]), size), np.float32)
                for lines, index in (*sources, *met):
                    weights += lines.take(index[some], axis=0)
                for cells in barred:
                    taken = cells[some]
                    weights[np.flatnonzero(taken >= 0), taken[taken >= 0]] = -np.inf
                if barred:
                    self.gone[rows[some]] |= ~np.isfinite(weights.max(axis=1))
                self.codes[column][rows[some]] = _pick(weights, self.generator)
            if column + 1 in self.maps:
                self.codes[column + 1][rows] = self.maps[column + 1][self.codes[column][rows]]
            for one, lines in factors:
                if one.others and one.others[0][0] == one.table:
                    self.met[one][parents] += lines[self.codes[column][rows]]

    def _line(self, one: LinkedMarginal, column: int, rows: Ints) -> Ints:
        # The line of each row's weights, by its other columns and the rows above.
        line = np.zeros(len(rows), np.int64)
        for (table, other), size in zip(one.places, one.shape(self.package), strict=True):
            if table == self.table and self._source_column(other) == column:
                continue
            line *= size
            line += (
                self.codes[other][rows]
                if table == self.table
                else self._above(table, other, rows)
            )
        return line

    def _above(self, table: int, column: int, rows: Ints) -> SmallCodes:
        # Codes of the rows above.
        at = self.parent[rows]
        lineage = self.package.lineage(self.table)[1:]
        for level in lineage[: lineage.index(table)]:
            at = self.above[level].parent[at]
        return self.above[table].codes[column][at]

    def _taken_cells(self, column: int, rows: Ints, turn: int) -> list[Ints]:
        # Cells of earlier siblings that rows may not repeat; -1 if there is none.
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


def _pick(weights: Lines, generator: np.random.Generator) -> SmallCodes:
    # A cell of each line by the logarithms of its weights, shape (lines,).
    running = np.ascontiguousarray(weights.T)
    top = running.max(axis=0)
    np.exp(running - np.where(np.isfinite(top), top, 0), out=running)
    for cell in range(1, len(running)):
        running[cell] += running[cell - 1]
    even = _even_numbers(running, generator)
    wanted = np.minimum(even, LARGEST_EVEN).astype(np.float32) * running[-1]
    found = (running <= wanted).sum(axis=0)
    return np.asarray(np.minimum(found, len(running) - 1).astype(np.int32))


def _even_numbers(running: Lines, generator: np.random.Generator) -> Floats:
    # Numbers from 0 to 1, evenly among lines whose mean cells are near, so that the drawn
    # rows of each cell are hardly more or fewer than expected.
    mean = running.sum(axis=0) / np.maximum(running[-1], np.float32(1e-30))
    near = (mean * np.float32(MEANS_APART / len(running))).astype(np.int16)
    order = generator.permutation(len(near))
    order = order[np.argsort(near[order], kind="stable")]
    even = np.empty(len(near))
    even[order] = np.mod(generator.random() + GOLDEN * np.arange(len(near)), 1.0)
    return even


def _start(one: Target) -> Floats:
    # The logarithm of a factor before any drawing.
    if one.marginal.by_agreement:
        return np.zeros(2)
    values = one.values + 1e-6 * max(float(one.values.sum()), 1e-9) / one.values.size
    return np.log(values) if one.is_base else one.pace * _association(values)


def _association(values: Floats) -> Floats:
    # The deviation of a table's logarithm from independence, in two or more columns.
    logs = np.log(values)
    total = np.log(values.sum())
    for axis in range(values.ndim):
        others = tuple(i for i in range(values.ndim) if i != axis)
        logs = logs - np.log(values.sum(axis=others, keepdims=True))
    return np.asarray(logs + (values.ndim - 1) * total)


def _missing(one: Target, drawn: Ints, rows: int) -> Floats:
    # The gap in the logarithm of a factor, by its rows.
    ease = 0.5 / max(rows, 1) / 4
    wanted = one.values / max(float(one.values.sum()), 1e-9) + ease / one.values.size
    found = drawn.reshape(one.values.shape) / max(int(drawn.sum()), 1) + ease
    wanted = wanted + ease
    if one.is_base or one.marginal.by_agreement:
        return np.asarray(np.log(wanted) - np.log(found))
    return _association(wanted) - _association(found)
