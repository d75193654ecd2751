"""The discrete Gaussian law in floats: P(z) ~ exp(-z^2 / (2 sigma2)). PUBLIC.

>>> GaussianLaw(Fraction(10**8)).half_widths(np.array([[1.0, 0, 0, 0], [1, 1, 1, 1]])).round(
...     -2
... )
array([19600., 39200.])
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist

import numpy as np

from synth.noise.floats.law import LEVEL
from synth.noise.floats.sums import ERROR, CellLaw, SumLaw
from synth.privacy import PrivacyLoss
from synth.util import Floats, Mask

# Number of deviations that hold all but 1e-43 of the law.
_REACH_DEVIATIONS = 14
# Largest sigma2 whose variance is summed; above, both differ by less than a part in 10^30, as
# their ratio is 1 up to about exp(-2 pi^2 sigma2).
_SUMMED_VARIANCE = 4
# Least size of a value without weight in that sum: exp(-40^2 / 8) is 1e-87.
_WEIGHTLESS_SIZE = 40
# Largest sigma for which a privacy loss visits every value; above, it skips values.
_MAX_VISITED_SIGMA = 512


@dataclass(frozen=True)
class GaussianLaw(CellLaw):
    """Discrete Gaussian law of one value, by inversion of its characteristic function.

    Attributes:
        sigma2: The variance of the continuous law, in squared steps.
    """

    sigma2: Fraction

    error = ERROR
    is_stable = True

    @cached_property
    def _one_term(self) -> SumLaw:
        """The law of one value as that of a sum, which is inverted."""
        return SumLaw(self, 1)

    @property
    def scale(self) -> float:
        """Sigma: exponents of moments are shares of 1 / sigma."""
        return math.sqrt(self.sigma2)

    @property
    def squared_scale(self) -> float:
        """Sigma squared."""
        return float(self.sigma2)

    @cached_property
    def variance(self) -> float:
        """The variance: below sigma2 for small sigma, else equal to it in floats.

        For small sigma it is the sum over all values z with the weights exp(-z^2 / (2
        sigma2)).
        """
        if self.sigma2 > _SUMMED_VARIANCE:
            return float(self.sigma2)
        weights = [
            math.exp(-z * z / (2 * float(self.sigma2))) for z in range(_WEIGHTLESS_SIZE)
        ]
        total_weight = 2 * sum(weights) - 1  # both signs, and 0 once
        return 2 * sum(z * z * weight for z, weight in enumerate(weights)) / total_weight

    @property
    def extent(self) -> float:
        """P(|Z| > extent) is at most 1e-10."""
        return self._one_term.extent

    def tail(self, least: Floats) -> Floats:
        """Return P(|Z| >= least), shape of ``least``, by inversion."""
        return self._one_term.tail(least)

    def log_moment(self, share: Floats) -> Floats:
        """Return an upper bound of ln E exp(u Z), u = share / sigma."""
        return np.asarray(share**2 / 2)

    def log_characteristic(self, w: Floats) -> Floats:
        """Return ln E exp(i w Z) for each w: the logarithm of the characteristic function."""
        # From sigma 1 up by Poisson's summation: normal curves around multiples of 2 pi, over
        # the sum at 0. The curve around 0 is taken out as a factor. Below sigma 1 it is the
        # logarithm of 1 - 4 times the sum over z > 0 of P(z) sin^2(z w / 2).
        sigma2 = float(self.sigma2)
        if sigma2 >= 1:
            centres = 2 * np.pi * np.array([-3, -2, -1, 1, 2, 3])
            others = np.exp(-sigma2 * (centres * w[..., None] + centres**2 / 2)).sum(axis=-1)
            others_at_zero = float(np.exp(-sigma2 * centres**2 / 2).sum())
            log_curve_around_0 = -sigma2 * w**2 / 2
            return np.asarray(
                log_curve_around_0 + np.log1p(others) - math.log1p(others_at_zero)
            )
        z = np.arange(1, 12)  # at 12 the weight is below exp(-72), as sigma is below 1
        weights = np.exp(-(z**2) / (2 * sigma2))
        chances = weights / (1 + 2 * weights.sum())
        return np.asarray(np.log1p(-4 * (np.sin(w[..., None] * z / 2) ** 2) @ chances))

    def log_densities(self, gaps: Floats) -> Floats:
        """Return the logarithms of the densities at these sizes, up to a constant."""
        return np.asarray(gaps**2 / (-2 * self.variance))

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

        X has this law, Y the other one; both count as normal.
        """
        # By the normal law. From sigma 1 up the normalisers of both laws agree to 3e-9.
        # The width is enlarged by more than that, so that a doubtful case counts as True.
        deviation = np.hypot(step * self.deviation, other_step * other_law.deviation)
        width = NormalDist().inv_cdf((1 + level) / 2) * (1 + 1e-7)
        return np.asarray(size <= width * deviation)

    def half_widths(self, weights: Floats, level: float = LEVEL) -> Floats:
        """Return half widths of intervals of weighted sums, never too small, shape (sums,).

        ``weights`` has the shape (sums, numbers), ``level`` is the interval's probability.
        """
        largest = np.abs(weights).max(axis=1, initial=0.0)
        return self.bounded_halves(
            (weights**2).sum(axis=1), largest, weights.shape[1], level=level
        )

    def bounded_halves(
        self, squares: Floats, largest: Floats, _numbers: int, *, level: float = LEVEL
    ) -> Floats:
        """Return half widths of intervals of weighted sums, never too small, shape (sums,).

        They need only summaries of each sum's weights, and are as narrow as those from all
        weights.

        Args:
            squares: The sum of the squared weights, shape (sums,).
            largest: The size of the largest weight, or more, shape (sums,).
            _numbers: The number of weights, which does not matter here.
            level: The probability of the interval.
        """
        # Below pi over the largest weight, the characteristic function of the sum is a normal
        # number's up to exp(-sigma2 pi^2 / 2), for sigma of 4,096 or more. Let V be normal
        # noise of deviation s = 3 times the largest weight. Then S + V is a normal number up
        # to exp(-44), and P(|S| >= t) <= P(|S + V| >= t - 6 s) / P(V >= -6 s). Here 1 - 1e-8
        # is below P(V >= -6 s), 1e-14 is above exp(-44), and ``added`` is s.
        beyond = (1 - level) * (1 - 1e-8) - 1e-14
        added = 3 * largest
        quantile = NormalDist().inv_cdf(1 - beyond / 2)
        deviation = np.sqrt(float(self.sigma2) * np.sqrt(squares) ** 2 + added**2)
        return np.asarray(quantile * deviation + 6 * added)

    def loss(self, cells: int, move: int) -> PrivacyLoss:
        """Return the law of the privacy loss if 1 or 2 cells move by ``move`` = m each.

        With noise z the loss of one cell is (m^2 - 2 m z) / (2 sigma^2); that of two cells is
        the sum of their losses.
        """
        # P(sum = s) is exp(-s^2 / (4 sigma^2)) times a factor that depends on whether s is
        # even: sum over z of exp(-(z - s/2)^2 / sigma^2).
        sigma2 = float(self.sigma2)
        # For large sigma only every stride-th value of z is visited, an even number.
        stride = max(1, 2 * (int(self.scale) // (2 * _MAX_VISITED_SIGMA)))
        last = math.ceil(_REACH_DEVIATIONS * self.scale * math.sqrt(cells) / stride)
        z = np.arange(last, -last - 1, -1, dtype=np.float64) * stride
        weights = np.exp(-(z**2) / (2 * cells * sigma2))
        if cells == 2 and stride == 1:  # with a longer stride, all z are even
            every_value = np.arange(-last, last + 1)
            if_even = np.exp(-(every_value**2) / sigma2).sum()
            if_odd = np.exp(-((every_value + 0.5) ** 2) / sigma2).sum()
            weights *= np.where(z % 2 == 0, if_even, if_odd)
        losses = (cells * move**2 - 2 * move * z) / (2 * sigma2)
        return PrivacyLoss(losses, weights / math.fsum(weights))

    def renyi(self, order: float, cells: int, move: int) -> float:
        """Return the Renyi divergence of an order a > 1 if each cell moves by ``move`` = m.

        For each cell it is a m^2 / (2 sigma^2), a little less if (a - 1) m is not whole.
        """
        # By completing the square it is 1/(a - 1) times the logarithm of the sum of exp(-(z -
        # (1 - a) m)^2 / (2 sigma^2)) over the sum of exp(-z^2 / (2 sigma^2)).
        continuous_divergence = order * float(cells * move**2 / (2 * self.sigma2))
        if self.sigma2 > 16:  # the sums differ by less than e^-300
            return continuous_divergence
        z = np.arange(-40, 41)  # from -10 to 10 deviations or more, as sigma is at most 4
        # A shift by whole numbers does not change a sum over all z.
        offset = math.fmod((order - 1) * move, 1)
        shifted_sum = math.fsum(np.exp(-((z + offset) ** 2) / (2 * float(self.sigma2))))
        total_sum = math.fsum(np.exp(-(z**2) / (2 * float(self.sigma2))))
        return continuous_divergence + cells * math.log(shifted_sum / total_sum) / (order - 1)
