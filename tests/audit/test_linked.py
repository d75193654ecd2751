"""Linked tables: no root moves an answer further than the page of proof says, and some do so
far.

Three layers. All roots of tiny linked tables, in all pairs, against the declared sensitivity.
Linked files at random, with orphans, repeated keys and odd values, in which all that carries
one key comes, goes or is replaced. And broken variants of the code, which the layers must
catch."""

import itertools
import os
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from synth.domain import LinkedPackage, LinkedTable
from synth.errors import ArgumentError
from synth.linked import (
    CountLaw,
    LinkedCodes,
    LinkedMarginal,
    LinkedRequest,
    TableCodes,
    add_noise_to,
)
from synth.linked import codes as codes_module
from synth.noise import DiscreteLaplace, KNorm, Mechanism, Norm
from synth.plans import LinkedPlan
from synth.privacy import GRID, Neighbors, Sensitivity
from synth.private import queries
from synth.private.counting import linked as settling
from tests.audit.bounds import epsilon_of_guesses
from tests.audit.canaries import log_ratio
from tests.audit.tally import record
from tests.linked.households import (
    files_at_random,
    households,
    marginals,
    root_at_random,
    tallies,
)

FILES = int(os.environ.get("SYNTH_AUDIT_WORKLOADS", "100"))
"""Linked files at random of the slow layer: 1,000 in `make audit`."""

Root = tuple[int, tuple[tuple[int, tuple[int, ...]], ...], tuple[int, ...]]
"""A home's cell; the cell of each person with those of the events; the cells of the cars."""


@cache
def roots() -> list[Root]:
    """Homes with up to two persons of up to one event each (or two), and up to four cars."""
    events = [(), (0,), (0, 1), (1, 1)]
    persons = [(b, e) for b in (0, 1) for e in events]
    households_of_persons = [
        (),
        *((p,) for p in persons),
        *itertools.combinations_with_replacement(persons, 2),
    ]
    cars = [(), (0,), (0, 0), (0, 1, 1), (1, 1, 1, 1)]
    random = Random(1)
    all_roots = [(a, p, c) for a in (0, 1) for p in households_of_persons for c in cars]
    alike = (0, ((0, (0, 0)), (0, (0, 0))), (0, 0, 0, 0))
    return [*random.sample(all_roots, 40), (1, (), (0, 1)), alike]


def coded(package: LinkedPackage, homes: tuple[Root, ...]) -> LinkedCodes:
    """These homes with all below them."""
    persons = [(i, *person) for i, home in enumerate(homes) for person in home[1]]
    events = [(i, cell) for i, (_, _, cells) in enumerate(persons) for cell in cells]
    cars = [(i, cell) for i, home in enumerate(homes) for cell in home[2]]

    def level(cells: list[int], parents: list[int]) -> TableCodes:
        return TableCodes((np.array(cells, np.int64),), np.array(parents, np.int64))

    return LinkedCodes(
        package=package,
        levels=(
            level([home[0] for home in homes], [0] * len(homes)),
            level([b for _, b, _ in persons], [i for i, _, _ in persons]),
            level([cell for _, cell in cars], [i for i, _ in cars]),
            level([cell for _, cell in events], [i for i, _ in events]),
        ),
    )


def furthest(before: np.ndarray, after: np.ndarray) -> tuple[int, int, int]:
    """Return the largest move of answers, one line each: in L1, in squared L2, and of one
    number.
    """
    gaps = np.abs(before - after)
    return int(gaps.sum(-1).max()), int((gaps**2).sum(-1).max()), int(gaps.max())


def search(marginal: LinkedMarginal) -> tuple[Sensitivity, Sensitivity]:
    """The largest moves over all roots: added to the rest, and replaced beside it."""
    package = households()
    added, beginnings = [], [(), tuple(roots()[:1]), tuple(roots()[-2:])]
    replaced = []
    for others in beginnings:
        base = coded(package, others).tally(marginal)
        with_root = np.array(
            [coded(package, (*others, root)).tally(marginal) for root in roots()]
        )
        added.append(furthest(with_root, base))
        replaced.append(furthest(with_root[:, None], with_root[None]))
    return tuple(
        Sensitivity(*map(max, zip(*moves, strict=True))) for moves in (added, replaced)
    )  # type: ignore[return-value]


