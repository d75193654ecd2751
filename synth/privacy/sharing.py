"""Shares of a guarantee by weights, and the epsilon of a rho. Exact, or rounded up.

>>> [str(share) for share in share_out(Guarantee.pure(1), [1, 2])]
['epsilon = 1/3', 'epsilon = 2/3']
>>> spell(Guarantee.zcdp(Fraction(1, 100)))
'rho = 0.01 (zCDP), which implies epsilon = 0.8102 with delta = 1e-09'
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from synth import limits
from synth.errors import ArgumentError
from synth.privacy.budget import brief, scientific
from synth.privacy.guarantee import Guarantee, parse_rational
from synth.privacy.totals import covers
from synth.util import bisect, check

# Digits of an epsilon that is stated for a rho, rounded up.
_EPSILON_DIGITS = 4


def share_out(
    guarantee: Guarantee, weights: Sequence[Fraction | int | str]
) -> list[Guarantee]:
    """Return a guarantee's shares in proportion to weights; they sum to it exactly.

    Basic composition restores epsilon and delta, zCDP composition a rho (Bun, Steinke 2016,
    Lemma 1.7). Weights are exact numbers above 0, or their texts; only their ratios count.

    Raises:
        ArgumentError: There are no weights, or one is not an exact number above 0.
    """
    if not weights:
        raise ArgumentError(
            "Weights are one number above 0 for each question, but there are none."
        )
    parts = [_weight(weight) for weight in weights]
    total = sum(parts, Fraction(0))
    return [guarantee.scale(part / total) for part in parts]


def implied_guarantee(
    guarantee: Guarantee, delta: Fraction = limits.STATED_DELTA
) -> Guarantee:
    """Return the epsilon that a rho implies at a delta; any other guarantee unchanged.

    The epsilon is found in floats, rounded up, and then checked in exact rationals (Canonne,
    Kamath, Steinke 2020, Corollary 13). Gaussian DP implies a smaller epsilon, if that is
    proved (`gaussian_dp.gaussian_rho`).

    >>> str(implied_guarantee(Guarantee.zcdp(Fraction(1, 2)), Fraction(1, 10**5)))
    'epsilon = 4729/1000, delta = 1/100000'
    """
    if guarantee.rho is None:
        return guarantee
    from synth.privacy.accounting import zcdp_epsilon
    from synth.privacy.gaussian_dp import SPARE, to_rho

    # Never 0: the smallest epsilon that is stated is 1e-9.
    epsilon = _rounded_up(max(zcdp_epsilon(guarantee.rho, float(delta)), 1e-9))
    if guarantee.is_gaussian:
        # `SPARE` of delta pays for the difference of discrete noise from a Gaussian.
        least = _rounded_up(_gaussian_epsilon(guarantee.rho, float(delta * (1 - SPARE))))
        if to_rho(Guarantee.approximate(least, delta)).is_gaussian:
            epsilon = least
    # Floats may have erred to the unsafe side by a little.
    while not covers(Guarantee.approximate(epsilon, delta), guarantee):
        epsilon = _rounded_up(float(epsilon) * 1.0001)
    return Guarantee.approximate(epsilon, delta)


def spell(guarantee: Guarantee, delta: Fraction | None = None) -> str:
    """Write a guarantee for people: long numbers rounded up, and a rho with its epsilon.

    Args:
        guarantee: The guarantee.
        delta: The delta at which a rho is stated as an epsilon; 1e-9 by default.
    """
    if guarantee.rho is not None:
        implied = implied_guarantee(guarantee, delta or limits.STATED_DELTA)
        rho = brief(guarantee.rho, most=limits.NUMBER_SHOWN)
        if not guarantee.is_gaussian:
            return f"rho = {rho} (zCDP), which implies {spell(implied)}"
        square = brief(2 * guarantee.rho, most=limits.NUMBER_SHOWN)
        return (
            f"mu^2 = {square} (Gaussian DP), which implies rho = {rho} and {spell(implied)}"
        )
    assert guarantee.epsilon is not None
    share = f" with delta = {scientific(guarantee.delta)}" if guarantee.delta else ""
    return f"epsilon = {brief(guarantee.epsilon, most=limits.NUMBER_SHOWN)}{share}"


def _gaussian_epsilon(rho: Fraction, delta: float) -> float:
    """Return the least epsilon at which continuous Gaussian noise of this rho has the delta.

    rho is mu^2 / 2 = 1 / (2 sigma^2) for a sensitivity of 1.
    """
    from synth.privacy.accounting import gaussian_delta, zcdp_epsilon

    sigma = 1 / math.sqrt(2 * rho)
    largest = zcdp_epsilon(rho, delta)

    def is_too_small(epsilon: float) -> bool:
        """Return whether the delta at this epsilon is too large."""
        return gaussian_delta(epsilon, sigma) > delta

    _, epsilon = bisect(is_too_small, 1e-9, largest, steps=60)
    return epsilon


def _weight(weight: Fraction | int | str) -> Fraction:
    """Return a weight exactly; ArgumentError unless it is an exact number above 0."""
    number = parse_rational(weight, name="A weight")
    check.positive(**{"A weight": number})
    return number


def _rounded_up(number: float) -> Fraction:
    """Return the next larger number of `_EPSILON_DIGITS` significant digits."""
    unit = Fraction(10) ** (math.floor(math.log10(number)) + 1 - _EPSILON_DIGITS)
    return (math.floor(Fraction(number) / unit) + 1) * unit
