"""Where the bound of one coordinate of large balls begins."""

from fractions import Fraction

import numpy as np

from synth.noise import KNorm, NearBallLaw, Norm, law_of


def test_the_bound_holds_from_a_distance_of_two_on() -> None:
    """The bound on one coordinate of ball noise is 1 below two steps, and above the exact law
    at two.
    """
    exact_tail = law_of(KNorm(Norm.L2, 2, Fraction(1))).tail(np.array([2.0]))
    bounds = NearBallLaw(2, Fraction(1)).tail(np.array([1.0, 1.999, 2.0]))
    assert bounds[:2].tolist() == [1.0, 1.0]
    assert exact_tail[0] <= bounds[2] < 1
