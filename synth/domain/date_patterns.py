"""Patterns of dates: the directives they may hold, and the texts that they write. PUBLIC.

All readers and writers of dates know the same directives. What they mean in a cell is
described in `synth.private.counting.spelling`; a pattern that one of the readers or writers
would take otherwise is refused when it is declared.

>>> split_pattern("%d. %B %Y")
('%d', '.', ' ', '%B', ' ', '%Y')
>>> write_moment(datetime(999, 1, 31, 15, 5), "%d. %B %Y, %I:%M %p")
'31. January 0999, 03:05 PM'
>>> months_in_step("%d.%m.%Y"), months_in_step("%b %Y"), months_in_step("%Y")
(0, 1, 12)
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache

from synth.domain.date_formats import MONTH_NAMES, WEEKDAYS
from synth.errors import DomainError

MONTHS_IN_YEAR = 12

# Seconds since 1970 are whole, so a fraction of a second is read, rounded down, and written
# as 0.
NO_FRACTION = "000000"

# Both `strptime` and the engines take the two digits of a year for one of these.
SHORT_YEARS = range(1969, 2069)

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
}

_MARK = re.compile(r"%.?|[ ]+|[^% ]", re.DOTALL)
_INVISIBLE = re.compile("[\x00-\x1f\x7f]")

_YEAR = {"%Y", "%y"}
_MONTH = {"%m", "%b", "%B"}
_DAY = {"%d", "%j"}

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
    directives = [mark for mark in marks if mark.startswith("%")]
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
    for rivals in _RIVALS:
        used_rivals = [directive for directive in rivals if directive in directives]
        if len(used_rivals) > 1:
            raise DomainError(
                f"The format '{pattern}' holds both {' and '.join(used_rivals)}, which may "
                "say different things; keep one of them."
            )
    return marks


def check_pattern(pattern: str, *, timed: bool) -> None:
    """Check that texts of a strftime pattern say a whole date, with a time of day if `timed`.

    Raises:
        DomainError: They do not; the sentence says what they lack.
    """
    lacking = _find_lack({*split_pattern(pattern)}, timed=timed)
    if lacking:
        raise DomainError(
            f"The format '{pattern}' does not keep a whole date: it lacks {lacking}."
        )


def _find_lack(directives: set[str], *, timed: bool) -> str:
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
    return ""


def months_in_step(pattern: str) -> int:
    """Return the least number of months between two different dates of a pattern.

    It is 12 if the pattern says the year only, 1 if it says months, and 0 if it says the day.
    A pattern without a year also gives 0.
    """
    directives = {*split_pattern(pattern)}
    if directives & _DAY or not directives & _YEAR:
        return 0
    return 1 if directives & _MONTH else MONTHS_IN_YEAR


def seconds_in_step(pattern: str) -> int:
    """Return the least number of seconds between two different moments of a pattern.

    The pattern has a time of day; it may say seconds, or minutes or hours only.
    """
    directives = {*split_pattern(pattern)}
    if "%S" in directives:
        return 1
    return 60 if "%M" in directives else 3600


def write_moment(moment: datetime, pattern: str) -> str:
    """Return the text of a moment, in English and the same on all machines."""
    marks = split_pattern(pattern)
    return "".join(WRITERS[mark](moment) if mark in WRITERS else mark for mark in marks)


def without_fraction(pattern: str) -> str:
    """Return the pattern with zeros in place of ``%f``, for writers that lack it."""
    return "".join(NO_FRACTION if mark == "%f" else mark for mark in split_pattern(pattern))
