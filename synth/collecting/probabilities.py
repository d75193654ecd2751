"""The exact probabilities of randomised response, in whole numbers to draw by. PUBLIC.

A question gets a share e of epsilon. The true answer is sent with weight ``keep``, each other
option with ``lie`` = 2^64: the loss ln(keep / lie) is never above e.

>>> weights = ResponseWeights.for_share(Fraction(1), 2)
>>> weights.keep, weights.lie, round(float(weights.truth), 6)
(50143449209799256682, 18446744073709551616, 0.731059)
>>> weights.loss < 1
True
"""
# e^e is not rational; keep is 2^64 times a lower bound of it.

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction

from synth.noise import exp_minus

# Weight of each answer that is not the true one.
LIE_WEIGHT = 2**64
# Binary places of the enclosure of exp(-e), for an e of up to `limits.EPSILON_MAX`.
ENCLOSURE_BITS = 512
# Digits of a logarithm, and how many of its last ones count as wrong by rounding.
LOG_DIGITS = 60
ROUNDED_DIGITS = 5
_DISPLAY_CONTEXT = Context(prec=24, rounding=ROUND_CEILING)


@dataclass(frozen=True)
class ResponseWeights:
    """Weights of k-ary randomised response (Kairouz, Oh, Viswanath 2014), in whole numbers.

    Attributes:
        keep: The weight of the true answer.
        lie: The weight of each other answer.
        options: The number of answers, at least 2.
    """

    keep: int
    lie: int
    options: int

    @classmethod
    def for_share(cls, epsilon: Fraction, options: int) -> "ResponseWeights":
        """Return weights with the largest weight of the truth whose loss is at most epsilon.

        ``options`` is the number of answers. The weight is a whole number of 2^-64.
        """
        _, high = exp_minus(
            epsilon, ENCLOSURE_BITS
        )  # an upper bound of exp(-epsilon), times 2^ENCLOSURE_BITS
        # Rounded down, so that keep / lie is at most exp(epsilon).
        return cls((LIE_WEIGHT << ENCLOSURE_BITS) // high, LIE_WEIGHT, options)

    @property
    def total(self) -> int:
        """The sum of the weights of all answers."""
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
        """Probability of the truth minus that of each lie; 2p - 1 for yes or no."""
        return self.truth - self.other

    @property
    def loss(self) -> Decimal:
        """An upper bound of ln(keep / lie), the largest privacy loss."""
        with localcontext(prec=LOG_DIGITS):
            # More than rounding can change in a logarithm of at most 100.
            rounding_error = Decimal(10) ** (ROUNDED_DIGITS - LOG_DIGITS)
            return (Decimal(self.keep) / Decimal(self.lie)).ln() + rounding_error


def certified_loss(weights: "tuple[ResponseWeights, ...]", epsilon: Fraction) -> Decimal:
    """Return an upper bound of the privacy loss of one person over all questions.

    It is rounded up to 24 digits, and is at most epsilon.

    Args:
        weights: The probabilities of the answers to each question.
        epsilon: The loss for which the weights were made.
    """
    # Answers are drawn independently, so losses add up. For each, keep <= lie e^share holds
    # in whole numbers, so epsilon bounds their sum in spite of rounding.
    with localcontext(prec=LOG_DIGITS):
        losses = (question_weights.loss for question_weights in weights)
        total = _DISPLAY_CONTEXT.plus(sum(losses, Decimal(0)))
        limit = Decimal(epsilon.numerator) / Decimal(epsilon.denominator)
        return _DISPLAY_CONTEXT.plus(min(total, limit))
