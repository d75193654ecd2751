"""Means and shares from a noisy pair, with intervals from the exact law of the noise. PUBLIC.

Fieller's test (1954) rejects the true ratio in at most 5 of 100 releases.

>>> from fractions import Fraction
>>> from synth.noise.laplace import DiscreteLaplace
>>> noise = pair_noise(
...     DiscreteLaplace(Fraction(1000)), DiscreteLaplace(Fraction(10)), step=0.05
... )
>>> found = ratios(np.array([1_250.0]), np.array([1_000.0]), noise, ends=(-50, 50))
>>> found.value.round(2).tolist(), found.low.round(2).tolist(), found.high.round(2).tolist()
([1.25], [1.1], [1.4])
"""
# A mean is S / N, a noisy total over a noisy count. With s = S + E1 and c = N + E2, s - r c =
# E1 - r E2 if S = r N, for every N. So r is accepted if and only if |s - r c| is at most the
# 95 % quantile of |E1 - r E2|. The interval ranges from the smallest accepted r to the
# largest.

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from synth.errors import ArgumentError
from synth.noise import (
    LEVEL,
    BallLaw,
    CellLaw,
    CubeLaw,
    Mechanism,
    NearBallLaw,
    NoiseLaw,
    law_of,
    reach,
)
from synth.util import Floats, Mask, check

# Up to this deviation, in steps, the noise of a count is summed value by value. Above, each
# coordinate is coupled with a continuous one within half a step of it (`_Smooth`), which
# costs half a step of either.
_MAX_SUMMED_DEVIATION = 4.0
# Most entries of the table of the total's noise, on one side of 0.
_MAX_TABLE_ENTRIES = 1 << 16
# Number of ratios of two scales with stored quantiles of K-norm noise in l-infinity.
_GRID = 256
# Each halves the interval of the end, so that the last is 2^-36 of the range.
_RATIO_BISECTIONS = 36
# Bisections of quantiles of K-norm noise.
_QUANTILE_BISECTIONS = 40
# Groups for which probabilities are computed at a time, to limit memory.
_CHUNK_GROUPS = 1 << 10
# Probability of the count's noise beyond the sum; it is added to that of the pair.
_NEGLECTED_PROBABILITY = 1e-6


class PairNoise(Protocol):
    """The joint law of the noise E1 of a total and E2 of a count, in their units."""

    @property
    def count_law(self) -> NoiseLaw:
        """Law of the count's noise, in its steps."""

    @property
    def count_step(self) -> float:
        """A step of the count, in rows."""

    def accepts(self, size: Floats, ratio: Floats, level: float) -> Mask:
        """Return whether P(|E1 - ratio E2| >= size) > 1 - level, shape (groups,).

        E1 and E2 are the noises of a total and of its count. True may be wrong by a bound or
        by rounding, False never, so that intervals are never too short.

        Args:
            size: The size of total - ratio * count, in units, shape (groups,).
            ratio: The tried ratio of each group, same shape.
            level: The probability with which a true ratio is accepted.
        """


@dataclass(frozen=True, eq=False, kw_only=True)
class Ratios:
    """Means or shares of groups, each of shape (groups,), within the declared range.

    Attributes:
        value: Noisy total over noisy count; the middle of the range if there is no answer.
        low, high: The interval; the whole range if there is no answer.
    """

    value: Floats
    low: Floats
    high: Floats
    answered: Mask


def ratios(
    totals: Floats,
    counts: Floats,
    noise: PairNoise,
    *,
    ends: tuple[float, float],
    level: float = LEVEL,
) -> Ratios:
    """Return ratios of noisy totals and counts, with intervals that hold the true ratio.

    A group has no answer if the interval of its count reaches 0. Intervals hold the truth in
    95 of 100 releases if "no answer" counts as the whole range. Among small groups with an
    answer they do so less often. A truth at an end of the range can be lost on one side only:
    97.5 of 100.

    Args:
        totals: Noisy totals of the groups, in units of the column; shape (groups,).
        counts: Noisy numbers of rows of the groups; same shape.
        noise: The joint law of the noise on a total and on its count.
        ends: The least and the greatest possible ratio: of values less the middle of their
            range for means, 0 and 1 for shares.
        level: The probability with which an interval holds the true ratio.

    Raises:
        ArgumentError: The range is empty, or the shapes differ.
    """
    # If no ratio of the range is accepted, which the noise causes in at most 5 of 100
    # releases, the interval is the nearest end.
    low, high = ends
    check.finite(low=low, high=high)
    check.in_range(0.5, 1 - 1e-4, level=level)
    if not low < high or totals.shape != counts.shape or totals.ndim != 1:
        raise ArgumentError(
            "ratios need totals and counts of one shape (groups,), and low below high."
        )
    # The interval of the count must not reach 0.
    answered = counts > noise.count_step * reach(noise.count_law, level)
    s = totals[answered].astype(float)
    c = counts[answered].astype(float)
    middle = np.clip(s / c, low, high)
    # Groups without an answer have the whole range as their interval.
    defaults = ((low + high) / 2, low, high)
    value, below, above = (np.full(totals.shape, float(end)) for end in defaults)
    value[answered] = middle

    def is_accepted(ratio: Floats) -> Mask:
        return noise.accepts(np.abs(s - ratio * c), ratio, level)

    below[answered] = _find_outermost(is_accepted, middle, end=low)
    above[answered] = _find_outermost(is_accepted, middle, end=high)
    return Ratios(value=value, low=below, high=above, answered=answered)


