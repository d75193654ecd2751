"""What every method is likely to do to a table, before anything is spent. PUBLIC input only.

The histogram has its forecast. A model of marginals measures some and loses what it does not
measure: how much two columns have in common that their shares alone do not tell. No public
number knows that, so it is assumed to be what tables of people show (`TYPICAL`, in total
variation from independence), spread over the pairs like an exponential law, and what rows have in
common by chance besides. Under that assumption the budget is split as the strategies split it, and
the expected errors are added up. Around these points stands what releases showed
(`synth.forecasts.interval`); the true figure of a table may lie outside.

>>> from fractions import Fraction
>>> from synth.domain.domain import Categorical, Domain
>>> domain = Domain(tuple(Categorical(name=n, categories=tuple("abcdefgh")) for n in "uvwxyz"))
>>> found = outlook(Plan(domain, Fraction(1), method=Method.AUTO), rows=10_000)
>>> found.method.value, found.pairs.low < found.pairs.likely < found.pairs.high
('one-shot', True)
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from itertools import combinations

import numpy as np

from synth import limits
from synth.domain.domain import Domain
from synth.domain.frozen import set_field
from synth.errors import SynthError
from synth.estimate.models.allocation import EASED, LEVELS, Account, best_under, size_of_noise
from synth.estimate.models.choosing import SIZING, choose, first_share, selection_share
from synth.estimate.models.junction import Clique, all_pairs, cells
from synth.estimate.models.names import Strategy
from synth.estimate.models.splitting import PERCENTS, SHARED, TYPICAL, WORTH, exponential_values
from synth.forecasts.assumed_table import assumed
from synth.forecasts.histogram import Forecast, forecast
from synth.forecasts.interval import Range, around
from synth.plans.plan import Method, Plan
from synth.privacy.guarantee import Guarantee
from synth.util.arrays import Floats, Ints
from synth.util.check import in_range, whole

BY_CHANCE = math.sqrt(1 / (2 * math.pi))
"""Half the mean distance of a normal law of deviation 1: what counts are apart by chance."""

CARRIED = 0.25
"""Part of the association of the other pairs that a tree of the strongest carries."""

LOOKED_AT = 60
"""Pairs that stand for all, where there are more."""


@dataclass(frozen=True)
class Outlook:
    """What a method is likely to do. PUBLIC.

    Attributes:
        method: The method that is followed in the end; never ``auto``.
        columns: Expected total variation of a column, on average, with the interval that four of
            five releases keep.
        pairs: The same of a pair of columns.
        seconds: About how long it takes on two cores, from reading to writing.
        histogram: The forecast in detail, where the plan is sure to release the histogram.
    """

    method: Method
    columns: Range
    pairs: Range
    seconds: float
    histogram: Forecast | None = None


def outlook(plan: Plan, rows: int) -> Outlook:
    """What a plan is likely to do.

    Args:
        plan: What the steward chose.
        rows: About how many rows the table has, as typed.

    Raises:
        ArgumentError: ``rows`` is no whole number from 1 up.
    """
    whole(1, rows=rows)
    if plan.cell_noise is not None:
        found = histogram_forecast(plan, rows)
        points = Method.DENSE, found.one_way.mean, found.two_way.mean
        return replace(_told(plan, rows, *points), histogram=found)
    return _told(plan, rows, *expected_points(plan, rows))


def _told(plan: Plan, rows: int, method: Method, columns: float, pairs: float) -> Outlook:
    """The outlook of points."""
    of_columns = around("columns", method, columns, rows)
    of_pairs = around("pairs", method, pairs, rows)
    return Outlook(method, of_columns, of_pairs, WAYS[method].seconds(plan, rows))


def expected_points(plan: Plan, rows: int) -> tuple[Method, float, float]:
    """The method that is followed in the end, and the points: of columns, and of pairs."""
    if plan.cell_noise is not None:
        found = histogram_forecast(plan, rows)
        return Method.DENSE, found.one_way.mean, found.two_way.mean
    model = _Model(plan, rows)
    if model.method is Method.DENSE:
        found = histogram_forecast(plan, rows)
        return Method.DENSE, found.one_way.mean, found.two_way.mean
    way = WAYS[model.method]
    return model.method, way.columns(model), way.pairs(model, TYPICAL)


def outlooks(plan: Plan, rows: int) -> list[Outlook]:
    """The outlook of every method that could be chosen instead, the rest of the plan being equal.

    Raises:
        ArgumentError: ``rows`` is no whole number from 1 up.
    """
    whole(1, rows=rows)
    found = []
    for method in OFFERED:
        try:
            other = replace(plan, method=method, groups=(), delta=_delta(plan, method))
            other.check_size()
        except SynthError:
            continue
        found.append(outlook(other, rows))
    return found


def cells_within(plan: Plan, rows: int, *, error: float) -> int | None:
    """The coarsening that a wanted error needs: the most cells that any column may have.

    Args:
        plan: What the steward chose; its rules are left aside.
        rows: About how many rows the table has.
        error: The mean total variation of pairs that is wanted, between 0 and 1.

    Returns:
        The largest number of cells a column, or None where not even two do.

    Raises:
        ArgumentError: ``error`` is not between 0 and 1, or ``rows`` no whole number from 1 up.

    >>> from synth.domain.domain import Categorical, Domain
    >>> wide = Domain(tuple(Categorical(name=n, categories=tuple("abcdefgh")) for n in "uvwxyz"))
    >>> cells_within(Plan(wide, Fraction(1), method=Method.ONE_SHOT), 10_000, error=0.03)
    6
    """
    in_range(0, 1, error=error)
    low, high = 1, max(plan.domain.shape)
    while low < high:
        middle = (low + high + 1) // 2
        likely = outlook(replace(plan, domain=CoarseDomain(plan.domain, middle), rules=None), rows)
        low, high = (middle, high) if likely.pairs.likely <= error else (low, middle - 1)
    return low if low > 1 else None


@dataclass(frozen=True, eq=False)
class CoarseDomain(Domain):
    """The sizes of a domain whose columns have at most so many cells, for a forecast alone."""

    most: int = 0

    def __init__(self, domain: Domain, most: int) -> None:
        set_field(self, "columns", domain.columns)
        set_field(self, "most", most)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of cells of each column."""
        return tuple(min(column.size, self.most) for column in self.columns)


