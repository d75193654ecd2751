"""The public part of a release by histogram: the noisy counts, and their repair."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from synth.domain import Domain
from synth.estimate.noisy.counts import NoisyCounts, NoisyMarginal, NoisyTable
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
from synth.estimate.repair.histogram import Distribution
from synth.noise import DiscreteLaplace
from synth.privacy import Neighbors
from synth.util import Codes, Floats


@dataclass(frozen=True, eq=False)
class HistogramRecord:
    """The record of a release by histogram. PUBLIC.

    Attributes:
        noisy: The noisy counts.
        distribution: The repaired counts, from which the rows were drawn.
        spends: Payments for sums of offsets and of products.
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

    @property
    def neighbors(self) -> Neighbors:
        """The relation of the guarantee."""
        return self.noisy.neighbors

    @property
    def moments(self) -> tuple[NoisyMoment, ...]:
        """Noisy sums of offsets within bins and of products."""
        return moments_in(self.spends, self.domain)

    @property
    def rows(self) -> int | None:
        """The number of rows if it is public, else None."""
        return self.noisy.rows

    @property
    def total(self) -> float:
        """Estimated rows of the table."""
        return self.noisy.total

    @property
    def scale(self) -> Fraction:
        """Scale of the noise on every cell."""
        return self.noisy.scale

    @property
    def histogram(self) -> NoisyCounts:
        """The noisy counts that other repairs could be tried on."""
        return self.noisy

    @property
    def repair(self) -> str:
        """The repair."""
        return str(self.distribution.repair)

    def expected(self, place: ColumnSet) -> Floats:
        """Return repaired rows by the cells of some columns, in the columns' shape."""
        return self.distribution.expected(place)

    def interval(self, column: int) -> Interval | None:
        """Return where the real shares of a column are likely to be; None for a listed universe."""
        if self.noisy.threshold is not None:
            return None
        cells = self.domain.size // self.domain.shape[column]
        reach = reach_of(DiscreteLaplace(self.noisy.scale), cells)
        return Interval.build(self._counts(self.noisy.split(), column), reach, self.noisy.total)

    def columns(self) -> list[ColumnCounts]:
        """Return the noisy counts of all columns, summed from those of the cells."""
        codes = self.noisy.split()
        return [
            ColumnCounts(column, self._counts(codes, column), self._reach(column))
            for column in range(len(self.domain.columns))
        ]

    def table(self) -> NoisyTable:
        """Return all noisy counts, cells in order."""
        return self.noisy.table()

    def summary(self) -> dict[str, Any]:
        """Return the scale of the noise, and the repair."""
        return {"noise_scale": float(self.scale), "repair": self.repair}

    def _counts(self, codes: list[Codes], column: int) -> Floats:
        """Return noisy rows by the cells of a column."""
        size = self.domain.shape[column]
        return np.bincount(codes[column], self.noisy.values, minlength=size).astype(np.float64)

    def _reach(self, column: int) -> float | None:
        """Return the half width of a normal interval of the noise of a sum of cells."""
        if self.noisy.threshold is not None:
            return None
        deviation = self.noisy.scale * Fraction(np.sqrt(2))
        cells = self.domain.size / self.domain.shape[column]
        return NORMAL * float(deviation) * math.sqrt(cells)
