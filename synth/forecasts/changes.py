"""Changes of a plan that keep relations between columns, best first. PUBLIC.

A relation is how a pair of columns depends on each other. It is kept if both columns are
measured together.

>>> from synth.domain import Categorical, Domain
>>> columns = tuple(
...     Categorical(name=name, categories=tuple("abcdef")) for name in "klmnopqrstuvwxyz"
... )
>>> plan = Plan(domain=Domain(columns), epsilon=Fraction(1))
>>> for change in rank_changes(plan, rows=6_000)[:3]:
...     print(change.sentence, change.relations)
Allow a delta of one in a billion. About 32 of 120 pairs of columns.
Raise epsilon from 1 to 2. About 20 of 120 pairs of columns.
Leave out 1 column: 'k'. About 4 of 120 pairs of columns.
"""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb

from synth.domain import Binned, Column
from synth.errors import SynthError, name_some
from synth.estimate import RECIPES
from synth.forecasts.histogram import EPSILONS
from synth.forecasts.interval import Range
from synth.forecasts.methods import ResizedDomain, expect_pairs, outlook
from synth.plans import Plan
from synth.privacy import Guarantee, plain
from synth.util import write_number

# The largest epsilon that Synth suggests: the budget of a new ledger is 3.
MAX_EPSILON = Fraction(2)
DELTA = "1e-9"
MAX_NAMED = 12
# How many columns may be left out. Of many, only every so many are tried, as each takes a
# forecast.
LEFT_OUT = (*range(1, 31), *(round(31 * 1.15**step) for step in range(30)))
# The most bins of a column that are tried, fewer and fewer.
BINS = (10, 6)
PUBLIC = "Start from a public table of these columns, such as last year's"
NAME_TARGET = " If one column matters most, name it, and its pairs come first."


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change of a plan that keeps relations between columns.

    Attributes:
        options: The options to change with their new values as texts: delta, epsilon,
            columns (the remaining ones), bins (the most of a column) or public.
        title: What to do, in a few words.
        names: The columns that are left out or get fewer bins.
        measured: The expected number of pairs that are measured together; None if unknown.
        count: The number of pairs of the columns before the change.
        pairs: The expected error of pairs of the remaining columns; None if unknown.
    """

    options: Mapping[str, str]
    title: str
    names: tuple[str, ...] = ()
    measured: int | None = None
    count: int = 0
    pairs: Range | None = None

    @property
    def sentence(self) -> str:
        """What to do, with the names of the first columns that it concerns."""
        quoted = [f"'{name}'" for name in self.names]
        if not quoted:
            return f"{self.title}."
        return f"{self.title}: {name_some(quoted, MAX_NAMED)}."

    @property
    def relations(self) -> str:
        """How many pairs it keeps, as a sentence; empty if that is not known."""
        return "" if self.measured is None else say_pairs(self.measured, self.count)

    @property
    def expected(self) -> str:
        """A sentence with the expected error of pairs of columns; empty if not known."""
        if self.pairs is None:
            return ""
        low = write_number(100 * self.pairs.low)
        high = write_number(100 * self.pairs.high)
        which = "The other pairs" if "columns" in self.options else "Pairs"
        return f"{which} are then off by {low} to {high} %."


def say_pairs(measured: int, count: int) -> str:
    """Return the sentence on how many pairs of columns keep their relation.

    >>> say_pairs(16, 105), say_pairs(6, 6)
    ('About 16 of 105 pairs of columns.', 'All 6 pairs of columns.')
    """
    if measured >= count:
        return f"All {count:,} pairs of columns."
    return f"About {measured:,} of {count:,} pairs of columns."


def expected_relations(plan: Plan, method: str, rows: int) -> tuple[str, str]:
    """Return two sentences: that a release will lose all relations, and that it keeps some.

    A relation is how a pair of columns depends on each other. At most one of the sentences
    is not empty.

    Args:
        plan: The steward's choices.
        method: The method that Synth will use, as in the outlook.
        rows: The rough number of rows.

    >>> from synth.domain import Categorical, Domain
    >>> columns = tuple(Categorical(name=n, categories=("a", "b")) for n in "xyz")
    >>> three = Plan(domain=Domain(columns), epsilon=Fraction(1))
    >>> expected_relations(three, "independent", 900)[0].partition(":")[2]
    " 'x' and 'y' would be paired at random."
    >>> expected_relations(replace(three, method="one-shot"), "one-shot", 9_000)[1][:50]
    'Relations kept: about 3 of 3 pairs of columns, whi'
    """
    names = plan.domain.names
    recipe = RECIPES[method]
    if len(names) < 2 or plan.public is not None:  # a public table keeps relations
        return "", ""
    if not recipe.has_relations:
        first = plan.predict or names[0]
        second = next(name for name in names if name != first)
        return (
            "This table would show no relation between columns: "
            f"'{first}' and '{second}' would be paired at random."
        ), ""
    # Other methods measure all pairs, or those that the steward chose.
    if not recipe.by_pairs:
        return "", ""
    measured = expect_pairs(plan, rows)
    kept = (
        f"Relations kept: about {measured:,} of {comb(len(names), 2):,} pairs of columns, "
        "which stand out from the noise. Weaker relations may be lost."
    )
    if recipe.settles and not plan.predict:
        kept += NAME_TARGET
    return "", kept


def rank_changes(
    plan: Plan, rows: int, *, allows: Callable[[Guarantee], bool] = lambda _cost: True
) -> list[Change]:
    """Return the smallest changes of a plan that keep relations between columns.

    The changes that keep the most relations come first. There are none if the plan itself
    keeps some, or has only one column. A start from a public table comes last, because it is
    not known what that keeps.

    Args:
        plan: The steward's choices.
        rows: The rough number of rows.
        allows: Returns whether the budget allows a cost.

    Raises:
        ArgumentError: ``rows`` is not a whole number from 1 up.
    """
    now = outlook(plan, rows)
    is_kept = RECIPES[now.method].has_relations or plan.public is not None
    recipe = RECIPES[plan.method]
    # A method that measures no pair by its name keeps none at any budget.
    if is_kept or len(plan.domain.names) < 2 or not recipe.by_pairs:
        return []

    counts: dict[tuple[Hashable, ...], int] = {}

    def count_kept(changed: Plan) -> int:
        """Return the expected number of measured pairs; 0 if Synth refuses the plan.

        A search asks for some plans twice; they differ in their budget and columns only.
        """
        key = (changed.epsilon, changed.delta, changed.domain.names, changed.domain.shape)
        if key not in counts:
            try:
                counts[key] = expect_pairs(changed, rows)
            except SynthError:
                counts[key] = 0
        return counts[key]

    found = _find_steps(plan, count_kept, allows)
    count = comb(len(plan.domain.names), 2)
    changes = [_describe(steps, count_kept, rows, count=count) for steps in found]
    changes.sort(key=lambda change: (-(change.measured or 0), len(change.names)))
    # `takes_guess`: the method may start from a public table.
    if recipe.takes_guess:
        changes.append(Change(options={"public": "FILE"}, title=PUBLIC))
    return changes


@dataclass(frozen=True, kw_only=True)
class _Step:
    """A change of one option.

    Attributes:
        option: The name of the option.
        value: Its new value, as text.
        title: What to do.
        plan: The plan after the change, and after those before it.
        size: How much is given up; more is worse. It is compared within an option.
        names: The columns that it concerns.
    """

    option: str
    value: str
    title: str
    plan: Plan
    size: float = 0
    names: tuple[str, ...] = ()


# Returns the expected number of pairs that a plan keeps.
Kept = Callable[[Plan], int]
# Returns whether the budget allows a cost.
Allows = Callable[[Guarantee], bool]


def _find_steps(plan: Plan, kept: Kept, allows: Allows) -> Iterator[tuple[_Step, ...]]:
    """Yield the smallest changes of one option that keep relations, and of a delta with one.

    If a delta alone is not enough, less of another change may be enough together with it.

    Args:
        plan: The steward's choices.
        kept: Returns how many pairs a plan keeps.
        allows: Returns whether the budget allows a cost.
    """
    most_columns = len(plan.domain.columns) - 2  # a pair of columns must remain
    alone = {
        step.option: step
        for step in _list_steps(plan, kept, allows, most_columns=most_columns)
    }
    yield from ((step,) for step in alone.values())
    delta = _Step(
        option="delta",
        value=DELTA,
        title="Allow a delta of one in a billion",
        plan=replace(plan, delta=Fraction(DELTA)),
    )
    if plan.delta or not allows(delta.plan.guarantee(plan.epsilon)):
        return
    if kept(delta.plan):
        yield (delta,)
        return
    if "columns" in alone:
        most_columns = int(alone["columns"].size) - 1
    for step in _list_steps(delta.plan, kept, allows, most_columns=most_columns):
        if step.option not in alone or step.size < alone[step.option].size:
            yield delta, step


def _list_steps(
    plan: Plan, kept: Kept, allows: Allows, *, most_columns: int
) -> Iterator[_Step]:
    """Yield the smallest change of epsilon, of columns and of bins that keeps relations.

    Changes that Synth would refuse are left out.

    Args:
        plan: The steward's choices.
        kept: Returns how many pairs a plan keeps.
        allows: Returns whether the budget allows a cost.
        most_columns: The most columns to leave out.
    """
    steps = (
        _raise_epsilon(plan, kept, allows),
        _leave_out_columns(plan, kept, most_columns),
        # Fewer bins alone are hardly ever enough; with less noise of pairs they often are.
        _cut_bins(plan, kept) if plan.delta else None,
    )
    for step in steps:
        if step is None:
            continue
        try:
            step.plan.check_size()
        except SynthError:  # such as a rule about a column that would be left out
            continue
        yield step


def _raise_epsilon(plan: Plan, kept: Kept, allows: Allows) -> _Step | None:
    """Return the change to the least larger epsilon that keeps relations, if any does."""
    for epsilon in EPSILONS:
        if not plan.epsilon < epsilon <= MAX_EPSILON:
            continue
        changed = replace(plan, epsilon=epsilon)
        if allows(changed.guarantee(epsilon)) and kept(changed):
            return _Step(
                option="epsilon",
                value=plain(epsilon),
                title=f"Raise epsilon from {plain(plan.epsilon)} to {plain(epsilon)}",
                plan=changed,
                size=float(epsilon),
            )
    return None


def _leave_out_columns(plan: Plan, kept: Kept, most: int) -> _Step | None:
    """Return the change that leaves out as few columns as possible, if any number helps.

    Columns with the most cells go first; the column that the plan predicts stays. One column
    more is left out where that keeps more relations.

    Args:
        plan: The steward's choices.
        kept: Returns how many pairs a plan keeps.
        most: The most columns to leave out.
    """
    widest_first = sorted(plan.domain.columns, key=lambda column: -column.size)
    order = [column.name for column in widest_first if column.name != plan.predict]

    def leave_out(number: int) -> Plan:
        """Return the plan without the first so many columns."""
        left_out = frozenset(order[:number])
        remaining = [name for name in plan.domain.names if name not in left_out]
        return replace(plan, domain=plan.domain.project(remaining))

    numbers = [number for number in LEFT_OUT if number <= min(most, len(order))]
    # False sorts before True, which equals 1.
    place = bisect_left(numbers, 1, key=lambda number: kept(leave_out(number)) > 0)
    if place == len(numbers):
        return None
    least = numbers[place]
    is_more_better = least < most and kept(leave_out(least + 1)) > kept(leave_out(least))
    number = least + 1 if is_more_better else least
    changed = leave_out(number)
    return _Step(
        option="columns",
        value=",".join(changed.domain.names),
        title=f"Leave out {_say_columns(number)}",
        plan=changed,
        size=least,
        names=tuple(order[:number]),
    )


def _cut_bins(plan: Plan, kept: Kept) -> _Step | None:
    """Return the change to as many bins of numbers and dates as possible, if any helps."""
    columns = plan.domain.columns
    for most in BINS:
        extra_bins = [_count_extra_bins(column, most) for column in columns]
        sizes = [
            size - extra for size, extra in zip(plan.domain.shape, extra_bins, strict=True)
        ]
        # The forecast needs no more than the sizes; new columns take long to make.
        resized = replace(plan, domain=ResizedDomain(plan.domain, sizes))
        if not any(extra_bins) or not kept(resized):
            continue
        coarse_columns = tuple(
            replace(column, bins=most) if extra and isinstance(column, Binned) else column
            for column, extra in zip(columns, extra_bins, strict=True)
        )
        changed = replace(plan, domain=replace(plan.domain, columns=coarse_columns))
        names = [
            name for name, extra in zip(plan.domain.names, extra_bins, strict=True) if extra
        ]
        return _Step(
            option="bins",
            value=str(most),
            title=f"Use at most {most} bins in {_say_columns(len(names))}",
            plan=changed,
            size=-most,
            names=tuple(names),
        )
    return None


def _count_extra_bins(column: Column, most: int) -> int:
    """Return how many bins of a column are above the most; 0 if it has no equal bins."""
    if isinstance(column, Binned) and column.counts_bins:
        return max(0, column.bin_count - most)
    return 0


def _say_columns(number: int) -> str:
    """Return a number of columns in words."""
    return f"{number:,} column{'s' if number > 1 else ''}"


def _describe(steps: Sequence[_Step], kept: Kept, rows: int, *, count: int) -> Change:
    """Return one or two steps as one change, with what is expected after it.

    Args:
        steps: The steps, each after the one before.
        kept: Returns how many pairs a plan keeps.
        rows: The rough number of rows.
        count: The number of pairs before the change.
    """
    first, *others = steps
    last = steps[-1]
    title = first.title
    for step in others:
        title += f" and {step.title[:1].lower()}{step.title[1:]}"
    names = last.names
    return Change(
        options={step.option: step.value for step in steps},
        title=title,
        names=names,
        measured=kept(last.plan),
        count=count,
        pairs=outlook(last.plan, rows).pairs,
    )
