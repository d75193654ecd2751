"""The code of a table's owner does not run with the rights of the steward who reads the
table.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from synth.errors import TableError
from synth.private.table import open_table, postgresql_copy
from tests.databases.conftest import PASSWORD, Server
from tests.table.typed import read_rows

pytestmark = [pytest.mark.databases, pytest.mark.slow]

MARK = "the owner ran code as steward"
"""What the owner's code writes into the server's log when the steward's rights are its
own.
"""
SPY = f"""LANGUAGE plpgsql IMMUTABLE AS $$
  BEGIN IF current_user = 'steward' THEN RAISE LOG '{MARK}'; END IF; RETURN %s; END $$"""
TYPES = "have types that Synth does not read"
FUNCTIONS = "use functions of other users, which the database would run with your rights"
STOPPED = r"The database stopped before the end of 'shop\.t'; nothing was spent"
CHANGED = "'shop.{}' was changed while it was read; nothing was spent"

PREPARED = (
    f"CREATE FUNCTION shop.spy(int) RETURNS int {SPY % '$1'}",
    "CREATE TYPE shop.pair AS (a int)",
    f"CREATE FUNCTION shop.spell(shop.pair) RETURNS text {SPY % repr('x')}",
    "CREATE CAST (shop.pair AS text) WITH FUNCTION shop.spell(shop.pair)",
    "CREATE DOMAIN shop.pair_once AS shop.pair",
    "CREATE DOMAIN shop.pair_twice AS shop.pair_once",
    "CREATE TYPE shop.mood AS ENUM ('sad', 'so so')",
    f"CREATE FUNCTION shop.spell(shop.mood) RETURNS text {SPY % repr('x')}",
    "CREATE CAST (shop.mood AS text) WITH FUNCTION shop.spell(shop.mood)",
    "CREATE DOMAIN shop.mood_once AS shop.mood",
    "CREATE DOMAIN shop.mood_twice AS shop.mood_once",
    "CREATE TYPE shop.date AS (a int)",
    f"CREATE FUNCTION shop.spell(shop.date) RETURNS pg_catalog.date {SPY % 'NULL'}",
    "CREATE CAST (shop.date AS pg_catalog.date) WITH FUNCTION shop.spell(shop.date) AS "
    "IMPLICIT",
    "CREATE TYPE shop.bytea AS ENUM ('x')",
    f"CREATE FUNCTION shop.spell(shop.bytea) RETURNS pg_catalog.bytea {SPY % 'NULL'}",
    "CREATE CAST (shop.bytea AS pg_catalog.bytea) WITH FUNCTION shop.spell(shop.bytea) AS "
    "IMPLICIT",
    "CREATE DOMAIN shop.checked AS int CHECK (shop.spy(VALUE) < 100)",
)
"""What the owner makes before all tables."""

REFUSED = {
    "cast": (
        ["CREATE TABLE shop.t (a shop.pair)", "INSERT INTO shop.t VALUES (row(1))"],
        TYPES,
    ),
    "domain": (["CREATE TABLE shop.t (a shop.pair_twice)"], TYPES),
    "array": (["CREATE TABLE shop.t (a shop.pair[])"], TYPES),
    "name of a built-in type": (["CREATE TABLE shop.t (a shop.date)"], TYPES),
    "index": (
        ["CREATE TABLE shop.t (a int)", "CREATE INDEX t_index ON shop.t ((a + shop.spy(1)))"],
        f"'shop.t' {FUNCTIONS}: 't_index'",
    ),
    "partial index": (
        ["CREATE TABLE shop.t (a int)", "CREATE INDEX ON shop.t (a) WHERE shop.spy(1) = 1"],
        FUNCTIONS,
    ),
    "domain in an index": (
        ["CREATE TABLE shop.t (a int)", "CREATE INDEX ON shop.t ((a + 3::shop.checked))"],
        FUNCTIONS,
    ),
    "operator in an index": (
        [
            f"CREATE FUNCTION shop.add(int, int) RETURNS int {SPY % '$1'}",
            "CREATE OPERATOR shop.+ (LEFTARG = int, RIGHTARG = int, FUNCTION = shop.add)",
            "CREATE TABLE shop.t (a int)",
            "CREATE INDEX ON shop.t ((a * (1 OPERATOR(shop.+) 2)))",
        ],
        FUNCTIONS,
    ),
    "statistics": (
        [
            "CREATE TABLE shop.t (a int)",
            "CREATE STATISTICS shop.s ON (a + shop.spy(1)) FROM shop.t",
        ],
        FUNCTIONS,
    ),
    "key of partitions": (
        [
            "CREATE TABLE shop.t (a int) PARTITION BY RANGE ((a + shop.spy(1)))",
            "CREATE TABLE shop.t1 PARTITION OF shop.t FOR VALUES FROM (0) TO (9)",
        ],
        FUNCTIONS,
    ),
    "index of a partition": (
        [
            "CREATE TABLE shop.t (a int) PARTITION BY RANGE (a)",
            "CREATE TABLE shop.t1 PARTITION OF shop.t FOR VALUES FROM (0) TO (9)",
            "CREATE INDEX ON shop.t1 ((a + shop.spy(1)))",
        ],
        FUNCTIONS,
    ),
    "view": (["CREATE VIEW shop.t AS SELECT shop.spy(1) AS a"], "is a view or the like"),
    "policy": (
        [
            "CREATE TABLE shop.t (a int)",
            "ALTER TABLE shop.t ENABLE ROW LEVEL SECURITY",
            "CREATE POLICY p ON shop.t USING (shop.spy(a) = a)",
        ],
        "Policies of 'shop.t' compute",
    ),
}
READ = {
    "enumeration with a cast": (
        ["CREATE TABLE shop.t (a shop.mood)", "INSERT INTO shop.t VALUES ('so so')"],
        [("so so",)],
    ),
    "domain over one": (
        [
            "CREATE TABLE shop.t (a shop.mood_twice)",
            "INSERT INTO shop.t VALUES ('sad'), (NULL)",
        ],
        [("sad",), (None,)],
    ),
    "array of them": (
        [
            "CREATE TABLE shop.t (a shop.mood_twice[])",
            "INSERT INTO shop.t VALUES ('{sad,so so}')",
        ],
        [('{sad,"so so"}',)],
    ),
    "enumeration called bytea": (
        ["CREATE TABLE shop.t (a shop.bytea)", "INSERT INTO shop.t VALUES ('x')"],
        [("x",)],
    ),
    "checks, defaults and computed columns": (
        [
            "CREATE TABLE shop.t (a int CHECK (a < shop.spy(9)), b int DEFAULT shop.spy(1), "
            "c int GENERATED ALWAYS AS (a + shop.spy(1)) STORED)",
            "INSERT INTO shop.t VALUES (1)",
        ],
        [("1", "1", "2")],
    ),
    "a trigger": (
        [
            "CREATE TABLE shop.t (a int)",
            "INSERT INTO shop.t VALUES (1)",
            f"CREATE FUNCTION shop.act() RETURNS trigger {SPY % 'NULL'}",
            "CREATE TRIGGER act AFTER INSERT OR UPDATE ON shop.t EXECUTE FUNCTION shop.act()",
        ],
        [("1",)],
    ),
    "an index with the database's own functions": (
        [
            "CREATE TABLE shop.t (a text, b shop.mood)",
            "CREATE INDEX ON shop.t (lower(a)) WHERE b = 'sad'",
            "INSERT INTO shop.t VALUES ('A', 'sad')",
        ],
        [("A", "sad")],
    ),
}


@pytest.fixture(scope="module")
def shop(server: Server) -> Iterator[Server]:
    """A server with an owner of tables and a steward, neither of them a superuser."""
    server.run(
        f"CREATE ROLE keeper LOGIN PASSWORD '{PASSWORD}'",
        f"CREATE ROLE steward LOGIN PASSWORD '{PASSWORD}'",
        "ALTER ROLE keeper SET lock_timeout = '500ms'",  # what is locked out fails in a test
    )
    yield server
    server.run("DROP ROLE keeper", "DROP ROLE steward")


@pytest.fixture(autouse=True)
def owner_schema(shop: Server) -> Iterator[None]:
    """An empty schema of the owner's, with functions that tell who runs them."""
    shop.run("CREATE SCHEMA shop AUTHORIZATION keeper")
    shop.run("GRANT USAGE ON SCHEMA shop TO steward", *PREPARED, user="keeper")
    shop.run(
        "ALTER DEFAULT PRIVILEGES IN SCHEMA shop GRANT SELECT ON TABLES TO steward",
        user="keeper",
    )
    yield
    shop.run("DROP OWNED BY keeper CASCADE")


