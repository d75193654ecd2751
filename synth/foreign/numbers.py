"""Numbers of workbooks that mean moments and durations, by their format."""

import re
from datetime import datetime, timedelta

from synth.foreign.cells import cell_text
from synth.foreign.fault import UNREADABLE

DAY_MILLISECONDS = 86_400_000

# The day after 9999-12-31, counted from 1899-12-30.
LAST_DAY = 2_958_466
# 1900-02-29, which exists only in workbooks: earlier days are counted from one day later.
LEAP = 60
# Days from the usual start of dates to that of workbooks of older Macintoshes.
MAC_EPOCH_DAYS = 1_462

DATE = "date"
DURATION = "duration"
# Meanings of the number formats that all workbooks have, by the number of the format.
BUILT_IN = {**dict.fromkeys(map(str, [*range(14, 23), 45, 47]), DATE), "46": DURATION}
_PART = re.compile(
    r'\\.|_.|"[^"]*"?|\[(?P<duration>h+|m+|s+)\]|\[[^\]]*\]?|(?P<end>;)|(?P<date>[dmyhs]|a/p)|.',
    re.IGNORECASE | re.DOTALL,
)


def format_kind(code: str) -> str:
    """Return what a number format of a workbook means, by the first part that decides it.

    It is "date" for dates and times, "duration" for elapsed time, and "" for plain numbers.

    >>> format_kind("yyyy-mm-dd"), format_kind("[h]:mm"), format_kind('0.0 "days"')
    ('date', 'duration', '')
    """
    for part in _PART.finditer(code):
        # Quoted and escaped characters match no named group. A semicolon ends the format of
        # positive numbers.
        if part.lastgroup:
            return {"duration": DURATION, "date": DATE}.get(part.lastgroup, "")
    return ""


def moment_text(number: float, kind: str, start: int = 0) -> str:
    """Return the text of a number that means a moment or a duration; else `UNREADABLE`.

    Args:
        number: Days, counted from 1899-12-30; below 1 a time of day.
        kind: "date" or "duration".
        start: Days to add, in workbooks that count from another day.

    >>> moment_text(43_831.5, DATE), moment_text(0.25, DATE), moment_text(1.5, DURATION)
    ('2020-01-01T12:00:00', '06:00:00', '36:00:00')
    """
    try:
        span = timedelta(milliseconds=round(number * DAY_MILLISECONDS))
        if kind == DURATION:
            return cell_text(span)
        if not 0 <= number < LAST_DAY - start:
            return UNREADABLE
        # Workbooks have a 29 February 1900, which did not exist. So earlier days count from a
        # day later.
        first_day = datetime(1899, 12, 31 if number + start < LEAP else 30)
        moment = first_day + timedelta(start) + span
        return cell_text(moment.time() if number < 1 else moment)
    except (OverflowError, ValueError):
        return UNREADABLE
