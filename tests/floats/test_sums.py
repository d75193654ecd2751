"""Laws of one noisy number: exact by enumeration, never below the truth, and as drawn."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from synth.errors import ArgumentError
from synth.noise import (
    CubeLaw,
    DiscreteGaussian,
    DiscreteLaplace,
    KNorm,
    NearBallLaw,
    NoiseLaw,
    Norm,
    law_of,
    sum_law,
)
from synth.noise.floats.sums import ERROR, SumLaw
from tests.audit.layers import ALPHA

SIZE = 40_000
CELL_MECHANISMS = [
    DiscreteLaplace(Fraction(1, 3)),
    DiscreteLaplace(Fraction(7)),
    DiscreteGaussian(Fraction(1, 4)),
    DiscreteGaussian(Fraction(30)),
]


def enumerate_tails(mechanism: DiscreteLaplace | DiscreteGaussian, terms: int) -> np.ndarray:
    """P(|sum| >= t) for t = 0, 1, ..., by adding up and convolving one value's chances."""
    z = np.arange(-300, 301)
    if isinstance(mechanism, DiscreteLaplace):
        chances = np.exp(-np.abs(z) / float(mechanism.scale))
    else:
        chances = np.exp(-(z**2) / (2 * float(mechanism.sigma2)))
    chances /= chances.sum()
    law = chances
    for _ in range(terms - 1):
        law = np.convolve(law, chances)
    centre = len(law) // 2
    sizes = law[centre:] * np.where(np.arange(centre + 1) > 0, 2, 1)
    return np.cumsum(sizes[::-1])[::-1]


@pytest.mark.parametrize("mechanism", CELL_MECHANISMS, ids=str)
@pytest.mark.parametrize("terms", [1, 2, 3, 7])
def test_sums_agree_with_enumeration_from_above(
    mechanism: DiscreteLaplace | DiscreteGaussian, terms: int
) -> None:
    """A tail of a sum is never below the exact one, above by ERROR at most, and never rises.

    `enumerate_tails` gives the exact P(|sum| >= t). The 1e-14 and 1e-12 are for float errors.
    """
    exact = enumerate_tails(mechanism, terms)[:200]
    tails = sum_law(mechanism.number_law, terms).tail(np.arange(200.0))
    assert (tails >= exact - 1e-14).all()
    assert (tails <= exact + ERROR).all()
    assert (np.diff(tails) <= 1e-12).all()
    assert tails[0] == 1


def test_inversion_agrees_with_the_closed_form() -> None:
    """The tail of one Laplace number by inversion of its law agrees with the closed form."""
    for scale in (Fraction(1, 100), Fraction(1), Fraction(300)):
        t = np.arange(400.0)
        closed = law_of(DiscreteLaplace(scale)).tail(t)
        assert SumLaw(DiscreteLaplace(scale).number_law, 1).tail(t) == pytest.approx(
            closed, abs=ERROR
        )


@pytest.mark.parametrize("terms", [10**4, 10**6, 10**9])
def test_sums_of_many_cells_are_normal(terms: int) -> None:
    """A sum of 10,000 noisy numbers or more has about a normal law.

    By the central limit theorem, with half a step for continuity. The law nears the normal
    one as 1 / terms.
    """
    for mechanism in CELL_MECHANISMS:
        law = sum_law(mechanism.number_law, terms)
        t = np.round(np.array([0.5, 1.96, 4.0]) * law.deviation)
        normal = 2 * stats.norm.sf((t - 0.5) / law.deviation)
        assert law.tail(t) == pytest.approx(normal, rel=150 / terms + 1e-4, abs=1e-9)


def enumerate_points(
    norm: Norm, dimension: int, scale: float, reach: int
) -> tuple[np.ndarray, np.ndarray]:
    """Every point of a cube, and its chance."""
    axes = [np.arange(-reach, reach + 1)] * dimension
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, dimension)
    if norm is Norm.MAX:
        gauge = np.abs(grid).max(axis=1)
    else:
        squares = (grid**2).sum(axis=1)
        roots = np.array([math.isqrt(n) for n in range(int(squares.max()) + 1)])
        gauge = roots[squares] + (roots[squares] ** 2 < squares)
    weights = np.exp(-gauge / scale)
    return grid, weights / weights.sum()


@pytest.mark.parametrize("norm", [Norm.MAX, Norm.L2])
@pytest.mark.parametrize(
    ("dimension", "scale", "reach"), [(1, 3, 99), (2, 2, 70), (3, 1, 40)]
)
def test_k_norm_laws_agree_with_enumeration(
    norm: Norm, dimension: int, scale: int, reach: int
) -> None:
    """The law of one coordinate of K-norm noise is never below the exact one, and hardly
    above.

    `enumerate_points` lists every point up to `reach`, with its chance. The deviation is
    exact.
    """
    grid, chances = enumerate_points(norm, dimension, scale, reach)
    law = law_of(KNorm(norm, dimension, Fraction(scale)))
    t = np.arange(1.0, 20)

    exact = np.array([chances[np.abs(grid[:, 0]) >= least].sum() for least in t])

    assert (law.tail(t) >= exact - 1e-12).all()
    assert (law.tail(t) <= exact + law.error).all()
    assert law.deviation == pytest.approx(math.sqrt(chances @ grid[:, 0] ** 2), rel=1e-6)


