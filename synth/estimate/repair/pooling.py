"""Pooling: every noisy count combined with a guess from the sums over columns and pairs.
PUBLIC.

1. The sums' difference from the guess shrinks by the part that noise explains (James, Stein
   1961). Then the guess is scaled to them in turns (Deming, Stephan 1940: raking).
2. One law of the ratio of count to guess is fitted by expectation-maximisation, as in
   `synth.estimate.repair.empirical_bayes`.
3. Every cell gets its posterior mean.

Shapes: i means on the grid, k of them guesses with all r ratios; s possible true counts; v
groups of noisy counts, and one more below them.

>>> counts = np.outer([400, 80, 20], [0.5, 0.4, 0.1]).round().astype(int)
>>> found = pool(counts, scale=0.05, total=500)
>>> bool(np.allclose(found.weights, counts))
True
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from synth.estimate.assumptions import MIN_LONG_CELLS
from synth.estimate.repair.empirical_bayes import Levels, tilt
from synth.estimate.repair.simplex import project_to_simplex
from synth.noise import LaplaceLaw
from synth.util import (
    Floats,
    Ints,
    log_factorials,
    maximize_mixture,
    split_axes,
    sum_other_axes,
)

# Distance of means on the grid, in logs.
LOG_MEAN_STEP = math.log(2) / 2

# A cell has 0 rows, or exp(LOG_MEAN_STEP * i) times its guess: 1/64 to 256 times.
RATIO_STEPS = np.arange(-12, 17)

# Means averaged for each mean of the grid.
AVERAGED_MEANS = 12

# Smaller guesses count as this.
LEAST_MEAN = 1e-6

# Most rounds of expectation-maximisation.
EM_ROUNDS = 40

# How often the guess is scaled to the sums of each pair.
SCALING_TURNS = 3

# Most cells visited to scale the guess to sums: a second or two.
MAX_VISITED_CELLS = 10**8


@dataclass(frozen=True, eq=False)
class Laws:
    """True and noisy counts of cells by their mean, on a grid of means.

    Attributes:
        first: Position of the least mean, ``exp(LOG_MEAN_STEP * first)``.
        held: Law of the true count, shape (i, s).
        seen: Probability of each group, shape (i, v + 1).
    """

    first: int
    held: Floats
    seen: Floats

    @classmethod
    def from_levels(cls, levels: Levels) -> "Laws":
        """Return the laws on a grid of means, even in their logs.

        The means are all ratios of `RATIO_STEPS` times guesses from `LEAST_MEAN` up to the
        largest count. Each law is an average over finer steps around its mean.
        """
        largest_count = levels.counts[-1]
        # The grid in steps of the logarithm: the guesses, and the ratios to either side.
        first = math.floor(math.log(LEAST_MEAN) / LOG_MEAN_STEP) + int(RATIO_STEPS[0])
        last = math.ceil(math.log(largest_count) / LOG_MEAN_STEP) + int(RATIO_STEPS[-1])
        grid_steps = np.arange(first, last + 1)[:, None]
        # From half a step below each mean of the grid to half a step above it.
        finer_steps = (np.arange(AVERAGED_MEANS) + 0.5) / AVERAGED_MEANS - 0.5
        means = np.minimum(np.exp((grid_steps + finer_steps) * LOG_MEAN_STEP), largest_count)
        laws_of_finer = _mean_laws(means.ravel(), levels).reshape(*means.shape, -1)
        laws = laws_of_finer.mean(axis=1)
        return cls(first, laws, laws @ levels.chances.T)

    @property
    def guesses(self) -> int:
        """Number of means with all ratios on the grid."""
        return len(self.held) - len(RATIO_STEPS) + 1

    @property
    def logs(self) -> Floats:
        """Logs of the guesses on the grid, ascending, shape (guesses,)."""
        # Means below the first guess are there for small ratios to it only.
        return np.asarray(
            (self.first - RATIO_STEPS[0] + np.arange(self.guesses)) * LOG_MEAN_STEP
        )

    def places(self, logs: Floats) -> Ints:
        """Return the position of the grid's nearest guess, for each log of a guess.

        Positions count from 0, and have the shape of the argument.
        """
        places = np.rint(logs / LOG_MEAN_STEP) - (self.first - RATIO_STEPS[0])
        return np.asarray(places.clip(0, self.guesses - 1).astype(np.int64))


@dataclass(frozen=True, eq=False, kw_only=True)
class Pool:
    """A law of the ratios of counts to their guesses, and its effect on noisy counts.

    Attributes:
        levels: The groups of noisy counts.
        laws: True and noisy counts by mean.
        cells: Number of cells by guess, from the least used, and group, shape (k, v + 1).
        shares: Share of empty cells, and of each ratio, shape (1 + r,).
    """

    levels: Levels
    laws: Laws
    cells: Floats
    shares: Floats

    @cached_property
    def count_laws(self) -> Floats:
        """Probability of each true count by guess, before the noisy count, shape (k, s).

        There are k guesses of a cell's rows on a grid, and s possible true counts.
        """
        laws = self._mix_laws(self.laws.held)
        laws[:, 0] += self.shares[0]  # empty cells
        return laws

    @cached_property
    def estimates(self) -> Floats:
        """Posterior mean of a cell's true count, by its guess and its noisy count.

        Shape (k, v + 1): guesses are on a grid of k, and noisy counts in v + 1 groups.
        """
        chances = self.levels.chances
        counts = self.levels.counts
        # E(count; group) over P(group), for each guess.
        counts_in_group: Floats = (self.count_laws * counts) @ chances.T
        return counts_in_group / (self.count_laws @ chances.T)

    @cached_property
    def variances(self) -> Floats:
        """Posterior variance of a cell's true count, by its guess and its noisy count.

        Shape (k, v + 1): guesses are on a grid of k, and noisy counts in v + 1 groups.
        """
        chances = self.levels.chances
        counts = self.levels.counts
        squares: Floats = (
            (self.count_laws * counts**2) @ chances.T / (self.count_laws @ chances.T)
        )
        return np.maximum(squares - self.estimates**2, 0)

    @cached_property
    def likelihood(self) -> float:
        """Log-likelihood of the groups of all noisy counts under this law."""
        # By guess: the chance of each group of noisy counts, from that by mean (`laws.seen`).
        # An empty cell, of share shares[0], is as one of the least mean.
        mixed = self._mix_laws(self.laws.seen) + self.shares[0] * self.laws.seen[0]
        guesses, groups = np.nonzero(self.cells)
        chances = np.maximum(mixed[guesses, groups], 1e-300)
        return float(self.cells[guesses, groups] @ np.log(chances))

    def error(self) -> float:
        """Return the expected absolute error of the posterior means, in rows.

        It is summed over all cells whose noisy counts are in a group, not above all groups.
        """
        error = 0.0
        for guess in np.flatnonzero(self.cells.any(axis=1)):
            # By group and true count, shape (v + 1, s).
            off = np.abs(self.estimates[guess][:, None] - self.levels.counts)
            # The mean error of a cell of this guess, over its true and its noisy count.
            errors = np.einsum("vs,vs,s->", self.levels.chances, off, self.count_laws[guess])
            error += float(self.cells[guess].sum() * errors)
        return error

    def expected(self, count: float) -> float:
        """Return the mean estimate of a cell that truly has so many rows."""
        return self._mean(count, self.estimates, count)

    def lost(self, count: float) -> float:
        """Return the probability that a cell that truly has so many rows gets none.

        An estimate below one row is drawn as no row with a chance of 1 less the estimate.
        """
        return self._mean(count, np.maximum(1 - self.estimates, 0), 0.0)

    def _mean(self, count: float, values: Floats, plain: float) -> float:
        """Return the mean value of a cell that truly has so many rows.

        The mean is over the noise, and over the guesses that such a cell may have.

        Args:
            count: The true number of rows.
            values: Values by guess and group, shape (k, v + 1).
            plain: The value of noisy counts above all groups.
        """
        place = round(count / self.levels.step)
        if place >= len(self.levels.counts):
            return plain
        # The expected number of cells with this true count, by guess.
        holding = self.cells.sum(axis=1) * self.count_laws[:, place]
        chances = self.levels.chances[:, place]
        if not holding.any():
            return plain
        above = max(0.0, 1 - float(chances.sum()))
        return float(np.average(values @ chances, weights=holding)) + above * plain

    def _mix_laws(self, by_mean: Floats) -> Floats:
        """Return laws by guess of a cell's mean, shape (k, ...), from laws by mean.

        The latter have shape (i, ...), for i means on a grid.

        A cell of a guess has each mean that is a ratio times it, with the ratio's share. On
        the grid these means are the r next to each other, so each ratio adds a window of k
        means. The share of empty cells is not in the result.
        """
        windows = (by_mean[j : j + self.laws.guesses] for j in range(len(RATIO_STEPS)))
        pairs = zip(self.shares[1:], windows, strict=True)
        return np.asarray(sum(share * window for share, window in pairs))


@dataclass(frozen=True, eq=False, kw_only=True)
class Pooled:
    """The result of pooling.

    Attributes:
        weights: Expected rows of every cell, with the given total.
        law: The law of ratios.
        place, groups: Guess and group of every cell, shape (cells,).
        noise: Noise variance of cells above all groups.
    """

    weights: Floats
    law: Pool
    place: Ints
    groups: Ints
    noise: float

    @property
    def variances(self) -> Floats:
        """Posterior variance of each cell's count, in squared rows, shape of the weights."""
        plain = self.law.levels.plain  # the group of counts above all groups
        # Counts above all groups have no variance there; their own replaces that of the last.
        variances = self.law.variances[self.place, np.minimum(self.groups, plain - 1)]
        variances[self.groups == plain] = self.noise
        return variances.reshape(self.weights.shape)


