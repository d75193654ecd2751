"""Weighted sums of noise: exact where weights are of one size, never too narrow elsewhere."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from synth.noise.gaussian import DiscreteGaussian
from synth.noise.laplace import DiscreteLaplace
from synth.questions.laws import sum_law
from synth.questions.reach import expected_size, reach
from synth.questions.weighted import CellNoise, weighted_reach, weighted_size
from tests.audit.layers import ALPHA

NOISES = [DiscreteLaplace(Fraction(3)), DiscreteGaussian(Fraction(9))]
RUNS = 20_000


@pytest.mark.parametrize("noise", NOISES, ids=["laplace", "gaussian"])
def test_weights_of_one_size_have_the_exact_law(noise: CellNoise) -> None:
    weights, law = np.array([0, 2.0, -2.0, 2.0]), sum_law(noise, 15)
    assert weighted_reach(noise, weights, 5) == 2 * reach(law)
    assert weighted_size(noise, weights, 5) == 2 * expected_size(law)


def test_no_weights_have_no_noise() -> None:
    assert weighted_reach(NOISES[0], np.zeros(3), 4) == 0
    assert weighted_size(NOISES[0], np.zeros(0), 4) == 0


@pytest.mark.parametrize("noise", NOISES, ids=["laplace", "gaussian"])
@pytest.mark.parametrize("weights", [(1, 0.5), (4, -3, 2, 0, 1), tuple(range(1, 40))])
def test_each_side_is_within_its_reach(noise: CellNoise, weights: tuple[float, ...]) -> None:
    each = 2
    drawn = noise.draw(RUNS * each * len(weights)).reshape(RUNS, each, len(weights))
    sums = drawn.sum(axis=1) @ np.array(weights, dtype=float)
    bound = weighted_reach(noise, np.array(weights, dtype=float), each)
    beyond = int((sums > bound).sum())
    assert stats.binomtest(beyond, RUNS, 0.025, "greater").pvalue > ALPHA
    assert bound < 2 * 1.96 * sums.std()
    size = weighted_size(noise, np.array(weights, dtype=float), each)
    assert np.abs(sums).mean() == pytest.approx(size, rel=0.1)
