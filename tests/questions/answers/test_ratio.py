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
    total, count = DiscreteLaplace(2 * STEPS * scale), DiscreteLaplace(2 * scale)
    noise = pair_noise(total, count, step=HALF / STEPS)
    return noise, total.draw(RUNS), count.draw(RUNS), HALF / STEPS


def gaussian(scale: Fraction) -> Drawn:
    total, count = DiscreteGaussian((STEPS * scale) ** 2), DiscreteGaussian(scale**2)
    noise = pair_noise(total, count, step=HALF / STEPS)
    return noise, total.draw(RUNS), count.draw(RUNS), HALF / STEPS


def of_norm(norm: Norm) -> Callable[[Fraction], Drawn]:
    def drawn(scale: Fraction) -> Drawn:
        mechanism = KNorm(norm, 4, scale)
        draws = mechanism.draw(RUNS)
        return pair_noise(mechanism, mechanism, step=HALF), draws[:, 1], draws[:, 3], HALF

    return drawn


KINDS = {"laplace": laplace, "gaussian": gaussian}
KINDS |= {norm.value: of_norm(norm) for norm in Norm}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(5)])
@pytest.mark.parametrize("rows", [6, 150, 20_000])
def test_intervals_hold_the_mean(kind: str, epsilon: Fraction, rows: int) -> None:
    """At least 95 %; at most 97.5 % where the noise is many steps and the range is far
    away.
    """
    mean = 7.3
    noise, one, other, step = KINDS[kind](1 / epsilon)
    counts = rows + other.astype(float)
    found = ratios(mean * rows + step * one, counts, noise, ends=(-HALF, HALF))
    held = int(((found.low <= mean) & (mean <= found.high)).sum())
    assert stats.binomtest(held, RUNS, 0.95, alternative="less").pvalue > ALPHA
    if epsilon < 1 and rows == 20_000:
        assert stats.binomtest(held, RUNS, 0.975, alternative="greater").pvalue > ALPHA
    for part in (found.value, found.low, found.high):
        assert np.isfinite(part).all()
        assert ((part >= -HALF) & (part <= HALF)).all()
    assert ((found.low <= found.value) & (found.value <= found.high)).all()


@pytest.mark.parametrize("scale", [Fraction(1, 5), Fraction(1), Fraction(2)])
@pytest.mark.parametrize("share", [Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)])
def test_coverage_of_a_share_is_at_least_95_percent_exactly(
    scale: Fraction, share: Fraction
) -> None:
    """Summed over every pair of noise, with its own chance."""
    mechanism, rows = DiscreteLaplace(scale), 100
    z = np.arange(-20, 21)
    chance = np.exp(-np.abs(z) / float(scale))
    chance /= chance.sum()
    one, other = (part.reshape(-1).astype(float) for part in np.meshgrid(z, z, indexing="ij"))
    noise = pair_noise(mechanism, mechanism, step=1.0)
    found = ratios(float(share) * rows + one, rows + other, noise, ends=(0, 1))
    held = (found.low <= float(share)) & (float(share) <= found.high)
    assert (np.outer(chance, chance).reshape(-1) * held).sum() >= 0.95 - 1e-4


def test_noise_taken_for_smaller_would_be_seen() -> None:
    """Intervals that take the noise for a fifth smaller do not hold in 95 of 100."""
    _, one, other, step = laplace(Fraction(10))
    smaller = pair_noise(
        DiscreteLaplace(Fraction(16 * STEPS)), DiscreteLaplace(Fraction(16)), step=step
    )
    found = ratios(7.3 * 20_000 + step * one, 20_000.0 + other, smaller, ends=(-HALF, HALF))
    held = int(((found.low <= 7.3) & (found.high >= 7.3)).sum())
    assert stats.binomtest(held, RUNS, 0.95, alternative="less").pvalue < 1e-3


def test_groups_that_may_be_empty_have_no_answer() -> None:
    noise = pair_noise(DiscreteLaplace(Fraction(10)), DiscreteLaplace(Fraction(10)), step=1.0)
    totals, counts = np.array([5.0, 5.0, 5.0, 500.0]), np.array([-3.0, 0.0, 30.0, 31.0])
    found = ratios(totals, counts, noise, ends=(-1, 3))
    assert found.answered.tolist() == [False, False, False, True]
    assert found.value.tolist() == [1, 1, 1, 3]
    assert found.low[:3].tolist() == [-1] * 3
    assert found.high[:3].tolist() == [3] * 3


def test_the_interval_is_fiellers() -> None:
    """Gaussian noise of many steps: the two roots of a quadratic, up to half a step."""
    sigma = 1_000
    noise = pair_noise(
        DiscreteGaussian(Fraction(sigma**2)), DiscreteGaussian(Fraction(sigma**2)), step=1.0
    )
    s, c, z2 = 40_000.0, 20_000.0, stats.norm.isf(0.025) ** 2 * sigma**2
    roots = np.sort(np.roots([c * c - z2, -2 * s * c, s * s - z2]).real)
    found = ratios(np.array([s]), np.array([c]), noise, ends=(-50, 50))
    assert [found.low[0], found.high[0]] == pytest.approx(roots.tolist(), abs=2e-4)
    assert found.low[0] < roots[0] < roots[1] < found.high[0]


def test_no_groups_and_refusals() -> None:
    laplace_noise, gaussian_noise = (
        DiscreteLaplace(Fraction(2)),
        DiscreteGaussian(Fraction(2)),
    )
    noise, one = (
        pair_noise(laplace_noise, laplace_noise, step=1.0),
        KNorm(Norm.MAX, 1, Fraction(2)),
    )
    assert ratios(np.zeros(0), np.zeros(0), noise, ends=(0, 1)).value.size == 0
    with pytest.raises(ArgumentError, match="one shape"):
        ratios(np.zeros(2), np.zeros(3), noise, ends=(0, 1))
    with pytest.raises(ArgumentError, match="low below high"):
        ratios(np.zeros(2), np.zeros(2), noise, ends=(1, 1))
    with pytest.raises(ArgumentError, match="noise of one kind"):
        pair_noise(laplace_noise, gaussian_noise, step=1.0)
    with pytest.raises(ArgumentError, match="on two numbers"):
        pair_noise(one, one, step=1.0)
    with pytest.raises(ArgumentError, match="step must be above 0"):
        pair_noise(laplace_noise, laplace_noise, step=0)
