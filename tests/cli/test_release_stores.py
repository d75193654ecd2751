"""From files that hold tables to a verified and compared release, by commands alone."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from pyarrow import feather

from synth.domain import Categorical, Domain, Integer, Number, Outside, write_schema
from tests.cli.conftest import Line

KEPT = {"missing": True, "outside": Outside.CELL}
DOMAIN = Domain(
    (
        Categorical(name="sex", categories=("f", "m"), **KEPT),
        Integer(name="age", minimum=0, maximum=99, bins=5, **KEPT),
        Number(name="weight", minimum=0, maximum=5, bins=5, decimals=1, **KEPT),
    )
)
ROWS = [
    ("f", 41, 2.5),
    ("m", 5, None),
    ("f", None, 3.0),
    (None, 99, 4.5),
    ("x", 41, 1e300),
] * 60
MIXED = [
    ("f", "41", "2.5"),
    ("m", 5.0, None),
    ("f", None, 3),
    (b"\xff", 99, "4.5"),
    (7, " 41", float("inf")),
] * 60
"""Each column has cells of several types."""


def write_sqlite(path: Path) -> None:
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TABLE people (sex TEXT, age INTEGER, weight)")
        file.executemany("INSERT INTO people VALUES (?, ?, ?)", MIXED)
        file.commit()


def write_duckdb(path: Path) -> None:
    """The first five rows and 59 copies of them, which is all of `ROWS`."""
    with duckdb.connect(str(path)) as file:
        file.execute("CREATE TABLE people (sex TEXT, age INT, weight DOUBLE)")
        file.executemany("INSERT INTO people VALUES (?, ?, ?)", ROWS[:5])
        file.execute("INSERT INTO people SELECT people.* FROM people, range(59)")


def write_arrow(path: Path) -> None:
    columns = dict(zip(DOMAIN.names, zip(*ROWS, strict=True), strict=True))
    feather.write_feather(
        pa.table({name: [*cells] for name, cells in columns.items()}), str(path)
    )


def lines_of_json(path: Path) -> None:
    lines = (json.dumps(dict(zip(DOMAIN.names, row, strict=True))) for row in ROWS)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("t.sqlite", write_sqlite),
        ("t.duckdb", write_duckdb),
        ("t.feather", write_arrow),
        ("t.jsonl", lines_of_json),
    ],
)
@pytest.mark.first_case
def test_a_table_is_released_verified_and_compared(
    name: str, write: Callable[[Path], None], tmp_path: Path, cli: Line
) -> None:
    """A table in SQLite, DuckDB, Arrow or JSON lines is released, verified and compared like
    CSV.

    The same release again spends nothing. At epsilon 100 noise moves nearly no row, so the
    errors of columns and pairs are almost 0.
    """
    table = tmp_path / name
    declared = tmp_path / "domain.json"
    bundle = tmp_path / "b.zip"
    write(table)
    declared.write_text(json.dumps(write_schema(DOMAIN)), encoding="utf-8")
    ledger = ("--ledger", tmp_path / "ledger.db")
    request = (
        "release",
        table,
        "--domain",
        declared,
        "--epsilon",
        "100",
        "--method",
        "dense",
        "--out",
        bundle,
        *ledger,
        "--dataset",
        "people",
        "--budget",
        "100",
    )

    cli.output(*request, "--new-dataset")
    assert "nothing was spent" in cli.output(*request)
    assert cli.output("verify", bundle, *ledger).startswith("Confirmed.")
    report = cli.report("compare", table, bundle)
    assert report["one_way"]["mean"] < 0.01
    assert report["two_way"]["mean"] < 0.02
