"""The law of one coordinate of K-norm noise, and of the largest of all of them. PUBLIC.

>>> cube = CubeLaw(2, Fraction(3))
>>> [round(float(chance), 4) for chance in cube.tail(np.array([0.0, 1.0, 10.0]))]
[1.0, 0.9163, 0.1083]
>>> round(cube.largest(2), 3)
5.972
"""
# P(z) ~ q^ceil(norm(z)), q = exp(-1/scale), is a mixture over a radius R of uniform points of
# the ball of R. In l-infinity the ball is a cube: everything is a sum over R. In l2 a ball
# with few points is counted in slices; a larger one is compared with a continuous ball.

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache

import numpy as np

from synth.noise.floats.law import NoiseLaw
from synth.util import Floats, Ints

# Radii with a weight below exp(-40) of the largest are left out: 1e-11 in all.
_OMITTED_LOG_WEIGHT = 40.0
_CUBE_ERROR = 1e-10
# Square of dimension over scale up to which steps count as fine; the error is smaller.
CUBE_FINE = 1e-6
# Most radii; if there are more, neighbours are grouped.
_RADII = 1 << 17
# Number of sizes with computed densities; between them, interpolation is linear.
_PLACES = 4_096
_BALL_LOGS = 25.0
_COUNTED_RADIUS = 150
# Sizes of a standard normal number at which its integrals are computed, by the trapezoid
# rule.
_NORMALS = np.linspace(0.0, 9.0, 1_801)


def _radius_beyond(dimension: int, scale: float, logs: float) -> int:
    """Return a radius that K-norm noise exceeds with probability about exp(-logs).

    The radius over the scale is about a Gamma number of shape dimension + 1, whose tail has
    this bound.
    """
    shape = dimension + 1
    return math.ceil(scale * (shape + math.sqrt(2 * shape * logs) + logs)) + 2


