"""A release's counts of a few columns together: noisy, or a model's. PUBLIC.

All histograms with these columns are combined to the unbiased estimate of least variance
(Gauss, Markov; ResidualPlanner, Xiao et al. 2023, in reverse)."""
# A weighted sum of cells splits into orthogonal parts: of single columns, of pairs beyond
# them, and so on (as in the analysis of variance). Each part is the inverse-variance mean of
# all histograms that have its columns, as noise is equal on all cells of a histogram. A
# public number of rows is a histogram of no columns without noise.

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import prod

import numpy as np

from synth.analysis.known_moments import KnownMoment, find_moments
from synth.domain import OFFSET_STEPS, Domain, Outside, may_lack_number
from synth.errors import QuestionError
from synth.estimate import Bar, ColumnSet, MomentSum, Record
from synth.noise import (
    LEVEL,
    CellNoise,
    CubeLaw,
    DiscreteLaplace,
    GaussianLaw,
    JointNoise,
    Mechanism,
    WeightedNoise,
    blend_reach,
    blend_size,
)
from synth.util import Floats, Ints

READ_OFF = "read off the noisy counts of a release"
MODEL = "assumed: the model of a release, with its expected error for these columns"
Mended = Callable[[ColumnSet], Floats]
"""Repaired rows by the cells of some columns, in their shape."""
# Steps that count as continuous.
_FINE = GaussianLaw(Fraction(10**4))
# Most cells times parts for which histograms are combined; beyond, the best one answers.
_WORTH = 2 * 10**7


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
        """Return the precision (1 / variance) of a cell of some of its columns."""
        ahead = prod(self.sums.shape) / prod(self.sums.shape[axis] for axis in axes)
        return 1.0 / (float(self.noise.variance) * self.each * float(ahead))


@dataclass(frozen=True, eq=False, kw_only=True)
class Source:
    """Rows by the cells of some columns, as estimated by a release.

    Attributes:
        parts: The histograms that cover them; none if a model estimates the rows.
        rows: The public number of rows, all of them in the cells, or None.
        bar: Expected error of a model.
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
        """Rows by cell, the first column being the slowest, shape (cells,)."""
        if self.modelled is not None:
            return self.modelled.reshape(-1)
        rows_by_cell = np.zeros(self.shape)
        if self.rows is not None:
            rows_by_cell += self.rows / rows_by_cell.size
        for number, part in enumerate(self.parts):
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
        return {}

    def terms(self, weights: Floats, cells: Ints | None = None) -> list[WeightedNoise]:
        """Return the noise of a weighted sum of entries, as weights of measured ones.

        ``cells`` are the positions of the weights among the entries, each once, shape (k,);
        None for all."""
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
        if len(self.parts) == 1:
            (part,) = self.parts
            least = float(spread.mean()) if self.rows is not None else 0.0
            return [
                WeightedNoise(part.noise.number_law, (spread - least).reshape(-1), part.each)
            ]
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
        # As normal noise: a term of much finer steps. Two rows of the largest weight are
        # added, as a rare cell says little about its own probability (Agresti, Coull 1998).
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
        weight = math.sqrt(max(variance, least) / _FINE.variance)
        return [WeightedNoise(_FINE, np.array([weight]))]

    def _joint(self, weights: Floats, cells: Ints | None) -> JointNoise | None:
        if self.offsets is None or not self.offsets.noisy.mechanism.is_joint:
            return None
        all_weights = np.zeros(self.entries.shape)
        all_weights[slice(None) if cells is None else cells] = weights
        (weight,) = np.abs(all_weights[self.values.size :] * self.offsets.unit).tolist()
        law = self.offsets.noisy.mechanism.number_law
        assert isinstance(law, CubeLaw)
        return JointNoise(law, weight)

    def reach(self, weights: Floats, cells: Ints | None = None) -> float:
        """Return the bound of a weighted sum's error, at the level."""
        # The error of a model's sum is at most its total variation times the range of the
        # weights, with 0 for other cells.
        if self.parts:
            terms = [*self.terms(weights, cells), *self._sampling(weights, cells)]
            return blend_reach(terms, self.level, self._joint(weights, cells))
        assert self.bar is not None
        return self.bar.reach * self.total * _range(weights)

    def size(self, weights: Floats, cells: Ints | None = None) -> float:
        """Return the expected size of that error; for a model at most the mean of its
        cells.
        """
        if self.parts:
            size = blend_size([*self.terms(weights, cells), *self._sampling(weights, cells)])
            joint = self._joint(weights, cells)
            return (
                size
                if joint is None
                else math.hypot(size, joint.weight * joint.law.expected_size)
            )
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
        (part,) = self.parts
        along = int(np.argmax(self.there.shape))
        sum_weights = (spread * self.there).sum(axis=along) / self.there.sum()
        return [WeightedNoise(part.noise.number_law, sum_weights.reshape(-1) / OFFSET_STEPS)]


