"""Sums of numbers of neighbours: every small table is added up by the engine itself.

A person is any multiset of at most K + 1 rows of few kinds, of which the engine keeps K.
Tables have such a person beside two fixed rows of others; all pairs of persons are looked at.
"""

from dataclasses import astuple
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from synth.domain import OFFSET_STEPS, Categorical, Date, Domain, Integer, Number, Outside
from synth.errors import SynthError
from synth.estimate import (
    Account,
    MomentSum,
    moment_noise,
    moment_queries,
    split_for_moments,
)
from synth.plans import Method
from synth.privacy import ROW, Guarantee, Neighbors, Sensitivity, Unit
from synth.private import queries
from synth.private.counting import AddedMoments, add_moments
from synth.private.table import open_any
from tests.audit.path.replay import cost_of, replaying
from tests.counting.test_counts_moments import DOMAIN as READ
from tests.counting.test_counts_moments import SUMS, make_frame, sum_by_hand

DOMAIN = Domain(
    (
        Integer(name="x", minimum=0, maximum=9, bins=2),
        Number(
            name="y", minimum=-1, maximum=1, bins=1, missing=True, outside=Outside.NEAREST
        ),
        Categorical(name="g", categories=("a", "b")),
    )
)
KINDS = (
    (-50, -9.0, "a"),
    (4, 1.0, "a"),
    (9, -1.0, "b"),
    (10**6, 10.0**9, "b"),
    (9, None, "a"),
    (2, 0.3, "?"),
)
"""Rows at the ends of their bins and beyond, without a number, and outside the domain."""
EXACT: tuple[tuple[MomentSum, ...], ...] = (
    (MomentSum(columns=(0,), by=(0,)),),
    (MomentSum(columns=(0, 0), by=(0,)),),
    (MomentSum(columns=(0,), by=(0,)), MomentSum(columns=(0, 0), by=(0,))),
    (MomentSum(columns=(0,)), MomentSum(columns=(1,))),
    (MomentSum(columns=(0,), by=(2,)),),
    (MomentSum(columns=(0,), by=(2,), ranged=True),),
    (MomentSum(columns=(0, 1)),),
    (MomentSum(columns=(0,), given=(1,)),),
    (MomentSum(columns=(0, 0), given=(1,)),),
    (MomentSum(columns=(), given=(0, 1)),),
    (MomentSum(columns=(), by=(2,), given=(1,)),),
)
"""Sums whose bound is reached by rows of these kinds."""
BOUNDED: tuple[tuple[MomentSum, ...], ...] = (
    (MomentSum(columns=(0, 0)), MomentSum(columns=(1, 1)), MomentSum(columns=(0, 1))),
    (
        MomentSum(columns=(0,)),
        MomentSum(columns=(1,), by=(1,)),
        MomentSum(columns=(1,), by=(2,)),
    ),
    (
        MomentSum(columns=(0,), given=(1,)),
        MomentSum(columns=(0, 0), given=(1,)),
        MomentSum(columns=(), given=(0, 1)),
    ),
)
"""Sums that depend on each other."""
ALL = tuple(dict.fromkeys(moment for moments in (*EXACT, *BOUNDED) for moment in moments))


@cache
def added(unit: Unit, kinds: int = len(KINDS)) -> tuple[AddedMoments, ...]:
    """The sums of the tables of all persons; of rows, of all single rows, and of none."""
    most_rows = unit.max_rows + 1 if unit.person else 1
    people = [
        person
        for n in range(most_rows + 1)
        for person in combinations_with_replacement(KINDS[:kinds], n)
    ]
    return tuple(
        add_moments(open_any(table(list(person))), DOMAIN, ALL, unit=unit)
        for person in people
    )


def table(person: list[tuple[int, float | None, str]]) -> pd.DataFrame:
    """One person's rows, and those of two others."""
    rows = [*person, KINDS[1], KINDS[3]]
    who = ["p"] * len(person) + ["q", "r"]
    x, y, g = zip(*rows, strict=True)
    numbers = ["" if number is None else repr(number) for number in y]
    return pd.DataFrame({"x": list(map(str, x)), "y": numbers, "g": list(g), "who": who})


