"""Dates of SPSS, Stata and SAS: numbers, and formats that say what they count.

>>> moment_reader(".sav", "DATE11")(13_797_216_000.0), moment_reader(".dta", "%tc")(1_500)
('2020-01-01', '1960-01-01T00:00:01.500000')
"""

import math
import re
from collections.abc import Callable
from datetime import datetime, timedelta

from synth.foreign.cells import cell_text

DAY = 86_400
"""Seconds."""
SPSS, SAS = datetime(1582, 10, 14), datetime(1960, 1, 1)
"""Where dates begin; those of Stata begin where those of SAS do."""

FORMAT_NAME = re.compile(r"([A-Z][A-Z0-9]+[A-Z])(?:\d+(?:\.\d+)?)?")
"""The name of a format of SPSS or SAS, and how wide it is written."""

SPSS_FORMATS = {
    "date": "DATE ADATE EDATE JDATE SDATE",
    "moment": "DATETIME YMDHMS",
    "time": "TIME DTIME",
}
SAS_FORMATS = {
    "date": "WEEKDATE MMDDYY DDMMYY YYMMDD DATE DDMMYYB DDMMYYC DDMMYYD DDMMYYN DDMMYYP DDMMYYS "
    "MMDDYYB MMDDYYC MMDDYYD MMDDYYN MMDDYYP MMDDYYS WEEKDATX DTDATE IS8601DA E8601DA B8601DA "
    "YYMMDDB YYMMDDD YYMMDDN YYMMDDP YYMMDDS",
    "moment": "DATETIME E8601DT DATEAMPM MDYAMPM IS8601DT B8601DT B8601DN",
    "time": "TIME HHMM TOD TIMEAMPM IS8601TM E8601TM B8601TM",
}
STATA_FORMATS = {
    "date": "%td %d %tdD_m_Y %tdCCYY-NN-DD",
    "moment": "%tC %tc",
    "time": "%tcHH:MM:SS %tcHH:MM",
}


def moment_reader(ending: str, form: str) -> Callable[[float], str] | None:
    """What makes a text of a number that stands for a moment; None of formats of other numbers.

    It raises OverflowError or ValueError where there is no such moment.

    Args:
        ending: Of the file.
        form: The format of the variable.
    """
    if ending == ".dta":
        kind = _kind(STATA_FORMATS, form)
        return {"date": _day, "moment": _stata_moment, "time": _stata_time}.get(kind)
    name = FORMAT_NAME.fullmatch(form)
    if name is None:
        return None
    if ending in (".sas7bdat", ".xpt"):
        kind = _kind(SAS_FORMATS, name[1])
        return {"date": _day, "moment": _sas_moment, "time": _time}.get(kind)
    kind = _kind(SPSS_FORMATS, name[1])
    return {"date": _spss_day, "moment": _spss_moment, "time": _time}.get(kind)


def _kind(formats: dict[str, str], name: str) -> str:
    """What numbers of a format stand for; '' of other numbers."""
    return next((kind for kind, names in formats.items() if name in names.split()), "")


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
    days = math.floor(seconds / DAY)
    return timedelta(days, int(seconds % DAY), round(seconds % 1 * 1_000_000))


def _stata_span(milliseconds: float) -> timedelta:
    days, rest = math.floor(milliseconds / (1000 * DAY)), milliseconds % (1000 * DAY)
    return timedelta(days, int(rest / 1000), int(rest % 1000 * 1000))


def _clock(span: timedelta) -> str:
    """A time of day, or one of so many hours."""
    if span < timedelta(0):
        raise ValueError
    if not span.days:
        return cell_text((SAS + span).time())
    rest = cell_text((SAS + timedelta(0, span.seconds, span.microseconds)).time())
    hours, _, minutes = rest.partition(":")
    return f"{24 * span.days + int(hours)}:{minutes}"
