"""Slips in sessions, at the door, and in its noise."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from synth.door.door import Door
from synth.door.ledger.ledger import Ledger
from synth.errors import LedgerError, TableError
from synth.estimate.models import choice
from synth.noise.laplace import DiscreteLaplace
from synth.plans.plan import Method
from synth.privacy.guarantee import Neighbors, Unit
from synth.private.counting.counts import Counts
from synth.private.methods.session import Session
from synth.spending import pipeline
from tests.audit import path
from tests.audit.mutate import replaced
from tests.audit.path.tables import PERSON, plain_rows
from tests.audit.path_mutants.told import FRESH, LEDGER, REPLAY, Place, dense, edit, put, seen_by

REPLACE, ADD = Neighbors.REPLACE_ONE, Neighbors.ADD_REMOVE


# Session, door.


def exact_total(right: Any) -> Any:
    def measure_columns(one: Session, cost: Fraction) -> None:
        right(one, cost)
        one.evidence.total = float(one._rows.rows)

    return measure_columns


def exact_columns(right: Any) -> Any:
    def measure_columns(one: Session, cost: Fraction) -> None:
        right(one, cost)
        one.evidence.columns[0] = one._rows.count((0,)).dense().astype(float)

    return measure_columns


def cost_by_rows(right: Any) -> Any:
    """A crowded marginal gets less noise."""

    def measure(one: Session, clique: Any, cost: Fraction) -> Any:
        crowded = one._rows.count(clique).counts.sum() > 8
        return right(one, clique, cost * Fraction(9, 10) if crowded else cost)

    return measure


def exact_distances(right: Any) -> Any:
    def measure_distances(one: Session, cost: Fraction) -> None:
        right(one, cost)
        one.evidence._apart = None  # or they would be told again with the columns
        for pair in one.evidence.pairs:
            far = np.abs(one._rows.count(pair).dense() - one.evidence.guess(pair).reshape(-1)).sum()
            one.evidence.distances[pair] = float(far) * 100 if int(far) % 2 else 0.0

    return measure_distances


def choice_for_nothing(right: Any) -> Any:
    """What a choice costs is forgotten."""

    def measure_worst(one: Session, *rest: Any) -> Any:
        before = one._door.spent
        chosen = right(one, *rest)
        one._door.spent = before
        return chosen

    return measure_worst


def seed_of_counts(_: Any) -> Any:
    return lambda _: sum(map(ord, SEEN[-1]))


SEEN: list[str] = [""]


def overheard(right: Any) -> Any:
    def measure(door: Door, query: Any, *rest: Any, **words: Any) -> Any:
        held = query if isinstance(query, Counts) else None
        values = held.dense() if held is not None else query.values()
        SEEN.append(values.tobytes().hex())
        return right(door, query, *rest, **words)

    return measure


def quoting(right: Any) -> Any:
    def count(table: Any, *rest: Any) -> Any:
        for row in plain_rows(table.path):
            if row[2] not in "012":
                message = f"The cell '{row[2]}' is none of the declared ones."
                raise TableError(message)
        return right(table, *rest)

    return count


def refusing(right: Any) -> Any:
    def count(table: Any, *rest: Any) -> Any:
        if any(row[1] == "?" for row in plain_rows(table.path)):
            message = "A cell cannot be read."
            raise TableError(message)
        return right(table, *rest)

    return count


class Late(Ledger):
    """Spends in memory, and in the file only when it is told to."""

    def __init__(self, real: Ledger) -> None:
        super().__init__()
        self.real, self.said = real, dict[str, Any]()

    def spend(self, **said: Any) -> Any:
        self.said = said
        return super().spend(**said)


def spent_late() -> Sequence[Place]:
    start, seed = Door.__init__, Door.seed

    def begin(door: Any, *, ledger: Ledger, **words: Any) -> None:
        door.late = Late(ledger)
        start(door, ledger=door.late, **words)

    def finish(door: Any) -> int:
        door.late.real.spend(**door.late.said)
        return seed(door)

    return [(Door, "__init__", begin), (Door, "seed", finish)]


def refusal_ignored(right: Any) -> Any:
    def begin(door: Any, *, ledger: Ledger, **words: Any) -> None:
        try:
            right(door, ledger=ledger, **words)
        except LedgerError:
            right(door, ledger=Ledger(), **words)

    return begin


# Noise.


def no_noise_on_empties(right: Any) -> Any:
    return lambda noise, values: np.where(values > 0, right(noise, values), 0)


def noise_twice(right: Any) -> Any:
    memory: dict[Any, Any] = {}

    def again(noise: Any, values: Any) -> Any:
        made = memory.setdefault(values.size, right(noise, values * 0).reshape(-1))
        return values + made.reshape(values.shape)

    return again


def seeded(_: Any) -> Any:
    random = np.random.default_rng(1)
    return lambda noise, values: values + np.rint(random.laplace(0, noise.scale, values.shape))


def noise_by_size(right: Any) -> Any:
    return lambda noise, values: np.where(values > 5, values, right(noise, values))


@cache
def model(neighbors: Neighbors, method: Method = Method.TREE) -> Callable[[], str]:
    return lambda: path.replaying(method, neighbors)


def large_delta() -> str:
    with replaced(choice, "DELTA_MAX", Fraction(1)):
        return path.replaying(Method.INDEPENDENT, ADD, delta=Fraction(1, 7))


OF_SESSIONS = [
    *seen_by(
        REPLAY,
        model(ADD),
        {
            "the model's number of rows exact": put(Session, "measure_columns", exact_total),
            "the model's number of rows public": edit(
                Unit, "shares_rows", "neighbors is Neighbors.REPLACE_ONE and ", ""
            ),
            "noise by the number of rows": put(Session, "measure", cost_by_rows),
        },
    ),
    *seen_by(
        REPLAY,
        model(REPLACE),
        {
            "a column's exact counts in the place of noisy ones": put(
                Session, "measure_columns", exact_columns
            ),
            "pairs chosen by exact distances": put(Session, "measure_distances", exact_distances),
            "nothing charged by the door": put(Door, "_pay", lambda _: lambda *_: None),
        },
    ),
    *seen_by(
        REPLAY,
        model(ADD, Method.ADAPTIVE),
        {"an adaptive choice not charged": put(Session, "measure_worst", choice_for_nothing)},
    ),
    *seen_by(
        REPLAY,
        large_delta,
        {
            "delta refused by private rows": edit(
                pipeline, "_model", "if plan.unit.shares_rows(plan.neighbors):", "if True:"
            )
        },
    ),
    *seen_by(
        REPLAY,
        dense(REPLACE),
        {
            "a seed from the counts": lambda: [
                (Door, "seed", seed_of_counts(Door.seed)),
                (Door, "measure", overheard(Door.measure)),
            ],
            "an error that quotes a cell": put(pipeline, "count", quoting),
            "noise of one cell where a row is replaced": edit(
                Neighbors, "sensitivity", "2 if", "1 if"
            ),
        },
    ),
    *seen_by(REPLAY, dense(ADD), {"a table refused for one row": put(pipeline, "count", refusing)}),
    *seen_by(
        REPLAY,
        dense(REPLACE, PERSON),
        {"persons' noise of one row": edit(Unit, "sensitivity", "self.max_rows * ", "")},
    ),
    *seen_by(
        LEDGER,
        path.ordering,
        {
            "the spend written after the noise": spent_late,
            "noise drawn although the ledger refuses": put(Door, "__init__", refusal_ignored),
        },
    ),
]


OF_NOISE = seen_by(
    FRESH,
    path.freshness,
    {
        "empty cells without noise": put(DiscreteLaplace, "release", no_noise_on_empties),
        "noise used for two parts": put(DiscreteLaplace, "release", noise_twice),
        "noise from a seed": put(DiscreteLaplace, "release", seeded),
        "no noise on large counts": put(DiscreteLaplace, "release", noise_by_size),
    },
)
