"""Values of a column, permuted within cells until sums with other columns match. PUBLIC."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from synth.domain import Binned, Domain, Frame, Offsets
from synth.rows.offsets import CellLaws
from synth.rows.value_numbers import Units, steps_of_values
from synth.util import Codes, Floats, Ints, Mask

# Each exchange closes most of the remaining gap.
EXCHANGES = 3


class Exchange:
    """Rows in which one column's values are permuted within strata.

    A stratum is a set of rows of one cell of the column, and of one cell of any group whose
    sums must stay. So all counts stay as they are.

    Attributes:
        domain: The columns.
        codes: One array of shape (rows,) per column.
        units: Values in steps, likewise; None for a column of texts.
        number: The number of the column whose values are permuted.
        strata: The stratum of each row, shape (rows,).
        moved: The values of that column, which change in place.
    """

    def __init__(
        self,
        domain: Domain,
        codes: Sequence[Codes],
        units: Sequence[Units | None],
        *,
        number: int,
        strata: Ints,
    ) -> None:
        """Prepare to permute the values of a column, by its number, within strata.

        Args:
            domain: The declared columns.
            codes: Each row's code, one array of shape (rows,) for each column.
            units: Each row's value as the column numbers it, likewise; None for texts.
            number: The column's number; its values will change in place.
            strata: The stratum of each row, shape (rows,).
        """
        self.domain = domain
        self.codes = codes
        self.units = units
        self.number = number
        self.strata = strata
        self.moved = units[number]

    def sort(self, rows: npt.NDArray[np.intp], by: Floats) -> Units:
        """Return all values after those of some rows were sorted within strata.

        In each stratum, the row with the least number in ``by`` gets the least value, and so
        on.

        Args:
            rows: Places of the rows.
            by: A number for each row of the table, shape (rows,).
        """
        assert self.moved is not None
        sorted_units = self.moved.copy()
        targets = rows[np.lexsort((by[rows], self.strata[rows]))]
        sources = rows[np.lexsort((self.moved[rows], self.strata[rows]))]
        sorted_units[targets] = self.moved[sources]
        return sorted_units

    def tie_groups(self, group: Codes, law: Floats, rng: np.random.Generator) -> None:
        """Permute values until groups have given mean offsets, as far as noise allows.

        An offset is the distance of a value from the middle of its bin, in half widths of the
        column's widest bin. Groups are the cells of another column.

        Args:
            group: Each row's cell of the other column, shape (rows,).
            law: The mean offset in each of its cells, and the variance of its noise, shape
                (cells of the group, 2).
            rng: Source of randomness.
        """
        assert self.moved is not None
        axis = _RowAxis.build(
            self.domain, self.number, self.codes[self.number], frame=Frame.WIDEST
        )
        size = np.maximum(np.bincount(group, minlength=len(law)), 1)  # rows of each group
        rows = np.flatnonzero(axis.counts)  # those that have a number

        def means(units: Units) -> Floats:
            """Return the mean offset in each cell of the group."""
            return np.bincount(group, axis.offsets(units), len(law)) / size

        wanted_means = law[:, 0]
        noise_variances = law[:, 1]
        for _ in range(EXCHANGES):
            gap = wanted_means - means(self.moved)
            # Gaps no larger than their noise are hardly closed.
            gap *= gap**2 / np.maximum(gap**2 + noise_variances, 1e-300)
            # Groups that lack most get the largest values, at random among their rows.
            sort_key = gap[group] + 1e-9 * rng.random(len(group))
            # What sorting all rows would change. A share of that closes the gaps best, in
            # least squares weighted by the groups' rows; so many random rows are sorted.
            full_change = means(self.sort(rows, sort_key)) - means(self.moved)
            squared_change = float(size @ full_change**2)
            share = 0.0
            if squared_change:
                share = float(size @ (gap * full_change)) / squared_change
            sorted_rows = rows[rng.random(len(rows)) < share]
            self.moved[:] = self.sort(sorted_rows, sort_key)

    def tie_products(self, partner: int, law: Floats, rng: np.random.Generator) -> None:
        """Permute values until the mean product with another column is reached.

        The product is of both values' distances from the middles of their ranges, in half
        ranges. So many random rows are sorted by the other column as the noise allows.

        Args:
            partner: The number of the other column.
            law: The mean product of both columns' offsets over all rows, and the variance of
                its noise, shape (2,).
            rng: Source of randomness.
        """
        axis = _RowAxis.build(
            self.domain, self.number, self.codes[self.number], frame=Frame.RANGE
        )
        partner_axis = _RowAxis.build(
            self.domain, partner, self.codes[partner], frame=Frame.RANGE
        )
        partner_units = self.units[partner]
        assert self.moved is not None
        assert partner_units is not None
        rows = np.flatnonzero(axis.counts & partner_axis.counts)  # with numbers in both
        if not len(rows):
            return
        fixed_offsets = partner_axis.offsets(partner_units)
        offsets = axis.offsets(self.moved)
        gap = float(law[0] - (offsets * fixed_offsets).mean())
        by = np.sign(gap) * fixed_offsets  # in falling order if the product is too large
        sorted_offsets = axis.offsets(self.sort(rows, by))
        full_gain = float(((sorted_offsets - offsets) * fixed_offsets).mean())
        # Sorting helps only if it changes the mean product in the direction of the gap.
        if gap * full_gain > 0:
            # The share of rows that closes the gap, and less of it the noisier the gap is.
            share = gap / full_gain * gap**2 / (gap**2 + float(law[1]))
            self.moved[:] = self.sort(rows[rng.random(len(rows)) < share], by)


@dataclass(frozen=True, eq=False, kw_only=True)
class _RowAxis:
    """The offsets of a column's rows, as measured sums count them (`synth.domain.Offsets`).

    Attributes:
        column: The column, which says where its values are (`value_numbers`).
        middle: Where the offset of each row is 0, in units of reading, shape (rows,).
        half: The unit of each row's offset, likewise; 0 where a row adds nothing.
        step: The size of a step, in units of reading.
    """

    column: Binned
    middle: Floats
    half: Floats
    step: float

    @classmethod
    def build(cls, domain: Domain, number: int, codes: Codes, *, frame: Frame) -> Self:
        """Return the axis of a column's rows.

        Args:
            domain: The declared columns.
            number: The column's number.
            codes: Each row's code in it, shape (rows,).
            frame: Where offsets count from, and in which unit.
        """
        column = domain.columns[number]
        offsets = Offsets.build(domain, number, frame)
        assert isinstance(column, Binned)
        return cls(
            column=column,
            middle=offsets.middles[codes],
            half=offsets.halves[codes],
            step=float(column.step),
        )

    @property
    def counts(self) -> Mask:
        """Whether a row has a number that the sums count."""
        return np.asarray(self.half > 0)

    def offsets(self, units: Units) -> Floats:
        """Return the offsets of values, shape (rows,); 0 where a row has no number.

        Args:
            units: A value for each row, as the column numbers them.
        """
        unit = np.where(self.counts, self.half, 1.0)
        positions = steps_of_values(self.column, units) * self.step
        return np.where(self.counts, (positions - self.middle) / unit, 0.0)


def tie_pairs(
    domain: Domain,
    codes: Sequence[Codes],
    units: Sequence[Units | None],
    *,
    laws: CellLaws,
    rng: np.random.Generator,
) -> None:
    """Permute values within cells until their sums with other columns match, in place.

    Sums by group come first, and products keep them. A column with set products stays
    unchanged, so one pair of a circle is left out.

    Args:
        domain: The declared columns.
        codes: Each row's code, one array of shape (rows,) for each column.
        units: Each row's value as the column numbers it, likewise; None for a column of
            texts.
        laws: Laws of values by column numbers; those of pairs are used.
        rng: Source of randomness.
    """
    # Values are permuted among rows of the same cell.
    strata = [column_codes.astype(np.int64) for column_codes in codes]
    # Laws of mean offsets by group have an axis of cells, laws of mean products have none.
    pairs = [pair for pair in laws if len(pair) > 1]
    pairs_by_group = sorted(pair for pair in pairs if laws[pair].ndim > 1)
    pairs_of_products = sorted(pair for pair in pairs if laws[pair].ndim == 1)
    for number, group in pairs_by_group:
        exchange = Exchange(domain, codes, units, number=number, strata=strata[number])
        exchange.tie_groups(codes[group], laws[number, group], rng)
        # From now on, values are permuted only among rows of the same group too.
        strata[number] = strata[number] * domain.shape[group] + codes[group]
    # The first column of a pair that is in no earlier pair is permuted.
    touched: set[int] = set()
    for pair in pairs_of_products:
        first, second = pair
        number = second if first in touched else first
        partner = first if first in touched else second
        is_free = number not in touched
        touched |= {*pair}
        if is_free:
            exchange = Exchange(domain, codes, units, number=number, strata=strata[number])
            exchange.tie_products(partner, laws[pair], rng)
