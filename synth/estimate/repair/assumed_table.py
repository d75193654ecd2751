"""Usual tables, and the effect of noise and repair on them. PUBLIC input only.

Columns have power-law shares. The shares of cells within a part of them are about lognormal,
with the spread of independent columns."""

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np

from synth import limits
from synth.estimate.assumptions import ASSOCIATION, usual_shares
from synth.estimate.repair.cell_effects import (
    Effect,
    Pooling,
    effect,
    kept_rows,
    sample_change,
)
from synth.estimate.repair.pooling import Pool
from synth.noise import LaplaceLaw
from synth.util import Floats, Ints, bisect

SHARE_POINTS = 40

# Width, in logs, of bins of equal shares; and from how many cells.
ALIKE, ALIKE_FROM = 0.08, 64

# Width of bins for convolutions; and above how many cells.
NARROW, MULTIPLIED = ALIKE / 4, 2**14

# Variance of the log of a ratio of mean 1, over its squared total variation.
BLURRED = 2 * math.pi

# Deviation of normal relative errors, over their total variation.
_SPREAD_OUT = 2 * math.sqrt(math.pi / 2)


class RepairedUniverse:
    def __init__(self, shape: Sequence[int], rows: float, scale: float) -> None:
        self.shape, self.rows, self.scale = shape, rows, scale
        self.log_cells = _log_cells(shape)
        self.spread = _spread(shape)
        log_means, many = self._grid((), self.spread)
        self.empty = float((np.exp(-np.exp(log_means)) * many).sum())
        self.threshold, self.effect = self._solve(log_means, many)
        self.all = log_means, many

    def _grid(self, sizes: tuple[int, ...], spread: float) -> tuple[Floats, Floats]:
        # Logs of expected rows of cells within a table's cells, and their numbers.
        shares = assume_shares(sizes)[0] if sizes else np.ones(1)
        inside = self.log_cells - _log_cells(sizes)
        nodes = np.linspace(-5, math.sqrt(spread) + 5, SHARE_POINTS)
        weights = np.exp(-(nodes**2) / 2)
        many = weights / weights.sum() * math.exp(min(inside, 700))
        logs = math.log(self.rows) - inside - spread / 2 + math.sqrt(spread) * nodes
        return np.log(shares)[:, None] + logs, many

    def _cells_each(self, sizes: tuple[int, ...]) -> float:
        return math.exp(min(self.log_cells - _log_cells(sizes), 700))

    def _solve(self, log_means: Floats, many: Floats) -> tuple[float, Effect]:
        low, high = -float(self.rows), self.rows + self.scale * (self.log_cells + 20)

        def keeps_too_many(threshold: float) -> bool:
            kept = kept_rows(log_means, threshold, self.scale)
            return bool((kept * many).sum() > self.rows)

        low, high = bisect(keeps_too_many, low, high, steps=50)
        return (low + high) / 2, effect((low + high) / 2, self.scale)

    def error(self, sizes: tuple[int, ...]) -> float:
        """Return a table's expected total variation."""
        if math.prod(sizes) == 1:  # all rows are in its one cell
            return 0.0
        shares, alike = assume_shares(sizes)
        log_means, many = self._grid(sizes, self.spread - _spread(sizes))
        _, bias, variance = self.effect.at(log_means)
        mean = (bias * many).sum(1)
        rows = self.rows * shares
        folded = _fold_normal(mean, (variance * many).sum(1))
        most = np.abs(mean) + 2 * np.minimum(rows, np.maximum(rows + mean, 0))
        return min(1.0, float(np.minimum(folded, most) @ alike) / 2 / self.rows)

    def floor(self, sizes: tuple[int, ...]) -> float:
        if math.prod(sizes) == 1:
            return 0.0
        shares, alike = assume_shares(sizes)
        changes = sample_change(np.log(self.rows * shares)) * np.sqrt(
            1 - np.minimum(shares, 1)
        )
        return float(changes @ alike) / 2 / self.rows

    def lost(self, size: int) -> float:
        """Return the chance that repair leaves less than half a row."""
        excess = np.array([size - self.threshold - 0.5])
        return 1 - float(LaplaceLaw(self.scale).chance_above(excess)[0])

    @property
    def invented(self) -> float:
        return self.empty * LaplaceLaw(self.scale).mean_absolute / 2

    def pooled_bias(self, _count: float) -> float | None:
        """Return a cell's expected change by pooling, if all counts are listed."""
        return None


