"""Changes of a plan that reduce the error of pairs of columns, the most helpful first.
PUBLIC.

>>> from synth.domain import Categorical
>>> listed = tuple(
...     Categorical(name=n, categories=tuple("abcdef")) for n in "klmnopqrstuvwxyz"
... )
>>> wide = Plan(domain=Domain(listed), epsilon=Fraction(1))
>>> for one in rank_changes(wide, rows=6_000):
...     print(one.sentence)
Allow a delta of one in a billion.
Raise epsilon from 1 to 2.
Leave out the column: 'k'.
Start from a public table of these columns, such as last year's.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb

from synth.domain import Domain
from synth.errors import SynthError, name_some
from synth.estimate import RECIPES, relations_sentence
from synth.forecasts.histogram import EPSILONS
from synth.forecasts.interval import Range
from synth.forecasts.methods import outlook
from synth.plans import Plan
from synth.privacy import plain
from synth.util import write_number

# The largest epsilon that Synth suggests: the budget of a new ledger is 3.
MAX_EPSILON = 2
DELTA = "1e-9"
MAX_LEFT_OUT = 12
MAY_LOSE = (
    "Synth measures pairs of columns whose relation stands out from the noise. Weaker "
    "relations may be lost."
)
NAME_TARGET = (
    " If people will predict a column, name it as the column to predict: its pairs "
    "come first."
)
PUBLIC = "Start from a public table of these columns, such as last year's."


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change of a plan that reduces the error of pairs of columns.

    Attributes:
        option: The option to change: delta, epsilon, columns or public.
        value: Its new value, as text; for columns, the remaining ones.
        sentence: What to do, in words.
        pairs: Expected error of pairs afterwards; None if it depends on the public table.
        left_out: The columns to leave out.
        keeps_relations: Whether the release then measures pairs of columns.
    """

    option: str
    value: str
    sentence: str
    pairs: Range | None = None
    left_out: tuple[str, ...] = ()
    keeps_relations: bool = True

    @property
    def expected(self) -> str:
        """A sentence with the expected error of pairs, if known, and a trailing blank."""
        if self.pairs is None:
            return ""
        low, high = (write_number(100 * one) for one in (self.pairs.low, self.pairs.high))
        lost = "" if self.keeps_relations else "; relations are still lost"
        return f"Pairs are then off by {low} to {high} %{lost}. "


def expected_relations(plan: Plan, method: str) -> tuple[str, str]:
    """Say which relations between columns a release will lose, and which it may lose.

    Args:
        plan: The steward's choices.
        method: The method that Synth will use, as in the outlook.

    Returns:
        Two sentences; either may be empty.

    >>> from synth.domain import Categorical
    >>> columns = tuple(Categorical(name=n, categories=("a", "b")) for n in "xy")
    >>> two = Plan(domain=Domain(columns), epsilon=Fraction(1))
    >>> [one.partition(".")[0] for one in expected_relations(two, "independent")]
    ['Relations kept: 0 of 1 pairs of columns', '']
    >>> expected_relations(two, "one-shot")[1] == MAY_LOSE + NAME_TARGET
    True
    """
    recipe, columns = RECIPES[method], len(plan.domain.columns)
    lost = "" if recipe.has_relations else relations_sentence(0, columns)
    unnamed = NAME_TARGET * (not plan.predict and plan.public is None)
    return lost, MAY_LOSE + unnamed if recipe.by_pairs and columns > 1 else ""


def rank_changes(plan: Plan, rows: int) -> list[Change]:
    """Rank the smallest helpful changes by the expected error of pairs, the most helpful
    first.

    A pair with a left-out column keeps its error. None helps a plan of one column, or one
    that measures pairs.

    Raises:
        ArgumentError: ``rows`` is not a whole number from 1 up.
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
    guessed = [Change(option="public", value="FILE", sentence=PUBLIC)] * (plan.public is None)
    return [*sorted(found, key=error), *guessed * RECIPES[plan.method].takes_guess]


def _changes(plan: Plan, rows: int) -> Iterator[Change]:
    if not plan.delta and (then := _try(replace(plan, delta=Fraction(DELTA)), rows)):
        said = "Allow a delta of one in a billion."
        yield Change(
            option="delta", value=DELTA, sentence=said, pairs=then[1], keeps_relations=then[0]
        )
    for epsilon in EPSILONS:
        is_offered = plan.epsilon < epsilon <= MAX_EPSILON
        then = _try(replace(plan, epsilon=epsilon), rows) if is_offered else None
        if then and then[0]:
            said = f"Raise epsilon from {plain(plan.epsilon)} to {plain(epsilon)}."
            yield Change(option="epsilon", value=plain(epsilon), sentence=said, pairs=then[1])
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
        named = name_some([f"'{name}'" for name in left_out], MAX_LEFT_OUT)
        said = f"Leave out the {'column' if count == 1 else f'{count:,} columns'}: {named}."
        stay = ",".join(name for name in plan.domain.names if name not in left_out)
        yield Change(
            option="columns", value=stay, sentence=said, pairs=then[1], left_out=left_out
        )


def _leave_out(plan: Plan, names: list[str]) -> Plan:
    domain: Domain = plan.domain.project(n for n in plan.domain.names if n not in names)
    return replace(plan, domain=domain)


def _try(plan: Plan, rows: int) -> tuple[bool, Range] | None:
    # Whether a plan measures pairs, and their expected error; None if Synth refuses it.
    try:
        found = outlook(plan, rows)
    except SynthError:
        return None
    return RECIPES[found.method].has_relations, found.pairs
