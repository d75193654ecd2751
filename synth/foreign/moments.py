"""Dates, times and periods of SPSS, Stata and SAS: numbers whose format gives their unit.

A moment always has its time, also at midnight, so that a column is written in one way. Months
and quarters are written in ISO 8601; halves and weeks as their programs count them.

>>> moment_reader(".sav", "DATE11")(13_797_216_000.0), moment_reader(".dta", "%tc")(1_500)
('2020-01-01', '1960-01-01T00:00:01.500000')
>>> moment_reader(".dta", "%tmMon_CCYY")(695), moment_reader(".xpt", "YYQ6")(21_000)
('2017-12', '2017-Q2')
"""

import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta

from synth.foreign.cells import cell_text

# Length of a day in seconds.
DAY = 86_400
# The start of dates; Stata's is that of SAS.
SPSS = datetime(1582, 10, 14)
SAS = datetime(1960, 1, 1)

# The name of a format of SPSS or SAS, and its width.
FORMAT_NAME = re.compile(r"([A-Z][A-Z0-9]+[A-Z])(?:\d+(?:\.\d+)?)?")
# A format of Stata: the unit of its numbers, and how they are displayed.
STATA_FORMAT = re.compile(r"%-?(t[cCdwmqh]|d)(.*)")
# Letters of the parts of a display format of Stata that say a day, such as CCYY and Mon.
STATA_DAY_LETTERS = frozenset("CcYyJjNnDdqWw")

# Periods in a year, in Stata's formats.
MONTHS = 12
WEEKS = 52
QUARTERS = 4
HALVES = 2

MomentReader = Callable[[float], str]


def moment_reader(ending: str, form: str) -> MomentReader | None:
    """Return a function from a number to a moment's text; None for formats of other numbers.

    The function raises OverflowError or ValueError if there is no such moment.

    Args:
        ending: The ending of the file's name, which gives the program: ".sav", ".dta",
            ".sas7bdat" or ".xpt".
        form: The column's format as the file has it, such as "DATE11" or, in Stata, "%tc".
    """
    if ending == ".dta":
        return _stata_reader(form)
    readers = SAS_READERS if ending in (".sas7bdat", ".xpt") else SPSS_READERS
    match = FORMAT_NAME.fullmatch(form)
    name = match[1] if match else ""
    for reader, format_names in readers.items():
        if name in format_names.split():
            return reader
    return None


def _stata_reader(form: str) -> MomentReader | None:
    """Return a function from a number of Stata to a text; None for other numbers.

    Args:
        form: The format, such as ``%tdDD/NN/CCYY``. If it displays moments without a day, as
            ``%tcHH:MM`` does, the numbers are times of day.
    """
    match = STATA_FORMAT.fullmatch(form)
    if match is None:
        return None
    unit, display = match.groups()
    is_clock = display and STATA_DAY_LETTERS.isdisjoint(display)
    return _stata_time if unit in ("tc", "tC") and is_clock else STATA_READERS[unit]


def _day(days: float) -> str:
    return _sas_date(days).isoformat()


def _spss_day(seconds: float) -> str:
    return _spss_date(seconds).isoformat()


def _spss_moment(seconds: float) -> str:
    return (SPSS + _span(seconds)).isoformat()


def _sas_moment(seconds: float) -> str:
    return (SAS + _span(seconds)).isoformat()


def _stata_moment(milliseconds: float) -> str:
    return (SAS + _stata_span(milliseconds)).isoformat()


def _stata_time(milliseconds: float) -> str:
    return _clock(_stata_span(milliseconds))


def _time(seconds: float) -> str:
    return _clock(_span(seconds))


def _stata_month(months: float) -> str:
    year, month = _period_of_year(months, MONTHS)
    return f"{year:04}-{month:02}"


def _stata_quarter(quarters: float) -> str:
    year, quarter = _period_of_year(quarters, QUARTERS)
    return f"{year:04}-Q{quarter}"


def _stata_half(halves: float) -> str:
    year, half = _period_of_year(halves, HALVES)
    return f"{year:04}h{half}"


def _stata_week(weeks: float) -> str:
    """Return a week as Stata counts: the first of 52 begins on the first of January."""
    year, week = _period_of_year(weeks, WEEKS)
    return f"{year:04}w{week}"


def _period_of_year(number: float, periods: int) -> tuple[int, int]:
    """Return the year of a period and its number in that year, from 1.

    Args:
        number: The periods since the start of 1960.
        periods: The periods of a year.

    Raises:
        ValueError: The year is not within 1 to 9999.
    """
    years, place = divmod(math.floor(number), periods)
    return date(SAS.year + years, 1, 1).year, place + 1


