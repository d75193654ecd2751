"""How many people a form needs, before you ask anyone. PUBLIC.

By the binomial law at the worst true share; errors of several shares add up (union bound).

>>> from synth.collecting.design import ClosedQuestion
>>> questions = tuple(ClosedQuestion(f"Question {i}?") for i in range(10))
>>> needed = people_needed(FormDesign(questions, Fraction(1)), error=Fraction(1, 20))
>>> needed.exact, needed.hoeffding
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

# Default probability that some share is off by more than you allow.
USUAL_MISS_CHANCE = Fraction(1, 20)
# Stretches of means searched to either side of the worst one.
SEARCHED_NEIGHBOURS = 3
# Teeth (see `_last_failing`) searched to either side of the one that bisection finds.
TEETH = 12
# Up to this many people, every number is searched.
MAX_SEARCHED_PEOPLE = 500


@dataclass(frozen=True)
class PeopleNeeded:
    """Fewest people from which on every debiased share is close enough.

    Attributes:
        exact: By the binomial law.
        hoeffding: By Hoeffding's bound.
    """

    exact: int
    hoeffding: int


def people_needed(
    design: FormDesign, *, error: Fraction, outside: Fraction = USUAL_MISS_CHANCE
) -> PeopleNeeded:
    """Return how many people bring all debiased shares within an error.

    This holds for all true shares. For yes and no, one share determines the other.

    Args:
        design: The form.
        error: The largest error of a share.
        outside: The chance of a larger error.

    Raises:
        ArgumentError: The error or the chance is not between 0 and 1.
        LimitError: More people are needed than the limit.
    """
    for name, value in (("error", error), ("outside", outside)):
        if not 0 < value < 1:
            raise ArgumentError(f"{name} must be a share above 0 and below 1, such as 0.05.")
    shares = sum(1 if options == 2 else options for options in design.shape)
    # Union bound: each share gets an equal part of the allowed chance.
    miss_chance = float(outside / shares)
    # A set, as questions with equally many options have equal weights.
    numbers = [_count_people(weights, error, miss_chance) for weights in set(design.weights)]
    return PeopleNeeded(
        exact=max(needed.exact for needed in numbers),
        hoeffding=max(needed.hoeffding for needed in numbers),
    )


def expected_reach(weights: ResponseWeights, people: int) -> float:
    """Return half the width of a share's 95 % interval for some people, at its widest.

    The interval of the randomised answers is widest where their share is nearest to one half.
    An interval of true answers is wider by the factor 1 / gain.

    Args:
        weights: The probabilities of the true answer and of others.
        people: The number of people who answer.
    """
    # Shares of randomised answers lie between ``other`` and ``truth``.
    worst = min(max(Fraction(1, 2), weights.other), weights.truth)
    low, high = clopper_pearson(round(people * worst), people)
    return (high - low) / 2 / float(weights.gain)


def _count_people(weights: ResponseWeights, error: Fraction, outside: float) -> PeopleNeeded:
    """Return how many people bring one share of a question within an error.

    Args:
        weights: The probabilities of the true answer and of others.
        error: The largest error of a debiased share.
        outside: The chance of a larger error that is allowed for this one share.

    Raises:
        LimitError: More people are needed than the limit.
    """
    # The allowed error as a share of randomised answers, whose differences are smaller.
    step = error * weights.gain
    # Hoeffding: P(error > step) is at most 2 exp(-2 n step^2); solved for n.
    bound = math.log(2 / outside) / (2 * float(step) ** 2)
    if bound > limits.PEOPLE_MAX:
        raise LimitError(
            f"More than {limits.PEOPLE_MAX:,} people would be needed; allow a larger error, "
            "ask fewer questions, or raise epsilon."
        )
    upper_bound = math.ceil(bound)
    # From one more than the last number that fails on, every number suffices.
    return PeopleNeeded(
        1 + _last_failing(weights, step, outside, upper_bound=upper_bound), upper_bound
    )


def _last_failing(
    weights: ResponseWeights, step: Fraction, outside: float, *, upper_bound: int
) -> int:
    """Return the largest number of people among whom a share is off too often; 0 if none is.

    A count may be off by up to T = n step, so floor(2T) decides how many counts are close
    enough. The numbers n of the same floor(2T) are called a tooth here. Within it, more
    people only spread the counts. So the last number of a tooth is its worst, and these worst
    ones fail less and less often.

    Args:
        weights: The probabilities of the true answer and of others.
        step: The allowed error of a share of randomised answers.
        outside: The allowed chance of a larger error.
        upper_bound: A number of people that certainly suffices.
    """

    def fails(n: int) -> bool:
        return n > 0 and chance_off(weights, n, step) > outside

    if upper_bound <= MAX_SEARCHED_PEOPLE:
        return next((n for n in range(upper_bound, 0, -1) if fails(n)), 0)
    # Bisection: the last number of tooth `low` is taken to fail, that of `high` does not.
    low = 0
    # A tooth beyond that of `upper_bound`, so its numbers suffice.
    high = math.ceil(2 * step * upper_bound) + 1
    while high - low > 1:
        middle = (low + high) // 2
        if fails(_last_of_tooth(middle, step)):
            low = middle
        else:
            high = middle
    # Teeth fail less and less often, but not strictly so: search those nearby.
    for tooth in range(low + TEETH, max(-1, low - TEETH), -1):
        n = _last_of_tooth(tooth, step)
        if fails(n):
            return n
    return 0


def _last_of_tooth(tooth: int, step: Fraction) -> int:
    """Return the largest n with floor(2 n step) = tooth."""
    return math.ceil((tooth + 1) / (2 * step)) - 1


def chance_off(weights: ResponseWeights, n: int, step: Fraction) -> float:
    """Return the chance that a count is over T = n step from its mean.

    It is the largest one for any true share.

    Args:
        weights: The probabilities of the true answer and of others.
        n: The number of people.
        step: The allowed error of a share of randomised answers.
    """
    return max(
        binomial_lower_tail(first - 1, n, share) + binomial_upper_tail(last + 1, n, share)
        for share, first, last in _worst_cases(weights, n, n * step)
    )


def _worst_cases(
    weights: ResponseWeights, n: int, reach: Fraction
) -> Iterator[tuple[float, int, int]]:
    """Yield shares that may be worst, with the first and last count close to each.

    The mean m is the share of randomised answers times n. As it grows, floor(2T) counts or
    one more are within T of it. Fewer are worse. Among the means with the same close counts,
    the lowest and highest are worst: there m - T or m + T is whole. The binomial law has its
    largest variance at one half, so only means nearest to it are tried.

    Args:
        weights: The share of randomised answers that name an option is between ``other`` and
            ``truth``.
        n: The number of people.
        reach: The allowed distance T of a count from its mean.
    """
    low = weights.other
    high = weights.truth
    middle = min(max(Fraction(1, 2), low), high)
    fewer = math.floor(2 * reach)  # the smaller number of close counts
    nearest = round(n * middle - reach)  # about the first count that is close to the middle
    for first in range(nearest - SEARCHED_NEIGHBOURS, nearest + SEARCHED_NEIGHBOURS + 1):
        # Between these means, the counts `first` to `first + fewer - 1` are close, no others.
        for mean in (first - 1 + reach, first + fewer - reach):
            if low <= mean / n <= high:
                yield float(mean / n), first, first + fewer - 1
    for share in (low, high):  # the ends of the possible shares may be the worst
        mean = n * share
        yield float(share), math.ceil(mean - reach), math.floor(mean + reach)
