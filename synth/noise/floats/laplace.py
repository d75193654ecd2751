"""The discrete Laplace law in floats: P(z) = (1 - q) / (1 + q) q^|z|, q = exp(-1/scale).
PUBLIC.

>>> law = LaplaceLaw(Fraction(2))
>>> round(float(law.tail(np.array([6.0]))[0]), 4), round(law.deviation, 3)
(0.062, 2.799)
>>> law = LaplaceLaw(Fraction(10_000))
>>> law.half_widths(np.array([[1.0, 0, 0, 0], [1, 1, 1, 1]])).round(-2).tolist()
[30200.0, 57400.0]
>>> law.bounded_halves(np.array([4.0]), np.ones(1), 4).round(-2).tolist()
[90500.0]
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from synth.noise.floats.law import LEVEL
from synth.noise.floats.sums import CellLaw
from synth.util import Floats, Ints, Mask

if TYPE_CHECKING:
    from synth.privacy import PrivacyLoss


@dataclass(frozen=True)
class LaplaceLaw(CellLaw):
    """Discrete Laplace law of one value, in closed form.

    Attributes:
        exact_scale: The scale, exact if it is that of a mechanism.
    """

    exact_scale: Fraction | float

    error = 1e-14
    is_stable = False

    @property
    def scale(self) -> float:
        """The scale in floats: exponents of moments are shares of 1 / scale."""
        return float(self.exact_scale)

    @property
    def variance(self) -> float:
        """2 q / (1 - q)^2, about 2 scale^2."""
        rate = 1 / self.scale
        return 2 * math.exp(-rate) / math.expm1(-rate) ** 2

    @property
    def mean_absolute(self) -> float:
        """E |Z| = 2 q / (1 - q^2), about the scale."""
        rate = 1 / self.scale
        return -2 * math.exp(-rate) / math.expm1(-2 * rate)

    @property
    def extent(self) -> float:
        """P(|Z| > extent) is at most 1e-14."""
        return 1 + 33 * self.scale

    def tail(self, least: Floats) -> Floats:
        """Return P(|Z| >= t) for each t in ``least``, shape of ``least``.

        It is 1 for t <= 0, else 2 q^t / (1 + q), and never above 1. The error of floats is
        added, so that no tail is too small.
        """
        rate = 1 / self.scale
        chance = 2 * np.exp(-rate * np.asarray(least)) / (1 + math.exp(-rate))
        return np.where(np.asarray(least) <= 0, 1.0, np.minimum(1, chance * (1 + self.error)))

    @property
    def stop(self) -> float:
        """Z is the difference of two geometric numbers that stop with probability 1 - q."""
        return float(-np.expm1(-1 / self.scale))

    @property
    def ratio(self) -> float:
        """q = exp(-1 / scale)."""
        return math.exp(-1 / self.exact_scale)

    def chances(self, values: Ints) -> Floats:
        """Return P(Z = value), shape of the values."""
        return np.asarray((1 - self.ratio) / (1 + self.ratio) * self.ratio ** np.abs(values))

    def upper_tail(self, offsets: Floats) -> Floats:
        """Return P(Z >= offset) for whole numbers, shape of the offsets.

        It is q^offset / (1 + q) above 0; else it follows from the symmetry of Z.
        """
        q = np.exp(-1 / self.scale)
        # Both are computed everywhere; the maximum keeps what is not used from overflowing.
        far = np.exp(-np.maximum(offsets, 1) / self.scale) / (1 + q)
        near = 1 - np.exp(-np.maximum(1 - offsets, 1) / self.scale) / (1 + q)
        return np.asarray(np.where(offsets >= 1, far, near))

    def two_sided_tail(self, least: int) -> float:
        """Return P(|Z| >= least) = 2 q^least / (1 + q), for a whole number of at least 1."""
        rate = 1 / self.scale
        return 2 * math.exp(-rate * least) / (1 + math.exp(-rate))

    def positive_part(self, excess: Floats) -> tuple[Floats, Floats]:
        """Return E max(0, excess + Z) and E max(0, excess + Z)^2.

        Both have the shape of ``excess``, whose numbers need not be whole.

        >>> mean, square = LaplaceLaw(1.0).positive_part(np.array([0.0]))
        >>> round(2 * float(mean[0]), 4)  # the mean size of the noise
        0.8509
        """
        # By geometric series, with y >= 0, j the least whole number above y, a = j - y:
        # E max(0, Z - y)   = (1-q)/(1+q) q^j (a/(1-q) + q/(1-q)^2)
        # E max(0, Z - y)^2 = (1-q)/(1+q) q^j (a^2/(1-q) + 2aq/(1-q)^2 + q(1+q)/(1-q)^3)
        # The other side follows from the symmetry of Z.
        q = self.ratio
        distance = np.abs(excess)
        first = np.floor(distance) + 1
        a = first - distance
        weight = (1 - q) / (1 + q) * q**first
        mean = weight * (a / (1 - q) + q / (1 - q) ** 2)
        square = weight * (
            a**2 / (1 - q) + 2 * a * q / (1 - q) ** 2 + q * (1 + q) / (1 - q) ** 3
        )
        above = excess > 0
        # For y > 0: max(0, y + Z) = y + Z + max(0, -Z - y), and E Z = 0.
        return (
            np.where(above, excess + mean, mean),
            np.where(above, excess**2 + self.variance - square, square),
        )

    def chance_above(self, excess: Floats) -> Floats:
        """Return P(excess + Z > 0), shape of the excess, which need not be whole.

        For whole t >= 1, P(Z >= t) = q^t / (1 + q). Up to an excess y of 0, t is the least
        whole number above |y|. Above 0 it is 1 - P(Z >= t), with y rounded up to t.
        """
        q = self.ratio
        beyond = q ** (np.floor(np.abs(excess)) + 1) / (1 + q)
        return np.where(excess > 0, 1 - q ** np.ceil(np.abs(excess)) / (1 + q), beyond)

    def log_moment(self, share: Floats) -> Floats:
        """Return ln E exp(u Z) at u = share / scale, shape of ``share``, without overflow.

        Shares are below 1. The result is -ln(1 - q (e^(u/2) - e^(-u/2))^2 / (1 - q)^2).
        """
        rate = 1 / self.scale
        root = np.exp(-(1 - share) * rate / 2) * np.expm1(-share * rate) / math.expm1(-rate)
        return -np.log1p(-(root**2))

    def log_characteristic(self, w: Floats) -> Floats:
        """Return ln E exp(i w Z) for each w: the logarithm of the characteristic function.

        It is -ln(1 + 2 v sin^2(w / 2)), with v the variance.
        """
        return -np.log1p(2 * self.variance * np.sin(w / 2) ** 2)

    def log_densities(self, gaps: Floats) -> Floats:
        """Return the logarithms of the densities at these sizes: -size / scale."""
        return np.asarray(np.abs(gaps) / -self.scale)

    def exceeds(
        self,
        size: Floats,
        step: float,
        other_law: CellLaw,
        *,
        other_step: Floats,
        level: float,
    ) -> Mask:
        """Return whether P(|step X - other_step Y| >= size) > 1 - level, shape (k,).

        X and Y are noise of this law and of the other one. As if they were continuous: with
        scales a and b, the probability is (a^2 exp(-x / a) - b^2 exp(-x / b)) / (a^2 - b^2),
        or exp(-x / a) (1 + x / (2 a)) for equal ones.
        """
        first_scale = step * self.scale
        second_scale = other_step * other_law.scale
        a = np.maximum(first_scale, second_scale)
        b = np.minimum(first_scale, second_scale)
        # Nearly equal scales count as equal, as the quotient of differences is not precise.
        is_equal = a - b < 1e-5 * a
        b = np.where(is_equal, a, np.maximum(b, 1e-12 * a))  # never 0, by which x is divided
        difference = a**2 * np.exp(-size / a) - b**2 * np.exp(-size / b)
        # Both formulas are computed everywhere; 1 in place of a denominator of 0.
        of_unequal = difference / np.where(is_equal, 1, a**2 - b**2)
        of_equal = np.exp(-size / a) * (1 + size / (2 * a))
        chance = np.where(is_equal, of_equal, of_unequal)
        return np.asarray(chance > 1 - level)

    def half_widths(self, weights: Floats, level: float = LEVEL) -> Floats:
        """Return half widths of intervals of weighted sums, never too small, shape (sums,).

        ``weights`` has the shape (sums, numbers), ``level`` is the interval's probability.
        The law of continuous Laplace noise is inverted.
        """
        from synth.noise.floats.laplace_sums import quantiles  # slow, for few sums only

        # Discrete Laplace noise is the difference of the whole parts of two exponential
        # numbers: less than one step from continuous noise of that scale.
        sizes = np.abs(weights)
        deviation = math.sqrt(2) * self.scale * np.sqrt((sizes**2).sum(axis=1))
        shares = sizes * self.scale / np.maximum(deviation, 1e-300)[:, None]  # never / 0
        return np.asarray(quantiles(shares, level) * deviation + sizes.sum(axis=1))

    def bounded_halves(
        self, squares: Floats, largest: Floats, numbers: int, *, level: float = LEVEL
    ) -> Floats:
        """Return half widths of intervals of weighted sums, never too small, shape (sums,).

        They need only summaries of each sum's weights. By Chernoff's bound, they are wider
        than those from all weights.

        Args:
            squares: The sum of the squared weights, shape (sums,).
            largest: The size of the largest weight, or more, shape (sums,).
            numbers: The number of weights of a sum.
            level: The probability of the interval.
        """
        # Let x = (u s w)^2 for each weight w at scale s, and y at least the largest x. Then
        # ln E exp(u S) is the sum of -ln(1 - x), each at most x times -ln(1 - y) / y.
        effective_numbers = squares / largest**2
        log_chance = math.log(2 / (1 - level))
        bounds = np.full(len(effective_numbers), np.inf)  # the least for any share so far
        # The bound holds for any exponent u, here as a share of the largest with a moment,
        # which is 1 / (s largest). Then y is share^2, and the sum of all x is y times the
        # effective number: so many weights of the largest size have the same squares in all.
        for share in np.linspace(0.02, 0.99, 98).tolist():
            log_moments = -effective_numbers * math.log1p(-(share**2))
            bounds = np.minimum(bounds, (log_chance + log_moments) / share)
        # Less than a step on each number, of all weights together by Cauchy and Schwarz.
        discretisation = np.sqrt(numbers * squares)
        return np.asarray(self.scale * largest * bounds + discretisation)

    def mean_sizes(self, weights: Floats) -> Floats:
        """Return about the expected absolute values of weighted sums of noise, shape (sums,).

        ``weights`` has the shape (sums, numbers). The result is between that of a normal and
        that of a Laplace number of the same deviation, by the fourth cumulant.
        """
        squares = (weights**2).sum(axis=1)
        # The excess kurtosis as a share of a Laplace number's: 1 for one weight, 0 for many.
        excess = (weights**4).sum(axis=1) / np.maximum(squares, 1e-300) ** 2
        # A Laplace number's mean size is sqrt(pi) / 2 of that of a normal number of the same
        # deviation.
        normal = super().mean_sizes(weights)
        return np.asarray(normal * (1 - excess * (1 - math.sqrt(math.pi) / 2)))

    def loss(self, cells: int, move: int) -> "PrivacyLoss":
        """Return the law of the privacy loss if 1 or 2 cells move by ``move`` = m each.

        With noise z the loss of one cell is (|z - m| - |z|) / scale. Times the scale, it is
        every second whole number from -m to m. The law of two cells is a convolution.
        """
        from synth.privacy import PrivacyLoss

        log_q = -1 / self.scale
        q = math.exp(log_q)
        # Times 1 + q: P(z >= m), then P(z = k) for k = m - 1, ..., 1, and P(z <= 0).
        at_least_m = math.exp(move * log_q)
        between = np.exp(np.arange(1, move)[::-1] * log_q) * (1 - q)
        chances = np.array([at_least_m, *between, 1.0])
        # Of the losses -m, -m + 1, ..., m in units of 1 / scale, every second one occurs.
        masses = np.zeros(2 * move + 1)
        masses[::2] = chances / (1 + q)
        if cells == 2:
            masses = np.convolve(masses, masses)
        steps = np.arange(masses.size) - cells * move
        is_possible = masses > 0
        return PrivacyLoss(steps[is_possible] / self.scale, masses[is_possible])

    def renyi(self, order: float, cells: int, move: int) -> float:
        """Return the Renyi divergence of an order above 1, from the law of the loss."""
        return self.loss(cells, move).renyi(order)
