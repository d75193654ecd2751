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
from synth.noise.coins import flip_exponential_coins
from synth.noise.floats.gaussian import GaussianLaw
from synth.noise.laws import Gaussian
from synth.noise.mechanism import SMALL_ARRAY, CellNoise, check_deviation, exact
from synth.noise.sampler import CHUNK, Chunks, Sampler, Scratch, sampler
from synth.privacy import (
    Guarantee,
    Sensitivity,
    analytic_sigma,
    find_sigma2,
    noise_price,
    zcdp_rho,
)
from synth.util import Mask, check

# Largest sigma that one table draws; above, z is split into block and offset.
TABLE_SIGMA = 128
# Large noise is drawn as a block of successive integers, and a place within the block.
# Largest width of a block whose numbers fit 32 bits if the block's own number fits 16.
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
        """Return the mechanism that gives mu-Gaussian DP with mu^2 = 2 rho.

        ``sensitivity2`` is the squared L2 sensitivity of the values. The variance, which
        `find_sigma2` returns, is a little above sensitivity2 / (2 rho), as the noise is
        discrete.

        >>> DiscreteGaussian.for_gaussian(Fraction(1, 8), sensitivity2=2)
        DiscreteGaussian(sigma2=Fraction(89, 11))
        """
        return cls(find_sigma2(exact(rho=rho), exact(sensitivity2=sensitivity2)))

    @classmethod
    def for_delta(cls, epsilon: Fraction | int, delta: Fraction, *, sensitivity: int) -> Self:
        """Return the mechanism that gives (epsilon, delta) for one integer.

        The sigma of the theorem on continuous noise is raised until the delta of the discrete
        noise is at most delta. If sigma is too large to sum over, zCDP's sigma is used.

        Args:
            epsilon: The epsilon, exact.
            delta: The delta, exact.
            sensitivity: The most that the integer moves between neighbours.
        """
        check.check_whole(1, sensitivity=sensitivity)
        float_epsilon = float(exact(epsilon=epsilon))
        float_delta = float(exact(delta=delta))
        sigma = analytic_sigma(float_epsilon, float_delta, sensitivity=sensitivity)
        if sigma > _MAX_SUMMED_SIGMA:
            rho = zcdp_rho(Fraction(epsilon), Fraction(delta))
            return cls.for_rho(rho, sensitivity2=sensitivity**2)
        mechanism = cls(Fraction(sigma) ** 2)
        # One part in 10^9 is spared for the errors of floats.
        largest_delta = float_delta * (1 - 1e-9)
        while mechanism.delta(float_epsilon, sensitivity=sensitivity) > largest_delta:
            mechanism = cls(mechanism.sigma2 * Fraction(1_001, 1_000))  # a little more noise
        return mechanism

    def delta(self, epsilon: float, *, sensitivity: int) -> float:
        """Return the delta at an epsilon for one integer that moves by ``sensitivity``.

        It is exact up to errors of floats. Source: Canonne, Kamath, Steinke 2020, Theorem 7.

        Raises:
            ArgumentError: ``sigma2`` is too large to sum over all values.
        """
        # The loss at z is (s^2 - 2 z s) / (2 sigma2). It exceeds epsilon for z < s/2 -
        # epsilon sigma2/s; the sum runs over those z.
        check.in_range(0, 4 * _MAX_SUMMED_SIGMA**2, sigma2=self.sigma2)
        sigma2 = float(self.sigma2)
        sigma = math.sqrt(sigma2)
        s = sensitivity
        last = math.ceil(s / 2 - epsilon * sigma2 / s) - 1
        # Values over 14 standard deviations below the last one weigh nothing beside it.
        z = np.arange(last - math.ceil(14 * sigma) - 1, last + 1, dtype=float)
        loss = (s * s - 2 * z * s) / (2 * sigma2)
        # delta = sum over z of P(z) (1 - e^(epsilon - loss(z))), with P(z) in proportion to
        # the weight exp(-z^2 / (2 sigma2)).
        excess = np.exp(-(z**2) / (2 * sigma2)) @ -np.expm1(epsilon - loss)
        # The sum of all weights, up to 9 standard deviations on each side.
        positive = np.arange(1, math.ceil(9 * sigma) + 2, dtype=float)
        all_weights = 1 + 2 * np.exp(-(positive**2) / (2 * sigma2)).sum()
        return float(excess / all_weights)

    def meets(self, claim: Guarantee, moves: Sensitivity) -> bool:
        """Return whether one number with this noise has the claimed (epsilon, delta).

        It is decided by the noise's own delta, less 1 part in 10^9 for errors of floats. For
        noise that is too large to sum over, the answer is False.

        Args:
            claim: The guarantee that is claimed; False for any but an (epsilon, delta).
            moves: How much the number moves between neighbours.
        """
        if claim.epsilon is None or not claim.delta or self.sigma2 > _MAX_SUMMED_SIGMA**2:
            return False
        # A smaller epsilon only makes the delta larger, so rounding down is safe.
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
        """Return the guarantee for values of this sensitivity, by its squared L2 norm.

        It is in zCDP, unless ``claim`` asks for Gaussian DP.
        """
        if claim is not None and claim.is_gaussian:
            return self.gaussian_guarantee(moves.squared_l2)
        return self.guarantee(moves.squared_l2)

    @property
    def number_law(self) -> GaussianLaw:
        """Law of the noise on one number, in floats."""
        return GaussianLaw(self.sigma2)

    def chunks(self, size: int) -> Chunks:
        """Yield ``size`` noise values in pieces, as pairs of a piece's start and its values.

        A piece may be overwritten by the next one, so use or copy it at once.
        """
        if not self._is_large:  # one table draws it
            yield from sampler(Gaussian(self.sigma2)).chunks(size)
            return
        scratch = Scratch()
        done = 0
        while done < size:
            remaining = size - done
            if remaining <= SMALL_ARRAY:
                values = self._propose_few(remaining)
            else:
                # A few more than needed, as about one in 200 is rejected.
                proposals = min(CHUNK, remaining + 8)
                values = self.propose(proposals, scratch)[:remaining]
            yield done, values
            done += values.size

    def propose(self, size: int, scratch: Scratch | None = None) -> NDArray[np.signedinteger]:
        """Return the noise values of those of ``size`` proposals that are accepted.

        A proposal is a block h of successive integers, with P(h) ~ exp(-(h width)^2 / (2
        sigma2)), and a uniform place in it. A coin, that is a random word, decides whether
        it is accepted, so that the accepted values have exactly the law of this noise.

        Args:
            size: The number of proposals.
            scratch: Memory to use; the result may be in it, and then lasts until it is used
                again.
        """
        scratch = scratch or Scratch()
        block = self._blocks.fill(scratch.take("blocks", size, np.dtype(np.int16)))
        z = self._combine_places(block, self._draw_place_words(size), scratch)
        # The coin's first 16 bits decide 99 times in 100, for every place. About one proposal
        # in 200 is rejected.
        coin = np.frombuffer(bits.bits(2 * size), np.uint16)
        is_sure = self._find_sure(block, coin, scratch)
        return self._accept(block, z, coin, is_sure=is_sure)

    def _propose_few(self, size: int) -> NDArray[np.signedinteger]:
        """Return those of a few proposals that are accepted, as `propose` does.

        Plain Python, number by number, is faster for few. It uses random bits of the same
        form: 16 bits for a block, 16 for a coin, and 32 or 64 for a place and a sign.
        """
        # Type codes of memory: "H" is a word of 16 bits, "i" and "q" signed ones, of 32 and
        # of 64 bits.
        place_code: Literal["i", "q"] = "i" if self._width <= _HALF else "q"
        memory = memoryview(bits.bits((4 + calcsize(place_code)) * size))
        block_words = memory[: 2 * size].cast("H")
        coins = memory[2 * size : 4 * size].cast("H")
        place_words = memory[4 * size :].cast(place_code)
        blocks = self._blocks.answer_few(block_words)
        width = self._width
        # As in `_combine_places`: the lowest bits of a word are the offset in the block, and
        # its sign flips the sum y to -1 - y: a shift by 63 bits leaves -1 of a negative word,
        # and 0 of another.
        z = np.array(
            [
                (block * width + (word & (width - 1))) ^ (word >> 63)
                for block, word in zip(blocks, place_words, strict=True)
            ]
        )
        # For each block, the number below which a coin accepts every place in it. Beyond the
        # list its last entry, 0, counts: no coin is sure there. Nearly always all coins are.
        sure_coins = self._sure_coin_list
        are_sure = [
            coin < sure_coins[min(block, _BLOCKS - 1)]
            for block, coin in zip(blocks, coins, strict=True)
        ]
        if all(are_sure):
            return z
        return self._accept(np.array(blocks), z, np.array(coins), is_sure=np.array(are_sure))

    def _find_sure(
        self, block: NDArray[np.integer], coin: NDArray[np.uint16], scratch: Scratch
    ) -> Mask:
        """Return which coins are sure to accept, whatever the place in the block is, (k,).

        A block h from 0 to `_BLOCKS` - 2 accepts coins below a line in h, `_sure_line`, which
        16 bits hold. Its height costs less than a look at a list for each block.

        Args:
            block: The block of each proposal, from 0 up, shape (k,).
            coin: The first 16 bits of each coin, shape (k,).
            scratch: Memory for the result.
        """
        if block.dtype != np.int16 or block.max(initial=0) >= _BLOCKS - 1:
            return np.asarray(coin < self._sure_coins.take(block, mode="clip"))
        top, slope = self._sure_line
        heights = scratch.take("heights", block.size, np.dtype(np.uint16))
        np.multiply(block.view(np.uint16), np.uint16(slope), out=heights)
        np.subtract(np.uint16(top), heights, out=heights)
        is_sure: Mask = scratch.take("sure", block.size, np.dtype(np.bool_))
        np.less(coin, heights, out=is_sure)
        return is_sure

    def _accept(
        self,
        block: NDArray[np.integer],
        z: NDArray[np.signedinteger],
        coin: NDArray[np.uint16],
        *,
        is_sure: Mask,
    ) -> NDArray[np.signedinteger]:
        """Return the proposed noise values that their coins accept, in the memory of all.

        The last accepted values take the places of the rejected ones. That depends on places
        only, not on the values, which therefore stay independent.

        Args:
            block: The block of each proposal, from 0 up, shape (k,).
            z: The proposed noise value, shape (k,).
            coin: The first 16 bits of each coin, shape (k,). A coin that these do not decide
                gets 48 more bits.
            is_sure: Whether the first 16 bits accept the proposal, shape (k,).
        """
        close = (~is_sure).nonzero()[0]
        if not close.size:
            return z
        further_bits = np.frombuffer(bits.bits(8 * close.size), np.uint64) >> np.uint64(16)
        longer = coin[close].astype(np.uint64) << np.uint64(48) | further_bits
        rejected = close[~self._decide_close_coins(block[close], z[close], longer)]
        # So many are accepted. Of the places behind as many, the accepted ones move.
        count = z.size - rejected.size
        moves = np.ones(rejected.size, np.bool_)
        moves[rejected[rejected >= count] - count] = False
        z[rejected[rejected < count]] = z[count:][moves]
        return z[:count]

    def _draw_place_words(self, size: int) -> NDArray[np.signedinteger]:
        """Draw random words, shape (size,), each for a place in a block and a sign."""
        kind = self._place_type
        return np.frombuffer(bits.bits(kind.itemsize * size), kind)

    def _combine_places(
        self,
        block: NDArray[np.integer],
        words: NDArray[np.signedinteger],
        scratch: Scratch | None = None,
    ) -> NDArray[np.signedinteger]:
        """Return the proposed noise values: each at a random place of its block, with a sign.

        In block h, y = h width + offset stands for z = y or z = -1 - y, by a fair sign.

        Args:
            block: The block h of each proposal, from 0 up, shape (k,).
            words: Random words, shape (k,). The lowest bits of a word are the offset, and its
                highest bit is the sign.
            scratch: Memory to use; the result is in it.
        """
        scratch = scratch or Scratch()
        fits = block.dtype == np.int16 and self._width <= _NARROW
        kind = np.dtype(np.int32 if fits else np.int64)
        z: NDArray[np.signedinteger] = scratch.take("values", block.size, kind)
        part: NDArray[np.signedinteger] = scratch.take("words", words.size, words.dtype)
        np.multiply(block, self._width, out=z, dtype=kind)
        z += np.bitwise_and(words, words.dtype.type(self._width - 1), out=part)
        # -1 where the highest bit is set, else 0.
        z ^= np.right_shift(words, 8 * words.itemsize - 1, out=part)
        return z

    def _decide_close_coins(
        self, block: NDArray[np.integer], z: NDArray[np.integer], coin: NDArray[np.uint64]
    ) -> NDArray[np.bool_]:
        """Return a mask of the proposals whose coins accept them, after 16 bits left it open.

        The block h starts at the number h width, called ``floor`` here. A proposal z is
        accepted with probability exp(-(z^2 - floor^2) / (2 sigma2)), which gives every z its
        correct probability.

        Args:
            block: The block of each proposal, shape (k,).
            z: The proposed noise values, shape (k,).
            coin: Uniform 64-bit words, shape (k,).
        """
        floor = block.astype(np.int64) * self._width
        size = np.abs(z.astype(np.int64))
        excess = (size - floor) * (size + floor).astype(float)

        def exponent(i: int) -> Fraction:
            """Return the exact exponent of proposal i."""
            return Fraction(int(size[i]) ** 2 - int(floor[i]) ** 2) / (2 * self.sigma2)

        chances = np.exp(excess / -(2 * float(self.sigma2)))
        return flip_exponential_coins(coin, chances, exponent)

    @cached_property
    def _is_large(self) -> bool:
        """Whether noise is drawn as a block and a place in it, as one table is not enough."""
        return self.sigma2 > TABLE_SIGMA**2

    @cached_property
    def _blocks(self) -> Sampler:
        """Draws the number h of a block, with P(h) ~ exp(-(h width)^2 / (2 sigma2))."""
        return sampler(Gaussian(self.sigma2 / self._width**2, half=True))

    @cached_property
    def _width(self) -> int:
        """How many integers a block has: a power of two between sigma/128 and sigma/64."""
        return 1 << max(0, (math.isqrt(int(self.sigma2)) // 64).bit_length() - 1)

    @cached_property
    def _place_type(self) -> np.dtype[np.signedinteger]:
        """The smallest signed integer in which a place in a block leaves the sign free."""
        if self._width <= _NARROW:
            return np.dtype(np.int16)
        return np.dtype(np.int32 if self._width <= _HALF else np.int64)

    @cached_property
    def _sure_line(self) -> tuple[int, int]:
        """Numbers t and s: in block h, a coin of 16 bits below t - s h accepts any integer.

        As for `_sure_coins`, a coin below (1 - x) 2^16 with x = (2 h + 1) width^2 / (2
        sigma2) does. With a = 2^16 width^2 / sigma2, that is 2^16 - a/2 - a h, and t and s
        are rounded such that the line is not above. As a is at most 16, the line is above 0
        up to block `_BLOCKS` - 2.
        """
        steepness = Fraction(2**16 * self._width**2) / self.sigma2
        return 2**16 - math.ceil(steepness / 2), math.ceil(steepness)

    @cached_property
    def _sure_coin_list(self) -> list[int]:
        """The entries of `_sure_coins` as Python's integers, which are faster for few."""
        sure: list[int] = self._sure_coins.tolist()
        return sure

    @cached_property
    def _sure_coins(self) -> NDArray[np.uint16]:
        """For each block, a 16-bit number: a coin below it accepts any integer of the block.

        Block h has the integers from h width to (h + 1) width. A proposed z in it is accepted
        with probability exp(-(z^2 - (h width)^2) / (2 sigma2)). That is least at the end of
        the block, where it is exp(-x) >= 1 - x with x = (2 h + 1) width^2 / (2 sigma2). So a
        coin, uniform on 16 bits, that is below (1 - x) 2^16 accepts whatever z is. One less
        covers the error of floats. The last entry is 0, so that no coin decides alone; it
        also serves all later blocks.
        """
        odd_numbers = np.arange(1, 2 * _BLOCKS, 2)  # 2 h + 1 for h = 0, 1, ...
        exponents = odd_numbers * (self._width**2 / (2 * float(self.sigma2)))
        bounds = np.maximum((1 - exponents) * 2**16 - 1, 0)
        sure: NDArray[np.uint16] = bounds.astype(np.uint16)
        sure[-1] = 0
        return sure
