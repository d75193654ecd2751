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

from synth.estimate.assumptions import MIN_LONG_CELLS, MIN_SMOOTHED_CELLS, usual_shares
from synth.estimate.repair.simplex import project_to_simplex
from synth.util import Floats, bisect, softmax

# Median of a squared standard normal number.
MEDIAN_CHI_SQUARE = 0.455
# Most cells whose windows are one matrix; larger columns use Fourier transforms.
MATRIX_CELLS = 512
# Rounding error of a Fourier transform's window weights.
FOURIER_ROUNDING = 1e-9
# Most cells of a column that is repaired by posterior means.
LIKELY_CELLS = 20_000

# Mean of the plain cells around each, from noisy counts and a mask.
Around = Callable[[Floats, NDArray[np.bool_]], Floats]


def repair_column(noisy: Floats, variance: float, total: float) -> Floats:
    """Return non-negative counts with the given sum.

    Args:
        noisy: Noisy counts, shape (cells,), in the declared order.
        variance: Variance of the noise on each.
        total: The wanted sum, in rows.

    >>> repair_column(np.array([4.0, -1.0, 3.0]), variance=2.0, total=6.0).round(1).tolist()
    [3.5, 0.0, 2.5]
    """
    smoothed, risk = _smooth(noisy, variance)
    projected = project_to_simplex(smoothed, total)
    # Loud: the typical error of a cell exceeds the rows of the mean cell.
    is_loud = math.sqrt(risk) * noisy.size > total
    if is_loud and total > 0 and 1 < noisy.size <= LIKELY_CELLS:
        likely, error = _likely(noisy, variance, total)
        # The mean size of a normal error of this variance, but no more than the cell's rows.
        projected_errors = np.minimum(math.sqrt(2 / math.pi * risk), projected)
        if noisy.size < MIN_LONG_CELLS or error < float(projected_errors.sum()):
            return likely
    return projected


def guess_from_neighbors(noisy: Floats, variance: float, total: float) -> list[Floats]:
    """Return guesses of cells from their neighbours, one for each window width.

    A width is left out if most cells differ too much from their neighbours.

    Args:
        noisy: Noisy counts, shape (cells,), in the declared order.
        variance: Variance of the noise on each.
        total: The number of rows in all cells, above 0.

    Returns:
        Positive expected rows, each of shape (cells,) with sum ``total``.
    """
    guesses = []
    for width in _widths(noisy.size):
        around, _ = _weigh_window(noisy.size, width)
        guess, _, plain = _guess(noisy, variance, around)
        if plain.any():
            positive = np.maximum(guess, 1e-9 * total)  # above 0 by next to nothing
            guesses.append(positive * (total / positive.sum()))
    return guesses


def _smooth(noisy: Floats, variance: float) -> tuple[Floats, float]:
    """Return the counts of an ordered column, moved towards the averages of neighbours.

    The width of the window is that of the least expected squared error, which comes from the
    real difference of neighbours and from the noise that remains.

    Args:
        noisy: Noisy counts, shape (cells,), in the declared order.
        variance: Variance of the noise on each.

    Returns:
        The smoothed counts, perhaps negative, shape (cells,); and a bound of a cell's mean
        squared error, at most ``variance``.
    """
    best = noisy
    least = variance  # the mean squared error of the noisy counts as they are
    for width in _widths(noisy.size):
        around, remaining_share = _weigh_window(noisy.size, width)
        guess, missed, plain = _guess(noisy, variance, around)
        if not plain.any():
            continue
        # Variance of a guess about the true count: the squared distance of guess and noisy
        # count without the latter's noise, but no less than the guess's own noise.
        off = max(float(missed[plain].mean()) - variance, remaining_share * variance)
        # The weight of the noisy count; a spike, unlike its neighbours, stays as it is.
        trust = np.where(plain, off / max(off + variance, 1e-300), 1.0)
        if variance * trust.mean() < least:
            best = guess + trust * (noisy - guess)
            least = variance * float(trust.mean())
    # The error was estimated from the counts themselves: one deviation more is the bound.
    return best, min(variance, least + variance * math.sqrt(2 / noisy.size))


