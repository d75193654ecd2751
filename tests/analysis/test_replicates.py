"""Replicates: noise of the release's own law once more, and a table finished as the release
was.
"""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synth import limits
from synth.analysis import check_replicable, fresh_seeds, replicate
from synth.analysis.modelled import law_again
from synth.domain import Domain
from synth.errors import ArgumentError, LimitError, ReleaseError
from synth.estimate import (
    HistogramRecord,
    NoisyCounts,
    PublicSource,
    Repair,
    fit_ranges,
    name_unmeasured,
    project_to_simplex,
    repair_counts,
)
from synth.noise import DiscreteGaussian, DiscreteLaplace, LaplaceLaw
from synth.plans import Method, Plan
from synth.privacy import Guarantee, Neighbors
from tests.analysis.releases import DOMAIN, TRUE_COUNTS, histogram_release, marginals_release

REACH = 4.9
"""Deviations of a normal number that one draw in a million exceeds."""
SMALL = Domain(sex=["F", "M"], job=["a", "b", "c"])
SCALE = Fraction(20)


def release_six_cells(neighbors: Neighbors = Neighbors.REPLACE_ONE) -> HistogramRecord:
    """Six cells of a thousand rows and more: no repair has anything to mend but the total."""
    counts = np.arange(1_000, 7_000, 1_000)
    rows = 21_000  # 1,000 + 2,000 + ... + 6,000
    public = rows if neighbors is Neighbors.REPLACE_ONE else None
    noisy = NoisyCounts(
        domain=SMALL,
        values=counts,
        scale=SCALE,
        neighbors=neighbors,
        guarantee=Guarantee.pure(1),
        rows=public,
    )
    return HistogramRecord(noisy=noisy, distribution=repair_counts(noisy, Repair.NEAREST))


def plan_of(domain: Domain, **options: Any) -> Plan:
    return Plan(
        domain=domain, epsilon=Fraction(1), neighbors=Neighbors.REPLACE_ONE, **options
    )


def test_the_noise_has_the_law_of_the_release() -> None:
    """Noise that is drawn once more exceeds each size as often as the release's law says.

    Chances are those of Laplace noise by its formula, and of Gaussian noise by its weights.
    The upper tail is half of both. REACH deviations are exceeded by chance once in a million.
    """
    laplace = DiscreteLaplace(Fraction(3))
    gaussian = DiscreteGaussian(Fraction(30))
    size = 200_000
    values = np.arange(-60, 61)
    bell = np.exp(-(values**2) / 60)  # exp(-n^2 / (2 * 30)), the weights of the Gaussian

    for least in (1, 3, 8):
        beyond = float(bell[np.abs(values) >= least].sum() / bell.sum())
        for law, chance in (
            (laplace, LaplaceLaw(3).two_sided_tail(least)),
            (gaussian, beyond),
        ):
            noise = law_again(law, size, np.random.default_rng())
            for share in ((np.abs(noise) >= least).mean(), 2 * (noise >= least).mean()):
                assert abs(share - chance) < REACH * (2 * chance / size) ** 0.5


def test_tables_differ_by_the_noise_of_the_release() -> None:
    """Over 100 seeds, the count of a value varies as the noise of its cells with the
    total kept.

    `release_six_cells` has the counts 1,000 to 6,000 of two sexes by three jobs. The first
    sex has 1,000 + 2,000 + 3,000 = 6,000 of 21,000 rows.
    """
    record = release_six_cells()
    plan = plan_of(SMALL, method=Method.DENSE, repair=Repair.NEAREST)
    counts_of_table = []
    for seed in fresh_seeds(100):
        table = replicate(plan, record, 21_000, seed=seed)
        assert table.rows == 21_000
        counts_of_table.append(int((table.codes[0] == 0).sum()))

    law = float(DiscreteLaplace(SCALE).variance)
    expected = 3 * law * (1 - 3 / 6)  # three of six cells, whose sum is kept
    spread = np.var(counts_of_table, ddof=1) / expected
    kurtosis = (2 + 1) / 99  # of a sum of three Laplace numbers, at most
    assert abs(np.log(spread)) < REACH * kurtosis**0.5
    assert abs(np.mean(counts_of_table) - 6_000) < REACH * (expected / 100) ** 0.5 + 1


def test_a_seed_gives_the_same_table_again_and_another_seed_another() -> None:
    """A replicate depends on its seed alone: the same seed repeats it, another one
    changes it.
    """
    plan, record = plan_of(DOMAIN, method=Method.DENSE), histogram_release()
    codes, codes_of_same_seed, codes_of_other_seed = (
        replicate(plan, record, 500, seed=seed).codes for seed in (3, 3, 4)
    )
    assert np.array_equal(codes, codes_of_same_seed)
    assert not np.array_equal(codes, codes_of_other_seed)


def test_the_number_of_rows_gets_noise_once_more_too() -> None:
    """A release whose number of rows is itself noisy has replicates of the size asked for."""
    record = release_six_cells(Neighbors.ADD_REMOVE)
    noisy = replace(record.histogram, noisy_rows=21_000)  # as many as the counts sum to
    plan = plan_of(SMALL, method=Method.DENSE, repair=Repair.NEAREST)
    table = replicate(plan, replace(record, noisy=noisy), 300, seed=1)
    assert table.rows == 300


