"""The law of weighted sums of noise: exact where weights are of one size, elsewhere inverted."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from synth.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    WeightedNoise,
    blend_deviation,
    blend_reach,
    blend_size,
    reach,
    sum_law,
)
from tests.audit.layers import ALPHA

LAPLACE, GAUSSIAN = DiscreteLaplace(Fraction(3)), DiscreteGaussian(Fraction(9))
RUNS = 20_000


@pytest.mark.parametrize("noise", [LAPLACE, GAUSSIAN], ids=["laplace", "gaussian"])
def test_weights_of_one_size_have_the_exact_law(noise: DiscreteLaplace) -> None:
    terms, law = (
        [WeightedNoise(noise.number_law, np.array([0, 2.0, -2.0, 2.0]), 5)],
        sum_law(noise.number_law, 15),
    )
    assert blend_reach(terms) == 2 * reach(law)
    assert blend_size(terms) == 2 * law.expected_size


def test_no_weights_have_no_noise() -> None:
    assert (
        blend_reach([WeightedNoise(LAPLACE.number_law, np.zeros(3))])
        == blend_size([])
        == blend_deviation([])
        == 0
    )


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("weights", [(1, 0.5), (4, -3, 2, 0, 1), tuple(range(1, 40)), (50, 1, 1)])
def test_two_laws_together_are_within_their_reach(weights: tuple[float, ...], level: float) -> None:
    w = np.array(weights, dtype=float)
    drawn = [noise.draw(RUNS * len(w)).reshape(RUNS, -1) for noise in (LAPLACE, GAUSSIAN)]
    sums = drawn[0] @ w + drawn[1] @ (w / 3)
    bound = blend_reach(
        [WeightedNoise(LAPLACE.number_law, w), WeightedNoise(GAUSSIAN.number_law, w / 3)], level
    )
    beyond = int((np.abs(sums) > bound).sum())
    assert stats.binomtest(beyond, RUNS, 1 - level, "greater").pvalue > ALPHA
    narrower = int((np.abs(sums) > 0.93 * bound).sum())
    assert stats.binomtest(narrower, RUNS, 1 - level, "less").pvalue > ALPHA
