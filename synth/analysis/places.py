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
from synth.analysis.release_view import ReleaseView
from synth.analysis.selection import JointColumns
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
        """Return how uncertain the sum is, to compare it with others, without counts' noise.

        It is the standard deviation of the noisy sums, plus the mean largest error of a row
        times ``rows``, the estimated number of rows.
        """
        variance = sum(
            float(weights**2 @ moment.variances) for moment, weights in self.moments
        )
        return math.sqrt(variance) + float(self.off.mean()) * rows


@dataclass(frozen=True, eq=False)
class FactorValue:
    """A factor of a product, by the cells of a table.

    Attributes:
        along: Its middle in each cell, or 0 or 1 for a level, to be broadcast; None without
            its column.
        half: Half the width of its widest bin; 0 if each cell has one number.
    """

    factor: DesignFactor
    along: Floats | None
    half: float


def place_sum(
    factors: Sequence[FactorValue], mask: Floats, table: JointColumns, *, view: ReleaseView
) -> PlacedSum | None:
    """Return the sum over the rows of a product of up to two factors, by measured sums.

    With measured sums of offsets or of products, positions within bins need not be assumed.
    Of several possible sums, the one with the least uncertainty is returned.

    Args:
        factors: No factor (for a number of rows), one, or two. They are counted from the
            middles of their columns' ranges.
        mask: 1 for the cells whose rows count, else 0, in the shape of the table.
        table: The noisy counts of the columns.
        view: The release.

    Returns:
        None if too little was measured.
    """
    place = view.place(table.names)
    columns = [
        view.domain.names.index(f.factor.name) for f in factors if f.factor.code is None
    ]
    placed = []
    # The sum of this very product, if it was measured as one sum; sums by cell come below.
    if len(columns) == 2:
        for moment in find_moments(view.record, columns, place):
            share = None if moment.noisy.what.by else moment.share(mask)
            if share is not None:
                placed.append(_place_share(moment, share))
    if all(factor.along is not None for factor in factors):
        expanded = _expand(factors, mask, table, view=view)
        placed += [] if expanded is None else [expanded]
        placed += _read_distances(factors, mask, place, view=view)
    rows = max(1.0, view.record.total)

    def deviation(placed_sum: PlacedSum) -> float:
        """Return the uncertainty of a sum, with the noise of the counts that it uses."""
        counts = blend_deviation(table.source.terms(placed_sum.cells.reshape(-1)))
        return math.hypot(placed_sum.deviation(rows), counts)

    return min(placed, key=deviation, default=None)


def _place_share(moment: KnownMoment, share: tuple[Floats, Floats, Floats]) -> PlacedSum:
    """Return one noisy moment as a sum over the rows.

    Args:
        share: From `KnownMoment.share`: the weights of its sums, what to add for a row of
            each cell, and the largest error of a row of each cell.
    """
    weights, cells, off = share
    return PlacedSum(cells=cells, off=off, moments=((moment, weights),))


def _read_distances(
    factors: Sequence[FactorValue], mask: Floats, place: tuple[int, ...], *, view: ReleaseView
) -> list[PlacedSum]:
    """Return sums of a product by measured distances from the middle of a column's range.

    They fit if exactly one factor is a number with several values in a bin. The others are
    known by cell, and weigh the distances.

    Args:
        factors: All of them have their columns in the table.
        mask: 1 for the cells whose rows count, else 0.
        place: The table's columns, by number.
    """
    wide = [factor for factor in factors if factor.half > 0]
    if len(wide) != 1:
        return []
    others = [
        factor.along for factor in factors if factor.half <= 0 and factor.along is not None
    ]
    weights = np.asarray(mask * math.prod(others))
    column = view.domain.names.index(wide[0].factor.name)
    return [
        _place_share(moment, share)
        for moment in find_moments(view.record, [column], place)
        if moment.noisy.what.ranged and (share := moment.share(weights)) is not None
    ]


