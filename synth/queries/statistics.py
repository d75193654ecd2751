"""Real-valued statistics as exact integers with a sensitivity from declared bounds.

Every row is pulled into its declared bounds and rounded to a public grid *before* anything is
added up. Sums are then sums of integers: no order of addition, no rounding and no overflow can
raise the sensitivity (Casacuberta, Shoemate, Vadhan, Wagaman 2022). A `Statistic` is private; it
leaves through a door by its `Statistic.query`.

>>> ages = np.array([31.0, 47.0, 250.0])
>>> answer = mean(ages, low=0, high=100).release(Guarantee.pure(1000))
>>> abs(float(answer.value[0]) - (31 + 47 + 100) / 3) < 1
True
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synth import check
from synth.arrays import Floats
from synth.errors import ArgumentError
from synth.noise.elliptical import EllipticalGaussian, Least
from synth.noise.gaussian import Calibration, DiscreteGaussian
from synth.noise.knorm import KNorm, Norm
from synth.noise.laplace import DiscreteLaplace
from synth.noise.mechanism import Mechanism
from synth.privacy.accounting import zcdp_rho
from synth.privacy.guarantee import ROW, Guarantee, Neighbors, parse_rational
from synth.privacy.sensitivity import Sensitivity
from synth.queries.query import Query, subject
from synth.questions.joint import joint_sensitivity
from synth.questions.terms import count_term

STEPS = 4_096
"""Grid steps between the bounds of the widest column."""
LATTICE = 64
"""The same for l2 and l-infinity noise, whose tables grow with the scale."""

Bounds = tuple[Any, Any]


@dataclass(frozen=True, eq=False)
class NoisyStatistic:
    """A noisy statistic. PUBLIC.

    Attributes:
        value: Shape (k,).
        deviation: Standard deviation of the noise of each coordinate, shape (k,).
        guarantee: What it cost.
        hardened: False if floats took part in the noise; it is then not safe against attacks
            on the low bits of floats.
    """

    value: Floats
    deviation: Floats
    guarantee: Guarantee
    hardened: bool = True


@dataclass(frozen=True, eq=False)
class Statistic:
    """Exact integers, how far one person moves them, and how to read them. PRIVATE.

    Attributes:
        total: The exact statistic in grid steps, shape (k,).
        steps: Steps by which one person moves each coordinate at most, length k.
        grids: Size of each coordinate's step in units of the answer.
        origin: NoisyStatistic at zero steps, public.
        neighbors: What the steps are about.
        shape: Whose ball the noise of a pure guarantee has.
        together: Steps by which one person moves all coordinates at most, where that is less
            than the sum of ``steps``.
    """

    total: NDArray[np.int64]
    steps: tuple[int, ...]
    grids: tuple[Fraction, ...]
    origin: tuple[Fraction, ...]
    neighbors: Neighbors = Neighbors.REPLACE_ONE
    shape: Norm = Norm.L1
    together: int | None = None

    def __repr__(self) -> str:
        return "Statistic(private)"

    @property
    def square(self) -> int:
        """Largest squared l2 norm of one person's move, in steps."""
        alone = sum(step * step for step in self.steps)
        return alone if self.together is None else min(alone, max(self.steps) * self.together)

    def sensitivity(self, norm: Norm) -> int:
        """Largest norm of one person's move in steps, rounded up."""
        if norm is Norm.MAX:
            return max(self.steps)
        if norm is Norm.L1:
            return sum(self.steps) if self.together is None else self.together
        return math.isqrt(self.square - 1) + 1

    def mechanism(self, guarantee: Guarantee) -> DiscreteLaplace | KNorm | DiscreteGaussian:
        """Laplace or K-norm noise if the guarantee is pure, and Gaussian noise otherwise.

        For (epsilon, delta) one number has the analytic sigma, a vector that of the rho which
        implies it.
        """
        if guarantee.rho is not None:
            return DiscreteGaussian.for_rho(guarantee.rho, sensitivity2=self.square)
        assert guarantee.epsilon is not None
        if guarantee.delta:
            one = len(self.steps) == 1
            return DiscreteGaussian.for_delta(
                guarantee.epsilon,
                guarantee.delta,
                sensitivity=self.sensitivity(Norm.L2),
                calibration=Calibration.ANALYTIC if one else Calibration.ZCDP,
            )
        scale = self.sensitivity(self.shape) / guarantee.epsilon
        if self.shape is Norm.L1:
            return DiscreteLaplace(scale)
        return KNorm(self.shape, len(self.steps), scale)

    @property
    def query(self) -> Query:
        """What a door takes."""
        return bounded_sum(self) if self.together is None else counting_queries(self)

    def release(self, guarantee: Guarantee) -> NoisyStatistic:
        """Add fresh noise to what needs no ledger: rows that are public, in lessons and tests."""
        noise = self.mechanism(guarantee)
        return self.read(noise.release(self.total), noise, guarantee)

    def through(self, door: "Doorway", guarantee: Guarantee) -> NoisyStatistic:
        """Release it for a part of a door's guarantee; an (epsilon, delta) is met by its rho.

        Raises:
            ReleaseError: It does not fit the door, or costs more than is left.
        """
        budget = guarantee
        if guarantee.delta and guarantee.epsilon is not None:
            budget = Guarantee.zcdp(zcdp_rho(guarantee.epsilon, guarantee.delta))
        measured = door.measure(self.query, self.mechanism(budget))
        return self.read(measured.values, measured.mechanism, guarantee)

    def read(
        self, noisy: NDArray[np.int64], noise: Mechanism, guarantee: Guarantee
    ) -> NoisyStatistic:
        """Turn noisy steps, shape (k,), into an answer; public, since it reads no exact one."""
        ball = isinstance(noise, KNorm)
        variance = noise.variance / (len(self.steps) if ball else 1)
        grids, origin = _floats(self.grids, self.origin)
        hardened = not isinstance(noise, KNorm) or noise.hardened
        return NoisyStatistic(
            origin + noisy * grids, math.sqrt(variance) * grids, guarantee, hardened
        )


