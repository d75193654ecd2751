"""The law of weighted sums of independent noise, from one or several histograms. PUBLIC.

Where all weights are of one size and one law, it is that of a whole number (`sums.sum_law`).
Elsewhere the characteristic function of the sum S is inverted. Where it does not fall off, a smooth
U of size at most h is added first: |S| <= |S + U| + h, so that what bounds |S + U| bounds |S|.

>>> from fractions import Fraction
>>> from synth.noise.floats.laplace import LaplaceLaw
>>> law = LaplaceLaw(Fraction(2))
>>> [blend_reach([WeightedNoise(law, np.full(4, w))]) for w in (1.0, 2.5)]
[11.0, 27.5]
>>> round(blend_reach([WeightedNoise(law, np.array([1.0, 2.0, 3.0]))]), 1)
21.8
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from synth.noise.floats.law import LEVEL, reach
from synth.noise.floats.sums import CellLaw, Weights, bound_sum, invert_characteristic, sum_law
from synth.util import Floats

_NOTHING = -23.0
"""Log of a characteristic function that counts for nothing."""
_SMOOTH = 1 / 20
"""Size of U in deviations of S."""
_QUIET = 1 / 100
"""Noise with a smaller deviation than this part of its extent is bounded by Chernoff's argument."""
_KERNELS = 6
"""U is the sum of so many uniform numbers."""
_ERROR = 1e-8
"""Added to a chance, for what is left out."""
_EXPONENT_SHARES = np.geomspace(1e-4, 0.99, 64)
"""Of the largest exponent at which the Laplace law has a moment."""


class WeightedNoise(NamedTuple):
    """Noise of one law with its weights.

    Attributes:
        law: Of the noise on every cell.
        weights: Of cells; those that are 0 do not count.
        each: Cells that share a weight, each with noise of its own.
    """

    law: CellLaw
    weights: Floats
    each: int = 1


def blend_deviation(terms: Sequence[WeightedNoise]) -> float:
    """The standard deviation of the sum."""
    return math.sqrt(sum(_variance(one) for one in terms))


def _variance(one: WeightedNoise) -> float:
    weights = one.weights.reshape(-1)
    return float(one.law.variance) * one.each * float(weights @ weights)


def blend_size(terms: Sequence[WeightedNoise]) -> float:
    """The expected size of the sum: exact, or that of a normal number."""
    if len({one.law for one in terms}) == 1 and _is_whole(told := _told_apart(terms)):
        (one,) = told
        return float(one.sizes[0]) * sum_law(one.law, int(one.many[0])).expected_size
    return math.sqrt(2 / math.pi) * blend_deviation(terms)


def blend_reach(terms: Sequence[WeightedNoise], level: float = LEVEL) -> float:
    """What the sum stays within with a chance of at least ``level``, and either side with half.

    Args:
        terms: Independent of one another.
        level: Between 0 and 1 - 1e-6.
    """
    told = _told_apart(terms)
    if not told:
        return 0.0
    if _is_whole(told):
        (one,) = told
        return float(one.sizes[0]) * reach(sum_law(one.law, int(one.many[0])), level)
    deviation = math.sqrt(sum(one.variance for one in told))
    if deviation < _QUIET * bound_sum(told, 1e-9, _EXPONENT_SHARES):  # next to all noise is 0
        return bound_sum(told, 1 - level, _EXPONENT_SHARES)
    return _reach_by_inversion(told, level)


def _told_apart(terms: Sequence[WeightedNoise]) -> list[Weights]:
    """Terms by law and size of weight, ascending; rounding makes no sizes of its own."""
    by_law: dict[CellLaw, list[tuple[Floats, Floats]]] = {}
    for law, weights, each in terms:
        found = np.abs(weights[weights != 0])
        if len(found):
            top = float(found.max())
            sizes, many = np.unique(np.round(found / top, 10), return_counts=True)
            by_law.setdefault(law, []).append((sizes * top, many.astype(np.float64) * each))
    return [
        Weights(law, *(np.concatenate(one) for one in zip(*found, strict=True)))
        for law, found in by_law.items()
    ]


def _is_whole(told: Sequence[Weights]) -> bool:
    return len(told) == 1 and len(told[0].sizes) == 1


def _reach_by_inversion(told: Sequence[Weights], level: float) -> float:
    """The least t that S + U is within at the level, and the size of U.

    P(|S + U| <= t) = 2 / pi integral of f(w) sin(w t) / w over w > 0, f that of S + U. As a sum
    over a grid of step 2 pi / (2 L) it is that of (S + U) mod 2 L; what lies beyond is below the
    error by Chernoff's bound.
    """
    high, low = bound_sum(told, 1e-9, _EXPONENT_SHARES), 0.0
    step = math.pi / high
    w, weights, smooth = _keep_frequencies(told, step)
    for _ in range(40):
        cut = (low + high) / 2
        (chance,) = invert_characteristic(np.array([cut]), w, weights, step)
        is_within = chance - _ERROR >= level
        low, high = (low, cut) if is_within else (cut, high)
        if high - low < 1e-6 * high:
            break
    return high + smooth


def _keep_frequencies(told: Sequence[Weights], step: float) -> tuple[Floats, Floats, float]:
    """The w that count, f(w) / w, and the size of U, which is 0 where f falls off by itself."""
    smooth = _SMOOTH * math.sqrt(sum(one.variance for one in told))
    count = math.ceil(21 * _KERNELS / smooth / step)
    w, logs, kept = step * np.arange(1.0, count + 1), np.zeros(count), np.arange(count)
    for one in sorted(told, key=lambda one: -one.variance):
        for size, many in sorted(zip(one.sizes, one.many, strict=True), key=_weight):
            logs[kept] += many * _log_characteristic(one.law, size * w[kept])
            kept = kept[logs[kept] > _NOTHING]
    if len(kept) and kept[-1] > count // 2:
        logs[kept] += _KERNELS * np.log(np.abs(np.sinc(w[kept] * smooth / 6 / np.pi)))
        kept = kept[logs[kept] > _NOTHING]
    else:
        smooth = 0.0
    return w[kept], np.exp(logs[kept]) / w[kept], smooth


def _log_characteristic(law: CellLaw, w: Floats) -> Floats:
    """At any w: it has the period 2 pi."""
    return law.log_characteristic(np.abs((w + np.pi) % (2 * np.pi) - np.pi))


def _weight(one: tuple[float, float]) -> float:
    return -one[1] * one[0] ** 2
