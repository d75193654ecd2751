"""The record of a release by histogram."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from synth.domain import Domain
from synth.estimate.noisy.counts import NoisyCounts, NoisyMarginal, NoisyTable
from synth.estimate.noisy.record import (
    Bar,
    ColumnCounts,
    ColumnSet,
    Interval,
    Spend,
    moments_in,
    reach_of,
)
from synth.estimate.repair.histogram import Distribution
from synth.noise import DiscreteLaplace
from synth.privacy import Neighbors
from synth.util import Codes, Floats

if TYPE_CHECKING:
    from synth.estimate.noisy.moments import NoisyMoment


@dataclass(frozen=True, eq=False, kw_only=True)
class HistogramRecord:
    """The record of a release by one histogram of all columns.

    Attributes:
        noisy: The noisy counts.
        distribution: The repaired counts.
        spends: Payments in order, if the budget was split.
    """

    noisy: NoisyCounts
    distribution: Distribution
    spends: tuple[Spend, ...] = ()

    strategy = None
    treatment = "its repair"
    measured: tuple[tuple[ColumnSet, NoisyMarginal], ...] = ()
    bars: tuple[Bar, ...] = ()

    @property
    def domain(self) -> Domain:
        """The declared columns."""
        return self.noisy.domain

    def redeclare(self, domain: Domain) -> "HistogramRecord":
        """Return the record with another word about where its columns come from.

        Args:
            domain: These columns, with what is said of them.
        """
        return replace(
            self,
            noisy=replace(self.noisy, domain=domain),
            distribution=replace(self.distribution, domain=domain),
        )

    @property
    def neighbors(self) -> Neighbors:
        """The relation of the guarantee."""
        return self.noisy.neighbors

    @property
    def moments(self) -> tuple["NoisyMoment", ...]:
        """Noisy sums, in order of measurement."""
        return moments_in(self.spends, self.domain)

    @property
    def rows(self) -> int | None:
        """The public number of rows, if any."""
        return self.noisy.rows

    @property
    def total(self) -> float:
        """Estimated rows of the table."""
        return self.noisy.total

    @property
    def scale(self) -> Fraction:
        """Every cell's noise scale."""
        return self.noisy.scale

    @property
    def histogram(self) -> NoisyCounts:
        """The noisy counts, for other repairs."""
        return self.noisy

    @property
    def repair(self) -> str:
        """The repair that was used."""
        return str(self.distribution.repair)

    def expected(self, place: ColumnSet) -> Floats:
        """Return repaired rows by the columns' cells, before drawing."""
        return self.distribution.expected(place)

    def interval(self, column: int) -> Interval | None:
        """Return a column's likely real shares by cell, with 95 % intervals.

        None if only counts from a threshold up are listed, as sums are then unknown.
        """
        reach = self._reach(column)
        if reach is None:
            return None
        return Interval.build(
            self._counts(self.noisy.split(), column), reach, self.noisy.total
        )

    def columns(self) -> list[ColumnCounts]:
        """Return the noisy counts of every column, in the domain's order.

        They are sums over the listed cells, with the half width of their noise's interval.
        """
        codes = self.noisy.split()
        return [
            ColumnCounts(column, self._counts(codes, column), self._reach(column))
            for column in range(len(self.domain.columns))
        ]

    def table(self) -> NoisyTable:
        """Return all noisy counts, cells in order."""
        return self.noisy.table()

    def summary(self) -> dict[str, Any]:
        """Return numbers for ``--json``."""
        return {"noise_scale": float(self.scale), "repair": self.repair}

    def _counts(self, codes: list[Codes], column: int) -> Floats:
        """Return the noisy counts summed by the cells of one column, shape (cells of it,).

        Args:
            codes: Codes of all listed cells, for each column.
            column: The column's number.
        """
        size = self.domain.shape[column]
        return np.bincount(codes[column], self.noisy.values, minlength=size).astype(
            np.float64
        )

    def _reach(self, column: int) -> float | None:
        """Return the half width, in rows, of the 95 % interval of a column's noisy counts.

        Each count is a sum over the cells of the other columns. None if only counts from a
        threshold up are listed.
        """
        if self.noisy.threshold is not None:
            return None
        cells = self.domain.size // self.domain.shape[column]
        return reach_of(DiscreteLaplace(self.noisy.scale), cells)
