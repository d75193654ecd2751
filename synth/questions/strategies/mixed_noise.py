"""The law of weighted sums of noise, for estimates that many noisy numbers enter. PUBLIC.

>>> from fractions import Fraction
>>> noise, weights = DiscreteLaplace(Fraction(10_000)), np.array([[1.0, 0, 0, 0], [1, 1, 1, 1]])
>>> half_widths(noise, weights).round(-2).tolist()
[30200.0, 57400.0]
>>> half_widths(DiscreteGaussian(Fraction(10**8)), weights).round(-2).tolist()
[19600.0, 39200.0]
"""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.noise.gaussian import DiscreteGaussian
from synth.noise.laplace import DiscreteLaplace
from synth.questions.laws import CellNoise
from synth.questions.reach import LEVEL
from synth.util.arrays import Floats, Ints

FINE = 1 << 12
"""Least standard deviation of noise, in steps, at which it is as good as continuous."""

_RATIO = 1.015
_KINDS = 450
_SIZES = math.sqrt(0.5) * _RATIO ** np.arange(1.0, 1 - _KINDS, -1)
"""Sizes of parts, as shares of the standard deviation of the sum; each part counts as the next
larger one."""
_PERIOD = 70.0
_TIERS = ((448, 0.0), (4_096, 0.0), (20_800, 0.004))
"""Period and frequencies of the inversion; where these are not enough, normal noise of that
standard deviation is thought added."""
_SMALL = 1e-12
_ROWS = 256
_FREQUENCIES = 1 << 10


def half_widths(noise: CellNoise, weights: Floats, level: float = LEVEL) -> Floats:
    """Half the widths of intervals of sums of independent noise, never too small.

    Args:
        noise: Of every number, of a standard deviation of at least `FINE` steps.
        weights: How much a step of each counts, shape (sums, numbers).
        level: Chance that a sum is within its interval, up to 1 - 1e-7.

    Returns:
        Shape (sums,).
    """
    if isinstance(noise, DiscreteGaussian):
        largest = np.abs(weights).max(axis=1, initial=0.0)
        return normal_halves(noise, np.sqrt((weights**2).sum(axis=1)), largest, level)
    rows = range(0, len(weights), _ROWS)
    halves = [_laplace_halves(noise, np.abs(weights[i : i + _ROWS]), level) for i in rows]
    return np.concatenate(halves) if halves else np.zeros(0)


def normal_halves(noise: DiscreteGaussian, sizes: Floats, largest: Floats, level: float) -> Floats:
    """The same for Gaussian noise, from the roots of the sums of squares of the weights.

    Below pi over the largest weight the characteristic function of the sum is that of a normal
    number up to exp(-sigma2 pi^2 / 2), of sigma 4,096 or more. So the sum with normal noise V of
    deviation s = 3 times the largest weight added is a normal number up to exp(-44), and P(|S| >=
    t) <= P(|S + V| >= t - 6 s) / P(V >= -6 s).

    Args:
        noise: Of every number.
        sizes: Roots of the sums of squares of weights, shape (sums,).
        largest: Sizes of the largest weight of each, or more.
        level: Chance that a sum is within its interval.
    """
    beyond = (1 - level) * (1 - 1e-8) - 1e-14
    added = 3 * largest
    turn = NormalDist().inv_cdf(1 - beyond / 2)
    return np.asarray(turn * np.sqrt(float(noise.sigma2) * sizes**2 + added**2) + 6 * added)


def bounded_halves(
    noise: CellNoise, squares: Floats, largest: Floats, numbers: int, level: float = LEVEL
) -> Floats:
    """The same from little: by Chernoff's bound, which is wider, where noise is Laplace noise.

    With x = (u s w)^2 of each weight w at scale s, ln E exp(u S) is the sum of -ln(1 - x), each at
    most x times -ln(1 - y) / y for the largest x or more, y.

    Args:
        noise: Of every number.
        squares: Sums of squares of weights, shape (sums,).
        largest: Sizes of the largest weight of each, or more.
        numbers: How many weights each has.
        level: Chance that a sum is within its interval.

    >>> from fractions import Fraction
    >>> noise, one = DiscreteLaplace(Fraction(10_000)), np.ones(1)
    >>> bounded_halves(noise, 4 * one, one, 4).round(-2).tolist()
    [90500.0]
    """
    if isinstance(noise, DiscreteGaussian):
        return normal_halves(noise, np.sqrt(squares), largest, level)
    many, wanted = squares / largest**2, math.log(2 / (1 - level))
    found = np.full(len(many), np.inf)
    for share in np.linspace(0.02, 0.99, 98).tolist():
        found = np.minimum(found, (wanted - many * math.log1p(-(share**2))) / share)
    off = np.sqrt(numbers * squares)  # less than a step on each number
    return np.asarray(float(noise.scale) * largest * found + off)


