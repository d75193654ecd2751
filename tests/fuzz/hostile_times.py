"""Hostile columns of dates, times of day and durations, and texts that are nearly theirs."""

import re
from datetime import datetime, timedelta
from random import Random
from typing import Any

from synth.domain import Date, Duration, Period, TimeOfDay

PATTERNS = [
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%d/%m/%y",
    "%Y%m%d",
    "%d %b %Y",
    "%B %d, %Y",
    "%Y/%j",
    "%Y-%m-%dT%H:%M:%S",
    "%d.%m.%Y %H:%M",
    "%m/%d/%Y %I:%M %p",
    "%a %d %b %Y",
    "it's %Y.%m.%d",
    "%Y\\%m\\%d",
    "'%Y'%m'%d'",
    "%Y-%m-%d %% {} :p0 $1",
    "%Y[%m](%d)",
    "%Y年%m月%d日",
    "%A, %d %B %Y",
    "%Y-%m-%d %H:%M:%S.%f",
    "%Y-%m",
    "%m/%Y",
    "%b %Y",
    "%B %Y",
    "%b-%y",
    "%Y",
    "%d-%b-%y",
    "%d%b%Y",
    "%Y/%m/%d %I:%M:%S%p",
    "%Y-%m-%dT%H:%M:%S,%f+02:00",
    "%Y-%m-%d %H:%MZ",
    "%-d-%^b-%Y",
    "%_a, %-d.%-m.%Y",
    "%Y/%d/%m",
    "%d.%m.%y",
    "%Y-%m-%d %H:%M:%S%z",
    "%Y-%m-%dT%H:%M%:z",
    "%-d/%-m/%Y %-I:%M %p %-z",
    "%H:%M %d.%m.%Y",
    "%d %b %H:%M:%S %Y",
]
# Forms in which some dates of a column may be written, too, by its pattern.
FURTHER_FORMS = {
    "%Y-%m-%d": ("%d.%m.%Y", "%Y%m%d"),
    "%d/%m/%y": ("%Y-%m-%d",),
    "%d %b %Y": ("%Y-%m-%d", "%d. %B %Y"),
    "%d.%m.%Y %H:%M": ("%Y-%m-%dT%H:%M",),
    "%Y-%m": ("%m/%Y",),
}
ZONES = ("UTC", "Z", "+05:30", "Europe/Berlin", "America/New_York")
OFFSETS = (
    "Z",
    "z",
    "UTC",
    "gmt",
    "+00",
    "-05:00",
    "+0530",
    "+14:00",
    "-2359",
    "+24:00",
    "+1",
)
OFFSETS += ("+05:3", " +02:00", "+02:00 ", "+02:00x", "\u2212" + "05:00", "CET")
DATES = [
    "24-01-05",
    "0024-01-05",
    "0000-01-01",
    "0001-01-01",
    "9999-12-31",
    "10000-01-01",
    "infinity",
    "-infinity",
    "epoch",
    "2024-1-5",
    "2024-02-30",
    "2023-02-29",
    "2024-01-05x",
    "2024-01-05 ",
    "\t2024-01-05",
    "2024-01-05\n",
    "２０２４-01-05",
    "2024105",
    "202415",
    "2024366",
    "2023366",
    "2024-13-01",
    "2024/366",
    "2024/0",
    "1.1.2024",
    "1/1/4",
    "31/12/69",
    "31/12/68",
    "5  jan 2024",
    "5 JANUARY 2024",
    "May 5, 2024",
    "2024-01-05T24:00:00",
    "2024-01-05T23:59:60",
    "1/5/2024 12:00 am",
    "1/5/2024 0:00 AM",
    "2024-01-05\0",
    "-2024-01-05",
    "+2024-01-05",
    "1900-01-01",
    "1970-01-01",
]
CLOCKS = ("%H:%M:%S", "%H:%M", "%-H:%M:%S.%f", "%-I:%M %p", "%I:%M:%S%_p", "%Hh%M", "%H.%M")
TIMES = [
    "7:05",
    "07:05:09",
    "7:5 pm",
    "07:05 PM",
    "07:05PM",
    "07:05  am",
    "07:05\tpm",
    "12:00 am",
    "12:30:15 Pm",
    "0:00 am",
    "13:00 pm",
    "00:00",
    "23:59:59",
    "23:59:60",
    "24:00",
    "24:00:00",
    "9.30",
    "9h30",
    "0930",
    "7:05:09.999999999",
    "7:05:09,5",
    "7:05:09.",
    "7:05:09.1234567890",
    "-7:05",
    "7:60",
    "7:05:9",
    "007:05",
    "٧:٠٥",
    "7: 05",
    "7:05 a.m.",
]
SPANS = ("default", "%-H:%M:%S", "%H:%M", "%M:%S", "%d days", "%d days %H:%M:%S")
DURATIONS = [
    "PT5M",
    "P1DT2H3M4S",
    "P2D",
    "P",
    "PT",
    "P1DT",
    " PT5M ",
    "PT5M\t",
    "pt5m",
    "P1Y",
    "P1M",
    "-PT5M",
    "PT4.9S",
    "PT4,9S",
    "PT.5S",
    "PT1H1S",
    "PT999999999S",
    "PT9999999999S",
    "1 day, 5:48:13",
    "2 days, 0:00:00",
    "1 days 05:48:13",
    "3 days",
    "1 day",
    "0 days",
    "3 days ",
    "3days",
    "3.5 days",
    "26:05:00",
    "1:05",
    "90:30",
    "1234567:00:00",
    "12345678:00:00",
    "-1:00:00",
    "5400",
    "5400.",
    "5400.75",
    "0.5",
    "1e3",
    "+90",
    "999999999999",
    "9999999999999",
]
# Positions of the year 2000 in each format of durations lie below this many seconds.
LONGEST_SECONDS = 4 * 86_400


