"""Laws of independently noisy numbers and of their sums. PUBLIC.

>>> from synth.noise.floats.laplace import LaplaceLaw
>>> many = SumLaw(LaplaceLaw(2), 1_000_000)
>>> round(many.deviation), round(float(many.tail(np.array([5_600.0]))[0]), 3)
(2799, 0.045)
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from synth.noise.floats.law import LEVEL, NoiseLaw
from synth.util import Floats, Mask, check

if TYPE_CHECKING:
    from synth.privacy import PrivacyLoss

# Largest excess of a sum's tail over the exact one; half of it is added on purpose.
ERROR = 1e-10
FINE = 1 << 12
"""Least standard deviation of noise, in steps, from which it counts as continuous."""
# Probability beyond the period of the inversion, and size of its first omitted term.
_OMITTED_PROBABILITY = 1e-12
# Shares of the largest exponent at which a law has a moment.
_SHARES = np.geomspace(1e-8, 0.99, 400)
_FREQUENCIES = 1 << 12


class CellLaw(NoiseLaw):
    """Law of one independently noisy number; its moments give the laws of sums.

    Attributes:
        is_stable: Whether weighted sums have a law of the same form, given by their variance,
            and a moment at every exponent.
    """

    is_stable: ClassVar[bool]

    @property
    @abstractmethod
    def scale(self) -> float:
        """Exponents of moments are shares of 1 / scale."""

    @property
    def squared_scale(self) -> float:
        """Square of the scale; exact if the law is given by it."""
        return self.scale**2

    @property
    @abstractmethod
    def variance(self) -> float:
        """Variance of Z."""

    @property
    def deviation(self) -> float:
        """Standard deviation of Z."""
        return math.sqrt(self.variance)

    @property
    def mean_absolute(self) -> float:
        """E |Z|, or close to it: a normal number's."""
        return math.sqrt(2 / math.pi * self.variance)

    @property
    def stop(self) -> float | None:
        """Stopping probability of two geometric numbers whose difference is Z.

        Discrete Laplace noise is such a difference. None, as here, for other laws.
        """
        return None

    @abstractmethod
    def log_moment(self, share: Floats) -> Floats:
        """Return ln E exp(u Z) at u = share / scale, or an upper bound of it."""

    @abstractmethod
    def log_characteristic(self, w: Floats) -> Floats:
        """Return ln E exp(i w Z), for w from 0 to pi."""

    @abstractmethod
    def exceeds(
        self,
        size: Floats,
        step: float,
        other_law: "CellLaw",
        *,
        other_step: Floats,
        level: float,
    ) -> Mask:
        """Return whether P(|step X - other_step Y| >= size) > 1 - level, as a mask (k,).

        X and Y are independent, and count as continuous.

        Args:
            size: The size of the weighted difference, shape (k,).
            step: The weight of X, which has this law.
            other_law: The law of Y, of the same kind as this one.
            other_step: The weight of Y, from 0 up, shape (k,).
            level: A probability.
        """

    @abstractmethod
    def half_widths(self, weights: Floats, level: float = LEVEL) -> Floats:
        """Return half widths of intervals of weighted sums, never too small, shape (sums,).

        Args:
            weights: Weight of a step of each number, shape (sums, numbers). The law counts as
                continuous: its standard deviation is `FINE` steps or more.
            level: Up to 1 - 1e-7.
        """

    @abstractmethod
    def bounded_halves(
        self, squares: Floats, largest: Floats, numbers: int, *, level: float = LEVEL
    ) -> Floats:
        """Return half widths as `half_widths` does, from summaries of each sum's weights.

        Args:
            squares: The sum of the squared weights, shape (sums,).
            largest: The size of the largest weight, or more, shape (sums,).
            numbers: The number of weights of a sum.
            level: The probability of the interval.
        """

    def mean_sizes(self, weights: Floats) -> Floats:
        """Return the expected absolute values of weighted sums, as if normal, shape (sums,).

        ``weights`` has the shape (sums, numbers).
        """
        return np.asarray(
            math.sqrt(2 / math.pi) * np.sqrt((weights**2).sum(axis=1) * self.variance)
        )

    @abstractmethod
    def loss(self, cells: int, move: int) -> "PrivacyLoss":
        """Return the law of the privacy loss if 1 or 2 cells move by ``move`` each."""

    @abstractmethod
    def renyi(self, order: float, cells: int, move: int) -> float:
        """Return the Renyi divergence of an order above 1, if 1 or 2 cells move so far."""


class Weights(NamedTuple):
    """Numbers of one law, grouped by the size of their weights.

    Attributes:
        law: The law of every number.
        sizes: The size of the weight of each group, shape (groups,).
        counts: How many numbers each group has, shape (groups,).
    """

    law: CellLaw
    sizes: Floats
    counts: Floats

    @property
    def variance(self) -> float:
        """The variance of the weighted sum of these numbers."""
        return float(self.law.variance) * float(self.counts @ self.sizes**2)


