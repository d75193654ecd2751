"""K-norm noise: its law, its densities, its guarantee."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import stats

from synth.noise import CubeLaw, KNorm, Norm

NORMS = {
    Norm.L1: lambda z: np.abs(z).sum(axis=-1),
    Norm.L2: lambda z: np.sqrt((z**2).sum(axis=-1)),
    Norm.MAX: lambda z: np.abs(z).max(axis=-1),
}


@pytest.mark.parametrize("norm", list(Norm))
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_k_norm_noise_has_the_law_of_its_gauge(norm: Norm, dimension: int) -> None:
    """A point z of K-norm noise has a chance in proportion to e^(-ceil(norm of z) / scale).

    A chi-square test compares every lattice point. Points are numbered in base 25, as each
    coordinate is clipped to -12 ... 12; those that are expected fewer than five times are
    left out.
    """
    size, scale = 40_000, Fraction(1)
    sample = KNorm(norm, dimension, scale).draw(size)

    points = np.array(list(product(range(-12, 13), repeat=dimension)))
    gauge = np.ceil(NORMS[norm](points) - 1e-9)
    law = np.exp(-gauge / float(scale))
    law /= law.sum()

    cell_of_sample = ((sample.clip(-12, 12) + 12) @ 25 ** np.arange(dimension)[::-1]).astype(
        int
    )
    counts = np.bincount(cell_of_sample, minlength=25**dimension)
    is_frequent = law * size >= 5

    statistic = ((counts - law * size)[is_frequent] ** 2 / (law * size)[is_frequent]).sum()
    assert stats.chi2.sf(statistic, is_frequent.sum()) > 1e-6


@pytest.mark.parametrize("norm", [Norm.L2, Norm.MAX])
@pytest.mark.parametrize("scale", [5_000, 3_000_000])
def test_the_norm_of_noise_of_large_scales_has_a_gamma_law(norm: Norm, scale: int) -> None:
    """The norm of noise in five dimensions, over its scale, has a Gamma law of shape 5.

    A scale that is 10 % off would be seen.
    """
    mechanism = KNorm(norm, 5, Fraction(scale))
    sizes = NORMS[norm](mechanism.draw(20_000)) / scale
    assert stats.kstest(sizes, stats.gamma(5).cdf).pvalue > 1e-6
    assert stats.kstest(sizes * 1.1, stats.gamma(5).cdf).pvalue < 1e-6


@pytest.mark.parametrize(("dimension", "scale"), [(1, 30), (6, 40), (190, 9)])
def test_densities_of_one_number_are_those_of_its_exact_law(
    dimension: int, scale: int
) -> None:
    """The densities of one coordinate of cube noise are those of its exact law, relative to
    0.

    The exact law adds up radii, and the densities come from a Gamma law. Far out the
    logarithm falls by 1 a scale; the distances are 9,000 and 10,000 times scale and
    dimension.
    """
    mechanism = KNorm(Norm.MAX, dimension, Fraction(scale))
    law = CubeLaw(dimension, Fraction(scale))
    deviation = math.sqrt(mechanism.variance)

    sizes = np.round(np.array([0.0, 0.3, 1.0, 1.7, 2.5]) * deviation)
    exact = law.tail(sizes) - law.tail(sizes + 1)
    exact[0] *= 2  # noise of any other size goes up or down

    densities = np.exp(law.log_densities(-sizes))
    assert densities[0] == 1
    assert densities == pytest.approx(exact / exact[0], abs=0.03)

    far_log_densities = law.log_densities(scale * np.array([1e3, 1e4, 2e4]) * dimension)
    assert np.diff(far_log_densities) == pytest.approx(
        -dimension * np.array([9e3, 1e4]), rel=0.01
    )


def test_noise_of_many_dimensions_is_drawn_without_a_long_table() -> None:
    """The largest number of noise in 300 dimensions, over the scale, has a Gamma law of shape
    300.

    A scale that is 10 % off would be seen.
    """
    mechanism = KNorm(Norm.MAX, 300, Fraction(800))
    sizes = np.abs(mechanism.draw(4_000)).max(axis=1) / 800
    assert stats.kstest(sizes, stats.gamma(300).cdf).pvalue > 1e-6
    assert stats.kstest(sizes * 1.1, stats.gamma(300).cdf).pvalue < 1e-6


def test_k_norm_rounds_its_sensitivity_up() -> None:
    """A sensitivity of 29/2 is taken for 15, and 15 over the scale of 30 is 1/2."""
    guarantee = KNorm(Norm.L2, 2, Fraction(30)).guarantee(Fraction(29, 2))
    assert guarantee.epsilon == Fraction(1, 2)
