"""Variances and covariances from noisy sums, each with an interval. PUBLIC."""
# The error of S / n - m m' is a weighted sum of the noises, whose weights are known up to the noise
# of the means, plus products of two noises. Both are bounded.

import math

import numpy as np

from synth.questions.moments.noisy import NoisySums
from synth.questions.numbers import Numbers
from synth.util import Floats

# If noise of this probability could hide half of the rows, there is no answer.
MAX_HIDDEN_CHANCE = 1 - 1e-4


def spreads(of: NoisySums, level: float) -> Numbers:
    """Return the variance of a column, or the covariance of two, of each group."""
    i, j = (1, 1) if of.matrix.shape[1] == 2 else (1, 2)
    n = of.counts
    hidden = 2 * of.reach(MAX_HIDDEN_CHANCE) >= n
    rows = np.where(hidden, np.nan, n)
    first, second = (of.matrix[:, 0, k] / rows for k in (i, j))
    raw = of.matrix[:, i, j] / rows - first * second
    weights = [np.ones_like(raw), *_weights(first, second, same=i == j)]
    weights += [] if of.rows_are_public else [first * second - raw]
    linear = of.deviation / rows * np.sqrt(sum(one**2 for one in weights))
    half = _half(of, rows, linear, len(weights), level) + _rounding(of, raw, i, j)
    return _write_numbers(of, raw, half, linear * of.size / of.deviation, same=i == j)


def _weights(first: Floats, second: Floats, *, same: bool) -> list[Floats]:
    return [2 * np.abs(first)] if same else [np.abs(first), np.abs(second)]


def _half(of: NoisySums, rows: Floats, linear: Floats, many: int, level: float) -> Floats:
    off = of.reach(level) / rows
    least = rows - (0 if of.rows_are_public else of.reach(level))
    grown = linear * rows / least + 2 * off * of.deviation / least * math.sqrt(many)
    return np.asarray(of.spread(level) * grown + off**2)


def _rounding(of: NoisySums, raw: Floats, i: int, j: int) -> Floats:
    # The largest effect of rounding the values (Cauchy, Schwarz).
    a, b = of.rounding[i - 1], of.rounding[j - 1]
    size = np.sqrt(np.clip(raw, 0, 1)) if i == j else np.ones_like(raw)
    return np.asarray((a + b) * size + a * b)


def _write_numbers(
    of: NoisySums, raw: Floats, half: Floats, error: Floats, *, same: bool
) -> Numbers:
    # In the units of the columns, within possible values: by Popoviciu (width / 2)^2.
    unit = of.units[0] * of.units[0 if same else 1]
    widths = [span.high - span.low for span in of.spans]
    most = widths[0] * widths[-1] / 4
    ends = (
        np.clip(one * unit, 0.0 if same else -most, most) for one in (raw, raw - half, raw + half)
    )
    value, low, high = ends
    hidden = ("no answer if the noise could hide half of the rows",)
    remarks = hidden * bool(np.isnan(raw).any()) + of.remarks()
    return Numbers(value, low, high, error * unit, remarks=remarks)