class PooledUniverse(RepairedUniverse):
    """The law of pooled counts, for a universe with all counts listed.

    Estimates are ``B`` parts of guess and ``1 - B`` parts of noisy count, and share some
    noise. Every further column worsens the guess."""

    def __init__(self, shape: Sequence[int], rows: float, scale: float) -> None:
        super().__init__(shape, rows, scale)
        self.noise = max(1e-300, LaplaceLaw(scale).variance)
        self.wrong = {size: self._distance((size,)) for size in set(shape)}
        pairs = combinations(sorted(shape), min(2, len(shape)))
        off = float(np.mean([self._distance(pair) for pair in pairs]))
        self.blurred = BLURRED * off**2
        self.left, self.pooling = self._law(self.blurred)

    def _law(self, blurred: float) -> tuple[float, Pooling]:
        left = min(blurred, 0.9 * self.spread)
        log_guesses, many = self._grid((), max(1e-6, self.spread - left))
        return left, Pooling.build(log_guesses.ravel(), many, self.scale, spread=left)

    @cached_property
    def _cell_law(self) -> Pool:
        return self._law(max(1, len(self.shape) - 1) * self.blurred)[1].law

    def error(self, sizes: tuple[int, ...]) -> float:
        """Return a table's expected total variation.

        A cell has noise variance s, and its count a variance t around the guess. The
        posterior variance is v = B t = (1 - B) s. Its parts by noise and count are v (1 - B)
        and v B."""
        if math.prod(sizes) == 1:  # all rows are in its one cell
            return 0.0
        spread = self.spread - _spread(sizes) - self.left
        log_guesses, many = self._grid(sizes, max(1e-6, spread))
        v, b, rounding = self.pooling.at(log_guesses)
        guesses = np.exp(log_guesses) * many
        left = (b * guesses).sum(1) / guesses.sum(1)
        bias, deviation, chance = left * self._guess(sizes)
        own, counts = (v * many).sum(1), (v * b * many).sum(1)
        around = (v / np.maximum(b, 1e-12) * many).sum(1)
        told = np.minimum(counts, own**2 / np.maximum(around, 1e-300)) * (len(sizes) < 3)
        same = 2 * own * np.minimum(left, deviation / self._noise(sizes))
        variance = own - told + same + deviation**2 + chance**2 + (rounding * many).sum(1)
        whole = (
            np.abs(bias) + variance
        )  # cells change by whole rows, by no more than their squares
        off = np.minimum(_fold_normal(bias, variance), whole)
        return min(1.0, float(off @ assume_shares(sizes)[1]) / 2 / self.rows)

    def _noise(self, sizes: tuple[int, ...]) -> float:
        return math.sqrt(self.noise * self._cells_each(sizes))

    def _guess(self, sizes: tuple[int, ...]) -> Floats:
        # Bias, standard deviation, and that of the rows that are there by chance, shape (3,
        # k).
        rows = self.rows * assume_shares(sizes)[0]
        if len(sizes) == 1:
            bias = self.rows / sizes[0] - rows
            kept, other = self._part_left(sizes, bias), 0.0
        else:
            bias, kept = 0 * rows, self._part_left(sizes, _SPREAD_OUT * ASSOCIATION * rows)
            other = (1 - kept) * self._from_columns(sizes)
        noise = np.minimum(kept * self._noise(sizes), rows)  # as far as there are rows
        deviation = np.hypot(noise, _SPREAD_OUT * other * rows)
        return np.stack(((1 - kept) * bias, deviation, (1 - kept) * np.sqrt(rows)))

    def _from_columns(self, sizes: tuple[int, ...]) -> float:
        wrong = 1 - math.prod(1 - self.wrong[size] for size in sizes)
        return math.hypot(ASSOCIATION * (len(sizes) - 1), wrong)

    def _part_left(self, sizes: tuple[int, ...], apart: Floats) -> float:
        if len(self.shape) == min(2, len(sizes)):  # their sums would be the cells
            return 0.0
        squares, free = (
            float(apart**2 @ assume_shares(sizes)[1]) + self.rows,
            math.prod(sizes) - 1,
        )
        noise = self._noise(sizes) ** 2
        return max(0.0, squares - math.sqrt(2 * free) * noise) / (squares + free * noise)

    def _distance(self, sizes: tuple[int, ...]) -> float:
        bias, deviation, _ = self._guess(sizes)
        return (
            float(_fold_normal(bias, deviation**2) @ assume_shares(sizes)[1]) / 2 / self.rows
        )

    def lost(self, size: int) -> float:
        return self._cell_law.lost(size)

    def pooled_bias(self, count: float) -> float:
        return self._cell_law.expected(count) - count


