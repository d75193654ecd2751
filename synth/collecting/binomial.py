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
    """Return the probability of exactly k successes in n trials, by Loader's method (2000).

    ``share`` is the probability of success in one trial, above 0 and below 1. The result is
    accurate to a few units of the last place.

    >>> round(binomial_chance(3, 10, 0.5) * 1024, 9)
    120.0
    """
    # The formula below would divide by 0 for these two counts.
    if k == 0:
        return math.exp(n * math.log1p(-share))
    if k == n:
        return math.exp(n * math.log(share))
    # Stirling's formula for the three factorials, corrected by the error of each.
    exponent = _stirling_error(n) - _stirling_error(k) - _stirling_error(n - k)
    exponent -= _deviance(k, n * share) + _deviance(n - k, n * (1 - share))
    return math.exp(exponent) * math.sqrt(n / (2 * math.pi * k * (n - k)))


def binomial_upper_tail(k: int, n: int, share: float) -> float:
    """Return the probability of at least k successes in n trials.

    ``share`` is the probability of success in one trial, above 0 and below 1.
    """
    if k <= 0:
        return 1.0
    if k > n:
        return 0.0
    # The tail is the incomplete beta function I_share(k, n - k + 1), see `_fraction`. Its
    # continued fraction converges fast beyond the mean; below it, use the other tail.
    if k > n * share:
        return binomial_chance(k, n, share) * (1 - share) * _fraction(k, n - k + 1, share)
    return 1 - binomial_lower_tail(k - 1, n, share)


def binomial_lower_tail(k: int, n: int, share: float) -> float:
    """Return the probability of at most k successes in n trials.

    ``share`` is the probability of success in one trial, above 0 and below 1.
    """
    if k < 0:
        return 0.0
    if k >= n:
        return 1.0
    # The same formula holds with successes and failures exchanged.
    if n - k > n * (1 - share):
        return binomial_chance(k, n, share) * share * _fraction(n - k, k + 1, 1 - share)
    return 1 - binomial_upper_tail(k + 1, n, share)


@lru_cache(maxsize=4096)
def clopper_pearson(k: int, n: int) -> tuple[float, float]:
    """Return the ends of the exact 95 % interval of a binomial share (Clopper, Pearson 1934).

    For k successes in n >= 1 trials it contains the true share with probability at least 1 -
    MISS_CHANCE, for every share. It has the shares at which neither tail is below half of
    MISS_CHANCE.
    """
    tail = MISS_CHANCE / 2 * SLACK  # slightly smaller, so the interval is never too short

    def is_too_low(share: float) -> bool:
        return binomial_upper_tail(k, n, share) < tail

    def is_not_too_high(share: float) -> bool:
        return binomial_lower_tail(k, n, share) >= tail

    # `bisect` encloses each end between two shares; the outer one is returned.
    low = 0.0 if k == 0 else bisect(is_too_low, 0.0, k / n, steps=HALVINGS)[0]
    high = 1.0 if k == n else bisect(is_not_too_high, k / n, 1.0, steps=HALVINGS)[1]
    return low, high


def _fraction(a: int, b: int, x: float) -> float:
    """Return the continued fraction of the incomplete beta function for x < a / (a + b).

    I_x(a, b) is x^a (1-x)^b / (a B(a, b)) times it (Abramowitz and Stegun 26.5.8). It is
    evaluated by the method of Lentz, in its names.
    """
    c = 1.0
    d = 1 / (1 - (a + b) * x / (a + 1))
    value = d
    m = 0
    while True:
        m += 1
        for term in (  # the coefficients of even and of odd order
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            value *= c * d
        if abs(c * d - 1) < 1e-15:  # the last factor changes no digit of a float
            return value


def _stirling_error(n: int) -> float:
    """Return ln n! minus Stirling's formula, (n + 1/2) ln n - n + ln(2 pi) / 2.

    From n = 16 on, five terms of its series, 1 / (12 n) - 1 / (360 n^3) + ..., are exact to
    the digits of a float. Below, the difference is computed directly.
    """
    if n < 16:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - math.log(2 * math.pi) / 2
    s = 1.0 / (n * n)
    series = 1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))
    return series / n


def _deviance(x: float, mean: float) -> float:
    """Return x ln(x / mean) + mean - x, without cancellation if they are close.

    With v = (x - mean) / (x + mean), it is (x - mean) v plus the sum of 2 x v^(2j+1) /
    (2j + 1) over j >= 1 (Loader 2000).
    """
    # Loader's limit: beyond it hardly anything cancels.
    if abs(x - mean) >= 0.1 * (x + mean):
        return x * math.log(x / mean) + mean - x
    v = (x - mean) / (x + mean)
    total = (x - mean) * v
    power = 2 * x * v  # in the loop 2 x v^(2j+1)
    order = 1  # j
    while True:
        power *= v * v
        longer_total = total + power / (2 * order + 1)
        if longer_total == total:  # the next term is below the precision of a float
            return total
        total = longer_total
        order += 1
