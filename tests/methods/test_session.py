"""Sensitivities of a session's questions, and the same questions asked again."""

from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from synth.door import Door, Ledger
from synth.errors import ReleaseError
from synth.estimate import Method, Order
from synth.privacy import GRID, Guarantee, Neighbors, in_rho, parse_budget
from synth.private.methods.session import Session
from synth.private.methods.strategies import follow
from synth.private.queries import Guess, worst_guess
from tests.models.doors import EPSILON_ONE, EPSILON_ONE_AND_DELTA, hold_rows, open_door
from tests.models.test_pieces import make_mixture


@pytest.mark.parametrize("neighbors", Neighbors)
@pytest.mark.parametrize("max_rows", [1, 3])
def test_declared_sensitivities_are_those_found_on_neighbours(
    neighbors: Neighbors, max_rows: int
) -> None:
    """Histograms and distances of neighbouring tables differ by no more than the declared
    sensitivity, and the worst of 300 random tables reaches that of histograms.

    Neighbours differ by a unit of `max_rows` rows, added or replaced. Histograms are compared
    in L1 and squared L2, distances one by one and all three together, in steps of 1 / GRID.
    """
    generator = np.random.default_rng(1)
    shape = (3, 4, 2)
    worst = np.zeros(4)  # L1, squared L2, one distance, all three distances
    bound = max_rows * neighbors.sensitivity
    for _ in range(300):
        codes = np.column_stack([generator.integers(0, n, 12) for n in shape]).astype(
            np.int32
        )
        neighbour = codes.copy()
        if neighbors is Neighbors.REPLACE_ONE:
            neighbour[:max_rows] = [generator.integers(0, n) for n in shape]
            codes[:max_rows] = codes[0]
        else:
            neighbour = codes[max_rows:].copy()
            codes[:max_rows] = codes[0]

        tables = [hold_rows(table_codes, shape) for table_codes in (codes, neighbour)]
        moved = []
        for pair in combinations(range(3), 2):
            before, after = (rows.count(pair).dense() for rows in tables)
            gap = abs(before - after)
            guess = generator.random(gap.size) * 4
            distances = [Guess(rows.count(pair), guess).distance for rows in tables]
            moved.append(abs(distances[0] - distances[1]))
            worst[:2] = np.maximum(worst[:2], [gap.sum(), (gap**2).sum()])
        worst[2] = max(worst[2], max(moved))
        worst[3] = max(worst[3], sum(moved))

    assert worst[0] == bound
    assert worst[1] == bound * max_rows  # all rows of a unit may be in one cell
    assert GRID * bound * 0.5 < worst[2] <= GRID * bound
    assert worst[3] <= 3 * GRID * bound


def test_a_choice_takes_the_guess_that_is_furthest_off() -> None:
    """A private choice among guesses takes the one furthest off, and cannot cost more
    than is left.

    One guess is the exact counts, the other says that nobody is there: 20,000 rows off. The
    noise of an epsilon of 1 has no chance to turn that round.
    """
    codes, shape = make_mixture(rows=20_000)
    rows = hold_rows(codes, shape)
    counts_of_right, counts_of_wrong = rows.count((0, 1)), rows.count((1, 4))
    guesses = [
        Guess(counts_of_right, counts_of_right.dense().astype(float)),
        Guess(counts_of_wrong, np.zeros(20)),
    ]
    query = worst_guess(guesses, [0, 0], Neighbors.ADD_REMOVE)
    for guarantee in (Guarantee.pure(1), Guarantee.zcdp(Fraction(1, 8))):
        assert open_door(guarantee).choose(query, guarantee).index == 1
        with pytest.raises(ReleaseError, match="more than is left"):
            open_door(guarantee).choose(query, guarantee + guarantee)


