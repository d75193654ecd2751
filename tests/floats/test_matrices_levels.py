"""The norm of a matrix with one noisy number is that number's size."""

import math
from fractions import Fraction

import numpy as np
import pytest

from synth.noise import DiscreteLaplace, law_of, norm_reach


@pytest.mark.parametrize("noisy", [[[True]], [[False, True], [True, False]]])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_one_noisy_number_is_within_its_norms_bound(
    noisy: list[list[bool]], level: float
) -> None:
    """The norm of a matrix with one noisy number, once or mirrored, is that number's size.

    With q = e^(-1/scale), P(|Z| >= t) = 2 q^t / (1 + q). It is exceeded with a chance of at
    most 1 - level, and of at least 95 % of that.
    """
    scale = 900
    bound = norm_reach(law_of(DiscreteLaplace(Fraction(scale))), np.array(noisy), level)
    q = math.exp(-1 / scale)

    beyond = 2 * q ** (math.floor(bound) + 1) / (1 + q)
    assert beyond <= 1 - level
    assert beyond > 0.95 * (1 - level), "and it is no idle bound"
