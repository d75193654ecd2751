"""The last digit of large Laplace noise: how wide it is, and what a coin surely accepts."""

from fractions import Fraction

import numpy as np
import pytest

from synth.noise import DiscreteLaplace, laplace
from synth.noise.remainders import MAX_SCALE, Remainder, remainder_width

SCALES = [2_049, 4_096, 4_097, Fraction(10**5, 3), 10**6, 10**9 + 7, 10**14]


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_the_rest_of_the_number_has_a_scale_that_two_tables_draw(scale: Fraction) -> None:
    """The width is a power of two, and the scale without it between 1,024 and 2,048."""
    width = remainder_width(Fraction(scale))
    assert width & (width - 1) == 0
    assert MAX_SCALE / 2 < Fraction(scale) / width <= MAX_SCALE


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_nearly_all_places_are_accepted_at_once(scale: Fraction) -> None:
    """At most one place in 1,000 needs more than the first 16 bits of its coin."""
    remainder = Remainder(1 / Fraction(scale), remainder_width(Fraction(scale)))
    assert 1 - remainder.sure_coin / 2**16 < 1 / 1_000
    places = remainder.draw(10_000)
    assert 0 <= places.min() <= places.max() < remainder.width


@pytest.mark.parametrize("scale", [3_000, 10**6, 10**9])
def test_noise_of_many_and_of_few_values_has_one_law(
    scale: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both ways to draw large noise have its law, by the largest gap of cumulative shares.

    By the bound of Dvoretzky, Kiefer, Wolfowitz and Massart, the gap of n values to the law
    exceeds sqrt(ln(2 / alpha) / (2 n)) with a chance of at most alpha, here 1e-6.
    """
    mechanism = DiscreteLaplace(Fraction(scale))
    size = 200_000
    for most_few in (0, 10**9):
        monkeypatch.setattr(laplace, "MOST_FEW", most_few)
        values, counts = np.unique(mechanism.draw(size), return_counts=True)
        q = np.exp(-1 / scale)
        below = q ** -values.clip(max=0) / (1 + q)
        above = 1 - q ** (values.clip(min=-1) + 1.0) / (1 + q)
        law = np.where(values < 0, below, above)
        gap = np.abs(np.cumsum(counts) / size - law).max()
        assert gap < np.sqrt(np.log(2e6) / (2 * size)) + 1 / scale
