"""What an engine reads of a typed table, cell by cell."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from synth.domain import Categorical, Column, Date, Domain
from synth.private.counting import DuckDB
from synth.private.counting.duckdb_files import rows_of_file
from synth.private.counting.duckdb_sql import Dialect
from synth.private.table import PrivateTable, Unreadable, copy_plain

ISO = "%Y-%m-%dT%H:%M:%S"


def declare_column(name: str, pattern: str = "") -> Column:
    """A column of texts, or with a pattern one of moments."""
    if not pattern:
        return Categorical(name=name, categories=("-",))
    ends = {"minimum": "2000-01-01", "maximum": "2000-01-31"}
    return Date(name=name, time=True, format=pattern, **ends)


def read_rows(table: PrivateTable, pattern: str = "") -> list[tuple[str | None, ...]]:
    """The rows as texts, in their order; of moments, as the pattern writes them."""
    domain = Domain(tuple(declare_column(name, pattern) for name in table.header))
    try:
        return _rows(table, domain)
    except Unreadable:
        return _rows(copy_plain(table), domain)


def read_texts(table: PrivateTable, name: str = "a", pattern: str = "") -> list[str | None]:
    """The texts of a column."""
    table_rows = read_rows(table, pattern)
    return [row[table.position(name)] for row in table_rows]


def read_natively(
    table: PrivateTable, pattern: str = ""
) -> list[tuple[str | None, ...]] | None:
    """The rows as the engine's own reader has them; None where it gives up or does not
    read.
    """
    if not is_native(table):
        return None
    domain = Domain(tuple(declare_column(name, pattern) for name in table.header))
    try:
        return _rows(table, domain)
    except Unreadable:
        return None


def is_native(table: PrivateTable) -> bool:
    """Whether the engine reads the files itself."""
    domain = Domain(tuple(declare_column(name) for name in table.header))
    return "read_parquet" in rows_of_file(table, domain, Dialect(str))


def read_cell_by_cell(table: PrivateTable, pattern: str = "") -> list[tuple[str | None, ...]]:
    """The rows as they are read cell by cell."""
    return read_rows(replace(table, careful=True), pattern)


def _rows(table: PrivateTable, domain: Domain) -> list[tuple[str | None, ...]]:
    with DuckDB(threads=1, ordered=True) as engine:
        sql = Dialect(engine.enum)
        source = rows_of_file(table, domain, sql)
        fields = ", ".join(f"f{i}" for i in range(len(table.header)))
        fetched = engine.fetch(table, sql.query(f"SELECT {fields} FROM {source}"))
    return list(zip(*(np.ma.asarray(v).tolist() for v in fetched.values()), strict=True))


WIDE = [0, 1, -1, 999, -1_000, -1_001, 10**9, 2**62, -(2**62), 2**63 - 1, -(2**63), None]
NARROW = [0, -1, 43_200, 86_399, 86_400, 2**31 - 1, -(2**31), None]
BLOBS = [b"x", b"\xff", b"x\xff", None, b"\xed\xa0\x80", b"a\0b", "é".encode(), b"1.0", b""]
FLOATS = [
    1.0,
    1.5,
    -0.0,
    2.0**53,
    2.0**53 - 1,
    1e16,
    1e300,
    float("nan"),
    float("inf"),
    None,
    1e-5,
]


def _make_moments() -> list[Any]:
    wide, narrow = pa.array(WIDE, pa.int64()), pa.array(NARROW, pa.int32())
    units = ("s", "ms", "us", "ns")
    zones = (None, "UTC", "Europe/Berlin", "-03:30")
    return [
        *(wide.cast(pa.timestamp(unit, zone)) for unit in units for zone in zones),
        *(wide.cast(pa.duration(unit)) for unit in units),
        *(narrow.cast(pa.time32(unit)) for unit in units[:2]),
        *(wide.cast(pa.time64(unit)) for unit in units[2:]),
        narrow.cast(pa.date32()),
        wide.view(pa.date64()),
    ]


def _make_numbers() -> list[Any]:
    cents, wide = [Decimal("1.50"), Decimal("-2.00"), None], Decimal("1e40")
    return [
        *(
            pa.array([0, 1, 127, None], pa.type_for_alias(f"{sign}int{bits}"))
            for bits in (8, 16, 32, 64)
            for sign in ("", "u")
        ),
        pa.array([2**53 + 1, 2**63 - 1, -(2**63)]),
        pa.array([2**64 - 1], pa.uint64()),
        pa.array([0.5, 1.0, None], pa.float16()),
        pa.array([number for number in FLOATS if number != 1e300], pa.float32()),
        pa.array(FLOATS),
        pa.array(cents, pa.decimal128(5, 2)),
        pa.array(cents, pa.decimal128(38, 9)),
        pa.array(cents, pa.decimal256(30, 2)),
        pa.array([*cents, wide], pa.decimal256(60, 2)),
        pa.array([True, False, None]),
        pa.nulls(3),
    ]


def _make_texts() -> list[Any]:
    small, large = pa.array(BLOBS, pa.binary()), pa.array(BLOBS, pa.large_binary())
    return [
        small,
        large,
        small.view(pa.string()),
        large.view(pa.large_string()),
        pa.array(BLOBS, pa.binary_view()),
        pa.array(["x", None], pa.string_view()),
        pa.array([b"xy", b"\xff\xff", None], pa.binary(2)),
        small.dictionary_encode(),
        pa.array(["x", "y", None, "x"]).dictionary_encode(),
        pa.array([7, 8, None]).dictionary_encode(),
        pa.array(["x", "y" * 2_000_000, "z" * 2_000_001, None]),
    ]


STORED = {
    f"{i}-{array.type}": array
    for i, array in enumerate([*_make_moments(), *_make_numbers(), *_make_texts()])
}
"""Columns of every type with hostile cells, by a name."""
