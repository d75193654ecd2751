"""Counting queries: how much one person moves them, and two ways to answer them.

>>> votes = CountingQueries(np.array([[True, True, False, False], [False, False, True, True]]))
>>> votes.partition, votes.sensitivity(Neighbors.REPLACE_ONE)
(True, 2)
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth import check
from synth.errors import ArgumentError
from synth.noise.laplace import DiscreteLaplace
from synth.privacy.guarantee import Neighbors
from synth.queries import Statistic, counts_of, moved_sets


@dataclass(frozen=True, eq=False)
class CountingQueries:
    """k predicates on a universe of cells: which cells each of them counts.

    Attributes:
        members: Boolean, shape (k, cells), read-only.
    """

    members: NDArray[np.bool_]

    def __post_init__(self) -> None:
        members = np.array(self.members)
        if members.ndim != 2 or members.dtype != bool or not members.size:
            message = "members must be a boolean array of shape (queries, cells), not empty."
            raise ArgumentError(message)
        members.flags.writeable = False
        object.__setattr__(self, "members", members)

    @property
    def size(self) -> int:
        """Number of queries, k."""
        return len(self.members)

    @property
    def cells(self) -> int:
        """Number of cells of the universe."""
        return int(self.members.shape[1])

    @property
    def partition(self) -> bool:
        """Whether no cell is counted by two queries."""
        return bool(self.members.sum(axis=0).max() <= 1)

    def sensitivity(self, neighbors: Neighbors) -> int:
        """Largest L1 move of the k counts by one person; divide by n for frequencies.

        At most k, and at most 2 for a partition; 1 where nothing moves.
        """
        return moved_sets(self.members, neighbors)

    def answers(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Sum the cells of each query, shape (k,): exact from counts, noisy from noisy counts.

        Args:
            counts: Rows of every cell, shape (cells,).

        Raises:
            ArgumentError: If there is not one count a cell.
        """
        self._check(counts)
        answers: NDArray[Any] = self.members @ np.asarray(counts)
        return answers

    def _check(self, counts: NDArray[Any]) -> None:
        shape = np.shape(counts)
        if shape != (self.cells,):
            message = f"counts must have shape ({self.cells},), but it is {shape}."
            raise ArgumentError(message)

    def statistic(self, counts: NDArray[np.integer], neighbors: Neighbors) -> Statistic:
        """The exact answers, to be released one by one. PRIVATE; see `Statistic.through`.

        Args:
            counts: Rows of every cell, shape (cells,).
            neighbors: The relation.
        """
        self._check(counts)
        return counts_of(self.members, counts, neighbors)

    def direct(self, epsilon: Fraction | int, neighbors: Neighbors) -> DiscreteLaplace:
        """Noise that answers the k queries one by one at epsilon in all."""
        return DiscreteLaplace.for_epsilon(epsilon, sensitivity=self.sensitivity(neighbors))

    def direct_error(self, epsilon: Fraction | int, neighbors: Neighbors, *, beta: float) -> float:
        """Largest error of `direct` exceeds this many rows with probability at most beta.

        scale ln(k / beta): k tails and a union bound.
        """
        scale = float(self.direct(epsilon, neighbors).scale)
        return scale * math.log(self.size / beta)

    def histogram_error(
        self, epsilon: Fraction | int, neighbors: Neighbors, *, beta: float
    ) -> float:
        """The same for sums over the noisy histogram, before negative counts are repaired.

        A sum of m independent noises exceeds t with probability at most 2 e^(-ut) M(u)^m for
        any u (Chernoff); the least over u, with m the cells of the largest query.
        """
        check.in_range(1e-300, 1, beta=beta)
        noise = DiscreteLaplace.for_epsilon(epsilon, sensitivity=neighbors.sensitivity)
        m = int(self.members.sum(axis=1).max())
        rate = 1 / float(noise.scale)
        u = rate * np.linspace(0.0005, 0.9995, 2_000)
        log_moment = 2 * np.log(-np.expm1(-rate))
        log_moment = log_moment - np.log(np.expm1(u - rate) * np.expm1(-u - rate))
        return float(np.min((m * log_moment + math.log(2 * self.size / beta)) / u))

    def advice(self, epsilon: Fraction | int, neighbors: Neighbors, *, beta: float = 0.05) -> str:
        """Say which way has the smaller bound."""
        direct = self.direct_error(epsilon, neighbors, beta=beta)
        histogram = self.histogram_error(epsilon, neighbors, beta=beta)
        better = "the queries one by one" if direct < histogram else "the noisy histogram"
        return (
            f"Answer them from {better}: with probability {1 - beta:g} no count is off by more "
            f"than {min(direct, histogram):,.0f}, against {max(direct, histogram):,.0f}."
        )
