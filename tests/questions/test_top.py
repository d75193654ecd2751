"""Sets of candidates that hold the top k whenever all noisy counts are near the exact ones."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from synth.errors import ArgumentError
from synth.noise.knorm import KNorm, Norm
from synth.noise.laplace import DiscreteLaplace
from synth.questions.reach import all_at_once
from synth.questions.top import top_candidates


@pytest.mark.parametrize(
    "noise", [DiscreteLaplace(Fraction(5)), KNorm(Norm.MAX, 6, Fraction(3))], ids=lambda m: m.law
)
@pytest.mark.parametrize("k", [1, 3, 6])
def test_the_sets_hold_in_95_of_100_releases(noise: DiscreteLaplace | KNorm, k: int) -> None:
    exact, runs = np.array([60, 50, 49, 48, 20, 1]), 2_000
    within = all_at_once(noise, 6)
    held = 0
    draws = noise.draw(runs if isinstance(noise, KNorm) else 6 * runs).reshape(runs, 6)
    for noisy in exact + draws.astype(np.int64):
        may, must = top_candidates(noisy, k, within=within)
        held += bool(may[:k].all() and not must[k:].any())
    assert stats.binomtest(held, runs, 0.95, alternative="less").pvalue > 1e-6


def test_they_are_exact_on_every_change_within_reach() -> None:
    exact = np.array([9, 6, 5])
    for change in np.ndindex(5, 5, 5):
        noisy = exact + np.array(change) - 2
        for k in (1, 2, 3):
            may, must = top_candidates(noisy, k, within=2)
            assert may[:k].all()
            assert not must[k:].any()
            assert (may | ~must).all()


def test_far_candidates_are_told_apart() -> None:
    may, must = top_candidates(np.array([1, 100, 50]), 1, within=10)
    assert may.tolist() == must.tolist() == [False, True, False]
    assert top_candidates(np.array([1, 100, 50]), 3, within=10)[1].all()


def test_refusals() -> None:
    with pytest.raises(ArgumentError, match="k must be between 1 and 2"):
        top_candidates(np.array([1, 2]), 3, within=1)
    with pytest.raises(ArgumentError, match="one candidate or more"):
        top_candidates(np.array([], np.int64), 1, within=1)
    with pytest.raises(ArgumentError, match="within must be a whole number"):
        top_candidates(np.array([1, 2]), 1, within=-1)
