"""Many coins at once, or one of many chances: floats first, integers where floats can't
decide.

>>> rare = flip_exponential_coins(
...     coin_words(1_000), np.full(1_000, 2.0**-60), lambda _: Fraction(42)
... )
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

# A float comparison closer than this is repeated in integers; floats are right to 2^-40.
MARGIN = 2.0**-30
FLOAT_BITS = 53
# Up to this many candidates, float sums of weights are right to 2^-32.
MAX_FLOAT_CANDIDATES = 1 << 20
# exp(-1,000) is 0 in floats.
UNLIKELY = 1_000


def coin_words(size: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Draw uniform 64-bit words, shape (size,). A coin uses the first 53 bits of one."""
    return np.frombuffer(bits.bits(8 * size), np.uint64)


def flip_exponential_coins(
    words: np.ndarray[tuple[int, ...], np.dtype[np.uint64]],
    chances: Floats,
    exponent: Callable[[int], Fraction],
) -> Mask:
    """Flip coins, each True with probability exactly exp(-exponent), shape (coins,).

    Floats decide almost all of them. Where a float comparison is too close, the coin is
    decided by integers.

    Args:
        words: Uniform 64-bit words, shape (coins,). Fresh bits follow if the first 53 can't
            decide.
        chances: exp(-exponent) of each coin in floats, right to 2^-40, shape (coins,).
        exponent: Returns the exact exponent of the coin at an index.
    """
    first_bits = words >> np.uint64(64 - FLOAT_BITS)
    uniform = first_bits * 2.0**-FLOAT_BITS  # in [0, 1)
    gap = uniform - chances
    results: Mask = gap < 0
    for i in np.flatnonzero(np.abs(gap) < MARGIN).tolist():
        # The law `Coin` is 0 with exactly this probability, given the bits drawn so far.
        results[i] = invert(Coin(exponent(i)), int(first_bits[i]), FLOAT_BITS) == 0
    return results


def approximate_exponentials(gaps: Sequence[int | Fraction], rate: Fraction) -> Floats:
    """Return exp(-rate gap) in floats, right to 2^-50, shape (gaps,).

    ``gaps`` are exact numbers from 0 up, ``rate`` is above 0. Gaps so large that the result
    is 0 in floats are cut short, as they may be too large for a float.
    """
    largest_gap = math.ceil(UNLIKELY / rate)
    is_capped = max(gaps) > largest_gap
    capped_gaps = [min(gap, largest_gap) for gap in gaps] if is_capped else gaps
    return np.exp(-float(rate) * np.array(capped_gaps, np.float64))


def choose_by_approximation(
    word: int, weights: Floats, counts: Sequence[int] = ()
) -> int | None:
    """Choose an index in proportion to the weights, by inversion; None if unsure.

    Args:
        word: A uniform 64-bit word, which decides the choice.
        weights: The weight of each index in floats, right to 2^-50; the largest is 1.
        counts: How many times each weight counts; by default once.

    Returns:
        The index; None if floats are not precise enough to decide it.
    """
    if len(weights) > MAX_FLOAT_CANDIDATES:  # float sums of so many are not precise enough
        return None
    sums = np.cumsum(weights * np.array(counts, np.float64) if counts else weights)
    share = (word >> (64 - FLOAT_BITS)) * 2.0**-FLOAT_BITS
    # The choice is sure if both ends of the margin around the word give the same index.
    ends = np.array([share - MARGIN, share + MARGIN]) * sums[-1]
    low, high = np.searchsorted(sums, ends, side="right").tolist()
    return low if low == high < len(sums) else None