def date_column(draw: Random, shared: dict[str, Any]) -> Date:
    """A column of dates or moments, in any form."""
    pattern = draw.choice(PATTERNS)
    is_zoned = pattern.endswith("z")
    period = draw.choice([None, None, Period.YEAR])
    return Date(
        minimum="1969-01-01",
        maximum="2024-03-01",
        bins=None if period else draw.choice([3, 20]),
        period=period,
        format=pattern,
        time="%H" in pattern or "I" in pattern,
        spikes=draw.choice([(), ("2024-01-01",)]),  # all patterns write it
        zone=draw.choice(ZONES) if is_zoned else "",
        pivot=draw.choice((None, 1930)) if "%y" in pattern else None,
        also=draw.choice([(), FURTHER_FORMS.get(pattern, ())]),
        **shared,
    )


def clock_column(draw: Random, shared: dict[str, Any]) -> TimeOfDay:
    """A column of times of day."""
    spikes = draw.choice([(), ("00:00",)])
    ends = {"minimum": "00:00", "maximum": "21:30"}
    bins = draw.choice([3, 24])
    return TimeOfDay(format=draw.choice(CLOCKS), bins=bins, spikes=spikes, **ends, **shared)


def span_column(draw: Random, shared: dict[str, Any]) -> Duration:
    """A column of durations."""
    spikes = draw.choice([(), ("PT0S",)])
    ends = {"minimum": "PT0S", "maximum": "P3D"}
    bins = draw.choice([2, 4])
    return Duration(format=draw.choice(SPANS), bins=bins, spikes=spikes, **ends, **shared)


def texts_near(draw: Random, column: Date | TimeOfDay | Duration) -> list[str]:
    """Texts that are values of a column of times, or nearly."""
    if isinstance(column, Date):
        own_texts = [write_date(draw, column) for _ in range(len(DATES) + 2)]
        return [*DATES, *DATES, *own_texts]
    texts, longest = (TIMES, 86_400)
    if isinstance(column, Duration):
        texts, longest = (DURATIONS, LONGEST_SECONDS)
    steps = [draw.randrange(longest) // column.reading.seconds for _ in range(12)]
    return [*texts, *map(column.reading.write, steps)]


def write_date(draw: Random, column: Date) -> str:
    """A date in a form of its column, zeros in front or not, with any offset."""
    moment = datetime(1968, 1, 1) + timedelta(seconds=draw.randrange(60 * 366 * 86_400))
    pattern = draw.choice((column.pattern, *column.also))
    is_zoned = pattern.endswith("z")
    if draw.random() < 0.1:  # a day alone, which may be a midnight
        pattern = pattern.partition("T%")[0].partition(" %H")[0].partition(" %I")[0]
    if is_zoned:
        pattern = re.sub("%[-:]?z$", "", pattern)
    written = moment.strftime(pattern)
    if is_zoned:
        written += draw.choice(OFFSETS)
    return written.replace("0", "", 1) if draw.random() < 0.1 else written
