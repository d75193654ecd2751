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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from synth.noise.floats.law import LEVEL, reach
from synth.noise.floats.sums import (
    CellLaw,
    Weights,
    bound_sum,
    invert_characteristic,
    sum_law,
)
from synth.util import Floats

if TYPE_CHECKING:
    from synth.noise.floats.knorm import CubeLaw

# Logarithm of a characteristic function below which a term is left out.
_MIN_LOG_TERM = -23.0
# Size of U, in deviations of S.
_SMOOTHING_DEVIATION = 1 / 20
# If the deviation of the noise is below this part of its extent, Chernoff's bound is used.
_MIN_DEVIATION_SHARE = 1 / 100
# U is a sum of this many uniform numbers.
_KERNELS = 6
# Added to a probability for the terms left out.
_OMITTED_PROBABILITY = 1e-8
# Shares of the largest exponent at which the Laplace law has a moment.
_EXPONENT_SHARES = np.geomspace(1e-4, 0.99, 64)


class WeightedNoise(NamedTuple):
    """Noise of one law with the weights of its cells.

    Attributes:
        law: The law of the noise on each cell.
        weights: One weight for a cell, of any shape.
        each: How many cells each weight counts for.
    """

    law: CellLaw
    weights: Floats
    each: int = 1


class JointNoise(NamedTuple):
    """One of several numbers whose noise was drawn at once.

    Attributes:
        law: The law of this number's noise.
        weight: The number's weight in the sum.
    """

    law: "CubeLaw"
    weight: float


def blend_deviation(terms: Sequence[WeightedNoise]) -> float:
    """Return the standard deviation of a weighted sum of independent noise values.

    Each term has the law of some values and a weight for each of them.
    """
    return math.sqrt(sum(_variance(term) for term in terms))


def _variance(term: WeightedNoise) -> float:
    """Return the variance of the weighted sum of one term's noise values."""
    weights = term.weights.reshape(-1)
    return float(term.law.variance) * term.each * float(weights @ weights)


def blend_size(terms: Sequence[WeightedNoise]) -> float:
    """Return the expected absolute value of a weighted sum of independent noise values.

    It comes from the sum's own law if all values have one law and all weights one size.
    Otherwise it is that of a normal number of the same deviation.
    """
    if len({term.law for term in terms}) == 1:
        groups = _group_weights(terms)
        if _is_whole(groups):  # all weights that are not 0 have one size
            (group,) = groups
            law = sum_law(group.law, int(group.counts[0]))
            return float(group.sizes[0]) * law.expected_size
    return math.sqrt(2 / math.pi) * blend_deviation(terms)


def blend_reach(
    terms: Sequence[WeightedNoise], level: float = LEVEL, joint: JointNoise | None = None
) -> float:
    """Return a half width t of an interval: |S| <= t with probability at least ``level``.

    S is a weighted sum of noise values.

    Args:
        terms: The laws and the weights of the independent noise values.
        level: Between 0 and 1 - 1e-6.
        joint: One number of a vector whose noise was drawn at once, with its weight, as one
            more value of the sum. It is independent of the others.
    """
    groups = _group_weights(terms)
    if joint is not None and not joint.weight:
        joint = None
    if joint is not None and not (groups and joint.law.is_fine):
        # Both bounds are added. Each fails with half the probability (union bound), or with
        # all of it if there is no other noise.
        bounds = 2 if groups else 1
        part_level = 1 - (1 - level) / bounds
        joint_reach = joint.weight * reach(joint.law, part_level)
        return blend_reach(terms, part_level) + joint_reach
    if not groups:
        return 0.0
    if joint is not None:
        return _reach_by_inversion(groups, level, joint)
    if _is_whole(groups):
        # One law and one size of weight: the size times a sum of whole numbers, whose law is
        # known.
        (group,) = groups
        law = sum_law(group.law, int(group.counts[0]))
        return float(group.sizes[0]) * reach(law, level)
    deviation = math.sqrt(sum(group.variance for group in groups))
    # The sum exceeds this bound with a probability of at most 1e-9.
    if deviation < _MIN_DEVIATION_SHARE * bound_sum(groups, 1e-9, _EXPONENT_SHARES):
        # Nearly all noise is 0, so the inversion would need too many frequencies.
        return bound_sum(groups, 1 - level, _EXPONENT_SHARES)
    return _reach_by_inversion(groups, level)


def _group_weights(terms: Sequence[WeightedNoise]) -> list[Weights]:
    """Return the weights of a sum, grouped by the law of the noise and the weight's size.

    There is one `Weights` for each law, with each absolute weight once and how often it
    occurs. Weights of 0 are left out. Sizes are rounded to 10 digits, as equal ones may
    differ by errors of floats.
    """
    sizes_by_law: dict[CellLaw, list[Floats]] = {}
    counts_by_law: dict[CellLaw, list[Floats]] = {}
    for law, weights, each in terms:  # each weight counts for ``each`` cells
        nonzero = np.abs(weights[weights != 0])
        if len(nonzero):
            largest = float(nonzero.max())
            shares, counts = np.unique(np.round(nonzero / largest, 10), return_counts=True)
            sizes_by_law.setdefault(law, []).append(shares * largest)
            counts_by_law.setdefault(law, []).append(counts.astype(np.float64) * each)
    return [
        Weights(law, np.concatenate(sizes), np.concatenate(counts_by_law[law]))
        for law, sizes in sizes_by_law.items()
    ]


