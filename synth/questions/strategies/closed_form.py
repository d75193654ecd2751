"""The closed form of marginals under Gaussian noise: what to measure, with which weights.
PUBLIC.

Source: ResidualPlanner (Xiao, He, Zhang, Kifer 2023).

>>> ClosedForm.optimize([(0, 1), (1, 2)], [2, 3, 4], Neighbors.ADD_REMOVE).subsets
((), (0,), (1,), (2,), (0, 1), (1, 2))
"""
# For every set A of columns within a table, its residual is measured: the part of its table
# beyond those of smaller sets. For a column with m classes it is I - J / m, with J all ones,
# for several columns the product. Here it is the product of m I - J, so that it is whole.
# Noise is drawn on all numbers of a residual; projected onto residuals it has the covariance
# of the paper, and the same cost, as what a row adds is a residual itself.

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.privacy import Neighbors
from synth.questions.way.strategy import MoveNorms, Moves, added_norms

# Numbers of columns, ascending.
Subset = tuple[int, ...]
# Most columns for which all sets on which two rows may agree are tried.
MAX_PATTERN_COLUMNS = 16
# Power of its cells in the weight of a table. By the sum of variances alone, small tables
# have larger errors than with equal noise everywhere. With it the sum is one percent above
# the least, and no table loses much.
CELLS_POWER = -0.25
# Least whole weight, so that rounding matters little.
LEAST_TABLE_WEIGHT = 32


