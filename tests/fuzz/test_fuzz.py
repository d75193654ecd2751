"""Hostile declarations and cells: DuckDB reads every one as plain Python does.

    SYNTH_FUZZ_CASES=10000 python -m pytest -q tests/fuzz tests/test_spark.py -k hostile

A case is a declared column with thirty cells. The seed is fresh in each run, and printed where
one fails: ``SYNTH_FUZZ_SEED`` repeats it.
"""

import csv
import os
import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from synth.counts import Engine, count
from synth.domain import Domain
from synth.engines import duckdb_sql, spark_sql
from synth.engines.duckdb import DuckDB, _source
from synth.engines.spark import Spark
from synth.engines.sql import codes_query
from synth.privacy import Unit
from synth.table import PrivateTable, open_table
from tests.fuzz.hostile import Maker, Table
from tests.fuzz.reference import cells, codes, persons_cells

CASES = int(os.environ.get("SYNTH_FUZZ_CASES", "300"))
SEED = int(os.environ.get("SYNTH_FUZZ_SEED", "0")) or secrets.randbits(48)
COLUMNS, ROWS = 12, 30


def seeds() -> Iterator[int]:
    yield from range(SEED, SEED + max(1, CASES // COLUMNS))


def saved(folder: Path, made: Table) -> PrivateTable:
    """The table as a Parquet file of texts, which holds every character."""
    columns = zip(*made.rows, strict=True)
    arrays = [pa.array(column, pa.string()) for column in columns]
    parquet.write_table(pa.table(arrays, names=list(made.domain.names)), folder / "t.parquet")
    return replace(open_table(folder / "t.parquet"), form=made.form)


def duckdb_codes(table: PrivateTable, domain: Domain) -> list[list[int | None]]:
    """The codes of all rows, of those that are left out too."""
    with DuckDB(ordered=True) as engine:
        sql = duckdb_sql.Dialect(engine._enum)
        source = _source(table, domain, sql)
        query = codes_query(domain, table.positions(domain), source, sql, table.form)
        found = engine._fetch(table, sql.query(query))
    columns = [np.ma.filled(np.ma.asarray(c).astype(np.int64), -1) for c in found.values()]
    return [[None if v < 0 else int(v) for v in row] for row in zip(*columns, strict=True)]


def spark_codes(table: PrivateTable, domain: Domain) -> list[list[int | None]]:
    """The same on Spark."""
    sql = spark_sql.Dialect()
    query = codes_query(domain, table.positions(domain), sql.source, sql, table.form)
    columns = Spark()._fetch(table, domain, sql.source, sql.query(query))
    return [[None if v < 0 else int(v) for v in row] for row in zip(*columns, strict=True)]


def check(made: Table, found: list[list[int | None]], seed: int) -> None:
    """Every cell has the code that the reference gives it."""
    wanted = codes(made.domain, made.rows, made.form)
    for row, got, want in zip(made.rows, found, wanted, strict=True):
        for column, cell, one, other in zip(made.domain.columns, row, got, want, strict=True):
            assert one == other, (
                f"SYNTH_FUZZ_SEED={seed} SYNTH_FUZZ_CASES=1: {cell!r:.200} is {one}, not {other} in "
                f"{column!r:.1500} {made.domain.missing_values!r:.300} {made.form}"
            )


def test_hostile_tables_on_duckdb(tmp_path: Path) -> None:
    for seed in seeds():
        made = Maker(seed).table(COLUMNS, ROWS)
        check(made, duckdb_codes(saved(tmp_path, made), made.domain), seed)