class Released(Protocol):
    """What a door lets out."""

    @property
    def values(self) -> NDArray[np.int64]:
        """Noisy integers, shape (k,)."""

    @property
    def mechanism(self) -> Mechanism:
        """Their noise."""


class Doorway(Protocol):
    """What a statistic needs of `synth.door.Door`."""

    def measure(self, query: Query, mechanism: Mechanism, /) -> Released:
        """Let a query out."""


def bounded_sum(statistic: Statistic) -> Query:
    """The sum of rows in declared bounds, in grid steps."""
    return _query(statistic, f"sum of {len(statistic.steps)} columns", "bounded-sum")


def counting_queries(statistic: Statistic) -> Query:
    """How many rows are in each of some sets of cells."""
    return _query(statistic, f"{len(statistic.steps)} counting queries", "counting-queries")


def _query(statistic: Statistic, name: str, proof: str) -> Query:
    moves = Sensitivity(
        statistic.sensitivity(Norm.L1), statistic.square, statistic.sensitivity(Norm.MAX)
    )
    return Query(
        name,
        proof,
        statistic.neighbors,
        ROW,
        moves,
        len(statistic.steps),
        lambda: statistic.total,
        subject(statistic.steps, [str(grid) for grid in statistic.grids]),
    )


def counts_of(
    members: NDArray[np.bool_], counts: NDArray[np.integer], neighbors: Neighbors
) -> Statistic:
    """How many of the counted rows are in each of k sets of cells.

    Args:
        members: Boolean, shape (k, cells): which cells each set holds.
        counts: Rows of every cell, shape (cells,).
        neighbors: The relation.
    """
    ones = (Fraction(1),) * len(members)
    return Statistic(
        total=np.asarray(members @ np.asarray(counts), np.int64),
        steps=(1,) * len(members),
        grids=ones,
        origin=(Fraction(0),) * len(members),
        neighbors=neighbors,
        together=moved_sets(members, neighbors),
    )


