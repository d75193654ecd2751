"""One release under way: the confidential rows, the door, and what has come out of it so far.

Strategies are written in terms of a `Session`. It alone holds private rows, and hands them to
the door only; all else it holds is public.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from synth.counts import CodedRows
from synth.models.budget import Account, size_of_noise
from synth.models.denoise import Estimate, denoise, rake, shrink
from synth.models.inference import Array
from synth.models.junction import Clique
from synth.release import GRID, Door, Guess, NoisyMarginal
from synth.repair import project_to_simplex

Progress = Callable[[str], None]


class Session:
    """What a strategy works with.

    Args:
        rows: The confidential rows.
        door: The way out.
        progress: Told in words what was measured, right after it was paid.

    Attributes:
        account: How the door's guarantee turns into noise.
        left: What has not been spent yet, epsilon or rho.
        shape: Cells of every column.
        measured: Everything that came out of the door as noisy counts, in order.
        columns: Repaired counts of every column, all with the sum ``total``.
        variances: Variance of a noisy count of every column.
        total: Rows of the table, or the best public guess of them.
        distances: L1 distance of each pair from independence, where it was measured.
    """

    def __init__(self, rows: CodedRows, door: Door, progress: Progress | None = None) -> None:
        self._rows, self._door = rows, door
        self.progress = progress or (lambda _: None)
        self.account = Account(door.guarantee, door.neighbors, rows.max_rows)
        self.left = self.account.total
        self.names, self.shape = rows.domain.names, rows.domain.shape
        self.measured: list[tuple[Clique, NoisyMarginal]] = []
        self.columns: list[Array] = []
        self.variances: list[float] = []
        self.total = 0.0
        self.distances: dict[Clique, float] = {}

    @property
    def pairs(self) -> list[Clique]:
        """All pairs of columns that have something to say."""
        several = [column for column, size in enumerate(self.shape) if size > 1]
        return list(combinations(several, 2))

    def guess(self, clique: Clique) -> Array:
        """Expected rows by the cells of some columns if they were independent."""
        table = np.array(self.total)
        for column in clique:
            table = np.multiply.outer(table, self.columns[column] / max(self.total, 1.0))
        return table

    def measure(self, clique: Clique, cost: Fraction) -> NoisyMarginal:
        """Pay for one noisy marginal."""
        noisy = self._door.marginal(self._rows.count(clique), self.account.noise(cost))
        self.left -= cost
        self.measured.append((clique, noisy))
        self.progress("Measured " + " and ".join(noisy.domain.names))
        return noisy

    def measure_total(self, budget: Fraction) -> None:
        """Learn about how many rows there are, from the smallest column."""
        smallest = min(range(len(self.shape)), key=self.shape.__getitem__)
        noisy = self.measure((smallest,), budget)
        self.total = float(max(0, noisy.values.sum()) if noisy.rows is None else noisy.rows)

    def column_noise(self) -> float:
        """Expected total variation of a column's counts if all the budget went to columns."""
        costs = self.account.by_size(self.account.total, self.shape)
        noises = [size_of_noise(self.account.noise(cost)) for cost in costs]
        rows = sum(size * noise for size, noise in zip(self.shape, noises, strict=True))
        return rows / (2 * max(self.total, 1.0) * len(self.shape))

    def measure_columns(self, budget: Fraction) -> None:
        """Pay for every column, by size, and repair them to one total."""
        costs = self.account.by_size(budget, self.shape)
        for column, cost in enumerate(costs):
            self.measure((column,), cost)
        averages = [self._average((column,)) for column in range(len(self.shape))]
        self.variances = [variance for _, variance in averages]
        self.total = self._total([values for values, _ in averages])
        self.columns = [project_to_simplex(values, self.total) for values, _ in averages]

    def _average(self, clique: Clique) -> tuple[Array, float]:
        """All noisy counts of a marginal in one, by inverse variance, and their variance."""
        found = [noisy for own, noisy in self.measured if own == clique]
        weights = np.array([1 / noisy.mechanism.variance for noisy in found])
        values = np.average([noisy.values for noisy in found], axis=0, weights=weights)
        return values, float(1 / weights.sum())

    def _total(self, columns: Sequence[Array]) -> float:
        """Public rows, or the inverse-variance mean of the columns' sums."""
        public = self.measured[0][1].rows
        if public is not None:
            return float(public)
        weights = [1 / (n * v) for n, v in zip(self.shape, self.variances, strict=True)]
        sums = [float(values.sum()) for values in columns]
        return max(0.0, float(round(np.average(sums, weights=weights))))

    def measure_distances(self, budget: Fraction) -> None:
        """Pay for how far each pair is from independence, all at once."""
        pairs = self.pairs
        mechanism = self.account.distance_noise(budget, len(pairs))
        guesses = [self._private(pair, self.guess(pair)) for pair in pairs]
        noisy = self._door.distances(guesses, mechanism)
        self.left -= budget
        found = shrink(noisy.astype(np.float64), mechanism) / GRID
        self.distances = dict(zip(pairs, found.tolist(), strict=True))
        self.progress("Measured how far each pair of columns is from independence")

    def measure_worst(
        self, guesses: Mapping[Clique, Array], allowed: Sequence[float], cost: Fraction
    ) -> Clique:
        """Pay to choose the pair whose guess is worst, after taking off what is allowed."""
        private = [self._private(pair, guess) for pair, guess in guesses.items()]
        rows = [round(distance) for distance in allowed]
        chosen = self._door.worst(private, allowed=rows, cost=self.account.claim(cost))
        self.left -= cost
        return list(guesses)[chosen]

    def _private(self, clique: Clique, expected: Array) -> Guess:
        return Guess(self._rows.count(clique), expected.reshape(-1))

    def repaired(self, noisy: NoisyMarginal, pair: Clique, guess: Array) -> Estimate:
        """A measured pair, repaired around a guess and with the columns' sums."""
        values = noisy.values.astype(np.float64).reshape(guess.shape)
        rough = denoise(values, guess, noisy.mechanism, self.total)
        a, b = pair
        return Estimate(rake(rough.values, self.columns[a], self.columns[b]), rough.variance)
