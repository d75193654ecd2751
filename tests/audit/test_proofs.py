"""Each query has a page of proof, and each bound is searched for among all small neighbours.

A person is what is left of him by the rule that keeps at most K rows: any multiset of at most
K cells, none included (`tests/counting/test_person.py` sees that the engine keeps such a
one). All pairs of neighbours that share up to two rows are looked at, in every norm; the
largest change found must be the one that is declared, no less and no more."""

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import astuple, replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from synth.domain import Categorical, Domain
from synth.door import Door, Ledger, Query, price
from synth.errors import ArgumentError, ReleaseError
from synth.noise import DiscreteGaussian, DiscreteLaplace, KNorm, Norm
from synth.privacy import ROW, Guarantee, Neighbors, Sensitivity, Unit
from synth.private import queries
from synth.private.counting import Counts, Summed, ValueRows
from synth.private.queries import AskedRows, Guess, check_scores, drafts
from synth.private.queries.ranks import ValueCounts, rank_scores
from synth.questions import Aim, Inquiry, Portion
from synth.questions.moments.sensitivity import joint_of_moments
from synth.questions.moves import joint
from synth.questions.moves.extents import Extent
from synth.questions.strategies import closed_form, fitted, offered
from synth.questions.way import strategy
from synth.questions.way.strategy import Moves
from tests.audit.path.moments import moment_moves
from tests.audit.path.products import multiplied_moves
from tests.audit.path.strategies import tiny
from tests.audit.path_mutants.told import put
from tests.conftest import Report
from tests.questions.random_workloads import some_term, vectors

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "proofs"
MODULES = (queries.tables, queries.ranks, drafts)
DOMAIN = Domain(tuple(Categorical(name=name, categories=("0", "1")) for name in "ab"))
CELLS = 4
ADD = Neighbors.ADD_REMOVE
UNITS = [ROW, *(Unit("pid", k) for k in (1, 2, 3))]
GUESSES = ((0, 99), (99, 0), (1 / 128, 1.5), (np.nan, 1e300))
Table = tuple[int, ...]
Ask = Callable[[Table], Query]


def tables(most_rows: int) -> list[Table]:
    """The histograms of all multisets of at most so many rows."""
    rows = [
        r
        for n in range(most_rows + 1)
        for r in combinations_with_replacement(range(CELLS), n)
    ]
    return [tuple(row.count(cell) for cell in range(CELLS)) for row in rows]


