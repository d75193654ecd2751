"""Many coins at once, or one of many chances: floats first, integers where floats can't decide.

>>> rare = fall_right(coin_words(1_000), np.full(1_000, 2.0**-60), lambda _: Fraction(42))
>>> int(rare.sum())
0
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from synth.noise import bits
from synth.noise.laws import Coin
from synth.noise.sampler import invert
from synth.util import Floats, Mask

MARGIN = 2.0**-30
"""A float comparison closer than this is repeated in integers. The floats are right to 2^-40."""
FLOAT_BITS = 53
"""Bits of a word that a float holds."""
MAX_FLOAT_CANDIDATES = 1 << 20
"""Candidates up to which a sum of their weights in floats is right to 2^-32."""
UNLIKELY = 1_000
"""Exponents beyond this give the same float: exp(-1,000) is 0."""


def coin_words(size: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Draw words of 64 random bits, shape (size,). A coin uses the first 53."""
    return np.frombuffer(bits.bits(8 * size), np.uint64)


def fall_right(
    words: np.ndarray[tuple[int, ...], np.dtype[np.uint64]],
    chances: Floats,
    exponent: Callable[[int], Fraction],
) -> Mask:
    """Flip each coin: True with probability exactly exp(-exponent), shape of the words.

    Args:
        words: Uniform, 64 bits each. The first 53 count; fresh bits follow where they can't decide.
        chances: exp(-exponent) of every coin, right to 2^-40.
        exponent: Returns the exact exponent of a coin, given its place.
    """
    first = words >> np.uint64(64 - FLOAT_BITS)
    gap = first * 2.0**-FLOAT_BITS - chances
    right: Mask = gap < 0
    for i in np.flatnonzero(np.abs(gap) < MARGIN).tolist():
        right[i] = invert(Coin(exponent(i)), int(first[i]), FLOAT_BITS) == 0
    return right


def approximate(gaps: Sequence[int | Fraction], rate: Fraction) -> Floats:
    """Return exp(-rate gap) of every candidate in floats, right to 2^-50."""
    far = math.ceil(UNLIKELY / rate)
    known = gaps if max(gaps) <= far else [min(gap, far) for gap in gaps]
    return np.exp(-float(rate) * np.array(known, np.float64))


def look_up(word: int, weights: Floats, counts: Sequence[int] = ()) -> int | None:
    """Choose an index by a word of 64 bits, in proportion to the weights; None if unsure.

    Args:
        word: Uniform.
        weights: Right to 2^-50; the largest is 1.
        counts: How often each weight counts; once if you give none.
    """
    if len(weights) > MAX_FLOAT_CANDIDATES:
        return None
    sums = np.cumsum(weights * np.array(counts, np.float64) if counts else weights)
    share = (word >> (64 - FLOAT_BITS)) * 2.0**-FLOAT_BITS
    ends = np.array([share - MARGIN, share + MARGIN]) * sums[-1]
    low, high = np.searchsorted(sums, ends, side="right").tolist()
    return low if low == high < len(sums) else None
