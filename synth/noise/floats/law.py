"""How far noise takes an answer: half widths and expected errors, from public numbers. PUBLIC.

All are in steps of the noise: rows of a count, grid steps of a sum. A law is of a symmetric whole
number Z, by the chance that it is large. Where floats or a bound stand in for the exact chance they
err upwards, so that what is read off a law is never too small.

>>> from fractions import Fraction
>>> from synth.noise.floats.laplace import LaplaceLaw
>>> one = LaplaceLaw(Fraction(10))
>>> reach(one), round(one.expected_size, 2), round(one.largest(10), 1)
(30, 9.98, 29.3)
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache, lru_cache

import numpy as np

from synth.util import Floats, check

LEVEL = 0.95
"""Of intervals, unless something else is asked for."""
_SUMMED = 1 << 10
_NODES = 256
"""Up to this extent expectations are sums; beyond, integrals with so many nodes."""


class NoiseLaw(ABC):
    """The law of a symmetric whole number Z; equal laws are asked once."""

    @property
    @abstractmethod
    def error(self) -> float:
        """Most that a tail is above the exact one; it is never below. Infinite for a bound."""

    @property
    @abstractmethod
    def deviation(self) -> float:
        """The standard deviation of Z."""

    @property
    @abstractmethod
    def extent(self) -> float:
        """P(|Z| > extent) is at most ``error``, or 1e-10 for a bound."""

    @abstractmethod
    def tail(self, least: Floats) -> Floats:
        """P(|Z| >= least), shape of ``least``; between whole numbers a smooth curve."""

    @property
    def expected_size(self) -> float:
        """E |Z|, the sum of P(|Z| >= t) over t >= 1."""
        return sum_of_tails(self, 1)

    def log_densities(self, gaps: Floats) -> Floats:
        """Logarithms of about how likely noise of these sizes is, up to a number: a normal one's.

        Args:
            gaps: Sizes of the noise, any shape.
        """
        return np.asarray(gaps**2 / (-2 * self.deviation**2))

    def largest(self, coordinates: int) -> float:
        """The expected largest size of all coordinates: of so many independent ones."""
        return sum_of_tails(self, coordinates)


@lru_cache(maxsize=1024)
def reach(law: NoiseLaw, level: float = LEVEL) -> int:
    """The least whole t with P(|Z| <= t) >= level: half the width of an interval.

    Args:
        law: Of one noisy number.
        level: Above 0; at most 1 - 1e-7, beyond which bounds of error would tell.

    Raises:
        ArgumentError: The level is beyond that.
    """
    most = max(1, math.ceil(law.extent))
    return least_within(lambda t: float(law.tail(np.array([t + 1.0]))[0]), level, most)


def least_within(beyond: Callable[[int], float], level: float, high: int = 1) -> int:
    """Find the least whole number beyond which there is a chance of 1 - ``level`` at most.

    Args:
        beyond: The chance to be beyond a number from 0 up; it never rises.
        level: Above 0; at most 1 - 1e-7.
        high: Where to look first.

    Raises:
        ArgumentError: The level is beyond that.
    """
    check.in_range(0, 1 - 1e-7, level=level)
    low = -1
    while beyond(high) > 1 - level:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if beyond(middle) <= 1 - level else (middle, high)
    return high


def largest_normal(deviations: Floats) -> float:
    """The expected largest size of independent normal numbers, to a thousandth.

    Totals that share cells err together, which makes their largest smaller, if anything (Sidak).

    >>> round(largest_normal(np.ones(1)), 2), round(largest_normal(np.ones(10)), 2)
    (0.8, 1.88)
    """
    widest = float(deviations.max())
    if not widest:
        return 0.0
    kinds, many = np.unique(np.round(deviations / widest, 9), return_counts=True)
    step = 1 / 64
    t = step * (0.5 + np.arange(64 * 12))
    within = np.zeros(len(t))
    for kind, times in zip(kinds, many, strict=True):
        one = max(float(kind), 1e-9) * math.sqrt(2)
        beyond = np.array([math.erfc(x) for x in (t / one).tolist()])
        within += times * np.log1p(-np.minimum(beyond, 1 - 1e-16))
    return float(np.sum(-np.expm1(within)) * step) * widest


@lru_cache(maxsize=1024)
def sum_of_tails(law: NoiseLaw, coordinates: int) -> float:
    """Sum over t >= 1 of P(one of so many independent coordinates is t or more in size).

    Beyond 1,024 terms it is the integral from 1/2 up, by Gauss's rule, and the slope there over
    24 (Euler, Maclaurin): right to 1e-6 of the whole.
    """
    last = math.ceil(law.extent)
    if last <= _SUMMED:
        return float(_tail_of_any(law, np.arange(1.0, last + 1), coordinates).sum())
    places, weights = _rule()
    half = (last - 0.5) / 2
    first, second, third = _tail_of_any(law, np.array([1.0, 2.0, 3.0]), coordinates).tolist()
    integral = half * float(weights @ _tail_of_any(law, 0.5 + half * (1 + places), coordinates))
    return float(integral + (3 * second - 2 * first - third) / 24)


@cache
def _rule() -> tuple[Floats, Floats]:
    """Gauss's places and weights, which take longer to find than all else here."""
    places, weights = np.polynomial.legendre.leggauss(_NODES)
    return places, weights


def _tail_of_any(law: NoiseLaw, t: Floats, coordinates: int) -> Floats:
    chances = np.minimum(law.tail(t), 1 - 1e-16)
    return np.asarray(-np.expm1(coordinates * np.log1p(-chances)))
