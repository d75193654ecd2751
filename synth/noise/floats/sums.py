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
from typing import ClassVar, NamedTuple

import numpy as np

from synth.noise.floats.law import LEVEL, NoiseLaw
from synth.privacy import PrivacyLoss
from synth.util import Floats, Mask, check

# Largest excess of a sum's tail over the exact one; half of it is added on purpose.
ERROR = 1e-10
FINE = 1 << 12
"""Least standard deviation of noise, in steps, from which it counts as continuous."""
# Probability beyond the period of the inversion, and size of its first omitted term.
_OMITTED = 1e-12
# Shares of the largest exponent at which a law has a moment.
_SHARES = np.geomspace(1e-8, 0.99, 400)
_FREQUENCIES = 1 << 12


class CellLaw(NoiseLaw):
    """Law of one independently noisy number; its moments give the laws of sums.

    ``is_stable``: weighted sums have a law of the same form, given by their variance, and a
    moment at every exponent."""

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
        return math.sqrt(self.variance)

    @property
    def mean_absolute(self) -> float:
        """E |Z|, or close to it: a normal number's."""
        return math.sqrt(2 / math.pi * self.variance)

    @property
    def stop(self) -> float | None:
        """Stopping probability of the geometric numbers whose difference Z is; None for other
        Z.
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
        self, size: Floats, step: float, other: "CellLaw", other_step: Floats, level: float
    ) -> Mask:
        """Return whether P(|step X - other_step Y| >= size) > 1 - level, for continuous X and
        Y.

        X has this law, Y the other one, of the same kind; other_step is not negative. Shapes
        (k,)."""

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
        """Return such half widths from summaries of the weights, shape (sums,).

        Sums of squares, the largest size or more, and the number of weights.
        """

    def mean_sizes(self, weights: Floats) -> Floats:
        """Return expected sizes of such sums as if normal, to about a percent, shape
        (sums,).
        """
        return np.asarray(
            math.sqrt(2 / math.pi) * np.sqrt((weights**2).sum(axis=1) * self.variance)
        )

    @abstractmethod
    def loss(self, cells: int, move: int) -> PrivacyLoss:
        """Return the law of the privacy loss if 1 or 2 cells move by ``move`` each."""

    @abstractmethod
    def renyi(self, order: float, cells: int, move: int) -> float:
        """Return the Renyi divergence of an order above 1 for the same move."""


class Weights(NamedTuple):
    """Numbers of one law, grouped by the size of their weights; ``many`` have each size."""

    law: CellLaw
    sizes: Floats
    many: Floats

    @property
    def variance(self) -> float:
        return float(self.law.variance) * float(self.many @ self.sizes**2)


def bound_sum(terms: Sequence[Weights], chance: float, shares: Floats) -> float:
    """Return a bound that a sum exceeds with at most this chance: min of (ln E exp(u S) +
    ln(2/chance))/u.

    Terms are independent; ``shares`` are parts of the largest u with a moment, if there is a
    largest.
    """
    wanted = math.log(2 / chance)
    tops = [one.law.scale * float(one.sizes.max()) for one in terms if not one.law.is_stable]
    if not tops:  # the least is where u^2 is 2 wanted over the variance
        squares = sum(one.law.squared_scale * float(one.many @ one.sizes**2) for one in terms)
        return math.sqrt(2 * squares * wanted)
    u = shares / max(tops)
    moments = np.zeros(len(u))
    for law, sizes, many in terms:
        moments += law.log_moment(u[:, None] * (sizes * law.scale)) @ many
    return float(((moments + wanted) / u).min())


def invert_characteristic(t: Floats, w: Floats, weights: Floats, step: float) -> Floats:
    """Return P(|S| <= t) by inversion: step / pi times t + 2 sum of weights sin(w t), shape
    (..., k).

    The sum over a grid of frequencies gives the law of S modulo 2 pi / step.

    Args:
        t: Shape (k,).
        w: Frequencies, multiples of the step above 0, shape (n,).
        weights: f(w) / w, with f the characteristic function of S, shape (..., n). For whole
            numbers, with t half a unit off: f(w) / 2 sin(w / 2).
    """
    found = t + np.zeros((*weights.shape[:-1], len(t)))
    for start in range(0, len(w), _FREQUENCIES):
        part = slice(start, start + _FREQUENCIES)
        found += 2 * weights[..., part] @ np.sin(np.multiply.outer(w[part], t))
    return np.asarray(step / math.pi * found)


@dataclass(frozen=True)
class SumLaw(NoiseLaw):
    """Law of the sum of ``terms`` independent values, by inverting its characteristic
    function.
    """

    # It has an odd period N, beyond which Chernoff's bound keeps the probability below 1e-12.
    # f falls towards w = pi. Terms below 1e-12 are left out; together they weigh less than
    # 1e-12 ln N. The number of frequencies hardly depends on scale and ``terms``.

    law: CellLaw
    terms: int

    error = ERROR

    @property
    def deviation(self) -> float:
        return math.sqrt(self.terms * self.law.variance)

    @cached_property
    def extent(self) -> float:
        weights = Weights(self.law, np.ones(1), np.array([float(self.terms)]))
        return 1 + bound_sum([weights], _OMITTED, _SHARES)

    @cached_property
    def _period(self) -> int:
        return 2 * math.ceil(self.extent) + 3

    @cached_property
    def _terms(self) -> tuple[Floats, Floats]:
        low, high = 0, self._period // 2
        if self._is_small(math.pi):
            while high - low > 1:
                cut = (low + high) // 2
                small = self._is_small(2 * math.pi * cut / self._period)
                low, high = (low, cut) if small else (cut, high)
        w = 2 * math.pi * np.arange(1, high + 1) / self._period
        return w, np.exp(self.terms * self.law.log_characteristic(w)) / (2 * np.sin(w / 2))

    def _is_small(self, w: float) -> bool:
        (log,) = self.law.log_characteristic(np.array([w]))
        return bool(self.terms * log < math.log(_OMITTED))

    def tail(self, least: Floats) -> Floats:
        """Return 1 - P(|Z| < t), with half the error added."""
        t = np.asarray(least, dtype=np.float64)
        inner = invert_characteristic(
            t.reshape(-1) - 0.5, *self._terms, 2 * math.pi / self._period
        )
        found = np.clip(1 - inner.reshape(t.shape) + ERROR / 2, ERROR / 2, 1)
        return np.where(t <= 0, 1.0, np.where(t > self.extent, ERROR / 2, found))


@lru_cache(maxsize=256)
def sum_law(law: CellLaw, cells: int) -> NoiseLaw:
    """Return the law of the sum of one or more noisy cells of a histogram."""
    check.check_whole(1, cells=cells)
    return law if cells == 1 else SumLaw(law, int(cells))
