"""Declared columns of every kind and rule, and cells as text that are near to them or far."""

from random import Random
from typing import Any

from synth.domain import (
    Binned,
    Boolean,
    Categorical,
    Column,
    Date,
    Domain,
    Duration,
    Integer,
    Number,
    Outside,
    Period,
    TimeOfDay,
)
from tests.fuzz.hostile import FRAGMENTS, NUMBERS
from tests.fuzz.hostile_times import DATES

WORDS = ("a", "b", "x y", "N/A", "é", "ж", "名前", "1", "6", "0.5", "2021-03-04", "#1", '6"')
MISSING = ("", "NA", "-9")
# Texts with a cell of their own among numbers or dates; one of them may be declared missing.
SIGNS = ("<5", ">= 200", "n.d.", "NA", "é")
DATE_PATTERNS = (
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%m/%d/%y",
    "%Y%m%d",
    "%d %b %Y",
    "%Y-%m-%d %H:%M:%S",
    "%-d-%^b-%Y",
    "%a, %B %-d, %Y",
    "%Y/%d/%m",
    "%d.%m.%y",
    "%Y-%m-%d %H:%M:%S%z",
    "%-d.%-m.%y %-I:%M %p %:z",
    "%Y-%m",
    "%b %Y",
    "%Y",
    "%d%^b%Y:%H:%M:%S",
    "%Ym%-m",
)
FURTHER_FORMS = {
    "%Y-%m-%d": ("%d.%m.%Y", "%Y%m%d"),
    "%d %b %Y": ("%Y-%m-%d",),
    "%Y-%m-%d %H:%M:%S": ("%d.%m.%Y %H:%M:%S",),
    "%Y-%m": ("%m/%Y",),
}
"""Forms in which some dates of a column may be written, too, by its pattern."""
CLOCKS = ("%H:%M", "%-H:%M:%S", "%-I:%M %p")
SPANS = ("default", "%-H:%M:%S", "%H:%M", "%M:%S", "%d days", "%d days %H:%M:%S")
ODD_TIMES = (
    "24:00",
    "23:59:60",
    "7:5 pm",
    "1 day, 5:48:13",
    "PT",
    "P1DT",
    "P1Y",
    "-1:00:00",
    "1e3",
    "2024-01-05 10:00:00+14:00",
    "0001-01-01 00:00:00+05:00",
    "9999-12-31 23:59:59-05:00",
    "2024-01-05 10:00:00 +02",
    "2024-01-05 10:00:00+24:00",
    "29.02.00",
)
ODD = (
    *NUMBERS,
    *DATES,
    *FRAGMENTS,
    *MISSING,
    *SIGNS,
    " <5",
    "< 5",
    "N.D.",
    *ODD_TIMES,
    "Out of Memory",
    "Out of Memory Error",
    "#",
    "#N/A",
    "1_000",
    "+1",
    " 1",
    "1 ",
    "0x1F",
    "1e5",
    "1" * 30,
    "123456789012345678",
    "2024-02-30",
    "99999-01-01",
    "\x1a",
    "nan",
    "\u2028",
    "a\0b",
    "=1+1",
)


def domain_of(draw: Random, names: list[str], kinds: list[str] | None = None) -> Domain:
    """A declaration of some columns.

    Args:
        draw: The generator.
        names: The columns.
        kinds: What each of them is likely to be; any kind where nothing is said.
    """
    kinds = kinds or [""] * len(names)
    columns = (column_of(draw, name, kind) for name, kind in zip(names, kinds, strict=True))
    return Domain(tuple(columns), draw.choice([MISSING, MISSING, ("NA",), ()]))


def column_of(draw: Random, name: str, kind: str = "") -> Column:
    """A column of a kind; most keep what is missing and not declared as cells."""
    kind = (
        kind
        if kind and draw.random() < 0.8
        else draw.choice(["list", "bool", "int", "num", "date", "date", "time", "span"])
    )
    rules = [Outside.CELL] * 5 + [Outside.DROP, Outside.MISSING]
    rules += [Outside.NEAREST] * (kind in ("int", "num", "date", "time", "span"))
    outside = draw.choice(rules)
    shared: dict[str, Any] = {
        "name": name,
        "missing": outside is Outside.MISSING or draw.random() < 0.8,
        "missing_values": draw.choice(
            [None] * 5 + [("-9", "", ".a"), ("b", "<5", "1", "no")]
        ),
        "outside": outside,
    }
    if kind == "list":
        # Some of the values may be reasons why one is missing; long lists are looked up.
        words = WORDS if draw.random() < 0.8 else (*WORDS, ".a", *map(str, range(40, 70)))
        is_ordered = draw.random() < 0.2
        return Categorical(categories=words, ordered=is_ordered, **shared)
    if kind == "bool":
        words_of_true = ("yes", "1", "True", "true")
        return Boolean(true_values=words_of_true, false_values=("no", "0", "False"), **shared)
    return binned_column(draw, kind, shared)


