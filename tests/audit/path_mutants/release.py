"""Slips in sessions, at the door, and in its noise."""

from fractions import Fraction
from typing import Any
from zlib import crc32

import numpy as np

from synth.door import Door, Ledger
from synth.errors import LedgerError, TableError
from synth.noise import DiscreteLaplace
from synth.plans import Plan
from synth.privacy import Neighbors, Unit
from synth.private.counting import Counts
from synth.private.methods.session import Session
from synth.spending import pipeline
from tests.audit.path.tables import plain_rows
from tests.audit.path_mutants.told import both, edit, put

# Session, door.


def exact_total(right: Any, session: Session, cost: Fraction) -> None:
    right(session, cost)
    session.evidence.total = float(session._rows.rows)


def exact_columns(right: Any, session: Session, cost: Fraction) -> None:
    right(session, cost)
    session.evidence.columns[0] = session._rows.count((0,)).dense().astype(float)


def cost_by_rows(right: Any, session: Session, clique: Any, cost: Fraction) -> Any:
    """A crowded marginal gets less noise."""
    crowded = session._rows.count(clique).counts.sum() > 8
    return right(session, clique, cost * Fraction(9, 10) if crowded else cost)


def exact_distances(right: Any, session: Session, cost: Fraction) -> None:
    right(session, cost)
    session.evidence._apart = None  # or they would be told again with the columns
    for pair in session.evidence.pairs:
        far = np.abs(
            session._rows.count(pair).dense() - session.evidence.guess(pair).reshape(-1)
        ).sum()
        session.evidence.distances[pair] = float(far) * 100 if int(far) % 2 else 0.0


def choice_for_nothing(right: Any, session: Session, *arguments: Any, **named: Any) -> Any:
    """What a choice costs is forgotten."""
    before = session._door.spent
    chosen = right(session, *arguments, **named)
    session._door.spent = before
    return chosen


SEEN: list[str] = [""]


def overheard(right: Any, door: Door, query: Any, *arguments: Any, **words: Any) -> Any:
    counts = query if isinstance(query, Counts) else None
    values = counts.dense() if counts is not None else query.values()
    SEEN.append(values.tobytes().hex())
    return right(door, query, *arguments, **words)


def quoting(right: Any, table: Any, *arguments: Any, **named: Any) -> Any:
    for row in plain_rows(table.path):
        if row[2] not in "012":
            message = f"The cell '{row[2]}' is none of the declared ones."
            raise TableError(message)
    return right(table, *arguments, **named)


def refusing(right: Any, table: Any, *arguments: Any, **named: Any) -> Any:
    if any(row[1] == "?" for row in plain_rows(table.path)):
        message = "A cell cannot be read."
        raise TableError(message)
    return right(table, *arguments, **named)


class Late(Ledger):
    """Spends in memory, and in the file only when it is told to."""

    def __init__(self, real: Ledger) -> None:
        super().__init__()
        self.real, self.said = real, dict[str, Any]()

    def spend(self, **content: Any) -> Any:
        self.said = content
        return super().spend(**content)


def begun_late(right: Any, door: Any, *, ledger: Ledger, **words: Any) -> None:
    door.late = Late(ledger)
    right(door, ledger=door.late, **words)


def spent_late(right: Any, door: Any) -> Any:
    door.late.real.spend(**door.late.said)
    return right(door)


def refusal_ignored(right: Any, door: Any, *, ledger: Ledger, **words: Any) -> None:
    try:
        right(door, ledger=ledger, **words)
    except LedgerError:
        right(door, ledger=Ledger(), **words)


# Noise.


def no_noise_on_empties(right: Any, noise: Any, values: Any) -> Any:
    return np.where(values > 0, right(noise, values), 0)


MADE: dict[int, Any] = {}


def noise_twice(right: Any, noise: Any, values: Any) -> Any:
    noise_of_size = MADE.setdefault(values.size, right(noise, values * 0).reshape(-1))
    return values + noise_of_size.reshape(values.shape)


RANDOM = np.random.default_rng(1)


def seeded(_: Any, noise: Any, values: Any) -> Any:
    return values + np.rint(RANDOM.laplace(0, noise.scale, values.shape))


def noise_by_size(right: Any, noise: Any, values: Any) -> Any:
    return np.where(values > 5, values, right(noise, values))


OF_TOTALS = {
    "the model's number of rows exact": put(Session, "measure_columns", exact_total),
    "the model's number of rows public": edit(
        Unit, "shares_rows", "neighbors is Neighbors.REPLACE_ONE and ", ""
    ),
    "noise by the number of rows": put(Session, "measure", cost_by_rows),
}

OF_MODELS = {
    "a column's exact counts in the place of noisy ones": put(
        Session, "measure_columns", exact_columns
    ),
    "pairs chosen by exact distances": put(Session, "measure_distances", exact_distances),
    "nothing charged by the door": edit(
        Door,
        "_find_or_draw",
        "self.spent = part.cost if self.spent is None else self.spent + part.cost",
        "pass",
    ),
}

OF_ADAPTIVE = {
    "an adaptive choice not charged": put(Session, "measure_worst", choice_for_nothing)
}

OF_DELTAS = {
    "delta refused by private rows": edit(
        Plan, "check_public_rows", "if self.unit.shares_rows(self.neighbors):", "if True:"
    )
}

OF_COUNTS = {
    "a seed from the counts": both(
        put(Door, "seed", lambda *_: crc32(SEEN[-1].encode())),
        put(Door, "measure", overheard),
    ),
    "an error that quotes a cell": put(pipeline, "count_and_add", quoting),
    "noise of one cell where a row is replaced": edit(
        Neighbors, "sensitivity", "2 if", "1 if"
    ),
}

OF_REFUSALS = {"a table refused for one row": put(pipeline, "count_and_add", refusing)}

OF_PERSONS = {"persons' noise of one row": edit(Unit, "sensitivity", "self.max_rows * ", "")}

OF_SPENDS = {
    "the spend written after the noise": both(
        put(Door, "__init__", begun_late), put(Door, "seed", spent_late)
    ),
    "noise drawn although the ledger refuses": put(Door, "__init__", refusal_ignored),
}


OF_NOISE = {
    "empty cells without noise": put(DiscreteLaplace, "release", no_noise_on_empties),
    "noise used for two parts": put(DiscreteLaplace, "release", noise_twice),
    "noise from a seed": put(DiscreteLaplace, "release", seeded),
    "no noise on large counts": put(DiscreteLaplace, "release", noise_by_size),
}
