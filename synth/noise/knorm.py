"""K-norm noise on the integer lattice, exact.

>>> mechanism = KNorm(Norm.L2, dimension=3, scale=Fraction(40))
>>> str(mechanism.guarantee(20))
'epsilon = 1/2'
>>> mechanism.release(np.zeros(3, np.int64)).shape
(3,)
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.errors import ArgumentError
from synth.noise import bits
from synth.noise.floats.knorm import BallLaw, CubeLaw, NearBallLaw, is_countable
from synth.noise.floats.laplace import LaplaceLaw
from synth.noise.floats.law import NoiseLaw
from synth.noise.laplace import DiscreteLaplace
from synth.noise.mechanism import Mechanism, check_scale, exact, integers
from synth.noise.radius import MAX_EULER_DIMENSION, radius_numbers
from synth.privacy import Guarantee, Sensitivity
from synth.util import check

LEAST_SCALE = Fraction(1, 100)
# Largest scale at which radii are drawn as sums; points of the cube then have 31 bits.
MAX_SUMMED_SCALE = 2**22
# Largest scale at which one table draws radii.
TABLE_SCALE_MAX = 4_096
L2_REACH = 8
"""Largest dimension of l2 noise. In more, too few points of the cube lie in the ball."""


def largest_scale(dimension: int) -> int:
    """Return the largest scale for this many coordinates.

    >>> largest_scale(5), largest_scale(500)
    (4194304, 4096)
    """
    return MAX_SUMMED_SCALE if dimension <= MAX_EULER_DIMENSION else TABLE_SCALE_MAX


def is_in_reach(dimension: int, scale: Fraction) -> bool:
    """Return whether noise of this dimension and scale can be drawn."""
    return LEAST_SCALE <= scale <= largest_scale(dimension)


class Norm(StrEnum):
    """Norm whose balls are the level sets of the noise."""

    L1 = "l1"
    L2 = "l2"
    MAX = "l-infinity"


@dataclass(frozen=True)
class KNorm(Mechanism):
    """Noise with P(z) ~ exp(-ceil(norm(z)) / scale) on integer vectors.

    Vectors whose difference has a norm of at most D are (ceil(D)/scale)-differentially
    private: the K-norm mechanism (Hardt, Talwar 2010) without floats.

    A vector is drawn by rejection, with q = exp(-1/scale). Draw R with P(R) ~ (2 R + 1)^d
    q^R, the number of points of the cube [-R, R]^d times q^R, and a uniform point z of this
    cube. Keep z if norm(z) <= R. Summed over R >= ceil(norm(z)), this leaves P(z) ~
    q^ceil(norm(z)).

    Attributes:
        norm: The norm.
        dimension: The number of coordinates of a vector, d.
        scale: The scale, in steps.

    Raises:
        ArgumentError: The scale is above `largest_scale`, the dimension above `L2_REACH` in
            l2, or a number has the wrong type.
    """

    # The ceiling of a norm is a sub-additive gauge, so neighbours at a distance of at most D
    # have ceilings that differ by at most ceil(D).

    norm: Norm
    dimension: int
    scale: Fraction

    law: ClassVar[str] = "K-norm"
    is_joint: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Make the parameters exact, and refuse noise that Synth does not draw."""
        check.check_whole(1, dimension=self.dimension)
        object.__setattr__(self, "norm", Norm(self.norm))
        if self.norm is Norm.L2:
            check.in_range(1, L2_REACH, dimension=self.dimension)
        object.__setattr__(self, "scale", exact(scale=self.scale))
        check_scale(self.scale, LEAST_SCALE, Fraction(largest_scale(self.dimension)))

    def guarantee(self, sensitivity: Fraction | int) -> Guarantee:
        """Return the pure guarantee for values that move by at most ``sensitivity``.

        The move is measured in this noise's norm, and rounded up to an integer.
        """
        return Guarantee.pure(math.ceil(exact(sensitivity=sensitivity)) / self.scale)

    def price(self, moves: Sensitivity, _claim: Guarantee | None = None) -> Guarantee:
        """Return the pure guarantee for values of this sensitivity, in the noise's norm."""
        rounded = math.isqrt(moves.squared_l2 - 1) + 1  # the root, rounded up
        norms = {Norm.L1: moves.l1, Norm.L2: rounded, Norm.MAX: moves.l_infinity}
        return self.guarantee(norms[self.norm])

    def fits(self, size: int) -> bool:
        """Return whether the mechanism draws vectors of this many numbers."""
        return self.dimension == size

    @classmethod
    def read(cls, parameters: Mapping[str, str]) -> Self:
        """Return the mechanism that `describe` described, from its parameters as texts."""
        return cls(
            Norm(parameters["norm"]),
            int(parameters["dimension"]),
            Fraction(parameters["scale"]),
        )

    @property
    def variance(self) -> float:
        """Variance of the noise on one number, to leading order in the scale.

        With scale s and dimension d it is 2 s^2 for l1, (d + 1) s^2 for l2, and
        (d + 1)(d + 2) s^2 / 3 for l-infinity.
        """
        d = self.dimension
        s2 = float(self.scale) ** 2
        # The variances of all d numbers together, in squared scales.
        factor = {Norm.L1: 2 * d, Norm.L2: d * (d + 1), Norm.MAX: d * (d + 1) * (d + 2) / 3}
        return factor[self.norm] * s2 / d

    @property
    def mean_absolute(self) -> float:
        """Expected size of the noise on one number, as if it were uniform up to a radius."""
        return math.sqrt(3 / 4 * self.variance)

    @property
    def number_law(self) -> NoiseLaw:
        """Law of the noise on one number, in floats.

        In l1 the numbers are independent. In l2, few points are counted, and many are
        compared with a continuous ball.
        """
        if self.norm is Norm.L1 or (self.norm is Norm.L2 and self.dimension == 1):
            return LaplaceLaw(self.scale)
        if self.norm is Norm.MAX:
            return CubeLaw(self.dimension, self.scale)
        countable = is_countable(self.dimension, self.scale)
        return (BallLaw if countable else NearBallLaw)(self.dimension, self.scale)

    def release(self, values: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return one vector of integers plus noise, shape (dimension,).

        Raises:
            ArgumentError: The vector has another shape.
        """
        vector = integers(values)
        if vector.shape != (self.dimension,):
            raise ArgumentError(
                f"values must have shape ({self.dimension},), but it is {vector.shape}."
            )
        noisy: NDArray[np.int64] = vector + self.draw(1)[0]
        return noisy

    def draw(self, size: int) -> NDArray[np.int64]:
        """Return independent vectors, shape (size, dimension)."""
        check.check_whole(0, size=size)
        if self.norm is Norm.L1:
            noise = DiscreteLaplace(self.scale).draw(size * self.dimension)
            return noise.astype(np.int64).reshape(size, self.dimension)
        if self.norm is Norm.MAX:
            return self._propose(size)  # of the cube itself
        # In l2 only points of the ball are kept. Some more than needed are proposed, so that
        # few rounds are enough.
        vectors = np.empty((0, self.dimension), np.int64)
        while len(vectors) < size:
            vectors = np.concatenate([vectors, self._propose(2 * (size - len(vectors)) + 64)])
        return vectors[:size]

    def _propose(self, size: int) -> NDArray[np.int64]:
        """Draw ``size`` points of cubes of random radius; return those in the norm's ball.

        The result has the shape (kept, dimension). In l-infinity the ball is the cube, so all
        are kept.
        """
        radius = radius_numbers(1 / self.scale, self.dimension, size)
        sides = 2 * radius + 1
        columns = [_draw_below(sides) - radius for _ in range(self.dimension)]
        points: NDArray[np.int64] = np.stack(columns, axis=1)
        if self.norm is Norm.L2:
            points = points[(points**2).sum(axis=1) <= radius**2]
        return points


def _draw_below(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a uniform number from 0 to count - 1 for each count, same shape.

    By rejection: words of as many bits as the count needs are drawn until one is below it.
    Counts are from 1 to 2^32.
    """
    masks = (1 << np.ceil(np.log2(counts)).astype(np.int64)) - 1
    values = np.full(counts.shape, -1, np.int64)
    undecided = np.arange(counts.size)
    while undecided.size:
        words = np.frombuffer(bits.bits(4 * undecided.size), np.uint32).astype(np.int64)
        tries = words & masks[undecided]
        fits = tries < counts[undecided]
        values[undecided[fits]] = tries[fits]
        undecided = undecided[~fits]
    return values
