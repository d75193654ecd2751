"""The law of the discrete Laplace mechanism in floats: to describe noise, never to draw it.

With q = exp(-1/scale) the noise is z with probability (1 - q) / (1 + q) q^|z| (Ghosh,
Roughgarden, Sundararajan 2012). Forecasts, repairs and pictures ask here; what is drawn comes
from `synth.noise.laws`, exactly.

>>> round(variance(2.0), 4), round(mean_absolute(2.0), 4)
(7.8354, 1.919)
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.util.arrays import Floats


def ratio(scale: float | Fraction) -> float:
    """q, the ratio of the chances of neighbouring values.

    Args:
        scale: Of the noise, in rows.
    """
    return math.exp(-1 / scale)


def chance(values: NDArray[Any], scale: float | Fraction) -> Floats:
    """P(Z = value), shape of the values, which are whole numbers."""
    q = ratio(scale)
    return np.asarray((1 - q) / (1 + q) * q ** np.abs(values))


def variance(scale: float | Fraction) -> float:
    """2 q / (1 - q)^2, about 2 scale^2."""
    rate = 1 / float(scale)
    return 2 * math.exp(-rate) / math.expm1(-rate) ** 2


def mean_absolute(scale: float | Fraction) -> float:
    """E |Z| = 2 q / (1 - q^2), about the scale."""
    rate = 1 / float(scale)
    return -2 * math.exp(-rate) / math.expm1(-2 * rate)


def upper_tail(offsets: Floats, scale: float) -> Floats:
    """P(Z >= offset), shape of the offsets, which are whole numbers."""
    q = np.exp(-1 / scale)
    far = np.exp(-np.maximum(offsets, 1) / scale) / (1 + q)
    near = 1 - np.exp(-np.maximum(1 - offsets, 1) / scale) / (1 + q)
    return np.asarray(np.where(offsets >= 1, far, near))


def two_sided_tail(least: int, scale: float | Fraction) -> float:
    """P(|Z| >= least) = 2 q^least / (1 + q), for a whole number of at least 1."""
    rate = 1 / float(scale)
    return 2 * math.exp(-rate * least) / (1 + math.exp(-rate))


def noise_reach(scale: float, share: float) -> int:
    """Smallest r with P(abs(noise) <= r) >= share, for discrete Laplace noise.

    >>> noise_reach(2, 0.95)
    6
    """
    q = ratio(scale)
    # P(|Z| > r) = 2 q^(r+1) / (1 + q)
    outside = (1 - share) * (1 + q) / 2
    return max(0, math.ceil(math.log(outside) / math.log(q) - 1 - 1e-12))


def positive_part(excess: Floats, scale: float) -> tuple[Floats, Floats]:
    """E max(0, excess + Z) and E max(0, excess + Z)^2, each of the shape of the excess.

    With y >= 0, j the least whole number above y, a = j - y,

        E max(0, Z - y)   = (1-q)/(1+q) q^j (a/(1-q) + q/(1-q)^2)
        E max(0, Z - y)^2 = (1-q)/(1+q) q^j (a^2/(1-q) + 2aq/(1-q)^2 + q(1+q)/(1-q)^3)

    by summing the geometric series; the other side follows from the symmetry of Z.

    >>> mean, square = positive_part(np.array([0.0]), 1.0)
    >>> round(2 * float(mean[0]), 4)  # the mean size of the noise
    0.8509
    """
    q = ratio(scale)
    distance = np.abs(excess)
    first = np.floor(distance) + 1
    a, weight = first - distance, (1 - q) / (1 + q) * q**first
    mean = weight * (a / (1 - q) + q / (1 - q) ** 2)
    square = weight * (a**2 / (1 - q) + 2 * a * q / (1 - q) ** 2 + q * (1 + q) / (1 - q) ** 3)
    above = excess > 0
    return (
        np.where(above, excess + mean, mean),
        np.where(above, excess**2 + variance(scale) - square, square),
    )


def chance_above(excess: Floats, scale: float) -> Floats:
    """P(excess + Z > 0), shape of the excess."""
    q = ratio(scale)
    beyond = q ** (np.floor(np.abs(excess)) + 1) / (1 + q)
    return np.where(excess > 0, 1 - q ** np.ceil(np.abs(excess)) / (1 + q), beyond)
