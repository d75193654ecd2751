"""The law of values within bins, from noisy sums of offsets. PUBLIC.

Offsets range from -1 to 1, the ends of the bin. They follow the Beta law of the measured mean m and
mean square, or of variance (1 - m^2) / 3, like uniform values. Under a sum over all rows, all cells
get one mean, or lean to the middle as squares require. Noise moves laws towards uniform.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from synth.domain import Binned, Column, Frame, Offsets
from synth.estimate import ColumnSet, MomentSum, NoisyMoment, Record
from synth.rows.value_numbers import value_spans
from synth.util import Floats

CellLaws = Mapping[ColumnSet, Floats]
"""Laws of values, by columns.

- One column: both parameters of the Beta law of each cell, shape (cells, 2).
- Two columns: the mean product over all rows, and the variance of its noise, shape (2,). Units are
  half ranges from the middles of the ranges.
- A number and a group: the mean offset in each cell of the group, and the variances of their noise,
  shape (cells of the group, 2). Units are half widest bins.
"""

# Largest absolute mean offset of a cell.
MOST_MEAN = 0.98
# Usual difference of means and mean squares from uniform values.
USUAL_GAP = 0.25
# Range of the variance of offsets, over its maximum at their mean.
LEAST_SPREAD, MOST_SPREAD = 1e-3, 0.95
BISECTIONS = 30
# Steps of a bin from which rounding adds a sixth of a squared step to the variance.
WIDE = 3


def value_laws(record: Record) -> CellLaws:
    """Return the laws of values within bins, if offsets were measured."""
    known = {replace(one.what, ranged=False): one for one in record.moments}
    for what, one in list(known.items()):
        if what.is_square and what.given:
            known.setdefault(replace(what, given=()), _of_all_rows(record, one))
    found: dict[ColumnSet, Floats] = {}
    for column in sorted({one.columns[0] for one in known if len(one.columns) == 1}):
        counted = record.interval(column)
        if counted is not None:
            rows = np.maximum(counted.middle, 0.0) * max(record.total, 1.0)
            law = _law(record, column, rows, known)
            found |= {} if law is None else {(column,): law}
    for what, one in known.items():
        each = max(record.total, 1.0) * what.steps
        if len(what.columns) == len(what.by) == 1 and what.by != what.columns:
            counted = record.interval(what.by[0])
            if counted is not None and not one.what.ranged:
                rows = np.maximum(counted.middle, 0.0) * max(record.total, 1.0)
                found[what.columns + what.by] = np.stack(_divide(one, rows), axis=1)
        if not what.by and len(set(what.columns)) > 1:
            variance = float(one.mechanism.variance) / each**2
            found[what.columns] = np.array([float(one.values[0]) / each, variance])
    return found


def _of_all_rows(record: Record, one: NoisyMoment) -> NoisyMoment:
    # As if rows without the other number were like the others.
    share, what = 1.0, one.what
    for column, cells in what.has_number(record.domain).items():
        if column in what.given and (counted := record.interval(column)) is not None:
            held = np.maximum(counted.middle, 0.0)
            share *= float(held[cells].sum()) / max(float(held.sum()), 1e-100)
    values = np.rint(one.values / max(share, 1e-3)).astype(np.int64)
    return replace(one, what=replace(what, given=()), values=values)


def _law(
    record: Record, column: int, rows: Floats, known: Mapping[MomentSum, NoisyMoment]
) -> Floats | None:
    own = MomentSum((column,), (column,))
    if own in known:
        mean = _shrink(*_divide(known[own], rows), np.zeros(len(rows)))
    elif MomentSum((column,)) in known:
        mean = _lean(record, column, rows, known)
    else:
        return None
    mean = np.clip(mean, -MOST_MEAN, MOST_MEAN)
    square = _even_square(mean)
    if MomentSum((column, column), own.by) in known:
        square = _shrink(*_divide(known[MomentSum((column, column), own.by)], rows), square)
    spread = (square - mean**2 - _rounding(record.domain.columns[column])) / (1 - mean**2)
    total = 1 / np.clip(spread, LEAST_SPREAD, MOST_SPREAD) - 1
    return np.stack([total * (1 + mean) / 2, total * (1 - mean) / 2], axis=1)


def _even_square(mean: Floats) -> Floats:
    return np.asarray(mean**2 + (1 - mean**2) / 3)


def _lean(
    record: Record, column: int, rows: Floats, known: Mapping[MomentSum, NoisyMoment]
) -> Floats:
    own = Offsets.build(record.domain, column, Frame.OWN)
    weights, whole = rows * own.halves, known[MomentSum((column,))]
    unit = max(float(weights.sum()), 1e-100)  # its square must not overflow where there is no row
    step = float(whole.what.unit(record.domain)) / unit
    away = own.middles - Offsets.build(record.domain, column, Frame.RANGE).middles
    away = np.where(own.halves > 0, away, 0.0)
    mean = whole.values * step - (float(rows @ away) / unit if whole.what.ranged else 0.0)
    variance = np.array([whole.mechanism.variance * step**2])
    alike = float(_shrink(mean.astype(np.float64), variance, np.zeros(1))[0])
    squares = known.get(MomentSum((column, column)))
    if squares is None:
        return np.full(len(rows), alike)
    place = away / max(float(np.abs(away).max()), 1e-300)

    def lean(slope: float) -> Floats:
        level = alike + slope * float(weights @ place) / unit
        return np.clip(level - slope * place, -MOST_MEAN, MOST_MEAN)

    def add_squares(means: Floats) -> float:
        each = away**2 + 2 * away * own.halves * means + own.halves**2 * _even_square(means)
        return float(rows @ each)

    step = float(squares.what.unit(record.domain))
    usual = add_squares(lean(0.0))
    gap, noise = float(squares.values[0]) * step - usual, squares.mechanism.variance * step**2
    wanted = usual + gap * gap**2 / (gap**2 + noise) if gap else usual
    low, high = -1.0, 1.0
    for _ in range(BISECTIONS):
        slope = (low + high) / 2
        low, high = (slope, high) if add_squares(lean(slope)) > wanted else (low, slope)
    return lean(low)


def _rounding(column: Column) -> Floats:
    # The change of the mean square by rounding offsets to a column's steps, by cell.
    assert isinstance(column, Binned)
    first, last = value_spans(column).T
    steps, found = last - first, np.zeros(column.size)
    found[: len(steps)] = np.where(steps >= WIDE, 4 / (6.0 * np.maximum(steps, 1) ** 2), 0.0)
    return found


def _divide(noisy: NoisyMoment, rows: Floats) -> tuple[Floats, Floats]:
    each = np.maximum(rows, 1.0) * noisy.what.steps
    return noisy.values / each, float(noisy.mechanism.variance) / each**2


def _shrink(found: Floats, variance: Floats, usual: Floats) -> Floats:
    kept = USUAL_GAP**2 / (USUAL_GAP**2 + variance)
    return np.asarray(usual + (found - usual) * kept)
