"""The binomial law against exact fractions and SciPy, and the coverage of its intervals."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from synth.collecting.binomial import (
    binomial_chance,
    binomial_lower_tail,
    binomial_upper_tail,
    clopper_pearson,
)


def test_small_laws_against_exact_fractions() -> None:
    """Every chance and both tails are those of the law in exact rationals."""
    for n in (1, 2, 7, 30):
        for share in (Fraction(1, 100), Fraction(1, 3), Fraction(1, 2), Fraction(99, 100)):
            # P(k) = C(n, k) share^k (1 - share)^(n - k), as exact fractions.
            law = [math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(n + 1)]
            for k in range(n + 1):
                chance = binomial_chance(k, n, float(share))
                assert chance == pytest.approx(float(law[k]), rel=1e-12)
                above = binomial_upper_tail(k, n, float(share))
                assert above == pytest.approx(float(sum(law[k:])), rel=1e-11)
                below = binomial_lower_tail(k, n, float(share))
                assert below == pytest.approx(float(sum(law[: k + 1])), rel=1e-11)


def test_large_laws_against_scipy() -> None:
    """Tails of 300 random binomial laws, up to 10^8 trials and seven deviations out, are
    scipy's.
    """
    rng = np.random.default_rng(7)
    for _ in range(300):
        n = int(10 ** rng.uniform(1, 8))
        share = rng.uniform(0.001, 0.999)
        spread = math.sqrt(n * share * (1 - share))
        k = int(np.clip(round(n * share + rng.uniform(-7, 7) * spread), 0, n))

        pairs = (
            (binomial_upper_tail(k, n, share), stats.binom.sf(k - 1, n, share)),
            (binomial_lower_tail(k, n, share), stats.binom.cdf(k, n, share)),
        )
        for ours, theirs in pairs:
            assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-200)


def test_tails_beyond_the_law() -> None:
    """The tail from 0 up is all, and that beyond the number of trials is nothing."""
    assert binomial_upper_tail(0, 5, 0.3) == binomial_lower_tail(5, 5, 0.3) == 1
    assert binomial_upper_tail(6, 5, 0.3) == binomial_lower_tail(-1, 5, 0.3) == 0


@pytest.mark.parametrize("n", [1, 5, 40])
def test_an_interval_never_holds_too_rarely(n: int) -> None:
    """A Clopper-Pearson interval holds the true share with a probability of at least .95.

    The probability is computed, not sampled. It jumps at the ends of intervals, so shares
    next to every end are tried, where it is least.
    """
    ends = [clopper_pearson(k, n) for k in range(n + 1)]
    near = [end + step for pair in ends for end in pair for step in (-1e-9, 1e-9)]

    for share in (share for share in near if 0 < share < 1):
        coverage = sum(
            stats.binom.pmf(k, n, share)
            for k, (low, high) in enumerate(ends)
            if low <= share <= high
        )
        assert coverage >= 0.95 - 1e-9


def test_intervals_against_scipy() -> None:
    """The interval of a share is the one of Clopper and Pearson."""
    for k, n in ((0, 10), (3, 10), (10, 10), (1_234, 98_765)):
        theirs = stats.binomtest(k, n).proportion_ci(method="exact")
        assert clopper_pearson(k, n) == pytest.approx((theirs.low, theirs.high), abs=1e-8)
