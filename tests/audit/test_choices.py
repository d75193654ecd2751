"""Choices of quantiles and of conditions: their exact loss on all small neighbours, and
replay.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from scipy import stats

from synth.door import Query
from synth.noise import exp_minus, grouped
from synth.noise.laws import Weighted
from synth.privacy import ROW, Guarantee, Neighbors, Unit
from synth.private.queries import asked, ranks
from synth.private.queries.ranks import ValueCounts, rank_scores
from synth.questions import Aim, Inquiry
from synth.questions.quantiles import aims, choices
from tests.audit import path
from tests.audit.exact import exponents
from tests.audit.layers import NBITS, SLACK
from tests.audit.mutate import catch, mutated
from tests.audit.path.inquiries import SMALL
from tests.audit.test_exact_loss import decimal
from tests.audit.test_proofs import CELLS, neighbours
from tests.conftest import Report
from tests.noise.test_exponential import exponential_law as exponential_chances
from tests.noise.test_exponential import permute_and_flip_law as permute_and_flip_chances
from tests.questions.points import asked_rows, some_points, vectors

pytestmark = pytest.mark.audit

EPSILON = Fraction(1)
AIMS = (Aim(Fraction(1, 2)), Aim(Fraction(4, 5)), Aim(Fraction(1, 3), -1))


def exponential_law(query: Query) -> list[Decimal]:
    """The chance of every candidate, by the integers of the law; those of a run share its."""
    assert query.sizes is not None
    rate = EPSILON / (2 * query.sensitivity.l_infinity)
    chances, sizes = exponents(query.values().tolist(), rate=rate), query.sizes.tolist()
    ends = [0, *Weighted(chances, tuple(sizes)).thresholds(NBITS).low, 1 << NBITS]
    runs = [Decimal(b - a) for a, b in pairwise(ends)]
    return [run / size for run, size in zip(runs, sizes, strict=True) for _ in range(size)]


def flipped_law(query: Query) -> list[Decimal]:
    """The chance of every candidate: a uniform one of those whose coins fall right.

    With t for how early a candidate comes, it is the integral over t from 0 to 1 of its own
    chance times, for all others, 1 - t * chance: that of none before it."""
    rate = EPSILON / (2 * query.sensitivity.l_infinity)
    coins = [exp_minus(x, NBITS)[0] for x in exponents(query.values().tolist(), rate=rate)]
    assert query.sizes is not None
    chances = [
        Decimal(coin) / (1 << NBITS)
        for coin, size in zip(coins, query.sizes.tolist(), strict=True)
        for _ in range(size)
    ]
    law = []
    for candidate in range(len(chances)):
        powers = [Decimal(1)]
        for chance in (*chances[:candidate], *chances[candidate + 1 :]):
            shifted = [Decimal(0), *(-chance * power for power in powers)]
            powers = [a + b for a, b in zip([*powers, Decimal(0)], shifted, strict=True)]
        law.append(
            chances[candidate] * sum(power / (k + 1) for k, power in enumerate(powers))
        )
    return law


def find_largest_loss(neighbors: Neighbors, unit: Unit, aim: Aim, law: Any) -> Decimal:
    """The largest loss of a choice over all pairs of small neighbours."""
    before, after = neighbours(neighbors, unit)
    laws: dict[tuple[int, ...], list[Decimal]] = {}
    for table in {*map(tuple, before.tolist()), *map(tuple, after.tolist())}:
        there = np.flatnonzero(table)
        rows = ValueCounts(there, np.array(table)[there])
        query = rank_scores(rows, aim, CELLS, neighbors=neighbors, unit=unit)
        laws[table] = [chance.ln() for chance in law(query)]
    largest = Decimal(0)
    pairs = zip(map(tuple, before.tolist()), map(tuple, after.tolist()), strict=True)
    for table, neighbour in dict.fromkeys(pairs):
        losses = (abs(a - b) for a, b in zip(laws[table], laws[neighbour], strict=True))
        largest = max(largest, *losses)
    return largest


def largest_loss_of_all() -> Decimal:
    """The largest loss of all, for one row and persons of two, under both relations."""
    cases = [(n, ROW, aim) for n in Neighbors for aim in AIMS]
    cases += [(Neighbors.ADD_REMOVE, Unit("pid", 2), AIMS[0])]
    with localcontext(prec=60):
        return max(
            find_largest_loss(*case, law)
            for case in cases
            for law in (exponential_law, flipped_law)
        )


def test_choices_of_ranks_lose_no_more_than_epsilon(report: Report) -> None:
    """Private choices of quantiles lose at most epsilon 1, certified over all pairs of small
    neighbours. The loss is computed from the integers of the law, so nothing is sampled. A
    loss of more than .7 shows that the search finds neighbours that are far apart.
    """
    loss = largest_loss_of_all()
    assert loss <= decimal(EPSILON) + SLACK
    assert loss > Decimal("0.7")
    report(f"largest certified loss of a choice of ranks at epsilon 1: {float(loss):.4f}")


def are_runs_drawn_as_claimed() -> bool:
    """Whether runs of candidates are drawn for as all of them one by one would be."""
    scores, sizes = np.array([3, 0, 2, 3]), np.array([1, 2, 5, 1])
    dense = np.repeat(scores, sizes).tolist()
    for choose, law in (
        (grouped.exponential_grouped, exponential_chances),
        (grouped.permute_and_flip_grouped, permute_and_flip_chances),
    ):
        choices = [
            choose(scores, sizes, epsilon=Fraction(3, 2), sensitivity=2) for _ in range(3_000)
        ]
        counts = np.bincount(choices, minlength=len(dense))
        if stats.chisquare(counts, law(dense, 0.375) * len(choices)).pvalue < 1e-6:
            return False
    return True


@pytest.mark.slow
def test_runs_are_drawn_for_as_claimed() -> None:
    assert are_runs_drawn_as_claimed()


THREE = "best of [age < 33; sex = F; smoker = yes] by count"


def find_overspending() -> str:
    """What is wrong where choices of one question cost more than it may; '' if nothing is."""
    inquiry = Inquiry.read(
        ["quantiles 1/4, 3/4 of age with interval"], SMALL, Guarantee.pure(1)
    )
    (portion,) = inquiry.arrangement.portions
    aims_of_question = aims.aims_of(portion.block, Guarantee.pure(1))
    assert aims_of_question.cost.epsilon is not None
    if len(aims_of_question.each) * aims_of_question.cost.epsilon != 1:
        return "choices cost more than is charged"
    return ""


def find_uneven_moves() -> str:
    """What is wrong where scores that are said to move in one direction do not.

    They do so whoever comes, goes or is replaced; '' if nothing is wrong.
    """
    for neighbors in Neighbors:
        inquiry = Inquiry.read([THREE], SMALL, Guarantee.pure(1), neighbors=neighbors)
        (portion,) = inquiry.arrangement.portions
        points = some_points(inquiry.workload, Random(1), 200)
        rows = asked_rows(inquiry.workload, points[:3], (), ROW)
        ((query, _),) = asked.choices(rows, portion.block, portion.way)
        moves = vectors(portion.block, portion.way, points)
        if neighbors is Neighbors.REPLACE_ONE:
            moves = (moves[:, None] - moves[None]).reshape(-1, moves.shape[1])
        goes_both_ways = (moves > 0).any(axis=1) & (moves < 0).any(axis=1)
        if query.monotone and goes_both_ways.any():
            return "scores move in two directions"
    return "" if query.monotone else "counts under add-remove move in one direction"


def test_conditions_that_are_said_to_move_together_do() -> None:
    assert not find_uneven_moves()
    assert not find_overspending()


MUTANTS = (
    (
        "the 2 dropped in a choice among runs",
        grouped.ScoreLevels,
        "__init__",
        "(2 * exact",
        "(exact",
        lambda: not are_runs_drawn_as_claimed(),
    ),
    (
        "one candidate a run",
        grouped,
        "exponential_grouped",
        "level_sizes.tolist()",
        "()",
        lambda: not are_runs_drawn_as_claimed(),
    ),
    (
        "the likeliest whose coin falls right",
        grouped,
        "permute_and_flip_grouped",
        "taken[draw_below(len(taken))]",
        "taken[0]",
        lambda: not are_runs_drawn_as_claimed(),
    ),
    (
        "a replaced row moves ranks as one that is added",
        Aim,
        "moves",
        "neighbors is Neighbors.REPLACE_ONE",
        "not unit.max_rows",
        lambda: largest_loss_of_all() > decimal(EPSILON) + SLACK,
    ),
    (
        "a person moves ranks as a row does",
        Aim,
        "moves",
        "move * unit.max_rows",
        "move",
        lambda: largest_loss_of_all() > decimal(EPSILON) + SLACK,
    ),
    (
        "ranks in rows, not in parts of a row",
        ranks,
        "_scores",
        "-np.maximum(too_high, too_low)",
        "-2 * np.maximum(too_high, too_low)",
        lambda: largest_loss_of_all() > decimal(EPSILON) + SLACK,
    ),
    (
        "values that some row has, and no others",
        ranks,
        "_with_ends",
        "has_candidates = sizes > 0",
        "has_candidates = (sizes > 0) & (equal > 0); "
        "has_candidates[:2] = has_candidates[-2:] = sizes[:2].any()",
        lambda: bool(path.inquiring()),
    ),
    (
        "every choice at the whole budget",
        aims,
        "aims_of",
        "share, *_ = share_out(cost, equal_weights)",
        "share = cost",
        lambda: bool(find_overspending()),
    ),
    (
        "rows counted twice below a tree of values",
        asked,
        "_by_value",
        "= value_counts.counts",
        "= 2 * value_counts.counts",
        lambda: bool(path.inquiring()),
    ),
    (
        "replaced conditions count as added ones",
        choices,
        "is_monotone",
        "block.workload.neighbors is Neighbors.ADD_REMOVE and ",
        "",
        lambda: bool(find_uneven_moves()),
    ),
)


@pytest.mark.slow
@pytest.mark.mutant
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant[0])
def test_a_slip_in_a_choice_is_caught(mutant: Any, report: Report) -> None:
    """The checks of this file notice each deliberate mistake of MUTANTS.

    A mutant replaces a text in one function, and its last entry is the check that must then
    fail.
    """
    name, owner, function, old, new, sees = mutant
    with mutated(owner, function, old, new):
        catch(name, "choices", sees, report)
