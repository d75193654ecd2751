"""How the text of a cell is read, and where values are cut into cells, as descriptions.

The reader of rows translates the description for its engine (`synth.private.counting.sql`);
the writer of rows has faster ways for many values (`synth.rows`). Both must agree with `read`
and `write`.

>>> (
...     Decimal(2).read("0.5"),
...     Moment("%d.%m.%Y", DAY).write(365),
...     Listed((("no", "0"),)).read("0"),
... )
(50, '01.01.1971', 0)
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, NamedTuple

from synth.domain.date_patterns import (
    EPOCH,
    MONTHS_IN_YEAR,
    OFFSET,
    SHORT_YEARS,
    directives_of,
    months_in_step,
    plain_pattern,
    read_since_1970,
    split_pattern,
    write_moment,
)

if TYPE_CHECKING:
    from synth.domain.zones import ClockChange

# Seconds.
DAY = 86_400

# A position in units of reading: an exact whole number, or a double.
Position = int | float


class Reading(ABC):
    """How texts of a column are read.

    A step is the smallest distance of two different values of the column.
    """

    @abstractmethod
    def read(self, text: str) -> int:
        """Return a text's value as a number of steps, or its position in a list.

        Raises:
            ValueError: It is no value of the column.
        """

    @abstractmethod
    def write(self, step: int) -> str:
        """Return a text of a value."""

    def may_read(self, text: str) -> bool:
        """Return False only if a text is certainly no value: here, if it has no digit."""
        return any(map(str.isdigit, text))


@dataclass(frozen=True)
class Listed(Reading):
    """Values of a list, each with its spellings; the first is written."""

    spellings: tuple[tuple[str, ...], ...]

    def read(self, text: str) -> int:
        """Return the position of the value that has this spelling; ValueError if none has."""
        for code, texts in enumerate(self.spellings):
            if text in texts:
                return code
        raise ValueError

    def write(self, step: int) -> str:
        """Return the first spelling of a value."""
        return self.spellings[step][0]

    def may_read(self, text: str) -> bool:
        """Return whether a text is in the list."""
        return any(text in texts for texts in self.spellings)


@dataclass(frozen=True)
class Whole(Reading):
    """A whole number."""

    def read(self, text: str) -> int:
        """Return the number."""
        return int(text)

    def write(self, step: int) -> str:
        """Return the text of a number."""
        return str(step)


@dataclass(frozen=True)
class Decimal(Reading):
    """A number; in synthetic rows with this many digits after the point."""

    places: int

    def read(self, text: str) -> int:
        """Return the nearest step of a number."""
        return round(float(text) * int(10**self.places))

    def write(self, step: int) -> str:
        """Return the text of a number."""
        return repr(step / 10**self.places)


@dataclass(frozen=True)
class Moment(Reading):
    """A date by a strftime pattern, in steps of some seconds since 1970-01-01.

    A pattern without a day tells only months or years apart; such a text means their first
    day, and a text of a date is that of its month or year. A fraction of a second is rounded
    down.

    With an offset in the pattern (``%z``) each text says its own offset, steps count in UTC,
    and texts are written by the clock of one zone, with its offset.

    Attributes:
        pattern: The pattern.
        seconds: The seconds of a step.
        first_year: The first of the hundred years that two digits may mean.
        zone: The zone of written texts with an offset: UTC, +02:00 or Europe/Berlin.
        others: Further patterns, by which a text is read that the pattern does not read.

    Raises:
        DomainError: The pattern holds something that cannot be read and written.

    >>> months = Moment("%m/%Y", DAY)
    >>> months.write(40), months.read("02/1970"), months.floor(40)
    ('02/1970', 31, 31)
    >>> months.value_number(40), months.first_step(-1)
    (1, -31)
    >>> zoned = Moment("%Y-%m-%d %H:%M%z", 60, zone="+02:00")
    >>> zoned.read("1970-01-01 00:00Z"), zoned.write(0)
    (0, '1970-01-01 02:00+0200')
    """

    pattern: str
    seconds: int
    first_year: int = SHORT_YEARS.start
    zone: str = "UTC"
    others: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the pattern."""
        split_pattern(self.pattern)

    @property
    def has_offsets(self) -> bool:
        """Whether each text says its own offset from UTC."""
        return "%z" in directives_of(self.pattern)

    @property
    def is_usual(self) -> bool:
        """Whether Arrow and others read and write its texts alike: by the pattern alone."""
        directives = directives_of(self.pattern)
        has_other_years = "%y" in directives and self.first_year != SHORT_YEARS.start
        is_plain = plain_pattern(self.pattern) == self.pattern
        return is_plain and not has_other_years and not directives & {"%f", "%z"}

    @property
    def years(self) -> range:
        """The years that a text can say."""
        if "%y" not in directives_of(self.pattern):
            return range(datetime.min.year, datetime.max.year + 1)
        return range(self.first_year, self.first_year + len(SHORT_YEARS))

    @property
    def months(self) -> int:
        """The months between two values of the pattern; 0 if it says the day."""
        return months_in_step(self.pattern)

    def read(self, text: str) -> int:
        """Return the step of a date's text, rounded down; ValueError if it is no such date.

        A step is `self.seconds` seconds long, and step 0 begins on 1970-01-01.
        """
        gap = self._read_first(text)
        return (gap.days * DAY + gap.seconds) // self.seconds

    def _read_first(self, text: str) -> timedelta:
        """Return the time since 1970 of a text by the first pattern that reads it."""
        for pattern in (self.pattern, *self.others):
            try:
                return read_since_1970(text, pattern, self.first_year)
            except ValueError:
                continue
        raise ValueError

    def write(self, step: int) -> str:
        """Return the text of a step."""
        if not self.has_offsets:
            return write_moment(self._moment(step), self.pattern)
        second = step * self.seconds
        offset = timedelta(seconds=self._offset_at(second))
        # The clock may show a time of the years 1 to 9999 while it is another year in UTC.
        clock = EPOCH + (timedelta(seconds=second) + offset)
        text = write_moment(clock.replace(tzinfo=timezone(offset)), self.pattern)
        # In the zone Z the offset is written as that letter.
        return OFFSET.sub("Z", text) if self.zone == "Z" else text

    @property
    def clock_changes(self) -> "tuple[ClockChange, ...]":
        """The offsets of the zone from 1900 to 2100, each with its beginning, in order."""
        from synth.domain.zones import clock_changes

        return clock_changes(self.zone)

    def clock_second(self, step: int) -> int:
        """Return the time of a step by the clock of the zone, in seconds since 1970-01-01.

        Without an offset in the pattern all times are by one clock.
        """
        second = step * self.seconds
        if not self.has_offsets:
            return second
        return second + self._offset_at(second)

    def _offset_at(self, second: int) -> int:
        """Return the offset of the zone at a second since 1970-01-01 UTC, in seconds."""
        from synth.domain.zones import offset_at

        return offset_at(self.zone, second)

    def value_number(self, step: int) -> int:
        """Return the number of the value that a step belongs to, in the order of values.

        If the pattern tells months or years only, it is the number of the month or year since
        1970; else it is the step itself. `self.months` is 0 for a pattern with a day.
        """
        if not self.months:
            return step
        moment = self._moment(step)
        months = (moment.year - EPOCH.year) * MONTHS_IN_YEAR + moment.month - 1
        return months // self.months

    def first_step(self, number: int) -> int:
        """Return the first step of a value by its number; inverse of `value_number`.

        For a pattern without a day, it is the step of the first day of a month or year.
        """
        if not self.months:
            return number
        years, month = divmod(number * self.months, MONTHS_IN_YEAR)
        year = EPOCH.year + years
        # Python has no date after the year 9999, so this is the day after its last one.
        is_after_calendar = year > datetime.max.year
        day = datetime.max if is_after_calendar else datetime(year, month + 1, 1)
        days = (day - EPOCH).days + int(is_after_calendar)
        return days * DAY // self.seconds

    def floor(self, step: int) -> int:
        """Return the step that the text of this one is read as."""
        return self.first_step(self.value_number(step))

    def _moment(self, step: int) -> datetime:
        return EPOCH + timedelta(seconds=step * self.seconds)


