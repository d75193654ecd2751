"""Empirical Bayes: it finds the prior it was drawn from, and its forecast of errors holds."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from synth.domain import Domain
from synth.domain.building import Integer
from synth.estimate import NoisyCounts, Repair, repair_counts
from synth.estimate.repair.empirical_bayes import Prior, fit_prior
from synth.noise import DiscreteLaplace
from synth.privacy import Guarantee, Neighbors


def make_counts(cells: int, occupied: int, rows: int) -> np.ndarray:
    """Counts of a universe where some cells share the rows by a power law."""
    shares = np.arange(1, occupied + 1) ** -1.0
    counts = np.zeros(cells, np.int64)
    counts[:occupied] = np.floor(shares / shares.sum() * rows)
    return counts


def add_noise(counts: np.ndarray, scale: Fraction) -> NoisyCounts:
    domain = Domain(
        a=Integer(1, 1000, bins=1000),
        b=Integer(1, len(counts) // 1000, bins=len(counts) // 1000),
    )
    values = DiscreteLaplace(scale).release(counts)
    rows = int(counts.sum())
    return NoisyCounts(
        domain=domain,
        values=values,
        scale=scale,
        neighbors=Neighbors.REPLACE_ONE,
        guarantee=Guarantee.pure(1),
        rows=rows,
    )


def list_from(release: NoisyCounts, threshold: int) -> NoisyCounts:
    """The same release, listed from a threshold up."""
    cells = np.flatnonzero(release.values >= threshold)
    return replace(release, values=release.values[cells], listed=cells, threshold=threshold)


def error_of_repair(release: NoisyCounts, counts: np.ndarray, method: Repair) -> float:
    """The total variation between the repaired and the true counts."""
    repaired = repair_counts(release, method)
    weights = np.zeros(len(counts))
    weights[repaired.cells] = repaired.weights
    return float(np.abs(weights - counts).sum() / 2 / counts.sum())


@pytest.mark.parametrize("scale", [0.3, 2.0, 40.0])
@pytest.mark.parametrize("threshold", [None, 7])
def test_chances_of_all_levels_add_up_to_one(scale: float, threshold: int | None) -> None:
    """For each true count, the probabilities of all noisy levels add up to 1.

    Counts within 25 scales of the last level are left out, as their noise reaches beyond it.
    The shares of the prior add up to 1 too.
    """
    prior = fit_prior(np.arange(7, 40), scale=scale, cells=100, total=50, threshold=threshold)

    inside = prior.levels.counts < prior.levels.middles[-1] - 25 * scale
    np.testing.assert_allclose(prior.levels.chances.sum(axis=0)[inside], 1, atol=1e-9)
    assert prior.shares.sum() == pytest.approx(1)


def test_it_finds_the_prior_and_the_total() -> None:
    """The fitted prior has the true shares of counts, and the public total.

    Of 10,000 cells, 80 % hold no row, 15 % hold 12 and 5 % hold 40; the noise scale is 2. The
    prior is summed near each of the three counts.
    """
    counts = np.repeat([0, 12, 40], [8000, 1500, 500])
    release = add_noise(counts, Fraction(2))

    prior = fit_prior(release.values, scale=2, cells=10_000, total=release.total)

    counts = prior.levels.counts
    shares = [
        prior.shares[(counts >= a) & (counts <= b)].sum()
        for a, b in ((0, 3), (9, 15), (36, 44))
    ]

    np.testing.assert_allclose(shares, [0.8, 0.15, 0.05], atol=0.02)
    assert prior.shares @ counts * 10_000 == pytest.approx(release.total, rel=1e-6)


def test_what_is_far_above_the_noise_is_taken_as_it_is() -> None:
    """Noise of scale 2 is nothing beside a million, so such counts stay; below, a larger
    noisy count never has a smaller estimate.
    """
    values = np.array([0] * 50 + [10**6, 10**9])

    prior = fit_prior(values, scale=2, cells=52, total=10**9 + 10**6)

    assert prior.estimate(values)[-2:].tolist() == [10**6, 10**9]
    assert (np.diff(prior.estimate(np.arange(-20, 300))) >= 0).all()


def test_small_medians_give_way_to_means() -> None:
    """900 rows are in 1,000 cells, each less than noise of 20 shows: no median exceeds 0."""
    prior: Prior = fit_prior(np.zeros(1000, np.int64), scale=20, cells=1000, total=900)
    assert prior.estimate(np.zeros(1, np.int64))[0] > 0


def test_it_beats_the_projection_where_few_cells_are_occupied() -> None:
    """Empirical Bayes beats the projection where few of many cells are occupied.

    Of 100,000 cells 1,000 are occupied, at epsilon 1. The errors were measured as 0.020 and
    0.11, so the bounds leave room. The automatic choice takes empirical Bayes.
    """
    counts = np.zeros(100_000, np.int64)
    counts[:1_000] = np.random.default_rng(1).poisson(48.842, 1_000)

    release = list_from(add_noise(counts, Fraction(2)), 7)
    bayes, simplex, auto = (
        error_of_repair(release, counts, method)
        for method in (Repair.MOST_LIKELY, Repair.NEAREST, Repair.AUTO)
    )

    assert bayes < 0.025 < 0.045 < simplex
    assert auto == bayes
    assert repair_counts(release, Repair.AUTO).repair == Repair.MOST_LIKELY


def test_it_is_left_aside_where_the_projection_is_better() -> None:
    """The automatic choice keeps the projection unless empirical Bayes seems clearly better.

    Clearly better means an estimated error that is 5 % smaller. Here most cells are far above
    the noise. So the estimate is 1 % smaller, give or take 0.3 %, while the true error of
    empirical Bayes is 0.7 % larger.
    """
    counts = np.random.default_rng(7).geometric(0.02, 20_000) - 1

    release = list_from(add_noise(counts, Fraction(2)), 1)

    assert repair_counts(release, Repair.AUTO).repair == Repair.NEAREST


def test_the_error_it_expects_is_the_error_it_makes() -> None:
    """The error that the prior forecasts is within 25 % of the one it makes on counts below
    100.
    """
    counts = make_counts(50_000, 3_000, 100_000)
    release = add_noise(counts, Fraction(2))
    prior = fit_prior(release.values, scale=2, cells=50_000, total=release.total)

    expected = prior.error(prior.estimates) * 50_000
    errors = np.abs(prior.estimate(release.values) - counts)

    assert expected == pytest.approx(errors[counts < 100].sum(), rel=0.25)
