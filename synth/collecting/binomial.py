"""The exact binomial law: tails, and intervals whose coverage is never too low. PUBLIC.

>>> round(binomial_upper_tail(8, 10, 0.5), 5), round(binomial_lower_tail(2, 10, 0.5), 5)
(0.05469, 0.05469)
>>> [round(end, 4) for end in clopper_pearson(3, 10)]
[0.0667, 0.6525]
"""

import math
from functools import lru_cache

from synth.util import bisect

MISS_CHANCE = 0.05
# Margin for errors of floats; probabilities are computed to a relative 1e-10.
SLACK = 1 - 1e-9
HALVINGS = 60


def binomial_chance(k: int, n: int, share: float) -> float:
    """Return P(Y = k) for n trials, to a few units of the last place (Loader 2000).

    >>> round(binomial_chance(3, 10, 0.5) * 1024, 9)
    120.0
    """
    if k in (0, n):
        return math.exp(n * (math.log1p(-share) if k == 0 else math.log(share)))
    off = _stirling(n) - _stirling(k) - _stirling(n - k)
    off -= _deviance(k, n * share) + _deviance(n - k, n * (1 - share))
    return math.exp(off) * math.sqrt(n / (2 * math.pi * k * (n - k)))


def binomial_upper_tail(k: int, n: int, share: float) -> float:
    """Return P(Y >= k) for n trials with 0 < share < 1."""
    if k <= 0 or k > n:
        return 1.0 if k <= 0 else 0.0
    if k > n * share:
        return binomial_chance(k, n, share) * (1 - share) * _fraction(k, n - k + 1, share)
    return 1 - binomial_lower_tail(k - 1, n, share)


def binomial_lower_tail(k: int, n: int, share: float) -> float:
    """Return P(Y <= k) for n trials with 0 < share < 1."""
    if k < 0 or k >= n:
        return 0.0 if k < 0 else 1.0
    if n - k > n * (1 - share):
        return binomial_chance(k, n, share) * share * _fraction(n - k, k + 1, 1 - share)
    return 1 - binomial_upper_tail(k + 1, n, share)


@lru_cache(maxsize=4096)
def clopper_pearson(k: int, n: int) -> tuple[float, float]:
    """Return the interval of the shares for which neither tail is below half of
    `MISS_CHANCE`.

    For k successes in n >= 1 trials it holds the share with probability at least 1 -
    MISS_CHANCE, for every share (Clopper, Pearson 1934)."""
    rare = MISS_CHANCE / 2 * SLACK
    low, high = 0.0, 1.0
    if k > 0:
        low = bisect(
            lambda x: binomial_upper_tail(k, n, x) < rare, 0.0, k / n, steps=HALVINGS
        )[0]
    if k < n:
        high = bisect(
            lambda x: binomial_lower_tail(k, n, x) >= rare, k / n, 1.0, steps=HALVINGS
        )[1]
    return low, high


def _fraction(a: int, b: int, x: float) -> float:
    # The continued fraction of the incomplete beta function for x < a / (a + b), by Lentz.
    # I_x(a, b) is x^a (1-x)^b / (a B(a, b)) times it (Abramowitz and Stegun 26.5.8).
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value, m = d, 0
    while True:
        m += 1
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / (1 + term * d), 1 + term / c
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            return value


def _stirling(n: int) -> float:
    if n < 16:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - math.log(2 * math.pi) / 2
    s = 1.0 / (n * n)
    series = 1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))
    return series / n


def _deviance(x: float, mean: float) -> float:
    # x ln(x / mean) + mean - x, without cancellation if they are close.
    if abs(x - mean) >= 0.1 * (x + mean):
        return x * math.log(x / mean) + mean - x
    v = (x - mean) / (x + mean)
    found, power, order = (x - mean) * v, 2 * x * v, 1
    while True:
        power *= v * v
        longer = found + power / (2 * order + 1)
        if longer == found:
            return found
        found, order = longer, order + 1
