"""The last digit of a large geometric number: nearly uniform, so it needs no table.

>>> remainder = Remainder(rate=Fraction(1, 10**6), width=512)
>>> bool((remainder.draw(1_000) < 512).all())
True
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from synth.noise import bits
from synth.noise.coins import flip_exponential_coins
from synth.noise.sampler import Scratch

# Largest scale, in widths, of numbers whose last digit is drawn so: the number without that
# digit is a top and one digit in base 256, which two small tables draw.
MAX_SCALE = 2_048


def remainder_width(scale: Fraction) -> int:
    """Return how many values the last digit of noise of a scale has: a power of two.

    It is 1, which is no digit, up to `MAX_SCALE`. Beyond, the scale is more than half of
    `MAX_SCALE` times the width, and at most all of it.

    >>> remainder_width(Fraction(2_048)), remainder_width(Fraction(10**6))
    (1, 512)
    """
    return 1 << max(0, -(-scale // MAX_SCALE) - 1).bit_length()


@dataclass(frozen=True)
class Remainder:
    """P(u) ~ exp(-rate u) for 0 <= u < width.

    A uniform place u is proposed, and accepted with probability exp(-rate u), by a coin of
    its own. So u comes out with a probability in proportion to exp(-rate u), exactly. What is
    rejected is proposed anew.

    Attributes:
        rate: 1 / scale of the noise.
        width: A power of two, so that the lowest bits of a random word are a uniform place.
            It is at most scale / 1,000, so that nearly all places are accepted.
    """

    rate: Fraction
    width: int

    @property
    def word_type(self) -> np.dtype[np.signedinteger]:
        """The smallest signed integer in which a place is a number from 0 up."""
        nbits = self.width.bit_length()  # a place and the sign
        if nbits <= 16:
            return np.dtype(np.int16)
        return np.dtype(np.int32 if nbits <= 32 else np.int64)

    @cached_property
    def sure_coin(self) -> int:
        """A number of 16 bits: a coin below it accepts every place.

        The least probability of acceptance is that of u = width - 1. It is exp(-x) >= 1 - x
        with x = rate (width - 1). So a coin, uniform on 16 bits, that is below (1 - x) 2^16
        accepts whatever u is.
        """
        largest_exponent = self.rate * (self.width - 1)
        return max(0, int((1 - largest_exponent) * 2**16))

    def draw(self, size: int, scratch: Scratch | None = None) -> NDArray[np.signedinteger]:
        """Return independent values, shape (size,).

        Args:
            size: How many.
            scratch: Memory to use; the result is in it, and lasts until it is used again.
        """
        scratch = scratch or Scratch()
        word_type = self.word_type
        words = np.frombuffer(bits.bits(word_type.itemsize * size), word_type)
        places: NDArray[np.signedinteger] = scratch.take("places", size, word_type)
        np.bitwise_and(words, word_type.type(self.width - 1), out=places)
        coins = np.frombuffer(bits.bits(2 * size), np.uint16)
        is_close = scratch.take("close", size, np.dtype(np.bool_))
        (close,) = np.greater_equal(coins, self.sure_coin, out=is_close).nonzero()
        if close.size:
            further_bits = np.frombuffer(bits.bits(8 * close.size), np.uint64)
            longer = coins[close].astype(np.uint64) << np.uint64(48)
            longer |= further_bits >> np.uint64(16)
            rejected = close[~self.accept(places[close], longer)]
            if rejected.size:
                places[rejected] = self.draw(rejected.size)
        return places

    def accept(
        self, places: NDArray[np.signedinteger], coins: NDArray[np.uint64]
    ) -> NDArray[np.bool_]:
        """Return which places their coins accept: each with probability exp(-rate u).

        Args:
            places: The proposed places, shape (k,).
            coins: Uniform 64-bit words, shape (k,).
        """
        chances = np.exp(-float(self.rate) * places.astype(np.float64))
        return flip_exponential_coins(coins, chances, lambda i: self.rate * int(places[i]))
