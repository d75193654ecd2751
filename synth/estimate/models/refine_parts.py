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

# Steps of settling a part.
STEPS = 40
# The share of rows that look at once in the first step, and in the last.
FIRST = 0.03
LAST = 0.003
# Most rows that look at once; with more, a step takes longer and settles hardly more.
MAX_LOOKING = 10_000

Places = NDArray[np.intp]


def weights(estimate: Estimate) -> Floats:
    """Return the weight of a row too many or too few in each cell.

    Between absolute and relative error: the root of the rows, and more with their
    uncertainty."""
    size = np.maximum(estimate.values, 1.0)
    return np.asarray(np.sqrt(size) / (size + estimate.variance))


def share_of(gap: Floats, start: float, end: float) -> Floats:
    """Return a part's share of a gap in whole rows; all shares sum to the rounded gap.

    Args:
        gap: Missing rows (or too many) by cell of the whole table.
        start, end: Place of the part, from 0 to 1.

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

    Args:
        codes: The rows, shape (columns, rows), in random order.
        gaps: For columns (a,) and pairs (a, b), a < b: missing rows, in their shape.
        weights: Weight of a row too many or too few, like ``gaps``.
    """
    if not codes.shape[1]:
        return
    state = _Part(codes, shape, gaps, weights=weights)
    before = np.inf
    while state.misfit < NEARLY_ALL * before:
        before = state.misfit
        for _ in range(round(1 / FIRST)):  # in a small part, about every row looks
            state.step(FIRST, generator)
    for step in range(STEPS):
        state.step(FIRST * (LAST / FIRST) ** (step / STEPS), generator)


class _View:
    # A line for each code of the other columns, and one for the column alone.
    def __init__(
        self,
        column: int,
        shape: tuple[int, ...],
        gaps: Mapping[Clique, Floats],
        *,
        weights: Mapping[Clique, Floats],
    ) -> None:
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
            other_column = clique[0] if clique[-1] == column else clique[-1]
            line = self.lines.get(other_column, slice(start, start + 1))
            for target, source in ((self.gaps, gaps), (self.weights, weights)):
                table = np.atleast_2d(source[clique])
                target[line] = table.T if clique[0] == column and len(clique) == 2 else table


class _Part:
    def __init__(
        self,
        codes: SmallCodes,
        shape: tuple[int, ...],
        gaps: Mapping[Clique, Floats],
        *,
        weights: Mapping[Clique, Floats],
    ) -> None:
        self.codes = codes
        self.views = [
            _View(column, shape, gaps, weights=weights) for column in range(len(shape))
        ]

    @property
    def misfit(self) -> float:
        # The mean total variation of the marginals from their targets.
        off = [float(np.abs(view.gaps).sum()) / (len(view.lines) + 1) for view in self.views]
        return float(sum(off) / len(off) / (2 * self.codes.shape[1]))

    def step(self, share: float, generator: np.random.Generator) -> None:
        """Look at a random share of the rows, column by column, and move those that gain."""
        rows = self.codes.shape[1]
        looked = max(1, min(MAX_LOOKING, int(rows * share)))
        for column in generator.permutation(len(self.views)):
            start = int(generator.integers(rows - looked + 1))
            self.look(int(column), slice(start, start + looked))

    def look(self, column: int, span: slice) -> None:
        """Move the rows of a span whose cell in this column is overfull to the cell that
        gains most.

        Only the most gaining share of them, as all moves see the same counts.
        """
        view = self.views[column]
        current = self.codes[column, span].astype(np.intp)
        if not view.weights.any() or view.gaps.shape[1] == 1:
            return
        lines = self._lines(view, span)
        worth = _value_staying(view, lines, current)
        full = np.flatnonzero(worth < 0)
        lines = lines[:, full]
        old = current[full]
        gains = _gains(view, lines)
        gains[np.arange(len(full)), old] = worth[full]
        new = gains.argmax(axis=1)
        better = np.flatnonzero(new != old)
        if len(better):
            gained = gains[better, new[better]] - gains[better, old[better]]
            better = better[_find_least(-gained, max(1, int(view.eager * len(better))))]
            rows = span.start + full[better]
            self._move(column, lines[:, better], rows, old=old[better], new=new[better])

    def _lines(self, view: _View, span: slice) -> Places:
        """Return the lines of a column's gap table that each row is in, shape (lines, rows).

        The line of the column alone, and of each other column, shape (lines, rows).
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

        Moves rows, up to the best number.
        """
        view = self.views[column]
        change = _change(view, lines, old, new=new)
        weighted = view.weights * change
        best = -float((weighted * view.gaps).sum()) / float((weighted * change).sum())
        view.eager = min(1.0, view.eager * min(2.0, max(0.5, best)))
        if best <= 0:
            return
        if best < 1:
            first_moves = slice(max(1, int(best * len(rows))))
            rows = rows[first_moves]
            new = new[first_moves]
            change = _change(view, lines[:, first_moves], old[first_moves], new=new)
        view.gaps += change
        for other_column, line in view.lines.items():
            there = self.views[other_column]
            there.gaps[there.lines[column]] += change[line].T
        self.codes[column, rows] = new


def _value_staying(view: _View, lines: Places, codes: Places) -> Singles:
    # The worth of their value to rows, shape (rows,): its gaps without them.
    table = view.weights * (view.gaps + np.float32(0.5))
    return np.asarray(table.take(lines * table.shape[1] + codes).sum(axis=0))


def _gains(view: _View, lines: Places) -> Singles:
    """Return what each row would gain in each cell of the column.

    The worth of each value to each row that takes it, shape (rows, cells).
    """
    table = view.weights * (view.gaps - np.float32(0.5))
    gains: Singles = table.take(lines[0], axis=0)
    for line in lines[1:]:
        gains += table.take(line, axis=0)
    return gains


def _find_least(values: Singles, count: int) -> Places:
    """Return the places of the least values, at most ``count``.

    Ascending, and the same on every machine.
    """
    if count >= len(values):
        return np.arange(len(values))
    return np.flatnonzero(values <= np.partition(values, count - 1)[count - 1])[:count]


def _change(view: _View, lines: Places, old: Places, *, new: Places) -> Singles:
    """Return how the gaps change, per line and cell, if rows move from old to new cells."""
    start = lines * view.gaps.shape[1]
    leaving, coming = (
        np.bincount((start + codes).ravel(), minlength=view.gaps.size) for codes in (old, new)
    )
    return (leaving - coming).reshape(view.gaps.shape).astype(np.float32)
