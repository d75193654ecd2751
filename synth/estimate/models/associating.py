"""Pairs as strongly associated as their noisy counts say. PUBLIC.

The best estimate of each cell is nearer to independence than the truth is, as it has to be where
noise is loud: what is left of associations is then too little. Their sizes, however, are sums over
all cells, in which noise averages out. So the noisy counts, whose deviation from independence is
right on average, are regressed on that of the estimate. With a slope of k, Cramer's V is right
about where the estimate's deviation is stretched by sqrt(k), and cells are as near as before where
it is stretched by half of that. Then one direction is set apart: the product of both columns'
places, on which alone Pearson's correlation depends, and which is known best of all. All of it is
post-processing (`tests/bench/utility.py` has what it changes).
"""

import math
from dataclasses import dataclass

import numpy as np

from synth.domain import Binned, Column, Domain
from synth.estimate.repair.marginal import rake
from synth.util import Floats

MAX_SLOPE = 4.0
"""Largest slope that is believed."""
USUAL_CORRELATION_ERROR = 0.05
"""By how much estimates of correlations are usually off."""
STEP_FACTORS = (0.8, 2.0)
"""By how much rows may be asked for more or less at once."""


@dataclass(frozen=True)
class Strength:
    """How far an estimate is moved towards the associations of noisy counts.

    Attributes:
        stretch: Power of the slope by which deviations from independence are stretched.
        tilt: Part of the gap between both correlations that is closed, where noise is low.
    """

    stretch: float
    tilt: float


USUAL = Strength(1 / 4, 1 / 2)
"""What costs cells next to nothing: more total variation on some tables, less on others."""
FULL = Strength(0.4, 1.0)
"""What it takes from there to associations as strong as noisy counts say. The slope is k^(3/4)
by then, of which a third part would be left; rows lose a little of it while they settle."""


@dataclass(frozen=True, eq=False)
class Margins:
    """The two columns of a pair.

    Attributes:
        left, right: Rows by cell, shapes (r,) and (c,), with the same sum.
        left_places, right_places: Where the cells lie, in the same shapes; NaN: nowhere.
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
    """Where the cells of a column lie, shape (cells,); NaN for those that lie nowhere.

    Middles of bins, in steps of their column; elsewhere the cells' numbers, as any order serves.

    >>> from synth.domain import Integer
    >>> places(Integer(name="age", minimum="0", maximum="9", bins=2)).tolist()
    [2.0, 7.0]
    """
    if not isinstance(column, Binned):
        return np.arange(column.size, dtype=np.float64)
    middles = np.array(column.spans, dtype=np.float64).mean(axis=1)
    return np.append(middles, np.full(column.size - len(middles), np.nan))


def all_places(domain: Domain) -> tuple[Floats, ...]:
    """The places of the cells of every column."""
    return tuple(places(column) for column in domain.columns)


def strengthen(
    noisy: Floats,
    variance: float,
    estimate: Floats,
    margins: Margins,
    strength: Strength = USUAL,
) -> Floats:
    """Return an estimate of a pair whose associations are nearer to those of its noisy counts.

    Args:
        noisy: Noisy counts, shape (r, c).
        variance: Of the noise on each.
        estimate: Expected rows of each cell, with the columns' sums, shape (r, c).
        margins: The two columns.
        strength: How much nearer.
    """
    product = margins.product
    steep = min(max(slope(noisy, estimate, product), 1.0), MAX_SLOPE)
    table = np.maximum(product + steep**strength.stretch * (estimate - product), 0.0)
    table = rake(table, margins.left, margins.right)
    return _tilt(table, noisy, variance, margins, strength.tilt)


def slope(counts: Floats, estimate: Floats, product: Floats) -> float:
    """Slope through 0 of one deviation from independence on another, weighed as by chi-square.

    1 where the estimate does not deviate.

    >>> even, tied = np.full((2, 2), 25.0), np.array([[30.0, 20.0], [20.0, 30.0]])
    >>> slope(np.array([[35.0, 15.0], [15.0, 35.0]]), tied, even)
    2.0
    """
    weights = np.divide(1.0, product, out=np.zeros_like(product), where=product > 0)
    off = (estimate - product) * weights
    size = float((off * (estimate - product)).sum())
    return float(((counts - product) * off).sum()) / size if size > 0 else 1.0


def _tilt(table: Floats, noisy: Floats, variance: float, margins: Margins, part: float) -> Floats:
    """The same, its correlation moved towards that of the noisy counts as far as noise allows."""
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
    """Places less their mean, in standard deviations, 0 for cells that lie nowhere.

    None where nothing varies.
    """
    known = ~np.isnan(places)
    weights = np.where(known, rows, 0.0)
    if weights.sum() <= 0:
        return None
    middle = np.average(np.where(known, places, 0.0), weights=weights)
    off = np.where(known, places - middle, 0.0)
    spread = math.sqrt(float(weights @ off**2) / float(rows.sum()))
    return np.asarray(off / spread) if spread > 1e-9 else None


def asked_again(asked: Floats, found: Floats, wanted: Floats, product: Floats) -> Floats:
    """What to ask of rows that came out less associated than they should.

    Args:
        asked: Rows by cell that they were settled on, shape (r, c).
        found: What they hold.
        wanted: What they should.
        product: The same if the columns were independent.
    """
    low, high = STEP_FACTORS
    reached = slope(found, wanted, product)
    more = min(max(1.0 / max(reached, 1.0 / high), low), high)
    return np.maximum(product + more * (asked - product), 0.0)
