"""Slopes and the intercept of a least-squares line from noisy sums. PUBLIC.

There is no interval if the noise could hide that columns are collinear.
"""
# With the noisy sums G + E and g + e, the slopes b of the rows solve G b = g, so those of the noisy
# sums are off by (G + E)^-1 (E b - e). For small E and e this is a weighted sum of the noises;
# otherwise it is at most 1 / (1 - k) as large, where k bounds the norm of E over the least
# eigenvalue. From k = 1 on, eigenvalues are raised to that norm, and there is no interval.

import numpy as np

from synth.noise import norm_reach
from synth.questions.moments.noisy import NoisySums
from synth.questions.numbers import Numbers
from synth.util import Floats, Mask

COLLINEAR = (
    "the noise could hide that the columns depend on each other: the slopes are of a repaired "
    "matrix, and have no intervals"
)
ABOUT_THESE_ROWS = "intervals cover the noise and are about these rows, not about a population"


def lines(of: NoisySums, level: float) -> Numbers:
    """Return the intercept, then the slope of each column after the first."""
    matrix, order = of.matrix[0], [0, *range(2, of.matrix.shape[1])]
    noisy = of.noisy[np.ix_(order, order)]
    norm = norm_reach(of.law, noisy, level) / of.weight**2
    values, vectors = np.linalg.eigh(matrix[np.ix_(order, order)])
    inverse = (vectors / np.maximum(values, norm)) @ vectors.T
    slopes, wanted = inverse @ matrix[order, 1], _units(of)
    value = wanted @ slopes
    value[0] += of.middles[0]
    linear = of.deviation * _deviations(noisy, slopes, wanted @ inverse)
    ratio = norm / values[0] if values[0] > 0 else np.inf
    half = np.full(len(value), np.nan)
    if ratio < 1:
        half = of.spread(level) * linear / (1 - ratio)
    error = linear * of.size / of.deviation
    remarks = (ABOUT_THESE_ROWS,) if ratio < 1 else (COLLINEAR,)
    return Numbers(value, value - half, value + half, error, remarks=remarks + of.remarks())


def _units(of: NoisySums) -> Floats:
    unit, units, middles = of.units[0], of.units[1:], of.middles[1:]
    found = np.zeros((len(units) + 1, len(units) + 1))
    found[0, 0], found[0, 1:] = unit, -unit * middles / units
    found[1:, 1:] = np.diag(unit / units)
    return found


def _deviations(noisy: Mask, slopes: Floats, weights: Floats) -> Floats:
    # Of the numbers with these weights, for noise of deviation 1.
    outer = weights[:, :, None] * slopes[None, None, :]
    both = outer + np.swapaxes(outer, 1, 2)
    variance = (weights**2).sum(axis=1) + (both**2 * np.triu(noisy, 1)).sum(axis=(1, 2))
    own = np.diagonal(outer, axis1=1, axis2=2)
    variance += (own**2 * np.diagonal(noisy)).sum(axis=1)
    return np.asarray(np.sqrt(variance))
