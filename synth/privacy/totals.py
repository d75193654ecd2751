"""The total cost of many spends: the enforced sum, and better theorems for display.

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

from synth.privacy.budget import scientific
from synth.privacy.guarantee import Guarantee


@dataclass(frozen=True, kw_only=True)
class InAdvance:
    """Total epsilon of spends, if all had been fixed in advance, by three theorems.

    Attributes:
        delta: The total delta at which all three hold: of the spends and of the theorems.
        basic: The sum, which the ledger enforces.
        advanced: Dwork, Rothblum, Vadhan 2010.
        zcdp: By a rho; None if a spend has a delta of its own, which no rho covers.
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
        """Write the three totals and the least one as a sentence."""
        zcdp = "" if self.zcdp is None else f", zCDP {self.zcdp:.4g}"
        return (
            f"Had they been fixed in advance, epsilon with delta = {scientific(self.delta)}: "
            f"basic {self.basic:.4g}, advanced {self.advanced:.4g}{zcdp}; the least is "
            f"{self.least:.4g}. Not enforced."
        )


def sum_up(spends: Sequence[Guarantee]) -> Guarantee | None:
    """Return the sum of spends that were chosen one after another, in the same unit.

    If one is a rho, pure spends count as a rho too: epsilon^2/2 of zCDP (Bun, Steinke 2016,
    Proposition 1.4). None for no spends, or for an (epsilon, delta) together with a rho,
    which cannot be added."""
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
    spent_delta = sum((spend.delta for spend in spends), Fraction(0))
    if spent_delta + delta >= 1:
        return None
    from synth.privacy.accounting import compose_unequal

    total = compose_unequal(epsilons, delta=float(delta))
    return InAdvance(
        delta=spent_delta + delta,
        basic=total.basic,
        advanced=total.advanced,
        zcdp=None if spent_delta else total.zcdp,
    )


def covers(charged: Guarantee, spent: Guarantee) -> bool:
    """Return whether a guarantee that was charged is at least what is spent.

    Both are compared in one unit. A rho of zCDP may pay for Gaussian DP, which is stronger,
    and not the other way round.
    """
    if spent.epsilon is not None and charged.epsilon is not None:
        return spent.epsilon <= charged.epsilon and spent.delta <= charged.delta
    allowed = in_unit_of(spent, charged)
    if spent.rho is None or allowed.rho is None:
        return False
    if allowed.is_gaussian and not spent.is_gaussian:
        return False
    return spent.rho <= allowed.rho


def in_unit_of(spent: Guarantee, charged: Guarantee) -> Guarantee:
    """Return the rho that a charged (epsilon, delta) contains, in the unit of the spend.

    That is Gaussian DP if ``spent`` is, else zCDP. A charged rho or pure epsilon is returned
    unchanged.
    """
    if not spent.is_gaussian:
        return in_zcdp(charged)
    from synth.privacy.gaussian_dp import to_rho

    return to_rho(charged)


def in_zcdp(charged: Guarantee) -> Guarantee:
    """Return the rho that an (epsilon, delta) contains; a rho or a pure epsilon unchanged."""
    if charged.epsilon is None or not charged.delta:
        return charged
    from synth.privacy.accounting import zcdp_rho

    return Guarantee.zcdp(zcdp_rho(charged.epsilon, charged.delta))