def _widths(cells: int) -> list[float]:
    """Return the widths of the windows that are tried, for a column of so many cells.

    A width is the standard deviation of a Gaussian window, in cells. They are doubled from
    half a cell up to 4, or to about an eighth of a longer column. On thousands of cells wider
    ones err by a third more. Short columns have none.
    """
    if cells < MIN_SMOOTHED_CELLS:
        return []
    # With b bits, the last power is b - 4: from an eighth to a sixteenth of the cells.
    return [2.0**power for power in range(-1, max(3, cells.bit_length() - 3))]


def _weigh_window(cells: int, width: float) -> tuple[Around, float]:
    """Return the average over a Gaussian window, and the share of noise that it leaves.

    Args:
        cells: Number of cells of the column.
        width: Standard deviation of the window, in cells.

    Returns:
        The function that averages the neighbours of each cell; and the variance of an
        average, as a share of the variance of each count.
    """
    around = dense_sums(cells, width) if cells <= MATRIX_CELLS else sliding_sums(cells, width)
    # The weights of the neighbours to one side. Both sides have the same, so the variance is
    # 2 sum(w^2) / (2 sum(w))^2.
    window = np.exp(-((np.arange(1, cells) / width) ** 2) / 2)
    return around, float((window**2).sum() / max(2 * window.sum() ** 2, 1e-300))


def dense_sums(cells: int, width: float) -> Around:
    """Return the function that averages a column's counts around each cell.

    The window is Gaussian, without the cell itself. The function takes noisy counts and a
    mask of the cells to average, those that are no spikes, both of shape (cells,). It returns
    the averages, same shape; 0 where no neighbour is left.

    Args:
        cells: Number of cells of the column; their square is the size of a matrix.
        width: Standard deviation of the window, in cells.
    """
    places = np.arange(cells)
    window = np.exp(-(((places[:, None] - places) / width) ** 2) / 2)
    np.fill_diagonal(window, 0)

    def around(noisy: Floats, plain: NDArray[np.bool_]) -> Floats:
        """Return the mean of the plain cells around each cell, weighted by the window."""
        near = window * plain
        return np.asarray(near @ noisy / np.maximum(near.sum(axis=1), 1e-300))

    return around


def sliding_sums(cells: int, width: float) -> Around:
    """Return the function that averages a column's counts around each cell, for long columns.

    It does what that of `dense_sums` does, by Fourier transforms instead of a matrix. The
    window ends at six standard deviations.

    Args:
        cells: Number of cells of the column.
        width: Standard deviation of the window, in cells.
    """
    reach = min(cells - 1, math.ceil(6 * width))
    window = np.exp(-((np.arange(-reach, reach + 1) / width) ** 2) / 2)
    window[reach] = 0  # the cell itself
    size = cells + 2 * reach  # zeros beyond both ends, as a transform is periodic
    window_transform = np.fft.rfft(window, size)

    def sums(values: Floats) -> Floats:
        """Return the values' sums over the window around each cell, shape (cells,)."""
        convolved = np.fft.irfft(np.fft.rfft(values, size) * window_transform, size)
        # The sum around the first cell is at the place of the window's centre.
        return np.asarray(convolved)[reach : reach + cells]

    def around(noisy: Floats, plain: NDArray[np.bool_]) -> Floats:
        """Return the mean of the plain cells around each cell, weighted by the window."""
        near = sums(plain.astype(np.float64))
        means = np.zeros(cells)
        return np.divide(sums(noisy * plain), near, out=means, where=near > FOURIER_ROUNDING)

    return around


