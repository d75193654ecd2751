"""The exact probabilities of randomised response, as whole numbers that a page can draw by. PUBLIC.

One question of m options gets a share e of epsilon. The true answer leaves with ``keep`` chances,
each other option with ``lie`` = 2^64, so that the loss is ln(keep / lie). e^e is no rational
number; keep is 2^64 times a lower bound of it, so that the loss is never above e.

>>> weights = ResponseWeights.for_share(Fraction(1), 2)
>>> weights.keep, weights.lie, round(float(weights.truth), 6)
(50143449209799256682, 18446744073709551616, 0.731059)
>>> weights.loss < 1
True
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction

from synth.noise import exp_minus

LIE = 2**64
"""Chances of each answer that is not the true one."""
NBITS = 512
"""Binary places of the enclosure of exp(-e), for an e of up to `limits.EPSILON_MAX`."""
LOG_DIGITS = 60
"""Decimal digits that a logarithm is worked out to."""
_DISPLAY_CONTEXT = Context(prec=24, rounding=ROUND_CEILING)


@dataclass(frozen=True)
class ResponseWeights:
    """Chances of k-ary randomised response (Kairouz, Oh, Viswanath 2014), in whole numbers.

    Attributes:
        keep: Chances of the true answer.
        lie: Chances of each other one.
        options: How many answers there are, at least 2.
    """

    keep: int
    lie: int
    options: int

    @classmethod
    def for_share(cls, epsilon: Fraction, options: int) -> "ResponseWeights":
        """The largest chances of the truth, in 2^-64, that lose no more than ``epsilon``."""
        _, high = exp_minus(epsilon, NBITS)
        return cls((LIE << NBITS) // high, LIE, options)

    @property
    def total(self) -> int:
        """All chances together."""
        return self.keep + (self.options - 1) * self.lie

    @property
    def truth(self) -> Fraction:
        """Probability of the true answer."""
        return Fraction(self.keep, self.total)

    @property
    def other(self) -> Fraction:
        """Probability of each other answer."""
        return Fraction(self.lie, self.total)

    @property
    def gain(self) -> Fraction:
        """Probability of the truth less that of each lie; 2p - 1 for yes or no."""
        return self.truth - self.other

    @property
    def loss(self) -> Decimal:
        """An upper bound of ln(keep / lie), the largest privacy loss."""
        with localcontext(prec=LOG_DIGITS):
            return (Decimal(self.keep) / Decimal(self.lie)).ln() + Decimal(10) ** (5 - LOG_DIGITS)


def certified_loss(weights: "tuple[ResponseWeights, ...]", epsilon: Fraction) -> Decimal:
    """The largest loss of one person over all questions, rounded up, and never above epsilon.

    Every answer is drawn on its own, so that losses add up; of each keep <= lie e^share holds in
    whole numbers, so that epsilon bounds their sum whatever the rounding.
    """
    with localcontext(prec=LOG_DIGITS):
        found = _DISPLAY_CONTEXT.plus(sum((one.loss for one in weights), Decimal(0)))
        most = Decimal(epsilon.numerator) / Decimal(epsilon.denominator)
        return _DISPLAY_CONTEXT.plus(min(found, most))
