"""Answers from noisy sums of products, and their forecasts. PUBLIC.

Principal directions from noisy sums, each with a bound on its angle, or none.

All bounds hold at once (Weyl; Davis, Kahan 1970).

Slopes and the intercept of a least-squares line from noisy sums.

There is no interval if the noise could hide that columns are collinear.

Variances and covariances from noisy sums, each with an interval.
"""

import math
from dataclasses import dataclass

import numpy as np

from synth.noise import norm_reach
from synth.questions.answers.noisy_moments import NoisySums
from synth.questions.answers.numbers import Numbers
from synth.questions.answers.totals import Totals
from synth.questions.moments.sensitivity import scales_of
from synth.questions.way.way import Portion
from synth.questions.workloads.workload import Readout
from synth.util import Floats, Ints, Mask

# If noise of this probability could hide half of the rows, there is no answer.
MAX_HIDDEN_CHANCE = 1 - 1e-4


def spreads(of: NoisySums, level: float) -> Numbers:
    """Return the variance of a column, or the covariance of two, for each group.

    It is S_ij / n - (S_i / n) (S_j / n), with S the noisy sums and n the rows. Half of the
    interval has three parts. The first is the effect of the noise to first order, with the
    number of rows at its least. The others are the product of two noises, and the rounding of
    values to steps.

    Args:
        of: The noisy sums of products of the question.
        level: The probability with which an interval holds the true number.
    """
    same = of.matrix.shape[1] == 2
    # Row and column 0 of the matrix belong to the constant 1.
    i = 1
    j = 1 if same else 2
    n = of.counts
    # Of the noise on an entry: `deviation` is its standard deviation, `reach` a bound at a
    # level, and `spread` such a bound for weighted sums of noises, in standard deviations.
    # No answer if the noise could hide half of the rows.
    rows = np.where(2 * of.reach(MAX_HIDDEN_CHANCE) >= n, np.nan, n)
    first = of.matrix[:, 0, i] / rows
    second = of.matrix[:, 0, j] / rows
    raw = of.matrix[:, i, j] / rows - first * second
    # The derivatives by each noisy number, times the rows: the sum of products, the sums,
    # and the rows.
    weights = [np.ones_like(raw)]
    if same:
        weights.append(2 * np.abs(first))
    else:
        weights += [np.abs(first), np.abs(second)]
    if not of.rows_are_public:
        weights.append(first * second - raw)
    # The standard deviation of what all noises change to first order.
    linear = of.deviation / rows * np.sqrt(sum(numbers**2 for numbers in weights))
    # How far noise moves a mean, and the least number of rows that the noise allows.
    off = of.reach(level) / rows
    least_rows = rows - (0 if of.rows_are_public else of.reach(level))
    # `linear` for the least number of rows, with room for the noise in the derivatives.
    room = 2 * off * of.deviation / least_rows * math.sqrt(len(weights))
    noise_part = of.spread(level) * (linear * rows / least_rows + room)
    # The largest effect of rounding values by a and b (Cauchy, Schwarz). `size` is the
    # standard deviation of the column, or the largest one possible.
    a = of.rounding[i - 1]
    b = of.rounding[j - 1]
    size = np.sqrt(np.clip(raw, 0, 1)) if same else np.ones_like(raw)
    rounding_part = (a + b) * size + a * b
    half = noise_part + off**2 + rounding_part
    # In the units of the columns, within possible values: by Popoviciu (width / 2)^2.
    unit = of.units[0] * of.units[0 if same else 1]
    widths = [span.high - span.low for span in of.spans]
    largest = widths[0] * widths[-1] / 4
    value = np.clip(raw * unit, 0.0 if same else -largest, largest)
    low = np.clip((raw - half) * unit, 0.0 if same else -largest, largest)
    high = np.clip((raw + half) * unit, 0.0 if same else -largest, largest)
    remarks = of.remarks()
    if np.isnan(raw).any():
        remarks = ("no answer if the noise could hide half of the rows", *remarks)
    # Standard deviations of the noise become its mean sizes here.
    error = linear * of.size / of.deviation * unit
    return Numbers(value, low, high, error, remarks=remarks)


