"""A table of an SQLite file, read row by row in the child.

Cells of an SQLite column need not have its type, so each cell is read by its own. SQLite
itself says of what kind a table is, as the text of its definition comes from the file. Only
base tables of plain columns are read: a view, a virtual table or a computed column may fail
on one row.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from synth.errors import TableError
from synth.foreign.cells import Text, finite_text, kept_text, write_table
from synth.foreign.fault import UNREADABLE, Fault, Reply, Request, refuse_damage

# The first version with `PRAGMA table_list`.
OLDEST_SQLITE = (3, 37)
# How the names of SQLite's own tables start, in any case of letters.
INTERNAL = "sqlite_"


def read_sqlite(request: Request) -> Reply:
    """Copy the requested table of an SQLite file, by default the first, as a table of texts.

    The answer has its name as "sheet", and the number of tables as "sheets".

    Raises:
        Fault: It can't be read.
        TableError: Python's SQLite is too old.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise TableError(
            f"Reading SQLite files needs SQLite 3.37 or later; Python uses "
            f"{sqlite3.sqlite_version} here. Update it, or save the table as CSV."
        )
    # Read-only, without locks, and without other files beside it.
    address = f"file:{quote(str(Path(request['source'])))}?mode=ro&immutable=1"
    with refuse_damage(), closing(sqlite3.connect(address, uri=True)) as connection:
        # Texts as bytes, as some may be no UTF-8; and no functions in the file's definitions
        # that could do harm.
        connection.text_factory = bytes
        connection.execute("PRAGMA trusted_schema = OFF")
        names = _list_base_tables(connection)
        table = choose_table(names, request)
        titles, computed_names = _list_columns(connection, table)
        if not titles:
            raise Fault("computed")
        fields = ", ".join(f"source.{quote_name(title)}" for title in titles)
        # An index may hold other values than the table.
        cursor = connection.execute(
            f"SELECT {fields} FROM main.{quote_name(table)} AS source NOT INDEXED"
        )
        rows = ([_text_of(value, request["cell_bytes"]) for value in row] for row in cursor)
        write_table(request, titles, rows)
    return {"sheet": table, "sheets": len(names), "computed": computed_names}


def _list_base_tables(connection: sqlite3.Connection) -> list[str]:
    """Return the tables that hold rows themselves, in the file's order."""
    # All texts are bytes here, and each entry has the schema, the name and the kind first.
    base = {
        name
        for _, name, kind, *_ in connection.execute("PRAGMA main.table_list")
        if kind == b"table"
    }
    ordered = connection.execute("SELECT name FROM main.sqlite_master ORDER BY rowid")
    names = [name.decode() for (name,) in ordered if name in base]
    # The dictionary drops repeated names.
    return [name for name in dict.fromkeys(names) if not name.lower().startswith(INTERNAL)]


def _list_columns(connection: sqlite3.Connection, table: str) -> tuple[list[str], list[str]]:
    """Return the names of a table's stored columns, and of computed or hidden ones."""
    columns = connection.execute(f"PRAGMA main.table_xinfo({quote_name(table)})").fetchall()
    stored_names = [title.decode() for _, title, *_, is_hidden in columns if not is_hidden]
    computed_names = [title.decode() for _, title, *_, is_hidden in columns if is_hidden]
    return stored_names, computed_names


def choose_table(names: Sequence[str], request: Request) -> str:
    """Return the requested table, by default the first.

    Args:
        names: The names of all tables.
        request: Its "sheet" is the name of the table, or empty.

    Raises:
        Fault: There is no such table, or none at all.
    """
    table = request["sheet"] or next(iter(names), "")
    if table not in names:
        raise Fault("sheet", sheets=list(names))
    return str(table)


def quote_name(name: str) -> str:
    """Return a name in double quotes, as SQL writes it.

    >>> quote_name('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def _text_of(value: object, max_bytes: int) -> Text:
    """Return a cell as text, None if it is empty; `UNREADABLE` if it is no text or number.

    ``max_bytes`` is the most bytes of a text.
    """
    match value:
        case bytes():
            try:
                return kept_text(value.decode(), max_bytes)
            except UnicodeDecodeError:
                return UNREADABLE
        case float():
            return finite_text(value)
    return None if value is None else str(value)
