"""Smoothing: pooling with help from neighbouring cells of a long column. PUBLIC.

Pooling guesses a cell of a one-column table by the mean of all cells, and the sums over a column by
their part that exceeds the noise. If cells have an order, their neighbours say more. In a table of
several columns the sums over the long ones are repaired as columns are
(`synth.estimate.repair.column`), and then pooled. In a table of one column, every window width
gives a guess of every cell from its neighbours; the noisy counts are pooled around each, and around
the mean of all cells. Each result gets the likelihood of the counts as its weight in the average
(Hoeting, Madigan, Raftery, Volinsky 1999), so a list without an order is not smoothed. Half of the
neighbours' weight goes to the column's own repair, which errs elsewhere. All of it is
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
"""Share of the neighbours' weight for the column's own repair."""


def helps(shape: Sequence[int]) -> bool:
    """Return whether neighbouring cells help in a universe: it has a long column, or a single short
    one.

    Args:
        shape: Cells of every column.

    >>> helps((5, 8, 9)), helps((5, 100)), helps((1, 20)), helps((3,))
    (False, True, True, False)
    """
    longest = max(shape)
    return longest >= MIN_LONG_CELLS or (longest >= MIN_SMOOTHED_CELLS and is_lone(shape))


def is_lone(shape: Sequence[int]) -> bool:
    """Return whether at most one column has several cells."""
    return sum(size > 1 for size in shape) <= 1


def smooth(values: Ints, *, scale: float, total: float) -> Pooled:
    """Smooth the noisy counts of all cells of a universe.

    Args:
        values: Noisy counts, in the shape of the universe: one axis a column.
        scale: Scale of their discrete Laplace noise.
        total: The number of rows, above 0.
    """
    if not is_lone(values.shape):
        return pool(values, scale=scale, total=total, smooth=True)
    found = _lone(values.ravel(), scale, total)
    return replace(found, weights=found.weights.reshape(values.shape))


def _lone(values: Ints, scale: float, total: float) -> Pooled:
    """Pool one column around every guess, and average by the likelihood of the counts."""
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
