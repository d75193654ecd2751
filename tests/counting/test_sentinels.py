"""Codes among values, and values that only look like codes."""

import pytest

from synth.private.counting.profiles import Counted
from synth.private.counting.sentinels import far_codes


def both_ends(values: dict[float, int]) -> tuple[Counted, Counted]:
    """The 12 lowest and the 12 highest values, each with its rows: what a profile keeps."""
    ascending = sorted(values.items())
    return ascending[:12], ascending[::-1][:12]


@pytest.mark.parametrize(
    ("values", "codes"),  # values with their rows, and which of the values are codes
    [
        ({1: 9, 2: 9, 3: 9, 4: 9, 5: 9, 9: 3}, [9]),
        ({1: 9, 2: 9, 3: 9, -8: 2, -9: 4}, [-9, -8]),
        ({**dict.fromkeys(range(18, 66), 5), 997: 2, 998: 3, 999: 9}, [997, 998, 999]),
        ({**dict.fromkeys(range(0, 81), 5), 99: 200}, [99]),
        ({**dict.fromkeys(range(0, 61), 45), 99: 100}, [99]),
        ({**dict.fromkeys(range(1, 400), 2), -1: 900}, [-1]),
        ({**dict.fromkeys(range(-20, 30), 4), -99: 7}, [-99]),
        ({0.5: 3, 1.5: 4, 2.5: 1, 9999.0: 2}, [9999]),
    ],
)
def test_far_values_that_repeat_are_codes(
    values: dict[float, int], codes: list[float]
) -> None:
    """Codes look like 9, 99, 997 or -8, repeat, and are as far from the other values as these
    are from one another. Nearer ones are codes if they are much more frequent (99, -1), or
    negative beside values that are not. Half as far away, twice the rows are enough (99
    beside 0 to 60).
    """
    assert far_codes(*both_ends(values)) == codes


@pytest.mark.parametrize(
    "values",
    [
        {0: 600, 1: 200, 2: 28, 3: 16, 4: 18, 5: 5, 8: 7},
        {-1: 5, 0: 5, 1: 5},
        dict.fromkeys(range(1, 100), 5),
        {**dict.fromkeys(range(0, 81), 5), 999: 1},
        {**dict.fromkeys(range(0, 61), 45), 99: 50},
        {**dict.fromkeys(range(0, 81), 45), 99: 100},
        {**dict.fromkeys(range(0, 81), 5), 512: 3},
        {1: 5, 99: 5},
        {},
    ],
)
def test_ends_of_a_scale_and_rare_far_values_are_no_codes(values: dict[float, int]) -> None:
    """Values are no codes if they end a scale, are rare, or do not look like codes.

    The cases in turn: ends of a scale, a scale through 0, and even numbers without a gap.
    Then a far value of one row, 99 with hardly more rows than others or with too small a gap,
    a number that looks like no code, too few other values, and no value.
    """
    assert far_codes(*both_ends(values)) == []
