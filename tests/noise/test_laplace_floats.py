"""The law of discrete Laplace noise in floats."""

import math

import pytest

from synth.noise.laplace_floats import noise_reach


@pytest.mark.parametrize("scale", [0.3, 1, 2, 20, 2000])
def test_noise_reach_is_the_smallest_that_covers(scale: float) -> None:
    q = math.exp(-1 / scale)
    reach = noise_reach(scale, 0.95)

    def beyond(r: int) -> float:
        return 2 * q ** (r + 1) / (1 + q)

    assert beyond(reach) <= 0.05 * (1 + 1e-9)
    assert reach == 0 or beyond(reach - 1) > 0.05
