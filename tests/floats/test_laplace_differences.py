"""Which differences of two Laplace numbers are too large for their noise, by integration; and
half widths from sums of squares alone.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import laplace

from synth.noise import LaplaceLaw, reach, sum_law

SCALE = 5_000


def chance_beyond(size: float, first: float, second: float) -> float:
    """P(|first X - second Y| >= size) of continuous Laplace numbers of scale 1."""
    y = np.linspace(-40, 40, 16_001)
    beyond = laplace.sf(size - second * y, scale=first) + laplace.cdf(
        -size - second * y, scale=first
    )
    return float(np.trapezoid(laplace.pdf(y) * beyond, y))


@pytest.mark.parametrize("weights", [(3.0, 1.0), (1.0, 4.0), (2.0, 2.0), (2.0, 1e-9)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_a_difference_is_too_large_from_its_quantile_on(
    weights: tuple[float, float], level: float
) -> None:
    """A difference of two noisy numbers counts as noise up to the quantile of its law.

    The quantile is found by integration of continuous Laplace laws. Sizes 1 % and .1 % below
    it are within the noise, and .1 % and 1 % above are not.
    """

    def excess(size: float) -> float:
        return chance_beyond(size, *weights) - (1 - level)

    quantile = brentq(excess, 0.01, 100.0)

    law = LaplaceLaw(Fraction(SCALE))
    sizes = SCALE * quantile * np.array([0.99, 0.999, 1.001, 1.01])
    is_within = law.exceeds(
        sizes, weights[0], law, other_step=np.full(4, weights[1]), level=level
    )
    assert is_within.tolist() == [True, True, False, False]


@pytest.mark.parametrize("cells", [1, 4, 60])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_half_widths_from_sums_of_squares_are_no_less_than_the_exact_ones(
    cells: int, level: float
) -> None:
    """Half widths that need only the sum of squared weights are never too narrow.

    They are at most three times the exact ones of equal weights, which the law of a sum
    gives.
    """
    law = LaplaceLaw(Fraction(SCALE))
    exact = reach(sum_law(law, cells), level)
    (half,) = law.bounded_halves(np.array([float(cells)]), np.ones(1), cells, level=level)
    assert exact <= half <= 3 * exact
