"""Weighted sums of very many Laplace numbers at once, by inversion of their laws. PUBLIC.

>>> quantiles(np.array([[1.0, 0.0], [1.0, 1.0]]) / np.sqrt([[2.0], [4.0]]), 0.95).round(
...     2
... ).tolist()
[2.14, 2.09]
"""
# A Laplace number is a normal one of random variance, so larger weights make larger sums, at
# every probability. Each weight is rounded up to the next of a list, and all sums share the
# terms.

import math

import numpy as np

from synth.noise.floats.sums import invert_characteristic
from synth.util import Floats, Ints

# Each size of the grid is larger than the next by this factor; and the number of sizes.
_RATIO = 1.015
_MOST_KINDS = 450
# Sizes of parts, as shares of the standard deviation of the sum; each part is rounded up.
_SIZES = math.sqrt(0.5) * _RATIO ** np.arange(1.0, 1 - _MOST_KINDS, -1)
_PERIOD = 70.0
# Period and frequencies of the inversion. If they are too few, normal noise of the given
# standard deviation is added in the calculation.
_TIERS = ((448, 0.0), (4_096, 0.0), (20_800, 0.004))
# Size of a characteristic function from which on its terms are left out.
_MIN_TERM = 1e-12
# Sums, and frequencies of one product, that are computed at a time.
_ROWS = 64
_FREQUENCIES_AT_ONCE = 1 << 10


def quantiles(shares: Floats, level: float) -> Floats:
    """Return bounds that the sizes of sums of Laplace numbers exceed with chance 1 - level.

    A sum consists of independent continuous Laplace numbers, its parts. The bounds are in
    standard deviations of each sum, never too small, shape (sums,).

    Args:
        shares: The scale of each part, in standard deviations of its sum, shape (sums,
            parts).
        level: At most 1 - 1e-7.
    """
    # Few sums at a time, so that the arrays of all their frequencies fit the memory.
    rows = range(0, len(shares), _ROWS)
    return np.concatenate(
        [[], *(_find_quantiles(shares[i : i + _ROWS], level) for i in rows)]
    )


def _find_quantiles(shares: Floats, level: float) -> Floats:
    """Return upper bounds of each sum's size at a level, in standard deviations.

    ``shares`` are the scales of the sums' parts in these units, shape (sums, parts). The
    inversion is a series. Few terms are tried first, and more for the sums whose terms have
    not yet fallen enough. The last try adds a little normal noise, which makes them fall.
    """
    counts = _counts(shares)
    bounds = np.zeros(len(shares))
    open_sums = np.arange(len(shares))  # the sums without a bound so far
    # Each tier has a number of terms, and the deviation of the normal noise; 0 for none.
    for terms, smooth in _TIERS:
        # Logarithms of the characteristic functions at the last frequency of the series.
        last_terms = _log_characteristic(
            counts[open_sums], np.asarray([2 * math.pi * terms / _PERIOD])
        )[:, 0]
        is_settled = (last_terms < math.log(_MIN_TERM)) | (smooth > 0)
        if is_settled.any():
            bounds[open_sums[is_settled]] = _quantiles(
                counts[open_sums[is_settled]], terms, smooth, level=level
            )
        open_sums = open_sums[~is_settled]
    return bounds


def _counts(shares: Floats) -> Floats:
    """Return how many parts of each sum have each size of a grid, shape (sums, sizes).

    The grid is `_SIZES`. Each of the parts' scales ``shares``, shape (sums, parts), is
    rounded up to a size of the grid, which only widens the interval.
    """
    sums, parts = np.nonzero(shares > 0)
    part_shares = shares[sums, parts]
    # The index of the next larger size. Errors of floats may make it one too large, which the
    # comparison after it corrects.
    kinds = np.floor(np.log(_SIZES[0] / part_shares) / math.log(_RATIO) + 1e-9).astype(
        np.int64
    )
    kinds = np.clip(kinds, 0, _MOST_KINDS - 1)
    kinds -= (_SIZES[kinds] < part_shares) & (kinds > 0)
    # One count for all sums together: each has its own range of indices.
    counts = np.bincount(sums * _MOST_KINDS + kinds, minlength=len(shares) * _MOST_KINDS)
    return counts.reshape(len(shares), _MOST_KINDS).astype(np.float64)


def _log_characteristic(counts: Floats, w: Floats) -> Floats:
    """Return the logarithms of the sums' characteristic functions, shape (sums, frequencies).

    ``counts`` says how many parts of each sum have each size of `_SIZES`. A Laplace number of
    scale s has the characteristic function 1 / (1 + (s w)^2).
    """
    parts = [w[i : i + _FREQUENCIES_AT_ONCE] for i in range(0, len(w), _FREQUENCIES_AT_ONCE)]
    return np.hstack([-counts @ np.log1p((_SIZES[:, None] * part) ** 2) for part in parts])


def _quantiles(counts: Floats, terms: int, smooth: float, *, level: float) -> Floats:
    """Return bounds that sums |S| of Laplace noise exceed with probability 1 - level.

    They are in standard deviations of each sum, shape (sums,).

    Args:
        counts: How many parts of each sum have each size of `_SIZES`, shape (sums, sizes).
        terms: The number of frequencies of the inversion.
        smooth: The standard deviation of normal noise V that is added; 0 for none.
        level: The probability of the interval.

    P(|S mod N| < t) = 2 t / N + sum over j of f(w) sin(w t) / (pi j / 2), w = 2 pi j / N. It
    is above P(|S| < t) by less than P(|S| > N / 2), which Chernoff's bound keeps below 1e-15.
    The tail is convex in t, as the density falls; so chords lie above it.
    """
    # The largest of these t is beyond every quantile at this level. At t = 0 the tail is 1,
    # so the quantile lies between two of them.
    t = np.linspace(0, math.log(4.5 / (1 - level)) + 0.5, 96)
    step = 2 * math.pi / _PERIOD
    w = step * np.arange(1.0, terms + 1)
    weights = np.exp(_log_characteristic(counts, w) - (smooth * w) ** 2 / 2) / w
    beyond = 1 - invert_characteristic(t, w, weights, step=step) + 100 * _MIN_TERM
    beyond /= 1 - 1e-6 * (smooth > 0)  # P(V >= -5 deviations) of the smoothing V
    index: Ints = np.argmax(beyond <= 1 - level, axis=1)
    assert (index > 0).all()
    sums = np.arange(len(counts))
    above, below = beyond[sums, index - 1], beyond[sums, index]
    # On the chord between two of the t, where the tail is 1 - level.
    part = (above - (1 - level)) / (above - below)
    return np.asarray(t[index - 1] + part * (t[index] - t[index - 1]) + 5 * smooth)
