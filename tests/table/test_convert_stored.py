"""Tables of SQLite, DuckDB and Arrow files, and addresses of databases."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from synth.domain import Domain
from synth.door import Ledger
from synth.errors import ArgumentError, LimitError, TableError
from synth.private.counting import count
from synth.private.table import is_address, open_table, parse_address, parse_format
from synth.spending import mark_of
from tests.table.typed import read_rows


def write_sqlite(path: Path) -> Path:
    """Write an SQLite file of the tables people (three odd rows) and other, and a view."""
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE people (age, sex TEXT, weight REAL)")
        file.executemany(
            "INSERT INTO people VALUES (?, ?, ?)",
            [(41, "f", 2.5), ("forty", b"\xff", 3.0), (None, "é", float("inf"))],
        )
        file.execute("CREATE TABLE other (a)")
        file.execute("CREATE VIEW ratios AS SELECT 1 / (age - 41) AS r FROM people")
    file.close()
    return path


def write_duckdb(path: Path) -> Path:
    """Write a DuckDB file of the table people: one row with large values, one of NULLs."""
    with duckdb.connect(str(path)) as file:
        file.execute("CREATE TABLE people (age INT, sex TEXT, tags INT[], big HUGEINT)")
        file.execute(
            "INSERT INTO people VALUES (41, 'f', [1, 2], "
            "170141183460469231731687303715884105727), "
            "(NULL, NULL, NULL, NULL)"
        )
    return path


@pytest.mark.slow
def test_a_cell_of_sqlite_is_read_by_itself(tmp_path: Path) -> None:
    """A cell of SQLite is read by its own type, whatever type its column declares.

    The second row has a text as age and the byte 0xFF as sex, and the third an infinite
    weight. Bytes that are no text, and infinity, become the unreadable character U+001A. The
    first table of the file is read, with a note, unless ``sheet`` names another.
    """
    table = open_table(write_sqlite(tmp_path / "t.sqlite"))
    assert table.header == ("age", "sex", "weight")
    assert read_rows(table) == [
        ("41", "f", "2.5"),
        ("forty", "\x1a", "3"),
        (None, "é", "\x1a"),
    ]
    assert table.notes == ("Table 'people' of 2 is read.",)

    other_table = open_table(tmp_path / "t.sqlite", parse_format(["sheet=other"]))
    assert other_table.header == ("a",)


def test_columns_of_duckdb_are_copied_or_become_texts(tmp_path: Path) -> None:
    """Lists and the largest integers of a DuckDB file become texts; NULL stays missing."""
    table = open_table(write_duckdb(tmp_path / "t.duckdb"))
    row_of_values, row_of_nulls = read_rows(table)
    largest = "170141183460469231731687303715884105727"  # 2**127 - 1, of a HUGEINT
    assert row_of_values == ("41", "f", "[1, 2]", largest)
    assert row_of_nulls == (None, None, None, None)


@pytest.mark.parametrize("ending", ["feather", "arrows"])
def test_arrow_files_are_read_cell_by_cell(tmp_path: Path, ending: str) -> None:
    """Arrow files and streams open although one moment lies far outside an engine's years.

    Moments of any unit are read as microseconds; 2**60 seconds are billions of years.
    """
    path = tmp_path / f"t.{ending}"
    moments = pa.array([2**60, 86_400], pa.timestamp("s"))
    words = pa.array(["x", "y"]).dictionary_encode()
    content = pa.table({"a": [1, None], "t": moments, "d": words})
    if ending == "feather":
        feather.write_feather(content, str(path), compression="lz4")
    else:
        with pa.ipc.new_stream(str(path), content.schema) as stream:
            stream.write_table(content)

    table = open_table(path)
    numbers_and_words = [(number, word) for number, _, word in read_rows(table)]
    assert numbers_and_words == [("1", "x"), (None, "y")]
    assert table.types[1] == "timestamp[us]"


@pytest.mark.parametrize(
    ("make", "name", "options", "sentence"),
    [
        (
            write_sqlite,
            "t.sqlite",
            ["sheet=ratios"],
            "has no table 'ratios'; it has people, other",
        ),
        (write_sqlite, "t.sqlite", ['sheet=no"body'], "has no table 'no\"body'"),
        (write_duckdb, "t.duckdb", ["sheet=nobody"], "has no table 'nobody'; it has people"),
    ],
)
def test_a_table_that_is_not_there_is_refused(
    tmp_path: Path, make: Callable[[Path], Path], name: str, options: list[str], sentence: str
) -> None:
    """A request for a table that the file lacks is refused with the names of those it has.

    Views, such as ratios of the SQLite file, are no tables. A quotation mark in the requested
    name does no harm.
    """
    with pytest.raises(TableError, match=sentence):
        open_table(make(tmp_path / name), parse_format(options))


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("t.sqlite", b"SQLite format 3\0"),
        ("t.duckdb", b"\0" * 8 + b"DUCK"),
        ("t.arrow", b"ARROW1"),
    ],
)
def test_damage_is_one_sentence(tmp_path: Path, name: str, start: bytes) -> None:
    """A file with the first bytes of its kind and nonsense after them is called damaged."""
    (tmp_path / name).write_bytes(start + b"?" * 5_000)
    with pytest.raises(TableError, match=f"'{name}' cannot be read; it is damaged."):
        open_table(tmp_path / name)


def test_lists_in_a_file_are_left_out_and_named(tmp_path: Path) -> None:
    """A column of lists is left out of an Arrow and of a Parquet file, with a remark.

    The columns on both sides of it are read: positions in the file are others than in the
    table. So they are if names have dots, by which Parquet names the parts of a list. A file
    of such columns alone is refused.
    """
    rows = pa.table({"a": [1, 2], "tags": [[1, 2], None], "b": ["x", "y"]})
    feather.write_feather(rows, str(tmp_path / "t.feather"))
    parquet.write_table(rows, tmp_path / "t.parquet")
    dotted_rows = rows.rename_columns(["a.a", "t.t", "b"])
    parquet.write_table(dotted_rows, tmp_path / "dotted.parquet")
    for file_name, first_name, list_name in (
        ("t.feather", "a", "tags"),
        ("t.parquet", "a", "tags"),
        ("dotted.parquet", "a.a", "t.t"),
    ):
        table = open_table(tmp_path / file_name)
        assert table.header == (first_name, "b")
        assert table.notes == (
            "Left out, as they hold lists or records, which Synth does not read: "
            f"'{list_name}'.",
        )
        assert count(table, Domain(b=["x", "y"])).counts.tolist() == [1, 1]

    parquet.write_table(rows.select(["tags"]), tmp_path / "only.parquet")
    with pytest.raises(TableError, match="nested columns, which are not supported: 'tags'"):
        open_table(tmp_path / "only.parquet")


@pytest.mark.slow
def test_a_cell_of_duckdb_larger_than_the_memory_is_refused_by_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A DuckDB cell that needs more memory than allowed meets a limit, and is not damage.

    The cell has 150 MB. Under the default limit the file opens. Of 1,000 MB, DuckDB gets a
    quarter, which is too little to read the cell.
    """
    with duckdb.connect(str(tmp_path / "t.duckdb")) as file:
        file.execute("CREATE TABLE scans AS SELECT repeat('x', 150_000_000) AS scan")
    assert open_table(tmp_path / "t.duckdb").header == ("scan",)

    monkeypatch.setenv("SYNTH_FOREIGN_MB", "1000")
    with pytest.raises(LimitError, match=r"needs more than 1,000 MB of memory to be read"):
        open_table(tmp_path / "t.duckdb")