def anova_parts(
    table: Floats, axes: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], Floats]]:
    """Yield the orthogonal parts of a table: for each set of columns the part beyond its
    subsets.

    Each has one cell along the axes that are not its own; broadcast, they sum to the table.

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


def source_of(
    record: Record,
    place: ColumnSet,
    rows: int | None = None,
    *,
    level: float = LEVEL,
    sampled: bool = False,
    measured_together: ColumnSet | None = None,
) -> Source:
    """Return a release's counts of some columns, given by number, ascending.

    A model answers only for columns that were not measured together.

    Args:
        rows: The public number of rows, if all of them are in the cells.
        sampled: Whether the rows count as a random sample.
        measured_together: The columns that were measured together, if sums are equal along
            the others.

    Raises:
        QuestionError: The release has nothing about them together.
    """
    histogram = record.histogram
    shape = tuple(record.domain.shape[column] for column in place)
    if histogram is not None:
        if histogram.threshold is not None:
            raise QuestionError(
                f"the release leaves out counts below {histogram.threshold:,}, so it has no "
                "sum"
            )
        all_columns = tuple(range(len(record.domain.columns)))
        noise = DiscreteLaplace(histogram.scale)
        part = _part(
            histogram.values, record.domain.shape, all_columns, place=place, noise=noise
        )
        return Source(shape=shape, parts=(part,), rows=rows, level=level, sampled=sampled)
    parts = tuple(
        replace(
            _part(
                counts.values,
                counts.domain.shape,
                clique,
                place=place,
                noise=counts.mechanism,
            ),
            number=number,
        )
        for number, (clique, counts) in enumerate(record.measured)
    )
    wanted_axes = {
        place.index(column)
        for column in (place if measured_together is None else measured_together)
    }
    full = [part for part in parts if wanted_axes <= {*part.axes}]
    if not full:
        return replace(_read_model(record, place), level=level)
    if prod(shape) * 2 ** len(place) * len(parts) > _WORTH:
        parts = (max(full, key=lambda part: part.precision(())),)
    return Source(shape=shape, parts=parts, rows=rows, level=level, sampled=sampled)


def dropping_columns(domain: Domain) -> tuple[str, ...]:
    """Return the columns by which a release may leave out rows, because of a text in them."""
    return tuple(
        column.name
        for column in domain.columns
        if column.rule is Outside.DROP
        or (column.rule is Outside.NEAREST and not column.missing)
    )


def complete_rows(record: Record) -> int | None:
    """Return the public number of rows, if the release holds every one of them."""
    return None if dropping_columns(record.domain) else record.rows


@dataclass(frozen=True, eq=False, kw_only=True)
class ReleaseView:
    """How to use a release.

    Attributes:
        level: Probability that an interval holds the truth.
        sampled: Whether the rows count as a random sample.
        mended: Repaired counts, which choose the estimates within their intervals.
    """

    record: Record
    level: float = LEVEL
    sampled: bool = False
    mended: Mended | None = None

    @property
    def domain(self) -> Domain:
        """The declared columns of the release."""
        return self.record.domain

    def in_order(self, names: Collection[str]) -> tuple[str, ...]:
        """Return some names of columns in the order of the domain."""
        return tuple(name for name in self.domain.names if name in names)

    def place(self, names: Collection[str]) -> ColumnSet:
        """Return the numbers of some columns, ascending."""
        return tuple(map(self.domain.names.index, self.in_order(names)))

    def source(self, names: Collection[str], flat: str = "") -> Source:
        """Return rows by the cells of some columns, from the noisy counts.

        Weights are equal along the numbers of ``flat``. Histograms without it can answer if
        every row has a number. If not, a noisy sum of the rows with a number can.

        Raises:
            QuestionError: The release has nothing about them together.
        """
        rows = complete_rows(self.record)
        record = self.record
        place = self.place(names)
        measured_together = place
        if flat:
            number = self.domain.names.index(flat)
            others = tuple(column for column in place if column != number)
            if not may_lack_number(self.domain, number):
                measured_together = others
            elif (number_rows := self._number_rows(others, number)) is not None:
                return number_rows
        source = source_of(
            record,
            place,
            rows,
            level=self.level,
            sampled=self.sampled,
            measured_together=measured_together,
        )
        if not source.parts or rows is not None:
            return source
        return replace(source, parts=source.parts + self._all_rows(len(place)))

    def _all_rows(self, axes: int) -> tuple[MeasuredPart, ...]:
        # The public number of rows without those that rules leave out, a noisy cell each
        # time.
        record = self.record
        noisy = self.record.histogram
        left_out_noises = [
            (counts.left_out, counts.mechanism) for _, counts in record.measured
        ]
        if noisy is not None:
            left_out_noises = [(noisy.left_out, DiscreteLaplace(noisy.scale))]
        return tuple(
            MeasuredPart(
                axes=(),
                sums=np.full([1] * axes, record.rows - left_out),
                noise=noise.cell_noise,
                each=1,
                number=number,
            )
            for number, (left_out, noise) in enumerate(left_out_noises, len(left_out_noises))
            if left_out is not None and record.rows is not None
        )

    def _number_rows(self, others: ColumnSet, number: int) -> NumberRows | None:
        place = tuple(sorted((*others, number)))
        wanted_moment = MomentSum(columns=(), by=others, given=(number,))
        for moment in find_moments(self.record, (), place):
            if moment.noisy.what == wanted_moment:
                shape = tuple(self.domain.shape[c] for c in place)
                across = [1 if c == number else self.domain.shape[c] for c in place]
                along = [-1 if c == number else 1 for c in place]
                there = (
                    wanted_moment.has_number(self.domain)[number]
                    .astype(np.float64)
                    .reshape(along)
                )
                axes = tuple(i for i, c in enumerate(place) if c != number)
                noise = moment.noisy.mechanism.cell_noise
                part = MeasuredPart(
                    axes=axes, sums=moment.numbers.reshape(across), noise=noise, each=1
                )
                number_rows = NumberRows(shape=shape, parts=(part,), there=there)
                return replace(number_rows, level=self.level, sampled=self.sampled)
        return None

    def mended_source(self, names: Collection[str]) -> Source:
        """Return the repaired rows by the cells of some columns."""
        assert self.mended is not None
        rows = self.mended(self.place(names))
        return Source(
            shape=rows.shape,
            parts=(),
            rows=None,
            modelled=rows,
            bar=Bar((), False, 0.0),
            total=self.record.total,
        )


def _read_model(record: Record, place: ColumnSet) -> Source:
    names = tuple(record.domain.names[column] for column in place)
    bars = [bar for bar in record.bars if set(bar.names) == set(names)]
    rows = record.expected(place) if bars else None
    if rows is None:
        raise QuestionError(f"the release says nothing of {' and '.join(names)} together")
    return Source(
        shape=rows.shape, parts=(), rows=None, modelled=rows, bar=bars[0], total=record.total
    )


def _part(
    values: Ints,
    shape: tuple[int, ...],
    clique: ColumnSet,
    *,
    place: ColumnSet,
    noise: Mechanism,
) -> MeasuredPart:
    others = tuple(axis for axis, column in enumerate(clique) if column not in place)
    sums = values.reshape(shape).sum(axis=others).astype(np.float64)
    sizes_kept = [size for size, column in zip(shape, clique, strict=True) if column in place]
    sizes = iter(sizes_kept)
    padded = tuple(next(sizes) if column in clique else 1 for column in place)
    axes = tuple(axis for axis, column in enumerate(place) if column in clique)
    cells_summed = values.size // max(1, prod(sizes_kept))
    return MeasuredPart(
        axes=axes, sums=sums.reshape(padded), noise=noise.cell_noise, each=cells_summed
    )


def _range(weights: Floats) -> float:
    return float(max(0.0, weights.max(initial=0.0)) - min(0.0, weights.min(initial=0.0)))
