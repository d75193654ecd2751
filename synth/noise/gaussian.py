"""The discrete Gaussian mechanism, exact at any scale.

>>> mechanism = DiscreteGaussian.for_rho(Fraction(1, 8), sensitivity2=2)
>>> mechanism.sigma2, str(mechanism.guarantee(2))
(Fraction(8, 1), 'rho = 1/8 (zCDP)')
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from struct import calcsize
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from synth.noise import bits
from synth.noise.coins import fall_right
from synth.noise.floats.gaussian import GaussianLaw
from synth.noise.laws import Gaussian
from synth.noise.mechanism import SMALL_ARRAY, CellNoise, check_deviation, exact
from synth.noise.sampler import CHUNK, Chunks, Sampler, sampler
from synth.privacy import (
    Guarantee,
    Sensitivity,
    analytic_sigma,
    noise_price,
    quiet_enough,
    zcdp_rho,
)
from synth.util import check

# Largest sigma that one table draws; above, z is split into block and offset.
TABLE_SIGMA = 128
# Largest width of a block whose 16-bit numbers fit 32 bits.
_NARROW = 1 << 15
# Largest width of a block that 31 bits of a word cover.
_HALF = 1 << 31
# Blocks with a list of words that are surely accepted; later blocks start at 16 sigma.
_BLOCKS = 1 << 11
_MAX_SUMMED_SIGMA = 1 << 16


@dataclass(frozen=True)
class DiscreteGaussian(CellNoise):
    """Noise with P(z) ~ exp(-z^2 / (2 sigma2)).

    On integer vectors of squared L2 sensitivity D2 it gives (D2 / (2 sigma2))-zCDP, in any
    dimension (Canonne, Kamath, Steinke 2020, Theorem 14).

    Attributes:
        sigma2: The variance of the continuous law, in squared steps.

    Raises:
        ArgumentError: ``sigma2`` is not an exact rational within the limits.
    """

    sigma2: Fraction

    law: ClassVar[str] = "discrete Gaussian"

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma2", exact(sigma2=self.sigma2))
        check_deviation(self.sigma2)

    @classmethod
    def for_rho(cls, rho: Fraction | int, *, sensitivity2: Fraction | int) -> Self:
        """Return the mechanism that gives rho-zCDP for a squared L2 sensitivity."""
        return cls(exact(sensitivity2=sensitivity2) / (2 * exact(rho=rho)))

    @classmethod
    def for_gaussian(cls, rho: Fraction | int, *, sensitivity2: Fraction | int) -> Self:
        """Return the mechanism that gives mu-Gaussian DP, mu^2 = 2 rho, for a squared L2
        sensitivity.

        >>> DiscreteGaussian.for_gaussian(Fraction(1, 8), sensitivity2=2)
        DiscreteGaussian(sigma2=Fraction(89, 11))
        """
        return cls(quiet_enough(exact(rho=rho), exact(sensitivity2=sensitivity2)))

    @classmethod
    def for_delta(cls, epsilon: Fraction | int, delta: Fraction, *, sensitivity: int) -> Self:
        """Return the mechanism that gives (epsilon, delta) for one integer of this
        sensitivity.

        The sigma of the continuous theorem is raised until the exact discrete delta is at
        most delta. If sigma is too large to sum over, zCDP's sigma is used."""
        check.check_whole(1, sensitivity=sensitivity)
        e = float(exact(epsilon=epsilon))
        d = float(exact(delta=delta))
        sigma = analytic_sigma(e, d, sensitivity=sensitivity)
        if sigma > _MAX_SUMMED_SIGMA:
            rho = zcdp_rho(Fraction(epsilon), Fraction(delta))
            return cls.for_rho(rho, sensitivity2=sensitivity**2)
        mechanism = cls(Fraction(sigma) ** 2)
        while mechanism.delta(e, sensitivity=sensitivity) > d * (1 - 1e-9):
            mechanism = cls(mechanism.sigma2 * Fraction(1_001, 1_000))
        return mechanism

    def delta(self, epsilon: float, *, sensitivity: int) -> float:
        """Return the delta at epsilon for one integer moved by ``sensitivity``, exact up to
        floats.

        Source: Canonne, Kamath, Steinke 2020, Theorem 7.
        """
        # The loss at z is (s^2 - 2 z s) / (2 sigma2). It exceeds epsilon for z < s/2 -
        # epsilon sigma2/s; the sum runs over those z.
        check.in_range(0, 4 * _MAX_SUMMED_SIGMA**2, sigma2=self.sigma2)
        s2 = float(self.sigma2)
        s = sensitivity
        last = math.ceil(s / 2 - epsilon * s2 / s) - 1
        z = np.arange(last - math.ceil(14 * math.sqrt(s2)) - 1, last + 1, dtype=float)
        gain = -np.expm1(epsilon - (s * s - 2 * z * s) / (2 * s2))
        mass = np.exp(-(z**2) / (2 * s2)) @ gain
        reach = np.arange(1, math.ceil(9 * math.sqrt(s2)) + 2, dtype=float)
        return float(mass / (1 + 2 * np.exp(-(reach**2) / (2 * s2)).sum()))

    def meets(self, claim: Guarantee, moves: Sensitivity) -> bool:
        """Return whether one number of this sensitivity has the claimed (epsilon, delta).

        By the exact delta, with a margin of 1 in 10^9 for floats; False if it is too large to
        sum."""
        if claim.epsilon is None or not claim.delta or self.sigma2 > _MAX_SUMMED_SIGMA**2:
            return False
        epsilon = math.nextafter(float(claim.epsilon), 0.0)
        return self.delta(epsilon, sensitivity=moves.l1) <= float(claim.delta) * (1 - 1e-9)

    def guarantee(self, sensitivity2: Fraction | int) -> Guarantee:
        """Return the exact zCDP guarantee for a squared L2 sensitivity."""
        return Guarantee.zcdp(exact(sensitivity2=sensitivity2) / (2 * self.sigma2))

    def gaussian_guarantee(self, sensitivity2: Fraction | int) -> Guarantee:
        """Return the exact Gaussian DP guarantee for a squared L2 sensitivity.

        Source: docs/proofs/gaussian-dp.md.

        Raises:
            ArgumentError: There is too little noise for the proof.
        """
        return noise_price(self.sigma2, exact(sensitivity2=sensitivity2))

    def price(self, moves: Sensitivity, claim: Guarantee | None = None) -> Guarantee:
        """Return the guarantee by the squared L2 norm: zCDP, unless you claim Gaussian DP."""
        if claim is not None and claim.is_gaussian:
            return self.gaussian_guarantee(moves.squared_l2)
        return self.guarantee(moves.squared_l2)

    @property
    def number_law(self) -> GaussianLaw:
        """Law of the noise on one number, in floats."""
        return GaussianLaw(self.sigma2)

    def chunks(self, size: int) -> Chunks:
        """Yield noise in pieces; each piece overwrites the one before."""
        if not self._is_large:
            yield from sampler(Gaussian(self.sigma2)).chunks(size)
            return
        done = 0
        while done < size:
            remaining = size - done
            if remaining <= SMALL_ARRAY:
                values = self._propose_few(remaining)
            else:
                values = self.propose(min(CHUNK, remaining + 8))[:remaining]
            yield done, values
            done += values.size

    def propose(self, size: int) -> NDArray[np.signedinteger]:
        """Draw a block h with P(h) ~ exp(-(h width)^2 / (2 sigma2)), a place in it, and a
        coin.
        """
        # The coin's first 16 bits decide 99 times in 100, for every place. About one proposal
        # in 200 is rejected.
        block = self._blocks.draw(size)
        z = self._place(block, self._places(size))
        return self._accept(block, z, np.frombuffer(bits.bits(2 * size), np.uint16))

    def _propose_few(self, size: int) -> NDArray[np.signedinteger]:
        """Return a few proposals that are accepted, in plain Python, which is faster for few.

        As `propose`, with the same words, places and coins, number by number.
        """
        place: Literal["i", "q"] = "i" if self._width <= _HALF else "q"
        memory = memoryview(bits.bits((4 + calcsize(place)) * size))
        block_words = memory[: 2 * size].cast("H")
        coin = memory[2 * size : 4 * size].cast("H")
        places = memory[4 * size :].cast(place)
        block = self._blocks.answer_few(block_words)
        width = self._width
        sure = self._sure_of
        pairs = zip(block, places, strict=True)
        # As in `_place`: the lowest bits of a word are the offset, and its sign flips the sum
        # y to -1 - y: a shift by 63 bits leaves -1 of a negative word, and 0 of another.
        z = np.array([(b * width + (word & (width - 1))) ^ (word >> 63) for b, word in pairs])
        if all([c < sure[min(b, _BLOCKS - 1)] for b, c in zip(block, coin, strict=True)]):
            return z
        return self._accept(np.array(block), z, np.array(coin))

    def _accept(
        self,
        block: NDArray[np.integer],
        z: NDArray[np.signedinteger],
        coin: NDArray[np.uint16],
    ) -> NDArray[np.signedinteger]:
        """Return the proposals that their coins accept.

        A coin that can't decide gets 48 more bits.
        """
        keep = coin < self._sure.take(block, mode="clip")
        close = (~keep).nonzero()[0]
        if not close.size:
            return z
        further_bits = np.frombuffer(bits.bits(8 * close.size), np.uint64) >> np.uint64(16)
        longer = coin[close].astype(np.uint64) << np.uint64(48) | further_bits
        keep[close] = self._judge(block[close], z[close], longer)
        return z[keep]

    def _places(self, size: int) -> NDArray[np.signedinteger]:
        kind = np.int32 if self._width <= _HALF else np.int64
        return np.frombuffer(bits.bits(np.dtype(kind).itemsize * size), kind)

    def _place(
        self, block: NDArray[np.integer], words: NDArray[np.signedinteger]
    ) -> NDArray[np.signedinteger]:
        """Return the proposed numbers: each at a random place of its block, with a random
        sign.

        y = h width + offset stands for z = y or z = -1 - y, by a fair sign.
        """
        fits = block.dtype == np.int16 and self._width <= _NARROW
        z: NDArray[np.signedinteger] = block.astype(np.dtype(np.int32 if fits else np.int64))
        z *= self._width
        z += words & (self._width - 1)
        z ^= words >> (8 * words.itemsize - 1)  # -1 where the highest bit is set, else 0
        return z

    def _judge(
        self, block: NDArray[np.integer], z: NDArray[np.integer], coin: NDArray[np.uint64]
    ) -> NDArray[np.bool_]:
        """Return which proposals are accepted by coins whose first 16 bits leave that open.

        The block h starts at the number h width, called ``floor`` here. Accepts with
        probability exp(-(z^2 - (h width)^2) / (2 sigma2)), which gives every z its correct
        probability.
        """
        floor = block.astype(np.int64) * self._width
        size = np.abs(z.astype(np.int64))
        excess = (size - floor) * (size + floor).astype(float)

        def exponent(i: int) -> Fraction:
            return Fraction(int(size[i]) ** 2 - int(floor[i]) ** 2) / (2 * self.sigma2)

        return fall_right(coin, np.exp(excess / -(2 * float(self.sigma2))), exponent)

    @cached_property
    def _is_large(self) -> bool:
        return self.sigma2 > TABLE_SIGMA**2

    @cached_property
    def _blocks(self) -> Sampler:
        return sampler(Gaussian(self.sigma2 / self._width**2, half=True))

    @cached_property
    def _width(self) -> int:
        # A power of two between sigma/128 and sigma/64.
        return 1 << max(0, (math.isqrt(int(self.sigma2)) // 64).bit_length() - 1)

    @cached_property
    def _sure_of(self) -> list[int]:
        sure: list[int] = self._sure.tolist()
        return sure

    @cached_property
    def _sure(self) -> NDArray[np.uint16]:
        """Return the coins that accept whatever the place is, by block, in units of 2^-16.

        For every block, the 16-bit words below which all of its numbers are accepted. The
        least likely number has z^2 = ((h + 1) width)^2, and exp(-x) >= 1 - x. One word less
        covers the error of floats. Later blocks use the last entry, none.
        """
        exponents = np.arange(1, 2 * _BLOCKS, 2) * (self._width**2 / (2 * float(self.sigma2)))
        sure: NDArray[np.uint16] = np.maximum((1 - exponents) * 2**16 - 1, 0).astype(
            np.uint16
        )
        sure[-1] = 0
        return sure
