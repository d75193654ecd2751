"""Tables of a real PostgreSQL server: read as the same content in a file is, whatever is in
it.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from synth.domain import UNREADABLE
from synth.door import Ledger
from synth.errors import SynthError, TableError
from synth.private.counting import digest_rows
from synth.private.table import arrow_copy, open_table, postgresql_copy, postgresql_types
from synth.spending import mark_of
from tests.databases.conftest import PASSWORD, Server
from tests.house.rules import ROOT
from tests.table.typed import read_rows
from tests.tables import SHARED

pytestmark = [pytest.mark.databases, pytest.mark.slow]

VISITS = """CREATE TABLE visits AS SELECT i AS id, (i * 7) % 90 AS age,
  CASE WHEN i % 3 = 0 THEN 'f' ELSE 'm' END AS sex FROM generate_series(1, 2000) i"""
DOMAIN = """{"fields": [
  {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 89}, "synth:bins": 9},
  {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}}]}"""  # noqa: E501


@pytest.fixture(scope="module")
def visits(server: Server) -> Iterator[str]:
    """The address of a table with 2,000 visits."""
    server.run(VISITS)
    yield server.address("visits")
    server.run("DROP TABLE visits")


def nasty_files() -> list[Path]:
    """The awkward files of the shared folder."""
    return sorted(path for path in (SHARED / "nasty").glob("*.*") if path.suffix != ".md")


def test_texts_are_those_of_a_file(server: Server, tmp_path: Path) -> None:
    """A table of texts has the same rows from PostgreSQL as from a Parquet file.

    The texts are those of every shared awkward file that opens as it is. PostgreSQL allows no
    NUL, short names only, and no name twice. More than 20 files must be left, or the test
    would show little.
    """
    compared = 0
    for file in nasty_files():
        try:
            table = open_table(file)
            rows = read_rows(table)
        except SynthError:
            continue
        cells = [[(cell or "").replace("\0", "") or None for cell in row] for row in rows]
        names = [name.replace("\0", "")[:60] for name in table.header]
        if len(set(names)) < len(names) or not names or len(names) > 1_000:
            continue
        columns = [
            pa.array([row[i] for row in cells], pa.string()) for i in range(len(names))
        ]
        content = pa.table(columns, names)
        with server.connect() as connection, connection.cursor() as cursor:
            cursor.adbc_ingest("nasty", content, mode="replace")
        parquet.write_table(content, tmp_path / "t.parquet")

        rows_of_database = read_rows(open_table(server.address("nasty")))
        rows_of_file = read_rows(open_table(tmp_path / "t.parquet"))
        assert sorted(map(repr, rows_of_database)) == sorted(map(repr, rows_of_file))
        compared += 1
    assert compared > 20 or not nasty_files()


def test_typed_cells_never_stop_the_reading(server: Server) -> None:
    """NaN, infinite dates, dates before Christ and other odd values do not stop the reading.

    The table has a column of each type and three rows: odd values, further ones, and NULL.
    Numbers keep all digits, and arrays and UUIDs are their texts.
    """
    server.run(
        "CREATE DOMAIN mark AS text",
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        "CREATE TABLE typed (n numeric, f float8, b bool, d date, t timestamp, z "
        "timestamptz, j json, a int[], u uuid, m mark, e mood, s interval, x bytea)",
        "INSERT INTO typed VALUES ('NaN', 'NaN', true, 'infinity', '-infinity', 'infinity', "
        "'{}', '{1,2}', NULL, 'q', 'ok', '1 day', '\\xff'), ('12345678901234567890.123', "
        "'Infinity', false, '0044-03-15 BC', '2020-01-02 03:04:05', '2020-01-02 "
        "03:04:05+01', '[1]', '{}', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '', 'sad', '-1 "
        "mon', ''), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
        "NULL)",
    )

    table = open_table(server.address("typed"))

    odd_row, usual_row, row_of_nulls = read_rows(table)
    assert usual_row[table.position("n")] == "12345678901234567890.123"
    assert usual_row[table.position("a")] == "{}"
    assert usual_row[table.position("u")] == "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    assert odd_row[table.position("b")] == "true"
    assert table.types[table.position("z")] == "timestamp[us]"
    assert set(row_of_nulls) == {None}


@pytest.mark.usefixtures("inside")
def test_a_cell_too_large_to_be_sent_is_one_that_is_not_declared(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cell of 600 MB, which a server cannot send, is unreadable, and no other cell is.

    The query replaces such cells by a shorter one above the limit. Without that, as the end
    of the test shows, the server stops in the middle of the table.
    """
    server.run(
        "CREATE TABLE scans (n int, x bytea, t text)",
        "INSERT INTO scans VALUES (1, 'a', 'b')",
        "INSERT INTO scans VALUES (2, convert_to(repeat('x', 600000000), 'UTF8'), '')",
        "UPDATE scans SET t = repeat('x', 600000000) WHERE n = 2",
    )

    small_row, large_row = read_rows(open_table(server.address("scans")))
    assert (small_row[2], large_row[0]) == ("b", "2")
    assert large_row[1] == large_row[2] == UNREADABLE

    monkeypatch.setattr(postgresql_types, "SIZED_TYPES", frozenset())
    with pytest.raises(TableError, match=r"^The database stopped before the end"):
        open_table(server.address("scans"))
    server.run("DROP TABLE scans")