def _find_outermost(
    is_accepted: Callable[[Floats], Mask], inner: Floats, *, end: float
) -> Floats:
    """Return the outermost accepted ratio of each group between ``inner`` and ``end``.

    It is found by bisection, and returned a little too far out rather than too near.

    Args:
        is_accepted: Returns which ratios, one a group, the test does not reject.
        inner: The noisy ratio of each group, within the possible range; shape (groups,).
        end: The end of the possible range towards which to search.
    """
    # With s and c the noisy total and count, |s - r c| grows by c for each unit of r. The
    # quantile of the noise |E1 - r E2| grows by less if the count has an answer. So there is
    # one change from accepted to rejected.
    inside = inner.copy()
    outside = np.full(inner.shape, float(end))
    is_outside_accepted = is_accepted(outside)
    for _ in range(_RATIO_BISECTIONS):
        cut = (inside + outside) / 2
        accepted = is_accepted(cut)
        inside = np.where(accepted, cut, inside)
        outside = np.where(accepted, outside, cut)
    return np.where(is_outside_accepted, end, outside)


def pair_noise(
    total: Mechanism, count: Mechanism, *, step: float, count_step: float = 1.0
) -> PairNoise:
    """Return the joint law of the noise on a total and on the count that divides it.

    They are two independent numbers, or two coordinates of one vector with K-norm noise.

    Args:
        total, count: Noise of one kind; for a vector twice the vector's noise.
        step, count_step: A step of the total's noise in units, of the count's in rows.

    Raises:
        ArgumentError: The two are of different kinds, or a vector has one coordinate.
    """
    check.positive(step=step, count_step=count_step)
    law = law_of(total)
    other_law = law_of(count)
    # A law of one number, or of a vector uniform in a cube or a ball given its radius. A
    # vector of a single coordinate has no second one for the count.
    if type(law) is not type(other_law) or (total.is_joint and total.fits(1)):
        raise ArgumentError("A ratio needs noise of one kind on two numbers.")
    if isinstance(law, CellLaw) and isinstance(other_law, CellLaw):
        # Narrow noise is summed value by value, wide noise counts as continuous.
        if other_law.deviation <= _MAX_SUMMED_DEVIATION or law.deviation < 1:
            return _Lattice(
                total_law=law, count_law=other_law, step=step, count_step=count_step
            )
        return _CellPair(
            count_law=other_law, step=step, count_step=count_step, total=law, count=other_law
        )
    if isinstance(law, CubeLaw):
        return _CubePair(law, step, count_step)
    assert isinstance(law, BallLaw | NearBallLaw)
    return _BallPair(
        count_law=law,
        step=step,
        count_step=count_step,
        continuous=NearBallLaw(law.dimension, law.scale),
    )


