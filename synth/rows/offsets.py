"""The law of values within bins, from noisy sums of offsets. PUBLIC.

Offsets range from -1 to 1, the ends of the bin. Values follow the law of their measured mean,
and of their mean square if that was measured (`synth.rows.cell_places`). Under a sum over all
rows, the means of all cells are the same distance from those of uniform values, or lean to
the middle as squares require. Noise moves laws towards uniform."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from synth.domain import Binned, Domain, Frame, Offsets
from synth.estimate import ColumnSet, MomentSum, NoisyMoment, Record
from synth.rows.cell_places import even_variance, find_place_laws
from synth.rows.value_numbers import value_spans
from synth.util import Floats, Ints, one_thread

CellLaws = Mapping[ColumnSet, Floats]
"""Laws of values, by columns.

- One column: the law of the places in each cell, shape (cells, 3): `find_place_laws`.
- Two columns: the mean product over all rows, and the variance of its noise, shape (2,).
Units are
  half ranges from the middles of the ranges.
- A number and a group: the mean offset in each cell of the group, and the variances of their
noise,
  shape (cells of the group, 2). Units are half widest bins.
"""

# Usual difference of means and mean squares from uniform values.
USUAL_GAP = 0.25
BISECTIONS = 30


@one_thread
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
            law = _law(record, column, rows, known=known)
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


@dataclass(frozen=True, eq=False)
class _CellAxis:
    """The places of a column's values, from 0 to ``last``, on the axis of offsets in their
    own bin.

    Among whole numbers and days, the first value of a bin has the offset -1 and the last one
    1. Among real numbers the last value is a step below the end of the bin.

    Attributes:
        last: The last place of each cell, shape (cells,); 0 where there is only one, or none.
        start: The offset of place 0, likewise.
        grain: The offset from one place to the next, likewise; 0 where there is only one.
    """

    last: Ints
    start: Floats
    grain: Floats

    @classmethod
    def build(cls, domain: Domain, number: int) -> Self:
        column, offsets = domain.columns[number], Offsets.build(domain, number, Frame.OWN)
        assert isinstance(column, Binned)
        declared = slice(len(column.spans))
        is_wide = offsets.halves[declared] > 0
        half = np.where(is_wide, offsets.halves[declared], 1.0)
        first_value, last_value = value_spans(column).T
        first, end = np.asarray(column.spans).T * float(column.step)
        last = np.zeros(column.size, dtype=np.int64)
        start, grain = np.zeros((2, column.size))
        places = np.where(is_wide, last_value - first_value, 0)
        last[declared] = places
        start[declared] = np.where(is_wide, (first - offsets.middles[declared]) / half, 0.0)
        # Months differ in days; their places are as far apart as on average in the cell.
        grain[declared] = np.where(
            places > 0, (end - first) / half / np.maximum(places, 1), 0.0
        )
        return cls(last, start, grain)

    @property
    def reach(self) -> Floats:
        """The offset from the first to the last value; 0 where there is only one."""
        return self.last * self.grain

    @property
    def even(self) -> Floats:
        """The mean offset of uniform values."""
        return self.start + self.reach / 2

    def mean(self, lean: Floats) -> Floats:
        """Return the mean offset of values that lean by so much, from -1 to 1."""
        return self.even + np.clip(lean, -1.0, 1.0) * self.reach / 2

    def limit(self, mean: Floats) -> Floats:
        """Return the nearest mean offset that values of the cell can have."""
        return np.clip(mean, self.start, self.start + self.reach)

    def share(self, mean: Floats) -> Floats:
        """Return the mean place over ``last``, of a mean offset."""
        moves = self.reach > 0
        return np.where(moves, (mean - self.start) / np.where(moves, self.reach, 1.0), 0.5)

    def even_square(self, mean: Floats) -> Floats:
        """Return the mean square of offsets of a mean, under the law that needs no square."""
        return mean**2 + even_variance(self.share(mean), self.last) * self.grain**2

    def find_laws(self, mean: Floats, square: Floats | None) -> Floats:
        """Return the law of the places in each cell, of a mean offset and perhaps a mean
        square.
        """
        share = np.clip(self.share(mean), 0.0, 1.0)
        if square is None:
            return find_place_laws(share, self.last)
        variance = (square - mean**2) / np.where(self.grain > 0, self.grain, 1.0) ** 2
        return find_place_laws(share, self.last, np.where(self.grain > 0, variance, 0.0))


def _law(
    record: Record, column: int, rows: Floats, *, known: Mapping[MomentSum, NoisyMoment]
) -> Floats | None:
    own, axis = (
        MomentSum(columns=(column,), by=(column,)),
        _CellAxis.build(record.domain, column),
    )
    if own in known:
        mean = _shrink(*_divide(known[own], rows), axis.even)
    elif MomentSum(columns=(column,)) in known:
        mean = _lean(record, column, rows, known=known)
    else:
        return None
    mean, square = axis.limit(mean), None
    if MomentSum(columns=(column, column), by=own.by) in known:
        found = _divide(known[MomentSum(columns=(column, column), by=own.by)], rows)
        square = _shrink(*found, axis.even_square(mean))
    return axis.find_laws(mean, square)


def _lean(
    record: Record, column: int, rows: Floats, *, known: Mapping[MomentSum, NoisyMoment]
) -> Floats:
    # Means are as far from uniform ones, in half of what the values of each cell span.
    own = Offsets.build(record.domain, column, Frame.OWN)
    axis, whole = _CellAxis.build(record.domain, column), known[MomentSum(columns=(column,))]
    weights = rows * own.halves * axis.reach / 2
    unit = max(
        float(weights.sum()), 1e-100
    )  # its square must not overflow where there is no row
    step = float(whole.what.unit(record.domain)) / unit
    away = own.middles - Offsets.build(record.domain, column, Frame.RANGE).middles
    away = np.where(own.halves > 0, away, 0.0)
    gap = np.asarray(whole.values * step, dtype=np.float64)
    gap = gap - float(rows * own.halves @ axis.even) / unit
    if whole.what.ranged:
        gap = gap - float(rows @ away) / unit
    variance = np.array([whole.mechanism.variance * step**2])
    alike = float(_shrink(gap, variance, np.zeros(1))[0])
    squares = known.get(MomentSum(columns=(column, column)))
    if squares is None:
        return axis.mean(np.full(len(rows), alike))
    place = away / max(float(np.abs(away).max()), 1e-300)

    def lean(slope: float) -> Floats:
        level = alike + slope * float(weights @ place) / unit
        return axis.mean(level - slope * place)

    return _find_lean(record, own, rows, squares=squares, lean=lean)


def _find_lean(
    record: Record,
    own: Offsets,
    rows: Floats,
    *,
    squares: NoisyMoment,
    lean: Callable[[float], Floats],
) -> Floats:
    axis = _CellAxis.build(record.domain, own.column)
    away = own.middles - Offsets.build(record.domain, own.column, Frame.RANGE).middles
    away = np.where(own.halves > 0, away, 0.0)

    def add_squares(means: Floats) -> float:
        squared = own.halves**2 * axis.even_square(means)
        return float(rows @ (away**2 + 2 * away * own.halves * means + squared))

    step = float(squares.what.unit(record.domain))
    usual = add_squares(lean(0.0))
    gap, noise = float(squares.values[0]) * step - usual, squares.mechanism.variance * step**2
    wanted = usual + gap * gap**2 / (gap**2 + noise) if gap else usual
    low, high = -1.0, 1.0
    for _ in range(BISECTIONS):
        slope = (low + high) / 2
        low, high = (slope, high) if add_squares(lean(slope)) > wanted else (low, slope)
    return lean(low)


def _divide(noisy: NoisyMoment, rows: Floats) -> tuple[Floats, Floats]:
    each = np.maximum(rows, 1.0) * noisy.what.steps
    return noisy.values / each, float(noisy.mechanism.variance) / each**2


def _shrink(found: Floats, variance: Floats, usual: Floats) -> Floats:
    kept = USUAL_GAP**2 / (USUAL_GAP**2 + variance)
    return np.asarray(usual + (found - usual) * kept)
