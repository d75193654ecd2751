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
    """The number of cells whose noise reaches the threshold is drawn by the exact binomial
    law.

    Each of `trials` cells reaches it with chance e^(-rate threshold) / (1 + e^(-rate)). The
    cumulative chances are enclosed in units of 2^-64. Beyond 10^15 trials SciPy's binomial
    law is replaced by the Poisson law, its limit.
    """
    chance = math.exp(-rate * threshold) / (1 + math.exp(-rate))
    thresholds = Exceeding(trials, rate, threshold).thresholds(64)

    if trials < 10**15:
        expected = stats.binom.cdf(np.arange(len(thresholds.low)), trials, chance)
    else:
        expected = stats.poisson.cdf(np.arange(len(thresholds.low)), trials * chance)

    for low, high in zip(thresholds.low, thresholds.high, strict=True):
        assert 0 <= (high - low) / 2**64 < 1e-15
    np.testing.assert_allclose(np.array(thresholds.low, float) / 2**64, expected, atol=1e-11)

    # The table may end before the last number; then a tail is left.
    assert thresholds.tail_above == (len(thresholds.low) < trials)


def test_the_integer_path_has_the_same_law() -> None:
    """Drawn by whole numbers, three random bits at a time, the number of cells is binomial
    too.

    4,000 draws of six cells are compared by a chi-square test, at a level of 1e-6 (ALPHA).
    """
    law, chance = Exceeding(6, Fraction(1), 1), math.exp(-1) / (1 + math.exp(-1))
    counts = Counter(invert(law, step=3) for _ in range(4_000))
    expected = stats.binom.pmf(np.arange(7), 6, chance) * 4_000
    assert stats.chisquare([counts[k] for k in range(7)], expected).pvalue > ALPHA


@pytest.mark.parametrize("size", [1, 2, 3, 1000, 2**62 + 1, 2**63 - 1])
def test_every_integer_below_the_size_is_equally_likely(size: int) -> None:
    """`uniform` draws every whole number from 0 to size - 1 with the same chance.

    The sizes reach up to the largest 64-bit integer. A false alarm comes once in a million.
    """
    numbers = uniform(size, 50_000)
    assert numbers.dtype == np.int64
    assert numbers.min() >= 0
    assert numbers.max() < size

    # Sizes up to 3 are tested by chi-square, the larger ones by Kolmogorov and Smirnov, which
    # is no test for the ties of 1,000.
    bins = min(size, 50)
    groups = (numbers // max(1, size // bins)).clip(max=bins - 1)
    if size <= 3:
        counts_of_groups = np.bincount(groups, minlength=size)
        if size == 1:
            assert counts_of_groups[0] == 50_000
        else:
            assert stats.chisquare(counts_of_groups).pvalue > ALPHA
    elif size != 1000:
        assert stats.kstest(numbers / size, "uniform").pvalue > ALPHA


def test_a_uniform_subset_has_no_repeats_and_no_favourites() -> None:
    """A random subset of 4 of the 10 cells of a 2 by 5 universe is sorted, and all are
    equally likely.

    Each cell is in each of 3,000 subsets with chance .4. Each count is binomial(3000, .4),
    and the counts add up to 12,000, which leaves nine degrees of freedom.
    """
    times_in_subset = np.zeros(10)
    for _ in range(3_000):
        subset = module.subset((2, 5), 4)
        assert len(set(subset.tolist())) == 4
        assert (np.diff(subset) > 0).all()
        times_in_subset[subset] += 1

    assert stats.chi2.sf(((times_in_subset - 1200) ** 2).sum() / (3000 * 0.24), 9) > ALPHA


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(2), Fraction(40)])
def test_exceedances_of_a_large_universe_have_the_number_and_size_of_the_law(
    scale: Fraction,
) -> None:
    """Of 10^15 empty cells about 300,000 reach the threshold, with the number and sizes of
    the law.

    Their mean excess over the threshold must be that of the law. A law with a mean that is
    larger or smaller by a tenth must be seen as wrong.
    """
    size = 10**15
    threshold = math.ceil(scale * math.log(size / 300_000))
    chance = math.exp(-threshold / scale) / (1 + math.exp(-1 / scale))
    cells, values = draw_exceedances((10**7, 10**8), 1 / scale, threshold)

    expected = size * chance
    assert abs(len(cells) - expected) < 6 * math.sqrt(expected)
    assert stats.kstest(cells / size, "uniform").pvalue > ALPHA

    # The excess over the threshold is geometric: its mean is q / (1 - q).
    mean = 1 / math.expm1(1 / scale)
    deviation = math.exp(-1 / (2 * scale)) / -math.expm1(-1 / scale)
    bound = 5.5 * deviation / math.sqrt(len(cells))

    for stretch, passes in ((0.9, False), (1.0, True), (1.1, False)):
        error = (values - threshold).mean() - mean * stretch
        assert (abs(error) < bound) == passes


def test_cells_of_a_universe_beyond_machine_integers_are_numbered_in_words() -> None:
    """Cells of a universe of 10^120 cells are numbered by seven words of 64 bits, and sorted.

    A cell's noise of scale 2 exceeds t with chance e^(-t/2) / (1 + e^(-1/2)) = .62 e^(-t/2).
    The threshold makes e^(-t/2) 500 / 10^120, so that about 300 cells pass.
    """
    shape = (1000,) * 40
    threshold = math.ceil(2 * math.log(10**120 / 500))
    cells, values = draw_exceedances(shape, Fraction(1, 2), threshold)

    # A number below 10^120 takes seven words of 64 bits: 2^399 > 10^120 > 2^384.
    assert cells.dtype.names == tuple(f"w{i}" for i in range(7))

    assert 100 < len(cells) == len(values) < 1000
    assert values.min() >= threshold
    assert (np.sort(cells) == cells).all()
