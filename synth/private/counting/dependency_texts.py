"""Names, texts and numbers as the formulas of proposals write them. PUBLIC."""

import math
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

# Most digits after the decimal mark of a number in a formula.
MAX_DECIMALS = 9
# Round days, as month and day: the first of a year, of a half-year, or of a month.
FIRST_DAYS = (101, 701, *(month * 100 + 1 for month in range(1, 13)))
# Days on which ages are often computed; the last of a year or half-year, too.
AGE_DAYS = (1231, 101, 630, *FIRST_DAYS)
# Words that formulas read as operators.
OPERATORS = ("and", "or", "not", "in")


def spell_name(name: str) -> str:
    """Return a column's name as formulas write it.

    >>> spell_name("age"), spell_name("age at visit"), spell_name("in")
    ('age', '"age at visit"', '"in"')
    """
    is_word = name.isascii() and name.isidentifier() and not name.startswith("_")
    if is_word and name.lower() not in OPERATORS:
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def spell_text(text: str) -> str:
    """Return a text as formulas write it.

    >>> spell_text("30 to 64")
    "'30 to 64'"
    """
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def round_within(low: float, high: float) -> str:
    """Return the number of fewest digits above one number and at most another, as a text.

    >>> round_within(29, 30), round_within(29.44, 29.47), round_within(1180, 2350)
    ('30', '29.45', '2000')
    """
    least = Decimal(repr(low))
    greatest = Decimal(repr(high))
    for exponent in range(15, -MAX_DECIMALS - 1, -1):
        step = Decimal(1).scaleb(exponent)
        steps = math.floor(least / step) + 1
        if steps * step <= greatest:
            return f"{steps * step:f}"
    return f"{greatest:f}"


def number_days(days: float) -> int:
    """Return a day since 1970 as a number such as 20240704.

    Days before the year 1 or after the year 9999 are moved to the first or the last one.

    >>> number_days(366)
    19710102
    """
    ordinal = date(1970, 1, 1).toordinal() + int(days)
    day = date.fromordinal(min(max(ordinal, 1), date.max.toordinal()))
    return day.year * 10_000 + day.month * 100 + day.day


def choose_day(
    first_day: int, next_day: int, round_days: Sequence[int] = AGE_DAYS
) -> int | None:
    """Return a round day from one on and before another, as 20240704; None if there is none.

    Args:
        first_day: The first possible day.
        next_day: The day after the last.
        round_days: Months and days such as 704, the best first.

    >>> choose_day(20240315, 20250102), choose_day(20240315, 20240320)
    (20241231, 20240319)
    """
    years = range(first_day // 10_000, next_day // 10_000 + 1)
    for month_and_day in round_days:
        for year in years:
            if first_day <= year * 10_000 + month_and_day < next_day:
                return year * 10_000 + month_and_day
    # Within a month: its last day in this range.
    days_of_range = range(next_day - 1, first_day - 1, -1)
    return next((day for day in days_of_range if _is_day(day)), None)


def write_day(day: int) -> str:
    """Return a day such as 20240704 as formulas write it.

    >>> write_day(20240704)
    'date(2024, 7, 4)'
    """
    return f"date({day // 10_000}, {day // 100 % 100}, {day % 100})"


def write_day_within(low: float, high: float) -> str:
    """Return a round day after one day and at the latest on another, as formulas write it.

    Args:
        low: The first day, in days since 1970.
        high: The other.

    >>> write_day_within(0, 400), write_day_within(3, 5)
    ('date(1971, 1, 1)', 'date(1970, 1, 6)')
    """
    day = choose_day(number_days(low) + 1, number_days(high) + 1, FIRST_DAYS)
    assert day is not None  # the range has at least one day
    return write_day(day)


def _is_day(number: int) -> bool:
    """Return whether a number such as 20240704 is a day of the calendar."""
    try:
        date(number // 10_000, number // 100 % 100, number % 100)
    except ValueError:
        return False
    return True