@cache
def neighbours(neighbors: Neighbors, unit: Unit) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of neighbouring histograms; a row that no cell takes is a person of none."""
    people, other_rows = np.array(tables(unit.max_rows)), np.array(tables(2))
    replacements = people if neighbors is Neighbors.REPLACE_ONE else people[:1]
    before = (other_rows[:, None, None] + people[:, None]) + 0 * replacements
    after = (other_rows[:, None, None] + replacements) + 0 * people[:, None]
    return before.reshape(-1, CELLS), after.reshape(-1, CELLS)


@cache
def listed(neighbors: Neighbors, unit: Unit) -> tuple[list[Table], np.ndarray, np.ndarray]:
    """The histograms of all neighbours, each once, and the places of both of every pair."""
    pairs = np.stack(neighbours(neighbors, unit))
    histograms, places = np.unique(pairs.reshape(-1, CELLS), axis=0, return_inverse=True)
    before, after = places.reshape(2, -1)
    return list(map(tuple, histograms.tolist())), before, after


@cache
def counted(table: Table, unit: Unit, columns: tuple[int, ...] = (0, 1)) -> Counts:
    summed_out = tuple(column for column in (0, 1) if column not in columns)
    dense = np.array(table).reshape(2, 2).sum(axis=summed_out).reshape(-1)
    domain = DOMAIN.project(DOMAIN.names[column] for column in columns)
    cells = np.flatnonzero(dense)
    return Counts(domain=domain, cells=cells, counts=dense[cells], rows=sum(table), unit=unit)


@cache
def guess_of(table: Table, unit: Unit, column: int, expected: tuple[float, float]) -> Guess:
    return Guess(counted(table, unit, (column,)), np.array(expected, float))


def guessed(table: Table, unit: Unit, guess: Any) -> list[Guess]:
    """Guesses of disjoint columns."""
    return [guess_of(table, unit, column, guess[column]) for column in (0, 1)]


ASKED: dict[str, Callable[..., Query]] = {
    "histogram": lambda t, u, n, _: queries.histogram(counted(t, u), n),
    "large-histogram": lambda t, u, n, _: queries.large_histogram(counted(t, u), n),
    "marginal": lambda t, u, n, columns: queries.marginal(counted(t, u, columns), n),
    "rows": lambda t, u, n, _: queries.rows(counted(t, u), n),
    "fitting-rows": lambda t, u, n, _: queries.fitting_rows(counted(t, u), n),
    "distances": lambda t, u, n, g: queries.distances(guessed(t, u, g), n),
    "summed-distance": lambda t, u, n, g: queries.summed_distance(guessed(t, u, g), u, n),
    "worst-guess": lambda t, u, n, g: queries.worst_guess(guessed(t, u, g), [0, 5], n),
    "column-cells": lambda t, u, n, _: drafts.column_cells(
        "a", np.array(t), "wxyz", unit=u, neighbors=n
    ),
    "listed-values": lambda t, u, n, _: drafts.listed_values(
        "a", values_of(t), u, neighbors=n
    ),
    "covered-rows": lambda t, u, n, _: drafts.covered_rows(
        "a", np.array(t)[::2], "02", unit=u, neighbors=n
    ),
    "distinct-values": lambda t, u, n, _: drafts.distinct_values(
        "a", np.count_nonzero(t), u, neighbors=n
    ),
}
"""A query of each page, of a table, a unit and a relation; and of columns, or of guesses."""


def asked(page: str, neighbors: Neighbors, unit: Unit) -> Iterator[Ask]:
    """All queries of a kind that are searched."""
    arguments: list[Any] = [(0,), (1,), (0, 1)] if page == "marginal" else [None]
    if page in ("distances", "summed-distance", "worst-guess"):
        arguments = list(product(GUESSES, repeat=2))
    for argument in arguments:
        yield lambda t, argument=argument: ASKED[page](t, unit, neighbors, argument)


def values_of(table: Table) -> ValueRows:
    """The values that a table has, which are as private as their rows."""
    there = np.flatnonzero(table)
    return ValueRows(tuple(map(str, there)), np.array(table)[there])


def answer(query: Query) -> np.ndarray:
    """The exact answer in all cells."""
    values = query.values()
    if query.texts is not None:
        dense = np.zeros(CELLS, dtype=np.int64)
        dense[[int(text) for text in query.texts]] = values
        return dense
    if query.support is None:
        return values
    dense = np.zeros(query.size, dtype=np.int64)
    dense[query.support.cells.astype(np.int64)] = values
    return dense


def moved(gaps: np.ndarray) -> Sensitivity:
    """The largest of many moves, shape (pairs, k), in every norm."""
    sizes = np.abs(gaps)
    return Sensitivity(
        int(sizes.sum(axis=1).max()), int((sizes**2).sum(axis=1).max()), int(sizes.max())
    )


def largest(moves: Iterable[Sensitivity]) -> Sensitivity:
    norms = [(move.l1, move.squared_l2, move.l_infinity) for move in moves]
    return Sensitivity(*(int(largest_norm) for largest_norm in np.max(norms, axis=0)))


def search(ask: Ask, neighbors: Neighbors, unit: Unit) -> Sensitivity:
    """The largest move of one query, seen to be within what it declares."""
    tables, before, after = listed(neighbors, unit)
    asked_queries = [ask(table) for table in tables]
    (declared,) = {query.sensitivity for query in asked_queries}
    assert len({str(query.describe()) for query in asked_queries}) == 1, (
        "nothing private is told"
    )
    values = np.array([answer(query) for query in asked_queries])
    largest_move = moved(values[before] - values[after])
    assert largest_move.l1 <= declared.l1
    assert largest_move.squared_l2 <= declared.squared_l2
    assert largest_move.l_infinity <= declared.l_infinity
    return largest_move


OTHERS = ("workload", "products", "rank-scores", "strategies", "moments", "figure-checks")


@pytest.mark.audit
@pytest.mark.slow
@pytest.mark.parametrize("page", [*ASKED, *OTHERS])
def test_no_neighbour_is_further_than_the_page_says(page: str, report: Report) -> None:
    """The largest move of a kind of query among all small neighbours is the declared
    sensitivity. It is no more and no less, in each norm, for both relations and for persons
    of up to three rows. The page of proof has the name of the kind of query.
    """
    for neighbors in Neighbors:
        for unit in UNITS:
            declared, largest_move = search_page(page, neighbors, unit)
            assert largest_move == declared, "the bound is met"
            who = f"{neighbors.value}, {unit.max_rows if unit.person else 'a row'}"
            report(
                f"{page:16} {who:15} moves by {largest_move.l1} and "
                f"{largest_move.squared_l2}, as declared"
            )


def search_page(
    page: str, neighbors: Neighbors, unit: Unit
) -> tuple[Sensitivity, Sensitivity]:
    """What a kind of query declares, and the most that was found."""
    if page == "rank-scores":
        return ranked(neighbors, unit)
    if page == "workload":
        return terms(neighbors, unit)
    if page == "figure-checks":
        return compared(neighbors, unit)
    if page == "strategies":
        return measured(neighbors, unit)
    if page == "moments":
        return moment_moves(neighbors, unit)
    if page == "products":
        moves = multiplied_moves(neighbors, unit)
        for joint, far in moves:
            declared = astuple(joint.sensitivity)
            assert declared == far if joint.exact else (np.array(declared) >= far).all()
        exact = [
            (joint.sensitivity, Sensitivity(*far)) for joint, far in moves if joint.exact
        ]
        assert len(exact) < len(moves), "some lists are uneven"
        return largest(declared_move for declared_move, _ in exact), largest(
            far for _, far in exact
        )
    asks = list(asked(page, neighbors, unit))
    largest_move = largest(search(ask, neighbors, unit) for ask in asks)
    return asks[0]((0,) * CELLS).sensitivity, largest_move


FIGURES = ("close to 0 within 0.5: count", "close to 1.5 within 0.25: count")


def compared(neighbors: Neighbors, unit: Unit) -> tuple[Sensitivity, Sensitivity]:
    """Claimed figures: from 0 a count moves both scores as far as is declared of them, and
    from within the counts by no more. A share has as many parts as its count.
    """
    figures = FIGURES
    if unit.shares_rows(neighbors):
        figures += ("close to 0 within 0.5: share",)
    declared, largest_move = Sensitivity(1, 1, 1), Sensitivity(1, 1, 1)
    for number, figure in enumerate(figures):
        inquiry = Inquiry.read(
            [f"{figure} where a = 1"],
            DOMAIN,
            Guarantee.pure(1),
            neighbors=neighbors,
            unit=unit,
        )
        (portion,) = inquiry.arrangement.portions

        def ask(table: Table, portion: Portion = portion) -> Query:
            """The scores of a table, whose number of rows is 9 where it is public."""
            counts = replace(counted(table, portion.block.unit, (0,)), rows=9)
            counts = replace(counts, domain=portion.block.workload.universe)
            summed = Summed(counts, np.zeros((len(counts.cells), 0), np.int64))
            rows = AskedRows({portion.block.unit: summed}, ())
            return check_scores(rows, portion.block, portion.way)

        move = search(ask, neighbors, unit)
        own = ask((0,) * CELLS).sensitivity
        if number == 0:
            declared, largest_move = own, move
        assert number == 1 or move == own
    return declared, largest_move


def terms(neighbors: Neighbors, unit: Unit) -> tuple[Sensitivity, Sensitivity]:
    """Workloads over two columns of two: each is seen to move by what is declared of it."""
    random = np.random.default_rng(4)
    declared, found_moves = [], []
    before, after = neighbours(neighbors, unit)
    for _ in range(100):
        workload = [some_term(random, [2, 2]) for _ in range(random.integers(1, 6))]
        computed = joint.joint_sensitivity(workload, [2, 2], neighbors, unit=unit)
        gaps = (before - after) @ vectors(workload, [2, 2])
        # Where nothing moves, a sensitivity of 1 is declared.
        found_move = moved(gaps) if gaps.any() else Sensitivity(1, 1, 1)
        assert computed.exact
        assert computed.sensitivity == found_move
        declared.append(computed.sensitivity)
        found_moves.append(found_move)
    return largest(declared), largest(found_moves)


def measured(neighbors: Neighbors, unit: Unit) -> tuple[Sensitivity, Sensitivity]:
    """Strategies over two columns of two: each is seen to move by what is declared of it."""
    before, after = neighbours(neighbors, unit)
    declared, found_moves = [], []
    for strategy_moves, added in tiny(neighbors):
        declared.append(strategy_moves.sensitivity(neighbors, unit))
        found_moves.append(moved((before - after) @ added))
        assert declared[-1] == found_moves[-1]
    return largest(declared), largest(found_moves)


def one_less(right: Any, *args: Any, **limits: Any) -> Extent:
    """A component's distance, one too small."""
    return Extent(*(max(0, side - 1) for side in right(*args, **limits)))


