"""How far a choice may be from the best candidate, whatever the rows hold. PUBLIC.

Some candidate is the best. A choice falls at least s short of it most likely where all others fall
just s short: raising the score of a candidate that is that far off, lowering one that is not, and
leaving one out that is not, all make it likelier. There, with p = exp(-rate s) and R candidates,

    exponential mechanism  P = (R - 1) p / (1 + (R - 1) p)
    permute-and-flip       P = 1 - (1 - (1 - p)^R) / (R p)

so that these are bounds of P(short by s or more) for all rows, each reached by some. Their
integrals over s, ln(R) / rate and (1 + 1/2 + ... + 1/R - 1) / rate, bound how far it is expected to
fall short.

>>> law = ChoiceLaw(74, 1 / 2, pure=True)
>>> law.reach(0.95), round(law.expected, 1)
(14, 7.8)
"""

import math
from dataclasses import dataclass

from synth.noise.floats.law import least_within

_HARMONIC = 10_000
"""From here up the harmonic number is its series, right to 1e-10."""


@dataclass(frozen=True)
class ChoiceLaw:
    """The most likely shortfall of a choice.

    Attributes:
        candidates: How many there are.
        rate: Of the exponents, for each unit that a candidate falls short.
        pure: Whether it is permute-and-flip, and not the exponential mechanism.
    """

    candidates: int
    rate: float
    pure: bool

    def tail(self, short: float) -> float:
        """The largest chance to fall short by so much or more."""
        x = self.rate * short
        if self.candidates == 1 or x < 0:
            return float(self.candidates > 1)
        others = math.exp(math.log(self.candidates - 1) - x)
        if not self.pure:
            return others / (1 + others)
        p = math.exp(-x)
        if p == 1:
            return 1 - 1 / self.candidates
        if self.candidates * p < 1e-9:  # the first term of the series, and more than the rest
            return others / 2
        never = math.expm1(self.candidates * math.log1p(-p))
        return max(0.0, 1 + never / (self.candidates * p))

    def reach(self, level: float) -> int:
        """The least whole number with a chance of at least ``level`` not to fall short by more.

        Raises:
            ArgumentError: The level is not below 1 - 1e-7.
        """
        return least_within(self.tail, level)

    @property
    def expected(self) -> float:
        """No expected shortfall is larger."""
        if not self.pure:
            return math.log(self.candidates) / self.rate
        return (_harmonic(self.candidates) - 1) / self.rate


def _harmonic(number: int) -> float:
    """1 + 1/2 + ... + 1/number."""
    if number < _HARMONIC:
        return math.fsum(1 / i for i in range(1, number + 1))
    gamma = 0.57721566490153286
    return math.log(number) + gamma + 1 / (2 * number)
