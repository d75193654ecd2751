"""The audit of releases around a public guess: whole adaptive releases, on neighbours."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synth.estimate import AS_IT_STANDS, Method, Order, PublicGuess
from synth.privacy import ROW, Guarantee, Neighbors, Unit
from synth.private.counting import Rows
from synth.private.methods.session import ModelTask, Session
from synth.private.methods.strategies import follow
from tests.audit.test_models import UNITS, Recorder, leak_columns
from tests.audit.twins import TwinDoor, neighbours

SHAPE = (3, 4, 2, 5)
LOUD, QUIET = Guarantee.pure(4), Guarantee.pure(60)
LOOSE = Guarantee.approximate(Fraction(30), Fraction(1, 10**9))


def _tables(neighbors: Neighbors, unit: Unit) -> tuple[Any, Any]:
    generator = np.random.default_rng(1)
    rows = np.column_stack([generator.integers(0, size, 300) for size in SHAPE])
    rows[:, 1] = rows[:, 0]
    return neighbours(rows, neighbors, generator, SHAPE, unit)


def _guess() -> PublicGuess:
    generator = np.random.default_rng(2)
    codes = [generator.integers(0, size, 400).astype(np.int32) for size in SHAPE]
    return PublicGuess(SHAPE, dict(enumerate([codes[0], codes[0], *codes[2:]])), 400)


def _followed(table: Rows, door: Any) -> Any:
    session = Session(table, door, task=ModelTask(public=_guess()))
    fitted = follow(session, Order(strategy=Method.ONE_SHOT), np.random.default_rng(2))
    return session, fitted.codes.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("guarantee", [LOUD, QUIET, LOOSE], ids=["loud", "quiet", "zCDP"])
@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_with_the_answers_frozen_neighbours_are_asked_and_give_the_same(
    neighbors: Neighbors, guarantee: Guarantee, unit: Unit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same noisy answers, a release around a public table is the same for
    neighbours. So the next guess, its price and the rows follow from answers and public rows
    alone. The second table gets the answers of the first.
    """
    traces, guesses = [], []
    answers = None
    private = Session._private

    def guessed(session: Session, clique: Any, expected: Any) -> Any:
        guesses[-1].append((clique, expected.tobytes()))
        return private(session, clique, expected)

    monkeypatch.setattr(Session, "_private", guessed)

    for table in _tables(neighbors, unit):
        guesses.append([])
        door = Recorder(answers, neighbors=neighbors, guarantee=guarantee, unit=unit)
        session, rows = _followed(table, door)
        assert session.left == 0
        assert any(spend.what == AS_IT_STANDS for spend in session.evidence.spends)
        answers = door.answered
        traces.append((door.asked, door.spent, rows))

    assert traces[0] == traces[1]
    assert guesses[0] == guesses[1]


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("guarantee", [LOUD, QUIET], ids=["loud", "quiet"])
@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_no_distance_from_a_guess_moves_by_more_than_is_paid_for(
    neighbors: Neighbors, guarantee: Guarantee, unit: Unit
) -> None:
    """No distance of the table from a public guess moves further on a neighbour than is paid
    for. `changes` are shares of the declared moves. If noise hides that there are rows, the
    guess is not used, and the release is tried again.
    """
    mine, neighbour = _tables(neighbors, unit)
    is_guess_asked = False
    while not is_guess_asked:
        door = TwinDoor(neighbour, neighbors=neighbors, guarantee=guarantee, unit=unit)
        _followed(mine, door)
        assert door.watched.epsilon <= float(guarantee.epsilon or 0) * (1 + 1e-12)
        assert max(door.watched.changes.values()) <= 1
        is_guess_asked = "summed-distance, L1" in door.watched.changes


def test_a_guess_that_looks_at_exact_columns_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release that compares the guess with exact columns differs between neighbours.

    The test of frozen answers, which is called here, notices that.
    """
    leak_columns(monkeypatch)
    with pytest.raises(AssertionError, match="assert"):
        test_with_the_answers_frozen_neighbours_are_asked_and_give_the_same(
            Neighbors.ADD_REMOVE, LOUD, ROW, monkeypatch
        )
