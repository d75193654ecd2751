"""How far a choice may fall short of the best candidate, for any table. PUBLIC.

With p = exp(-rate s) and R candidates, these bound P(short by s or more); some table reaches
each:

    exponential mechanism  P = (R - 1) p / (1 + (R - 1) p)
    permute-and-flip       P = 1 - (1 - (1 - p)^R) / (R p)

Their integrals over s, ln(R) / rate and (1 + 1/2 + ... + 1/R - 1) / rate, bound the expected
shortfall.

>>> law = ChoiceLaw(74, 1 / 2, pure=True)
>>> law.reach(0.95), round(law.expected, 1)
(14, 7.8)
"""
# The event is likeliest if one candidate is the best and all others fall just s short: moving
# another score there only makes it likelier.

import math
from dataclasses import dataclass

from synth.noise.floats.law import least_within

# From this number on, the harmonic number is computed by its series, right to 1e-10.
_HARMONIC = 10_000


@dataclass(frozen=True)
class ChoiceLaw:
    """Upper bound for the shortfall of a choice.

    Attributes:
        candidates: The number of candidates.
        rate: Exponent for each unit that a candidate falls short.
        pure: True for permute-and-flip, False for the exponential mechanism.
    """

    candidates: int
    rate: float
    pure: bool

    def tail(self, short: float) -> float:
        """Return the largest probability that the choice falls short by ``short`` or more.

        The shortfall is the best score less the chosen one. The worst case has one best
        candidate, and all others exactly that far below it. For R candidates and p =
        exp(-rate short), the exponential mechanism gives (R - 1) p / (1 + (R - 1) p).
        Permute-and-flip, if ``pure``, gives 1 - (1 - (1 - p)^R) / (R p).
        """
        exponent = self.rate * short
        if self.candidates == 1:  # a single candidate never falls short
            return 0.0
        if exponent < 0:
            return 1.0
        others = math.exp(math.log(self.candidates - 1) - exponent)  # (R - 1) p
        if not self.pure:
            return others / (1 + others)
        p = math.exp(-exponent)
        if p == 1:
            return 1 - 1 / self.candidates
        # For tiny R p the exact form would lose its digits. The first term of its series is
        # an upper bound: (R - 1) p / 2.
        if self.candidates * p < 1e-9:
            return others / 2
        power_less_1 = math.expm1(self.candidates * math.log1p(-p))  # (1 - p)^R - 1
        return max(0.0, 1 + power_less_1 / (self.candidates * p))

    def reach(self, level: float) -> int:
        """Return the least whole t such that falling short by t or more is unlikely.

        Its probability is at most 1 - ``level``.

        Raises:
            ArgumentError: The level is not below 1 - 1e-7.
        """
        return least_within(self.tail, level)

    @property
    def expected(self) -> float:
        """Upper bound for the expected shortfall: the integral of `tail` from 0 on.

        With R candidates it is ln(R) / rate for the exponential mechanism. For
        permute-and-flip, if ``pure``, it is (1/2 + ... + 1/R) / rate.
        """
        if not self.pure:
            return math.log(self.candidates) / self.rate
        return (_harmonic(self.candidates) - 1) / self.rate


def _harmonic(number: int) -> float:
    """Return the harmonic number 1 + 1/2 + ... + 1/number.

    For a large number n it is ln n + gamma + 1 / (2 n), with Euler's constant gamma.
    """
    if number < _HARMONIC:
        return math.fsum(1 / i for i in range(1, number + 1))
    gamma = 0.57721566490153286
    return math.log(number) + gamma + 1 / (2 * number)
