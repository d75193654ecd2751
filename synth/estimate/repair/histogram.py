"""Repair: from noisy counts to a distribution over cells.

- ``none``: noisy counts as they are; rows are drawn from the positive ones.
- ``clamp``: negative counts become 0; the total grows by half the noise scale for an empty
  cell.
- ``rescale``: clamp, then scale to the total; the large cells pay for the empty.
- ``nearest``: subtract one threshold and clamp: the nearest distribution in the Euclidean
  sense.
- ``most-likely``: empirical Bayes: posterior medians, then scaled to the total.
- ``pooled``: posterior means around guesses from sums over columns and pairs; needs all
  counts.
- ``smoothed``: pooled, with neighbouring cells of long columns; one column by itself is
  smoothed as far as that makes the noisy counts likely.
- ``auto``: pooled, or smoothed with a long column, or most-likely if its estimated error
  is clearly less; nearest or most-likely in universes listed from a threshold up.

Under a threshold, noisy sums over columns are unknown: wide noise leaves out nearly all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from synth.domain import Domain
from synth.errors import ArgumentError
from synth.estimate.assumptions import NEARLY_ALL, is_lone, neighbours_help
from synth.estimate.names import Repair
from synth.estimate.noisy.counts import NoisyCounts
from synth.estimate.repair.empirical_bayes import Prior, fit_prior
from synth.estimate.repair.pooling import Pooled, pool
from synth.estimate.repair.simplex import project_to_simplex
from synth.util import Cells, Codes, Floats, Ints, one_thread, split_cells, sum_by_cell

if TYPE_CHECKING:
    from synth.estimate.repair.assumed_table import RepairedUniverse


@dataclass(frozen=True, eq=False, kw_only=True)
class Distribution:
    """Expected rows by cell; cells not listed have none.

    Attributes:
        domain: The declared columns.
        cells: Cells of the universe, ascending, shape (k,).
        weights: Expected rows in each, shape (k,); negative only under ``none``.
        total: Number of rows to draw.
        repair: The repair that was used.
    """

    domain: Domain
    cells: Cells
    weights: Floats
    total: int
    repair: str

    @cached_property
    def codes(self) -> list[Codes]:
        """Codes of the cells, by column."""
        return split_cells(self.cells, self.domain.shape)

    def expected(self, place: Sequence[int]) -> Floats:
        """Return expected rows by the cells of some columns, with an axis for each column.

        Args:
            place: Numbers of the columns, in the order of the result's axes.
        """
        shape = [self.domain.shape[column] for column in place]
        rows = np.maximum(self.weights, 0)
        return sum_by_cell([self.codes[column] for column in place], shape, rows)


@one_thread
def repair_counts(noisy: NoisyCounts, method: str) -> Distribution:
    """Return the distribution over cells that a repair makes of noisy counts.

    A private total (add-remove) becomes its noisy value, or the sum of counts under
    ``clamp``.

    Args:
        noisy: The noisy counts.
        method: Name of the repair. Under ``auto`` the result has the name of the repair that
            was chosen.

    Raises:
        ArgumentError: ``pooled`` or ``smoothed``, for a universe listed from a threshold up.
    """
    total = noisy.total
    method, weights = REPAIRS[method].apply(noisy)
    # Clamping leaves more rows than a private total; a public one stays.
    if REPAIRS[method].adds_rows and noisy.rows is None:
        total = round(float(weights.sum()))
    occupied = np.flatnonzero(weights)
    return Distribution(
        domain=noisy.domain,
        cells=noisy.cells[occupied],
        weights=weights[occupied],
        total=total,
        repair=method,
    )


def _nothing(noisy: NoisyCounts) -> Floats:
    """Return 0 rows for each listed cell."""
    return np.zeros(len(noisy.values))


def _clamp(noisy: NoisyCounts) -> Floats:
    """Return the noisy counts, negative ones as 0."""
    return np.maximum(noisy.values, 0).astype(np.float64)


def _project(noisy: NoisyCounts) -> Floats:
    """Return the nearest counts that are not negative and sum to the total."""
    return project_to_simplex(noisy.values, noisy.total)


def _best(noisy: NoisyCounts, usual: str) -> tuple[str, Floats]:
    """Return the name of the repair to use, and its rows by cell, shape (k,).

    It is ``most-likely`` if its estimated error is clearly less than that of the usual
    repair. Single columns keep the usual repair: ``most-likely`` ignores their order, and
    expects too small an error under its own law.

    Args:
        noisy: The noisy counts of all cells.
        usual: ``pooled`` or ``smoothed``.
    """
    if noisy.total <= 0:
        return usual, _nothing(noisy)
    pooled = REPAIRS[usual].fit_law(noisy)
    if usual == Repair.SMOOTHED and is_lone(noisy.domain.shape):
        return usual, pooled.weights.ravel()
    prior = prior_of(noisy)
    # The error of the mean cell times the number of repaired cells, in rows.
    most_likely_error = prior.error(prior.estimates) * prior.seen.sum()
    if most_likely_error < NEARLY_ALL * pooled.law.error():
        return Repair.MOST_LIKELY, _scale_to(prior.estimate(noisy.values), noisy.total)
    return usual, pooled.weights.ravel()


def _better(noisy: NoisyCounts) -> tuple[str, Floats]:
    """Return the name of the repair to use for counts from a threshold up, and its rows.

    It is ``most-likely`` if its estimated error is clearly less than that of ``nearest``. The
    rows are by listed cell, shape (k,).
    """
    nearest = _project(noisy)
    total = noisy.total
    if total <= 0:
        return Repair.NEAREST, nearest
    prior = prior_of(noisy)
    most_likely = prior.estimate(noisy.values)
    scaling = total / (most_likely.sum() or total)  # 1 if no row is left to scale
    # The nearest repair subtracts one number from all counts that stay positive. Cut to 0,
    # others lose less.
    threshold = float((noisy.values - nearest).max())
    projected = np.maximum(prior.levels.middles - threshold, 0)
    # The first group has the cells below the listing threshold, to which neither repair gives
    # rows.
    projected[0] = 0
    estimated = prior.estimates * scaling
    estimated[0] = 0
    if prior.error(estimated) < NEARLY_ALL * prior.error(projected):
        return Repair.MOST_LIKELY, most_likely * scaling
    return Repair.NEAREST, nearest


def prior_of(noisy: NoisyCounts) -> Prior:
    """Return the law of true counts over all cells, fitted to a release's noisy counts."""
    return fit_prior(
        noisy.values,
        scale=float(noisy.scale),
        cells=noisy.domain.size,
        total=noisy.total,
        threshold=noisy.threshold,
    )


