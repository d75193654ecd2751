"""Slopes and the intercept of a least-squares line from noisy sums. PUBLIC.

There is no interval if the noise could hide that columns are collinear.
"""
# With the noisy sums G + E and g + e, the slopes b of the rows solve G b = g, so those of the noisy
# sums are off by (G + E)^-1 (E b - e). For small E and e this is a weighted sum of the noises;
# otherwise it is at most 1 / (1 - k) as large, where k bounds the norm of E over the least
# eigenvalue. From k = 1 on, eigenvalues are raised to that norm, and there is no interval.

from dataclasses import dataclass

import numpy as np

from synth.noise import norm_reach
from synth.questions.moments.noisy import NoisySums
from synth.questions.numbers import Numbers
from synth.util import Floats

COLLINEAR = (
    "the noise could hide that the columns depend on each other: the slopes are of a repaired "
    "matrix, and have no intervals"
)
ABOUT_THESE_ROWS = "intervals cover the noise and are about these rows, not about a population"


@dataclass(frozen=True, eq=False)
class _Line:
    # The constant comes first; ``ratio`` is the noise's norm over the least eigenvalue.

    inverse: Floats
    slopes: Floats
    ratio: float


def lines(of: NoisySums, level: float) -> Numbers:
    """Return the intercept, then the slope of each column after the first."""
    line = _fit(of, level)
    wanted = _units(of)
    value = wanted @ line.slopes
    value[0] += of.middles[0]
    linear = _deviations(of, line, wanted @ line.inverse)
    half = np.full(len(value), np.nan)
    if line.ratio < 1:
        half = of.spread(level) * linear / (1 - line.ratio)
    error = linear * of.size / of.deviation
    remarks = (ABOUT_THESE_ROWS,) if line.ratio < 1 else (COLLINEAR,)
    return Numbers(value, value - half, value + half, error, remarks=remarks + of.remarks())


def _order(of: NoisySums) -> list[int]:
    return [0, *range(2, of.matrix.shape[1])]


def _fit(of: NoisySums, level: float) -> _Line:
    order = _order(of)
    matrix = of.matrix[0]
    norm = norm_reach(of.law, of.noisy[np.ix_(order, order)], level) / of.weight**2
    values, vectors = np.linalg.eigh(matrix[np.ix_(order, order)])
    raised = np.maximum(values, norm)
    inverse = (vectors / raised) @ vectors.T
    ratio = norm / values[0] if values[0] > 0 else np.inf
    return _Line(inverse, inverse @ matrix[order, 1], float(ratio))


def _units(of: NoisySums) -> Floats:
    unit, units, middles = of.units[0], of.units[1:], of.middles[1:]
    found = np.zeros((len(units) + 1, len(units) + 1))
    found[0, 0], found[0, 1:] = unit, -unit * middles / units
    found[1:, 1:] = np.diag(unit / units)
    return found


def _deviations(of: NoisySums, line: _Line, weights: Floats) -> Floats:
    order = _order(of)
    noisy = of.noisy[np.ix_(order, order)]
    outer = weights[:, :, None] * line.slopes[None, None, :]
    both = outer + np.swapaxes(outer, 1, 2)
    upper = np.triu(noisy, 1)
    variance = (weights**2).sum(axis=1) + (both**2 * upper).sum(axis=(1, 2))
    own = np.diagonal(outer, axis1=1, axis2=2)
    variance += (own**2 * np.diagonal(noisy)).sum(axis=1)
    return np.asarray(of.deviation * np.sqrt(variance))