def _expand(
    factors: Sequence[FactorValue], mask: Floats, table: JointColumns, *, view: ReleaseView
) -> PlacedSum | None:
    """Return the sum of a product of factors, each a bin's middle plus a measured offset.

    (a + x)(b + y) = ab + ay + bx + xy. Sums of the offsets x and y by cell give the second
    and third term. If their product was not measured too, half the widths of bins bound it.

    Args:
        factors: No factor (for a number of rows), one, or two, with columns in the table.
        mask: 1 for the cells whose rows count, else 0, in the shape of the table.
        table: The noisy counts of the columns.
        view: The release.

    Returns:
        None if the offsets of a factor with wide bins were not measured.
    """
    place = view.place(table.names)
    columns = [view.domain.names.index(factor.factor.name) for factor in factors]
    middles = [factor.along for factor in factors if factor.along is not None]
    # The factors with several values in a bin, whose offsets have to be measured.
    wide = [i for i, factor in enumerate(factors) if factor.half > 0]
    cells = np.asarray(mask * math.prod(middles))  # the term ab
    moments: list[Weighed] = []
    off = np.zeros_like(mask)
    # The terms ay and bx: the offsets of one factor, weighted by the other's middles.
    for i in wide:
        other_middles = middles[:i] + middles[i + 1 :]
        weights = np.asarray(mask * math.prod(other_middles))
        single = _weigh(view, [columns[i]], place, weights=weights)
        if single is None:
            return None
        moments.append(single.moments[0])
        cells = cells + single.cells
        off = off + single.off
    if len(wide) < 2:
        return PlacedSum(cells=cells, off=off, moments=tuple(moments), is_bounded=False)
    # The term xy.
    both = _weigh(view, columns, place, weights=mask)
    if both is None:
        bound = mask * math.prod(factor.half for factor in factors)
        if factors[0].factor == factors[1].factor:
            # A square is from 0 to the bound: half of the bound, give or take as much.
            bound = bound / 2
            cells = cells + bound
        off = off + bound
    else:
        moments.append(both.moments[0])
        cells = cells + both.cells
        off = off + both.off
    return PlacedSum(cells=cells, off=off, moments=tuple(moments), is_bounded=both is None)


def _weigh(
    view: ReleaseView, columns: Sequence[int], place: tuple[int, ...], *, weights: Floats
) -> PlacedSum | None:
    """Return the measured sum of offsets that serves these weights with the least noise.

    Args:
        columns: The number of one column for offsets, or of two for products of offsets.
        place: The columns of the table, by number.
        weights: The weight of each cell's rows.

    Returns:
        None if no measured sum serves.
    """
    # Only sums that count from the middles of bins: not `ranged` ones, and no products over
    # all rows, which count from the middles of ranges.
    placed = [
        _place_share(moment, share)
        for moment in find_moments(view.record, columns, place)
        if (moment.noisy.what.by or len(columns) == 1)
        and not moment.noisy.what.ranged
        and (share := moment.share(weights)) is not None
    ]
    rows = max(1.0, view.record.total)
    return min(placed, key=lambda placed_sum: placed_sum.deviation(rows), default=None)


def add_places(sums: Sequence[PlacedSum]) -> tuple[Floats, Floats]:
    """Return what measured sums of offsets add to each sum, and the noise in this part.

    Returns:
        The additions, shape (sums,), and their noise covariances, shape (sums, sums).
    """
    value = np.zeros(len(sums))
    covariance = np.zeros((len(sums), len(sums)))
    # Sums that use the same measured numbers share their noise. For each of these moments:
    # the weight of its numbers in every sum, shape (sums, numbers).
    by_moment: dict[object, tuple[KnownMoment, Floats]] = {}
    for i, placed in enumerate(sums):
        for moment, weights in placed.moments:
            # The same numbers may be in several objects, so their content is the key.
            key = (moment.noisy.what, moment.noisy.values.tobytes())
            empty = moment, np.zeros((len(sums), len(weights)))
            _, matrix = by_moment.setdefault(key, empty)
            matrix[i] += weights
    for moment, matrix in by_moment.values():
        value += matrix @ moment.numbers
        covariance += (matrix * moment.variances) @ matrix.T
    return value, covariance
