"""Date formats by example: the strptime formats that fit a text. PUBLIC.

>>> format_of("23-May-14"), format_of("31.12.2019 14:05")
('%d-%b-%y', '%d.%m.%Y %H:%M')
>>> formats_of("03/04/2014")
('%d/%m/%Y', '%m/%d/%Y')
>>> example_of("%d-%b-%y"), example_of("%B %-d, %Y")
('31-Dec-19', 'January 8, 2019')
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache

from synth import limits
from synth.domain.date_patterns import (
    FLAGS,
    MONTH_NAMES,
    MONTHS_IN_YEAR,
    OFFSET,
    WEEKDAYS,
    plain_mark,
    read_since_1970,
    split_pattern,
    write_moment,
)
from synth.errors import DomainError

# The moments of the examples: in another format the text of one is no date. The others show
# that digits have no zero in front.
EXAMPLE_MOMENTS = (
    datetime(2019, 12, 31, 14, 5, 59),
    datetime(2019, 1, 31, 9, 5, 59),
    datetime(2019, 12, 31, 9, 5, 59),
    datetime(2019, 1, 8, 9, 5, 59),
)

TIME = re.compile(
    r"(?P<day>.*?[^T, ])(?P<gap>[ T:]|, ?| {2})(?P<hour>\d{1,2}):(?P<minute>\d\d)"
    r"(?P<second>:\d\d)?(?P<fraction>[.,]\d{1,6})?(?P<noon> ?[AaPp][Mm])?"
    r"(?P<zone> ?(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?",
    re.ASCII,
)
TRIPLE = re.compile(r"(\d{4}|\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{1,2})", re.ASCII)
COMPACT = re.compile(r"(?:18|19|20|21)\d{6}", re.ASCII)
DAY_NAME = re.compile(
    r"(\d{1,2})([-/ ]|\. ?|)([A-Za-z]{3,9})([-/ ]|, |)(\d{4}|\d{2})", re.ASCII
)
NAME_DAY = re.compile(r"([A-Za-z]{3,9})([- ])(\d{1,2})(, ?| |-)(\d{4})", re.ASCII)
NAME_YEAR = re.compile(r"([A-Za-z]{3,9})([-/ ]|, )(\d{4}|\d{2})", re.ASCII)
NAMED_DAY = re.compile(r"([A-Za-z]{3,9})(,? )(.+)", re.ASCII)
# Stata writes months such as 2019m7, and Eurostat such as 2019M07.
YEAR_MONTH = re.compile(r"((?:18|19|20|21)\d\d)([-/mM])(\d{1,2})", re.ASCII)
MONTH_YEAR = re.compile(r"(\d{1,2})([-/.])((?:18|19|20|21)\d\d)", re.ASCII)


def formats_of(text: str, *, zoned: bool = False) -> tuple[str, ...]:
    """Return the strptime patterns that fit the text of a date, or of a date with a time.

    There are none for other texts, and none for a year or a time of day alone. An offset at
    the end is part of the text, or, if `zoned`, ``%z``, which reads all offsets.

    >>> formats_of("2024-05-01 10:00Z"), formats_of("2024-05-01 10:00Z", zoned=True)
    (('%Y-%m-%d %H:%MZ',), ('%Y-%m-%d %H:%M%z',))
    """
    text = text.strip()
    if len(text) > limits.FORMAT_LENGTH or not re.search(r"[0-9]", text):
        return ()
    day = text
    clock = ""
    time_match = TIME.fullmatch(text)
    if time_match:
        day = time_match["day"]
        clock = _clock(time_match, zoned=zoned)
    distinct_patterns = dict.fromkeys(pattern + clock for pattern in _days(day))
    # `_days` looks at the shape only; a month 13 is excluded by reading the text.
    return tuple(pattern for pattern in distinct_patterns if _reads(text, pattern))


def format_of(example: str, *, zoned: bool = False) -> str:
    """Return the strftime pattern that writes dates as an example does.

    Digits without zeros in front, and names in capital or small letters, stay so. With
    `zoned`, an offset at the end is ``%z``.

    Raises:
        DomainError: It is no date, or fits several formats.

    >>> format_of("5-JAN-2019"), format_of("2024-05-01 10:00+02:00", zoned=True)
    ('%-d-%^b-%Y', '%Y-%m-%d %H:%M%:z')
    """
    patterns = formats_of(example, zoned=zoned)
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
    return spell_pattern(patterns[0], [example.strip()])


def spell_pattern(pattern: str, texts: Iterable[str]) -> str:
    """Return a pattern with flags, by which it writes dates as most of some texts are.

    Args:
        pattern: A pattern without flags.
        texts: Texts that it reads; others are passed over.

    >>> spell_pattern("%d %b %Y", ["1 MAY 2020", "12 JUN 2020"])
    '%-d %^b %Y'
    """
    shape = _parts_shape(pattern)
    matches = [match for match in map(shape.fullmatch, texts) if match is not None]
    marks = split_pattern(pattern)
    directives = [mark for mark in marks if mark.startswith("%") and mark != "%%"]
    columns = list(zip(*(match.groups() for match in matches), strict=True))
    texts_by_mark = dict(zip(directives, columns, strict=False))
    flags: dict[str, str] = {}
    # The digits of day and month are written alike, and so are those of hours.
    for group in (("%d", "%m"), ("%H", "%I")):
        members = [mark for mark in group if mark in texts_by_mark]
        digits = [text for mark in members for text in texts_by_mark[mark]]
        singles = sum(len(text) == 1 for text in digits)
        padded = sum(len(text) == 2 and text[0] == "0" for text in digits)
        if singles > padded:
            flags |= dict.fromkeys(members, "-")
    for mark in ("%b", "%B", "%a", "%A", "%p"):
        flags[mark] = _flag_of_names(mark, texts_by_mark.get(mark, ()))
    flags["%z"] = _flag_of_offsets(texts_by_mark.get("%z", ()))
    return "".join(
        f"%{flags.get(mark, '')}{mark[1:]}" if mark in directives else mark for mark in marks
    )


@lru_cache(maxsize=256)
def _parts_shape(pattern: str) -> re.Pattern[str]:
    """Return a regular expression with a group for each directive of a pattern."""
    shapes = []
    for mark in map(plain_mark, split_pattern(pattern)):
        if mark == "%z":
            shapes.append(f"({OFFSET.pattern})")
        elif mark in ("%b", "%B", "%a", "%A", "%p"):
            shapes.append("([A-Za-z]+)")
        elif mark.startswith("%") and mark != "%%":
            digits = {"%Y": "{4}", "%j": "{1,3}", "%f": "{1,6}"}.get(mark, "{1,2}")
            shapes.append(f"([0-9]{digits})")
        else:
            shapes.append(" +" if mark[0] == " " else re.escape(mark[0]))
    return re.compile("".join(shapes), re.ASCII | re.IGNORECASE)


def _flag_of_names(mark: str, names: Iterable[str]) -> str:
    """Return the flag that makes a directive write names in the case that most names have.

    A flag stands between the sign and the letter of a directive: "^" in "%^b" for MAY, "_"
    for may. It is empty for the usual case.

    Args:
        mark: The directive without a flag, such as "%b".
        names: The names of months, of weekdays, or AM and PM, as some texts have them.
    """
    times = Counter(map(_case_of, names))
    commonest_flag = max(times, key=times.__getitem__, default="")
    if commonest_flag not in FLAGS:
        return ""
    # Not every directive has every flag: AM is in capital letters without one.
    _, directives = FLAGS[commonest_flag]
    return commonest_flag if mark in directives else ""


def _case_of(name: str) -> str:
    """Return "^" for a name in capital letters, "_" for small letters, "" for another."""
    if name.isupper():
        return "^"
    return "_" if name.islower() else ""


def _flag_of_offsets(offsets: Iterable[str]) -> str:
    """Return the flag that makes ``%z`` write offsets in the form that most of them have.

    It is ":" for +02:00, "-" for +02, and empty for +0200.
    """
    times: Counter[str] = Counter()
    for offset in offsets:
        if offset[0] not in "+-":
            continue  # such as Z, which no flag writes
        if ":" in offset:
            times[":"] += 1
        elif len(offset) == len("+02"):
            times["-"] += 1
        else:
            times[""] += 1
    return max(times, key=times.__getitem__, default="")


def example_of(pattern: str) -> str:
    """Return an example of a date for people, from which `format_of` restores the pattern.

    If there is no such example, as for a pattern with "%j", it returns the pattern itself.
    """
    # The first example that is read as the pattern; an offset would be read as a text.
    for moment in EXAMPLE_MOMENTS:
        try:
            example = write_moment(moment, pattern)
        except DomainError:  # it is no pattern of ours
            return pattern
        patterns = formats_of(example)
        if len(patterns) == 1 and spell_pattern(patterns[0], [example]) == pattern:
            return example
    return pattern


def has_time(pattern: str) -> bool:
    """Return whether a pattern has a time of day."""
    return bool(re.search("%-?[HIcX]", pattern))


def iso_format(*, timed: bool) -> str:
    """Return the pattern of dates in ISO 8601, with a time of day if `timed`."""
    return "%Y-%m-%dT%H:%M:%S" if timed else "%Y-%m-%d"


def _clock(match: re.Match[str], *, zoned: bool) -> str:
    """Return the strptime pattern of a time of day, beginning with the gap after the day.

    `match` is one of `TIME`. A time zone stays in the pattern as the text that it is, unless
    `zoned`.
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
    zone = match["zone"] or ""
    if zone and zoned:
        zone = " %z" if zone.startswith(" ") else "%z"
    return pattern + zone


