"""Columns or pairs: what each is worth before and after the distances are known."""

from fractions import Fraction

import numpy as np
import pytest

from synth.estimate import Account, Evidence, prospect, split_again
from synth.noise import DiscreteLaplace
from synth.privacy import GRID, Guarantee, Neighbors
from tests.models.doors import make_domain

QUIET = DiscreteLaplace(Fraction(64))
ACCOUNT = Account(Guarantee.pure(Fraction(1)), Neighbors.ADD_REMOVE)


def make_evidence(distances: list[float], rows: float = 10_000) -> Evidence:
    """Three columns of four cells, well known, and distances in total variation of the pairs
    (0, 1), (0, 2) and (1, 2).
    """
    evidence = Evidence(make_domain((4, 4, 4)))
    evidence.total = rows
    evidence.columns = [rows * np.array([0.4, 0.3, 0.2, 0.1])] * 3
    evidence.variances = [1.0] * 3
    noisy = np.array([2 * rows * GRID * distance for distance in distances])
    evidence.take_distances(noisy.astype(int).tolist(), QUIET)
    return evidence


def test_pairs_that_are_far_from_independent_get_most() -> None:
    """The rest of a budget goes to the pair that is far from independent, and is spent
    exactly.

    Only pair (0, 1) is, by .3; the two others, at .001, get nothing.
    """
    evidence = make_evidence([0.3, 0.001, 0.001])
    columns, pairs = split_again(
        ACCOUNT, Fraction(1, 2), evidence, open_pairs=set(evidence.pairs)
    )
    assert pairs.keys() == {(0, 1)}
    assert columns + sum(pairs.values()) == Fraction(1, 2)


def test_columns_get_all_where_no_pair_is_worth_it() -> None:
    """Columns get all of the rest if pairs are independent, or if none may be measured."""
    evidence = make_evidence([0.0, 0.0, 0.0])
    all_to_columns = (Fraction(1, 2), {})  # the columns' part, and that of each pair

    assert (
        split_again(ACCOUNT, Fraction(1, 2), evidence, open_pairs=set(evidence.pairs))
        == all_to_columns
    )
    assert (
        split_again(ACCOUNT, Fraction(1, 2), make_evidence([0.3] * 3), open_pairs=set())
        == all_to_columns
    )


def test_columns_are_measured_again_where_they_are_what_is_wrong() -> None:
    """Columns with much noise get part of the rest beside a pair; well known ones get
    none.
    """
    evidence = make_evidence([0.3, 0.001, 0.001])
    assert (
        split_again(ACCOUNT, Fraction(1, 2), evidence, open_pairs=set(evidence.pairs))[0] == 0
    )

    evidence.variances = [200.0**2] * 3  # noise of 200 rows in cells of 1,000 to 4,000
    assert (
        split_again(ACCOUNT, Fraction(1, 2), evidence, open_pairs=set(evidence.pairs))[0] > 0
    )


def test_what_noise_on_columns_does_to_distances_is_not_taken_for_association() -> None:
    """No pair is measured if the noise of the columns alone explains the pairs'
    distances.

    Columns that are off by a tenth of the rows make distances of a fifth out of nothing.
    """
    evidence = make_evidence([0.15, 0.15, 0.15])
    evidence.variances = [1_000.0**2] * 3
    assert (
        split_again(ACCOUNT, Fraction(1, 2), evidence, open_pairs=set(evidence.pairs))[1]
        == {}
    )


@pytest.mark.parametrize("rows", [0.0, 100.0, 1e6])
def test_more_rows_make_pairs_worth_it(rows: float) -> None:
    """Pairs are expected to be worth their cost for a million rows, and not for 100 or
    none.
    """
    prospects = prospect(ACCOUNT, (4, 5, 6, 7), rows)
    assert (prospects.pairs < prospects.columns_only) is (rows > 1e5)


def test_pairs_with_the_column_to_be_predicted_get_more_and_all_is_spent() -> None:
    """Pairs with the column to be predicted get more of the budget, and all of it is
    spent.

    All three pairs are equally far from independent, so that without a column to be predicted
    they get the same. With column 2, its two pairs take from the third, and get more than
    twice as much, or it gets nothing.
    """
    evidence = make_evidence([0.1, 0.1, 0.1])
    _, even = split_again(ACCOUNT, Fraction(1, 20), evidence, open_pairs=set(evidence.pairs))
    columns, pairs = split_again(
        ACCOUNT, Fraction(1, 20), evidence, open_pairs=set(evidence.pairs), predicted=2
    )

    assert columns + sum(pairs.values()) == Fraction(1, 20)
    assert even[0, 2] == even[0, 1]
    assert pairs[0, 2] == pairs[1, 2] > even[0, 2]
    assert pairs[0, 2] > 2 * pairs.get((0, 1), Fraction(0))