COLLINEAR = (
    "the noise could hide that the columns depend on each other: the slopes are of a "
    "repaired matrix, and have no intervals"
)
ABOUT_THESE_ROWS = (
    "intervals cover the noise and are about these rows, not about a population"
)


def lines(of: NoisySums, level: float) -> Numbers:
    """Return the intercept, then the slope of each column after the first, by least squares.

    The line follows from the noisy matrix of products. Eigenvalues below a bound of the
    noise's norm are raised to it, and then there is no interval. Otherwise the first-order
    effect of the noise is divided by 1 - norm / least eigenvalue, which covers the terms of
    higher order.

    Args:
        of: The noisy sums of products of the question; its first column is the outcome.
        level: The probability with which an interval holds the true number.
    """
    # A regression has no groups, so there is one matrix.
    matrix = of.matrix[0]
    # The constant 1 and the regressors; column 1 is the outcome.
    order = [0, *range(2, of.matrix.shape[1])]
    noisy = of.noisy[np.ix_(order, order)]
    # A bound of the norm of the noise, in the units of the matrix.
    norm = norm_reach(of.law, noisy, level) / of.weight**2
    values, vectors = np.linalg.eigh(matrix[np.ix_(order, order)])
    # The inverse of the matrix, whose eigenvalues are raised to the bound.
    inverse = (vectors / np.maximum(values, norm)) @ vectors.T
    slopes = inverse @ matrix[order, 1]
    units = _units(of)
    value = units @ slopes
    # The outcome was measured from the middle of its range.
    value[0] += of.middles[0]
    # The standard deviation of each coefficient to first order. The ratio below is the bound
    # over the least eigenvalue.
    linear = of.deviation * _deviations(noisy, slopes, units @ inverse)
    ratio = norm / values[0] if values[0] > 0 else np.inf
    half = np.full(len(value), np.nan)
    if ratio < 1:
        half = of.spread(level) * linear / (1 - ratio)
    error = linear * of.size / of.deviation
    remarks = (ABOUT_THESE_ROWS,) if ratio < 1 else (COLLINEAR,)
    return Numbers(value, value - half, value + half, error, remarks=remarks + of.remarks())


def _units(of: NoisySums) -> Floats:
    """Return the matrix that turns scaled coefficients into coefficients of the columns.

    Columns are measured from the middles of their ranges, in half ranges. The first row gives
    the intercept, which must also be moved from those middles to 0. The other rows give the
    slopes. Its shape is (1 + regressors, 1 + regressors).
    """
    unit = of.units[0]
    units = of.units[1:]
    middles = of.middles[1:]
    coefficients = np.zeros((len(units) + 1, len(units) + 1))
    # With scaled coefficients b the outcome, less its middle, is unit * (b_0 + the sum of
    # b_j (x_j - middle_j) / unit_j).
    coefficients[0, 0], coefficients[0, 1:] = unit, -unit * middles / units
    coefficients[1:, 1:] = np.diag(unit / units)
    return coefficients


def _deviations(noisy: Mask, slopes: Floats, weights: Floats) -> Floats:
    """Return the standard deviation of each coefficient, to first order, shape (numbers,).

    The noise on each entry has deviation 1, and entries (i, j) and (j, i) have the same
    noise.

    Args:
        noisy: Which entries of the matrix of products have noise.
        slopes: The coefficients in measured units, the intercept first.
        weights: How the result depends on the right side of the normal equations, shape
            (numbers, coefficients).
    """
    # `outer` is how noise on an entry (i, j) of the matrix moves each number; `both`, how the
    # same noise on (i, j) and (j, i) does. The variance adds the noise on the right side, on
    # entries above the diagonal, and on the diagonal.
    outer = weights[:, :, None] * slopes[None, None, :]
    both = outer + np.swapaxes(outer, 1, 2)
    variance = (weights**2).sum(axis=1) + (both**2 * np.triu(noisy, 1)).sum(axis=(1, 2))
    diagonal = np.diagonal(outer, axis1=1, axis2=2)
    variance += (diagonal**2 * np.diagonal(noisy)).sum(axis=1)
    return np.asarray(np.sqrt(variance))


