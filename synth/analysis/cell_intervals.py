"""Totals and ratios from the cells of a release, with intervals. PUBLIC.

The ends come from the noise, and from both extremes of every cell that is cut.
"""

import math
from collections.abc import Callable

import numpy as np

from synth.analysis.cell_sums import CellSums
from synth.analysis.sources import Source
from synth.questions import Numbers

_END_BISECTIONS = 30
# Precision of the end of an interval, relative to its distance from the estimate.
_END_TOLERANCE = 2e-3


def totals_of(source: Source, sums: CellSums, size: int) -> Numbers:
    """Return sums over the cells of a release, with intervals and average errors.

    Args:
        source: Noisy rows by cell, with the law of their noise.
        sums: What a row of each cell adds to each total.
        size: Number of totals.

    Returns:
        Arrays of shape (size,); a total without cells is 0.
    """
    adds_whole_cells = bool((sums.low == 1).all()) and sums.are_exact
    # If all cells have the same noise too, only the number of cells of a total matters.
    if adds_whole_cells and size > 1 and source.is_even:
        return _plain_counts(source, sums, size)
    return Numbers.gather(_total(source, sums.select_total(total)) for total in range(size))


def _plain_counts(source: Source, sums: CellSums, size: int) -> Numbers:
    """Return counts that are sums of whole cells, with their intervals and average errors.

    The noise is equal on all cells, so that the half width of an interval and the error
    depend only on the number of summed cells. Each is computed once for every such number.

    Args:
        source: Noisy rows by cell.
        sums: The cells of each total; a row of each adds 1.
        size: Number of totals.
    """
    cell_counts = np.bincount(sums.totals, minlength=size)
    value = np.bincount(sums.totals, source.values[sums.cells], minlength=size).astype(
        np.float64
    )
    half_by_count: dict[int, float] = {}
    error_by_count: dict[int, float] = {}
    for cell_count in np.unique(cell_counts).tolist():
        weights = np.ones(cell_count)
        first_cells = np.arange(cell_count)  # any cells do, as their noise is equal
        half_by_count[cell_count] = source.reach(weights, first_cells)
        error_by_count[cell_count] = source.size(weights, first_cells)
    half = np.array([half_by_count[cell_count] for cell_count in cell_counts.tolist()])
    error = np.array([error_by_count[cell_count] for cell_count in cell_counts.tolist()])
    return Numbers(value, value - half, value + half, error)


def _total(source: Source, sums: CellSums) -> tuple[float, float, float, float]:
    """Return value, low end, high end and average error of one sum of cells.

    A condition may cut a cell, so that any of its rows may count. The interval allows the
    extremes of all such cells and the noise; the value is for rows spread evenly.

    Args:
        source: Noisy rows by cell, and perhaps noisy sums of offsets after them.
        sums: What a row of each cell adds to this one total.
    """
    cells = sums.cells
    # What a row of each cell adds at least, at most, and if rows are spread evenly.
    low = sums.add_least()
    high = sums.add_most()
    even = sums.add_evenly()
    values = source.entries[cells]
    # The mean absolute deviation of a uniform number is a quarter of its range. Sums of
    # offsets have equal ends, so they add 0 here.
    unknown = float(np.maximum(values, 0) @ (high - low)) / 4
    # The half widths of the noise of the least and of the greatest sum.
    below = source.reach(low, cells)
    above = below if np.array_equal(low, high) else source.reach(high, cells)
    return (
        float(even @ values),
        float(low @ values) - below,
        float(high @ values) + above,
        math.hypot(source.size(even, cells), unknown),
    )


def ratios_of(
    source: Source, sums: CellSums, size: int, *, low: float, high: float
) -> Numbers:
    """Return ratios of sums to their number of rows, with intervals by Fieller's argument.

    The interval of a ratio has every r for which noise and cut cells allow the sum over the
    rows of (what a row adds minus r) to be 0. A group that may be empty has NaN.

    Args:
        source: Noisy rows by cell.
        sums: What a row of each cell adds to each numerator.
        size: Number of ratios.
        low, high: The least and the greatest possible ratio.
    """
    return Numbers.gather(
        _ratio(source, sums.select_total(total), low, high=high) for total in range(size)
    )


