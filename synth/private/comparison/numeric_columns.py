"""Values within the bins: the loss from cutting numbers and dates into bins. PRIVATE.

Every column of numbers or dates lies on a lattice: whole numbers, days, seconds, or the
decimals of its synthetic values. A bin's values are spread evenly over its lattice points.

>>> from synth.domain import Integer
>>> axis = Axis(Integer(name="age", minimum=0, maximum=9, bins=2))
>>> binned, exact = axis.spread(np.array([0.5, 0.5])), axis.exactly(np.array([4.0, 5.0]))
>>> binned.mean, exact.mean, round(gap(binned, exact), 6)
(4.5, 4.5, 0.4)
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from synth.domain import OTHER_LABEL, Binned, Decimal, Domain, Moment, Whole
from synth.private.counting import Readings
from synth.rows import label_texts, read_each
from synth.util import Codes, Floats, Private

QUARTILES = (0.25, 0.5, 0.75)
# Steps of a lattice by which a double may miss a point of it.
NEAR_POINT = 1e-6


@dataclass(frozen=True, eq=False)
class ColumnValues(Private):
    """The confidential values of one column that lie in a bin. PRIVATE.

    Attributes:
        values: Numbers, or seconds since 1970, before they are moved to a bound; shape (k,).
        codes: Their bins, shape (k,).
    """

    values: Floats
    codes: Codes


def values_in_bins(readings: Readings, domain: Domain) -> dict[str, ColumnValues]:
    """Return the values of all columns of numbers and dates, by name. PRIVATE.

    Columns without any value in a bin are left out.

    Args:
        readings: The confidential values and their cells, by the name of a column.
        domain: The declared columns.
    """
    values_by_name = {}
    for column in (axis.column for axis in column_axes(domain).values()):
        values, codes = readings[column.name]
        # The labelled cells come first; missing values and others are behind them.
        inside = (codes < len(column.labels)) & np.isfinite(values)
        if inside.any():
            values_by_name[column.name] = ColumnValues(values[inside], codes[inside])
    return values_by_name


class ValueLaw(Protocol):
    """A law of values on a line.

    Means and quartiles are in the column's own unit (dates: days or seconds since 1970).
    """

    @property
    def points(self) -> Floats:
        """Lattice points of its possible largest gap to another law, shape (k,)."""

    @property
    def mean(self) -> float:
        """The mean."""

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """The three quartiles."""

    def share_up_to(self, points: Floats) -> Floats:
        """Return the share of values at or below each lattice point, shape of the points."""

    def share_below(self, points: Floats) -> Floats:
        """Return the share of values below each lattice point, shape of the points."""


def gap(law: ValueLaw, other_law: ValueLaw) -> float:
    """Return the largest gap of two laws' cumulative shares, from 0 to 1.

    This is the statistic of Kolmogorov and Smirnov.
    """
    points = np.concatenate((law.points, other_law.points))
    # Cumulative shares jump at a value, so both sides of the jump are compared.
    gaps_at = np.abs(law.share_up_to(points) - other_law.share_up_to(points))
    gaps_below = np.abs(law.share_below(points) - other_law.share_below(points))
    return float(max(gaps_at.max(initial=0), gaps_below.max(initial=0)))


@dataclass(frozen=True, eq=False, kw_only=True)
class Spread:
    """Shares of cells, each spread evenly over its lattice points.

    Attributes:
        first, last: The first and the last point of each cell, ascending, shape (k,).
        shares: Shape (k,), with the sum 1.
        unit: Length of one step of the lattice.
    """

    first: Floats
    last: Floats
    shares: Floats
    unit: float

    @cached_property
    def points(self) -> Floats:
        """The first point of each cell and the point after its last, shape (2 k,)."""
        return np.column_stack((self.first, self.last + 1)).ravel()

    @cached_property
    def _sums(self) -> Floats:
        """The share of values below each of the points, shape (2 k,)."""
        ends = np.cumsum(self.shares)
        return np.column_stack((ends - self.shares, ends)).ravel()

    @property
    def mean(self) -> float:
        """The mean."""
        return float(self.shares @ (self.first + self.last)) / 2 * self.unit

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """The three quartiles."""
        # The cumulative share is linear between points; the lattice point below counts.
        points = np.floor(np.interp(QUARTILES, self._sums, self.points))
        low, middle, high = (points * self.unit).tolist()
        return low, middle, high

    def share_up_to(self, points: Floats) -> Floats:
        """Return the share of values at or below each lattice point, shape of the points."""
        # It is the share below the next lattice point.
        return np.asarray(np.interp(np.floor(points) + 1, self.points, self._sums))

    def share_below(self, points: Floats) -> Floats:
        """Return the share of values below each lattice point, shape of the points."""
        return np.asarray(np.interp(np.ceil(points), self.points, self._sums))


@dataclass(frozen=True, eq=False)
class Exact:
    """The values themselves.

    Attributes:
        values: Lattice points, ascending, shape (k,).
        unit: Length of one step of the lattice.
    """

    values: Floats
    unit: float

    @cached_property
    def points(self) -> Floats:
        """All different values, ascending, shape (points,)."""
        return np.unique(self.values)

    @property
    def mean(self) -> float:
        """The mean."""
        return float(self.values.mean()) * self.unit if len(self.values) else float("nan")

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """The three quartiles, each a value that occurs; NaN if there are no values."""
        if not len(self.values):
            return float("nan"), float("nan"), float("nan")
        points = np.quantile(self.values, QUARTILES, method="inverted_cdf")
        low, middle, high = (points * self.unit).tolist()
        return low, middle, high

    def share_up_to(self, points: Floats) -> Floats:
        """Return the share of values at or below each lattice point, shape of the points."""
        return np.asarray(np.searchsorted(self.values, points, "right") / len(self.values))

    def share_below(self, points: Floats) -> Floats:
        """Return the share of values below each lattice point, shape of the points."""
        return np.asarray(np.searchsorted(self.values, points, "left") / len(self.values))


# Form of numbers in synthetic rows, among other texts.
NUMBER_PATTERN = r"^[+-]?[0-9.]+(e[+-]?[0-9]+)?$"


@dataclass(frozen=True)
class Axis:
    """The lattice of a column of numbers or dates.

    Attributes:
        column: The declared column, in bins.
    """

    column: Binned

    @property
    def _steps(self) -> int:
        return self.column.step.denominator

    @property
    def unit(self) -> float:
        """Length of one step of the lattice."""
        return 1 / self._steps

    @property
    def spans(self) -> Floats:
        """The first and the last lattice point in each declared cell, shape (k, 2)."""
        return np.array(self.column.spans, dtype=np.float64)

    def spread(self, weights: npt.ArrayLike) -> Spread:
        """Return the law of values that are spread evenly within each bin.

        Args:
            weights: The weight of each bin, shape (k,), with any sum. If all are 0, the bins
                have equal shares.
        """
        shares = np.asarray(weights, dtype=np.float64)
        total = float(shares.sum())
        even = np.full(len(shares), 1 / len(shares))
        first, last = self.spans.T
        return Spread(
            first=first,
            last=last,
            shares=shares / total if total > 0 else even,
            unit=self.unit,
        )

    def exactly(self, values: Floats) -> Exact:
        """Return the law of single values, shape (values,).

        Values are numbers, or seconds since 1970. They are moved to the lattice if they miss
        it only because decimals are not exact in binary.
        """
        # Values in steps of the lattice, that is, divided by the fraction ``step``.
        points = np.sort(values / self.column.step.numerator) * self._steps
        near = np.rint(points)
        is_near = np.abs(points - near) < NEAR_POINT
        return Exact(np.where(is_near, near, points), self.unit)

    def parse_values(self, column: pa.ChunkedArray) -> Floats:
        """Return the values in a column of synthetic rows, shape (values,).

        They are numbers, or seconds since 1970. Missing values, and texts among numbers, are
        left out.
        """
        plain = column.drop_null()
        if pa.types.is_dictionary(plain.type):
            plain = plain.cast(pa.string())
        if self.column.signs:
            signs = label_texts(self.column.signs)
            plain = plain.filter(pc.invert(pc.is_in(plain, signs)))
        # A reading says how the column's texts are read. Arrow reads most; the last case
        # reads each text by the reading itself, in whole steps.
        match self.column.reading:
            case Moment() as moment if moment.is_usual:
                moments = pc.strptime(
                    plain, format=moment.pattern, unit="s", error_is_null=True
                )
                plain = moments.cast(pa.int64())
            case Whole() | Decimal():
                if pa.types.is_string(plain.type):
                    is_number = pc.match_substring_regex(plain, NUMBER_PATTERN)
                    plain = plain.filter(is_number).cast(pa.float64())
            case reading:
                texts = plain.filter(pc.not_equal(plain, OTHER_LABEL)).combine_chunks()
                steps = read_each(reading, texts)
                return np.asarray(steps * float(self.column.step), dtype=np.float64)
        return np.asarray(plain.drop_null().cast(pa.float64()).to_numpy(), dtype=np.float64)

    def show(self, value: float) -> str:
        """Write a number or date as people read it; '-' if there is none."""
        return "-" if np.isnan(value) else self.column.show_value(value)


def column_axes(domain: Domain) -> dict[str, Axis]:
    """Return the axis of every column in bins: the points that its values may have."""
    return {
        column.name: Axis(column) for column in domain.columns if isinstance(column, Binned)
    }
