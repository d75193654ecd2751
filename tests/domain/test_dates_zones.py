"""Dates with offsets by one clock, and two digits of a year by a pivot."""

from fractions import Fraction
from typing import Any

import pytest

import synth
from synth.domain import Date, Domain, Period, read_field, write_field
from synth.errors import DomainError

STAMP = "%Y-%m-%d %H:%M:%S%z"


def declare_stamps(**options: Any) -> Date:
    """A column of moments in 2024 by the clock of Berlin, unless said otherwise."""
    given = {"minimum": "2024-01-01", "maximum": "2024-12-31T23:59:59", "format": STAMP}
    zone = {"zone": "Europe/Berlin", "time": True}
    return Date(**({"name": "seen"} | given | zone | options))


def _reads(column: Date, text: str) -> bool:
    try:
        column.reading.read(text)
    except ValueError:
        return False
    return True


def test_each_text_is_read_by_its_own_offset() -> None:
    """Five spellings of one moment, each with its own offset from UTC, are read as the
    same.
    """
    column = declare_stamps()
    texts = [
        "2024-07-25 14:25:00+0200",
        "2024-07-25 12:25:00Z",
        "2024-07-25 04:25:00-08:00",
        "2024-07-25 12:25:00+00",
        "2024-07-25 12:25:00utc",
    ]
    (step,) = {column.reading.read(text) for text in texts}
    assert column.reading.write(step) == texts[0]
    for odd in ("2024-07-25 12:25:00", "2024-07-25 12:25:00 Z", "2024-07-25 12:25:00+2400"):
        assert not _reads(column, odd)


def test_days_are_those_of_the_clock() -> None:
    """The day on which summer time begins has 23 hours, and the one on which it ends 25."""
    column = declare_stamps(period=Period.DAY, minimum="2024-03-30", maximum="2024-10-28")
    hours = {
        label: (last - first + 1) / 3600
        for label, (first, last) in zip(column.labels, column.spans, strict=True)
    }
    assert (hours["2024-03-31"], hours["2024-04-01"], hours["2024-10-27"]) == (23, 24, 25)
    assert column.cutting.even is None
    assert declare_stamps(period=Period.DAY, zone="+05:30").cutting.even is not None


def test_the_hour_that_repeats_has_two_names() -> None:
    """When clocks are set back, an hour comes twice; its two bins have different labels."""
    edges = ("2024-10-27T00:30:00Z", "2024-10-27T01:00:00Z", "2024-10-27T01:30:00Z")
    column = declare_stamps(minimum=edges[0], maximum=edges[2], edges=edges)
    assert len({*column.labels}) == 2
    assert column.labels[0].startswith("2024-10-27 02:30:00+02:00 to ")


def test_bounds_and_questions_are_by_the_clock_or_by_an_offset() -> None:
    """A date without an offset is read by the clock of the column's zone, else by its
    offset.
    """
    column = declare_stamps()
    assert column.position("2024-07-25T14:25") == column.position("2024-07-25T12:25Z")
    place = column.position("2024-07-25 04:25:00-08:00")
    assert column.write_position(place) == "2024-07-25T14:25:00+02:00"
    assert column.position(column.write_position(place + Fraction(1, 2))) == place + Fraction(
        1, 2
    )
    assert declare_stamps(minimum="2023-12-31T23:00Z").bounds == column.bounds


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"zone": ""}, r"has an offset \(%z\), so it needs a zone by whose clock"),
        ({"format": "%Y-%m-%d %H:%M"}, "declares the zone Europe/Berlin, and its format"),
        ({"zone": "Nowhere"}, "Column 'seen': The time zone 'Nowhere' is not known"),
        ({"format": "%Y-%m-%d %H%z"}, "it lacks the minute"),
        ({"format": "%z %Y-%m-%d %H:%M"}, "an offset must come last"),
        ({"time": False}, "it is a column of dates with a time of day"),
        ({"pivot": 1930}, "declares a pivot for years of two digits"),
    ],
)
def test_an_offset_and_a_zone_come_together(options: dict[str, Any], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        declare_stamps(**options)


def test_a_pivot_or_the_bounds_say_the_century() -> None:
    """The bounds, or the pivot, decide which century a year of two digits is in."""
    born = {"name": "born", "minimum": "1930-01-01", "maximum": "2012-12-31"}
    by_bounds = Date(**born, format="%d.%m.%y")
    by_pivot = Date(**(born | {"minimum": "1950-01-01"}), format="%d.%m.%y", pivot=1920)
    for column in (by_bounds, by_pivot):
        assert column.write_position(column.position("19.10.44")) == "1944-10-19"
        assert column.reading.write(column.reading.read("19.10.44")) == "19.10.44"
    assert by_pivot.reading.years == range(1920, 2020)
    assert Date(**(born | {"minimum": "1970-01-01"}), format="%d.%m.%y").first_year == 1969
    # 2000 was a leap year, and 1900 was none.
    early = Date(
        **(born | {"minimum": "1900-01-01", "maximum": "1990-01-01"}), format="%d.%m.%y"
    )
    assert _reads(by_bounds, "29.02.00")
    assert not _reads(early, "29.02.00")


@pytest.mark.parametrize("pivot", [0, 9_999])
def test_a_pivot_is_a_year(pivot: int) -> None:
    with pytest.raises(DomainError, match="the pivot is the first year that two digits mean"):
        Date(name="b", minimum="1930-01-01", maximum="1931-01-01", format="%y", pivot=pivot)


def test_fields_and_python_declare_them() -> None:
    """Zones and pivots survive as a field of a schema, and can be declared in Python."""
    for column in (
        declare_stamps(),
        Date(name="b", minimum="1950-01-01", maximum="2012-12-31", format="%y", pivot=1920),
    ):
        assert read_field(write_field(column), 1) == column
    made = synth.Date(
        "2024-01-01", "2024-12-31T23:59:59", time=True, format=STAMP, zone="Europe/Berlin"
    )
    assert Domain(seen=made)["seen"] == declare_stamps()
    with pytest.raises(DomainError, match="'synth:pivot' must be a year such as 1930"):
        read_field({**write_field(column), "synth:pivot": "1930"}, 1)
    with pytest.raises(DomainError, match="'synth:zone' must be a zone such as UTC"):
        read_field({**write_field(column), "synth:zone": 2}, 1)
