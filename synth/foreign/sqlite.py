"""A table of an SQLite file, read row by row in the child.

Cells of an SQLite column need not have its type, so each cell is read by its own. Views and
computed columns are left out: a formula may fail on one row.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from synth.foreign.cells import Text, finite_text, kept_text, write_table
from synth.foreign.fault import UNREADABLE, Fault, Reply, Request, refuse_damage

LIST_TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' "
    "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY rowid"
)


def read_sqlite(request: Request) -> Reply:
    address = f"file:{quote(str(Path(request['source'])))}?mode=ro&immutable=1"
    with refuse_damage():
        connection = sqlite3.connect(address, uri=True)
        connection.text_factory = bytes
        connection.execute("PRAGMA trusted_schema = OFF")
        names = [name.decode() for (name,) in connection.execute(LIST_TABLES)]
        table = choose_table(names, request)
        titles = [
            title.decode()
            for _, title, *_ in connection.execute(f"PRAGMA table_info({quote_name(table)})")
        ]
        fields = ", ".join(map(quote_name, titles))
        found = connection.execute(f"SELECT {fields} FROM {quote_name(table)}")
        rows = ([_text_of(value, request["cell_bytes"]) for value in row] for row in found)
        write_table(request, titles, rows)
    return {"sheet": table, "sheets": len(names)}


def choose_table(names: Sequence[str], request: Request) -> str:
    """Return the requested table, by default the first; Fault if there is none."""
    wanted = request["sheet"] or next(iter(names), "")
    if wanted not in names:
        raise Fault("sheet", sheets=list(names))
    return str(wanted)


def quote_name(name: str) -> str:
    """Return a name as SQL writes it.

    >>> quote_name('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'


def _text_of(value: object, most: int) -> Text:
    match value:
        case bytes():
            try:
                return kept_text(value.decode(), most)
            except UnicodeDecodeError:
                return UNREADABLE
        case float():
            return finite_text(value)
    return None if value is None else str(value)