@pytest.mark.slow
def test_a_ledger_knows_the_rows_and_not_the_file(tmp_path: Path) -> None:
    """A ledger recognises a database table by its rows in any order, not by the file's bytes.

    A row is copied to the end and its original is deleted, so the rows are the same. A
    further copy changes how often this row occurs, so the table is another one.
    """
    ledger = Ledger(tmp_path / "ledger.db")
    mark_before = mark_of(open_table(write_sqlite(tmp_path / "t.sqlite")), ledger)

    with sqlite3.connect(tmp_path / "t.sqlite") as file:
        file.execute("INSERT INTO people SELECT * FROM people WHERE age = 41")
        file.execute("DELETE FROM people WHERE rowid = 1")
    file.close()
    assert mark_of(open_table(tmp_path / "t.sqlite"), ledger) == mark_before

    with sqlite3.connect(tmp_path / "t.sqlite") as file:
        file.execute("INSERT INTO people SELECT * FROM people WHERE age = 41")
    file.close()
    assert mark_of(open_table(tmp_path / "t.sqlite"), ledger) != mark_before


def test_addresses_are_read() -> None:
    """An address of PostgreSQL gives schema and table, and the server without them.

    Inside quotation marks a point belongs to the name and a doubled mark means one. A limit
    of ten seconds to connect is added. A path is never an address, whatever its name.
    """
    address = parse_address('postgresql://u@db/clinic?sslmode=require&table=a."v.1""x"')
    assert (address.schema, address.table) == ("a", 'v.1"x')
    assert address.server == "postgresql://u@db/clinic?sslmode=require&connect_timeout=10"
    assert not is_address(Path("postgresql://db"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("postgresql://u:word@db/c?table=t", "must not hold a password"),
        ("postgresql://u@db/c?table=t&password=word", "must not hold a password"),
        ("postgresql://u@db/c", "must name one table"),
        ("postgresql://u@db/c?table=a.b.c", "must name one table"),
        ("postgresql://u@[db/c?table=t", "cannot be read"),
    ],
)
def test_addresses_are_refused_before_anybody_is_asked(text: str, sentence: str) -> None:
    """An address with a password, or without one clear table, is refused at once.

    The refusal does not repeat the password, here 'word'.
    """
    with pytest.raises(ArgumentError, match=sentence) as error:
        parse_address(text)
    assert "word@" not in str(error.value)
    assert error.value.__cause__ is None
