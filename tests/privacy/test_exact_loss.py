"""Layer 1: the privacy loss implied by the sampler's own integers. Nothing is sampled."""

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from synth.noise.laplace import DiscreteLaplace
from synth.noise.laws import BASE, Digit, TwoSided
from synth.noise.sampler import Thresholds

NBITS = 320
SLACK = Decimal("1e-50")
EPSILONS = [Fraction(1, 20), Fraction(1, 10), Fraction(1, 3), Fraction(1), Fraction(10)]


def masses(thresholds: Thresholds) -> dict[int, tuple[int, int]]:
    """Enclose 2^nbits P(z) for the inner part of the law."""
    low, high = thresholds.low, thresholds.high
    return {
        thresholds.first + i: (low[i] - high[i - 1], high[i] - low[i - 1])
        for i in range(1, len(low))
        if low[i] - high[i - 1] > 1 << 200
    }


def largest_loss(inner: dict[int, tuple[int, int]], shift: int) -> Decimal:
    """Upper bound of |ln P(z) / P(z + shift)| over the inner part."""
    with localcontext(prec=110):
        pairs = [(inner[z], inner[z + shift]) for z in inner if z + shift in inner]
        assert len(pairs) > 2
        return max(max((Decimal(a[1]) / b[0]).ln(), (Decimal(b[1]) / a[0]).ln()) for a, b in pairs)


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("sensitivity", [1, 2])
def test_laplace_loss_is_epsilon(epsilon: Fraction, sensitivity: int) -> None:
    """One person moves counts by ``sensitivity`` in all; the loss is at most, and near, epsilon."""
    mechanism = DiscreteLaplace.for_epsilon(epsilon, sensitivity=sensitivity)
    top = masses(TwoSided(1 / mechanism.scale).thresholds(NBITS))
    with localcontext(prec=110):
        loss = largest_loss(top, 1) * sensitivity
        promised = Decimal(epsilon.numerator) / epsilon.denominator
        assert loss <= promised + SLACK
        assert loss >= promised - SLACK


@pytest.mark.parametrize("scale", [Fraction(300), Fraction(10**5, 3), Fraction(10**9)], ids=str)
def test_digits_compose_to_the_same_loss(scale: Fraction) -> None:
    """A step to the next integer changes the last digit, or carries into the ones above."""
    rate = 1 / scale
    digits = DiscreteLaplace(scale)._digits
    assert digits >= 1
    parts = [masses(Digit(rate * BASE**place).thresholds(NBITS)) for place in range(digits)]
    ends = [_ends(rate * BASE**place) for place in range(digits)]
    with localcontext(prec=110):
        promised = Decimal(rate.numerator) / rate.denominator
        carry = Decimal(0)
        for place in range(digits):
            step = largest_loss(parts[place], 1)
            assert abs(step - promised * BASE**place) <= SLACK * 10**9
            assert step + carry <= promised * BASE ** (place + 1)
            carry += ends[place]
        top = largest_loss(masses(TwoSided(rate, digits).thresholds(NBITS)), 1)
        assert abs(top - promised * BASE**digits) <= SLACK * 10**9
        assert abs(top - carry - promised) <= SLACK * 10**9


def _ends(rate: Fraction) -> Decimal:
    """ln P(0) / P(255) of a digit."""
    thresholds = Digit(rate).thresholds(NBITS)
    with localcontext(prec=110):
        last = (1 << NBITS) - thresholds.low[-1]
        return (Decimal(thresholds.low[0]) / last).ln()
