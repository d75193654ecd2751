"""A table of PostgreSQL, copied once by a process of its own. PRIVATE.

The process ends if the server falls silent, and whenever somebody stops the command or closes
the page: a library of another language waits for the server, and hears of neither. What the
process does is in `synth.private.table.postgresql_copy`. Passwords come from the places where
PostgreSQL's own library finds them, never from the address."""

from pathlib import Path
from typing import Literal

from synth import limits
from synth.errors import ArgumentError, TableError
from synth.foreign import SILENT, TABLE, Folder, TimeLimit, ask_child
from synth.private.table.addresses import Address, parse_address, table_address
from synth.private.table.convert import is_installed
from synth.util import read_json

# What the child writes: the schemas and names of the tables that it found.
LIST_FILE = "tables.json"
LIST_BYTES = 2**26


def list_tables(server: str) -> list[tuple[str, str]]:
    """Return the tables of a database of which you may read a column: schemas and names.

    Args:
        server: The address of the database, without a table.

    Raises:
        ArgumentError: The address holds a password, or the driver is not installed.
        TableError: There is no such server or right, or the server fell silent.
        LimitError: It has more tables than the limit, or takes too long.
    """
    # An address must name a table, so it gets one that is not used.
    address = parse_address(table_address(server, "any", "table"))
    with Folder() as folder:
        _ask("database_tables", folder, "the list of tables", address=address)
        with (folder / LIST_FILE).open("rb") as file:
            listed_tables = read_json(file.read(LIST_BYTES), "The list of tables")
    return [(str(schema), str(table)) for schema, table in listed_tables]


def copy_table(text: str, folder: Folder) -> tuple[str, Path]:
    """Copy a table of PostgreSQL to a private Parquet file.

    Args:
        text: The address of the table.
        folder: The private folder of the copy.

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
    """Run a task in a process of its own, which writes its result into a folder.

    Args:
        task: What the process does.
        folder: Where it writes.
        name: What messages call the table.
        address: The server, and the table for a copy.

    Raises the errors of `copy_table`.
    """
    if not is_installed("adbc_driver_postgresql"):
        raise ArgumentError(
            "Reading a database needs the package adbc-driver-postgresql: "
            "pip install 'adbc-driver-postgresql<2'."
        )
    silent_seconds = limits.database_seconds()
    # The address gives the server, the schema and the table.
    options = {**vars(address), "name": name, "silent_seconds": silent_seconds}
    answer = ask_child(
        task,
        folder,
        name,
        options=options,
        time_limit=TimeLimit(seconds=limits.seconds(), setting="SYNTH_SECONDS"),
    )
    if answer.get("fault") == SILENT:
        raise TableError(
            f"The database sent nothing of '{name}' for {silent_seconds:,} seconds, the "
            "limit (SYNTH_DATABASE_SECONDS); nothing was spent. Try again later, or allow "
            "more time."
        )
