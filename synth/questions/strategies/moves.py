"""How far one row moves the numbers that a strategy measures. PUBLIC.

>>> one, other = Moves((3, 3, 1), (4, 4, 1)), Moves((1, 1, 1), (2, 2, 1))
>>> (one + other).sensitivity(Neighbors.ADD_REMOVE, Unit()).l1
4
>>> one.times(10).sensitivity(Neighbors.REPLACE_ONE, Unit())
Sensitivity(l1=40, squared_l2=400, l_infinity=10)
"""

from dataclasses import dataclass

from synth.privacy import Neighbors, Sensitivity, Unit

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
        # For numbers that depend on different columns: a row's cells in both are independent.
        return Moves(added_norms(self.alone, other.alone), added_norms(self.apart, other.apart))

    def or_nothing(self) -> "Moves":
        """Return the moves if a row may add nothing although it adds to other numbers."""
        return Moves(self.alone, _highest(self.alone, self.apart))

    def times(self, weight: int) -> "Moves":
        return Moves(_scale(self.alone, weight), _scale(self.apart, weight))

    def sensitivity(self, neighbors: Neighbors, unit: Unit) -> Sensitivity:
        """Return how far one person moves the numbers."""
        # A damaged row adds nothing, so 0 is always one of the vectors. For K rows the move is at
        # most K times that of one row, which K equal rows reach.
        norms = self.or_nothing().apart if neighbors is Neighbors.REPLACE_ONE else self.alone
        return Sensitivity(*(max(1, one) for one in _scale(norms, unit.max_rows)))


def added_norms(one: MoveNorms, other: MoveNorms) -> MoveNorms:
    """Return norms of a move of two independent sets of numbers."""
    return one[0] + other[0], one[1] + other[1], max(one[2], other[2])


def _scale(norms: MoveNorms, weight: int) -> MoveNorms:
    return norms[0] * weight, norms[1] * weight**2, norms[2] * weight


def _highest(one: MoveNorms, other: MoveNorms) -> MoveNorms:
    return max(one[0], other[0]), max(one[1], other[1]), max(one[2], other[2])
