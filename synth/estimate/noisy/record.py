"""The interface of a release's record, for every method. PUBLIC.

A release by histogram has one kind of `Record` (`synth.estimate.repair.record`), a release by
marginals another (`synth.estimate.models.record`). Code that shows, writes, compares or checks a
release uses this interface and need not know the kind.
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
"""Share of releases in which an interval may miss."""
NORMAL = 1.96
"""Deviations that contain 95 of 100 normal numbers."""
ERROR_95_FACTOR = 1.65
"""Nine of ten pairs have less than this many times the expected error: a median over two tables,
three epsilons and both accountings (`tests/bench/bench_bars.py`).
"""

ColumnSet = tuple[int, ...]
"""The numbers of some columns of the domain."""


@dataclass(frozen=True)
class Spend:
    """One payment. PUBLIC.

    Attributes:
        what: What was measured, in words.
        cost: Its exact share of the budget.
        mechanism: The noise; None for a choice.
        columns: Names of the columns of a histogram; otherwise empty.
        values: Other results: noisy distances of the pairs, or sums.
        moments: The sums of offsets or of products, if any.
    """

    what: str
    cost: Guarantee
    mechanism: Mechanism | None
    columns: tuple[str, ...] = ()
    values: tuple[int, ...] = ()
    moments: tuple[MomentSum, ...] = ()

    def describe(self, names: Sequence[str]) -> dict[str, Any]:
        """Return it as in the certificate, by the names of all columns."""
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
    """Expected distance of a pair of the synthetic table from the real one. PUBLIC.

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
        """The error that nine of ten pairs are expected to stay below."""
        return min(1.0, ERROR_95_FACTOR * self.expected)


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """The noisy counts of one column. PUBLIC.

    Attributes:
        column: Its number in the domain.
        counts: Noisy rows by cell, shape (cells,).
        reach: Half width of the 95 % interval of the noise, in rows; None if counts below a
            threshold are missing from the sums.
    """

    column: int
    counts: Floats
    reach: float | None


@dataclass(frozen=True, eq=False)
class Interval:
    """Where the real shares of a column's cells are likely to be. PUBLIC.

    Attributes:
        middle: Shares by the noisy counts, shape (cells,); they may be negative.
        reach: Half width, the same for all cells.
    """

    middle: Floats
    reach: float

    @classmethod
    def build(cls, counts: Floats, reach: float, total: float) -> "Interval":
        """Return it from noisy rows by cell, shape (cells,), a reach in rows, and the number of
        rows.
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
    """The public part of a release. PUBLIC."""

    @property
    def domain(self) -> Domain:
        """The declared columns."""

    @property
    def neighbors(self) -> Neighbors:
        """The relation of the guarantee."""

    @property
    def rows(self) -> int | None:
        """The number of rows if it is public, else None."""

    @property
    def total(self) -> float:
        """Estimated rows of the table."""

    @property
    def scale(self) -> Fraction | None:
        """Scale of the noise on every cell; None if cells differ."""

    @property
    def histogram(self) -> NoisyCounts | None:
        """The noisy counts that other repairs could be tried on; None for a model."""

    @property
    def measured(self) -> tuple[tuple[ColumnSet, NoisyMarginal], ...]:
        """Noisy histograms of a few columns each; none if one histogram has all."""

    @property
    def strategy(self) -> str | None:
        """The strategy; None if there was no choice."""

    @property
    def repair(self) -> str | None:
        """The repair; None if a model repairs each marginal."""

    @property
    def treatment(self) -> str:
        """How shares follow from noisy counts, in words."""

    @property
    def spends(self) -> tuple[Spend, ...]:
        """Every payment in order, if the budget was split."""

    @property
    def moments(self) -> tuple[NoisyMoment, ...]:
        """Noisy sums of offsets within bins and of products, in order of measurement."""

    @property
    def bars(self) -> tuple[Bar, ...]:
        """Expected errors of pairs (or groups), largest first; none if unknown."""

    def expected(self, place: ColumnSet) -> Floats | None:
        """Return repaired rows by the cells of some columns, before drawing.

        Shape (cells of each of the columns); None if the release does not cover them.
        """

    def interval(self, column: int) -> Interval | None:
        """Return where the real shares of a column are likely to be; None if unknown."""

    def columns(self) -> list[ColumnCounts]:
        """Return the noisy counts of the columns that have any, in the order of the domain."""

    def table(self) -> NoisyTable:
        """Return all noisy counts, cells in order."""

    def summary(self) -> dict[str, Any]:
        """Return the numbers of the command line's ``--json``."""


def moments_in(spends: Iterable[Spend], domain: Domain) -> tuple[NoisyMoment, ...]:
    """Return the noisy sums among all payments."""
    return tuple(
        moment
        for spend in spends
        if spend.moments and spend.mechanism is not None
        for moment in split_moments(spend.moments, spend.values, spend.mechanism, domain)
    )


def reach_of(mechanism: Mechanism, cells: int) -> float:
    """Return the half width of the 95 % interval of the noise of this many cells together, in rows.
    """
    if cells == 1 and mechanism.laplace_scale is not None:
        reach = 0
        while LaplaceLaw(mechanism.laplace_scale).two_sided_tail(reach + 1) > INTERVAL_MISS_SHARE:
            reach += max(1, reach // 50)
        return float(reach)
    return NORMAL * math.sqrt(mechanism.variance * cells)