@dataclass(frozen=True)
class CubeLaw(NoiseLaw):
    """One coordinate of K-norm noise in l-infinity."""

    # R has weight (2 R + 1)^dimension q^R, and Z is uniform on [-R, R]. So P(|Z| >= t) is the
    # sum over R >= t of the weights times 2 (R - t + 1) / (2 R + 1).

    dimension: int
    scale: Fraction

    @property
    def error(self) -> float:
        """1e-10; infinite (a bound) if radii are grouped."""
        return _CUBE_ERROR if self._step == 1 else math.inf

    @cached_property
    def _window(self) -> tuple[int, int]:
        """The least and the largest radius that are summed over; the others weigh nothing.

        The radius is about a Gamma number of shape d + 1 and this scale. By Chernoff's bound,
        it is below the one end with a probability of about exp(-45), and above the other with
        exp(-40). Two more on each side are for the difference from that law.
        """
        d = self.dimension
        s = float(self.scale)
        below = math.sqrt(2 * (d + 1) * (_OMITTED_LOG_WEIGHT + 5))
        return max(0, math.floor(s * (d + 1 - below)) - 2), _radius_beyond(
            d, s, _OMITTED_LOG_WEIGHT
        )

    @property
    def _step(self) -> int:
        """How many successive radii form a group; 1 if there are at most `_RADII`."""
        first, last = self._window
        return -(-(last - first + 1) // _RADII)

    @cached_property
    def radii(self) -> tuple[Floats, Floats]:
        """The radii that are summed over, and an upper bound of the probability of each.

        If there are too many radii, successive ones form groups of `_step`. Then they are the
        largest radius of each group, ascending, and a bound of the group's probability.
        """
        # The weights rise to one mode, whose weight is 1, then fall. So no weight in a group
        # is above the larger one at its ends, or above 1 in the mode's group, nor below the
        # smaller one. The quotient of these bounds is at least the group's probability.
        first, last = self._window
        step = self._step
        begin = first if step == 1 else first - 1  # groups begin before their first radius
        r = np.arange(begin, last + step, step, dtype=np.float64)
        weights = self._weights(r)
        if step == 1:
            return r, weights / weights.sum()
        before_group = weights[:-1]  # at the radius before the first one of each group
        at_end = weights[1:]  # at its largest radius
        mode = self.dimension * float(self.scale) - 0.5
        has_mode = (r[:-1] <= mode) & (mode <= r[1:])
        upper_bounds = np.where(has_mode, 1.0, np.maximum(before_group, at_end))
        lower_bounds = np.minimum(before_group, at_end)
        return r[1:], upper_bounds / lower_bounds.sum()

    def _weights(self, r: Floats) -> Floats:
        """Return the weight (2 r + 1)^d exp(-r / s) of each radius r, shape of ``r``.

        d is the dimension and s the scale. Weights are divided by the largest one, so that
        none overflows.
        """
        d = self.dimension
        s = float(self.scale)
        mode = max(0.0, d * s - 0.5)
        # The first group of radii may begin at -1, where 2 r + 1 has no logarithm.
        logs = d * np.log(np.maximum(2 * r + 1, 0.5)) - r / s
        return np.asarray(np.exp(logs - (d * math.log(2 * mode + 1) - mode / s)))

    @cached_property
    def _middles(self) -> tuple[Floats, Floats]:
        """The middle radius of each group, and its probability, not rounded upwards."""
        middles = self.radii[0] - (self._step - 1) / 2
        weights = self._weights(middles)
        return middles, weights / weights.sum()

    @cached_property
    def _tails(self) -> tuple[Floats, Floats]:
        """Two sums over all radii r from each one on, with their probabilities w.

        They are of w (r + 1) / (2 r + 1) and of w / (2 r + 1), shape (radii + 1,); the last
        is 0. Of the numbers from -r to r, r + 1 - t of 2 r + 1 are at least t. So P(Z >= t)
        is the first sum less t times the second, both from the first radius r >= t on.
        """
        r, w = self.radii
        parts = np.stack([w * (r + 1) / (2 * r + 1), w / (2 * r + 1)])
        sums = np.zeros((2, len(r) + 1))
        sums[:, :-1] = np.cumsum(parts[:, ::-1], axis=1)[:, ::-1]
        return sums[0], sums[1]

    @property
    def deviation(self) -> float:
        """The root of E R (R + 1) / 3."""
        r, w = self._middles
        return math.sqrt(float(w @ (r * (r + 1))) / 3)

    @property
    def expected_size(self) -> float:
        """E |Z| = E R (R + 1) / (2 R + 1)."""
        r, w = self._middles
        return float(w @ (r * (r + 1) / (2 * r + 1)))

    @property
    def is_fine(self) -> bool:
        """Whether the law is nearly continuous, as its steps are small next to the scale.

        Then the square of dimension over scale is at most `CUBE_FINE`.
        """
        return self.dimension**2 <= float(self.scale) ** 2 * CUBE_FINE

    def characteristic(self, w: Floats) -> Floats:
        """Return about E cos(w Z) for each w: the characteristic function, if `is_fine`."""
        # R is about a Gamma number, Z even in [-R, R]: it is the imaginary part of (1 - i
        # x)^-dimension over x dimension, x = w scale.
        x = w * float(self.scale)
        d = self.dimension
        angle = np.arctan(x)
        return np.asarray(np.cos(angle) ** d * np.sin(d * angle) / (d * x))

    @property
    def extent(self) -> float:
        """The largest radius that counts."""
        return float(self.radii[0][-1])

    def _place(self, t: Floats, last: int) -> Ints:
        """Return the index of the first radius, or group, with R >= t for each t.

        ``last`` is returned for a t beyond all radii.
        """
        place = np.ceil((np.ceil(t) - self.radii[0][0]) / self._step)
        return np.asarray(np.clip(place, 0, last), dtype=np.int64)

    def tail(self, least: Floats) -> Floats:
        """Return P(|Z| >= least), shape of ``least``: a sum over radii."""
        t = np.asarray(least, dtype=np.float64)
        # P(Z >= t) is the first sum less t times the second, from the first radius R >= t on;
        # twice that is for both signs.
        level_sums, slope_sums = self._tails
        place = self._place(t, len(level_sums) - 1)
        tails = 2 * (level_sums[place] - (t * slope_sums[place])) + _CUBE_ERROR / 2
        return np.where(t <= 0, 1.0, np.clip(tails, _CUBE_ERROR / 2, 1))

    def _norm_to_radius(self, r: Floats) -> Floats:
        """Return P(the norm is r) over P(the radius is r), for each radius r.

        The noise is a uniform point of a cube of random radius R, so its norm is R or less.
        R has the weight (2 R + 1)^dimension q^R, with q = exp(-1 / scale). The quotient is
        the share of the cube's points on its surface, over 1 - q. That share is
        1 - ((2 r - 1) / (2 r + 1))^dimension.
        """
        # At radius 0 the cube has no inner points; a tiny number keeps the logarithm finite.
        inner = np.maximum(2 * r - 1, 1e-300) / (2 * r + 1)
        return np.asarray(
            np.expm1(self.dimension * np.log(inner)) / np.expm1(-1 / float(self.scale))
        )

    def largest(self, _coordinates: int) -> float:
        """Return the expected largest absolute coordinate, which is the expected norm."""
        r, w = self._middles
        return float((w * self._norm_to_radius(r)) @ r)

    def log_densities(self, gaps: Floats) -> Floats:
        """Return the logarithm of one coordinate's density at each noise, shape of ``gaps``.

        It is up to a constant: 0 at no noise, else negative.
        """
        # One coordinate is uniform on [-R, R], and R / scale is about a Gamma number of shape
        # d + 1. So the density is the probability that a Gamma number of shape d is at least
        # as large.
        sizes = np.abs(gaps) / float(self.scale)
        places, logs = _log_tails(self.dimension)
        log_densities: Floats = np.interp(sizes, places, logs)
        is_far = sizes > places[-1]
        log_densities[is_far] = _log_far(sizes[is_far], self.dimension)
        return log_densities


@cache
def _log_tails(shape: int) -> tuple[Floats, Floats]:
    """Return numbers x and log P(X > x) at each, for X of a Gamma law with this shape.

    They are computed by the trapezoidal rule up to the last x, and by a bound beyond it.
    Both arrays have the shape (`_PLACES`,).
    """
    # Up to 12 standard deviations above the mean, and 40 more for laws with few dimensions.
    places = np.linspace(0.0, shape + 12 * math.sqrt(shape) + 40, _PLACES)
    densities = np.exp(
        (shape - 1) * np.log(np.maximum(places, 1e-300)) - places - math.lgamma(shape)
    )
    spacing = places[1]
    areas = (densities[1:] + densities[:-1]) * spacing / 2
    # Sums of the areas from each x on, and the bound of what is beyond the last x.
    beyond = np.append(np.cumsum(areas[::-1])[::-1], 0.0) + np.exp(
        _log_far(places[-1:], shape)
    )
    return places, np.log(beyond / beyond[0])


def _log_far(sizes: Floats, shape: int) -> Floats:
    """Return a bound of log P(X > x), X of a Gamma law, at each x in ``sizes`` above shape.

    It is the logarithm of the density at x over 1 - (shape - 1) / x.
    """
    logs: Floats = (shape - 1) * np.log(sizes) - sizes - math.lgamma(shape)
    return logs - np.log1p(-(shape - 1) / sizes)


def is_countable(dimension: int, scale: Fraction) -> bool:
    """Return whether the l2 balls of this noise have few enough integer points to count.

    That is so if nearly all radii are at most `_COUNTED_RADIUS`.
    """
    return _radius_beyond(dimension, float(scale), _BALL_LOGS) <= _COUNTED_RADIUS


@lru_cache(maxsize=16)
def _points(dimension: int, largest: int) -> Ints:
    """Return how many integer points have a squared length of at most n, n = 0, ..., largest.

    ``dimension`` is that of the points. One dimension is added after the other. A point of
    squared length n has a last coordinate 0, or plus or minus root; its other coordinates
    have a squared length of n - root^2.
    """
    # First the points of exactly this squared length, in one dimension.
    squares = np.zeros(largest + 1, np.int64)
    squares[np.arange(math.isqrt(largest) + 1) ** 2] = 2
    squares[0] = 1
    exact = squares
    for _ in range(dimension - 1):
        wider = exact.copy()
        for root in range(1, math.isqrt(largest) + 1):
            wider[root * root :] += 2 * exact[: largest + 1 - root * root]
        exact = wider
    return np.cumsum(exact)


@dataclass(frozen=True)
class BallLaw(NoiseLaw):
    """One coordinate of K-norm noise in l2, in 2 to 8 dimensions, by counting."""

    # The slice at Z = a of the ball of radius R has as many points as the ball of radius
    # sqrt(R^2 - a^2) in one dimension less. Counts are exact; weights and their sums are
    # floats.

    dimension: int
    scale: Fraction

    error = 1e-8

    @cached_property
    def _chances(self) -> Floats:
        """P(Z = a) for a = 0, 1, ..., Z one coordinate of the noise; the law is symmetric.

        They are sums over integer radii r, each of weight exp(-r / scale). If a point of the
        ball has the coordinate a, its others have a squared length of at most r^2 - a^2.
        """
        last = _radius_beyond(self.dimension, float(self.scale), _BALL_LOGS)
        # How many points of the other coordinates have a squared length of at most n.
        points_within = _points(self.dimension - 1, last * last)
        radius_weights = np.exp(-np.arange(last + 1) / float(self.scale))
        squared_radii = np.arange(last + 1) ** 2
        sums = [
            points_within[squared_radii[a:] - a * a] @ radius_weights[a:]
            for a in range(last + 1)
        ]
        chances = np.array(sums, dtype=np.float64)
        # Each but a = 0 stands for -a too.
        return np.asarray(chances / (2 * chances.sum() - chances[0]))

    @cached_property
    def _tails(self) -> Floats:
        """P(|Z| >= t) for t = 1, 2, ..., and a 0 at the end."""
        return np.append(2 * np.cumsum(self._chances[:0:-1])[::-1], 0.0)

    @property
    def deviation(self) -> float:
        """Standard deviation of Z."""
        return math.sqrt(2 * float(self._chances @ np.arange(len(self._chances)) ** 2))

    @property
    def extent(self) -> float:
        """The largest radius that counts."""
        return len(self._chances) - 1.0

    def tail(self, least: Floats) -> Floats:
        """Return P(|Z| >= least), shape of ``least``, with half the error added.

        Between whole numbers it is interpolated.
        """
        t = np.asarray(least, dtype=np.float64)
        # `_tails` begins with t = 1.
        place = np.clip(t - 1, 0, len(self._tails) - 1)
        tails = np.interp(place, np.arange(len(self._tails)), self._tails) + self.error / 2
        return np.where(t <= 0, 1.0, np.minimum(1, tails))

    def largest(self, coordinates: int) -> float:
        """Return the expected largest coordinate in the continuous limit."""
        return NearBallLaw(self.dimension, self.scale).largest(coordinates)


@dataclass(frozen=True)
class NearBallLaw(NoiseLaw):
    """A bound for one coordinate of K-norm noise in l2 at scales too large to count.

    Let X be the continuous noise of density ~ exp(-|x| / scale). If all points of A are at
    least t >= 2 from 0 in some coordinate, with b = t - 1/2 and cubes of side 1 around the
    points,

        P(Z in A) <= exp((1 + e) / scale) P(X in A + cube),  e = d / 12 / (b + sqrt(b^2 - d /
        12)).

    X is sqrt(W) times independent normal numbers times the scale, W chi-squared with d + 1
    degrees of freedom."""

    # Proof. ceil(|z|) is within 1 of |z|. The sum of exp(-|z| / scale) over all points is at
    # least its integral, by Poisson's summation with a transform that is nowhere negative.
    # Over A, exp(-sqrt(n - d / 12) / scale) is convex in n = |x|^2, whose mean over the cube
    # around z is |z|^2 + d / 12. So, by Jensen, it is at z at most its mean over the cube. X
    # is a mixture with characteristic function (1 + w^2)^(-(d + 1)/2).

    dimension: int
    scale: Fraction

    error = math.inf

    def factor(self, distance: Floats) -> Floats:
        """Return a bound of P(Z in A) / P(X in A and cubes around) for sets A, by distance.

        Z is this noise, X continuous noise, and all cubes lie at least ``distance`` = b from
        0 in some coordinate. For b beyond sqrt(d / 12), d the dimension, the bound is exp((1
        + e) / scale), with e = d / 12 / (b + sqrt(b^2 - d / 12)). It has the shape of b.
        """
        shift = self.dimension / 12
        root = np.sqrt(np.maximum(distance**2 - shift, 0))
        return np.exp((1 + shift / (distance + root)) / float(self.scale))

    @property
    def deviation(self) -> float:
        """Standard deviation of the continuous noise X on one number: scale sqrt(d + 1).

        That of the integer noise Z differs by about 1 / scale of it at most.
        """
        return float(self.scale) * math.sqrt(self.dimension + 1)

    @property
    def expected_size(self) -> float:
        """Expected size of the continuous noise X: scale E sqrt(W) sqrt(2 / pi)."""
        return float(self.scale) * self._root * math.sqrt(2 / math.pi)

    def largest(self, _coordinates: int) -> float:
        """Return the expected largest absolute coordinate of the continuous noise X.

        It is scale E sqrt(W) E max |N|, with W chi-squared with d + 1 degrees of freedom, d
        the dimension, and N independent normal numbers. For the integer noise it is good from
        a scale of about 4 up; at scale 1 it is up to a sixth too large.
        """
        # E max |N| is the integral of 1 - P(all |N| <= t) over t > 0, here at the `_NORMALS`.
        # ``inner`` is P(all |N| <= t), and `_root` is E sqrt(W).
        inner = _inner_normal() ** self.dimension
        return float(self.scale) * self._root * float(np.trapezoid(1 - inner, _NORMALS))

    @property
    def _root(self) -> float:
        """E sqrt(W), for W chi-squared with d + 1 degrees of freedom."""
        d = self.dimension
        return math.sqrt(2) * math.exp(math.lgamma(d / 2 + 1) - math.lgamma((d + 1) / 2))

    @property
    def extent(self) -> float:
        """A radius that the noise exceeds with probability about exp(-40)."""
        return float(_radius_beyond(self.dimension, float(self.scale), _OMITTED_LOG_WEIGHT))

    @cached_property
    def _mixture(self) -> tuple[Floats, Floats]:
        """The law of a number of the continuous noise X, as a mixture of normal laws.

        Let W be chi-squared with d + 1 degrees of freedom, where d is the dimension. Given W,
        a number of X is normal with mean 0 and deviation scale sqrt(W). The mixture is over a
        grid of W.

        Returns:
            sqrt(2) times the deviation of each normal law, and its probability, both of shape
            (grid points,).
        """
        # Values of ln W with all but next to nothing of the law, a tenth apart. The density
        # of ln W at ln w is proportional to w^((d + 1) / 2) exp(-w / 2).
        logs = np.linspace(-14.0, 6.5, 206)
        w = np.exp(logs)
        weights = np.exp((self.dimension + 1) / 2 * logs - w / 2)
        return float(self.scale) * np.sqrt(2 * w), weights / weights.sum()

    def tail(self, least: Floats) -> Floats:
        """Return a bound of P(|Z| >= least), shape of ``least``; 1 below 2.

        It is the tail of the continuous noise X, from half a cube nearer, times `factor`.
        """
        t = np.asarray(least, dtype=np.float64)
        distances = np.maximum(t, 2) - 0.5  # the cubes around the points reach so near
        tails = self.factor(distances) * self.continuous_tail(distances) + 1e-11  # for floats
        return np.where(t < 2, 1.0, np.minimum(1, tails))

    def distance(self, chance: float) -> float:
        """Return t such that Z rarely exceeds t + half a cube in a given direction.

        The probability is at most ``chance``. The cubes are those of side 1 around integer
        points.
        """
        # By bisection of the bound: `factor` times the tail of X, whose law is the same in
        # all directions. `factor` holds from the lower end on.
        low = math.sqrt(self.dimension / 12)
        high = self.extent
        for _ in range(60):  # halvings, to the precision of floats
            middle = np.array([(low + high) / 2])
            beyond = float((self.factor(middle) * self.continuous_tail(middle))[0])
            if beyond <= chance:
                high = float(middle[0])
            else:
                low = float(middle[0])
        return high

    def continuous_tail(self, least: Floats) -> Floats:
        """Return P(|X| >= least) of the continuous noise X on one number, shape of ``least``.

        It is a mixture of the tails of normal laws.
        """
        sizes, chances = self._mixture
        return np.array([chances @ _normal_tails(t / sizes) for t in least.flat]).reshape(
            least.shape
        )


def _normal_tails(sizes: Floats) -> Floats:
    """Return P(|N| >= sqrt(2) size) for a standard normal number N, shape of ``sizes``."""
    return np.array([math.erfc(size) for size in np.maximum(sizes, 0).tolist()])


def _inner_normal() -> Floats:
    """Return P(|N| <= size) for a standard normal number N, at each of the `_NORMALS`."""
    return np.array([math.erf(size / math.sqrt(2)) for size in _NORMALS.tolist()])
