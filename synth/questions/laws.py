"""The exact law of one noisy number, in floats: to describe noise, never to draw it. PUBLIC.

A law is of a symmetric whole number Z, by the chance that it is large. Where floats or a bound
stand in for the exact chance they err upwards, by at most ``error`` or as the law says, so that
what is read off a law (`synth.questions.reach`) is never too small.

>>> law = law_of(DiscreteLaplace(Fraction(2)))
>>> round(float(law.tail(np.array([6.0]))[0]), 4), round(law.deviation, 3)
(0.062, 2.799)
>>> many = sum_law(DiscreteLaplace(Fraction(2)), 1_000_000)
>>> round(many.deviation), round(float(many.tail(np.array([5_600.0]))[0]), 3)
(2799, 0.045)
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np

from synth.errors import ArgumentError
from synth.noise import laplace_floats
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.knorm import KNorm, Norm
from synth.noise.laplace import DiscreteLaplace
from synth.noise.mechanism import Mechanism
from synth.questions.knorm_laws import BallLaw, CubeLaw, NearBallLaw, is_countable
from synth.util import check
from synth.util.arrays import Floats

CellNoise = DiscreteLaplace | DiscreteGaussian
"""Noise that is drawn for every cell by itself."""
ERROR = 1e-10
"""Most that a tail of a sum may be above the exact one; half of it is added on purpose."""
_OMITTED = 1e-12
"""Chance beyond the period of the inversion, and size of the first omitted term in it."""


class NoiseLaw(Protocol):
    """The law of a symmetric whole number Z; equal laws are asked once."""

    def __hash__(self) -> int: ...

    @property
    def error(self) -> float:
        """Most that a tail is above the exact one; it is never below. Infinite for a bound."""

    @property
    def deviation(self) -> float:
        """The standard deviation of Z."""

    @property
    def extent(self) -> float:
        """P(|Z| > extent) is at most ``error``, or 1e-10 for a bound."""

    def tail(self, least: Floats) -> Floats:
        """P(|Z| >= least), shape of ``least``; between whole numbers a smooth curve."""


@lru_cache(maxsize=256)
def law_of(mechanism: Mechanism) -> NoiseLaw:
    """The law of the noise on one coordinate.

    Raises:
        ArgumentError: It is noise that no door draws.

    >>> type(law_of(KNorm(Norm.L1, 5, Fraction(3)))).__name__
    'LaplaceLaw'
    """
    match mechanism:
        case DiscreteLaplace(scale=scale):
            return LaplaceLaw(scale)
        case DiscreteGaussian():
            return SumLaw(mechanism, 1)
        case KNorm(norm=Norm.L1, scale=scale):
            return LaplaceLaw(scale)
        case KNorm(norm=Norm.MAX, dimension=dimension, scale=scale):
            return CubeLaw(dimension, scale)
        case KNorm(norm=Norm.L2, dimension=dimension, scale=scale):
            if dimension == 1:
                return LaplaceLaw(scale)
            return (BallLaw if is_countable(dimension, scale) else NearBallLaw)(dimension, scale)
    raise ArgumentError(
        f"The law of one coordinate of {type(mechanism).__name__} noise is not known."
    )


@lru_cache(maxsize=256)
def sum_law(mechanism: Mechanism, cells: int) -> NoiseLaw:
    """The law of the sum of independent coordinates: of an answer read off a noisy histogram.

    Args:
        mechanism: Discrete Laplace or discrete Gaussian noise, on every cell alike.
        cells: How many are added up, at least 1.

    Raises:
        ArgumentError: The coordinates of the noise are not independent.
    """
    check.whole(1, cells=cells)
    if not isinstance(mechanism, DiscreteLaplace | DiscreteGaussian):
        raise ArgumentError(
            f"The coordinates of {type(mechanism).__name__} noise are not independent."
        )
    return law_of(mechanism) if cells == 1 else SumLaw(mechanism, int(cells))


@dataclass(frozen=True)
class LaplaceLaw:
    """P(Z = z) = (1 - q) / (1 + q) q^|z|, q = exp(-1/scale), in closed form."""

    scale: Fraction

    error = 1e-14

    @property
    def deviation(self) -> float:
        """The root of 2 q / (1 - q)^2."""
        return math.sqrt(laplace_floats.variance(self.scale))

    @property
    def extent(self) -> float:
        """Where the tail is below the error."""
        return 1 + 33 * float(self.scale)

    def tail(self, least: Floats) -> Floats:
        """2 q^t / (1 + q) for t >= 1."""
        rate = 1 / float(self.scale)
        chance = 2 * np.exp(-rate * np.asarray(least)) / (1 + math.exp(-rate))
        return np.where(np.asarray(least) <= 0, 1.0, np.minimum(1, chance * (1 + self.error)))


@dataclass(frozen=True)
class SumLaw:
    """The sum of ``terms`` independent values, by inversion of its characteristic function.

    With f its characteristic function and an odd period N,

        P(|Z mod N| < t) = (1/N) sum over j of f(2 pi j / N) sin((t - 1/2) w) / sin(w / 2),

    w = 2 pi j / N. It differs from P(|Z| < t) by the chance beyond N - t, which Chernoff's bound
    keeps below 1e-12; f falls towards w = pi, and terms are left out from where it is below
    1e-12, which together weigh less than 1e-12 ln N. The number of terms hardly depends on
    scale and ``terms``.
    """

    mechanism: DiscreteLaplace | DiscreteGaussian
    terms: int

    error = ERROR

    @property
    def deviation(self) -> float:
        """By adding up variances."""
        return math.sqrt(self.terms * self.mechanism.variance)

    @cached_property
    def extent(self) -> float:
        """Chernoff's bound: the least of (ln E exp(u Z) + ln(2 / 1e-12)) / u over a grid of u."""
        wanted = math.log(2 / _OMITTED)
        if isinstance(self.mechanism, DiscreteGaussian):  # ln E exp(u Z) <= u^2 sigma2 / 2
            return 1 + math.sqrt(2 * self.terms * float(self.mechanism.sigma2) * wanted)
        share = np.geomspace(1e-8, 0.99, 400)
        bounds = (self.terms * log_moment(share, self.mechanism.scale) + wanted) / share
        return 1 + float(self.mechanism.scale) * float(bounds.min())

    @cached_property
    def _period(self) -> int:
        return 2 * math.ceil(self.extent) + 3

    @cached_property
    def _terms(self) -> tuple[Floats, Floats]:
        """The w and f(w) / sin(w / 2) that count, from w = 2 pi / N up."""
        last = self._period // 2
        if self._log_characteristic(np.array([math.pi]))[0] < math.log(_OMITTED):
            low, high = 0, last
            while high - low > 1:
                cut = (low + high) // 2
                small = self._log_characteristic(np.array([2 * math.pi * cut / self._period]))
                low, high = (low, cut) if small[0] < math.log(_OMITTED) else (cut, high)
            last = high
        w = 2 * math.pi * np.arange(1, last + 1) / self._period
        return w, np.exp(self._log_characteristic(w)) / np.sin(w / 2)

    def _log_characteristic(self, w: Floats) -> Floats:
        if isinstance(self.mechanism, DiscreteLaplace):
            return self.terms * _log_laplace(w, float(self.mechanism.scale))
        return self.terms * _log_gaussian(w, float(self.mechanism.sigma2))

    def tail(self, least: Floats) -> Floats:
        """1 - P(|Z| < t), with half the error added."""
        t = np.asarray(least, dtype=np.float64)
        w, weight = self._terms
        inner = (2 * t - 1) / self._period
        for start in range(0, len(w), 4096):  # bounds the memory for many t
            part = slice(start, start + 4096)
            inner = inner + 2 / self._period * (
                np.sin((t[..., None] - 0.5) * w[part]) @ weight[part]
            )
        found = np.clip(1 - inner + self.error / 2, self.error / 2, 1)
        return np.where(t <= 0, 1.0, np.where(t > self.extent, self.error / 2, found))


