"""Shares of a guarantee by weights, and the epsilon of a rho. Exact, or rounded up.

>>> [str(share) for share in share_out(Guarantee.pure(1), [1, 2])]
['epsilon = 1/3', 'epsilon = 2/3']
>>> spell(Guarantee.zcdp(Fraction(1, 100)))
'rho = 0.01 (zCDP), which implies epsilon = 0.8102 with delta = 1e-09'

The total cost of many spends: the enforced sum, and better theorems for display.

Sums hold for spends chosen one after another, each in view of the answers before it (Rogers,
Roth, Ullman, Vadhan 2016; Whitehouse, Ramdas, Rogers, Wu 2023). The better theorems need all
spends fixed before the first answer.

>>> tenths = [Guarantee.pure(Fraction(1, 10))] * 50
>>> str(sum_up(tenths))
'epsilon = 5'
>>> better = in_advance(tenths, Fraction(1, 10**6))
>>> [round(x, 2) for x in (better.basic, better.advanced, better.zcdp, better.least)]
[5.0, 4.24, 3.54, 3.54]
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from synth import limits
from synth.errors import ArgumentError
from synth.privacy.accounting import compose_unequal, gaussian_delta, zcdp_epsilon, zcdp_rho
from synth.privacy.budget import brief, scientific
from synth.privacy.gaussian_dp import SPARE, to_rho
from synth.privacy.guarantee import Guarantee, parse_rational
from synth.util import bisect, check


@dataclass(frozen=True, kw_only=True)
class InAdvance:
    """Total epsilon of spends, if all had been fixed in advance, by three theorems.

    Attributes:
        delta: The total delta at which all three hold: of the spends and of the theorems.
        basic: The sum, which the ledger enforces.
        advanced: Dwork, Rothblum, Vadhan 2010.
        zcdp: None if a spend has a delta of its own, which no rho covers.
    """

    delta: Fraction
    basic: float
    advanced: float
    zcdp: float | None

    @property
    def least(self) -> float:
        """The smallest of the three; each holds, so this one does."""
        return min(self.basic, self.advanced, math.inf if self.zcdp is None else self.zcdp)

    def __str__(self) -> str:
        zcdp = "" if self.zcdp is None else f", zCDP {self.zcdp:.4g}"
        return (
            f"Had they been fixed in advance, epsilon with delta = {scientific(self.delta)}: "
            f"basic {self.basic:.4g}, advanced {self.advanced:.4g}{zcdp}; the least is "
            f"{self.least:.4g}. Not enforced."
        )


def sum_up(spends: Sequence[Guarantee]) -> Guarantee | None:
    """Return the sum of spends that were chosen one after another.

    If one is a rho, pure spends count epsilon^2/2 of rho (Bun, Steinke 2016, Proposition
    1.4). None for no spends, or for an (epsilon, delta) together with a rho."""
    as_rho = any(spend.rho is not None for spend in spends)
    if not spends or (as_rho and any(spend.delta for spend in spends)):
        return None
    total = spends[0]
    for spend in spends[1:]:
        total += spend
    return total


def in_advance(spends: Sequence[Guarantee], delta: Fraction) -> InAdvance | None:
    """Return the total cost of spends in epsilon, if all had been fixed before the first.

    The theorems take ``delta`` in addition to the deltas of the spends (Dwork, Roth 2014,
    Theorem 3.20). None if they give nothing better: for fewer than two spends, or if one is a
    rho."""
    epsilons = [spend.epsilon for spend in spends if spend.epsilon is not None]
    if len(epsilons) < max(2, len(spends)):
        return None
    own = sum((spend.delta for spend in spends), Fraction(0))
    if own + delta >= 1:
        return None
    total = compose_unequal(epsilons, delta=float(delta))
    return InAdvance(
        delta=own + delta,
        basic=total.basic,
        advanced=total.advanced,
        zcdp=None if own else total.zcdp,
    )


def covers(charged: Guarantee, spent: Guarantee) -> bool:
    """Return whether a guarantee that was charged allows this spend.

    A rho of zCDP may pay for Gaussian noise, and not the other way round.
    """
    if spent.epsilon is not None and charged.epsilon is not None:
        return spent.epsilon <= charged.epsilon and spent.delta <= charged.delta
    whole = in_unit_of(spent, charged)
    if (
        spent.rho is None
        or whole.rho is None
        or (whole.is_gaussian and not spent.is_gaussian)
    ):
        return False
    return spent.rho <= whole.rho


def in_unit_of(spent: Guarantee, charged: Guarantee) -> Guarantee:
    """Return the rho of an (epsilon, delta), in the unit that was charged; others
    unchanged.
    """
    return to_rho(charged) if spent.is_gaussian else in_zcdp(charged)


def in_zcdp(charged: Guarantee) -> Guarantee:
    """Return the rho that an (epsilon, delta) contains; a rho or a pure epsilon unchanged."""
    if charged.epsilon is None or not charged.delta:
        return charged
    return Guarantee.zcdp(zcdp_rho(charged.epsilon, charged.delta))


_EPSILON_DIGITS = 4


def share_out(
    guarantee: Guarantee, weights: Sequence[Fraction | int | str]
) -> list[Guarantee]:
    """Split a guarantee in proportion to weights; the shares sum to it exactly.

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
    whole = sum(parts, Fraction(0))
    return [guarantee.scale(part / whole) for part in parts]


