"""Repair of a column's noisy counts, with help from neighbouring cells, or from the usual law of
columns if noise hides everything.

Ages 41 and 42 are about equally frequent. So every cell is guessed from the cells around it,
without itself, and moved towards that guess as far as the guesses have proved right: their mean
squared error is the noise, which is known, plus the real difference of neighbours (James and Stein
1961, with the mean of the neighbours for the common mean). If neighbours are unrelated, as in most
lists of categories, the counts stay as they are. Cells far from their neighbours, such as round
hours or a code for nothing, are left out.

If the noise outweighs the mean cell even then, counts are replaced by their posterior means under a
Gamma law of the shares: no projection of noise onto the simplex is near any column. All of it is
post-processing.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from synth.estimate.repair.simplex import project_to_simplex
from synth.util import Floats, bisect, softmax

WIDTHS = (0.7, 1.5, 3.0, 6.0)
"""Standard deviations, in cells, of the windows that are always tried."""
MAX_WINDOW_SHARE = 1 / 8
"""The widest window, as a share of all cells."""
MIN_SMOOTHED_CELLS = 8
"""Cells of the smallest column that is smoothed."""
MAX_SPIKE_SHARE = 0.25
"""Largest share of cells that may be spikes; fewer than 4 / MAX_SPIKE_SHARE cells have none."""
SPIKE_DEVIATIONS = 4.0
"""Standard deviations from the guess at which a cell is a spike; more with so many cells that
Laplace noise alone goes that far.
"""
MEDIAN_CHI_SQUARE = 0.455
"""Median of the square of a standard normal number."""
MATRIX_CELLS = 512
"""Most cells whose windows are one matrix; larger ones use Fourier transforms."""
FOURIER_ROUNDING = 1e-9
"""Window weight that may be a rounding error of a Fourier transform."""
LOUD = 1.0
"""Noise, as a share of the mean cell, from which counts are replaced by posterior means."""
SHAPES = (0.4, 0.7, 0.2, 0.1, 0.05, 0.02, 0.01)
"""Shapes of the Gamma law of a cell's share, the usual one first: with 1 all divisions of the rows
are equally likely; with small ones a few cells hold all rows.
"""
MIN_LOUD_CELLS = 64
"""With fewer cells, strong noise does not show whether neighbours are related."""
SHAPE_LOG_ODDS = 12.0
"""Log-likelihood gain needed to prefer a shape e times another."""
LIKELY_CELLS = 20_000
"""Cells of the largest column that is repaired by posterior means."""
LEAST_GUESS = 1 / 8
"""Least guess of a cell, in deviations of the noise left in its window."""

Around = Callable[[Floats, NDArray[np.bool_]], Floats]
"""The mean of the plain cells around each cell, from noisy counts and a mask of plain cells."""


def repair_column(noisy: Floats, variance: float, total: float) -> Floats:
    """Return non-negative counts with the given sum.

    Args:
        noisy: Noisy counts, shape (cells,), in the declared order.
        variance: Variance of the noise on each.
        total: Their number of rows.

    >>> repair_column(np.array([4.0, -1.0, 3.0]), variance=2.0, total=6.0).round(1).tolist()
    [3.5, 0.0, 2.5]
    """
    smoothed, risk = _smooth(noisy, variance)
    found = project_to_simplex(smoothed, total)
    is_loud = math.sqrt(risk) * noisy.size > LOUD * total
    if is_loud and total > 0 and 1 < noisy.size <= LIKELY_CELLS:
        likely, error = _likely(noisy, variance, total)
        if noisy.size < MIN_LOUD_CELLS or error < float(
            np.minimum(math.sqrt(2 / math.pi * risk), found).sum()
        ):
            return likely
    return found


def guess_from_neighbors(noisy: Floats, variance: float, total: float) -> list[Floats]:
    """Return guesses of every cell from those around it, without itself: one for each window width.

    There is none for a width at which too many cells would be spikes.

    Args:
        noisy: Noisy counts, shape (cells,), in the declared order.
        variance: Variance of the noise on each.
        total: Their number of rows, above 0.

    Returns:
        Positive expected rows, each of shape (cells,) and with the sum ``total``.
    """
    found = []
    for width in _widths(noisy.size):
        around, left = _weigh_window(noisy.size, width)
        guess, _, plain = _guess(noisy, variance, around, _largest_noise(noisy.size))
        if plain.any():
            positive = np.maximum(guess, LEAST_GUESS * math.sqrt(left * variance) + 1e-9 * total)
            found.append(positive * (total / positive.sum()))
    return found


def _smooth(noisy: Floats, variance: float) -> tuple[Floats, float]:
    """Smooth by the window of the least expected squared error; return it with a bound of that
    error.

    The error of a guess comes from the difference of neighbours, and from the noise left in the
    window.
    """
    best, least = noisy, variance
    for width in _widths(noisy.size):
        around, left = _weigh_window(noisy.size, width)
        guess, missed, plain = _guess(noisy, variance, around, _largest_noise(noisy.size))
        if not plain.any():
            continue
        off = max(float(missed[plain].mean()) - variance, left * variance)
        trust = np.where(plain, off / max(off + variance, 1e-300), 1.0)
        if variance * trust.mean() < least:
            best, least = guess + trust * (noisy - guess), variance * float(trust.mean())
    return best, min(variance, least + variance * math.sqrt(2 / noisy.size))


def _widths(cells: int) -> list[float]:
    """Return the standard deviations of the windows to try."""
    if cells < MIN_SMOOTHED_CELLS:
        return []
    widths = list(WIDTHS)
    while 2 * widths[-1] <= MAX_WINDOW_SHARE * cells:
        widths.append(2 * widths[-1])
    return widths


def _largest_noise(cells: int) -> float:
    """Return deviations that Laplace noise on any of this many cells hardly ever exceeds."""
    return max(SPIKE_DEVIATIONS, (math.log(cells) + 2) / math.sqrt(2))


def _weigh_window(cells: int, width: float) -> tuple[Around, float]:
    """Return how a window averages, and the share of the noise's variance left in it."""
    around = dense_sums(cells, width) if cells <= MATRIX_CELLS else sliding_sums(cells, width)
    window = np.exp(-((np.arange(1, cells) / width) ** 2) / 2)
    return around, float((window**2).sum() / max(2 * window.sum() ** 2, 1e-300))


