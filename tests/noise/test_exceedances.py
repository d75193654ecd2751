"""The cells of a huge universe with large noise: each of the three laws, and all of it."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from synth.noise import draw_exceedances
from synth.noise import exceedances as module
from synth.noise.exceedances import Exceeding, uniform
from synth.noise.sampler import invert

ALPHA = 1e-6


@pytest.mark.parametrize(
    ("trials", "rate", "threshold"),
    [
        (1, Fraction(1), 1),
        (40, Fraction(1, 2), 1),
        (7, Fraction(3), 2),
        (2_000, Fraction(1, 20), 80),
        (3 * 10**12, Fraction(1, 2), 46),
        (10**290, Fraction(1), 664),
        (50, Fraction(10), 30),
    ],
)
def test_thresholds_enclose_the_binomial_law(
    trials: int, rate: Fraction, threshold: int
) -> None:
    chance = math.exp(-rate * threshold) / (1 + math.exp(-rate))
    found = Exceeding(trials, rate, threshold).thresholds(64)
    if trials < 10**15:
        expected = stats.binom.cdf(np.arange(len(found.low)), trials, chance)
    else:
        expected = stats.poisson.cdf(np.arange(len(found.low)), trials * chance)
    for low, high in (
        (a / 2**64, b / 2**64) for a, b in zip(found.low, found.high, strict=True)
    ):
        assert 0 <= high - low < 1e-15
    np.testing.assert_allclose(np.array(found.low, float) / 2**64, expected, atol=1e-11)
    assert found.tail_above == (len(found.low) < trials)


def test_the_integer_path_has_the_same_law() -> None:
    law, chance = Exceeding(6, Fraction(1), 1), math.exp(-1) / (1 + math.exp(-1))
    seen = Counter(invert(law, step=3) for _ in range(4_000))
    expected = stats.binom.pmf(np.arange(7), 6, chance) * 4_000
    assert stats.chisquare([seen[k] for k in range(7)], expected).pvalue > ALPHA


@pytest.mark.parametrize("size", [1, 2, 3, 1000, 2**62 + 1, 2**63 - 1])
def test_uniform_integers(size: int) -> None:
    drawn = uniform(size, 50_000)
    assert drawn.dtype == np.int64
    assert drawn.min() >= 0
    assert drawn.max() < size
    bins = min(size, 50)
    groups = (drawn // max(1, size // bins)).clip(max=bins - 1)
    if size <= 3:
        seen = np.bincount(groups, minlength=size)
        assert stats.chisquare(seen).pvalue > ALPHA if size > 1 else seen[0] == 50_000
    else:
        assert stats.kstest(drawn / size, "uniform").pvalue > ALPHA or size == 1000


def test_a_uniform_subset_has_no_repeats_and_no_favourites() -> None:
    seen = np.zeros(10)
    for _ in range(3_000):
        subset = module.subset((2, 5), 4)
        assert len(set(subset.tolist())) == 4
        assert (np.diff(subset) > 0).all()
        seen[subset] += 1
    # A cell is in or out: each count is binomial(3000, .4), and they add up to 12,000.
    assert stats.chi2.sf(((seen - 1200) ** 2).sum() / (3000 * 0.24), 9) > ALPHA


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(2), Fraction(40)])
def test_number_and_size_of_the_exceedances_of_a_large_universe(scale: Fraction) -> None:
    size = 10**15
    threshold = math.ceil(scale * math.log(size / 300_000))
    chance = math.exp(-threshold / scale) / (1 + math.exp(-1 / scale))
    cells, values = draw_exceedances((10**7, 10**8), 1 / scale, threshold)
    expected = size * chance
    assert abs(len(cells) - expected) < 6 * math.sqrt(expected)
    assert stats.kstest(cells / size, "uniform").pvalue > ALPHA
    # The excess over the threshold is geometric: its mean is q / (1 - q).
    mean, sd = 1 / math.expm1(1 / scale), math.exp(-1 / (2 * scale)) / -math.expm1(-1 / scale)
    for stretch, passes in ((0.9, False), (1.0, True), (1.1, False)):
        error = (values - threshold).mean() - mean * stretch
        assert (abs(error) < 5.5 * sd / math.sqrt(len(cells))) == passes


def test_a_universe_beyond_machine_integers() -> None:
    shape = (1000,) * 40
    threshold = math.ceil(2 * math.log(10**120 / 500))
    cells, values = draw_exceedances(shape, Fraction(1, 2), threshold)
    assert cells.dtype.names == tuple(f"w{i}" for i in range(7))
    assert 100 < len(cells) == len(values) < 1000
    assert values.min() >= threshold
    assert (np.sort(cells) == cells).all()
