"""How far one person moves an answer about the rows: the part that public code needs. PUBLIC.

>>> from synth.privacy.guarantee import ROW
>>> distance_sensitivity(ROW, Neighbors.REPLACE_ONE)
128
"""

from dataclasses import dataclass

from synth.privacy.guarantee import Neighbors, Unit
from synth.util import check_whole

GRID = 64
"""Distances are counted in 64ths of a row, so that they are integers."""


@dataclass(frozen=True)
class Sensitivity:
    """Largest difference between the values of neighbours, in three norms; whole numbers.

    Attributes:
        l1: Sum of the moves, for Laplace noise.
        squared_l2: Sum of their squares, for Gaussian noise.
        l_infinity: The largest move, for a choice.
    """

    l1: int
    squared_l2: int
    l_infinity: int

    def __post_init__(self) -> None:
        check_whole(1, l1=self.l1, squared_l2=self.squared_l2, l_infinity=self.l_infinity)


def distance_sensitivity(unit: Unit, neighbors: Neighbors) -> int:
    """Return how far one unit moves a histogram's L1 distance from a public guess.

    The result is in 64ths of a row (`GRID`). By the reverse triangle inequality, it is the
    sensitivity of the histogram itself (docs/proofs/distances.md).
    """
    return GRID * unit.sensitivity(neighbors)
