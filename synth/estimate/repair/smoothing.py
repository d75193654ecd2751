"""Smoothing: pooling that knows that neighbouring cells of a long column are alike. PUBLIC.

Pooling guesses a cell of a table of one column by the mean of all cells, and the sums over a
column by what is left of them after the noise. Where cells have an order, those around a cell say
more. In a table of several columns the sums over the long ones are repaired as columns are
(`synth.estimate.repair.column`), and then pooled. In a table of one column, every width of window
gives a guess of every cell from its neighbours; the noisy counts are pooled around each, and around
the mean of all cells. How likely that makes them is the weight of each in the average (Hoeting,
Madigan, Raftery, Volinsky 1999), so that of a list without an order nothing is smoothed. Of the
weight of neighbours one half goes to the column's own repair, which errs elsewhere. All of it is
post-processing.

>>> counts = np.round(2_000 * np.sin(np.linspace(0, 3, 200)) ** 2).astype(int)
>>> found = smooth(counts, scale=0.05, total=int(counts.sum()))
>>> bool(np.abs(found.weights - counts).sum() < 0.001 * counts.sum())
True
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from synth.estimate.repair.column import MIN_SMOOTHED_CELLS, guess_from_neighbors, repair_column
from synth.estimate.repair.pooling import MIN_LONG_CELLS, Pooled, pool, pool_around
from synth.noise import LaplaceLaw
from synth.util import Floats, Ints

OWN_WEIGHT = 0.5
"""Part of the weight of neighbours that the column's own repair gets."""


def helps(shape: Sequence[int]) -> bool:
    """Whether neighbouring cells help in a universe: it has a long column, or one of a few cells.

    Args:
        shape: Cells of every column.

    >>> helps((5, 8, 9)), helps((5, 100)), helps((1, 20)), helps((3,))
    (False, True, True, False)
    """
    longest = max(shape)
    return longest >= MIN_LONG_CELLS or (longest >= MIN_SMOOTHED_CELLS and is_lone(shape))


def is_lone(shape: Sequence[int]) -> bool:
    """Whether no more than one column has several cells."""
    return sum(size > 1 for size in shape) <= 1


def smooth(values: Ints, *, scale: float, total: float) -> Pooled:
    """Smooth the noisy counts of all cells of a universe.

    Args:
        values: Noisy counts, in the shape of the universe: one axis a column.
        scale: Of their discrete Laplace noise.
        total: The number of rows, above 0.
    """
    if not is_lone(values.shape):
        return pool(values, scale=scale, total=total, smooth=True)
    found = _lone(values.ravel(), scale, total)
    return replace(found, weights=found.weights.reshape(values.shape))


def _lone(values: Ints, scale: float, total: float) -> Pooled:
    """One column: pooled around every guess, averaged by how likely each makes the counts."""
    noisy, variance = values.astype(np.float64), LaplaceLaw(scale).variance
    even = np.full(values.size, total / values.size)
    guesses = [even, *guess_from_neighbors(noisy, variance, total)]
    found = pool_around(values, guesses, scale=scale, total=total)
    likelihoods = np.array([one.law.likelihood for one in found])
    shares = np.exp(likelihoods - likelihoods.max())
    shares /= shares.sum()
    near = OWN_WEIGHT * float(1 - shares[0])
    weights: Floats = (1 - near) * np.tensordot(shares, [one.weights for one in found], axes=1)
    weights += near * repair_column(noisy, variance, total)
    return replace(found[int(likelihoods.argmax())], weights=weights)