def _ratio(
    source: Source, sums: CellSums, low: float, *, high: float
) -> tuple[float, float, float, float]:
    """Return value, low end, high end and average error of a sum over a number of rows.

    The interval has the ratios r for which noise and cut cells may explain that
    sum - r rows = 0; its ends are found by a search. All four are NaN if the noise could
    hide all of the rows.

    Args:
        source: Noisy rows by cell.
        sums: What a row of each cell adds to the numerator.
        low, high: The least and the greatest possible ratio.
    """
    values = source.entries[sums.cells]
    cells = sums.cells
    # Rows of whole cells are surely in the group; a sum of offsets is no number of rows, and
    # its part is 0.
    surely = np.where(sums.whole, sums.part, 0.0)
    # If rows are spread evenly, `part` of a cell's rows is in the group.
    rows = float(sums.part @ values)
    if float(surely @ values) <= source.reach(surely, cells) or rows <= 0:
        return (math.nan,) * 4

    def above_zero(ratio: float) -> float:
        """Return by how much sum - ratio rows is surely above 0; negative if it may be 0."""
        weights = sums.add_least(ratio)
        return float(weights @ values) - source.reach(weights, cells)

    def below_zero(ratio: float) -> float:
        """Return by how much sum - ratio rows is surely below 0; negative if it may be 0."""
        weights = sums.add_most(ratio)
        return -float(weights @ values) - source.reach(weights, cells)

    value = min(max(float(sums.add_evenly() @ values) / rows, low), high)
    if source.is_certain:  # repaired counts, which count as exact
        return value, value, value, 0.0
    # A ratio is too small if the difference is surely above 0, and too large if below.
    below = first_out(above_zero, low, value, end=high)
    above = first_out(below_zero, high, value, end=low)
    # The mean absolute deviation of a uniform number is a quarter of its range.
    ranges = sums.add_most(value) - sums.add_least(value)
    unknown = float(np.maximum(values, 0) @ ranges) / 4
    error = math.hypot(source.size(sums.add_evenly(value), cells), unknown) / rows
    # Negative noisy counts can turn the two ends around.
    below, above = min(below, above), max(below, above)
    return min(max(value, below), above), below, above, error


def first_out(
    gap: Callable[[float], float], out: float, inside: float, *, end: float
) -> float:
    """Return one end of an interval: where ``gap`` becomes positive towards ``out``.

    The search is by secants with the Illinois rule (Dowell, Jarratt 1971). The result is on
    the outside, so that the interval is never too short.

    Args:
        gap: Of a number: positive if it is excluded from the interval, else at most 0.
        out: The last possible number on this side. It is returned if it is not excluded.
        inside: The estimate.
        end: The last possible number on the other side, used if the estimate is excluded. It
            is returned if it is excluded too.
    """
    # `far` and `near` are the gaps at `out` and `inside`, which bracket the end.
    far = gap(out)
    if far <= 0:
        return out
    near = gap(inside)
    start = inside
    if near > 0:
        inside = end
        near = gap(end)
    if near > 0:
        return end
    last_side = ""
    for _ in range(_END_BISECTIONS):
        # The secant's root is at a distance of `chord` from `out`. The next number is a
        # little further out than the root, by half of the tolerance.
        chord = (out - inside) * far / (far - near)
        further = _END_TOLERANCE / 2 * (out - chord - start)
        if abs(chord) <= 2 * abs(further):
            break
        # Illinois rule: the gap of an end that stays twice is halved, which moves the root.
        cut = out - chord + further
        if (cut_gap := gap(cut)) > 0:
            out = cut
            far = cut_gap
            near = near / (2 if last_side == "in" else 1)
            last_side = "in"
        else:
            inside = cut
            near = cut_gap
            far = far / (2 if last_side == "out" else 1)
            last_side = "out"
    return out
