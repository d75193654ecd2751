"""Projection onto the simplex. PUBLIC."""

import numpy as np

from synth.util import Floats, Ints


def project_to_simplex(values: Ints | Floats, total: float) -> Floats:
    """Return the nearest non-negative vector with the given sum.

    Args:
        values: Any vector, shape (k,).
        total: The wanted sum, at least 0.

    It drops entries below the mean excess until there are none. Source: Michelot, "A finite
    algorithm for finding the projection of a point onto the canonical simplex of R^n", 1986.

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
