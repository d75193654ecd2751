"""Repair of a column's noisy counts, with help from neighbouring cells.

Each count moves towards a guess from its neighbours, as far as guesses proved right. (James
and Stein 1961, with the neighbours' mean for the common mean.) Their mean squared error is
the known noise plus the neighbours' real difference. Spikes, such as round hours, are left
out.

If noise outweighs the mean cell, counts become posterior means under a Gamma law: noise
projected onto the simplex resembles no column."""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from synth.estimate.assumptions import usual_shares
from synth.estimate.repair.simplex import project_to_simplex
from synth.util import Floats, bisect, softmax

# Neighbours, such as ages 41 and 42, are often about as frequent; most lists of categories
# have no such neighbours, and their counts hardly move.

MIN_SMOOTHED_CELLS = 8
# Median of a squared standard normal number.
MEDIAN_CHI_SQUARE = 0.455
# Most cells whose windows are one matrix; larger columns use Fourier transforms.
MATRIX_CELLS = 512
# Rounding error of a Fourier transform's window weights.
FOURIER_ROUNDING = 1e-9
# With fewer cells, strong noise does not show whether neighbours are related. Without this
# bound a table of twenty short columns loses a fifth at epsilon .1.
MIN_LONG_CELLS = 64
# Most cells of a column that is repaired by posterior means.
LIKELY_CELLS = 20_000

# Mean of the plain cells around each, from noisy counts and a mask.
Around = Callable[[Floats, NDArray[np.bool_]], Floats]


def repair_column(noisy: Floats, variance: float, total: float) -> Floats:
    """Return non-negative counts with the given sum.

    Args:
        noisy: Noisy counts, shape (cells,), in the declared order.
        variance: Variance of the noise on each.

    >>> repair_column(np.array([4.0, -1.0, 3.0]), variance=2.0, total=6.0).round(1).tolist()
    [3.5, 0.0, 2.5]
    """
    smoothed, risk = _smooth(noisy, variance)
    projected = project_to_simplex(smoothed, total)
    is_loud = math.sqrt(risk) * noisy.size > total
    if is_loud and total > 0 and 1 < noisy.size <= LIKELY_CELLS:
        likely, error = _likely(noisy, variance, total)
        projected_errors = np.minimum(math.sqrt(2 / math.pi * risk), projected)
        if noisy.size < MIN_LONG_CELLS or error < float(projected_errors.sum()):
            return likely
    return projected


def guess_from_neighbors(noisy: Floats, variance: float, total: float) -> list[Floats]:
    """Return guesses of cells from their neighbours, one for each window width without too
    many spikes.

    Args:
        noisy: Noisy counts, shape (cells,), in the declared order.
        variance: Variance of the noise on each.
        total: Their number of rows, above 0.

    Returns:
        Positive expected rows, each of shape (cells,) with sum ``total``.
    """
    guesses = []
    for width in _widths(noisy.size):
        around, _ = _weigh_window(noisy.size, width)
        guess, _, plain = _guess(noisy, variance, around)
        if plain.any():
            positive = np.maximum(guess, 1e-9 * total)
            guesses.append(positive * (total / positive.sum()))
    return guesses


def _smooth(noisy: Floats, variance: float) -> tuple[Floats, float]:
    """Return the counts of an ordered column, averaged with their neighbours.

    By the window of the least expected squared error, which comes from the difference of
    neighbours and the noise left. Returns a bound of that error too.
    """
    best = noisy
    least = variance
    for width in _widths(noisy.size):
        around, remaining_share = _weigh_window(noisy.size, width)
        guess, missed, plain = _guess(noisy, variance, around)
        if not plain.any():
            continue
        off = max(float(missed[plain].mean()) - variance, remaining_share * variance)
        trust = np.where(plain, off / max(off + variance, 1e-300), 1.0)
        if variance * trust.mean() < least:
            best = guess + trust * (noisy - guess)
            least = variance * float(trust.mean())
    return best, min(variance, least + variance * math.sqrt(2 / noisy.size))


def _widths(cells: int) -> list[float]:
    """Return the widths of the windows that are tried.

    Standard deviations of windows, doubled from half a cell to 4, or to an eighth of the
    column. On thousands of cells wider ones err by a third more.
    """
    if cells < MIN_SMOOTHED_CELLS:
        return []
    return [2.0**power for power in range(-1, max(3, cells.bit_length() - 3))]


def _weigh_window(cells: int, width: float) -> tuple[Around, float]:
    """Return the average over a Gaussian window of this width.

    The averaging, and the share of the noise's variance that it leaves.
    """
    around = dense_sums(cells, width) if cells <= MATRIX_CELLS else sliding_sums(cells, width)
    window = np.exp(-((np.arange(1, cells) / width) ** 2) / 2)
    return around, float((window**2).sum() / max(2 * window.sum() ** 2, 1e-300))


