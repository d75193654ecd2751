"""Repair: from noisy counts, negative ones among them, to a distribution over cells.

All repairs are post-processing: they see public numbers only and cost nothing.

=========== ===================================================================================
``none``    the noisy counts as they are; rows are drawn from the positive ones
``clamp``   negative counts become 0; the total grows by half the noise scale an empty cell
``rescale`` clamp, then scale to the total; the large cells pay for the empty ones
``simplex`` subtract one threshold, clamp, so that the sum is the total: the nearest
            distribution in the Euclidean sense
``auto``    simplex
=========== ===================================================================================
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from synth.domain import Domain
from synth.release import NoisyCounts

Floats = npt.NDArray[np.float64]


class Repair(StrEnum):
    """The names of the repairs."""

    AUTO = "auto"
    NONE = "none"
    CLAMP = "clamp"
    RESCALE = "rescale"
    SIMPLEX = "simplex"


@dataclass(frozen=True, eq=False)
class Distribution:
    """Expected rows by cell; cells not listed have none. PUBLIC.

    Attributes:
        domain: The universe.
        cells: Cell numbers, ascending, shape (k,).
        weights: Expected rows in each, shape (k,); negative only under ``none``.
        total: How many rows the table stands for.
        repair: The repair that was used.
    """

    domain: Domain
    cells: npt.NDArray[np.int64]
    weights: Floats
    total: int
    repair: Repair


def repair(noisy: NoisyCounts, method: Repair) -> Distribution:
    """Turn noisy counts into a distribution.

    The total is the public number of rows; where that is private (add-remove), the sum of
    the noisy counts, or of the clamped ones for ``clamp``.
    """
    method = Repair.SIMPLEX if method is Repair.AUTO else method
    total = noisy.total
    if method is Repair.SIMPLEX:
        weights = project_to_simplex(noisy.values, total)
    else:
        low = None if method is Repair.NONE else 0
        weights = np.clip(noisy.values, low, None).astype(np.float64)
    mass = float(weights.sum())
    if method is Repair.RESCALE and mass:
        weights *= total / mass
    if method is Repair.CLAMP and noisy.rows is None:
        total = round(mass)
    cells = np.flatnonzero(weights)
    return Distribution(noisy.domain, cells, weights[cells], total, method)


def project_to_simplex(values: npt.NDArray[np.int64], total: float) -> Floats:
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
