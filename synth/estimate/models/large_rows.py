"""Rows of large tables, drawn and settled in parts. PUBLIC.

The number of rows alone decides the parts, and each has its own generator. So rows do not
depend on threads, and any process may settle a part (`synth.estimate.models.spark_rows`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from synth import limits
from synth.estimate.models.evidence import Evidence
from synth.estimate.models.junction import Clique
from synth.estimate.models.refine_parts import settle_part, share_of
from synth.estimate.models.rules import Rules
from synth.estimate.models.spilled_codes import let_go, room_for
from synth.util import Floats, SmallCodes, each_part, small_type, sums_by_cell

# Approximate rows of a part: fewer are slower, more need more memory.
PART_ROWS = 2**20

# Draws so many rows, shape (rows, columns).
Draw = Callable[[int, np.random.Generator], SmallCodes]
# Draws a column given another's codes, both of shape (rows,).
Follow = Callable[[SmallCodes, np.random.Generator], SmallCodes]
# Changes a part's rows, shape (columns, rows), in place.
Step = Callable[[SmallCodes, slice, np.random.Generator], None]

_Made = TypeVar("_Made")


class Target(NamedTuple):
    """What rows should have in the cells of one or two columns, each array in their shape.

    Attributes:
        counts: The wanted rows of each cell.
        weights: The weight of a row too many or too few in each.
    """

    counts: Floats
    weights: Floats


# By the numbers of the columns.
Targets = Mapping[Clique, Target]


def row_parts(rows: int) -> list[slice]:
    """Return the slices of rows that are a large table's parts, at least one.

    They are of equal size up to one row, near `PART_ROWS`.

    >>> row_parts(3_000_000)
    [slice(0, 1000000, None), slice(1000000, 2000000, None), slice(2000000, 3000000, None)]
    """
    count = max(1, round(rows / PART_ROWS))
    ends = [rows * part // count for part in range(count + 1)]
    return [slice(*ends) for ends in pairwise(ends)]


class PartedRows(ABC):
    """Rows of a table, in parts, each held by some process.

    Args:
        shape: Cells of every column.
        generator: Every step spawns a generator for each part, in order.
    """

    def __init__(
        self, rows: int, shape: tuple[int, ...], generator: np.random.Generator
    ) -> None:
        """Plan so many rows, cut into parts.

        Args:
            rows: Number of rows.
            shape: Number of cells of every column.
            generator: Source of randomness; every step spawns a generator for each part.
        """
        self.rows = rows
        self.shape = shape
        self.parts = row_parts(rows)
        self._generator = generator

    @abstractmethod
    def change(self, step: Step, generators: list[np.random.Generator]) -> None:
        """Run a step on each part, which changes its rows in place.

        Args:
            step: Gets the codes of a part, shape (columns, rows), its slice of the table, and
                a generator.
            generators: One for each part, in order.
        """

    @abstractmethod
    def count(self, cliques: Iterable[Clique]) -> dict[Clique, Floats]:
        """Return, for each set of columns, the number of rows in each of their cells.

        Each array has an axis for each column of the set.
        """

    @abstractmethod
    def each_piece(self, size: int, work: Callable[[int, SmallCodes], _Made]) -> list[_Made]:
        """Return the results of some work on consecutive pieces of the rows, in order.

        Without rows, it is the result of one empty piece.

        Args:
            size: Rows of a piece; the last may have fewer. Parts end elsewhere.
            work: Gets the piece's first row, and codes of shape (columns, rows).
        """

    def fill(self, columns: Iterable[int], draw: Draw) -> None:
        """Draw some columns of every part, in place.

        Args:
            columns: Numbers of the columns.
            draw: Draws their codes for so many rows, shape (rows, columns).
        """
        self._apply(partial(_fill, columns=list(columns), draw=draw))

    def follow(self, column: int, leader: int, draw: Follow) -> None:
        """Draw a column of every part, given another one, in place.

        Args:
            column: Number of the column to draw.
            leader: Number of the other one.
            draw: Draws codes, given those of the leader, both of shape (rows,).
        """
        self._apply(partial(_follow, column=column, leader=leader, draw=draw))

    def settle(self, targets: Targets) -> None:
        """Change single cells of rows until they have nearly the wanted counts.

        Every part closes its share of the gaps between wanted and present counts. Several
        parts leave a rest, and do it twice.

        Args:
            targets: Wanted counts and weights, by set of one or two columns.
        """
        rounds = min(2, len(self.parts)) if self.rows else 0  # a single part once
        for _ in range(rounds):
            counts = self.count(targets)
            gaps = {
                clique: target.counts - counts[clique] for clique, target in targets.items()
            }
            table = _WholeTable(rows=self.rows, shape=self.shape, targets=targets, gaps=gaps)
            self._apply(partial(_settle, table=table))

    def enforce(self, rules: Rules) -> None:
        """Replace rows that break a rule."""
        # Allowed cells of sets of columns, and pairs of columns in order: without either,
        # every row obeys.
        if rules.allowed or rules.order:
            self._apply(partial(_enforce, rules=rules))

    def _apply(self, step: Step) -> None:
        """Run a step on each part, with new generators."""
        self.change(step, self._generator.spawn(len(self.parts)))


class LargeRows(PartedRows):
    """Rows in this process, shape (columns, rows), changed in place."""

    def __init__(
        self, codes: SmallCodes, shape: tuple[int, ...], generator: np.random.Generator
    ) -> None:
        """Hold codes, shape (columns, rows), that steps change in place.

        Args:
            codes: The codes.
            shape: Number of cells of every column.
            generator: Source of randomness; every step spawns generators from it.
        """
        super().__init__(codes.shape[1], shape, generator)
        self.codes = codes

    def change(self, step: Step, generators: list[np.random.Generator]) -> None:
        """Run a step on each part, several at a time; see `PartedRows.change`."""

        def run_part(part_and_generator: tuple[slice, np.random.Generator]) -> None:
            """Change the rows of one part, whose memory is then given back."""
            part, generator = part_and_generator
            step(self.codes[:, part], part, generator)
            let_go(self.codes[:, part])

        # The loop only waits until all parts are done.
        for _ in each_part(run_part, zip(self.parts, generators, strict=True)):
            pass

    def count(self, cliques: Iterable[Clique]) -> dict[Clique, Floats]:
        """Count rows by the columns' cells, in their shape."""
        return count_rows(self.codes, self.shape, cliques)

    def each_piece(self, size: int, work: Callable[[int, SmallCodes], _Made]) -> list[_Made]:
        """Return the results of consecutive pieces, in order; see `PartedRows.each_piece`."""

        def run_part(start: int) -> _Made:
            """Return the result for one piece of rows, whose memory is then given back."""
            piece = self.codes[:, start : start + size]
            result = work(start, piece)
            let_go(piece)
            return result

        return list(each_part(run_part, range(0, max(1, self.rows), size)))


