"""K-norm, elliptical noise and randomised response: laws, guarantees, refusals."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from synth.errors import ArgumentError
from synth.noise.elliptical import EllipticalGaussian, Least, allocation
from synth.noise.knorm import KNorm, Norm
from synth.noise.response import RandomizedResponse
from synth.questions.knorm_laws import CubeLaw

NORMS = {
    Norm.L1: lambda z: np.abs(z).sum(axis=-1),
    Norm.L2: lambda z: np.sqrt((z**2).sum(axis=-1)),
    Norm.MAX: lambda z: np.abs(z).max(axis=-1),
}


@pytest.mark.parametrize("norm", list(Norm))
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_k_norm_law_is_the_gauge(norm: Norm, dimension: int) -> None:
    """Chi-square over every lattice point with its own probability ~ q^ceil(norm)."""
    size, scale = 40_000, Fraction(1)
    sample = KNorm(norm, dimension, scale).draw(size)
    points = np.array(list(product(range(-12, 13), repeat=dimension)))
    gauge = np.ceil(NORMS[norm](points) - 1e-9)
    law = np.exp(-gauge / float(scale))
    law /= law.sum()
    key = ((sample.clip(-12, 12) + 12) @ 25 ** np.arange(dimension)[::-1]).astype(int)
    seen = np.bincount(key, minlength=25**dimension)
    big = law * size >= 5
    statistic = ((seen - law * size)[big] ** 2 / (law * size)[big]).sum()
    assert stats.chi2.sf(statistic, big.sum()) > 1e-6


@pytest.mark.parametrize("norm", [Norm.L2, Norm.MAX])
@pytest.mark.parametrize("scale", [5_000, 3_000_000])
def test_k_norm_of_large_scales(norm: Norm, scale: int) -> None:
    """Over the scale, the norm of the noise is Gamma distributed, of the dimension."""
    mechanism = KNorm(norm, 5, Fraction(scale))
    sizes = NORMS[norm](mechanism.draw(20_000)) / scale
    assert stats.kstest(sizes, stats.gamma(5).cdf).pvalue > 1e-6
    assert stats.kstest(sizes * 1.1, stats.gamma(5).cdf).pvalue < 1e-6
    for t in (3, 6, 12):  # the bound is the tail of the radius that a point is drawn within
        beyond = stats.gamma(6).sf(t)
        assert beyond < mechanism.tail(t * scale) < beyond * 1.01 + 1e-9


@pytest.mark.parametrize(("dimension", "scale"), [(1, 30), (6, 40), (190, 9)])
def test_densities_of_one_number_are_those_of_its_exact_law(dimension: int, scale: int) -> None:
    """The exact law adds up radii, the densities a Gamma law; each over that of no noise."""
    mechanism = KNorm(Norm.MAX, dimension, Fraction(scale))
    law = CubeLaw(dimension, Fraction(scale))
    deviation = math.sqrt(mechanism.variance_of_one)
    sizes = np.round(np.array([0.0, 0.3, 1.0, 1.7, 2.5]) * deviation)
    exact = law.tail(sizes) - law.tail(sizes + 1)
    exact[0] *= 2  # noise of any other size goes up or down
    found = np.exp(mechanism.log_densities(-sizes))
    assert found[0] == 1
    assert found == pytest.approx(exact / exact[0], abs=0.03)
    far = mechanism.log_densities(scale * np.array([1e3, 1e4, 2e4]) * dimension)
    assert np.diff(far) == pytest.approx(-dimension * np.array([9e3, 1e4]), rel=0.01)


def test_noise_of_many_dimensions_is_drawn_without_a_long_table() -> None:
    """The radius of 300 dimensions is about a Gamma number of shape 301; 10 % are seen."""
    mechanism = KNorm(Norm.MAX, 300, Fraction(800))
    sizes = np.abs(mechanism.draw(4_000)).max(axis=1) / 800
    assert stats.kstest(sizes, stats.gamma(300).cdf).pvalue > 1e-6
    assert stats.kstest(sizes * 1.1, stats.gamma(300).cdf).pvalue < 1e-6


def test_the_float_form_says_so() -> None:
    assert KNorm(Norm.L2, 8, Fraction(2)).hardened
    assert KNorm(Norm.MAX, 30, Fraction(2)).hardened
    assert not KNorm(Norm.L2, 9, Fraction(2)).hardened


def test_k_norm_rounds_its_sensitivity_up() -> None:
    guarantee = KNorm(Norm.L2, 2, Fraction(30)).guarantee(Fraction(29, 2))
    assert guarantee.epsilon == Fraction(1, 2)


def test_elliptical_guarantee_is_the_sum_over_coordinates() -> None:
    """Privacy asks sum(step^2) / sigma2 <= 2 rho; in units, sum (range/s)^2 = 2 rho."""
    ranges = [Fraction(10), Fraction(1), Fraction(1), Fraction(1)]
    for least in Least:
        noise = EllipticalGaussian.for_ranges(ranges, rho=Fraction(1, 8), least=least)
        squares = sum(step * step for step in noise.steps)
        assert Fraction(squares) / (2 * noise.noise.sigma2) == Fraction(1, 8)
        assert [s * g for s, g in zip(noise.steps, noise.grids, strict=True)] == ranges
        wide = np.array([float(r) for r in ranges])
        assert ((wide / noise.deviations) ** 2).sum() == pytest.approx(0.25)
        assert noise.guarantee().rho == Fraction(1, 8)
        assert noise.guarantee(2).rho == Fraction(1, 2)


def test_elliptical_noise_has_its_deviations() -> None:
    noise = EllipticalGaussian.for_ranges([4, 1], rho=Fraction(1, 2))
    sample = np.array([noise.release(np.array([7, -7])) for _ in range(3_000)]) - [7, -7]
    spread = sample.std(axis=0) * [float(g) for g in noise.grids]
    assert spread == pytest.approx(noise.deviations, rel=0.1)
    assert noise.variance == pytest.approx(25, rel=1e-6)
    assert noise.tail(0) == 1
    assert np.mean(np.abs(sample * [float(g) for g in noise.grids]).max(axis=1) > 9) < noise.tail(9)


@pytest.mark.parametrize("answers", [2, 5])
def test_responses_are_true_as_often_as_claimed(answers: int) -> None:
    size = 100_000
    mechanism = RandomizedResponse(Fraction(1), answers)
    seen = np.bincount(mechanism.release(np.full(size, 1)), minlength=answers)
    e = math.e
    law = np.full(answers, 1 / (e + answers - 1))
    law[1] = e / (e + answers - 1)
    assert mechanism.truth == pytest.approx(law[1])
    assert stats.chisquare(seen, law * size).pvalue > 1e-6
    assert mechanism.debias(law) == pytest.approx(np.eye(answers)[1])


def test_debiased_frequencies_are_unbiased_with_the_claimed_variance() -> None:
    mechanism = RandomizedResponse(Fraction(1, 2), 3)
    truth = np.repeat([0, 1, 2], [500, 300, 200])
    runs = np.array(
        [
            mechanism.debias(np.bincount(mechanism.release(truth), minlength=3) / 1_000)
            for _ in range(2_000)
        ]
    )
    spread = math.sqrt(mechanism.variance / 1_000)
    assert np.abs(runs.mean(axis=0) - [0.5, 0.3, 0.2]).max() < 5 * spread / math.sqrt(2_000)
    assert runs.std(axis=0).max() < 1.1 * spread
    assert np.mean(np.abs(runs[:, 0] - 0.5) >= 0.2) <= mechanism.tail(0.2, rows=1_000)
    assert mechanism.bias == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: allocation([], Least.VARIANCE),
            "ranges must hold at least one coordinate, but they are empty.",
        ),
        (
            lambda: allocation([1, math.nan], Least.VARIANCE),
            "range must be a finite number, but it is nan.",
        ),
        (
            lambda: EllipticalGaussian.for_ranges([1, 0], rho=1),
            "range must be above 0, but it is 0.0.",
        ),
        (
            lambda: EllipticalGaussian.for_ranges([1], rho=Fraction(0)),
            "rho must be above 0, but it is 0.",
        ),
        (
            lambda: EllipticalGaussian((1,), (), Fraction(1)),
            "steps and grids must be of the same length, at least 1.",
        ),
        (
            lambda: EllipticalGaussian.for_ranges([1], rho=1).release(np.zeros(2, int)),
            "values must have shape (1,), but it is (2,).",
        ),
        (
            lambda: RandomizedResponse(Fraction(1), 1),
            "answers must be a whole number of at least 2, but it is 1.",
        ),
        (lambda: RandomizedResponse(Fraction(0)), "epsilon must be above 0, but it is 0."),
        (
            lambda: RandomizedResponse(Fraction(1)).release(np.array([0, 2])),
            "values must be whole numbers from 0 to 1.",
        ),
        (
            lambda: RandomizedResponse(Fraction(1)).release(np.array([0.5])),  # type: ignore[arg-type]
            "values must be whole numbers from 0 to 1.",
        ),
        (
            lambda: RandomizedResponse.for_queries(Fraction(1), queries=0),
            "queries must be a whole number of at least 1, but it is 0.",
        ),
    ],
)
def test_bad_arguments_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()
    assert str(caught.value) == message
