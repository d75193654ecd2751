"""Chernoff's bound of weighted sums, and tails of sums between whole numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from synth.noise import DiscreteGaussian, DiscreteLaplace, law_of
from synth.noise.floats.sums import CellLaw, SumLaw, Weights, bound_sum

SHARES = np.geomspace(1e-8, 0.99, 400)


def test_the_bound_of_gaussian_sums_is_the_least_of_chernoffs() -> None:
    """The bound of a weighted sum of Gaussian noise is the least of Chernoff's bounds.

    They are (log E exp(u S) + log(2 / chance)) / u, over all u > 0. The logarithm of E exp(u
    S) is u^2 / 2 times the sum of squared weights times variances. Two equal weights are
    given as one that counts twice.
    """
    sigma2, chance = 30.0, 1e-4
    weights = np.array([0.5, 2.0, 3.0, 3.0])

    def bound(u: float) -> float:
        logarithm = u**2 / 2 * sigma2 * float((weights**2).sum())
        return (logarithm + math.log(2 / chance)) / u

    least = minimize_scalar(bound, bounds=(1e-4, 10), method="bounded").fun
    law = law_of(DiscreteGaussian(Fraction(30)))
    assert isinstance(law, CellLaw)

    grouped = Weights(law, np.array([0.5, 2.0, 3.0]), np.array([1.0, 1.0, 2.0]))
    assert bound_sum([grouped], chance, SHARES) == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("terms", [2, 50])
def test_tails_between_whole_numbers_are_probabilities(terms: int) -> None:
    """Tails of sums of small noise are between 0 and 1 also at sizes that are no whole
    numbers.
    """
    law = law_of(DiscreteLaplace(Fraction(1, 4)))
    assert isinstance(law, CellLaw)
    tails = SumLaw(law, terms).tail(np.linspace(0.01, 3, 60))

    assert (tails >= 0).all()
    assert (tails <= 1).all()
