"""Slips in queries and in what a door lets out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from synth.door import door
from synth.door.door import Door
from synth.door.ledger.ledger import Ledger
from synth.door.parts import Kept
from synth.errors import ReleaseError
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.laplace import DiscreteLaplace
from synth.private import queries
from synth.private.methods import session
from synth.private.queries import tables
from tests.audit import path
from tests.audit.mutate import edited
from tests.audit.path_mutants.told import Place, drawn_again, edit, put, seen_by


def clipped_by_rows(_: Any) -> Any:
    """Guesses above the private number of rows are pulled down to it."""

    def distance(guess: Any) -> int:
        expected = np.clip(guess.expected, 0, guess.counts.counts.sum())
        return int(np.abs(64 * guess.counts.dense() - np.rint(64 * expected)).sum())

    return property(distance)


def cheap_replay() -> Sequence[Place]:
    """A kept part claims the noise that is asked for now, and costs what that would."""
    find, summed = Kept.find, Kept._sum

    def found(kept: Any, number: int, about: dict[str, Any]) -> Any:
        part = kept.get(str(number))
        return find(kept, number, about) if part is None else replace(part, about=about)

    def forgiving(kept: Any, cost: Any) -> Any:
        try:
            return summed(kept, cost)
        except ReleaseError:
            return kept._spent

    return [(Kept, "find", found), (Kept, "_sum", forgiving)]


def not_added_up() -> Sequence[Place]:
    """Neither by the door nor by what it keeps."""
    pay = edited(Door._pay, "cost if self.spent is None else self.spent + cost", "cost")
    return [(Door, "_pay", pay), (Kept, "_sum", lambda _, cost: cost)]


QUERIES, RESUME = "7 queries and door", "7 going on"


OF_QUESTIONS = [
    *seen_by(
        QUERIES,
        path.asking,
        {
            "a guess clipped by private rows": put(session.Guess, "distance", clipped_by_rows),
            "the sensitivity of a score halved": put(
                tables, "distance_sensitivity", lambda right: lambda *rest: right(*rest) // 2
            ),
            "the sensitivity of distances in rows": put(
                tables,
                "distance_sensitivity",
                lambda _: lambda unit, neighbors: unit.sensitivity(neighbors),
            ),
            "the sum of distances moved as one": edit(
                queries, "summed_distance", "* len(guesses)", "* 1"
            ),
            "squares of distances added as one": edit(
                queries, "distances", "each**2 * len(guesses)", "each**2"
            ),
            "a number of rows moved by one row of a person": edit(
                queries, "rows", "one_number(counts.unit)", "Sensitivity(1, 1, 1)"
            ),
            "a histogram moved by one cell": edit(
                tables, "histogram_sensitivity", "unit.sensitivity(neighbors), ", "unit.max_rows, "
            ),
        },
    ),
    *seen_by(
        QUERIES,
        path.guarding,
        {
            "Laplace noise paid by the largest move": edit(
                DiscreteLaplace,
                "price",
                "self.guarantee(moves.l1)",
                "self.guarantee(moves.l_infinity)",
            ),
            "Gaussian noise paid by half the squares": edit(
                DiscreteGaussian,
                "price",
                "self.guarantee(moves.squared_l2)",
                "self.guarantee(Fraction(moves.squared_l2) / 2)",
            ),
            "answers not added up": not_added_up,
            "other neighbours answered": edit(
                Door, "_check", "query.neighbors is not self.neighbors", "False"
            ),
            "another unit answered": edit(Door, "_check", "query.unit != self.unit", "False"),
        },
    ),
    *seen_by(
        RESUME,
        path.resuming,
        {
            "a part replayed at the scale that is asked": cheap_replay,
            "a part kept of another query": put(Kept, "_check", lambda _: lambda *_: None),
            "kept parts drawn again": drawn_again,
            "a resumed release paid anew": put(Ledger, "paid", lambda _: lambda *_, **__: None),
        },
    ),
    *seen_by(
        QUERIES,
        path.choosing,
        {
            "pairs chosen by their exact scores": put(
                door, "permute_and_flip", lambda _: lambda scores, **__: int(np.argmax(scores))
            ),
            "a choice at the rate of one direction": put(
                door,
                "permute_and_flip",
                lambda right: lambda scores, **told: right(scores, **told | {"monotone": True}),
            ),
            "the price of a choice doubled when drawn": put(
                door, "_rate", lambda right: lambda cost: 2 * right(cost)
            ),
        },
    ),
]
