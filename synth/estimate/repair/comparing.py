"""All repairs of the same noisy counts, with their expected effects, at no cost. PUBLIC.

Most repairs apply one rising function to each count, so its bias follows from the noise.
Those of the pooled and smoothed repair, which use other cells too, are averages under the
fitted law.
"""

import math
from dataclasses import dataclass

import numpy as np

from synth.estimate.assumptions import neighbours_help
from synth.estimate.names import Repair
from synth.estimate.noisy.counts import NoisyCounts
from synth.estimate.repair.empirical_bayes import Prior
from synth.estimate.repair.histogram import (
    REPAIRS,
    Distribution,
    prior_of,
    repair_counts,
)
from synth.estimate.repair.pooling import Pool
from synth.noise import LaplaceLaw
from synth.util import Floats

# True counts of cells whose bias is shown.
BIAS_COUNTS = (0, 1, 5, 20, 100)

# More noise, in scales, has a probability below 1e-17.
_TAIL_SCALES = 40


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
        invented: Rows after the repair beyond the table's total; 0 if it keeps the total.
        emptied: Number of cells with a positive noisy count that are left with less than
            half a row.
        distribution: The repaired counts.
    """

    name: str
    rows: float
    occupied: int
    bias: tuple[float, ...]
    error: float
    invented: float
    emptied: int
    distribution: Distribution

    @property
    def title(self) -> str:
        """What screens call the repair."""
        return REPAIRS[self.name].title


def side_by_side(noisy: NoisyCounts | None) -> list[Repaired]:
    """Return every possible repair of the noisy counts, with its expected effects.

    Repairs that need all counts are left out if only those from a threshold up are listed,
    or if there are no rows. The list is empty without noisy counts, as a model has none.
    """
    if noisy is None:
        return []
    prior = prior_of(noisy)
    repairs = []
    left_out = {Repair.AUTO}  # which is one of the others
    if not neighbours_help(noisy.domain.shape):
        left_out.add(Repair.SMOOTHED)  # which does there what the pooled one does
    for method in REPAIRS:
        if method in left_out:
            continue
        if not REPAIRS[method].needs_all:
            repairs.append(_repair(noisy, method, prior))
        elif noisy.threshold is None and noisy.total > 0:
            repairs.append(_lawful(noisy, method, REPAIRS[method].fit_law(noisy).law))
    return repairs


def _repair(noisy: NoisyCounts, method: str, prior: Prior) -> Repaired:
    """Return the effects of a repair that maps each noisy count by one rising function.

    Args:
        noisy: The noisy counts.
        method: Name of the repair.
        prior: The law of true counts fitted to them, under which errors are expected.
    """
    distribution = repair_counts(noisy, method)
    curve = _Curve.of(noisy, distribution)
    rows = _sum_rows(distribution)
    bias = tuple(curve.expected(count, float(noisy.scale)) - count for count in BIAS_COUNTS)
    return Repaired(
        name=method,
        rows=rows,
        occupied=_count(distribution),
        bias=bias,
        error=_error(noisy, curve, prior, rows=rows),
        invented=max(0.0, rows - noisy.total),
        emptied=_count_emptied(noisy, distribution),
        distribution=distribution,
    )


def _lawful(noisy: NoisyCounts, method: str, law: Pool) -> Repaired:
    """Return the effects of a repair that has its own law of counts: pooled or smoothed.

    Args:
        noisy: The noisy counts of all cells.
        method: Name of the repair.
        law: Its law, fitted to these counts, under which bias and error are expected.
    """
    distribution = repair_counts(noisy, method)
    bias = tuple(law.expected(count) - count for count in BIAS_COUNTS)
    error = min(1.0, law.error() / (2 * noisy.total))
    return Repaired(
        name=method,
        rows=_sum_rows(distribution),
        occupied=_count(distribution),
        bias=bias,
        error=error,
        invented=0.0,  # such a law keeps the total
        emptied=_count_emptied(noisy, distribution),
        distribution=distribution,
    )


def _sum_rows(distribution: Distribution) -> float:
    """Return the rows of all cells; negative counts, which draw no row, are left out."""
    return float(np.maximum(distribution.weights, 0).sum())


def _count_emptied(noisy: NoisyCounts, distribution: Distribution) -> int:
    """Return how many cells with a positive noisy count are left with under half a row."""
    weights = spread_weights(noisy, distribution)
    return int(((noisy.values > 0) & (weights < 0.5)).sum())


def spread_weights(noisy: NoisyCounts, distribution: Distribution) -> Floats:
    """Return the rows of every listed cell after a repair, shape (k,).

    Args:
        noisy: The noisy counts of k cells.
        distribution: The same counts after the repair, without the cells that have no rows.
    """
    weights = np.zeros(len(noisy.values))
    weights[np.searchsorted(noisy.cells, distribution.cells)] = distribution.weights
    return weights


def _count(distribution: Distribution) -> int:
    """Return the expected number of cells with a row.

    A cell that expects less than one row has one with that chance.
    """
    return round(float(np.clip(distribution.weights, 0, 1).sum()))


def _error(noisy: NoisyCounts, curve: "_Curve", prior: Prior, *, rows: float) -> float:
    """Return the expected total variation of a repair before drawing, at most 1.

    Args:
        noisy: The noisy counts.
        curve: How the repair maps a noisy count to rows.
        prior: The law of true counts, under which the error is expected.
        rows: Sum of the repaired rows; they are scaled to the table's total.
    """
    if rows <= 0 or noisy.total <= 0:
        return 1.0
    repaired = np.maximum(curve.at(prior.levels.middles), 0) * (noisy.total / rows)
    if noisy.threshold is not None:
        repaired[0] = 0  # the group below the threshold: cells that are not listed
    # The error of the mean cell, times all cells; half of it over the rows.
    return min(1.0, prior.error(repaired) * noisy.domain.size / (2 * noisy.total))


@dataclass(frozen=True, eq=False)
class _Curve:
    """Rows after a repair by noisy count, linear between counts that occur.

    Attributes:
        values: Noisy counts that occur, ascending, shape (k,).
        rows: Rows after the repair of each, same shape.
        threshold: The least listed count; None if all are listed.
    """

    values: Floats
    rows: Floats
    threshold: int | None

    @classmethod
    def of(cls, noisy: NoisyCounts, distribution: Distribution) -> "_Curve":
        """Return how a repair maps noisy counts to rows, read from its result.

        Args:
            noisy: The noisy counts.
            distribution: The same counts after the repair; equal counts have equal rows.
        """
        weights = spread_weights(noisy, distribution)
        # Each different count, and where one of its cells is.
        values, first = np.unique(noisy.values, return_index=True)
        if not len(values):
            return cls(np.zeros(1), np.zeros(1), noisy.threshold)
        return cls(values.astype(np.float64), weights[first], noisy.threshold)

    def at(self, values: Floats) -> Floats:
        """Return the rows that the repair gives noisy counts, of any shape, which is kept.

        Between counts that occurred they are interpolated; below the listing threshold they
        are 0.
        """
        rows = np.interp(values, self.values, self.rows)
        # Beyond the largest count that occurs, a row more is a row more after repair.
        rows += np.maximum(values - self.values[-1], 0)
        # Only without repair are rows negative: below the least count a row less is one less.
        if self.rows[0] < 0:
            rows -= np.maximum(self.values[0] - values, 0)
        if self.threshold is not None:
            rows[values < self.threshold] = 0
        return rows

    def expected(self, count: int, scale: float) -> float:
        """Return the mean rows after repair of a cell that truly has ``count`` rows.

        The mean is over discrete Laplace noise of this scale.
        """
        reach = max(1, math.ceil(_TAIL_SCALES * scale))
        noise = np.arange(-reach, reach + 1)
        chance = LaplaceLaw(scale).chances(noise)
        return float(chance @ self.at(count + noise.astype(np.float64)))
