"""Hostile declarations and cells: DuckDB reads every one as plain Python does.

    SYNTH_FUZZ_CASES=10000 python -m pytest -q tests/fuzz tests/counting/test_spark.py -k
    hostile

A case is a declared column with thirty cells. The seed is fresh in each run, and printed
where one fails: ``SYNTH_FUZZ_SEED`` repeats it."""

import csv
import os
import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from synth.domain import Binned, Boolean, Categorical, Date, Domain, Integer, Steps
from synth.privacy import ROW, Unit
from synth.private.counting import DuckDB, Engine, count, count_sums, duckdb_sql, spark_sql
from synth.private.counting.duckdb_files import rows_of_file
from synth.private.counting.spark import Spark, with_copy
from synth.private.counting.sql import RowSource, codes_query
from synth.private.table import Format, PrivateTable, open_table
from tests.fuzz.hostile import Maker, Table
from tests.fuzz.reference import codes, persons_cells, sums

CASES = int(os.environ.get("SYNTH_FUZZ_CASES", "300"))
SEED = int(os.environ.get("SYNTH_FUZZ_SEED", "0")) or secrets.randbits(48)
COLUMNS, ROWS = 24, 30
pytestmark = pytest.mark.timeout(300 + 2 * CASES)


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
        sql = duckdb_sql.Dialect(engine.enum)
        source = rows_of_file(table, domain, sql)
        query = codes_query(
            RowSource(
                domain=domain,
                positions=table.positions(domain),
                rows=source,
                dialect=sql,
                form=table.form,
            )
        )
        found = engine.fetch(table, sql.query(query))
    columns = [np.ma.filled(np.ma.asarray(c).astype(np.int64), -1) for c in found.values()]
    return [[None if v < 0 else int(v) for v in row] for row in zip(*columns, strict=True)]


def spark_codes(table: PrivateTable, domain: Domain) -> list[list[int | None]]:
    """The same on Spark."""
    sql = spark_sql.Dialect()
    query = codes_query(
        RowSource(
            domain=domain,
            positions=table.positions(domain),
            rows=sql.source,
            dialect=sql,
            form=table.form,
        )
    )
    columns = Spark().fetch(with_copy(table), domain, sql.source, sql.query(query))
    return [[None if v < 0 else int(v) for v in row] for row in zip(*columns, strict=True)]


def check(made: Table, found: list[list[int | None]], seed: int) -> None:
    """Every cell has the code that the reference gives it."""
    wanted = codes(made.domain, made.rows, made.form)
    for row, got, want in zip(made.rows, found, wanted, strict=True):
        for column, cell, one, other in zip(made.domain.columns, row, got, want, strict=True):
            assert one == other, (
                f"SYNTH_FUZZ_SEED={seed}: {cell!r:.200} is {one}, not {other}, in "
                f"{column!r:.1500} {made.domain.missing_values!r:.300} {made.form}"
            )


@pytest.mark.slow
def test_hostile_tables_on_duckdb(tmp_path: Path) -> None:
    for seed in seeds():
        made = Maker(seed).table(COLUMNS, ROWS)
        check(made, duckdb_codes(saved(tmp_path, made), made.domain), seed)


@pytest.mark.slow
def test_hostile_text_in_a_file_with_other_marks(tmp_path: Path) -> None:
    """The same through CSV, whose marks are bound too."""
    for seed in list(seeds())[:5]:
        made = Maker(seed).table(COLUMNS, ROWS)
        plain = [
            [(cell or "").translate({0: "0", 13: "r", 0xFEFF: "f"}) for cell in row]
            for row in made.rows
        ]
        made = replace(made, rows=plain, form=replace(made.form, delimiter=";"))
        path = tmp_path / "it's; -- a table.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=";", quoting=csv.QUOTE_ALL)
            writer.writerows([made.domain.names, *made.rows])
        check(made, duckdb_codes(open_table(path, made.form), made.domain), seed)


