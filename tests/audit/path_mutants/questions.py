"""Slips in queries and in what a door lets out."""

from dataclasses import replace
from typing import Any

import numpy as np

from synth import noise
from synth.door import Door, Ledger, door
from synth.door.parts import StoredParts
from synth.errors import ReleaseError
from synth.noise import DiscreteGaussian, DiscreteLaplace
from synth.private import queries
from synth.private.methods import session
from synth.private.queries import tables
from tests.audit.path_mutants.told import both, drawn_again, edit, put


def clipped_by_rows(_: Any, guess: Any) -> int:
    """Guesses above the private number of rows are pulled down to it."""
    expected = np.clip(guess.expected, 0, guess.counts.counts.sum())
    return int(np.abs(64 * guess.counts.dense() - np.rint(64 * expected)).sum())


def claimed(find: Any, store: Any, number: int, about: dict[str, Any]) -> Any:
    """A kept part claims the noise that is asked for now."""
    part = store.get(str(number))
    return find(store, number, about) if part is None else replace(part, about=about)


def forgiving(summed: Any, store: Any, cost: Any) -> Any:
    """What a kept part claims costs no more than there is."""
    try:
        return summed(store, cost)
    except ReleaseError:
        return store._spent


OF_QUERIES = {
    "a guess clipped by private rows": put(session.Guess, "distance", clipped_by_rows),
    "the sensitivity of a score halved": put(
        tables, "distance_sensitivity", lambda right, *arguments: right(*arguments) // 2
    ),
    "the sensitivity of distances in rows": put(
        tables, "distance_sensitivity", lambda _, unit, neighbors: unit.sensitivity(neighbors)
    ),
    "the sum of distances moved as one": edit(
        queries, "summed_distance", "* len(guesses)", "* 1"
    ),
    "squares of distances added as one": edit(
        tables, "_distance_query", "largest_move**2 * len(guesses)", "largest_move**2"
    ),
    "a number of rows moved by one row of a person": edit(
        tables, "_number_of_rows", "count_sensitivity(counts.unit)", "Sensitivity(1, 1, 1)"
    ),
    "a histogram moved by one cell": edit(
        tables, "histogram_sensitivity", "unit.sensitivity(neighbors), ", "unit.max_rows, "
    ),
    "rows left out counted twice": edit(
        tables,
        "_histogram",
        "public_rows - cell_rows.sum()",
        "2 * (public_rows - cell_rows.sum())",
    ),
}

OF_DOORS = {
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
    "answers not added up": put(StoredParts, "_sum", lambda _, _store, cost: cost),
    "other neighbours answered": edit(
        Door, "_check_query", "query.neighbors is not self.neighbors", "False"
    ),
    "another unit answered": edit(Door, "_check_query", "query.unit != self.unit", "False"),
}

OF_KEPT = {
    "a part replayed at the scale that is asked": both(
        put(StoredParts, "find", claimed), put(StoredParts, "_sum", forgiving)
    ),
    "a part kept of another query": put(StoredParts, "_check", lambda *_: None),
    "kept parts drawn again": drawn_again,
    "a resumed release paid anew": put(Ledger, "paid", lambda *_, **__: None),
}

OF_COUPLINGS = {
    "independent noise instead of less": edit(
        Door,
        "reduce_noise",
        "mechanism.reduce_noise(query.values(), before.values, scale)",
        "mechanism.release(query.values())",
    ),
    "the first noise forgotten by a release that goes on": edit(
        Door,
        "reduce_noise",
        "before.values, scale)",
        "before.values if not self.repeated "
        "else DiscreteLaplace(scale).release(query.values()), scale)",
    ),
    "known noise cut at thirty scales": edit(
        DiscreteLaplace,
        "reduce_noise",
        "earlier_noise = noisy - exact_values",
        "earlier_noise = np.clip(noisy - exact_values, -int(30 * before), int(30 * before))",
    ),
}

OF_REDUCED_PRICES = {
    "noise reduced after a rho": edit(
        Door, "reduce_noise", "self.spent is not None and self.spent.rho is not None", "False"
    ),
    "a rho after reduced noise": put(Door, "_check_turn_to_rho", lambda *_: None),
    "a reduction squared as a difference": edit(
        Door,
        "_find_or_draw",
        "part.cost if before is None else part.cost + before",
        "part.cost",
    ),
}

OF_GAPS = {
    "a gap for a refused answer": edit(
        Door,
        "_find_or_draw",
        "number = self._number_of_answers + 1",
        "number = self._number_of_answers = self._number_of_answers + 1",
    ),
}

OF_CHOICES = {
    "pairs chosen by their exact scores": put(
        noise, "permute_and_flip", lambda _, scores, **__: int(np.argmax(scores))
    ),
    "a choice at the rate of one direction": put(
        noise,
        "permute_and_flip",
        lambda right, scores, **options: right(scores, **options | {"monotone": True}),
    ),
    "the price of a choice doubled when drawn": put(
        door, "_epsilon_of_choice", lambda right, cost: 2 * right(cost)
    ),
}
