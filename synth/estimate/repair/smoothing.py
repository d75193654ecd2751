"""Smoothing: pooling with help from neighbouring cells of a long column. PUBLIC.

In tables of several columns, `synth.estimate.repair.column` repairs long columns' sums before
pooling. In a single column, noisy counts are pooled around a guess from each window width and
the mean. The likelihood weighs the results (Hoeting, Madigan, Raftery, Volinsky 1999), so a
list without an order is not smoothed. Half of the neighbours' weight goes to the column's own
repair, which errs elsewhere.

>>> counts = np.round(2_000 * np.sin(np.linspace(0, 3, 200)) ** 2).astype(int)
>>> found = smooth(counts, scale=0.05, total=int(counts.sum()))
>>> bool(np.abs(found.weights - counts).sum() < 0.001 * counts.sum())
True
"""

from dataclasses import replace

import numpy as np

from synth.estimate.assumptions import is_lone
from synth.estimate.repair.pooling import Pooled, pool, pool_around
from synth.noise import LaplaceLaw
from synth.util import Floats, Ints


def smooth(values: Ints, *, scale: float, total: float) -> Pooled:
    """Repair the noisy counts of all cells with help from neighbouring cells.

    Args:
        values: Noisy counts, with an axis for each column.
        scale: Scale of their discrete Laplace noise.
        total: The number of rows, above 0.
    """
    if not is_lone(values.shape):
        return pool(values, scale=scale, total=total, smooth=True)
    pooled = _lone(values.ravel(), scale, total)
    return replace(pooled, weights=pooled.weights.reshape(values.shape))


def _lone(values: Ints, scale: float, total: float) -> Pooled:
    """Return the repaired counts of a single column, as an average over several guesses.

    The guesses are equal counts, and averages of neighbours for each window width. The counts
    pooled around each are weighted by their likelihood. The likelier guesses from neighbours
    are, the more the column's own repair counts too. All but the weights of the result are
    those of the likeliest guess.

    Args:
        values: Noisy counts, shape (cells,), in the declared order.
        scale: Scale of their discrete Laplace noise.
        total: The number of rows, above 0.
    """
    from synth.estimate.repair.column import guess_from_neighbors, repair_column

    noisy = values.astype(np.float64)
    variance = LaplaceLaw(scale).variance
    even = np.full(values.size, total / values.size)
    guesses = [even, *guess_from_neighbors(noisy, variance, total)]
    results = pool_around(values, guesses, scale=scale, total=total)
    likelihoods = np.array([pooled.law.likelihood for pooled in results])
    # The posterior probability of each guess, if all were equally likely before.
    shares = np.exp(likelihoods - likelihoods.max())
    shares /= shares.sum()
    # Half of the weight of all guesses from neighbours goes to the column's own repair.
    near = float(1 - shares[0]) / 2
    weights: Floats = (1 - near) * np.tensordot(
        shares, [pooled.weights for pooled in results], axes=1
    )
    weights += near * repair_column(noisy, variance, total)
    return replace(results[int(likelihoods.argmax())], weights=weights)
