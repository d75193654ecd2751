"""The law of weighted sums of noise: exact where weights are of one size, elsewhere
inverted.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from synth.noise import (
    CubeLaw,
    DiscreteGaussian,
    DiscreteLaplace,
    JointNoise,
    LaplaceLaw,
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
    """A sum with weights of one size has the exact law of that many numbers, times the size.

    Three weights of size 2, for five numbers each, are twice a sum of 15 numbers.
    """
    terms = [WeightedNoise(noise.number_law, np.array([0, 2.0, -2.0, 2.0]), 5)]

    law = sum_law(noise.number_law, 15)

    assert blend_reach(terms) == 2 * reach(law)
    assert blend_size(terms) == 2 * law.expected_size


def test_no_weights_have_no_noise() -> None:
    assert blend_reach([WeightedNoise(LAPLACE.number_law, np.zeros(3))]) == 0
    assert blend_size([]) == 0
    assert blend_deviation([]) == 0


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize(
    "weights", [(1, 0.5), (4, -3, 2, 0, 1), tuple(range(1, 40)), (50, 1, 1)]
)
def test_two_laws_together_are_within_their_reach(
    weights: tuple[float, ...], level: float
) -> None:
    """The half width of weighted Laplace and Gaussian noise covers its level.

    A width of 93 % of it no longer does. Both are binomial tests over 20,000 drawn sums.
    """
    cell_weights = np.array(weights, dtype=float)
    samples = [
        noise.draw(RUNS * len(cell_weights)).reshape(RUNS, -1)
        for noise in (LAPLACE, GAUSSIAN)
    ]
    sums = samples[0] @ cell_weights + samples[1] @ (cell_weights / 3)

    bound = blend_reach(
        [
            WeightedNoise(LAPLACE.number_law, cell_weights),
            WeightedNoise(GAUSSIAN.number_law, cell_weights / 3),
        ],
        level,
    )

    beyond = int((np.abs(sums) > bound).sum())
    assert stats.binomtest(beyond, RUNS, 1 - level, "greater").pvalue > ALPHA

    narrower = int((np.abs(sums) > 0.93 * bound).sum())
    assert stats.binomtest(narrower, RUNS, 1 - level, "less").pvalue > ALPHA


@pytest.mark.parametrize("dimension", [1, 3, 12])
def test_a_joint_number_alone_has_the_reach_of_its_law(dimension: int) -> None:
    """One number of vector noise, with the weight 1/2, has half the reach of its own law.

    A cell with noise of scale 2 beside one of 20,000 widens it by at most 3 %.
    """
    cube = CubeLaw(dimension, Fraction(20_000))
    quiet = [WeightedNoise(LaplaceLaw(Fraction(2)), np.ones(1))]
    half_width = blend_reach(quiet, 0.95, JointNoise(cube, 0.5))

    assert cube.is_fine
    assert half_width >= 0.5 * reach(cube, 0.95)
    assert half_width == pytest.approx(0.5 * reach(cube, 0.95), rel=0.03)
    assert blend_reach([], 0.95, JointNoise(cube, 0.5)) == 0.5 * reach(cube, 0.95)


@pytest.mark.parametrize("times", [0.2, 1.0, 5.0])
def test_a_joint_number_and_cells_are_within_their_reach(times: float) -> None:
    """A number of vector noise and ten noisy cells are within their half width in 95 % of
    draws.

    `times` is the deviation of the ten cells over that of the joint number. Of 400,000 draws
    fewer than 94.83 % are within it with a chance below 1e-6. More than 96 % would be too
    wide.
    """
    cube, cell = CubeLaw(3, Fraction(20_000)), LaplaceLaw(Fraction(2))
    weight = times * cube.deviation / cell.deviation / 10**0.5
    terms = [WeightedNoise(cell, np.full(10, weight))]
    half_width = blend_reach(terms, 0.95, JointNoise(cube, 1.0))

    # A number of cube noise of three dimensions is a Gamma radius of shape 4 times a uniform
    # number from -1 to 1.
    rng = np.random.default_rng(5)
    radius = rng.gamma(4, 20_000.0, 400_000)
    sums = radius * rng.uniform(-1, 1, radius.size)
    sums += weight * rng.laplace(0, 2, (10, radius.size)).sum(axis=0)

    assert 0.9483 <= np.mean(np.abs(sums) <= half_width) <= 0.96


def test_a_joint_number_of_coarse_steps_gets_a_reach_of_its_own() -> None:
    """A number of vector noise of coarse steps is bounded apart from the cells beside it.

    The cells and the number each miss in half of the 5 % that both may miss in.
    """
    cube, cell = CubeLaw(3, Fraction(100)), WeightedNoise(LaplaceLaw(Fraction(2)), np.ones(4))
    assert not cube.is_fine
    sum_of_reaches = blend_reach([cell], 0.975) + reach(cube, 0.975)
    assert blend_reach([cell], 0.95, JointNoise(cube, 1.0)) == pytest.approx(sum_of_reaches)
