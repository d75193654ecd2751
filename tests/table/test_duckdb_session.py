"""Connections of DuckDB read by no statistics, and private copies hold none."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from synth.private.table import PrivateTable, copy_plain, copy_typed, open_any, open_table
from synth.private.table.duckdb_session import RULES_WITHOUT_STATISTICS, open_duckdb

FRAME = pa.table({"a": [1.0, float("nan"), None], "b": ["x", "y", None]})


def test_a_rule_of_the_optimizer_is_disabled_unless_it_is_known() -> None:
    """All rules of DuckDB's optimizer are off but those known to use no statistics of a file.

    A file's statistics may be wrong, so a rule that trusts them could change how rows are
    read. Three such rules are named to show that the list of disabled rules is not empty.
    """
    with closing(open_duckdb()) as connection:
        (setting,) = connection.execute(
            "SELECT current_setting('disabled_optimizers')"
        ).fetchall()
        rules = connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()

    disabled = set(setting[0].split(","))
    assert disabled == {name for (name,) in rules} - RULES_WITHOUT_STATISTICS
    assert {
        "statistics_propagation",
        "filter_pushdown",
        "compressed_materialization",
    } <= disabled


def test_engines_print_no_progress_bar_amid_the_json() -> None:
    """DuckDB's progress bar is off, as it would be printed amid the JSON of a command."""
    with closing(open_duckdb()) as connection:
        settings = connection.execute(
            "SELECT current_setting('enable_progress_bar')"
        ).fetchall()
    assert settings == [(False,)]


def save_feather(folder: Path) -> PrivateTable:
    feather.write_feather(FRAME, str(folder / "t.feather"))
    return open_table(folder / "t.feather")


def save_duckdb(folder: Path) -> PrivateTable:
    with duckdb.connect(str(folder / "t.duckdb")) as file:
        file.register("given", FRAME)
        file.execute("CREATE TABLE t AS SELECT * FROM given")
    return open_table(folder / "t.duckdb")


def save_sqlite(folder: Path) -> PrivateTable:
    with closing(sqlite3.connect(folder / "t.sqlite")) as file:
        file.execute("CREATE TABLE t (a REAL, b TEXT)")
        file.execute("INSERT INTO t VALUES (1.0, 'x')")
        file.commit()
    return open_table(folder / "t.sqlite")


def save_text(folder: Path) -> PrivateTable:
    # No engine splits the last row, whose quotation mark is never closed, into cells.
    (folder / "t.csv").write_bytes(b'a,b\n1,x\n2,"\n')
    return copy_plain(open_table(folder / "t.csv"))


def save_parquet(folder: Path) -> PrivateTable:
    parquet.write_table(FRAME, folder / "t.parquet")
    return copy_typed(open_table(folder / "t.parquet"))


def pass_batches(_folder: Path) -> PrivateTable:
    return open_any(FRAME.to_batches())


@pytest.mark.parametrize(
    "save", [save_feather, save_duckdb, save_sqlite, save_text, save_parquet, pass_batches]
)
def test_a_private_copy_has_no_statistics(
    save: Callable[[Path], PrivateTable], tmp_path: Path
) -> None:
    """The private Parquet copy of a table of any kind has no statistics of its columns.

    DuckDB would trust a least and a greatest value, and one row could then decide how others
    are read.
    """
    table = save(tmp_path)
    assert table.data.parent == table.keeper.path, "the data is a private copy"

    footer = parquet.ParquetFile(table.data).metadata
    assert footer.num_rows > 0
    for group in range(footer.num_row_groups):
        for column in range(footer.num_columns):
            assert not footer.row_group(group).column(column).is_stats_set
