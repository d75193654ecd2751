"""Columns compared by value, and values that no real row has. PRIVATE.

The error in declared cells does not see what happens inside a bin: rows at 40 hours come out
anywhere from 40 to 44, and codes become numbers between them. Here each value counts.

Up to `FEW_VALUES` possible values, the error is the share of rows to change so that each
value is as frequent: the total variation by value. Of more values two samples of the same
people share too few. Then the error is the larger of two limits from below to that share: the
total variation of the bins, and the largest gap of cumulative shares (Kolmogorov, Smirnov).
So the error is never below the one in cells.

Chance alone is the average error of a second sample of the same people. A value that one row
has is taken for one that does not come again, as about so many of the second sample would
have a new value (Good 1953, "The population frequencies of species and the estimation of
population parameters").

>>> from synth.domain import Domain, Integer
>>> domain = Domain((Integer(name="hours", minimum=0, maximum=99, bins=2),))
>>> codes = [np.zeros(4, dtype=np.int32)]
>>> real = TableValues(codes=codes, values={0: np.array([40.0, 40.0, 40.0, 41.0])})
>>> drawn = TableValues(codes=codes, values={0: np.array([40.0, 40.0, 43.0, 44.0])})
>>> hours = measure_values(domain, real, drawn).by_column["hours"]
>>> hours.error, hours.new_rows
(0.5, 2)
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from synth.domain import Binned, Column, Domain
from synth.private.comparison.distances import chance_by_counts
from synth.private.comparison.numeric_columns import Axis, column_axes
from synth.private.comparison.tables import Compared
from synth.private.counting import DuckDB, Readings
from synth.private.table import PrivateTable
from synth.util import Codes, Document, Floats, Ints, Private

FEW_VALUES = 1_000
"""Most possible values, by the declaration, of a column that is compared value by value."""

# Most points of a curve of cumulative shares that is kept for a picture. So all values of a
# column that is compared value by value are kept.
CURVE_POINTS = FEW_VALUES
# Mean of Kolmogorov's law: sqrt(pi / 2) ln 2, over the square root of the rows.
_MEAN_GAP = math.sqrt(math.pi / 2) * math.log(2)


class Measure(StrEnum):
    """How a column's values are compared."""

    # Each value by itself.
    EACH = "each value"
    # All bins in order, by their cumulative shares.
    ORDER = "order"


@dataclass(frozen=True, eq=False, kw_only=True)
class TableValues(Private):
    """Rows as codes, and the values of columns in bins. PRIVATE.

    Attributes:
        codes: The cell of each row, one array of shape (rows,) a column.
        values: Numbers, or seconds since 1970, of the rows that have one, by the number of
            the column.
    """

    codes: Sequence[Codes]
    values: Mapping[int, Floats]


@dataclass(frozen=True, kw_only=True)
class ByValue:
    """One column compared by value. PRIVATE.

    Attributes:
        measure: How values are compared.
        error: From 0 (same) to 1.
        chance: Average error of a second sample of the same people.
        new_rows: Synthetic rows with a value that no real row has.
        rows: All synthetic rows.
        new_by_chance: Share of such rows in a second sample of the same people.
    """

    measure: Measure
    error: float
    chance: float
    new_rows: int
    rows: int
    new_by_chance: float

    @property
    def new_share(self) -> float:
        """Share of the synthetic rows with a value that no real row has."""
        return self.new_rows / self.rows

    @property
    def new_beyond_chance(self) -> float:
        """How far this share exceeds that of a second sample of the same people."""
        return max(0.0, self.new_share - self.new_by_chance)

    @property
    def document(self) -> Document:
        """The numbers as a JSON object."""
        return {**asdict(self), "new_share": self.new_share}

    @property
    def severity(self) -> float:
        """What ranks columns: the error, or the share of new values beyond chance."""
        return max(self.error, self.new_beyond_chance)


