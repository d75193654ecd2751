"""Wide enclosures hold as well: by all their corners, and by decimals."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import pytest

from synth.noise.laws import GUARD, Enclosure, cumulative, gaussian_weights
from tests.audit.exact import decimal

NBITS = 12


@pytest.mark.parametrize(
    "weights",
    [
        [(1, 2), (1, 3)],
        [(90, 100), (20, 35), (7, 7)],
        [(5, 9), (0, 4), (30, 31), (2, 8)],
    ],
)
def test_shares_hold_for_all_weights_within_wide_enclosures(
    weights: list[tuple[int, int]],
) -> None:
    """Cumulative shares are enclosed for all weights within their enclosures, and no wider.

    Each weight is known to lie between two numbers. A share is monotone in each weight, so
    its extremes are at the corners, which are all tried.
    """
    enclosed = cumulative([Enclosure(*bounds) for bounds in weights], NBITS)
    assert len(enclosed) == len(weights) - 1

    for place, (low, high) in enumerate(enclosed):
        shares = [
            Fraction(sum(corner[: place + 1]), sum(corner)) * 2**NBITS
            for corner in product(*weights)
        ]
        assert low == math.floor(min(shares))
        assert high == math.ceil(max(shares))


@pytest.mark.parametrize(
    "sigma2", [Fraction(1, 5), Fraction(1), Fraction(7, 3), Fraction(30), Fraction(400)]
)
def test_gaussian_weights_are_enclosed_to_the_last_place(sigma2: Fraction) -> None:
    """Each weight e^(-z^2 / (2 sigma2)) of the discrete Gaussian law lies within its
    enclosure.

    The weights that are not listed add up to at most `beyond`. Exact weights are decimals of
    120 digits.
    """
    places = GUARD + 24
    weights, beyond = gaussian_weights(sigma2, places)

    with localcontext(prec=120):
        exact = [
            (-decimal(z**2 / (2 * sigma2))).exp() * 2**places for z in range(3 * len(weights))
        ]
        for (low, high), weight in zip(weights, exact, strict=False):
            assert low <= weight <= high
        assert sum(exact[len(weights) :], Decimal(0)) <= beyond
