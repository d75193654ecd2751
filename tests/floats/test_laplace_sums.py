"""Half widths of weighted sums of noise, beside the exact laws of equal weights."""

from fractions import Fraction

import numpy as np
import pytest

from synth.noise import CellNoise, DiscreteGaussian, DiscreteLaplace, reach, sum_law

NOISES = (DiscreteLaplace(Fraction(20_000)), DiscreteGaussian(Fraction(10**9)))


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("cells", [1, 2, 4, 12, 60])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_half_widths_are_no_less_than_the_exact_ones_and_hardly_more(
    noise: CellNoise, cells: int, level: float
) -> None:
    """Half widths of sums of equally weighted noise are never too narrow, and at most 4 % too
    wide.
    """
    exact = reach(sum_law(noise.number_law, cells), level)
    (half,) = noise.number_law.half_widths(np.ones((1, cells)), level)
    assert exact <= half <= 1.04 * exact


@pytest.mark.parametrize("noise", NOISES)
def test_mean_sizes_are_right_to_a_percent(noise: CellNoise) -> None:
    """The mean size of a sum of noisy numbers, for any weights, is that of the exact law
    within 1 %.
    """
    for cells in (1, 2, 4, 12, 60):
        (size,) = noise.number_law.mean_sizes(np.ones((1, cells)))
        assert size == pytest.approx(sum_law(noise.number_law, cells).expected_size, rel=0.01)