def _days(text: str) -> Iterator[str]:
    """Yield the strptime patterns that a date without a time may have, by its shape.

    A pattern need not fit the numbers: 31/12/2019 also gives "%m/%d/%Y".
    """
    yield from _named_months(text)
    if match := NAMED_DAY.fullmatch(text):
        weekday, gap, rest = match.groups()
        for directive in _weekday(weekday):
            yield from (f"{directive}{gap}{pattern}" for pattern in _days(rest))
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
    first, mark, middle, last = match.groups()
    if len(first) == 4:
        yield f"%Y{mark}%m{mark}%d"
        if int(middle) > MONTHS_IN_YEAR:  # the day before the month, which few write
            yield f"%Y{mark}%d{mark}%m"
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


def _weekday(name: str) -> list[str]:
    """Return the directive that reads a weekday's name: "%a" for "Mon", "%A" for "Monday".

    Other names give none.
    """
    if name.lower() in WEEKDAYS:
        return ["%A"]
    return ["%a"] if any(name.lower() == weekday[:3] for weekday in WEEKDAYS) else []


def _year(digits: str) -> str:
    return "%Y" if len(digits) == 4 else "%y"


def _reads(text: str, pattern: str) -> bool:
    """Return whether a text is a date by a strptime pattern."""
    try:
        read_since_1970(text, pattern)
    except ValueError:
        return False
    return True
