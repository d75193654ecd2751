"""Periods of the calendar: days, weeks, months, quarters and years. PUBLIC.

>>> period_number(Period.QUARTER, date(2024, 5, 17)) == 2024 * 4 + 1
True
>>> period_name(Period.WEEK, 0), first_day(Period.WEEK, 0)
('1970-W01', -3)
"""

from datetime import date, timedelta
from enum import StrEnum

from synth.domain.date_patterns import EPOCH


class Period(StrEnum):
    """Bins by the calendar; the bounds may cut the first and the last."""

    DAY = "day"
    # ISO 8601: it begins on a Monday, and week 1 contains the first Thursday of its year.
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


DAYS = {Period.DAY: 1, Period.WEEK: 7}
PERIOD_MONTHS = {Period.MONTH: 1, Period.QUARTER: 3, Period.YEAR: 12}
# A Monday, in days since 1970-01-01.
MONDAY = -3


def period_number(period: Period, day: date) -> int:
    """Return the number of the period that a day is in.

    Months, quarters and years count from the year 0; days and weeks from 1970-01-01.
    """
    if period in PERIOD_MONTHS:
        return (day.year * 12 + day.month - 1) // PERIOD_MONTHS[period]
    days = (day - EPOCH.date()).days
    # A week begins on a Monday.
    return (days - MONDAY) // 7 if period == Period.WEEK else days


def first_day(period: Period, number: int) -> int:
    """Return the first day of a period, counted from 1970-01-01; inverse of `period_number`.

    Days count from 1970-01-01, weeks from the day `MONDAY`, and longer periods from the year
    0.
    """
    if period == Period.DAY:
        return number
    if period == Period.WEEK:
        return MONDAY + 7 * number
    year, month = divmod(number * PERIOD_MONTHS[period], 12)
    return (date(year, month + 1, 1) - EPOCH.date()).days


def period_name(period: Period, number: int) -> str:
    """Return a period's name: 2024-01-31, 2024-W05, 2024-01, 2024-Q1 or 2024.

    Months, quarters and years are numbered from the year 0; days and weeks from 1970-01-01.
    """
    if period == Period.WEEK:
        # In ISO 8601 a week belongs to the year of its Thursday, the fourth day.
        thursday = EPOCH + timedelta(days=MONDAY + 7 * number + 3)
        year, week, _ = thursday.isocalendar()
        return f"{year:04d}-W{week:02d}"
    if period == Period.DAY:
        return (EPOCH + timedelta(days=number)).date().isoformat()
    periods_in_year = 12 // PERIOD_MONTHS[period]
    year, place_in_year = divmod(number, periods_in_year)
    return {
        Period.MONTH: f"{year:04d}-{place_in_year + 1:02d}",
        Period.QUARTER: f"{year:04d}-Q{place_in_year + 1}",
        Period.YEAR: f"{year:04d}",
    }[period]