NUMBERED = [*range(len(marginals(households())))]


@pytest.mark.parametrize("number", NUMBERED)
def test_no_root_moves_a_histogram_further_than_the_page_says(number: int) -> None:
    """The largest move of a histogram of linked tables is the declared sensitivity, no less
    and no more. A root (a home with its persons, events and cars) is added to some others, or
    replaced. All roots of a list are tried.
    """
    package = households()
    marginal = marginals(package)[number]
    added, replaced = search(marginal)
    assert added == marginal.sensitivity(package, Neighbors.ADD_REMOVE)
    assert replaced == marginal.sensitivity(package, Neighbors.REPLACE_ONE)


@pytest.mark.parametrize("neighbors", [*Neighbors])
def test_no_root_moves_a_distance_further_than_the_page_says(neighbors: Neighbors) -> None:
    """No root moves the distances of histograms from guesses further than is declared.

    Each root is added to two others, or put in the place of any other root. The largest move
    of a single distance is reached.
    """
    package = households()
    by_roots = [marginal for marginal in marginals(package) if marginal.law is CountLaw.ROOTS]
    guesses = [
        np.arange(int(np.prod(marginal.shape(package)))) % 2 * 99.0 for marginal in by_roots
    ]
    asked_queries = [
        queries.linked_distances(
            coded(package, (*roots()[:2], root)), by_roots, guesses, neighbors=neighbors
        )
        for root in roots()
    ]

    base = queries.linked_distances(
        coded(package, tuple(roots()[:2])), by_roots, guesses, neighbors=neighbors
    )

    answers = np.array([query.values() for query in asked_queries])
    others = base.values()[None] if neighbors is Neighbors.ADD_REMOVE else answers
    l1, square, largest = furthest(answers[:, None], others[None])

    declared = asked_queries[0].sensitivity
    assert l1 <= declared.l1
    assert square <= declared.squared_l2
    assert largest == declared.l_infinity == GRID * neighbors.sensitivity


def test_distances_are_of_histograms_by_roots() -> None:
    """Distances from guesses are refused for histograms that count rows instead of roots.

    A guess with three cells for a histogram of two is refused, too.
    """
    package = households()
    rows = coded(package, tuple(roots()[:1]))
    by_rows = LinkedMarginal(table=1, columns=((1, 0),), law=CountLaw.ROWS)
    with pytest.raises(ArgumentError, match="by roots"):
        queries.linked_distances(
            rows, [by_rows], [np.zeros(2)], neighbors=Neighbors.ADD_REMOVE
        )

    alike = LinkedMarginal(table=1, columns=((1, 0),))
    with pytest.raises(ArgumentError, match="every cell"):
        queries.linked_distances(rows, [alike], [np.zeros(3)], neighbors=Neighbors.ADD_REMOVE)


def moves_in_files(seeds: range, times: int = 1) -> None:
    """Linked files at random, and neighbours: no move is above the declared one."""
    package = households()
    all_marginals = marginals(package)
    for seed in seeds:
        random = Random(seed)
        files_of_others = files_at_random(random)
        homes = {key for key, cell in files_of_others.rows["homes"] if key and cell in "01"}
        persons = {
            row[:2]
            for row in files_of_others.rows["persons"]
            if row[0] in homes and row[2] in "01"
        }
        living = sum(min(2, sum(key == home for key, _ in persons)) for home in homes)
        here, there = (root_at_random("N", random) for _ in range(2))
        versions = [
            files_of_others,
            files_of_others.add(here, random),
            files_of_others.add(there, random),
        ]
        without_root, with_root, with_other_root = (
            tallies(files.tables()) for files in versions
        )
        again = tallies(files_of_others.add(here, random).tables())
        assert again == with_root, "the order of rows in a file matters"
        assert tallies(files_of_others.without("").tables()) == without_root, (
            "rows without a key count"
        )
        assert without_root[1][1] + 2 * sum(without_root[1][2:]) == living, (
            "several rows with one key count"
        )
        for number, marginal in enumerate(all_marginals):
            for before, after, neighbors in (
                (without_root, with_root, Neighbors.ADD_REMOVE),
                (with_root, with_other_root, Neighbors.REPLACE_ONE),
            ):
                moved = furthest(np.array(before[number]), np.array(after[number]))
                declared = marginal.sensitivity(package, neighbors)
                bounds = (declared.l1, declared.squared_l2, declared.l_infinity)
                assert all(m <= times * b for m, b in zip(moved, bounds, strict=True)), (
                    marginal.in_words(package)
                )