def log_moment(share: Floats, scale: Fraction) -> Floats:
    """ln E exp(u Z) of the discrete Laplace law at u = share / scale, for a share below 1.

    E exp(u Z) = 1 / (1 - q (e^(u/2) - e^(-u/2))^2 / (1 - q)^2), without a number that overflows.
    """
    rate = 1 / float(scale)
    root = np.exp(-(1 - share) * rate / 2) * np.expm1(-share * rate) / math.expm1(-rate)
    return -np.log1p(-(root**2))


def log_characteristic(noise: CellNoise, w: Floats) -> Floats:
    """ln f(w) of the noise of one cell, for any w: it has the period 2 pi.

    >>> from fractions import Fraction
    >>> at = np.array([0.0, 1.0, 1.0 + 2 * np.pi])
    >>> log_characteristic(DiscreteLaplace(Fraction(2)), at).round(3).tolist()
    [-0.0, -1.526, -1.526]
    """
    inside = np.abs((w + np.pi) % (2 * np.pi) - np.pi)
    if isinstance(noise, DiscreteLaplace):
        return _log_laplace(inside, float(noise.scale))
    return _log_gaussian(inside, float(noise.sigma2))


def _log_laplace(w: Floats, scale: float) -> Floats:
    """ln f(w) = -ln(1 + 2 v sin^2(w / 2)), with v the variance of the discrete Laplace law."""
    return -np.log1p(2 * laplace_floats.variance(scale) * np.sin(w / 2) ** 2)


def _log_gaussian(w: Floats, sigma2: float) -> Floats:
    """ln f(w) of the discrete Gaussian law, from 0 to pi.

    From sigma 1 up by Poisson's summation: f is a sum of normal curves around multiples of
    2 pi over its value at 0. Below, directly: 1 - 4 sum of P(z) sin^2(z w / 2).
    """
    if sigma2 >= 1:
        turns = 2 * np.pi * np.array([-3, -2, -1, 1, 2, 3])
        others = np.exp(-sigma2 * (turns * w[..., None] + turns**2 / 2)).sum(axis=-1)
        at_zero = float(np.exp(-sigma2 * turns**2 / 2).sum())
        return np.asarray(-sigma2 * w**2 / 2 + np.log1p(others) - math.log1p(at_zero))
    z = np.arange(1, 12)
    weights = np.exp(-(z**2) / (2 * sigma2))
    chances = weights / (1 + 2 * weights.sum())
    return np.asarray(np.log1p(-4 * (np.sin(w[..., None] * z / 2) ** 2) @ chances))