# Returns rows of this shape, all codes 0, in the place that draws and settles large tables.
RowStore = Callable[[int, tuple[int, ...], np.random.Generator], PartedRows]


def place_here(
    rows: int, shape: tuple[int, ...], generator: np.random.Generator
) -> LargeRows:
    """Return rows in this process, all codes 0.

    Args:
        rows: Number of rows.
        shape: Number of cells of every column.
        generator: Source of randomness for the steps that will fill the rows.
    """
    return LargeRows(blank(rows, shape), shape, generator)


def place_rows(
    evidence: Evidence, rows: int | None, generator: np.random.Generator, *, place: RowStore
) -> PartedRows:
    """Return rows that are still to be drawn, all codes 0.

    Args:
        evidence: What was measured; it has the number of rows and the columns.
        rows: How many; None for as many as the table has.
        generator: Source of randomness for the steps that will fill the rows.
        place: Makes many rows where they are to be held; few are held in this process.
    """
    # Noise may have raised a paid number of rows beyond the limit, and it is not lost.
    row_count = min(int(evidence.total), limits.ROWS_MAX) if rows is None else rows
    store = place if row_count > limits.ROWS_AT_A_TIME else place_here
    return store(row_count, evidence.shape, generator)


def blank(rows: int, shape: tuple[int, ...]) -> SmallCodes:
    """Return codes of 0 to fill, shape (columns, rows), of the smallest integer type.

    Args:
        rows: Number of rows.
        shape: Number of cells of every column.
    """
    return room_for((len(shape), rows), small_type(shape))


