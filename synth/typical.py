"""Tables as they usually are, and what noise and repair do to them. PUBLIC input only.

A column carries three quarters of the entropy it could, its shares falling off like a power of
their rank; columns depend on each other, so that each further one takes 3 % off the entropy of
all; shares of cells are about lognormal, as products of many shares are, with the spread that
gives this entropy.
"""

import math
from collections.abc import Sequence
from functools import cache
from itertools import combinations

import numpy as np

from synth import limits
from synth.expectation import Effect, Floats, Pooling, chance_above, effect, kept_rows
from synth.pooling import variance_of

COLUMN_ENTROPY = 0.75
"""Assumed entropy of a column, as a share of that of a uniform one."""

SHARED_ENTROPY = 0.03
"""Assumed loss of joint entropy for every further column, as a share of the whole."""

IN_COMMON = 0.08
"""Assumed distance of a pair of columns from independence, in total variation."""

UNPAIRED = 0.4
"""Assumed part of what columns share that their pairs do not tell."""

BLURRED = 3.0
"""What their noise adds to that: this times the square of the pairs' mean relative error."""

EASED = 0.6
"""What shrinking leaves of the noise of sums, on average, as mean size by deviation."""

GRID = 40
"""Points of the grid over the shares of cells."""

ALIKE, ALIKE_FROM = 0.08, 64
"""Width, in logs, of the bins of shares that count as alike in tables of many cells."""


class Repaired:
    """The law of the repaired counts of a universe."""

    def __init__(self, shape: Sequence[int], rows: float, scale: float) -> None:
        self.shape, self.rows, self.scale = shape, rows, scale
        self.log_cells = math.fsum(map(math.log, shape))
        shared = max(0.3, 1 - SHARED_ENTROPY * (len(shape) - 1))
        self.spread = max(0.0, 2 * (self.log_cells - shared * _entropy(shape)))
        log_means, many = self._grid(np.zeros(1), self.log_cells, self.spread)
        self.empty = float((np.exp(-np.exp(log_means)) * many).sum())
        self.threshold, self.effect = self._solve(log_means, many)
        self.all = log_means, many

    def _grid(self, log_shares: Floats, log_cells: float, spread: float) -> tuple[Floats, Floats]:
        """Logs of expected rows of cells within tables' cells, and how many there are of each.

        A lognormal share has the entropy log(cells) - spread/2.
        """
        nodes = np.linspace(-5, math.sqrt(spread) + 5, GRID)
        weights = np.exp(-(nodes**2) / 2)
        shift = math.log(self.rows) - log_cells - spread / 2
        log_means = log_shares[:, None] + shift + math.sqrt(spread) * nodes
        return log_means, weights / weights.sum() * math.exp(min(log_cells, 700))

    def _solve(self, log_means: Floats, many: Floats) -> tuple[float, Effect]:
        low, high = -float(self.rows), self.rows + self.scale * (self.log_cells + 20)
        for _ in range(50):
            middle = (low + high) / 2
            kept = kept_rows(log_means, middle, self.scale)
            low, high = (middle, high) if (kept * many).sum() > self.rows else (low, middle)
        return (low + high) / 2, effect((low + high) / 2, self.scale)

    def error(self, sizes: tuple[int, ...]) -> float:
        """Expected total variation of a table, each of its cells a sum of many."""
        if math.prod(sizes) == 1:  # all rows are in its one cell
            return 0.0
        (shares, alike), log_cells = assumed(sizes), math.fsum(map(math.log, sizes))
        rest = max(1e-6, self.spread - 2 * (log_cells - _entropy(sizes)))
        log_means, many = self._grid(np.log(shares), self.log_cells - log_cells, rest)
        _, bias, variance = self.effect.at(log_means)
        mean = (bias * many).sum(1)
        rows = self.rows * shares
        folded = _folded(mean, (variance * many).sum(1))
        most = np.abs(mean) + 2 * np.minimum(rows, np.maximum(rows + mean, 0))
        return min(1.0, float(np.minimum(folded, most) @ alike) / 2 / self.rows)

    def floor(self, sizes: tuple[int, ...]) -> float:
        """What chance does to a table of a fresh sample."""
        if math.prod(sizes) == 1:
            return 0.0
        shares, alike = assumed(sizes)
        deviation = np.sqrt(2 * shares / math.pi / self.rows)
        rare = 2 * shares * np.exp(-self.rows * shares)
        often = deviation * (self.rows * shares > 1)
        return float(np.minimum(deviation, rare + often) @ alike) / 2

    def lost(self, size: int) -> float:
        """The chance that a cell of this many rows is repaired to less than half a row."""
        excess = np.array([size - self.threshold - 0.5])
        return 1 - float(chance_above(excess, self.scale)[0])

    def more_biases(self, _count: float) -> dict[str, float]:
        """Expected change of a cell by repairs that only some universes have."""
        return {}


