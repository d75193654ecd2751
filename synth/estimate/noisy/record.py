"""The interface of a release's record, for every method. PUBLIC.

`synth.estimate.repair.record` and `synth.estimate.recipes.record` implement it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from synth.domain import Domain
from synth.estimate.noisy.counts import NoisyCounts, NoisyMarginal, NoisyTable
from synth.noise import CHOICES, Mechanism, describe, reach, sum_law
from synth.privacy import Guarantee, Neighbors, terms
from synth.util import Floats

if TYPE_CHECKING:
    from synth.estimate.noisy.moments import MomentSum, NoisyMoment

# Share of releases in which an interval may miss.
INTERVAL_MISS_SHARE = 0.05
# Nine of ten pairs have less than this many times what their bar expects: a median over two
# tables, three epsilons and both accountings (`tests/bench/bench_bars.py`).
ERROR_95_FACTOR = 1.65

ColumnSet = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Spend:
    """One payment.

    Attributes:
        what: The measured query, in words.
        cost: Its exact share of the budget.
        mechanism: The noise; None for a choice.
        columns: Names of a histogram's columns.
        values: Other results: noisy distances, sums, or rows that are left out of a
            histogram.
        moments: The sums of numbers that ``values`` has, if it has any.
    """

    what: str
    cost: Guarantee
    mechanism: Mechanism | None
    columns: tuple[str, ...] = ()
    values: tuple[int, ...] = ()
    moments: tuple["MomentSum", ...] = ()

    def describe(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the payment as the JSON object that a certificate has.

        Empty fields are left out, as certificates have had them.

        Args:
            names: Names of all columns of the domain, by their number.
        """
        description: dict[str, Any] = {"what": self.what}
        if self.columns:
            description["columns"] = list(self.columns)
        if self.values:
            description["values"] = list(self.values)
        sums = [
            {
                "columns": [names[i] for i in moment.columns],
                "by": [names[i] for i in moment.by],
            }
            | ({"ranged": True} if moment.ranged else {})
            | ({"given": [names[i] for i in moment.given]} if moment.given else {})
            for moment in self.moments
        ]
        if sums:
            description["moments"] = sums
        # A choice adds no noise to a number: its law depends on the kind of its cost, pure
        # epsilon (first in `CHOICES`) or rho.
        noise = {"law": CHOICES[self.cost.rho is not None]}
        if self.mechanism is not None:
            noise = describe(self.mechanism)
        return {**description, "cost": terms(self.cost), "noise": noise}


@dataclass(frozen=True)
class Bar:
    """How far off one synthetic pair of columns may be, in total variation.

    Attributes:
        names: The two columns.
        measured: Whether they were measured together.
        expected: The error that is expected of this pair.
    """

    names: tuple[str, ...]
    measured: bool
    expected: float

    @property
    def reach(self) -> float:
        """The end of the bar: nine of ten pairs are off by no more."""
        return min(1.0, ERROR_95_FACTOR * self.expected)


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """The noisy counts of one column.

    Attributes:
        column: Its number in the domain.
        counts: Noisy rows by cell, shape (cells,).
        reach: Half width of the noise's 95 % interval, in rows; None if a threshold hides
            counts.
    """

    column: int
    counts: Floats
    reach: float | None


@dataclass(frozen=True, eq=False)
class Interval:
    """Likely real shares of a column's cells.

    Attributes:
        middle: Noisy shares, shape (cells,), perhaps negative.
        reach: Half width, equal for all cells.
    """

    middle: Floats
    reach: float

    @classmethod
    def build(cls, counts: Floats, reach: float, total: float) -> "Interval":
        """Return the interval of shares.

        Args:
            counts: Noisy rows by cell, shape (cells,).
            reach: Half width of the noise's 95 % interval, in rows.
            total: Number of rows; less than 1 counts as 1.
        """
        return cls(counts / max(total, 1), reach / max(total, 1))

    @property
    def low(self) -> Floats:
        """Lower ends, not below 0, shape (cells,)."""
        return np.asarray(np.maximum(self.middle - self.reach, 0))

    @property
    def high(self) -> Floats:
        """Upper ends, not below 0, shape (cells,)."""
        return np.asarray(np.maximum(self.middle + self.reach, 0))


class Record(Protocol):
    """The public part of a release."""

    @property
    def domain(self) -> Domain:
        """The declared columns."""

    def redeclare(self, domain: Domain, /) -> Self:
        """Return the record with another word about where its columns come from."""

    @property
    def neighbors(self) -> Neighbors:
        """The relation of the guarantee."""

    @property
    def rows(self) -> int | None:
        """The public number of rows, if any."""

    @property
    def total(self) -> float:
        """Estimated rows of the table."""

    @property
    def scale(self) -> Fraction | None:
        """Every cell's noise scale; None if cells differ."""

    @property
    def histogram(self) -> NoisyCounts | None:
        """Noisy counts for other repairs; None for a model."""

    @property
    def measured(self) -> tuple[tuple[ColumnSet, NoisyMarginal], ...]:
        """Noisy histograms of a few columns; none if one has all."""

    @property
    def strategy(self) -> str | None:
        """The strategy, if there was a choice."""

    @property
    def repair(self) -> str | None:
        """The repair; None for a model."""

    @property
    def treatment(self) -> str:
        """How shares follow from noisy counts, in words."""

    @property
    def spends(self) -> tuple[Spend, ...]:
        """Payments in order, if the budget was split."""

    @property
    def moments(self) -> tuple["NoisyMoment", ...]:
        """Noisy sums, in order of measurement."""

    @property
    def bars(self) -> tuple[Bar, ...]:
        """Known error bars of pairs (or groups), largest first."""

    def expected(self, place: ColumnSet) -> Floats | None:
        """Return repaired rows by the columns' cells, before drawing, if covered."""

    def interval(self, column: int) -> Interval | None:
        """Return a column's likely real shares, if known."""

    def columns(self) -> list[ColumnCounts]:
        """Return noisy counts of columns, in the domain's order."""

    def table(self) -> NoisyTable:
        """Return all noisy counts, cells in order."""

    def summary(self) -> dict[str, Any]:
        """Return numbers for ``--json``."""


def moments_in(spends: Iterable[Spend], domain: Domain) -> tuple["NoisyMoment", ...]:
    """Return the noisy sums of numbers of all payments, in order.

    Payments for other queries, such as histograms and choices, are skipped.
    """
    payments = list(spends)
    if not any(spend.moments for spend in payments):
        return ()
    from synth.estimate.noisy.moments import split_moments

    return tuple(
        moment
        for spend in payments
        if spend.moments and spend.mechanism is not None
        for moment in split_moments(
            spend.moments, spend.values, spend.mechanism, domain=domain
        )
    )


def reach_of(mechanism: Mechanism, cells: int) -> float:
    """Return the half width of the 95 % interval of a sum's noise, in rows.

    It is the least whole number that the noise exceeds with a probability of at most 5 %, by
    the exact law of the sum.

    Args:
        mechanism: The noise on each cell, independent for each of them.
        cells: Number of cells in the sum, each with noise of its own.
    """
    law = mechanism.cell_noise.number_law
    return float(reach(sum_law(law, cells)))
