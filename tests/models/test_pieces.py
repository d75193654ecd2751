"""Repair around a guess, latent classes, settled rows, budgets: each against what is
known.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.domain import Categorical, Domain
from synth.estimate import Account, NoisyMarginal, error_after
from synth.estimate.models.evidence import column_sums
from synth.estimate.models.large_rows import LargeRows, Target
from synth.estimate.models.latent_classes import Fits, fit_classes
from synth.estimate.models.refine_parts import weights
from synth.estimate.repair.marginal import Estimate, denoise, rake, shrink
from synth.noise import DiscreteGaussian, DiscreteLaplace, KNorm, Norm
from synth.privacy import Guarantee, Neighbors, Unit
from synth.util import Floats, Ints

LAPLACE = DiscreteLaplace(Fraction(20))
GAUSSIAN = DiscreteGaussian(Fraction(800))


def make_correlated_counts(
    seed: int = 0, size: int = 40, rows: int = 40_000
) -> tuple[Floats, Floats]:
    """Exact counts of a pair of columns with many empty cells, and the guess that the columns
    are independent.
    """
    generator = np.random.default_rng(seed)
    base = np.outer(generator.dirichlet(np.ones(size)), generator.dirichlet(np.ones(size)))
    ratios = np.where(
        generator.random((size, size)) < 0.5, 0.0, generator.exponential(2, base.shape)
    )
    joint = base * ratios
    return np.round(joint / joint.sum() * rows), base * rows


@pytest.mark.parametrize("mechanism", [LAPLACE, GAUSSIAN])
def test_repair_around_a_guess_beats_guess_and_clamp(mechanism: Any) -> None:
    """Counts repaired around a guess are nearer to the truth than the guess, and nearer than
    noisy counts whose negative values are set to 0, by a quarter or more.

    They are not negative and keep the total.
    """
    true, guess = make_correlated_counts()
    noisy = mechanism.release(true.astype(np.int64))
    repaired = denoise(noisy.astype(float), guess, mechanism, total=true.sum())
    clamped = np.maximum(noisy, 0) * true.sum() / np.maximum(noisy, 0).sum()

    error = abs(repaired.values - true).sum()
    assert error < 0.75 * abs(guess - true).sum()
    assert error < 0.75 * abs(clamped - true).sum()
    assert repaired.values.min() >= 0
    assert repaired.values.sum() == pytest.approx(true.sum())


def test_its_variance_is_honest() -> None:
    """The variance that a repair states is right within a factor of two, summed over all
    cells.
    """
    true, guess = make_correlated_counts(1)
    noisy = LAPLACE.release(true.astype(np.int64)).astype(float)
    repaired = denoise(noisy, guess, LAPLACE, total=true.sum())
    assert 0.5 < ((repaired.values - true) ** 2).sum() / repaired.variance.sum() < 2


def test_without_noise_to_speak_of_the_counts_come_back() -> None:
    """With next to no noise, of scale 1 / 10, repaired counts are within 1 % of the true
    ones.
    """
    true, guess = make_correlated_counts(2)
    sharp = DiscreteLaplace(Fraction(1, 10))
    repaired = denoise(true, guess, sharp, total=true.sum())
    assert abs(repaired.values - true).sum() < 0.01 * true.sum()


def test_noisy_numbers_go_with_what_is_usual_where_noise_hides_them() -> None:
    """Numbers that noise hides are at least twice as near to the truth if their usual sizes
    are known; sizes of 0 say nothing and change nothing.

    The second half is ten times the first; noise is even, and as large as they are.
    """
    usual = np.repeat([1.0, 10.0], 100)
    true, law = 60 * usual, KNorm(Norm.MAX, 200, Fraction(4))
    noise = np.linspace(-800, 800, 200)
    noisy = true + np.random.default_rng(1).permutation(noise)
    by_themselves, with_the_usual = shrink(noisy, law), shrink(noisy, law, usual)
    assert np.abs(with_the_usual - true).mean() < 0.5 * np.abs(by_themselves - true).mean()
    assert shrink(noisy, law, np.zeros(200)).tolist() == by_themselves.tolist()


def test_a_number_far_above_its_noise_stays_whatever_the_others_are() -> None:
    """Shrinking leaves a number alone that is far above its noise, within .1 %.

    900,000 stands beside 40 and 25, under noise of scale 20 or 60. Its ratio to the others is
    so large that a grid of ratios could lose it.
    """
    noisy = np.array([900_000.0, 40.0, 25.0])
    for law in (KNorm(Norm.MAX, 3, Fraction(20)), DiscreteLaplace(Fraction(60))):
        assert shrink(noisy, law)[0] == pytest.approx(900_000, rel=1e-3)
        assert shrink(noisy, law, np.ones(3))[0] == pytest.approx(900_000, rel=1e-3)


def test_shrinking_takes_noise_for_noise() -> None:
    """Shrinking makes numbers that are nearly all noise nearly equal, and none negative.

    Sixty numbers of 300 have noise of deviation 14,142; this is repeated 101 times.
    """
    loud_noise = DiscreteLaplace(Fraction(10_000))
    noisy = [loud_noise.release(np.full(60, 300)).astype(float) for _ in range(101)]
    shrunk = [shrink(values, loud_noise) for values in noisy]
    assert min(values.min() for values in shrunk) >= 0
    # One in five deviates by more than 3,000; that half of 101 do has next to no chance.
    assert np.median([values.std() for values in shrunk]) < 3_000


def test_raking_reaches_both_sums() -> None:
    """Raking a table reaches the given sums of its rows and of its columns."""
    table = np.random.default_rng(0).random((4, 5))
    rows, columns = np.array([1.0, 2, 3, 4]), np.array([2.0, 2, 2, 2, 2])

    raked = rake(table, rows, columns, rounds=200)

    np.testing.assert_allclose(raked.sum(axis=1), rows, rtol=1e-6)
    np.testing.assert_allclose(raked.sum(axis=0), columns, rtol=1e-6)


def make_mixture(
    seed: int = 0, shape: tuple[int, ...] = (5, 4, 6, 3, 5, 4), rows: int = 30_000
) -> tuple[Ints, tuple[int, ...]]:
    """Codes of so many rows and six columns, drawn from a mixture of three kinds; and the
    cells of each column.
    """
    generator = np.random.default_rng(seed)
    kinds = generator.choice(3, rows, p=[0.5, 0.3, 0.2])
    tables = [generator.dirichlet(np.full(size, 0.4), 3) for size in shape]
    codes = np.empty((rows, len(shape)), dtype=np.int32)
    for column, table in enumerate(tables):
        for kind in range(3):
            rows_of_kind = kinds == kind
            codes[rows_of_kind, column] = generator.choice(
                shape[column], rows_of_kind.sum(), p=table[kind]
            )
    return codes, shape


def pair_counts(codes: Ints, shape: tuple[int, ...], a: int, b: int) -> Floats:
    """How many rows are in each cell of the columns a and b."""
    cells = codes[:, a] * shape[b] + codes[:, b]
    return (
        np.bincount(cells, minlength=shape[a] * shape[b])
        .reshape(shape[a], shape[b])
        .astype(float)
    )


@pytest.mark.usefixtures("whole_fits")
def test_classes_say_what_an_unmeasured_pair_looks_like() -> None:
    """Latent classes fitted to 14 of 15 pairs predict the last one, and rows dealt from them
    have the classes' pairs.

    The rows are a mixture of three kinds. The error of the unmeasured pair (1, 2) is below .4
    of that of independence.
    """
    codes, shape = make_mixture()
    columns = [
        np.bincount(codes[:, a], minlength=n).astype(float) for a, n in enumerate(shape)
    ]
    measured_pairs = [pair for pair in combinations(range(6), 2) if pair != (1, 2)]
    pairs = {}
    for pair in measured_pairs:
        counts = pair_counts(codes, shape, *pair)
        pairs[pair] = Estimate(counts, np.full(counts.shape, 25.0) + counts)
    classes = fit_classes(
        [(column, 25.0) for column in columns],
        pairs,
        count=3,
        generator=np.random.default_rng(1),
    )

    true = pair_counts(codes, shape, 1, 2)
    independent = np.outer(columns[1], columns[2]) / len(codes)
    assert abs(classes.pair(1, 2) - true).sum() < 0.4 * abs(independent - true).sum()

    drawn_codes = Fits((classes,)).deal(len(codes), np.random.default_rng(2)).T
    for pair in combinations(range(6), 2):
        gap = (
            abs(pair_counts(drawn_codes, shape, *pair) - classes.pair(*pair)).sum()
            / 2
            / len(codes)
        )
        assert gap < 0.02, pair


@pytest.mark.usefixtures("whole_fits")
def test_neighbours_in_order_are_alike_within_a_class() -> None:
    """Classes that know the order of a column's cells fit noisy counts better, by 10 % or
    more.

    Ages rise with a second column; noise makes what is read off cells by themselves jagged.
    `ordered` says how many first cells of each column are in order; 0 is none.
    """
    generator = np.random.default_rng(4)
    group = generator.integers(0, 2, 4_000)
    age = np.clip(generator.normal(12 + 8 * group, 4), 0, 29).astype(int)
    true = pair_counts(np.column_stack([age, group]), (30, 2), 0, 1)
    noisy = Estimate(
        true + generator.normal(0, 30, true.shape), np.full(true.shape, 900.0) + true
    )
    columns = [true.sum(axis=1), true.sum(axis=0)]

    def error_with_order(ordered: bool) -> float:
        seed = np.random.default_rng(1)
        classes = fit_classes(
            [(column, 25.0) for column in columns],
            {(0, 1): noisy},
            count=5,
            generator=seed,
            ordered=ordered,
        )
        return np.abs(classes.pair(0, 1) - true).sum()

    assert error_with_order([30, 0]) < 0.9 * error_with_order([0, 0])
    assert error_with_order([0, 0]) == error_with_order(())
    assert error_with_order([30, 0]) != error_with_order([29, 0]), (
        "a cell beside the order is like any other"
    )


def settle_rows(
    codes: Ints, shape: tuple[int, ...], targets: Any, generator: np.random.Generator
) -> Ints:
    """Codes after their rows were changed towards the targets."""
    rows = LargeRows(codes.T.copy(), shape, generator)
    rows.settle(targets)
    return rows.codes.T


def targets_of(codes: Ints, shape: tuple[int, ...]) -> Any:
    """The exact counts of every pair, as targets with their weights."""
    targets = {}
    for pair in combinations(range(len(shape)), 2):
        estimate = Estimate(
            pair_counts(codes, shape, *pair), np.zeros((shape[pair[0]], shape[pair[1]]))
        )
        targets[pair] = Target(estimate.values, weights(estimate))
    return targets


@pytest.mark.usefixtures("whole_fits")
def test_settled_rows_have_the_marginals_they_should_have() -> None:
    """Settling brings rows of independent columns to the pairs of a mixture, at least twice
    as near as a random sample would be.

    `targets_of` has the counts of every pair; .4 is half of the mean size of a normal
    error.
    """
    codes, shape = make_mixture(rows=5_000)
    generator = np.random.default_rng(5)
    start = np.column_stack([generator.permutation(column) for column in codes.T])
    settled = settle_rows(start, shape, targets_of(codes, shape), generator)
    for pair in combinations(range(6), 2):
        expected = pair_counts(codes, shape, *pair)
        gap = abs(pair_counts(settled, shape, *pair) - expected).sum() / 2 / len(codes)
        chance = np.sqrt(expected).sum() * 0.4 / len(codes)
        assert gap < 0.5 * chance, pair


@pytest.mark.usefixtures("whole_fits")
def test_settling_leaves_columns_nobody_speaks_of_alone() -> None:
    """Settling a pair of columns does not tie either of them to a third one.

    The only target is that columns 0 and 1 agree more often. Each then still has 1,250 =
    20,000 / 16 rows in every cell with column 2, give or take 3 %.
    """
    generator = np.random.default_rng(6)
    shape = (4, 4, 4)
    codes = generator.integers(0, 4, (20_000, 3)).astype(np.int32)
    expected = np.full((4, 4), 500.0) + np.eye(4) * 3000
    targets = {(0, 1): Target(expected, np.ones((4, 4)) / 50)}
    settled = settle_rows(codes, shape, targets, generator)
    assert abs(pair_counts(settled, shape, 0, 1) - expected).sum() / 2 / 20_000 < 0.01
    for tied in (0, 1):
        counts_with_third = pair_counts(settled, shape, tied, 2)
        assert abs(counts_with_third - 1250).sum() / 2 / 20_000 < 0.03


def test_settling_no_rows_and_one_row() -> None:
    """Settling a table of no row or one row leaves as many rows."""
    for rows in (0, 1):
        codes = np.zeros((rows, 2), dtype=np.int32)
        targets = {(0, 1): Target(np.ones((2, 2)) / 4, np.ones((2, 2)))}
        assert settle_rows(codes, (2, 2), targets, np.random.default_rng(0)).shape == (
            rows,
            2,
        )


@given(
    st.fractions(Fraction(1, 1000), 100),
    st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=40),
)
@settings(max_examples=200)
def test_a_split_sums_to_the_budget_exactly(budget: Fraction, shares: Any) -> None:
    """Parts of a budget are fractions above 0 that sum to it exactly, whatever their
    sizes.
    """
    parts = Account(Guarantee.pure(1), Neighbors.ADD_REMOVE).split(budget, shares)
    assert sum(parts) == budget
    assert all(part > 0 for part in parts)


@pytest.mark.parametrize(
    "guarantee", [Guarantee.pure(Fraction(1, 3)), Guarantee.zcdp(Fraction(1, 7))]
)
@pytest.mark.parametrize("neighbors", Neighbors)
def test_noise_costs_exactly_what_it_is_given(
    guarantee: Guarantee, neighbors: Neighbors
) -> None:
    """The noise for a part of a budget has exactly the guarantee that the account books
    for it.
    """
    account = Account(guarantee, neighbors)
    cost = account.total / 3

    paid = account.noise(cost).guarantee(neighbors.sensitivity)
    assert paid == account.claim(cost)


def test_splitting_by_size_is_the_best_split() -> None:
    """No random split of an epsilon has less summed noise over marginals than the split
    by size.

    The noise of a marginal is proportional to its cells divided by its part of the
    budget.
    """
    account = Account(Guarantee.pure(1), Neighbors.ADD_REMOVE)
    sizes = [4, 100, 900]

    def error(costs: Sequence[Fraction]) -> float:
        return sum(size / float(cost) for size, cost in zip(sizes, costs, strict=True))

    best = error(account.by_size(Fraction(1), sizes))  # against 2,000 random splits
    generator = np.random.default_rng(0)
    others = [error(generator.dirichlet(np.ones(3))) for _ in range(2_000)]
    assert best <= min(others) * 1.0001


def test_expected_error_is_the_noise_or_what_is_there() -> None:
    """The expected error of a repaired cell is .8 of its noise, or its rows if these are
    fewer.

    Noise of 10 rows: a cell of 1 row is off by 1, one of 1,000 rows by 8.
    """
    assert error_after(np.array([1.0, 1000.0]), 10.0) == pytest.approx(1 + 8)


def test_amounts_small_beside_a_large_budget_are_still_loud() -> None:
    """The size of the noise depends on the amount that is spent, not on the whole budget.

    It is 1 over the amount: a hundredth of epsilon 10 is noise of 10 rows, though all of it
    would be next to none. In rho, for persons with up to 3 rows, it is the mean size of the
    account's own noise.
    """
    account = Account(Guarantee.pure(10), Neighbors.ADD_REMOVE)
    assert account.size_of_noise(np.array([0.1, 10.0])).tolist() == [10.0, 0.1]
    loose = Account(Guarantee.zcdp(2), Neighbors.REPLACE_ONE, Unit("pid", 3))
    mechanism = loose.noise(Fraction(1, 50))
    assert loose.size_of_noise(np.array([0.02]))[0] == pytest.approx(mechanism.mean_absolute)


def test_a_column_is_known_from_its_own_counts_and_from_the_sums_of_wider_ones() -> None:
    """A column is the average of its own counts and of the sums of a measured pair, weighted
    by the inverse of their variances.

    The column alone has variance 400; a sum of two cells of the pair has 2 x 800. So they
    weigh 4 to 1, and the variance of both is 1 / (1/400 + 1/1600) = 320. The other column has
    only the pair.
    """
    domain = Domain(tuple(Categorical(name=name, categories=("x", "y")) for name in "ab"))
    paid = Guarantee.zcdp(Fraction(1))
    measured = [
        (
            (0,),
            NoisyMarginal(
                domain=domain,
                values=np.array([10, 20]),
                mechanism=DiscreteGaussian(Fraction(400)),
                guarantee=paid,
                rows=30,
            ),
        ),
        (
            (0, 1),
            NoisyMarginal(
                domain=domain,
                values=np.array([6, 6, 9, 9]),
                mechanism=GAUSSIAN,
                guarantee=paid,
                rows=30,
            ),
        ),
    ]

    values, variance = column_sums((2, 2), measured, 0)
    assert values == pytest.approx([10 * 0.8 + 12 * 0.2, 20 * 0.8 + 18 * 0.2])
    assert variance == pytest.approx(320)

    values, variance = column_sums((2, 2), measured, 1)
    assert values.tolist() == [15, 15]
    assert variance == pytest.approx(1600)