class Pooled(Repaired):
    """The same of a universe whose counts are all listed, so that they are pooled.

    Sums over columns and pairs give a guess of every cell. What they leave open is known no
    better than by the cell's own noisy count; what they get wrong is left in part.
    """

    def __init__(self, shape: Sequence[int], rows: float, scale: float) -> None:
        super().__init__(shape, rows, scale)
        shared = SHARED_ENTROPY * (len(shape) - 1)
        together = 2 * min(0.7, shared) * _entropy(shape)
        self.noise = EASED * math.sqrt(variance_of(scale))
        order = min(2, len(shape))
        pairs = [
            self._wrong(pair) @ assumed(pair)[1] for pair in combinations(sorted(shape), order)
        ]
        off = float(np.mean(pairs)) / rows
        left = {1: self.spread, 2: together}.get(len(shape), UNPAIRED * together)
        self.left = min(left + BLURRED * off**2, 0.9 * self.spread)
        log_guesses, many = self._grid(np.zeros(1), self.log_cells, self.spread - self.left)
        self.pooling = Pooling.of(log_guesses.ravel(), many, scale, spread=self.left)

    def error(self, sizes: tuple[int, ...]) -> float:
        """Expected total variation of a table, each of its cells a sum of many."""
        if math.prod(sizes) == 1:  # all rows are in its one cell
            return 0.0
        (shares, alike), log_cells = assumed(sizes), math.fsum(map(math.log, sizes))
        rest = max(1e-6, self.spread - self.left - 2 * (log_cells - _entropy(sizes)))
        log_guesses, many = self._grid(np.log(shares), self.log_cells - log_cells, rest)
        variance, reliance = self.pooling.at(log_guesses)
        weights = np.exp(log_guesses) * many
        left = (reliance * weights).sum(1) / np.maximum(weights.sum(1), 1e-300)
        mean, spread = left * self._wrong(sizes), (variance * many).sum(1)
        whole = mean + spread  # cells change by whole rows, by no more than their squares
        off = np.minimum(_folded(mean, spread), whole)
        return min(1.0, float(off @ alike) / 2 / self.rows)

    def _wrong(self, sizes: tuple[int, ...]) -> Floats:
        """How far off the guess of each cell of a table is expected to be, in rows.

        What noise hides of a pair, the guess takes from its columns.
        """
        own, (_, alike) = self._hidden(sizes), assumed(sizes)
        if len(sizes) == 1:
            return own
        right = 1.0
        for size in sizes:
            right *= 1 - float(self._hidden((size,)) @ assumed((size,))[1]) / 2 / self.rows
        apart = math.hypot(IN_COMMON * (len(sizes) - 1), 1 - right)
        off = float(own @ alike) / 2 / self.rows
        return own * min(1.0, apart / max(off, 1e-300))

    def _hidden(self, sizes: tuple[int, ...]) -> Floats:
        """Noise of the sums, as far as there are rows for it to hide."""
        noise = self.noise * math.exp((self.log_cells - math.fsum(map(math.log, sizes))) / 2)
        return np.minimum(noise, min(2, len(sizes)) * self.rows * assumed(sizes)[0])

    def lost(self, size: int) -> float:
        """The chance that a cell of this many rows gets no row."""
        return self.pooling.law.lost(size)

    def more_biases(self, count: float) -> dict[str, float]:
        """Expected change of a cell by repairs that only some universes have."""
        return {"pooled": self.pooling.law.expected(count) - count}


def typical(shape: Sequence[int], rows: float, scale: float) -> Repaired:
    """What the automatic repair makes of a universe of this shape."""
    listed = math.prod(shape) <= limits.LISTED_CELLS
    return (Pooled if listed else Repaired)(shape, rows, scale)


@cache
def assumed(sizes: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Assumed shares of a table's cells, products of power laws, and how many are alike.

    Shares within 8 % of each other count as alike.
    """
    shares = np.ones(1)
    for size in sizes:
        shares = np.outer(shares, _column(size)).ravel()
    if len(shares) <= ALIKE_FROM:
        return shares, np.ones(len(shares))
    bins = np.rint(np.log(shares) / ALIKE).astype(int)
    alike = np.bincount(bins - bins.min())
    sums = np.bincount(bins - bins.min(), weights=shares)
    return sums[alike > 0] / alike[alike > 0], alike[alike > 0].astype(float)


@cache
def _column(size: int) -> Floats:
    """The power law that has the assumed entropy."""
    logs = np.log(np.arange(1, size + 1))
    low, high = 0.0, 8.0
    for _ in range(40):
        middle = (low + high) / 2
        shares = np.exp(-middle * logs)
        shares /= shares.sum()
        entropy = -float((shares * np.log(np.maximum(shares, 1e-300))).sum())
        low, high = (middle, high) if entropy > COLUMN_ENTROPY * math.log(size) else (low, middle)
    return np.asarray(shares)


def _entropy(shape: Sequence[int]) -> float:
    """Assumed entropy of independent columns."""
    return COLUMN_ENTROPY * math.fsum(map(math.log, shape))


def _folded(mean: Floats, variance: Floats) -> Floats:
    """E |X| for X normal."""
    deviation = np.sqrt(np.maximum(variance, 1e-300))
    ratio = np.abs(mean) / deviation
    erf = np.array([math.erf(r / math.sqrt(2)) for r in ratio])
    near = deviation * math.sqrt(2 / math.pi) * np.exp(-(ratio**2) / 2)
    return np.asarray(near + np.abs(mean) * erf)
