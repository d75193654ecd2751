"""A release's counts of any columns, and how sure intervals have to be. PUBLIC."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from synth.analysis.known_moments import find_moments
from synth.analysis.sources import MeasuredPart, NumberRows, Source
from synth.domain import Domain, Outside, may_lack_number
from synth.errors import QuestionError
from synth.estimate import Bar, ColumnSet, MomentSum, Record
from synth.noise import (
    LEVEL,
    DiscreteLaplace,
    Mechanism,
)
from synth.util import Floats, Ints

Mended = Callable[[ColumnSet], Floats]


# Most cells times parts for which histograms are combined; beyond, the best one answers.
_MAX_COMBINED_CELLS = 2 * 10**7


def source_of(
    record: Record,
    place: ColumnSet,
    rows: int | None = None,
    *,
    measured_together: ColumnSet | None = None,
) -> Source:
    """Return a release's counts by the cells of some columns.

    All histograms with these columns are combined. A model answers only for columns that were
    not measured together.

    Args:
        record: The public part of the release.
        place: The columns, by their numbers in the domain, ascending.
        rows: The public number of rows, if all of them are in the cells.
        measured_together: The columns that one histogram must have, if the weights of cells
            will be equal along the others; by default all.

    Raises:
        QuestionError: The release has nothing about them together.
    """
    shape = tuple(record.domain.shape[column] for column in place)
    if record.histogram is not None:
        return Source(shape=shape, parts=(_histogram_part(record, place),), rows=rows)
    # The measured histograms, each summed to those of its columns that are wanted.
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
    needed_columns = place if measured_together is None else measured_together
    needed_axes = {place.index(column) for column in needed_columns}
    full_parts = [part for part in parts if needed_axes <= {*part.axes}]
    if not full_parts:
        return _read_model(record, place)
    # Combining works on an orthogonal part for each of the 2 ** columns sets of columns (see
    # `Source.values`). If that is too much, the histogram with the least noise in its sum is
    # taken alone.
    if prod(shape) * 2 ** len(place) * len(parts) > _MAX_COMBINED_CELLS:
        parts = (max(full_parts, key=lambda part: part.precision(())),)
    return Source(shape=shape, parts=parts, rows=rows)


def _histogram_part(record: Record, place: ColumnSet) -> MeasuredPart:
    """Return the histogram of all columns, summed to some of them.

    Raises:
        QuestionError: The histogram lists large counts only, so that it has no sums.
    """
    histogram = record.histogram
    assert histogram is not None
    if histogram.threshold is not None:
        raise QuestionError(
            f"the release leaves out counts below {histogram.threshold:,}, so it has no sum"
        )
    all_columns = tuple(range(len(record.domain.columns)))
    return _part(
        histogram.values,
        record.domain.shape,
        all_columns,
        place=place,
        noise=DiscreteLaplace(histogram.scale),
    )


def dropping_columns(domain: Domain) -> tuple[str, ...]:
    """Return the columns whose rules may leave rows out of a release.

    One rule drops rows with undeclared values. Under the rule that moves a number to the
    nearest bin, a text that is no number counts as missing; its row is left out if the column
    declares no missing values.
    """
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

        Args:
            names: The columns, in any order.
            flat: A number column along whose cells all weights will be equal. Histograms
                without it can answer if every row has a number; if not, a noisy sum of the
                rows with a number can. Empty for none.

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
            measured_together=measured_together,
        )
        # An estimate of a model has no parts, and errors that sampling does not add to.
        sampled = self.sampled and bool(source.parts)
        source = replace(source, level=self.level, sampled=sampled)
        if not source.parts or rows is not None:
            return source
        # No public number of rows is in the cells, so that noisy ones help instead.
        return replace(source, parts=source.parts + self._all_rows(len(place)))

    def _all_rows(self, axes: int) -> tuple[MeasuredPart, ...]:
        """Return noisy numbers of all rows in the cells, as histograms of no columns.

        Each is the public number of rows less the noisy number of rows that rules leave out,
        one for each histogram. There are none if the number of rows is not public.

        Args:
            axes: How many columns the counts have that these complete.
        """
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
            # Numbered after the histograms themselves, as their noise is another one.
            for number, (left_out, noise) in enumerate(left_out_noises, len(left_out_noises))
            if left_out is not None and record.rows is not None
        )

    def _number_rows(self, others: ColumnSet, number: int) -> NumberRows | None:
        """Return the rows that have a number in a column, by the cells of other columns.

        Args:
            others: The other columns, by their numbers in the domain.
            number: The column's number in the domain.

        Returns:
            None if the release did not measure these rows.
        """
        place = tuple(sorted((*others, number)))
        # A count of rows, by the cells of the other columns, of those that have a number.
        wanted_moment = MomentSum(columns=(), by=others, given=(number,))
        for moment in find_moments(self.record, (), place):
            if moment.noisy.what == wanted_moment:
                shape = tuple(self.domain.shape[c] for c in place)
                across = [1 if c == number else self.domain.shape[c] for c in place]
                along = [-1 if c == number else 1 for c in place]
                # 1 for the column's cells with a number, else 0.
                has_number = wanted_moment.has_number(self.domain)[number]
                there = has_number.astype(np.float64).reshape(along)
                axes = tuple(i for i, c in enumerate(place) if c != number)
                noise = moment.noisy.mechanism.cell_noise
                part = MeasuredPart(
                    axes=axes, sums=moment.numbers.reshape(across), noise=noise, each=1
                )
                number_rows = NumberRows(shape=shape, parts=(part,), there=there)
                return replace(number_rows, level=self.level, sampled=self.sampled)
        return None

    def mended_source(self, names: Collection[str]) -> Source:
        """Return the repaired rows by the cells of some columns, with an error of 0."""
        assert self.mended is not None
        rows = self.mended(self.place(names))
        return Source(
            shape=rows.shape,
            parts=(),
            rows=None,
            modelled=rows,
            bar=Bar(names=(), measured=False, expected=0.0),
            total=self.record.total,
        )


def _read_model(record: Record, place: ColumnSet) -> Source:
    """Return the rows of these columns as the release's model estimates them.

    Args:
        place: The columns, by their numbers in the domain.

    Raises:
        QuestionError: The model has no error bar for these columns together.
    """
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
    """Return a histogram summed to the wanted columns, shaped to broadcast over their cells.

    Args:
        values: The noisy counts of the histogram, flat.
        shape: The histogram's number of cells in each of its columns.
        clique: The histogram's columns, by their numbers in the domain.
        place: The wanted columns, likewise; the histogram need not have all of them.
        noise: The noise on its counts.
    """
    others = tuple(axis for axis, column in enumerate(clique) if column not in place)
    sums = values.reshape(shape).sum(axis=others).astype(np.float64)
    sizes_kept = [size for size, column in zip(shape, clique, strict=True) if column in place]
    sizes = iter(sizes_kept)
    # One axis for each wanted column, of size 1 if the histogram lacks it.
    padded = tuple(next(sizes) if column in clique else 1 for column in place)
    axes = tuple(axis for axis, column in enumerate(place) if column in clique)
    cells_summed = values.size // max(1, prod(sizes_kept))
    return MeasuredPart(
        axes=axes, sums=sums.reshape(padded), noise=noise.cell_noise, each=cells_summed
    )
