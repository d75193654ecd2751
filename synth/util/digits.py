"""Numbers as texts, with as many digits as their uncertainty allows. PUBLIC.

The last digit is at most a third of the interval's half width; whole numbers keep two digits
of it.

>>> write_number(960.611, 90), write_number(1234.5678, 0.123), write_number(812_345_678, 5e6)
('961', '1,234.57', '812,300,000')
>>> write_share(0.0903, 0.0055), write_share(0.084, 0.0055, math.floor)
('9.0 %', '8.4 %')
"""

import math
from collections.abc import Callable
from fractions import Fraction

# Rounds to a whole number: `round`; `math.floor` and `math.ceil` for the ends of intervals.
Rounding = Callable[[float | Fraction], int]

# Below it, a probability is only said to be smaller.
_LEAST_PROBABILITY = 1e-6

# Part of the last digit that counts as an error of floats and rounds no end outwards.
_NEARLY = Fraction(1, 10**6)


def write_number(value: float, half_width: float | None = None, end: Rounding = round) -> str:
    """Write a number with as many digits as its uncertainty allows.

    Args:
        value: The number; "unknown" is returned if it is not finite.
        half_width: Half the width of the number's confidence interval. None if the number is
            itself an error or a width; then it keeps two significant digits.
        end: How the last digit is rounded: `round`, or `math.floor` and `math.ceil` for the
            lower and the upper end of an interval.

    >>> write_number(26.7), write_number(0.0123), write_number(474.2), write_number(0.5)
    ('27', '0.012', '474', '0.5')
    >>> write_number(8.41, 0.5, math.floor), write_number(8.41, 0.5, math.ceil)
    ('8.4', '8.5')
    """
    if not math.isfinite(value):
        return "unknown"
    # The last digit may stand for at most this much: a third of the half width, or so much
    # that two digits are left.
    coarseness = abs(value) / 10 if half_width is None else half_width / 3
    if not coarseness or not math.isfinite(coarseness):  # exact, or of unknown error
        return f"{value:,.10g}"
    has_whole_width = half_width is None or half_width == round(half_width)
    digits_after_point = 0
    if value != round(value) or not has_whole_width:
        digits_after_point = max(0, -math.floor(math.log10(coarseness)))
    step = Fraction(1, 10**digits_after_point)
    if half_width is not None and half_width >= 1:
        # Before the point, the number is as coarse as the second digit of the half width.
        step *= 10 ** max(0, math.floor(math.log10(half_width)) - 1)
    steps = Fraction(value) / step
    # An end is not rounded outwards by a whole step for an error of floats only.
    rounded = round(steps) if abs(steps - round(steps)) < _NEARLY else end(steps)
    text = f"{float(rounded * step):,.{digits_after_point}f}"
    if half_width is None and "." in text:
        return text.rstrip("0").rstrip(".")  # the digits of an error need no zeros at the end
    return text


def write_share(share: float, half_width: float | None = None, end: Rounding = round) -> str:
    """Write a share from 0 to 1 as a percentage; arguments as of `write_number`."""
    return f"{write_number(100 * share, half_width and 100 * half_width, end)} %"


def write_probability(probability: float) -> str:
    """Write a probability as a percentage, rounded up to two digits.

    >>> write_probability(0.01234), write_probability(1e-20)
    ('1.3 %', 'below 0.0001 %')
    """
    if probability < _LEAST_PROBABILITY:
        return f"below {100 * _LEAST_PROBABILITY:g} %"
    return f"{round_up(100 * probability, digits=2)} %"


def round_up(value: float, *, digits: int) -> str:
    """Write a number above 0 with this many significant digits, rounded up.

    >>> round_up(0.02301, digits=2), round_up(5.0, digits=2)
    ('0.024', '5')
    """
    unit = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    # A float error of the division must not add a unit.
    units = math.ceil(value / unit * (1 - 1e-12))
    return f"{units * unit:.10g}"
