"""Noisy sums of offsets within bins and of products that a question can use. PUBLIC.

A weighted sum of rows follows from such sums if weights differ only between cells that have a
sum each. Then no position in a bin is assumed.

>>> from synth.domain import Integer
>>> from synth.estimate import MomentSum
>>> from synth.noise import DiscreteLaplace
>>> domain = Domain((Integer(name="age", minimum=0, maximum=99, bins=2),))
>>> noisy = NoisyMoment(
...     MomentSum(columns=(0,), by=(0,)), np.array([4096, -2048]), DiscreteLaplace(2)
... )
>>> known = KnownMoment(noisy, domain, (0,))
>>> known.weigh(np.array([1.0, 0.0])).tolist(), known.numbers.tolist()
([1.0, 0.0], [24.5, -12.25])
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from synth.domain import Domain
from synth.estimate import ColumnSet, NoisyMoment, Record
from synth.util import Floats, Mask

# Weights with a smaller relative difference are the same.
_SAME_WEIGHT_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class KnownMoment:
    """Noisy sums, and the columns of a question that may use them.

    Attributes:
        noisy: The sums: of offsets from the middles of bins, or of products of two columns.
        domain: The declared columns.
        place: The question's columns, by number, ascending, with those by whose cells the
            sums are grouped.
    """

    noisy: NoisyMoment
    domain: Domain
    place: ColumnSet

    @cached_property
    def unit(self) -> Floats:
        """The value of one step of each sum, shape (sums,); sums are measured in steps."""
        return self.noisy.what.unit(self.domain).reshape(-1)

    @cached_property
    def numbers(self) -> Floats:
        """The sums in values, or products of two, shape (sums,)."""
        return self.unit * self.noisy.values

    @cached_property
    def variances(self) -> Floats:
        """Variance of the noise of the numbers, shape (sums,)."""
        return self.unit**2 * float(self.noisy.mechanism.variance)

    @property
    def is_one(self) -> bool:
        """Whether joint noise does not matter: the noise is independent, or there is one
        sum.
        """
        return len(self.numbers) == 1 or not self.noisy.mechanism.is_joint

    @cached_property
    def half_widths(self) -> Floats:
        """The largest distance of a number of each cell from its zero, shape (cells,).

        The zero is the middle from which the sums count; distances are in the column's unit.
        """
        low, high = self._ends
        cells = [self.domain.shape[column] for column in self.place]
        return np.broadcast_to(np.maximum(np.abs(low), np.abs(high)), cells).reshape(-1)

    @property
    def middles(self) -> Floats:
        """The number from which each cell's offsets count, in a shape that fits the cells.

        It is the middle of a bin, or of the whole range. Only for sums of one column.
        """
        (factor,) = self.noisy.what.factors(self.domain)
        return factor.middles.reshape([-1 if c == factor.column else 1 for c in self.place])

    @property
    def rounding(self) -> Floats:
        """The largest rounding error of what a row adds, in a shape that fits the cells.

        Numbers are rounded to whole steps before they are summed.
        """
        moment = self.noisy.what
        shape = [self.domain.shape[c] if c in moment.by else 1 for c in self.place]
        return self.unit.reshape(shape) * moment.rounding

    def share(self, weights: Floats) -> tuple[Floats, Floats, Floats] | None:
        """Return how these sums give a weighted sum over some rows, though they have others.

        As `weigh`, but cells of weight 0 may share a sum with others. Such a sum also has
        what the rows of those cells add, which is taken off again by the middle of their
        bins. Likewise, rows that no sum has are added by the middle.

        Args:
            weights: The weight of each cell's rows, in the shape of the question's cells.

        Returns:
            The weights of the sums, shape (sums,); what to add for a row of each cell; and
            the largest error of a row of each cell. The latter two fit the cells. None if no
            sum serves, or if bins alone say as much, by the sum of errors over all cells.
        """
        # Cells of weight 0 fit any weight (NaN) of the sum that they share.
        sum_weights = self._weigh_alike(np.where(weights == 0, np.nan, weights))
        moment = self.noisy.what
        if sum_weights is None:
            return None
        # There is a sum for each cell of the columns `by`; other axes get the size 1.
        summed = sum_weights.reshape(
            [self.domain.shape[c] if c in moment.by else 1 for c in self.place]
        )
        # A row that lacks a needed number adds nothing to a sum, whatever its weight.
        summed = np.where(self._have_numbers(moment.given), summed, 0.0)
        # What the sums lack of a cell's rows, or have too much of them (below 0).
        unsummed = weights - summed
        off = np.abs(summed) * self.rounding
        if not unsummed.any():
            return sum_weights, np.zeros_like(unsummed), np.broadcast_to(off, unsummed.shape)
        # The middles of bins by cell are only there for the question's own columns.
        if not set(moment.columns) <= set(self.place):
            return None
        low, high = self._ends
        off = np.where(high > low, off, 0.0)
        # A row counted by the middle of two ends is off by at most half their distance.
        by_middles = np.abs(unsummed) * (high - low) / 2
        if by_middles.sum() >= (np.abs(weights) * (high - low) / 2).sum():
            return None
        return sum_weights, unsummed * (low + high) / 2, off + by_middles

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        """The least and the most that a row of each cell adds, in shapes that fit the cells.

        A row adds the distance of its number from a middle, or the product of two. A product
        lies between the least and the greatest product of the ends of both. A square is 0 at
        least if the distance may be 0. Cells without a number have 0.
        """
        moment = self.noisy.what
        low = np.ones(1)
        high = np.ones(1)
        factors = moment.factors(self.domain)
        # Both factors of a square are the same number, so one is read, and squared below.
        for factor in factors[:1] if moment.is_square else factors:
            ends = np.zeros((2, len(factor.halves)))
            cell_ends = np.array(self.domain.columns[factor.column].cell_ends).T
            ends[:, : cell_ends.shape[1]] = cell_ends
            shape = [-1 if column == factor.column else 1 for column in self.place]
            # Distances from the middle; a half width of 0 marks cells that add nothing.
            away = np.where(factor.halves > 0, ends - factor.middles, 0.0).reshape(2, *shape)
            products = [end * distance for end in (low, high) for distance in away]
            low = np.minimum.reduce(products)
            high = np.maximum.reduce(products)
        if moment.is_square:
            spans_zero = low * high < 0
            least_square = np.minimum(low**2, high**2)
            greatest_square = np.maximum(low**2, high**2)
            return np.where(spans_zero, 0.0, least_square), greatest_square
        return low, high

    def weigh(self, weights: Floats) -> Floats | None:
        """Return the weight of each sum in a weighted sum over the rows, shape (sums,).

        Args:
            weights: The weight of each cell's rows, in the shape of the question's cells.
                Cells without a number add nothing.

        Returns:
            None if cells that share a sum have different weights, or have no sum.
        """
        moment = self.noisy.what
        # Cells with a number whose rows the sums leave out, as they lack another column.
        left_out = self._have_numbers(moment.columns) & ~self._have_numbers(moment.given)
        return None if (left_out & (weights != 0)).any() else self._weigh_alike(weights)

    def _weigh_alike(self, weights: Floats) -> Floats | None:
        """Return one weight for each noisy sum, shape (sums,), from weights by cell.

        Args:
            weights: In the shape of the question's cells; NaN for cells that fit any weight.

        Returns:
            None if the cells that one sum adds up have different weights, up to rounding.
        """
        moment = self.noisy.what
        # Cells whose rows add nothing to the sums fit any weight.
        table = np.where(self._have_numbers(moment.columns + moment.given), weights, np.nan)
        # The axes of columns over whose cells a sum adds up.
        others = tuple(i for i, c in enumerate(self.place) if c not in moment.by)
        # `fmin` and `fmax` ignore NaN.
        least = np.fmin.reduce(table, axis=others)
        greatest = np.fmax.reduce(table, axis=others)
        far = _SAME_WEIGHT_TOLERANCE * np.fmax.reduce(np.abs(table), axis=None)
        if bool((greatest - least > far).any()):
            return None
        return np.asarray(np.nan_to_num(least)).reshape(-1)

    def _have_numbers(self, columns: ColumnSet) -> Mask:
        """Return which cells' rows have a number in all of these columns.

        Args:
            columns: By their numbers in the domain; others than the sums' are ignored.

        Returns:
            In the shape of the question's cells.
        """
        have_numbers = np.ones([self.domain.shape[c] for c in self.place], bool)
        for column, cells in self.noisy.what.has_number(self.domain).items():
            if column in columns and column in self.place:
                have_numbers &= cells.reshape([-1 if c == column else 1 for c in self.place])
        return have_numbers


def find_moments(
    record: Record, columns: Sequence[int], place: ColumnSet
) -> tuple[KnownMoment, ...]:
    """Return a release's noisy sums of these columns that a question can use.

    Args:
        record: The public part of the release.
        columns: By number: one for sums of offsets from the middles of bins, two for sums of
            products, none for numbers of rows.
        place: The question's columns, by number, ascending. Sums that are grouped by another
            column, or only of rows with a value in another, are left out.
    """
    return tuple(
        KnownMoment(moment, record.domain, place)
        for moment in record.moments
        if sorted(moment.what.columns) == sorted(columns)
        and {*moment.what.by, *moment.what.given} <= set(place)
    )
