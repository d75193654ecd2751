"""Bins by the calendar: the names and borders that Python's own calendar gives."""

from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth.domain import Date, Domain, Outside, Period, read_schema, write_schema
from synth.errors import DomainError
from synth.private.counting import count
from synth.private.table import open_table
from synth.rows import decode
from tests.tables import write

CALENDAR = {
    Period.DAY: lambda day: day.strftime("%Y-%m-%d"),
    Period.WEEK: lambda day: day.strftime("%G-W%V"),
    Period.MONTH: lambda day: day.strftime("%Y-%m"),
    Period.QUARTER: lambda day: f"{day.year}-Q{(day.month + 2) // 3}",
    Period.YEAR: lambda day: str(day.year),
}
"""How a day's period is called, by strftime and not by our code."""

FIRST, LAST = date(2019, 11, 14), date(2025, 3, 19)
DAYS = [FIRST + timedelta(days=n) for n in range((LAST - FIRST).days + 1)]


def declare_visits(
    period: Period, first: object = FIRST, last: object = LAST, **options: Any
) -> Date:
    """A column of dates in bins by the calendar, from `FIRST` to `LAST` unless said
    otherwise.
    """
    return Date(name="d", minimum=str(first), maximum=str(last), period=period, **options)


def count_by_cell(path: Path, domain: Domain) -> dict[str, int]:
    """How many rows of a table each cell of its first column has, by the name of the cell."""
    counts = count(open_table(path), domain)
    cells = domain.columns[0].cells
    return {
        cells[cell]: rows
        for cell, rows in zip(counts.cells, counts.counts.tolist(), strict=True)
    }


@pytest.mark.parametrize("period", list(Period))
def test_every_day_of_five_years_is_counted_in_its_period(
    period: Period, tmp_path: Path
) -> None:
    """Each day of five years is counted in its day, week, month, quarter or year.

    `CALENDAR` names the periods by strftime, independently of the code under test. The cells
    are these names, in the order of the days.
    """
    name = CALENDAR[period]
    path = write(tmp_path / "t.csv", ["d"], [[str(day)] for day in DAYS])
    column = declare_visits(period)
    assert column.cells == tuple(dict.fromkeys(map(name, DAYS)))
    assert count_by_cell(path, Domain((column,))) == Counter(map(name, DAYS))


@pytest.mark.parametrize("period", list(Period))
def test_every_minute_around_midnight_is_counted_in_its_period(
    period: Period, tmp_path: Path
) -> None:
    """A second before midnight is of the old period, and midnight of the new one.

    The twenty midnights include the turn of the year 2020, whose last week is number 53.
    """
    midnights = [datetime(2020, 12, 28) + timedelta(days=n) for n in range(20)]
    # A second before, at, and noon after each midnight; the first of them is out of bounds.
    moments = [m + timedelta(seconds=s) for m in midnights for s in (-1, 0, 43_200)][1:]
    rows = [[f"{m:%d.%m.%Y %H:%M:%S}"] for m in moments]
    column = declare_visits(
        period,
        "2020-12-28 00:00:00",
        "2021-01-16 23:59:59",
        time=True,
        format="%d.%m.%Y %H:%M:%S",
    )
    path = write(tmp_path / "t.csv", ["d"], rows)
    assert count_by_cell(path, Domain((column,))) == Counter(map(CALENDAR[period], moments))


@pytest.mark.parametrize(
    ("period", "first", "last", "cells"),
    [
        (Period.DAY, "2024-02-28", "2024-03-01", ("2024-02-28", "2024-02-29", "2024-03-01")),
        (Period.DAY, "2023-02-28", "2023-03-01", ("2023-02-28", "2023-03-01")),
        (Period.DAY, "1900-02-28", "1900-03-01", ("1900-02-28", "1900-03-01")),
        (Period.WEEK, "2020-12-31", "2021-01-04", ("2020-W53", "2021-W01")),
        (Period.WEEK, "2024-12-29", "2024-12-30", ("2024-W52", "2025-W01")),
        (Period.WEEK, "1969-12-28", "1969-12-29", ("1969-W52", "1970-W01")),
        (Period.MONTH, "2023-12-31", "2024-01-01", ("2023-12", "2024-01")),
        (Period.QUARTER, "2024-03-31", "2024-07-01", ("2024-Q1", "2024-Q2", "2024-Q3")),
        (Period.YEAR, "0001-01-01", "0002-01-01", ("0001", "0002")),
        (Period.WEEK, "9999-12-20", "9999-12-31", ("9999-W51", "9999-W52")),
        (Period.MONTH, "9999-11-30", "9999-12-31", ("9999-11", "9999-12")),
    ],
)
def test_periods_are_those_of_the_calendar(
    period: Period, first: str, last: str, cells: tuple[str, ...]
) -> None:
    """Leap days, ISO weeks at the turn of the year, and the ends of the calendar are right.

    2024 has a 29 February, 2023 and 1900 have none. An ISO week belongs to the year of its
    Thursday.
    """
    assert declare_visits(period, first, last).cells == cells


