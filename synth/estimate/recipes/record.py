"""The public record of a release by marginals, and the error bars of its pairs. PUBLIC."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from synth.domain import Domain
from synth.estimate.models.choosing import Fitted
from synth.estimate.models.evidence import Evidence, average, column_sums
from synth.estimate.models.followers import measure_unexplained
from synth.estimate.models.junction import Clique
from synth.estimate.names import Method
from synth.estimate.noisy.counts import NoisyMarginal, NoisyTable
from synth.estimate.noisy.record import (
    Bar,
    ColumnCounts,
    ColumnSet,
    Interval,
    Spend,
    moments_in,
    reach_of,
)
from synth.estimate.recipes.registry import RECIPES
from synth.estimate.repair.marginal import Estimate
from synth.privacy import Guarantee, Neighbors, terms
from synth.util import Floats, normal, one_thread, split_cells, sum_other_axes

if TYPE_CHECKING:
    from synth.estimate.noisy.moments import NoisyMoment

# Posteriors are too narrow by about this factor, a median over tables, epsilons and both
# accountings (`tests/bench/bench_bars.py`); and by it once more sums over cells of one
# histogram, which err together where their guess does.
TOO_SURE = 1.4

# In 95 of 100 cases a Laplace number is within 2.12 standard deviations, a normal one within
# 1.96, and a mean of several in between. Noise that is mostly 0 has steps wider than that, so
# that intervals are at least a row to either side.
MOST_DEVIATIONS = 2.2

# A column by its number, or by its name.
Name = TypeVar("Name")


@dataclass(frozen=True, eq=False, kw_only=True)
class MarginalsRecord:
    """The record of a release by marginals.

    Attributes:
        domain: The declared columns.
        neighbors: Tables that the guarantee makes hard to tell apart.
        charged: The claim.
        spent: The spent part: epsilon, or rho of zCDP or of Gaussian DP.
        strategy: The method that the release followed in the end.
        total: Estimated rows of the table.
        rows: The public number of rows, if any.
        measured: All noisy histograms with the numbers of their columns, in order.
        spends: All payments, in order.
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

    def redeclare(self, domain: Domain) -> "MarginalsRecord":
        """Return the record with another word about where its columns come from.

        Args:
            domain: These columns, with what is said of them.
        """
        return replace(self, domain=domain)

    @property
    def moments(self) -> tuple["NoisyMoment", ...]:
        """All noisy sums of numbers."""
        return moments_in(self.spends, self.domain)

    @property
    def rows_in_words(self) -> str:
        """The number of rows, and where it comes from."""
        if self.rows is not None:
            return f"{self.total:.0f}, public"
        return f"about {self.total:.0f}, from the noisy counts"

    def expected(self, place: ColumnSet) -> Floats | None:
        """Return expected rows by the cells of some columns, before rows were drawn.

        Under the method of columns alone, these are multiplied. Otherwise the smallest
        estimate with all these columns is summed over its others.

        Args:
            place: Ascending numbers of the columns.

        Returns:
            Rows, with an axis for each column; None if the model has no such estimate.
        """
        homes = [clique for clique in self.believed if set(place) <= set(clique)]
        if not homes:
            return self._product(place) if self.strategy == Method.INDEPENDENT else None
        home = min(homes, key=len)
        others = tuple(axis for axis, column in enumerate(home) if column not in place)
        return np.asarray(self.believed[home].sum(axis=others))

    def interval(self, column: int) -> Interval | None:
        """Return a column's likely real shares by cell, with 95 % intervals.

        It combines all noisy counts of the column by inverse variance, or uses the sums of a
        histogram of all columns. None if the column was not measured alone.
        """
        if RECIPES[self.strategy].is_whole:
            histograms = [noisy for clique, noisy in self.measured if column in clique]
            counts, variance = column_sums(self.domain.shape, self.measured, column)
        else:
            histograms = self._measurements_of(column)
            if not histograms:
                return None
            counts, variance = average(self.measured, (column,))
        if len(histograms) == 1:
            (noisy,) = histograms
            cells = noisy.values.size // self.domain.shape[column]
            half_width = reach_of(noisy.mechanism, cells)
        else:
            half_width = max(1.0, MOST_DEVIATIONS * math.sqrt(variance))
        return Interval.build(counts, half_width, self.total)

    def columns(self) -> list[ColumnCounts]:
        """Return the newest noisy counts of each column that was measured alone, in order."""
        columns = []
        for column in range(len(self.domain.columns)):
            measurements = self._measurements_of(column)
            if measurements:
                newest = measurements[-1]
                counts = newest.values.astype(np.float64)
                columns.append(ColumnCounts(column, counts, reach_of(newest.mechanism, 1)))
        return columns

    def table(self) -> NoisyTable:
        """Return all noisy histograms below each other, in the order of measurement."""
        marginals = [marginal for _, marginal in self.measured]
        lengths = [marginal.values.size for marginal in marginals]
        ends = np.cumsum([0, *lengths])  # where each histogram starts, and the last one ends
        # The code -1 says that a histogram lacks the column.
        codes = np.full((len(self.domain.columns), ends[-1]), -1, dtype=np.int32)
        for (clique, marginal), start, end in zip(
            self.measured, ends, ends[1:], strict=False
        ):
            parts = split_cells(np.arange(end - start), marginal.domain.shape)
            for column, part in zip(clique, parts, strict=True):
                codes[column, start:end] = part
        values = np.concatenate([marginal.values for marginal in marginals])
        numbers = np.repeat(np.arange(1, len(lengths) + 1), lengths)
        return NoisyTable([*codes], values, numbers)

    def summary(self) -> dict[str, Any]:
        """Return the part of the certificate that describes the model, as a JSON object."""
        return {
            "delta": str(self.charged.delta),
            "strategy": str(self.strategy),
            "spent": str(self.spent),
            "marginals": [list(noisy.domain.names) for _, noisy in self.measured],
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
        """Return the method and all payments with their exact costs, as a JSON object."""
        return {
            "name": "noisy marginals joined by a model",
            "strategy": str(self.strategy),
            "accounting": accounting_of(self.spent),
            "spent": terms(self.spent),
            "marginals": [spend.describe(self.domain.names) for spend in self.spends],
            "sampler": "exact inversion on the operating system's randomness",
        }

    def _measurements_of(self, column: int) -> list[NoisyMarginal]:
        """Return the noisy histograms of a column alone, in order of measurement."""
        return [noisy for clique, noisy in self.measured if clique == (column,)]

    def _product(self, place: ColumnSet) -> Floats | None:
        """Return expected rows by cell of some columns, as if they were independent.

        The result has an axis for each column; it is None if some column has no estimate.
        """
        rows = np.array(max(self.total, 1.0))
        for column in place:
            if (column,) not in self.believed:
                return None
            rows = np.multiply.outer(rows, normal(self.believed[column,]))
        return rows


@dataclass(frozen=True, kw_only=True)
class Charge:
    """What a release charged and spent.

    Attributes:
        neighbors: The relation that is protected.
        charged: The claim.
        spent: The spent part.
    """

    neighbors: Neighbors
    charged: Guarantee
    spent: Guarantee


@one_thread
def record(
    evidence: Evidence,
    fitted: Fitted,
    domain: Domain,
    *,
    charge: Charge,
) -> MarginalsRecord:
    """Return the public record of a release.

    Args:
        evidence: Everything measured, in order, with repaired columns.
        fitted: The rows and the model's estimates.
        domain: The declared columns.
        charge: What the release claims and spent.
    """
    columns = {(number,): column for number, column in enumerate(evidence.columns)}
    joined = {clique: estimate.values for clique, estimate in fitted.estimates.items()}
    return MarginalsRecord(
        domain=domain,
        neighbors=charge.neighbors,
        charged=charge.charged,
        spent=charge.spent,
        strategy=fitted.strategy,
        total=fitted.total,
        rows=evidence.measured[0][1].rows,
        measured=tuple(evidence.measured),
        spends=tuple(evidence.spends),
        bars=error_bars(evidence, fitted),
        believed=columns | joined,
    )


def error_bars(evidence: Evidence, fitted: Fitted) -> tuple[Bar, ...]:
    """Return the expected total variation of every pair in the model, the largest first.

    A measured pair errs by its posterior and the rows' distance from it. Another errs by its
    distance from independence, which the model can at best explain.

    Args:
        evidence: Everything measured.
        fitted: The rows and the model's estimates.
    """

    measured = list_together(clique for clique, _ in evidence.measured)
    unexplained = measure_unexplained(evidence)
    estimates = _with_inner_pairs(fitted.estimates)
    drawn_counts = fitted.drawn.count(estimates)
    scale = evidence.total / max(fitted.drawn.rows, 1)
    bars = []
    for pair, estimate in estimates.items():
        names = tuple(evidence.names[column] for column in pair)
        # How far the rows are from the estimate, in rows of the real table.
        gap = np.asarray(estimate.values - drawn_counts[pair] * scale)
        if pair in unexplained and pair not in measured:
            error = math.hypot(unexplained[pair], float(np.abs(gap).sum()))
        else:
            error = _expected_size(gap, estimate.variance)
        share = error / (2 * max(evidence.total, 1.0))
        # Certificates hold four significant digits.
        bars.append(Bar(names, pair in measured, float(f"{min(1.0, share):.4g}")))
    return tuple(sorted(bars, key=lambda bar: -bar.expected))


def list_together(cliques: Iterable[Sequence[Name]]) -> set[tuple[Name, ...]]:
    """Return the columns of all histograms, and all pairs of columns within them.

    Args:
        cliques: The columns of each histogram, by number or by name.

    >>> sorted(list_together([(0, 1, 2)]))
    [(0, 1), (0, 1, 2), (0, 2), (1, 2)]
    """
    together: set[tuple[Name, ...]] = set()
    for clique in cliques:
        together.add(tuple(clique))
        together.update(combinations(clique, 2))
    return together


def _with_inner_pairs(estimates: Mapping[Clique, Estimate]) -> dict[Clique, Estimate]:
    """Return all estimates, and those of the pairs inside estimates of more columns.

    Those of pairs are sums over cells, which err together. So their variances are enlarged by
    the square of `TOO_SURE`. A pair that has an estimate of its own keeps that.

    Args:
        estimates: Expected rows with variances, by column numbers.
    """
    extended = dict(estimates)
    for clique, estimate in estimates.items():
        for a, b in combinations(range(len(clique)), 2):
            variance = TOO_SURE**2 * sum_other_axes(estimate.variance, a, b)
            pair = Estimate(sum_other_axes(estimate.values, a, b), variance)
            extended.setdefault((clique[a], clique[b]), pair)
    return extended


def _expected_size(gap: Floats, variance: Floats) -> float:
    """Return the expected L1 error of a pair, in rows.

    Args:
        gap: How far rows are from the estimate, by cell.
        variance: Variance of the estimate, same shape.
    """
    # The mean size of a normal number of mean m and variance v is about sqrt(m^2 + 2 v / pi),
    # exactly so if one of them is 0.
    return TOO_SURE * float(np.sqrt(gap**2 + 2 / math.pi * variance).sum())


def accounting_of(spent: Guarantee) -> str:
    """Return the name that certificates have for the kind of privacy budget that was spent.

    >>> accounting_of(Guarantee.pure(1)), accounting_of(Guarantee.gaussian(1))
    ('pure epsilon', 'Gaussian (mu-GDP)')
    """
    if spent.is_gaussian:
        return "Gaussian (mu-GDP)"
    return "pure epsilon" if spent.rho is None else "zero-concentrated (zCDP)"
