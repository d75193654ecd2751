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
    """The seeds of a run: one for each table of `COLUMNS` cases."""
    yield from range(SEED, SEED + max(1, CASES // COLUMNS))


def save_table(folder: Path, hostile: Table) -> PrivateTable:
    """The table as a Parquet file of texts, which holds every character."""
    columns = zip(*hostile.rows, strict=True)
    arrays = [pa.array(column, pa.string()) for column in columns]
    parquet.write_table(
        pa.table(arrays, names=list(hostile.domain.names)), folder / "t.parquet"
    )
    return replace(open_table(folder / "t.parquet"), form=hostile.form)


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
        code_columns = engine.fetch(table, sql.query(query))
    columns = [
        np.ma.filled(np.ma.asarray(codes).astype(np.int64), -1)
        for codes in code_columns.values()
    ]
    return [
        [None if code < 0 else int(code) for code in row]
        for row in zip(*columns, strict=True)
    ]


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
    columns = Spark().fetch(with_copy(table), domain, sql.source, query=sql.query(query))
    return [
        [None if code < 0 else int(code) for code in row]
        for row in zip(*columns, strict=True)
    ]


def check_codes(hostile: Table, found_codes: list[list[int | None]], seed: int) -> None:
    """Every cell has the code that the reference gives it."""
    expected = codes(hostile.domain, hostile.rows, hostile.form)
    for row, row_codes, expected_codes in zip(
        hostile.rows, found_codes, expected, strict=True
    ):
        for column, cell, found_code, expected_code in zip(
            hostile.domain.columns, row, row_codes, expected_codes, strict=True
        ):
            assert found_code == expected_code, (
                f"SYNTH_FUZZ_SEED={seed}: {cell!r:.200} is {found_code}, "
                f"not {expected_code}, in "
                f"{column!r:.1500} {hostile.domain.missing_values!r:.300} {hostile.form}"
            )


@pytest.mark.slow
def test_hostile_tables_on_duckdb(tmp_path: Path) -> None:
    """DuckDB gives each cell of a random hostile table the code that plain Python gives it.

    `Maker` draws declarations and cells with marks of SQL, odd blanks, numbers and dates. The
    reference in `tests.fuzz.reference` reads them without SQL.
    """
    for seed in seeds():
        hostile = Maker(seed).table(COLUMNS, ROWS)
        codes_of_duckdb = duckdb_codes(save_table(tmp_path, hostile), hostile.domain)
        check_codes(hostile, codes_of_duckdb, seed)


@pytest.mark.slow
def test_hostile_text_in_a_file_with_other_marks(tmp_path: Path) -> None:
    """Hostile cells in a CSV file with semicolons have the codes of plain Python as well.

    The delimiter and the odd file name reach DuckDB as values, not as parts of its SQL. NUL,
    carriage returns and byte order marks are replaced first, as a CSV file may change them.
    """
    for seed in list(seeds())[:5]:
        hostile = Maker(seed).table(COLUMNS, ROWS)
        writable_rows = [
            [(cell or "").translate({0: "0", 13: "r", 0xFEFF: "f"}) for cell in row]
            for row in hostile.rows
        ]
        hostile = replace(
            hostile, rows=writable_rows, form=replace(hostile.form, delimiter=";")
        )
        path = tmp_path / "it's; -- a table.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=";", quoting=csv.QUOTE_ALL)
            writer.writerows([hostile.domain.names, *hostile.rows])

        codes_of_duckdb = duckdb_codes(open_table(path, hostile.form), hostile.domain)
        check_codes(hostile, codes_of_duckdb, seed)


@pytest.mark.slow
def test_rows_of_hostile_persons(tmp_path: Path) -> None:
    """At most two rows of each person are counted, whatever the person's key holds.

    They are the rows that come first by the MD5 of their cell, as in the reference. The first
    column of the table holds the keys.
    """
    for seed in list(seeds())[:10]:
        hostile = Maker(seed).table(2, 120)
        keys = hostile.domain.names[0]
        people = [row[0] for row in hostile.rows]
        table = save_table(tmp_path, hostile)
        domain = hostile.domain.project(hostile.domain.names[1:])

        row_codes = codes(domain, [row[1:] for row in hostile.rows], hostile.form)
        counts = count(table, domain, Unit(keys, 2))
        counts_by_cell = dict(zip(counts.cells.tolist(), counts.counts.tolist(), strict=True))
        expected = Counter(persons_cells(domain, row_codes, people, 2))
        assert counts_by_cell == expected, f"SYNTH_FUZZ_SEED={seed}"


def draw_grids(hostile: Table, seed: int) -> list[Steps]:
    """A coarse and a fine grid for every column that can be summed."""
    draw, steps = Random(seed), []
    for i, column in enumerate(hostile.domain.columns):
        if isinstance(column, Binned):
            low, high = column.summable[:2]
            for max_steps in (draw.choice([1, 3]), 2048):
                middle, grid = (
                    draw.uniform(low, high),
                    (high - low) / draw.uniform(1, 2 * max_steps),
                )
                steps.append(Steps(column=i, middle=middle, grid=grid, most=max_steps))
    return steps


def check_sums(folder: Path, seed: int, engine: Engine = Engine.DUCKDB) -> None:
    """Counts and sums by cell are those of the reference, of all rows and of persons'."""
    hostile = Maker(seed).table(4, 80)
    people, names = [row[0] for row in hostile.rows], hostile.domain.names
    without_persons = replace(
        hostile, domain=hostile.domain.project(names[1:]), rows=[r[1:] for r in hostile.rows]
    )
    table = save_table(folder, hostile)
    for hostile_part, unit in ((hostile, ROW), (without_persons, Unit(names[0], 2))):
        steps = draw_grids(hostile_part, seed)
        summed = count_sums(table, hostile_part.domain, steps, unit=unit, engine=engine)
        counts_and_sums = np.column_stack([summed.counts.counts, summed.sums]).tolist()
        owners = None if unit is ROW else people
        reference = sums(hostile_part, steps, owners, 2)
        assert (
            dict(zip(summed.counts.cells.tolist(), counts_and_sums, strict=True)) == reference
        ), f"SYNTH_FUZZ_SEED={seed}: {unit} {hostile_part!r:.4000}"


@pytest.mark.slow
def test_sums_of_hostile_tables(tmp_path: Path) -> None:
    """Counts and sums by cell of hostile tables are those of plain Python."""
    for seed in seeds():
        check_sums(tmp_path, seed)


def test_the_sql_depends_on_the_shape_of_a_declaration_alone(tmp_path: Path) -> None:
    """Names and categories of a declaration never appear in the SQL, on both engines.

    Two domains of the same shape are compared: one with hostile texts in all places, one with
    the word plain. Their SQL is equal, as texts are passed as values.
    """
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
                    Integer(name=f"i{word}", minimum=0, maximum=9, signs=(f"{word}<",)),
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
            hostile = Table(domain, row, Format(thousands="\\" if word == evil else ","))
            table = save_table(tmp_path, hostile)
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

        duckdb_evil, spark_evil, duckdb_plain, spark_plain = texts
        assert duckdb_evil == duckdb_plain
        assert spark_evil == spark_plain
        assert not [text for text in texts if evil in text or "plain" in text]
