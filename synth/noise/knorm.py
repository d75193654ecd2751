"""K-norm noise on the integer lattice, exact, and its float form beyond the reach of that.

>>> mechanism = KNorm(Norm.L2, dimension=3, scale=Fraction(40))
>>> str(mechanism.guarantee(20)), mechanism.hardened
('epsilon = 1/2', True)
>>> mechanism.release(np.zeros(3, np.int64)).shape
(3,)
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth import check
from synth.errors import ArgumentError
from synth.noise import bits
from synth.noise.laplace import DiscreteLaplace
from synth.noise.mechanism import exact, integers
from synth.noise.radius import WIDEST, radius_numbers
from synth.privacy.guarantee import Guarantee
from synth.privacy.sensitivity import Sensitivity

LEAST_SCALE = Fraction(1, 100)
SCALE_MAX = 2**22
"""Largest scale, where radii are drawn as sums: points of the cube then have 31 bits."""
TABLE_SCALE_MAX = 4_096
"""Largest scale, where radii are drawn from one table."""
_RADII = 1 << 17
"""Most radii whose chances are added up one by one."""
_PLACES = 4_096
"""Sizes of the noise at which its densities are worked out; they are straight in between."""
L2_REACH = 8
"""Dimensions up to which a cube around the l2 ball is not too empty to be rejected from."""


def largest_scale(dimension: int) -> int:
    """The largest scale of so many coordinates.

    >>> largest_scale(5), largest_scale(500)
    (4194304, 4096)
    """
    return SCALE_MAX if dimension <= WIDEST else TABLE_SCALE_MAX


def is_in_reach(dimension: int, scale: Fraction) -> bool:
    """Whether there is noise of such a scale on so many coordinates."""
    return LEAST_SCALE <= scale <= largest_scale(dimension)


class Norm(StrEnum):
    """Whose balls are the level sets of the noise."""

    L1 = "l1"
    L2 = "l2"
    MAX = "l-infinity"


@dataclass(frozen=True)
class KNorm:
    """Noise with P(z) ~ exp(-ceil(norm(z)) / scale) on integer vectors.

    The ceiling of a norm is a sub-additive gauge, so vectors whose difference has a norm of
    at most D are (ceil(D)/scale)-differentially private: the K-norm mechanism (Hardt, Talwar
    2010) without floats. In l2 beyond 8 dimensions the radius and direction are floats, rounded
    to integers: the law is right to about 1e-15 but ``hardened`` is False, since low bits of
    floats are known to leak.

    Raises:
        ArgumentError: If the scale is above `largest_scale` or a number is not what it should be.
    """

    norm: Norm
    dimension: int
    scale: Fraction

    law: ClassVar[str] = "K-norm"
    bias = 0.0

    def __post_init__(self) -> None:
        check.whole(1, dimension=self.dimension)
        object.__setattr__(self, "norm", Norm(self.norm))
        object.__setattr__(self, "scale", exact(scale=self.scale))
        check.in_range(LEAST_SCALE, largest_scale(self.dimension), scale=self.scale)

    @property
    def hardened(self) -> bool:
        """Whether every bit of the noise is exact."""
        return self.norm is not Norm.L2 or self.dimension <= L2_REACH

    def guarantee(self, sensitivity: Fraction | int) -> Guarantee:
        """Pure differential privacy for a largest norm of difference, rounded up to a whole."""
        return Guarantee.pure(math.ceil(exact(sensitivity=sensitivity)) / self.scale)

    def price(self, moves: Sensitivity) -> Guarantee:
        """The guarantee for values of this sensitivity, by the noise's own norm, rounded up."""
        rounded = math.isqrt(moves.squared_l2 - 1) + 1
        norms = {Norm.L1: moves.l1, Norm.L2: rounded, Norm.MAX: moves.l_infinity}
        return self.guarantee(norms[self.norm])

    def fits(self, size: int) -> bool:
        """Whether it is exact noise for so many values: its own dimension, within its reach."""
        return self.hardened and self.dimension == size

    def describe(self) -> dict[str, str]:
        """The law with its exact parameters, as JSON."""
        return {
            "law": self.law,
            "norm": self.norm.value,
            "dimension": str(self.dimension),
            "scale": str(self.scale),
        }

    @classmethod
    def read(cls, told: Mapping[str, str]) -> Self:
        """The mechanism that `describe` told of."""
        return cls(Norm(told["norm"]), int(told["dimension"]), Fraction(told["scale"]))

    @property
    def variance(self) -> float:
        """Expected squared l2 length, in all coordinates, to leading order in the scale.

        l1: 2 d s^2; l2: d (d + 1) s^2; l-infinity: d (d + 1)(d + 2) s^2 / 3.
        """
        d, s2 = self.dimension, float(self.scale) ** 2
        factor = {Norm.L1: 2 * d, Norm.L2: d * (d + 1), Norm.MAX: d * (d + 1) * (d + 2) / 3}
        return factor[self.norm] * s2

    @property
    def variance_of_one(self) -> float:
        """Variance of the noise on one number."""
        return self.variance / self.dimension

    def log_densities(self, gaps: NDArray[Any]) -> NDArray[np.float64]:
        """Logarithms of about how likely noise of these sizes is on one number, in l-infinity.

        One number of the point is even on [-R, R] and R / scale about a Gamma number of shape
        d + 1, so that this is the chance of a Gamma number of shape d to be at least as large.

        Args:
            gaps: Sizes of the noise, any shape.

        Returns:
            0 where there is none, and less elsewhere, in the same shape.
        """
        sizes = np.abs(gaps) / float(self.scale)
        places, logs = _log_tails(self.dimension)
        found: NDArray[np.float64] = np.interp(sizes, places, logs)
        far = sizes > places[-1]
        found[far] = _log_far(sizes[far], self.dimension)
        return found

    def tail(self, t: float) -> float:
        """Upper bound of P(norm of the noise >= t).

        A ball of radius R holds at most (R + a)^d and at least (R - a)^d times the volume of
        the unit ball in lattice points, where a is the norm of (1/2, ..., 1/2).
        """
        if t <= 0:
            return 1.0
        d, scale = self.dimension, float(self.scale)
        half = {Norm.L1: d / 2, Norm.L2: math.sqrt(d) / 2, Norm.MAX: 0.5}[self.norm]
        last = int(scale * (d + 80)) + d + 10
        step = -(-last // _RADII)
        radius = np.arange(0, last + step, step)
        most, least = self._weights(radius, half), self._weights(radius, -half)
        if step > 1:  # of many at once: the larger end or the top, and the smaller end
            top = max(0.0, d * scale - half)
            within = (radius[:-1] < top) & (top < radius[1:])
            peak = self._weights(np.array([top]), half)
            most[1:] = np.where(within, peak, np.maximum(most[:-1], most[1:]))
            least[1:] = np.minimum(least[:-1], least[1:])
        return min(1.0, float(most[1:][radius[1:] >= t].sum() / least[1:].sum()))

    def _weights(self, radius: NDArray[Any], more: float) -> NDArray[np.float64]:
        """(R + more)^d q^R, about 1 where it is largest."""
        d, scale = self.dimension, float(self.scale)
        logs = d * np.log(np.maximum(radius + more, 1e-9)) - radius / scale
        weights: NDArray[np.float64] = np.exp(logs - (d * math.log(d * scale + d + 1) - d))
        return weights

    def release(self, values: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return one vector of integers plus noise, shape (dimension,).

        Raises:
            ArgumentError: If the vector has another shape.
        """
        vector = integers(values)
        if vector.shape != (self.dimension,):
            message = f"values must have shape ({self.dimension},), but it is {vector.shape}."
            raise ArgumentError(message)
        noisy: NDArray[np.int64] = vector + self.draw(1)[0]
        return noisy

    def draw(self, size: int) -> NDArray[np.int64]:
        """Return ``size`` independent vectors, shape (size, dimension)."""
        check.whole(0, size=size)
        if self.norm is Norm.L1:
            noise = DiscreteLaplace(self.scale).draw(size * self.dimension)
            return noise.astype(np.int64).reshape(size, self.dimension)
        if not self.hardened:
            return self._floats(size)
        if self.norm is Norm.MAX:
            return self._propose(size)  # of the cube itself
        vectors = np.empty((0, self.dimension), np.int64)
        while len(vectors) < size:
            vectors = np.concatenate([vectors, self._propose(2 * (size - len(vectors)) + 64)])
        return vectors[:size]

    def _propose(self, size: int) -> NDArray[np.int64]:
        """Draw R ~ (2R + 1)^d q^R and a point of the cube [-R, R]^d; keep it if norm <= R.

        Summed over R >= ceil(norm(z)) this leaves P(z) ~ q^ceil(norm(z)).
        """
        radius = radius_numbers(1 / self.scale, self.dimension, size)
        sides = 2 * radius + 1
        columns = [_below(sides) - radius for _ in range(self.dimension)]
        points: NDArray[np.int64] = np.stack(columns, axis=1)
        if self.norm is Norm.L2:
            points = points[(points**2).sum(axis=1) <= radius**2]
        return points

    def _floats(self, size: int) -> NDArray[np.int64]:
        """Gamma radius times a uniform direction; not the exponential radius of a common slip."""
        radius = -np.log(floats((size, self.dimension))).sum(axis=1) * float(self.scale)
        directions = normals((size, self.dimension))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        vectors: NDArray[np.int64] = np.rint(radius[:, None] * directions).astype(np.int64)
        return vectors


def floats(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Uniform floats in (0, 1), of any shape, from the system's bits.

    They are not for noise that must be exact.
    """
    words = np.frombuffer(bits.bits(8 * math.prod(shape)), np.uint64).reshape(shape)
    uniforms: NDArray[np.float64] = (words >> np.uint64(11)).astype(np.float64)
    return uniforms * 2.0**-53 + 2.0**-54


def normals(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Standard normal floats, of any shape (Box, Muller 1958).

    They are not for noise that must be exact.
    """
    pairs = floats((2, *shape))
    drawn: NDArray[np.float64] = np.sqrt(-2 * np.log(pairs[0])) * np.cos(2 * np.pi * pairs[1])
    return drawn


@cache
def _log_tails(shape: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Places, and the logarithms of a Gamma law's chances to lie beyond, by the trapezoid rule."""
    places = np.linspace(0.0, shape + 12 * math.sqrt(shape) + 40, _PLACES)
    law = np.exp((shape - 1) * np.log(np.maximum(places, 1e-300)) - places - math.lgamma(shape))
    parts = (law[1:] + law[:-1]) * places[1] / 2
    beyond = np.append(np.cumsum(parts[::-1])[::-1], 0.0) + np.exp(_log_far(places[-1:], shape))
    return places, np.log(beyond / beyond[0])


def _log_far(sizes: NDArray[np.float64], shape: int) -> NDArray[np.float64]:
    """The same far beyond the law's mean, to leading order."""
    logs: NDArray[np.float64] = (shape - 1) * np.log(sizes) - sizes - math.lgamma(shape)
    return logs - np.log1p(-(shape - 1) / sizes)


def _below(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """One uniform integer below each count, by rejection."""
    masks = (1 << np.ceil(np.log2(counts)).astype(np.int64)) - 1
    values = np.full(counts.shape, -1, np.int64)
    open_ = np.arange(counts.size)
    while open_.size:
        words = np.frombuffer(bits.bits(4 * open_.size), np.uint32).astype(np.int64)
        tries = words & masks[open_]
        fits = tries < counts[open_]
        values[open_[fits]] = tries[fits]
        open_ = open_[~fits]
    return values
