"""Usual tables, and the effect of noise and repair on them. PUBLIC input only.

Columns have power-law shares. The shares of cells within a part of them are about lognormal,
with the spread of independent columns."""

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from synth import limits
from synth.estimate.assumptions import (
    ASSOCIATION,
    HALF_EVEN,
    assume_shares,
    is_long,
    usual_shares,
)
from synth.estimate.repair.cell_effects import (
    Effect,
    Pooling,
    effect,
    kept_rows,
    sample_change,
)
from synth.estimate.repair.pooling import Pool
from synth.noise import LaplaceLaw
from synth.util import Floats, bisect

# Points of the lognormal law of shares.
SHARE_POINTS = 40

# Variance of the log of a ratio of mean 1, over its squared total variation.
BLUR_VARIANCE = 2 * math.pi

# Deviation of normal relative errors, over their total variation.
_SPREAD_OUT = 2 * math.sqrt(math.pi / 2)


class RepairedUniverse:
    """A usual table's universe under noise and the simplex repair.

    Attributes:
        shape: Number of cells of each column.
        rows: Number of rows of the table.
        scale: Scale of the discrete Laplace noise on each cell.
        evenness: How even long lists are, from 0 to 1.
    """

    shape: Sequence[int]
    rows: float
    scale: float
    evenness: float

    def __init__(
        self, shape: Sequence[int], rows: float, scale: float, *, evenness: float
    ) -> None:
        """Solve for the threshold that keeps the number of rows; arguments are attributes."""
        self.shape = shape
        self.rows = rows
        self.scale = scale
        self.evenness = evenness
        self.log_cells = _log_cells(shape)
        self.spread = self._spread(shape)
        log_means, numbers = self._grid((), self.spread)
        # The expected number of empty cells: a Poisson count of mean m is 0 with chance e^-m.
        self.empty = float((np.exp(-np.exp(log_means)) * numbers).sum())
        self.threshold, self.effect = self._solve(log_means, numbers)
        # Logs of expected rows of the universe's cells, and numbers of cells with each.
        self.all = log_means, numbers

    def _grid(self, sizes: tuple[int, ...], spread: float) -> tuple[Floats, Floats]:
        """Return expected rows of the universe's cells within each cell of a table.

        The universe has the cells of all columns together, the table those of some. Shares of
        a table's cell are lognormal, taken at `SHARE_POINTS` points.

        Args:
            sizes: The numbers of cells of the table's columns; none for the universe alone.
            spread: Variance of the log of the shares.

        Returns:
            Logs of expected rows, shape (cells of the table with different shares, points);
            and the number of universe cells at each point, shape (points,).
        """
        shares = self._shares(sizes)[0] if sizes else np.ones(1)
        log_inside = self.log_cells - _log_cells(sizes)  # universe cells in a cell of it
        # Standard deviations of the log share, up to 5 from where most cells and most rows
        # are: those are sqrt(spread) apart.
        nodes = np.linspace(-5, math.sqrt(spread) + 5, SHARE_POINTS)
        weights = np.exp(-(nodes**2) / 2)
        numbers = weights / weights.sum() * math.exp(min(log_inside, 700))  # finite
        # Rows spread evenly over the cells, times a lognormal ratio of mean 1: its log has
        # the mean -spread / 2.
        logs = math.log(self.rows) - log_inside - spread / 2 + math.sqrt(spread) * nodes
        return np.log(shares)[:, None] + logs, numbers

    def _shares(self, sizes: tuple[int, ...]) -> tuple[Floats, Floats]:
        """Return the shares of the cells of some columns, and the number with each."""
        return assume_shares(sizes, self.evenness)

    def _spread(self, sizes: Sequence[int]) -> float:
        """Return the variance of the log share of a cell, for usual columns of these sizes.

        Shares count as lognormal: with this variance, their entropy log(cells) - variance / 2
        is that of independent usual columns.
        """
        columns = [usual_shares(size, self.evenness) for size in sizes]
        variance = 2 * math.fsum(
            math.log(len(shares)) + shares @ np.log(shares) for shares in columns
        )
        # That of equal cells is 0, but for rounding.
        return max(0.0, variance)

    def _cells_each(self, sizes: tuple[int, ...]) -> float:
        """Return the number of universe cells in a cell of a table, at most e^700."""
        return math.exp(min(self.log_cells - _log_cells(sizes), 700))

    def _solve(self, log_means: Floats, numbers: Floats) -> tuple[float, Effect]:
        """Return the threshold at which repaired rows sum to the table's, and its effect.

        Args:
            log_means: Logs of expected rows of the universe's cells, shape (1, points).
            numbers: Number of cells at each point, shape (points,).
        """
        low = -float(self.rows)
        # All rows in one cell, and noise that none of the cells reaches, but for e^-20.
        high = self.rows + self.scale * (self.log_cells + 20)

        def keeps_too_many(threshold: float) -> bool:
            """Return whether the threshold is too low."""
            repaired_rows = kept_rows(log_means, threshold, self.scale)
            return bool((repaired_rows * numbers).sum() > self.rows)

        low, high = bisect(keeps_too_many, low, high, steps=50)
        return (low + high) / 2, effect((low + high) / 2, self.scale)

    def error(self, sizes: tuple[int, ...]) -> float:
        """Return the expected total variation of a table of some columns after repair.

        The noise is on every cell of the universe, all columns together. The error of a cell
        of the table is normal, with the bias and variance of all its universe cells together.
        Its mean size is at most what moving all its rows makes.

        Args:
            sizes: The numbers of cells of the table's columns.
        """
        if math.prod(sizes) == 1:  # all rows are in its one cell
            return 0.0
        # ``alike`` is the number of cells with each share.
        shares, alike = self._shares(sizes)
        log_means, numbers = self._grid(sizes, self.spread - self._spread(sizes))
        _, bias, variance = self.effect.at(log_means)
        mean = (bias * numbers).sum(1)
        rows = self.rows * shares
        folded = _fold_normal(mean, (variance * numbers).sum(1))
        # At most, all true rows are lost and all repaired ones, rows + mean, are others: an
        # error of both together.
        max_errors = np.abs(mean) + 2 * np.minimum(rows, np.maximum(rows + mean, 0))
        return min(1.0, float(np.minimum(folded, max_errors) @ alike) / 2 / self.rows)

    def floor(self, sizes: tuple[int, ...]) -> float:
        """Return the expected total variation of a table of some columns, by sampling alone.

        That is half the summed changes of its counts between two samples, over the rows. The
        change of a Poisson count is scaled by the root of 1 less its share, as a count of a
        fixed number of draws has this part of the variance.

        Args:
            sizes: The numbers of cells of the table's columns.
        """
        if math.prod(sizes) == 1:
            return 0.0
        shares, alike = self._shares(sizes)
        changes = sample_change(np.log(self.rows * shares)) * np.sqrt(
            1 - np.minimum(shares, 1)
        )
        return float(changes @ alike) / 2 / self.rows

    def lost(self, size: int) -> float:
        """Return the chance that repair leaves less than half a row of ``size`` rows."""
        excess = np.array([size - self.threshold - 0.5])
        return 1 - float(LaplaceLaw(self.scale).chance_above(excess)[0])

    @property
    def invented(self) -> float:
        """Rows that noise adds to empty cells."""
        return self.empty * LaplaceLaw(self.scale).mean_absolute / 2

    def pooled_bias(self, _count: float) -> float | None:
        """Return a cell's expected change by pooling, if all counts are listed."""
        return None


