"""Sums of numbers of neighbours: every small table is added up by the engine itself.

A person is any multiset of at most K + 1 rows of few kinds, of which the engine keeps K. Tables
have such a person beside two fixed rows of others; all pairs of persons are looked at.
"""

from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd

from synth.domain import OFFSET_STEPS, Categorical, Domain, Integer, Number, Outside
from synth.errors import SynthError
from synth.estimate import MomentSum
from synth.plans import Method
from synth.privacy import Neighbors, Sensitivity, Unit
from synth.private import queries
from synth.private.counting import AddedMoments, add_moments
from synth.private.table import opened
from tests.audit.path.replay import replaying
from tests.counting.test_moments import DOMAIN as READ
from tests.counting.test_moments import SUMS, by_hand, frame

DOMAIN = Domain(
    (
        Integer(name="x", minimum=0, maximum=9, bins=2),
        Number(name="y", minimum=-1, maximum=1, bins=1, missing=True, outside=Outside.NEAREST),
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
    (MomentSum((0,), (0,)),),
    (MomentSum((0, 0), (0,)),),
    (MomentSum((0,), (0,)), MomentSum((0, 0), (0,))),
    (MomentSum((0,)), MomentSum((1,))),
    (MomentSum((0,), (2,)),),
    (MomentSum((0,), (2,), ranged=True),),
    (MomentSum((0, 1)),),
)
"""Sums whose bound is reached by rows of these kinds."""
BOUNDED: tuple[tuple[MomentSum, ...], ...] = (
    (MomentSum((0, 0)), MomentSum((1, 1)), MomentSum((0, 1))),
    (MomentSum((0,)), MomentSum((1,), (1,)), MomentSum((1,), (2,))),
)
"""Sums that depend on each other."""
ALL = tuple(dict.fromkeys(one for what in (*EXACT, *BOUNDED) for one in what))


@cache
def added(unit: Unit, kinds: int = len(KINDS)) -> tuple[AddedMoments, ...]:
    """The sums of the tables of all persons; of rows, of all single rows, and of none."""
    most = unit.max_rows + 1 if unit.person else 1
    people = [p for n in range(most + 1) for p in combinations_with_replacement(KINDS[:kinds], n)]
    return tuple(add_moments(opened(table(list(p))), DOMAIN, ALL, unit) for p in people)


def table(person: list[tuple[int, float | None, str]]) -> pd.DataFrame:
    """One person's rows, and those of two others."""
    rows = [*person, KINDS[1], KINDS[3]]
    who = ["p"] * len(person) + ["q", "r"]
    x, y, g = zip(*rows, strict=True)
    numbers = ["" if one is None else repr(one) for one in y]
    return pd.DataFrame({"x": list(map(str, x)), "y": numbers, "g": list(g), "who": who})


def moment_moves(
    neighbors: Neighbors, unit: Unit, kinds: int = len(KINDS)
) -> tuple[Sensitivity, Sensitivity]:
    """What sums declare in all, and the most that was found of each, added up."""
    declared, found = np.zeros(3, np.int64), np.zeros(3, np.int64)
    tables = added(Unit("who", unit.max_rows) if unit.person else unit, kinds)
    for what in (*EXACT, *BOUNDED):
        asked = [queries.moment_sums(one, what, neighbors) for one in tables]
        (moves,) = {one.sensitivity for one in asked}
        (_,) = {str(one.describe()) for one in asked}
        values = np.array([one.values() for one in asked])
        others = values if neighbors is Neighbors.REPLACE_ONE else values[:1]
        apart = np.abs(values[:, None] - others[None])
        far = np.array(
            [apart.sum(axis=2).max(), (apart**2).sum(axis=2).max(), apart.max()], np.int64
        )
        told = np.array([moves.l1, moves.squared_l2, moves.l_infinity])
        assert (far <= told).all(), f"{what} moves by {far / OFFSET_STEPS}"
        if what in EXACT:
            declared, found = declared + told, found + far
    return Sensitivity(*declared.tolist()), Sensitivity(*found.tolist())


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
            declared, found = moment_moves(neighbors, unit, 4)
            if declared != found:
                return "a bound is not reached"
    except (AssertionError, SynthError) as error:
        return str(error) or "a bound does not hold"
    finally:
        added.cache_clear()
    return ""


def reading_sums() -> str:
    """Sums are those of rows that are read one by one."""
    rows = frame(60, 5)
    found = add_moments(opened(rows), READ, SUMS)
    if any(found.sums[one].tolist() != by_hand(rows, one).tolist() for one in SUMS):
        return "sums are other ones"
    return ""


def paying_sums() -> str:
    """A release of sums pays what it charges; a door that refuses has seen it as well."""
    try:
        return replaying(Method.ONE_SHOT, Neighbors.ADD_REMOVE, domain=NUMBERS, moments=TERMS)
    except (ValueError, ArithmeticError) as error:
        return str(error)
