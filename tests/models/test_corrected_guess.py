"""How far off a public guess is, and what follows from it."""

from fractions import Fraction

import numpy as np
import pytest

from synth.estimate import (
    Account,
    Evidence,
    PublicGuess,
    presume_distances,
    with_guess,
    without_guess,
)
from synth.estimate.models import corrected_guess
from synth.estimate.models.corrected_guess import distance_by_chance
from synth.estimate.models.splitting import LeastErrors
from synth.privacy import Guarantee, Neighbors
from tests.models.doors import make_domain

SHAPE = (2, 2, 3)


def _make_evidence() -> Evidence:
    """600 private rows of even columns, and a public guess whose first two columns are
    equal.
    """
    first = np.repeat(np.arange(2), 500).astype(np.int32)
    public = PublicGuess(SHAPE, {0: first, 1: first}, 1000)
    evidence = Evidence(make_domain(SHAPE), public=public)
    evidence.total, evidence.columns = 600.0, [np.full(size, 600 / size) for size in SHAPE]
    return evidence


@pytest.mark.parametrize("epsilon", ["1/30", "1/10", "2/5"])
def test_a_guess_is_taken_where_it_is_nearer_than_noise_lets_pairs_be(epsilon: str) -> None:
    """A public guess is expected to be nearer than measured pairs if it is right, and not if
    it is wrong by all 600 rows.

    The third argument is how many rows the guess is off. With the largest epsilon pairs are
    measured, so that a wrong guess is corrected.
    """
    account = Account(Guarantee.pure(Fraction(epsilon)), Neighbors.ADD_REMOVE)
    evidence, budgets = _make_evidence(), [(account, account.total)]
    error_if_right, error_if_wrong = (
        with_guess(budgets, evidence, off).error for off in (0.0, 600.0)
    )
    assert error_if_right < min(error_if_wrong, without_guess(budgets, evidence))
    is_measured = epsilon == "2/5"  # pairs are
    assert is_measured or without_guess(budgets, evidence) < error_if_wrong


def test_it_is_spent_in_the_way_that_promises_more() -> None:
    """Of two budgets the one with the lower expected error is spent.

    A rho of 10^-6 is far noisier than an epsilon of 1.
    """
    pure = Account(Guarantee.pure(Fraction(1)), Neighbors.ADD_REMOVE)
    loose = Account(Guarantee.zcdp(Fraction(1, 10**6)), Neighbors.ADD_REMOVE)
    budgets = [(loose, loose.total), (pure, pure.total)]
    assert with_guess(budgets, _make_evidence(), 10.0).account is pure


def test_presumed_distances_have_the_mean_and_no_pair_goes_without() -> None:
    """Pairs get distances from the guess without a measurement of each, with the given
    mean.

    The public table covers only the pair (0, 1), which gets all of the mean. It never gets
    less than half of what chance alone would make.
    """
    evidence = _make_evidence()
    presume_distances(evidence, 80.0)
    assert evidence.distances.keys() == {*evidence.pairs}
    assert evidence.distances[0, 1] == 80
    presume_distances(evidence, 0.0)  # then it is half of what the guess is off at least
    assert (
        evidence.distances[0, 1] == distance_by_chance(evidence.public, [(0, 1)], 600.0) / 2
    )


def test_columns_do_not_get_all_where_pairs_of_a_usual_table_would_be_nearer() -> None:
    """Pairs get a part of the budget if the guess is so wrong that measured pairs would
    be nearer.

    14 columns of 24,000 rows whose public links are wrong, .075 off in total variation (.15
    in the sum of differences), at epsilon 1. A share of 1 would give columns everything.
    """
    shape, rows = (20, 9, 15, 16, 7, 15, 6, 5, 2, 20, 20, 20, 40, 2), 24_000
    generator = np.random.default_rng(2)
    codes = {
        a: generator.integers(0, size, rows).astype(np.int32) for a, size in enumerate(shape)
    }
    account = Account(Guarantee.pure(Fraction(1)), Neighbors.ADD_REMOVE)
    evidence = Evidence(make_domain(shape), public=PublicGuess(shape, codes, rows))
    evidence.total = float(rows)
    evidence.columns = [np.full(size, rows / size) for size in shape]
    assert with_guess([(account, account.total)], evidence, 0.15 * rows).share < 1


def test_columns_get_something_where_pairs_seem_worth_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Columns get at least 1 % of the budget, even if the best split gives all of it to
    pairs.

    That split is put in the place of what `least_errors` would find.
    """
    all_to_pairs = LeastErrors(percent=0, amounts={0: 0.03}, error=0.0, columns_only=1e9)
    monkeypatch.setattr(corrected_guess, "least_errors", lambda *_, **__: all_to_pairs)
    account = Account(Guarantee.pure(Fraction(3, 100)), Neighbors.ADD_REMOVE)
    assert with_guess([(account, account.total)], _make_evidence(), 100.0).share == Fraction(
        1, 100
    )
