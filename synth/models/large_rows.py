"""Rows of large tables, drawn and settled in parts of their own. PUBLIC.

The number of parts and their sizes follow from the number of rows alone, and each part has its
own generator, so that rows depend neither on how many threads there are nor on which is faster.
Whatever adds up over parts is known of the whole table: each part settles its share of what the
whole lacks, which no part could know by itself. Algorithms before the fourth drew all rows at
once, and what they finished is drawn again like that.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

import numpy as np

from synth import limits
from synth.arrays import Floats, SmallCodes, small_type, sums_by_cell
from synth.models.evidence import Evidence
from synth.models.junction import Clique
from synth.models.refine_parts import settle_part, share_of
from synth.models.refine_rows import Pace
from synth.rows.spilled import let_go, room_for
from synth.workers import each_part

PART = 2**20
"""About as many rows has a part: fewer take longer, more take memory."""
AGAIN = Pace(steps=40, first=0.01, last=0.003)
"""How parts settle once more, on what all of them together still lack."""

Draw = Callable[[int, np.random.Generator], SmallCodes]
"""Draws so many rows, shape (rows, columns)."""
Targets = Mapping[Clique, tuple[Floats, Floats]]
"""Wanted counts and their weights, both in the columns' shape."""


def are_large(evidence: Evidence, rows: int) -> bool:
    """Whether so many rows are drawn in parts."""
    return evidence.algorithm >= 4 and rows > limits.ROWS_AT_A_TIME


def row_parts(rows: int) -> list[slice]:
    """Where the parts of a table lie, one at least.

    >>> row_parts(3_000_000)
    [slice(0, 1000000, None), slice(1000000, 2000000, None), slice(2000000, 3000000, None)]
    """
    count = max(1, round(rows / PART))
    ends = [rows * part // count for part in range(count + 1)]
    return [slice(*ends) for ends in pairwise(ends)]


def draw_large(
    evidence: Evidence, rows: int | None, draw: Draw, generator: np.random.Generator
) -> SmallCodes:
    """Draw rows, in parts where they are many.

    Args:
        evidence: What is known of the table.
        rows: How many; None for as many as the table has.
        draw: Draws some of them.
        generator: Source of the drawing.

    Returns:
        Codes of shape (rows, columns).
    """
    wanted = int(evidence.total) if rows is None else rows
    if not are_large(evidence, wanted):
        return draw(wanted, generator)
    made = LargeRows(blank(wanted, evidence.shape), evidence.shape, generator)
    made.fill(range(len(evidence.shape)), draw)
    return made.codes.T


def enforce_large(
    evidence: Evidence, codes: SmallCodes, generator: np.random.Generator
) -> SmallCodes:
    """Rows that all rules allow, in parts where they are many; see `Rules.enforce`."""
    rules = evidence.rules
    if not are_large(evidence, len(codes)):
        return rules.enforce(codes, generator)
    if not rules.allowed and not rules.order:
        return codes
    made = LargeRows(codes.T, evidence.shape, generator)

    def enforced(part: slice, own: np.random.Generator) -> None:
        made.codes[:, part] = rules.enforce(made.codes[:, part].T, own).T

    made.each(enforced)
    return made.codes.T


def blank(rows: int, shape: tuple[int, ...]) -> SmallCodes:
    """Codes that are to be filled, in the smallest type that holds them, shape (columns, rows)."""
    return room_for((len(shape), rows), small_type(shape))


class LargeRows:
    """Rows of a large table, in parts.

    Args:
        codes: Shape (columns, rows); filled and changed in place.
        shape: Cells of every column.
        generator: Every step spawns a generator of its own for each part, in order.
    """

    def __init__(
        self, codes: SmallCodes, shape: tuple[int, ...], generator: np.random.Generator
    ) -> None:
        self.codes, self.shape, self.rows = codes, shape, codes.shape[1]
        self.parts = row_parts(self.rows)
        self._generator = generator

    def each(self, work: Callable[[slice, np.random.Generator], None]) -> None:
        """Do something to each part, several at once."""
        many = zip(self.parts, self._generator.spawn(len(self.parts)), strict=True)

        def done(one: tuple[slice, np.random.Generator]) -> None:
            work(*one)
            let_go(self.codes[:, one[0]])

        for _ in each_part(done, many):
            pass

    def fill(self, columns: Iterable[int], draw: Draw) -> None:
        """Draw some columns, in ascending order."""
        chosen = list(columns)

        def drawn(part: slice, generator: np.random.Generator) -> None:
            self.codes[chosen, part] = draw(part.stop - part.start, generator).T

        self.each(drawn)

    def follow(
        self,
        column: int,
        leader: int,
        draw: Callable[[SmallCodes, np.random.Generator], SmallCodes],
    ) -> None:
        """Draw a column given another, a part at a time."""

        def drawn(part: slice, generator: np.random.Generator) -> None:
            self.codes[column, part] = draw(self.codes[leader, part], generator)

        self.each(drawn)

    def count(self, cliques: Iterable[Clique]) -> dict[Clique, Floats]:
        """Rows by cell of some columns, in their shape."""
        return count_rows(self.codes, self.shape, cliques)

    def settle(self, targets: Targets) -> None:
        """Settle every part on its share of what the rows lack, and once more on what is left."""
        for pace in (None, AGAIN) if len(self.parts) > 1 else (None,):
            counts = self.count(targets)
            gaps = {clique: wanted - counts[clique] for clique, (wanted, _) in targets.items()}
            self._close(targets, gaps, pace)

    def _close(self, targets: Targets, gaps: Mapping[Clique, Floats], pace: Pace | None) -> None:
        weights = {clique: weight for clique, (_, weight) in targets.items()}
        nowhere = {c: wanted == 0 for c, (wanted, _) in targets.items() if not wanted.all()}

        def closed(part: slice, generator: np.random.Generator) -> None:
            codes, ends = self.codes[:, part], (part.start / self.rows, part.stop / self.rows)
            own = {clique: share_of(gap, *ends) for clique, gap in gaps.items()}
            for clique, counts in sums_by_cell(list(codes), self.shape, nowhere).items():
                empty = nowhere[clique]
                own[clique][empty] = -counts[empty]
            settle_part(codes, self.shape, own, weights, generator, *([pace] if pace else []))

        self.each(closed)


def count_rows(
    codes: SmallCodes, shape: tuple[int, ...], cliques: Iterable[Clique]
) -> dict[Clique, Floats]:
    """Rows by cell of some columns, in their shape.

    Args:
        codes: Shape (columns, rows).
        shape: Cells of every column.
        cliques: Which columns.
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