def added(right: Any, aim: Aim, _: Neighbors, unit: Unit) -> int:
    """A rank moves by a replaced row as by one that is added."""
    moves: int = right(aim, Neighbors.ADD_REMOVE, unit)
    return moves


def ranked(neighbors: Neighbors, unit: Unit) -> tuple[Sensitivity, Sensitivity]:
    """Quantiles: in l-infinity each is seen to move by what is declared of it; ends by no
    more.

    A person of three rows moves a rank by all three only beside three others, or more.
    """
    largest_declared = 0
    shared_rows = 2
    for quantile, shift in product(
        (Fraction(1, 2), Fraction(1, 10), Fraction(4, 5)), (0, -2, 1)
    ):
        declared, largest_move = ranks(neighbors, unit, Aim(quantile, shift))
        assert largest_move <= declared
        assert shift or unit.max_rows > shared_rows or largest_move == declared
        largest_declared = max(largest_declared, declared)
    return Sensitivity(1, 1, largest_declared), Sensitivity(1, 1, largest_declared)


def ranks(neighbors: Neighbors, unit: Unit, aim: Aim) -> tuple[int, int]:
    """What the scores of ranks declare in l-infinity, and the most that was found."""

    def scores(table: Table) -> Query:
        there = np.flatnonzero(table)
        return rank_scores(
            ValueCounts(there, np.array(table)[there]),
            aim,
            CELLS,
            neighbors=neighbors,
            unit=unit,
        )

    tables, before, after = listed(neighbors, unit)
    asked_queries = [scores(table) for table in tables]
    assert len({str(query.describe()) for query in asked_queries}) == 1, (
        "nothing private is told"
    )
    dense = np.array([np.repeat(query.values(), query.sizes) for query in asked_queries])
    assert (dense.max(axis=1) == 0).all(), "some value has the right rank"
    (declared,) = {query.sensitivity.l_infinity for query in asked_queries}
    return declared, moved(dense[before] - dense[after]).l_infinity


