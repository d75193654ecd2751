"""The discrete Laplace law in floats."""

import math

import numpy as np
import pytest

from synth.noise import LaplaceLaw, reach


@pytest.mark.parametrize("scale", [0.3, 1, 2, 20, 2000])
def test_noise_reach_is_the_smallest_that_covers(scale: float) -> None:
    """The reach of Laplace noise is the least r that it exceeds with a chance of at most 5 %.

    With q = e^(-1/scale) that chance is P(|Z| > r) = 2 q^(r + 1) / (1 + q).
    """
    q = math.exp(-1 / scale)
    half_width = reach(LaplaceLaw(scale), 0.95)

    def beyond(r: int) -> float:
        return 2 * q ** (r + 1) / (1 + q)

    assert beyond(half_width) <= 0.05 * (1 + 1e-9)
    assert half_width == 0 or beyond(half_width - 1) > 0.05


@pytest.mark.parametrize("least", [1, 3, 7])
def test_a_tail_is_the_sum_of_its_chances(least: int) -> None:
    """The chance that noise of scale 20 has at least a given size is the sum over all such
    numbers.
    """
    z = np.arange(-2_000, 2_001)
    assert LaplaceLaw(20).two_sided_tail(least) == pytest.approx(
        LaplaceLaw(20).chances(z[np.abs(z) >= least]).sum()
    )
