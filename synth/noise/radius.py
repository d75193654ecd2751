"""The radius of K-norm noise, P(R) ~ (2R + 1)^d exp(-rate R), without a table as long as its
reach.

Exact, by Worpitzky's identity of type B (Brenti 1994, Theorem 3.4 with q = 1), or by
rejection in many dimensions.

>>> eulerian(3)
(1, 23, 23, 1)
>>> bool((radius_numbers(Fraction(1, 4_096), 3, 5) >= 0).all())
True
"""
# The identity is (2R + 1)^d = sum over k of B(d, k) C(R - k + d, d), with the Eulerian
# numbers B(d, k) of type B, all positive. C(j + d, d) exp(-rate j) is, up to a constant, the
# law of a sum of d + 1 geometric numbers. So R = K + G_0 + ... + G_d exactly, with P(K = k) ~
# B(d, k) exp(-rate k). In many dimensions B(d, k) gets too large. There R is G_0 + ... + G_d
# itself, whose chances go with C(R + d, d) exp(-rate R). It is kept with a chance of (2R +
# 1)^d / (d! 2^d C(R + d, d)) = product over i = 1, ..., d of (2R + 1) / (2R + 2i), which is
# about exp(-rate d / 2).

import math
from fractions import Fraction
from functools import cache

import numpy as np

from synth.noise import bits
from synth.noise.laws import BASE, Digit, OneSided, Radius, Tilted, count_digits
from synth.noise.sampler import sampler
from synth.util import Ints

# Largest product of scale and dimension for which one table of the radius is faster.
MAX_TABLE_PRODUCT = 2_000
# Largest dimension for which the Eulerian numbers are small enough to be faster.
MAX_EULER_DIMENSION = 200
# Largest product of rate and dimension at which at least one sum in fifty is kept.
MAX_REJECTED_RATE = 8


@cache
def eulerian(dimension: int) -> tuple[int, ...]:
    """Return the Eulerian numbers of type B, B(dimension, k) for k = 0, ..., dimension.

    B(n, k) = (2k + 1) B(n-1, k) + (2n - 2k + 1) B(n-1, k-1).
    """
    row = [1]
    for n in range(1, dimension + 1):
        same = [*row, 0]  # B(n-1, k), for k = 0, ..., n
        before = [0, *row]  # B(n-1, k-1)
        row = [(2 * k + 1) * same[k] + (2 * n - 2 * k + 1) * before[k] for k in range(n + 1)]
    return tuple(row)


def radius_numbers(rate: Fraction, dimension: int, size: int) -> Ints:
    """Draw independent radii R with P(R) ~ (2R + 1)^dimension exp(-rate R), shape (size,).

    There are three exact ways: sums of geometric numbers with an offset, such sums with
    rejection, and a table of all radii. The quickest one is taken.
    """
    # By Worpitzky's identity of type B, the offset K has P(K = k) ~ B(dimension, k) exp(-rate
    # k), with the numbers B of `eulerian`.
    if dimension > MAX_EULER_DIMENSION and is_quick(dimension, 1 / rate):
        return _reject_radii(rate, dimension, size)
    if dimension > rate * MAX_TABLE_PRODUCT and dimension <= MAX_EULER_DIMENSION:
        offset = sampler(Tilted(rate, eulerian(dimension))).draw(size).astype(np.int64)
        return np.asarray(offset + _sums(rate, dimension, size))
    return sampler(Radius(rate, dimension)).draw(size).astype(np.int64)


def is_quick(dimension: int, scale: Fraction) -> bool:
    """Return whether radii of K-norm noise need only a short table, or none.

    ``dimension`` is that of the noise, ``scale`` its scale.

    >>> is_quick(200, Fraction(1)), is_quick(900, Fraction(800)), is_quick(900, Fraction(80))
    (True, True, False)
    """
    return dimension <= MAX_EULER_DIMENSION or dimension <= MAX_REJECTED_RATE * scale


def _sums(rate: Fraction, dimension: int, size: int) -> Ints:
    """Draw sums of dimension + 1 independent geometric numbers, shape (size,)."""
    parts = geometric_numbers(rate, size * (dimension + 1)).reshape(dimension + 1, size)
    return np.asarray(parts.sum(axis=0))


def _reject_radii(rate: Fraction, dimension: int, size: int) -> Ints:
    """Draw radii by rejection from sums of geometric numbers, shape (size,).

    Such a sum R has P(R) ~ C(R + dimension, dimension) exp(-rate R).
    """
    radii: list[int] = []
    while len(radii) < size:
        sums = _sums(rate, dimension, size - len(radii)).tolist()
        radii += [radius for radius in sums if _is_kept(radius, dimension)]
    return np.array(radii, dtype=np.int64)


def _is_kept(radius: int, dimension: int) -> bool:
    """Draw whether a proposed radius R is kept.

    The probability is the product over i = 1, ..., dimension of (2R + 1) / (2R + 2i). Whole
    numbers decide it exactly.
    """
    odd = 2 * radius + 1
    denominator = math.prod(range(odd + 1, odd + 2 * dimension, 2))
    return _draw_below(denominator) < int(odd**dimension)


def _draw_below(bound: int) -> int:
    """Return a uniform number from 0 to bound - 1, by rejection of words of as many bits."""
    length = bound.bit_length()
    while True:
        word = int.from_bytes(bits.bits(-(-length // 8)), "big") >> (-length % 8)
        if word < bound:
            return word


def geometric_numbers(rate: Fraction, size: int) -> Ints:
    """Draw independent geometric numbers G >= 0, P(G) ~ exp(-rate G), shape (size,).

    Large ones are drawn digit by digit in base 256: the digits of a geometric number are
    independent.
    """
    digits = count_digits(1 / rate)
    numbers = sampler(OneSided(rate * BASE**digits)).draw(size).astype(np.int64)
    for place in reversed(range(digits)):
        numbers = numbers * BASE + sampler(Digit(rate * BASE**place)).draw(size)
    return numbers
