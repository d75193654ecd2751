"""Laws of one noisy number: half widths and average errors, from public numbers. PUBLIC.

Units are steps of the noise: rows for a count, grid steps for a sum. A law describes a
symmetric whole number Z by its tails. Floats and bounds err upwards, so no half width is too
small.

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
_MAX_SUMMED_EXTENT = 1 << 10
# Up to this extent expectations are sums; beyond, integrals with this many nodes.
_NODES = 256


class NoiseLaw(ABC):
    """The law of a symmetric whole number Z. Equal laws share one cache entry."""

    @property
    @abstractmethod
    def error(self) -> float:
        """Largest excess of a tail over the exact one, infinite for a bound. Tails are never
        too small."""

    @property
    @abstractmethod
    def deviation(self) -> float:
        """Standard deviation of Z."""

    @property
    @abstractmethod
    def extent(self) -> float:
        """P(|Z| > extent) is at most ``error``, or 1e-10 for a bound."""

    @abstractmethod
    def tail(self, least: Floats) -> Floats:
        """Return P(|Z| >= least), shape of ``least``; a smooth curve between whole
        numbers.
        """

    @property
    def expected_size(self) -> float:
        """E |Z|, the sum of P(|Z| >= t) over t >= 1."""
        return sum_of_tails(self, 1)

    def log_densities(self, gaps: Floats) -> Floats:
        """Return the logarithm of the density at each noise in ``gaps``, up to a constant.

        It is that of a normal law, unless a law overrides it.
        """
        return np.asarray(gaps**2 / (-2 * self.deviation**2))

    def largest(self, coordinates: int) -> float:
        """Return the expected largest size of this many independent coordinates."""
        return sum_of_tails(self, coordinates)


@lru_cache(maxsize=1024)
def reach(law: NoiseLaw, level: float = LEVEL) -> int:
    """Return the least whole t with P(|Z| <= t) >= level: half the width of an interval.

    Z is noise of this law.

    Raises:
        ArgumentError: The level is not above 0, or above 1 - 1e-7, as errors of floats would
            count.
    """
    first_guess = max(1, math.ceil(law.extent))
    return least_within(lambda t: float(law.tail(np.array([t + 1.0]))[0]), level, first_guess)


def least_within(beyond: Callable[[int], float], level: float, high: int = 1) -> int:
    """Return the least whole number that is exceeded with probability at most 1 - ``level``.

    Args:
        beyond: Returns the probability of exceeding a whole number from 0 up. It must not
            rise from one number to the next.
        level: A probability.
        high: The number that is tried first, at least 1.

    Raises:
        ArgumentError: The level is not above 0, or above 1 - 1e-7.
    """
    check.in_range(0, 1 - 1e-7, level=level)
    low = -1  # below every answer
    while beyond(high) > 1 - level:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if beyond(middle) <= 1 - level:
            high = middle
        else:
            low = middle
    return high


def largest_normal(deviations: Floats) -> float:
    """Return the expected largest absolute value of independent normal numbers.

    ``deviations`` are their standard deviations, shape (numbers,); the result is right to a
    thousandth. Correlated numbers have no larger one (Sidak).

    >>> round(largest_normal(np.ones(1)), 2), round(largest_normal(np.ones(10)), 2)
    (0.8, 1.88)
    """
    widest = float(deviations.max())
    if not widest:
        return 0.0
    sizes, repeats = np.unique(np.round(deviations / widest, 9), return_counts=True)
    # The expected value is the integral of P(largest > t) over t > 0, by the midpoint rule up
    # to 12 of the widest deviations.
    step = 1 / 64
    t = step * (0.5 + np.arange(64 * 12))
    log_within = np.zeros(len(t))
    for size, repeat in zip(sizes, repeats, strict=True):
        width = max(float(size), 1e-9) * math.sqrt(2)  # never 0, by which t is divided
        beyond = np.array([math.erfc(x) for x in (t / width).tolist()])
        # The minimum keeps the logarithm finite.
        log_within += repeat * np.log1p(-np.minimum(beyond, 1 - 1e-16))
    return float(np.sum(-np.expm1(log_within)) * step) * widest


@lru_cache(maxsize=1024)
def sum_of_tails(law: NoiseLaw, coordinates: int) -> float:
    """Return the expected largest absolute value of independent numbers of a law.

    It is the sum over t >= 1 of the probability that any of ``coordinates`` numbers has a
    size of t or more.
    """
    # Beyond 1,024 terms it is the integral from 1/2 up, by Gauss's rule, and the slope there
    # over 24 (Euler, Maclaurin): right to 1e-6. The slope is extrapolated from the values at
    # 1, 2 and 3.
    last = math.ceil(law.extent)
    if last <= _MAX_SUMMED_EXTENT:
        return float(_tail_of_any(law, np.arange(1.0, last + 1), coordinates).sum())
    places, weights = _rule()
    half = (last - 0.5) / 2
    first, second, third = _tail_of_any(law, np.array([1.0, 2.0, 3.0]), coordinates).tolist()
    integral = half * float(
        weights @ _tail_of_any(law, 0.5 + half * (1 + places), coordinates)
    )
    return float(integral + (3 * second - 2 * first - third) / 24)


@cache
def _rule() -> tuple[Floats, Floats]:
    # Cached: this takes most of the time.
    places, weights = np.polynomial.legendre.leggauss(_NODES)
    return places, weights


def _tail_of_any(law: NoiseLaw, t: Floats, coordinates: int) -> Floats:
    """Return P(any of some independent numbers of a law has a size of t or more), shape of t.

    That is 1 - (1 - p)^coordinates, with p the probability for one number.
    """
    chances = np.minimum(law.tail(t), 1 - 1e-16)  # so that the logarithm is finite
    return np.asarray(-np.expm1(coordinates * np.log1p(-chances)))