@pytest.mark.slow
def test_repeating_a_request_measures_nothing_anew(tmp_path: Path) -> None:
    """A release that is asked for again has the same rows and noisy values, and is spent
    once.

    The second door finds all answers in the ledger, by the table's digest and the
    request.
    """
    codes, shape = make_mixture(rows=2_000)
    rows = hold_rows(codes, shape)
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.set_budget("t", parse_budget("3", Neighbors.ADD_REMOVE))
    releases = []
    for _ in range(2):
        door = Door(
            ledger=ledger,
            dataset="t",
            neighbors=Neighbors.ADD_REMOVE,
            guarantee=EPSILON_ONE,
            purpose="test",
            table="a" * 64,
            request="adaptive",
        )
        session = Session(rows, door)
        fitted = follow(
            session, Order(strategy=Method.ADAPTIVE), np.random.default_rng(door.seed())
        )
        noisy_values = [noisy.values for _, noisy in session.evidence.measured]
        releases.append((fitted.codes, noisy_values))

    (first_codes, first_values), (second_codes, second_values) = releases
    assert len(ledger.entries()) == 1
    np.testing.assert_array_equal(first_codes, second_codes)
    for noisy, noisy_again in zip(first_values, second_values, strict=True):
        np.testing.assert_array_equal(noisy, noisy_again)


def test_what_was_begun_in_rho_goes_on_in_rho() -> None:
    """Once columns are measured in rho, a session with a delta can no longer be pure."""
    codes, shape = make_mixture(rows=100)
    session = Session(hold_rows(codes, shape), open_door(EPSILON_ONE_AND_DELTA))
    assert session.may_be_pure
    session.measure_columns(session.account.total / 2)
    assert not session.may_be_pure


def test_a_column_measured_again_beside_a_rho_costs_its_whole() -> None:
    """Once a rho is spent, noise is not reduced: each later measurement of a column costs as
    much as the first, in rho.

    A method of one's own might creep: a little less noise, again and again, here 20 times.
    The whole cost is 21 times the first, and the rho of the pair in between.
    """
    codes, shape = make_mixture(rows=2_000)
    session = Session(hold_rows(codes, shape), open_door(EPSILON_ONE_AND_DELTA))
    small, tiny = Fraction(1, 100), Fraction(1, 10**6)
    session.spend_as(pure=True)
    first_measurement = session.measure((0,), small)
    session.spend_as(pure=False)
    session.measure((0, 1), tiny)
    session.spend_as(pure=True)
    later_measurements = [session.measure((0,), small) for _ in range(20)]

    assert {noisy.mechanism for noisy in later_measurements} == {first_measurement.mechanism}
    assert {noisy.guarantee for noisy in later_measurements} == {Guarantee.pure(small)}
    cost_in_rho = in_rho(Guarantee.pure(small), gaussian=session.spent.is_gaussian)
    assert session.spent.rho == tiny + 21 * cost_in_rho


def test_noise_is_not_reduced_on_the_way_to_a_rho() -> None:
    """A session that may end in rho pays twice for the same column, with the same noise.

    Less noise for the difference of the costs holds in epsilon alone. So it is not offered
    even while all is paid in epsilon, as the pair that comes last is paid in rho.
    """
    codes, shape = make_mixture(rows=2_000)
    session = Session(hold_rows(codes, shape), open_door(EPSILON_ONE_AND_DELTA))
    cost = Fraction(1, 100)
    with session.in_epsilon():
        first_measurement, second_measurement = (
            session.measure((0,), cost) for _ in range(2)
        )
    assert first_measurement.mechanism == second_measurement.mechanism
    assert session.spent == Guarantee.pure(2 * cost)

    session.measure((0, 1), Fraction(1, 10**6))
    assert session.spent.rho is not None


def test_noise_is_reduced_where_all_is_paid_in_epsilon() -> None:
    """The second measurement of a column takes the place of the first, at twice its cost."""
    codes, shape = make_mixture(rows=2_000)
    session = Session(hold_rows(codes, shape), open_door(EPSILON_ONE))
    cost = Fraction(1, 100)
    first_measurement, second_measurement = (session.measure((0,), cost) for _ in range(2))
    assert (
        second_measurement.guarantee
        == first_measurement.guarantee + first_measurement.guarantee
        == session.spent
    )
    assert len(session.evidence.measured) == 1