class PooledUniverse(RepairedUniverse):
    """The law of pooled counts, for a universe with all counts listed.

    Estimates are ``B`` parts of guess and ``1 - B`` parts of noisy count, and share some
    noise. Every further column worsens the guess."""

    def __init__(
        self, shape: Sequence[int], rows: float, scale: float, *, evenness: float
    ) -> None:
        """Fit the law of pooled counts; arguments are those of `RepairedUniverse`."""
        super().__init__(shape, rows, scale, evenness=evenness)
        self.noise = max(1e-300, LaplaceLaw(scale).variance)
        # Expected total variation of the guess's sums over a column, by its number of cells.
        self.wrong = {size: self._distance((size,)) for size in set(shape)}
        pairs = combinations(sorted(shape), min(2, len(shape)))
        # The same of sums over a pair of columns, the mean of all pairs.
        off = float(np.mean([self._distance(pair) for pair in pairs]))
        self.blurred = BLUR_VARIANCE * off**2
        self.remaining_spread, self.pooling = self._law(self.blurred)

    def _law(self, blurred: float) -> tuple[float, Pooling]:
        """Return how far counts are from their guesses, and the law that pools them.

        Args:
            blurred: Variance of the log ratio of a count to its guess, if the universe
                allows so much.

        Returns:
            The variance of that log ratio, at most nine tenths of that of all log shares; and
            the effect of pooling on cells.
        """
        # Some of the variance of log shares must be left to the guesses themselves.
        remaining_spread = min(blurred, 0.9 * self.spread)
        log_guesses, numbers = self._grid((), max(1e-6, self.spread - remaining_spread))
        return remaining_spread, Pooling.build(
            log_guesses.ravel(), numbers, self.scale, spread=remaining_spread
        )

    @cached_property
    def _cell_law(self) -> Pool:
        """The law of single cells, whose guess every column but the first makes worse."""
        return self._law(max(1, len(self.shape) - 1) * self.blurred)[1].law

    def error(self, sizes: tuple[int, ...]) -> float:
        """Return the expected total variation of a table of some columns, if it is pooled.

        Pooling combines the noisy count of every cell of the universe with a guess from sums.
        A cell has noise variance s, and its count a variance t around the guess. The estimate
        is B parts of guess and 1 - B parts of noisy count. The posterior variance is
        v = B t = (1 - B) s. Its parts by noise and count are v (1 - B) and v B. A sum of
        cells also has the part of the guess's error that repair leaves: its bias, its
        deviation, and that of rows that are there by chance.

        Args:
            sizes: The numbers of cells of the table's columns.
        """
        if math.prod(sizes) == 1:  # all rows are in its one cell
            return 0.0
        spread = self.spread - self._spread(sizes) - self.remaining_spread
        log_guesses, numbers = self._grid(sizes, max(1e-6, spread))
        v, b, rounding = self.pooling.at(log_guesses)
        guesses = np.exp(log_guesses) * numbers
        guess_part = (b * guesses).sum(1) / guesses.sum(1)
        bias, deviation, chance = guess_part * self._guess(sizes)
        # Variances of the sums over the cells of the table, if cells were independent.
        own_variance = (v * numbers).sum(1)
        # The part by count, and t = v / B, the variances of counts around the guesses.
        count_variance = (v * b * numbers).sum(1)
        around = (v / np.maximum(b, 1e-12) * numbers).sum(1)
        # Sums of one or two columns are known better, as the guess has them already.
        shared_variance = np.minimum(
            count_variance, own_variance**2 / np.maximum(around, 1e-300)
        ) * (len(sizes) < 3)
        # The guess and the cells err by the same noise.
        same = 2 * own_variance * np.minimum(guess_part, deviation / self._noise(sizes))
        variance = (
            own_variance
            - shared_variance
            + same
            + deviation**2
            + chance**2
            + (rounding * numbers).sum(1)
        )
        # Cells change by whole rows, and so by no more than their squares.
        most_change = np.abs(bias) + variance
        off = np.minimum(_fold_normal(bias, variance), most_change)
        shares, cells_alike = self._shares(sizes)
        # A long list by itself has no sums to guess its cells from. Repair then does no worse
        # than if it kept large counts with their noise, and lost the rows of small ones.
        if len(self.shape) == 1 and is_long(self.shape[0]):
            noise = LaplaceLaw(self.scale).mean_absolute
            off = np.minimum(off, np.minimum(noise, self.rows * shares))
        return min(1.0, float(off @ cells_alike) / 2 / self.rows)

    def _noise(self, sizes: tuple[int, ...]) -> float:
        """Return the noise's standard deviation on a cell of a table, a sum of cells."""
        return math.sqrt(self.noise * self._cells_each(sizes))

    def _guess(self, sizes: tuple[int, ...]) -> Floats:
        """Return the assumed errors of the guess's sums over some columns, in rows.

        Args:
            sizes: The numbers of cells of these columns.

        Returns:
            For each of k different shares of a cell, shape (3, k): bias; standard deviation;
            and the standard deviation of rows that are there by chance.
        """
        rows = self.rows * self._shares(sizes)[0]
        if len(sizes) == 1:
            # The guess starts from equal cells, and moves towards the noisy sums.
            bias = self.rows / sizes[0] - rows
            kept_part = self._part_left(sizes, bias)
            column_error = 0.0
        else:
            # The guess starts from independent columns. `_SPREAD_OUT` times a total variation
            # is the standard deviation of a cell's relative error.
            bias = 0 * rows
            kept_part = self._part_left(sizes, _SPREAD_OUT * ASSOCIATION * rows)
            column_error = (1 - kept_part) * self._from_columns(sizes)
        noise = np.minimum(kept_part * self._noise(sizes), rows)  # as far as there are rows
        deviation = np.hypot(noise, _SPREAD_OUT * column_error * rows)
        return np.stack(((1 - kept_part) * bias, deviation, (1 - kept_part) * np.sqrt(rows)))

    def _from_columns(self, sizes: tuple[int, ...]) -> float:
        """Return the total variation of a product of columns from the true table.

        It comes from their association, and from the errors of the columns themselves.

        Args:
            sizes: The numbers of cells of these columns.
        """
        # Rows are right if they are right in every column.
        wrong = 1 - math.prod(1 - self.wrong[size] for size in sizes)
        return math.hypot(ASSOCIATION * (len(sizes) - 1), wrong)

    def _part_left(self, sizes: tuple[int, ...], distances: Floats) -> float:
        """Return the part of the noisy sums by which the guess moves towards them.

        Squared distances from the guess are expected to be those of the counts, plus noise
        for each free cell. Only what exceeds noise and its deviation moves the guess.

        Args:
            sizes: The numbers of cells of the columns that are summed by.
            distances: Assumed distances of the true sums from the guess, in rows, for each
                different share of a cell.
        """
        if len(self.shape) == min(2, len(sizes)):  # their sums would be the cells
            return 0.0
        # Counts also vary by chance: their variances sum to about the number of rows.
        squares = float(distances**2 @ self._shares(sizes)[1]) + self.rows
        free = math.prod(sizes) - 1
        noise = self._noise(sizes) ** 2
        # The squared distance is expected to be squares + free * noise. Noise explains
        # (free + sqrt(2 free)) * noise of it, its mean and one deviation.
        return max(0.0, squares - math.sqrt(2 * free) * noise) / (squares + free * noise)

    def _distance(self, sizes: tuple[int, ...]) -> float:
        """Return the expected total variation of the guess's sums over some columns."""
        bias, deviation, _ = self._guess(sizes)
        cells_alike = self._shares(sizes)[1]
        return float(_fold_normal(bias, deviation**2) @ cells_alike) / 2 / self.rows

    def lost(self, size: int) -> float:
        """Return the chance that a cell of so many rows gets none."""
        return self._cell_law.lost(size)

    def pooled_bias(self, count: float) -> float:
        """Return a cell's expected change by pooling."""
        return self._cell_law.expected(count) - count