def moment_moves(
    neighbors: Neighbors, unit: Unit, kinds: int = len(KINDS)
) -> tuple[Sensitivity, Sensitivity]:
    """What sums declare in all, and the most that was found of each, added up."""
    declared, reached = np.zeros(3, np.int64), np.zeros(3, np.int64)
    tables = added(Unit("who", unit.max_rows) if unit.person else unit, kinds)
    for moments in (*EXACT, *BOUNDED):
        asked_queries = [queries.moment_sums(sums, moments, neighbors) for sums in tables]
        (moves,) = {query.sensitivity for query in asked_queries}
        (_,) = {str(query.describe()) for query in asked_queries}
        values = np.array([query.values() for query in asked_queries])
        others = values if neighbors is Neighbors.REPLACE_ONE else values[:1]
        gaps = np.abs(values[:, None] - others[None])
        far = np.array(
            [gaps.sum(axis=2).max(), (gaps**2).sum(axis=2).max(), gaps.max()], np.int64
        )
        declared_norms = np.array([moves.l1, moves.squared_l2, moves.l_infinity])
        assert (far <= declared_norms).all(), f"{moments} moves by {far / OFFSET_STEPS}"
        if moments in EXACT:
            declared, reached = declared + declared_norms, reached + far
    return Sensitivity(*declared.tolist()), Sensitivity(*reached.tolist())


NUMBERS = Domain(
    (
        Categorical(name="a", categories=("x", "y", "z"), outside=Outside.DROP),
        Integer(name="b", minimum=0, maximum=2, bins=1, outside=Outside.DROP),
        Categorical(name="c", categories=("p", "q")),
    )
)
"""The domain of `tests.audit.path.tables`, with numbers in one bin."""
TERMS = ("means", "b", "b*c", "b*b")


def moving_sums(unit: Unit) -> str:
    """Neighbours are within what is declared of sums, whichever engine's slip moves them."""
    added.cache_clear()
    try:
        for neighbors in Neighbors:
            declared, reached = moment_moves(neighbors, unit, 5)
            if declared != reached:
                return "a bound is not reached"
    except (AssertionError, SynthError) as error:
        return str(error) or "a bound does not hold"
    finally:
        added.cache_clear()
    return ""


def reading_sums() -> str:
    """Sums are those of rows that are read one by one."""
    rows = make_frame(60, 5)
    added_sums = add_moments(open_any(rows), READ, SUMS)
    if any(
        added_sums.sums[moment].tolist() != sum_by_hand(rows, moment).tolist()
        for moment in SUMS
    ):
        return "sums are other ones"
    return ""


def paying_sums() -> str:
    """A release of sums pays what it charges; a door that refuses has seen it as well."""
    try:
        return replaying(Method.ONE_SHOT, Neighbors.ADD_REMOVE, domain=NUMBERS, moments=TERMS)
    except (ValueError, ArithmeticError) as error:
        return str(error)


UNITS = (ROW, ROW, Unit("who", 1), Unit("who", 3))
CLAIMS = (Guarantee.pure(Fraction(3, 7)), Guarantee.zcdp(Fraction(2, 9)))


def summing(start: int = 0, number_of_releases: int = 25) -> str:
    """Releases of sums from random tables and their neighbours: no vector moves by more than
    is declared or paid for, and as far as is declared where rows at the ends of bins show
    it."""
    return next(
        filter(None, (_summed(start + seed) for seed in range(number_of_releases))), ""
    )


def _summed(seed: int) -> str:
    random = Random(seed)
    unit, neighbors = random.choice(UNITS), random.choice(list(Neighbors))
    domain, terms = _some_domain(random), ["means"]
    names = [column.name for column in domain.columns]
    terms += random.sample(["pairs", names[0], names[1], f"{names[0]}*{names[1]}", "x*g"], 2)
    moments_by_query = moment_queries(
        terms, domain, random.choice(([tuple(range(len(names)))], []))
    )
    at_ends = random.random() < 0.5
    first_person, second_person = _some_persons(random, domain, unit, at_ends=at_ends)
    base = [_some_row(random, domain) for _ in range(random.randint(0, 5))]
    mine, theirs = (
        add_moments(
            open_any(
                _frame(
                    domain,
                    [("p", row) for row in person]
                    + [(f"q{i}", r) for i, r in enumerate(base)],
                )
            ),
            domain,
            [first_person for moments in moments_by_query for first_person in moments],
            unit=unit,
        )
        for person in (
            first_person,
            second_person if neighbors is Neighbors.REPLACE_ONE else [],
        )
    )
    account = Account(random.choice(CLAIMS), neighbors, unit)
    costs = split_for_moments(account, account.total, moments_by_query)
    for moments, cost in zip(moments_by_query, costs, strict=True):
        for tested_moments in (moments, *((single,) for single in moments)):
            broken = _moved(
                mine,
                theirs,
                tested_moments,
                neighbors,
                reached=at_ends and len(tested_moments) == 1,
            )
            if broken:
                return f"{broken} (seed {seed}, {tested_moments})"
        query = queries.moment_sums(mine, moments, neighbors)
        noise = moment_noise(account, cost, moments, values=query.size)
        gap = np.abs(
            query.values() - queries.moment_sums(theirs, moments, neighbors).values()
        )
        if account.pure and cost_of(noise, gap.astype(object)) > cost:
            return f"inputs move by more than was paid for (seed {seed}, {moments})"
        if not account.pure and (gap.astype(object) ** 2).sum() > 2 * cost * noise.sigma2:
            return f"inputs move by more rho than was paid for (seed {seed}, {moments})"
    return "" if sum(costs) == account.total else f"parts are not the whole (seed {seed})"