def pool(values: Ints, *, scale: float, total: float, smooth: bool = False) -> Pooled:
    """Return the noisy counts of all cells, each combined with a guess from their sums.

    Args:
        values: Noisy counts, one axis a column.
        scale: Scale of their discrete Laplace noise.
        total: The number of rows, above 0.
        smooth: Whether neighbouring cells help long columns.
    """
    guesses = guess(values, scale=scale, total=total, smooth=smooth)
    return pool_around(values, [guesses], scale=scale, total=total)[0]


def pool_around(
    values: Ints, guesses: Sequence[Floats], *, scale: float, total: float
) -> list[Pooled]:
    """Return the noisy counts combined with guesses: one result for each guess.

    Args:
        values: Noisy counts, of any shape.
        guesses: Expected rows of every cell, each an array of the shape of the counts.
        scale: Scale of the counts' discrete Laplace noise.
        total: The number of rows, above 0.
    """
    levels = Levels.from_scale(scale, min(0, int(values.min())))
    laws = Laws.from_levels(levels)
    flat = values.ravel()
    groups = levels.groups(flat)
    plain = groups == levels.plain  # cells above all groups keep their noisy counts
    width = levels.plain + 1
    remaining = max(0.0, total - float(flat[plain].sum()))
    results = []
    for expected in guesses:
        place = laws.places(np.log(np.maximum(expected.ravel(), LEAST_MEAN)))
        # Numbers of cells by guess and group; the last column, above all groups, is dropped.
        cells = np.bincount(place * width + groups, minlength=laws.guesses * width)
        cell_counts = cells.reshape(-1, width)[:, :-1].astype(np.float64)
        law = Pool(
            levels=levels,
            laws=laws,
            cells=cell_counts,
            shares=_fit_ratios(cell_counts, laws, levels.counts, total=remaining),
        )
        # Counts above all groups have no estimate, and get their noisy count instead.
        weights = law.estimates[place, np.minimum(groups, levels.plain - 1)]
        weights[plain] = flat[plain]
        weights *= total / weights.sum()
        shaped = weights.reshape(values.shape)
        results.append(
            Pooled(
                weights=shaped,
                law=law,
                place=place,
                groups=groups,
                noise=LaplaceLaw(scale).variance,
            )
        )
    return results


