"""Law of weighted sums of independent noise, from one or several histograms. PUBLIC.

>>> from fractions import Fraction
>>> from synth.noise.floats.laplace import LaplaceLaw
>>> law = LaplaceLaw(Fraction(2))
>>> [blend_reach([WeightedNoise(law, np.full(4, w))]) for w in (1.0, 2.5)]
[11.0, 27.5]
>>> round(blend_reach([WeightedNoise(law, np.array([1.0, 2.0, 3.0]))]), 1)
21.8
"""
# If all weights have one size and one law, the sum is a whole number (`sums.sum_law`).
# Otherwise the characteristic function of the sum S is inverted. If that function does not
# fall off, a smooth U of size at most h is added: |S| <= |S + U| + h, so a bound for |S + U|
# gives one for |S|.

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from synth.noise.floats.knorm import CUBE_FINE, CubeLaw
from synth.noise.floats.law import LEVEL, reach
from synth.noise.floats.sums import (
    CellLaw,
    Weights,
    bound_sum,
    invert_characteristic,
    sum_law,
)
from synth.util import Floats

# Logarithm of a characteristic function below which a term is left out.
_NOTHING = -23.0
# Size of U, in deviations of S.
_SMOOTH = 1 / 20
# If the deviation of the noise is below this part of its extent, Chernoff's bound is used.
_QUIET = 1 / 100
# U is a sum of this many uniform numbers.
_KERNELS = 6
# Added to a probability for the terms left out.
_ERROR = 1e-8
# Shares of the largest exponent at which the Laplace law has a moment.
_EXPONENT_SHARES = np.geomspace(1e-4, 0.99, 64)


class WeightedNoise(NamedTuple):
    """Noise of one law with the weights of its cells; each weight counts for ``each``
    cells.
    """

    law: CellLaw
    weights: Floats
    each: int = 1


class JointNoise(NamedTuple):
    """One of several numbers whose noise was drawn at once, with its weight."""

    law: CubeLaw
    weight: float


def blend_deviation(terms: Sequence[WeightedNoise]) -> float:
    return math.sqrt(sum(_variance(one) for one in terms))


def _variance(one: WeightedNoise) -> float:
    weights = one.weights.reshape(-1)
    return float(one.law.variance) * one.each * float(weights @ weights)


def blend_size(terms: Sequence[WeightedNoise]) -> float:
    """Return the expected absolute sum: exact, or a normal number's."""
    if len({one.law for one in terms}) == 1 and _is_whole(told := _told_apart(terms)):
        (one,) = told
        return float(one.sizes[0]) * sum_law(one.law, int(one.many[0])).expected_size
    return math.sqrt(2 / math.pi) * blend_deviation(terms)


def blend_reach(
    terms: Sequence[WeightedNoise], level: float = LEVEL, joint: JointNoise | None = None
) -> float:
    """Return t such that |S| <= t with probability at least ``level``, each side with half.

    All terms are independent; the level is between 0 and 1 - 1e-6.
    """
    told = _told_apart(terms)
    joint = joint if joint and joint.weight else None
    if joint is not None and not (told and joint.law.is_fine):
        each = 1 - (1 - level) / (1 + bool(told))  # either misses in half of what both may
        return blend_reach(terms, each) + joint.weight * reach(joint.law, each)
    if not told:
        return 0.0
    if joint is not None:
        return _reach_by_inversion(told, level, joint)
    if _is_whole(told):
        (one,) = told
        return float(one.sizes[0]) * reach(sum_law(one.law, int(one.many[0])), level)
    deviation = math.sqrt(sum(one.variance for one in told))
    if deviation < _QUIET * bound_sum(told, 1e-9, _EXPONENT_SHARES):  # next to all noise is 0
        return bound_sum(told, 1 - level, _EXPONENT_SHARES)
    return _reach_by_inversion(told, level)


def _told_apart(terms: Sequence[WeightedNoise]) -> list[Weights]:
    # Groups by law and size of weight, ascending; sizes are rounded, as they differ by
    # floats.
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


def _reach_by_inversion(
    told: Sequence[Weights], level: float, joint: JointNoise | None = None
) -> float:
    # P(|S + U| <= t) = 2 / pi integral of f(w) sin(w t) / w over w > 0, f the characteristic
    # function. The sum over a grid of step 2 pi / (2 L) is that for (S + U) mod 2 L; by
    # Chernoff's bound the mass beyond is below the error.
    high, low = bound_sum(told, 1e-9, _EXPONENT_SHARES), 0.0
    error = _ERROR if joint is None else _ERROR + CUBE_FINE
    high += 0.0 if joint is None else joint.weight * joint.law.extent
    step = math.pi / high
    w, weights, smooth = _keep_frequencies(told, step, joint)
    for _ in range(40):
        cut = (low + high) / 2
        (chance,) = invert_characteristic(np.array([cut]), w, weights, step)
        is_within = chance - error >= level
        low, high = (low, cut) if is_within else (cut, high)
        if high - low < 1e-6 * high:
            break
    return high + smooth


def _keep_frequencies(
    told: Sequence[Weights], step: float, joint: JointNoise | None
) -> tuple[Floats, Floats, float]:
    smooth = _SMOOTH * math.sqrt(sum(one.variance for one in told))
    if joint is not None:
        smooth = max(smooth, _SMOOTH * joint.weight * joint.law.deviation)
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
    found = np.exp(logs[kept]) / w[kept]
    if joint is not None:
        found = found * joint.law.characteristic(joint.weight * w[kept])
    return w[kept], found, smooth


def _log_characteristic(law: CellLaw, w: Floats) -> Floats:
    return law.log_characteristic(np.abs((w + np.pi) % (2 * np.pi) - np.pi))


def _weight(one: tuple[float, float]) -> float:
    return -one[1] * one[0] ** 2
