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
from synth.noise import coins, draw_exponential, exp_minus, permute_and_flip
from synth.noise.coins import approximate_exponentials
from synth.noise.exponential import gaps_below
from synth.noise.laws import Weighted
from synth.noise.sampler import locate

SCORES = [3, 0, Fraction(5, 2), 3]
"""Of four candidates, of which two are best."""
SIZE = 4_000
"""How many choices a chi-square test looks at."""


def exponential_law(scores: Any, rate: float) -> np.ndarray:
    """The chance of each candidate by the exponential mechanism: in proportion to e^(rate
    score).
    """
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
    [(draw_exponential, exponential_law), (permute_and_flip, permute_and_flip_law)],
)
def test_choices_have_the_claimed_law(choose: Any, law: Any) -> None:
    """4,000 choices among four candidates follow the claimed law, and one of twice the rate
    is seen.

    The rate of both mechanisms is epsilon / (2 sensitivity) = 1.5 / 4. `law` computes the
    chances of all candidates apart from the mechanism.
    """
    choices = Counter(
        choose(SCORES, epsilon=Fraction(3, 2), sensitivity=2) for _ in range(SIZE)
    )

    counts_by_candidate = [choices[i] for i in range(4)]
    assert stats.chisquare(counts_by_candidate, law(SCORES, 0.375) * SIZE).pvalue > 1e-6
    assert stats.chisquare(counts_by_candidate, law(SCORES, 0.75) * SIZE).pvalue < 1e-6


def test_permute_and_flip_never_scores_worse_than_the_exponential_mechanism() -> None:
    """The mean score of permute-and-flip is at least that of the exponential mechanism.

    This is Theorem 2 of McKenna and Sheldon (2020), checked for all scores of four candidates
    from 0 to 3. The 1e-12 is for float errors.
    """
    for scores in product(range(4), repeat=4):
        values = np.array(scores, float)
        ours = permute_and_flip_law(scores, 0.5) @ values
        assert ours >= exponential_law(scores, 0.5) @ values - 1e-12


def test_large_and_far_scores_do_not_overflow() -> None:
    assert draw_exponential([10**30, 0, -(10**30)], epsilon=1, sensitivity=1) == 0
    assert permute_and_flip([np.int64(5), np.int64(-(10**18))], epsilon=1, sensitivity=1) == 0


def test_monotone_scores_drop_the_two() -> None:
    """Scores that one row moves in one direction only are chosen by twice the rate.

    The rate is epsilon / (2 sensitivity) = 1; epsilon / sensitivity = 2 if monotone.
    """
    choices = np.array(
        [draw_exponential([0, 1], epsilon=2, sensitivity=1) for _ in range(SIZE)]
    )

    monotone_choices = np.array(
        [
            draw_exponential([0, 1], epsilon=2, sensitivity=1, monotone=True)
            for _ in range(SIZE)
        ]
    )

    for sample, rate in ((choices, 1), (monotone_choices, 2)):
        law = exponential_law([0, 1], rate) * SIZE
        assert stats.chisquare(np.bincount(sample, minlength=2), law).pvalue > 1e-6


@pytest.mark.parametrize(
    "rate", [Fraction(1, 10**30), Fraction(3, 7), Fraction(10**20)], ids=str
)
def test_floats_of_chances_are_right_to_fifty_bits(rate: Fraction) -> None:
    """The floats of e^(-rate gap) are right to 2^-50, also where they are too small for a
    float.

    They are compared with enclosures of 80 bits. Gaps are far apart, for small and large
    rates.
    """
    sizes = [0, 1, 2, 3, 40, 700, 745, 746, 2**53 + 1, 10**30, Fraction(1, 3)]
    gaps = [gap if rate > 1 else int(gap / rate) for gap in sizes]

    for gap, chance in zip(gaps, approximate_exponentials(gaps, rate).tolist(), strict=True):
        low, high = exp_minus(rate * gap, 80)
        assert low / 2**80 - 2**-50 <= chance <= high / 2**80 + 2**-50


def test_floats_that_are_sure_of_a_choice_agree_with_the_integers() -> None:
    """Where floats are sure of a choice, it is the choice of exact integers; else they say
    None.

    Seven random words next to every threshold are tried. Floats are sure only beyond their
    margin, 2^-30 of a word, which only the outermost two words are, 2^40 away. With too many
    candidates they are never sure.
    """
    gaps, rate = [i * i % 301 for i in range(300)], Fraction(1, 97)
    thresholds = Weighted(tuple(rate * gap for gap in gaps)).thresholds(64)
    weights = approximate_exponentials(gaps, rate)

    sure_choices = 0
    for edge in thresholds.low:
        for step in (-(1 << 40), -(1 << 33), -1, 0, 1, 1 << 33, 1 << 40):
            choice = coins.choose_by_approximation(edge + step, weights)
            assert choice in (None, locate(thresholds, edge + step))
            sure_choices += choice is not None

    assert sure_choices == 2 * len(thresholds.low)

    assert (
        coins.choose_by_approximation(1 << 63, np.ones(coins.MAX_FLOAT_CANDIDATES + 1))
        is None
    )


def test_scores_of_every_kind_are_compared_exactly() -> None:
    assert gaps_below(np.array([2, 5, -1], np.int8)) == [3, 0, 6]
    assert gaps_below([-(2**63), 2**63 - 1]) == [2**64 - 1, 0]
    assert gaps_below([True, Fraction(1, 2), np.uint64(2)]) == [1, Fraction(3, 2), 0]


NOT_EXACT = "scores must be whole numbers or Fractions, but one of them is not."


@pytest.mark.parametrize("choose", [draw_exponential, permute_and_flip])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scores": []}, "scores must hold at least one candidate, but they are empty."),
        ({"scores": [0.5, 1]}, NOT_EXACT),
        ({"scores": [1, float("nan")]}, NOT_EXACT),
        ({"epsilon": Fraction(0)}, "epsilon must be above 0, but it is 0."),
        ({"sensitivity": -1}, "sensitivity must be above 0, but it is -1."),
    ],
)
def test_bad_arguments_are_refused(
    choose: Any, arguments: dict[str, Any], message: str
) -> None:
    """A choice without candidates, with scores that are not exact, or without a budget is
    refused.
    """
    all_arguments = {"scores": [1, 2], "epsilon": Fraction(1), "sensitivity": 1} | arguments
    with pytest.raises(ArgumentError) as caught:
        choose(all_arguments.pop("scores"), **all_arguments)
    assert str(caught.value) == message