def typical(shape: Sequence[int], rows: float, scale: float) -> RepairedUniverse:
    listed = math.prod(shape) <= limits.LISTED_CELLS
    return (PooledUniverse if listed else RepairedUniverse)(shape, rows, scale)


@lru_cache(maxsize=4096)
def assume_shares(sizes: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return assumed shares, and their numbers of cells; both of shape (k,).

    Shares within 8 % of each other count as equal.
    """
    cells = math.prod(sizes)
    if cells > MULTIPLIED and len(sizes) > 1:
        return _convolve_shares(sizes)
    shares = np.ones(1)
    for size in sizes:
        shares = np.outer(shares, usual_shares(size)).ravel()
    if cells <= ALIKE_FROM:
        return shares, np.ones(len(shares))
    bins = np.rint(np.log(shares) / ALIKE).astype(int)
    return _means(*_sum_bins(bins - bins.min(), shares))


def _convolve_shares(sizes: tuple[int, ...]) -> tuple[Floats, Floats]:
    many, held = np.ones(1), np.ones(1)
    for size in sizes:
        found, shares = _in_narrow_bins(size)
        many, held = np.convolve(many, found), np.convolve(held, shares)
    starts = np.arange(0, len(many), round(ALIKE / NARROW))
    return _means(np.add.reduceat(many, starts), np.add.reduceat(held, starts))


@lru_cache(maxsize=1024)
def _in_narrow_bins(size: int) -> tuple[Floats, Floats]:
    column = usual_shares(size)
    bins = np.rint(np.log(column) / NARROW).astype(int)
    return _sum_bins(bins.max() - bins, column)


def _sum_bins(bins: Ints, shares: Floats) -> tuple[Floats, Floats]:
    many = np.bincount(bins).astype(np.float64)
    return many, np.bincount(bins, weights=shares).astype(np.float64)


def _means(many: Floats, sums: Floats) -> tuple[Floats, Floats]:
    filled = many > 0.5
    return sums[filled] / many[filled], many[filled]


def _log_cells(sizes: Sequence[int]) -> float:
    return math.fsum(map(math.log, sizes))


def _spread(sizes: Sequence[int]) -> float:
    # The variance of log shares: a lognormal share has entropy log(cells) - spread/2.
    columns = map(usual_shares, sizes)
    return 2 * math.fsum(
        math.log(len(shares)) + shares @ np.log(shares) for shares in columns
    )


def _fold_normal(mean: Floats, variance: Floats) -> Floats:
    # E |X| for X normal.
    deviation = np.sqrt(np.maximum(variance, 1e-300))
    ratio = np.minimum(np.abs(mean) / deviation, 30)
    erf = np.array([math.erf(r / math.sqrt(2)) for r in ratio])
    near = deviation * math.sqrt(2 / math.pi) * np.exp(-(ratio**2) / 2)
    return np.asarray(near + np.abs(mean) * erf)
