"""The radius of K-norm noise, P(R) ~ (2R + 1)^d exp(-rate R), without a table as long as its reach.

By Worpitzky's identity of type B (Brenti 1994, Theorem 3.4 with q = 1)

    (2R + 1)^d = sum over k of B(d, k) C(R - k + d, d),

with the Eulerian numbers B(d, k) of type B, all positive. C(j + d, d) exp(-rate j) is, up to a
constant, the law of a sum of d + 1 geometric numbers. So R = K + G_0 + ... + G_d exactly, where
P(K = k) ~ B(d, k) exp(-rate k).

>>> eulerian(3)
(1, 23, 23, 1)
>>> bool((radius_numbers(Fraction(1, 4_096), 3, 5) >= 0).all())
True
"""

from fractions import Fraction
from functools import cache

import numpy as np

from synth.arrays import Ints
from synth.noise.laws import BASE, Digit, OneSided, Radius, Tilted
from synth.noise.sampler import sampler

LONGEST = 2_000
"""Up to this product of scale and dimension one table of the radius is quicker made."""
WIDEST = 200
"""Beyond this dimension the Eulerian numbers are too large to be quicker."""
_ONE_TABLE = 128
"""Largest scale of a geometric number that is drawn with one table."""


@cache
def eulerian(dimension: int) -> tuple[int, ...]:
    """The Eulerian numbers of type B: B(n, k) = (2k + 1) B(n-1, k) + (2n - 2k + 1) B(n-1, k-1)."""
    row = [1]
    for n in range(1, dimension + 1):
        left, right = [*row, 0], [0, *row]
        row = [(2 * k + 1) * left[k] + (2 * n - 2 * k + 1) * right[k] for k in range(n + 1)]
    return tuple(row)


def radius_numbers(rate: Fraction, dimension: int, size: int) -> Ints:
    """Independent radii, shape (size,)."""
    if dimension > rate * LONGEST and dimension <= WIDEST:
        offset = sampler(Tilted(rate, eulerian(dimension))).draw(size).astype(np.int64)
        parts = geometric_numbers(rate, size * (dimension + 1)).reshape(dimension + 1, size)
        return np.asarray(offset + parts.sum(axis=0))
    return sampler(Radius(rate, dimension)).draw(size).astype(np.int64)


def geometric_numbers(rate: Fraction, size: int) -> Ints:
    """Independent G with P(G) ~ exp(-rate G), large ones digit by digit; shape (size,)."""
    digits = 0
    while 1 / rate > _ONE_TABLE * BASE**digits:
        digits += 1
    found = sampler(OneSided(rate * BASE**digits)).draw(size).astype(np.int64)
    for place in reversed(range(digits)):
        found = found * BASE + sampler(Digit(rate * BASE**place)).draw(size)
    return found