def _scale_to(weights: Floats, total: int) -> Floats:
    """Return weights scaled to a sum; they stay as they are if they sum to 0."""
    mass = float(weights.sum())
    return weights * (total / mass) if mass else weights


@dataclass(frozen=True, kw_only=True)
class Means:
    """A repair: its words, its effect, and its properties.

    Attributes:
        name: What people type, and certificates store.
        title: What screens call it.
        effect: What it does to noisy counts, in a few words.
        weights: Returns rows by cell, shape (k,), if it repairs each cell alone.
        adds_rows: Whether its rows exceed a private total.
        fit: Fits the law of its bias and error to all noisy counts; None if one rising
            function repairs each.
        bias: Expected change of such a cell, in a usual universe; None without forecast.
    """

    name: str
    title: str
    effect: str
    weights: Callable[[NoisyCounts], Floats] = lambda noisy: noisy.values.astype(np.float64)
    adds_rows: bool = False
    fit: Callable[..., Pooled] | None = None
    bias: Callable[[RepairedUniverse, float], float | None] = lambda _universe, _count: None

    @property
    def label(self) -> str:
        """Title and effect, as lists of choices show them."""
        return f"{self.title}: {self.effect}"

    @property
    def sentence(self) -> str:
        """Its effect as a sentence of its own."""
        return f"{self.effect[0].upper()}{self.effect[1:]}."

    @property
    def needs_all(self) -> bool:
        """Whether it needs the noisy counts of all cells."""
        return self.fit is not None

    def apply(self, noisy: NoisyCounts) -> tuple[str, Floats]:
        """Return the name of the repair that was used, and expected rows by cell, shape (k,).

        Raises:
            ArgumentError: The repair needs all counts, and only those from a threshold up are
                listed.
        """
        if self.fit is None:  # each count is repaired without a law
            return self.name, self.weights(noisy)
        # A law is fitted to all counts, for which their total must be above 0.
        if noisy.total <= 0:
            return self.name, _nothing(noisy)
        return self.name, self.fit_law(noisy).weights.ravel()

    def fit_law(self, noisy: NoisyCounts) -> Pooled:
        """Return noisy counts after repair by a law that is fitted to all of them.

        Only repairs with ``fit`` have such a law, and the total must be above 0.

        Raises:
            ArgumentError: The universe is listed from a threshold up.
        """
        if noisy.threshold is not None:
            raise ArgumentError(
                f"The {self.name} repair needs the noisy counts of all cells, but only those "
                f"from {noisy.threshold} up are listed; choose the automatic repair."
            )
        assert self.fit is not None
        values = noisy.values.reshape(noisy.domain.shape)
        return self.fit(values, scale=float(noisy.scale), total=noisy.total)


