"""What every release can tell of itself, whichever way it was measured. PUBLIC.

A release by histogram has one kind of `Record` (`synth.estimate.repair.record`), a release by
marginals another (`synth.estimate.models.record`). What shows, writes, compares or checks a release
asks its record and need not know which kind it holds.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from synth.domain import Domain
from synth.estimate.noisy.counts import NoisyCounts, NoisyMarginal, NoisyTable
from synth.estimate.noisy.moments import MomentSum, NoisyMoment, split_moments
from synth.noise import CHOICES, LaplaceLaw, Mechanism, describe
from synth.privacy import Guarantee, Neighbors, terms
from synth.util import Floats

INTERVAL_MISS_SHARE = 0.05
"""Share of the releases in which an interval may miss."""
NORMAL = 1.96
"""Deviations within which 95 of 100 normal numbers are."""
ERROR_95_FACTOR = 1.65
"""Nine of ten pairs are off by less than this many times what is expected: a median over two
tables, three epsilons and both accountings (`tests/bench/bench_bars.py`)."""

ColumnSet = tuple[int, ...]
"""The numbers of some columns of the domain."""


@dataclass(frozen=True)
class Spend:
    """One payment. PUBLIC.

    Attributes:
        what: What was measured, in words.
        cost: Its share of the budget, exact.
        mechanism: The noise; None for a choice.
        columns: Names of the columns whose histogram it was; none for anything else.
        values: What came out, where it was no histogram: noisy distances of the pairs, or sums.
        moments: What was added up, where it was sums of offsets or of products.
    """

    what: str
    cost: Guarantee
    mechanism: Mechanism | None
    columns: tuple[str, ...] = ()
    values: tuple[int, ...] = ()
    moments: tuple[MomentSum, ...] = ()

    def describe(self, names: Sequence[str]) -> dict[str, Any]:
        """Return it as the certificate has it, by the names of all columns."""
        told: dict[str, Any] = {"what": self.what}
        told |= {"columns": list(self.columns)} if self.columns else {}
        told |= {"values": list(self.values)} if self.values else {}
        sums = [
            {"columns": [names[i] for i in one.columns], "by": [names[i] for i in one.by]}
            | ({"ranged": True} if one.ranged else {})
            for one in self.moments
        ]
        told |= {"moments": sums} if sums else {}
        noise = {"law": CHOICES[self.cost.rho is not None]}
        if self.mechanism is not None:
            noise = describe(self.mechanism)
        return {**told, "cost": terms(self.cost), "noise": noise}


@dataclass(frozen=True)
class Bar:
    """How far a pair of the synthetic table is expected to be from the real one. PUBLIC.

    Attributes:
        names: The two columns.
        measured: Whether the pair was measured itself.
        expected: Expected total variation.
    """

    names: tuple[str, ...]
    measured: bool
    expected: float

    @property
    def reach(self) -> float:
        """What nine of ten pairs are expected to stay below."""
        return min(1.0, ERROR_95_FACTOR * self.expected)


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """The noisy counts of one column. PUBLIC.

    Attributes:
        column: Its number in the domain.
        counts: Noisy rows by cell, shape (cells,).
        reach: What the noise stays within in 95 of 100 releases, in rows; None where counts
            below a threshold are missing from the sums.
    """

    column: int
    counts: Floats
    reach: float | None


@dataclass(frozen=True, eq=False)
class Interval:
    """Where the real shares of a column's cells are likely to be. PUBLIC.

    Attributes:
        middle: Shares by the noisy counts, shape (cells,); they may be negative.
        reach: Half the width of the bars, the same for all cells.
    """

    middle: Floats
    reach: float

    @classmethod
    def build(cls, counts: Floats, reach: float, total: float) -> "Interval":
        """From noisy rows by cell, shape (cells,), a reach in rows, and the number of rows."""
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
    """What is public of a release. PUBLIC."""

    @property
    def domain(self) -> Domain:
        """The declared columns."""

    @property
    def neighbors(self) -> Neighbors:
        """The relation of the guarantee."""

    @property
    def rows(self) -> int | None:
        """The number of rows where it is public, else None."""

    @property
    def total(self) -> float:
        """Rows the table is believed to have."""

    @property
    def scale(self) -> Fraction | None:
        """Scale of the noise on every cell; None where it is not the same on all."""

    @property
    def histogram(self) -> NoisyCounts | None:
        """The noisy counts that other repairs could be tried on; None where a model mends them."""

    @property
    def measured(self) -> tuple[tuple[ColumnSet, NoisyMarginal], ...]:
        """Noisy histograms of a few columns each, as they were measured; none where one has all."""

    @property
    def strategy(self) -> str | None:
        """The strategy that was followed; None where there was none to choose."""

    @property
    def repair(self) -> str | None:
        """The repair that was used; None where a model mends each marginal."""

    @property
    def treatment(self) -> str:
        """What makes shares of noisy counts, in words."""

    @property
    def spends(self) -> tuple[Spend, ...]:
        """Every payment in order, where the budget was split."""

    @property
    def moments(self) -> tuple[NoisyMoment, ...]:
        """Noisy sums of offsets within bins and of products, in the order they were measured."""

    @property
    def bars(self) -> tuple[Bar, ...]:
        """How far pairs (or groups) are expected to be off, largest first; none if unknown."""

    def expected(self, place: ColumnSet) -> Floats | None:
        """Rows by the cells of some columns, noise mended and nothing drawn yet.

        Shape (cells of each of the columns); None where the release says nothing about them.
        """

    def interval(self, column: int) -> Interval | None:
        """Where the real shares of a column are likely to be; None if that is unknown."""

    def columns(self) -> list[ColumnCounts]:
        """The noisy counts of the columns that have any, in the order of the domain."""

    def table(self) -> NoisyTable:
        """All noisy counts, cells in order."""

    def summary(self) -> dict[str, Any]:
        """How it was made: the numbers of the command line's ``--json``."""


def moments_in(spends: Iterable[Spend], domain: Domain) -> tuple[NoisyMoment, ...]:
    """The noisy sums among all payments."""
    return tuple(
        moment
        for spend in spends
        if spend.moments and spend.mechanism is not None
        for moment in split_moments(spend.moments, spend.values, spend.mechanism, domain)
    )


def reach_of(mechanism: Mechanism, cells: int) -> float:
    """What the noise of so many cells together stays within, in 95 of 100 releases, in rows."""
    if cells == 1 and mechanism.laplace_scale is not None:
        reach = 0
        while LaplaceLaw(mechanism.laplace_scale).two_sided_tail(reach + 1) > INTERVAL_MISS_SHARE:
            reach += max(1, reach // 50)
        return float(reach)
    return NORMAL * math.sqrt(mechanism.variance * cells)
