"""Patterns of dates: the directives they may hold, and the texts that they write. PUBLIC.

All readers and writers of dates know the same directives. What they mean in a cell is
described in `synth.private.counting.spelling`; a pattern that one of the readers or writers
would take otherwise is refused when it is declared.

A flag behind the percent sign changes how a part is written, and not how it is read: ``-``
leaves out a zero in front, ``^`` writes capital letters and ``_`` small ones. An offset by
``%z`` is +0200, by ``%:z`` +02:00 and by ``%-z`` +02.

>>> split_pattern("%d. %B %Y")
('%d', '.', ' ', '%B', ' ', '%Y')
>>> write_moment(datetime(999, 1, 31, 15, 5), "%d. %B %Y, %I:%M %p")
'31. January 0999, 03:05 PM'
>>> months_in_step("%d.%m.%Y"), months_in_step("%b %Y"), months_in_step("%Y")
(0, 1, 12)
>>> write_moment(datetime(2023, 10, 5), "%-d-%^b-%Y"), plain_pattern("%-d-%^b-%Y")
('5-OCT-2023', '%d-%b-%Y')
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache

from synth.errors import DomainError

MONTH_NAMES: tuple[str, ...] = tuple(
    "january february march april may june july august september october november "
    "december".split()
)
WEEKDAYS: tuple[str, ...] = tuple(
    "monday tuesday wednesday thursday friday saturday sunday".split()
)

MONTHS_IN_YEAR = 12

EPOCH: datetime = datetime(1970, 1, 1)

# Seconds since 1970 are whole, so a fraction of a second is read, rounded down, and written
# as 0.
NO_FRACTION = "000000"

# Two digits mean one of these years, unless a column declares others.
SHORT_YEARS = range(1969, 2069)


def _without_zeros(text: str) -> str:
    """Return digits without a zero in front, or an offset without minutes that are zero."""
    if text[0] in "+-":
        return text.removesuffix("00") if len(text) == len("+0200") else text
    return text.lstrip("0") or "0"


def _with_colon(offset: str) -> str:
    return f"{offset[:3]}:{offset[3:]}"


# The text of each directive. Python's strftime depends on the machine: in the digits of early
# years, and in the language of names.
WRITERS: Mapping[str, Callable[[datetime], str]] = {
    "%Y": lambda moment: f"{moment.year:04d}",
    "%y": lambda moment: f"{moment.year % 100:02d}",
    "%m": lambda moment: f"{moment.month:02d}",
    "%b": lambda moment: MONTH_NAMES[moment.month - 1][:3].capitalize(),
    "%B": lambda moment: MONTH_NAMES[moment.month - 1].capitalize(),
    "%d": lambda moment: f"{moment.day:02d}",
    "%j": lambda moment: f"{moment.timetuple().tm_yday:03d}",
    "%a": lambda moment: WEEKDAYS[moment.weekday()][:3].capitalize(),
    "%A": lambda moment: WEEKDAYS[moment.weekday()].capitalize(),
    "%H": lambda moment: f"{moment.hour:02d}",
    "%I": lambda moment: f"{(moment.hour - 1) % 12 + 1:02d}",
    "%p": lambda moment: "PM" if moment.hour >= 12 else "AM",
    "%M": lambda moment: f"{moment.minute:02d}",
    "%S": lambda moment: f"{moment.second:02d}",
    "%f": lambda _: NO_FRACTION,
    "%%": lambda _: "%",
    "%z": lambda moment: f"{moment:%z}",
}

# How a flag changes the text of a directive, and the directives that may have it.
FLAGS: Mapping[str, tuple[Callable[[str], str], frozenset[str]]] = {
    "-": (_without_zeros, frozenset({"%d", "%m", "%H", "%I", "%z"})),
    ":": (_with_colon, frozenset({"%z"})),
    "^": (str.upper, frozenset({"%b", "%B", "%a", "%A"})),
    "_": (str.lower, frozenset({"%b", "%B", "%a", "%A", "%p"})),
}

_MARK = re.compile(r"%[-^_:]?.?|[ ]+|[^% ]", re.DOTALL)
# An offset from UTC at the end of a text: Z, +02, +0200, +02:00.
OFFSET = re.compile(
    r"(?:Z|UTC|GMT|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)\Z", re.ASCII | re.IGNORECASE
)
_INVISIBLE = re.compile("[\x00-\x1f\x7f]")

_YEAR = {"%Y", "%y"}
_MONTH = {"%m", "%b", "%B"}
_DAY = {"%d", "%j"}
_TIME = {"%H", "%I"}

# Of each of these groups a pattern holds one. If a cell says two things that differ, the
# engines believe different ones, and DuckDB reads no hour above 12 beside AM or PM.
_RIVALS = (
    ("%Y", "%y"),
    ("%m", "%b", "%B", "%j"),
    ("%d", "%j"),
    ("%H", "%I"),
    ("%H", "%p"),
)


@lru_cache(maxsize=1024)
def split_pattern(pattern: str) -> tuple[str, ...]:
    """Split a strftime pattern into its directives, runs of blanks and single characters.

    Raises:
        DomainError: It holds an unknown directive, two that say the same, or an invisible
            character.
    """
    if _INVISIBLE.search(pattern):
        raise DomainError(
            "The format of dates holds a line break or another invisible character."
        )
    marks = tuple(_MARK.findall(pattern.strip()))
    directives = [plain_mark(mark) for mark in marks if mark.startswith("%")]
    for place, directive in enumerate(directives):
        if directive not in WRITERS:
            known_directives = " ".join(WRITERS)
            raise DomainError(
                f"The format '{pattern}' holds '{directive}', and dates are read and written "
                f"by {known_directives} only; write it with these."
            )
        # "%%" is a percent sign, which may be written twice.
        if directive != "%%" and directive in directives[:place]:
            raise DomainError(
                f"The format '{pattern}' holds {directive} twice; keep one of them."
            )
    if "%z" in directives[:-1] or ("%z" in directives and marks[-1][:1] != "%"):
        raise DomainError(
            f"The format '{pattern}' holds %z before its end; an offset must come last."
        )
    for rivals in _RIVALS:
        used_rivals = [directive for directive in rivals if directive in directives]
        if len(used_rivals) > 1:
            raise DomainError(
                f"The format '{pattern}' holds both {' and '.join(used_rivals)}, which may "
                "say different things; keep one of them."
            )
    return marks


def plain_mark(mark: str) -> str:
    """Return a part of a pattern without its flag; other parts are unchanged.

    A flag that the directive cannot have stays, so that the part is no known directive.

    >>> plain_mark("%-d"), plain_mark("%d"), plain_mark("%^d")
    ('%d', '%d', '%^d')
    """
    if len(mark) != 3 or mark[1] not in FLAGS:
        return mark
    directive = "%" + mark[2]
    return directive if directive in FLAGS[mark[1]][1] else mark


def plain_pattern(pattern: str) -> str:
    """Return a pattern without flags, as readers of dates and other programs know it."""
    return "".join(map(plain_mark, split_pattern(pattern)))


def directives_of(pattern: str) -> frozenset[str]:
    """Return the directives of a pattern, without flags."""
    marks = map(plain_mark, split_pattern(pattern))
    return frozenset(mark for mark in marks if mark.startswith("%"))


def check_pattern(pattern: str, *, timed: bool) -> None:
    """Check that texts of a strftime pattern say a whole date, with a time of day if `timed`.

    Raises:
        DomainError: They do not; the sentence says what they lack.
    """
    lacking = _find_lack(directives_of(pattern), timed=timed)
    if lacking:
        raise DomainError(
            f"The format '{pattern}' does not keep a whole date: it lacks {lacking}."
        )


def _find_lack(directives: frozenset[str], *, timed: bool) -> str:
    """Return the part of a date that a pattern lacks, in words; empty if it lacks none.

    Parts may be lacking at the end only: a month needs no day, but a day needs its month.

    Args:
        directives: The directives of the pattern, such as "%Y".
        timed: Whether the pattern must also say a time of day.
    """
    if not directives & _YEAR:
        return "the year (%Y or %y)"
    if "%d" in directives and not directives & _MONTH:
        return "the month (%m, %b or %B)"
    if not timed:
        return ""
    if not directives & _DAY:
        return "the day (%d)"
    if "%H" not in directives and not {"%I", "%p"} <= directives:
        return "the hour of the day (%H, or %I with %p)"
    if "%S" in directives and "%M" not in directives:
        return "the minute (%M)"
    if "%f" in directives and "%S" not in directives:
        return "the second (%S)"
    # Offsets are whole minutes.
    if "%z" in directives and "%M" not in directives:
        return "the minute (%M)"
    return ""


def midnight_form(pattern: str) -> str:
    """Return the part of a pattern with a time of day that says the day alone.

    Workbooks, R and others leave out the time of a moment at midnight. It is empty if the
    pattern has no time, has an offset, or does not begin with a day before a blank or a T.

    >>> midnight_form("%Y-%m-%dT%H:%M:%S"), midnight_form("%d.%m.%Y %I:%M %p")
    ('%Y-%m-%d', '%d.%m.%Y')
    >>> midnight_form("%Y-%m-%d"), midnight_form("%H:%M %d.%m.%Y")
    ('', '')
    """
    marks = split_pattern(pattern)
    plain_marks = [plain_mark(mark) for mark in marks]
    if "%z" in plain_marks:
        return ""
    # The first mark of the time of day, the separator before it, and the day before that.
    time_place = next((n for n, mark in enumerate(plain_marks) if mark in _TIME), 0)
    day = "".join(marks[: max(0, time_place - 1)])
    if not day or marks[time_place - 1].strip() not in ("", "T"):
        return ""
    has_date_behind = bool({*plain_marks[time_place:]} & (_YEAR | _MONTH | _DAY))
    is_whole_date = not _find_lack(directives_of(day), timed=False)
    has_day = bool(directives_of(day) & _DAY)
    return day if is_whole_date and has_day and not has_date_behind else ""


def months_in_step(pattern: str) -> int:
    """Return the least number of months between two different dates of a pattern.

    It is 12 if the pattern says the year only, 1 if it says months, and 0 if it says the day.
    A pattern without a year also gives 0.
    """
    directives = directives_of(pattern)
    if directives & _DAY or not directives & _YEAR:
        return 0
    return 1 if directives & _MONTH else MONTHS_IN_YEAR


def seconds_in_step(pattern: str) -> int:
    """Return the least number of seconds between two different moments of a pattern.

    The pattern has a time of day; it may say seconds, or minutes or hours only.
    """
    directives = directives_of(pattern)
    if "%S" in directives:
        return 1
    return 60 if "%M" in directives else 3600


def write_moment(moment: datetime, pattern: str) -> str:
    """Return the text of a moment, in English and the same on all machines."""
    return "".join(_write_mark(moment, mark) for mark in split_pattern(pattern))


def _write_mark(moment: datetime, mark: str) -> str:
    """Return the text of a part of a pattern: a directive, perhaps with a flag, or a text."""
    directive = plain_mark(mark)
    if directive not in WRITERS:
        return mark
    text = WRITERS[directive](moment)
    if directive == mark:
        return text
    restyle, _ = FLAGS[mark[1]]
    return restyle(text)


def read_since_1970(
    text: str, pattern: str, first_year: int = SHORT_YEARS.start
) -> timedelta:
    """Return the time of a text since 1970, by the clock; with an offset in it, in UTC.

    Args:
        text: The text, without blanks around it.
        pattern: The pattern of the text.
        first_year: The first of the hundred years that two digits may mean.

    Raises:
        ValueError: The text is no such date.

    >>> str(read_since_1970("1970-01-02", "%Y-%m-%d"))
    '1 day, 0:00:00'
    >>> EPOCH + read_since_1970("5.1.44", "%d.%m.%y", 1930)
    datetime.datetime(1944, 1, 5, 0, 0)
    >>> EPOCH + read_since_1970("5.1.2000 1:30+02", "%d.%m.%Y %H:%M%z")
    datetime.datetime(2000, 1, 4, 23, 30)
    """
    plain = plain_pattern(pattern)
    offset = timedelta(0)
    if plain.endswith("%z"):
        plain = plain.removesuffix("%z")
        text, offset = _cut_offset(text, has_gap=plain.endswith(" "))
    moment = datetime.strptime(text, plain.rstrip())
    if "%y" in directives_of(pattern):
        moment = moment.replace(year=first_year + (moment.year - first_year) % 100)
    return moment - EPOCH - offset


def _cut_offset(text: str, *, has_gap: bool) -> tuple[str, timedelta]:
    """Return a text without the offset at its end, and that offset; ValueError without one.

    `has_gap` says whether blanks must stand before the offset; otherwise none may.
    """
    match = OFFSET.search(text)
    if match is None:
        raise ValueError
    before = text[: match.start()]
    if has_gap != before.endswith(" "):
        raise ValueError
    return before.rstrip(" "), offset_of(match[0])


def offset_of(text: str) -> timedelta:
    """Return the offset from UTC that a text says, such as Z, +02, +0200 or -05:30.

    >>> offset_of("-05:30") == -timedelta(hours=5, minutes=30), offset_of("Z")
    (True, datetime.timedelta(0))
    """
    if text[0] not in "+-":
        return timedelta(0)
    digits = text[1:].replace(":", "")
    length = timedelta(hours=int(digits[:2]), minutes=int(digits[2:] or 0))
    return -length if text[0] == "-" else length


def without_fraction(pattern: str) -> str:
    """Return the pattern with zeros in place of ``%f``, for writers that lack it."""
    return "".join(NO_FRACTION if mark == "%f" else mark for mark in split_pattern(pattern))
