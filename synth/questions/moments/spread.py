"""Variances and covariances from noisy sums, each with an interval. PUBLIC."""
# The error of S / n - m m' is a weighted sum of the noises, whose weights are known up to the noise
# of the means, plus products of two noises. Both are bounded.

import math

import numpy as np

from synth.questions.moments.noisy import NoisySums
from synth.questions.numbers import Numbers

# If noise of this probability could hide half of the rows, there is no answer.
MAX_HIDDEN_CHANCE = 1 - 1e-4


def spreads(of: NoisySums, level: float) -> Numbers:
    """Return the variance of a column, or the covariance of two, of each group."""
    i, j = (1, 1) if of.matrix.shape[1] == 2 else (1, 2)
    same, n = i == j, of.counts
    rows = np.where(2 * of.reach(MAX_HIDDEN_CHANCE) >= n, np.nan, n)
    first, second = (of.matrix[:, 0, k] / rows for k in (i, j))
    raw = of.matrix[:, i, j] / rows - first * second
    weights = [np.ones_like(raw)]
    weights += [2 * np.abs(first)] if same else [np.abs(first), np.abs(second)]
    weights += [] if of.rows_are_public else [first * second - raw]
    linear = of.deviation / rows * np.sqrt(sum(one**2 for one in weights))
    off = of.reach(level) / rows
    least = rows - (0 if of.rows_are_public else of.reach(level))
    grown = linear * rows / least + 2 * off * of.deviation / least * math.sqrt(len(weights))
    # The largest effect of rounding the values (Cauchy, Schwarz).
    a, b = of.rounding[i - 1], of.rounding[j - 1]
    size = np.sqrt(np.clip(raw, 0, 1)) if same else np.ones_like(raw)
    half = of.spread(level) * grown + off**2 + ((a + b) * size + a * b)
    # In the units of the columns, within possible values: by Popoviciu (width / 2)^2.
    unit = of.units[0] * of.units[0 if same else 1]
    widths = [span.high - span.low for span in of.spans]
    most = widths[0] * widths[-1] / 4
    value, low, high = (
        np.clip(one * unit, 0.0 if same else -most, most) for one in (raw, raw - half, raw + half)
    )
    hidden = ("no answer if the noise could hide half of the rows",)
    remarks = hidden * bool(np.isnan(raw).any()) + of.remarks()
    return Numbers(value, low, high, linear * of.size / of.deviation * unit, remarks=remarks)
