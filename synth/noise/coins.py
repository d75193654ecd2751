"""Many coins at once: floats where they decide, integers where the call is close.

>>> rare = fall_right(coin_words(1_000), np.full(1_000, 2.0**-60), lambda _: Fraction(42))
>>> int(rare.sum())
0
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from synth.arrays import Floats, Mask
from synth.noise import bits
from synth.noise.laws import Coin
from synth.noise.sampler import invert

MARGIN = 2.0**-30
"""A float comparison closer than this is repeated in integers. The floats are right to 2^-40."""
WORD = 53
"""Bits of a word that a float holds."""


def coin_words(size: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Fresh words of 64 bits, of which a coin uses the first 53, shape (size,)."""
    return np.frombuffer(bits.bits(8 * size), np.uint64)


def fall_right(
    words: np.ndarray[tuple[int, ...], np.dtype[np.uint64]],
    chances: Floats,
    exponent: Callable[[int], Fraction],
) -> Mask:
    """Whether each coin falls right: exactly with probability exp(-exponent), shape of the words.

    Args:
        words: Uniform, 64 bits each; the first 53 count, and fresh ones follow where they leave
            it open.
        chances: exp(-exponent) of every coin, right to 2^-40.
        exponent: That of a coin by its place, exact.
    """
    first = words >> np.uint64(64 - WORD)
    gap = first * 2.0**-WORD - chances
    right: Mask = gap < 0
    for i in np.flatnonzero(np.abs(gap) < MARGIN).tolist():
        right[i] = invert(Coin(exponent(i)), int(first[i]), WORD) == 0
    return right