@pytest.mark.parametrize("dimension", [1, 2, 12])
def test_tails_by_groups_of_radii_bound_those_by_single_radii(
    monkeypatch: pytest.MonkeyPatch, dimension: int
) -> None:
    """Tails that are computed by groups of radii are above the exact ones, by a twentieth at
    most.

    With a smaller limit on radii (_RADII) the same law is computed by groups. Its mean size,
    largest size and deviation stay the same.
    """
    fine = CubeLaw(dimension, Fraction(400))
    t = np.arange(0.0, 400 * (dimension + 3), 37)
    fine_tails = fine.tail(t)
    fine_error = fine.error
    exact = [fine.expected_size, fine.largest(fine.dimension), fine.deviation]

    monkeypatch.setattr("synth.noise.floats.knorm._RADII", 12_000)
    coarse = CubeLaw(dimension, Fraction(400))
    assert fine_error < 1 < coarse.error

    coarse_tails = coarse.tail(t)
    assert (coarse_tails >= fine_tails - 1e-10).all()
    assert (coarse_tails <= fine_tails * 1.05 + 1e-9).all()

    expected = [coarse.expected_size, coarse.largest(coarse.dimension), coarse.deviation]
    assert expected == pytest.approx(exact, rel=1e-4)


def test_the_counted_law_of_a_ball_of_six_dimensions_is_that_of_drawn_noise() -> None:
    """The deviation of one of six coordinates of ball noise is that of drawn noise.

    The variances of the six coordinates add up to the mean squared length, within five
    standard errors.
    """
    law = law_of(KNorm(Norm.L2, 6, Fraction(2)))
    assert float(law.tail(np.array([1.0]))[0]) < 1

    sizes = np.linalg.norm(KNorm(Norm.L2, 6, Fraction(2)).draw(SIZE).astype(float), axis=1)
    error = (sizes**2).std() / math.sqrt(SIZE)
    assert abs((sizes**2).mean() - 6 * law.deviation**2) < 5 * error


@pytest.mark.parametrize("dimension", [2, 5, 8])
@pytest.mark.parametrize("scale", [6, 40, 4_096])
def test_the_bound_of_large_balls_is_above_and_near(dimension: int, scale: int) -> None:
    """The bound on one coordinate of ball noise is above the exact law, where both are known.

    Over the continuous law, it is larger by a factor of little more than exp(1/scale): a
    radius is rounded up by 1, and a lattice point moves by 1/2 and by d/12 at most.
    """
    small = law_of(KNorm(Norm.L2, dimension, Fraction(1)))
    t = np.arange(2.0, 12)
    assert (NearBallLaw(dimension, Fraction(1)).tail(t) >= small.tail(t) - small.error).all()

    bound = NearBallLaw(dimension, Fraction(scale))
    t = np.arange(1.0, 9) * scale
    ratio = bound.tail(t) / bound.continuous_tail(t)
    assert (ratio < math.exp((1 + 0.5 + dimension / 12) / scale) + 1e-3).all()
    assert (ratio > 1).all()


def has_law(sample: np.ndarray, law: NoiseLaw) -> bool:
    """Chi-square of the sizes over twenty classes of about equal chance, cut at whole
    numbers.
    """
    lower_ends = np.unique(np.ceil(np.quantile(sample, np.linspace(0, 1, 21)[:-1])))
    tails = np.append(law.tail(lower_ends), 0.0)
    tails[0] = 1.0
    expected = (tails[:-1] - tails[1:]) * len(sample)
    places = np.searchsorted(lower_ends, sample, side="right") - 1
    counts = np.bincount(places.clip(0), minlength=len(lower_ends))
    expected *= len(sample) / expected.sum()
    return bool(stats.chisquare(counts, expected).pvalue > ALPHA)


DRAWN = [
    (DiscreteLaplace(Fraction(20)), DiscreteLaplace(Fraction(22))),
    (DiscreteGaussian(Fraction(400)), DiscreteGaussian(Fraction(484))),
    (KNorm(Norm.MAX, 4, Fraction(20)), KNorm(Norm.MAX, 4, Fraction(22))),
    (KNorm(Norm.L2, 3, Fraction(5, 2)), KNorm(Norm.L2, 3, Fraction(11, 4))),
    (KNorm(Norm.L1, 3, Fraction(20)), KNorm(Norm.L1, 3, Fraction(22))),
]


@pytest.mark.parametrize(("mechanism", "off"), DRAWN, ids=lambda m: f"{m.law} {m.describe()}")
def test_drawn_noise_has_the_law_and_no_scale_that_is_a_tenth_off(
    mechanism: DiscreteLaplace, off: DiscreteLaplace
) -> None:
    """Drawn noise has the law in floats, by a chi-square test, and not one of a scale 10 %
    larger.
    """
    sample = np.abs(mechanism.draw(SIZE).astype(float).reshape(SIZE, -1)[:, 0])
    assert has_law(sample, law_of(mechanism))
    assert not has_law(sample, law_of(off))


def test_sums_of_drawn_noise_have_the_law() -> None:
    """Sums of 25 drawn numbers have the law of a sum; a scale of 4.4 instead of 4 would be
    seen.
    """
    mechanism = DiscreteLaplace(Fraction(4))
    sample = np.abs(mechanism.draw(25 * SIZE).astype(np.int64).reshape(SIZE, 25).sum(axis=1))
    assert has_law(sample.astype(float), sum_law(mechanism.number_law, 25))
    assert not has_law(
        sample.astype(float), sum_law(DiscreteLaplace(Fraction(22, 5)).number_law, 25)
    )


def test_joint_cells_and_sums_of_no_cells_are_refused() -> None:
    """Numbers of one vector of noise are not independent cells, and a sum has at least one
    cell.
    """
    with pytest.raises(
        ArgumentError, match="coordinates of K-norm noise are not independent"
    ):
        assert KNorm(Norm.MAX, 3, Fraction(2)).cell_noise
    with pytest.raises(ArgumentError, match="cells must be a whole number of at least 1"):
        sum_law(DiscreteLaplace(Fraction(2)).number_law, 0)