class AutomaticMeans(Means):
    """The repair that chooses another by estimated errors."""

    def apply(self, noisy: NoisyCounts) -> tuple[str, Floats]:
        """Return the name of the repair that was chosen, and expected rows by cell."""
        if noisy.threshold is not None:
            return _better(noisy)
        return _best(
            noisy, Repair.SMOOTHED if neighbours_help(noisy.domain.shape) else Repair.POOLED
        )


def _smooth(values: Ints, *, scale: float, total: float) -> Pooled:
    """Repair noisy counts with help from neighbouring cells, which few tables have."""
    from synth.estimate.repair.smoothing import smooth

    return smooth(values, scale=scale, total=total)


def _leave(_universe: RepairedUniverse, _count: float) -> float:
    """Return the expected change of a large cell by clamping alone: none."""
    return 0.0


def _subtract_threshold(universe: RepairedUniverse, _count: float) -> float:
    """Return the expected change of a large cell by the nearest repair."""
    return -universe.threshold


def _shrink(universe: RepairedUniverse, count: float) -> float:
    """Return a cell's expected change if rows, with invented ones, shrink to the total."""
    return count * (universe.rows / (universe.rows + universe.invented) - 1)


def _take_most_likely(universe: RepairedUniverse, count: float) -> float:
    """Return the expected change of a cell of this true count by the most likely repair.

    ``universe.all`` has the logs of expected rows of all cells, and the numbers of cells.
    """
    from synth.estimate.repair.cell_effects import bayes_bias

    return bayes_bias(*universe.all, universe.scale, rows=universe.rows, count=count)


_EACH = (
    AutomaticMeans(
        name=Repair.AUTO,
        title="Automatic",
        effect="the repair with the least estimated error, mostly pooled",
    ),
    Means(
        name=Repair.POOLED,
        title="Pooled",
        effect="weighs each count against the sums over columns and pairs",
        fit=pool,
        bias=lambda universe, count: universe.pooled_bias(count),
    ),
    Means(
        name=Repair.SMOOTHED,
        title="Smoothed",
        effect="as pooled, and neighbouring cells of long columns help each other",
        fit=_smooth,
    ),
    Means(
        name=Repair.NEAREST,
        title="Nearest",
        effect="subtracts one threshold from all counts, and keeps the total",
        weights=_project,
        bias=_subtract_threshold,
    ),
    Means(
        name=Repair.MOST_LIKELY,
        title="Most likely",
        effect="what a count may have been, given all the others",
        weights=lambda noisy: _scale_to(prior_of(noisy).estimate(noisy.values), noisy.total),
        bias=_take_most_likely,
    ),
    Means(
        name=Repair.CLAMP,
        title="Clamp",
        effect="negative counts become 0, which adds rows that are not there",
        weights=_clamp,
        adds_rows=True,
        bias=_leave,
    ),
    Means(
        name=Repair.RESCALE,
        title="Rescale",
        effect="as clamp, then all counts shrink to the total",
        weights=lambda noisy: _scale_to(_clamp(noisy), noisy.total),
        bias=_shrink,
    ),
    Means(
        name=Repair.NONE,
        title="None",
        effect="rows are drawn from the positive counts as they are",
        bias=_leave,
    ),
)
# All repairs by name, in order of display (`docs/extending/repair.md`).
REPAIRS: dict[str, Means] = {repair.name: repair for repair in _EACH}