def count_runs_of_code(server: Server) -> int:
    """How often the owner's code ran with the steward's rights."""
    return server.log.read_text(encoding="utf-8", errors="replace").count(MARK)


@pytest.mark.parametrize("case", REFUSED)
def test_a_table_that_computes_is_refused(shop: Server, case: str) -> None:
    """A table whose reading could run code of its owner is refused, and no code runs.

    The owner's functions write to the server's log when they run with the steward's rights.
    `REFUSED` has the statements that make each table, and the sentence.
    """
    statements, sentence = REFUSED[case]
    shop.run(*statements, user="keeper")
    runs_before = count_runs_of_code(shop)

    with pytest.raises(TableError, match=sentence):
        open_table(shop.address("shop.t", user="steward"))

    assert count_runs_of_code(shop) == runs_before


@pytest.mark.parametrize("case", READ)
def test_what_does_not_compute_is_read(shop: Server, case: str) -> None:
    """A table that only looks as if it ran code of its owner is read, and no code runs.

    `READ` has the statements that make each table, and its rows.
    """
    statements, content = READ[case]
    shop.run(*statements, user="keeper")
    runs_before = count_runs_of_code(shop)

    assert read_rows(open_table(shop.address("shop.t", user="steward"))) == content

    assert count_runs_of_code(shop) == runs_before