def guess(values: Ints, *, scale: float, total: float, smooth: bool = False) -> Floats:
    """Return expected rows of every cell, guessed from sums over columns and over pairs.

    Sums of a single column would be its cells, so its guess has only the total; likewise two
    columns are guessed without their pair.

    Args:
        values: Noisy counts, with an axis for each column.
        scale: Scale of their discrete Laplace noise.
        total: The number of rows, above 0.
        smooth: Whether neighbouring cells help long columns.
    """
    noise = LaplaceLaw(scale).variance * values.size  # variance of the sum of all cells
    columns = []  # repaired sums by the cells of each column
    for axis, size in enumerate(values.shape):
        even = np.full(size, total / size)
        column_sums = sum_other_axes(values, axis) if values.ndim > 1 else even
        if smooth and size >= MIN_LONG_CELLS:
            from synth.estimate.repair.column import repair_column

            # A column's sum has the noise of the cells that it sums. A little of the even
            # guess remains.
            near = repair_column(column_sums, noise / size, total)
            part = _part_of_guess(total)
            columns.append(part * even + (1 - part) * near)
        else:
            columns.append(_shrink_sums(column_sums, even, noise / size, total=total)[0])
    # The guess takes all columns as independent.
    cells = np.full((), float(total))
    for column in columns:
        cells = np.multiply.outer(cells, column / total)
    # By pair of axes: repaired sums, and how much of them noise does not explain.
    repaired_pairs = {}
    for a, b in combinations(range(values.ndim), 2) if values.ndim > 2 else ():
        product = np.outer(columns[a], columns[b]) / total
        pair, explained = _shrink_sums(
            sum_other_axes(values, a, b), product, noise / product.size, total=total
        )
        if explained > 0:
            repaired_pairs[a, b] = pair, explained
    # Those first of which noise explains least.
    strongest = sorted(repaired_pairs, key=lambda pair: -repaired_pairs[pair][1])
    return _rake_cells(cells, {pair: repaired_pairs[pair][0] for pair in strongest})