def dense_sums(cells: int, width: float) -> Around:
    """Return means by a normal window around each cell, without itself, as a matrix."""
    places = np.arange(cells)
    window = np.exp(-(((places[:, None] - places) / width) ** 2) / 2)
    np.fill_diagonal(window, 0)

    def around(noisy: Floats, plain: NDArray[np.bool_]) -> Floats:
        near = window * plain
        return np.asarray(near @ noisy / np.maximum(near.sum(axis=1), 1e-300))

    return around


def sliding_sums(cells: int, width: float) -> Around:
    """Return the same by Fourier transforms, with the window's negligible ends cut off."""
    reach = min(cells - 1, math.ceil(6 * width))
    window = np.exp(-((np.arange(-reach, reach + 1) / width) ** 2) / 2)
    window[reach] = 0
    size = cells + 2 * reach
    turned = np.fft.rfft(window, size)

    def sums(values: Floats) -> Floats:
        return np.asarray(np.fft.irfft(np.fft.rfft(values, size) * turned, size))[reach:][:cells]

    def around(noisy: Floats, plain: NDArray[np.bool_]) -> Floats:
        near = sums(plain.astype(np.float64))
        found = np.zeros(cells)
        return np.divide(sums(noisy * plain), near, out=found, where=near > FOURIER_ROUNDING)

    return around


def _guess(
    noisy: Floats, variance: float, around: Around, far: float
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Guess every cell from its neighbours; return squared errors and the cells that are no spikes.

    None if too many cells would be spikes.
    """
    plain, rounds = np.ones(noisy.size, dtype=bool), 4 if MAX_SPIKE_SHARE * noisy.size >= 4 else 1
    for _ in range(rounds):
        guess = around(noisy, plain)
        missed = (noisy - guess) ** 2
        usual = max(variance, float(np.median(missed[plain])) / MEDIAN_CHI_SQUARE)
        plain = missed < far**2 * usual if rounds > 1 else plain
        if plain.mean() < 1 - MAX_SPIKE_SHARE:
            return noisy, missed, np.zeros(noisy.size, dtype=bool)
    return guess, missed, plain


def _likely(noisy: Floats, variance: float, total: float) -> tuple[Floats, float]:
    """Return posterior means under a Gamma law of the shares, given their sum.

    The law's shape is the usual one, unless another makes the noisy counts far more likely.

    Returns:
        Rows by cell, and the sum of their expected errors.
    """
    mean = total / noisy.size
    ratios = np.geomspace(1e-3, noisy.size, 100)  # even in their logarithm
    told = -((noisy[:, None] - mean * ratios) ** 2) / (2 * variance)

    def likelihood(shape: float) -> float:
        told_by_it = np.logaddexp.reduce(told + _gamma(shape, ratios), axis=1)
        return float(told_by_it.sum()) - SHAPE_LOG_ODDS * abs(math.log(shape / SHAPES[0]))

    logs = told + _gamma(max(SHAPES, key=likelihood), ratios)

    def chances(price: float) -> Floats:
        return softmax(logs - price * ratios)

    def too_many(price: float) -> bool:
        return mean * float((chances(price) @ ratios).sum()) > total

    _, price = bisect(too_many, -50.0, 50.0, steps=30)
    left = chances(price)
    found = mean * (left @ ratios)
    found *= total / found.sum()
    off = np.abs(mean * ratios - found[:, None])
    return found, float((left * off).sum())


def _gamma(shape: float, ratios: Floats) -> Floats:
    """Return the logarithm of the density of each ratio to the mean under a Gamma law."""
    logs = shape * (np.log(ratios) - ratios)
    return np.asarray(logs - np.logaddexp.reduce(logs))