@pytest.mark.slow
def test_rows_of_hostile_persons(tmp_path: Path) -> None:
    """Of each person, whatever the key holds, the rows that come first by the MD5 of their
    cell.
    """
    for seed in list(seeds())[:10]:
        made = Maker(seed).table(2, 120)
        keys = made.domain.names[0]
        people = [row[0] for row in made.rows]
        table, domain = saved(tmp_path, made), made.domain.project(made.domain.names[1:])
        read = codes(domain, [row[1:] for row in made.rows], made.form)
        found = count(table, domain, Unit(keys, 2))
        got = dict(zip(found.cells.tolist(), found.counts.tolist(), strict=True))
        assert got == Counter(persons_cells(domain, read, people, 2)), (
            f"SYNTH_FUZZ_SEED={seed}"
        )


def grids(made: Table, seed: int) -> list[Steps]:
    """A coarse and a fine grid for every column that can be summed."""
    random, found = Random(seed), []
    for i, column in enumerate(made.domain.columns):
        if isinstance(column, Binned):
            low, high = column.summable[:2]
            for most in (random.choice([1, 3]), 2048):
                middle, grid = (
                    random.uniform(low, high),
                    (high - low) / random.uniform(1, 2 * most),
                )
                found.append(Steps(column=i, middle=middle, grid=grid, most=most))
    return found


def check_sums(folder: Path, seed: int, engine: Engine = Engine.DUCKDB) -> None:
    """Counts and sums by cell are those of the reference, of all rows and of persons'."""
    made = Maker(seed).table(4, 80)
    people, names = [row[0] for row in made.rows], made.domain.names
    rest = replace(
        made, domain=made.domain.project(names[1:]), rows=[r[1:] for r in made.rows]
    )
    table = saved(folder, made)
    for part, unit in ((made, ROW), (rest, Unit(names[0], 2))):
        wanted = grids(part, seed)
        found = count_sums(table, part.domain, wanted, unit=unit, engine=engine)
        got = np.column_stack([found.counts.counts, found.sums]).tolist()
        owners = None if unit is ROW else people
        reference = sums(part, wanted, owners, 2)
        assert dict(zip(found.counts.cells.tolist(), got, strict=True)) == reference, (
            f"SYNTH_FUZZ_SEED={seed}: {unit} {part!r:.4000}"
        )


@pytest.mark.slow
def test_sums_of_hostile_tables(tmp_path: Path) -> None:
    for seed in seeds():
        check_sums(tmp_path, seed)


def test_the_sql_depends_on_the_shape_of_a_declaration_alone(tmp_path: Path) -> None:
    """Another text in every place gives the same SQL, on both engines."""
    for evil in ("\\' OR TRUE --", "it's", "${x}:p0$p1?"):
        texts = []
        for word in (evil, "plain"):
            domain = Domain(
                (
                    Categorical(name=f"c{word}", categories=(f"{word}a", f"{word}b")),
                    Categorical(
                        name=f"m{word}", categories=tuple(f"{word}{i}" for i in range(20))
                    ),
                    Boolean(
                        name=f"b{word}", true_values=(f"{word}1",), false_values=(f"{word}0",)
                    ),
                    Integer(name=f"i{word}", minimum=0, maximum=9),
                    Date(
                        name=f"d{word}",
                        minimum="2024-01-01",
                        maximum="2024-12-31",
                        format=f"%Y{word.replace('%', '')}%m-%d",
                    ),
                ),
                ("", f"{word}9"),
            )
            row = [[*domain.names]]
            made = Table(domain, row, Format(thousands="\\" if word == evil else ","))
            table = saved(tmp_path, made)
            with DuckDB() as engine:
                duck = duckdb_sql.Dialect(engine.enum)
                source = rows_of_file(table, domain, duck)
                texts.append(
                    codes_query(
                        RowSource(
                            domain=domain,
                            positions=range(5),
                            rows=source,
                            dialect=duck,
                            form=table.form,
                        )
                    )
                )
            spark = spark_sql.Dialect()
            texts.append(
                codes_query(
                    RowSource(
                        domain=domain,
                        positions=range(5),
                        rows="source",
                        dialect=spark,
                        form=table.form,
                    )
                )
            )
        assert texts[0] == texts[2]
        assert texts[1] == texts[3]
        assert not [text for text in texts if evil in text or "plain" in text]
