"""The discrete Gaussian mechanism, exact at any scale.

>>> mechanism = DiscreteGaussian.for_rho(Fraction(1, 8), sensitivity2=2)
>>> mechanism.sigma2, str(mechanism.guarantee(2))
(Fraction(8, 1), 'rho = 1/8 (zCDP)')
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth import check, limits
from synth.noise import bits
from synth.noise.laws import Coin, Gaussian
from synth.noise.mechanism import add, exact
from synth.noise.sampler import CHUNK, Chunks, invert, joined, sampler
from synth.privacy.accounting import analytic_sigma, classic_sigma, zcdp_rho
from synth.privacy.guarantee import Guarantee
from synth.privacy.sensitivity import Sensitivity

_ONE_TABLE = 128
"""Largest sigma that is drawn with one table; above, z is split into block and offset."""
_MARGIN = 2.0**-30
"""A float comparison closer than this is repeated in integers. The floats are right to 2^-40."""

_SUMMED = 1 << 16
"""Largest sigma whose exact delta is summed up."""


class Calibration(StrEnum):
    """How sigma follows from (epsilon, delta)."""

    ANALYTIC = "analytic"
    CLASSIC = "classic"
    ZCDP = "zcdp"


@dataclass(frozen=True)
class DiscreteGaussian:
    """Noise with P(z) ~ exp(-z^2 / (2 sigma2)).

    On integer vectors whose squared L2 sensitivity is D2 it gives (D2 / (2 sigma2))-zCDP, in any
    dimension (Canonne, Kamath, Steinke 2020, Theorem 14). ``sigma2`` is an exact rational.

    Raises:
        ArgumentError: If sigma2 is not an exact rational within the limits.
    """

    sigma2: Fraction

    law: ClassVar[str] = "discrete Gaussian"
    bias = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma2", exact(sigma2=self.sigma2))
        low, high = limits.SCALE_MIN, limits.SCALE_MAX**2
        check.in_range(low, high, sigma2=self.sigma2)

    @classmethod
    def for_rho(cls, rho: Fraction | int, *, sensitivity2: Fraction | int) -> Self:
        """The mechanism that gives rho-zCDP for a squared L2 sensitivity."""
        return cls(exact(sensitivity2=sensitivity2) / (2 * exact(rho=rho)))

    @classmethod
    def for_delta(
        cls,
        epsilon: Fraction | int,
        delta: Fraction,
        *,
        sensitivity: int,
        calibration: Calibration = Calibration.ANALYTIC,
    ) -> Self:
        """The mechanism that gives (epsilon, delta) for one integer a person moves by at most
        ``sensitivity``.

        The sigma of the continuous theorem is raised, if need be, until the exact delta of the
        discrete law is at most delta. With ``Calibration.ZCDP`` it holds for vectors too, and
        ``sensitivity`` is in the l2 norm; sigmas too large to sum over are calibrated like that.

        Raises:
            ArgumentError: If epsilon is 1 or more and the calibration is the classic one.
        """
        check.whole(1, sensitivity=sensitivity)
        e, d = float(exact(epsilon=epsilon)), float(exact(delta=delta))
        classic = calibration is Calibration.CLASSIC
        sigma = (classic_sigma if classic else analytic_sigma)(e, d, sensitivity=sensitivity)
        if calibration is Calibration.ZCDP or sigma > _SUMMED:
            rho = zcdp_rho(Fraction(epsilon), Fraction(delta))
            return cls.for_rho(rho, sensitivity2=sensitivity**2)
        mechanism = cls(Fraction(sigma) ** 2)
        while mechanism.delta(e, sensitivity=sensitivity) > d * (1 - 1e-9):
            mechanism = cls(mechanism.sigma2 * Fraction(1_001, 1_000))
        return mechanism

    def delta(self, epsilon: float, *, sensitivity: int) -> float:
        """Delta at epsilon for one integer moved by ``sensitivity``, exact up to floats.

        The loss at z is (s^2 - 2 z s) / (2 sigma2), above epsilon for z < s/2 - epsilon sigma2/s;
        the sum runs over those (Canonne, Kamath, Steinke 2020, Theorem 7).
        """
        check.in_range(0, 4 * _SUMMED**2, sigma2=self.sigma2)
        s2, s = float(self.sigma2), sensitivity
        last = math.ceil(s / 2 - epsilon * s2 / s) - 1
        z = np.arange(last - math.ceil(14 * math.sqrt(s2)) - 1, last + 1, dtype=float)
        gain = -np.expm1(epsilon - (s * s - 2 * z * s) / (2 * s2))
        mass = np.exp(-(z**2) / (2 * s2)) @ gain
        reach = np.arange(1, math.ceil(9 * math.sqrt(s2)) + 2, dtype=float)
        return float(mass / (1 + 2 * np.exp(-(reach**2) / (2 * s2)).sum()))

    def meets(self, claim: Guarantee, moves: Sensitivity) -> bool:
        """Whether a single number of this sensitivity has the (epsilon, delta) that is claimed.

        By the exact delta, with a part in 10^9 for floats; False where it is too large to sum up.
        """
        if claim.epsilon is None or not claim.delta or self.sigma2 > _SUMMED**2:
            return False
        epsilon = math.nextafter(float(claim.epsilon), 0.0)
        return self.delta(epsilon, sensitivity=moves.l1) <= float(claim.delta) * (1 - 1e-9)

    def guarantee(self, sensitivity2: Fraction | int) -> Guarantee:
        """zCDP, exactly, for a squared L2 sensitivity."""
        return Guarantee.zcdp(exact(sensitivity2=sensitivity2) / (2 * self.sigma2))

    def price(self, moves: Sensitivity) -> Guarantee:
        """The guarantee for values of this sensitivity, by its squared L2 norm."""
        return self.guarantee(moves.squared_l2)

    def fits(self, size: int) -> bool:
        """Whether it is exact noise for so many values: always."""
        return size >= 0

    def describe(self) -> dict[str, str]:
        """The law with its exact parameters, as JSON."""
        return {"law": self.law, "sigma2": str(self.sigma2)}

    @classmethod
    def read(cls, told: Mapping[str, str]) -> Self:
        """The mechanism that `describe` told of."""
        return cls(Fraction(told["sigma2"]))

    @property
    def variance(self) -> float:
        """Sum of z^2 P(z): a little below sigma2 for sigma < 1, else equal to it in floats."""
        if self.sigma2 > 4:
            return float(self.sigma2)
        weights = [math.exp(-z * z / (2 * float(self.sigma2))) for z in range(40)]
        whole = 2 * sum(weights) - 1
        return 2 * sum(z * z * weight for z, weight in enumerate(weights)) / whole

    def tail(self, t: float) -> float:
        """Upper bound of P(|noise| >= t): the law is sub-Gaussian with sigma2."""
        return 1.0 if t <= 0 else min(1.0, 2 * math.exp(-(math.ceil(t) ** 2) / (2 * self.sigma2)))

    def draw(self, size: int) -> NDArray[np.integer]:
        """Return independent values, shape (size,), in 16-bit integers where they fit."""
        check.whole(0, size=size)
        return joined(self._chunks(int(size)), int(size))

    def release(self, values: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return values plus noise, any shape.

        Raises:
            ArgumentError: If the values are not integers.
        """
        return add(values, self._chunks)

    def _chunks(self, size: int) -> Chunks:
        if self.sigma2 <= _ONE_TABLE**2:
            yield from sampler(Gaussian(self.sigma2)).chunks(size)
            return
        for start in range(0, size, CHUNK):
            yield start, self._large(min(CHUNK, size - start))

    def _large(self, size: int) -> NDArray[np.int64]:
        """Draw by rejection until there are ``size`` values; about one in 200 is rejected."""
        values = np.empty(0, np.int64)
        while values.size < size:
            values = np.concatenate([values, self._propose(size - values.size + 8)])
        return values[:size]

    def _propose(self, size: int) -> NDArray[np.int64]:
        """A block h with P(h) ~ exp(-(h width)^2 / (2 sigma2)) and words for the rest of it."""
        block = sampler(Gaussian(self.sigma2 / self._width**2, half=True)).draw(size)
        words = np.frombuffer(bits.bits(16 * size), np.uint64).reshape(2, size)
        z, keep = self._judge(block.astype(np.int64), words[0], words[1])
        return z[keep]

    def _judge(
        self, block: NDArray[np.int64], place: NDArray[np.uint64], coin: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Each block's proposal, by a uniform offset and a fair sign, and whether it is accepted.

        y = h width + offset stands for z = y or z = -1 - y, accepted with probability
        exp(-(z^2 - (h width)^2) / (2 sigma2)), which makes every z as likely as it should be.
        """
        width = self._width
        floor = block * width
        y = floor + (place & np.uint64(width - 1)).astype(np.int64)
        negative = (place >> np.uint64(63)).astype(np.int64)
        z = y ^ -negative
        excess = (np.abs(z) - floor) * (np.abs(z) + floor).astype(float)
        chance = np.exp(excess / -(2 * float(self.sigma2)))
        gap = (coin >> np.uint64(11)) * 2.0**-53 - chance
        keep = gap < 0
        for i in np.flatnonzero(np.abs(gap) < _MARGIN):
            exponent = Fraction(int(z[i]) ** 2 - int(floor[i]) ** 2) / (2 * self.sigma2)
            keep[i] = invert(Coin(exponent), int(coin[i] >> np.uint64(11)), 53) == 0
        return z, keep

    @property
    def _width(self) -> int:
        """A power of two between sigma/128 and sigma/64."""
        return 1 << max(0, (math.isqrt(int(self.sigma2)) // 64).bit_length() - 1)
