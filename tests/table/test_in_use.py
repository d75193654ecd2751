"""A table that another program is changing is refused."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet

from synth.errors import TableError
from synth.foreign import Facts
from synth.private.table import convert, open_table
from synth.private.table.sources import list_source
from tests.table.typed import read_rows

IN_USE = "is in use, or its last use was cut off: its folder has a file .*'{}' added"
# A program that changes every row in a transaction, and ends before it is committed. Its
# small cache makes SQLite write changed pages into the file already.
INTERRUPTED = """
import os, sqlite3, sys
file = sqlite3.connect(sys.argv[1], isolation_level=None)
file.execute("PRAGMA cache_size = 2")
file.execute("BEGIN")
file.execute("UPDATE t SET sex = 'm'")
os._exit(9)
"""
# A program that adds a row, which DuckDB keeps in a log beside the file, and ends at once.
INTERRUPTED_DUCKDB = """
import duckdb, os, sys
file = duckdb.connect(sys.argv[1])
file.execute("INSERT INTO t VALUES ('m')")
os._exit(9)
"""
# A program that keeps the file open until its standard input is closed.
LOCKING = """
import duckdb, sys
file = duckdb.connect(sys.argv[1])
print("ready", flush=True)
sys.stdin.read()
"""


def save_sqlite(path: Path) -> Path:
    """Write an SQLite file of 2,000 rows, all with sex f and a long note."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("CREATE TABLE t (sex, note)")
        file.executemany("INSERT INTO t VALUES (?, ?)", [("f", "x" * 300)] * 2_000)
        file.commit()
    return path


def save_duckdb(path: Path) -> Path:
    """Write a DuckDB file of one row with sex f."""
    with duckdb.connect(str(path)) as file:
        file.execute("CREATE TABLE t AS SELECT 'f' AS sex")
    return path


def test_rows_of_sqlite_that_were_never_committed_are_not_read(tmp_path: Path) -> None:
    """An SQLite file with pages of an unfinished transaction is refused until it is repaired.

    The interrupted program leaves a journal, and rows of sex m that were never committed.
    SQLite undoes them when it opens the file, and then all rows have sex f again.
    """
    path = save_sqlite(tmp_path / "t.sqlite")
    subprocess.run([sys.executable, "-c", INTERRUPTED, path], check=False)
    with pytest.raises(TableError, match=IN_USE.format("-journal")):
        open_table(path)

    # The refusal advises to open and close the file once with another program.
    with closing(sqlite3.connect(path)) as file:
        file.execute("SELECT count(*) FROM t").fetchall()
    assert {sex for sex, _ in read_rows(open_table(path))} == {"f"}


@pytest.mark.parametrize(
    ("make", "name", "ending"),
    [
        (save_sqlite, "t.sqlite", "-wal"),
        (save_sqlite, "t.sqlite", "-shm"),
        (save_sqlite, "t.sqlite", "-journal"),
        (save_duckdb, "t.duckdb", ".wal"),
        (save_duckdb, "t.duckdb", ".wal.checkpoint"),
        (save_duckdb, "t.duckdb", ".wal.recovery"),
    ],
)
@pytest.mark.first_case
def test_a_file_beside_a_database_refuses_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path], Path],
    name: str,
    ending: str,
) -> None:
    """A database is refused while a file beside it shows that a program uses it.

    The file is found by the path, by a link and by the name of a source. An empty one has no
    effect. A pipe of that name is taken for use, and is not waited for.
    """
    path = make(tmp_path / name)
    (tmp_path / "link").symlink_to(path)
    neighbour_file = tmp_path / f"{name}{ending}"
    neighbour_file.write_bytes(b"newer")
    monkeypatch.setenv("SYNTH_SOURCES", f"clinic={path}")
    for opened_path in (path, tmp_path / "link"):
        with pytest.raises(TableError, match=IN_USE.format(ending)):
            open_table(opened_path)
    with pytest.raises(TableError, match=f"'clinic' {IN_USE.format(ending)}"):
        list_source("clinic")

    neighbour_file.write_bytes(b"")
    assert open_table(path).header[0] == "sex"

    neighbour_file.unlink()
    os.mkfifo(neighbour_file)
    with pytest.raises(TableError, match=IN_USE.format(ending)):
        open_table(path)


