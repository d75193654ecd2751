"""The expected error of every method, before anything is spent. PUBLIC input only.

Models forecast a usual table (`synth.estimate.recipes.usual_table`). A table's true error may
be outside the interval.

>>> from fractions import Fraction
>>> from synth.domain import Categorical, Domain
>>> domain = Domain(
...     tuple(Categorical(name=n, categories=tuple("abcdefgh")) for n in "uvwxyz")
... )
>>> found = outlook(Plan(domain=domain, epsilon=Fraction(1), method=Method.AUTO), rows=10_000)
>>> str(found.method), found.pairs.low < found.pairs.likely < found.pairs.high
('one-shot', True)

Expected errors of noisy sums of numbers, before anything is spent. PUBLIC input only.

A sum's noise over the rows is the error of a mean or a mean product, without the gain from
bins."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from synth.domain import Column, Domain, set_field
from synth.errors import SynthError
from synth.estimate import (
    RECIPES,
    Account,
    Favour,
    LikelyErrors,
    Method,
    Record,
    UsualTable,
    choose_ranges,
    moment_noise,
    moment_queries,
    moment_share,
    split_for_moments,
)
from synth.forecasts.histogram import Forecast, forecast, most_cells_of
from synth.forecasts.interval import Range, widen
from synth.noise import DiscreteLaplace
from synth.plans import Plan
from synth.privacy import Guarantee
from synth.util import check_whole, in_range, one_thread


class ExpectedMoment(NamedTuple):
    """A kind of sums, and the mean's expected error, in the columns' units (seconds for
    dates).

    ``columns`` are two for squares and products.
    """

    what: str
    error: float
    columns: tuple[Column, ...]


def expect_moments(plan: Plan, rows: int) -> tuple[ExpectedMoment, ...]:
    """Return the expected errors of a plan's sums, as if every pair were measured.

    >>> from fractions import Fraction
    >>> from synth.domain import Domain, Integer
    >>> ages = Domain((Integer(name="age", minimum=0, maximum=99, bins=4),))
    >>> (found,) = expect_moments(
    ...     Plan(domain=ages, epsilon=Fraction(1), moments=("means",)), rows=10_000
    ... )
    >>> found.what, round(found.error, 3)
    ('offsets of age', 0.072)
    """
    domain, unit = plan.domain, plan.unit
    queries = moment_queries(plan.moments, domain, [tuple(range(len(domain.columns)))])
    if not queries:
        return ()
    account = Account.open(
        plan.guarantee(plan.epsilon), plan.neighbors, unit, pure=not plan.delta
    )
    budget = account.total * moment_share(plan.moments, domain)
    costs, found = split_for_moments(account, budget, queries), []
    if not plan.by_model:
        known = [(tuple(range(len(domain.columns))), DiscreteLaplace(plan.scale).variance)]
        queries = choose_ranges(
            account, domain, list(zip(queries, costs, strict=True)), measured=known
        )
    for what, cost in zip(queries, costs, strict=True):
        units = [one.unit(domain) for one in what]
        noise = moment_noise(
            account, cost, what, values=sum(each.size for each in units)
        ).mean_absolute
        for one, each in zip(what, units, strict=True):
            error = noise * float(np.mean(each)) * each.size / rows
            own = tuple(domain.columns[column] for column in one.columns)
            found.append(ExpectedMoment(one.in_words(domain.names), error, own))
    return tuple(found)


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """The expected error of a method.

    Attributes:
        method: The method that Synth will use; never ``auto``.
        columns, pairs: Expected mean total variation, with its 80 % interval.
        seconds: Rough time on two cores, from reading to writing.
        histogram: The forecast in detail, if the plan is sure to release the histogram.
        moments: The expected errors of sums of numbers.
    """

    method: str
    columns: Range
    pairs: Range
    seconds: float
    histogram: Forecast | None = None
    moments: tuple[ExpectedMoment, ...] = ()


@one_thread
def outlook(plan: Plan, rows: int) -> Outlook:
    """Return the expected error of a plan for a rough number of rows.

    Raises:
        ArgumentError: ``rows`` is not a whole number from 1 up.
    """
    check_whole(1, rows=rows)
    method, points = expected_points(plan, rows)
    shape = plan.domain.shape
    return Outlook(
        method=method,
        columns=widen("columns", method, points, shape=shape, rows=rows),
        pairs=widen("pairs", method, points, shape=shape, rows=rows),
        seconds=RECIPES[method].seconds(shape, rows),
        histogram=None if plan.cell_noise is None else histogram_forecast(plan, rows),
        moments=expect_moments(plan, rows),
    )


def outlook_of_release(plan: Plan, record: Record) -> Outlook | None:
    """Return the outlook of a release: of the method that it used, for its number of rows.

    Its ranges mean what those of the forecast mean: the mean error of the columns, and of the
    pairs of columns. The number of rows is public, or comes from the noisy counts.

    Returns:
        None if a public table was the guess, since the error depends on that table.

    >>> from types import SimpleNamespace
    >>> from synth.domain import Categorical, Domain
    >>> columns = tuple(Categorical(name=n, categories=("a", "b")) for n in "xy")
    >>> made = SimpleNamespace(strategy="independent", total=1_000.0)
    >>> found = outlook_of_release(Plan(domain=Domain(columns), epsilon=Fraction(1)), made)
    >>> found is not None and str(found.method)
    'independent'
    """
    if plan.public is not None:
        return None
    method, rows = Method(record.strategy or Method.DENSE), max(1, round(record.total))
    foreseen = outlook(plan, rows)
    if foreseen.method == method:
        return foreseen
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
    """Return the method that Synth will use, and its errors."""
    if plan.cell_noise is None:
        method, table = _foresee_method(plan, rows)
        if not RECIPES[method].is_whole:
            return method, RECIPES[method].expect(table)
    found = histogram_forecast(plan, rows)
    return Method.DENSE, LikelyErrors(found.one_way.mean, found.two_way.mean)


def _foresee_method(plan: Plan, rows: int) -> tuple[str, UsualTable]:
    neighbors, unit = plan.neighbors, plan.unit
    account = Account.open(plan.guarantee(plan.epsilon), neighbors, unit, pure=not plan.delta)
    kept = 1 - moment_share(plan.moments, plan.domain)
    table = UsualTable(
        account=replace(account, guarantee=account.guarantee.scale(kept)),
        shape=plan.domain.shape,
        rows=rows,
        rows_are_public=unit.shares_rows(neighbors),
        most_cells=plan.most_cells,
        groups=plan.cliques(plan.domain),
    )
    if RECIPES[plan.method].chooses:
        pure = replace(table.account, guarantee=Guarantee.pure(plan.epsilon * kept))
        method, account = table.choose_method(pure)
        return method, replace(table, account=account)
    hopeless = RECIPES[plan.method].by_pairs and not table.count
    return RECIPES[plan.method].fallback if hopeless else plan.method, table


OFFERED = tuple(method for method, one in RECIPES.items() if one.is_offered)


def outlooks(plan: Plan, rows: int) -> list[Outlook]:
    """Return the outlook of every method that could replace the plan's.

    Raises:
        ArgumentError: ``rows`` is not a whole number from 1 up.
    """
    check_whole(1, rows=rows)
    found = []
    for method in OFFERED:
        delta = plan.delta if RECIPES[method].by_model else Fraction(0)
        try:
            other = replace(plan, method=method, groups=(), delta=delta)
            other.check_size()
        except SynthError:
            continue
        found.append(outlook(other, rows))
    return found


def cells_within(plan: Plan, rows: int, *, error: float) -> int | None:
    """Return the most cells of any column for a wanted error; None if even 2 are too many.

    It ignores the plan's rules. Arguments and errors are those of `epsilon_for`.

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

    def is_too_fine(most: int) -> bool:
        coarse = replace(plan, domain=CoarseDomain(plan.domain, most), rules=None, moments=())
        return outlook(coarse, rows).pairs.likely > error

    return most_cells_of(max(plan.domain.shape), is_too_fine)


@dataclass(frozen=True, eq=False)
class CoarseDomain(Domain):
    most: int = 0

    def __init__(self, domain: Domain, most: int) -> None:
        set_field(self, "columns", domain.columns)
        set_field(self, "most", most)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple(min(column.size, self.most) for column in self.columns)


def histogram_forecast(plan: Plan, rows: int) -> Forecast:
    """Return the forecast of a histogram with the plan's noise.

    Raises:
        ArgumentError: ``rows`` is not a whole number from 1 up.
    """
    epsilon = plan.epsilon - plan.total_epsilon - plan.moments_epsilon
    return forecast(
        plan.domain, epsilon=epsilon, rows=rows, neighbors=plan.neighbors, unit=plan.unit
    )
