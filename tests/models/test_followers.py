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
from tests.models.doors import hold_rows, make_domain, mean_pair_distance, release

ROWS = 6_000
AGE = np.random.default_rng(3).integers(0, 12, ROWS)
CODES = np.column_stack(
    [AGE // 4, AGE, AGE % 2, np.random.default_rng(4).integers(0, 3, ROWS)]
)
SHAPE = (3, 12, 2, 3)


def count_cells(clique: Clique, codes: Codes, shape: tuple[int, ...]) -> NDArray[np.intp]:
    sizes = [shape[column] for column in clique]
    cells = np.ravel_multi_index([codes[:, column] for column in clique], sizes)
    return np.bincount(cells, minlength=math.prod(sizes))


def measure_without_noise(
    clique: Clique, codes: Codes = CODES, shape: tuple[int, ...] = SHAPE
) -> NoisyMarginal:
    """Counts of a column or a pair, as if their noise had been 0."""
    domain = make_domain(shape).project([f"c{column}" for column in clique])
    law, cost = DiscreteLaplace(Fraction(1)), Guarantee.pure(1)
    return NoisyMarginal(
        domain=domain,
        values=count_cells(clique, codes, shape),
        mechanism=law,
        guarantee=cost,
        rows=None,
    )


def make_evidence(
    noise: int = 1, codes: Codes = CODES, shape: tuple[int, ...] = SHAPE
) -> Evidence:
    """What a release knows of these codes: exact columns, and distances of pairs with this
    noise scale.
    """
    evidence = Evidence(make_domain(shape))
    evidence.total = ROWS
    counts = [np.bincount(c, minlength=n) for c, n in zip(codes.T, shape, strict=True)]
    evidence.columns = [count.astype(float) for count in counts]
    evidence.variances = [1.0] * len(shape)
    distances = [
        np.abs(count_cells(pair, codes, shape) - evidence.guess(pair).reshape(-1)).sum()
        for pair in evidence.pairs
    ]
    mechanism = DiscreteLaplace(Fraction(noise))
    evidence.take_distances([int(GRID * distance) for distance in distances], mechanism)
    return evidence


def test_groups_of_ages_follow_age_and_what_is_random_does_not() -> None:
    """A column that is a function of another one is found, with its leader.

    Column 1 is an age. Columns 0 and 2 are its group of four and its parity; column 3 is
    random.
    """
    assert followers(make_evidence()) == {0: 1, 2: 1}


def test_noise_is_not_taken_for_a_column_that_follows() -> None:
    """No column is taken as a follower if noise on the distances hides everything."""
    assert followers(make_evidence(noise=10**7)) == {}


def test_only_a_measured_pair_tells_how_a_column_follows() -> None:
    """Once pairs are measured, only a measured pair shows a follower: here (0, 1), in which
    column 0 follows column 1, but not (1, 2).
    """
    assert followers(make_evidence(), {(0, 1): measure_without_noise((0, 1))}) == {0: 1}


def test_counts_of_a_pair_say_what_its_distance_hides() -> None:
    """The measured counts of a pair show a follower that its noisy distance hides.

    Column 0, a group of ages, follows age, column 1. Noise took a fifth off their
    distance.
    """
    evidence = make_evidence(noise=300 * GRID)
    noisy = {(0, 1): measure_without_noise((0, 1))}
    evidence.distances[0, 1] *= 0.8
    assert followers(evidence) == {}
    assert followers(evidence, noisy) == {0: 1}


def test_a_loud_distance_is_not_taken_for_a_column_that_follows() -> None:
    """A distance with much noise shows no follower, even if it is five times its noise.

    Otherwise nothing of the column would be measured, as it would be drawn from its
    leader.
    """
    evidence = make_evidence(noise=500 * GRID)
    assert evidence.distances[0, 1] > 5 * evidence.distance_noise
    assert followers(evidence) == {}


def test_of_columns_that_are_the_same_the_one_that_was_measured_most_leads() -> None:
    """Of four equal columns the leader is the one that was measured with all others,
    column 2.
    """
    codes = np.column_stack([AGE] * 4)
    evidence = make_evidence(codes=codes, shape=(12,) * 4)
    noisy = {
        pair: measure_without_noise(pair, codes, (12,) * 4)
        for pair in [(0, 2), (1, 2), (2, 3)]
    }
    assert followers(evidence, noisy) == {0: 2, 1: 2, 3: 2}


def test_a_pair_of_followers_is_explained_by_what_they_follow() -> None:
    """A distance of a pair is unexplained only if no common leader of both columns
    explains it.

    Columns 0 and 2 both follow age, column 1, so that almost nothing of their distance is
    left. The distance of column 0 to its leader stays.
    """
    evidence = make_evidence()
    unexplained = measure_unexplained(evidence)
    assert unexplained[0, 1] == pytest.approx(evidence.distances[0, 1], rel=0.01)
    assert unexplained[0, 2] < 0.02 * ROWS


@pytest.mark.usefixtures("whole_fits")
def test_followers_come_out_as_functions_of_what_they_follow() -> None:
    """Synthetic rows keep a column that is a function of another one in 98 % of the rows.

    Column 0 is the group of four ages of column 1. Epsilon 20 leaves little noise.
    """
    fitted, _, _ = release(
        hold_rows(CODES.astype(np.int32), SHAPE), Method.ONE_SHOT, Guarantee.pure(20)
    )
    assert fitted.strategy == Method.ONE_SHOT
    assert mean_pair_distance(CODES, fitted.codes, SHAPE) < 0.02
    assert (fitted.codes[:, 1] // 4 == fitted.codes[:, 0]).mean() > 0.98