def test_in_linked_files_no_root_moves_a_histogram_further() -> None:
    moves_in_files(range(2))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(5))
def test_in_many_linked_files_no_root_moves_a_histogram_further(part: int) -> None:
    """In many random linked files no root moves a histogram further than is declared.

    `moves_in_files` makes a file for each seed, with orphans, repeated keys and odd values,
    and its neighbours.
    """
    moves_in_files(range(1000 + part, 1000 + FILES, 5))


def record_moves(seeds: range) -> None:
    """A row that takes another root's key, or another's child's, is as two replacements at
    most.
    """
    package = households()
    all_marginals = marginals(package)
    for seed in seeds:
        random = Random(seed)
        files = files_at_random(random, "AB")
        table = random.choice([name for name, rows in files.rows.items() if rows])
        place = random.randrange(len(files.rows[table]))
        changed = files.add(files.__class__(), random)
        row = files.rows[table][place]
        changed.rows[table] = [r for i, r in enumerate(files.rows[table]) if i != place]
        changed.rows[table].append(("B" if row[0] == "A" else "A", *row[1:]))
        before, after = tallies(files.tables()), tallies(changed.tables())
        for number, marginal in enumerate(all_marginals):
            declared = marginal.sensitivity(package, Neighbors.REPLACE_ONE)
            assert (
                furthest(np.array(before[number]), np.array(after[number]))[0]
                <= 2 * declared.l1
            )


def test_a_row_with_another_key_is_two_replacements_at_most() -> None:
    record_moves(range(2))


@pytest.mark.slow
def test_three_hundred_rows_with_another_key_are_two_replacements_at_most() -> None:
    record_moves(range(300))


Patch = Callable[[pytest.MonkeyPatch], None]


def query_with(old: str, new: str) -> Patch:
    """A variant of the SQL of the tables in which a text stands."""
    plain = settling.kept_rows_query
    assert any(old in plain("", table) for table in households().tables), old

    def broken(codes: str, table: LinkedTable) -> str:
        return plain(codes, table).replace(old, new)

    return lambda patch: patch.setattr(settling, "kept_rows_query", broken)


def share_as(broken: Callable[..., Any]) -> Patch:
    return lambda patch: patch.setattr(codes_module, "_share", broken)


def joined_by(old: str, new: str) -> Patch:
    """A variant of the SQL that puts rows under their parents."""

    def put(patch: pytest.MonkeyPatch) -> None:
        plain = settling.interruptible

        class Connection:
            def __init__(self, inner: Any) -> None:
                self._inner = inner

            def __getattr__(self, name: str) -> Any:
                return getattr(self._inner, name)

            def execute(self, text: str, *values: Any) -> Any:
                return self._inner.execute(text.replace(old, new), *values)

        original = settling.LinkedDuckDB.put_under

        def put_under(self: Any, *arguments: Any) -> None:
            self._connection = Connection(self._connection)
            original(self, *arguments)

        patch.setattr(settling.LinkedDuckDB, "put_under", put_under)
        assert plain

    return put


