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
PATTERNS = 16
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
        """Return the best weights for a sum of all variances in which small tables count
        more.

        ``asked``: number of requested cells of each table; an unreadable value has none.
        """
        # A residual whose noise has variance 1 / w^2 adds v / w^2 to the sum of variances and
        # p w^2 to the squared sensitivity; the best w^2 is proportional to the root of v / p
        # (theorem 3 of the paper).
        sizes = [math.prod(classes[i] for i in table) for table in tables]
        asked_cells = asked or sizes
        shares = [
            asked_size**CELLS_POWER * asked_size / size
            for asked_size, size in zip(asked_cells, sizes, strict=True)
        ]

        def spread_in_all(subset: Subset) -> float:
            """Return what a residual adds to the sum of variances, tables by their shares."""
            spread: float = sum(
                share * _spread(table, subset, classes)
                for table, share in zip(tables, shares, strict=True)
            )
            return spread

        subsets = closure(tables)
        spreads = list(map(spread_in_all, subsets))
        prices = [_price(subset, classes, neighbors) for subset in subsets]
        residuals = list(zip(subsets, spreads, prices, strict=True))
        free = sum(math.sqrt(spread * price) for _, spread, price in residuals) / 2
        ideal = []
        for subset, spread, price in residuals:
            squared_weight = math.sqrt(spread / price) if price else free
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
        """Return how far a row moves all residuals, and whether that is exact."""
        # What a row adds has the same norms in all cells. The distance of two rows depends
        # only on the columns on which they agree; all sets of these are tried up to
        # `PATTERNS` columns. Beyond, the sum of the largest distances of each residual is a
        # bound.
        residuals = [
            (self.shape(subset), w)
            for subset, w in zip(self.subsets, self.weights, strict=True)
        ]
        added = reduce(
            added_norms, (_norms_of_row(shape, weight) for shape, weight in residuals)
        )
        patterns = [residual_distance(shape, weight) for shape, weight in residuals]
        axes = sorted({i for subset in self.subsets for i in subset})
        if len(axes) > PATTERNS:
            return Moves(added, reduce(added_norms, map(_take_most, patterns))), False
        far: NDArray[Any] = np.zeros((*[2] * len(axes), 3), dtype=object)
        for subset, pattern in zip(self.subsets, patterns, strict=True):
            grown = pattern.reshape(*(2 if axis in subset else 1 for axis in axes), 3)
            far[..., :2] = far[..., :2] + grown[..., :2]
            far[..., 2] = np.maximum(far[..., 2], grown[..., 2])
        return Moves(added, _take_most(far)), True


def closure(tables: Iterable[Subset]) -> tuple[Subset, ...]:
    """Return all sets of columns within a table, the smaller first."""
    subsets = {
        subset
        for table in tables
        for k in range(len(table) + 1)
        for subset in combinations(table, k)
    }
    return tuple(sorted(subsets, key=lambda subset: (len(subset), subset)))


def _spread(table: Subset, subset: Subset, classes: Sequence[int]) -> float:
    """Return what a residual adds to the sum of variances of a table's cells.

    For noise of variance 1, projected onto the residual: of the m cells along a column, a
    residual has m - 1 free ones; along a column that it lacks, its noise is spread evenly, 1
    / m to each cell, which leaves 1 / m of the variance. 0 if the table is not made of it.
    """
    if not set(subset) <= set(table):
        return 0.0
    return math.prod((classes[i] - 1) if i in subset else 1 / classes[i] for i in table)


def _price(subset: Subset, classes: Sequence[int], neighbors: Neighbors) -> float:
    """Return how far one person moves the residuals of a subset, squared.

    The squared length of what a row adds to a residual of I - J / m: along a column it is 1 -
    1 / m at the row's own class, and -1 / m at others, so its square is 1 - 1 / m. Under
    replace-one, of the difference of two rows that agree nowhere, whose product is -1 / m
    along a column. The number of rows, the residual of no column, does not change then.
    """
    row_square = math.prod(1 - 1 / classes[i] for i in subset)
    if neighbors is Neighbors.ADD_REMOVE:
        return row_square
    row_product = math.prod(-1 / classes[i] for i in subset)
    return 2 * (row_square - row_product) if subset else 0.0


def _norms_of_row(shape: Sequence[int], weight: int) -> MoveNorms:
    """Return how far one row moves weighted residuals: in L1, squared L2 and the largest.

    The row of the residual's matrix is a product over columns of (m - 1, -1, ..., -1).
    """
    return (
        weight * math.prod(2 * (m - 1) for m in shape),
        weight**2 * math.prod(m * (m - 1) for m in shape),
        weight * math.prod(m - 1 for m in shape),
    )


def residual_distance(shape: Sequence[int], weight: int) -> NDArray[Any]:
    """Return the norms of the difference of two rows, shape (2, ..., 2, 3): 1 if they differ.

    Along a column on which rows differ, the classes are that of the one row, that of the
    other, and m - 2 others; if they agree, theirs and m - 1 others. Each kind comes with its
    number of cells and what both rows add there, so the cells of a residual are products of
    kinds. The norms are L1, squared L2 and the largest size.
    """
    norms: NDArray[Any] = np.zeros((*[2] * len(shape), 3), dtype=object)
    for pattern in product((0, 1), repeat=len(shape)):
        kinds = [
            ((1, m - 1, -1), (1, -1, m - 1), (m - 2, -1, -1))
            if differ
            else ((1, m - 1, m - 1), (m - 1, -1, -1))
            for m, differ in zip(shape, pattern, strict=True)
        ]
        norms[pattern] = _norms_of(map(_product, product(*kinds)), weight)
    return norms


def _product(cell: Sequence[tuple[int, int, int]]) -> tuple[int, int]:
    """Return how many cells are of these kinds, one a column, and the rows' gap there."""
    cells, first_part, second_part = (math.prod(kind[i] for kind in cell) for i in range(3))
    return cells, abs(first_part - second_part)


def _norms_of(cells: Iterable[tuple[int, int]], weight: int) -> MoveNorms:
    """Return L1, squared L2 and largest size of gaps, each given with the number of cells."""
    gaps = [(count, weight * gap) for count, gap in cells if count]
    return (
        sum(count * gap for count, gap in gaps),
        sum(count * gap**2 for count, gap in gaps),
        max(gap for _, gap in gaps),
    )


def _take_most(norms: NDArray[Any]) -> MoveNorms:
    l1, squared, highest = norms.reshape(-1, 3).max(axis=0)
    return int(l1), int(squared), int(highest)
