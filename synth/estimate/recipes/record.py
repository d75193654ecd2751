"""The record of a release by marginals.

A model's estimates, rebuilt from its release's public record and the drawing's seed.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from synth import limits
from synth.domain import Domain
from synth.estimate.models.choosing import Fitted, Order
from synth.estimate.models.corrected_guess import recall
from synth.estimate.models.evidence import DISTANCES, Evidence, average, column_sums
from synth.estimate.models.followers import measure_unexplained
from synth.estimate.models.junction import Clique
from synth.estimate.models.large_rows import RowStore, place_here
from synth.estimate.models.names import Method
from synth.estimate.models.public_guess import PublicGuess
from synth.estimate.models.rules import Rules
from synth.estimate.noisy.counts import NoisyMarginal, NoisyTable
from synth.estimate.noisy.moments import NoisyMoment
from synth.estimate.noisy.record import (
    NORMAL,
    Bar,
    ColumnCounts,
    ColumnSet,
    Interval,
    Spend,
    moments_in,
    reach_of,
)
from synth.estimate.recipes.choice import Choice
from synth.estimate.recipes.recipe import NoisyParts
from synth.estimate.recipes.registry import RECIPES
from synth.estimate.repair.marginal import Estimate
from synth.estimate.repair.pooling import sums
from synth.privacy import Guarantee, Neighbors, terms
from synth.util import Floats, normal, one_thread, split_cells

# Posteriors are too narrow by about this factor, a median over tables, epsilons and both
# accountings (`tests/bench/bench_bars.py`); and by it once more sums over cells of one
# histogram, which err together where their guess does.
TOO_SURE = 1.4


@dataclass(frozen=True, eq=False, kw_only=True)
class MarginalsRecord:
    """The record of a release by marginals.

    Attributes:
        charged: The claim.
        spent: The spent part: epsilon, or rho of zCDP or of Gaussian DP.
        rows: The public number of rows, if any.
        bars: The error bar of every pair in the model, largest first.
        believed: Expected rows by cell of every column and pair (or group) in the model.
    """

    domain: Domain
    neighbors: Neighbors
    charged: Guarantee
    spent: Guarantee
    strategy: str
    total: float
    rows: int | None
    measured: tuple[tuple[Clique, NoisyMarginal], ...]
    spends: tuple[Spend, ...]
    bars: tuple[Bar, ...]
    believed: Mapping[Clique, Floats] = field(default_factory=dict)

    scale = None
    histogram = None
    repair = None
    treatment = "the model"

    @property
    def moments(self) -> tuple[NoisyMoment, ...]:
        return moments_in(self.spends, self.domain)

    @property
    def rows_in_words(self) -> str:
        if self.rows is not None:
            return f"{self.total:.0f}, public"
        return f"about {self.total:.0f}, from the noisy counts"

    def expected(self, place: ColumnSet) -> Floats | None:
        """Return the model's rows by the columns' cells, if it covers them.

        Independent columns are multiplied.
        """
        homes = [clique for clique in self.believed if set(place) <= set(clique)]
        if not homes:
            return self._product(place) if self.strategy == Method.INDEPENDENT else None
        home = min(homes, key=len)
        others = tuple(axis for axis, column in enumerate(home) if column not in place)
        return np.asarray(self.believed[home].sum(axis=others))

    def interval(self, column: int) -> Interval | None:
        """Return a column's likely real shares; None if not measured alone.

        It combines all noisy counts of the column by inverse variance, or uses the sums of a
        histogram of all columns.
        """
        if RECIPES[self.strategy].is_whole:
            counts, variance = column_sums(self.domain.shape, self.measured, column)
            return Interval.build(counts, NORMAL * math.sqrt(variance), self.total)
        found = self._columns_measured(column)
        if not found:
            return None
        counts, variance = average(self.measured, (column,))
        reach = reach_of(min(found, key=lambda one: one.mechanism.variance).mechanism, 1)
        if len(found) > 1:
            reach = min(reach, 2.2 * math.sqrt(variance))
        return Interval.build(counts, reach, self.total)

    def columns(self) -> list[ColumnCounts]:
        """Return the newest noisy counts of columns measured alone."""
        newest = [
            (a, self._columns_measured(a)[-1:]) for a in range(len(self.domain.columns))
        ]
        return [
            ColumnCounts(
                column,
                one.values.astype(np.float64),
                NORMAL * math.sqrt(one.mechanism.variance),
            )
            for column, found in newest
            for one in found
        ]

    def table(self) -> NoisyTable:
        """Return all histograms below each other, as measured."""
        lengths = [one.values.size for _, one in self.measured]
        ends = np.cumsum([0, *lengths])
        codes = np.full((len(self.domain.columns), ends[-1]), -1, dtype=np.int32)
        for (clique, one), start, end in zip(self.measured, ends, ends[1:], strict=False):
            parts = split_cells(np.arange(end - start), one.domain.shape)
            for column, part in zip(clique, parts, strict=True):
                codes[column, start:end] = part
        values = np.concatenate([one.values for _, one in self.measured])
        return NoisyTable(
            [*codes], values, np.repeat(np.arange(1, len(lengths) + 1), lengths)
        )

    def summary(self) -> dict[str, Any]:
        return {
            "delta": str(self.charged.delta),
            "strategy": str(self.strategy),
            "spent": str(self.spent),
            "marginals": [list(one.domain.names) for _, one in self.measured],
            "error_bars": [
                {
                    "columns": list(bar.names),
                    "measured": bar.measured,
                    "expected": bar.expected,
                }
                for bar in self.bars
            ],
        }

    def describe(self) -> dict[str, Any]:
        """Return method, marginals and exact payments."""
        return {
            "name": "noisy marginals joined by a model",
            "strategy": str(self.strategy),
            "accounting": accounting_of(self.spent),
            "spent": terms(self.spent),
            "marginals": [one.describe(self.domain.names) for one in self.spends],
            "sampler": "exact inversion on the operating system's randomness",
        }

    def _columns_measured(self, column: int) -> list[NoisyMarginal]:
        return [one for clique, one in self.measured if clique == (column,)]

    def _product(self, place: ColumnSet) -> Floats | None:
        rows = np.array(max(self.total, 1.0))
        for column in place:
            if (column,) not in self.believed:
                return None
            rows = np.multiply.outer(rows, normal(self.believed[column,]))
        return rows


@one_thread
def record(
    evidence: Evidence,
    fitted: Fitted,
    domain: Domain,
    *,
    neighbors: Neighbors,
    charged: Guarantee,
    spent: Guarantee,
) -> MarginalsRecord:
    return MarginalsRecord(
        domain=domain,
        neighbors=neighbors,
        charged=charged,
        spent=spent,
        strategy=fitted.strategy,
        total=fitted.total,
        rows=evidence.measured[0][1].rows,
        measured=tuple(evidence.measured),
        spends=tuple(evidence.spends),
        bars=error_bars(evidence, fitted),
        believed={(i,): column for i, column in enumerate(evidence.columns)}
        | {clique: estimate.values for clique, estimate in fitted.estimates.items()},
    )


def error_bars(evidence: Evidence, fitted: Fitted) -> tuple[Bar, ...]:
    """Return the expected total variation of every pair in the model.

    A measured pair errs by its posterior and the rows' distance from it. Another errs by its
    distance from independence, which the model can at best explain.
    """
    seen = {clique for clique, _ in evidence.measured}
    left = measure_unexplained(evidence)
    bars, spoken = [], _spoken_of(fitted.estimates)
    drawn = fitted.drawn.count(spoken)
    scale = evidence.total / max(fitted.drawn.rows, 1)
    for pair, estimate in spoken.items():
        names = tuple(evidence.names[column] for column in pair)
        short = np.asarray(estimate.values - drawn[pair] * scale)
        expected = _expect(evidence, pair, estimate, short=short, left=left) / (
            2 * max(evidence.total, 1.0)
        )
        bars.append(Bar(names, pair in seen, float(f"{min(1.0, expected):.4g}")))
    return tuple(sorted(bars, key=lambda bar: -bar.expected))


def _spoken_of(estimates: Mapping[Clique, Estimate]) -> dict[Clique, Estimate]:
    # All estimates, and those of the pairs inside estimates of more columns.
    found = dict(estimates)
    for clique, whole in estimates.items():
        for a, b in combinations(range(len(clique)), 2):
            inside = Estimate(
                sums(whole.values, a, b), TOO_SURE**2 * sums(whole.variance, a, b)
            )
            found.setdefault((clique[a], clique[b]), inside)
    return found


def _expect(
    evidence: Evidence,
    pair: Clique,
    estimate: Estimate,
    *,
    short: Floats,
    left: Mapping[Clique, float],
) -> float:
    # The mean size of a normal number of mean m and variance v is about sqrt(m^2 + 2 v / pi),
    # exactly so if one of them is 0.
    if pair in left and all(clique != pair for clique, _ in evidence.measured):
        return math.hypot(left[pair], float(np.abs(short).sum()))
    return TOO_SURE * float(np.sqrt(short**2 + 2 / math.pi * estimate.variance).sum())


def accounting_of(spent: Guarantee) -> str:
    """Return the certificate's name of the accounting.

    >>> accounting_of(Guarantee.pure(1)), accounting_of(Guarantee.gaussian(1))
    ('pure epsilon', 'Gaussian (mu-GDP)')
    """
    if spent.is_gaussian:
        return "Gaussian (mu-GDP)"
    return "pure epsilon" if spent.rho is None else "zero-concentrated (zCDP)"


class Believed(Mapping[Clique, Floats]):
    """The result of `rebuild`, computed at first use."""

    def __init__(self, work_out: Callable[[], Mapping[Clique, Floats]]) -> None:
        self._work_out = cache(work_out)

    def __getitem__(self, clique: Clique) -> Floats:
        return self._work_out()[clique]

    def __iter__(self) -> Iterator[Clique]:
        return iter(self._work_out())

    def __len__(self) -> int:
        return len(self._work_out())


@one_thread
def rebuild(
    record: MarginalsRecord,
    *,
    seed: int,
    rules: Rules | None = None,
    most_cells: int = limits.MODEL_CELLS,
    public: PublicGuess | None = None,
) -> dict[Clique, Floats]:
    """Return expected rows by cell of every column and pair (or group), by column numbers.

    Args:
        most_cells: Most cells of all pairs together, as in the release.
        public: The public table that was the guess.
    """
    known, noisy = _to_finish(record, rules, most_cells, public=public)
    recipe, generator = RECIPES[record.strategy], np.random.default_rng(seed)
    estimates = recipe.estimates(known, noisy, generator)
    columns = (
        {} if recipe.is_joint else {(i,): column for i, column in enumerate(known.columns)}
    )
    return columns | {clique: estimate.values for clique, estimate in estimates.items()}


@one_thread
def columns_again(
    record: MarginalsRecord,
    *,
    rules: Rules | None = None,
    most_cells: int = limits.MODEL_CELLS,
) -> dict[int, Floats]:
    """Return columns that rows match exactly without a public table, shape (cells,), by
    number.
    """
    known, noisy = _to_finish(record, rules, most_cells)
    recipe = RECIPES[record.strategy]
    nothing = np.random.default_rng(0)  # a joint model starts nowhere
    estimates = recipe.estimates(known, noisy, nothing) if recipe.is_joint else {}
    return recipe.exact_columns(known, noisy, estimates)


def finish_again(
    choice: Choice,
    record: MarginalsRecord,
    rows: int | None,
    *,
    seed: np.random.Generator | int,
    rules: Rules | None = None,
    place: RowStore = place_here,
) -> Fitted:
    """Draw rows as a release with this record would, without a public table as its guess.

    Args:
        record: The public part of a release; its noisy counts may be others.
        rows: How many; None for as many as the table has.
        rules: The result of `Choice.check_model`, computed by default.
        place: Where many rows are held.
    """
    return _finish(choice, record, rows, seed=seed, rules=rules, place=place)[0]


def finish_with_bars(
    choice: Choice,
    record: MarginalsRecord,
    rows: int | None,
    *,
    seed: int,
    rules: Rules | None = None,
    place: RowStore = place_here,
) -> tuple[Fitted, tuple[Bar, ...]]:
    """Draw rows as `finish_again` does; return also the error bars that follow from them."""
    fitted, evidence = _finish(choice, record, rows, seed=seed, rules=rules, place=place)
    return fitted, _bars_in_one_thread(evidence, fitted)


_bars_in_one_thread = one_thread(error_bars)


@one_thread
def _finish(
    choice: Choice,
    record: MarginalsRecord,
    rows: int | None,
    *,
    seed: np.random.Generator | int,
    rules: Rules | None,
    place: RowStore,
) -> tuple[Fitted, Evidence]:
    rules = rules or choice.check_model(record.domain)
    known, noisy = _to_finish(record, rules, choice.most_cells)
    order = Order(strategy=record.strategy, rows=rows, favour=choice.favour, place=place)
    generator = np.random.default_rng(seed)
    fitted = RECIPES[record.strategy].finish(known, noisy, order, generator=generator)
    fitted.drawn.enforce(known.rules)
    return fitted, known


def _to_finish(
    record: MarginalsRecord,
    rules: Rules | None,
    most_cells: int,
    *,
    public: PublicGuess | None = None,
) -> tuple[Evidence, NoisyParts]:
    known = Evidence(record.domain, rules=rules, most_cells=most_cells, public=public)
    known.measured, known.total = list(record.measured), record.total
    known.repair_columns()
    if public is not None:
        recall(known, record.spends, record.strategy)
        known.total = record.total
        known.repair_columns()
    recipe = RECIPES[record.strategy]
    noisy = recipe.pick_joined(record.measured)
    if recipe.settles and noisy and not known.is_linked:
        paid = next(spend for spend in record.spends if spend.what == DISTANCES)
        assert paid.mechanism is not None
        known.take_distances(paid.values, paid.mechanism)
    return known, noisy
