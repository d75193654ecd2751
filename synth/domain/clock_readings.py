r"""Texts of times of day and of durations, as seconds. PUBLIC.

All engines read them by one regular expression, in the language that Python, RE2 and Java
share.

>>> Clock("%-I:%M %p").read("7:05 PM"), Clock("%H:%M").write(60 * 9 + 5)
(1145, '09:05')
>>> (
...     Span("%-H:%M:%S").read("26:05:00"),
...     Span("default").read("PT1H5M"),
...     Span("%d days").write(3),
... )
(93900, 3900, '3 days')
"""

import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from synth.domain.date_patterns import (
    EPOCH,
    directives_of,
    plain_mark,
    split_pattern,
    write_moment,
)
from synth.domain.reading import DAY, Reading
from synth.errors import DomainError

HOUR = 3600
MINUTE = 60
HALF_DAY = 12 * HOUR

# A fraction of a second, which is rounded down.
FRACTION = r"(?:[.,][0-9]{1,9})?"
SIXTY = "[0-5]?[0-9]"


class SpanReading(Reading):
    """A reading of texts whose parts are so many seconds each.

    Attributes:
        factors: The seconds of one in each group of `shape`.
        form: The format of the texts.
    """

    factors: ClassVar[tuple[int, ...]]
    form: str

    @property
    @abstractmethod
    def shape(self) -> str:
        """A regular expression of a whole text, with a group of digits for each factor.

        A group behind these holds AM or PM.
        """

    @property
    @abstractmethod
    def seconds(self) -> int:
        """The seconds of a step."""

    @property
    def is_half_day(self) -> bool:
        """Whether hours go to twelve, and a group behind the others says AM or PM."""
        return False

    def read(self, text: str) -> int:
        """Return the steps of a text, rounded down; ValueError if it is none."""
        match = re.fullmatch(self.shape, text, re.ASCII)
        if match is None:
            raise ValueError
        groups = zip(match.groups(), self.factors, strict=False)
        second = sum(int(digits or 0) * factor for digits, factor in groups)
        if self.is_half_day:
            second %= HALF_DAY
            if match[len(self.factors) + 1].lower() == "pm":
                second += HALF_DAY
        return second // self.seconds


@dataclass(frozen=True)
class Clock(SpanReading):
    """A time of day, in seconds or minutes since midnight.

    Attributes:
        form: A strftime pattern such as %H:%M or %-I:%M:%S %p.

    Raises:
        DomainError: The pattern is no pattern of a time of day.
    """

    form: str
    factors = (HOUR, MINUTE, 1)

    def __post_init__(self) -> None:
        """Check the pattern."""
        directives = directives_of(self.form)
        hours = {"%H"} if "%H" in directives else {"%I", "%p"}
        if not hours | {"%M"} <= directives or directives - hours - {"%M", "%S", "%f", "%%"}:
            raise DomainError(
                f"The format '{self.form}' is none of times of day, which have hours and "
                "minutes: %H:%M, %H:%M:%S, or %I:%M %p."
            )
        order = [plain_mark(mark) for mark in split_pattern(self.form)]
        parts = [mark for mark in order if mark in ("%H", "%I", "%M", "%S", "%f", "%p")]
        if parts != sorted(parts, key="%H%I%M%S%f%p".index):
            raise DomainError(
                f"The format '{self.form}' must have hours, minutes and seconds in this "
                "order, and AM or PM last."
            )

    @property
    def seconds(self) -> int:
        """The seconds of a step: a second, or a minute."""
        return 1 if "%S" in directives_of(self.form) else MINUTE

    @property
    def is_half_day(self) -> bool:
        """Whether hours go to twelve, and the text says AM or PM."""
        return "%p" in directives_of(self.form)

    @property
    def shape(self) -> str:
        """A regular expression of a whole text; digits may lack a zero in front."""
        hours = "0?[1-9]|1[0-2]" if self.is_half_day else "[01]?[0-9]|2[0-3]"
        groups = {
            "%H": f"({hours})",
            "%I": f"({hours})",
            "%M": f"({SIXTY})",
            "%S": f"({SIXTY})" + ("" if "%f" in directives_of(self.form) else FRACTION),
            "%f": "[0-9]{1,9}",
            "%p": "((?i:am|pm))",
            "%%": "%",
        }
        shapes = []
        for mark in map(plain_mark, split_pattern(self.form)):
            if mark in groups:
                shapes.append(groups[mark])
            else:
                shapes.append(" +" if mark[0] == " " else _character(mark))
        if "%S" not in directives_of(self.form):
            # An empty group in place of the seconds, before AM or PM.
            minute = shapes.index(groups["%M"])
            shapes.insert(minute + 1, "()")
        return "".join(shapes)

    def write(self, step: int) -> str:
        """Return the text of a time of day."""
        return write_moment(EPOCH + timedelta(seconds=step * self.seconds), self.form)