def bound_sum(terms: Sequence[Weights], chance: float, shares: Floats) -> float:
    """Return a bound that the size of a sum S exceeds with at most this chance.

    By Chernoff's bound on both sides it is (ln E exp(u S) + ln(2 / chance)) / u, for any
    u > 0 with a moment. The result is the least over some u.

    Args:
        terms: The independent numbers of the sum.
        chance: The probability of exceeding the bound.
        shares: The u that are tried, as parts of the largest u with a moment. If all laws are
            stable, there is no largest u and the best one is known.
    """
    log_chance = math.log(2 / chance)
    # A law has a moment for u below 1 / scale, and its weighted number below 1 / (w scale). A
    # stable law, such as the Gaussian, has one for every u.
    largest_scales = [
        group.law.scale * float(group.sizes.max())
        for group in terms
        if not group.law.is_stable
    ]
    if not largest_scales:  # the least is where u^2 is 2 log_chance over the variance
        squares = sum(
            group.law.squared_scale * float(group.counts @ group.sizes**2) for group in terms
        )
        return math.sqrt(2 * squares * log_chance)
    u = shares / max(largest_scales)
    moments = np.zeros(len(u))
    for law, sizes, counts in terms:
        moments += law.log_moment(u[:, None] * (sizes * law.scale)) @ counts
    return float(((moments + log_chance) / u).min())


def invert_characteristic(t: Floats, w: Floats, weights: Floats, *, step: float) -> Floats:
    """Return P(|S| <= t) by inversion, shape (..., k).

    S is a symmetric random number, or one for each entry of the leading axes. The result is
    step / pi times (t + 2 sum over w of weights sin(w t)). As it sums over a grid of
    frequencies, it is exact for S modulo 2 pi / step.

    Args:
        t: Bounds of |S|, shape (k,).
        w: Frequencies, multiples of the step above 0, shape (n,).
        weights: f(w) / w, with f the characteristic function of S, shape (..., n). For whole
            numbers, with t half a unit off: f(w) / 2 sin(w / 2).
        step: The distance of the frequencies.
    """
    inverted = t + np.zeros((*weights.shape[:-1], len(t)))
    # Some frequencies at a time, to limit the memory of the sines.
    for start in range(0, len(w), _FREQUENCIES):
        part = slice(start, start + _FREQUENCIES)
        inverted += 2 * weights[..., part] @ np.sin(np.multiply.outer(w[part], t))
    return np.asarray(step / math.pi * inverted)


@dataclass(frozen=True)
class SumLaw(NoiseLaw):
    """Law of the sum Z of independent values, by inverting its characteristic function f.

    Let N be odd, w_j = 2 pi j / N, and Z mod N the residue that is nearest to 0. For whole t
    from 1 to (N + 1) / 2, and with 2 t - 1 as the term of j = 0,

        P(|Z mod N| < t) = 1/N sum over j = 0, ..., N - 1 of
                           f(w_j) sin((t - 1/2) w_j) / sin(w_j / 2).

    It is above P(|Z| < t), by at most the mass beyond N - t: |Z| > N - t.

    Attributes:
        law: The law of each value.
        terms: The number of values.
    """

    # The period N is more than twice the extent, so N - t is beyond the extent for all t up
    # to it, and Chernoff's bound keeps the mass there below 1e-12. As f is real and
    # symmetric, the terms of j and N - j are equal, and only those up to N / 2 are computed.
    # f falls towards w = pi. Terms of f below 1e-12 are left out; together they weigh less
    # than 1e-12 ln N. So the number of frequencies hardly depends on the scale and the number
    # of values.

    law: CellLaw
    terms: int

    error = ERROR

    @property
    def deviation(self) -> float:
        """Standard deviation of Z."""
        return math.sqrt(self.terms * self.law.variance)

    @cached_property
    def extent(self) -> float:
        """A size that Z exceeds with a probability of at most 1e-12, by Chernoff's bound."""
        weights = Weights(self.law, np.ones(1), np.array([float(self.terms)]))
        return 1 + bound_sum([weights], _OMITTED_PROBABILITY, _SHARES)

    @cached_property
    def _period(self) -> int:
        """The odd number N modulo which the sum is inverted, above twice the extent."""
        return 2 * math.ceil(self.extent) + 3

    @cached_property
    def _terms(self) -> tuple[Floats, Floats]:
        """The frequencies w_j of the inversion that count, and f(w_j) / (2 sin(w_j / 2)).

        f is the characteristic function of the sum. It falls, so bisection finds the last
        frequency at which it is not next to nothing. If it is more at pi, all count.
        """
        low = 0
        high = self._period // 2
        if self._is_small(math.pi):
            while high - low > 1:
                middle = (low + high) // 2
                is_small = self._is_small(2 * math.pi * middle / self._period)
                if is_small:
                    high = middle
                else:
                    low = middle
        w = 2 * math.pi * np.arange(1, high + 1) / self._period
        return w, np.exp(self.terms * self.law.log_characteristic(w)) / (2 * np.sin(w / 2))

    def _is_small(self, w: float) -> bool:
        """Return whether the sum's characteristic function is next to nothing at w."""
        (log,) = self.law.log_characteristic(np.array([w]))
        return bool(self.terms * log < math.log(_OMITTED_PROBABILITY))

    def tail(self, least: Floats) -> Floats:
        """Return P(|Z| >= t) for each t in ``least``, with half the error added.

        It is 1 - P(|Z| < t), by inversion.
        """
        t = np.asarray(least, dtype=np.float64)
        w, weights = self._terms
        step = 2 * math.pi / self._period
        # |Z| < t is |Z| <= t - 1/2, as Z is whole: half a unit off, as the weights need it.
        inner = invert_characteristic(t.reshape(-1) - 0.5, w, weights, step=step)
        tails = np.clip(1 - inner.reshape(t.shape) + ERROR / 2, ERROR / 2, 1)
        return np.where(t <= 0, 1.0, np.where(t > self.extent, ERROR / 2, tails))


@lru_cache(maxsize=256)
def sum_law(law: CellLaw, cells: int) -> NoiseLaw:
    """Return the law of the sum of one or more noisy cells of a histogram."""
    check.check_whole(1, cells=cells)
    return law if cells == 1 else SumLaw(law, int(cells))