@dataclass(frozen=True, kw_only=True)
class _Lattice:
    # Sums over the noise k of the count: 2 sum of P(E2 = k) P(E1 >= size + ratio k).

    total_law: NoiseLaw
    count_law: NoiseLaw
    step: float
    count_step: float

    @cached_property
    def _counts(self) -> tuple[Floats, Floats]:
        """The values of the count's noise that are summed over, and their probabilities.

        Both have the shape (values,). Values beyond have a total probability of at most
        `_NEGLECTED_PROBABILITY`.
        """
        last = reach(self.count_law, 1 - _NEGLECTED_PROBABILITY) + 1
        # `tails` are P(|E2| >= k) for k from 1; the difference of two is P(|E2| = k), of
        # which each sign has half. The chance of 0 is what is left.
        tails = self.count_law.tail(np.arange(1.0, last + 2))
        one_side = np.maximum(tails[:-1] - tails[1:], 0) / 2
        chances = np.concatenate((one_side[::-1], [max(0.0, 1 - float(tails[0]))], one_side))
        return np.arange(-float(last), last + 1), chances

    @cached_property
    def _totals(self) -> tuple[int, int, Floats]:
        """A table of the probability that the total's noise is at least t, for t in strides.

        Returns the stride in steps of noise, the number of strides to either side of 0, and
        the probabilities from the lowest t to the highest. They are rounded up, so that no
        interval is too short.
        """
        # Noise beyond the extent of its law has next to no probability.
        stride = math.ceil((self.total_law.extent + 2) / _MAX_TABLE_ENTRIES)
        last = math.ceil((self.total_law.extent + 2) / stride)
        # `tail` has both sides of a symmetric law, so each side has half. E1 is below -t as
        # often as above t. The small number makes up for rounding of floats.
        above = self.total_law.tail(stride * np.arange(1.0, last + 1)) / 2
        below = 1 - self.total_law.tail(stride * np.arange(last + 1.0) + 1) / 2 + 1e-9
        return stride, last, np.concatenate((below[::-1], above))

    def _at_least(self, size: Floats) -> Floats:
        """Return the probability that the total's noise is at least ``size``, rounded up.

        It is that of the next lower stride of the table. A size that is above a whole step
        only by rounding of floats counts as that step.

        Args:
            size: Sizes in units of the column, of any shape.
        """
        stride, last, chances = self._totals
        steps = size / self.step
        steps = np.ceil(steps - 1e-7 - 1e-12 * np.abs(steps))
        place = np.clip(steps // stride + last, 0, 2 * last).astype(np.int64)
        return np.asarray(chances[place])

    def accepts(self, size: Floats, ratio: Floats, level: float) -> Mask:
        """Return where noise can make |E1 - ratio E2| as large as ``size`` at this level.

        E1 and E2 are the independent noises of the total and of the count. It sums over the
        values of E2, for a part of the groups at a time.

        Args:
            size: The size of total - ratio * count, in units, shape (groups,).
            ratio: The tried ratio of each group, same shape.
            level: The probability with which a true ratio is accepted.
        """
        k, chances = self._counts
        # It begins with the chance of the values that are not summed over. Twice the
        # probability of one sign is added, as the law of E1 - ratio E2 is symmetric.
        chances_within = np.full(size.shape, _NEGLECTED_PROBABILITY)
        for start in range(0, len(size), _CHUNK_GROUPS):
            part = slice(start, start + _CHUNK_GROUPS)
            moved = np.outer(ratio[part], k * self.count_step)
            chances_within[part] += 2 * self._at_least(size[part, None] + moved) @ chances
        return np.asarray(chances_within > 1 - level)


@dataclass(frozen=True)
class _Smooth:
    # Noise whose coordinates are coupled with continuous ones, at most half a step away.
    # P(|Z| >= k) is between P(|X| >= k + 1/2) and P(|X| >= k - 1/2). For the Laplace law q^(k
    # - 1/2) >= 2 q^k / (1 + q) >= q^(k + 1/2), as 1 + q >= 2 sqrt(q). The Gaussian curve
    # falls, which gives one bound, and is first concave, then convex, which gives the other.
    # Uniform on -R..R is the rounding of uniform on a segment of 2 R + 1.

    count_law: NoiseLaw
    step: float
    count_step: float

    def _reduce(self, size: Floats, ratio: Floats) -> Floats:
        """Return sizes less half a step of either noise, the most by which coupling moves."""
        return np.maximum(0, size - (self.step + np.abs(ratio) * self.count_step) / 2)


@dataclass(frozen=True, kw_only=True)
class _CellPair(_Smooth):
    total: CellLaw
    count: CellLaw

    def accepts(self, size: Floats, ratio: Floats, level: float) -> Mask:
        """Return where noise can make |E1 - ratio E2| as large as ``size`` at this level.

        E1 and E2 are the independent noises of the total and of the count. For the arguments
        see `PairNoise.accepts`.
        """
        count_steps = np.abs(ratio) * self.count_step
        # `exceeds` takes the noise for continuous, which half a step of each noise allows.
        return self.total.exceeds(
            self._reduce(size, ratio),
            self.step,
            self.count,
            other_step=count_steps,
            level=level,
        )


@dataclass(frozen=True)
class _CubePair(_Smooth):
    # Both are uniform given R. P(|U + v V| >= y) for U, V on [-1, 1] and v <= 1 is 1 - y up
    # to 1 - v, then (1 + v - y)^2 / (4 v) up to 1 + v; it grows with v. Radii are rounded up,
    # and v to the next of a grid.

    @cached_property
    def _radii(self) -> tuple[Floats, Floats]:
        """Representative radii of the cube in which the noise is uniform, and their
        probabilities.

        Both have the shape (radii,). Radii between two representatives count as the larger
        one, so that the tails are not too small.
        """
        assert isinstance(self.count_law, CubeLaw)
        r, chances = self.count_law.radii
        # Where to cut the law of the radius, by its tail probability: at 150 even steps down
        # to 0.05, and at 80 even ratios down to 1e-7, as quantiles come from the far tail.
        beyond = np.cumsum(chances[::-1])[::-1]
        levels = np.concatenate((np.linspace(1, 0.05, 150), np.geomspace(0.05, 1e-7, 80)[1:]))
        # Negated, as the search needs ascending numbers.
        tops = np.append(np.searchsorted(-beyond, -levels), len(r) - 1)
        tops = np.unique(tops.clip(0, len(r) - 1))
        return r[tops], np.diff(np.cumsum(chances)[tops], prepend=0.0)

    @cached_property
    def _widths(self) -> dict[float, Floats]:
        return {}

    def _quantiles(self, level: float) -> Floats:
        """Return quantiles of |U + v V| for v from 0 to 1, shape (_GRID + 1,), in steps.

        U and V are two coordinates of the noise. Given the radius of the cube both are
        uniform, so the tail has a closed form. It is averaged over the radii, and inverted by
        bisection.
        """
        r, chances = self._radii
        v = np.linspace(0, 1, _GRID + 1)[:, None]
        # Each coordinate is at most half a step beyond the radius, so |U + v V| at most 2 r +
        # 1.
        low = np.zeros(_GRID + 1)
        high = np.full(_GRID + 1, 2 * float(r[-1]) + 1)
        for _ in range(_QUANTILE_BISECTIONS):
            middle = (low + high) / 2
            # The size relative to half the side of the continuous cube. For uniform U, V on
            # [-1, 1], |U + v V| exceeds y with probability 1 - y up to y = 1 - v, and then
            # with probability (1 + v - y)^2 / (4 v).
            y = middle[:, None] / (r + 0.5)
            corner = np.maximum(1 + v - y, 0) ** 2 / (4 * np.maximum(v, 1e-9))
            beyond = np.where(y < 1 - v, 1 - y, corner) @ chances
            larger = beyond > 1 - level
            low = np.where(larger, middle, low)
            high = np.where(larger, high, middle)
        return high

    def accepts(self, size: Floats, ratio: Floats, level: float) -> Mask:
        """Return where noise can make |E1 - ratio E2| as large as ``size`` at this level.

        E1 and E2, the noises of the total and of the count, are coordinates of one vector.
        The larger one is scaled to 1, so that the quantiles depend on one number only. For
        the arguments see `PairNoise.accepts`.
        """
        # Quantiles for ratios of two scales from 0 to 1, stored by level. A ratio is rounded
        # up.
        if level not in self._widths:
            self._widths[level] = self._quantiles(level)
        count_steps = np.abs(ratio) * self.count_step
        larger = np.maximum(self.step, count_steps)
        place = np.ceil(_GRID * np.minimum(self.step, count_steps) / larger).astype(np.int64)
        return np.asarray(self._reduce(size, ratio) <= larger * self._widths[level][place])


@dataclass(frozen=True, kw_only=True)
class _BallPair(_Smooth):
    # Continuous noise is the same in all directions: X1 - r X2 is hypot(1, r) times X1.

    continuous: NearBallLaw

    @cached_property
    def _distance(self) -> dict[float, float]:
        return {}

    def accepts(self, size: Floats, ratio: Floats, level: float) -> Mask:
        """Return where noise can make |E1 - ratio E2| as large as ``size`` at this level.

        E1 and E2, the noises of the total and of the count, are coordinates of one vector
        whose law is the same in all directions. For the arguments see `PairNoise.accepts`.
        """
        # E1 - ratio E2 has the law of one coordinate times the length in the denominator.
        x = self._reduce(size, ratio) / np.hypot(self.step, ratio * self.count_step)
        if level not in self._distance:
            self._distance[level] = self.continuous.distance(1 - level)
        return np.asarray(x <= self._distance[level])