def _moved(
    mine: AddedMoments,
    theirs: AddedMoments,
    moments: tuple[MomentSum, ...],
    neighbors: Neighbors,
    *,
    reached: bool,
) -> str:
    query_pair = [queries.moment_sums(sums, moments, neighbors) for sums in (mine, theirs)]
    if str(query_pair[0].describe()) != str(query_pair[1].describe()):
        return "what is asked differs"
    gap, moves = (
        np.abs(query_pair[0].values() - query_pair[1].values()),
        query_pair[0].sensitivity,
    )
    move = (int(gap.sum()), int((gap**2).sum()), int(gap.max()))
    if any(a > b for a, b in zip(move, astuple(moves), strict=True)):
        return f"sums move by {move}, more than {astuple(moves)}"
    single = moments[0]
    ends = (single.columns == (1,) and not single.by) or single.columns == (0, 1)
    if reached and ends and not single.given and move != astuple(moves):
        return f"sums move by {move} at the ends, less than {astuple(moves)}"
    return ""


def _some_domain(random: Random) -> Domain:
    """Two numbers and a list; bins of the second are alike, so that the outer ones are
    widest.
    """
    wide = random.randint(1, 4)
    second = random.choice(
        (
            Integer(name="y", minimum=-3, maximum=wide * 7 - 4, bins=wide, missing=True),
            Number(
                name="y",
                minimum=-1,
                maximum=wide - 1,
                bins=wide,
                outside=Outside.NEAREST,
                missing=True,
            ),
        )
    )
    first = random.choice(
        (
            Integer(name="x", minimum=0, maximum=20, edges=(0, 3, 20), spikes=(7,)),
            Number(name="x", minimum=0, maximum=5, bins=random.randint(1, 3), missing=True),
            Date(name="x", minimum="2020-01-01", maximum="2020-03-31", bins=2),
        )
    )
    return Domain((first, second, Categorical(name="g", categories=("a", "b"))))


def _ends_of(column: Any) -> tuple[str, str]:
    if isinstance(column, Date):
        return str(column.minimum), str(column.maximum)
    return repr(float(column.minimum)), repr(float(column.maximum))


def _some_row(random: Random, domain: Domain) -> list[str]:
    x, y = domain.columns[:2]
    inside = [str(random.uniform(float(y.minimum), float(y.maximum))) for _ in range(2)]
    days = [f"2020-0{random.randint(1, 3)}-{random.randint(1, 28):02}"]
    values = days if isinstance(x, Date) else [str(random.randint(0, 5)), "7", "4.3"]
    odd = ["", "1e9", "-40", "abc"]
    return [
        random.choice([*values, *_ends_of(x), *odd]),
        random.choice([*inside, *_ends_of(y), *odd]),
        random.choice(["a", "b", "b", "?"]),
    ]


def _some_persons(
    random: Random, domain: Domain, unit: Unit, *, at_ends: bool
) -> tuple[list[list[str]], list[list[str]]]:
    """Rows of one, and of whom comes in that one's place."""
    if at_ends:
        x, (low, high) = _ends_of(domain.columns[0])[1], _ends_of(domain.columns[1])
        return [[x, high, "a"]] * unit.max_rows, [[x, low, "a"]] * unit.max_rows
    most_rows = unit.max_rows + 2 if unit.person else 1
    least_rows = 0 if unit.person else 1
    first_person, second_person = (
        [_some_row(random, domain) for _ in range(random.randint(least_rows, most_rows))]
        for _ in range(2)
    )
    return first_person, second_person


def _frame(domain: Domain, rows: list[tuple[str, list[str]]]) -> pd.DataFrame:
    names = [*domain.names, "who"]
    return pd.DataFrame([[*row, who] for who, row in rows], columns=names, dtype=str)
