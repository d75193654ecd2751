"""Layer 7: the door, and what is asked of it."""

from contextlib import suppress
from dataclasses import astuple
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from synth.door import Ledger, door
from synth.errors import SynthError
from synth.noise import DiscreteGaussian, DiscreteLaplace, exponential
from synth.privacy import ROW, Guarantee, Neighbors, Unit, parse_budget
from synth.private import queries
from synth.private.counting.counts import CodedRows
from synth.private.methods import session
from tests.audit.exact import Tree, decimal, error, tossing, tree
from tests.audit.layers import SLACK
from tests.audit.path.tables import OTHERS, PERSON, coded, door_of, refused, related


def asking() -> str:
    """Every query about tables, of all neighbours: it moves by no more than it declares."""
    for unit, neighbors in product((ROW, PERSON), Neighbors):
        tables, are = related(neighbors, unit)
        queries_of_tables = [_queries(coded(rows, unit), neighbors) for rows in tables]
        for (first_queries, a), (second_queries, b) in product(
            zip(queries_of_tables, tables, strict=True), repeat=2
        ):
            if not are(a, b):
                continue
            for query, same_query in zip(first_queries, second_queries, strict=True):
                gap = np.abs(query.values() - same_query.values())
                moves = query.sensitivity
                move = (gap.sum(), (gap**2).sum(), gap.max())
                if any(f > d for f, d in zip(move, astuple(moves), strict=True)):
                    return f"the query '{query.name}' moves by more than it declares"
                if query.rows != same_query.rows or query.describe() != same_query.describe():
                    return (
                        f"what is public of the query '{query.name}' tells neighbours apart"
                    )
    return ""


def _queries(table: CodedRows, neighbors: Neighbors) -> list[Any]:
    """One of each kind; guesses near, far above and among the counts."""
    guesses = [
        session.Guess(table.count(place), np.full(table.count(place).domain.size, value))
        for place in ((0,), (1, 2), (0, 1, 2))
        for value in (0.3, 9.0, 1e9)
    ]
    histogram = table.count((0, 1, 2))
    return [
        queries.histogram(histogram, neighbors),
        queries.rows(histogram, neighbors),
        *(queries.marginal(table.count(place), neighbors) for place in ((0,), (1, 2))),
        queries.distances(guesses, neighbors),
        queries.summed_distance(guesses, table.unit, neighbors),
        queries.worst_guess(guesses, [1] * len(guesses), neighbors),
    ]


def choosing() -> str:
    """The law of a choice, by all its coins, on neighbours: their loss is within its
    price.
    """
    cost = Guarantee.pure(Fraction(1, 2))
    for unit, neighbors in product((ROW, PERSON), Neighbors):
        tables, are = related(neighbors, unit)
        laws = [_law_of_choice(coded(rows, unit), neighbors, cost) for rows in tables]
        for (first_law, a), (second_law, b) in product(
            zip(laws, tables, strict=True), repeat=2
        ):
            if are(a, b) and error(first_law, second_law) > decimal(Fraction(1, 2)) + SLACK:
                return "a choice tells more than was paid for"
    return ""


def _law_of_choice(table: CodedRows, neighbors: Neighbors, cost: Guarantee) -> Any:
    """Which of three guesses is chosen, with the probability of each."""
    counts_of_columns = [table.count((i,)) for i in range(3)]
    guesses = [
        session.Guess(counts, np.full(counts.domain.size, 2.0))
        for counts in counts_of_columns
    ]
    query = queries.worst_guess(guesses, [0, 0, 0], neighbors)

    def run(random: Tree) -> int:
        with patch.multiple(
            exponential, draw_below=random.even, flip_exponential_coins=tossing(random)
        ):
            return int(door._draw_choice(query, cost)["values"][0])

    return tree(run)[0]


def guarding() -> str:
    """A door lets nothing out that costs more than its guarantee, by what inputs do move."""
    for neighbors, unit in product(Neighbors, (ROW, PERSON)):
        query = queries.histogram(coded(OTHERS, unit).count((0, 1)), neighbors)
        l1, squared = (
            unit.max_rows * neighbors.sensitivity,
            unit.max_rows**2 * neighbors.sensitivity,
        )
        for noise, least, claim in (
            (lambda v: DiscreteLaplace(Fraction(v)), l1, Guarantee.pure(1)),
            (
                lambda v: DiscreteGaussian(Fraction(v)),
                Fraction(squared, 2),
                Guarantee.zcdp(1),
            ),
        ):
            enough, too_little = noise(least), noise(least * Fraction(99, 100))
            first, second = (door_of(neighbors, unit, claim) for _ in range(2))
            if refused(partial(first.measure, query, enough)):
                return "a door refuses what is within its guarantee"
            if not refused(partial(second.measure, query, too_little)):
                return "a door lets out more than its guarantee"
            twice = door_of(neighbors, unit, claim)
            twice.measure(query, noise(2 * least))
            if not refused(partial(twice.measure, query, noise(least * Fraction(19, 10)))):
                return "two answers cost more than the guarantee of their door"
        other_relation = next(n for n in Neighbors if n is not neighbors)
        for strange in (
            door_of(other_relation, unit, Guarantee.pure(99)),
            door_of(neighbors, Unit("kin", 3), Guarantee.pure(99)),
        ):
            if not refused(lambda: strange.measure(query, DiscreteLaplace(Fraction(9)))):  # noqa: B023
                return "a door answers about other neighbours than it was opened for"
    return ""


def resuming() -> str:
    """Under one spend no more leaves than was charged, whoever goes on with it, at other
    shares.
    """
    counted, half = coded(OTHERS, ROW), Fraction(1, 2)
    first_marginal, second_marginal = (
        queries.marginal(counted.count((i,)), Neighbors.ADD_REMOVE) for i in (0, 1)
    )
    noise = lambda cost: DiscreteLaplace(1 / cost)  # noqa: E731
    with TemporaryDirectory() as folder, Ledger(Path(folder) / "l.db") as ledger:
        ledger.set_budget("d", parse_budget("9", Neighbors.ADD_REMOVE))
        words = {"ledger": ledger, "table": "t", "request": "r"}

        def again() -> door.Door:
            return door_of(Neighbors.ADD_REMOVE, ROW, Guarantee.pure(1), **words)

        first = again().measure(first_marginal, noise(half))
        changed = again()
        with suppress(SynthError):
            replayed = changed.measure(first_marginal, noise(Fraction(1, 4)))
            if replayed.guarantee.epsilon != half or replayed.mechanism != noise(half):
                return "a part is claimed at another scale than it was drawn with"
            changed.measure(second_marginal, noise(Fraction(3, 4)))
            return "more leaves under a spend than was charged"
        if not refused(lambda: again().measure(second_marginal, noise(half))):
            return "what is kept of one query answers another"
        same = again()
        if not np.array_equal(same.measure(first_marginal, noise(half)).values, first.values):
            return "a part is drawn again"
        if not same.repeated or ledger.balance("d").spent != 1:
            return "going on is paid for twice"
        same.measure(second_marginal, noise(half))
        if refused(again):
            return "a finished release cannot be repeated"
    return ""