def _delta(plan: Plan, method: Method) -> Fraction:
    """A histogram has no use for delta."""
    return Fraction(0) if method is Method.DENSE else plan.delta


def histogram_forecast(plan: Plan, rows: int) -> Forecast:
    """The forecast of a histogram with the noise of the plan.

    Raises:
        ArgumentError: ``rows`` is no whole number from 1 up.
    """
    epsilon = plan.epsilon - plan.total_epsilon
    return forecast(
        plan.domain, epsilon=epsilon, rows=rows, neighbors=plan.neighbors, unit=plan.unit
    )


@dataclass(frozen=True)
class _Beside:
    """Expected total variation of columns and of pairs that share a budget."""

    columns: float
    pairs: float


class _Model:
    """The budget of a model, split as the strategies split it."""

    def __init__(self, plan: Plan, rows: int) -> None:
        self.choice = plan.choice
        guarantee = self.choice.guarantee(plan.epsilon)
        self.account = Account.of(guarantee, plan.neighbors, plan.unit, pure=not plan.delta)
        self.plan, self.rows, self.shape = plan, rows, plan.domain.shape
        self.count, self.some = _pairs(self.shape, self.choice.most_cells)
        public = plan.unit.shares_rows(plan.neighbors)
        self.left = 1 - (0 if public else SIZING)
        self._splits: dict[tuple[float, bool], _Beside] = {}
        if self.method is not Method.DENSE:
            self.account = self._way

    @cached_property
    def method(self) -> Method:
        """The method in the end: what auto chooses, and columns where there are no pairs."""
        wanted = self.plan.method
        if wanted is Method.AUTO:
            return self._chosen
        alone = wanted is not Method.GROUPS and not self.count
        return Method.INDEPENDENT if alone else wanted

    @property
    def _chosen(self) -> Method:
        strategy, _ = self._auto
        return Method.DENSE if strategy is Strategy.WHOLE else Method(strategy.value)

    @property
    def _way(self) -> Account:
        """How *auto* spends the budget, as epsilon or as rho."""
        return self._auto[1] if self.plan.method is Method.AUTO else self.account

    @cached_property
    def _auto(self) -> tuple[Strategy, Account]:
        return choose(
            self.account,
            replace(self.account, guarantee=Guarantee.pure(self.plan.epsilon)),
            self.shape,
            pairs=self.count,
            rows=self.rows,
            rows_are_public=self.plan.unit.shares_rows(self.plan.neighbors),
            most_cells=self.choice.most_cells,
        )

    def columns(self) -> float:
        """Expected total variation of a column that is measured beside pairs."""
        return self._split(TYPICAL).columns

    def columns_alone(self) -> float:
        """The same where columns get all of the budget."""
        return self._alone

    @cached_property
    def _alone(self) -> float:
        return self._columns(Fraction(1))

    def columns_in_groups(self) -> float:
        """The same of the steward's groups."""
        return float(np.mean(list(self._grouped(1).values())))

    def columns_of_a_tree(self) -> float:
        """The same where only the strongest pairs may be measured."""
        return self._split(TYPICAL, tree=True).columns

    def pairs(self, common: float) -> float:
        """Expected total variation of a pair, if pairs have this much in common on average.

        The budget goes to the pairs where it does most good; the others stay as they are.
        """
        return self._split(common).pairs

    def pairs_of_a_tree(self, common: float) -> float:
        """The same where only the strongest may be measured, and carry a part of the others."""
        return self._split(common, tree=True).pairs

    def pairs_alone(self, common: float) -> float:
        """The same where columns are taken for independent."""
        alone = 2 * self.columns_alone()
        by_chance = float(np.mean(self._by_chance)) if self.some else 0.0
        return min(1.0, math.hypot(common, by_chance, alone)) if self.count else 0.0

    def pairs_in_groups(self, common: float) -> float:
        """The same of the steward's groups."""
        inside, outside = self._grouped(2), math.hypot(common, 2 * self.columns_in_groups())
        many = math.comb(len(self.shape), 2)
        return (sum(inside.values()) + (many - len(inside)) * outside) / max(many, 1)

    def _columns(self, share: Fraction, again: Fraction = Fraction(0)) -> float:
        """Columns that are measured for a share of the budget, and perhaps once more."""
        total, shape = self.account.total, self.shape
        noises = self.account.noise_by_size(total * share, shape)
        if again:
            more = self.account.noise_by_size(total * again, shape)
            noises = {size: 1 / math.hypot(1 / noises[size], 1 / more[size]) for size in noises}
        errors = {size: self._error((size,), noise) for size, noise in noises.items()}
        return float(np.mean([errors[size] for size in self.shape]))

    def _split(self, common: float, *, tree: bool = False) -> _Beside:
        """The errors at the share of the columns by which pairs are expected to be off by least."""
        if (common, tree) not in self._splits:
            self._splits[common, tree] = self._least(common, tree=tree)
        return self._splits[common, tree]

    @cached_property
    def _shares(self) -> tuple[Fraction, Fraction]:
        """Shares of the budget: for columns at first, and for columns and pairs afterwards."""
        left = self.left - selection_share(self.account, self.count, self.rows)
        first = first_share(self.account, self.shape, self.rows) * left
        return first, left - first

    def _least(self, common: float, *, tree: bool) -> _Beside:
        """The same, worked out as `synth.estimate.models.splitting.split_again` does."""
        first, rest = self._shares
        apart, closed = self._apart(common), self._closed(common) if tree else ()
        left = (1 - CARRIED if tree else 1.0) * apart
        alone = self._columns(first, rest)
        least = float(np.mean(np.hypot(apart, 2 * alone)))
        best = _Beside(alone, least)
        for percent in PERCENTS:
            own = self._columns(first, rest * Fraction(percent, 100))
            pairs = self._measured(left, 2 * own, percent / 100, closed)
            if pairs < min(best.pairs, WORTH * least):
                best = _Beside(own, pairs)
        return best

    def _closed(self, common: float) -> Ints:
        """Pairs that are none of the strongest, by number."""
        kept = round(len(self.some) * (len(self.shape) - 1) / self.count)
        return np.asarray(np.argsort(-self._apart(common))[max(1, kept) :])

    def _apart(self, common: float) -> Floats:
        """How far each of some pairs is from independence, shape (pairs,)."""
        return np.hypot(common * exponential_values(len(self.some)), self._by_chance)

    @cached_property
    def _by_chance(self) -> Floats:
        """How far rows of independent columns are from independence, shape (pairs,)."""
        known: dict[tuple[int, ...], float] = {}
        for sizes in set(self.some):
            expected, alike = assumed(sizes)
            spread = np.sqrt(expected * np.maximum(0.0, 1 - expected) / self.rows)
            known[sizes] = min(1.0, BY_CHANCE * float(spread @ alike))
        return np.array([known[sizes] for sizes in self.some])

    def _measured(
        self, left: Floats, own: float, spared: float, closed: Sequence[int] | Ints
    ) -> float:
        """Mean error of pairs, if those are measured where it does most good and is not closed.

        Args:
            left: Error of each pair that is not measured, shape (pairs,).
            own: What the errors of two columns add.
            spared: Part that columns get of what is left for them and pairs.
            closed: Pairs that are not measured.
        """
        amounts, measured = self._levels
        errors = np.hypot(np.column_stack([left, SHARED * measured]), own)
        errors[np.asarray(closed, dtype=np.intp), 1:] = 2.0
        budget = float(amounts[-1]) * (1 - spared)
        best = best_under(budget, np.concatenate([[0.0], amounts]), errors)
        return float(np.mean(errors[np.arange(len(best)), best]))

    @cached_property
    def _levels(self) -> tuple[Floats, Floats]:
        """Amounts that may be spent on a pair, and the error of each pair at each amount."""
        budget = float(self.account.total * self._shares[1]) * len(self.some) / self.count
        amounts = budget * np.geomspace(1e-3, 1.0, LEVELS)
        noises = self.account.size_of_noise(amounts)
        by_sizes = {one: self._errors(one, noises) for one in set(self.some)}
        return amounts, np.array([by_sizes[one] for one in self.some])

    def _errors(self, sizes: tuple[int, ...], noises: Floats) -> Floats:
        """Expected total variation of a repaired table under noises of these sizes."""
        if math.prod(sizes) == 1:
            return np.zeros(len(noises))
        expected, alike = assumed(sizes)
        off = np.minimum(EASED * noises[:, None], self.rows * expected) @ alike
        return np.minimum(1.0, off / 2 / self.rows)

    def _error(self, sizes: tuple[int, ...], noise: float) -> float:
        return float(self._errors(sizes, np.array([noise]))[0])

    def _grouped(self, order: int) -> dict[Clique, float]:
        """Errors of the columns, or of the pairs inside, of the steward's groups."""
        groups = list(self.plan.choice.cliques(self.plan.domain))
        covered = {column for group in groups for column in group}
        groups += [(a,) for a in range(len(self.shape)) if a not in covered]
        sizes = [cells(self.shape, group) for group in groups]
        costs = self.account.by_size(self.account.total, sizes)
        found = {}
        for group, size, cost in zip(groups, sizes, costs, strict=True):
            noise = size_of_noise(self.account.noise(cost))
            for part in combinations(group, order):
                own = tuple(sorted(self.shape[a] for a in part))
                found[part] = self._error(own, noise * math.sqrt(size / math.prod(own)))
        return found


