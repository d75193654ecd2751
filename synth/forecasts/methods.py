"""The expected error of every method, before anything is spent. PUBLIC input only.

Models forecast a usual table (`synth.estimate.recipes.usual_table`). A table's true error may
be outside the interval.

>>> from fractions import Fraction
>>> from synth.domain import Categorical, Domain
>>> domain = Domain(
...     tuple(Categorical(name=n, categories=tuple("abcdefgh")) for n in "uvwxyz")
... )
>>> plan = Plan(domain=domain, epsilon=Fraction(1), method=Method.AUTO)
>>> expected = outlook(plan, rows=10_000)
>>> str(expected.method), expected.pairs.low < expected.pairs.likely < expected.pairs.high
('one-shot', True)
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from math import comb

from synth.domain import Domain, set_field
from synth.errors import SynthError
from synth.estimate import (
    CONCENTRATED,
    EVEN,
    HALF_EVEN,
    RECIPES,
    Account,
    Favour,
    LikelyErrors,
    Method,
    Record,
    UsualTable,
    is_long,
    moment_share,
)
from synth.forecasts.histogram import Forecast, forecast, mean_errors, most_cells_of
from synth.forecasts.interval import Range, widen, widen_for_lists
from synth.forecasts.moments import ExpectedMoment, expect_moments
from synth.plans import Plan
from synth.privacy import Guarantee
from synth.util import check_whole, in_range, one_thread


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """The expected error of a method: ranges of the mean over columns and over pairs.

    Attributes:
        method: The method that Synth will use; never ``auto``.
        columns: Expected mean total variation of columns, with its 80 % interval.
        pairs: Expected mean total variation of pairs, with its 80 % interval.
        seconds: Rough time on two cores, from reading to writing.
        histogram: The forecast in detail, if the plan is sure to release the histogram.
        moments: The average errors of sums of numbers.
    """

    method: str
    columns: Range
    pairs: Range
    seconds: float
    histogram: Forecast | None = None
    moments: tuple[ExpectedMoment, ...] = ()


@one_thread
def outlook(plan: Plan, rows: int) -> Outlook:
    """Return the expected errors of a plan's release, its duration and its method.

    Args:
        plan: The steward's choices.
        rows: The rough number of rows.

    Raises:
        ArgumentError: ``rows`` is not a whole number from 1 up.
    """
    check_whole(1, rows=rows)
    shape = plan.domain.shape
    # No public number says how even a long list is, so its range reaches from the errors of
    # equal cells to those of usual columns.
    extreme_evennesses = (CONCENTRATED, EVEN) if any(map(is_long, shape)) else ()
    # The points are single likely errors; `widen` puts an interval around each.
    method, (points, *extremes) = _expect_points(plan, rows, [HALF_EVEN, *extreme_evennesses])
    columns = widen("columns", method, points, shape=shape, rows=rows)
    pairs = widen("pairs", method, points, shape=shape, rows=rows)
    return Outlook(
        method=method,
        columns=widen_for_lists(
            columns, points.columns, [errors.columns for errors in extremes], rows=rows
        ),
        pairs=widen_for_lists(
            pairs, points.pairs, [errors.pairs for errors in extremes], rows=rows
        ),
        seconds=RECIPES[method].seconds(shape, rows),
        # Only a plan that is sure to release the histogram has a noise of its cells.
        histogram=None if plan.cell_noise is None else histogram_forecast(plan, rows),
        moments=expect_moments(plan, rows),
    )


def outlook_of_release(plan: Plan, record: Record) -> Outlook | None:
    """Return the outlook of a release: of the method that it used, for its number of rows.

    Its ranges mean what those of the forecast mean: the mean error of the columns, and of the
    pairs of columns. The number of rows is public, or comes from the noisy counts.

    Args:
        plan: The steward's choices.
        record: What the release recorded about its method and its total.

    Returns:
        None if a public table was the guess, since the error depends on that table.

    >>> from types import SimpleNamespace
    >>> from synth.domain import Categorical, Domain
    >>> columns = tuple(Categorical(name=n, categories=("a", "b")) for n in "xy")
    >>> record = SimpleNamespace(strategy="independent", total=1_000.0)
    >>> plan = Plan(domain=Domain(columns), epsilon=Fraction(1))
    >>> expected = outlook_of_release(plan, record)
    >>> expected is not None and str(expected.method)
    'independent'
    """
    if plan.public is not None:
        return None
    # A record without a method is that of a histogram.
    method = Method(record.strategy or Method.DENSE)
    rows = max(1, round(record.total))
    foreseen = outlook(plan, rows)
    if foreseen.method == method:
        return foreseen
    # Choices that could lead to another method than the one that was used are left out, and a
    # delta that this method does not take.
    used = replace(
        plan,
        method=method,
        delta=plan.delta if RECIPES[method].by_model else Fraction(0),
        groups=(),
        rules=None,
        predict="",
        favour=Favour.ERRORS,
    )
    return outlook(used, rows)


@one_thread
def expected_points(plan: Plan, rows: int) -> tuple[str, LikelyErrors]:
    """Return the method that Synth will use, and its likely errors as single numbers.

    The errors are mean total variations of columns and of pairs. Methods that measure the
    whole table have the errors of the histogram.

    Args:
        plan: The steward's choices.
        rows: The rough number of rows.
    """
    method, (points,) = _expect_points(plan, rows, [HALF_EVEN])
    return method, points


def _expect_points(
    plan: Plan, rows: int, evennesses: Sequence[float]
) -> tuple[str, list[LikelyErrors]]:
    """Return the method that Synth will use, and its likely errors for each evenness.

    Args:
        plan: The steward's choices.
        rows: The rough number of rows.
        evennesses: How even long lists are, from 0 to 1. The method is the same for all.
    """
    # The plan is not sure to release the histogram; its method may still be one (`is_whole`).
    if plan.cell_noise is None:
        method, table = _foresee_method(plan, rows)
        recipe = RECIPES[method]
        if not recipe.is_whole:
            return method, [
                recipe.expect(replace(table, evenness=evenness)) for evenness in evennesses
            ]
    scale = float(plan.unit.sensitivity(plan.neighbors) / _epsilon_of_cells(plan))
    return Method.DENSE, [
        mean_errors(plan.domain.shape, rows, scale=scale, evenness=evenness)
        for evenness in evennesses
    ]


@one_thread
def expect_pairs(plan: Plan, rows: int) -> int:
    """Return how many pairs of columns a release is expected to measure together.

    Args:
        plan: The steward's choices.
        rows: The rough number of rows.

    >>> from synth.domain import Categorical
    >>> domain = Domain(tuple(Categorical(name=n, categories=tuple("ab")) for n in "uvwxyz"))
    >>> expect_pairs(Plan(domain=domain, epsilon=Fraction(1)), 10_000)
    15
    """
    if plan.cell_noise is not None:  # it is sure to release the histogram of all columns
        return comb(len(plan.domain.shape), 2)
    method, table = _foresee_method(plan, rows)
    return RECIPES[method].expect_pairs(table)


def _foresee_method(plan: Plan, rows: int) -> tuple[str, UsualTable]:
    """Return the method that Synth will use, and the usual table with the budget of its
    cells.

    A plan may leave the method to Synth, or name one that falls back to another. ``rows`` is
    the rough number of rows.
    """
    account = Account.open(
        plan.guarantee(plan.epsilon), plan.neighbors, plan.unit, pure=not plan.delta
    )
    # What noisy sums of numbers leave of the budget.
    share_of_counts = 1 - moment_share(plan.moments, plan.domain)
    table = UsualTable(
        account=replace(account, guarantee=account.guarantee.scale(share_of_counts)),
        shape=plan.domain.shape,
        rows=rows,
        rows_are_public=plan.unit.shares_rows(plan.neighbors),
        most_cells=plan.most_cells,
        groups=plan.cliques(plan.domain),
    )
    recipe = RECIPES[plan.method]
    # The method "auto" follows another one. Some of these spend a pure epsilon even if the
    # plan allows a delta, so the same budget is offered in that form too.
    if recipe.chooses:
        epsilon = plan.epsilon * share_of_counts
        pure_account = replace(table.account, guarantee=Guarantee.pure(epsilon))
        method, chosen_account = table.choose_method(pure_account)
        return method, replace(table, account=chosen_account)
    # A method that measures pairs of columns needs a pair with few enough cells; `count` is
    # the number of such pairs.
    if recipe.by_pairs and not table.count:
        return recipe.fallback, table
    return plan.method, table


OFFERED = tuple(method for method, recipe in RECIPES.items() if recipe.is_offered)


def outlooks(plan: Plan, rows: int) -> list[Outlook]:
    """Return the outlook of every method that could replace the plan's.

    Methods that Synth would refuse for this plan are left out. ``rows`` is the rough number
    of rows.

    Raises:
        ArgumentError: ``rows`` is not a whole number from 1 up.
    """
    check_whole(1, rows=rows)
    possible: list[Outlook] = []
    for method in OFFERED:
        # A histogram takes no delta, and most methods take no groups of columns.
        delta = plan.delta if RECIPES[method].by_model else Fraction(0)
        try:
            with_method = replace(plan, method=method, groups=(), delta=delta)
            with_method.check_size()
        except SynthError:
            continue
        possible.append(outlook(with_method, rows))
    return possible


def cells_within(plan: Plan, rows: int, *, error: float) -> int | None:
    """Return the most cells that any column may have for a wanted error of pairs.

    None if even 2 are too many. It ignores the plan's rules and its sums of numbers.

    Args:
        plan: The steward's choices.
        rows: The rough number of rows.
        error: The largest expected mean total variation of pairs of columns, from 0 to 1.

    Raises:
        ArgumentError: ``error`` is not between 0 and 1, or ``rows`` is not a whole number
            from 1 up.

    >>> from synth.domain import Categorical, Domain
    >>> wide = Domain(
    ...     tuple(Categorical(name=n, categories=tuple("abcdefgh")) for n in "uvwxyz")
    ... )
    >>> cells_within(
    ...     Plan(domain=wide, epsilon=Fraction(1), method=Method.ONE_SHOT), 10_000, error=0.03
    ... )
    6
    """
    in_range(0, 1, error=error)

    def is_too_fine(max_cells: int) -> bool:
        """Return whether pairs err too much with at most so many cells a column."""
        sizes = [min(size, max_cells) for size in plan.domain.shape]
        domain = ResizedDomain(plan.domain, sizes)
        coarse = replace(plan, domain=domain, rules=None, moments=())
        return outlook(coarse, rows).pairs.likely > error

    return most_cells_of(max(plan.domain.shape), is_too_fine)


@dataclass(frozen=True, eq=False, repr=False)
class ResizedDomain(Domain):
    """A domain whose columns have other numbers of cells, for a forecast only.

    Attributes:
        sizes: The number of cells of each column.
    """

    sizes: tuple[int, ...] = ()

    def __init__(self, domain: Domain, sizes: Sequence[int]) -> None:
        """Take over all of a domain but the numbers of cells."""
        for attribute in fields(Domain):
            set_field(self, attribute.name, getattr(domain, attribute.name))
        set_field(self, "sizes", tuple(sizes))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The number of cells of each column."""
        return self.sizes


def histogram_forecast(plan: Plan, rows: int) -> Forecast:
    """Return the forecast of a histogram with the plan's noise; ``rows`` is a rough number.

    Raises:
        ArgumentError: ``rows`` is not a whole number from 1 up.
    """
    epsilon = _epsilon_of_cells(plan)
    return forecast(
        plan.domain, epsilon=epsilon, rows=rows, neighbors=plan.neighbors, unit=plan.unit
    )


def _epsilon_of_cells(plan: Plan) -> Fraction:
    """Return what a private number of rows (`total_epsilon`) and sums leave to the cells."""
    return plan.epsilon - plan.total_epsilon - plan.moments_epsilon
