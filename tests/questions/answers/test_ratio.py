"""Intervals of means and shares: coverage of noisy pairs, and what is done at the ends."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from synth.errors import ArgumentError
from synth.noise import DiscreteGaussian, DiscreteLaplace, KNorm, Norm
from synth.questions.answers.ratio import PairNoise, pair_noise, ratios
from tests.audit.layers import ALPHA

RUNS = 2_500
STEPS = 100
"""Grid steps of half the range of a column, from the middle to an end."""
HALF = 20.0

Drawn = tuple[PairNoise, np.ndarray, np.ndarray, float]


def laplace(scale: Fraction) -> Drawn:
    """Noise on sums and counts with its laws, many draws of each, and the width of a step."""
    total, count = DiscreteLaplace(2 * STEPS * scale), DiscreteLaplace(2 * scale)
    noise = pair_noise(total, count, step=HALF / STEPS)
    return noise, total.draw(RUNS), count.draw(RUNS), HALF / STEPS


def gaussian(scale: Fraction) -> Drawn:
    """As `laplace`, of Gaussian noise."""
    total, count = DiscreteGaussian((STEPS * scale) ** 2), DiscreteGaussian(scale**2)
    noise = pair_noise(total, count, step=HALF / STEPS)
    return noise, total.draw(RUNS), count.draw(RUNS), HALF / STEPS


def of_norm(norm: Norm) -> Callable[[Fraction], Drawn]:
    """As `laplace`, of noise that is drawn for four numbers at once from the ball
    of a norm.
    """

    def draw(scale: Fraction) -> Drawn:
        mechanism = KNorm(norm, 4, scale)
        draws = mechanism.draw(RUNS)
        return pair_noise(mechanism, mechanism, step=HALF), draws[:, 1], draws[:, 3], HALF

    return draw


KINDS = {"laplace": laplace, "gaussian": gaussian}
KINDS |= {norm.value: of_norm(norm) for norm in Norm}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(5)])
@pytest.mark.parametrize("rows", [6, 150, 20_000])
def test_intervals_hold_the_mean(kind: str, epsilon: Fraction, rows: int) -> None:
    """The interval of a mean holds it in at least 95 % of runs, and always within its range.

    It is at most 97.5 % where noise has many steps and the ends of the range are far away.
    Both are binomial tests over RUNS draws. `KINDS` draws noise for a sum and a count:
    Laplace, Gaussian, or from the ball of a norm.
    """
    mean = 7.3  # any number from -20 to 20
    noise, noise_of_sums, noise_of_counts, step = KINDS[kind](1 / epsilon)

    counts = rows + noise_of_counts.astype(float)
    intervals = ratios(mean * rows + step * noise_of_sums, counts, noise, ends=(-HALF, HALF))

    hits = int(((intervals.low <= mean) & (mean <= intervals.high)).sum())
    assert stats.binomtest(hits, RUNS, 0.95, alternative="less").pvalue > ALPHA
    if epsilon < 1 and rows == 20_000:
        assert stats.binomtest(hits, RUNS, 0.975, alternative="greater").pvalue > ALPHA

    for ends in (intervals.value, intervals.low, intervals.high):
        assert np.isfinite(ends).all()
        assert ((ends >= -HALF) & (ends <= HALF)).all()
    assert ((intervals.low <= intervals.value) & (intervals.value <= intervals.high)).all()


@pytest.mark.parametrize("scale", [Fraction(1, 5), Fraction(1), Fraction(2)])
@pytest.mark.parametrize("share", [Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)])
def test_coverage_of_a_share_is_at_least_95_percent_exactly(
    scale: Fraction, share: Fraction
) -> None:
    """The interval of a share holds it with a chance of at least 95 %, computed exactly.

    The chances of all pairs of noise on the numerator and on the 100 rows are added up.
    """
    mechanism = DiscreteLaplace(scale)
    rows = 100

    z = np.arange(-20, 21)
    chances = np.exp(-np.abs(z) / float(scale))
    chances /= chances.sum()
    noise_of_sums, noise_of_counts = (
        part.reshape(-1).astype(float) for part in np.meshgrid(z, z, indexing="ij")
    )

    noise = pair_noise(mechanism, mechanism, step=1.0)
    intervals = ratios(
        float(share) * rows + noise_of_sums, rows + noise_of_counts, noise, ends=(0, 1)
    )

    holds_truth = (intervals.low <= float(share)) & (float(share) <= intervals.high)
    chances_of_pairs = np.outer(chances, chances).reshape(-1)
    # Noise beyond 20 in size, which has a chance of 1e-4 at most, is left out.
    assert (chances_of_pairs * holds_truth).sum() >= 0.95 - 1e-4


def test_noise_taken_for_smaller_would_be_seen() -> None:
    """The test of coverage finds intervals that take the noise for a fifth smaller than it
    is.

    Noise has scale 20 on counts, twice the 10 given, and the intervals assume 16. They hold
    the mean, 7.3, in significantly fewer than 95 % of runs.
    """
    _, noise_of_sums, noise_of_counts, step = laplace(Fraction(10))
    smaller = pair_noise(
        DiscreteLaplace(Fraction(16 * STEPS)), DiscreteLaplace(Fraction(16)), step=step
    )

    intervals = ratios(
        7.3 * 20_000 + step * noise_of_sums,
        20_000.0 + noise_of_counts,
        smaller,
        ends=(-HALF, HALF),
    )

    hits = int(((intervals.low <= 7.3) & (intervals.high >= 7.3)).sum())
    assert stats.binomtest(hits, RUNS, 0.95, alternative="less").pvalue < 1e-3


def test_groups_that_may_be_empty_have_no_answer() -> None:
    """A group whose count could be noise alone has the whole range as its interval, and no
    answer.

    Laplace noise of scale 10 is 31 or more with a chance of 2.4 %, below 1/40. So the count
    of 31 is above what noise explains, and the count of 30 is not. The range is from -1 to 3,
    of which 1 is the middle; 500 / 31 is clipped to 3.
    """
    noise = pair_noise(DiscreteLaplace(Fraction(10)), DiscreteLaplace(Fraction(10)), step=1.0)

    totals = np.array([5.0, 5.0, 5.0, 500.0])
    counts = np.array([-3.0, 0.0, 30.0, 31.0])
    intervals = ratios(totals, counts, noise, ends=(-1, 3))

    assert intervals.answered.tolist() == [False, False, False, True]
    assert intervals.value.tolist() == [1, 1, 1, 3]
    assert intervals.low[:3].tolist() == [-1] * 3
    assert intervals.high[:3].tolist() == [3] * 3


def test_the_interval_of_a_ratio_is_fiellers() -> None:
    """The interval of a ratio of two noisy numbers is Fieller's, up to half a step.

    Its ends t solve (sum - t count)^2 = z^2 sigma^2 (1 + t^2), where z is the normal quantile
    of 97.5 %. The noise is Gaussian, of many steps.
    """
    sigma = 1_000
    noise = pair_noise(
        DiscreteGaussian(Fraction(sigma**2)), DiscreteGaussian(Fraction(sigma**2)), step=1.0
    )

    noisy_sum, noisy_count, z2 = 40_000.0, 20_000.0, stats.norm.isf(0.025) ** 2 * sigma**2
    roots = np.sort(
        np.roots(
            [
                noisy_count * noisy_count - z2,
                -2 * noisy_sum * noisy_count,
                noisy_sum * noisy_sum - z2,
            ]
        ).real
    )

    interval = ratios(np.array([noisy_sum]), np.array([noisy_count]), noise, ends=(-50, 50))
    assert [interval.low[0], interval.high[0]] == pytest.approx(roots.tolist(), abs=2e-4)
    assert interval.low[0] < roots[0] < roots[1] < interval.high[0]


def test_no_groups_have_no_ratios_and_what_makes_no_sense_is_refused() -> None:
    """Without groups there are no ratios, and arguments that do not fit each other are
    refused.

    Sums and counts have one shape, and their noise is of one kind. Noise from a ball is drawn
    for two numbers or more.
    """
    laplace_noise = DiscreteLaplace(Fraction(2))
    gaussian_noise = DiscreteGaussian(Fraction(2))
    single_number = KNorm(Norm.MAX, 1, Fraction(2))
    noise = pair_noise(laplace_noise, laplace_noise, step=1.0)
    assert ratios(np.zeros(0), np.zeros(0), noise, ends=(0, 1)).value.size == 0

    with pytest.raises(ArgumentError, match="one shape"):
        ratios(np.zeros(2), np.zeros(3), noise, ends=(0, 1))
    with pytest.raises(ArgumentError, match="low below high"):
        ratios(np.zeros(2), np.zeros(2), noise, ends=(1, 1))
    with pytest.raises(ArgumentError, match="noise of one kind"):
        pair_noise(laplace_noise, gaussian_noise, step=1.0)
    with pytest.raises(ArgumentError, match="on two numbers"):
        pair_noise(single_number, single_number, step=1.0)
    with pytest.raises(ArgumentError, match="step must be above 0"):
        pair_noise(laplace_noise, laplace_noise, step=0)
