"""Selection among runs of candidates: laws, ambiguous coins, size, refusals."""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from synth.errors import ArgumentError
from synth.noise import coins, exponential_grouped, permute_and_flip_grouped
from tests.noise.test_exponential import exponential_law, permute_and_flip_law

SCORES, SIZES = np.array([3, 0, 2, 3]), np.array([1, 2, 3, 1])
SIZE = 2_000
CHOICES = [
    (exponential_grouped, exponential_law),
    (permute_and_flip_grouped, permute_and_flip_law),
]


@pytest.mark.parametrize(("choose", "law"), CHOICES)
@pytest.mark.parametrize("margin", [coins.MARGIN, 0.5])
def test_choices_have_the_law_of_single_candidates(
    choose: Any, law: Any, margin: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A choice among runs of equal candidates has the law of a choice among all of them.

    SCORES are those of four runs, SIZES their numbers of candidates. The rate is epsilon / (2
    sensitivity) = .375, and twice the rate is seen. With a wide margin most coins are decided
    by integers.
    """
    monkeypatch.setattr(coins, "MARGIN", margin)
    choices = Counter(
        choose(SCORES, SIZES, epsilon=Fraction(3, 2), sensitivity=2) for _ in range(SIZE)
    )

    single_scores = np.repeat(SCORES, SIZES).tolist()
    counts = [choices[i] for i in range(len(single_scores))]
    assert stats.chisquare(counts, law(single_scores, 0.375) * SIZE).pvalue > 1e-6
    assert stats.chisquare(counts, law(single_scores, 0.75) * SIZE).pvalue < 1e-6


@pytest.mark.parametrize(("choose", "_"), CHOICES)
def test_a_million_candidates_are_few_runs(choose: Any, _: Any) -> None:
    """Two million candidates are chosen from as three runs, one of each score.

    The best candidate comes after a million others. Of two best ones either is chosen.
    """
    sizes = np.array([10**6, 1, 10**6])
    assert choose(np.array([0, 10**6, 0]), sizes, epsilon=1, sensitivity=1) == 10**6

    two_best = np.array([9, 9, 0])
    assert choose(two_best, np.array([1, 1, 1]), epsilon=10**6, sensitivity=1) < 2


@pytest.mark.parametrize(("choose", "_"), CHOICES)
def test_runs_without_candidates_are_refused(choose: Any, _: Any) -> None:
    """Each run of candidates needs a score and a size above 0, and there is at least one run.

    A run of no candidates, too few sizes, a negative size, and no run at all are tried.
    """
    for sizes in ([1, 0], [1], [1, -1]):
        with pytest.raises(ArgumentError, match="one whole number above 0 for each score"):
            choose(np.array([1, 2]), np.array(sizes), epsilon=1, sensitivity=1)
    with pytest.raises(ArgumentError, match="at least one candidate"):
        choose(np.array([]), np.array([]), epsilon=1, sensitivity=1)