def dense_sums(cells: int, width: float) -> Around:
    """Return the function that averages a column's counts around each cell.

    By a normal window without its centre, over the cells that are no spikes; as a matrix.
    """
    places = np.arange(cells)
    window = np.exp(-(((places[:, None] - places) / width) ** 2) / 2)
    np.fill_diagonal(window, 0)

    def around(noisy: Floats, plain: NDArray[np.bool_]) -> Floats:
        near = window * plain
        return np.asarray(near @ noisy / np.maximum(near.sum(axis=1), 1e-300))

    return around


def sliding_sums(cells: int, width: float) -> Around:
    """Return the function of `dense_sums`, faster for long columns.

    By Fourier transforms, with the window cut at six deviations.
    """
    reach = min(cells - 1, math.ceil(6 * width))
    window = np.exp(-((np.arange(-reach, reach + 1) / width) ** 2) / 2)
    window[reach] = 0
    size = cells + 2 * reach
    turned = np.fft.rfft(window, size)

    def sums(values: Floats) -> Floats:
        return np.asarray(np.fft.irfft(np.fft.rfft(values, size) * turned, size))[reach:][
            :cells
        ]

    def around(noisy: Floats, plain: NDArray[np.bool_]) -> Floats:
        near = sums(plain.astype(np.float64))
        means = np.zeros(cells)
        return np.divide(sums(noisy * plain), near, out=means, where=near > FOURIER_ROUNDING)

    return around


def _guess(
    noisy: Floats, variance: float, around: Around
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return the counts as their neighbours suggest, their squared errors, and plain cells.

    Cells far from their neighbours are spikes, and not averaged again; four rounds settle
    which. The mask of plain cells is all false if most would be spikes, as the median then
    says nothing of the others.
    """
    # In deviations. Laplace noise on any cell is farther in one column of seven.
    far = (math.log(noisy.size) + 2) / math.sqrt(2)
    plain = np.ones(noisy.size, dtype=bool)
    for _ in range(4):
        guess = around(noisy, plain)
        missed = (noisy - guess) ** 2
        usual = max(variance, float(np.median(missed[plain])) / MEDIAN_CHI_SQUARE)
        plain = missed < far**2 * usual
        if plain.mean() < 0.5:
            return noisy, missed, np.zeros(noisy.size, dtype=bool)
    return guess, missed, plain


def measure_likelihood(noisy: Floats, variance: float, total: float) -> float:
    """Return the log-likelihood of a column's noisy counts under the usual law of columns.

    The noise counts as Laplace, as in `synth.estimate.models.public_guess`.

    Args:
        noisy: Noisy counts, shape (cells,).
        variance: Variance of the noise on each.
        total: Their number of rows.

    >>> likely, far = np.array([70.0, 30.0]), np.array([200.0, -100.0])
    >>> measure_likelihood(likely, 9.0, 100.0) > measure_likelihood(far, 9.0, 100.0)
    True
    """
    ratios, usual = _usual_law(noisy.size)
    gaps = np.abs(noisy[:, None] - total / noisy.size * ratios)
    logs = -gaps * math.sqrt(2 / variance) - math.log(variance) / 2
    return float(np.logaddexp.reduce(logs + usual, axis=1).sum())


def _likely(noisy: Floats, variance: float, total: float) -> tuple[Floats, float]:
    """Return the likely counts of a column under the law of usual columns.

    Posterior means under a Gamma law, given their sum, and the sum of their expected errors.
    """
    mean = total / noisy.size
    ratios, usual = _usual_law(noisy.size)
    logs = usual - (noisy[:, None] - mean * ratios) ** 2 / (2 * variance)

    def chances(price: float) -> Floats:
        return softmax(logs - price * ratios)

    def too_many(price: float) -> bool:
        return mean * float((chances(price) @ ratios).sum()) > total

    _, price = bisect(too_many, -50.0, 50.0, steps=30)
    posterior = chances(price)
    means = mean * (posterior @ ratios)
    means *= total / means.sum()
    off = np.abs(mean * ratios - means[:, None])
    return means, float((posterior * off).sum())


@lru_cache(maxsize=1024)
def _usual_law(cells: int) -> tuple[Floats, Floats]:
    """Return the law of cells of a usual column.

    Possible ratios of a cell to the mean cell, even in their logs, and their log-chances.
    With Gamma laws of one shape columns are Dirichlet, and two rows fall into one cell with a
    chance of (shape + 1) / (cells * shape + 1): here that of the usual column.
    """
    ratios = np.geomspace(1e-3, cells, 100)
    alike = float(np.square(usual_shares(cells)).sum())
    shape = (1 - alike) / max(cells * alike - 1, 1e-300)
    logs = shape * (np.log(ratios) - ratios)
    return ratios, np.asarray(logs - np.logaddexp.reduce(logs))
