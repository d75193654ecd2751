"""A release's counts of a few columns together: noisy, or a model's. PUBLIC.

All histograms with these columns are combined to the unbiased estimate of least variance
(Gauss, Markov; ResidualPlanner, Xiao et al. 2023, in reverse)."""
# A weighted sum of cells splits into orthogonal parts: of single columns, of pairs beyond
# them, and so on (as in the analysis of variance). Each part is the inverse-variance mean of
# all histograms that have its columns, as noise is equal on all cells of a histogram. A
# public number of rows is a histogram of no columns without noise.

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np

from synth.analysis.known_moments import KnownMoment
from synth.domain import OFFSET_STEPS
from synth.estimate import Bar
from synth.noise import (
    LEVEL,
    CellNoise,
    JointNoise,
    WeightedNoise,
    blend_reach,
    blend_size,
)
from synth.util import Floats, Ints

READ_OFF = "read off the noisy counts of a release"
MODEL = "assumed: the model of a release, with its error bar for these columns"
"""Repaired rows by the cells of some columns, in their shape."""
# Variance, in steps, of noise whose steps count as continuous.
_FINE_VARIANCE = Fraction(10**4)


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasuredPart:
    """A noisy histogram, summed to some columns.

    Attributes:
        axes: Which of these columns it has, by their place among them, ascending.
        sums: Its noisy counts by the cells of these, with 1 cell along all other axes.
        each: Number of measured cells in a cell.
        number: Number of the measured histogram.
    """

    axes: tuple[int, ...]
    sums: Floats
    noise: CellNoise
    each: int
    number: int = 0

    def precision(self, axes: tuple[int, ...]) -> float:
        """Return the precision (1 / variance) of a cell after summing to some axes."""
        cells = prod(self.sums.shape) / prod(self.sums.shape[axis] for axis in axes)
        return 1.0 / (float(self.noise.variance) * self.each * float(cells))


