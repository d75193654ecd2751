"""Projection onto the simplex. PUBLIC."""

import numpy as np

from synth.util import Floats, Ints


def project_to_simplex(values: Ints | Floats, total: float) -> Floats:
    """Return the nearest non-negative vector with the given sum.

    It subtracts one threshold from all entries and sets negative results to 0. Entries at or
    below the threshold are dropped, and it is computed anew, until all are above it. Source:
    Michelot, "A finite algorithm for finding the projection of a point onto the canonical
    simplex of R^n", 1986.

    Args:
        values: Any vector, shape (k,).
        total: The wanted sum; all entries are 0 if it is not above 0.

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
