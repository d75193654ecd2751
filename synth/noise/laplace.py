"""The discrete Laplace mechanism, exact at any scale.

>>> mechanism = DiscreteLaplace.for_epsilon(Fraction(1, 2), sensitivity=2)
>>> mechanism.scale, str(mechanism.guarantee(2))
(Fraction(4, 1), 'epsilon = 1/2')
>>> mechanism.release(np.array([10, 0, 3])).dtype
dtype('int64')
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.noise.floats.laplace import LaplaceLaw
from synth.noise.laws import BASE, Digit, RatioCoin, TwoSided, count_digits
from synth.noise.mechanism import CellNoise, check_scale, exact, integers
from synth.noise.sampler import Chunks, Scratch, sampler
from synth.privacy import Guarantee, Sensitivity

if TYPE_CHECKING:
    from synth.noise.remainders import Remainder

# So few values are drawn in digits of base 256 alone, whatever the scale.
MOST_FEW = 1 << 12
# Types of noise, the smallest one first.
_SIGNED: tuple[np.dtype[np.signedinteger], ...] = (
    np.dtype(np.int16),
    np.dtype(np.int32),
    np.dtype(np.int64),
)


@dataclass(frozen=True)
class DiscreteLaplace(CellNoise):
    """Noise with P(z) = (1 - q) / (1 + q) q^|z|, q = exp(-1/scale).

    On integer vectors of L1 sensitivity D it gives pure (D/scale)-differential privacy
    (Ghosh, Roughgarden, Sundararajan 2012).

    Attributes:
        scale: The scale, in steps; the noise's deviation is about sqrt(2) times as much.

    Raises:
        ArgumentError: ``scale`` is not an exact rational within the limits.
    """

    scale: Fraction

    law: ClassVar[str] = "discrete Laplace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", exact(scale=self.scale))
        check_scale(self.scale)

    @classmethod
    def for_epsilon(cls, epsilon: Fraction | int, *, sensitivity: Fraction | int) -> Self:
        """Return the mechanism that gives epsilon for an L1 sensitivity."""
        return cls(exact(sensitivity=sensitivity) / exact(epsilon=epsilon))

    def guarantee(self, sensitivity: Fraction | int) -> Guarantee:
        """Return the exact pure guarantee for an L1 sensitivity."""
        return Guarantee.pure(exact(sensitivity=sensitivity) / self.scale)

    @property
    def laplace_scale(self) -> Fraction:
        """The scale of the noise."""
        return self.scale

    @property
    def number_law(self) -> LaplaceLaw:
        """Law of the noise on one number, in floats."""
        return LaplaceLaw(self.scale)

    def price(self, moves: Sensitivity, _claim: Guarantee | None = None) -> Guarantee:
        """Return the pure guarantee, by the L1 norm."""
        return self.guarantee(moves.l1)

    def chunks(self, size: int) -> Chunks:
        """Yield ``size`` noise values in pieces, as pairs of a piece's start and its values.

        A piece may be overwritten by the next one. If the scale is too large for one table,
        values are drawn digit by digit: a top with the sign, digits in base 256, and for many
        values of the largest scales one nearly uniform `Remainder` in the place of the lowest
        digits. They are independent. For negative values the lower digits are complemented to
        the largest digit, so that -1 - z has the digits as they are drawn.
        """
        rate = 1 / self.scale
        remainder = self._find_remainder() if size > MOST_FEW else None
        width = remainder.width if remainder else 1
        digits = count_digits(self.scale / width)
        top = sampler(TwoSided(rate, digits, width)).chunks(size)
        if not digits:
            yield from top
            return
        lower = [
            sampler(Digit(rate * width * BASE**place)).chunks(size) for place in range(digits)
        ]
        scratch = Scratch()
        # All samplers yield pieces of the same sizes, so that the digits go together.
        for start, high in top:
            flip = scratch.take("signs", high.size, high.dtype)
            np.right_shift(high, 8 * high.itemsize - 1, out=flip)  # -1 where negative, else 0
            noise = np.bitwise_xor(
                high, flip, out=scratch.take("tops", high.size, high.dtype)
            )
            for place in reversed(lower):
                noise = _append_bits(noise, next(place)[1], 8, scratch=scratch)
            if remainder:
                last = remainder.draw(noise.size, scratch)
                noise = _append_bits(noise, last, width.bit_length() - 1, scratch=scratch)
            # z = -1 - y of negative values has the same bits as y, all flipped.
            yield start, np.bitwise_xor(noise, flip, out=noise)

    def _find_remainder(self) -> "Remainder | None":
        """Return the law of the lowest digit of many values; None if the scale needs none."""
        from synth.noise.remainders import Remainder, remainder_width  # for many values only

        width = remainder_width(self.scale)
        return Remainder(1 / self.scale, width) if width > 1 else None

    def reduce_noise(
        self, values: NDArray[np.int64], noisy: NDArray[np.int64], before: Fraction
    ) -> NDArray[np.int64]:
        """Return the values plus this noise, so that an older, noisier answer adds nothing.

        Noise of the larger scale ``before`` is distributed as this noise plus an independent
        number. This method draws this noise given the older noise, so that both have their
        joint law: docs/proofs/noise-reduction.md. Source: gradual release, Koufogiannis, Han,
        Pappas 2015, for integers.

        Args:
            values: The exact values, shape (k,).
            noisy: The older answer: the same values plus noise of the larger scale, (k,).
            before: The scale of the older noise, larger than this one's.
        """
        from synth.noise.radius import geometric_numbers  # for a second measurement only

        # Up to its sign, the new noise is X - Y below n, the size of the earlier noise, and
        # n + K Y' from there on. X, Y and Y' are geometric with ratios exp(-slow), exp(-fast)
        # and exp(-fast). K is a coin with probability (1 - exp(-slow)) / (1 - exp(-fast)).
        exact_values = integers(values)
        size = exact_values.size
        earlier_noise = noisy - exact_values
        slow = 1 / self.scale - 1 / before
        fast = 1 / self.scale + 1 / before
        # All are drawn for every value, so time does not depend on the values.
        inside = geometric_numbers(slow, size) - geometric_numbers(fast, size)
        beyond = sampler(RatioCoin(slow, fast)).draw(size) * geometric_numbers(fast, size)
        distance = np.abs(earlier_noise)
        noise = np.where(inside < distance, inside, distance + beyond)
        return np.asarray(exact_values + np.where(earlier_noise < 0, -noise, noise))


def _append_bits(
    values: NDArray[np.signedinteger],
    digits: NDArray[np.integer],
    nbits: int,
    *,
    scratch: Scratch,
) -> NDArray[np.signedinteger]:
    """Return numbers from 0 up with a further digit of some bits, shape (k,).

    Args:
        values: The numbers, shape (k,).
        digits: The digits to append, shape (k,).
        nbits: How many bits a digit has.
        scratch: Memory for the result.
    """
    needed = int(values.max(initial=0)).bit_length() + nbits + 1  # one for the sign
    kind = next(kind for kind in _SIGNED if needed <= 8 * kind.itemsize)
    longer: NDArray[np.signedinteger] = scratch.take("noise", values.size, kind)
    np.left_shift(values, nbits, out=longer, dtype=kind, casting="same_kind")
    np.bitwise_or(longer, digits, out=longer, casting="same_kind")
    return longer