@dataclass(frozen=True, eq=False, kw_only=True)
class Source:
    """Rows by the cells of some columns, as estimated by a release.

    Attributes:
        parts: The histograms that cover them; none if a model estimates the rows.
        rows: The public number of rows, all of them in the cells, or None.
        bar: The error bar of a model.
        total: Estimated rows of the table.
        level: Probability that an error is within its reach.
        sampled: Whether the rows count as a random sample.
        offsets: Sums of a column's offsets, after the cells, as if they were cells.
    """

    shape: tuple[int, ...]
    parts: tuple[MeasuredPart, ...]
    rows: int | None = None
    modelled: Floats | None = None
    bar: Bar | None = None
    total: float = 0.0
    level: float = LEVEL
    sampled: bool = False
    offsets: KnownMoment | None = None

    @property
    def remark(self) -> str:
        """What the counts come from: the noisy histograms, or a model."""
        return READ_OFF if self.parts else MODEL

    @cached_property
    def values(self) -> Floats:
        """Estimated rows by cell, the first column being the slowest, shape (cells,).

        Noisy histograms are split into orthogonal parts, as in the analysis of variance. Each
        part of the estimate is the precision-weighted mean over the histograms that have it.
        """
        if self.modelled is not None:
            return self.modelled.reshape(-1)
        rows_by_cell = np.zeros(self.shape)
        if self.rows is not None:
            rows_by_cell += self.rows / rows_by_cell.size
        for number, part in enumerate(self.parts):
            # A sum over several cells is spread evenly over them.
            spread = part.sums * (part.sums.size / rows_by_cell.size)
            for axes, part_values in anova_parts(spread, part.axes):
                rows_by_cell += self._shares(axes)[number] * part_values
        return rows_by_cell.reshape(-1)

    @cached_property
    def entries(self) -> Floats:
        """The rows by cell, then the sums of offsets."""
        if self.offsets is None:
            return self.values
        return np.concatenate([self.values, self.offsets.numbers])

    @property
    def is_certain(self) -> bool:
        """Whether its rows count as exact."""
        return self.bar is not None and not self.bar.expected

    @property
    def is_even(self) -> bool:
        """Whether all cells have the same precision, so that only their number counts."""
        return sum(bool(part.axes) for part in self.parts) <= 1

    def _shares(self, axes: tuple[int, ...]) -> list[float]:
        """Return each histogram's weight in the estimate of one orthogonal part of the rows.

        The weights are in proportion to precision and sum to 1. A histogram that lacks a
        column has 0. All are 0 for the mean (no axes) if the number of rows is public.

        Args:
            axes: The axes along which that part varies.
        """
        if axes not in self._found:
            precisions = [
                p.precision(axes) if set(axes) <= set(p.axes) else 0.0 for p in self.parts
            ]
            if not axes and self.rows is not None:
                precisions = [0.0] * len(precisions)
            self._found[axes] = [
                precision / (sum(precisions) or 1.0) for precision in precisions
            ]
        return self._found[axes]

    @cached_property
    def _found(self) -> dict[tuple[int, ...], list[float]]:
        """The results of `_shares` so far."""
        return {}

    def terms(self, weights: Floats, cells: Ints | None = None) -> list[WeightedNoise]:
        """Return the noise of a weighted sum, as weighted sums of the measured cells' noise.

        Entries are the estimated rows by cell, then the sums of offsets, if there are any.
        Noise of offsets that was drawn jointly is left out; `_joint` gives it.

        Args:
            weights: The weight of each entry, shape (k,).
            cells: The positions of the weights among the entries, each once, shape (k,); None
                if all entries have a weight.
        """
        all_weights = np.zeros(self.entries.shape)
        all_weights[slice(None) if cells is None else cells] = weights
        if self.offsets is not None:
            offset_weights = all_weights[self.values.size :] * self.offsets.unit
            noise = self.offsets.noisy.mechanism
            counted = self._count_terms(all_weights[: self.values.size].reshape(self.shape))
            if noise.is_joint:
                return counted
            return [*counted, WeightedNoise(noise.cell_noise.number_law, offset_weights)]
        return self._count_terms(all_weights.reshape(self.shape))

    def _count_terms(self, spread: Floats) -> list[WeightedNoise]:
        """Return the noise of a weighted sum of cells, one term for each histogram.

        A term has the law of a measured cell's noise, the weights, and ``each``: how many
        measured cells are summed to one that has a weight.

        Args:
            spread: The weights, in the shape of the cells.
        """
        if len(self.parts) == 1:
            (part,) = self.parts
            # The sum of all cells is public with the number of rows, so a constant in the
            # weights adds no noise.
            constant = float(spread.mean()) if self.rows is not None else 0.0
            measured_weights = (spread - constant).reshape(-1)
            return [WeightedNoise(part.noise.number_law, measured_weights, part.each)]
        part_weights = [np.zeros(part.sums.shape) for part in self.parts]
        for axes, component in anova_parts(spread, tuple(range(len(self.shape)))):
            for number, share in enumerate(self._shares(axes)):
                if share:
                    part_weights[number] = part_weights[number] + share * component
        pairs = zip(self.parts, part_weights, strict=True)
        return [
            WeightedNoise(p.noise.number_law, component.reshape(-1), p.each)
            for p, component in pairs
        ]

    def _sampling(self, weights: Floats, cells: Ints | None) -> list[WeightedNoise]:
        """Return the sampling error of a weighted sum, as one term of noise; none if exact.

        It applies if the rows count as a random sample. The error is normal, with the
        variance of the sample: a discrete law of very fine steps stands for it. Two rows of
        the largest weight are added, as a rare cell says little about its own probability
        (Agresti, Coull 1998).

        Args:
            weights: The weights of the entries, which are the cells and then the sums of
                offsets.
            cells: The positions of the weights among the entries; None for all.
        """
        if not self.sampled or not len(weights):
            return []
        counted = np.zeros(self.entries.shape)
        counted[slice(None) if cells is None else cells] = weights
        counted = counted[: self.values.size]
        values = np.maximum(self.values, 0)
        mean = float(counted @ values) / max(1.0, float(self.values.sum()))
        if self.offsets is not None:  # rows may be anywhere in their bins
            counted = np.abs(counted - mean) + self.offsets.half_widths
            mean = 0.0
        least = 2 * float(np.abs(weights).max()) ** 2
        variance = float((counted - mean) ** 2 @ values) + least
        from synth.noise import GaussianLaw

        fine = GaussianLaw(_FINE_VARIANCE)
        weight = math.sqrt(max(variance, least) / fine.variance)
        return [WeightedNoise(fine, np.array([weight]))]

    def _joint(self, weights: Floats, cells: Ints | None) -> JointNoise | None:
        """Return the noise of a weighted sum's offsets, if it was drawn jointly with others.

        An offset is a value's distance from the middle of its bin. None if the sum has no
        offsets, or if their noise is independent, as `terms` has it then.

        Args:
            weights: The weights of the entries, which are the cells and then the sums of
                offsets.
            cells: The positions of the weights among the entries; None for all.
        """
        if self.offsets is None or not self.offsets.noisy.mechanism.is_joint:
            return None
        from synth.noise import CubeLaw

        all_weights = np.zeros(self.entries.shape)
        all_weights[slice(None) if cells is None else cells] = weights
        # Offsets with joint noise are used only if they are a single sum, so of one weight.
        (weight,) = np.abs(all_weights[self.values.size :] * self.offsets.unit).tolist()
        law = self.offsets.noisy.mechanism.number_law
        assert isinstance(law, CubeLaw)
        return JointNoise(law, weight)

    def reach(self, weights: Floats, cells: Ints | None = None) -> float:
        """Return the half width of the interval of a weighted sum, at the source's level.

        Args:
            weights: The weights of the entries, which are the cells and then the sums of
                offsets.
            cells: The positions of the weights among the entries; None for all.
        """
        if self.parts:
            terms = [*self.terms(weights, cells), *self._sampling(weights, cells)]
            return blend_reach(terms, self.level, self._joint(weights, cells))
        # The error of a model's sum is at most its total variation times the range of the
        # weights, with 0 for other cells.
        assert self.bar is not None
        return self.bar.reach * self.total * _range(weights)

    def size(self, weights: Floats, cells: Ints | None = None) -> float:
        """Return the expected absolute error of a weighted sum.

        Args:
            weights: The weights of the entries, which are the cells and then the sums of
                offsets.
            cells: The positions of the weights among the entries; None for all.
        """
        if self.parts:
            size = blend_size([*self.terms(weights, cells), *self._sampling(weights, cells)])
            joint = self._joint(weights, cells)
            return (
                size
                if joint is None
                else math.hypot(size, joint.weight * joint.law.expected_size)
            )
        # A model has an expected total variation, which is half of the sum of all cells'
        # absolute errors. So a cell's mean error is 2 / cells of it. The complement of a sum
        # has the same error, so the fewer cells count.
        assert self.bar is not None
        counted = int(np.count_nonzero(weights))
        fewer = min(counted, max(1, len(self.values) - counted))
        part = min(1.0, 2 * fewer / len(self.values))
        return self.bar.expected * self.total * _range(weights) * part


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberRows(Source):
    """Rows with a number in one column: noisy sums by the other columns, spread over its
    cells.

    Weights must be equal along that column's cells with a number, which are ``there``.
    """

    there: Floats = field(default_factory=lambda: np.ones(1))

    @cached_property
    def values(self) -> Floats:
        """Rows by cell, spread evenly over the cells with a number, shape (cells,)."""
        (part,) = self.parts
        return np.asarray(part.sums * self.there / self.there.sum()).reshape(-1)

    def _count_terms(self, spread: Floats) -> list[WeightedNoise]:
        """Return the noise of a weighted sum of cells, as one term.

        Only rows with a number in one column were measured, by the cells of the other columns
        and in steps of `OFFSET_STEPS` a row. The weights must be equal along that column.

        Args:
            spread: The weights, in the shape of the cells.
        """
        (part,) = self.parts
        along = int(np.argmax(self.there.shape))  # the only axis that is longer than 1
        sum_weights = (spread * self.there).sum(axis=along) / self.there.sum()
        return [WeightedNoise(part.noise.number_law, sum_weights.reshape(-1) / OFFSET_STEPS)]


