"""Columns that follow from another one: found, left unmeasured, and drawn from it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from synth.estimate import Clique, Evidence, Method, NoisyMarginal
from synth.estimate.models.followers import followers, measure_unexplained
from synth.noise import DiscreteLaplace
from synth.privacy import GRID, Guarantee
from synth.util import Codes
from tests.models.doors import coded_rows, distance, domain_of, release

ROWS = 6_000
AGE = np.random.default_rng(3).integers(0, 12, ROWS)
CODES = np.column_stack(
    [AGE // 4, AGE, AGE % 2, np.random.default_rng(4).integers(0, 3, ROWS)]
)
SHAPE = (3, 12, 2, 3)


def table_of(clique: Clique, codes: Codes, shape: tuple[int, ...]) -> NDArray[np.intp]:
    sizes = [shape[column] for column in clique]
    cells = np.ravel_multi_index([codes[:, column] for column in clique], sizes)
    return np.bincount(cells, minlength=math.prod(sizes))


def counts_of(
    clique: Clique, codes: Codes = CODES, shape: tuple[int, ...] = SHAPE
) -> NoisyMarginal:
    """Counts of a column or a pair, as if their noise had been 0."""
    domain = domain_of(shape).project([f"c{column}" for column in clique])
    law, cost = DiscreteLaplace(Fraction(1)), Guarantee.pure(1)
    return NoisyMarginal(
        domain=domain,
        values=table_of(clique, codes, shape),
        mechanism=law,
        guarantee=cost,
        rows=None,
    )


def evidence_of(
    noise: int = 1, codes: Codes = CODES, shape: tuple[int, ...] = SHAPE
) -> Evidence:
    """All that could be known of codes."""
    found = Evidence(domain_of(shape))
    found.total = ROWS
    counts = [np.bincount(c, minlength=n) for c, n in zip(codes.T, shape, strict=True)]
    found.columns = [count.astype(float) for count in counts]
    found.variances = [1.0] * len(shape)
    apart = [
        np.abs(table_of(pair, codes, shape) - found.guess(pair).reshape(-1)).sum()
        for pair in found.pairs
    ]
    mechanism = DiscreteLaplace(Fraction(noise))
    found.take_distances([int(GRID * one) for one in apart], mechanism)
    return found


def test_groups_of_ages_follow_age_and_what_is_random_does_not() -> None:
    assert followers(evidence_of()) == {0: 1, 2: 1}


def test_noise_is_not_taken_for_a_column_that_follows() -> None:
    assert followers(evidence_of(noise=10**7)) == {}


def test_only_a_measured_pair_tells_how_a_column_follows() -> None:
    assert followers(evidence_of(), {(0, 1): counts_of((0, 1))}) == {0: 1}


def test_counts_of_a_pair_say_what_its_distance_hides() -> None:
    found, noisy = evidence_of(noise=300 * GRID), {(0, 1): counts_of((0, 1))}
    found.distances[0, 1] *= 0.8
    assert followers(found) == {}
    assert followers(found, noisy) == {0: 1}


def test_a_loud_distance_is_not_taken_for_a_column_that_follows() -> None:
    """Nothing of a column would be measured that seems to follow another one."""
    found = evidence_of(noise=500 * GRID)
    assert found.distances[0, 1] > 5 * found.distance_noise
    assert followers(found) == {}


def test_of_columns_that_are_the_same_the_one_that_was_measured_most_leads() -> None:
    codes = np.column_stack([AGE] * 4)
    found = evidence_of(codes=codes, shape=(12,) * 4)
    noisy = {pair: counts_of(pair, codes, (12,) * 4) for pair in [(0, 2), (1, 2), (2, 3)]}
    assert followers(found, noisy) == {0: 2, 1: 2, 3: 2}


def test_a_pair_of_followers_is_explained_by_what_they_follow() -> None:
    found = evidence_of()
    left = measure_unexplained(found)
    assert left[0, 1] == pytest.approx(found.distances[0, 1], rel=0.01)
    assert left[0, 2] < 0.02 * ROWS


@pytest.mark.usefixtures("whole_fits")
def test_followers_come_out_as_functions_of_what_they_follow() -> None:
    fitted, _, _ = release(
        coded_rows(CODES.astype(np.int32), SHAPE), Method.ONE_SHOT, Guarantee.pure(20)
    )
    assert fitted.strategy == Method.ONE_SHOT
    assert distance(CODES, fitted.codes, SHAPE) < 0.02
    assert (fitted.codes[:, 1] // 4 == fitted.codes[:, 0]).mean() > 0.98