SLIPS = {
    ("a step too few", "workload"): put(joint, "farthest", one_less),
    ("no empty person", "workload"): put(
        joint, "bound_largest_norm", lambda *_, **__: Extent(0, 0)
    ),
    ("a node less of each row", "strategies"): put(
        Moves, "times", lambda _, moves, _n: moves
    ),
    ("no pairs of columns", "strategies"): put(fitted, "_furthest", lambda *_: (0, 0)),
    ("two rows alike", "strategies"): put(
        closed_form, "residual_distance", lambda right, *shape: right(*shape) // 2
    ),
    ("rows for persons", "strategies"): put(strategy, "_scale", lambda _, norms, _u: norms),
    ("k for k^2", "histogram"): put(
        Unit, "square", lambda _, u, n: u.max_rows * n.sensitivity
    ),
    ("rows for persons", "marginal"): put(
        Unit, "sensitivity", lambda _, _u, n: n.sensitivity
    ),
    ("replaced for removed", "distances"): put(
        queries.tables, "distance_sensitivity", lambda _, u, _n: 64 * u.max_rows
    ),
    ("one guess for all", "summed-distance"): put(
        queries.tables, "distance_sensitivity", lambda _, u, n: 32 * u.sensitivity(n)
    ),
    ("rows for persons", "distinct-values"): put(
        drafts, "count_sensitivity", lambda *_: Sensitivity(1, 1, 1)
    ),
    ("added for replaced", "listed-values"): put(
        drafts,
        "histogram_sensitivity",
        lambda _, u, _n: Sensitivity(u.max_rows, u.max_rows**2, u.max_rows),
    ),
    ("rows for persons", "column-cells"): put(
        drafts,
        "histogram_sensitivity",
        lambda _, _u, n: Sensitivity(n.sensitivity, n.sensitivity, 1),
    ),
    ("added for replaced", "rank-scores"): put(Aim, "moves", added),
    ("128ths of a row", "worst-guess"): put(
        Guess, "distance", lambda right, guess: 2 * right(guess)
    ),
}