def mean_sizes(noise: CellNoise, weights: Floats) -> Floats:
    """Expected sizes of such sums, to about a percent, shape (sums,): between a normal number's and
    a Laplace number's, by the fourth cumulant."""
    squares = (weights**2).sum(axis=1)
    sizes = math.sqrt(2 / math.pi) * np.sqrt(squares * noise.variance)
    if isinstance(noise, DiscreteGaussian):
        return np.asarray(sizes)
    excess = (weights**4).sum(axis=1) / np.maximum(squares, 1e-300) ** 2
    return np.asarray(sizes * (1 - excess * (1 - math.sqrt(math.pi) / 2)))


def _laplace_halves(noise: DiscreteLaplace, sizes: Floats, level: float) -> Floats:
    """Of sums of Laplace noise, by inversion of their characteristic function.

    Discrete Laplace noise is the difference of two whole parts of exponential numbers, so that it
    is less than one step from continuous Laplace noise of that scale. A Laplace number is a normal
    one of random variance: with larger weights sums are larger, with any chance.
    """
    spread = math.sqrt(2) * float(noise.scale) * np.sqrt((sizes**2).sum(axis=1))
    shares = sizes * float(noise.scale) / np.maximum(spread, 1e-300)[:, None]
    counts, found = _counts(shares), np.zeros(len(sizes))
    left = np.arange(len(sizes))
    for terms, smooth in _TIERS:
        last = _log_characteristic(counts[left], np.asarray([2 * math.pi * terms / _PERIOD]))[:, 0]
        right = (last < math.log(_SMALL)) | (smooth > 0)
        if right.any():
            found[left[right]] = _quantiles(counts[left[right]], terms, smooth, level)
        left = left[~right]
    return np.asarray(found * spread + sizes.sum(axis=1))


def _counts(shares: Floats) -> NDArray[np.float64]:
    """How many parts of each sum are of each size, rounded up, shape (sums, kinds)."""
    sums, parts = np.nonzero(shares > 0)
    given = shares[sums, parts]
    kinds = np.floor(np.log(_SIZES[0] / given) / math.log(_RATIO) + 1e-9).astype(np.int64)
    kinds = np.clip(kinds, 0, _KINDS - 1)
    kinds -= (_SIZES[kinds] < given) & (kinds > 0)
    found = np.bincount(sums * _KINDS + kinds, minlength=len(shares) * _KINDS)
    return found.reshape(len(shares), _KINDS).astype(np.float64)


def _log_characteristic(counts: Floats, w: NDArray[Any]) -> Floats:
    """The logarithms of the characteristic functions, shape (sums, frequencies)."""
    return np.asarray(-counts @ np.log1p((_SIZES[:, None] * w) ** 2))


def _quantiles(counts: Floats, terms: int, smooth: float, level: float) -> Floats:
    """The t, in standard deviations, that sums exceed in size with chance 1 - level, or larger.

    P(|S mod N| < t) = 2 t / N + sum over j of f(w) sin(w t) / (pi j / 2), w = 2 pi j / N, is above
    P(|S| < t) by less than P(|S| > N / 2), which Chernoff's bound keeps below 1e-15. The chance of
    being beyond t is convex in t, as the density falls; so chords are above it.
    """
    t = np.linspace(0, math.log(4.5 / (1 - level)) + 0.5, 96)
    beyond = 1 - 2 * t / _PERIOD + 100 * _SMALL + np.zeros((len(counts), 1))
    for start in range(1, terms + 1, _FREQUENCIES):
        j = np.arange(start, min(start + _FREQUENCIES, terms + 1))
        w = 2 * math.pi * j / _PERIOD
        chances = np.exp(_log_characteristic(counts, w) - (smooth * w) ** 2 / 2)
        beyond -= (chances * (2 / (math.pi * j))) @ np.sin(w[:, None] * t)
    beyond /= 1 - 1e-6 * (smooth > 0)  # P(V >= -5 deviations) of the smoothing V
    index: Ints = np.argmax(beyond <= 1 - level, axis=1)
    assert (index > 0).all()
    sums = np.arange(len(counts))
    above, below = beyond[sums, index - 1], beyond[sums, index]
    part = (above - (1 - level)) / (above - below)
    return np.asarray(t[index - 1] + part * (t[index] - t[index - 1]) + 5 * smooth)