def _is_whole(groups: Sequence[Weights]) -> bool:
    """Return whether the sum is a whole number of steps of one size."""
    return len(groups) == 1 and len(groups[0].sizes) == 1


def _reach_by_inversion(
    groups: Sequence[Weights], level: float, joint: JointNoise | None = None
) -> float:
    """Return t with P(|S| <= t) >= level, by inverting a characteristic function.

    The sum S may be smoothed by a small noise U, whose largest size is added to the result.
    P(|S + U| <= t) = 2 / pi integral of f(w) sin(w t) / w over w > 0, f the characteristic
    function. The sum over a grid of step 2 pi / (2 L) is that for (S + U) mod 2 L. Here L is
    the first upper end of the search; by Chernoff's bound the mass beyond is below the error.

    Args:
        groups: The weights of the sum, by law.
        level: The least probability of |S| <= t.
        joint: One more independent value with its weight, whose law is nearly continuous.
    """
    low = 0.0
    high = bound_sum(groups, 1e-9, _EXPONENT_SHARES)
    error = _OMITTED_PROBABILITY
    if joint is not None:
        from synth.noise.floats.knorm import CUBE_FINE

        error += CUBE_FINE  # the joint value's law counts as continuous, with this error
        high += joint.weight * joint.law.extent
    step = math.pi / high
    w, weights, smooth = _keep_frequencies(groups, step, joint)
    for _ in range(40):  # halvings: more than a relative precision of 1e-6 needs
        middle = (low + high) / 2
        (chance,) = invert_characteristic(np.array([middle]), w, weights, step=step)
        is_within = chance - error >= level
        if is_within:
            high = middle
        else:
            low = middle
        if high - low < 1e-6 * high:
            break
    return high + smooth


def _keep_frequencies(
    groups: Sequence[Weights], step: float, joint: JointNoise | None
) -> tuple[Floats, Floats, float]:
    """Return what `invert_characteristic` needs: frequencies w, and their weights f(w) / w.

    f is the characteristic function of the sum S, perhaps smoothed by a small noise U. The
    third result is the largest size of U, 0 if there is none.

    Args:
        groups: The weights of the sum, by law.
        step: The distance of the frequencies.
        joint: One more independent value with its weight, if any.

    Frequencies whose f is next to nothing are left out. The noisiest groups come first, so
    that few frequencies are left for the others.
    """
    smooth = _SMOOTHING_DEVIATION * math.sqrt(sum(group.variance for group in groups))
    if joint is not None:
        smooth = max(smooth, _SMOOTHING_DEVIATION * joint.weight * joint.law.deviation)
    # Beyond 21 times `_KERNELS` / smooth, the characteristic function of U alone is next to
    # nothing.
    number = math.ceil(21 * _KERNELS / smooth / step)
    w = step * np.arange(1.0, number + 1)
    logs = np.zeros(number)
    kept_places = np.arange(number)
    for group in sorted(groups, key=lambda group: -group.variance):
        sizes_and_counts = zip(group.sizes, group.counts, strict=True)
        for size, count in sorted(sizes_and_counts, key=_negative_variance):
            logs[kept_places] += count * _log_characteristic(group.law, size * w[kept_places])
            kept_places = kept_places[logs[kept_places] > _MIN_LOG_TERM]
    # The sum is smoothed only if its own characteristic function falls too slowly.
    if len(kept_places) and kept_places[-1] > number // 2:
        # U is the sum of 6 uniform numbers from -smooth / 6 to smooth / 6.
        uniform = np.sinc(w[kept_places] * smooth / 6 / np.pi)
        logs[kept_places] += _KERNELS * np.log(np.abs(uniform))
        kept_places = kept_places[logs[kept_places] > _MIN_LOG_TERM]
    else:
        smooth = 0.0
    weights = np.exp(logs[kept_places]) / w[kept_places]
    if joint is not None:
        weights = weights * joint.law.characteristic(joint.weight * w[kept_places])
    return w[kept_places], weights, smooth


def _log_characteristic(law: CellLaw, w: Floats) -> Floats:
    """Return the logarithm of a law's characteristic function at any w, shape of w.

    The law is one of whole numbers, so the function has the period 2 pi and is even.
    """
    return law.log_characteristic(np.abs((w + np.pi) % (2 * np.pi) - np.pi))


def _negative_variance(size_and_count: tuple[float, float]) -> float:
    """Return the sort key of a weight: by what it adds to the variance, most first."""
    size, count = size_and_count
    return -count * size**2
