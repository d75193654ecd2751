"""A table of PostgreSQL, copied once by a process of its own. PRIVATE.

The process ends if the server falls silent, and whenever somebody stops the command or closes
the page: a library of another language waits for the server, and hears of neither. What the
process does is in `synth.private.table.postgresql_copy`. Passwords come from the places where
PostgreSQL's own library finds them, never from the address."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from synth import limits
from synth.errors import ArgumentError, TableError
from synth.foreign import SILENT, TABLE, Folder, ask_child, quote_name
from synth.private.table.convert import is_installed
from synth.util import read_json

SCHEMES = ("postgresql://", "postgres://")
CONNECT_SECONDS = "10"
NAME_PART = r'"((?:[^"]|"")+)"|([^".]+)'
# A table, with or without its schema; names with points or quotation marks are quoted.
NAMES = re.compile(rf"(?:(?:{NAME_PART})\.)?(?:{NAME_PART})")

TABLE_OPTION = re.compile("[?&]table=")
# What the child writes: the schemas and names of the tables that it found.
LIST_FILE = "tables.json"
LIST_BYTES = 2**26


@dataclass(frozen=True)
class Address:
    """The address of a table.

    Attributes:
        server: The address of the database, without the table.
        schema: The table's schema.
        table: The table's name.
    """

    server: str
    schema: str
    table: str

    @property
    def name(self) -> str:
        """The schema and the table, for messages."""
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
        query = parse_qsl(
            parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)
        )
    except ValueError:
        raise ArgumentError("The address of the database cannot be read.") from None
    settings = dict(query)
    if ":" in parts.netloc.rpartition("@")[0] or settings.keys() & {
        "password",
        "sslpassword",
    }:
        raise ArgumentError(
            "An address must not hold a password. Write it into the password file "
            "(~/.pgpass) or a service file (~/.pg_service.conf), or set PGPASSWORD."
        )
    names = NAMES.fullmatch(settings.pop("table", ""))
    if names is None:
        raise ArgumentError(
            "The address must name one table, such as postgresql://host/database?table=public.visits."
        )
    schema, table = (
        (quoted or plain or "").replace('""', '"')
        for quoted, plain in (names.groups()[:2], names.groups()[2:])
    )
    settings.setdefault("connect_timeout", CONNECT_SECONDS)
    # PostgreSQL's library takes a plus sign for itself, not for a blank.
    server = parts._replace(query=urlencode(settings, quote_via=quote), fragment="").geturl()
    return Address(server, schema or "public", table)


def table_address(server: str, schema: str, table: str) -> str:
    """Return the address of a table of a server.

    >>> table_address("postgresql://db/clinic?sslmode=require", "public", "visits")
    'postgresql://db/clinic?sslmode=require&table=%22public%22.%22visits%22'
    """
    names = f"{quote_name(schema)}.{quote_name(table)}"
    query = urlencode({"table": names}, quote_via=quote)
    return f"{server}{'&' if '?' in server else '?'}{query}"


def list_tables(server: str) -> list[tuple[str, str]]:
    """List the schemas and names of the tables of a database of which you may read a column.

    Raises:
        ArgumentError: The address holds a password, or the driver is not installed.
        TableError: There is no such server or right, or the server fell silent.
        LimitError: It has more tables than the limit, or takes too long.
    """
    address = parse_address(table_address(server, "any", "table"))
    with Folder() as folder:
        _ask("database_tables", folder, "the list of tables", address=address)
        with (folder / LIST_FILE).open("rb") as file:
            listed_tables = read_json(file.read(LIST_BYTES), "The list of tables")
    return [(str(schema), str(table)) for schema, table in listed_tables]


def copy_table(text: str, folder: Folder) -> tuple[str, Path]:
    """Copy a table of PostgreSQL to a private Parquet file.

    Returns:
        The table's name in messages, and the file.

    Raises:
        ArgumentError: The address is wrong, or the driver is not installed.
        TableError: There is no such server, table or right, or reading stops.
        LimitError: The table is larger than the limit, or takes too long.
    """
    address = parse_address(text)
    _ask("database_rows", folder.path, address.name, address=address)
    return address.name, folder.path / TABLE


def _ask(
    task: Literal["database_tables", "database_rows"],
    folder: Path,
    name: str,
    *,
    address: Address,
) -> None:
    """Run a task in a process of its own, with the errors of `copy_table`."""
    if not is_installed("adbc_driver_postgresql"):
        raise ArgumentError(
            "Reading a database needs the package adbc-driver-postgresql: "
            "pip install -r requirements-databases.txt."
        )
    silent_seconds = limits.database_seconds()
    options = {**vars(address), "name": name, "silent_seconds": silent_seconds}
    answer = ask_child(
        task,
        folder,
        name,
        options=options,
        seconds=limits.seconds(),
        setting="SYNTH_SECONDS",
    )
    if answer.get("fault") == SILENT:
        raise TableError(
            f"The database sent nothing of '{name}' for {silent_seconds:,} seconds, the "
            "limit (SYNTH_DATABASE_SECONDS); nothing was spent. Try again later, or allow "
            "more time."
        )
