"""Discrete Gaussian: its numbers, both ways of drawing it, its refusals."""

import io
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from synth.errors import ArgumentError
from synth.noise import DiscreteGaussian, bits, coins
from synth.privacy import zcdp_rho


@pytest.mark.parametrize("sigma2", [Fraction(1, 4), Fraction(2), Fraction(9), Fraction(300)])
def test_the_variance_is_that_of_the_law(sigma2: Fraction) -> None:
    """The variance of discrete Gaussian noise is that of its law, summed from -400 to 400."""
    mechanism = DiscreteGaussian(sigma2)
    z = np.arange(-400, 401)
    weights = np.exp(-(z**2) / (2 * float(sigma2)))
    weights /= weights.sum()

    assert mechanism.variance == pytest.approx(float(weights @ z**2))


def test_close_calls_go_to_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise has the same deviation if all proposals are judged by integers instead of floats.

    A margin of a half makes every float comparison too close. Of 3,000 numbers the deviation
    is known to 1.3 %.
    """
    monkeypatch.setattr(coins, "MARGIN", 0.5)
    noise = DiscreteGaussian(Fraction(500**2)).draw(3_000).astype(float)
    assert noise.std() == pytest.approx(500, rel=0.1)


def test_the_integers_agree_with_the_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same random bits give the same noise, judged by floats alone or also by integers.

    A margin of 0 sends nothing to the integers, one of 2^-10 many proposals.
    """
    stream = bits.bits(1 << 17)
    draws = []
    for margin in (0.0, 2.0**-10):
        reader = io.BytesIO(stream)
        monkeypatch.setattr(coins, "MARGIN", margin)
        monkeypatch.setattr(bits, "bits", reader.read)
        draws.append(DiscreteGaussian(Fraction(10**8)).propose(4_000))

    assert np.array_equal(*draws)


@pytest.mark.parametrize("sensitivity", [1, 7])
def test_sigma_for_delta_is_tight(sensitivity: int) -> None:
    """The variance for an epsilon and a delta keeps the delta, and one that is 1 % smaller
    does not.
    """
    epsilon, delta = Fraction(1, 2), Fraction(1, 10**6)
    least = DiscreteGaussian.for_delta(epsilon, delta, sensitivity=sensitivity)
    assert least.delta(0.5, sensitivity=sensitivity) <= 1e-6

    smaller = DiscreteGaussian(least.sigma2 * Fraction(99, 100))
    assert smaller.delta(0.5, sensitivity=sensitivity) > 1e-6


def test_sigmas_too_large_to_sum_over_are_those_of_zcdp() -> None:
    """Beyond a variance of 2^34 the noise for epsilon and delta is that of the bound by zCDP.

    There the law is not summed number by number, and the exact delta is refused.
    """
    tiny, delta = Fraction(1, 10_000), Fraction(1, 10**6)
    zcdp = DiscreteGaussian.for_rho(zcdp_rho(tiny, delta), sensitivity2=4_096**2)
    assert DiscreteGaussian.for_delta(tiny, delta, sensitivity=4_096) == zcdp

    with pytest.raises(
        ArgumentError, match=r"^sigma2 must be between 0 and 17179869184, but"
    ):
        zcdp.delta(0.1, sensitivity=1)


@pytest.mark.parametrize("sigma", [400, 5_000, 10**6 + 7, 10**9])
def test_what_is_accepted_at_once_is_accepted_by_the_law(sigma: int) -> None:
    """Of 2^16 words, those that accept a proposal at once are never too many, and nearly all.

    A proposal is a block of `width` numbers. It is accepted with a chance of at least that of
    the block's last number, computed here in decimals. Words below `accepted_below` skip the
    exact look at the number.
    """
    mechanism = DiscreteGaussian(Fraction(sigma**2))
    width, accepted_below = mechanism._width, mechanism._sure_coins

    for block in range(len(accepted_below)):
        least_likely = (block + 1) * width
        excess = Fraction(least_likely**2 - (block * width) ** 2, 2 * sigma**2)
        chance = mpmath.exp(-mpmath.mpf(excess.numerator) / excess.denominator)
        assert accepted_below[block] <= 2**16 * chance
        # The bound 1 - x of exp(-x) costs x^2 / 2 at most, and one word covers rounding.
        if block < len(accepted_below) - 1:
            spare = 2**16 * float(excess) ** 2 / 2 + 2
            assert accepted_below[block] >= 2**16 * float(chance) - spare


@pytest.mark.parametrize("sigma", [129, 400, 5_000, 10**6 + 7, 10**9])
def test_the_line_below_which_many_are_accepted_is_below_the_list_and_near_it(
    sigma: int,
) -> None:
    """Many proposals are accepted at once below a line of whole numbers, few by a list.

    The line is nowhere above what the law accepts, in fractions: 1 - x is at most exp(-x).
    It costs at most one word for its height and one for each block.
    """
    mechanism = DiscreteGaussian(Fraction(sigma**2))
    top, slope = mechanism._sure_line

    for block, accepted_below in enumerate(mechanism._sure_coins[:-1].tolist()):
        exponent = Fraction((2 * block + 1) * mechanism._width**2, 2 * sigma**2)
        assert 0 < top - slope * block <= 2**16 * (1 - exponent)
        assert top - slope * block >= accepted_below - 1 - block


def test_the_last_accepted_proposals_take_the_places_of_rejected_ones() -> None:
    """Of six proposals the second and the last are rejected, by coins of 64 bits; the fifth
    moves to the second place.
    """
    mechanism = DiscreteGaussian(Fraction(10**10))
    block = np.full(6, 300, np.int16)
    z = np.arange(6, dtype=np.int32) + 301 * mechanism._width - 6
    coins = np.array([0, 2**16 - 1, 0, 0, 0, 2**16 - 1], np.uint16)

    accepted = mechanism._accept(block, z.copy(), coins, is_sure=coins == 0)

    assert accepted.tolist() == z[[0, 4, 2, 3]].tolist()