@pytest.mark.parametrize("case", ["index", "statistics", "key of partitions", "view"])
def test_the_code_runs_for_a_plain_reader(shop: Server, case: str) -> None:
    """The owner's code does run for a plain reader, so the tests above would see it."""
    shop.run(*REFUSED[case][0], user="keeper")
    before = count_runs_of_code(shop)
    shop.run("SELECT a FROM shop.t", user="steward")
    assert count_runs_of_code(shop) > before


def test_partitions_that_fetch_their_rows_are_refused(shop: Server) -> None:
    """A table with rows in a foreign table, which a program may supply, is refused."""
    shop.run("CREATE TABLE shop.t (a int)", user="keeper")
    shop.run(
        "CREATE EXTENSION file_fdw",
        "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw",
        "CREATE FOREIGN TABLE shop.far (a int) INHERITS (shop.t) SERVER files "
        "OPTIONS (program 'echo 7')",
    )
    with pytest.raises(
        TableError, match=r"rows of 'shop.t' are in foreign tables, .*: 'far'"
    ):
        open_table(shop.address("shop.t", user="steward"))

    shop.run("DROP EXTENSION file_fdw CASCADE")


def test_a_database_that_replaces_operators_gets_no_call(shop: Server) -> None:
    """A database whose owner replaces an operator of PostgreSQL is read without its use.

    The driver compares numbers of functions with 0 before Synth can say anything. The owner's
    operator would run then for a plain reader, which the end of the test shows.
    """
    shop.run("CREATE DATABASE odd OWNER keeper")
    shop.run(
        "CREATE SCHEMA shop",
        f"CREATE FUNCTION shop.differ(regproc, int) RETURNS bool {SPY % 'true'}",
        "CREATE OPERATOR shop.<> (LEFTARG = regproc, RIGHTARG = int, FUNCTION = shop.differ)",
        "GRANT USAGE ON SCHEMA shop TO steward",
        "CREATE TABLE shop.t AS SELECT 1 AS a",
        "GRANT SELECT ON shop.t TO steward",
        "ALTER DATABASE odd SET search_path = shop, pg_catalog",
        user="keeper",
        database="odd",
    )
    runs_before = count_runs_of_code(shop)

    table = open_table(shop.address("shop.t", user="steward", database="odd"))
    assert read_rows(table) == [("1",)]
    assert count_runs_of_code(shop) == runs_before

    shop.run("SELECT 1", user="steward", database="odd")
    assert count_runs_of_code(shop) > runs_before
    shop.run("DROP DATABASE odd")


