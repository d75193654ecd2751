"""Spark counts every kind of column as DuckDB and plain Python do."""

from dataclasses import replace
from datetime import datetime, time, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from synth.domain import Domain, Duration, TimeOfDay
from synth.privacy import ROW
from synth.private.counting import Counts, Engine, count, open_source
from synth.private.table import open_table
from tests.counting.kinds import HOURS, KEPT, KINDS, SPANS
from tests.counting.test_sql_kinds import check_kind

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark")]

MOMENTS = [
    datetime(2000, 1, 1),
    datetime(2020, 3, 29, 1, 30),
    datetime(2020, 10, 25, 0, 30, 59, 999_999),
    datetime(2024, 12, 31, 23, 59, 59),
    datetime(1944, 1, 5, 12),
    None,
]
LENGTHS = [
    timedelta(0),
    timedelta(seconds=59, microseconds=500_000),
    timedelta(days=2, hours=3),
    timedelta(days=3, seconds=1),
    -timedelta(seconds=90),
    None,
]
CLOCKS = [time(6), time(5, 59, 59, 999_999), time(12, 5, 9), time(21, 59, 59), time(0), None]
STORED = {
    "moments": pa.array(MOMENTS, pa.timestamp("us")),
    "moments with a zone": pa.array(MOMENTS, pa.timestamp("ms", "America/New_York")),
    "days": pa.array([moment and moment.date() for moment in MOMENTS], pa.date32()),
    "times of day": pa.array(CLOCKS, pa.time64("us")),
    "lengths of time": pa.array(LENGTHS, pa.duration("us")),
    "whole numbers": pa.array([0, 5, 98, 999, 2020, None], pa.int64()),
    "numbers": pa.array([0.0, 2.5, 3600.0, 10.25, 20_200_101.0, None], pa.float64()),
    "yes and no": pa.array([True, False, True, True, False, None]),
}
"""Columns as Parquet stores them."""


@pytest.mark.parametrize("name", KINDS)
def test_a_column_is_counted_as_plain_python_reads_it(tmp_path: Path, name: str) -> None:
    """Spark puts each text of the table of kinds into the cell that plain Python finds."""
    check_kind(tmp_path, *KINDS[name], Engine.SPARK)


def show_counts(counts: Counts) -> list[tuple[int, int]]:
    """Return the occupied cells with their rows."""
    return list(zip(counts.cells.tolist(), counts.counts.tolist(), strict=True))


@pytest.mark.parametrize("stored", STORED)
def test_stored_values_are_declared_of_any_kind(tmp_path: Path, stored: str) -> None:
    """Spark reads stored values of any type under any declaration as DuckDB does.

    The same stored column is declared once for each kind. Each row has another number of
    copies, so that no two of them can be taken for each other.
    """
    places = [place for place in range(6) for _ in range(place + 1)]
    columns = tuple(
        replace(column, name=f"c{number}")
        for number, (column, _) in enumerate(KINDS.values())
    )
    array = STORED[stored].take(pa.array(places))
    table = pa.table({column.name: array for column in columns})
    parquet.write_table(table, tmp_path / "t.parquet")

    opened = open_table(tmp_path / "t.parquet")
    domain = Domain(columns)
    by_duckdb, by_spark = (
        show_counts(count(opened, domain, engine=engine))
        for engine in (Engine.DUCKDB, Engine.SPARK)
    )
    assert by_spark == by_duckdb


def test_times_of_a_catalog_are_those_of_a_file(tmp_path: Path) -> None:
    """Spark's own types of times of day and lengths of time are read as a file's are."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.getOrCreate()
    session.sql(
        "SELECT * FROM VALUES (TIME'06:00:00', INTERVAL '0 00:00:00' DAY TO SECOND), "
        "(TIME'21:59:59', INTERVAL '2 03:00:00' DAY TO SECOND), "
        "(TIME'12:05:09.5', INTERVAL '0 00:00:59.5' DAY TO SECOND), "
        "(NULL, INTERVAL '-90' SECOND), (TIME'00:00:00', NULL) AS t(clock, length)"
    ).createOrReplaceTempView("times")
    file = pa.table(
        {
            "clock": pa.array(
                [time(6), time(21, 59, 59), time(12, 5, 9, 500_000), None, time(0)]
            ),
            "length": pa.array(
                [LENGTHS[0], LENGTHS[2], LENGTHS[1], LENGTHS[4], None], pa.duration("us")
            ),
        }
    )
    parquet.write_table(file, tmp_path / "t.parquet")
    domain = Domain(
        (
            TimeOfDay(name="clock", **HOURS, **KEPT),
            Duration(name="length", **SPANS, **KEPT),
        )
    )
    catalog = open_source("spark:times", engine=Engine.SPARK)
    by_spark = count(catalog, domain, ROW, engine=Engine.SPARK)
    by_duckdb = count(open_table(tmp_path / "t.parquet"), domain)
    assert show_counts(by_spark) == show_counts(by_duckdb)