def _shrink_sums(
    sums: Floats, guess: Floats, noise: float, *, total: float
) -> tuple[Floats, float]:
    """Return sums moved from a guess towards the noisy sums, and how much speaks for that.

    Noise alone explains its variance for each free sum, and a standard deviation of their
    total. If that is all of the squared distance, the guess stays.

    Args:
        sums: Noisy sums, of any shape.
        guess: Expected sums, same shape, with the given total.
        noise: Variance of the noise on each sum.
        total: The number of rows, above 0.

    Returns:
        The moved sums, not negative, same shape; and the squared distance that noise does not
        explain, in variances of the noise; 0 if the guess stays.
    """
    gap = sums - guess
    gap -= gap.mean()  # the total is known better
    squares = float((gap**2).sum())
    free = gap.size - 1
    # The squared size of noise on them has mean `free` and variance 2 `free`, in variances.
    explained = squares - (free + math.sqrt(2 * free)) * noise
    if explained <= 0:
        return guess, 0.0
    part = _part_of_guess(total)
    # A share of the gap, so that the part of the squared distance due to noise is left out.
    aim = (1 - part) * guess + explained / squares * gap
    above = project_to_simplex(aim.ravel(), (1 - part) * total)
    return part * guess + above.reshape(guess.shape), explained / noise


def _part_of_guess(total: float) -> float:
    """Return the least part of a guess that remains, whatever the noisy sums are.

    It is as if sqrt(total) / 2 rows of the guess were added, as in a public guess, since a
    sum near 0 may still hold a few rows.
    """
    return 1 / (1 + 2 * math.sqrt(total))


