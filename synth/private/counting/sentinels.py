"""Codes among the values of a column: far from the others, and repeated. PRIVATE.

>>> far_codes([(1, 5), (2, 9), (3, 7)], [(99, 4), (3, 7), (2, 9), (1, 5)])
[99]
>>> far_codes([(-8, 3), (0, 9), (1, 7)], [(80, 2), (79, 1), (78, 3)])
[-8]
"""

import re
from itertools import takewhile

from synth.private.counting.profiles import Counted

HIGH = re.compile(r"(9{1,9}|8{1,9}|7{1,9}|9{1,8}[678])(\.9+)?")
LOW = re.compile(r"-([1-9]|9{2,9}|8{2,9}|7{2,9}|9{1,8}[678])(\.9+)?")
# Most codes at either end.
MAX_CODES_AT_END = 4
# Number of values next to a code that show how many rows one usually has.
NEAR = 3
# A code with this many times as many rows need not be far away.
OFTEN = 5


def far_codes(lowest: Counted, highest: Counted) -> list[float]:
    """Return values at either end that look like codes for a missing value, ascending.

    Args:
        lowest: The least values, ascending, with their rows.
        highest: The greatest values, descending, with their rows.
    """
    low_codes = _low_codes(lowest, highest[0][0] if highest else 0)
    others = [pair for pair in lowest if pair[0] not in low_codes]
    high_codes = _high_codes(highest, others[0][0]) if others else []
    return [*low_codes, *sorted(high_codes)]


def _low_codes(lowest: Counted, greatest: float) -> list[float]:
    """Return the codes at the lower end: as many values as stand far from the next."""
    for count in range(_likely(lowest, LOW), 0, -1):
        codes = lowest[:count]
        other_values = lowest[count:]
        nearest = other_values[0][0]
        gap = nearest - codes[-1][0]
        if gap >= max(3, greatest - nearest):
            return [value for value, _ in codes]
        if nearest >= 0 and (
            gap >= 2 or (greatest >= 10 and _is_frequent(codes, other_values))
        ):
            return [value for value, _ in codes]
    return []


def _high_codes(highest: Counted, least: float) -> list[float]:
    """Return the codes at the upper end: as many values as stand far from the next."""
    for count in range(_likely(highest, HIGH), 0, -1):
        codes = highest[:count]
        other_values = highest[count:]
        nearest = other_values[0][0]
        gap = codes[-1][0] - nearest
        if gap >= max(3, nearest - least) or (gap > 3 and _is_frequent(codes, other_values)):
            return [value for value, _ in codes]
    return []


def _likely(ends: Counted, shape: re.Pattern[str]) -> int:
    """Return how many values at an end look like codes, if two other values are known."""

    def looks_like_code(pair: tuple[float, int]) -> bool:
        value, rows = pair
        return shape.fullmatch(f"{value:.10g}") is not None and rows > 1

    likely = list(takewhile(looks_like_code, ends))
    return max(0, min(len(likely), MAX_CODES_AT_END, len(ends) - 2))


def _is_frequent(codes: Counted, other_values: Counted) -> bool:
    """Return whether each code has many times the rows of the values next to it."""
    return min(rows for _, rows in codes) >= OFTEN * max(
        rows for _, rows in other_values[:NEAR]
    )
