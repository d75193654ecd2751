"""A tree over ordered cells: noisy nodes, and the counts that are consistent with them.
PUBLIC.

Any range is a sum of few nodes; least squares has even less error (Hay, Rastogi, Miklau,
Suciu 2010). Source of the branching: Qardaji, Yang, Li 2013.

>>> tree = Hierarchy(cells=4, branching=2)
>>> tree.nodes(np.array([1, 2, 3, 4])).tolist()
[1, 2, 3, 4, 3, 7, 10]
>>> tree.consistent(np.array([1, 2, 3, 4, 3, 7, 10])).round(6).tolist()
[1.0, 2.0, 3.0, 4.0]
>>> ranges = np.array([[1, 0, 0, 0], [1, 1, 1, 0]])
>>> tree.variances(ranges).round(3).tolist()
[0.619, 0.905]
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth import limits
from synth.noise import Mechanism
from synth.privacy import Guarantee, Neighbors, Sensitivity, Unit
from synth.questions.moves.joint import Joint
from synth.questions.way.strategy import Moves
from synth.questions.way.way import independent_noise
from synth.util import Document, Floats, Ints, check

# Tried branchings, in addition to one level of single cells.
BRANCHINGS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32)
# Numbers of weights that are in memory at once.
_CHUNK_NUMBERS = 1 << 22


@dataclass(frozen=True, kw_only=True)
class Hierarchy:
    """A tree over ordered cells; all its nodes are measured, its root if wanted.

    Attributes:
        branching: Nodes below each node; the last one of a level may have fewer.
        root: Whether all cells together are measured too.
        grain: Steps that a row counts for in every node.

    Raises:
        ArgumentError: A number is wrong.
    """

    cells: int
    branching: int
    root: bool = True
    grain: int = 1

    def __post_init__(self) -> None:
        """Refuse a tree without cells or branches."""
        check.check_whole(1, cells=self.cells, grain=self.grain)
        check.check_whole(2, branching=self.branching)

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The number of nodes of each measured level, the cells first and the root, if any,
        last.
        """
        sizes = [self.cells]
        while sizes[-1] > 1:
            # Divided and rounded up.
            sizes.append(-(-sizes[-1] // self.branching))
        return tuple(sizes if self.root or len(sizes) == 1 else sizes[:-1])

    @property
    def size(self) -> int:
        """Number of measured nodes."""
        return sum(self.levels)

    def nodes(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Return the sums of every node, level by level from the cells up.

        They are in rows, whatever the grain. Counts of shape (..., cells) give sums of shape
        (..., size).
        """
        levels = [np.asarray(counts)]
        for below in self.levels[:-1]:
            levels.append(np.add.reduceat(levels[-1], self._firsts(below), axis=-1))
        return np.concatenate(levels, axis=-1)

    def _firsts(self, size: int) -> Ints:
        # The first child of each node, for a level of so many children.
        return np.arange(0, size, self.branching)

    def describe(self) -> Document:
        """Return its parameters without its cells, as JSON."""
        return {"branching": self.branching, "root": self.root}

    def measure(self, counts: Ints) -> Ints:
        """Return the exact nodes in steps, shape (size,), for counts of cells."""
        steps: Ints = self.nodes(counts.astype(np.int64)) * self.grain
        return steps

    @property
    def moves(self) -> Moves:
        """How far a row moves all nodes together, in steps (docs/proofs/strategies.md).

        A row counts for ``grain`` steps in each node, and noise is drawn in whole steps.
        `Moves` has the norms of what one row adds, and of the difference of two rows.
        """
        # A row adds its grain to one node of every level. Two rows of cells below different
        # nodes share only the root.
        height = len(self.levels)
        has_root = self.levels[-1] == 1
        distance = 2 * (height - has_root)
        # Nodes move by 1 each, so L1 and squared L2 are equal.
        alone = (height, height, 1)
        apart = (distance, distance, int(distance > 0))
        return Moves(alone, apart).times(self.grain)

    def sensitivity(self, neighbors: Neighbors, unit: Unit) -> Sensitivity:
        """Return how far one person moves all nodes together, in steps."""
        return self.moves.sensitivity(neighbors, unit)

    def noise(self, cost: Guarantee, neighbors: Neighbors, unit: Unit) -> Mechanism:
        """Return the noise on every step of every node.

        It is Laplace for a pure epsilon, and Gaussian for a zCDP rho. A row counts for
        ``grain`` steps in each node, and noise is drawn in whole steps.

        Args:
            cost: A pure epsilon or a zCDP rho for all nodes together.
            neighbors: Whether a person is added or removed, or replaced.
            unit: What one person is: at most ``unit.max_rows`` rows.
        """
        moves = self.sensitivity(neighbors, unit)
        # Two neighbours differ by as much, so the sensitivity is exact.
        return independent_noise(Joint(moves, True, moves), self.size, cost)[1]

    def consistent(self, noisy: NDArray[Any]) -> Floats:
        """Return the least-squares estimate of all cells, in rows, with equal noise on every
        node.

        Nodes of shape (..., size), in steps, give cells of shape (..., cells). A row counts
        for ``grain`` steps in each node, and noise is drawn in whole steps.
        """
        scaled = np.asarray(noisy, np.float64) / self.grain
        measured = np.split(scaled, np.cumsum(self.levels)[:-1], axis=-1)
        sums, variances = self._sum_up(measured)
        return self._share_down(sums, variances)

    def _sum_up(self, measured: list[Floats]) -> tuple[list[Floats], list[Floats]]:
        """Return the best estimate of each node from its own count and those below, and its
        variance.

        Both are lists by level, the cells first. The own count and the sum of the children
        are weighted by their inverse variances (Hay et al. 2010, section 4.1). The unit of a
        variance is that of one measured count.

        Args:
            measured: The noisy counts of each level, the cells first, in rows.
        """
        sums = [measured[0]]
        spreads = [np.ones(self.cells)]
        for level in measured[1:]:
            firsts = self._firsts(sums[-1].shape[-1])
            # The sum of the children, and its variance; the own count has variance 1.
            below = np.add.reduceat(sums[-1], firsts, axis=-1)
            spread = np.add.reduceat(spreads[-1], firsts)
            sums.append((level * spread + below) / (1 + spread))
            spreads.append(spread / (1 + spread))
        return sums, spreads

    def _share_down(self, sums: list[Floats], spreads: list[Floats]) -> Floats:
        """Return the cells after each parent's surplus over its children is shared among
        these.

        Shares are in proportion to the children's variances (Hay et al. 2010, section 4.1).

        Args:
            sums: The estimates of each level from the counts below it, the cells first.
            spreads: The variances of these numbers.
        """
        final = sums[-1]
        for level, spread in zip(sums[-2::-1], spreads[-2::-1], strict=True):
            firsts = self._firsts(len(spread))
            parent = np.arange(len(spread)) // self.branching
            # What each parent has more than its children together.
            missing = final - np.add.reduceat(level, firsts, axis=-1)
            final = level + missing[..., parent] * (
                spread / np.add.reduceat(spread, firsts)[parent]
            )
        return final

    def weights(self, answers: NDArray[Any]) -> Floats:
        """Return how much a step of noise on each node moves the estimates of sums, in rows.

        A row counts for ``grain`` steps in each node, and noise is drawn in whole steps.

        Args:
            answers: How often every cell counts in each sum, shape (sums, cells). The result
                has the shape (sums, size).
        """
        # The estimate is w' (A'A)^-1 A' y, and `consistent` of noisy nodes that are w at the
        # cells and 0 above is (A'A)^-1 w.
        sums = np.atleast_2d(np.asarray(answers, np.float64))
        at_cells = np.zeros((len(sums), self.size))
        at_cells[:, : self.cells] = sums * self.grain
        node_weights: Floats = self.nodes(self.consistent(at_cells)) / self.grain
        return node_weights

    def variances(self, answers: NDArray[Any]) -> Floats:
        """Return the exact variances of the estimates of sums of cells, in rows squared.

        They are multiples of the noise's variance on one step, shape (sums,). A row counts
        for ``grain`` steps in each node, and noise is drawn in whole steps.

        Args:
            answers: How often every cell counts in each sum, shape (sums, cells).
        """
        sums = np.atleast_2d(np.asarray(answers, np.float64))
        chunk = max(1, _CHUNK_NUMBERS // self.size)
        parts = [sums[start : start + chunk] for start in range(0, len(sums), chunk)]
        return np.concatenate([(self.weights(part) ** 2).sum(axis=1) for part in parts])


def best_hierarchy(
    answers: NDArray[Any],
    cost: Guarantee,
    neighbors: Neighbors,
    *,
    unit: Unit,
    grain: int = 1,
) -> Hierarchy:
    """Return the tree whose estimates of some sums have the least mean variance.

    The choice depends on public numbers only.

    Args:
        answers: How often every cell counts in each sum, shape (sums, cells).
        cost: A pure epsilon or a zCDP rho.
        neighbors: Whether a person is added or removed, or replaced.
        unit: What one person is.
        grain: The steps that a row counts for in every node.

    >>> prefixes = np.tril(np.ones((64, 64)))
    >>> best_hierarchy(prefixes, Guarantee.pure(1), Neighbors.ADD_REMOVE, unit=Unit())
    Hierarchy(cells=64, branching=12, root=False, grain=1)
    """
    sums = np.atleast_2d(np.asarray(answers))
    check.in_range(1, limits.BINS, cells=sums.shape[1])

    def badness(tree: Hierarchy) -> float:
        """Return the mean variance of the estimates, in rows squared."""
        noise = tree.noise(cost, neighbors, unit)
        return float(noise.variance) * float(tree.variances(sums).mean())

    cells = sums.shape[1]
    # The first has one level: the cells alone.
    trees = [Hierarchy(cells=cells, branching=max(2, cells), root=False, grain=grain)]
    for branching in BRANCHINGS:
        if branching < cells:
            trees += [
                Hierarchy(cells=cells, branching=branching, root=root, grain=grain)
                for root in (False, True)
            ]
    return min(trees, key=badness)
