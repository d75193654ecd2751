"""Columns or pairs: what each is worth before and after the distances are known."""

from fractions import Fraction

import numpy as np
import pytest

from synth.estimate import Account, Evidence, prospect, split_again
from synth.noise import DiscreteLaplace
from synth.privacy import GRID, Guarantee, Neighbors
from tests.models.doors import domain_of

QUIET = DiscreteLaplace(Fraction(64))
ACCOUNT = Account(Guarantee.pure(Fraction(1)), Neighbors.ADD_REMOVE)


def evidence_of(distances: list[float], rows: float = 10_000) -> Evidence:
    """Three columns of four cells, well known, and distances in total variation."""
    found = Evidence(domain_of((4, 4, 4)))
    found.total = rows
    found.columns = [rows * np.array([0.4, 0.3, 0.2, 0.1])] * 3
    found.variances = [1.0] * 3
    noisy = np.array([2 * rows * GRID * distance for distance in distances])
    found.take_distances(noisy.astype(int).tolist(), QUIET)
    return found


def test_pairs_that_are_far_from_independent_get_most() -> None:
    found = evidence_of([0.3, 0.001, 0.001])
    columns, pairs = split_again(ACCOUNT, Fraction(1, 2), found, open_pairs=set(found.pairs))
    assert pairs.keys() == {(0, 1)}
    assert columns + sum(pairs.values()) == Fraction(1, 2)


def test_columns_get_all_where_no_pair_is_worth_it() -> None:
    found = evidence_of([0.0, 0.0, 0.0])
    alone = (Fraction(1, 2), {})
    assert split_again(ACCOUNT, Fraction(1, 2), found, open_pairs=set(found.pairs)) == alone
    assert (
        split_again(ACCOUNT, Fraction(1, 2), evidence_of([0.3] * 3), open_pairs=set())
        == alone
    )


def test_columns_are_measured_again_where_they_are_what_is_wrong() -> None:
    """Loud columns get a part beside a pair that is worth it; well known ones get none."""
    found = evidence_of([0.3, 0.001, 0.001])
    assert split_again(ACCOUNT, Fraction(1, 2), found, open_pairs=set(found.pairs))[0] == 0
    found.variances = [200.0**2] * 3
    assert split_again(ACCOUNT, Fraction(1, 2), found, open_pairs=set(found.pairs))[0] > 0


def test_what_noise_on_columns_does_to_distances_is_not_taken_for_association() -> None:
    """Columns that are off by a tenth make distances of a fifth of nothing."""
    found = evidence_of([0.15, 0.15, 0.15])
    found.variances = [1_000.0**2] * 3
    assert split_again(ACCOUNT, Fraction(1, 2), found, open_pairs=set(found.pairs))[1] == {}


@pytest.mark.parametrize("rows", [0.0, 100.0, 1e6])
def test_more_rows_make_pairs_worth_it(rows: float) -> None:
    found = prospect(ACCOUNT, (4, 5, 6, 7), rows)
    assert (found.pairs < found.columns_only) is (rows > 1e5)


def test_pairs_with_the_column_to_be_predicted_get_more_and_all_is_spent() -> None:
    found = evidence_of([0.1, 0.1, 0.1])
    _, even = split_again(ACCOUNT, Fraction(1, 20), found, open_pairs=set(found.pairs))
    columns, pairs = split_again(
        ACCOUNT, Fraction(1, 20), found, open_pairs=set(found.pairs), predicted=2
    )
    assert columns + sum(pairs.values()) == Fraction(1, 20)
    assert even[0, 2] == even[0, 1]
    assert pairs[0, 2] == pairs[1, 2] > even[0, 2]
    assert pairs[0, 2] > 2 * pairs.get((0, 1), Fraction(0))