# A regular expression for each format of durations: groups of days, hours, minutes, seconds.
_CLOCK_SPAN = rf"([0-9]{{1,7}}):({SIXTY}):({SIXTY}){FRACTION}"
SPAN_SHAPES: Mapping[str, str] = {
    "default": (
        r"P(?:([0-9]{1,6})D)?(?:T(?:([0-9]{1,7})H)?(?:([0-9]{1,9})M)?"
        rf"(?:([0-9]{{1,9}}){FRACTION}S)?)?"
    ),
    "%H:%M:%S": f"(){_CLOCK_SPAN}",
    "%-H:%M:%S": f"(){_CLOCK_SPAN}",
    "%H:%M": rf"()([0-9]{{1,7}}):({SIXTY})()",
    "%-H:%M": rf"()([0-9]{{1,7}}):({SIXTY})()",
    "%M:%S": rf"()()([0-9]{{1,9}}):({SIXTY}){FRACTION}",
    "%-M:%S": rf"()()([0-9]{{1,9}}):({SIXTY}){FRACTION}",
    "%d days %H:%M:%S": rf"(?:([0-9]{{1,6}}) days?,? )?{_CLOCK_SPAN}",
    "%d days": r"([0-9]{1,6}) days?()()()",
}


@dataclass(frozen=True)
class Span(SpanReading):
    """A duration, in seconds, minutes or days; hours and days may be any number.

    A bare number is read as seconds, as a DataFrame has durations. There are no negative
    ones.

    Attributes:
        form: A format of `SPAN_SHAPES`; "default" is ISO 8601, such as PT1H5M.

    Raises:
        DomainError: There is no such format.
    """

    form: str
    factors = (DAY, HOUR, MINUTE, 1, 1)

    def __post_init__(self) -> None:
        """Check the format."""
        if self.form not in SPAN_SHAPES:
            raise DomainError(
                f"The format '{self.form}' is none of durations; choose one of "
                f"{', '.join(SPAN_SHAPES)}, where default is PT1H5M."
            )

    @property
    def seconds(self) -> int:
        """The seconds of a step: a second, a minute or a day."""
        return {"%d days": DAY, "%H:%M": MINUTE, "%-H:%M": MINUTE}.get(self.form, 1)

    @property
    def shape(self) -> str:
        """A regular expression of a whole text."""
        return rf"(?:{SPAN_SHAPES[self.form]}|([0-9]{{1,12}})(?:[.][0-9]*)?)"

    def read(self, text: str) -> int:
        """Return the steps of a duration, rounded down; ValueError if it is none."""
        if text.endswith(("P", "T")):  # in ISO 8601 a unit comes last
            raise ValueError
        return super().read(text)

    def write(self, step: int) -> str:
        """Return the text of a duration of so many steps (see `seconds`)."""
        if self.form == "%d days":  # whose steps are days
            return "1 day" if step == 1 else f"{step} days"
        minutes, second = divmod(step * self.seconds, MINUTE)
        hours, minute = divmod(minutes, 60)
        days, hour = divmod(hours, 24)
        texts = {
            "%H:%M:%S": f"{hours:02d}:{minute:02d}:{second:02d}",
            "%-H:%M:%S": f"{hours}:{minute:02d}:{second:02d}",
            "%H:%M": f"{hours:02d}:{minute:02d}",
            "%-H:%M": f"{hours}:{minute:02d}",
            "%M:%S": f"{minutes:02d}:{second:02d}",
            "%-M:%S": f"{minutes}:{second:02d}",
            "%d days %H:%M:%S": f"{days} days {hour:02d}:{minute:02d}:{second:02d}",
        }
        return texts.get(self.form) or _write_iso(days, (hour, minute, second))


def _write_iso(days: int, clock: tuple[int, int, int]) -> str:
    """Return a duration in ISO 8601 without parts that are zero, such as P1DT5M."""
    parts = zip(clock, "HMS", strict=True)
    time = "".join(f"{number}{unit}" for number, unit in parts if number)
    if not days and not time:
        return "PT0S"
    day_part = f"{days}D" if days else ""
    return f"P{day_part}T{time}" if time else f"P{day_part}"


def _character(char: str) -> str:
    """Return a character as a regular expression of all engines."""
    if char.isascii() and char.isalnum():
        return char
    return f"[{char}]" if char not in "[]^\\" else f"\\{char}"