@dataclass(frozen=True, kw_only=True)
class FormulaValues:
    """Possible values of a column or a part of a formula, in addition to a missing one.

    Attributes:
        kind: ``number``, ``text``, ``truth`` or ``date``, which is a number of days since
            1970.
        low: The least number.
        high: The largest number.
        whole: Whether all numbers are whole.
        texts: All texts, in order.
        may_fail: Whether it may divide by zero.
    """

    kind: str
    low: float = 0
    high: float = 1
    whole: bool = False
    texts: tuple[str, ...] = ()
    may_fail: bool = False


class Spike(NamedTuple):
    """A value with a cell of its own.

    Attributes:
        code: Its code.
        low: Its lower end, inside.
        high: Its upper end, outside; None for the value ``low`` alone.
    """

    code: int
    low: Position
    high: Position | None


class Bin(NamedTuple):
    """A bin.

    Attributes:
        code: Its code.
        low: The lowest value in it.
    """

    code: int
    low: Position


class Even(NamedTuple):
    """Bins whose number follows by arithmetic.

    Unit d = floor((value - offset) / unit) - first is in bin floor(((d + 1) bins - 1) /
    values): bin i begins at unit floor(i * values / bins).

    Attributes:
        offset: Where the units begin.
        unit: The size of a unit.
        first: The number of the first unit.
        bins: The number of bins.
        values: The number of units in them.
    """

    offset: int
    unit: int
    first: int
    bins: int
    values: int


@dataclass(frozen=True, kw_only=True)
class Cutting:
    """Where values, in units of reading, are cut into cells.

    Attributes:
        low: The least value within the bounds.
        high: The greatest one, or, with ``open_above``, the least one above them.
        open_above: Whether ``high`` is outside the bounds.
        spikes: Checked first, inside the bounds or not.
        bins: All bins, ascending; a value inside the bounds that is no spike is in one.
        even: The bins by arithmetic, if it gives exactly the same; else None.
        ends: The codes of values below and above the bounds; None if they count as unknown.
    """

    low: Position
    high: Position
    open_above: bool
    spikes: tuple[Spike, ...]
    bins: Sequence[Bin]
    even: Even | None
    ends: tuple[int, int] | None


class Summable(NamedTuple):
    """How to add the values of a column, in units of reading.

    Attributes:
        low: The least value within the bounds.
        high: The greatest one; for dates, the start of the last.
        unit: The distance of two values, to which they are rounded down; None for real
            numbers.
        first: The code of the first cell within the bounds.
        last: The code of the last cell within the bounds.
    """

    low: float
    high: float
    unit: float | None
    first: int
    last: int
