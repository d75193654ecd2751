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

    ``lowest`` are the least values, ascending, with their rows, ``highest`` the greatest,
               descending.
    """
    low = _low(lowest, highest[0][0] if highest else 0)
    rest = [pair for pair in lowest if pair[0] not in low]
    high = _high(highest, rest[0][0]) if rest else []
    return [*low, *sorted(high)]


def _low(lowest: Counted, greatest: float) -> list[float]:
    for count in range(_likely(lowest, LOW), 0, -1):
        found, rest = lowest[:count], lowest[count:]
        nearest, gap = rest[0][0], rest[0][0] - found[-1][0]
        if gap >= max(3, greatest - nearest):
            return [value for value, _ in found]
        if nearest >= 0 and (gap >= 2 or (greatest >= 10 and _is_frequent(found, rest))):
            return [value for value, _ in found]
    return []


def _high(highest: Counted, least: float) -> list[float]:
    for count in range(_likely(highest, HIGH), 0, -1):
        found, rest = highest[:count], highest[count:]
        nearest, gap = rest[0][0], found[-1][0] - rest[0][0]
        if gap >= max(3, nearest - least) or (gap > 3 and _is_frequent(found, rest)):
            return [value for value, _ in found]
    return []


def _likely(ends: Counted, shape: re.Pattern[str]) -> int:
    like = takewhile(lambda pair: shape.fullmatch(f"{pair[0]:.10g}") and pair[1] > 1, ends)
    return max(0, min(len(list(like)), MAX_CODES_AT_END, len(ends) - 2))


def _is_frequent(found: Counted, rest: Counted) -> bool:
    return min(rows for _, rows in found) >= OFTEN * max(rows for _, rows in rest[:NEAR])