@pytest.mark.mutant
@pytest.mark.parametrize(("name", "page"), SLIPS)
def test_a_bound_that_is_too_small_is_found(name: str, page: str, report: Report) -> None:
    """The search notices each sensitivity of SLIPS that is declared too small.

    A slip replaces a function by one with a mistake, and the search of that page must fail.
    """
    with ExitStack() as stack:
        for place in SLIPS[name, page]():
            stack.enter_context(patch.object(*place))
        with pytest.raises(AssertionError):
            search_page(page, Neighbors.REPLACE_ONE, UNITS[2])

    report(f"{name:45} caught by exhaustive search")


# Pages and doors.


def constructors() -> dict[str, Any]:
    """The public functions that make queries, by the name of their page."""
    functions = [f for m in MODULES for f in vars(m).values() if inspect.isfunction(f)]
    return {
        f.__name__.replace("_", "-"): f
        for f in functions
        if f.__annotations__.get("return") is Query and not f.__name__.startswith("_")
    }


def test_no_query_is_without_a_page_and_no_page_without_a_query() -> None:
    """Each function that makes a query has a page of proof, and each page has a function.

    A page names its function and its test, and has all headings. Two more pages are about
    costs, and about no query.
    """
    pages = {path.stem: path.read_text(encoding="utf-8") for path in PAGES.glob("[a-z]*.md")}
    makers = {
        **constructors(),
        "workload": joint.joint_sensitivity,
        "products": joint_of_moments,
        "strategies": offered.strategies,
        "moments": queries.moment_sums,
        "figure-checks": check_scores,
        "linked-counts": queries.linked_counts,
        "linked-distances": queries.linked_distances,
    }
    assert constructors().keys() == {*ASKED, "rank-scores"}

    assert "tests/audit/test_gaussian_dp.py" in pages.pop("gaussian-dp")
    assert "test_noise_reduction.py" in pages.pop("noise-reduction")
    assert pages.keys() == makers.keys()

    for name, page in pages.items():
        assert makers[name].__name__ in page, "the page names its query"
        test = test_no_neighbour_is_further_than_the_page_says.__name__
        of_links = name.startswith("linked-")
        assert ("test_linked.py" if of_links else f"test_proofs.py::{test}[{name}]") in page
        for heading in ("Query", "Neighbours", "Sensitivity", "Proof", "Source", "Test"):
            assert heading.lower() in page.lower()


@pytest.mark.parametrize("page", ASKED)
def test_a_query_names_the_page_of_the_function_that_made_it(page: str) -> None:
    for ask in asked(page, Neighbors.ADD_REMOVE, ROW):
        assert ask((1, 0, 2, 0)).proof == page


def test_only_the_room_of_queries_makes_them() -> None:
    """Only modules of `synth/private/queries` make queries; no other module calls or extends
    `Query`. So each query comes with a declared and searched sensitivity.
    """
    for path in (ROOT / "synth").rglob("*.py"):
        if path.parent.name == "queries":
            continue
        text = path.read_text(encoding="utf-8")
        nodes = list(ast.walk(ast.parse(text))) if "Query" in text else []
        calls = {ast.unparse(n.func) for n in nodes if isinstance(n, ast.Call)}
        bases = {
            ast.unparse(b) for n in nodes if isinstance(n, ast.ClassDef) for b in n.bases
        }

        made_elsewhere = {"Query", "door.Query", "query.Query"} & (calls | bases)
        assert not made_elsewhere, path


