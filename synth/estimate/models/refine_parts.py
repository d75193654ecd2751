"""Settle rows, in parts, by moving few of them, those whose cells are too full.

A part has a whole-row share of each marginal's gap. In a stretch, only rows whose loss is
less without them are weighed against every value, and only the largest gains may move. The
loss is a parabola along the moves, and those beyond its minimum are dropped, so rows need no
randomness."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from synth.estimate.assumptions import NEARLY_ALL
from synth.estimate.models.junction import Clique
from synth.estimate.repair.marginal import Estimate
from synth.util import Floats, Singles, SmallCodes

# Steps of settling a part, after steps as large as the first no longer help.
SETTLING_STEPS = 40
# The share of rows that are looked at together in the first step, and in the last.
FIRST_SHARE = 0.03
LAST_SHARE = 0.003
# Most rows that are looked at together; with more, a step takes longer for hardly more gain.
MAX_LOOKING = 10_000

Places = NDArray[np.intp]


def weights(estimate: Estimate) -> Floats:
    """Return the weight of a row too many or too few in each cell, in the cells' shape.

    With exact counts it is one over the root of the rows, which is between absolute and
    relative error. The more uncertain a count is, the less it weighs.
    """
    size = np.maximum(estimate.values, 1.0)
    return np.asarray(np.sqrt(size) / (size + estimate.variance))


def share_of(gap: Floats, start: float, end: float) -> Floats:
    """Return a part's share of a gap in whole rows; all shares sum to the rounded gap.

    It is floor(gap * end + u) - floor(gap * start + u). Each cell has an offset u of its own,
    so that the same parts do not get all the rows that are left over.

    Args:
        gap: Missing rows by cell of the whole table, negative for too many; any shape.
        start: Where the part starts in the table, from 0 to 1.
        end: Where it ends.

    >>> gap = np.array([3.0, -1.0])
    >>> (share_of(gap, 0, 0.5) + share_of(gap, 0.5, 1)).tolist()
    [3.0, -1.0]
    """
    golden = (5**0.5 - 1) / 2
    offsets = np.mod(golden * np.arange(1, gap.size + 1), 1.0).reshape(gap.shape)
    rounded = np.rint(gap)
    return np.asarray(np.floor(rounded * end + offsets) - np.floor(rounded * start + offsets))


def settle_part(
    codes: SmallCodes,
    shape: tuple[int, ...],
    gaps: Mapping[Clique, Floats],
    *,
    weights: Mapping[Clique, Floats],
    generator: np.random.Generator,
) -> None:
    """Change single cells of rows until the gaps are nearly closed, in place.

    Each step looks at a share of the rows: first at `FIRST_SHARE` of them, as long as that
    helps, then at fewer and fewer, down to `LAST_SHARE`.

    Args:
        codes: The rows, shape (columns, rows), in random order.
        shape: Number of cells of every column.
        gaps: For columns (a,) and pairs (a, b), a < b: missing rows, in their shape.
        weights: Weight of a row too many or too few, like ``gaps``.
        generator: Source of randomness.
    """
    if not codes.shape[1]:
        return
    state = _Part(codes, shape, gaps, weights=weights)
    # Rounds of large steps, as long as a round lowers the misfit below `NEARLY_ALL` of it.
    misfit_before = np.inf
    while state.misfit < NEARLY_ALL * misfit_before:
        misfit_before = state.misfit
        for _ in range(round(1 / FIRST_SHARE)):  # in a small part, each row about once
            state.step(FIRST_SHARE, generator)
    # The share of rows falls by the same factor in each step.
    for step in range(SETTLING_STEPS):
        state.step(
            FIRST_SHARE * (LAST_SHARE / FIRST_SHARE) ** (step / SETTLING_STEPS), generator
        )


class _View:
    """The gaps of all marginals with one column, as one table.

    The table has a row, called a line, for each code of every column that is paired with this
    one. Its last line is for the column alone.

    Attributes:
        eager: Share of the promising moves that are made at once; it adapts.
        lines: The lines of each other column, by its number.
        gaps: Missing rows by line and cell of this column, shape (lines, cells).
        weights: Weight of a row too many or too few, same shape; 0 if nothing is wanted.
    """

    def __init__(
        self,
        column: int,
        shape: tuple[int, ...],
        gaps: Mapping[Clique, Floats],
        *,
        weights: Mapping[Clique, Floats],
    ) -> None:
        """Lay out the gaps and weights with this column; see `settle_part`."""
        cliques = [clique for clique in gaps if column in clique]
        self.eager = 1.0
        self.lines: dict[int, slice] = {}
        start = 0
        for clique in cliques:
            for other_column in set(clique) - {column}:
                self.lines[other_column] = slice(start, start + shape[other_column])
                start += shape[other_column]
        self.gaps = np.zeros((start + 1, shape[column]), dtype=np.float32)
        self.weights = np.zeros_like(self.gaps)
        for clique in cliques:
            # For the column alone, that is itself, which has no lines: its line is the last.
            other_column = clique[0] if clique[-1] == column else clique[-1]
            line = self.lines.get(other_column, slice(start, start + 1))
            for target, source in ((self.gaps, gaps), (self.weights, weights)):
                table = np.atleast_2d(source[clique])
                # Lines are the other column's codes, which may be either axis of a pair.
                target[line] = table.T if clique[0] == column and len(clique) == 2 else table


class _Part:
    """Rows of a part, with what their marginals still lack.

    Attributes:
        codes: The rows, shape (columns, rows), changed in place.
        views: The gaps of all marginals with each column, up to date with the rows.
    """

    def __init__(
        self,
        codes: SmallCodes,
        shape: tuple[int, ...],
        gaps: Mapping[Clique, Floats],
        *,
        weights: Mapping[Clique, Floats],
    ) -> None:
        """Lay out the gaps by column; arguments are those of `settle_part`."""
        self.codes = codes
        self.views = [
            _View(column, shape, gaps, weights=weights) for column in range(len(shape))
        ]

    @property
    def misfit(self) -> float:
        """The mean total variation of the marginals from their targets."""
        # A view has the gaps of one marginal for each other column, and of the column alone.
        # A total variation is half the L1 distance over the rows.
        off = [float(np.abs(view.gaps).sum()) / (len(view.lines) + 1) for view in self.views]
        return float(sum(off) / len(off) / (2 * self.codes.shape[1]))

    def step(self, share: float, generator: np.random.Generator) -> None:
        """Look at some rows, column by column, and move the ones that gain.

        For each column they are a random stretch of the rows, which are in random order.

        Args:
            share: Share of the rows to look at for each column, at most `MAX_LOOKING`.
            generator: Source of randomness.
        """
        rows = self.codes.shape[1]
        looked = max(1, min(MAX_LOOKING, int(rows * share)))
        for column in generator.permutation(len(self.views)):
            start = int(generator.integers(rows - looked + 1))
            self.look(int(column), slice(start, start + looked))

    def look(self, column: int, span: slice) -> None:
        """Move some rows to the cell of a column in which they close most of the gaps.

        Only rows that would better not be in their cell are looked at. Of the ones that gain,
        only the share that gains most moves, as all moves see the same counts.

        Args:
            column: Number of the column whose codes may change.
            span: The rows to look at.
        """
        view = self.views[column]
        current = self.codes[column, span].astype(np.intp)
        if not view.weights.any() or view.gaps.shape[1] == 1:
            return  # nothing is wanted of the column, or it has a single cell
        lines = self._lines(view, span)
        worth = _value_staying(view, lines, current)
        full = np.flatnonzero(worth < 0)  # rows whose cells are too full
        lines = lines[:, full]
        old = current[full]
        gains = _gains(view, lines)
        gains[np.arange(len(full)), old] = worth[full]  # a row may also stay
        new = gains.argmax(axis=1)
        better = np.flatnonzero(new != old)
        if len(better):
            gained = gains[better, new[better]] - gains[better, old[better]]
            better = better[_find_least(-gained, max(1, int(view.eager * len(better))))]
            rows = span.start + full[better]
            self._move(column, lines[:, better], rows, old=old[better], new=new[better])

    def _lines(self, view: _View, span: slice) -> Places:
        """Return the lines of a column's gap table in which each row is counted.

        Args:
            view: The table of rows that the column's cells lack, with a line for each code of
                every other column, and one for the column alone.
            span: The rows.

        Returns:
            Numbers of lines, shape (1 + other columns, rows). The first is that of the column
            alone, others are those of the row's codes in the other columns.
        """
        lines = np.full((len(view.lines) + 1, span.stop - span.start), len(view.gaps) - 1)
        lines[1:] = self.codes[list(view.lines), span]
        for line, line_span in zip(lines[1:], view.lines.values(), strict=True):
            line += line_span.start
        return lines

    def _move(
        self, column: int, lines: Places, rows: Places, *, old: Places, new: Places
    ) -> None:
        """Move rows from old to new cells of a column, and update the gaps of all pairs.

        Along these moves the loss is a parabola. If its minimum is before the last move, only
        the first ones are made.

        Args:
            column: Number of the column.
            lines: Lines of its gap table in which each row is counted, shape (lines, rows):
                one for its code in each other column, and one for the column alone.
            rows: Places of the rows, shape (rows,).
            old: The codes of these rows in the column, in the same shape.
            new: The codes of these rows after the move, in the same shape.
        """
        view = self.views[column]
        change = _change(view, lines, old, new=new)
        # Moves add their change to the gaps, and the loss is the weighted sum of squares. Its
        # minimum is at this share of all moves.
        weighted = view.weights * change
        best_share = -float((weighted * view.gaps).sum()) / float((weighted * change).sum())
        # The next time fewer rows are moved at once if these were too many, and more rows if
        # they were too few: at least half as many, and at most twice as many.
        growth = min(2.0, max(0.5, best_share))
        view.eager = min(1.0, view.eager * growth)
        if best_share <= 0:
            return
        if best_share < 1:
            first_moves = slice(max(1, int(best_share * len(rows))))
            rows = rows[first_moves]
            new = new[first_moves]
            change = _change(view, lines[:, first_moves], old[first_moves], new=new)
        view.gaps += change
        # The gap tables of the other columns have the same pairs, turned round.
        for other_column, line in view.lines.items():
            there = self.views[other_column]
            there.gaps[there.lines[column]] += change[line].T
        self.codes[column, rows] = new


def _value_staying(view: _View, lines: Places, codes: Places) -> Singles:
    """Return what each row gains by staying in its cell of a column, shape (rows,).

    That is the sum of weighted gaps as they were without half of the row; it is negative if
    the cell is too full.

    Args:
        view: The table of rows that the column's cells lack, with a line for each code of
            every other column.
        lines: Lines of it in which each row is counted, shape (lines, rows).
        codes: The row's codes in the column, shape (rows,).
    """
    # Taking a row out of its cell raises the cell's gap by 1, so the mean gap on the way is
    # higher by a half.
    table = view.weights * (view.gaps + np.float32(0.5))
    return np.asarray(table.take(lines * table.shape[1] + codes).sum(axis=0))


def _gains(view: _View, lines: Places) -> Singles:
    """Return what each row would gain in each cell of a column, shape (rows, cells).

    That is the sum of weighted gaps, the rows that a cell lacks, with half of the row there.

    Args:
        view: The table of rows that the column's cells lack, with a line for each code of
            every other column.
        lines: Lines of it in which each row is counted, shape (lines, rows).
    """
    # Putting a row into a cell lowers the cell's gap by 1, so the mean gap on the way is
    # lower by a half.
    table = view.weights * (view.gaps - np.float32(0.5))
    gains: Singles = table.take(lines[0], axis=0)
    for line in lines[1:]:
        gains += table.take(line, axis=0)
    return gains


def _find_least(values: Singles, count: int) -> Places:
    """Return the places of the least values, ascending, at most ``count``.

    Of equal values at the limit the first are taken, so that every machine finds the same.
    """
    if count >= len(values):
        return np.arange(len(values))
    return np.flatnonzero(values <= np.partition(values, count - 1)[count - 1])[:count]


def _change(view: _View, lines: Places, old: Places, *, new: Places) -> Singles:
    """Return how the gaps change, by line and cell, if rows move from old to new cells.

    Args:
        view: The table of rows that the column's cells lack, with a line for each code of
            every other column.
        lines: Lines of it in which each row is counted, shape (lines, rows).
        old: The rows' codes, shape (rows,).
        new: The codes of these rows after the move, in the same shape.

    Returns:
        The change, in the shape of the gap table: 1 for a row that leaves a cell.
    """
    start = lines * view.gaps.shape[1]  # where each line starts in the flattened table
    leaving = np.bincount((start + old).ravel(), minlength=view.gaps.size)
    coming = np.bincount((start + new).ravel(), minlength=view.gaps.size)
    return (leaving - coming).reshape(view.gaps.shape).astype(np.float32)
