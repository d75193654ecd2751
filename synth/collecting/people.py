"""How many people a form needs, before anybody is asked. PUBLIC.

A debiased share is off by more than alpha where the count Y of its option is more than T = n alpha
(p - q) from its mean: a matter of the binomial law, at the share of the truth where that is most
likely. Errors of several shares add up (union bound), as in the source note.

>>> from synth.collecting.design import ClosedQuestion
>>> questions = tuple(ClosedQuestion(f"Question {i}?") for i in range(10))
>>> found = people_needed(FormDesign(questions, Fraction(1)), error=Fraction(1, 20))
>>> found.exact, found.hoeffding
(316064, 480117)
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from synth import limits
from synth.collecting.binomial import binomial_lower_tail, binomial_upper_tail, clopper_pearson
from synth.collecting.design import FormDesign
from synth.collecting.probabilities import ResponseWeights
from synth.errors import ArgumentError, LimitError

USUAL_MISS_CHANCE = Fraction(1, 20)
"""Usual chance that some share is off by more than was asked for."""
SEARCHED_NEIGHBOURS = 3
"""Places next to the worst one that are looked at too."""
TEETH = 12
MAX_SEARCHED_PEOPLE = 500
"""Up to so many people every number is looked at."""


@dataclass(frozen=True)
class PeopleNeeded:
    """Fewest people, from which on every debiased share is close enough.

    Attributes:
        exact: By the binomial law.
        hoeffding: By Hoeffding's bound.
    """

    exact: int
    hoeffding: int


def people_needed(
    design: FormDesign, *, error: Fraction, outside: Fraction = USUAL_MISS_CHANCE
) -> PeopleNeeded:
    """People for all debiased shares to be within ``error`` but with chance ``outside``.

    Whatever the true shares are. Of yes and no one share tells the other.

    Raises:
        ArgumentError: ``error`` or ``outside`` is not between 0 and 1.
        LimitError: More people are needed than could be.
    """
    for name, value in (("error", error), ("outside", outside)):
        if not 0 < value < 1:
            raise ArgumentError(f"{name} must be a share above 0 and below 1, such as 0.05.")
    each = float(outside / sum(1 if size == 2 else size for size in design.shape))
    found = [_count_people(weights, error, each) for weights in set(design.weights)]
    return PeopleNeeded(max(n.exact for n in found), max(n.hoeffding for n in found))


def expected_reach(weights: ResponseWeights, people: int) -> float:
    """Half the width of a share's interval of 95 % among so many people, where it is widest."""
    worst = min(max(Fraction(1, 2), weights.other), weights.truth)
    low, high = clopper_pearson(round(people * worst), people)
    return (high - low) / 2 / float(weights.gain)


def _count_people(weights: ResponseWeights, error: Fraction, outside: float) -> PeopleNeeded:
    step = error * weights.gain
    bound = math.log(2 / outside) / (2 * float(step) ** 2)
    if bound > limits.PEOPLE_MAX:
        raise LimitError(
            f"More than {limits.PEOPLE_MAX:,} people would be needed; allow a larger error, ask "
            "fewer questions, or raise epsilon."
        )
    most = math.ceil(bound)
    return PeopleNeeded(1 + _last_failing(weights, step, outside, most), most)


def _last_failing(weights: ResponseWeights, step: Fraction, outside: float, most: int) -> int:
    """The largest number of people among whom a share is off too often.

    The count may be off by up to T = n step, so that 2T, rounded down, decides how many counts are
    close enough. While it stays the same, more people only spread the counts: the last number
    before it rises is the worst of its tooth, and these worst ones fail less and less often.
    """

    def fails(n: int) -> bool:
        return n > 0 and chance_off(weights, n, step) > outside

    if most <= MAX_SEARCHED_PEOPLE:
        return next((n for n in range(most, 0, -1) if fails(n)), 0)
    low, high = 0, math.ceil(2 * step * most) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fails(_end(middle, step)) else (low, middle)
    near = range(low + TEETH, max(-1, low - TEETH), -1)
    return next((_end(tooth, step) for tooth in near if fails(_end(tooth, step))), 0)


def _end(tooth: int, step: Fraction) -> int:
    """The last n of which 2 n step, rounded down, is ``tooth``."""
    return math.ceil((tooth + 1) / (2 * step)) - 1


def chance_off(weights: ResponseWeights, n: int, step: Fraction) -> float:
    """The largest chance, over all true shares, that a count is over T = n step from its mean."""
    return max(
        binomial_lower_tail(first - 1, n, share) + binomial_upper_tail(last + 1, n, share)
        for share, first, last in _worst_cases(weights, n, n * step)
    )


def _worst_cases(
    weights: ResponseWeights, n: int, reach: Fraction
) -> Iterator[tuple[float, int, int]]:
    """Shares of observed counts, and the first and the last count that is close to each.

    As the mean m grows, the counts within T of it are floor(2T) or one more. Fewer are worse, and
    of a stretch of means with the same counts its ends are: there m - T, or m + T, is whole. The
    law spreads most at a half; of the stretches around it the nearest are looked at.
    """
    low, high = weights.other, weights.truth
    middle = min(max(Fraction(1, 2), low), high)
    fewer = math.floor(2 * reach)
    nearest = round(n * middle - reach)
    for first in range(nearest - SEARCHED_NEIGHBOURS, nearest + SEARCHED_NEIGHBOURS + 1):
        for mean in (first - 1 + reach, first + fewer - reach):
            if low <= mean / n <= high:
                yield float(mean / n), first, first + fewer - 1
    for share in (low, high):  # where a stretch is cut off by what can be
        mean = n * share
        yield float(share), math.ceil(mean - reach), math.floor(mean + reach)