@dataclass(frozen=True, kw_only=True)
class ClosedForm:
    """The measured residuals, with their weights.

    Attributes:
        tables: The columns of every requested table.
        classes: Number of classes of each column, by its number.
        subsets: The columns of each residual; () for the number of rows.
        weights: The whole weight of each.
    """

    tables: tuple[Subset, ...]
    classes: tuple[int, ...]
    subsets: tuple[Subset, ...]
    weights: tuple[int, ...]

    @classmethod
    def optimize(
        cls,
        tables: Sequence[Subset],
        classes: Sequence[int],
        neighbors: Neighbors,
        *,
        asked: Sequence[int] | None = None,
    ) -> "ClosedForm":
        """Return the residuals to measure, with the best weights for a weighted sum of
        variances.

        The variance of a table's cells counts less the more cells it has, so that small
        tables have small errors. A residual is the part of a table, over some of its columns,
        that smaller tables lack.

        Args:
            tables: The columns of every requested table, by number.
            classes: The number of classes of each column.
            neighbors: Whether a person is added or removed, or replaced.
            asked: How many cells of each table are requested; None for all. Cells of values
                that cannot be read are not requested.
        """
        # A residual whose noise has variance 1 / w^2 adds v / w^2 to the sum of variances and
        # p w^2 to the squared sensitivity; the best w^2 is proportional to the root of v / p
        # (theorem 3 of the paper).
        sizes = [math.prod(classes[i] for i in table) for table in tables]
        asked_cells = asked or sizes
        # What a table counts in the sum: a power of its requested cells, times the part of
        # its cells that is requested.
        shares = [
            asked_size**CELLS_POWER * asked_size / size
            for asked_size, size in zip(asked_cells, sizes, strict=True)
        ]

        def spread_in_all(subset: Subset) -> float:
            """Return what a residual adds to the sum of variances, tables by their shares."""
            variance: float = sum(
                share * _spread(table, subset, classes)
                for table, share in zip(tables, shares, strict=True)
            )
            return variance

        subsets = closure(tables)
        spreads = list(map(spread_in_all, subsets))
        prices = [_price(subset, classes, neighbors) for subset in subsets]
        residuals = list(zip(subsets, spreads, prices, strict=True))
        # The squared weight of a residual that nobody moves. It costs nothing, so any would
        # do.
        free = sum(math.sqrt(spread * price) for _, spread, price in residuals) / 2
        ideal = []
        for subset, spread, price in residuals:
            squared_weight = math.sqrt(spread / price) if price else free
            # The measured matrix is m I - J along each column, m times that of the formula.
            subset_cells = math.prod(classes[i] for i in subset)
            ideal.append(math.sqrt(squared_weight) / subset_cells)
        scale = LEAST_TABLE_WEIGHT / min(ideal)
        weights = tuple(round(scale * ideal_weight) for ideal_weight in ideal)
        return cls(
            tables=tuple(tables), classes=tuple(classes), subsets=subsets, weights=weights
        )

    def times(self, weight: int) -> "ClosedForm":
        """Return the strategy with all weights this many times as large."""
        return replace(
            self, weights=tuple(weight * subset_weight for subset_weight in self.weights)
        )

    def shape(self, subset: Subset) -> tuple[int, ...]:
        """Return the numbers of classes of some columns."""
        return tuple(self.classes[i] for i in subset)

    def steps_of_row(self, number: int) -> int:
        """Return the steps of noise that one row of a residual of I - J / m counts for."""
        return self.weights[number] * math.prod(self.shape(self.subsets[number]))

    def moves(self) -> tuple[Moves, bool]:
        """Return how far a row moves all residuals, and whether two rows have that distance.

        A residual is the part of a table that smaller tables lack. `Moves` has the norms of
        what one row adds, and of the difference of two rows.
        """
        # What a row adds has the same norms in all cells. The distance of two rows depends
        # only on the columns on which they agree; all sets of these are tried up to
        # `MAX_PATTERN_COLUMNS` columns. Beyond, the sum of the largest distances of each
        # residual is a bound.
        residuals = [
            (self.shape(subset), w)
            for subset, w in zip(self.subsets, self.weights, strict=True)
        ]
        added = reduce(
            added_norms, (_norms_of_row(shape, weight) for shape, weight in residuals)
        )
        patterns = [residual_distance(shape, weight) for shape, weight in residuals]
        axes = sorted({i for subset in self.subsets for i in subset})
        if len(axes) > MAX_PATTERN_COLUMNS:
            return Moves(added, reduce(added_norms, map(_take_most, patterns))), False
        # By whether rows differ on each axis: the three norms, in Python's whole numbers.
        far: NDArray[Any] = np.zeros((*[2] * len(axes), 3), dtype=object)
        for subset, pattern in zip(self.subsets, patterns, strict=True):
            grown = pattern.reshape(*(2 if axis in subset else 1 for axis in axes), 3)
            far[..., :2] = far[..., :2] + grown[..., :2]
            far[..., 2] = np.maximum(far[..., 2], grown[..., 2])
        return Moves(added, _take_most(far)), True


def closure(tables: Iterable[Subset]) -> tuple[Subset, ...]:
    """Return all sets of columns that lie within some table, the smaller sets first."""
    subsets = {
        subset
        for table in tables
        for k in range(len(table) + 1)
        for subset in combinations(table, k)
    }
    return tuple(sorted(subsets, key=lambda subset: (len(subset), subset)))


def _spread(table: Subset, subset: Subset, classes: Sequence[int]) -> float:
    """Return what noise on a residual adds to the sum of variances of a table's cells.

    The noise has variance 1, and is projected onto the residual. Along a column of the
    residual with m classes it has m - 1 free directions. Along a column that the residual
    lacks, it is spread evenly, 1 / m to each of m cells, which leaves 1 / m of the variance.
    0 if the table is not made of the residual. A residual is the part of a table that smaller
    tables lack.

    Args:
        table: The columns of the table, by number.
        subset: The columns of the residual.
        classes: The number of classes of each column.
    """
    if not set(subset) <= set(table):
        return 0.0
    return math.prod((classes[i] - 1) if i in subset else 1 / classes[i] for i in table)


