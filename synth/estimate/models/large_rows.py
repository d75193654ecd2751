"""Rows of large tables, drawn and settled in parts. PUBLIC.

The number of parts and their sizes follow from the number of rows alone, and each part has its own
generator. So rows do not depend on the number of threads or on their speed. Sums over parts
describe the whole table: each part settles its share of the whole table's gaps, which no part could
know by itself. The work on a part follows from its rows, its place and its generator, so any
process may do it (`synth.estimate.models.spark_rows`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TypeVar

import numpy as np

from synth import limits
from synth.estimate.models.evidence import Evidence
from synth.estimate.models.junction import Clique
from synth.estimate.models.refine_parts import QUICK, settle_part, share_of
from synth.estimate.models.refine_rows import Pace
from synth.estimate.models.rules import Rules
from synth.estimate.models.spilled import let_go, room_for
from synth.util import Floats, SmallCodes, each_part, small_type, sums_by_cell

PART = 2**20
"""Approximate rows of a part: fewer are slower, more need more memory."""
SECOND_PACE = Pace(steps=40, first=0.01, last=0.003)
"""How parts settle a second time, on the gaps that all of them together still have."""

Draw = Callable[[int, np.random.Generator], SmallCodes]
"""Draws this many rows, shape (rows, columns)."""
Follow = Callable[[SmallCodes, np.random.Generator], SmallCodes]
"""Draws a column given the codes of another, both of shape (rows,)."""
Targets = Mapping[Clique, tuple[Floats, Floats]]
"""Wanted counts and their weights, both in the columns' shape."""
Step = Callable[[SmallCodes, slice, np.random.Generator], None]
"""Changes the rows of a part, shape (columns, rows), in place; the slice is its place."""

_Made = TypeVar("_Made")


def are_large(rows: int) -> bool:
    """Return whether this many rows are drawn in parts."""
    return rows > limits.ROWS_AT_A_TIME


