"""Debiased shares: exact coverage of their intervals, for a sample and for fixed people."""

import numpy as np
import pytest
from scipy import stats

from synth.collecting.shares import debias_share, repair_shares
from tests.collecting.forms import make_design


@pytest.mark.parametrize(("epsilon", "size"), [(1, 2), (3, 2), (2, 4)])
def test_intervals_hold_at_least_95_percent_whatever_the_truth(
    epsilon: int, size: int
) -> None:
    """The interval of a debiased share holds the true share with a probability of at least
    .95.

    This is computed from two laws, not sampled: of people drawn at random (a binomial), and
    of fixed people of whom only the answers are random (a sum of two binomials).
    """
    people = 60
    weights = make_design(epsilon, sizes=(size,)).weights[0]
    estimates = [
        debias_share("", count, people, weights=weights) for count in range(people + 1)
    ]

    truth = float(weights.truth)
    other_chance = float(weights.other)

    # `true` of the 60 people have the answer.
    for true in range(0, people + 1, 5):
        share = true / people

        is_covered = np.array(
            [estimate.low <= share <= estimate.high for estimate in estimates]
        )

        sampled = stats.binom.pmf(
            np.arange(people + 1), people, other_chance + (truth - other_chance) * share
        )
        fixed = np.convolve(
            stats.binom.pmf(np.arange(true + 1), true, truth),
            stats.binom.pmf(np.arange(people - true + 1), people - true, other_chance),
        )

        assert sampled @ is_covered >= 0.95
        assert fixed @ is_covered >= 0.95


def test_the_debiased_share_is_right_on_average() -> None:
    """If 3 of 10 people have an answer, its debiased share is 0.3 on average over all counts.

    An answer is reported with the chance of a lie, plus the gain (truth minus lie) times
    3/10.
    """
    people = 50
    weights = make_design(1, sizes=(3,)).weights[0]

    law = stats.binom.pmf(
        np.arange(people + 1), people, float(weights.other + weights.gain * 3 / 10)
    )

    shares = [
        debias_share("", count, people, weights=weights).share for count in range(people + 1)
    ]

    assert law @ np.array(shares) == pytest.approx(0.3, abs=1e-9)


def test_shares_beyond_the_ends_are_repaired() -> None:
    """Two and 98 of 100 are debiased to shares below 0 and above 1, which become 0 and 1."""
    weights = make_design(1, sizes=(2,)).weights[0]
    shares = [
        debias_share("yes", 2, 100, weights=weights),
        debias_share("no", 98, 100, weights=weights),
    ]

    assert shares[0].share < 0 < 1 < shares[1].share
    assert shares[0].low == 0
    assert shares[1].high == 1
    assert repair_shares(shares).tolist() == [0, 1]
