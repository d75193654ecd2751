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
    """Return the strptime patterns that fit the text of a date, or of a date with a time.

    There are none for other texts, and none for a year or a time of day alone.
    """
    text = text.strip()
    if len(text) > limits.FORMAT_LENGTH or not re.search(r"[0-9]", text):
        return ()
    day = text
    clock = ""
    time_match = TIME.fullmatch(text)
    if time_match:
        day = time_match["day"]
        clock = _clock(time_match)
    distinct_patterns = dict.fromkeys(pattern + clock for pattern in _days(day))
    # `_days` looks at the shape only; a month 13 is excluded by reading the text.
    return tuple(pattern for pattern in distinct_patterns if _reads(text, pattern))


def format_of(example: str) -> str:
    """Return the strptime pattern that fits an example of a date.

    Raises:
        DomainError: It is no date, or fits several formats.
    """
    patterns = formats_of(example)
    if not patterns:
        raise DomainError(
            "A date format is an example such as 2019-12-31 or 31.12.2019 14:05."
        )
    if len(patterns) > 1:
        examples = " and ".join(map(example_of, patterns))
        raise DomainError(
            f"The example of a date may be read in {len(patterns)} ways, which write the "
            f"last day of 2019 as {examples}: type one of these."
        )
    return patterns[0]


def example_of(pattern: str) -> str:
    """Return an example of a date for people, from which `format_of` restores the pattern.

    If there is no such example, as for a pattern with "%j", it returns the pattern itself.
    """
    try:
        example = EXAMPLE_MOMENT.strftime(pattern)
    except ValueError:
        return pattern
    return example if formats_of(example) == (pattern,) else pattern


def has_time(pattern: str) -> bool:
    """Return whether a pattern has a time of day."""
    return any(mark in pattern for mark in ("%H", "%I", "%c", "%X"))


def iso_format(*, timed: bool) -> str:
    """Return the pattern of dates in ISO 8601, with a time of day if `timed`."""
    return "%Y-%m-%dT%H:%M:%S" if timed else "%Y-%m-%d"


def _clock(match: re.Match[str]) -> str:
    """Return the strptime pattern of a time of day, beginning with the gap after the day.

    `match` is one of `TIME`. A time zone stays in the pattern as the text that it is.
    """
    noon = match["noon"] or ""  # AM or PM, perhaps after a blank
    pattern = match["gap"] + ("%I" if noon else "%H") + ":%M"
    if match["second"]:
        pattern += ":%S"
    if match["fraction"]:
        point = match["fraction"][0]
        pattern += point + "%f"
    if noon:
        pattern += " %p" if noon.startswith(" ") else "%p"
    return pattern + (match["zone"] or "")


def _days(text: str) -> Iterator[str]:
    """Yield the strptime patterns that a date without a time may have, by its shape.

    A pattern need not fit the numbers: 31/12/2019 also gives "%m/%d/%Y".
    """
    yield from _named_months(text)
    if match := TRIPLE.fullmatch(text):
        yield from _triples(match)
    if COMPACT.fullmatch(text):
        yield "%Y%m%d"
    if match := YEAR_MONTH.fullmatch(text):
        yield f"%Y{match[2]}%m"
    if match := MONTH_YEAR.fullmatch(text):
        yield f"%m{match[2]}%Y"


def _named_months(text: str) -> Iterator[str]:
    """Yield the strptime patterns that a date with the name of a month may have.

    The date may be "23 May 2014", "May 23, 2014" or "May 2014".
    """
    if match := DAY_NAME.fullmatch(text):
        _, before, name, after, year = match.groups()
        # In forms such as 23-May-14 or 23May2014, "May" is the short name of the month, not
        # the long one. The empty text is in "-/" too.
        is_short = len(year) == 2 or before in "-/"
        for month in _month(name, short=is_short):
            yield f"%d{before}{month}{after}{_year(year)}"
    if match := NAME_DAY.fullmatch(text):
        name, before, _, after, _ = match.groups()
        for month in _month(name):
            yield f"{month}{before}%d{after}%Y"
    if match := NAME_YEAR.fullmatch(text):
        name, mark, year = match.groups()
        for month in _month(name, short=len(year) == 2):
            yield f"{month}{mark}{_year(year)}"


def _triples(match: re.Match[str]) -> Iterator[str]:
    """Yield the strptime patterns of a date of three numbers, such as 31.12.2019.

    The year is first if the first number has four digits. Otherwise it is usually last, and
    the order of day and month is open. `match` is one of `TRIPLE`.
    """
    first, mark, _, last = match.groups()
    if len(first) == 4:
        yield f"%Y{mark}%m{mark}%d"
    elif len(last) > 1:  # a year has two or four digits
        yield f"%d{mark}%m{mark}{_year(last)}"
        if mark != ".":  # nobody writes the month first between points
            yield f"%m{mark}%d{mark}{_year(last)}"
        if mark == "-" and len(first) == len(last) == 2:  # 19-12-31 has the year first
            yield "%y-%m-%d"


def _month(name: str, *, short: bool = False) -> list[str]:
    """Return the directives that read a month's name: "%b" for "Jan", "%B" for "January".

    "May" is both; with `short` only "%b" is returned for it. Other names give none.
    """
    directives = []
    if any(name.lower() == month[:3] for month in MONTH_NAMES):
        directives.append("%b")
    if name.lower() in MONTH_NAMES:
        directives.append("%B")
    return directives[:1] if short else directives


def _year(digits: str) -> str:
    return "%Y" if len(digits) == 4 else "%y"


def _reads(text: str, pattern: str) -> bool:
    """Return whether a text is a date by a strptime pattern."""
    try:
        return bool(datetime.strptime(text, pattern))
    except ValueError:
        return False