def row_parts(rows: int) -> list[slice]:
    """Return the places of the parts of a table, at least one.

    >>> row_parts(3_000_000)
    [slice(0, 1000000, None), slice(1000000, 2000000, None), slice(2000000, 3000000, None)]
    """
    count = max(1, round(rows / PART))
    ends = [rows * part // count for part in range(count + 1)]
    return [slice(*ends) for ends in pairwise(ends)]


class PartedRows(ABC):
    """Rows of a table, in parts, each held by some process.

    Args:
        rows: Number of rows.
        shape: Cells of every column.
        generator: Every step spawns a generator for each part, in order.
    """

    def __init__(self, rows: int, shape: tuple[int, ...], generator: np.random.Generator) -> None:
        self.rows, self.shape, self.parts = rows, shape, row_parts(rows)
        self._generator = generator

    @abstractmethod
    def change(self, step: Step, generators: list[np.random.Generator]) -> None:
        """Run a step on each part with a generator of its own."""

    @abstractmethod
    def count(self, cliques: Iterable[Clique]) -> dict[Clique, Floats]:
        """Count the rows by cell of some columns, in their shape."""

    @abstractmethod
    def each_piece(self, size: int, work: Callable[[int, SmallCodes], _Made]) -> list[_Made]:
        """Return the results of consecutive pieces, in order; for no rows, the result of an empty
        piece.

        Args:
            size: Rows of a piece; the last may have fewer. Parts end elsewhere.
            work: Gets the piece's first row, and codes of shape (columns, rows).
        """

    def fill(self, columns: Iterable[int], draw: Draw) -> None:
        """Draw some columns, in ascending order."""
        self._apply(partial(_fill, columns=list(columns), draw=draw))

    def follow(self, column: int, leader: int, draw: Follow) -> None:
        """Draw a column given another, one part at a time."""
        self._apply(partial(_follow, column=column, leader=leader, draw=draw))

    def settle(self, targets: Targets) -> None:
        """Settle every part on its share of the gaps, and once more on the rest."""
        for pace in (QUICK, SECOND_PACE) if len(self.parts) > 1 else (QUICK,):
            counts = self.count(targets)
            gaps = {clique: wanted - counts[clique] for clique, (wanted, _) in targets.items()}
            self._apply(partial(_settle, whole=_Whole(self.rows, self.shape, targets, gaps, pace)))

    def enforce(self, rules: Rules) -> None:
        """Change rows until all rules allow them; see `Rules.enforce`."""
        if rules.allowed or rules.order:
            self._apply(partial(_enforce, rules=rules))

    def _apply(self, step: Step) -> None:
        self.change(step, self._generator.spawn(len(self.parts)))


class LargeRows(PartedRows):
    """Rows in this process.

    Args:
        codes: Shape (columns, rows); filled and changed in place.
        shape, generator: See `PartedRows`.
    """

    def __init__(
        self, codes: SmallCodes, shape: tuple[int, ...], generator: np.random.Generator
    ) -> None:
        super().__init__(codes.shape[1], shape, generator)
        self.codes = codes

    def change(self, step: Step, generators: list[np.random.Generator]) -> None:
        """Run a step on several parts at once."""

        def done(one: tuple[slice, np.random.Generator]) -> None:
            part, generator = one
            step(self.codes[:, part], part, generator)
            let_go(self.codes[:, part])

        for _ in each_part(done, zip(self.parts, generators, strict=True)):
            pass

    def count(self, cliques: Iterable[Clique]) -> dict[Clique, Floats]:
        """Count the rows by cell of some columns, in their shape."""
        return count_rows(self.codes, self.shape, cliques)

    def each_piece(self, size: int, work: Callable[[int, SmallCodes], _Made]) -> list[_Made]:
        """Work on several pieces at once; see `PartedRows`."""

        def done(start: int) -> _Made:
            piece = self.codes[:, start : start + size]
            made = work(start, piece)
            let_go(piece)
            return made

        return list(each_part(done, range(0, max(1, self.rows), size)))


RowStore = Callable[[int, tuple[int, ...], np.random.Generator], PartedRows]
"""Returns rows of this shape, all codes 0, in the place where large tables are drawn and settled.
"""


def place_here(rows: int, shape: tuple[int, ...], generator: np.random.Generator) -> LargeRows:
    """Return rows in this process."""
    return LargeRows(blank(rows, shape), shape, generator)


def draw_large(
    evidence: Evidence,
    rows: int | None,
    draw: Draw,
    generator: np.random.Generator,
    place: RowStore = place_here,
) -> PartedRows:
    """Draw rows, in parts if they are many.

    Args:
        evidence: Everything known about the table.
        rows: How many; None for as many as the table has.
        draw: Draws some of them.
        generator: Source of randomness.
        place: Where many rows are held.
    """
    wanted = int(evidence.total) if rows is None else rows
    if not are_large(wanted):
        return LargeRows(draw(wanted, generator).T, evidence.shape, generator)
    made = place(wanted, evidence.shape, generator)
    made.fill(range(len(evidence.shape)), draw)
    return made


def enforce_large(
    evidence: Evidence, drawn: PartedRows, generator: np.random.Generator
) -> PartedRows:
    """Return rows that all rules allow, in parts if they are many; see `Rules.enforce`."""
    if isinstance(drawn, LargeRows) and not are_large(drawn.rows):
        codes = evidence.rules.enforce(drawn.codes.T, generator)
        return LargeRows(codes.T, evidence.shape, generator)
    drawn.enforce(evidence.rules)
    return drawn


def blank(rows: int, shape: tuple[int, ...]) -> SmallCodes:
    """Return codes to fill, in the smallest type that holds them, shape (columns, rows)."""
    return room_for((len(shape), rows), small_type(shape))


@dataclass(frozen=True, eq=False)
class _Whole:
    """What a part must know about the whole table to settle its share.

    Attributes:
        rows, shape: Of the table.
        targets: The wanted counts.
        gaps: Wanted minus present counts.
        pace: How parts settle.
    """

    rows: int
    shape: tuple[int, ...]
    targets: Targets
    gaps: Mapping[Clique, Floats]
    pace: Pace

    def share(self, codes: SmallCodes, part: slice) -> dict[Clique, Floats]:
        """Return the gaps of a part; a cell that should be empty loses all rows of the part."""
        ends = (part.start / self.rows, part.stop / self.rows)
        own = {clique: share_of(gap, *ends) for clique, gap in self.gaps.items()}
        nowhere = {c: wanted == 0 for c, (wanted, _) in self.targets.items() if not wanted.all()}
        for clique, counts in sums_by_cell(list(codes), self.shape, nowhere).items():
            empty = nowhere[clique]
            own[clique][empty] = -counts[empty]
        return own


def _fill(
    codes: SmallCodes, _: slice, generator: np.random.Generator, columns: list[int], draw: Draw
) -> None:
    codes[columns] = draw(codes.shape[1], generator).T


def _follow(
    codes: SmallCodes,
    _: slice,
    generator: np.random.Generator,
    column: int,
    leader: int,
    draw: Follow,
) -> None:
    codes[column] = draw(codes[leader], generator)


def _settle(codes: SmallCodes, part: slice, generator: np.random.Generator, whole: _Whole) -> None:
    weights = {clique: weight for clique, (_, weight) in whole.targets.items()}
    settle_part(codes, whole.shape, whole.share(codes, part), weights, generator, whole.pace)


def _enforce(codes: SmallCodes, _: slice, generator: np.random.Generator, rules: Rules) -> None:
    codes[:] = rules.enforce(codes.T, generator).T


def count_rows(
    codes: SmallCodes, shape: tuple[int, ...], cliques: Iterable[Clique]
) -> dict[Clique, Floats]:
    """Count the rows by cell of some columns, in their shape.

    Args:
        codes: Shape (columns, rows).
        shape: Cells of every column.
        cliques: The columns.
    """
    wanted = list(cliques)

    def counted(part: slice) -> dict[Clique, Floats]:
        counts = sums_by_cell(list(codes[:, part]), shape, wanted)
        let_go(codes[:, part])
        return counts

    parts = row_parts(codes.shape[1])
    if len(parts) == 1:
        return counted(parts[0])
    found = {clique: np.zeros([shape[column] for column in clique]) for clique in wanted}
    for own in each_part(counted, parts):
        for clique, counts in own.items():
            found[clique] += counts
    return found