def bands_by_rows(patch: pytest.MonkeyPatch) -> None:
    """Edges of bands that follow from the numbers that there are."""
    plain = LinkedCodes._lines

    def lines(self: LinkedCodes, marginal: LinkedMarginal) -> Iterator[Any]:
        if marginal.law is not CountLaw.BANDS:
            yield from plain(self, marginal)
            return
        number = self.numbers(marginal.table)[self.levels[marginal.table].parent]
        most_rows = self.package.tables[marginal.table].most
        edges = np.quantile(number, [0.3, 0.6]) if len(number) else np.ones(2)
        band = np.searchsorted(edges, number, side="right")
        rows = np.arange(len(number))
        yield rows, rows, np.array([most_rows, most_rows, 1])[band]

    patch.setattr(LinkedCodes, "_lines", lines)


def reach_of_one_level(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        LinkedMarginal, "shares", lambda self, package: package.tables[self.table].most
    )


def replaced_as_added(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        LinkedMarginal,
        "sensitivity",
        lambda self, package, _: Sensitivity(
            self.reach(package), self.reach(package) ** 2, self.reach(package)
        ),
    )


MUTANTS: dict[str, Patch] = {
    "units not shared out": share_as(lambda units, _shares, _turn: units),
    "odd units for all": share_as(
        lambda units, shares, _turn: units // np.maximum(shares, 1) + 1
    ),
    "odd units to those behind": share_as(
        lambda units, shares, turn: -(-units // np.maximum(shares, 1)) + (turn < 1)
    ),
    "no limit": query_with("WHERE turn < 2", "WHERE turn >= 0"),
    "rows of a parent by place": query_with(
        "PARTITION BY k0, k1 ORDER BY h, c0, k0, k1) - 1 AS turn",
        "PARTITION BY k0, k1 ORDER BY NULL) - 1 AS turn",
    ),
    "without a key": query_with("k0 <> ''", "k0 IS NOT NULL"),
    "limit of the file and not of the parent": query_with(
        "PARTITION BY k0, k1 ORDER", "ORDER"
    ),
    "first of several by place": query_with(
        "PARTITION BY k0, k1 ORDER BY h, c0, k0, k1) AS o",
        "PARTITION BY k0, k1 ORDER BY NULL) AS o",
    ),
    "several with one key": query_with("WHERE o = 1", "WHERE o > 0"),
    "orphans to whoever follows": joined_by(
        "p.place AS parent FROM held AS r JOIN t0",
        "coalesce(p.place, 0) AS parent FROM held AS r LEFT JOIN t0",
    ),
    "joined by the parent's key alone": joined_by(
        "ON r.k0 = p.own0 AND r.k1 = p.own1", "ON r.k1 = p.own1"
    ),
    "edges of bands by the rows": bands_by_rows,
    "the reach of one level": reach_of_one_level,
    "a replaced root as one that is added": replaced_as_added,
}


def find_breach() -> None:
    """Run the layers until one fails."""
    for number in NUMBERED:
        test_no_root_moves_a_histogram_further_than_the_page_says(number)
    moves_in_files(range(30))


@pytest.mark.mutant
@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_a_broken_variant_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks of this file notice each deliberate mistake of MUTANTS.

    A mutant replaces a part of the code that counts linked tables; then a check must fail.
    """
    MUTANTS[name](monkeypatch)
    with pytest.raises(AssertionError):
        find_breach()


def test_a_door_charges_a_linked_histogram_by_its_units_and_the_root_key() -> None:
    """A replaced root moves a histogram by twice its units, so noise of that scale costs
    epsilon 1. The query names the key of the root, `h`, as the protected person.
    """
    package = households()
    rows, events = (
        coded(package, tuple(roots()[:3])),
        LinkedMarginal(table=3, columns=((3, 0),)),
    )

    query = queries.linked_counts(rows, events, Neighbors.REPLACE_ONE)
    noise = DiscreteLaplace(Fraction(2 * events.units(package)))

    assert noise.price(query.sensitivity).epsilon == 1
    assert query.describe()["person"] == "h"


TIMES = int(os.environ.get("SYNTH_CANARIES", "1"))
"""How many times the releases of the short form are attacked."""
CANARY: Root = (1, ((1, (1, 1)), (1, (1, 1))), (1, 1, 1, 1))
"""A home with as many persons, events and cars as are kept, all of them alike."""


def loss_of(noisy: np.ndarray, moved: np.ndarray, noise: Mechanism) -> float:
    """How much likelier noisy numbers are where the true ones are moved, and not 0: its
    log.
    """
    if isinstance(noise, KNorm):
        assert noise.norm is Norm.MAX
        return float((np.abs(noisy).max() - np.abs(noisy - moved).max()) / noise.scale)
    return float(log_ratio(noisy, noise, moved).sum())


def attack_release(epsilon: Fraction, is_there: bool) -> float:
    """The loss of a whole release, with the canary or without.

    The enemy knows all other homes and the law of the noise, and sees all noisy numbers: the
    loss is the logarithm of how much likelier they are with the canary than without."""
    package = households()
    others = tuple(roots()[:30])
    losses = [0.0]
    versions = [coded(package, homes) for homes in (others, (*others, CANARY))]
    plan = LinkedPlan(package=package, epsilon=epsilon, neighbors=Neighbors.ADD_REMOVE)

    def answer(request: LinkedRequest) -> Any:
        versions_of_query = [
            queries.linked_distances(
                rows, request.marginals, request.guesses, neighbors=plan.neighbors
            )
            if request.guesses
            else queries.linked_counts(rows, request.marginals[0], plan.neighbors)
            for rows in versions
        ]
        without, with_canary = (query.values() for query in versions_of_query)
        noisy = request.noise.release(with_canary if is_there else without)
        losses.append(loss_of(noisy - without, with_canary - without, request.noise))
        assert abs(losses[-1]) <= float(request.cost) + 1e-9, request
        return noisy

    add_noise_to(package, plan.account(plan.guarantee), answer)
    return sum(losses)


@pytest.mark.slow
def test_a_canary_of_as_many_rows_as_are_kept_is_hidden() -> None:
    """Whether a planted home is in the tables cannot be guessed better than the paid epsilon
    of 2 allows. The home has as many rows as are kept. It is guessed by the sign of the loss,
    if that is above 0.5, and is in the tables of every second run.
    """
    epsilon, runs = Fraction(2), 40 * TIMES
    losses = [attack_release(epsilon, bool(run % 2)) for run in range(runs)]
    are_right = [
        (loss > 0) == bool(run % 2) for run, loss in enumerate(losses) if abs(loss) > 0.5
    ]

    right, number_of_guesses = np.array([sum(are_right)]), np.array([len(are_right)])
    assert epsilon_of_guesses(right, number_of_guesses, 1e-6)[0] <= epsilon
    least = epsilon_of_guesses(right, number_of_guesses, 0.01)[0]
    assert least > 0.2 or TIMES < 10, "the attack sees nothing"

    record(
        "empirical bounds of epsilon, at 99 %",
        f"linked tables, a root with all rows that are kept: at least {least:.2f} of "
        f"{epsilon}; largest loss {max(map(abs, losses)):.2f}",
    )


def test_the_losses_of_linked_histograms_are_the_declared_ones() -> None:
    """With noise for epsilon 1, the planted home changes the chance of far numbers by a
    factor e. The noisy numbers are ten times the sensitivity beyond the exact ones, on either
    side. So the loss is 1 or -1, and the declared sensitivity is the true one.
    """
    package, others = households(), tuple(roots()[:5])
    for marginal in marginals(package):
        if marginal.by_agreement:
            continue
        reach = marginal.sensitivity(package, Neighbors.ADD_REMOVE).l1
        noise = DiscreteLaplace.for_epsilon(Fraction(1), sensitivity=reach)
        here, there = (
            coded(package, homes).tally(marginal) for homes in (others, (*others, CANARY))
        )
        losses = [
            log_ratio(noisy - here, noise, there - here).sum()
            for noisy in (here - 10 * reach, there + 10 * reach)
        ]
        assert np.allclose(np.abs(losses), 1)