@lru_cache(maxsize=256)
def _pairs(shape: tuple[int, ...], most_cells: int) -> tuple[int, list[tuple[int, ...]]]:
    """How many pairs of columns may be measured, and the sizes of some of them.

    They go evenly from the pairs with the fewest cells to those with the most.
    """
    pairs, sizes = all_pairs(shape)
    order = np.argsort(sizes, kind="stable")
    count = int((sizes <= min(most_cells, limits.DENSE_CELLS)).sum())
    step = max(1.0, count / LOOKED_AT)
    some = [pairs[order[int(i * step)]] for i in range(min(count, LOOKED_AT))]
    return count, [tuple(sorted(shape[a] for a in pair)) for pair in some]


def _files(plan: Plan, rows: int) -> float:
    """Seconds to read and write."""
    return 1 + rows * len(plan.domain.shape) / 3e6


def _counting(plan: Plan, rows: int) -> float:
    """Seconds for the noise on every cell."""
    return _files(plan, rows) + min(plan.domain.size, limits.DENSE_CELLS) / 4e6


def _joining(plan: Plan, rows: int) -> float:
    """Seconds for a tree."""
    return _files(plan, rows) + rows * len(plan.domain.shape) / 1e6


def _refining(plan: Plan, rows: int, times: float = 1.0) -> float:
    """Seconds to look at every value of every row's column next to the others."""
    shape = plan.domain.shape
    return _files(plan, rows) + times * (1.5 + 2e-8 * rows * sum(shape) * (len(shape) - 1))