def moved_sets(members: NDArray[np.bool_], neighbors: Neighbors) -> int:
    """Most counts of sets that one row moves, each of them by one; 1 where it moves none.

    Add-remove: most sets that hold one cell. Replace-one: most sets that hold one cell or tell
    two apart, or a bound where there are too many cells (`synth.questions.joint`).

    Args:
        members: Which cells each set holds, shape (k, cells).
        neighbors: The relation.
    """
    whole = np.array([0, 1])
    terms = [count_term((0,), (cells.astype(np.int64),), whole == 1) for cells in members]
    sizes = [members.shape[1]]
    return joint_sensitivity(terms, sizes, neighbors, ROW).sensitivity.l1


def vector_sum(
    values: Any,
    *,
    bounds: Sequence[Bounds],
    neighbors: Neighbors = Neighbors.REPLACE_ONE,
    shape: Norm | Least = Norm.L1,
    resolution: int | None = None,
) -> Statistic:
    """The sum of the rows, each coordinate pulled into its declared bounds.

    Args:
        values: Numbers, shape (n, k). Infinities are pulled in like any other value.
        bounds: (low, high) of each coordinate, declared.
        neighbors: Replace-one (n is then public) or add-remove.
        shape: A norm: all coordinates on one grid, and a pure guarantee draws that norm's
            noise. A `Least`: grids in proportion to the elliptical allocation.
        resolution: Grid steps between the bounds of the widest coordinate.

    Raises:
        ArgumentError: If the bounds or the shape are wrong, or a value is NaN.
    """
    rows = _rows(values, len(bounds))
    low = [parse_rational(pair[0], name="low") for pair in bounds]
    high = [parse_rational(pair[1], name="high") for pair in bounds]
    for bottom, top in zip(low, high, strict=True):
        if not bottom < top:
            message = f"low must be below high, but they are {bottom} and {top}."
            raise ArgumentError(message)
    public = neighbors is Neighbors.REPLACE_ONE
    origin = low if public else [Fraction(0)] * len(low)
    reach = [
        max(abs(top - start), abs(bottom - start))
        for bottom, top, start in zip(low, high, origin, strict=True)
    ]
    steps, grids = _grids(reach, shape, resolution)
    total = _count_steps(rows, low, high, origin, grids, steps)
    offset = tuple(start * len(rows) if public else Fraction(0) for start in origin)
    ball = shape if isinstance(shape, Norm) else Norm.L1
    return Statistic(total, steps, grids, offset, neighbors, ball)


def vector_mean(
    values: Any,
    *,
    bounds: Sequence[Bounds],
    shape: Norm | Least = Norm.L1,
    resolution: int | None = None,
) -> Statistic:
    """The mean of the rows, n public (replace-one). Arguments as for `vector_sum`.

    Raises:
        ArgumentError: As for `vector_sum`, or if there is no row.
    """
    query = vector_sum(values, bounds=bounds, shape=shape, resolution=resolution)
    n = len(np.asarray(values))
    check.whole(1, rows=n)
    grids = tuple(grid / n for grid in query.grids)
    origin = tuple(start / n for start in query.origin)
    return replace(query, grids=grids, origin=origin)


def mean(values: Any, *, low: Any, high: Any) -> Statistic:
    """The mean of numbers in [low, high], n public: sensitivity (high - low)/n."""
    return vector_mean(_column(values), bounds=[(low, high)])


def total(
    values: Any, *, low: Any, high: Any, neighbors: Neighbors = Neighbors.REPLACE_ONE
) -> Statistic:
    """The sum of numbers in [low, high]."""
    return vector_sum(_column(values), bounds=[(low, high)], neighbors=neighbors)


def sum_of_squares(
    values: Any, *, bound: Any, neighbors: Neighbors = Neighbors.REPLACE_ONE
) -> Statistic:
    """The sum of squares of numbers in [-bound, bound]: sensitivity bound^2."""
    b = parse_rational(bound, name="bound")
    check.positive(bound=b)
    squares = np.square(np.clip(_column(values), -float(b), float(b)))
    return vector_sum(squares, bounds=[(0, b * b)], neighbors=neighbors)