def _price(subset: Subset, classes: Sequence[int], neighbors: Neighbors) -> float:
    """Return the squared distance by which one person moves a residual of I - J / m.

    An added row has the square 1 - 1 / m along a column of m classes: it adds 1 - 1 / m at
    its own class, and -1 / m at the others. A replaced row moves the residual most if both
    rows agree nowhere; their product is -1 / m along a column. The number of rows, the
    residual of no column, does not change then. A residual is the part of a table that
    smaller tables lack.

    Args:
        subset: The columns of the residual, by number.
        classes: The number of classes of each column.
        neighbors: Whether a person is added or removed, or replaced.
    """
    row_square = math.prod(1 - 1 / classes[i] for i in subset)
    if neighbors is Neighbors.ADD_REMOVE:
        return row_square
    # The squared distance of a and b is |a|^2 + |b|^2 - 2 a b.
    row_product = math.prod(-1 / classes[i] for i in subset)
    return 2 * (row_square - row_product) if subset else 0.0


def _norms_of_row(shape: Sequence[int], weight: int) -> MoveNorms:
    """Return how far one added row moves a residual: in L1, squared L2 and L-infinity.

    The row adds a product over the columns of (m - 1, -1, ..., -1), times the weight. A
    residual is the part of a table that smaller tables lack.

    Args:
        shape: The number of classes m of each column of the residual.
        weight: The whole weight of the residual.
    """
    # Along a column there are one entry of m - 1, and m - 1 entries of -1.
    return (
        weight * math.prod(2 * (m - 1) for m in shape),
        weight**2 * math.prod(m * (m - 1) for m in shape),
        weight * math.prod(m - 1 for m in shape),
    )


def residual_distance(shape: Sequence[int], weight: int) -> NDArray[Any]:
    """Return the norms of the difference of what two rows add to a residual.

    The shape is (2, ..., 2, 3): for each column 1 if the rows differ there, and last the L1,
    the squared L2 and the L-infinity norm. Along a column on which rows differ, the classes
    are that of the one row, that of the other, and m - 2 others. If they agree, there are
    theirs and m - 1 others. Cells of a residual are products of these kinds of classes. A
    residual is the part of a table that smaller tables lack.

    Args:
        shape: The number of classes m of each column of the residual.
        weight: The whole weight of the residual.
    """
    norms: NDArray[Any] = np.zeros((*[2] * len(shape), 3), dtype=object)
    for pattern in product((0, 1), repeat=len(shape)):
        # Each kind of class: how many there are, and what the first and second row add there.
        kinds = [
            ((1, m - 1, -1), (1, -1, m - 1), (m - 2, -1, -1))
            if differ
            else ((1, m - 1, m - 1), (m - 1, -1, -1))
            for m, differ in zip(shape, pattern, strict=True)
        ]
        norms[pattern] = _norms_of(map(_product, product(*kinds)), weight)
    return norms


def _product(cell: Sequence[tuple[int, int, int]]) -> tuple[int, int]:
    """Return the number of cells of a kind, and by how much two rows differ in such a cell.

    ``cell`` has for each column a kind of class: how many there are, and what the first and
    the second row add there.
    """
    cells, first_part, second_part = (math.prod(kind[i] for kind in cell) for i in range(3))
    return cells, abs(first_part - second_part)


def _norms_of(cells: Iterable[tuple[int, int]], weight: int) -> MoveNorms:
    """Return the L1, the squared L2 and the L-infinity norm of a weighted difference.

    ``cells`` has pairs: a number of cells, and the unweighted size of the difference in each.
    """
    gaps = [(count, weight * gap) for count, gap in cells if count]
    return (
        sum(count * gap for count, gap in gaps),
        sum(count * gap**2 for count, gap in gaps),
        max(gap for _, gap in gaps),
    )


def _take_most(norms: NDArray[Any]) -> MoveNorms:
    # The largest of each of the three norms, over all patterns of agreement.
    l1, squared, highest = norms.reshape(-1, 3).max(axis=0)
    return int(l1), int(squared), int(highest)