@dataclass(frozen=True, eq=False, kw_only=True)
class Cumulative(Private):
    """Cumulative shares of one column in both tables. PRIVATE.

    Shares are of all rows, so that they do not reach 1 where values are missing.

    Attributes:
        positions: Values in the column's unit (dates: days or seconds since 1970), ascending,
            shape (points,).
        real, synthetic: Share of rows at or below each, shape (points,).
    """

    positions: Floats
    real: Floats
    synthetic: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class ValueComparison(Private):
    """All columns compared by value. PRIVATE.

    Attributes:
        by_column: Each column's errors, by its name.
        curves: Cumulative shares of the columns in bins, by name.
    """

    by_column: Mapping[str, ByValue]
    curves: Mapping[str, Cumulative]

    @property
    def document(self) -> Document:
        """The numbers of all columns as a JSON object."""
        return {name: column.document for name, column in self.by_column.items()}

    @cached_property
    def worst_first(self) -> list[str]:
        """The names of all columns, the worst first."""
        return sorted(self.by_column, key=lambda name: -self.by_column[name].severity)

    @property
    def mean(self) -> float:
        """The mean error of the columns."""
        return float(np.mean([column.error for column in self.by_column.values()]))

    @property
    def mean_chance(self) -> float:
        """The mean over the columns of the error that chance alone makes."""
        return float(np.mean([column.chance for column in self.by_column.values()]))


def compare_values(compared: Compared) -> ValueComparison:
    """Compare the columns of a release by value. PRIVATE.

    Args:
        compared: The real and the synthetic rows.
    """
    domain = compared.domain
    drawn = compared.result.synthetic.table
    synthetic = {
        domain.names.index(name): axis.parse_values(drawn[name])
        for name, axis in column_axes(domain).items()
    }
    return measure_values(
        domain,
        _table_values(compared.readings, domain),
        TableValues(codes=compared.synthetic, values=synthetic),
    )


def read_values(table: PrivateTable, domain: Domain) -> TableValues:
    """Return the rows of a table as codes, and the values of columns in bins. PRIVATE.

    Args:
        table: The rows.
        domain: The declared columns.

    Raises:
        TableError: The table can't be read, or lacks a column.
    """
    table.positions(domain)  # raises if a column is missing
    with DuckDB() as engine:
        return _table_values(engine.readings(table, domain), domain)


def _table_values(readings: Readings, domain: Domain) -> TableValues:
    """Return rows as codes, and the values of columns in bins. PRIVATE.

    Args:
        readings: The confidential values and their cells, by the name of a column.
        domain: The declared columns.
    """
    values = {}
    for place, column in enumerate(domain.columns):
        numbers, codes = readings[column.name]
        if isinstance(column, Binned):
            # The cells of values come first; signs, missing values and others are behind.
            has_value = (codes < len(column.labels)) & np.isfinite(numbers)
            values[place] = numbers[has_value]
    return TableValues(codes=[readings[name][1] for name in domain.names], values=values)


def measure_values(
    domain: Domain, real: TableValues, synthetic: TableValues
) -> ValueComparison:
    """Compare two tables by value, column by column. PRIVATE.

    Args:
        domain: The declared columns.
        real: The confidential rows, at least one.
        synthetic: The synthetic rows, at least one.
    """
    chance = chance_by_counts(len(real.codes[0]))
    axes = column_axes(domain)
    rows = len(real.codes[0]), len(synthetic.codes[0])
    by_column = {}
    curves = {}
    for place, column in enumerate(domain.columns):
        cells = _count_cells(column, real.codes[place], synthetic.codes[place])
        if column.name not in axes:
            by_column[column.name] = _compare_list(cells, chance)
            continue
        axis = axes[column.name]
        points = _Points.count(axis, real.values[place], synthetic.values[place])
        by_column[column.name] = _compare_points(axis, points, cells, chance=chance)
        curves[column.name] = points.cumulate(axis, rows)
    return ValueComparison(by_column=by_column, curves=curves)


@dataclass(frozen=True, eq=False)
class _Sides(Private):
    """Rows of both tables in the same cells, or at the same values.

    Attributes:
        real, synthetic: Shape (cells,).
    """

    real: Ints
    synthetic: Ints

    @property
    def gaps(self) -> Floats:
        """The real share of each cell or value minus the synthetic one."""
        return np.asarray(
            self.real / max(self.real.sum(), 1)
            - self.synthetic / max(self.synthetic.sum(), 1)
        )

    @property
    def distance(self) -> float:
        """The total variation."""
        return float(np.abs(self.gaps).sum() / 2)

    @property
    def share_of_single(self) -> float:
        """The share of real rows that are alone in their cell."""
        return float((self.real == 1).sum() / max(self.real.sum(), 1))

    def join(self, others: "_Sides") -> "_Sides":
        """Return these and then the others."""
        return _Sides(
            np.concatenate((self.real, others.real)),
            np.concatenate((self.synthetic, others.synthetic)),
        )

    def from_cell(self, first: int) -> "_Sides":
        """Return the cells from this one on."""
        return _Sides(self.real[first:], self.synthetic[first:])


