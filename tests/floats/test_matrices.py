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
def test_norms_stay_below(noise: DiscreteLaplace | DiscreteGaussian, size: int) -> None:
    noisy = np.ones((size, size), dtype=bool)
    noisy[0, 0] = False
    most = norm_reach(law_of(noise), noisy, 0.95)
    drawn = np.zeros((RUNS, size, size))
    upper = np.triu_indices(size)
    drawn[:, upper[0], upper[1]] = noise.draw(RUNS * len(upper[0])).reshape(RUNS, -1)
    drawn = (drawn + np.swapaxes(np.triu(drawn, 1), 1, 2)) * noisy
    norms = np.linalg.norm(drawn, 2, axis=(1, 2))
    assert (norms <= most).mean() >= 0.95 - 4.75 * math.sqrt(0.05 * 0.95 / RUNS)
    assert most < 2.2 * np.quantile(norms, 0.95), "and it is no idle bound"