def test_the_log_of_a_duckdb_file_with_a_question_mark_is_found(tmp_path: Path) -> None:
    """The log of a DuckDB file is found although DuckDB names it oddly after a question mark.

    DuckDB takes what follows a question mark for no part of the name.
    """
    path = save_duckdb(tmp_path / "t?.duckdb")
    command = [sys.executable, "-c", INTERRUPTED_DUCKDB, path]
    subprocess.run(command, check=False)
    assert (tmp_path / "t.wal?.duckdb").exists()

    with pytest.raises(TableError, match=IN_USE.format(".wal")):
        open_table(path)


@pytest.mark.parametrize("mode", ["PERSIST", "TRUNCATE", "DELETE", "WAL"])
@pytest.mark.first_case
def test_a_database_of_sqlite_that_was_closed_is_read(tmp_path: Path, mode: str) -> None:
    """An SQLite file that was closed properly is read, whatever its journal mode leaves.

    Two modes keep a journal, of zeros or empty, which shows no use. The update to sex m was
    committed, so all rows have it.
    """
    path = save_sqlite(tmp_path / "t.sqlite")
    with closing(sqlite3.connect(path)) as file:
        file.execute(f"PRAGMA journal_mode = {mode}")
        file.execute("UPDATE t SET sex = 'm'")
        file.commit()

    keeps_journal = mode in ("PERSIST", "TRUNCATE")
    assert (tmp_path / "t.sqlite-journal").exists() == keeps_journal
    assert {sex for sex, _ in read_rows(open_table(path))} == {"m"}


def test_a_database_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that another program changes during the reading is refused.

    The function that reads the file is replaced by one that adds a row right after it.
    """
    path = save_sqlite(tmp_path / "t.sqlite")
    read_apart = convert.read_apart

    def read_and_write(*arguments: object, **options: object) -> Facts:
        answer = read_apart(*arguments, **options)  # type: ignore[arg-type]
        with closing(sqlite3.connect(path)) as file:
            file.execute("INSERT INTO t VALUES ('m', zeroblob(9000))")
            file.commit()
        return answer

    monkeypatch.setattr(convert, "read_apart", read_and_write)
    with pytest.raises(TableError, match=r"'t.sqlite' changed while it was read"):
        open_table(path)


def test_a_duckdb_file_that_a_program_holds_is_not_called_damaged(tmp_path: Path) -> None:
    """A DuckDB file that another program holds open is called in use, not damaged."""
    path = save_duckdb(tmp_path / "t.duckdb")
    command = [sys.executable, "-c", LOCKING, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"ready\n"
        with pytest.raises(TableError, match=r"'t.duckdb' is in use by another program"):
            open_table(path)
        holder.communicate()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("_temporary", "a program is writing it, or was interrupted"),
        ("_delta_log", "a table of Delta Lake, whose files also hold rows that were deleted"),
        (".hoodie", "a table of Apache Hudi"),
        ("_spark_metadata", "a table of Spark"),
    ],
)
def test_a_folder_whose_files_are_not_all_rows_is_refused(
    tmp_path: Path, name: str, sentence: str
) -> None:
    """A folder of Parquet files is refused if a subfolder shows that not all files count.

    An unfinished write or the log of a versioned table does so. Without it the same folder
    opens, and Spark's mark of success does no harm.
    """
    folder = tmp_path / "t"
    folder.mkdir()
    parquet.write_table(pa.table({"a": [1]}), folder / "part.parquet")
    (folder / "_SUCCESS").touch()
    assert open_table(folder).header == ("a",)

    (folder / name).mkdir()
    with pytest.raises(TableError, match=sentence):
        open_table(folder)
