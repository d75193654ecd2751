"""Error bars, and whether they cover what they should.

A column's bars say where its real shares are in 95 of 100 releases: around the noisy counts, as
wide as the noise. They are PUBLIC; a model's bars of its pairs (`synth.models.record`) are too.
What they cover is PRIVATE, as it takes the real shares to know.
"""

import math
from dataclasses import dataclass

import numpy as np

from synth.arrays import Floats, split_cells
from synth.bundle.result import Result
from synth.comparison.tables import Compared
from synth.models.choosing import Strategy
from synth.models.evidence import column_sums
from synth.models.record import Bar, Modelled
from synth.noise.laplace import DiscreteLaplace
from synth.noise.mechanism import Mechanism
from synth.noisy import NoisyCounts

OUTSIDE = 0.05
"""Share of the releases in which a bar may miss."""
NORMAL = 1.96
"""Deviations within which 95 of 100 normal numbers are."""


@dataclass(frozen=True, eq=False)
class Interval:
    """Where the real shares of a column's cells are likely to be. PUBLIC.

    Attributes:
        middle: Shares by the noisy counts, shape (cells,); they may be negative.
        reach: Half the width of the bars, the same for all cells.
    """

    middle: Floats
    reach: float

    @property
    def low(self) -> Floats:
        """Lower ends, not below 0."""
        return np.asarray(np.maximum(self.middle - self.reach, 0))

    @property
    def high(self) -> Floats:
        """Upper ends, not below 0."""
        return np.asarray(np.maximum(self.middle + self.reach, 0))


@dataclass(frozen=True)
class Coverage:
    """How many of the bars hold the real number. PRIVATE."""

    within: int
    bars: int


def interval(result: Result, name: str) -> Interval | None:
    """The bars of one column; None where only large counts are listed. PUBLIC."""
    place = result.plan.domain.names.index(name)
    if isinstance(result.noisy, Modelled):
        return _of_marginals(result.noisy, place)
    return _of_histogram(result.noisy, place)


def covered(seen: Compared) -> Coverage:
    """Over all columns: the cells whose real share is within its bar. PRIVATE."""
    within = bars = 0
    for name in seen.domain.names:
        found = interval(seen.result, name)
        if found is not None:
            real = seen.pair(name)[0]
            inside = (found.low <= real + 1e-12) & (real <= found.high + 1e-12)
            within, bars = within + int(inside.sum()), bars + len(real)
    return Coverage(within, bars)


def pair_bars(result: Result) -> list[Bar]:
    """A model's bars of pairs, largest first; none of a histogram. PUBLIC."""
    if not isinstance(result.noisy, Modelled):
        return []
    return [bar for bar in result.noisy.bars if len(bar.names) == 2]


def covered_pairs(seen: Compared) -> Coverage:
    """The pairs whose real error is within their bar. PRIVATE."""
    errors = seen.errors.two_way.by_table
    known = [(errors[b.names], b.reach) for b in pair_bars(seen.result) if b.names in errors]
    return Coverage(sum(error <= reach for error, reach in known), len(known))


def _of_histogram(noisy: NoisyCounts, place: int) -> Interval | None:
    if noisy.threshold is not None:
        return None
    size = noisy.domain.shape[place]
    codes = split_cells(noisy.cells, noisy.domain.shape)[place]
    counts = np.bincount(codes, noisy.values, minlength=size).astype(np.float64)
    reach = _reach(DiscreteLaplace(noisy.scale), noisy.domain.size // size)
    return _shares(counts, reach, noisy.total)


def _of_marginals(modelled: Modelled, place: int) -> Interval | None:
    """All noisy counts of the column in one, by inverse variance.

    Of a histogram of all columns, which is nearly all that is known, these are its sums.
    """
    if modelled.strategy is Strategy.HISTOGRAM:
        counts, variance = column_sums(modelled.domain.shape, modelled.measured, place)
        return _shares(counts, NORMAL * math.sqrt(variance), modelled.total)
    found = [one for clique, one in modelled.measured if clique == (place,)]
    if not found:
        return None
    weights = np.array([1 / one.mechanism.variance for one in found])
    counts = np.average([one.values for one in found], axis=0, weights=weights)
    best = max(found, key=lambda one: 1 / one.mechanism.variance)
    reach = _reach(best.mechanism, 1)
    if len(found) > 1:
        reach = min(reach, 2.2 / math.sqrt(weights.sum()))
    return _shares(counts, reach, modelled.total)


def _shares(counts: Floats, reach: float, total: float) -> Interval:
    return Interval(counts / max(total, 1), reach / max(total, 1))


def _reach(mechanism: Mechanism, cells: int) -> float:
    """What the noise of so many cells together stays within, in 95 of 100 releases."""
    if cells == 1 and isinstance(mechanism, DiscreteLaplace):
        reach = 0
        while mechanism.tail(reach + 1) > OUTSIDE:
            reach += max(1, reach // 50)
        return float(reach)
    return NORMAL * math.sqrt(mechanism.variance * cells)