def test_what_cannot_be_read_is_one_sentence(server: Server) -> None:
    """A table that cannot be read is refused with one sentence without address or password.

    A view, a policy and a type compute, a table is not there, rights are missing, and three
    connections fail. No error of the driver hangs on the exception.
    """
    server.run(
        "CREATE TABLE secret (id int)",
        "CREATE VIEW computed AS SELECT 1 / id AS q FROM secret",
        "CREATE ROLE guest LOGIN PASSWORD 'correct-horse-17'",
        "CREATE TABLE filtered (id int)",
        "ALTER TABLE filtered ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY fails ON filtered USING (1 / id > 0)",
        "GRANT SELECT ON filtered TO guest",
        "CREATE TYPE grade AS (g int)",
        "CREATE FUNCTION spell(grade) RETURNS text LANGUAGE sql AS 'SELECT (1 / $1.g)::text'",
        "CREATE CAST (grade AS text) WITH FUNCTION spell(grade)",
        "CREATE TABLE marks (id int, mark grade)",
    )

    for address, sentence in (
        (server.address("computed"), "is a view or the like"),
        (server.address("filtered", user="guest"), "Policies of 'public.filtered' compute"),
        (
            server.address("marks"),
            r"types that Synth does not read: 'mark' \(public.grade\)\. It",
        ),
        (server.address("nothing"), "The database has no table 'public.nothing'."),
        (
            server.address("secret", user="guest"),
            "You may not read any column of 'public.secret'.",
        ),
        (server.address("secret", database="nowhere"), "cannot connect to the database"),
        (server.address("secret", user="stranger"), "cannot connect to the database"),
        ("postgresql://127.0.0.1:1/postgres?table=secret", "cannot connect to the database"),
    ):
        with pytest.raises(TableError, match=sentence) as error:
            open_table(address)
        assert error.value.__context__ is None
        assert "127.0.0.1" not in str(error.value)
        assert PASSWORD not in str(error.value)


def test_rows_in_another_order_are_the_same_table(server: Server, tmp_path: Path) -> None:
    """A ledger knows a table of a database by its rows in any order, and sees one change.

    The digest of the rows is keyed, so that another key gives another digest.
    """
    ledger = Ledger(tmp_path / "ledger.db")
    server.run(
        "DROP TABLE IF EXISTS twice", f"CREATE TABLE twice AS {VISITS.split('AS', 1)[1]}"
    )
    mark = mark_of(open_table(server.address("twice")), ledger)

    server.run(
        "CREATE TABLE moved AS SELECT * FROM twice ORDER BY id DESC",
        "DROP TABLE twice",
        "ALTER TABLE moved RENAME TO twice",
    )
    assert mark_of(open_table(server.address("twice")), ledger) == mark

    server.run("UPDATE twice SET age = age + 1 WHERE id = 5")
    assert mark_of(open_table(server.address("twice")), ledger) != mark

    table = open_table(server.address("twice"))
    assert digest_rows(table, "a") != digest_rows(table, "b")


@pytest.mark.usefixtures("inside")
def test_a_writer_beside_changes_nothing(
    server: Server, visits: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that are added during the reading are not read.

    The rows are those of the moment in which the reading began: 2,000. Another connection
    adds 500 right before they are copied.
    """

    def write_and_copy(*arguments: object) -> None:
        server.run("INSERT INTO visits SELECT 0, 1, 'f' FROM generate_series(1, 500)")
        arrow_copy.copy_batches(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(postgresql_copy, "copy_batches", write_and_copy)
    assert len(read_rows(open_table(visits))) == 2_000
    server.run("DELETE FROM visits WHERE id = 0")


@pytest.mark.usefixtures("inside")
def test_a_reader_that_fails_quotes_no_cell(
    visits: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the copying fails, the refusal holds nothing of the library's own message.

    That could quote a cell, so the exception has no context either.
    """

    def fail(*_: object) -> None:
        raise pa.ArrowInvalid("secret-cell")

    monkeypatch.setattr(postgresql_copy, "copy_batches", fail)
    with pytest.raises(TableError, match="The database stopped before the end") as error:
        open_table(visits)
    assert error.value.__context__ is None


def test_a_release_is_made_and_keeps_no_password(visits: str, tmp_path: Path) -> None:
    """A release from a database leaves the password and the server's address in no file.

    The command runs twice. The second time the answer is repeated and costs nothing, so of
    the budget of 3 the ledger has spent 1.
    """
    domain, out, book = tmp_path / "domain.json", tmp_path / "out", tmp_path / "ledger.db"
    domain.write_text(DOMAIN)
    command = [
        sys.executable,
        "-m",
        "synth",
        "release",
        visits,
        "--domain",
        str(domain),
        "--epsilon",
        "1",
        "--neighbors",
        "add-remove",
        "--out",
        str(out),
        "--ledger",
        str(book),
        "--dataset",
        "visits",
        "--new-dataset",
        "--budget",
        "3",
    ]
    for again in (False, True):
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert ("nothing" in run.stdout + run.stderr) or not again
        assert PASSWORD not in run.stdout + run.stderr

    balance = Ledger(book).balance("visits")
    assert balance.spent == 1
    for path in (file for file in tmp_path.rglob("*") if file.is_file()):
        content = path.read_bytes()
        assert PASSWORD.encode() not in content, path
        assert b"127.0.0.1" not in content, path
    assert os.environ["PGPASSWORD"] == PASSWORD
