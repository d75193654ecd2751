"""Shares of the true answers, estimated from randomised ones. PUBLIC.

The intervals are exact binomial ones, transformed. They hold for these people, and for the
population if the people are a random sample of it.
"""
# The count of an option among n people has mean n (q + (p - q) share), with p and q the
# probabilities of the truth and of each lie. For these people counts vary less: tails of a
# sum of unlike trials are lighter than binomial tails of the same mean (Hoeffding 1956).

import math
from dataclasses import dataclass

import numpy as np

from synth.collecting.answers import Collected
from synth.collecting.binomial import clopper_pearson
from synth.collecting.probabilities import ResponseWeights
from synth.estimate import project_to_simplex
from synth.util import Document, Floats, write_share


@dataclass(frozen=True, kw_only=True)
class DebiasedShare:
    """The share of people whose true answer is an option.

    Attributes:
        option: The option's text.
        count: Randomised answers that name it.
        share: Debiased: right on average, and perhaps below 0 or above 1.
        low: The lower end of the 95 % interval of the true share.
        high: The upper end of the interval.
    """

    option: str
    count: int
    share: float
    low: float
    high: float

    @property
    def text(self) -> str:
        """The possible share closest to the estimate, with its interval: "50 % (15 to 85 %)".

        The ends of the interval are rounded outwards, to as many digits as half its width
        allows.
        """
        half = (self.high - self.low) / 2
        low = write_share(self.low, half, math.floor).removesuffix(" %")
        value = write_share(min(max(self.share, 0.0), 1.0), half)
        return f"{value} ({low} to {write_share(self.high, half, math.ceil)})"

    def to_json(self) -> Document:
        """Return the share, the count and the 95 % interval as a JSON object."""
        return {
            "option": self.option,
            "count": self.count,
            "share": self.share,
            "interval": [self.low, self.high],
        }


def debiased_shares(collected: Collected) -> list[list[DebiasedShare]]:
    """Return the debiased shares of all options, a list for each question.

    They are in the order of the options.
    """
    all_shares = []
    for number, question in enumerate(collected.design.questions):
        weights = collected.design.weights[number]
        counts = collected.counts(number)
        all_shares.append(
            [
                debias_share(option, int(count), collected.people, weights=weights)
                for option, count in zip(question.options, counts, strict=True)
            ]
        )
    return all_shares


def debias_share(
    option: str, count: int, people: int, *, weights: ResponseWeights
) -> DebiasedShare:
    """Return the debiased share of one option, with its 95 % interval.

    The expected share of randomised answers is lie_chance + gain * true share. The estimate
    and the ends of the interval are solved for the true share.

    Args:
        option: The option's text.
        count: How many randomised answers name it.
        people: How many people answered.
        weights: The probabilities of the true answer and of others.

    >>> from fractions import Fraction
    >>> weights = ResponseWeights.for_share(Fraction(1), 2)
    >>> yes = debias_share("yes", 60, 100, weights=weights)
    >>> round(yes.share, 3), round(yes.low, 3), round(yes.high, 3)
    (0.716, 0.494, 0.926)
    """
    lie_chance = float(weights.other)
    gain = float(weights.gain)
    # Ends beyond 0 and 1 are cut, as no true share lies there.
    low, high = (
        min(max((end - lie_chance) / gain, 0.0), 1.0)
        for end in clopper_pearson(count, people)
    )
    return DebiasedShare(
        option=option,
        count=count,
        share=(count / people - lie_chance) / gain,
        low=low,
        high=high,
    )


def repair_shares(shares: list[DebiasedShare]) -> Floats:
    """Return the nearest non-negative shares of sum 1, shape (options,)."""
    return project_to_simplex(np.array([share.share for share in shares]), 1.0)
