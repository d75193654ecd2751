"""The layers of the audit as functions, so that they can be run on mutants too.

1 `largest_loss`     the privacy loss implied by the sampler's own integers, nothing sampled
2 `words_agree`      every word of the 16-bit table against thresholds of 320 bits
3 `has_scale`        chi-square: the claimed scale, and neither nine nor eleven tenths of it
4 `epsilon_bound`    a lower bound of epsilon from what a release puts out on two neighbours
5 `replay`           a pipeline on neighbours with its noise frozen: all else equal

Statistical layers reject a true claim with probability 1e-6 and are never repeated.
"""

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from itertools import product

import numpy as np
from scipy import stats

from synth.noise.sampler import OPEN, Law, Thresholds, locate

ALPHA = 1e-6
NBITS = 320
SLACK = Decimal("1e-50")
RUNS = 200_000

Release = Callable[[np.ndarray], np.ndarray]
"""Independent runs of a release: exact counts of shape (runs, cells) to outputs (runs, m)."""


def masses(thresholds: Thresholds) -> dict[int, tuple[int, int]]:
    """Enclose 2^nbits P(z) for the inner part of the law."""
    low, high = thresholds.low, thresholds.high
    return {
        thresholds.first + i: (low[i] - high[i - 1], high[i] - low[i - 1])
        for i in range(1, len(low))
        if low[i] - high[i - 1] > 1 << 200
    }


def largest_loss(inner: dict[int, tuple[int, int]], shift: int) -> Decimal:
    """Layer 1: upper bound of |ln P(z) / P(z + shift)| over the inner part."""
    with localcontext(prec=110):
        pairs = [(inner[z], inner[z + shift]) for z in inner if z + shift in inner]
        assert len(pairs) > 2
        return max(max(Decimal(a[1]) / b[0], Decimal(b[1]) / a[0]) for a, b in pairs).ln()


def words_agree(table: np.ndarray, law: Law) -> bool:
    """Layer 2: each answer holds at both ends of its word's interval, and few words are
    open.
    """
    fine = law.thresholds(NBITS)
    for word, answer in enumerate(table.tolist()):
        if answer != OPEN:
            ends = locate(fine, word << 304), locate(fine, ((word + 1) << 304) - 1)
            if ends != (answer, answer):
                return False
    return float(np.mean(table == OPEN)) < 0.06


def laplace_p_value(sample: np.ndarray, scale: float) -> float:
    """Chi-square of about 60 intervals of nearly equal probability under a discrete
    Laplace.
    """
    q = math.exp(-1 / scale)
    quantiles = np.unique(np.round(scale * np.log(2 * np.linspace(0.5, 1 / 60, 29)[1:])))
    cuts = np.unique(np.concatenate([quantiles, -quantiles])) - 0.5
    z = np.floor(cuts)
    below = np.where(z < 0, q**-z / (1 + q), 1 - q ** (z + 1) / (1 + q))
    return _chi_square(sample, cuts, below)


def gaussian_p_value(sample: np.ndarray, sigma: float) -> float:
    """The same for a discrete Gaussian, from its summed weights."""
    reach = int(12 * sigma) + 3
    z = np.arange(-reach, reach + 1)
    cdf = np.cumsum(np.exp(-(z**2) / (2 * sigma**2)))
    cdf /= cdf[-1]
    cuts = np.unique(np.round(stats.norm.ppf(np.linspace(0, 1, 61)[1:-1]) * sigma)) - 0.5
    return _chi_square(sample, cuts, cdf[(np.floor(cuts) + reach).astype(int)])


def _chi_square(sample: np.ndarray, cuts: np.ndarray, below: np.ndarray) -> float:
    expected = np.diff(np.concatenate([[0], below, [1]])) * sample.size
    counts = np.bincount(np.searchsorted(cuts, sample), minlength=cuts.size + 1)
    keep = expected > 5
    statistic = ((counts - expected)[keep] ** 2 / expected[keep]).sum()
    return float(stats.chi2.sf(statistic, keep.sum()))


def has_scale(
    sample: np.ndarray,
    scale: float,
    p_value: Callable[[np.ndarray, float], float] = laplace_p_value,
) -> bool:
    """Layer 3: three-sided."""
    return (
        p_value(sample, scale) > ALPHA
        and p_value(sample, 0.9 * scale) < ALPHA
        and p_value(sample, 1.1 * scale) < ALPHA
    )


def epsilon_bound(
    release: Release,
    first_rows: Sequence[int],
    second_rows: Sequence[int],
    *,
    runs: int = RUNS,
) -> float:
    """Layer 4: a lower bound of epsilon that fails with probability 1e-6.

    The event with the largest ratio is chosen on half of the runs; Clopper and Pearson bound
    its probabilities on the other half.
    """
    outputs = [release(np.tile(np.array(x), (runs, 1))) for x in (first_rows, second_rows)]
    halves = [(out[: runs // 2], out[runs // 2 :]) for out in outputs]
    cuts = _cuts(np.concatenate([half for half, _ in halves]), [*first_rows, *second_rows])
    best = -math.inf
    for first, second in ((0, 1), (1, 0)):
        counts = [_events(halves[i][0], cuts) for i in (first, second)]
        gain = np.log(np.maximum(counts[0] - 5 * np.sqrt(counts[0]), 1e-9))
        gain -= np.log(counts[1] + 5 * np.sqrt(counts[1]) + 14)
        event = int(np.argmax(gain))
        a, b = (int(_events(halves[i][1], cuts)[event]) for i in (first, second))
        best = max(best, _log_ratio(a, b, runs // 2))
    return best


def _log_ratio(a: int, b: int, runs: int) -> float:
    low = stats.beta.ppf(ALPHA / 4, a, runs - a + 1) if a else 0.0
    high = stats.beta.isf(ALPHA / 4, b + 1, runs - b) if b < runs else 1.0
    return math.log(low / high) if low else -math.inf


def _cuts(outputs: np.ndarray, counts: list[int]) -> list[np.ndarray]:
    """Places to cut each coordinate at: near the counts, and at quantiles."""
    levels = [1e-4, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999]
    near = [c + step for c in set(counts) for step in (-1, 0, 1)]
    return [
        np.unique(np.concatenate([near, np.round(np.quantile(column, levels))]))
        for column in outputs.T
    ]


def _events(outputs: np.ndarray, cuts: list[np.ndarray]) -> np.ndarray:
    """How often each event happens: y_i = c, and every (y_i <= c or >= c) and (y_j <= or >=
    d).

    Cells between cuts are numbered, and a table of how often each pair of numbers occurs is
    summed up from each corner.
    """
    numbers = [
        2 * np.searchsorted(cut, y) + np.isin(y, cut)
        for y, cut in zip(outputs.T, cuts, strict=True)
    ]
    sizes = [2 * cut.size + 2 for cut in cuts]
    counts = []
    for i, j in product(range(len(cuts)), repeat=2):
        table = np.bincount(numbers[i] * sizes[j] + numbers[j], minlength=sizes[i] * sizes[j])
        table = table.reshape(sizes[i], sizes[j])
        if i == j:
            counts.append(table.sum(axis=1))
        for flips in product((slice(None), slice(None, None, -1)), repeat=2):
            counts.append(table[flips].cumsum(axis=0).cumsum(axis=1).ravel())
    return np.concatenate(counts).astype(float)
