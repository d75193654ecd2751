"""Neighbours in files that hold tables: SQLite, DuckDB, Arrow and Feather."""

import contextlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
from pyarrow import feather

from synth.private.table import PrivateTable, open_table
from tests.fuzz.neighbour_arrow import (
    Kind,
    Values,
    arrow_table,
    decimals,
    floats,
    instants,
    integers,
    kind_of,
    texts,
    values_case,
    whole_numbers,
)
from tests.fuzz.neighbour_columns import ODD, WORDS
from tests.fuzz.neighbours import Case

AFFINITIES = (
    "",
    "TEXT",
    "REAL",
    "INTEGER",
    "NUMERIC",
    "BLOB",
    "DATE",
    "BOOLEAN",
    "REAL UNIQUE",
)
"""Types of columns of SQLite, to which its cells need not keep."""
CELLS = (
    None,
    0,
    1,
    -1,
    2**53 + 1,
    2**63 - 1,
    -(2**63),
    0.5,
    1.0,
    -0.0,
    1e300,
    1e16,
    float("inf"),
    float("-inf"),
    float("nan"),
    "",
    " 1",
    "1.0",
    "1e5",
    "9" * 400,
    b"",
    b"a",
    b"\xff",
    b"\0",
    "a\0b",
    "\x1a",
    "NULL",
)
FAR_MICROSECONDS = 9_223_372_022_400_000_000
"""DuckDB knows no moments beyond."""


def store_cell(draw: Random, near: bool) -> Any:
    """A cell of SQLite, of any type."""
    if near:
        return draw.choice([draw.choice(WORDS), draw.randint(-20, 99), 0.5, "2021-03-04"])
    return draw.choice([*CELLS, draw.choice(ODD), draw.randbytes(3), "a" * 2_000_001])


def sqlite_file(draw: Random) -> Case:
    """A table of SQLite, whose cells have types of their own."""
    kind = Kind(store_cell, list, draw.choice(["list", "int", "num", "date", "bool"]))
    kinds = [kind] * draw.randint(1, 3)
    shapes = [draw.choice(AFFINITIES[:-1]) for _ in kinds]
    options = draw.choice(["", "", "UTF-16le", "UTF-16be"])

    def save(rows: Sequence[Values], folder: Path) -> PrivateTable:
        path = folder / "t.sqlite"
        path.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(path)) as file:
            if options:
                file.execute(f"PRAGMA encoding = '{options}'")
            fields = ", ".join(f"c{i} {shape}" for i, shape in enumerate(shapes))
            file.execute(f"CREATE TABLE t ({fields})")
            marks = ", ".join("?" * len(kinds))
            file.executemany(f"INSERT INTO t VALUES ({marks})", rows)
            file.commit()
        return open_table(path)

    return values_case(draw, kinds, save, f"SQLite {shapes} {options}")


def duckdb_kind(draw: Random) -> tuple[str, Kind]:
    """A type of DuckDB, and values of it."""
    moment = instants(pa.timestamp("us"), 64, 86_400 * 10**6, FAR_MICROSECONDS)
    kinds = {
        "VARCHAR": texts(pa.string(), pa.binary(), sound=True),
        "BLOB": texts(pa.binary(), pa.binary()),
        "DOUBLE": floats(pa.float64()),
        "FLOAT": floats(pa.float32()),
        "DECIMAL(12, 2)": decimals(pa.decimal128(12, 2), 12, 2),
        "HUGEINT": whole_numbers(draw),
        "UBIGINT": integers(pa.uint64(), 64, signed=False),
        "TIMESTAMP": moment,
        "TIMESTAMPTZ": Kind(
            moment.draw,
            lambda v: pa.array(v, pa.int64()).view(pa.timestamp("us", "UTC")),
            "date",
        ),
        "DATE": instants(pa.date32(), 32, 1, 2_000_000),
        "BOOLEAN": Kind(lambda draw, _: draw.random() < 0.5, pa.array, "bool"),
        "INTEGER[]": Kind(
            lambda draw, _: [draw.randint(0, 9)] * draw.randint(0, 3),
            lambda v: pa.array(v, pa.list_(pa.int32())),
            "list",
        ),
    }
    return draw.choice([*kinds.items()])


def duckdb_file(draw: Random) -> Case:
    """A table of DuckDB."""
    columns = [duckdb_kind(draw) for _ in range(draw.randint(1, 3))]
    kinds = [kind for _, kind in columns]

    def save(rows: Sequence[Values], folder: Path) -> PrivateTable:
        path = folder / "t.duckdb"
        path.unlink(missing_ok=True)
        with duckdb.connect(str(path), config={"threads": 1}) as file:
            fields = ", ".join(f"c{i} {name}" for i, (name, _) in enumerate(columns))
            file.execute(f"CREATE TABLE t ({fields})")
            file.register("given", arrow_table(kinds, rows))
            file.execute("INSERT INTO t SELECT * FROM given")
            file.unregister("given")  # else the file stays open in this process
        return open_table(path)

    return values_case(draw, kinds, save, f"DuckDB {[name for name, _ in columns]}")


def arrow_file(draw: Random) -> Case:
    """An Arrow file, a stream in a file, or Feather, packed or not."""
    kinds = [kind_of(draw, stored=False) for _ in range(draw.randint(1, 3))]
    form, step = (
        draw.choice(["uncompressed", "lz4", "zstd", "stream"]),
        draw.choice([1, 7, 1_000]),
    )

    def save(rows: Sequence[Values], folder: Path) -> PrivateTable:
        table = arrow_table(kinds, rows)
        if form != "stream":
            feather.write_feather(table, str(folder / "t.feather"), form, chunksize=step)
            return open_table(folder / "t.feather")
        with pa.ipc.new_stream(str(folder / "t.arrows"), table.schema) as stream:
            stream.write_table(table, step)
        return open_table(folder / "t.arrows")

    types = [str(kind.array([]).type) for kind in kinds]
    return values_case(draw, kinds, save, f"Arrow file {form} {step} {types}")
