"""Medians and quantiles from noisy counts: the bins that the noise cannot rule out. PUBLIC.

They contain the quantile with at least the confidence, for any rows.
"""
# The quantile's bin has fewer rows below it than the rank, and at least the rank up to its
# end. A bin is ruled out if either is refuted at half of the error probability.

from typing import NamedTuple

import numpy as np

from synth.analysis.release_view import ReleaseView
from synth.analysis.selection import (
    JointColumns,
    ends_of,
    joint_columns,
    select_cells,
    used_in,
)
from synth.noise import blend_deviation
from synth.questions import Numbers, Question, quantiles_of
from synth.util import Floats, Ints

# Deviations beyond which a number is refuted without an exact test.
_CERTAIN_DEVIATIONS = 9.0


def released_quantiles(question: Question, view: ReleaseView) -> Numbers:
    """Return the median, or the quantiles, that a question asks for, with their intervals.

    Args:
        question: About one column, checked against the domain of the release.
        view: The release, and the level of the intervals. Repaired counts, if there are any,
            choose the estimates.

    Returns:
        Arrays of shape (quantiles,), in the order of the question.

    Raises:
        QuestionError: The columns were not measured together, or there may be no such rows.
    """
    (name,) = question.columns
    parts = map(float, quantiles_of(question))
    where = select_cells(question.where, view)
    columns = joint_columns(used_in(question.where, name), view)
    low, high, has_number = ends_of(view.domain, name)
    inside = columns.put_along(name, has_number.astype(np.float64))
    bins = _Bins(
        columns,
        name,
        np.flatnonzero(has_number),
        columns.spread(where, surely=True) * inside,
        columns.spread(where, surely=False) * inside,
    )
    rows = columns.rows if view.mended is None else view.mended(view.place(columns.names))
    return Numbers.gather(_quantile(bins, part, low, high=high, rows=rows) for part in parts)


class _Bins(NamedTuple):
    """The bins of a column among the cells of some columns.

    Attributes:
        columns: The noisy counts of these columns.
        name: The column whose quantiles are asked for.
        codes: The numbers of its cells that hold numbers, ascending.
        surely, perhaps: 1 for cells whose rows all meet the condition, and for cells of which
            some rows do; else 0.
    """

    columns: JointColumns
    name: str
    codes: Ints
    surely: Floats
    perhaps: Floats

    def weights(self, below: Floats, part: float, *, most: bool) -> Floats:
        """Return weights of the cells that sum to (rows below) - part * (all rows), flat.

        Args:
            below: 1 for the column's cells that count as below, else 0, shape (bins,).
            part: The quantile, from 0 to 1.
            most: Whether the sum is the greatest possible, or else the least, over the rows
                that may be selected in cells that the condition cuts.
        """
        excess = self.columns.put_along(self.name, np.asarray(below - part))
        extreme = np.maximum(excess, 0) if most else np.minimum(excess, 0)
        return np.where(self.surely > 0, excess, extreme * self.perhaps).reshape(-1)

    def mask_up_to(self, number: int) -> Floats:
        """Return 1 for the column's cells up to the bin of this number, else 0."""
        is_reached = np.zeros(self.columns.domain[self.name].size)
        is_reached[self.codes[: number + 1]] = 1
        return is_reached

    def is_refuted(self, weights: Floats, *, above: bool) -> bool:
        """Return whether the data refute that a weighted sum of true counts is at least 0.

        Args:
            weights: The weight of each cell, flat.
            above: Whether to refute that it is at least 0; if false, that it is at most 0.
        """
        source = self.columns.source
        total = float(weights @ source.values) * (1 if above else -1)
        if total >= 0:
            return False
        # Far outside of the noise, the exact test would take time and say the same. A random
        # sample has more error than the noise, so it always gets the exact test.
        if not source.sampled and -total > _CERTAIN_DEVIATIONS * blend_deviation(
            source.terms(weights)
        ):
            return True
        return -total > source.reach(weights)


def _quantile(
    bins: _Bins, part: float, low: Floats, *, high: Floats, rows: Floats
) -> tuple[float, float, float]:
    """Return a quantile's estimate, and the low and the high end of its interval.

    The interval has the bins that are left after those at either end are removed, as long as
    the noisy counts refute that the quantile is there.

    Args:
        bins: The bins of the column, with the noisy counts.
        part: The quantile, from 0 to 1.
        low, high: The ends of the column's cells, shape (cells,).
        rows: Counts by cell of all columns, for the estimate.
    """

    def is_above(number: int) -> bool:
        """Return whether the quantile is surely above a bin.

        That is so if the rows up to the bin's end, even at their most, are fewer than the
        quantile's part of all.
        """
        weights = bins.weights(bins.mask_up_to(number), part, most=True)
        return bins.is_refuted(weights, above=True)

    def is_below(number: int) -> bool:
        """Return whether the quantile is surely below a bin.

        That is so if the rows up to the end of the previous bin, even at their least, are
        more than the quantile's part of all.
        """
        weights = bins.weights(bins.mask_up_to(number - 1), part, most=False)
        return bins.is_refuted(weights, above=False)

    first = 0
    last = len(bins.codes) - 1
    while first < last and is_above(first):
        first += 1
    while last > first and is_below(last):
        last -= 1
    low_end = float(low[bins.codes[first]])
    high_end = float(high[bins.codes[last]])
    estimate = _estimate(bins, part, low, high=high, rows=rows)
    return min(max(estimate, low_end), high_end), low_end, high_end


def _estimate(bins: _Bins, part: float, low: Floats, *, high: Floats, rows: Floats) -> float:
    """Return a quantile for rows spread evenly in their bins.

    In cells that a condition cuts, half of the rows count. The bin is where the cumulative
    counts reach the quantile's part of all; the value is interpolated within it.

    Args:
        bins: The bins of the column.
        part: The quantile, from 0 to 1.
        low, high: The ends of the column's cells, shape (cells,).
        rows: Counts by cell of all columns, perhaps negative.
    """
    selected_rows = rows * (bins.surely + bins.perhaps) / 2
    axis = bins.columns.names.index(bins.name)
    other_axes = tuple(i for i in range(rows.ndim) if i != axis)
    # The rows of each bin, in the order of the bins, and those below each bin.
    counts = np.maximum(selected_rows.sum(axis=other_axes)[bins.codes], 0)
    rows_below = np.concatenate([[0.0], np.cumsum(counts)])
    target = part * rows_below[-1]
    number = min(int(np.searchsorted(rows_below[1:], target)), len(counts) - 1)
    part_of_bin = 0.5  # the middle of the bin if all counts are 0
    if counts[number] > 0:
        part_of_bin = (target - rows_below[number]) / counts[number]
    code = bins.codes[number]
    return float(low[code] + part_of_bin * (high[code] - low[code]))
