"""The expected effect of repair on one cell: closed forms for discrete Laplace noise.

A cell that expects ``mean`` rows has a Poisson number c of them. Noise makes it c + Z, and
the simplex repair max(0, c + Z - threshold)."""

import math
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from synth.estimate.repair.empirical_bayes import UNREPAIRED_SCALES, Levels, Prior
from synth.estimate.repair.pooling import LOG_MEAN_STEP, RATIO_STEPS, Laws, Pool
from synth.noise import LaplaceLaw
from synth.util import Floats, log_factorials, softmax

# Poisson laws are summed up to this count; larger means count as exact.
_MAX_SUMMED_COUNT = 40

# More noise, in scales, has the same effect; larger counts keep theirs.
_MAX_NOISE_SCALES = 12

# Grid of the logs of a cell's expected rows, from which effects are interpolated.
_LOG_MEANS = np.linspace(math.log(1e-9), math.log(1e10), 400)


class Effect(NamedTuple):
    """The effect of repair on cells, by log of expected rows.

    Attributes:
        kept: Expected rows after repair.
        bias: Expected change, in rows.
        variance: Variance of the change, with rounding.
    """

    kept: Floats
    bias: Floats
    variance: Floats

    def at(self, log_means: Floats) -> "Effect":
        """Return the effect on cells with these logs of expected rows."""
        return Effect(*(np.interp(log_means, _LOG_MEANS, values) for values in self))


