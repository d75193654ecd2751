"""Where in their bins the values of rows lie, by noisy sums of offsets. PUBLIC.

An offset is a number from -1 to 1, the ends of the bin. Values of a cell are drawn by the Beta law
on the bin that has the measured mean, and the measured mean square where that was measured too. A
law with mean m of which no square is known has the variance (1 - m^2) / 3, as even values have.
The larger the noise, the nearer to even values are drawn.
"""

from collections.abc import Mapping

import numpy as np

from synth.domain import OFFSET_STEPS, Binned, Column, Frame, Offsets
from synth.estimate import MomentSum, NoisyMoment, Record
from synth.util import Floats

Laws = Mapping[int, Floats]
"""By number of a column both parameters of the Beta law of each cell, shape (cells, 2)."""

MOST_MEAN = 0.98
"""How near to an end of their bin values of a cell may be on average."""
USUAL_GAP = 0.25
"""How far means and mean squares of offsets usually are from those of even values."""
LEAST_SPREAD, MOST_SPREAD = 1e-3, 0.95
"""Variance of offsets over the most that it can be at their mean."""
WIDE = 3
"""Steps of a bin from which on rounding to steps adds a sixth of a squared step to the variance."""


def value_laws(record: Record) -> Laws:
    """Laws of values within bins; none where no offsets were measured."""
    known = {one.what: one for one in record.moments}
    found: dict[int, Floats] = {}
    for column in sorted({one.columns[0] for one in known if len(one.columns) == 1}):
        counted = record.interval(column)
        if counted is not None:
            rows = np.maximum(counted.middle, 0.0) * max(record.total, 1.0)
            law = _law(record, column, rows, known)
            found |= {} if law is None else {column: law}
    return found


def _law(
    record: Record, column: int, rows: Floats, known: Mapping[MomentSum, NoisyMoment]
) -> Floats | None:
    own = Offsets.build(record.domain, column, Frame.OWN)
    own_sum, own_square = MomentSum((column,), (column,)), MomentSum((column, column), (column,))
    if own_sum in known:
        mean = _shrink(*_divide(known[own_sum], rows), np.zeros(len(rows)))
    elif MomentSum((column,)) in known:
        whole, unit = known[MomentSum((column,))], float((rows * own.halves).sum())
        mean = np.full(len(rows), _alike(whole, record, 0.0, unit, np.zeros(1)))
    else:
        return None
    mean = np.clip(mean, -MOST_MEAN, MOST_MEAN)
    even = mean**2 + (1 - mean**2) / 3
    if own_square in known:
        square = _shrink(*_divide(known[own_square], rows), even)
    elif MomentSum((column, column)) in known:
        away = own.middles - Offsets.build(record.domain, column, Frame.RANGE).middles
        away = np.where(own.halves > 0, away, 0.0)
        rest = float((rows * (away**2 + 2 * away * own.halves * mean)).sum())
        weights = rows * own.halves**2
        unit, usual = float(weights.sum()), float(weights @ even) / max(1e-300, weights.sum())
        found = _alike(known[MomentSum((column, column))], record, rest, unit, np.array([usual]))
        square = even + (found - usual)
    else:
        square = even
    spread = (square - mean**2 - _rounding(record.domain.columns[column])) / (1 - mean**2)
    total = 1 / np.clip(spread, LEAST_SPREAD, MOST_SPREAD) - 1
    return np.stack([total * (1 + mean) / 2, total * (1 - mean) / 2], axis=1)


def _rounding(column: Column) -> Floats:
    """The mean square by which rounding offsets to a column's steps moves them, by cell."""
    assert isinstance(column, Binned)
    first, last = np.asarray(column.spans).T
    steps, found = last - first, np.zeros(column.size)
    found[: len(steps)] = np.where(steps >= WIDE, 4 / (6.0 * np.maximum(steps, 1) ** 2), 0.0)
    return found


def _divide(noisy: NoisyMoment, rows: Floats) -> tuple[Floats, Floats]:
    """Means of cells, and the variances of their noise."""
    each = np.maximum(rows, 1.0) * OFFSET_STEPS
    return noisy.values / each, float(noisy.mechanism.variance) / each**2


def _alike(noisy: NoisyMoment, record: Record, rest: float, unit: float, usual: Floats) -> float:
    """The one mean of all cells: of a sum less the rest, by how much 1 in each cell would add."""
    step = float(noisy.what.unit(record.domain)) / max(unit, 1e-300)
    mean = noisy.values * step - rest / max(unit, 1e-300)
    return float(
        _shrink(
            np.asarray(mean, np.float64), np.array([noisy.mechanism.variance * step**2]), usual
        )[0]
    )


def _shrink(found: Floats, variance: Floats, usual: Floats) -> Floats:
    """Numbers moved to usual ones, the more so the larger the variance of their noise."""
    kept = USUAL_GAP**2 / (USUAL_GAP**2 + variance)
    return np.asarray(usual + (found - usual) * kept)