def _sas_date(days: float) -> date:
    return (SAS + timedelta(int(days))).date()


def _spss_date(seconds: float) -> date:
    return (SPSS + timedelta(math.floor(seconds / DAY))).date()


def _sas_month(days: float) -> str:
    return _write_month(_sas_date(days))


def _sas_quarter(days: float) -> str:
    return _write_quarter(_sas_date(days))


def _sas_day_of_moment(seconds: float) -> str:
    return (SAS + _span(seconds)).date().isoformat()


def _sas_month_of_moment(seconds: float) -> str:
    return _write_month((SAS + _span(seconds)).date())


def _spss_week(seconds: float) -> str:
    """Return a week as SPSS counts: the first of 53 begins on the first of January."""
    day = _spss_date(seconds)
    return f"{day.year:04}w{(day.timetuple().tm_yday - 1) // 7 + 1}"


def _spss_month(seconds: float) -> str:
    return _write_month(_spss_date(seconds))


def _spss_quarter(seconds: float) -> str:
    return _write_quarter(_spss_date(seconds))


def _write_month(day: date) -> str:
    return f"{day.year:04}-{day.month:02}"


def _write_quarter(day: date) -> str:
    return f"{day.year:04}-Q{(day.month + 2) // 3}"


def _span(seconds: float) -> timedelta:
    # Whole days, whole seconds of the day, and microseconds.
    days = math.floor(seconds / DAY)
    return timedelta(days, int(seconds % DAY), round(seconds % 1 * 1_000_000))


def _stata_span(milliseconds: float) -> timedelta:
    """Return the duration of milliseconds, cut to whole microseconds."""
    days = math.floor(milliseconds / (1000 * DAY))
    of_day = milliseconds % (1000 * DAY)
    return timedelta(days, int(of_day / 1000), int(of_day % 1000 * 1000))


def _clock(span: timedelta) -> str:
    """Return the text of a time of day; a duration of a day or more has more than 24 hours.

    Raises:
        ValueError: The duration is negative.
    """
    if span < timedelta(0):
        raise ValueError
    of_day = cell_text((SAS + timedelta(0, span.seconds, span.microseconds)).time())
    if not span.days:
        return of_day
    hours, _, minutes = of_day.partition(":")
    return f"{24 * span.days + int(hours)}:{minutes}"


# Readers of numbers, with the names of their formats.
FormatReaders = dict[MomentReader, str]
SPSS_READERS: FormatReaders = {
    _spss_day: "DATE ADATE EDATE JDATE SDATE",
    _spss_month: "MOYR",
    _spss_quarter: "QYR",
    _spss_week: "WKYR",
    _spss_moment: "DATETIME YMDHMS",
    _time: "TIME DTIME MTIME",
}
SAS_READERS: FormatReaders = {
    _day: "WEEKDATE MMDDYY DDMMYY YYMMDD DATE DDMMYYB DDMMYYC DDMMYYD DDMMYYN DDMMYYP "
    "DDMMYYS MMDDYYB MMDDYYC MMDDYYD MMDDYYN MMDDYYP MMDDYYS WEEKDATX IS8601DA "
    "E8601DA B8601DA YYMMDDB YYMMDDC YYMMDDD YYMMDDN YYMMDDP YYMMDDS WORDDATE WORDDATX "
    "NLDATE JULIAN",
    _sas_month: "MONYY YYMM YYMMC YYMMD YYMMN YYMMP YYMMS YYMON MMYY MMYYC MMYYD MMYYN MMYYP "
    "MMYYS",
    _sas_quarter: "YYQ YYQC YYQD YYQN YYQP YYQS YYQR",
    _sas_day_of_moment: "DTDATE DTWKDATX",
    _sas_month_of_moment: "DTMONYY",
    _sas_moment: "DATETIME E8601DT DATEAMPM MDYAMPM IS8601DT B8601DT B8601DN",
    _time: "TIME HHMM TOD TIMEAMPM IS8601TM E8601TM B8601TM",
}
STATA_READERS: Mapping[str, MomentReader] = {
    "d": _day,
    "td": _day,
    "tc": _stata_moment,
    "tC": _stata_moment,
    "tm": _stata_month,
    "tq": _stata_quarter,
    "th": _stata_half,
    "tw": _stata_week,
}
