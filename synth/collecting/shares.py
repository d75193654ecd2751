"""Shares of the true answers, from randomised ones. PUBLIC.

The count of an option among n people has mean n (q + (p - q) share), p and q being the chances of
the truth and of each lie. An interval is the exact one of the binomial law (`binomial`), carried
over by that line. It holds for the people of whom these are a random sample; and for these people
themselves, whose counts spread less: the ends of a sum of unlike trials are rarer than those of
the binomial law of the same mean (Hoeffding 1956).
"""

import math
from dataclasses import dataclass

import numpy as np

from synth.collecting.binomial import clopper_pearson
from synth.collecting.collected import Collected
from synth.collecting.probabilities import ResponseWeights
from synth.estimate import project_to_simplex
from synth.util import Document, Floats, write_share


@dataclass(frozen=True)
class DebiasedShare:
    """The share of people whose true answer is an option.

    Attributes:
        option: The answer.
        count: Randomised answers that say so.
        share: Debiased: right on average, and perhaps below 0 or above 1.
        low, high: The interval that holds the true share in at least 95 of 100 cases.
    """

    option: str
    count: int
    share: float
    low: float
    high: float

    @property
    def text(self) -> str:
        """The share that can be, with its interval, such as "50 % (15 to 85 %)"."""
        half = (self.high - self.low) / 2
        low = write_share(self.low, half, math.floor).removesuffix(" %")
        value = write_share(min(max(self.share, 0.0), 1.0), half)
        return f"{value} ({low} to {write_share(self.high, half, math.ceil)})"

    def to_json(self) -> Document:
        """The JSON form of the result, with the raw share."""
        return {
            "option": self.option,
            "count": self.count,
            "share": self.share,
            "interval": [self.low, self.high],
        }


def debiased_shares(collected: Collected) -> list[list[DebiasedShare]]:
    """The shares of every question's options, in their order."""
    questions = zip(collected.design.questions, collected.design.weights, strict=True)
    return [
        [
            debias_share(option, int(count), collected.people, weights)
            for option, count in zip(question.options, collected.counts(number), strict=True)
        ]
        for number, (question, weights) in enumerate(questions)
    ]


def debias_share(option: str, count: int, people: int, weights: ResponseWeights) -> DebiasedShare:
    """One of them.

    >>> from fractions import Fraction
    >>> one = debias_share("yes", 60, 100, ResponseWeights.for_share(Fraction(1), 2))
    >>> round(one.share, 3), round(one.low, 3), round(one.high, 3)
    (0.716, 0.494, 0.926)
    """
    other, gain = float(weights.other), float(weights.gain)
    low, high = (min(max((end - other) / gain, 0.0), 1.0) for end in clopper_pearson(count, people))
    return DebiasedShare(option, count, (count / people - other) / gain, low, high)


def repair_shares(shares: list[DebiasedShare]) -> Floats:
    """The nearest shares that are not negative and add up to 1, shape (options,)."""
    return project_to_simplex(np.array([one.share for one in shares]), 1.0)