def _rake_cells(cells: Floats, pair_sums: dict[tuple[int, int], Floats]) -> Floats:
    """Return cells scaled to the sums of pairs of columns, in turns; they are overwritten.

    Args:
        cells: Expected rows, with an axis for each column.
        pair_sums: Wanted sums by pair of axes a < b, shape (cells of a, cells of b), the most
            important first. So many are used as `MAX_VISITED_CELLS` allows.
    """
    pairs = list(pair_sums)[: MAX_VISITED_CELLS // (SCALING_TURNS * cells.size)]
    total = cells.sum()
    for _ in range(SCALING_TURNS if pairs else 0):
        for a, b in pairs:
            present = sum_other_axes(cells, a, b)
            ratio = np.divide(
                pair_sums[a, b], present, out=np.zeros_like(present), where=present > 0
            )
            # A view of the cells, so that this scales them in place.
            split_axes(cells, a, b)[...] *= ratio[None, :, None, :, None]
    cells *= total / cells.sum()
    return cells


def _fit_ratios(cells: Floats, laws: Laws, counts: Floats, *, total: float) -> Floats:
    """Return the shares of empty cells and of the ratios of true means to guesses.

    Expectation-maximisation fits them to the noisy counts, which are in groups of equal
    width; every fifth step restores the total. Means are on a grid, and a ratio is a number
    of steps on it.

    Args:
        cells: Number of cells by guess and group of noisy counts, shape (k, v + 1).
        laws: True and noisy counts of cells by their mean.
        counts: Possible true counts, shape (s,).
        total: Rows of these cells; without rows, the shares are the ones that the fit starts
            from.

    Returns:
        The shares, shape (1 + r,), of sum 1.
    """
    # Pairs of a guess and a group that occur, with their numbers of cells.
    guesses, groups = np.nonzero(cells)
    weights = cells[guesses, groups]
    guess_cells = cells.sum(axis=1)
    # The chance of the group of each pair, if its cells are empty or have each ratio.
    chances = np.empty((len(weights), 1 + len(RATIO_STEPS)))
    chances[:, 0] = laws.seen[0, groups]  # of a mean so small that the cell holds none
    # The rows that all cells would have if each had this ratio.
    rows = np.zeros(1 + len(RATIO_STEPS))
    means = laws.held @ counts
    for ratio in range(len(RATIO_STEPS)):
        chances[:, 1 + ratio] = laws.seen[guesses + ratio, groups]
        rows[1 + ratio] = guess_cells @ means[ratio : ratio + len(guess_cells)]
    # The start falls off around the ratio 1, which has ten times the share of empty cells.
    shares = np.concatenate(([0.1], np.exp(-np.abs(RATIO_STEPS * LOG_MEAN_STEP))))
    shares /= shares.sum()
    if total <= 0 or not len(weights):
        return np.asarray(shares)

    def keep_total(step: int, shares: Floats) -> Floats:
        """Return the shares, in every fifth step those nearest that give the total."""
        return shares if step % 5 else tilt(shares, rows / total, 1.0)

    weights = weights / weights.sum()
    return maximize_mixture(chances, weights, shares, rounds=EM_ROUNDS, adjust=keep_total)


def _mean_laws(means: Floats, levels: Levels) -> Floats:
    """Return the probability of each true count by mean, shape (means, counts).

    The laws are Poisson. If noise is so wide that counts have steps above 1, a mean stands
    for itself: it is split between the two nearest counts.

    Args:
        means: Expected rows, shape (means,), at most the largest count.
        levels: The possible true counts.
    """
    counts = levels.counts
    if levels.step == 1:
        logs = np.log(means)[:, None] * counts - means[:, None] - log_factorials(counts)
        laws = np.exp(logs)
        return np.asarray(laws / laws.sum(axis=1, keepdims=True))
    place = means / levels.step  # where among the counts each mean is, with a fraction
    low = np.minimum(place.astype(np.int64), len(counts) - 2)
    rows = np.arange(len(means))
    laws = np.zeros((len(means), len(counts)))
    laws[rows, low] = low + 1 - place
    laws[rows, low + 1] = place - low
    return laws
