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

_RATIO = 1.015
_MOST_KINDS = 450
# Sizes of parts, as shares of the standard deviation of the sum; each part is rounded up.
_SIZES = math.sqrt(0.5) * _RATIO ** np.arange(1.0, 1 - _MOST_KINDS, -1)
_PERIOD = 70.0
# Period and frequencies of the inversion. If they are too few, normal noise of the given
# standard deviation is added in the calculation.
_TIERS = ((448, 0.0), (4_096, 0.0), (20_800, 0.004))
_SMALL = 1e-12
_ROWS = 64
_FREQUENCIES_AT_ONCE = 1 << 10


def quantiles(shares: Floats, level: float) -> Floats:
    """Return bounds that sums of continuous Laplace numbers exceed with probability 1 -
    level.

    Never too small, in standard deviations, shape (sums,). ``shares`` are the scales of the
    parts in these units, shape (sums, parts); the level is at most 1 - 1e-7."""
    rows = range(0, len(shares), _ROWS)
    return np.concatenate(
        [[], *(_find_quantiles(shares[i : i + _ROWS], level) for i in rows)]
    )


def _find_quantiles(shares: Floats, level: float) -> Floats:
    """Return upper bounds of each sum's size at a level, in standard deviations.

    Tries few terms of the series first, and more for the sums whose terms have not yet
    fallen; the last tier smooths.
    """
    counts = _counts(shares)
    bounds = np.zeros(len(shares))
    open_sums = np.arange(len(shares))
    for terms, smooth in _TIERS:
        last_terms = _log_characteristic(
            counts[open_sums], np.asarray([2 * math.pi * terms / _PERIOD])
        )[:, 0]
        is_settled = (last_terms < math.log(_SMALL)) | (smooth > 0)
        if is_settled.any():
            bounds[open_sums[is_settled]] = _quantiles(
                counts[open_sums[is_settled]], terms, smooth, level=level
            )
        open_sums = open_sums[~is_settled]
    return bounds


def _counts(shares: Floats) -> Floats:
    """Return how many parts of each sum have each size of the grid, shape (sums, sizes).

    Each share is rounded up to a size of the grid, which only widens the interval.
    """
    sums, parts = np.nonzero(shares > 0)
    part_shares = shares[sums, parts]
    kinds = np.floor(np.log(_SIZES[0] / part_shares) / math.log(_RATIO) + 1e-9).astype(
        np.int64
    )
    kinds = np.clip(kinds, 0, _MOST_KINDS - 1)
    kinds -= (_SIZES[kinds] < part_shares) & (kinds > 0)
    counts = np.bincount(sums * _MOST_KINDS + kinds, minlength=len(shares) * _MOST_KINDS)
    return counts.reshape(len(shares), _MOST_KINDS).astype(np.float64)


def _log_characteristic(counts: Floats, w: Floats) -> Floats:
    parts = [w[i : i + _FREQUENCIES_AT_ONCE] for i in range(0, len(w), _FREQUENCIES_AT_ONCE)]
    return np.hstack([-counts @ np.log1p((_SIZES[:, None] * part) ** 2) for part in parts])


def _quantiles(counts: Floats, terms: int, smooth: float, *, level: float) -> Floats:
    """Return bounds that sums |S| of Laplace noise exceed with probability 1 - level.

    In standard deviations of each sum, shape (sums,). P(|S mod N| < t) = 2 t / N + sum over
    j of f(w) sin(w t) / (pi j / 2), w = 2 pi j / N. It is above P(|S| < t) by less than
    P(|S| > N / 2), which Chernoff's bound keeps below 1e-15. The tail is convex in t, as
    the density falls; so chords lie above it.
    """
    t = np.linspace(0, math.log(4.5 / (1 - level)) + 0.5, 96)
    step = 2 * math.pi / _PERIOD
    w = step * np.arange(1.0, terms + 1)
    weights = np.exp(_log_characteristic(counts, w) - (smooth * w) ** 2 / 2) / w
    beyond = 1 - invert_characteristic(t, w, weights, step=step) + 100 * _SMALL
    beyond /= 1 - 1e-6 * (smooth > 0)  # P(V >= -5 deviations) of the smoothing V
    index: Ints = np.argmax(beyond <= 1 - level, axis=1)
    assert (index > 0).all()
    sums = np.arange(len(counts))
    above, below = beyond[sums, index - 1], beyond[sums, index]
    part = (above - (1 - level)) / (above - below)
    return np.asarray(t[index - 1] + part * (t[index] - t[index - 1]) + 5 * smooth)