def implied_guarantee(
    guarantee: Guarantee, delta: Fraction = limits.STATED_DELTA
) -> Guarantee:
    """Return the epsilon and delta that a rho implies; any other guarantee unchanged.

    The epsilon is rounded up, checked in exact rationals (Canonne, Kamath, Steinke 2020,
    Corollary 13). Gaussian DP implies a smaller epsilon, if that is proved
    (`gaussian_dp.gaussian_rho`).

    >>> str(implied_guarantee(Guarantee.zcdp(Fraction(1, 2)), Fraction(1, 10**5)))
    'epsilon = 4729/1000, delta = 1/100000'
    """
    if guarantee.rho is None:
        return guarantee
    epsilon = _rounded_up(max(zcdp_epsilon(guarantee.rho, float(delta)), 1e-9))
    if guarantee.is_gaussian:
        least = _rounded_up(_gaussian_epsilon(guarantee.rho, float(delta * (1 - SPARE))))
        if to_rho(Guarantee.approximate(least, delta)).is_gaussian:
            epsilon = least
    while not covers(Guarantee.approximate(epsilon, delta), guarantee):
        epsilon = _rounded_up(float(epsilon) * 1.0001)
    return Guarantee.approximate(epsilon, delta)


def spell(guarantee: Guarantee, delta: Fraction | None = None) -> str:
    """Write a guarantee for people: long numbers rounded up, a rho with the epsilon that it
    implies.

    ``delta`` is the delta at which a rho is stated as an epsilon; 1e-9 by default.
    """
    if guarantee.rho is not None:
        means = implied_guarantee(guarantee, delta or limits.STATED_DELTA)
        rho = brief(guarantee.rho, most=limits.NUMBER_SHOWN)
        if not guarantee.is_gaussian:
            return f"rho = {rho} (zCDP), which implies {spell(means)}"
        square = brief(2 * guarantee.rho, most=limits.NUMBER_SHOWN)
        return f"mu^2 = {square} (Gaussian DP), which implies rho = {rho} and {spell(means)}"
    assert guarantee.epsilon is not None
    share = f" with delta = {scientific(guarantee.delta)}" if guarantee.delta else ""
    return f"epsilon = {brief(guarantee.epsilon, most=limits.NUMBER_SHOWN)}{share}"


def _gaussian_epsilon(rho: Fraction, delta: float) -> float:
    sigma, most = 1 / math.sqrt(2 * rho), zcdp_epsilon(rho, delta)
    return bisect(lambda e: gaussian_delta(e, sigma) > delta, 1e-9, most, steps=60)[1]


def _weight(weight: Fraction | int | str) -> Fraction:
    number = parse_rational(weight, name="A weight")
    check.positive(**{"A weight": number})
    return number


def _rounded_up(number: float) -> Fraction:
    unit = Fraction(10) ** (math.floor(math.log10(number)) + 1 - _EPSILON_DIGITS)
    return (math.floor(Fraction(number) / unit) + 1) * unit
