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
from tests.analysis.releases import DOMAIN, TRUTH, dense, model

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
    return HistogramRecord(noisy=noisy, distribution=repair_counts(noisy, Repair.SIMPLEX))


def plan_of(domain: Domain, **options: Any) -> Plan:
    return Plan(
        domain=domain, epsilon=Fraction(1), neighbors=Neighbors.REPLACE_ONE, **options
    )


def test_the_noise_has_the_law_of_the_release() -> None:
    """Tails of Laplace noise by its formula, of Gaussian noise by its weights; the upper tail
    is half of both.
    """
    laplace = DiscreteLaplace(Fraction(3))
    gaussian = DiscreteGaussian(Fraction(30))
    size = 200_000
    values = np.arange(-60, 61)
    bell = np.exp(-(values**2) / 60)
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
    """The share of a value has the variance of its noise with the total kept, over seeds."""
    record = release_six_cells()
    plan = plan_of(SMALL, method=Method.DENSE, repair=Repair.SIMPLEX)
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
    plan, record = plan_of(DOMAIN, method=Method.DENSE), dense()
    first, again, from_other_seed = (
        replicate(plan, record, 500, seed=seed).codes for seed in (3, 3, 4)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, from_other_seed)


def test_the_number_of_rows_gets_noise_once_more_too() -> None:
    record = release_six_cells(Neighbors.ADD_REMOVE)
    noisy = replace(record.histogram, noisy_rows=21_000)
    plan = plan_of(SMALL, method=Method.DENSE, repair=Repair.SIMPLEX)
    table = replicate(plan, replace(record, noisy=noisy), 300, seed=1)
    assert table.rows == 300


def test_a_model_is_joined_again() -> None:
    """Shares of sex are near those of the true counts; another seed gives other rows."""
    plan = plan_of(DOMAIN, method=Method.TREE, delta=Fraction(1, 10**9))
    table = replicate(plan, model(), 20_000, seed=9)
    shares = np.bincount(table.codes[2], minlength=3) / 20_000
    truth = TRUTH.sum(axis=(0, 1, 3)) / TRUTH.sum()
    assert np.abs(shares - truth).max() < 0.05
    assert not np.array_equal(table.codes, replicate(plan, model(), 20_000, seed=10).codes)


def test_what_has_no_replicates_is_refused() -> None:
    """A list from a threshold up cannot be drawn again, nor a model around a public table
    that is not in the bundle; a histogram beside such a table can.
    """
    listed_counts = replace(dense().noisy, threshold=12)
    with pytest.raises(
        ReleaseError, match=r"^The release lists only noisy counts from 12 up"
    ):
        check_replicable(
            plan_of(DOMAIN),
            HistogramRecord(noisy=listed_counts, distribution=dense().distribution),
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
        check_replicable(guessed, replace(model(), strategy=Method.ONE_SHOT))
    check_replicable(guessed, replace(model(), strategy=Method.HISTOGRAM))


@pytest.mark.parametrize("tables", [0, 1, -3, 2.5])
def test_too_few_tables_are_refused(tables: float) -> None:
    with pytest.raises(ArgumentError, match=r"^tables must be a whole number of at least 2"):
        fresh_seeds(tables)  # type: ignore[arg-type]


def test_too_many_tables_are_refused() -> None:
    assert len(set(fresh_seeds(limits.REPLICATES))) == limits.REPLICATES
    with pytest.raises(
        LimitError, match=r"^1,000,000,000 tables are more than the limit of 100"
    ):
        fresh_seeds(10**9)


def test_sums_of_few_columns_are_those_of_the_noisy_counts() -> None:
    """Thousands of cells are empty or nearly so; a repair alone takes rows from the full
    ones.
    """
    truth = np.zeros(DOMAIN.shape, np.int64)
    truth[:2, :3, 0, 0] = 3_000
    record = dense(truth)
    plan = plan_of(DOMAIN, method=Method.DENSE, repair=Repair.CLAMP)
    rows = int(truth.sum())
    noisy = record.noisy.values.reshape(DOMAIN.shape)
    for columns in ((0,), (1,), (0, 1)):
        others = tuple({0, 1, 2, 3} - set(columns))
        summed = truth.size / math.prod(DOMAIN.shape[i] for i in columns)
        noise = math.sqrt(2 * summed) * float(record.noisy.scale)
        mean_table = np.zeros([DOMAIN.shape[i] for i in columns])
        for seed in range(10):
            codes = replicate(plan, record, rows, seed=seed).codes
            np.add.at(mean_table, tuple(codes[i] for i in columns), 0.1)
        full = truth.sum(axis=others) > 0
        gap = (mean_table - np.maximum(noisy.sum(axis=others), 0))[full]
        assert np.abs(gap).max() < 6 * noise


def test_mean_products_are_near_those_of_the_noisy_counts() -> None:
    """Most cells are empty, and a projection to the simplex takes rows from the full ones."""
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
    ours, theirs = np.abs(np.mean(errors, axis=0))
    assert ours < theirs / 2


def test_pairs_that_were_not_measured_are_named() -> None:
    assert name_unmeasured(dense()) == []
    pairs = name_unmeasured(model())
    assert len(pairs) == 6 - len(
        [clique for clique, _ in model().measured if len(clique) == 2]
    )
