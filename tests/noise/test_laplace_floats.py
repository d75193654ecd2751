"""The law of discrete Laplace noise in floats."""

import math

import numpy as np
import pytest

from synth.noise.laplace_floats import chance, noise_reach, two_sided_tail


@pytest.mark.parametrize("scale", [0.3, 1, 2, 20, 2000])
def test_noise_reach_is_the_smallest_that_covers(scale: float) -> None:
    q = math.exp(-1 / scale)
    reach = noise_reach(scale, 0.95)

    def beyond(r: int) -> float:
        return 2 * q ** (r + 1) / (1 + q)

    assert beyond(reach) <= 0.05 * (1 + 1e-9)
    assert reach == 0 or beyond(reach - 1) > 0.05


@pytest.mark.parametrize("least", [1, 3, 7])
def test_a_tail_is_the_sum_of_its_chances(least: int) -> None:
    z = np.arange(-2_000, 2_001)
    assert two_sided_tail(least, 20) == pytest.approx(chance(z[np.abs(z) >= least], 20).sum())
