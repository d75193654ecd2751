"""Dates and times of SPSS, Stata and SAS: numbers with a format that gives their unit.

>>> moment_reader(".sav", "DATE11")(13_797_216_000.0), moment_reader(".dta", "%tc")(1_500)
('2020-01-01', '1960-01-01T00:00:01.500000')
"""

import math
import re
from collections.abc import Callable
from datetime import datetime, timedelta

from synth.foreign.cells import cell_text

# In seconds.
DAY = 86_400
# The start of dates; Stata's is that of SAS.
SPSS = datetime(1582, 10, 14)
SAS = datetime(1960, 1, 1)

# The name of a format of SPSS or SAS, and its width.
FORMAT_NAME = re.compile(r"([A-Z][A-Z0-9]+[A-Z])(?:\d+(?:\.\d+)?)?")


def moment_reader(ending: str, form: str) -> Callable[[float], str] | None:
    """Return a function from a number to a moment's text; None for formats of other numbers.

    The function raises OverflowError or ValueError if there is no such moment.

    Args:
        ending: The ending of the file's name, which gives the program: ".sav", ".dta",
            ".sas7bdat" or ".xpt".
        form: The column's format as the file has it, such as "DATE11" or, in Stata, "%tc".
    """
    if ending == ".dta":
        readers = STATA_READERS
        name = form
    else:
        readers = SAS_READERS if ending in (".sas7bdat", ".xpt") else SPSS_READERS
        match = FORMAT_NAME.fullmatch(form)
        name = match[1] if match else ""
    for reader, format_names in readers.items():
        if name in format_names.split():
            return reader
    return None


def _day(days: float) -> str:
    return cell_text((SAS + timedelta(int(days))).date())


def _spss_day(seconds: float) -> str:
    return cell_text((SPSS + timedelta(math.floor(seconds / DAY))).date())


def _spss_moment(seconds: float) -> str:
    return cell_text(SPSS + _span(seconds))


def _sas_moment(seconds: float) -> str:
    return cell_text(SAS + _span(seconds))


def _stata_moment(milliseconds: float) -> str:
    return cell_text(SAS + _stata_span(milliseconds))


def _stata_time(milliseconds: float) -> str:
    return _clock(_stata_span(milliseconds))


def _time(seconds: float) -> str:
    return _clock(_span(seconds))


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
FormatReaders = dict[Callable[[float], str], str]
SPSS_READERS: FormatReaders = {
    _spss_day: "DATE ADATE EDATE JDATE SDATE",
    _spss_moment: "DATETIME YMDHMS",
    _time: "TIME DTIME",
}
SAS_READERS: FormatReaders = {
    _day: "WEEKDATE MMDDYY DDMMYY YYMMDD DATE DDMMYYB DDMMYYC DDMMYYD DDMMYYN DDMMYYP "
    "DDMMYYS MMDDYYB MMDDYYC MMDDYYD MMDDYYN MMDDYYP MMDDYYS WEEKDATX DTDATE IS8601DA "
    "E8601DA B8601DA YYMMDDB YYMMDDD YYMMDDN YYMMDDP YYMMDDS",
    _sas_moment: "DATETIME E8601DT DATEAMPM MDYAMPM IS8601DT B8601DT B8601DN",
    _time: "TIME HHMM TOD TIMEAMPM IS8601TM E8601TM B8601TM",
}
STATA_READERS: FormatReaders = {
    _day: "%td %d %tdD_m_Y %tdCCYY-NN-DD",
    _stata_moment: "%tC %tc",
    _stata_time: "%tcHH:MM:SS %tcHH:MM",
}