def effect(threshold: float, scale: float) -> Effect:
    """Return the effect of noise and the simplex repair on cells, by their expected rows.

    It has a cell's mean repaired rows, their bias, and the variance of the change. The count
    of a cell with few expected rows is Poisson, so the effect is an average over counts. The
    count of a larger cell is taken to equal the expected rows.

    Args:
        threshold: What repair subtracts from each noisy count before it clamps at 0.
        scale: Scale of the discrete Laplace noise.

    Returns:
        Three arrays of the shape of `_LOG_MEANS`, at those logs of expected rows.
    """
    # Small cells come first in `_LOG_MEANS`; `poisson` has a line for each of them, with the
    # probability of each count.
    poisson, small = _poisson()
    counts = np.arange(_MAX_SUMMED_COUNT + 1.0)
    repaired, variance = _one_cell(counts, threshold, scale)
    changes = repaired - counts
    small_bias = poisson @ changes
    small_variance = poisson @ (variance + changes**2) - small_bias**2
    large_counts = np.exp(_LOG_MEANS[small:])
    large_repaired, large_variance = _one_cell(large_counts, threshold, scale)
    return Effect(
        kept=np.concatenate((poisson @ repaired, large_repaired)),
        bias=np.concatenate((small_bias, large_repaired - large_counts)),
        variance=np.concatenate((small_variance, large_variance)),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Pooling:
    """The effect of the pooled repair on cells, by the log of their guess.

    The ratio of count to guess is lognormal, of mean 1. The posterior mean has no bias, and
    the posterior variance as error.

    Attributes:
        logs: Logs of the guesses, shape (k,).
        variance: Variance of the change, in squared rows, shape (k,).
        reliance: Part of a guess's error that remains, shape (k,).
        rounding: Variance of rounding, shape (k,).
    """

    law: Pool
    logs: Floats
    variance: Floats
    reliance: Floats
    rounding: Floats

    @classmethod
    def build(
        cls, log_guesses: Floats, numbers: Floats, scale: float, *, spread: float
    ) -> "Pooling":
        """Return the effect of the pooled repair, if cells have these guesses.

        Args:
            log_guesses: Logs of the guessed rows of cells, shape (c,).
            numbers: Number of cells with each guess, shape (c,).
            scale: Scale of the discrete Laplace noise.
            spread: Variance of the log ratio of count to guess.
        """
        levels = Levels.from_scale(
            scale, -math.ceil(_MAX_NOISE_SCALES * scale) - 1, plain=_MAX_NOISE_SCALES
        )
        laws = Laws.from_levels(levels)
        # A normal density of the log ratio. Its mean is -spread / 2, so that the ratio has
        # mean 1.
        shares = np.exp(
            -((RATIO_STEPS * LOG_MEAN_STEP + spread / 2) ** 2) / max(2 * spread, 1e-9)
        )
        cells = np.zeros((laws.guesses, 1))
        np.add.at(cells[:, 0], laws.places(log_guesses), numbers)
        shares = np.concatenate(([0.0], shares / shares.sum()))  # no cell is surely empty
        law = Pool(levels=levels, laws=laws, cells=cells, shares=shares)
        counts = levels.counts
        group_chances = law.count_laws @ levels.chances.T
        # The variance of the count by guess, before its noisy count is known; a part of it is
        # left afterwards (``reliance``).
        prior = np.maximum(
            law.count_laws @ counts**2 - (law.count_laws @ counts) ** 2, 1e-300
        )
        reached = np.minimum(levels.chances.sum(axis=0), 1.0)  # the rest is above all groups
        # The mean posterior variance: E count^2 - E estimate^2 within the groups of noisy
        # counts. Above them, counts keep their noise.
        variance = law.count_laws @ (reached * counts**2) - (
            group_chances * law.estimates**2
        ).sum(axis=1)
        variance = (
            np.maximum(variance, 0)
            + law.count_laws @ (1 - reached) * LaplaceLaw(scale).variance
        )
        # An estimate is rounded up with a chance of its part after the point.
        part = law.estimates - np.floor(law.estimates)
        rounding = (group_chances * part * (1 - part)).sum(axis=1)
        variance = np.minimum(variance, LaplaceLaw(scale).variance)
        return cls(
            law=law,
            logs=laws.logs,
            variance=variance,
            reliance=np.minimum(variance / prior, 1.0),
            rounding=rounding,
        )

    def at(self, log_guesses: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the effect on cells with these logs of guesses, of any shape.

        Returns:
            Variance of the change, part of a guess's error that remains, and variance of
            rounding, each in the shape of the argument. Cells with guesses beyond the grid
            keep their noise, and nothing of the guess's error.
        """
        variance = np.interp(log_guesses, self.logs, self.variance)
        reliance = np.interp(log_guesses, self.logs, self.reliance)
        rounding = np.interp(log_guesses, self.logs, self.rounding)
        return variance, np.where(log_guesses > self.logs[-1], 0.0, reliance), rounding


def bayes_bias(
    log_means: Floats, numbers: Floats, scale: float, *, rows: float, count: float
) -> float:
    """Return a cell's expected change by the Bayes repair, scaled to the total.

    Cells have Poisson counts, and repair gives the posterior median. A release fits the law,
    which here is known, and so keeps 1 or 2 % of the cell more.

    Args:
        log_means: Logs of expected rows, any shape.
        numbers: Number of cells with each, same shape.
        scale: Scale of the discrete Laplace noise.
        rows: Number of rows of the table.
        count: The true count of the cell in question.
    """
    # Noise below -10 scales has a chance of e^-10 or so, and counts as that.
    levels = Levels.from_scale(scale, -int(10 * scale) - 1)
    counts = levels.counts
    top = UNREPAIRED_SCALES * scale + 50  # where `Levels` ends; larger counts stay
    means = np.exp(log_means).ravel()
    cells = numbers.ravel()
    small = means < top
    logs = np.log(np.maximum(means[small], 1e-300))[:, None]
    # Poisson laws of the counts by expected rows, shape (cells, counts).
    poisson = softmax(counts * logs - log_factorials(counts))
    # Expected numbers of cells with each true count, all small cells together.
    cells_by_count = np.add.reduce(poisson * cells[small, None])
    chances = levels.chances
    shares = cells_by_count / max(cells_by_count.sum(), 1e-300)
    prior = Prior(
        levels=levels,
        shares=shares,
        total=float(cells_by_count @ counts),
        seen=chances @ cells_by_count,
    )
    repaired_total = float(prior.estimates @ prior.seen + means[~small] @ cells[~small])
    repaired_count = (
        count
        if count >= top
        else float(prior.estimates @ chances[:, round(count / levels.step)])
    )
    return repaired_count * rows / max(repaired_total, 1.0) - count


def sample_change(log_means: Floats) -> Floats:
    """Return the expected absolute change of cells' counts in a new sample, in rows.

    A new count is Poisson about the old one, c, which is itself Poisson. Its mean deviation
    from c is 2 c^(c+1) e^-c / c!, for large counts sqrt(2 c / pi).

    Args:
        log_means: Logs of expected rows, any shape, which is that of the result.
    """
    poisson, small = _poisson()
    counts = np.arange(_MAX_SUMMED_COUNT + 1.0)
    logs = (counts + 1) * np.log(np.maximum(counts, 1)) - counts - log_factorials(counts)
    changes = 2 * np.exp(logs)
    changes[0] = 0  # an empty cell stays empty; the formula above has ln 1 for ln 0
    large = np.sqrt(2 / math.pi) * np.exp(_LOG_MEANS[small:] / 2)
    values: Floats = np.concatenate((poisson @ changes, large))
    return np.asarray(np.interp(log_means, _LOG_MEANS, values))


def kept_rows(log_means: Floats, threshold: float, scale: float) -> Floats:
    """Return expected rows of cells after the simplex repair.

    Repair leaves max(0, noisy count - threshold). Counts are Poisson if few rows are
    expected; larger ones count as equal to the expected rows.

    Args:
        log_means: Logs of expected rows before noise, any shape, which is the result's.
        threshold: What repair subtracts from each noisy count.
        scale: Scale of the discrete Laplace noise.
    """
    # Small cells come first in `_LOG_MEANS`; `poisson` has a line for each of them, with the
    # probability of each count.
    poisson, small = _poisson()
    counts = np.arange(_MAX_SUMMED_COUNT + 1.0)
    large_counts = np.exp(_LOG_MEANS[small:])
    law = LaplaceLaw(scale)
    repaired_counts, _ = law.positive_part(counts - threshold)
    large_repaired, _ = law.positive_part(large_counts - threshold)
    repaired_rows = np.concatenate((poisson @ repaired_counts, large_repaired))
    return np.interp(log_means, _LOG_MEANS, repaired_rows)


def _one_cell(counts: Floats, threshold: float, scale: float) -> tuple[Floats, Floats]:
    """Return mean and variance of a cell's repaired rows, max(0, noisy - threshold).

    Args:
        counts: True counts, any shape, which is that of both results.
        threshold: What repair subtracts from each noisy count.
        scale: Scale of the discrete Laplace noise.

    Returns:
        The mean, in rows; and the variance, including that of drawing whole rows.
    """
    mean, square = LaplaceLaw(scale).positive_part(counts - threshold)
    part = threshold - math.floor(threshold)  # all repaired counts have it after the point
    rounding = part * (1 - part) * LaplaceLaw(scale).chance_above(counts - threshold)
    return mean, square - mean**2 + rounding


@cache
def _poisson() -> tuple[Floats, int]:
    """Return Poisson probabilities for the small means of the grid `_LOG_MEANS`.

    Returns:
        The probabilities, shape (small means, `_MAX_SUMMED_COUNT` + 1 counts); and the number
        of small means, which come first on the grid.
    """
    # A third of the largest count: Poisson numbers of such a mean hardly ever exceed it.
    small = int(np.searchsorted(_LOG_MEANS, math.log(_MAX_SUMMED_COUNT / 3)))
    counts = np.arange(_MAX_SUMMED_COUNT + 1.0)
    logs = _LOG_MEANS[:small, None]
    return np.exp(counts * logs - np.exp(logs) - log_factorials(counts)), small
