"""Columns of every kind and option, with texts that are their values or nearly.

`tests/counting/test_sql_kinds.py` asks for a column here for each kind that there is.
"""

from synth.domain import (
    Boolean,
    Categorical,
    Column,
    Date,
    Duration,
    Integer,
    Number,
    Outside,
    Period,
    TimeOfDay,
)

YEARS = {"minimum": "2000-01-01", "maximum": "2024-12-31"}
HOURS = {"minimum": "06:00", "maximum": "21:59", "bins": 16}
SPANS = {"minimum": "PT0S", "maximum": "P3D", "bins": 3}
KEPT = {"missing": True, "outside": Outside.CELL}
GRADES = tuple(f"g{number}" for number in range(30))

KINDS: dict[str, tuple[Column, tuple[str, ...]]] = {
    "few values": (
        Categorical(name="c", categories=("a", "b"), **KEPT),
        ("a", "b", " a ", "A", "", "NA", "c"),
    ),
    "many values in order": (
        Categorical(name="c", categories=GRADES, ordered=True, **KEPT),
        (*GRADES, "g30", "g1 ", ""),
    ),
    "a list that only labels": (
        Categorical(name="c", categories=("1", "5"), is_open=True, **KEPT),
        ("1", "5", "3", "", "NA"),
    ),
    "labelled reasons of missing values": (
        Categorical(
            name="c",
            categories=("1", "2", "8", "9"),
            meanings={"1": "no", "2": "yes"},
            missing_values=("8", "9", "-7", ""),
            missing_meanings={"8": "refused", "9": "unknown", "-7": "left out"},
            **KEPT,
        ),
        ("1", "2", "8", "9", "-7", " 8", "8.0", "", "NA"),
    ),
    "reasons beside yes and no": (
        Boolean(
            name="c",
            true_values=("yes", "1"),
            false_values=("no", "0"),
            missing_values=("9", ""),
            missing_meanings={"9": "refused"},
            **KEPT,
        ),
        ("yes", "no", "1", "0", "9", "", "YES", " yes"),
    ),
    "whole numbers with signs and codes": (
        Integer(
            name="c",
            minimum=0,
            maximum=99,
            bins=10,
            spikes=(0, 999),
            signs=("<5", "n.d."),
            missing_values=("n.d.", "98", "97", ""),
            missing_meanings={"98": "refused", "n.d.": "not found"},
            **KEPT,
        ),
        (
            "0",
            "1",
            "42",
            "42.0",
            "<5",
            " <5",
            "< 5",
            "98",
            "98.0",
            "97",
            "n.d.",
            "999",
            "",
            "x",
        ),
    ),
    "whole numbers at edges": (
        Integer(
            name="c", minimum=0, maximum=99, edges=(0, 18, 65, 99), outside=Outside.NEAREST
        ),
        ("-3", "0", "17", "18", "17.5", "64", "65", "99", "100", "1e2", "1_0"),
    ),
    "numbers": (
        Number(
            name="c",
            minimum=0,
            maximum=10,
            bins=10,
            decimals=2,
            spikes=("2.5",),
            signs=(">10",),
            **KEPT,
        ),
        (
            "0",
            "2.5",
            "2.50",
            "2.4999",
            "10",
            "10.0001",
            ">10",
            "1e1",
            "inf",
            "nan",
            "",
            "1,5",
        ),
    ),
    "dates": (
        Date(name="c", bins=25, signs=("unknown",), spikes=("2020-02-29",), **YEARS, **KEPT),
        ("2000-01-01", "2020-02-29", "2024-12-31", "2025-01-01", "2024-1-5", "unknown", ""),
    ),
    "dates with reasons": (
        Date(
            name="c",
            bins=5,
            signs=("98", "unknown"),
            missing_values=("98", "unknown", ""),
            missing_meanings={"98": "refused"},
            format="%Y%m%d",
            **YEARS,
            **KEPT,
        ),
        ("20000101", "20241231", "98", "unknown", " unknown", "Unknown", "", "NA", "2024"),
    ),
    "two forms of dates": (
        Date(name="c", bins=25, also=("%d.%m.%Y", "%Y%m%d"), **YEARS, **KEPT),
        ("2020-05-01", "01.05.2020", "1.5.2020", "20200501", "5/1/2020", "31.12.2024", ""),
    ),
    "weekdays, and capitals": (
        Date(name="c", bins=25, format="%A, %-d %^b %Y", **YEARS, **KEPT),
        (
            "Friday, 5 JAN 2024",
            "friday, 05 jan 2024",
            "Fri, 5 JAN 2024",
            "Montag, 5 JAN 2024",
        ),
    ),
    "the year, the day and then the month": (
        Date(name="c", bins=25, format="%Y/%d/%m", **YEARS, **KEPT),
        ("2024/31/01", "2024/01/31", "2024/2/1", "2024-02-01"),
    ),
    "two digits of a year": (
        Date(
            name="c",
            minimum="1930-01-01",
            maximum="2024-12-31",
            period=Period.YEAR,
            format="%d.%m.%y",
            pivot=1930,
            **KEPT,
        ),
        ("05.01.44", "5.1.29", "05.01.30", "31.12.99", "01.01.00", "01.01.2000", ""),
    ),
    "months": (
        Date(name="c", period=Period.QUARTER, format="%m/%Y", **YEARS, **KEPT),
        ("01/2000", "12/2024", "1/2001", "13/2000", "01/2025"),
    ),
    "moments with a second form": (
        Date(
            name="c",
            time=True,
            bins=50,
            format="%Y-%m-%d %H:%M:%S",
            also=("%d.%m.%Y %H:%M",),
            **YEARS,
            **KEPT,
        ),
        (
            "2020-05-01 10:00:59",
            "01.05.2020 10:00",
            "2020-05-01 24:00:00",
            "2020-05-01 1:2:3",
        ),
    ),
    "midnights without their time": (
        Date(name="c", time=True, bins=50, format="%d.%m.%Y %H:%M", **YEARS, **KEPT),
        ("01.05.2020 00:00", "01.05.2020", "1.5.2020 ", "2020-05-01", "31.12.2024", "5.2020"),
    ),
    "offsets by the clock of a zone": (
        Date(
            name="c",
            time=True,
            bins=300,
            format="%Y-%m-%d %H:%M%z",
            zone="Europe/Berlin",
            **YEARS,
            **KEPT,
        ),
        (
            "2020-03-29 01:59+0100",
            "2020-03-29 01:00Z",
            "2020-10-25 02:30+02:00",
            "2020-10-25 02:30+01",
            "2000-01-01 00:00+14:00",
            "2024-12-31 23:59-05:00",
            "2020-01-01 00:00 +01:00",
            "2020-01-01 00:00",
            "2020-01-01 00:00+24:00",
        ),
    ),
    "times of day": (
        TimeOfDay(
            name="c", format="%H:%M", spikes=("06:00",), signs=("night",), **HOURS, **KEPT
        ),
        ("06:00", "6:1", "21:59", "22:00", "05:59", "24:00", "12:30:00", "night", "", "0930"),
    ),
    "times of day in two halves": (
        TimeOfDay(
            name="c", format="%-I:%M:%S %p", outside=Outside.NEAREST, missing=True, **HOURS
        ),
        (
            "6:00:00 AM",
            "12:05:09 am",
            "12:05:09.75 PM",
            "11:59:59 pm",
            "13:00:00 pm",
            "7:00 PM",
        ),
    ),
    "durations": (
        Duration(name="c", signs=("n.d.",), spikes=("PT0S",), **SPANS, **KEPT),
        (
            "PT0S",
            "PT5M",
            "P1DT2H",
            "P3D",
            "P3DT1S",
            "3600",
            "3600.9",
            "P",
            "PT",
            "n.d.",
            "-PT1S",
        ),
    ),
    "durations by the clock": (
        Duration(name="c", format="%-H:%M:%S", **SPANS, **KEPT),
        (
            "0:00:00",
            "26:05:00",
            "72:00:00",
            "72:00:01",
            "1:60:00",
            "26:05:00.5",
            "26:05",
            "90",
        ),
    ),
    "durations in days": (
        Duration(name="c", format="%d days %H:%M:%S", **SPANS, **KEPT),
        (
            "1 days 02:03:04",
            "1 day, 2:03:04",
            "02:03:04",
            "3 days 00:00:00",
            "3 days",
            "1 days",
        ),
    ),
}
"""A column, and texts of it: values, nearly values, signs, reasons and missing ones."""
