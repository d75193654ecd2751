"""Databases that are open to a server's users, named by its operator. PRIVATE.

``SYNTH_SOURCES`` holds names and addresses, with semicolons between them, such as
``clinic=postgresql://steward@db.example/clinic;registry=/data/registry.duckdb``. A user picks
a name and a table of its list; nothing else is reached, and no address is shown.
"""

import os
import re
from dataclasses import replace
from pathlib import Path

from synth.errors import ArgumentError, SynthError, TableError
from synth.foreign import Folder
from synth.private.table import is_address, parse_address, table_address
from synth.private.table.addresses import TABLE_OPTION
from synth.private.table.convert import list_stored
from synth.private.table.csv_options import Format
from synth.private.table.postgresql import list_tables
from synth.private.table.private_table import PrivateTable, open_table

SOURCE_SCHEME = "source://"
SOURCE_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}")
# The schema of a file's tables.
FILE_SCHEMA = "main"


def named_sources() -> dict[str, str]:
    """Return the addresses of databases, and paths of files, by the operator's names.

    Raises:
        ArgumentError: An entry of ``SYNTH_SOURCES`` is wrong; the sentence shows no address.
    """
    address_by_name: dict[str, str] = {}
    for place, entry in enumerate(os.environ.get("SYNTH_SOURCES", "").split(";"), 1):
        name, _, address = (part.strip() for part in entry.partition("="))
        if not entry.strip():
            continue
        # The user chooses the table, so the operator's address must not name one.
        fits = SOURCE_NAME.fullmatch(name) and address and not TABLE_OPTION.search(address)
        if not fits or name in address_by_name:
            raise ArgumentError(
                f"Entry {place} of SYNTH_SOURCES is not NAME=ADDRESS with a name of its own, "
                "of letters, digits, _ and -, and an address without a table."
            )
        address_by_name[name] = address
    return address_by_name


def source_address(name: str, schema: str, table: str) -> str:
    """Return what a project stores of a table: the names alone.

    >>> source_address("clinic", "public", "visits")
    'source://clinic?table=%22public%22.%22visits%22'
    """
    return table_address(f"{SOURCE_SCHEME}{name}", schema, table)


def is_source(text: str) -> bool:
    """Return whether a table's address names a source of the operator."""
    return text.startswith(SOURCE_SCHEME)


def list_source(name: str) -> list[tuple[str, str]]:
    """Return the tables that a source offers: pairs of a schema and a name.

    Args:
        name: The operator's name of the source.

    Raises:
        TableError: There is no such source, or it cannot be read.
    """
    address = _address_of(name)
    if is_address(address):
        return list_tables(address)
    with Folder() as folder:
        return [(FILE_SCHEMA, table) for table in list_stored(Path(address), name, folder)]


def open_source_table(text: str) -> PrivateTable:
    """Open a table of a named source.

    Args:
        text: The name of the source and the table's name, as `source_address` writes them.

    Raises:
        TableError: There is no such source or table, or it cannot be read.
    """
    named_table = parse_address(text)
    # What follows the question mark are settings that parsing adds.
    name = named_table.server.removeprefix(SOURCE_SCHEME).partition("?")[0]
    schema_and_table = (named_table.schema, named_table.table)
    if not is_source(text) or schema_and_table not in list_source(name):
        raise TableError(f"The source '{name[:60]}' offers no table '{named_table.name}'.")
    address = _address_of(name)
    if is_address(address):
        table = open_table(table_address(address, named_table.schema, named_table.table))
    else:
        table = open_table(address, Format(sheet=named_table.table))
    # Messages and projects get the operator's name only, and none of the options that led
    # to the table.
    return replace(table, path=Path(name), database=named_table.name, asked=())


def _address_of(name: str) -> str:
    """Return the address or the path of a source, by the operator's name.

    Raises:
        TableError: There is no such source, or the operator's list is wrong.
    """
    try:
        address = named_sources().get(name)
    except SynthError:
        address = None
    if address is None:
        raise TableError(
            f"There is no source '{name[:60]}'. Ask the person who runs Synth to add it."
        )
    return address
