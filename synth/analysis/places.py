"""Sums of products with measured offsets within bins. PUBLIC."""
# With x = m + o, m the middle of the bin and o the offset, xy is m_x m_y + m_y o_x + m_x o_y
# + o_x o_y. Sums of offsets by cell give the second and third term. The last is measured too,
# or is at most a quarter of the product of both widths per row. Or the release measured the
# product itself, over all rows.

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from synth.analysis.factors import DesignFactor
from synth.analysis.known_moments import KnownMoment, find_moments
from synth.analysis.selection import JointColumns
from synth.analysis.sources import ReleaseView
from synth.noise import blend_deviation
from synth.util import Floats

Weighed = tuple[KnownMoment, Floats]


@dataclass(frozen=True, eq=False, kw_only=True)
class PlacedSum:
    """A sum over rows, by cells and by measured sums of offsets.

    Attributes:
        cells: The contribution of a row in each cell, in the shape of its table.
        off: Largest error of a row's contribution in each cell, likewise.
        moments: Noisy sums that are added.
        is_bounded: Whether a product of offsets is bounded and not measured.
    """

    cells: Floats
    off: Floats
    moments: tuple[Weighed, ...] = field(default=())
    is_bounded: bool = False

    def deviation(self, rows: float) -> float:
        """Return the width that it causes in an interval, without the noise of counts."""
        variance = sum(float(weights**2 @ known.variances) for known, weights in self.moments)
        return math.sqrt(variance) + float(self.off.mean()) * rows


@dataclass(frozen=True, eq=False)
class FactorValue:
    """A factor of a product, by the cells of a table.

    Attributes:
        along: Its middle in each cell, or 0 or 1 for a level, to be broadcast; None without
        its
            column.
        half: Half the width of its widest bin; 0 if each cell has one number.
    """

    factor: DesignFactor
    along: Floats | None
    half: float


def place_sum(
    factors: Sequence[FactorValue], mask: Floats, table: JointColumns, *, view: ReleaseView
) -> PlacedSum | None:
    """Return the sum of a product of up to two factors; None if too little was measured for
    it.

    Factors are counted from the middles of the columns' ranges; ``mask`` is 1 for the cells
    whose rows count."""
    place = view.place(table.names)
    columns = [
        view.domain.names.index(f.factor.name) for f in factors if f.factor.code is None
    ]
    found = []
    if len(columns) == 2:
        for known in find_moments(view.record, columns, place):
            whole = None if known.noisy.what.by else known.share(mask)
            if whole is not None:
                found.append(_place_share(known, whole))
    if all(one.along is not None for one in factors):
        expanded = _expand(factors, mask, table, view=view)
        found += [] if expanded is None else [expanded]
        found += _read_distances(factors, mask, place, view=view)
    rows = max(1.0, view.record.total)

    def deviation(one: PlacedSum) -> float:
        counts = blend_deviation(table.source.terms(one.cells.reshape(-1)))
        return math.hypot(one.deviation(rows), counts)

    return min(found, key=deviation, default=None)


def _place_share(known: KnownMoment, share: tuple[Floats, Floats, Floats]) -> PlacedSum:
    """Return the sum that `KnownMoment.share` describes."""
    weights, cells, off = share
    return PlacedSum(cells=cells, off=off, moments=((known, weights),))


def _read_distances(
    factors: Sequence[FactorValue], mask: Floats, place: tuple[int, ...], *, view: ReleaseView
) -> list[PlacedSum]:
    wide = [one for one in factors if one.half > 0]
    if len(wide) != 1:
        return []
    others = [one.along for one in factors if one.half <= 0 and one.along is not None]
    weights = np.asarray(mask * math.prod(others))
    column = view.domain.names.index(wide[0].factor.name)
    return [
        _place_share(known, each)
        for known in find_moments(view.record, [column], place)
        if known.noisy.what.ranged and (each := known.share(weights)) is not None
    ]


def _expand(
    factors: Sequence[FactorValue], mask: Floats, table: JointColumns, *, view: ReleaseView
) -> PlacedSum | None:
    place, number = view.place(table.names), view.domain.names.index
    values = [one.along for one in factors if one.along is not None]
    wide = [i for i, one in enumerate(factors) if one.half > 0]
    cells = np.asarray(mask * math.prod(values))
    moments: list[Weighed] = []
    off, is_bounded = np.zeros_like(mask), False
    for i in wide:
        weights = np.asarray(mask * math.prod(values[:i] + values[i + 1 :]))
        found = _weigh(view, [number(factors[i].factor.name)], place, weights=weights)
        if found is None:
            return None
        moments.append(found.moments[0])
        cells, off = cells + found.cells, off + found.off
    if len(wide) == 2:
        known = _weigh(
            view, [number(one.factor.name) for one in factors], place, weights=mask
        )
        if known is None:
            is_bounded, most = True, mask * math.prod(one.half for one in factors)
            if factors[0].factor == factors[1].factor:  # a square is not below 0
                most = most / 2
                cells = cells + most
            off = off + most
        else:
            moments.append(known.moments[0])
            cells, off = cells + known.cells, off + known.off
    return PlacedSum(cells=cells, off=off, moments=tuple(moments), is_bounded=is_bounded)


def _weigh(
    view: ReleaseView, columns: Sequence[int], place: tuple[int, ...], *, weights: Floats
) -> PlacedSum | None:
    found = [
        _place_share(known, each)
        for known in find_moments(view.record, columns, place)
        if (known.noisy.what.by or len(columns) == 1)
        and not known.noisy.what.ranged
        and (each := known.share(weights)) is not None
    ]
    rows = max(1.0, view.record.total)
    return min(found, key=lambda one: one.deviation(rows), default=None)


def add_places(sums: Sequence[PlacedSum]) -> tuple[Floats, Floats]:
    """Return the contribution of noisy sums to each sum, shape (sums,), and their noise
    covariances.
    """
    value, covariance = np.zeros(len(sums)), np.zeros((len(sums), len(sums)))
    by_moment: dict[object, tuple[KnownMoment, Floats]] = {}
    for i, one in enumerate(sums):
        for known, weights in one.moments:
            key = (known.noisy.what, known.noisy.values.tobytes())
            empty = known, np.zeros((len(sums), len(weights)))
            by_moment.setdefault(key, empty)[1][i] += weights
    for known, matrix in by_moment.values():
        value += matrix @ known.numbers
        covariance += (matrix * known.variances) @ matrix.T
    return value, covariance
