"""Empirical-Bayes repair of a noisy marginal around a guess.

A cell with guess m is assumed to hold r m rows; the ratio r has an unknown law, the same for all
cells of the marginal. The law is estimated from the noisy counts themselves (EM on a grid of
ratios, with the known noise), then every cell takes its posterior mean. Cells that look empty go to
0, cells that the guess gets right stay there, and large cells, whose noise does not matter, keep
their noisy count. All of it is post-processing.
"""

import math
from dataclasses import dataclass

import numpy as np

from synth.noise import Mechanism, law_of
from synth.util import Floats, maximize_mixture

SPREAD = 100.0
"""Ratios range from 1/SPREAD to SPREAD, and include 0."""
RATIO_GRID = np.concatenate([[0.0], np.geomspace(1 / SPREAD, SPREAD, 81)])
LOG_RATIO_STEP = math.log(SPREAD) / 40
"""Relative distance of neighbouring ratios."""
EM_ROUNDS = 40
LEARNED = 20_000
"""Number of cells to estimate the law from; a larger marginal is thinned evenly."""
CHUNK_COUNTS = 100_000


@dataclass(frozen=True, eq=False)
class Estimate:
    """A repaired marginal.

    Attributes:
        values: Expected rows of every cell, not negative, in the marginal's shape.
        variance: Their variance, in squared rows, same shape.
    """

    values: Floats
    variance: Floats


def denoise(noisy: Floats, guess: Floats, mechanism: Mechanism, total: float) -> Estimate:
    """Return the repaired marginal, with the given total.

    Args:
        noisy: Noisy counts, any shape.
        guess: Expected rows under the guess, same shape.
        mechanism: The noise.
        total: Number of rows of the marginal.
    """
    flat = noisy.reshape(-1).astype(np.float64)
    centre = np.maximum(guess.reshape(-1), 1e-9 * max(total, 1.0))
    law = _learn(flat, centre, mechanism)
    means, variances = np.empty_like(flat), np.empty_like(flat)
    for part in (slice(i, i + CHUNK_COUNTS) for i in range(0, flat.size, CHUNK_COUNTS)):
        means[part], variances[part] = _posterior(flat[part], centre[part], mechanism, law)
    scale = total / means.sum() if means.sum() > 0 else 0.0
    return Estimate((means * scale).reshape(noisy.shape), variances.reshape(noisy.shape))


def shrink(noisy: Floats, mechanism: Mechanism, usual: Floats | None = None) -> Floats:
    """Return the posterior means of noisy numbers of one kind, shape (k,), none negative.

    If the noise exceeds their differences, they all come out close to the usual ones.

    Args:
        noisy: The numbers, shape (k,).
        mechanism: The noise.
        usual: Usual values up to a factor, shape (k,), none negative; all equal by default.
    """
    mean = max(float(noisy.mean()), math.sqrt(mechanism.variance) / 100)
    centre = np.full(noisy.shape, mean)
    if usual is not None and usual.any():
        centre = mean * np.maximum(usual / usual.mean(), 1 / SPREAD)
    law = _learn(noisy, centre, mechanism)
    return _posterior(noisy, centre, mechanism, law)[0]


def rake(table: Floats, rows: Floats, columns: Floats, rounds: int = 15) -> Floats:
    """Scale a two-way table, in place, until it has the given row and column sums.

    Args:
        table: Shape (r, c), not negative.
        rows, columns: The sums, shapes (r,) and (c,).
        rounds: How often both are set.
    """
    for _ in range(rounds):
        table *= _ratio(rows, table.sum(axis=1))[:, None]
        table *= _ratio(columns, table.sum(axis=0))[None, :]
    return table


def _ratio(wanted: Floats, found: Floats) -> Floats:
    return np.divide(wanted, found, out=np.zeros_like(found), where=found > 0)


def _likelihood(noisy: Floats, centre: Floats, mechanism: Mechanism) -> Floats:
    """P(noisy | ratio) up to a factor for each cell, shape (cells, ratios)."""
    gaps = noisy[:, None] - centre[:, None] * RATIO_GRID
    logs = law_of(mechanism).log_densities(gaps)
    logs -= logs.max(axis=1, keepdims=True)
    return np.asarray(np.exp(logs))


def _learn(noisy: Floats, centre: Floats, mechanism: Mechanism) -> Floats:
    """Estimate the law of the ratios by EM, from a prior that falls off around 1."""
    step = -(-noisy.size // LEARNED)
    likelihood = _likelihood(noisy[::step], centre[::step], mechanism)
    law = np.exp(-np.abs(np.log(np.maximum(RATIO_GRID, 0.3 / SPREAD))))
    law /= law.sum()

    def lift(_step: int, shares: Floats) -> Floats:
        shares = shares + 1e-6  # so that no ratio is ruled out for good
        return np.asarray(shares / shares.sum())

    even = np.full(len(likelihood), 1 / len(likelihood))
    return maximize_mixture(likelihood, even, law, rounds=EM_ROUNDS, adjust=lift)


def _posterior(
    noisy: Floats, centre: Floats, mechanism: Mechanism, law: Floats
) -> tuple[Floats, Floats]:
    """Return posterior mean and variance; where the grid is coarser than the noise, the noisy
    count.
    """
    weights = _likelihood(noisy, centre, mechanism) * law
    weights /= weights.sum(axis=1, keepdims=True)
    means = centre * (weights @ RATIO_GRID)
    variances = np.maximum(centre**2 * (weights @ RATIO_GRID**2) - means**2, 0)
    deviation = math.sqrt(mechanism.variance)
    coarse = np.clip(LOG_RATIO_STEP * means / deviation - 0.7, 0, 1)
    means = (1 - coarse) * means + coarse * np.maximum(noisy, 0)
    return means, (1 - coarse) * variances + coarse * deviation**2
