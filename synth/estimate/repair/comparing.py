"""All repairs of the same noisy counts, with their expected effects, at no cost. PUBLIC.

Most repairs apply one rising function to each count, so its bias follows from the noise.
Those of the pooled and smoothed repair, which use other cells too, are averages under the
fitted law.
"""

import math
from dataclasses import dataclass

import numpy as np

from synth.estimate.noisy.counts import NoisyCounts
from synth.estimate.repair.empirical_bayes import Prior
from synth.estimate.repair.histogram import (
    REPAIRS,
    Distribution,
    Repair,
    prior_of,
    repair_counts,
)
from synth.estimate.repair.pooling import Pool
from synth.estimate.repair.smoothing import helps
from synth.noise import LaplaceLaw
from synth.util import Floats

# True counts of cells whose bias is shown.
BIAS_COUNTS = (0, 1, 5, 20, 100)

# More noise, in scales, has a probability below 1e-17.
_TAIL = 40


@dataclass(frozen=True, eq=False, kw_only=True)
class Repaired:
    """One repair.

    Attributes:
        name: Its name.
        rows: Rows after the repair; a public total may draw fewer.
        occupied: Expected number of cells with a row, if as many were drawn.
        bias: Expected change, in rows, of a cell that truly has each of `BIAS_COUNTS`.
        error: Expected total variation before drawing, under the fitted law of true counts,
            or for ``pooled`` and ``smoothed`` of ratios of counts to guesses.
        distribution: The repaired counts.
    """

    name: str
    rows: float
    occupied: int
    bias: tuple[float, ...]
    error: float
    distribution: Distribution


def side_by_side(noisy: NoisyCounts | None) -> list[Repaired]:
    """Return every possible repair of these noisy counts, if any."""
    if noisy is None:
        return []
    prior = prior_of(noisy)
    repairs = []
    left_out = {Repair.AUTO}
    if not helps(noisy.domain.shape):
        left_out.add(Repair.SMOOTHED)  # which does there what the pooled one does
    for method in (method for method in REPAIRS if method not in left_out):
        if not REPAIRS[method].needs_all:
            repairs.append(_repair(noisy, method, prior))
        elif noisy.threshold is None and noisy.total > 0:
            repairs.append(_lawful(noisy, method, REPAIRS[method].fit_law(noisy).law))
    return repairs


def _repair(noisy: NoisyCounts, method: str, prior: Prior) -> Repaired:
    """Return what a repair does to the noisy counts; its error is for a learned law of
    counts.
    """
    distribution = repair_counts(noisy, method)
    curve = _Curve.of(noisy, distribution)
    rows = float(np.maximum(distribution.weights, 0).sum())
    bias = tuple(curve.expected(count, float(noisy.scale)) - count for count in BIAS_COUNTS)
    return Repaired(
        name=method,
        rows=rows,
        occupied=_count(distribution),
        bias=bias,
        error=_error(noisy, curve, prior, rows=rows),
        distribution=distribution,
    )


def _lawful(noisy: NoisyCounts, method: str, law: Pool) -> Repaired:
    """Return what a repair with its own law of counts does to the noisy counts."""
    distribution = repair_counts(noisy, method)
    bias = tuple(law.expected(count) - count for count in BIAS_COUNTS)
    error = min(1.0, law.error() / (2 * noisy.total))
    return Repaired(
        name=method,
        rows=float(distribution.weights.sum()),
        occupied=_count(distribution),
        bias=bias,
        error=error,
        distribution=distribution,
    )


def _count(distribution: Distribution) -> int:
    return round(float(np.clip(distribution.weights, 0, 1).sum()))


def _error(noisy: NoisyCounts, curve: "_Curve", prior: Prior, *, rows: float) -> float:
    """Return the expected error of a repair, as a share of the rows, at most 1."""
    if rows <= 0 or noisy.total <= 0:
        return 1.0
    repaired = np.maximum(curve.at(prior.levels.middles), 0) * (noisy.total / rows)
    repaired[0] = 0 if noisy.threshold is not None else repaired[0]
    return min(1.0, prior.error(repaired) * noisy.domain.size / (2 * noisy.total))


@dataclass(frozen=True, eq=False)
class _Curve:
    # Rows after a repair by noisy count, linear between counts that occur.
    values: Floats
    rows: Floats
    threshold: int | None

    @classmethod
    def of(cls, noisy: NoisyCounts, distribution: Distribution) -> "_Curve":
        """Return how a repair maps noisy counts to rows, from an example of it."""
        weights = np.zeros(len(noisy.values))
        weights[np.searchsorted(noisy.cells, distribution.cells)] = distribution.weights
        values, first = np.unique(noisy.values, return_index=True)
        if not len(values):
            return cls(np.zeros(1), np.zeros(1), noisy.threshold)
        return cls(values.astype(np.float64), weights[first], noisy.threshold)

    def at(self, values: Floats) -> Floats:
        """Return the rows that the repair gives noisy values, shape of ``values``."""
        rows = np.interp(values, self.values, self.rows)
        rows += np.maximum(values - self.values[-1], 0)
        if self.rows[0] < 0:  # no repair at all
            rows -= np.maximum(self.values[0] - values, 0)
        if self.threshold is not None:
            rows[values < self.threshold] = 0
        return rows

    def expected(self, count: int, scale: float) -> float:
        """Return the rows that the repair gives a cell on average.

        The mean rows of a cell that truly has ``count``.
        """
        reach = max(1, math.ceil(_TAIL * scale))
        noise = np.arange(-reach, reach + 1)
        chance = LaplaceLaw(scale).chances(noise)
        return float(chance @ self.at(count + noise.astype(np.float64)))