def typical(
    shape: Sequence[int], rows: float, scale: float, *, evenness: float = HALF_EVEN
) -> RepairedUniverse:
    """Return a usual table's universe, pooled if all its counts are listed.

    Args:
        shape: Number of cells of each column.
        rows: Number of rows of the table.
        scale: Scale of the discrete Laplace noise on each cell.
        evenness: How even long lists are, from 0 to 1.
    """
    is_listed = math.prod(shape) <= limits.LISTED_CELLS
    universe = PooledUniverse if is_listed else RepairedUniverse
    return universe(shape, rows, scale, evenness=evenness)


def _log_cells(sizes: Sequence[int]) -> float:
    """Return the log of the number of cells, which may be too large for a float."""
    return math.fsum(map(math.log, sizes))


def _fold_normal(mean: Floats, variance: Floats) -> Floats:
    """Return E |X|, the mean size of a normal number X, for means and variances of one shape.

    It is sqrt(2 / pi) d exp(-r^2 / 2) + |mean| erf(r / sqrt(2)), with the deviation d and
    r = |mean| / d.
    """
    deviation = np.sqrt(np.maximum(variance, 1e-300))
    ratio = np.minimum(np.abs(mean) / deviation, 30)  # where the tail is 0 already
    erf = np.array([math.erf(r / math.sqrt(2)) for r in ratio])
    near = deviation * math.sqrt(2 / math.pi) * np.exp(-(ratio**2) / 2)
    return np.asarray(near + np.abs(mean) * erf)