def swap_tables(server: Server) -> None:
    """Let the table's name mean a view of the owner's."""
    server.run(
        "ALTER TABLE shop.t RENAME TO hidden", "ALTER VIEW shop.v RENAME TO t", user="keeper"
    )


def swap_schemas(server: Server) -> None:
    """Let the name of the schema mean another one. No lock of a table stops that."""
    server.run("ALTER SCHEMA shop RENAME TO hidden", "ALTER SCHEMA other RENAME TO shop")


def add_index(server: Server) -> None:
    """Let the next plan of a query run the owner's code."""
    server.run("CREATE INDEX ON shop.t ((a + shop.spy(1)))", user="keeper")


def add_statistics(server: Server) -> None:
    """The same; only who may write to the table can stop this."""
    server.run("CREATE STATISTICS shop.s ON (a + shop.spy(1)) FROM shop.t", user="keeper")


def is_locked_out(act: Callable[[Server], None], server: Server) -> bool:
    """Whether the owner waits in vain."""
    from adbc_driver_manager import Error

    try:
        act(server)
    except Error as error:
        return error.sqlstate == "55P03"
    return False


def act_before_a_call(
    monkeypatch: pytest.MonkeyPatch, name: str, act: Callable[[], None], number: int = 1
) -> None:
    """Act before this call of a function of the reader."""
    function, calls = getattr(postgresql_copy, name), 0

    def act_and_call(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number:
            act()
        return function(*arguments)

    monkeypatch.setattr(postgresql_copy, name, act_and_call)


@pytest.fixture
def swappable(shop: Server) -> Iterator[Server]:
    """A table with a view beside it, and a schema with another table and another view."""
    shop.run(
        "CREATE TABLE shop.t AS SELECT 1 AS a",
        "CREATE VIEW shop.v AS SELECT shop.spy(1) AS a",
        user="keeper",
    )
    shop.run(
        "CREATE SCHEMA other AUTHORIZATION keeper",
        "GRANT USAGE ON SCHEMA other TO steward",
    )
    shop.run(
        "CREATE VIEW other.t AS SELECT shop.spy(1) AS a",
        "GRANT SELECT ON other.t TO steward",
        user="keeper",
    )
    yield shop
    shop.run("DROP SCHEMA IF EXISTS other, hidden CASCADE")


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize(
    ("step", "number", "act", "sentence"),
    [
        ("_lock", 1, swap_tables, STOPPED),
        ("_lock", 1, swap_schemas, STOPPED),
        ("look_at", 2, swap_schemas, "is a view or the like"),
        ("copy_batches", 1, swap_schemas, "is a view or the like|was changed while"),
        ("_begin_rows", 1, swap_schemas, STOPPED),
        ("copy_batches", 1, add_statistics, CHANGED.format("t")),
    ],
)
def test_a_table_that_is_swapped_gives_no_rows(
    swappable: Server,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    number: int,
    act: Callable[[Server], None],
    sentence: str,
) -> None:
    """If the owner swaps the table during the reading, it is refused, and no code runs.

    The owner acts before a step of the reader, at its first or second call. The name then
    means a view, or its schema another one, or the table has statistics with code.
    """
    act_before_a_call(monkeypatch, step, lambda: act(swappable), number)
    runs_before = count_runs_of_code(swappable)

    with pytest.raises(TableError, match=sentence):
        open_table(swappable.address("shop.t", user="steward"))

    assert count_runs_of_code(swappable) == runs_before


@pytest.mark.usefixtures("inside")
@pytest.mark.parametrize(
    ("step", "act", "right"),
    [
        ("_begin_rows", add_index, ""),
        ("copy_batches", add_index, ""),
        ("_begin_rows", swap_tables, ""),
        ("_begin_rows", add_statistics, "UPDATE"),
    ],
)
def test_the_owner_waits_until_the_table_is_read(
    swappable: Server,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    act: Callable[[Server], None],
    right: str,
) -> None:
    """While Synth reads a table, its owner can neither swap it nor add code to it.

    The owner tries to do so before a step of the reader, waits for the lock in vain, and
    gives up. Against statistics only a steward with the right to update the table has such a
    lock.
    """
    if right:
        swappable.run(f"GRANT {right} ON shop.t TO steward", user="keeper")
    waited: list[bool] = []
    act_before_a_call(monkeypatch, step, lambda: waited.append(is_locked_out(act, swappable)))
    runs_before = count_runs_of_code(swappable)

    assert read_rows(open_table(swappable.address("shop.t", user="steward"))) == [("1",)]

    assert waited == [True]
    assert count_runs_of_code(swappable) == runs_before


@pytest.mark.usefixtures("inside")
def test_writers_do_not_wait(swappable: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The owner can write to a table while Synth copies it, and the copy stays as it began.

    Right before the rows are copied, the owner adds one and changes all. The copy has the one
    row from before, and the next reading has two.
    """

    def write() -> None:
        swappable.run(
            "INSERT INTO shop.t VALUES (2)", "UPDATE shop.t SET a = 3", user="keeper"
        )

    act_before_a_call(monkeypatch, "copy_batches", write)
    address = swappable.address("shop.t", user="steward")
    assert read_rows(open_table(address)) == [("1",)]
    assert len(read_rows(open_table(address))) == 2


def test_partitions_in_a_schema_of_the_owner_are_read(shop: Server) -> None:
    """A table is read with a partition in a schema that the steward may not enter.

    PostgreSQL checks rights for the whole table alone. Each partition has one of the rows.
    """
    shop.run("CREATE SCHEMA parts AUTHORIZATION keeper")
    shop.run(
        "CREATE TABLE shop.t (a int) PARTITION BY RANGE (a)",
        "CREATE TABLE parts.t1 PARTITION OF shop.t FOR VALUES FROM (0) TO (9)",
        "CREATE TABLE shop.t2 PARTITION OF shop.t FOR VALUES FROM (9) TO (20)",
        "INSERT INTO shop.t VALUES (1), (10)",
        user="keeper",
    )
    rows = read_rows(open_table(shop.address("shop.t", user="steward")))
    assert sorted(rows) == [("1",), ("10",)]


@pytest.mark.usefixtures("inside")
def test_a_table_that_others_change_is_not_waited_for(
    shop: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that another program has locked is refused after a short wait.

    The longest wait of 10 seconds is lowered to 0.1. After the lock the table opens.
    """
    settings = [setting.replace("'10s'", "'100ms'") for setting in postgresql_copy.SETTINGS]
    monkeypatch.setattr(postgresql_copy, "SETTINGS", settings)
    shop.run("CREATE TABLE shop.t (a int)", user="keeper")
    with shop.connect() as connection, connection.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("LOCK TABLE shop.t")
        with pytest.raises(TableError, match=r"Another program is changing 'shop\.t'"):
            open_table(shop.address("shop.t", user="steward"))
        cursor.execute("ROLLBACK")

    assert open_table(shop.address("shop.t", user="steward")).header == ("a",)


def test_what_cannot_be_locked_by_a_reader_is_read(shop: Server) -> None:
    """A table that the steward may not lock is read all the same.

    The steward may read a single column of the one table, and the other is a materialized
    view.
    """
    shop.run(
        "CREATE TABLE shop.t AS SELECT 1 AS a, 2 AS b",
        "REVOKE ALL ON shop.t FROM steward",
        "GRANT SELECT (b) ON shop.t TO steward",
        "CREATE MATERIALIZED VIEW shop.m AS SELECT 3 AS c",
        user="keeper",
    )
    assert read_rows(open_table(shop.address("shop.t", user="steward"))) == [("2",)]
    assert read_rows(open_table(shop.address("shop.m", user="steward"))) == [("3",)]