def gram(
    values: Any,
    *,
    bounds: Sequence[Any],
    guarantee: Guarantee,
    release: Callable[[Statistic, Guarantee], NoisyStatistic] = Statistic.release,
) -> Floats:
    """X'X of the rows with a leading 1, n public, repaired to have no negative eigenvalue.

    Half of the guarantee goes to the sums, half to the sums of products; the (1, 1) entry is n.

    Args:
        values: Numbers, shape (n, k).
        bounds: b_j of each column, whose values are pulled into [-b_j, b_j].
        guarantee: For the whole matrix.
        release: How each part is released, say by `Statistic.through` a door.

    Returns:
        Shape (k + 1, k + 1), symmetric, positive semidefinite.
    """
    return clip_eigenvalues(noisy_gram(values, bounds=bounds, guarantee=guarantee, release=release))


def noisy_gram(
    values: Any,
    *,
    bounds: Sequence[Any],
    guarantee: Guarantee,
    release: Callable[[Statistic, Guarantee], NoisyStatistic] = Statistic.release,
) -> Floats:
    """`gram` before its repair: symmetric, shape (k + 1, k + 1)."""
    limits = [parse_rational(bound, name="bound") for bound in bounds]
    for limit in limits:
        check.positive(bound=limit)
    rows = np.clip(_rows(values, len(limits)), *_floats([-b for b in limits], limits))
    pairs = list(combinations_with_replacement(range(len(limits)), 2))
    products = np.stack([rows[:, i] * rows[:, j] for i, j in pairs], axis=1)
    ranges = [(0 if i == j else -limits[i] * limits[j], limits[i] * limits[j]) for i, j in pairs]
    half = guarantee.split(2)
    sums = release(vector_sum(rows, bounds=[(-b, b) for b in limits]), half).value
    matrix = np.empty((len(limits) + 1,) * 2)
    matrix[0, 0] = len(rows)
    matrix[0, 1:] = matrix[1:, 0] = sums
    entries = release(vector_sum(products, bounds=ranges), half).value
    for (i, j), entry in zip(pairs, entries, strict=True):
        matrix[i + 1, j + 1] = matrix[j + 1, i + 1] = entry
    return matrix


def clip_eigenvalues(matrix: Floats) -> Floats:
    """Return the nearest matrix without negative eigenvalues (Frobenius norm).

    Both are symmetric and of shape (k, k).
    """
    values, vectors = np.linalg.eigh(matrix)
    repaired: Floats = (vectors * np.maximum(values, 0)) @ vectors.T
    return repaired


def _grids(
    reach: Sequence[Fraction], shape: Norm | Least, resolution: int | None
) -> tuple[tuple[int, ...], tuple[Fraction, ...]]:
    """Steps and grid of each coordinate."""
    most = resolution or (LATTICE if shape in (Norm.L2, Norm.MAX) else STEPS)
    check.whole(1, resolution=most)
    if isinstance(shape, Least):
        ellipse = EllipticalGaussian.for_ranges(reach, rho=1, least=shape, resolution=most)
        return ellipse.steps, ellipse.grids
    grid = max(reach) / most
    return tuple(math.ceil(width / grid) for width in reach), (grid,) * len(reach)


def _count_steps(
    rows: Floats,
    low: Sequence[Fraction],
    high: Sequence[Fraction],
    origin: Sequence[Fraction],
    grids: Sequence[Fraction],
    steps: Sequence[int],
) -> NDArray[np.int64]:
    """Round every row to its grid, within the steps, and add up integers."""
    start, size = _floats(origin, grids)
    pulled = np.clip(rows, *_floats(low, high))
    most = np.array(steps)
    counted = np.clip(np.rint((pulled - start) / size), -most, most).astype(np.int64)
    summed: NDArray[np.int64] = counted.sum(axis=0)
    return summed


def _floats(*lists: Sequence[Fraction]) -> list[Floats]:
    return [np.array([float(x) for x in numbers]) for numbers in lists]


def _column(values: Any) -> Floats:
    return np.asarray(values, float).reshape(-1, 1)


def _rows(values: Any, columns: int) -> Floats:
    rows = np.asarray(values, float)
    if rows.ndim != 2 or rows.shape[1] != columns or columns == 0:
        message = f"values must have shape (rows, {columns}), but it is {rows.shape}."
        raise ArgumentError(message)
    if np.isnan(rows).any():
        message = "values must be numbers, but NaN is among them."
        raise ArgumentError(message)
    return rows