def _guess(
    noisy: Floats, variance: float, around: Around
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Return guesses of the counts from their neighbours, and how they compare.

    Cells far from their neighbours are spikes, and no longer averaged; four rounds settle
    which. If most cells would be spikes, the median says nothing of the others.

    Args:
        noisy: Noisy counts, shape (cells,), in the declared order.
        variance: Variance of the noise on each.
        around: Averages the neighbours of each cell.

    Returns:
        The guesses; their squared distances from the noisy counts; and a mask of the plain
        cells, that are no spikes. It is all False if most would be spikes. Each has shape
        (cells,).
    """
    # How far a spike is, in standard deviations of the usual distance from a guess. Laplace
    # noise alone is farther on some cell in one column of seven.
    far = (math.log(noisy.size) + 2) / math.sqrt(2)
    plain = np.ones(noisy.size, dtype=bool)
    for _ in range(4):
        guess = around(noisy, plain)
        missed = (noisy - guess) ** 2
        # The variance of distances by their median, which spikes hardly move.
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
        total: The number of rows in all cells.

    >>> likely, far = np.array([70.0, 30.0]), np.array([200.0, -100.0])
    >>> measure_likelihood(likely, 9.0, 100.0) > measure_likelihood(far, 9.0, 100.0)
    True
    """
    ratios, log_chances = _usual_law(noisy.size)
    # By cell and possible ratio of its count to the mean count, shape (cells, ratios).
    gaps = np.abs(noisy[:, None] - total / noisy.size * ratios)
    # The log of a Laplace density, whose scale is the root of half the variance; what is the
    # same for all columns is left out.
    logs = -gaps * math.sqrt(2 / variance) - math.log(variance) / 2
    return float(np.logaddexp.reduce(logs + log_chances, axis=1).sum())


def _likely(noisy: Floats, variance: float, total: float) -> tuple[Floats, float]:
    """Return posterior means of a column's counts under the law of usual columns.

    Counts follow a Gamma law before the noisy counts are known, and have the given sum.

    Args:
        noisy: Noisy counts, shape (cells,).
        variance: Variance of the noise on each, which counts as normal.
        total: The sum of the true counts, above 0.

    Returns:
        The means, shape (cells,), with sum ``total``; and the sum of their expected absolute
        errors, in rows.
    """
    mean = total / noisy.size
    ratios, usual = _usual_law(noisy.size)
    # Log-chance of each ratio of a count to the mean count, shape (cells, ratios).
    logs = usual - (noisy[:, None] - mean * ratios) ** 2 / (2 * variance)

    # A price on rows, the same for all cells, makes the means sum to the total.
    def chances(price: float) -> Floats:
        """Return each cell's chances of the ratios, shape (cells, ratios)."""
        return softmax(logs - price * ratios)

    def too_many(price: float) -> bool:
        """Return whether the means still exceed the total, so that the price is too low."""
        return mean * float((chances(price) @ ratios).sum()) > total

    _, price = bisect(too_many, -50.0, 50.0, steps=30)
    posterior = chances(price)
    means = mean * (posterior @ ratios)
    means *= total / means.sum()  # exactly, as the price is only nearly right
    off = np.abs(mean * ratios - means[:, None])
    return means, float((posterior * off).sum())


@lru_cache(maxsize=1024)
def _usual_law(cells: int) -> tuple[Floats, Floats]:
    """Return possible ratios of a usual column's cell to its mean cell, and log-chances.

    Both have shape (ratios,); the ratios are even in their logs. If cells follow Gamma laws
    of one shape, columns are Dirichlet. Two random rows then share a cell with a chance of
    (shape + 1) / (cells * shape + 1). The shape is such that this is the usual column's.

    Args:
        cells: Number of cells of the column, at least 2.
    """
    # 100 ratios from a thousandth of the mean cell to all rows in one cell.
    ratios = np.geomspace(1e-3, cells, 100)
    alike = float(np.square(usual_shares(cells)).sum())  # chance that two rows share a cell
    shape = (1 - alike) / max(cells * alike - 1, 1e-300)
    # The Gamma density of mean 1 by the log of the ratio, up to a factor that is then divided
    # out.
    logs = shape * (np.log(ratios) - ratios)
    return ratios, np.asarray(logs - np.logaddexp.reduce(logs))