def binned_column(draw: Random, kind: str, shared: dict[str, Any]) -> Column:
    """A column of numbers, dates, times of day or durations."""
    if kind in ("int", "num", "date"):
        shared["signs"] = draw.choice([(), SIGNS])
    if kind == "int":
        cuts = draw.choice([{"bins": 12}, {"bins": 12}, {"edges": (-20, 0, 1, 50, 99)}])
        spikes = draw.choice([(), (0, 999)])
        return Integer(minimum=-20, maximum=99, spikes=spikes, **cuts, **shared)
    if kind == "num":
        cuts = draw.choice([{"bins": 10}, {"bins": 10}, {"edges": (0, 0.5, 7, 10)}])
        spikes = draw.choice([(), ("0.5",)])
        return Number(minimum=0, maximum=10, decimals=2, spikes=spikes, **cuts, **shared)
    if kind == "time":
        ends = {"minimum": "06:00", "maximum": "21:59", "bins": 16}
        spikes = draw.choice([(), ("00:00",)])
        return TimeOfDay(format=draw.choice(CLOCKS), spikes=spikes, **ends, **shared)
    if kind == "span":
        ends = {"minimum": "PT0S", "maximum": "P9DT23H59M59S", "bins": 10}
        spikes = draw.choice([(), ("PT0S",)])
        return Duration(format=draw.choice(SPANS), spikes=spikes, **ends, **shared)
    return date_column(draw, shared)


def date_column(draw: Random, shared: dict[str, Any]) -> Date:
    """A column of dates, of moments, or of months or years."""
    pattern = draw.choice(DATE_PATTERNS)
    period = draw.choice([None, None, "year"])
    bins = None
    if not period:
        bins = draw.choice([5, 3]) if pattern == "%Y" else 12
    return Date(
        minimum="2020-01-01",
        maximum="2024-12-31",
        bins=bins,
        period=period and Period(period),
        format=pattern,
        spikes=draw.choice([(), ("2023-01-01",)]),
        time=":%M" in pattern,
        zone=draw.choice(("UTC", "Europe/Berlin", "-03:30")) if pattern.endswith("z") else "",
        pivot=draw.choice((None, 1930)) if "%y" in pattern else None,
        also=draw.choice([(), FURTHER_FORMS.get(pattern, ())]),
        **shared,
    )


def text_of(draw: Random, column: Column | None, decimal: str = ".") -> str:
    """A cell that the column declares; short text where there is no column."""
    if column is not None and column.signs and draw.random() < 0.15:
        return draw.choice(column.signs)
    if isinstance(column, Categorical):
        return draw.choice(WORDS)
    if isinstance(column, Boolean):
        return draw.choice(("yes", "no", "1", "0"))
    if isinstance(column, Integer):
        return str(draw.randint(-20, 99))
    if isinstance(column, Number):
        return draw.choice(
            (str(draw.randint(0, 10)), f"{draw.uniform(0, 10):.2f}", "0.5")
        ).replace(".", decimal)
    if isinstance(column, Date):
        year, month, day = draw.randint(2020, 2024), draw.randint(1, 12), draw.randint(1, 28)
        if column.also and draw.random() < 0.3:
            return write_moment(draw.choice(column.also), year, month, day)
        if column.zone or "-" in column.pattern or "^" in column.pattern:
            text = column.reading.write(draw.randint(*map(int, column.bounds)))
            # Another offset than that of the zone.
            return text.replace("+01", "-09") if draw.random() < 0.3 else text
        return write_moment(column.pattern, year, month, day, draw.randint(0, 23))
    if isinstance(column, Binned):
        return column.reading.write(draw.randint(*map(int, column.bounds)))
    return draw.choice(("", "u", "free text", str(draw.randint(0, 9999))))


def write_moment(pattern: str, year: int, month: int, day: int, hour: int = 0) -> str:
    """A moment as a pattern writes it."""
    from datetime import datetime

    return datetime(year, month, day, hour, 0, 7).strftime(pattern)


def cell_of(draw: Random, column: Column | None, decimal: str = ".", odd: float = 0.1) -> str:
    """A declared cell, or now and then an odd one."""
    return draw.choice(ODD) if draw.random() < odd else text_of(draw, column, decimal)
