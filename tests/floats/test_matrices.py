"""The norm of a matrix of noise, against matrices that are drawn."""

import math
from fractions import Fraction

import numpy as np
import pytest

from synth.noise import DiscreteGaussian, DiscreteLaplace, law_of, norm_reach

RUNS = 4_000


@pytest.mark.parametrize(
    "noise", [DiscreteLaplace(Fraction(900)), DiscreteGaussian(Fraction(10**6))]
)
@pytest.mark.parametrize("size", [2, 4])
def test_norms_of_drawn_matrices_stay_below_the_bound(
    noise: DiscreteLaplace | DiscreteGaussian, size: int
) -> None:
    """The norm of a symmetric matrix of noise is below its bound in 95 % of 4,000 draws.

    The first entry has no noise. The bound is of use: less than 2.2 times the drawn quantile.
    """
    is_noisy = np.ones((size, size), dtype=bool)
    is_noisy[0, 0] = False
    bound = norm_reach(law_of(noise), is_noisy, 0.95)

    # Draw the upper triangles, and mirror them.
    matrices = np.zeros((RUNS, size, size))
    upper = np.triu_indices(size)
    matrices[:, upper[0], upper[1]] = noise.draw(RUNS * len(upper[0])).reshape(RUNS, -1)
    matrices = (matrices + np.swapaxes(np.triu(matrices, 1), 1, 2)) * is_noisy

    norms = np.linalg.norm(matrices, 2, axis=(1, 2))
    # The share within a true bound is below this once in a million times (4.75 deviations).
    assert (norms <= bound).mean() >= 0.95 - 4.75 * math.sqrt(0.05 * 0.95 / RUNS)
    assert bound < 2.2 * np.quantile(norms, 0.95), "and it is no idle bound"
