"""Selection: the exponential mechanism and permute-and-flip, without floats.

>>> draw_exponential([0, 0, 9_000], epsilon=Fraction(1), sensitivity=1)
2
>>> permute_and_flip([0, 0, 9_000], epsilon=Fraction(1), sensitivity=1)
2
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from synth.errors import ArgumentError
from synth.noise.coins import (
    approximate_exponentials,
    choose_by_approximation,
    coin_words,
    flip_exponential_coins,
)
from synth.noise.laws import Weighted
from synth.noise.mechanism import MAX_VALUE, exact
from synth.noise.sampler import draw_below, invert

Utility = int | Fraction | np.integer


def draw_exponential(
    scores: Sequence[Utility],
    *,
    epsilon: Fraction | int,
    sensitivity: Fraction | int,
    monotone: bool = False,
) -> int:
    """Choose an index with probability ~ exp(epsilon score / (2 sensitivity)).

    Pure epsilon-differential privacy (McSherry, Talwar 2007). The work is done in exact
    arithmetic.

    Args:
        scores: The score of each public candidate, exact; higher is better.
        epsilon: The epsilon that the choice costs.
        sensitivity: The most that one person moves any score.
        monotone: Whether the 2 is dropped. That is right only if one person moves all scores
            in one direction, never when a row is replaced.

    Raises:
        ArgumentError: There is no candidate, or a number is not an exact rational.
    """
    return weighted_choice(gaps_below(scores), _rate(epsilon, sensitivity, monotone))


def permute_and_flip(
    scores: Sequence[Utility],
    *,
    epsilon: Fraction | int,
    sensitivity: Fraction | int,
    monotone: bool = False,
) -> int:
    """Choose an index by permute-and-flip, with pure epsilon-differential privacy.

    Its expected score is never below the exponential mechanism's (McKenna, Sheldon 2020,
    Algorithm 1 and Theorem 2).

    Args:
        scores: The score of each public candidate, exact; higher is better.
        epsilon: The epsilon that the choice costs.
        sensitivity: The most that one person moves any score.
        monotone: Whether exponents are divided by sensitivity, and not by twice as much. That
            is right only if one person moves all scores in one direction, never when a row is
            replaced.

    Raises:
        ArgumentError: There is no candidate, or a number is not an exact rational.
    """
    # It visits the candidates in random order, takes each with probability exp(-epsilon (best
    # - score) / (2 sensitivity)), and stops at the first one taken. Coins do not depend on
    # the order. So the result is uniform among all candidates whose coin says "take"; the
    # coin of the best candidate always does.
    gaps = gaps_below(scores)
    rate = _rate(epsilon, sensitivity, monotone)
    coins = coin_words(len(gaps))
    chances = approximate_exponentials(gaps, rate)
    taken = np.flatnonzero(flip_exponential_coins(coins, chances, lambda i: rate * gaps[i]))
    return int(taken[draw_below(len(taken))])


def gaps_below(scores: Sequence[Utility]) -> list[int | Fraction]:
    """Return how far each score is below the best one, exact, in the order of the scores.

    Raises:
        ArgumentError: There is no candidate or a score is not exact. No score is shown.
    """
    if len(scores) == 0:
        raise ArgumentError("scores must hold at least one candidate, but they are empty.")
    scores_array = np.asarray(scores)
    # The quick way for integers; differences of such scores fit 64 bits.
    if (
        scores_array.dtype.kind == "i"
        and -MAX_VALUE < scores_array.min()
        and scores_array.max() < MAX_VALUE
    ):
        gaps: list[int | Fraction] = (scores_array.max() - scores_array).tolist()
        return gaps
    if not all(isinstance(s, int | Fraction | np.integer) for s in scores):
        raise ArgumentError(
            "scores must be whole numbers or Fractions, but one of them is not."
        )
    exact_scores = [int(s) if isinstance(s, np.integer) else s for s in scores]
    best = max(exact_scores)
    return [best - score for score in exact_scores]


def weighted_choice(
    gaps: Sequence[int | Fraction], rate: Fraction, counts: Sequence[int] = ()
) -> int:
    """Choose an index with probability proportional to count * exp(-rate * gap).

    ``gaps`` says how far each candidate's score is below the best, exact; ``counts`` how
    many candidates share it, by default one.
    """
    # A 64-bit word is compared with cumulative sums in floats, and with longer integers if it
    # is close to one.
    word = int(coin_words(1)[0])
    index = choose_by_approximation(word, approximate_exponentials(gaps, rate), counts)
    if index is not None:
        return index
    return invert(Weighted(tuple(rate * gap for gap in gaps), tuple(counts)), word, 64)


def _rate(epsilon: Fraction | int, sensitivity: Fraction | int, monotone: bool) -> Fraction:
    """Return the factor that turns a gap of scores into an exponent of the probability."""
    return exact(epsilon=epsilon) / ((1 if monotone else 2) * exact(sensitivity=sensitivity))
