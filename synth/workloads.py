"""Counting queries: how much one person moves them, and two ways to answer them.

>>> votes = Workload(np.array([[True, True, False, False], [False, False, True, True]]))
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
from synth.privacy import Neighbors
from synth.queries import Query


@dataclass(frozen=True, eq=False)
class Workload:
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

        Add-remove: most queries that count one cell. Replace-one: most queries that tell two
        cells apart, at most k, and at most 2 for a partition.
        """
        patterns = np.unique(self.members.T, axis=0).astype(np.int64)
        if neighbors is Neighbors.ADD_REMOVE:
            return int(patterns.sum(axis=1).max())
        sizes = patterns.sum(axis=1)
        apart = sizes[:, None] + sizes[None, :] - 2 * patterns @ patterns.T
        return int(apart.max())

    def answers(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Sum the cells of each query: exact from counts, noisy from noisy counts.

        Raises:
            ArgumentError: If there is not one count a cell.
        """
        array = np.asarray(counts)
        if array.shape != (self.cells,):
            message = f"counts must have shape ({self.cells},), but it is {array.shape}."
            raise ArgumentError(message)
        answers: NDArray[Any] = self.members @ array
        return answers

    def query(self, counts: NDArray[np.integer], neighbors: Neighbors) -> Query:
        """The exact answers to be released one by one. PRIVATE; see `Door.answer`."""
        ones = (Fraction(1),) * self.size
        return Query(
            total=np.asarray(self.answers(counts), np.int64),
            steps=(1,) * self.size,
            grids=ones,
            origin=(Fraction(0),) * self.size,
            neighbors=neighbors,
            together=max(1, self.sensitivity(neighbors)),
        )

    def direct(self, epsilon: Fraction | int, neighbors: Neighbors) -> DiscreteLaplace:
        """Noise that answers the k queries one by one at epsilon in all."""
        return DiscreteLaplace.for_epsilon(epsilon, sensitivity=max(1, self.sensitivity(neighbors)))

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
