"""Pairs as strongly associated as their noisy counts say."""

import numpy as np
import pytest

from synth.domain import Categorical, Domain, Integer
from synth.estimate.models.associating import (
    FULL,
    Margins,
    Strength,
    aim_further,
    all_places,
    slope,
    strengthen,
)
from synth.util import Floats

HALVED = Strength(1.0, 0.0)
"""Undoes what halves a deviation, where there is no noise."""


def margins_of(table: Floats) -> Margins:
    """The sums of a pair's rows and columns, with places 0, 1, 2, ... for the cells."""
    row_sums, column_sums = table.sum(axis=1), table.sum(axis=0)
    return Margins(
        left=row_sums,
        right=column_sums,
        left_places=np.arange(float(len(row_sums))),
        right_places=np.arange(float(len(column_sums))),
    )


def correlation_of(table: Floats) -> float:
    """Pearson's correlation of a pair, whose cells have the places 0, 1, 2, ..."""
    shares, a, b = table / table.sum(), np.arange(table.shape[0]), np.arange(table.shape[1])
    p, q = shares.sum(axis=1), shares.sum(axis=0)
    x, y = a - p @ a, b - q @ b
    return float(x @ shares @ y / np.sqrt((p @ x**2) * (q @ y**2)))


@pytest.fixture(scope="module")
def associated_pair() -> Floats:
    """A pair of 6 by 5 cells that go together, 20,000 rows."""
    a, b = np.mgrid[:6, :5]
    table = np.exp(-((a / 5 - b / 4) ** 2) / 0.15) * (1 + a)
    return np.asarray(table / table.sum() * 20_000)


def test_what_came_too_near_to_independence_is_stretched_back(
    associated_pair: Floats,
) -> None:
    """An estimate that has half of the true deviation from independence is stretched
    back.

    The estimate is the mean of the pair and of its independent product, so that the slope is
    2. `HALVED` stretches by the whole slope, and the counts have no noise.
    """
    product = margins_of(associated_pair).product
    estimate = (associated_pair + product) / 2
    assert slope(associated_pair, estimate, product) == pytest.approx(2.0)
    strengthened = strengthen(
        associated_pair, 0.0, estimate, margins=margins_of(associated_pair), strength=HALVED
    )
    assert strengthened == pytest.approx(associated_pair, rel=1e-6)


def test_the_columns_stay_and_cells_that_cannot_be_stay_empty(
    associated_pair: Floats,
) -> None:
    """A stretched estimate keeps the sums of both columns; empty cells stay empty, and no
    cell becomes negative.
    """
    noisy = associated_pair + np.random.default_rng(1).normal(0, 40, associated_pair.shape)
    estimate = (associated_pair + margins_of(associated_pair).product) / 2
    estimate[0, 0] = 0.0
    sides = margins_of(estimate)

    strengthened = strengthen(noisy, 1600.0, estimate, margins=sides, strength=FULL)
    assert strengthened[0, 0] == 0
    assert strengthened.min() >= 0
    assert strengthened.sum(axis=1) == pytest.approx(sides.left, rel=1e-3)
    assert strengthened.sum(axis=0) == pytest.approx(sides.right, rel=1e-3)


def test_a_correlation_is_that_of_the_noisy_counts_as_far_as_noise_allows(
    associated_pair: Floats,
) -> None:
    """The correlation moves to that of the noisy counts if noise is low, and stays that of
    the estimate if noise is loud.

    The estimate is a fifth independence, so that its correlation is too low by more than 15
    %. `Strength(0, 1)` closes the whole gap of the correlations and stretches nothing else.
    """
    sides = margins_of(associated_pair)
    estimate = 0.8 * associated_pair + 0.2 * sides.product
    noisy = associated_pair + np.random.default_rng(2).normal(0, 20, associated_pair.shape)

    with_low_noise, with_loud_noise = (
        correlation_of(
            strengthen(noisy, variance, estimate, margins=sides, strength=Strength(0.0, 1.0))
        )
        for variance in (400.0, 1e9)
    )
    assert with_low_noise == pytest.approx(correlation_of(associated_pair), abs=0.04)
    assert with_loud_noise == pytest.approx(correlation_of(estimate), abs=0.001)
    assert correlation_of(estimate) < 0.85 * correlation_of(associated_pair)


def test_independent_columns_stay_independent() -> None:
    """An independent estimate stays as it is, whatever small deviations the noisy counts
    have.

    The variance 10^6 is far above these deviations. The slope of no deviation is 1.
    """
    product = np.outer([300.0, 700.0], [0.2, 0.3, 0.5])
    noisy = product + np.array([[9.0, -4.0, 2.0], [-7.0, 3.0, 1.0]])
    assert slope(noisy, product, product) == 1.0
    strengthened = strengthen(noisy, 1e6, product, margins=margins_of(product), strength=FULL)
    assert strengthened == pytest.approx(product, rel=1e-3)


def test_cells_without_a_place_have_no_part_in_a_correlation() -> None:
    """A cell for missing values has no place on the scale, and makes no correlation.

    Ages have two bins and a missing cell. The counts are free of noise and the estimate
    equals them, so that strengthening hardly changes it.
    """
    age = Integer(name="age", minimum="0", maximum="9", edges=("0", "2", "9"), missing=True)
    sex = Categorical(name="sex", categories=("F", "M"))
    age_places, sex_places = all_places(Domain((age, sex)))
    assert np.isnan(age_places).tolist() == [False, False, True]
    assert (sex_places.tolist(), age_places[0] < age_places[1]) == ([0, 1], True)

    table = np.array([[30.0, 10.0], [10.0, 30.0], [50.0, 1.0]])
    sides = Margins(
        left=table.sum(axis=1),
        right=table.sum(axis=0),
        left_places=age_places,
        right_places=sex_places,
    )
    strengthened = strengthen(table, 0.0, table.copy(), margins=sides, strength=FULL)
    assert strengthened == pytest.approx(table, rel=0.05)


def test_rows_that_fall_short_are_asked_for_more_within_bounds(
    associated_pair: Floats,
) -> None:
    """If drawn rows are too weakly associated, the next try aims further, by a factor of at
    most two.

    `short` reaches half of the deviation that was wanted, `product` none of it: both ask for
    twice the deviation. Rows that reach all of it ask for the same again.
    """
    product = margins_of(associated_pair).product
    short = (associated_pair + product) / 2
    assert aim_further(short, associated_pair, product) == pytest.approx(
        np.maximum(product + 2 * (associated_pair - product), 0)
    )
    assert aim_further(product, associated_pair, product) == pytest.approx(
        np.maximum(product + 2 * (associated_pair - product), 0)
    )
    assert aim_further(associated_pair, associated_pair, product) == pytest.approx(
        associated_pair
    )
