"""The interface of a strategy. PUBLIC.

How far one row moves the numbers that a strategy measures.

>>> one, other = Moves((3, 3, 1), (4, 4, 1)), Moves((1, 1, 1), (2, 2, 1))
>>> (one + other).sensitivity(Neighbors.ADD_REMOVE, Unit()).l1
4
>>> one.times(10).sensitivity(Neighbors.REPLACE_ONE, Unit())
Sensitivity(l1=40, squared_l2=400, l_infinity=10)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from synth.noise import CellNoise
from synth.privacy import Neighbors, Sensitivity, Unit
from synth.questions.workloads.tallies import Tally
from synth.util import Document, Floats, Ints

# Lengths in L1, squared L2 and L-infinity.
MoveNorms = tuple[int, int, int]


@dataclass(frozen=True)
class Moves:
    """Largest moves of numbers by rows; reached (docs/proofs/strategies.md).

    Attributes:
        alone: The longest vector that a row adds.
        apart: The largest distance of two such vectors, without 0.
    """

    alone: MoveNorms
    apart: MoveNorms

    def __add__(self, other: "Moves") -> "Moves":
        """Return the moves of two sets of numbers that depend on different columns.

        `Moves` has the norms of what one row adds, and of the difference of two rows.
        """
        # A row may combine any cell of the one with any cell of the other, so the largest
        # moves of both occur together.
        return Moves(
            added_norms(self.alone, other.alone), added_norms(self.apart, other.apart)
        )

    def or_nothing(self) -> "Moves":
        """Return the moves if some rows add to none of these numbers.

        The distance to such a row is the length of the vector that the other row adds, so the
        largest distance is at least that length. `Moves` has the norms of what one row adds,
        and of the difference of two rows.
        """
        return Moves(self.alone, _highest(self.alone, self.apart))

    def times(self, weight: int) -> "Moves":
        """Return the moves of these numbers multiplied by a positive whole weight.

        `Moves` has the norms of what one row adds, and of the difference of two rows.
        """
        return Moves(_scale(self.alone, weight), _scale(self.apart, weight))

    def sensitivity(self, neighbors: Neighbors, unit: Unit) -> Sensitivity:
        """Return how far one person moves all numbers together, in L1, squared L2 and
        L-infinity.

        Args:
            neighbors: Whether a person is added or removed, or replaced.
            unit: What one person is: at most ``unit.max_rows`` rows.
        """
        # A damaged row adds nothing, so 0 is always one of the vectors. For K rows the move
        # is at most K times that of one row, which K equal rows reach.
        norms = self.or_nothing().apart if neighbors is Neighbors.REPLACE_ONE else self.alone
        # A sensitivity is at least 1, also if nothing moves.
        return Sensitivity(*(max(1, norm) for norm in _scale(norms, unit.max_rows)))


def added_norms(first: MoveNorms, second: MoveNorms) -> MoveNorms:
    """Return norms of a move of two independent sets of numbers."""
    return first[0] + second[0], first[1] + second[1], max(first[2], second[2])


def _scale(norms: MoveNorms, weight: int) -> MoveNorms:
    return norms[0] * weight, norms[1] * weight**2, norms[2] * weight


def _highest(first: MoveNorms, second: MoveNorms) -> MoveNorms:
    return max(first[0], second[0]), max(first[1], second[1]), max(first[2], second[2])


class CountStrategy(Protocol):
    """Measures other numbers in place of the counts of a block, and estimates the counts from
    them.

    ``tallies`` are counted of the rows; everything else follows from these counts.
    """

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """Rows by cell, of each part."""

    @property
    def size(self) -> int:
        """Number of measured numbers."""

    @property
    def moves(self) -> Moves:
        """How far a row moves them; the least bounds of all norms if ``exact``."""

    @property
    def exact(self) -> bool:
        """Whether two rows have that distance."""

    def describe(self, names: Sequence[str]) -> list[Document]:
        """Return all its parameters without the questions, with these column names, as
        JSON.
        """

    def measure(self, counts: Sequence[Ints]) -> Ints:
        """Return the exact numbers, shape (size,), from the counts of each tally."""

    def estimates(self, noisy: Ints) -> Floats:
        """Return the counts of the block in rows, shape (totals,)."""

    def variances(self) -> Floats:
        """Return their variances, shape (totals,), as multiples of the noise's."""

    def halves(self, noise: CellNoise, level: float) -> Floats:
        """Return half widths of their intervals, shape (totals,)."""

    def sizes(self, noise: CellNoise) -> Floats:
        """Return the expected sizes of their errors, shape (totals,)."""
