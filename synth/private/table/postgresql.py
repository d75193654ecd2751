"""A table of PostgreSQL, copied once in one read-only transaction. PRIVATE.

The server returns stored columns unchanged. It computes nothing that could fail on a row: a failure
would disclose something about that row. Passwords come from the places where PostgreSQL's own
library finds them, never from the address.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import parse_qsl, urlencode, urlsplit

from synth import limits
from synth.errors import ArgumentError, TableError, name_some
from synth.foreign import TABLE, Fault, Folder, quote_name
from synth.private.table.arrow_copy import copy_batches, limit_batches
from synth.private.table.convert import is_installed

SCHEMES = ("postgresql://", "postgres://")
# Encodings of a server whose texts can all be sent as UTF-8, so that none stops the reading.
SERVER_ENCODINGS = ("UTF8", "SQL_ASCII", "LATIN1")
CONNECT_SECONDS = "10"
NAME_PART = r'"((?:[^"]|"")+)"|([^".]+)'
# A table, with or without its schema; names with points or quotation marks are quoted.
NAMES = re.compile(rf"(?:(?:{NAME_PART})\.)?(?:{NAME_PART})")

TABLE_OPTION = re.compile("[?&]table=")
LIST_READABLE = """
SELECT n.nspname::text, c.relname::text
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind::text IN ('r', 'p', 'm')
AND n.nspname::text NOT LIKE 'pg\\_%' AND n.nspname::text <> 'information_schema'
AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
ORDER BY 1, 2
"""
FIND_TABLE = """
SELECT c.oid, c.relkind::text, current_setting('server_encoding'), row_security_active(c.oid)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2
"""
LIST_COLUMNS = """
SELECT a.attname::text, b.typname::text, EXISTS (
  SELECT FROM pg_catalog.pg_cast k JOIN pg_catalog.pg_proc p ON p.oid = k.castfunc
  WHERE k.castsource = b.oid AND k.casttarget = 'text'::regtype
  AND p.pronamespace <> 'pg_catalog'::regnamespace)
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
JOIN pg_catalog.pg_type b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END
WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped
AND a.attgenerated IN ('', 's') AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')
ORDER BY a.attnum
"""
# Tables, partitioned ones, materialized views; other views compute rows and may fail on one.
STORED = frozenset("rpm")
# Types that arrive as stored.
PLAIN_TYPES = frozenset("bool int2 int4 int8 float4 float8 numeric text varchar bpchar".split())
# Types with infinite values; these and far values become a day that no domain declares.
ENDLESS_TYPES = frozenset("date timestamp timestamptz".split())
# Types whose longest cells a server cannot send; one above the limit is not declared anyway.
SIZED_TYPES = frozenset("text varchar bytea".split())


@dataclass(frozen=True)
class Address:
    server: str
    schema: str
    table: str

    @property
    def name(self) -> str:
        return f"{self.schema}.{self.table}"


def is_address(name: str | Path) -> bool:
    """Return whether a table's name is the address of a database.

    >>> is_address("postgresql://db.example/clinic?table=visits"), is_address("visits.csv")
    (True, False)
    """
    return isinstance(name, str) and name.startswith(SCHEMES)


def parse_address(text: str) -> Address:
    """Read the address of a table.

    Raises:
        ArgumentError: It holds a password, or names no table.

    >>> parse_address("postgresql://db.example/clinic?table=public.visits").name
    'public.visits'
    """
    try:
        parts = urlsplit(text)
        asked = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        raise ArgumentError("The address of the database cannot be read.") from None
    given = dict(asked)
    if ":" in parts.netloc.rpartition("@")[0] or given.keys() & {"password", "sslpassword"}:
        raise ArgumentError(
            "An address must not hold a password. Write it into the password file (~/.pgpass) or "
            "a service file (~/.pg_service.conf), or set PGPASSWORD."
        )
    names = NAMES.fullmatch(given.pop("table", ""))
    if names is None:
        raise ArgumentError(
            "The address must name one table, such as postgresql://host/database?table=public.visits."
        )
    schema, table = (
        (quoted or plain or "").replace('""', '"')
        for quoted, plain in (names.groups()[:2], names.groups()[2:])
    )
    given.setdefault("connect_timeout", CONNECT_SECONDS)
    server = parts._replace(query=urlencode(given), fragment="").geturl()
    return Address(server, schema or "public", table)


def table_address(server: str, schema: str, table: str) -> str:
    """Return the address of a table of a server.

    >>> table_address("postgresql://db/clinic?sslmode=require", "public", "visits")
    'postgresql://db/clinic?sslmode=require&table=%22public%22.%22visits%22'
    """
    asked = urlencode({"table": f"{quote_name(schema)}.{quote_name(table)}"})
    return f"{server}{'&' if '?' in server else '?'}{asked}"


def list_tables(server: str) -> list[tuple[str, str]]:
    """List the schemas and names of the tables of a database of which you may read a column.

    Raises:
        ArgumentError: The address holds a password, or the driver is not installed.
        TableError: There is no such server or right.
    """
    address = parse_address(table_address(server, "the database", "list of tables"))
    found: list[tuple[str, str]] = []

    def read(cursor: Any) -> None:
        cursor.execute(LIST_READABLE)
        found.extend(cursor.fetchall())

    _read(address, read)
    return found


def copy_table(text: str, folder: Folder) -> tuple[str, Path]:
    """Copy a table of PostgreSQL to a private Parquet file; return its name in messages, and the
    file.

    Raises:
        ArgumentError: The address is wrong, or the driver is not installed.
        TableError: There is no such server, table or right, or reading stops.
        LimitError: The table is larger than the limit.
    """
    address = parse_address(text)
    target = folder.path / TABLE

    def copy(cursor: Any) -> None:
        fields = _fields(cursor, address)
        table = f"{quote_name(address.schema)}.{quote_name(address.table)}"
        cursor.execute(f"SELECT {fields} FROM {table}")
        found = cursor.fetch_record_batch()
        copy_batches(limit_batches(found, address.name), found.schema, target)

    _read(address, copy)
    return address.name, target


def _read(address: Address, read: Callable[[Any], None]) -> None:
    if not is_installed("adbc_driver_postgresql"):
        raise ArgumentError(
            "Reading a database needs the package adbc-driver-postgresql: "
            "pip install -r requirements-databases.txt."
        )
    from adbc_driver_manager import Error
    from adbc_driver_postgresql import dbapi
    from pyarrow import ArrowException

    failed: tuple[str, str] | None = None
    try:
        with closing(dbapi.connect(address.server)) as connection:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                cursor.execute("SET LOCAL search_path = pg_catalog")
                cursor.execute("SET LOCAL timezone = 'UTC'")
                read(cursor)
    except Error as error:
        failed = (error.sqlstate or "", str(error))
    except (ArrowException, OSError, Fault):
        failed = ("", "")
    if failed is not None:  # outside the handler: the driver's message may hold a cell
        _refuse(address, *failed)


def _fields(cursor: Any, address: Address) -> str:
    # The stored columns that may be read, as SQL; TableError if there are none.
    cursor.execute(FIND_TABLE, parameters=(address.schema, address.table))
    found = cursor.fetchone()
    if found is None:
        raise TableError(f"The database has no table '{address.name}'.")
    number, kind, encoding, is_filtered = found
    if kind not in STORED:
        raise TableError(
            f"'{address.name}' is a view or the like, which computes its rows; name a table or a "
            "materialized view."
        )
    if is_filtered:
        raise TableError(
            f"Policies of '{address.name}' compute which rows you may read. Read it as a user to "
            "whom no policy applies, or name a materialized view."
        )
    if encoding not in SERVER_ENCODINGS:
        raise TableError(
            f"The database stores text as {encoding}; Synth reads {', '.join(SERVER_ENCODINGS)}."
        )
    cursor.execute(LIST_COLUMNS, parameters=(number,))
    columns: Sequence[tuple[str, str, bool]] = cursor.fetchall()
    if not columns:
        raise TableError(f"You may not read any column of '{address.name}'.")
    computed = [f"'{name}' ({kind})" for name, kind, is_computed in columns if is_computed]
    if computed:
        raise TableError(
            f"Columns of '{address.name}' have types whose texts a function of the database "
            f"computes: {name_some(computed, 5)}. Store them as another type."
        )
    return ", ".join(_field(name, kind) for name, kind, _ in columns)


def _field(name: str, kind: str) -> str:
    # A column as SQL that cannot fail on any row.
    column = quote_name(name)
    if kind in ENDLESS_TYPES:
        far = f"'20000-01-01'::{kind}"
        said = f"CASE WHEN isfinite({column}) AND {column} < {far} THEN {column} "
        return f"{said} WHEN {column} IS NULL THEN NULL ELSE {far} END AS {column}"
    value = column if kind in PLAIN_TYPES else f"{column}::text"
    if kind in SIZED_TYPES:
        too_long = f"octet_length({column}) > {limits.CELL_BYTES}"
        value = f"CASE WHEN {too_long} THEN repeat('x', {limits.CELL_BYTES + 1}) ELSE {value} END"
    return f"{value} AS {column}"


# Reasons, by the beginning of PostgreSQL's error code.
SENTENCES = {
    "28": "The database refused the sign-in. Check the user name and the password file.",
    "3D": "The server has no such database.",
    "42501": "You may not read '{name}'.",
    "57": "The database stopped the reading; try again later.",
}


def _refuse(address: Address, state: str, message: str) -> NoReturn:
    said = next((SENTENCES[code] for code in SENTENCES if state.startswith(code)), "")
    if not said and ("connect" in message or "could not translate" in message):
        said = (
            "Synth cannot connect to the database, or the sign-in failed. Check the address, the "
            "user name and the password file."
        )
    said = said or "The database stopped before the end of '{name}'; nothing was spent."
    raise TableError(said.format(name=address.name))
