"""The discrete Gaussian law in floats, by sums over its numbers."""

from fractions import Fraction

import numpy as np
import pytest

from synth.noise import DiscreteGaussian, law_of
from synth.noise.floats.sums import CellLaw


@pytest.mark.parametrize(
    "sigma2", [Fraction(1, 3), Fraction(1), Fraction(5, 4), Fraction(40)]
)
def test_the_characteristic_function_is_the_sum_of_its_cosines(sigma2: Fraction) -> None:
    """The characteristic function of discrete Gaussian noise is the mean of cos(w Z).

    It is summed over the numbers from -200 to 200, at nine frequencies w.
    """
    law = law_of(DiscreteGaussian(sigma2))
    assert isinstance(law, CellLaw)

    numbers = np.arange(-200, 201)
    chances = np.exp(-(numbers**2) / (2 * float(sigma2)))
    chances /= chances.sum()

    # At higher frequencies the sum of a wide law is too small for floats.
    frequencies = np.linspace(0.0, min(np.pi, 4 / float(sigma2) ** 0.5), 9)
    cosines = np.cos(np.multiply.outer(frequencies, numbers)) @ chances
    assert law.log_characteristic(frequencies) == pytest.approx(np.log(cosines), abs=1e-11)
