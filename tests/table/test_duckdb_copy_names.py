"""Files of DuckDB and SQLite supply no name by which they are read, and no computation."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from synth.domain import Domain
from synth.errors import TableError
from synth.private.counting import count
from synth.private.table import open_table, parse_format
from synth.private.table.sources import list_source
from tests.table.typed import read_rows

TABLES_MACRO = (
    "CREATE MACRO duckdb_tables() AS TABLE SELECT 'v' AS table_name, 'main' AS schema_name, "
    "'t' AS database_name, false AS internal, 1 AS table_oid, '' AS sql"
)
COLUMNS_MACRO = (
    "CREATE MACRO duckdb_columns() AS TABLE SELECT 'a' AS column_name, 'VARCHAR' AS "
    "data_type, 'main' AS schema_name, 'base' AS table_name, 1 AS column_index"
)
BASE = (
    "CREATE TABLE base (a VARCHAR, b INTEGER)",
    "INSERT INTO base VALUES ('x', 1), ('y', 2)",
)
VIEW = "CREATE VIEW v AS SELECT sum(b) OVER () AS a FROM base"


def save_duckdb(path: Path, statements: Sequence[str]) -> Path:
    with duckdb.connect(str(path)) as file:
        for statement in statements:
            file.execute(statement)
    return path


def save_sqlite(path: Path, statements: Sequence[str], changes: Sequence[str] = ()) -> Path:
    """Write an SQLite file; ``changes`` are those of its catalogue."""
    with closing(sqlite3.connect(path)) as file:
        for statement in statements:
            file.execute(statement)
        file.execute("PRAGMA writable_schema = ON")
        for change in changes:
            file.execute(change)
        file.commit()
    return path


@pytest.mark.parametrize(
    "statements",
    [
        (VIEW, TABLES_MACRO),
        (COLUMNS_MACRO,),
        (
            "CREATE MACRO duckdb_functions() AS TABLE SELECT 1 AS a LIMIT 0",
            VIEW,
            TABLES_MACRO,
        ),
        ('CREATE MACRO "="(a, b) AS true',),
        (
            "CREATE SCHEMA system",
            'CREATE MACRO t."system".duckdb_tables() AS TABLE SELECT 1 AS a',
        ),
        ("CREATE MACRO harmless(a) AS a + 1",),
    ],
)
@pytest.mark.first_case
def test_a_duckdb_file_with_functions_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statements: Sequence[str]
) -> None:
    """A DuckDB file that defines any function is refused, also as a named source.

    Such functions could stand in for those with which Synth asks what the file holds, or for
    operators. A harmless one is refused as well, so that nobody has to judge it.
    """
    path = save_duckdb(tmp_path / "t.duckdb", [*BASE, *statements])
    with pytest.raises(TableError, match=r"'t.duckdb' holds functions of its own"):
        open_table(path)

    monkeypatch.setenv("SYNTH_SOURCES", f"clinic={path}")
    with pytest.raises(TableError, match="'clinic' holds functions of its own"):
        list_source("clinic")


def test_a_refusal_does_not_rest_on_one_row_of_duckdb(tmp_path: Path) -> None:
    """The refusal of a file with a view that fails on one value says nothing of this value.

    The view would fail on a row with x and not on one with z. A function of the file claims
    that the view is a table. Apart from the file's name both refusals are the same.
    """
    view = (
        "CREATE VIEW v AS SELECT CASE WHEN a = 'x' THEN error('x') ELSE a END AS a FROM base"
    )
    sentences = set()
    for value in "xz":
        statements = [BASE[0], f"INSERT INTO base VALUES ('{value}', 1)", view, TABLES_MACRO]
        with pytest.raises(TableError) as error:
            open_table(save_duckdb(tmp_path / f"{value}.duckdb", statements))
        sentences.add(str(error.value).replace(f"{value}.duckdb", ""))

    assert len(sentences) == 1


@pytest.mark.parametrize(
    "statements",
    [
        ("CREATE VIEW t.main.duckdb_tables AS SELECT 1 AS a",),
        ("CREATE SCHEMA system", "CREATE SCHEMA temp", "CREATE SCHEMA attached_file"),
        (
            "CREATE SCHEMA attached_file",
            'CREATE TABLE t."attached_file".base AS SELECT 9 AS a',
            'CREATE TABLE t."attached_file".main AS SELECT 9 AS base',
        ),
        (
            "CREATE TYPE TEXTS AS ENUM ('a')",
            "CREATE SEQUENCE q",
            "CREATE INDEX i ON base (b)",
        ),
    ],
)
@pytest.mark.first_case
def test_other_names_in_a_duckdb_file_change_nothing(
    tmp_path: Path, statements: Sequence[str]
) -> None:
    """Views, schemas and types with names that Synth or DuckDB uses leave the table as it is.

    Synth attaches the file under the name attached_file, and DuckDB's own catalogue is in the
    schema system. The table base has the two rows that are read.
    """
    table = open_table(save_duckdb(tmp_path / "t.duckdb", [*BASE, *statements]))
    assert table.header == ("a", "b")
    assert read_rows(table) == [("x", "1"), ("y", "2")]


def test_columns_of_duckdb_are_found_by_any_name(tmp_path: Path) -> None:
    """Columns are read as themselves although they share a name with the table or a field.

    The table is t, a column is t, and source is the name of the table in Synth's own query. A
    column of records becomes text.
    """
    statements = [
        "CREATE TABLE t (source STRUCT(a VARCHAR), a VARCHAR, t HUGEINT, generated_at "
        "VARCHAR)",
        "INSERT INTO t VALUES ({'a': 'inner'}, 'outer', 7, 'GENERATED')",
    ]
    table = open_table(save_duckdb(tmp_path / "t.duckdb", statements))
    assert table.header == ("source", "a", "t", "generated_at")
    assert read_rows(table) == [("{'a': inner}", "outer", "7", "GENERATED")]


def test_reading_duckdb_leaves_nothing_beside_the_file(tmp_path: Path) -> None:
    """Reading a DuckDB file adds no file to its folder, whose name has odd characters."""
    folder = tmp_path / "it's [a] folder*"
    folder.mkdir()
    path = save_duckdb(folder / "t.duckdb", BASE)
    assert open_table(path).header == ("a", "b")
    assert [file.name for file in folder.iterdir()] == ["t.duckdb"]


@pytest.mark.parametrize("storage", ["VIRTUAL", "STORED"])
@pytest.mark.first_case
def test_computed_columns_are_left_out_and_named(tmp_path: Path, storage: str) -> None:
    """A computed column is left out with a remark, in SQLite and in DuckDB.

    Its formula would run when the column is read, and 1 / a would fail on a row where a is 0.
    """
    computed = f"CREATE TABLE t (a INT, r INT GENERATED ALWAYS AS (1 / a) {storage})"
    statements = [computed, "INSERT INTO t (a) VALUES (2), (1)"]
    paths = [save_sqlite(tmp_path / "t.sqlite", statements)]
    if storage == "VIRTUAL":  # DuckDB has no others
        paths.append(save_duckdb(tmp_path / "t.duckdb", statements))
    for path in paths:
        table = open_table(path)
        assert table.header == ("a",)
        assert table.notes == ("Left out, as their values are computed and not stored: 'r'.",)
        assert count(table, Domain(a=["1", "2"])).counts.tolist() == [1, 1]


FULL_TEXT = "CREATE VIRTUAL TABLE f USING fts5(a)"


@pytest.mark.parametrize(
    ("statements", "change"),
    [
        (
            [FULL_TEXT],
            "UPDATE sqlite_master SET sql = 'CREATE  VIRTUAL TABLE f USING fts5(a)'",
        ),
        (
            [FULL_TEXT],
            "UPDATE sqlite_master SET sql = 'CREATE/**/VIRTUAL TABLE f USING fts5(a)'",
        ),
        ([FULL_TEXT], "UPDATE sqlite_master SET sql = sql, rootpage = 2"),
        (
            [],
            "INSERT INTO sqlite_master VALUES "
            "('table', 'f', 'f', 0, 'CREATE  VIRTUAL TABLE f USING dbstat')",
        ),
    ],
)
@pytest.mark.first_case
def test_virtual_tables_of_sqlite_are_left_out(
    tmp_path: Path, statements: Sequence[str], change: str
) -> None:
    """A virtual table of an SQLite file, which runs code when it is read, is never read.

    Changes of the catalogue disguise it. Its definition has two blanks or a comment, it has a
    page as ordinary tables do, or it is of a kind without one. Neither it nor its inner table
    f_content nor the catalogue can be chosen.
    """
    if change.startswith("UPDATE"):
        change = f"{change} WHERE name = 'f'"
    path = save_sqlite(tmp_path / "t.sqlite", [*BASE, *statements], [change])

    table = open_table(path)
    assert read_rows(table) == [("x", "1"), ("y", "2")]
    assert table.notes == (), "the virtual one is no other table"

    for name in ("f", "f_content", "sqlite_master"):
        with pytest.raises(TableError, match=f"has no table '{name}'; it has base"):
            open_table(path, parse_format([f"sheet={name}"]))


def test_the_rows_of_sqlite_are_those_of_the_table_not_of_an_index(tmp_path: Path) -> None:
    """Rows of SQLite come from the table itself, never from an index that holds other values.

    An index with all columns could answer the query faster. Here the catalogue is changed so
    that the index of base points to the index of another table, with the row (z, 9).
    """
    statements = [*BASE, "CREATE INDEX covering ON base (a, b)", "CREATE TABLE o (a, b)"]
    statements += ["INSERT INTO o VALUES ('z', 9)", "CREATE INDEX other ON o (a, b)"]
    exchange = (
        "UPDATE sqlite_master SET rootpage = "
        "(SELECT rootpage FROM sqlite_master WHERE name = 'other') WHERE name = 'covering'"
    )
    drop = "DELETE FROM sqlite_master WHERE name = 'other'"
    path = save_sqlite(tmp_path / "t.sqlite", statements, [exchange, drop])
    assert read_rows(open_table(path)) == [("x", "1"), ("y", "2")]


def test_a_file_of_views_says_what_is_read(tmp_path: Path) -> None:
    """A file with views alone is refused, and the refusal says that views are not read."""
    view = "CREATE VIEW v AS SELECT 1 AS a"
    for path in (
        save_sqlite(tmp_path / "v.sqlite", [view]),
        save_duckdb(tmp_path / "v.duckdb", [view]),
    ):
        with pytest.raises(
            TableError, match=r"holds no table; views and virtual tables are not"
        ):
            open_table(path)
