"""Empirical-Bayes repair of a noisy marginal around a guess.

Cells hold r times their guess. EM on a grid of ratios r estimates their one law, and every
cell takes its posterior mean. Cells that look empty go to 0; large ones keep their noisy
count."""

import math
from dataclasses import dataclass

import numpy as np

from synth.noise import Mechanism, law_of
from synth.util import Floats, maximize_mixture

# Ratios range from 1/MAX_RATIO to MAX_RATIO, and include 0.
MAX_RATIO = 100.0
RATIO_GRID = np.concatenate([[0.0], np.geomspace(1 / MAX_RATIO, MAX_RATIO, 81)])
# Distance of neighbouring ratios, in logs.
LOG_RATIO_STEP = math.log(MAX_RATIO) / 40
EM_ROUNDS = 40
# Cells for the estimate; larger marginals are thinned evenly.
MAX_LEARNED_CELLS = 20_000
CHUNK_COUNTS = 100_000


@dataclass(frozen=True, eq=False)
class Estimate:
    """A repaired marginal.

    Attributes:
        values: Expected rows, not negative, in the marginal's shape.
        variance: Their variance, in squared rows, same shape.
    """

    values: Floats
    variance: Floats


def denoise(noisy: Floats, guess: Floats, mechanism: Mechanism, *, total: float) -> Estimate:
    """Return a repaired marginal: posterior means of its counts, and their variances.

    Args:
        noisy: Noisy counts, of any shape.
        guess: Expected rows of each cell before the noisy counts are known, same shape.
        mechanism: The noise on each count.
        total: The sum to which the means are scaled, in rows.
    """
    flat = noisy.reshape(-1).astype(np.float64)
    # No guess is 0, as a count is a ratio times its guess.
    centre = np.maximum(guess.reshape(-1), 1e-9 * max(total, 1.0))
    # One law of the ratios of true counts to guesses, for the posterior of every cell.
    law = _learn(flat, centre, mechanism)
    means = np.empty_like(flat)
    variances = np.empty_like(flat)
    for part in (slice(i, i + CHUNK_COUNTS) for i in range(0, flat.size, CHUNK_COUNTS)):
        means[part], variances[part] = _posterior(
            flat[part], centre[part], mechanism, law=law
        )
    scale = total / means.sum() if means.sum() > 0 else 0.0
    return Estimate((means * scale).reshape(noisy.shape), variances.reshape(noisy.shape))


def shrink(noisy: Floats, mechanism: Mechanism, usual: Floats | None = None) -> Floats:
    """Return posterior means of noisy numbers of one kind, shape (k,), not negative.

    Under loud noise they are close to the usual ones.

    Args:
        noisy: The noisy numbers, shape (k,), any sign.
        mechanism: The noise on each.
        usual: Usual values up to a factor, shape (k,), not negative; equal by default.
    """
    # Their mean, but at least a hundredth of the noise, as it must be positive.
    mean = max(float(noisy.mean()), math.sqrt(mechanism.variance) / 100)
    centre = np.full(noisy.shape, mean)
    if usual is not None and usual.any():
        centre = mean * np.maximum(usual / usual.mean(), 1 / MAX_RATIO)
    law = _learn(noisy, centre, mechanism)
    return _posterior(noisy, centre, mechanism, law=law)[0]


def rake(table: Floats, rows: Floats, columns: Floats, *, rounds: int = 15) -> Floats:
    """Scale a table in place to sums by row and by column, in turns, and return it.

    Args:
        table: Expected rows of the cells, shape (r, c).
        rows: Wanted sums by row of the table, shape (r,).
        columns: Wanted sums by column of the table, shape (c,).
        rounds: How often both are scaled. The column sums are exact in the end.
    """
    for _ in range(rounds):
        table *= _ratio(rows, table.sum(axis=1))[:, None]
        table *= _ratio(columns, table.sum(axis=0))[None, :]
    return table


def _ratio(target: Floats, present: Floats) -> Floats:
    """Return the factors that bring present sums to their targets; 0 where a sum is 0."""
    return np.divide(target, present, out=np.zeros_like(present), where=present > 0)


def _likelihood(noisy: Floats, centre: Floats, mechanism: Mechanism) -> Floats:
    """Return the likelihood of each ratio of true count to guess, shape (cells, ratios).

    Each row is known up to a factor, and its largest entry is 1.

    Args:
        noisy: Noisy counts, shape (cells,).
        centre: Positive guesses, same shape.
        mechanism: The noise on each count.
    """
    gaps = noisy[:, None] - centre[:, None] * RATIO_GRID
    logs = law_of(mechanism).log_densities(gaps)
    logs -= logs.max(axis=1, keepdims=True)
    return np.asarray(np.exp(logs))


def _learn(noisy: Floats, centre: Floats, mechanism: Mechanism) -> Floats:
    """Return the law of the ratios of true counts to guesses, learned from the noisy counts.

    Args:
        noisy: Noisy counts, shape (cells,).
        centre: Positive guesses, same shape.
        mechanism: The noise on each count.

    Returns:
        The chance of each ratio of `RATIO_GRID`, same shape, of sum 1.
    """
    step = -(
        -noisy.size // MAX_LEARNED_CELLS
    )  # rounded up, so that at most `MAX_LEARNED_CELLS` cells are used
    likelihood = _likelihood(noisy[::step], centre[::step], mechanism)
    # EM starts from chances that fall off around the ratio 1. The ratio 0 has the chance that
    # a ratio of .3 / MAX_RATIO would have, as the logarithm of 0 is infinite.
    law = np.exp(-np.abs(np.log(np.maximum(RATIO_GRID, 0.3 / MAX_RATIO))))
    law /= law.sum()

    def lift(_step: int, shares: Floats) -> Floats:
        """Return the shares, each a little above 0, of sum 1."""
        shares = shares + 1e-6  # so that no ratio is ruled out for good
        return np.asarray(shares / shares.sum())

    even = np.full(len(likelihood), 1 / len(likelihood))
    return maximize_mixture(likelihood, even, law, rounds=EM_ROUNDS, adjust=lift)


def _posterior(
    noisy: Floats, centre: Floats, mechanism: Mechanism, *, law: Floats
) -> tuple[Floats, Floats]:
    """Return posterior means and variances of the true counts, both of shape (cells,).

    Where the grid of ratios is coarser than the noise, the noisy count and the noise's
    variance take their place, gradually.

    Args:
        noisy: Noisy counts, shape (cells,).
        centre: Positive guesses, same shape.
        mechanism: The noise on each count.
        law: The chance of each ratio of `RATIO_GRID`.
    """
    weights = _likelihood(noisy, centre, mechanism) * law
    weights /= weights.sum(axis=1, keepdims=True)
    means = centre * (weights @ RATIO_GRID)
    variances = np.maximum(centre**2 * (weights @ RATIO_GRID**2) - means**2, 0)
    deviation = math.sqrt(mechanism.variance)
    # The distance of neighbouring counts on the grid, over the noise's deviation: up to .7
    # the grid is fine, from 1.7 on the noisy count alone is used.
    coarse = np.clip(LOG_RATIO_STEP * means / deviation - 0.7, 0, 1)
    means = (1 - coarse) * means + coarse * np.maximum(noisy, 0)
    return means, (1 - coarse) * variances + coarse * deviation**2