@dataclass(frozen=True)
class Forecaster:
    """How a method is forecast: the errors of its model, and its time.

    Attributes:
        seconds: From reading to writing, by the plan and the rows.
        columns: Expected total variation of a column.
        pairs: The same of a pair, if pairs have so much in common on average.
        is_offered: Whether it is shown beside the others: it needs nothing more to be chosen.
    """

    seconds: Callable[[Plan, int], float]
    columns: Callable[[_Model], float] = _Model.columns
    pairs: Callable[[_Model, float], float] = _Model.pairs
    is_offered: bool = True


WAYS = {
    Method.DENSE: Forecaster(_counting),
    Method.ONE_SHOT: Forecaster(_refining),
    Method.ADAPTIVE: Forecaster(partial(_refining, times=1.5)),
    Method.TREE: Forecaster(_joining, _Model.columns_of_a_tree, _Model.pairs_of_a_tree),
    Method.INDEPENDENT: Forecaster(_files, _Model.columns_alone, _Model.pairs_alone),
    Method.GROUPS: Forecaster(
        _files, _Model.columns_in_groups, _Model.pairs_in_groups, is_offered=False
    ),
    Method.HISTOGRAM: Forecaster(_counting, is_offered=False),
}
"""Every method that is followed in the end, in the order in which they are shown."""
OFFERED = tuple(method for method, way in WAYS.items() if way.is_offered)
