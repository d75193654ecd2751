"""The form of a ledger's file, and what was written into it, read back.

A file of SQLite can hold more than tables: triggers that ignore what is written, views in the
place of tables, generated columns. Whoever can write the file can add them without the
ledger's key, and no seal covers them. So everything the file declares is compared with what
Synth creates, whenever the events are read. And whatever was written is read back, before the
commit and once more after it over a connection of its own, before anybody relies on it.

>>> connection = sqlite3.connect(":memory:")
>>> create_form(connection)
>>> has_known_form(connection)
True
>>> _ = connection.execute("CREATE TRIGGER a BEFORE INSERT ON events BEGIN SELECT 1; END")
>>> has_known_form(connection)
False
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from synth import limits
from synth.door.ledger import chain
from synth.door.ledger.chain import Event
from synth.util import read_json

# Marks a file as a ledger.
APPLICATION = 0x53594E54
# The newest format that this version reads.
FORMAT = 1
COLUMNS = "number, time, kind, dataset, content, hash, mark, seal"

_EVENTS = (
    "CREATE TABLE events (number INTEGER PRIMARY KEY, time TEXT, kind TEXT, dataset TEXT, "
    "content TEXT, hash TEXT, mark TEXT, seal TEXT)"
)
_KEPT = (
    "CREATE TABLE kept (number INTEGER PRIMARY KEY, spend INTEGER, part TEXT, payload BLOB)"
)
_ENDING = "CREATE TABLE ending (seal TEXT)"
# Earlier versions let SQLite keep each part of a spend unique.
_EARLIER_KEPT = f"{_KEPT[:-1]}, UNIQUE (spend, part))"

# Type, name, table and statement of all that a ledger's file declares, sorted by name.
Declared = list[tuple[object, ...]]
_TABLES: Declared = [
    ("table", "ending", "ending", _ENDING),
    ("table", "events", "events", _EVENTS),
    ("table", "kept", "kept", _KEPT),
]
_EARLIER_TABLES: Declared = [
    *_TABLES[:-1],
    ("table", "kept", "kept", _EARLIER_KEPT),
    ("index", "sqlite_autoindex_kept_1", "kept", None),
]
# A file in the mode of a write-ahead log would hold the newest entries in a second file.
_SETTINGS = {"application_id": APPLICATION, "user_version": FORMAT, "encoding": "UTF-8"}
_LOG_MODE = "wal"


def connect(path: Path | None, *, readonly: bool) -> sqlite3.Connection:
    """Open a ledger's file with SQLite, or a database in memory if there is no path.

    Transactions begin and end only where Synth says so. With ``readonly`` the connection
    refuses to change anything.
    """
    mode = "rw" if readonly else "rwc"  # not "ro": a killed writer's journal is rolled back
    connection = sqlite3.connect(
        ":memory:" if path is None else f"{path.resolve().as_uri()}?mode={mode}",
        uri=path is not None,
        isolation_level=None,
        timeout=limits.LEDGER_WAIT_SECONDS,
        check_same_thread=False,  # the store's lock lets one thread in at a time
    )
    # Every commit is synced to the disk, and the folder too once the journal is removed.
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute(f"PRAGMA query_only = {int(readonly)}")
    return connection


def create_form(connection: sqlite3.Connection) -> None:
    """Create the tables of a new ledger and mark its file."""
    for statement in (_EVENTS, _KEPT, _ENDING):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")


def has_known_form(connection: sqlite3.Connection) -> bool:
    """Return whether a ledger's file declares exactly what Synth creates, and nothing else.

    Tables and their statements are compared to the byte, and the file's settings too. The
    form of earlier versions counts as well.
    """
    query = "SELECT type, name, tbl_name, sql, rootpage FROM sqlite_master"
    rows = connection.execute(query).fetchall()
    declared = sorted((row[:4] for row in rows), key=lambda row: str(row[1]))
    if declared not in (_TABLES, _EARLIER_TABLES):
        return False
    # Two tables on one page would be one table under two names.
    if len({row[4] for row in rows}) < len(rows):
        return False
    if any(_read_setting(connection, name) != value for name, value in _SETTINGS.items()):
        return False
    # With a write-ahead log, the newest entries would be in a second file.
    return _read_setting(connection, "journal_mode") != _LOG_MODE


def _read_setting(connection: sqlite3.Connection, name: str) -> object:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return value


def row_of(event: Event) -> tuple[object, ...]:
    """Return the cells of an event's row, in the order of `COLUMNS`."""
    content = chain.canonical(event.content)
    public_cells = (event.number, event.time, event.kind, event.dataset, content)
    return (*public_cells, event.hash, event.mark, event.seal)


def event_of(row: tuple[Any, ...]) -> Event:
    """Return the event of a row, whose cells are in the order of `COLUMNS`.

    Somebody may have edited the row. A cell that is no text is read as empty, and content
    that is no JSON as a fixed one. Such an event then fails the check of its hash.
    """
    number, *cells = row
    time, kind, dataset, document, own_hash, mark, seal = (
        cell if isinstance(cell, str) else "" for cell in cells
    )
    try:
        content = read_json(document, "The event")
    except ValueError:
        content = {"unreadable": True}
    return Event(
        number=number,
        time=time,
        kind=kind,
        dataset=dataset,
        content=content,
        hash=own_hash,
        mark=mark,
        seal=seal,
    )


# Number, spend, part and payload of a stored value.
StoredRow = tuple[int, int, str, bytes]


@dataclass
class Written:
    """What one turn has written, to be compared with what the file then holds.

    Attributes:
        events: The events, in the order in which they were written.
        stored: The rows of stored values.
    """

    events: list[Event] = field(default_factory=list)
    stored: list[StoredRow] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.events or self.stored)

    def is_held_by(self, connection: sqlite3.Connection, key: bytes) -> bool:
        """Return whether a file has the form of a ledger, and holds all that was written.

        Args:
            connection: A connection to the file, which reads what is really in it.
            key: The ledger's secret key. The file must end with the seal under this key,
                unless another process has gone on with the chain since.
        """
        return (
            has_known_form(connection)
            and all(_holds_event(connection, event) for event in self.events)
            and all(_holds_stored(connection, row) for row in self.stored)
            and (not self.events or _is_ended(connection, self.events[-1], key))
        )


def _holds_event(connection: sqlite3.Connection, event: Event) -> bool:
    query = f"SELECT {COLUMNS} FROM events NOT INDEXED WHERE number = ?"
    return connection.execute(query, (event.number,)).fetchall() == [row_of(event)]


def _holds_stored(connection: sqlite3.Connection, row: StoredRow) -> bool:
    query = "SELECT number, spend, part, payload FROM kept NOT INDEXED WHERE number = ?"
    return connection.execute(query, row[:1]).fetchall() == [row]


def _is_ended(connection: sqlite3.Connection, last: Event, key: bytes) -> bool:
    """Return whether the seal at the end of the file fits the last event that was written.

    If the file has newer events, another process has written them, and the seal at the end
    is that of its own last event.
    """
    seals: Sequence[tuple[object]] = connection.execute("SELECT seal FROM ending").fetchall()
    (newest,) = connection.execute("SELECT max(number) FROM events").fetchone()
    return len(seals) == 1 and (
        newest > last.number or seals == [(chain.seal_end(last, key),)]
    )