def anova_parts(
    table: Floats, axes: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], Floats]]:
    """Return the orthogonal parts of a table, as in the analysis of variance.

    There is a part for each set of ``axes``: what the means along the set's axes show beyond
    those of its subsets. A part has one cell along all other axes of ``axes``; broadcast, the
    parts sum to the table.

    Returns:
        Pairs of a set of axes and its part.

    >>> parts = dict(anova_parts(np.array([[1.0, 3.0], [5.0, 7.0]]), (0, 1)))
    >>> {axes: part.tolist() for axes, part in parts.items() if len(axes) < 2}
    {(): [[4.0]], (0,): [[-2.0], [2.0]], (1,): [[-1.0, 1.0]]}
    """
    parts: list[tuple[tuple[int, ...], Floats]] = [((), table)]
    for axis in axes:
        means = [
            (part_axes, component, component.mean(axis=axis, keepdims=True))
            for part_axes, component in parts
        ]
        parts = [(part_axes, mean) for part_axes, _, mean in means]
        parts += [
            ((*part_axes, axis), component - mean) for part_axes, component, mean in means
        ]
    return iter(parts)


def _range(weights: Floats) -> float:
    """Return the range of the weights and 0."""
    return float(max(0.0, weights.max(initial=0.0)) - min(0.0, weights.min(initial=0.0)))
