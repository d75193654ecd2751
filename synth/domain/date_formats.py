"""Date formats by example: the strptime formats that fit a text. PUBLIC.

>>> format_of("23-May-14"), format_of("31.12.2019 14:05")
('%d-%b-%y', '%d.%m.%Y %H:%M')
>>> formats_of("03/04/2014")
('%d/%m/%Y', '%m/%d/%Y')
>>> example_of("%d-%b-%y")
'31-Dec-19'
"""

import re
from collections.abc import Iterator
from datetime import datetime

from synth import limits
from synth.errors import DomainError

MONTH_NAMES: tuple[str, ...] = tuple(
    "january february march april may june july august september october november "
    "december".split()
)
WEEKDAYS: tuple[str, ...] = tuple(
    "monday tuesday wednesday thursday friday saturday sunday".split()
)

# The moment of the examples: in another format its text is no date.
EXAMPLE_MOMENT = datetime(2019, 12, 31, 14, 5, 59)

TIME = re.compile(
    r"(?P<day>.*?[^T, ])(?P<gap>[ T]|, ?| {2})(?P<hour>\d{1,2}):(?P<minute>\d\d)"
    r"(?P<second>:\d\d)?(?P<fraction>[.,]\d{1,6})?(?P<noon> ?[AaPp][Mm])?"
    r"(?P<zone> ?(?:Z|UTC|[+-]\d\d:?\d\d))?",
    re.ASCII,
)
TRIPLE = re.compile(r"(\d{4}|\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{1,2})", re.ASCII)
COMPACT = re.compile(r"(?:18|19|20|21)\d{6}", re.ASCII)
DAY_NAME = re.compile(
    r"(\d{1,2})([-/ ]|\. ?|)([A-Za-z]{3,9})([-/ ]|, |)(\d{4}|\d{2})", re.ASCII
)
NAME_DAY = re.compile(r"([A-Za-z]{3,9})([- ])(\d{1,2})(, ?| |-)(\d{4})", re.ASCII)
NAME_YEAR = re.compile(r"([A-Za-z]{3,9})([-/ ]|, )(\d{4}|\d{2})", re.ASCII)
YEAR_MONTH = re.compile(r"((?:18|19|20|21)\d\d)([-/])(\d{1,2})", re.ASCII)
MONTH_YEAR = re.compile(r"(\d{1,2})([-/.])((?:18|19|20|21)\d\d)", re.ASCII)


def formats_of(text: str) -> tuple[str, ...]:
    """Return the strptime formats that fit a text; none for a year alone, or a time alone."""
    text = text.strip()
    if len(text) > limits.FORMAT_LENGTH or not re.search(r"[0-9]", text):
        return ()
    day, clock = text, ""
    if timed := TIME.fullmatch(text):
        day, clock = timed["day"], _clock(timed)
    found = (pattern + clock for pattern in _days(day))
    return tuple(pattern for pattern in dict.fromkeys(found) if _reads(text, pattern))


def format_of(example: str) -> str:
    """Return the format of an example; DomainError if it is no date, or fits several
    formats.
    """
    found = formats_of(example)
    if not found:
        raise DomainError(
            "A date format is an example such as 2019-12-31 or 31.12.2019 14:05."
        )
    if len(found) > 1:
        shown = " and ".join(map(example_of, found))
        raise DomainError(
            f"The example of a date may be read in {len(found)} ways, which write the last "
            f"day of 2019 as {shown}: type one of these."
        )
    return found[0]


def example_of(pattern: str) -> str:
    try:
        example = EXAMPLE_MOMENT.strftime(pattern)
    except ValueError:
        return pattern
    return example if formats_of(example) == (pattern,) else pattern


def has_time(pattern: str) -> bool:
    return any(mark in pattern for mark in ("%H", "%I", "%c", "%X"))


def iso_format(*, timed: bool) -> str:
    return "%Y-%m-%dT%H:%M:%S" if timed else "%Y-%m-%d"


def _clock(timed: re.Match[str]) -> str:
    gap, noon, zone = timed["gap"], timed["noon"] or "", timed["zone"] or ""
    pattern = gap + ("%I" if noon else "%H") + ":%M" + (":%S" if timed["second"] else "")
    if timed["fraction"]:
        pattern += timed["fraction"][0] + "%f"
    return pattern + (" %p" if noon.startswith(" ") else "%p" if noon else "") + zone


def _days(text: str) -> Iterator[str]:
    if found := TRIPLE.fullmatch(text):
        yield from _triples(found)
    if COMPACT.fullmatch(text):
        yield "%Y%m%d"
    if found := DAY_NAME.fullmatch(text):
        _, before, name, after, year = found.groups()
        months = _month(name, short=len(year) == 2 or before in "-/")
        yield from (f"%d{before}{month}{after}{_year(year)}" for month in months)
    if found := NAME_DAY.fullmatch(text):
        name, before, _, after, _ = found.groups()
        yield from (f"{month}{before}%d{after}%Y" for month in _month(name))
    if found := NAME_YEAR.fullmatch(text):
        name, mark, year = found.groups()
        months = _month(name, short=len(year) == 2)
        yield from (f"{month}{mark}{_year(year)}" for month in months)
    if found := YEAR_MONTH.fullmatch(text):
        yield f"%Y{found[2]}%m"
    if found := MONTH_YEAR.fullmatch(text):
        yield f"%m{found[2]}%Y"


def _triples(found: re.Match[str]) -> Iterator[str]:
    # The year is first if it has four digits, otherwise last.
    first, mark, _, last = found.groups()
    if len(first) == 4:
        yield f"%Y{mark}%m{mark}%d"
    elif len(last) > 1:
        yield f"%d{mark}%m{mark}{_year(last)}"
        if mark != ".":  # nobody writes the month first between points
            yield f"%m{mark}%d{mark}{_year(last)}"
        if mark == "-" and len(first) == len(last) == 2:
            yield "%y-%m-%d"


def _month(name: str, *, short: bool = False) -> list[str]:
    name = name.lower()
    codes = ["%b"] * (name in [month[:3] for month in MONTH_NAMES]) + ["%B"] * (
        name in MONTH_NAMES
    )
    return codes[:1] if short else codes


def _year(digits: str) -> str:
    return "%Y" if len(digits) == 4 else "%y"


def _reads(text: str, pattern: str) -> bool:
    try:
        return bool(datetime.strptime(text, pattern))
    except ValueError:
        return False
