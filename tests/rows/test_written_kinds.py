"""Rows of every kind of column and pattern are written, and read back, on both engines.

`tests/rows/test_values_dates.py` draws random declarations of dates. Here stand all patterns
of dates, times of day and durations, decimals of numbers, and the kinds of `KINDS` with their
labels, signs, reasons and second forms of dates, in one wide table.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from synth.bundle import FORMATS, export
from synth.domain import Column, Date, Domain, Duration, Integer, Number, Period, TimeOfDay
from synth.private.table import PrivateTable, open_table
from synth.rows import SyntheticTable, decode, write_csv
from tests.counting.kinds import HOURS, KEPT, KINDS, SPANS
from tests.fuzz.test_fuzz import duckdb_codes, spark_codes
from tests.rows.test_values_dates import DAYS, MONTHS, TIMES, YEARS, ZONES

ROWS = 300
"""Rows of the table: more than any of its columns has cells."""
CLOCKS = (
    "",
    "%H:%M",
    "%-H:%M:%S",
    "%-I:%M %p",
    "%I:%M:%S %p",
    "%H:%M:%S.%f",
    "%Hh%M",
    "%H.%M.%S",
)
LENGTHS = (
    "",
    "%H:%M:%S",
    "%-H:%M:%S",
    "%H:%M",
    "%-H:%M",
    "%M:%S",
    "%-M:%S",
    "%d days %H:%M:%S",
    "%d days",
)


def list_dates() -> Iterator[Column]:
    """Columns of every pattern of days, months, years and moments."""
    spans = {"minimum": "1971-01-01", "maximum": "2024-12-31", "period": Period.YEAR}
    for pattern in (*DAYS, *MONTHS, *YEARS):
        yield Date(name="c", format=pattern, **spans, **KEPT)
    for place, clock in enumerate(TIMES):
        zone = ZONES[place % len(ZONES)] if clock.endswith("z") else ""
        pattern = f"{DAYS[place]} {clock}"
        yield Date(name="c", format=pattern, zone=zone, time=True, **spans, **KEPT)


def list_clocks() -> Iterator[Column]:
    """Columns of every pattern of times of day and durations."""
    for pattern in CLOCKS:
        yield TimeOfDay(name="c", format=pattern, **HOURS, **KEPT)
    for pattern in LENGTHS:
        yield Duration(name="c", format=pattern, **SPANS, **KEPT)


def list_numbers() -> Iterator[Column]:
    """Columns of numbers with every number of decimals, and of large whole ones."""
    for decimals in range(13):
        yield Number(name="c", minimum=-5, maximum=7, bins=12, decimals=decimals, **KEPT)
    yield Number(name="c", minimum="-1e14", maximum="1e14", bins=9, **KEPT)
    yield Number(name="c", minimum=0, maximum="1e-3", bins=3, decimals=15, **KEPT)
    yield Integer(name="c", minimum=-(10**15), maximum=10**15, bins=4, **KEPT)
    yield Integer(name="c", minimum=0, maximum=9_999, edges=(0, 7, 1_800, 9_999), **KEPT)


def list_columns() -> list[Column]:
    """All these columns and those of the table of kinds, with names of their own."""
    kinds = [column for column, _texts in KINDS.values()]
    columns = [*kinds, *list_dates(), *list_clocks(), *list_numbers()]
    return [replace(column, name=f"c{place}") for place, column in enumerate(columns)]


def draw_rows(columns: list[Column]) -> SyntheticTable:
    """Rows in which every cell of each column comes up."""
    rng = np.random.default_rng(53)
    codes = [
        rng.permutation(np.arange(ROWS) % column.size).astype(np.int32) for column in columns
    ]
    return decode(Domain(tuple(columns)), codes, seed=53)


def write_text(rows: SyntheticTable, folder: Path) -> Path:
    """Write the rows as a release writes its CSV file."""
    path = folder / "t.csv"
    write_csv(rows.parts(), path, missing=rows.domain.missing_marker)
    return path


def write_parquet(rows: SyntheticTable, folder: Path) -> Path:
    """Write the rows as a release writes its Parquet file."""
    return export(rows, FORMATS["parquet"], folder / "t.parquet")


def check_codes(
    rows: SyntheticTable,
    path: Path,
    read_codes: Callable[[PrivateTable, Domain], list[list[int | None]]],
) -> None:
    """See that each row is read into the cells that it was drawn from."""
    read_rows = read_codes(open_table(path), rows.domain)
    found = {
        column.name: [row[place] for row in read_rows]
        for place, column in enumerate(rows.domain.columns)
    }
    faults = [
        column.name
        for column, drawn in zip(rows.domain.columns, rows.codes, strict=True)
        if found[column.name] != drawn.tolist()
    ]
    assert not faults, [rows.domain[name] for name in faults]


@pytest.mark.parametrize("write", [write_text, write_parquet])
def test_each_kind_is_read_as_it_was_written(
    write: Callable[[SyntheticTable, Path], Path], tmp_path: Path
) -> None:
    rows = draw_rows(list_columns())
    check_codes(rows, write(rows, tmp_path), duckdb_codes)


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("write", [write_text, write_parquet])
def test_each_kind_is_read_by_spark_as_it_was_written(
    write: Callable[[SyntheticTable, Path], Path], tmp_path: Path
) -> None:
    rows = draw_rows(list_columns())
    check_codes(rows, write(rows, tmp_path), spark_codes)
