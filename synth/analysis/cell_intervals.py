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
    """Return the totals of a tally, with their intervals and expected errors."""
    if (sums.low == 1).all() and sums.are_exact and size > 1 and source.is_even:
        return _plain_counts(source, sums, size)
    return Numbers.gather(_total(source, sums.select_total(total)) for total in range(size))


def _plain_counts(source: Source, sums: CellSums, size: int) -> Numbers:
    """Return counts that are sums of whole cells, with their intervals and expected errors.

    Half width and error depend on the number of cells alone, so each is computed once for
    every number that occurs.
    """
    cell_counts = np.bincount(sums.totals, minlength=size)
    value = np.bincount(sums.totals, source.values[sums.cells], minlength=size).astype(
        np.float64
    )
    reach_by_count: dict[int, float] = {}
    size_by_count: dict[int, float] = {}
    for cell_count in np.unique(cell_counts).tolist():
        weights = np.ones(cell_count)
        first_cells = np.arange(cell_count)
        reach_by_count[cell_count] = source.reach(weights, first_cells)
        size_by_count[cell_count] = source.size(weights, first_cells)
    half = np.array([reach_by_count[cell_count] for cell_count in cell_counts.tolist()])
    error = np.array([size_by_count[cell_count] for cell_count in cell_counts.tolist()])
    return Numbers(value, value - half, value + half, error)


def _total(source: Source, sums: CellSums) -> tuple[float, float, float, float]:
    """Return value, low, high and expected error of one sum of cells.

    Of a cell that is cut, no or all rows may count; the value is for rows spread evenly in
    it.
    """
    cells = sums.cells
    low = sums.add_least()
    high = sums.add_most()
    even = sums.add_evenly()
    values = source.entries[cells]
    unknown = float(np.maximum(values, 0) @ (high - low)) / 4  # of sums of offsets it is 0
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
    """Return ratios of sums to their number of rows, by Fieller's argument.

    A ratio r is kept if noise and cells allow the sum of (what a row adds minus r) to be 0.
    Groups that may be empty, by their interval, have no answer. Ratios are from ``low`` to
    ``high``."""
    return Numbers.gather(
        _ratio(source, sums.select_total(total), low, high=high) for total in range(size)
    )


def _ratio(
    source: Source, sums: CellSums, low: float, *, high: float
) -> tuple[float, float, float, float]:
    """Return value, low, high and expected error of a sum of cells over a number of rows.

    The interval has the ratios r for which noise and cut cells may explain sum - r rows = 0,
    and is found by bisection. All are NaN if the noise could hide all of the rows.
    """
    values = source.entries[sums.cells]
    cells = sums.cells
    surely = np.where(sums.whole, sums.part, 0.0)
    rows = float(sums.part @ values)
    if float(surely @ values) <= source.reach(surely, cells) or rows <= 0:
        return (math.nan,) * 4

    def above_zero(ratio: float) -> float:
        weights = sums.add_least(ratio)
        return float(weights @ values) - source.reach(weights, cells)

    def below_zero(ratio: float) -> float:
        weights = sums.add_most(ratio)
        return -float(weights @ values) - source.reach(weights, cells)

    value = min(max(float(sums.add_evenly() @ values) / rows, low), high)
    if source.is_certain:
        return value, value, value, 0.0
    below = first_out(above_zero, low, value, end=high)
    above = first_out(below_zero, high, value, end=low)
    spread = float(np.maximum(values, 0) @ (sums.add_most(value) - sums.add_least(value))) / 4
    error = math.hypot(source.size(sums.add_evenly(value), cells), spread) / rows
    below, above = min(below, above), max(below, above)
    return min(max(value, below), above), below, above, error


def first_out(
    gap: Callable[[float], float], out: float, inside: float, *, end: float
) -> float:
    """Return the first excluded ratio, with a gap above 0, on the way from ``inside`` to
    ``out``.

    ``out`` itself if it is not excluded. ``end`` is the other end, for an excluded estimate.
    """
    # By chords, and by halves if these are slow (the Illinois rule: Dowell, Jarratt 1971);
    # the result is on the outside. Every chord is cut a little further out, as that side is
    # close enough.
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
        chord = (out - inside) * far / (far - near)
        further = _END_TOLERANCE / 2 * (out - chord - start)
        if abs(chord) <= 2 * abs(further):
            break
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
