"""Enclosures hold, against decimal arithmetic of 120 digits."""

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.noise.laws import Digit, OneSided, Radius, TwoSided, Weighted, exp_minus


def _decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


@given(st.fractions(min_value=0, max_value=300), st.sampled_from([8, 64, 320]))
def test_exp_is_enclosed_within_two_units(x: Fraction, nbits: int) -> None:
    low, high = exp_minus(x, nbits)
    with localcontext(prec=120):
        true = (-_decimal(x)).exp() * 2**nbits
        assert low <= true <= high
    assert high - low <= 2


@pytest.mark.parametrize("scale", [Fraction(1, 50), Fraction(1, 2), Fraction(20), Fraction(500)])
@pytest.mark.parametrize("digits", [0, 1])
def test_two_sided_is_enclosed(scale: Fraction, digits: int) -> None:
    thresholds = TwoSided(1 / scale, digits).thresholds(64)
    with localcontext(prec=120):
        q = (-1 / _decimal(scale)).exp()
        ratio = q ** (256**digits)
        for i, (low, high) in enumerate(zip(thresholds.low, thresholds.high, strict=True)):
            z = thresholds.first + i
            cdf = q * ratio ** (-z - 1) / (1 + q) if z < 0 else 1 - ratio ** (z + 1) / (1 + q)
            assert low <= cdf * 2**64 <= high
            assert high - low <= 2


def test_one_sided_is_enclosed() -> None:
    thresholds = OneSided(Fraction(1, 3)).thresholds(64)
    with localcontext(prec=120):
        q = (Decimal(-1) / 3).exp()
        for i, (low, high) in enumerate(zip(thresholds.low, thresholds.high, strict=True)):
            assert low <= (1 - q ** (i + 1)) * 2**64 <= high
            assert high - low <= 2


@pytest.mark.parametrize("scale", [1, 300, 10**9])
def test_digits_are_enclosed(scale: int) -> None:
    thresholds = Digit(Fraction(1, scale)).thresholds(64)
    assert len(thresholds.low) == 255
    with localcontext(prec=120):
        q = (Decimal(-1) / scale).exp()
        for i, (low, high) in enumerate(zip(thresholds.low, thresholds.high, strict=True)):
            assert low <= (1 - q ** (i + 1)) / (1 - q**256) * 2**64 <= high
            assert high - low <= 2


@pytest.mark.parametrize("dimension", [1, 3, 8])
def test_radii_are_enclosed_with_their_tail(dimension: int) -> None:
    """The geometric bound of the tail, against a sum carried on until nothing is left."""
    thresholds = Radius(Fraction(1, 9), dimension).thresholds(64)
    with localcontext(prec=120):
        q = (Decimal(-1) / 9).exp()
        weights = [(2 * r + 1) ** dimension * q**r for r in range(3_000)]
        whole, below = sum(weights), Decimal(0)
        for low, high, weight in zip(thresholds.low, thresholds.high, weights, strict=False):
            below += weight
            assert low <= below / whole * 2**64 <= high
            assert high - low <= 2


def test_weights_are_enclosed() -> None:
    exponents = (Fraction(1, 3), Fraction(0), Fraction(70), Fraction(2))
    thresholds = Weighted(exponents).thresholds(64)
    with localcontext(prec=120):
        weights = [(-Decimal(x.numerator) / x.denominator).exp() for x in exponents]
        for i, (low, high) in enumerate(zip(thresholds.low, thresholds.high, strict=True)):
            assert low <= sum(weights[: i + 1]) / sum(weights) * 2**64 <= high
            assert high - low <= 2
