"""Numbers have as many digits as their uncertainty allows."""

import math

import pytest

from synth.util import write_number, write_share


@pytest.mark.parametrize(
    ("value", "half_width", "text"),
    [
        (1234.0, 30.0, "1,234"),
        (960.611, 90.0, "961"),
        (39.1234, 0.0123, "39.123"),
        (0.12345, 0.5, "0.1"),
        (12_345_678.9, 1e5, "12,350,000"),
        (12_345.0, 0.0, "12,345"),
        (0.0, None, "0"),
        (math.inf, None, "unknown"),
    ],
)
def test_digits_follow_the_half_width(
    value: float, half_width: float | None, text: str
) -> None:
    """A number is written with the digits that its interval's half width allows.

    The last digit is at most a third of the half width, and whole numbers keep two digits of
    it. A half width of 1e5 so allows steps of 10,000. An exact number, of half width 0, keeps
    all digits.
    """
    assert write_number(value, half_width) == text


def test_ends_of_intervals_are_rounded_outwards() -> None:
    """The lower end of an interval is rounded down, and the upper end up, to the same digits.

    An end is not moved by a whole step for an error of floats: 0.1 + 0.2 is slightly above
    0.3.
    """
    for low, high in ((0.0844, 0.0945), (0.08400001, 0.09499999), (0.084, 0.095)):
        texts = write_share(low, 0.0055, math.floor), write_share(high, 0.0055, math.ceil)
        assert texts == ("8.4 %", "9.5 %")
    assert write_number(0.1 + 0.2, 0.3, math.ceil) == "0.3"


def test_a_share_is_never_a_bare_fraction() -> None:
    assert write_share(0.5, 0.2) == "50 %"
    assert write_share(1 / 3) == "33 %"
