"""How many people a form needs, before you ask anyone. PUBLIC.

By the binomial law at the worst true share; errors of several shares add up (union bound).

>>> from synth.collecting.design import ClosedQuestion
>>> questions = tuple(ClosedQuestion(f"Question {i}?") for i in range(10))
>>> found = people_needed(FormDesign(questions, Fraction(1)), error=Fraction(1, 20))
>>> found.exact, found.hoeffding
(316064, 480117)
"""
# A debiased share is off by more than alpha if the count Y of its option is more than T = n
# alpha (p - q) from its mean, as in the source note.

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from synth import limits
from synth.collecting.binomial import (
    binomial_lower_tail,
    binomial_upper_tail,
    clopper_pearson,
)
from synth.collecting.design import FormDesign
from synth.collecting.probabilities import ResponseWeights
from synth.errors import ArgumentError, LimitError

USUAL_MISS_CHANCE = Fraction(1, 20)
"""Default probability that some share is off by more than you allow."""
SEARCHED_NEIGHBOURS = 3
TEETH = 12
# Up to this many people, every number is searched.
MAX_SEARCHED_PEOPLE = 500


@dataclass(frozen=True)
class PeopleNeeded:
    """Fewest people from which on every debiased share is close enough.

    ``exact`` is by the binomial law, ``hoeffding`` by Hoeffding's bound.
    """

    exact: int
    hoeffding: int


def people_needed(
    design: FormDesign, *, error: Fraction, outside: Fraction = USUAL_MISS_CHANCE
) -> PeopleNeeded:
    """Return how many people bring all debiased shares within ``error``, for all true shares.

    ``outside`` is the chance of a larger error. For yes and no, one share determines the
    other.

    Raises:
        ArgumentError: ``error`` or ``outside`` is not between 0 and 1.
        LimitError: More people are needed than the limit.
    """
    for name, value in (("error", error), ("outside", outside)):
        if not 0 < value < 1:
            raise ArgumentError(f"{name} must be a share above 0 and below 1, such as 0.05.")
    each = float(outside / sum(1 if size == 2 else size for size in design.shape))
    found = [_count_people(weights, error, each) for weights in set(design.weights)]
    return PeopleNeeded(max(n.exact for n in found), max(n.hoeffding for n in found))


def expected_reach(weights: ResponseWeights, people: int) -> float:
    """Return the half width of a share's 95 % interval for this many people, at its
    widest.
    """
    worst = min(max(Fraction(1, 2), weights.other), weights.truth)
    low, high = clopper_pearson(round(people * worst), people)
    return (high - low) / 2 / float(weights.gain)


def _count_people(weights: ResponseWeights, error: Fraction, outside: float) -> PeopleNeeded:
    step = error * weights.gain
    bound = math.log(2 / outside) / (2 * float(step) ** 2)
    if bound > limits.PEOPLE_MAX:
        raise LimitError(
            f"More than {limits.PEOPLE_MAX:,} people would be needed; allow a larger error, "
            "ask fewer questions, or raise epsilon."
        )
    most = math.ceil(bound)
    return PeopleNeeded(1 + _last_failing(weights, step, outside, most=most), most)


def _last_failing(
    weights: ResponseWeights, step: Fraction, outside: float, *, most: int
) -> int:
    # The largest number of people among whom a share is off too often. A count may be off by
    # up to T = n step, so floor(2T) decides how many counts are close enough. While it stays
    # the same, more people only spread the counts. So the last number before it rises is the
    # worst of its tooth, and these worst ones fail less and less often.

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
    return math.ceil((tooth + 1) / (2 * step)) - 1


def chance_off(weights: ResponseWeights, n: int, step: Fraction) -> float:
    """Return the largest chance of a count over T = n step from its mean, for all true
    shares.
    """
    return max(
        binomial_lower_tail(first - 1, n, share) + binomial_upper_tail(last + 1, n, share)
        for share, first, last in _worst_cases(weights, n, n * step)
    )


def _worst_cases(
    weights: ResponseWeights, n: int, reach: Fraction
) -> Iterator[tuple[float, int, int]]:
    # Yields shares of observed counts, with the first and the last count close to each. As
    # the mean m grows, floor(2T) counts or one more are within T of it. Fewer are worse, and
    # within a stretch of means with the same counts its ends are worst: there m - T or m + T
    # is whole. The law spreads most at a half, so the stretches nearest to it are searched.
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
