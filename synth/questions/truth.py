"""Whether a condition can hold of any row at all, as far as the declaration says. PUBLIC.

A column stands for the few points that its conditions tell apart: the ends of what is declared, the
values it is compared with and what lies beside them, its spikes, its missing cell and the cell of
values outside. Of conditions on one column the answer is exact; of several columns joined in more
than one way it may be "yes" where it is "no", never the other way round.

>>> from synth.domain import Domain, Integer
>>> from synth.questions.lexemes import lexemes
>>> from synth.questions.parser import condition_of
>>> domain = Domain((Integer(name="age", minimum=17, maximum=90),))
>>> text = "age > 20 and age < 21"
>>> can_hold(condition_of(text, lexemes(text)), domain)
False
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from operator import eq, ge, gt, le, lt, ne

from synth.domain import OTHER_LABEL, Binned, Column, Domain
from synth.questions.condition import (
    And,
    Compare,
    Condition,
    Missing,
    Not,
    OneOf,
    Plain,
    Sign,
    columns_of,
    leaves,
)

Truth = Callable[["Point"], bool]

_SIGNS: dict[Sign, Callable[[Fraction, Fraction], bool]] = {
    Sign.EQUAL: eq,
    Sign.UNEQUAL: ne,
    Sign.BELOW: lt,
    Sign.AT_MOST: le,
    Sign.ABOVE: gt,
    Sign.AT_LEAST: ge,
}


@dataclass(frozen=True)
class Point:
    """What a column may hold.

    Attributes:
        position: Place on its axis; None of a missing value and of one outside.
        is_other: Whether it is in the cell of values outside.
        is_code: Whether it is a spike outside the bounds, which has no order.
    """

    position: Fraction | None
    is_other: bool = False
    is_code: bool = False


def can_hold(condition: Condition, domain: Domain) -> bool:
    """Whether some row that the domain allows may meet the condition.

    Args:
        condition: With values that the columns have, as a checked question holds them.
        domain: The declared columns.
    """
    return _can_be(condition, True, domain)


def _can_be(condition: Condition, wanted: bool, domain: Domain) -> bool:
    names = columns_of(condition)
    if len(names) == 1:
        return _can_all_be([condition], wanted, domain[names[0]])
    if isinstance(condition, Not):
        return _can_be(condition.part, not wanted, domain)
    if isinstance(condition, And) is not wanted:
        return any(_can_be(part, wanted, domain) for part in condition.parts)
    alone: dict[str, list[Condition]] = {}
    for part in condition.parts:
        used = columns_of(part)
        if len(used) == 1:
            alone.setdefault(used[0], []).append(part)
        elif not _can_be(part, wanted, domain):
            return False
    return all(_can_all_be(parts, wanted, domain[name]) for name, parts in alone.items())


def _can_all_be(parts: list[Condition], wanted: bool, column: Column) -> bool:
    """Whether one point of a column makes all these conditions on it true, or all false."""
    truths = [truth_of(part, column) for part in parts]
    return any(
        all(truth(point) is wanted for truth in truths) for point in points_of(parts, column)
    )


def truth_of(condition: Condition, column: Column) -> Truth:
    """When a condition on one column is true: the meaning of the language."""
    match condition:
        case Missing():
            return lambda point: point.position is None and not point.is_other
        case Compare() | OneOf():
            return _comparison(condition, column)
        case Not():
            inner = truth_of(condition.part, column)
            return lambda point: not inner(point)
    truths = [truth_of(part, column) for part in condition.parts]
    joined = all if isinstance(condition, And) else any
    return lambda point: joined(truth(point) for truth in truths)


def _comparison(condition: Compare | OneOf, column: Column) -> Truth:
    if isinstance(condition, Compare) and condition.sign.orders:
        sign, place = _SIGNS[condition.sign], column.position(condition.value)
        return lambda point: (
            point.position is not None and not point.is_code and sign(point.position, place)
        )
    values = condition.values if isinstance(condition, OneOf) else (condition.value,)
    has_other = OTHER_LABEL in values and column.other_code is not None
    places = set(_places(condition, column))
    wanted = isinstance(condition, OneOf) or condition.sign is Sign.EQUAL
    return lambda point: (point.position in places if not point.is_other else has_other) is wanted


def points_of(parts: list[Condition], column: Column) -> Iterator[Point]:
    """Points of a column, at least one of each sort that these conditions on it tell apart."""
    if column.missing_code is not None:
        yield Point(None)
    if column.other_code is not None:
        yield Point(None, is_other=True)
    places = {place for part in parts for leaf in leaves(part) for place in _places(leaf, column)}
    if not isinstance(column, Binned):
        yield from map(Point, _whole(places, Fraction(0), Fraction(len(column.labels) - 1)))
        return
    low, high = column.bounds
    inside = (_whole if column.unit else _real)(places, low, high)
    yield from map(Point, inside)
    for piece in column.pieces:
        if piece.spike:
            yield Point(piece.low, is_code=not low <= piece.low <= high)


def _places(leaf: Plain, column: Column) -> Iterator[Fraction]:
    """The places of the values that a column is compared with."""
    values: tuple[str, ...] = ()
    if isinstance(leaf, Compare | OneOf):
        values = leaf.values if isinstance(leaf, OneOf) else (leaf.value,)
    for value in values:
        if value != OTHER_LABEL or column.other_code is None:
            yield column.position(value)


def _whole(places: set[Fraction], low: Fraction, high: Fraction) -> Iterator[Fraction]:
    """The ends of a range of whole numbers, and what lies at or beside each place in it."""
    yield from {low, high}
    for place in places:
        for whole in range(math.ceil(place) - 1, math.floor(place) + 2):
            if low <= whole <= high:
                yield Fraction(whole)


def _real(places: set[Fraction], low: Fraction, high: Fraction) -> Iterator[Fraction]:
    """The ends of a range, each place in it, and what lies between."""
    cuts = sorted({low, high, *(place for place in places if low <= place <= high)})
    yield from cuts
    yield from ((a + b) / 2 for a, b in pairwise(cuts))
