"""The two rows with the largest distance in all sums of a question together. PUBLIC.

One of them is at the top of all ranges. The other is at an end of each range in L2, and in L1
at an end of those without a square (docs/proofs/products.md).

>>> box = Box((10,), (1,), 10)
>>> box.norm(1), box.squared_distance(), box.bound(), box.distance([np.arange(-10, 11, 4)])
(200, 40000, 225, 224)
"""
# A row with steps s adds s_i to sums, with a weight w, and s_i s_j to products: with s_0 = w,
# it adds products of two.

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from synth.util import Ints

# Most rows that are tried; beyond, the bound for any whole steps is used.
MAX_TRIED_ROWS = 2_000

# Steps by column, from 1 up.
Row = dict[int, int]


@dataclass(frozen=True)
class Box:
    """Ranges of steps, and which products are added.

    Attributes:
        most: Steps to either side, one a column.
        squared: The columns whose squares are added, by number from 1 up.
        weight: Weight of a step of a sum; at least the most steps of a column.
    """

    most: tuple[int, ...]
    squared: tuple[int, ...]
    weight: int

    def norm(self, power: int) -> int:
        """Return the largest norm of what a row adds to all sums, without the number of rows.

        ``power`` is 1 for the L1 norm, 2 for the squared L2 norm.
        """
        # What a row adds is largest at the ends: products of any two of the weight and the
        # steps, and squares. `_pairs` adds up the products of any two.
        sizes: list[int] = [size**power for size in (self.weight, *self.most)]
        return _pairs(sizes) + sum(sizes[i] ** 2 for i in self.squared)

    def squared_distance(self) -> int:
        """Return the largest squared distance in L2 of what two rows add to all sums.

        One row is at the top of all ranges. The other is at either end of each range, which
        is tried (docs/proofs/products.md).
        """
        # Columns at the bottom end differ by twice their size, in their sums and in products
        # with columns at the top. Products of two at the bottom, and squares, do not differ.
        squares = [size**2 for size in self.most]
        ends = (
            sum(size for size, down in zip(squares, signs, strict=True) if down)
            for signs in product((False, True), repeat=len(squares))
        )
        return max(4 * size * (self.weight**2 + sum(squares) - size) for size in ends)

    def bound(self) -> int:
        """Return the largest L1 distance of what two rows add, if their steps may be any
        whole numbers.

        Values are whole grid steps from the middle of a range, and a row adds products of
        two.
        """
        # For every choice of ends, the squared columns have the steps that are farthest.
        return max(
            self._measure_distance(self._lowest(end, self.squared)) for end in self._ends()
        )

    def distance(self, steps: Sequence[Ints]) -> int | None:
        """Return the largest L1 distance of what two rows add, with steps from ascending
        lists.

        None if a list is not symmetric around 0, because then no row need be at the top. None
        too if too many rows would have to be tried. Values are whole grid steps from the
        middle of a range, and a row adds products of two.

        Args:
            steps: For each column the steps that its values can have.
        """
        if not all(map(_is_even, steps, self.most)):
            return None
        distances = [self._search(plain, steps) for plain in self._ends()]
        exact_distances = [distance for distance in distances if distance is not None]
        return max(exact_distances) if len(exact_distances) == len(distances) else None

    def _ends(self) -> Iterator[Row]:
        """Yield every choice of the lowest or highest step for each column without a square.

        Values are whole grid steps from the middle of a range, and a row adds products of
        two.
        """
        plain = [j for j in range(1, len(self.most) + 1) if j not in self.squared]
        for signs in product((-1, 1), repeat=len(plain)):
            yield {j: sign * self.most[j - 1] for j, sign in zip(plain, signs, strict=True)}

    def _measure_distance(self, row: Row) -> int:
        """Return the L1 distance, in squares and products, of a row from the row at all tops.

        The constant and the columns are factors: a row adds products of two of them, and the
        squares of some. Both are greatest at the top, so the distance is a difference of
        sums. Values are whole grid steps from the middle of a range, and a row adds products
        of two.
        """
        values = [self.weight, *(row[j + 1] for j in range(len(self.most)))]
        tops = [self.weight, *self.most]
        squares = sum(tops[j] ** 2 - values[j] ** 2 for j in self.squared)
        return _pairs(tops) - _pairs(values) + squares

    def _level(self, slope: int, free: Sequence[int]) -> float:
        """Return the size t at which free columns, each cut at its most steps, balance a
        slope.

        It solves t + sum of min(most, t) = |slope| by bisection, up to rounding of floats.

        Args:
            slope: The sum of the weight and the steps of all columns that are not free.
            free: The numbers of the free columns, from 1 up.
        """
        low = 0.0
        high = float(abs(slope))
        # 60 halvings reach the precision of floats.
        for _ in range(60):
            middle = (low + high) / 2
            below = middle + sum(min(self.most[j - 1], middle) for j in free) < abs(slope)
            low, high = (middle, high) if below else (low, middle)
        return low

    def _lowest(self, signed: Row, free: Sequence[int]) -> Row:
        """Return the row that is farthest from the top corner, with whole steps for free
        columns.

        Free columns get the sign opposite to the slope's. With their sizes t, the function
        -|slope| sum(t) + sum(t^2) + sum(t_i t_j) must be least. It is convex, and a step of
        the smallest size adds less than any other. So sizes grow one by one from just below
        the real solution.

        Args:
            signed: The steps of the columns that are not free, by number.
            free: The numbers of the free columns, from 1 up.
        """
        slope = self.weight + sum(signed.values())
        level = max(0, int(self._level(slope, free)) - 1)
        sizes = {j: min(self.most[j - 1], level) for j in free}
        while True:
            room = [j for j in free if sizes[j] < self.most[j - 1]]
            least = min(room, key=sizes.__getitem__, default=0)
            # One step more of size t adds t + sum(t) + 1 - |slope|, which must be negative.
            if not least or abs(slope) <= sizes[least] + sum(sizes.values()) + 1:
                return signed | {j: -size if slope > 0 else size for j, size in sizes.items()}
            sizes[least] += 1

    def _search(self, plain: Row, steps: Sequence[Ints]) -> int | None:
        """Return the largest distance of a row from the top corner; None if that is too much
        work.

        The distance falls by at least half the squared way from the best row of real numbers.
        So columns with few possible steps are tried near that row, and the others follow
        exactly. Values are whole grid steps from the middle of a range, and a row adds
        products of two.

        Args:
            plain: The steps of the columns without a square, by number.
            steps: For each column the steps that its values can have, ascending.
        """
        # Columns that can have any whole step; the other squared ones have gaps.
        free = [j for j in self.squared if len(steps[j - 1]) == 2 * self.most[j - 1] + 1]
        few = [j for j in self.squared if j not in free]
        slope = self.weight + sum(plain.values())
        level = self._level(slope, self.squared)
        # Where the best row of real numbers is in the columns with gaps, and a bound of its
        # distance: that of whole steps, and room for their rounding.
        at = {j: -float(np.sign(slope)) * min(self.most[j - 1], level) for j in few}
        bound = (
            self._measure_distance(self._lowest(plain, self.squared))
            + len(self.most) ** 2
            + 1
        )
        near = plain | {j: _find_nearest(steps[j - 1], at[j]) for j in few}
        best = self._measure_distance(self._lowest(near, free))
        # Rows of which the first columns are chosen, and the squared way of these so far.
        rows: list[tuple[Row, float]] = [({}, 0.0)]
        for _ in range(MAX_TRIED_ROWS):
            if not rows:
                return best
            row, off = rows.pop()
            if len(row) == len(few):
                best = max(best, self._measure_distance(self._lowest(plain | row, free)))
                continue
            j = few[len(row)]
            away = off + (steps[j - 1] - at[j]) ** 2
            # Farther steps cannot beat the best row; the nearest ones are tried first.
            close_steps = [
                k for k in np.argsort(-away, kind="stable") if away[k] <= 2 * (bound - best)
            ]
            rows += [(row | {j: int(steps[j - 1][k])}, float(away[k])) for k in close_steps]
        return None


def _is_even(steps: Ints, last: int) -> bool:
    # Whether ascending steps are symmetric around 0 and end at the last one.
    return bool(steps[-1] == last and np.array_equal(steps, -steps[::-1]))


def _find_nearest(steps: Ints, value: float) -> int:
    return int(steps[np.abs(steps - value).argmin()])


def _pairs(values: Sequence[int]) -> int:
    # The sum of the products of any two different values.
    return sum(a * b for a, b in combinations(values, 2))
