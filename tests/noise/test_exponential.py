"""Selection: exact laws, exact losses, utility, refusals."""

import math
from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from synth.errors import ArgumentError
from synth.noise.exponential import exponential, exponents, permute_and_flip, shortfall
from synth.noise.laws import exp_minus

SCORES = [3, 0, Fraction(5, 2), 3]
SIZE = 4_000


def exponential_law(scores: Any, rate: float) -> np.ndarray:
    weights = np.exp(rate * (np.array([float(s) for s in scores]) - float(max(scores))))
    return weights / weights.sum()


def permute_and_flip_law(scores: Any, rate: float) -> np.ndarray:
    """By enumeration of all orders (an implementation apart from the mechanism)."""
    chances = [math.exp(rate * float(s - max(scores))) for s in scores]
    law = np.zeros(len(scores))
    for order in permutations(range(len(scores))):
        alive = 1.0
        for candidate in order:
            law[candidate] += alive * chances[candidate]
            alive *= 1 - chances[candidate]
    return law / math.factorial(len(scores))


@pytest.mark.parametrize(
    ("choose", "law"),
    [(exponential, exponential_law), (permute_and_flip, permute_and_flip_law)],
)
def test_choices_have_the_claimed_law(choose: Any, law: Any) -> None:
    counts = Counter(choose(SCORES, epsilon=Fraction(3, 2), sensitivity=2) for _ in range(SIZE))
    seen = [counts[i] for i in range(4)]
    assert stats.chisquare(seen, law(SCORES, 0.375) * SIZE).pvalue > 1e-6
    assert stats.chisquare(seen, law(SCORES, 0.75) * SIZE).pvalue < 1e-6


def test_permute_and_flip_never_scores_worse() -> None:
    """McKenna, Sheldon 2020, Theorem 2."""
    for scores in product(range(4), repeat=4):
        values = np.array(scores, float)
        ours = permute_and_flip_law(scores, 0.5) @ values
        assert ours >= exponential_law(scores, 0.5) @ values - 1e-12


def test_the_best_is_rarely_missed_by_more_than_the_bound() -> None:
    epsilon, beta = Fraction(1), 0.1
    bound = shortfall(50, epsilon=epsilon, sensitivity=1, beta=beta)
    scores = list(range(50))
    law = exponential_law(scores, 0.5)
    assert law[np.array(scores) <= 49 - bound].sum() <= beta
    assert bound == pytest.approx(2 * math.log(500))


def test_large_and_far_scores_do_not_overflow() -> None:
    assert exponential([10**30, 0, -(10**30)], epsilon=1, sensitivity=1) == 0
    assert permute_and_flip([np.int64(5), np.int64(-(10**18))], epsilon=1, sensitivity=1) == 0


def test_monotone_scores_drop_the_two() -> None:
    rate = exponents([1, 0], rate=Fraction(1))[1]
    assert rate == 1
    assert exp_minus(rate, 10) == (376, 377)


@pytest.mark.parametrize("choose", [exponential, permute_and_flip])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"scores": []},
            "scores must hold at least one candidate, but they are empty.",
        ),
        (
            {"scores": [0.5, 1]},
            "scores must be whole numbers or Fractions, but one of them is not.",
        ),
        (
            {"scores": [1, float("nan")]},
            "scores must be whole numbers or Fractions, but one of them is not.",
        ),
        ({"epsilon": Fraction(0)}, "epsilon must be above 0, but it is 0."),
        ({"sensitivity": -1}, "sensitivity must be above 0, but it is -1."),
    ],
)
def test_bad_arguments_are_refused(choose: Any, arguments: dict[str, Any], message: str) -> None:
    given = {"scores": [1, 2], "epsilon": Fraction(1), "sensitivity": 1} | arguments
    with pytest.raises(ArgumentError) as caught:
        choose(given.pop("scores"), **given)
    assert str(caught.value) == message
