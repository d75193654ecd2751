"""Layer 3: samples have the claimed scale, and neither nine nor eleven tenths of it.

Each test rejects a true claim with probability 1e-6 and is never repeated. On the other side,
200,000 draws tell a scale that is 10 % off from the claimed one with certainty for practice.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from synth.noise.laplace import DiscreteLaplace

ALPHA = 1e-6
SIZE = 200_000


def p_value(sample: np.ndarray, scale: float) -> float:
    """Chi-square of about 60 intervals of nearly equal probability under a discrete Laplace."""
    q = np.exp(-1 / scale)
    reach = int(40 * scale) + 2
    quantiles = np.unique(np.round(scale * np.log(2 * np.linspace(0.5, 1 / 60, 29)[1:])))
    cuts = np.unique(np.concatenate([quantiles, -quantiles])) - 0.5
    z = np.floor(cuts)
    below = np.where(z < 0, q**-z / (1 + q), 1 - q ** (z + 1) / (1 + q))
    expected = np.diff(np.concatenate([[0], below, [1]])) * sample.size
    seen = np.histogram(sample, [-reach * 1000.0, *cuts, reach * 1000.0])[0]
    keep = expected > 5
    return float(stats.chi2.sf(((seen - expected)[keep] ** 2 / expected[keep]).sum(), keep.sum()))


@pytest.mark.parametrize("scale", [1, 2, 20, 127, 300, 10**5, 10**9])
def test_laplace_has_the_claimed_scale_and_no_other(scale: int) -> None:
    sample = DiscreteLaplace(Fraction(scale)).draw(SIZE)
    assert p_value(sample, scale) > ALPHA
    assert p_value(sample, 0.9 * scale) < ALPHA
    assert p_value(sample, 1.1 * scale) < ALPHA


@pytest.mark.parametrize("scale", [2, 300])
def test_laplace_is_symmetric_and_independent(scale: int) -> None:
    sample = DiscreteLaplace(Fraction(scale)).draw(SIZE).astype(float)
    spread = np.sqrt(DiscreteLaplace(Fraction(scale)).variance / SIZE)
    bound = stats.norm.isf(ALPHA / 2)
    assert abs(sample.mean()) < bound * spread
    assert abs(np.corrcoef(sample[1:], sample[:-1])[0, 1]) < bound / np.sqrt(SIZE)


def test_time_does_not_tell_the_noise() -> None:
    """T14: rank correlation of the time of a draw with the size of its noise."""
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
