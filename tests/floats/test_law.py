"""Half widths and average errors, against enumeration and drawn noise."""

import math
from fractions import Fraction
from time import process_time

import numpy as np
import pytest
from scipy import stats

from synth.errors import ArgumentError
from synth.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    KNorm,
    Norm,
    expected_largest,
    law_of,
    reach,
    sum_law,
)
from tests.audit.layers import ALPHA
from tests.floats.test_sums import enumerate_tails

SIZE = 20_000
BOUND = float(stats.norm.isf(ALPHA / 2))


@pytest.mark.parametrize("scale", [Fraction(1, 5), Fraction(2), Fraction(9)])
@pytest.mark.parametrize("terms", [1, 4])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_reach_is_the_least_by_enumeration(scale: Fraction, terms: int, level: float) -> None:
    """The reach of a sum is the least size that it exceeds with a chance of at most 1 -
    level.

    `enumerate_tails` gives P(|sum| >= t) for t = 0, 1, ... by adding up all chances.
    """
    tails = enumerate_tails(DiscreteLaplace(scale), terms)
    least = int(np.argmax(tails[1:] <= 1 - level))
    assert reach(sum_law(DiscreteLaplace(scale).number_law, terms), level) == least


@pytest.mark.parametrize("scale", [1, 30, 100])
@pytest.mark.parametrize(("norm", "dimension"), [(Norm.L1, 3), (Norm.L2, 5), (Norm.MAX, 7)])
def test_reach_covers_the_level_and_hardly_more(
    norm: Norm, dimension: int, scale: int
) -> None:
    """The reach of one coordinate of K-norm noise covers at least 95 % of 20,000 draws.

    From scale 30 up it covers at most 97.5 %. Both are binomial tests.
    """
    mechanism = KNorm(norm, dimension, Fraction(scale))
    covered = int((np.abs(mechanism.draw(SIZE)[:, 0]) <= reach(law_of(mechanism))).sum())
    assert stats.binomtest(covered, SIZE, 0.95, alternative="less").pvalue > ALPHA
    if scale >= 30:
        assert stats.binomtest(covered, SIZE, 0.975, alternative="greater").pvalue > ALPHA


EXPECTED = [
    (DiscreteLaplace(Fraction(1, 2)), 4),
    (DiscreteLaplace(Fraction(500)), 10),
    (DiscreteGaussian(Fraction(9)), 6),
    (DiscreteGaussian(Fraction(10**6)), 3),
    (KNorm(Norm.MAX, 10, Fraction(3)), 10),
    (KNorm(Norm.L2, 3, Fraction(20)), 3),
]


@pytest.mark.parametrize(("mechanism", "size"), EXPECTED, ids=lambda m: str(m))
def test_expected_errors_are_those_of_drawn_noise(
    mechanism: DiscreteLaplace, size: int
) -> None:
    """Expected sizes, largest sizes and squares of noise are the means of 20,000 draws.

    BOUND is the number of standard errors that is exceeded once in 1 / ALPHA tests. `size` is
    how many numbers are noisy at once.
    """
    law = law_of(mechanism)
    sizes = np.abs(mechanism.draw(SIZE).astype(float))
    if sizes.ndim == 1:
        sizes = np.abs(mechanism.draw(SIZE * size).astype(float)).reshape(SIZE, size)

    pairs = [
        (sizes[:, 0], law.expected_size),
        (sizes.max(axis=1), expected_largest(mechanism, size)),
        (sizes[:, 0] ** 2, law.deviation**2),
    ]
    for sample, expected in pairs:
        error = sample.std() / math.sqrt(len(sample))
        assert abs(sample.mean() - expected) < BOUND * error + 1e-3 * expected


def test_expected_sizes_of_sums_are_those_of_enumeration() -> None:
    """The expected size of a sum is that of its enumerated law: the sum of P(|sum| >= t) from
    1 on.
    """
    for terms in (2, 5):
        tails = enumerate_tails(DiscreteLaplace(Fraction(5)), terms)
        expected_size = sum_law(DiscreteLaplace(Fraction(5)).number_law, terms).expected_size
        assert expected_size == pytest.approx(tails[1:].sum(), abs=1e-6)


def test_the_largest_of_ten_errors_is_that_of_the_design() -> None:
    """At epsilon 1 the largest of ten errors is 29.3 by Laplace noise and 9.93 by cube noise.

    One row moves all ten counts by 1. Laplace noise of scale 10 has 10 (1 + 1/2 + ... +
    1/10).
    """
    assert expected_largest(DiscreteLaplace(Fraction(10)), 10) == pytest.approx(29.3, abs=0.1)
    assert expected_largest(KNorm(Norm.MAX, 10, Fraction(1)), 10) == pytest.approx(
        9.93, abs=0.1
    )


def test_integrals_go_on_where_sums_end() -> None:
    """The mean size of Laplace noise agrees with its closed form, by sums and by integrals.

    Small scales are summed, large ones integrated; the scales are on both sides of the
    change.
    """
    for scale in (20, 29, 31, 33, 500, 10**8):
        mechanism = DiscreteLaplace(Fraction(scale))
        expected_size = law_of(mechanism).expected_size
        assert expected_size == pytest.approx(mechanism.mean_absolute, rel=1e-6)


def test_every_reach_is_fast() -> None:
    """A half width is found within a second of processor time, for noise of every kind.

    The longest takes milliseconds. Processor time leaves out what others take of a busy
    machine.
    """
    slowest = 0.0
    for mechanism in (
        DiscreteLaplace(Fraction(10**9)),
        DiscreteGaussian(Fraction(10**12)),
        KNorm(Norm.MAX, 1_000, Fraction(4_096)),
        KNorm(Norm.L2, 8, Fraction(2)),
        KNorm(Norm.L2, 8, Fraction(4_096)),
    ):
        begun = process_time()
        reach(law_of(mechanism))
        slowest = max(slowest, process_time() - begun)

    assert slowest < 1


def test_sizes_and_levels_that_make_no_sense_are_refused() -> None:
    """Vector noise has as many numbers as its dimension, and no half width is sure
    (level 1).
    """
    mechanism = KNorm(Norm.MAX, 3, Fraction(2))
    with pytest.raises(ArgumentError, match="no noise for 2 numbers"):
        expected_largest(mechanism, 2)
    with pytest.raises(ArgumentError, match="level must be between 0 and"):
        reach(law_of(mechanism), 1.0)