def test_a_door_has_five_ways_out() -> None:
    public = {name for name, value in vars(Door).items() if inspect.isfunction(value)}
    ways = {"measure", "reduce_noise", "choose", "select", "seed"}
    assert {name for name in public if not name.startswith("_")} == ways


def door(neighbors: Neighbors = Neighbors.ADD_REMOVE, unit: Unit = ROW) -> Door:
    names: dict[str, Any] = {"ledger": Ledger(), "dataset": "t", "purpose": "test"}
    return Door(neighbors=neighbors, guarantee=Guarantee.pure(9), unit=unit, **names)


COUNTS = counted((1, 2, 3, 4), ROW)
NOISE = DiscreteLaplace(Fraction(1))


class Duck(Query):
    """Looks like one."""


class Louder(DiscreteLaplace):
    """Looks like noise that a door draws."""


# A query that was not made by synth.private.queries.
DUCK = Duck(
    name="x",
    proof="rows",
    neighbors=ADD,
    unit=ROW,
    sensitivity=Sensitivity(1, 1, 1),
    size=1,
    exact=lambda: np.ones(1),
)
THINGS = (COUNTS, COUNTS.dense(), 7, Guess(COUNTS, np.zeros(4)), DUCK)
QUERY = queries.histogram(COUNTS, ADD)
TAKES = "A door takes a query made by synth.private.queries, and nothing else."
ABOUT = "The query is about add-remove, this release about replace-one."
PROTECTS = (
    "The query protects one row, this release one person by the column 'pid', with at "
    "most 3 rows."
)


@pytest.mark.parametrize(
    ("thing", "about", "sentence"),
    [
        *((thing, (ADD, ROW), TAKES) for thing in THINGS),
        (QUERY, (Neighbors.REPLACE_ONE, ROW), ABOUT),
        (QUERY, (ADD, Unit("pid", 3)), PROTECTS),
    ],
)
def test_a_door_takes_only_queries_about_its_own_neighbours(
    thing: Any, about: Any, sentence: str
) -> None:
    """A door refuses everything but a query about its own relation and unit, and spends
    nothing on it. THINGS are counts, numbers and a class that only looks like a query. QUERY
    is about one row under add-remove.
    """
    passage = door(*about)
    assert_refused(lambda: passage.measure(thing, NOISE), sentence)
    assert_refused(lambda: passage.choose(thing, passage.guarantee), sentence)

    assert passage.spent is None


def assert_refused(way: Callable[[], object], sentence: str) -> None:
    with pytest.raises(ReleaseError) as caught:
        way()
    assert str(caught.value) == sentence


LISTED = queries.large_histogram(COUNTS, Neighbors.ADD_REMOVE)


@pytest.mark.parametrize(
    ("way", "sentence"),
    [
        (
            lambda: door().measure(QUERY, Louder(Fraction(1))),
            "A door draws discrete Laplace, discrete Gaussian or K-norm noise.",
        ),
        (
            lambda: door().measure(QUERY, KNorm(Norm.MAX, 3, Fraction(5))),
            "A door draws exact Laplace, Gaussian or K-norm noise of the query's dimension.",
        ),
        (
            lambda: door().measure(LISTED, DiscreteGaussian(Fraction(4))),
            "A histogram that is listed from a threshold up needs Laplace noise.",
        ),
        (
            lambda: door().choose(LISTED, Guarantee.pure(1)),
            "A choice is among listed candidates, and costs an epsilon or a rho.",
        ),
        (
            lambda: door().choose(QUERY, Guarantee.approximate(1, Fraction(1, 100))),
            "A choice is among listed candidates, and costs an epsilon or a rho.",
        ),
        (
            lambda: door().measure(QUERY, DiscreteGaussian(Fraction(1))),
            "This needs rho = 1/2 (zCDP), more than is left of epsilon = 9.",
        ),
    ],
)
def test_noise_that_does_not_fit_is_refused(way: Any, sentence: str) -> None:
    """A door refuses noise that it does not draw, that does not fit the query, or that costs
    too much. Each way is a call with wrong noise, and the sentence says why it is refused.
    """
    assert_refused(way, sentence)


