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
from synth.estimate.models.corrected_guess import least_off
from synth.estimate.models.splitting import LeastErrors
from synth.privacy import Guarantee, Neighbors
from tests.models.doors import make_domain

SHAPE = (2, 2, 3)


def _make_evidence() -> Evidence:
    first = np.repeat(np.arange(2), 500).astype(np.int32)
    public = PublicGuess(SHAPE, {0: first, 1: first}, 1000)
    evidence = Evidence(make_domain(SHAPE), public=public)
    evidence.total, evidence.columns = 600.0, [np.full(size, 600 / size) for size in SHAPE]
    return evidence


@pytest.mark.parametrize("epsilon", ["1/30", "1/10", "2/5"])
def test_a_guess_is_taken_where_it_is_nearer_than_noise_lets_pairs_be(epsilon: str) -> None:
    account = Account(Guarantee.pure(Fraction(epsilon)), Neighbors.ADD_REMOVE)
    evidence, budgets = _make_evidence(), [(account, account.total)]
    near, far = (with_guess(budgets, evidence, off).error for off in (0.0, 600.0))
    assert near < min(far, without_guess(budgets, evidence))
    is_measured = epsilon == "2/5"  # pairs are
    assert is_measured or without_guess(budgets, evidence) < far


def test_it_is_spent_in_the_way_that_promises_more() -> None:
    pure = Account(Guarantee.pure(Fraction(1)), Neighbors.ADD_REMOVE)
    loose = Account(Guarantee.zcdp(Fraction(1, 10**6)), Neighbors.ADD_REMOVE)
    budgets = [(loose, loose.total), (pure, pure.total)]
    assert with_guess(budgets, _make_evidence(), 10.0).account is pure


def test_presumed_distances_have_the_mean_and_no_pair_goes_without() -> None:
    evidence = _make_evidence()
    presume_distances(evidence, 80.0)
    assert evidence.distances.keys() == {*evidence.pairs}
    assert evidence.distances[0, 1] == 80
    presume_distances(evidence, 0.0)  # then it is half of what the guess is off at least
    assert evidence.distances[0, 1] == least_off(evidence.public, [(0, 1)], 600.0) / 2


def test_columns_do_not_get_all_where_pairs_of_a_usual_table_would_be_nearer() -> None:
    """14 columns of 24,000 rows whose public links are wrong, .075 off, at epsilon 1."""
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
    all_to_pairs = LeastErrors(percent=0, amounts={0: 0.03}, error=0.0, columns_only=1e9)
    monkeypatch.setattr(corrected_guess, "least_errors", lambda *_, **__: all_to_pairs)
    account = Account(Guarantee.pure(Fraction(3, 100)), Neighbors.ADD_REMOVE)
    assert with_guess([(account, account.total)], _make_evidence(), 100.0).share == Fraction(
        1, 100
    )
