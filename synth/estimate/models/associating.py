"""Pairs as strongly associated as their noisy counts say. PUBLIC.

Strong noise makes estimates too close to independence, but averages out in the counts' whole
deviation, which Synth regresses on the estimate's. With slope k, a stretch by sqrt(k) makes
Cramer's V about right; half of it leaves cells as close as before. Pearson's correlation,
known best, is treated separately. All of it is post-processing (`tests/bench/utility.py`
measures its effect)."""

import math
from dataclasses import dataclass

import numpy as np

from synth.domain import Binned, Column, Domain
from synth.estimate.assumptions import USUAL_CORRELATION_ERROR
from synth.estimate.repair.marginal import rake
from synth.util import Floats


@dataclass(frozen=True)
class Strength:
    """How far an estimate moves towards the associations of noisy counts.

    Attributes:
        stretch: Power of the slope that stretches deviations from independence.
        tilt: Share of the correlations' gap that is closed, under low noise.
    """

    stretch: float
    tilt: float


# Half of each, as cells matter as much as associations.
USUAL = Strength(1 / 4, 1 / 2)
# The further strength to associations as strong as noisy counts say. The slope is then
# k^(3/4), and its root is left.
FULL = Strength((1 - USUAL.stretch) / 2, 1.0)


@dataclass(frozen=True, eq=False, kw_only=True)
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
        """Expected rows under independence, shape (r, c)."""
        return np.outer(self.left, self.right / max(float(self.left.sum()), 1.0))


def places(column: Column) -> Floats:
    """Return the positions of a column's cells, shape (cells,).

    They are the middles of bins, in steps of their column, and NaN for cells without values.
    In a column without bins they are the cells' numbers, as any order will do.

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
    *,
    margins: Margins,
    strength: Strength = USUAL,
) -> Floats:
    """Return a pair's estimate, closer to the associations of its noisy counts.

    Args:
        noisy: Noisy counts, shape (r, c).
        variance: Variance of the noise on each.
        estimate: Expected rows, with the columns' sums, shape (r, c).
        margins: The two columns' counts and positions.
        strength: How far the estimate moves.

    Returns:
        Expected rows, not negative, with the columns' sums, shape (r, c).
    """
    product = margins.product  # expected rows if the columns were independent
    # How many times stronger noisy counts deviate from independence than the estimate does;
    # deviations are never made smaller.
    steep = max(slope(noisy, estimate, product), 1.0)
    table = np.maximum(product + steep**strength.stretch * (estimate - product), 0.0)
    # Scaled to the counts of both columns, which the stretch may have changed.
    table = rake(table, margins.left, margins.right)
    return _tilt(table, noisy, variance, margins=margins, part=strength.tilt)


def slope(counts: Floats, estimate: Floats, product: Floats) -> float:
    """Return how many times stronger counts deviate from independence than an estimate does.

    That is the slope of a regression through 0, whose weights are those of chi-square: one
    over the rows under independence. It is 1 if the estimate does not deviate.

    Args:
        counts: Counts of a pair, perhaps noisy, shape (r, c).
        estimate: Expected rows, same shape.
        product: Expected rows under independence, same shape.

    >>> even, tied = np.full((2, 2), 25.0), np.array([[30.0, 20.0], [20.0, 30.0]])
    >>> slope(np.array([[35.0, 15.0], [15.0, 35.0]]), tied, even)
    2.0
    """
    weights = np.divide(1.0, product, out=np.zeros_like(product), where=product > 0)
    deviations = estimate - product
    weighted_deviations = deviations * weights
    sum_of_squares = float((weighted_deviations * deviations).sum())
    if not sum_of_squares > 0:
        return 1.0
    return float(((counts - product) * weighted_deviations).sum()) / sum_of_squares


def _tilt(
    table: Floats, noisy: Floats, variance: float, *, margins: Margins, part: float
) -> Floats:
    """Return a table with more of the linear association that the noisy counts show.

    The gap to their correlation is shrunk by the share of noise in it, and added as a product
    of both columns' positions. The sums over each column stay.

    Args:
        table: Expected rows of the pair, shape (r, c).
        noisy: The pair's noisy counts, in the same shape.
        variance: Variance of the noise on each.
        margins: The two columns' counts and positions.
        part: Share of the gap that is closed under low noise.

    Returns:
        Expected rows, shape (r, c): the same table if a column's positions do not vary.
    """
    row_positions = _standardize(margins.left, margins.left_places)
    column_positions = _standardize(margins.right, margins.right_places)
    total = float(margins.left.sum())
    if row_positions is None or column_positions is None:
        return table
    # The noise's variance in the correlation: a sum of noisy counts with these weights.
    squared_weights = float((row_positions**2).sum() * (column_positions**2).sum())
    noise = variance * squared_weights / total**2
    gap = float(row_positions @ (noisy - table) @ column_positions) / total
    # Shrunk by a part of the variance: that of the usual error, over it plus the noise's.
    gap *= part * USUAL_CORRELATION_ERROR**2 / (USUAL_CORRELATION_ERROR**2 + noise)
    # `product`: expected rows if the columns were independent.
    tilt = gap * margins.product * np.outer(row_positions, column_positions)
    # Empty cells stay empty, as rules may forbid them.
    tilted = np.where(table > 0, np.maximum(table + tilt, 0.0), 0.0)
    return rake(tilted, margins.left, margins.right)


def _standardize(rows: Floats, places: Floats) -> Floats | None:
    """Return positions of cells, standardised to mean 0 and variance 1 over the rows.

    Args:
        rows: Rows by cell, shape (cells,).
        places: Positions of the cells, same shape; NaN for none.

    Returns:
        The positions, 0 for cells without one; None if they do not vary.
    """
    has_place = ~np.isnan(places)
    weights = np.where(has_place, rows, 0.0)
    if weights.sum() <= 0:
        return None
    mean = np.average(np.where(has_place, places, 0.0), weights=weights)
    centred = np.where(has_place, places - mean, 0.0)
    deviation = math.sqrt(float(weights @ centred**2) / float(rows.sum()))
    # A smaller deviation is a rounding error.
    return np.asarray(centred / deviation) if deviation > 1e-9 else None


def aim_further(drawn_rows: Floats, wanted_rows: Floats, product: Floats) -> Floats:
    """Return the rows to aim for in a second try, after rows came out too weakly associated.

    If rows reached a part of the wanted deviation from independence, that is divided by it.

    Args:
        drawn_rows: Rows of the pair by cell, as drawn, shape (r, c).
        wanted_rows: Rows that were aimed for, same shape.
        product: Expected rows under independence, same shape.
    """
    # Associations change by a factor of two at most.
    reached = min(max(slope(drawn_rows, wanted_rows, product), 0.5), 2.0)
    return np.maximum(product + (wanted_rows - product) / reached, 0.0)