SCALED = "columns are scaled to half of their ranges; all intervals and angles hold at once"
NONE = "no direction where the noise could turn it into another one"


@dataclass(frozen=True, eq=False)
class _Scatter:
    # norm bounds the error of the matrix; rows are the least and greatest number of rows.
    matrix: Floats
    norm: float
    rows: tuple[float, float]


def directions(of: NoisySums, level: float) -> Numbers:
    """Return the principal axes of columns, the one with the largest variance first.

    For each axis there is its variance, its coordinates by column, and a bound of the angle
    between the true and the noisy axis in degrees, one after another.

    Args:
        of: The noisy sums of products of the question.
        level: The probability with which all intervals and angles hold at once.
    """
    scatter = _scatter(of, level)
    values, vectors = np.linalg.eigh(scatter.matrix)
    # `eigh` sorts eigenvalues in ascending order.
    values = values[::-1]
    vectors = vectors[:, ::-1]
    parts = [
        _direction(float(value), vector, float(sine), scatter=scatter)
        for value, vector, sine in zip(
            values, vectors.T, _sines(values, scatter.norm), strict=True
        )
    ]
    value, low, high = (np.concatenate(ends) for ends in zip(*parts, strict=True))
    # About the noise on an entry over the rows, for every number.
    error = np.full(len(value), of.size / max(1.0, float(of.counts[0])))
    remarks = (SCALED, *of.remarks())
    if np.isnan(value).any():
        remarks = (SCALED, NONE, *of.remarks())
    return Numbers(value, low, high, error, remarks=remarks)


def _scatter(of: NoisySums, level: float) -> _Scatter:
    """Return the noisy matrix of squares and products around the means, and bounds of its
    error.

    With the noisy means m and P = (-m, I), noise E on the matrix of sums G moves P G P' by P
    E P'. In addition it is off by n times the square of the error of m. Columns are scaled to
    half of their ranges. If the noise could hide all rows, the bound is infinite.
    """
    matrix = of.matrix[0]
    n = float(of.counts[0])
    norm = norm_reach(of.law, of.noisy, level) / of.weight**2
    least_rows, most_rows = (n, n) if of.rows_are_public else (n - norm, n + norm)
    # From measured units to half ranges, which have `most` steps.
    scale = of.weight / np.array([steps.most for steps in of.steps])
    if least_rows <= 0:
        return _Scatter(np.diag(scale**2), np.inf, (0.0, np.inf))
    means = matrix[0, 1:] / n
    centred = matrix[1:, 1:] - n * np.outer(means, means)
    # |P E P'| is at most |P|^2 |E|, and |P|^2 is 1 + |m|^2. The second part has that factor
    # too.
    error_bound = (1 + float(means @ means)) * (norm + norm**2 / least_rows)
    return _Scatter(
        centred * np.outer(scale, scale),
        error_bound * float(scale.max()) ** 2,
        (least_rows, most_rows),
    )


def _sines(values: Floats, norm: float) -> Floats:
    """Return bounds of the sine of the angle between each true and noisy principal axis.

    By Davis and Kahan (1970) it is the norm of the error over the gap to the next eigenvalue.
    The norm is taken off the gap, as the true eigenvalue may be nearer. A result of 1 or more
    means that there is no bound.

    Args:
        values: The noisy eigenvalues, descending.
        norm: A bound of the spectral norm of the error.
    """
    gaps = np.concatenate(([np.inf], values[:-1] - values[1:], [np.inf]))
    least_gaps = np.minimum(gaps[:-1], gaps[1:]) - norm
    return np.asarray(
        np.divide(
            norm, least_gaps, out=np.full(len(least_gaps), np.inf), where=least_gaps > 0
        )
    )