@dataclass(frozen=True, eq=False, kw_only=True)
class _WholeTable:
    """Numbers of the whole table that a part needs to settle its share.

    Attributes:
        rows: Number of rows.
        shape: Number of cells of every column.
        targets: The wanted counts, and their weights.
        gaps: Wanted minus present counts.
    """

    rows: int
    shape: tuple[int, ...]
    targets: Targets
    gaps: Mapping[Clique, Floats]

    def share(self, codes: SmallCodes, part: slice) -> dict[Clique, Floats]:
        """Return a part's share of the rows that each cell lacks, by set of columns.

        A cell that should be empty loses all rows of the part.

        Args:
            codes: The part's rows, shape (columns, rows).
            part: Where in the table they are.
        """
        start = part.start / self.rows
        end = part.stop / self.rows
        shares = {clique: share_of(gap, start, end) for clique, gap in self.gaps.items()}
        # Cells that should be empty, of sets of columns that have any.
        must_be_empty = {
            clique: target.counts == 0
            for clique, target in self.targets.items()
            if not target.counts.all()
        }
        for clique, counts in sums_by_cell(list(codes), self.shape, must_be_empty).items():
            is_emptied = must_be_empty[clique]
            shares[clique][is_emptied] = -counts[is_emptied]
        return shares


def _fill(
    codes: SmallCodes,
    _: slice,
    generator: np.random.Generator,
    *,
    columns: list[int],
    draw: Draw,
) -> None:
    """Draw the codes of some columns for a part's rows, in place; see `PartedRows.fill`.

    It is a step of `PartedRows.change`, which also passes the part's slice.
    """
    codes[columns] = draw(codes.shape[1], generator).T


def _follow(
    codes: SmallCodes,
    _: slice,
    generator: np.random.Generator,
    *,
    column: int,
    leader: int,
    draw: Follow,
) -> None:
    """Draw the codes of a column for a part's rows, given those of its leader, in place.

    It is a step of `PartedRows.change`, which also passes the part's slice.
    """
    codes[column] = draw(codes[leader], generator)


def _settle(
    codes: SmallCodes, part: slice, generator: np.random.Generator, *, table: _WholeTable
) -> None:
    """Change cells of a part's rows until they have nearly the part's share of wanted counts.

    It is a step of `PartedRows.change`.

    Args:
        codes: The part's rows, shape (columns, rows), changed in place.
        part: Where in the table they are.
        generator: Source of randomness.
        table: The wanted counts and their gaps, of the whole table.
    """
    weights = {clique: target.weights for clique, target in table.targets.items()}
    settle_part(
        codes, table.shape, table.share(codes, part), weights=weights, generator=generator
    )


def _enforce(
    codes: SmallCodes, _: slice, generator: np.random.Generator, *, rules: Rules
) -> None:
    """Replace a part's rows that break a rule, in place."""
    codes[:] = rules.enforce(codes.T, generator).T


def count_rows(
    codes: SmallCodes, shape: tuple[int, ...], cliques: Iterable[Clique]
) -> dict[Clique, Floats]:
    """Return, for each set of columns, the number of rows in each of their cells.

    Args:
        codes: The rows, shape (columns, rows).
        shape: Number of cells of every column.
        cliques: Sets of columns. Each array of the result has an axis for each column.
    """
    clique_list = list(cliques)

    def count_part(part: slice) -> dict[Clique, Floats]:
        """Count the rows of one part, whose memory is then given back."""
        counts = sums_by_cell(list(codes[:, part]), shape, clique_list)
        let_go(codes[:, part])
        return counts

    parts = row_parts(codes.shape[1])
    if len(parts) == 1:
        return count_part(parts[0])
    totals = {
        clique: np.zeros([shape[column] for column in clique]) for clique in clique_list
    }
    for part_counts in each_part(count_part, parts):
        for clique, counts in part_counts.items():
            totals[clique] += counts
    return totals
