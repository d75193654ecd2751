"""Changes of a plan that reduce the error of pairs of columns, the most helpful first.
PUBLIC.

>>> from synth.domain import Categorical
>>> columns = tuple(
...     Categorical(name=name, categories=tuple("abcdef")) for name in "klmnopqrstuvwxyz"
... )
>>> plan = Plan(domain=Domain(columns), epsilon=Fraction(1))
>>> for change in rank_changes(plan, rows=6_000):
...     print(change.sentence)
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
from typing import NamedTuple

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
        """A sentence with the expected error of pairs of columns, and a trailing blank.

        Empty if the error is not known.
        """
        if self.pairs is None:
            return ""
        low = write_number(100 * self.pairs.low)
        high = write_number(100 * self.pairs.high)
        lost = "" if self.keeps_relations else "; relations are still lost"
        return f"Pairs are then off by {low} to {high} %{lost}. "


def expected_relations(plan: Plan, method: str) -> tuple[str, str]:
    """Return two sentences: which relations a release will lose, and which it may lose.

    A relation is how a pair of columns depends on each other. Either sentence may be empty.

    Args:
        plan: The steward's choices.
        method: The method that Synth will use, as in the outlook.

    >>> from synth.domain import Categorical
    >>> columns = tuple(Categorical(name=n, categories=("a", "b")) for n in "xy")
    >>> two = Plan(domain=Domain(columns), epsilon=Fraction(1))
    >>> [text.partition(".")[0] for text in expected_relations(two, "independent")]
    ['Relations kept: 0 of 1 pairs of columns', '']
    >>> expected_relations(two, "one-shot")[1] == MAY_LOSE + NAME_TARGET
    True
    """
    recipe = RECIPES[method]
    columns = len(plan.domain.columns)
    will_lose = ""
    # The method measures neither pairs of columns nor wider sets.
    if not recipe.has_relations:
        will_lose = relations_sentence(0, columns)
    may_lose = ""
    # The method first compares pairs of columns, and measures those that seem related.
    if recipe.by_pairs and columns > 1:
        may_lose = MAY_LOSE
        # A column to predict and a public table exclude each other.
        if not plan.predict and plan.public is None:
            may_lose += NAME_TARGET
    return will_lose, may_lose


def rank_changes(plan: Plan, rows: int) -> list[Change]:
    """Return the smallest helpful changes of a plan, by the expected error of pairs, least
    first.

    None helps a plan of one column, or one that measures pairs of columns anyway. A start
    from a public table comes last, as its error is not known.

    Args:
        plan: The steward's choices.
        rows: The rough number of rows.

    Raises:
        ArgumentError: ``rows`` is not a whole number from 1 up.
    """
    now = outlook(plan, rows)
    columns = len(plan.domain.names)
    if RECIPES[now.method].has_relations or columns < 2:
        return []

    def error(change: Change) -> float:
        """Return the expected mean error of all pairs of columns after a change.

        Pairs with a left-out column keep the error of the present plan.
        """
        assert change.pairs is not None
        remaining_pairs = comb(columns - len(change.left_out), 2) / comb(columns, 2)
        return (
            remaining_pairs * change.pairs.likely + (1 - remaining_pairs) * now.pairs.likely
        )

    helpful = [change for change in _changes(plan, rows) if error(change) < now.pairs.likely]
    ranked = sorted(helpful, key=error)
    # `takes_guess`: the method may start from a public table, and this plan has none yet.
    if plan.public is None and RECIPES[plan.method].takes_guess:
        ranked.append(Change(option="public", value="FILE", sentence=PUBLIC))
    return ranked


def _changes(plan: Plan, rows: int) -> Iterator[Change]:
    """Yield the smallest change of each option that Synth would not refuse.

    ``rows`` is the rough number of rows.
    """
    yield from _allow_delta(plan, rows)
    yield from _raise_epsilon(plan, rows)
    yield from _leave_out_columns(plan, rows)


def _allow_delta(plan: Plan, rows: int) -> Iterator[Change]:
    """Yield the change that adds a small delta to a plan, if it has none.

    ``rows`` is the rough number of rows.
    """
    if plan.delta:
        return
    expectation = _expect(replace(plan, delta=Fraction(DELTA)), rows)
    if expectation is not None:
        yield Change(
            option="delta",
            value=DELTA,
            sentence="Allow a delta of one in a billion.",
            pairs=expectation.pairs,
            keeps_relations=expectation.keeps_relations,
        )


def _raise_epsilon(plan: Plan, rows: int) -> Iterator[Change]:
    """Yield the change to the least larger epsilon at which pairs of columns are measured.

    ``rows`` is the rough number of rows.
    """
    for epsilon in EPSILONS:
        if not plan.epsilon < epsilon <= MAX_EPSILON:
            continue
        expectation = _expect(replace(plan, epsilon=epsilon), rows)
        if expectation is not None and expectation.keeps_relations:
            yield Change(
                option="epsilon",
                value=plain(epsilon),
                sentence=f"Raise epsilon from {plain(plan.epsilon)} to {plain(epsilon)}.",
                pairs=expectation.pairs,
            )
            return


def _leave_out_columns(plan: Plan, rows: int) -> Iterator[Change]:
    """Yield the change that leaves out as few columns as possible, so that pairs are
    measured.

    Columns with the most cells go first; the column that the plan predicts stays. ``rows`` is
    the rough number of rows.
    """
    widest_first = sorted(plan.domain.columns, key=lambda column: -column.size)
    order = [column.name for column in widest_first if column.name != plan.predict]
    # A pair of columns must remain.
    max_left_out = len(plan.domain.columns) - 2

    def is_enough(count: int) -> bool:
        """Return whether a plan without the first so many columns measures pairs."""
        expectation = _expect(_leave_out(plan, order[:count]), rows)
        return expectation is not None and expectation.keeps_relations

    # The least number of columns that is enough: False sorts before True, which equals 1.
    count = 1 + bisect_left(range(1, max_left_out + 1), 1, key=is_enough)
    if count > max_left_out:
        return
    expectation = _expect(_leave_out(plan, order[:count]), rows)
    # Synth would refuse the smaller plan.
    if expectation is None:
        return
    left_out = tuple(order[:count])
    names = name_some([f"'{name}'" for name in left_out], MAX_LEFT_OUT)
    noun = "column" if count == 1 else f"{count:,} columns"
    yield Change(
        option="columns",
        value=",".join(name for name in plan.domain.names if name not in left_out),
        sentence=f"Leave out the {noun}: {names}.",
        pairs=expectation.pairs,
        left_out=left_out,
    )


def _leave_out(plan: Plan, names: list[str]) -> Plan:
    """Return the plan without the columns of these names."""
    remaining = (name for name in plan.domain.names if name not in names)
    domain: Domain = plan.domain.project(remaining)
    return replace(plan, domain=domain)


class _Expectation(NamedTuple):
    """Whether a plan measures pairs of columns, and their expected error."""

    keeps_relations: bool
    pairs: Range


def _expect(plan: Plan, rows: int) -> _Expectation | None:
    """Return what a plan is expected to give; None if Synth refuses the plan.

    ``rows`` is the rough number of rows.
    """
    try:
        expected = outlook(plan, rows)
    except SynthError:
        return None
    return _Expectation(RECIPES[expected.method].has_relations, expected.pairs)
