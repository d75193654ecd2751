"""Layer 3: samples have the claimed scale, and neither nine nor eleven tenths of it.

Each test rejects a true claim with probability 1e-6 and is never repeated. On the other side,
200,000 draws tell a scale that is 10 % off from the claimed one with certainty for practice.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from synth.noise import DiscreteGaussian, DiscreteLaplace
from tests.audit.layers import ALPHA, gaussian_p_value, has_scale

SIZE = 200_000


@pytest.mark.parametrize("scale", [1, 2, 20, 127, 300, 10**5, 10**9, 10**14])
def test_laplace_has_the_claimed_scale_and_no_other(scale: int) -> None:
    """200,000 draws fit the claimed scale in a chi-square test, and neither nine nor eleven
    tenths of it.
    """
    sample = DiscreteLaplace(Fraction(scale)).draw(SIZE)
    assert has_scale(sample, scale)


@pytest.mark.parametrize("sigma", [1, 2, 20, 128, 300, 10**4])
def test_gaussian_has_the_claimed_sigma_and_no_other(sigma: int) -> None:
    """200,000 draws fit the claimed sigma in a chi-square test, and neither nine nor eleven
    tenths of it.
    """
    sample = DiscreteGaussian(Fraction(sigma**2)).draw(SIZE)
    assert has_scale(sample, sigma, gaussian_p_value)


@pytest.mark.parametrize("sigma", [10**9, 10**14])
def test_a_large_gaussian_has_the_claimed_sigma_and_no_other(sigma: int) -> None:
    """Discrete Gaussian noise of a large sigma has that sigma, and not one that is 10 % off.

    It is compared with the continuous law, from which it does not differ in 200,000 draws.
    """
    sample = DiscreteGaussian(Fraction(sigma**2)).draw(SIZE) / sigma
    assert stats.kstest(sample, "norm").pvalue > ALPHA

    for wrong in (0.9, 1.1):
        assert stats.kstest(sample / wrong, "norm").pvalue < ALPHA


@pytest.mark.parametrize("scale", [2, 300])
def test_laplace_is_symmetric_and_independent(scale: int) -> None:
    """200,000 draws have mean 0, and each draw is uncorrelated with the one before.

    Both bounds are exceeded by chance once in a million times: ALPHA is 1e-6, and a
    correlation has a standard error of 1 / sqrt(200,000).
    """
    sample = DiscreteLaplace(Fraction(scale)).draw(SIZE).astype(float)
    spread = np.sqrt(DiscreteLaplace(Fraction(scale)).variance / SIZE)
    bound = stats.norm.isf(ALPHA / 2)

    assert abs(sample.mean()) < bound * spread
    assert abs(np.corrcoef(sample[1:], sample[:-1])[0, 1]) < bound / np.sqrt(SIZE)


def test_time_does_not_tell_the_noise() -> None:
    """The time of a draw does not reveal the size of its noise (threat T14): their rank
    correlation is near 0. Of 4,000 independent pairs it exceeds .08, five deviations of 1 /
    sqrt(4,000), once in two million times.
    """
    from time import perf_counter_ns

    mechanism = DiscreteLaplace(Fraction(20))
    mechanism.draw(1)

    times, sizes = [], []
    for _ in range(4_000):
        start = perf_counter_ns()
        noise = mechanism.draw(1)
        times.append(perf_counter_ns() - start)
        sizes.append(abs(int(noise[0])))

    assert abs(stats.spearmanr(times, sizes).statistic) < 0.08