def test_a_model_is_joined_again() -> None:
    """A replicate of a model has shares of sex near the true ones; another seed gives
    other rows.
    """
    plan = plan_of(DOMAIN, method=Method.TREE, delta=Fraction(1, 10**9))
    table = replicate(plan, marginals_release(), 20_000, seed=9)
    shares = np.bincount(table.codes[2], minlength=3) / 20_000
    truth = TRUE_COUNTS.sum(axis=(0, 1, 3)) / TRUE_COUNTS.sum()
    assert np.abs(shares - truth).max() < 0.05
    assert not np.array_equal(
        table.codes, replicate(plan, marginals_release(), 20_000, seed=10).codes
    )


def test_what_has_no_replicates_is_refused() -> None:
    """Replicates are refused for a list of counts from a threshold up, and for a model around
    a public table that is not in the bundle.

    A histogram beside such a public table needs no table, and passes.
    """
    listed_counts = replace(histogram_release().noisy, threshold=12)
    with pytest.raises(
        ReleaseError, match=r"^The release lists only noisy counts from 12 up"
    ):
        check_replicable(
            plan_of(DOMAIN),
            HistogramRecord(
                noisy=listed_counts, distribution=histogram_release().distribution
            ),
        )

    guessed = plan_of(
        DOMAIN,
        public=PublicSource(
            digest="ab" * 32, vouched_by="Eve", columns=("age", "sex"), rows=100
        ),
    )
    with pytest.raises(
        ReleaseError, match="which is not in the bundle: there are no replicates"
    ):
        check_replicable(guessed, replace(marginals_release(), strategy=Method.ONE_SHOT))
    check_replicable(guessed, replace(marginals_release(), strategy=Method.HISTOGRAM))


@pytest.mark.parametrize("tables", [0, 1, -3, 2.5])
def test_too_few_tables_are_refused(tables: float) -> None:
    with pytest.raises(ArgumentError, match=r"^tables must be a whole number of at least 2"):
        fresh_seeds(tables)  # type: ignore[arg-type]


def test_too_many_tables_are_refused() -> None:
    """As many seeds as the limit, 100, are all different; more tables are refused."""
    assert len(set(fresh_seeds(limits.REPLICATES))) == limits.REPLICATES
    with pytest.raises(
        LimitError, match=r"^1,000,000,000 tables are more than the limit of 100"
    ):
        fresh_seeds(10**9)


def test_sums_of_few_columns_are_those_of_the_noisy_counts() -> None:
    """Replicates keep the sums of one or two columns of the noisy counts, without a
    common bias.

    Six of 1,800 cells and more have 3,000 rows each, and the others none. A repair alone
    would take rows from the full cells, as it raises negative counts to 0.
    """
    truth = np.zeros(DOMAIN.shape, np.int64)
    truth[:2, :3, 0, 0] = 3_000
    record = histogram_release(truth)
    plan = plan_of(DOMAIN, method=Method.DENSE, repair=Repair.CLAMP)
    rows = int(truth.sum())
    noisy = record.noisy.values.reshape(DOMAIN.shape)

    for columns in ((0,), (1,), (0, 1)):
        others = tuple({0, 1, 2, 3} - set(columns))
        summed_cells = truth.size / math.prod(DOMAIN.shape[i] for i in columns)
        noise = math.sqrt(2 * summed_cells) * float(record.noisy.scale)  # its deviation
        mean_table = np.zeros([DOMAIN.shape[i] for i in columns])
        for seed in range(10):
            codes = replicate(plan, record, rows, seed=seed).codes
            np.add.at(mean_table, tuple(codes[i] for i in columns), 0.1)  # mean of 10 tables
        full = truth.sum(axis=others) > 0
        gap = (mean_table - np.maximum(noisy.sum(axis=others), 0))[full]
        assert np.abs(gap).max() < 6 * noise


def test_mean_products_are_near_those_of_the_noisy_counts() -> None:
    """`fit_ranges` keeps the sum of products of two columns at least twice as near to the
    truth as a projection to the simplex does.

    Most of the 13 by 13 cells are empty. A projection raises them to 0 where noise made them
    negative, and takes these rows from the full cells. Errors are means over 20 noises.
    """
    rng = np.random.default_rng(8)
    rows = rng.multivariate_normal([6, 6], [[4, 3.2], [3.2, 4]], 5_000).round().clip(0, 12)
    truth = np.histogram2d(*rows.T, bins=np.arange(14) - 0.5)[0]
    places, total = np.arange(13.0), truth.sum()
    errors = []
    for _ in range(20):
        noisy = truth + rng.laplace(0, 15, truth.shape)
        noisy += (total - noisy.sum()) / noisy.size
        fitted = fit_ranges(noisy, total)
        assert fitted.min() >= 0
        assert fitted.sum() == pytest.approx(total)
        nearest = project_to_simplex(noisy.ravel(), total).reshape(truth.shape)
        errors.append(
            [
                (places - 6) @ (estimate - truth) @ (places - 6)
                for estimate in (fitted, nearest)
            ]
        )

    error_of_fit, error_of_projection = np.abs(np.mean(errors, axis=0))
    assert error_of_fit < error_of_projection / 2


def test_pairs_that_were_not_measured_are_named() -> None:
    """A histogram of all columns leaves no pair unmeasured; a model leaves all but those it
    measured.
    """
    assert name_unmeasured(histogram_release()) == []

    pairs = name_unmeasured(marginals_release())  # four columns make 6 pairs
    assert len(pairs) == 6 - len(
        [clique for clique, _ in marginals_release().measured if len(clique) == 2]
    )
