"""Codes among the values of a column: far from the others, and repeated. PRIVATE.

>>> far_codes([(1, 5), (2, 9), (3, 7)], [(99, 4), (3, 7), (2, 9), (1, 5)])
[99]
>>> far_codes([(-8, 3), (0, 9), (1, 7)], [(80, 2), (79, 1), (78, 3)])
[-8]
"""

import re
from itertools import takewhile

from synth.private.counting.profiles import Counted

# Numbers in the shape of codes at the upper end: repeated digits 9, 8 or 7, or 996 to 998 and
# their like. At the lower end they are negative, and small ones count too.
HIGH = re.compile(r"(9{1,9}|8{1,9}|7{1,9}|9{1,8}[678])(\.9+)?")
LOW = re.compile(r"-([1-9]|9{2,9}|8{2,9}|7{2,9}|9{1,8}[678])(\.9+)?")
# Most codes at either end.
MAX_CODES_AT_END = 4
# Number of values next to a code that show how many rows one usually has.
NEAR_VALUES = 3
# A code with this many times as many rows need not be far away.
FREQUENT_MULTIPLE = 5
# Least gap between a code and the other values, as a number.
LEAST_GAP = 3
# With a gap as wide as this part of the range of other values, a code may be less frequent.
WIDE_GAP = 0.5
# Least number of times that it then has the rows of its neighbours.
OFTEN_FAR_AWAY = 2


def far_codes(lowest: Counted, highest: Counted) -> list[float]:
    """Return values at either end that look like codes for a missing value, ascending.

    They have the digits of a code, such as 999 or -1, more than one row, and a wide gap to
    the other values.

    Args:
        lowest: The least values, ascending, with their rows.
        highest: The greatest values, descending, with their rows.
    """
    greatest = highest[0][0] if highest else 0
    low_codes = _low_codes(lowest, greatest)
    others = [pair for pair in lowest if pair[0] not in low_codes]
    high_codes = _high_codes(highest, others[0][0]) if others else []
    return [*low_codes, *sorted(high_codes)]


def _low_codes(lowest: Counted, greatest: float) -> list[float]:
    """Return the codes at the lower end, ascending: the most values that stand apart.

    Args:
        lowest: The least values, ascending, with their rows.
        greatest: The greatest value.
    """
    # The most codes are tried first, and a single one last.
    for count in range(_likely(lowest, LOW), 0, -1):
        codes = lowest[:count]
        other_values = lowest[count:]
        nearest = other_values[0][0]
        gap = nearest - codes[-1][0]
        # They stand apart if the gap is as wide as the range of all other values.
        if gap >= max(LEAST_GAP, greatest - nearest):
            return [value for value, _ in codes]
        # Codes are negative here. Below values that never are, a gap of 2 is enough, or none
        # if the codes have many more rows and the values reach 10.
        if nearest >= 0 and (
            gap >= 2 or (greatest >= 10 and _is_frequent(codes, other_values))
        ):
            return [value for value, _ in codes]
    return []


def _high_codes(highest: Counted, least: float) -> list[float]:
    """Return the codes at the upper end, descending: the most values that stand apart.

    They stand apart if the gap to the next value is as wide as the range of all others, or if
    each code has many more rows than its neighbours. Across a gap half as wide as that range,
    twice as many rows are enough.

    Args:
        highest: The greatest values, descending, with their rows.
        least: The least value that is no code.
    """
    # The most codes are tried first, and a single one last.
    for count in range(_likely(highest, HIGH), 0, -1):
        codes = highest[:count]
        other_values = highest[count:]
        nearest = other_values[0][0]
        gap = codes[-1][0] - nearest
        width = nearest - least
        is_wide = gap >= WIDE_GAP * width
        often = OFTEN_FAR_AWAY if is_wide else FREQUENT_MULTIPLE
        is_far = gap >= max(LEAST_GAP, width)
        if is_far or (gap > LEAST_GAP and _is_frequent(codes, other_values, often)):
            return [value for value, _ in codes]
    return []


def _likely(ends: Counted, shape: re.Pattern[str]) -> int:
    """Return how many values from an end inwards may be codes.

    At least two values remain that are none, so that the codes can be compared with them.

    Args:
        ends: The values at the end, from the end inwards, with their rows.
        shape: The digits of a code.
    """

    def looks_like_code(pair: tuple[float, int]) -> bool:
        """Return whether a value has the digits of a code, and more than one row."""
        value, rows = pair
        # In this format whole numbers have no decimals.
        return shape.fullmatch(f"{value:.10g}") is not None and rows > 1

    likely = list(takewhile(looks_like_code, ends))
    return max(0, min(len(likely), MAX_CODES_AT_END, len(ends) - 2))


def _is_frequent(
    codes: Counted, other_values: Counted, often: int = FREQUENT_MULTIPLE
) -> bool:
    """Return whether each code has many times the rows of the values next to it.

    Args:
        codes: The codes with their rows.
        other_values: The other values with their rows, those next to the codes first.
        often: The least number of times.
    """
    return min(rows for _, rows in codes) >= often * max(
        rows for _, rows in other_values[:NEAR_VALUES]
    )
