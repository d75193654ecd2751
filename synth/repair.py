"""Repair: from noisy counts, negative ones among them, to a distribution over cells.

All repairs are post-processing: they see public numbers only and cost nothing.

=========== ===================================================================================
``none``    the noisy counts as they are; rows are drawn from the positive ones
``clamp``   negative counts become 0; the total grows by half the noise scale an empty cell
``rescale`` clamp, then scale to the total; the large cells pay for the empty ones
``simplex`` subtract one threshold, clamp, so that the sum is the total: the nearest
            distribution in the Euclidean sense
``bayes``   empirical Bayes: the median of what a count may have been, given all the others,
            then scaled to the total
``auto``    simplex or bayes, whichever has the smaller error in expectation, by the prior that
            was fitted to the noisy counts
=========== ===================================================================================
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from synth.bayes import Prior, fit
from synth.cells import Cells
from synth.domain import Domain
from synth.noisy import NoisyCounts

Floats = npt.NDArray[np.float64]

_CLEARLY = 0.95
"""The error under a prior fitted to the same counts flatters bayes by about this much."""


class Repair(StrEnum):
    """The names of the repairs."""

    AUTO = "auto"
    NONE = "none"
    CLAMP = "clamp"
    RESCALE = "rescale"
    SIMPLEX = "simplex"
    BAYES = "bayes"


@dataclass(frozen=True, eq=False)
class Distribution:
    """Expected rows by cell; cells not listed have none. PUBLIC.

    Attributes:
        domain: The universe.
        cells: The cells, ascending, shape (k,).
        weights: Expected rows in each, shape (k,); negative only under ``none``.
        total: How many rows the table stands for.
        repair: The repair that was used.
    """

    domain: Domain
    cells: Cells
    weights: Floats
    total: int
    repair: Repair


def repair(noisy: NoisyCounts, method: Repair) -> Distribution:
    """Turn noisy counts into a distribution.

    The total is the public number of rows; where that is private (add-remove), its noisy
    value, or the sum of the clamped counts for ``clamp``.
    """
    total = noisy.total
    method, weights = _weights(noisy, method, total)
    if method is Repair.CLAMP and noisy.rows is None:
        total = round(float(weights.sum()))
    kept = np.flatnonzero(weights)
    return Distribution(noisy.domain, noisy.cells[kept], weights[kept], total, method)


def _weights(noisy: NoisyCounts, method: Repair, total: int) -> tuple[Repair, Floats]:
    """The repair that was used in the end, and the weights of the cells under it."""
    match method:
        case Repair.SIMPLEX:
            return method, project_to_simplex(noisy.values, total)
        case Repair.BAYES:
            return method, _scaled(_prior(noisy, total).estimate(noisy.values), total)
        case Repair.AUTO:
            return _better(noisy, total)
    weights = np.clip(noisy.values, None if method is Repair.NONE else 0, None).astype(float)
    return method, _scaled(weights, total) if method is Repair.RESCALE else weights


def _better(noisy: NoisyCounts, total: int) -> tuple[Repair, Floats]:
    """Simplex, or bayes where its expected error under the fitted prior is clearly less."""
    simplex = project_to_simplex(noisy.values, total)
    if total <= 0:
        return Repair.SIMPLEX, simplex
    prior = _prior(noisy, total)
    bayes = prior.estimate(noisy.values)
    scaling, threshold = total / (bayes.sum() or total), float((noisy.values - simplex).max())
    projected = np.maximum(prior.middles - threshold, 0)
    projected[0] = 0
    estimated = prior.estimates * scaling
    estimated[0] = 0
    if prior.error(estimated) < _CLEARLY * prior.error(projected):
        return Repair.BAYES, bayes * scaling
    return Repair.SIMPLEX, simplex


def _prior(noisy: NoisyCounts, total: int) -> Prior:
    return fit(
        noisy.values,
        scale=float(noisy.scale),
        cells=noisy.domain.size,
        total=total,
        threshold=noisy.threshold,
    )


def _scaled(weights: Floats, total: int) -> Floats:
    mass = float(weights.sum())
    return weights * (total / mass) if mass else weights


def project_to_simplex(values: npt.NDArray[np.int64] | Floats, total: float) -> Floats:
    """The nearest non-negative vector with the given sum.

    Args:
        values: Any vector, shape (k,).
        total: The sum wanted, at least 0.

    Source: Michelot, "A finite algorithm for finding the projection of a point onto the
    canonical simplex of R^n", 1986: drop what falls below the mean excess until nothing does.

    >>> project_to_simplex(np.array([5, 1, -2, 0]), 4.0)
    array([4., 0., 0., 0.])
    """
    if total <= 0:
        return np.zeros(len(values))
    active = values
    while True:
        threshold = (float(active.sum()) - total) / len(active)
        above = active > threshold
        if above.all():
            weights: Floats = np.maximum(values - threshold, 0.0)
            return weights
        active = active[above]
