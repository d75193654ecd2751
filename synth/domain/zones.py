"""Time zones that columns are declared in: UTC, a fixed offset, or a name. PUBLIC.

Names such as Europe/Berlin need a list of time zones, which an operating system or the
package `tzdata` brings. UTC and fixed offsets work everywhere. Offsets are rounded down to
whole minutes, as texts write them; only clocks before about 1950 have others.

>>> offset_at("+02:00", 0), offset_text(-5 * 3600 - 1800)
(7200, '-05:30')
>>> first_second("+02:00", 7200)
0
"""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from synth.domain.date_patterns import OFFSET, offset_of
from synth.errors import DomainError

MINUTE = 60
DAY = 24 * 3600
EPOCH_UTC = datetime(1970, 1, 1, tzinfo=UTC)
# Clocks are asked within these days only, as Python has no date beyond.
_FIRST = -62_135_596_800 + 2 * DAY
_LAST = 253_402_300_799 - 2 * DAY
# Changes of clocks are listed from 1900 to 2100, in seconds since 1970.
CLOCK_RANGE = (-2_208_988_800, 4_102_444_800)
# No zone changes its clock twice within so many seconds.
_SEARCH_STEP = 7 * DAY

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,3}")


class ClockChange(NamedTuple):
    """A moment from which a zone's clock has another offset.

    Attributes:
        second: The moment, in seconds since 1970 in UTC.
        offset: The offset from then on, in seconds.
    """

    second: int
    offset: int

    @property
    def clock_second(self) -> int:
        """The moment by the clock that has changed, in seconds since 1970-01-01."""
        return self.second + self.offset


@lru_cache(maxsize=256)
def read_zone(name: str) -> tzinfo:
    """Return the time zone of a name or an offset.

    Raises:
        DomainError: There is no such zone on this computer.

    >>> read_zone("UTC"), read_zone("-05:30").utcoffset(None) == timedelta(hours=-5.5)
    (datetime.timezone.utc, True)
    """
    if OFFSET.fullmatch(name):
        return timezone(offset_of(name))
    try:
        if not _NAME.fullmatch(name):
            raise ZoneInfoNotFoundError
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise DomainError(
            f"The time zone '{name}' is not known on this computer: write UTC, an offset "
            "such as +02:00, or a name such as Europe/Berlin. On Windows names need the "
            "package tzdata."
        ) from None


def is_fixed(name: str) -> bool:
    """Return whether a zone has one offset for all times, as UTC and +02:00 have."""
    return isinstance(read_zone(name), timezone)


def offset_at(name: str, second: int) -> int:
    """Return a zone's offset from UTC in whole minutes, as seconds.

    `second` is the moment, in seconds since 1970 in UTC.
    """
    moment = EPOCH_UTC + timedelta(seconds=min(max(second, _FIRST), _LAST))
    return _whole_minutes(moment.astimezone(read_zone(name)))


def first_second(name: str, clock_second: int) -> int:
    """Return the first moment at which a zone's clock shows a time, in seconds since 1970.

    A time that the clock skips in spring is the moment as the clock before would have it.

    Args:
        name: The zone.
        clock_second: The time by the clock, in seconds since 1970-01-01 of that clock.
    """
    moment = datetime(1970, 1, 1) + timedelta(seconds=min(max(clock_second, _FIRST), _LAST))
    return clock_second - _whole_minutes(moment.replace(tzinfo=read_zone(name)))


def _whole_minutes(moment: datetime) -> int:
    offset = moment.utcoffset() or timedelta(0)
    return offset // timedelta(seconds=MINUTE) * MINUTE


def offset_text(offset: int) -> str:
    """Return an offset in seconds as texts write it, such as +02:00."""
    hours, minutes = divmod(abs(offset) // MINUTE, 60)
    sign = "-" if offset < 0 else "+"
    return f"{sign}{hours:02d}:{minutes:02d}"


@lru_cache(maxsize=64)
def clock_changes(name: str) -> tuple[ClockChange, ...]:
    """Return the offsets of a zone from 1900 to 2100, each with its beginning, in order.

    >>> clock_changes("+01:00")
    (ClockChange(second=-2208988800, offset=3600),)
    """
    first, last = CLOCK_RANGE
    changes = [ClockChange(first, offset_at(name, first))]
    if is_fixed(name):
        return tuple(changes)
    for start in range(first, last, _SEARCH_STEP):
        end = start + _SEARCH_STEP
        offset = offset_at(name, end)
        if offset != changes[-1].offset:
            changes.append(ClockChange(_find_change(name, start, end), offset))
    return tuple(changes)


def _find_change(name: str, start: int, end: int) -> int:
    """Return the first second with the offset of `end`, which is not that of `start`."""
    offset = offset_at(name, end)
    while end - start > 1:
        middle = (start + end) // 2
        if offset_at(name, middle) == offset:
            end = middle
        else:
            start = middle
    return end