def _direction(
    value: float, vector: Floats, sine: float, *, scatter: _Scatter
) -> tuple[Floats, Floats, Floats]:
    """Return the values, the low and the high ends of the numbers of one principal axis.

    The numbers are the variance, the entries of the direction, and the largest angle in
    degrees between the true and the noisy axis. Without a bound of the angle, all but the
    variance are NaN.

    Args:
        value: The eigenvalue.
        vector: The unit vector of the axis, shape (columns,).
        sine: A bound of the sine of the angle; 1 or more for none.
        scatter: The matrix, with bounds of its error and of the number of rows.
    """
    nothing = np.full(len(vector) + 1, np.nan)
    spread = _variance(value, scatter)
    if not sine < 1:
        return tuple(np.concatenate(([end], nothing)) for end in spread)  # type: ignore[return-value]
    # An axis has two directions; that with a positive largest entry is shown.
    vector = vector * (1 if vector[np.abs(vector).argmax()] > 0 else -1)
    angle = float(np.arcsin(sine))
    # The distance of two unit vectors at this angle, so of any entry too.
    chord = 2 * np.sin(angle / 2)
    degrees = np.degrees(angle)
    low = np.clip(vector - chord, -1, 1)
    high = np.clip(vector + chord, -1, 1)
    return (
        np.concatenate(([spread[0]], vector, [degrees])),
        np.concatenate(([spread[1]], low, [np.nan])),
        np.concatenate(([spread[2]], high, [np.nan])),
    )


def _variance(value: float, scatter: _Scatter) -> tuple[float, float, float]:
    """Return the variance along an axis, and the low and the high end of its interval.

    By Weyl's theorem the eigenvalue is off by at most the norm of the error. It is divided by
    the least or the greatest number of rows. All are NaN if the error has no bound.

    Args:
        value: The eigenvalue of the axis.
        scatter: The matrix, with bounds of its error and of the number of rows.
    """
    least_rows, most_rows = scatter.rows
    if not np.isfinite(scatter.norm):
        return np.nan, np.nan, np.nan
    ends = (max(0.0, value - scatter.norm) / most_rows, (value + scatter.norm) / least_rows)
    # Columns are scaled to half ranges, so each has a variance of at most 1, and the variance
    # along an axis is at most their sum.
    top = float(len(scatter.matrix))
    low, high = (min(end, top) for end in ends)
    # Over the mean of both numbers of rows, within the interval.
    return min(max(2 * value / (least_rows + most_rows), low), high), low, high


EVENLY_SPREAD = (
    "the forecast assumes columns that are independent and spread evenly over their ranges; "
    "slopes and directions of narrower columns have larger errors"
)
_READERS = {"spreads": spreads, "lines": lines, "directions": directions}


def read_moments(
    totals: Totals, reading: Readout, rows: int | None, *, level: float
) -> Numbers:
    """Return the numbers of one answer, with intervals and average errors.

    Args:
        totals: The noisy sums and sums of products, in grid steps.
        reading: Which of these sums belong to the question.
        rows: The public number of rows; None if it is private.
        level: The probability with which an interval holds the true number.
    """
    sums = NoisySums.read(totals, reading, rows)
    return _READERS[sums.question.kind.reads](sums, level)


def evenly_spread(portion: Portion, rows: int) -> Ints:
    """Return the sums for rows whose columns are independent and uniform over their ranges.

    They are in grid steps, in the order of the block's tallies. The mean square of a uniform
    column with ends -m and m is m^2 / 3; sums and mixed products are 0. A tally is a sum over
    the rows, by group.

    Args:
        portion: A block of questions with its way.
        rows: The approximate number of rows.
    """
    weight, _ = scales_of(portion.block, portion.way.grains)
    totals = []
    for number, grain in zip(portion.block.tallies, portion.way.grains, strict=True):
        tally = portion.block.workload.tallies[number]
        # What a row adds on average. Without a grid the tally counts rows, and with two equal
        # grids it adds squares.
        step_sum = 0
        if grain.steps is None:
            step_sum = weight**2
        elif grain.steps == grain.times:
            step_sum = grain.steps.most**2 // 3
        totals.append(np.full(tally.size, rows // tally.size * step_sum, dtype=np.int64))
    return np.concatenate(totals)
