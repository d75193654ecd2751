"""Repair of a column's noisy counts, with the help of neighbouring cells where they are alike.

Ages 41 and 42 are about as frequent. So every cell is guessed from the cells around it, itself
left out, and moved towards that guess as far as the guesses have proved right: their mean
squared miss is the noise, which is known, and what is really different between neighbours
(James and Stein 1961, with the mean of the neighbours for the common mean). Where neighbours
have nothing to do with each other, as in most lists of categories, the counts stay as they are.
Cells far from their neighbours, round hours or a code for nothing, are left out of it. All of it
is post-processing.
"""

import numpy as np
from numpy.typing import NDArray

from synth.arrays import Floats
from synth.repair.simplex import project_to_simplex

WIDTHS = (0.7, 1.5, 3.0, 6.0)
"""Standard deviations, in cells, of the windows that are tried."""
FEWEST = 8
"""Cells of the smallest column that is smoothed."""
SPIKES = 0.25
"""Most cells, as a share, that may be spikes; fewer than 4 / SPIKES cells have none."""
FAR = 4.0
"""Standard deviations from the guess at which a cell is a spike."""
MEDIAN = 0.455
"""Median of the square of a standard normal number."""


def repair_column(noisy: Floats, variance: float, total: float) -> Floats:
    """Return counts that are not negative and have the given sum.

    Args:
        noisy: Noisy counts, shape (cells,), in the declared order.
        variance: Variance of the noise on each.
        total: Rows they stand for.

    >>> repair_column(np.array([4.0, -1.0, 3.0]), variance=2.0, total=6.0).round(1).tolist()
    [3.5, 0.0, 2.5]
    """
    best, least = noisy, 1.0
    for width in WIDTHS if noisy.size >= FEWEST else ():
        guess, trust = _guess(noisy, variance, width)
        if trust.mean() < least:
            best, least = guess + trust * (noisy - guess), float(trust.mean())
    return project_to_simplex(best, total)


def _guess(noisy: Floats, variance: float, width: float) -> tuple[Floats, Floats]:
    """Every cell from its neighbours, and how far to trust the cell itself, from 0 to 1."""
    places = np.arange(noisy.size)
    window = np.exp(-(((places[:, None] - places) / width) ** 2) / 2)
    np.fill_diagonal(window, 0)
    plain, rounds = np.ones(noisy.size, dtype=bool), 4 if SPIKES * noisy.size >= 4 else 1
    for _ in range(rounds):
        guess, missed = _missed(noisy, window * plain)
        usual = max(variance, float(np.median(missed[plain])) / MEDIAN)
        plain = missed < FAR**2 * usual if rounds > 1 else plain
        if plain.mean() < 1 - SPIKES:
            return noisy, np.ones(noisy.size)
    different = max(0.0, 1 - variance / max(float(missed[plain].mean()), 1e-300))
    return guess, np.where(plain, different, 1.0)


def _missed(noisy: Floats, window: Floats) -> tuple[Floats, NDArray[np.float64]]:
    guess = window @ noisy / np.maximum(window.sum(axis=1), 1e-300)
    return guess, (noisy - guess) ** 2