def test_the_first_and_last_period_are_cut_off_by_the_bounds() -> None:
    """The first and the last period hold only the days within the bounds.

    From 10 February to 2 April, the first quarter ends on 31 March, and the second has two
    days. Spans count days from 1970-01-01, and hold both ends.
    """
    column = declare_visits(Period.QUARTER, "2024-02-10", "2024-04-02")
    february, april = date(2024, 2, 10).toordinal(), date(2024, 4, 1).toordinal()
    epoch = date(1970, 1, 1).toordinal()
    assert column.spans == (
        (february - epoch, april - epoch - 1),
        (april - epoch, april - epoch + 1),
    )
    assert column.labels == ("2024-Q1", "2024-Q2")


@pytest.mark.parametrize("period", list(Period))
@pytest.mark.parametrize("pattern", ["", "%d/%m/%Y"])
def test_synthetic_dates_lie_in_their_period(period: Period, pattern: str) -> None:
    """A synthetic date lies in the period of its cell and within the bounds, in any format.

    A missing value is none, and a value outside is written as "(other)".
    """
    column = declare_visits(period, missing=True, outside=Outside.CELL, format=pattern)
    codes = np.repeat(np.arange(column.size, dtype=np.int32), 3)
    texts = decode(Domain((column,), ("-",)), [codes]).table["d"].to_pylist()
    for code, text in zip(codes, texts, strict=True):
        if code == column.missing_code:
            assert text is None
        elif code == column.other_code:
            assert text == "(other)"
        else:
            day = datetime.strptime(text, column.pattern).date()
            assert CALENDAR[period](day) == column.cells[code]
            assert FIRST <= day <= LAST


def test_values_outside_and_missing_follow_the_rule(tmp_path: Path) -> None:
    """Each rule counts dates outside the bounds where it says, and no rule touches the
    others.

    The rows are a day before the minimum, a day after the maximum, an empty cell, a text that
    is no date, and the two bounds. The rules move the first two and the fourth.
    """
    texts = ["2019-11-13", "2025-03-20", "", "soon", "2019-11-14", "2025-03-19"]
    path = write(tmp_path / "t.csv", ["d", "n"], [[text, "1"] for text in texts])
    counts_by_rule = {
        rule: count_by_cell(
            path, Domain((declare_visits(Period.YEAR, missing=True, outside=rule),))
        )
        for rule in Outside
    }

    ends = {"2019": 1, "2025": 1}
    assert counts_by_rule[Outside.NEAREST] == {"2019": 2, "2025": 2, "(missing)": 2}
    assert counts_by_rule[Outside.MISSING] == ends | {"(missing)": 4}
    assert counts_by_rule[Outside.CELL] == ends | {"(missing)": 1, "(other)": 3}
    assert counts_by_rule[Outside.DROP] == ends | {"(missing)": 1}


@pytest.mark.parametrize("period", list(Period))
def test_a_period_reloads_equal(period: Period) -> None:
    """A column in bins by the calendar survives a schema, with and without a time of day."""
    for timed in (False, True):
        domain = Domain((declare_visits(period, time=timed),))
        assert write_schema(domain)["fields"][0]["synth:period"] == period.value
        assert read_schema(write_schema(domain)) == domain


def test_a_placeholder_date_has_a_cell_of_its_own(tmp_path: Path) -> None:
    """A date such as 1900-01-01 that stands for "unknown" has a cell of its own (a spike).

    A spike within a month cuts the month in two. Dates outside that are no spike, 1900-01-02
    and 2030-01-01, go to the nearest month. Cells 0 and 3 draw the spikes.
    """
    column = declare_visits(
        Period.MONTH, "2024-01-15", "2024-03-31", spikes=("1900-01-01", "2024-02-10")
    )
    assert column.cells == (
        "1900-01-01",
        "2024-01",
        "2024-02-01 to 2024-02-09",
        "2024-02-10",
        "2024-02-11 to 2024-02-29",
        "2024-03",
    )
    days = [
        "1900-01-01",
        "1900-01-02",
        "2024-02-09",
        "2024-02-10",
        "2024-02-11",
        "2030-01-01",
    ]
    path = write(tmp_path / "t.csv", ["d"], [[day] for day in days])
    assert count_by_cell(path, Domain((column,))) == {
        "1900-01-01": 1,
        "2024-01": 1,
        "2024-02-01 to 2024-02-09": 1,
        "2024-02-10": 1,
        "2024-02-11 to 2024-02-29": 1,
        "2024-03": 1,
    }
    texts = decode(Domain((column,)), [np.arange(6, dtype=np.int32)]).table["d"].to_pylist()
    assert (texts[0], texts[3]) == ("1900-01-01", "2024-02-10")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"last": "2060-01-01"},
            "has 14,659 bins by day, and the limit is 10,000; choose a long",
        ),
        ({"bins": 3}, "declares bins by day and others; keep one"),
        (
            {"edges": ("2019-11-14", "2025-03-19")},
            "declares bins by day and others; keep one",
        ),
        ({"first": "2026-01-01"}, "minimum 2026-01-01 is above maximum 2025-03-19"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], message: str) -> None:
    """Too many days, two ways to cut bins, and bounds in the wrong order are refused."""
    with pytest.raises(DomainError, match=message):
        declare_visits(Period.DAY, **options)
