"""By how much one person moves what is asked of the rows, where public code must know it. PUBLIC.

>>> from synth.privacy.guarantee import ROW
>>> distance_sensitivity(ROW, Neighbors.REPLACE_ONE)
128
"""

from synth.privacy.guarantee import Neighbors, Unit

GRID = 64
"""Distances are counted in 64ths of a row, so that they are integers."""


def distance_sensitivity(unit: Unit, neighbors: Neighbors) -> int:
    """Of the L1 distance of a histogram from a guess, in 64ths of a row (docs/proofs/distances.md).

    By the reverse triangle inequality it moves by no more than the histogram itself.
    """
    return GRID * unit.sensitivity(neighbors)
