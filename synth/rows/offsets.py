"""The law of values within bins, from noisy sums of offsets. PUBLIC.

Offsets range from -1 to 1, the ends of the bin. Values follow the law of their measured mean,
and of their mean square if that was measured (`synth.rows.cell_places`). Under a sum over all
rows, the means of all cells are the same distance from those of uniform values, or lean to
the middle as squares require. Noise moves laws towards uniform.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from synth.domain import Binned, Domain, Frame, Offsets
from synth.estimate import ColumnSet, MomentSum, NoisyMoment, Record
from synth.rows.value_numbers import value_spans
from synth.util import Floats, Ints, one_thread

CellLaws = Mapping[ColumnSet, Floats]
"""Laws of values, by columns.

- One column: the law of the places in each cell, shape (cells, 3): `find_place_laws`.
- Two columns: the mean product over all rows, and the variance of its noise, shape (2,).
  Units are half ranges from the middles of the ranges.
- A number and a group: the mean offset in each cell of the group, and the variances of their
  noise, shape (cells of the group, 2). Units are half widest bins.
"""

# Usual difference of means and mean squares from uniform values.
USUAL_GAP = 0.25
BISECTIONS = 30


@one_thread
def value_laws(record: Record) -> CellLaws:
    """Return the laws of values within bins that a release's noisy sums give.

    Columns whose offsets were not measured have none; their values stay uniform.

    Args:
        record: The public record of a release.
    """
    # Sums from the middle of the range are found by what they sum too.
    moments = {replace(moment.what, ranged=False): moment for moment in record.moments}
    for moment_sum, moment in list(moments.items()):
        # Squares over the rows that have another number too stand for those of all rows.
        if moment_sum.is_square and moment_sum.given:
            of_all = replace(moment_sum, given=())
            moments.setdefault(of_all, _scale_to_all_rows(record, moment))
    laws: dict[ColumnSet, Floats] = {}
    for column in sorted({key.columns[0] for key in moments if len(key.columns) == 1}):
        rows = _count_rows(record, column)
        law = None if rows is None else _law(record, column, rows, moments=moments)
        if law is not None:
            laws[(column,)] = law
    # Laws of two columns: means by group, and products.
    for moment_sum, moment in moments.items():
        columns = moment_sum.columns
        group = moment_sum.by
        is_by_group = len(columns) == len(group) == 1 and group != columns
        # Laws by group count from the middles of bins, so sums that do not are left out.
        if is_by_group and not moment.what.ranged:
            rows = _count_rows(record, group[0])
            if rows is not None:
                laws[columns + group] = np.stack(_divide(moment, rows), axis=1)
        if not group and len(set(columns)) > 1:  # a product of two columns
            steps = max(record.total, 1.0) * moment_sum.steps
            variance = float(moment.mechanism.variance) / steps**2
            laws[columns] = np.array([float(moment.values[0]) / steps, variance])
    return laws


def _count_rows(record: Record, column: int) -> Floats | None:
    """Return the estimated rows in each cell of a column, shape (cells,), not negative.

    None if the release does not have noisy counts of all its cells.
    """
    shares = record.interval(column)
    if shares is None:
        return None
    return np.maximum(shares.middle, 0.0) * max(record.total, 1.0)


def _scale_to_all_rows(record: Record, moment: NoisyMoment) -> NoisyMoment:
    """Return a noisy sum as if no row had been left out of it for lack of another number.

    A sum may leave out the rows that lack a number in some other columns. It is divided by
    the share of rows that it has. That assumes that the rows left out are like the others,
    and that columns lack numbers independently of each other.

    Args:
        record: The public record of a release, with shares of cells.
        moment: The noisy sum, with the columns that need a number in ``what.given``.
    """
    share_in_sum = 1.0
    for column, cells in moment.what.has_number(record.domain).items():
        counted = record.interval(column)
        if column not in moment.what.given or counted is None:
            continue
        shares = np.maximum(counted.middle, 0.0)
        all_shares = max(float(shares.sum()), 1e-100)  # never 0
        share_in_sum *= float(shares[cells].sum()) / all_shares
    # A share below a thousandth counts as that, so that the quotient stays bounded.
    values = np.rint(moment.values / max(share_in_sum, 1e-3)).astype(np.int64)
    return replace(moment, what=replace(moment.what, given=()), values=values)


@dataclass(frozen=True, eq=False)
class _CellAxis:
    """The places of a column's values on the axis of offsets in their own bin.

    Among whole numbers and days, the first value of a bin has the offset -1 and the last one
    1. Among real numbers the last value is a step below the end of the bin.

    Attributes:
        last: The last place of each cell, shape (cells,); 0 where there is only one, or none.
        start: The offset of place 0, likewise.
        grain: The offset from one place to the next, likewise; 0 where there is only one.
    """

    last: Ints
    start: Floats
    grain: Floats

    @classmethod
    def build(cls, domain: Domain, number: int) -> Self:
        """Return the axis of a column of numbers or dates.

        Args:
            domain: The declared columns.
            number: The column's number.
        """
        column = domain.columns[number]
        offsets = Offsets.build(domain, number, Frame.OWN)
        assert isinstance(column, Binned)
        declared = slice(len(column.spans))  # cells with values come first
        is_wide = offsets.halves[declared] > 0
        half = np.where(is_wide, offsets.halves[declared], 1.0)  # not 0, to divide by
        # By cell: the numbers of its first and last value, and where these are, in the units
        # in which values are read.
        first_value, last_value = value_spans(column).T
        first, end = np.asarray(column.spans).T * float(column.step)
        last = np.zeros(column.size, dtype=np.int64)
        start, grain = np.zeros((2, column.size))
        places = np.where(is_wide, last_value - first_value, 0)
        last[declared] = places
        start[declared] = np.where(is_wide, (first - offsets.middles[declared]) / half, 0.0)
        # Months differ in days; their places are as far apart as on average in the cell.
        grain[declared] = np.where(
            places > 0, (end - first) / half / np.maximum(places, 1), 0.0
        )
        return cls(last, start, grain)

    @property
    def reach(self) -> Floats:
        """The offset from the first to the last value; 0 where there is only one."""
        return self.last * self.grain

    @property
    def even(self) -> Floats:
        """The mean offset of uniform values."""
        return self.start + self.reach / 2

    def mean(self, lean: Floats) -> Floats:
        """Return the mean offset of values in each cell, shape (cells,).

        Args:
            lean: Where it is: -1 at the first value, 0 as of uniform values, 1 at the last.
        """
        return self.even + np.clip(lean, -1.0, 1.0) * self.reach / 2

    def limit(self, mean: Floats) -> Floats:
        """Return the nearest mean offset that values of the cell can have."""
        return np.clip(mean, self.start, self.start + self.reach)

    def share(self, mean: Floats) -> Floats:
        """Return the mean place over ``last``, from 0 to 1, of a mean offset by cell."""
        moves = self.reach > 0
        return np.where(moves, (mean - self.start) / np.where(moves, self.reach, 1.0), 0.5)

    def even_square(self, mean: Floats) -> Floats:
        """Return the mean square of offsets of a mean, under the law that needs no square."""
        from synth.rows.cell_places import even_variance

        return mean**2 + even_variance(self.share(mean), self.last) * self.grain**2

    def find_laws(self, mean: Floats, square: Floats | None) -> Floats:
        """Return the law of the places in each cell, shape (cells, 3): `find_place_laws`.

        Places number the values of a cell from 0. An offset is the distance of a value from
        the middle of its bin, in half widths of it.

        Args:
            mean: The mean offset in each cell, shape (cells,).
            square: The mean square of offsets, same shape; None if it was not measured.
        """
        from synth.rows.cell_places import find_place_laws

        share = np.clip(self.share(mean), 0.0, 1.0)
        if square is None:
            return find_place_laws(share, self.last)
        variance = (square - mean**2) / np.where(self.grain > 0, self.grain, 1.0) ** 2
        return find_place_laws(share, self.last, np.where(self.grain > 0, variance, 0.0))


def _law(
    record: Record, column: int, rows: Floats, *, moments: Mapping[MomentSum, NoisyMoment]
) -> Floats | None:
    """Return the law of a column's places in each cell; None if their mean was not measured.

    Args:
        record: The public record of a release.
        column: The column's number.
        rows: The estimated rows in each cell, shape (cells,).
        moments: The noisy sums by what they sum, ignoring where they count from.
    """
    axis = _CellAxis.build(record.domain, column)
    own_sum = MomentSum(columns=(column,), by=(column,))
    own_square = MomentSum(columns=(column, column), by=(column,))
    if own_sum in moments:
        mean = _shrink(*_divide(moments[own_sum], rows), axis.even)
    elif MomentSum(columns=(column,)) in moments:
        mean = _lean(record, column, rows, moments=moments)
    else:
        return None
    mean = axis.limit(mean)
    square = None
    if own_square in moments:
        square = _shrink(*_divide(moments[own_square], rows), axis.even_square(mean))
    return axis.find_laws(mean, square)


def _lean(
    record: Record, column: int, rows: Floats, *, moments: Mapping[MomentSum, NoisyMoment]
) -> Floats:
    """Return mean offsets in each cell, shape (cells,), that give the sum over all rows.

    An offset is the distance of a value from the middle of its bin, in half widths of it.
    Means are equally far from those of uniform values, in half of what the values of each
    cell span. If the square was measured too, they lean to the middle of the range, or away
    from it.

    Args:
        record: The public record of a release.
        column: The column's number.
        rows: The estimated rows in each cell, shape (cells,).
        moments: The noisy sums by what they sum, with that of the column's offsets.
    """
    offsets = Offsets.build(record.domain, column, Frame.OWN)
    axis = _CellAxis.build(record.domain, column)
    moment = moments[MomentSum(columns=(column,))]
    # What the sum of values changes if all means move by one such half.
    weights = rows * offsets.halves * axis.reach / 2
    # Its square must not overflow where there is no row.
    unit = max(float(weights.sum()), 1e-100)
    # One step of the noisy sum, as a move of all means, in such halves.
    step = float(moment.what.unit(record.domain)) / unit
    away = offsets.middles - Offsets.build(record.domain, column, Frame.RANGE).middles
    away = np.where(offsets.halves > 0, away, 0.0)
    # The noisy sum less that of uniform values, in such halves.
    gap = np.asarray(moment.values * step, dtype=np.float64)
    gap = gap - float(rows * offsets.halves @ axis.even) / unit
    if moment.what.ranged:
        # That sum counts from the middle of the range, and not of each bin.
        gap = gap - float(rows @ away) / unit
    variance = np.array([moment.mechanism.variance * step**2])
    level_of_all = float(_shrink(gap, variance, np.zeros(1))[0])
    squares = moments.get(MomentSum(columns=(column, column)))
    if squares is None:
        return axis.mean(np.full(len(rows), level_of_all))
    place = away / max(float(np.abs(away).max()), 1e-300)  # from -1 to 1 over the range

    def lean(slope: float) -> Floats:
        """Return mean offsets that fall with the place by this slope, with the same sum."""
        level = level_of_all + slope * float(weights @ place) / unit
        return axis.mean(level - slope * place)

    return _find_lean(record, offsets, rows, squares=squares, lean=lean)


def _find_lean(
    record: Record,
    offsets: Offsets,
    rows: Floats,
    *,
    squares: NoisyMoment,
    lean: Callable[[float], Floats],
) -> Floats:
    """Return the mean offsets whose slope gives the noisy sum of squares, by bisection.

    Args:
        record: The public record of a release.
        offsets: How the column's values become offsets from the middles of their bins.
        rows: The estimated rows in each cell, shape (cells,).
        squares: The noisy sum of squares, from the middle of the range.
        lean: Returns the mean offsets, shape (cells,), of a slope from -1 to 1; higher ones
            lean to the middle.
    """
    axis = _CellAxis.build(record.domain, offsets.column)
    away = offsets.middles - Offsets.build(record.domain, offsets.column, Frame.RANGE).middles
    away = np.where(offsets.halves > 0, away, 0.0)

    def add_squares(means: Floats) -> float:
        """Return the sum over all rows of squared distances from the middle of the range."""
        # A distance is that of the bin's middle, ``away``, plus the offset in half widths.
        squared = offsets.halves**2 * axis.even_square(means)
        return float(rows @ (away**2 + 2 * away * offsets.halves * means + squared))

    step = float(squares.what.unit(record.domain))
    usual = add_squares(lean(0.0))
    gap = float(squares.values[0]) * step - usual
    noise = squares.mechanism.variance * step**2
    # A gap no larger than its noise is hardly closed.
    target = usual + gap * gap**2 / (gap**2 + noise) if gap else usual
    low_slope = -1.0
    high_slope = 1.0
    for _ in range(BISECTIONS):
        slope = (low_slope + high_slope) / 2
        if add_squares(lean(slope)) > target:
            low_slope = slope
        else:
            high_slope = slope
    return lean(low_slope)


def _divide(noisy: NoisyMoment, rows: Floats) -> tuple[Floats, Floats]:
    """Return the mean of a noisy sum in each cell, and the variance of its noise.

    A sum is of offsets or their squares: distances of values from the middle of their bin.

    Args:
        noisy: The noisy sum, in whole steps of a fixed size, with a number for each cell.
        rows: The estimated rows in each cell, shape (cells,); less than 1 counts as 1.

    Returns:
        Means in the unit of offsets, and their variances; both of shape (cells,).
    """
    steps = np.maximum(rows, 1.0) * noisy.what.steps
    return noisy.values / steps, float(noisy.mechanism.variance) / steps**2


def _shrink(means: Floats, variance: Floats, usual: Floats) -> Floats:
    """Return means moved towards the usual ones, the more the noisier they are.

    Args:
        means: Noisy means, shape (cells,).
        variance: The variance of their noise, same shape.
        usual: Those of uniform values, same shape.
    """
    # As if true means varied about the usual ones with a standard deviation of `USUAL_GAP`.
    weight = USUAL_GAP**2 / (USUAL_GAP**2 + variance)
    return np.asarray(usual + (means - usual) * weight)
