"""Holes between whole numbers, which tell codes from measures. PRIVATE.

Among measures, numbers that no row has lie where few rows are: a few stays in hospital last
far longer than the others. Among codes they lie anywhere.

>>> has_code_holes([(1, 90), (2, 60), (3, 30), (4, 9), (5, 2), (7, 1), (9, 1)])
False
>>> has_code_holes([(1, 90), (2, 60), (3, 30), (11, 40), (12, 50), (13, 20)])
True
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from synth import limits

# Neighbours on either side that say how many rows a number would have.
NEIGHBOURS = 2
# Codes have this many times the holes that chance leaves between measures, and these more.
CHANCE_TIMES = 2
CHANCE_MORE = 2


def has_code_holes(rows_by_number: Sequence[tuple[int, int]]) -> bool:
    """Return whether more numbers are unused than chance would leave between measures.

    One unused number between two that enough rows have is too many.

    Args:
        rows_by_number: The used numbers, ascending, each with its rows.
    """
    holes = 0
    by_chance = 0.0
    for place, ((number, rows), (following, following_rows)) in enumerate(
        pairwise(rows_by_number)
    ):
        unused = following - number - 1
        if unused and min(rows, following_rows) >= limits.LISTED_ROWS:
            return True
        holes += unused
        by_chance += (unused + 1) * math.exp(-_rows_of_a_number(rows_by_number, place))
    return holes > CHANCE_TIMES * by_chance + CHANCE_MORE


def _rows_of_a_number(rows_by_number: Sequence[tuple[int, int]], place: int) -> float:
    """Return the mean number of rows of a number between a used one and the next.

    Args:
        rows_by_number: The used numbers, ascending, each with its rows.
        place: The place of the used number.
    """
    nearby = rows_by_number[
        max(0, place - NEIGHBOURS) : place
        + NEIGHBOURS
        + 2  # the next one is nearby, too
    ]
    # The rows of the first lie before the width that is measured.
    rows = sum(rows for _, rows in nearby[1:])
    return rows / (nearby[-1][0] - nearby[0][0])
