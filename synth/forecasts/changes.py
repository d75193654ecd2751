"""What would make pairs of columns truer: changes of a plan, the most helpful first. PUBLIC.

>>> from synth.domain import Categorical
>>> listed = tuple(Categorical(name=n, categories=tuple("abcdef")) for n in "klmnopqrstuvwxyz")
>>> wide = Plan(Domain(listed), Fraction(1))
>>> for one in rank_changes(wide, rows=6_000):
...     print(one.sentence)
Allow a delta of one in a billion.
Raise epsilon from 1 to 2.
Leave out the 4 columns: 'k', 'l', 'm', 'n'.
Start from a public table of these columns, such as last year's.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb

from synth.domain import Domain
from synth.errors import SynthError, name_some
from synth.estimate import RECIPES
from synth.forecasts.histogram import EPSILONS
from synth.forecasts.interval import Range
from synth.forecasts.methods import outlook
from synth.plans import Plan
from synth.privacy import plain

MAX_EPSILON = 2
"""The largest epsilon that is offered: a new ledger's budget is 3."""
DELTA = "1e-9"
"""The delta that is offered: one in a billion."""
MAX_NAMED = 5
"""Columns to leave out that a sentence names."""
PUBLIC = "Start from a public table of these columns, such as last year's."


@dataclass(frozen=True)
class Change:
    """A change of a plan that would make pairs of columns truer. PUBLIC.

    Attributes:
        option: What changes: delta, epsilon, columns or public.
        value: What it becomes, as text; of columns, those that stay.
        sentence: What to do, in words.
        pairs: Expected error of pairs then; None where it depends on the public table.
        left_out: Names of the columns that are left out.
    """

    option: str
    value: str
    sentence: str
    pairs: Range | None = None
    left_out: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        """The expected error of pairs as a sentence, with a blank behind; empty where not known."""
        if self.pairs is None:
            return ""
        low, high = (f"{100 * one:.2g}" for one in (self.pairs.low, self.pairs.high))
        return f"Pairs are then off by {low} to {high} %. "


def rank_changes(plan: Plan, rows: int) -> list[Change]:
    """Rank what would make pairs truer than a plan does that measures columns alone.

    Each change is the least that helps. The rank is by the expected error of all pairs of the
    plan; a pair with a column that is left out stays as wrong as the plan has it.

    Args:
        plan: What the steward chose.
        rows: About how many rows the table has.

    Returns:
        The most helpful first; none where the plan measures pairs, or has fewer than two columns.

    Raises:
        ArgumentError: ``rows`` is no whole number from 1 up.
    """
    now = outlook(plan, rows)
    names = plan.domain.names
    if RECIPES[now.method].has_relations or len(names) < 2:
        return []

    def error(change: Change) -> float:
        assert change.pairs is not None
        kept = comb(len(names) - len(change.left_out), 2) / comb(len(names), 2)
        return kept * change.pairs.likely + (1 - kept) * now.pairs.likely

    found = [one for one in _changes(plan, rows) if error(one) < now.pairs.likely]
    guessed = [Change("public", "FILE", PUBLIC)] * (plan.public is None)
    return [*sorted(found, key=error), *guessed * RECIPES[plan.method].takes_guess]


def _changes(plan: Plan, rows: int) -> Iterator[Change]:
    """The least change of each kind that helps, where one does."""
    if not plan.delta and (then := _try(replace(plan, delta=Fraction(DELTA)), rows)):
        yield Change("delta", DELTA, "Allow a delta of one in a billion.", then[1])
    for epsilon in EPSILONS:
        is_offered = plan.epsilon < epsilon <= MAX_EPSILON
        then = _try(replace(plan, epsilon=epsilon), rows) if is_offered else None
        if then and then[0]:
            said = f"Raise epsilon from {plain(plan.epsilon)} to {plain(epsilon)}."
            yield Change("epsilon", plain(epsilon), said, then[1])
            break
    wide = sorted(plan.domain.columns, key=lambda one: -one.size)
    order = [one.name for one in wide if one.name != plan.predict]
    most = len(plan.domain.columns) - 2

    def is_enough(count: int) -> bool:
        found = _try(_leave_out(plan, order[:count]), rows)
        return found is not None and found[0]

    count = 1 + bisect_left(range(1, most + 1), 1, key=is_enough)
    then = _try(_leave_out(plan, order[:count]), rows) if count <= most else None
    if then:
        left_out = tuple(order[:count])
        named = name_some([f"'{name}'" for name in left_out], MAX_NAMED)
        said = f"Leave out the {'column' if count == 1 else f'{count:,} columns'}: {named}."
        stay = ",".join(name for name in plan.domain.names if name not in left_out)
        yield Change("columns", stay, said, then[1], left_out)


def _leave_out(plan: Plan, names: list[str]) -> Plan:
    domain: Domain = plan.domain.project(n for n in plan.domain.names if n not in names)
    return replace(plan, domain=domain)


def _try(plan: Plan, rows: int) -> tuple[bool, Range] | None:
    """Whether a plan measures pairs, and their expected error; None where it cannot be followed."""
    try:
        found = outlook(plan, rows)
    except SynthError:
        return None
    return RECIPES[found.method].has_relations, found.pairs