@dataclass(frozen=True, eq=False)
class _Points(Private):
    """Rows of both tables at each lattice point that occurs.

    Attributes:
        points: Ascending, shape (points,).
        rows: The rows at each.
    """

    points: Floats
    rows: _Sides

    @classmethod
    def count(cls, axis: Axis, real: Floats, synthetic: Floats) -> "_Points":
        """Count the rows at each lattice point of a column.

        Args:
            axis: The column's lattice.
            real, synthetic: Values, as they are read.
        """
        laws = axis.exactly(real), axis.exactly(synthetic)
        points = np.unique(np.concatenate([law.values for law in laws]))
        ends = [np.searchsorted(law.values, points, "right") for law in laws]
        counts = [np.diff(end, prepend=0).astype(np.int64) for end in ends]
        return cls(points, _Sides(*counts))

    def cumulate(self, axis: Axis, rows: tuple[int, int]) -> Cumulative:
        """Return the cumulative shares at no more than about `CURVE_POINTS` points.

        The first and the last point, and that of the largest gap, are among them.

        Args:
            axis: The column's lattice.
            rows: Number of all real and of all synthetic rows.
        """
        real = np.cumsum(self.rows.real) / rows[0]
        synthetic = np.cumsum(self.rows.synthetic) / rows[1]
        places = np.arange(len(self.points))  # none if no row has a value
        if len(places) > CURVE_POINTS:
            # Evenly by rows, so that the curve is as fine where rows are many.
            levels = np.linspace(0, real[-1] + synthetic[-1], CURVE_POINTS)
            widest = np.abs(real - synthetic).argmax()
            chosen = np.searchsorted(real + synthetic, levels).clip(max=len(places) - 1)
            places = np.unique([0, len(places) - 1, widest, *chosen])
        return Cumulative(
            positions=self.points[places] * axis.unit,
            real=real[places],
            synthetic=synthetic[places],
        )


def _count_cells(column: Column, real: Codes, synthetic: Codes) -> _Sides:
    """Return the rows of both tables in each cell of a column."""
    return _Sides(*(np.bincount(codes, minlength=column.size) for codes in (real, synthetic)))


def _compare_list(cells: _Sides, chance: Callable[[Ints], float]) -> ByValue:
    """Compare a column whose cells are its values.

    Args:
        cells: The rows in each cell.
        chance: The expected total variation of a second sample, from the counts of a table.
    """
    by_chance = chance(cells.real[cells.real > 0])
    return _sum_up(cells, Measure.EACH, error=cells.distance, chance=by_chance)


def _compare_points(
    axis: Axis, points: _Points, cells: _Sides, *, chance: Callable[[Ints], float]
) -> ByValue:
    """Compare a column in bins by its values.

    Cells behind the values, such as missing values, count as one more value each.

    Args:
        axis: The column's lattice.
        points: The rows at each value.
        cells: The rows in each cell.
        chance: The expected total variation of a second sample, from the counts of a table.
    """
    rows = points.rows.join(cells.from_cell(len(axis.column.labels)))
    if count_possible(axis) <= FEW_VALUES:
        by_chance = min(1.0, chance(rows.real[rows.real > 1]) + rows.share_of_single)
        return _sum_up(rows, Measure.EACH, error=rows.distance, chance=by_chance)
    gap = float(np.abs(np.cumsum(rows.gaps)).max(initial=0.0))
    gap_by_chance = min(1.0, _MEAN_GAP / math.sqrt(max(rows.real.sum(), 1)))
    cells_by_chance = chance(cells.real[cells.real > 0])
    return _sum_up(
        rows,
        Measure.ORDER,
        error=max(gap, cells.distance),
        chance=max(gap_by_chance, cells_by_chance),
    )


def _sum_up(rows: _Sides, measure: Measure, *, error: float, chance: float) -> ByValue:
    """Return a column's comparison, with its new values counted.

    Args:
        rows: The rows with each value.
        measure: How values were compared.
        error: The error.
        chance: The average error of a second sample.
    """
    return ByValue(
        measure=measure,
        error=error,
        chance=chance,
        new_rows=int(rows.synthetic[rows.real == 0].sum()),
        rows=int(rows.synthetic.sum()),
        new_by_chance=rows.share_of_single,
    )


def count_possible(axis: Axis) -> int:
    """Return how many values a column in bins can have, by its declaration."""
    return sum(last - first + 1 for first, last in axis.column.spans)