def test_an_answer_of_another_kind_than_declared_is_refused_and_not_shown() -> None:
    """A query whose exact answer is not the declared number of whole numbers is refused.

    The three answers are fractions, too few numbers, and a text. Neither the sentence nor the
    printed query shows the answer.
    """
    for exact in (lambda: np.full(4, 0.25), lambda: np.arange(3), lambda: [["secret"]]):
        query = Query(
            name="x",
            proof="rows",
            neighbors=ADD,
            unit=ROW,
            sensitivity=Sensitivity(1, 1, 1),
            size=4,
            exact=exact,
        )  # type: ignore[arg-type]
        sentence = "The query 'x' did not give as many whole numbers as it says."
        assert_refused(lambda query=query: door().measure(query, NOISE), sentence)
        assert repr(query) == "Query(private)"


def test_the_price_follows_from_the_sensitivity_in_the_norm_of_the_noise() -> None:
    """Noise is priced by the sensitivity in its own norm.

    A person of three rows, replaced, moves two cells by three: 6 in L1, 18 squared, 3 at
    most. Laplace noise is priced by L1, and Gaussian noise by the squares. K-norm noise is
    priced by its own norm, of which the root of 18 is rounded up to 5.
    """
    unit = Unit("pid", 3)
    query = queries.histogram(counted((1, 2, 3, 4), unit), Neighbors.REPLACE_ONE)
    assert query.sensitivity == Sensitivity(6, 18, 3)
    assert price(query, DiscreteLaplace(Fraction(12))) == Guarantee.pure(Fraction(1, 2))
    assert price(query, DiscreteGaussian(Fraction(9))) == Guarantee.zcdp(1)

    for norm, cost in ((Norm.L1, 6), (Norm.L2, 5), (Norm.MAX, 3)):
        assert price(query, KNorm(norm, 4, Fraction(10))) == Guarantee.pure(
            Fraction(cost, 10)
        )


def test_guesses_must_fit_their_histograms_and_be_about_one_unit() -> None:
    """A guess needs a number for every cell, and guesses of one query must be about the same
    unit. The histogram has four cells; one guess is about rows, the other about persons.
    """
    with pytest.raises(ArgumentError, match="one number of expected rows for every cell"):
        Guess(COUNTS, np.zeros(3))

    guesses = [Guess(counted((0, 0, 0, 1), unit), np.zeros(4)) for unit in UNITS[:2]]
    for ask in (
        lambda g: queries.distances(g, Neighbors.ADD_REMOVE),
        lambda g: queries.worst_guess(g, [0] * len(g), Neighbors.ADD_REMOVE),
        lambda g: queries.summed_distance(g, ROW, Neighbors.ADD_REMOVE).values(),
    ):
        with pytest.raises(ArgumentError, match="rows of the same unit"):
            ask(guesses)

    with pytest.raises(ArgumentError, match="needs at least one"):
        queries.distances([], Neighbors.ADD_REMOVE)


def test_a_far_guess_of_many_cells_does_not_wrap_around() -> None:
    """The distance of a histogram from a very large guess is capped, and does not overflow 64
    bits. 1e12 steps in each of 2^18 cells still fit; 1e300 is capped to 2^62. When such sums
    overflowed, one row moved them by 2^64.
    """
    domain = Domain(
        tuple(Categorical(name=n, categories=tuple(map(str, range(512)))) for n in "ab")
    )
    counts = Counts(domain=domain, cells=np.array([0]), counts=np.array([5]), rows=5)

    assert Guess(counts, np.full(domain.size, 1e300)).distance == 2**62
    # Distances are in 64ths of a row; the five rows are all in the first cell.
    assert Guess(counts, np.full(domain.size, 1e12 / 64)).distance == 10**12 * 2**18 - 5 * 64
