"""What many spends come to: the sum that is enforced, and what would hold beside it.

Sums of epsilon and delta, and of rho, hold for spends chosen one after another, each in view of
the answers before it (Rogers, Roth, Ullman, Vadhan 2016; Whitehouse, Ramdas, Rogers, Wu 2023).
The better theorems take all spends to be fixed before the first answer; they are for showing.

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

from synth.privacy.accounting import compose_unequal, zcdp_rho
from synth.privacy.budget import scientific
from synth.privacy.gaussian_dp import to_rho
from synth.privacy.guarantee import Guarantee


@dataclass(frozen=True)
class InAdvance:
    """The total epsilon of spends, had they been fixed in advance, by three theorems.

    Attributes:
        delta: The total delta at which all three hold: of the spends and of the theorems.
        basic: The sum, which is also what is enforced.
        advanced: Dwork, Rothblum, Vadhan 2010.
        zcdp: By way of zCDP; None where a spend has a delta of its own, which no rho covers.
    """

    delta: Fraction
    basic: float
    advanced: float
    zcdp: float | None

    @property
    def least(self) -> float:
        """The smallest of them: each holds, so that the smallest may be reported."""
        return min(self.basic, self.advanced, math.inf if self.zcdp is None else self.zcdp)

    def __str__(self) -> str:
        zcdp = "" if self.zcdp is None else f", zCDP {self.zcdp:.4g}"
        return (
            f"Had they been fixed in advance, epsilon with delta = {scientific(self.delta)}: basic "
            f"{self.basic:.4g}, advanced {self.advanced:.4g}{zcdp}; the least is {self.least:.4g}. "
            "Not enforced."
        )


def sum_up(spends: Sequence[Guarantee]) -> Guarantee | None:
    """The sum of spends that were chosen one after another.

    Where a rho is among them, pure ones count epsilon^2/2 of it (Bun, Steinke 2016, Proposition
    1.4). None where there are no spends, or an (epsilon, delta) beside a rho.
    """
    as_rho = any(spend.rho is not None for spend in spends)
    if not spends or (as_rho and any(spend.delta for spend in spends)):
        return None
    total = spends[0]
    for spend in spends[1:]:
        total += spend
    return total


def in_advance(spends: Sequence[Guarantee], delta: Fraction) -> InAdvance | None:
    """What spends in epsilon would come to, had they all been fixed before the first.

    Args:
        spends: In any order.
        delta: What the theorems take, beside the deltas of the spends (Dwork, Roth 2014,
            Theorem 3.20).

    Returns:
        None where it says nothing: for fewer than two spends, or where one is a rho, whose sum
        is as good chosen one after another.
    """
    epsilons = [spend.epsilon for spend in spends if spend.epsilon is not None]
    if len(epsilons) < max(2, len(spends)):
        return None
    own = sum((spend.delta for spend in spends), Fraction(0))
    if own + delta >= 1:
        return None
    total = compose_unequal(epsilons, delta=float(delta))
    return InAdvance(own + delta, total.basic, total.advanced, None if own else total.zcdp)


def covers(charged: Guarantee, spent: Guarantee) -> bool:
    """Whether a guarantee that was charged allows to spend this.

    What is Gaussian may be spent of a rho of zCDP, and not the other way round.

    >>> covers(Guarantee.pure(2), Guarantee.pure(1))
    True
    >>> covers(Guarantee.gaussian(1), Guarantee.zcdp(1))
    False
    """
    if spent.epsilon is not None and charged.epsilon is not None:
        return spent.epsilon <= charged.epsilon and spent.delta <= charged.delta
    whole = in_unit_of(spent, charged)
    if spent.rho is None or whole.rho is None or (whole.is_gaussian and not spent.is_gaussian):
        return False
    return spent.rho <= whole.rho


def in_unit_of(spent: Guarantee, charged: Guarantee) -> Guarantee:
    """What an (epsilon, delta) holds where it is spent like this; what holds none as it is."""
    return to_rho(charged) if spent.is_gaussian else in_zcdp(charged)


def in_zcdp(charged: Guarantee) -> Guarantee:
    """The rho that an (epsilon, delta) holds; a rho or a pure epsilon as it is."""
    if charged.epsilon is None or not charged.delta:
        return charged
    return Guarantee.zcdp(zcdp_rho(charged.epsilon, charged.delta))
