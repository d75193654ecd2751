"""Pairs as strongly associated as their noisy counts say. PUBLIC.

The best estimate of each cell is closer to independence than the truth, as it must be under strong
noise; so estimated associations are too weak. Their sizes, however, are sums over all cells, in
which noise averages out. So the deviation of the noisy counts from independence, which is right on
average, is regressed on that of the estimate. If the slope is k, Cramer's V is about right when the
estimate's deviation is stretched by sqrt(k); half of that stretch leaves the cells as close as
before. Then one direction is treated separately: the product of both columns' places, which alone
determines Pearson's correlation and is known best. All of it is post-processing
(`tests/bench/utility.py` measures its effect).
"""

import math
from dataclasses import dataclass

import numpy as np

from synth.domain import Binned, Column, Domain
from synth.estimate.repair.marginal import rake
from synth.util import Floats

MAX_SLOPE = 4.0
"""Largest slope that is used."""
USUAL_CORRELATION_ERROR = 0.05
"""Usual error of estimated correlations."""
STEP_FACTORS = (0.8, 2.0)
"""Range of the factor by which requested rows may change at once."""


@dataclass(frozen=True)
class Strength:
    """How far an estimate is moved towards the associations of noisy counts.

    Attributes:
        stretch: Power of the slope that stretches deviations from independence.
        tilt: Share of the gap between both correlations that is closed, if noise is low.
    """

    stretch: float
    tilt: float


USUAL = Strength(1 / 4, 1 / 2)
"""The strength that costs cells next to nothing: more total variation on some tables, less on
others.
"""
FULL = Strength(0.4, 1.0)
"""The further strength to associations as strong as noisy counts say. The slope is then k^(3/4), of
which a third would be left; rows lose a little of it while they settle.
"""


@dataclass(frozen=True, eq=False)
class Margins:
    """The two columns of a pair.

    Attributes:
        left, right: Rows by cell, shapes (r,) and (c,), of equal sum.
        left_places, right_places: Positions of the cells, same shapes; NaN for none.
    """

    left: Floats
    right: Floats
    left_places: Floats
    right_places: Floats

    @property
    def product(self) -> Floats:
        """Expected rows if the columns were independent, shape (r, c)."""
        return np.outer(self.left, self.right / max(float(self.left.sum()), 1.0))


def places(column: Column) -> Floats:
    """Return the positions of the cells of a column, shape (cells,); NaN for cells without one.

    Middles of bins, in steps of their column; otherwise the cells' numbers, as any order will do.

    >>> from synth.domain import Integer
    >>> places(Integer(name="age", minimum="0", maximum="9", bins=2)).tolist()
    [2.0, 7.0]
    """
    if not isinstance(column, Binned):
        return np.arange(column.size, dtype=np.float64)
    middles = np.array(column.spans, dtype=np.float64).mean(axis=1)
    return np.append(middles, np.full(column.size - len(middles), np.nan))


def all_places(domain: Domain) -> tuple[Floats, ...]:
    """Return the positions of the cells of every column."""
    return tuple(places(column) for column in domain.columns)


def strengthen(
    noisy: Floats,
    variance: float,
    estimate: Floats,
    margins: Margins,
    strength: Strength = USUAL,
) -> Floats:
    """Return an estimate of a pair whose associations are closer to those of its noisy counts.

    Args:
        noisy: Noisy counts, shape (r, c).
        variance: Variance of their noise.
        estimate: Expected rows of each cell, with the columns' sums, shape (r, c).
        margins: The two columns.
        strength: How much closer.
    """
    product = margins.product
    steep = min(max(slope(noisy, estimate, product), 1.0), MAX_SLOPE)
    table = np.maximum(product + steep**strength.stretch * (estimate - product), 0.0)
    table = rake(table, margins.left, margins.right)
    return _tilt(table, noisy, variance, margins, strength.tilt)


def slope(counts: Floats, estimate: Floats, product: Floats) -> float:
    """Return the slope through 0 of one deviation from independence on another, with chi-square
    weights.

    1 if the estimate does not deviate.

    >>> even, tied = np.full((2, 2), 25.0), np.array([[30.0, 20.0], [20.0, 30.0]])
    >>> slope(np.array([[35.0, 15.0], [15.0, 35.0]]), tied, even)
    2.0
    """
    weights = np.divide(1.0, product, out=np.zeros_like(product), where=product > 0)
    off = (estimate - product) * weights
    size = float((off * (estimate - product)).sum())
    return float(((counts - product) * off).sum()) / size if size > 0 else 1.0


def _tilt(table: Floats, noisy: Floats, variance: float, margins: Margins, part: float) -> Floats:
    """Move the table's correlation towards that of the noisy counts as far as noise allows."""
    left = _standard(margins.left, margins.left_places)
    right = _standard(margins.right, margins.right_places)
    total = float(margins.left.sum())
    if left is None or right is None:
        return table
    noise = variance * float((left**2).sum() * (right**2).sum()) / total**2
    gap = float(left @ (noisy - table) @ right) / total
    gap *= part * USUAL_CORRELATION_ERROR**2 / (USUAL_CORRELATION_ERROR**2 + noise)
    tilt = gap * margins.product * np.outer(left, right)
    tilted = np.where(table > 0, np.maximum(table + tilt, 0.0), 0.0)
    return rake(tilted, margins.left, margins.right)


def _standard(rows: Floats, places: Floats) -> Floats | None:
    """Return standardised positions, 0 for cells without one; None if nothing varies."""
    known = ~np.isnan(places)
    weights = np.where(known, rows, 0.0)
    if weights.sum() <= 0:
        return None
    middle = np.average(np.where(known, places, 0.0), weights=weights)
    off = np.where(known, places - middle, 0.0)
    spread = math.sqrt(float(weights @ off**2) / float(rows.sum()))
    return np.asarray(off / spread) if spread > 1e-9 else None


def asked_again(asked: Floats, found: Floats, wanted: Floats, product: Floats) -> Floats:
    """Return the rows to request after rows came out less associated than they should.

    Args:
        asked: Requested rows by cell, shape (r, c).
        found: Drawn rows.
        wanted: Wanted rows.
        product: Wanted rows if the columns were independent.
    """
    low, high = STEP_FACTORS
    reached = slope(found, wanted, product)
    more = min(max(1.0 / max(reached, 1.0 / high), low), high)
    return np.maximum(product + more * (asked - product), 0.0)
