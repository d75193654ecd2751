"""The file of a ledger: chained events and stored values in SQLite, with a key file next to
it.

It uses a rollback journal with ``synchronous = EXTRA``: what `writing` has committed is on
the disk, and you back up one file. Writers take turns across processes.

All events are read at once and checked. Searches go through these events, never through an
index of SQLite, and a stored value is read by the number of its event. So a stored value is
found, or the ledger is refused; no damage makes it look as if it had never existed."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

from synth import limits
from synth.door.ledger import chain
from synth.door.ledger.chain import CheckedEvents, Event
from synth.door.ledger.sqlite_form import (
    APPLICATION,
    COLUMNS,
    FORMAT,
    Written,
    connect,
    create_form,
    event_of,
    has_known_form,
    row_of,
)
from synth.errors import LedgerError
from synth.foreign import read_file
from synth.noise import bits
from synth.util import Document

_TROUBLE_SENTENCES = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk does not take it",
    sqlite3.SQLITE_READONLY: "the file is read-only",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
    sqlite3.SQLITE_PERM: "the file may not be opened",
    sqlite3.SQLITE_NOTADB: "the file is not a ledger",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; restore it from a backup",
    sqlite3.SQLITE_BUSY: "another process has locked it for "
    f"{limits.LEDGER_WAIT_SECONDS} seconds",
}

_STRANGE_KEY = ", or its key file belongs to another ledger; restore both from one backup"


class Store:
    """Events and stored values; in memory only if there is no path.

    Attributes:
        path: The file, if any.
        name: What messages call the ledger.
        key: The key of the seals; None if a ledger is read without it.

    Raises:
        LedgerError: The file can't be opened, is no ledger, or was edited.
    """

    def __init__(self, path: Path | None, *, readonly: bool = False) -> None:
        """Open the ledger's file, or create it, and check all its events.

        Args:
            path: The file; None for a ledger in memory.
            readonly: Whether nothing is written. Then the file must exist, and its key may be
                absent.
        """
        self.path = path
        self.name = "The ledger" if path is None else f"The ledger '{path.name}'"
        self._lock = threading.RLock()
        self._checked = CheckedEvents()
        self._version = -1  # SQLite's number of the state that was read; -1 for none
        self._written = Written()
        self.key = bits.bits(32) if path is None else self._open_key(path, readonly)
        with self._explain():
            self._connection = connect(path, readonly=readonly)
        if path is not None and self.key is None and not readonly:
            self.key = self._begin(*keys_of(path))
        elif self._application() != APPLICATION:
            # A new ledger in memory. For a file it is refused: that file is not a ledger.
            self._create()
        self.check()

    def close(self) -> None:
        """Close the connection to the file."""
        self._connection.close()

    def read_turn(self) -> AbstractContextManager[None]:
        """Return a context for reading; nobody writes meanwhile."""
        return self._turn("BEGIN", "cannot be used: {}.")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Run a block that writes: after it, all that it wrote is on the disk, or nothing.

        What was written is read back, once before the commit and once after it over another
        connection. So nobody relies on an entry that the file does not hold.

        Raises:
            LedgerError: It can't be written, or was not there when it was read back.
        """
        sentence = "cannot be written, so nothing was released: {}."
        with self._lock:
            self._written = Written()
            with self._turn("BEGIN IMMEDIATE", sentence):
                yield
                self._check_written(self._connection)
            if self._written and self.path is not None:
                with (
                    self._explain(sentence),
                    closing(connect(self.path, readonly=True)) as fresh,
                ):
                    fresh.execute("BEGIN")
                    self._check_written(fresh)

    def _check_written(self, connection: sqlite3.Connection) -> None:
        """Raise LedgerError if the file does not hold what this block of code has written.

        ``connection`` is the one to read through.
        """
        if not self._written:
            return
        assert self.key is not None
        if not self._written.is_held_by(connection, self.key):
            self._version = -1  # so that all events are read again before they are used
            raise LedgerError(
                f"{self.name} lacks an entry that was just written, so nothing was released: "
                "another program has edited the file; restore it from a backup."
            )

    @contextmanager
    def _turn(self, begin: str, sentence: str) -> Iterator[None]:
        """Run a block of code in one transaction, which is rolled back if the block fails.

        ``begin`` is the SQL statement that begins it. ``sentence`` is the end of the error
        message about trouble with the file, with a place for the reason.
        """
        with self._lock, self._explain(sentence):
            self._connection.execute(begin)
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self._version = -1  # what was read may be rolled back
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise

    # Writing.

    def append(self, kind: str, dataset: str, content: Document, *, mark: str = "") -> Event:
        """Link, seal and write the next event, and return it; call it inside `writing`.

        Args:
            kind: What happened, such as "spend".
            dataset: The dataset's name as it was typed.
            content: The record, as JSON.
            mark: Keyed digests of the tables and the request, if any.
        """
        assert self.key is not None
        last = self.last()
        time = datetime.now(UTC).isoformat(timespec="seconds")
        event = chain.link(last, time=time, kind=kind, dataset=dataset, content=content)
        event = replace(event, mark=mark)
        event = replace(event, seal=chain.seal(last, event, self.key))
        self._connection.execute(
            f"INSERT INTO events ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row_of(event)
        )
        self._connection.execute(
            "UPDATE ending SET seal = ?", (chain.seal_end(event, self.key),)
        )
        self._checked.add(event)
        self._written.events.append(event)
        return event

    def keep(self, number: int, spend: int, part: str, *, payload: bytes) -> None:
        """Write the value that an event seals; call it inside `writing`.

        Args:
            number: The number of that event.
            spend: The number of the event of the spend that paid for the value.
            part: The name of the value within the spend.
            payload: The value.
        """
        row = (number, spend, part, payload)
        self._connection.execute("INSERT INTO kept VALUES (?, ?, ?, ?)", row)
        self._written.stored.append(row)

    # Reading.

    def events(self, kind: str = "") -> list[Event]:
        """Return the events of a kind, or all, oldest first."""
        with self._check_chain() as checked:
            return [event for event in checked.events if kind in ("", event.kind)]

    def last(self) -> Event | None:
        """Return the newest event; None if there are no events."""
        with self._check_chain() as checked:
            return next(reversed(checked.events), None)

    def names(self) -> list[str]:
        """Return the datasets' names as they were typed, in order of first appearance."""
        about_datasets = (event for event in self.events() if not event.is_about_whole)
        return list(dict.fromkeys(event.dataset for event in about_datasets))

    def payloads(self) -> dict[int, tuple[int, str, bytes]]:
        """Return all stored values: spend, part and bytes by the number of the event."""
        query = "SELECT number, spend, part, payload FROM kept NOT INDEXED"
        return {row[0]: row[1:] for row in self._rows(query)}

    def parts(self, spend: int) -> list[str]:
        """Return the names of the parts that are stored for a spend."""
        with self._check_chain() as checked:
            return list(checked.stored_parts(spend))

    def payload(self, spend: int, part: str) -> tuple[Event, bytes] | None:
        """Return a stored value and its event; None if the chain has no such event.

        ``spend`` is the number of the spend's event, ``part`` the name of the value.

        Raises:
            LedgerError: The stored value is missing or was changed.
        """
        with self._check_chain() as checked:
            event = checked.stored_parts(spend).get(part)
            if event is None:
                return None
            # An index could be made to hide rows, so none is used.
            query = "SELECT spend, part, payload FROM kept NOT INDEXED WHERE number = ?"
            rows = self._rows(query, event.number)
        if len(rows) != 1 or not is_kept(event, rows[0]):
            self.refuse_edited(event.number)
        return event, rows[0][2]

    def check(self) -> None:
        """Read the chain and its end again, and check them.

        Raises:
            LedgerError: Names the first event that was edited.
        """
        with self.read_turn():
            self._read_all()

    @contextmanager
    def _check_chain(self) -> Iterator[CheckedEvents]:
        """Yield the checked events; read them again if another process has written since.

        Nobody writes during the block: it runs in the transaction that is open, or in one of
        its own.
        """
        with (
            self._lock,
            nullcontext() if self._connection.in_transaction else self.read_turn(),
        ):
            # SQLite changes this number when another connection has committed.
            if self._pragma("data_version") != self._version:
                self._read_all()
            yield self._checked

    def _read_all(self) -> None:
        """Read all events, and raise LedgerError if the file was edited."""
        self._check_form()
        # An index could be made to hide rows, so none is used.
        query = f"SELECT {COLUMNS} FROM events NOT INDEXED ORDER BY number"
        events = [event_of(row) for row in self._rows(query)]
        edited = chain.find_edit(events, self.key)
        if edited is not None:
            # If all hashes fit, and only seals do not from the first event on, the key may be
            # that of another ledger.
            only_seals_differ = chain.find_edit(events) is None
            self.refuse_edited(
                edited, strange_key=edited == events[0].number and only_seals_differ
            )
        self._check_ending(events[-1] if events else None)
        self._checked = CheckedEvents(events)
        self._version = self._pragma("data_version")

    def _check_form(self) -> None:
        """Raise LedgerError if the file has other tables or settings than Synth makes.

        It is called before anything is read, as a view in the place of a table would run the
        statement of whoever made it.
        """
        version = self._pragma("user_version")
        if version > FORMAT:
            raise LedgerError(
                f"{self.name} was written by a newer version of Synth (form {version}; this "
                f"one reads up to {FORMAT})."
            )
        if not has_known_form(self._connection):
            raise LedgerError(
                f"{self.name} was edited: its file has other tables, triggers, views, "
                "indexes or settings than Synth makes, so its entries are not reliable; "
                "restore it from a backup."
            )

    def _check_ending(self, last: Event | None) -> None:
        """Raise LedgerError if the file's last events are missing, by the seal at its end.

        ``last`` is the last event in the file; None if there are none. Without the key
        nothing is checked.
        """
        if self.key is None:
            return
        if self._rows("SELECT seal FROM ending") != [(chain.seal_end(last, self.key),)]:
            or_strange_key = "" if last else _STRANGE_KEY
            raise LedgerError(
                f"{self.name} was edited: entries at its end are missing{or_strange_key}."
            )

    def _rows(self, query: str, *values: object) -> list[Any]:
        """Return the rows of a query; errors of SQLite become sentences.

        Inside a transaction, the code that began it turns errors into sentences.
        """
        with (
            self._lock,
            nullcontext() if self._connection.in_transaction else self._explain(),
        ):
            return self._connection.execute(query, values).fetchall()

    def refuse_edited(self, number: int, *, strange_key: bool = False) -> NoReturn:
        """Raise a LedgerError that names the edited event by its number.

        ``strange_key`` says whether the key may be that of another ledger.
        """
        or_key = _STRANGE_KEY if strange_key else ""
        raise LedgerError(
            f"{self.name} was edited: entry {number} is not as it was written{or_key}."
        )

    # Opening.

    def _open_key(self, path: Path, readonly: bool) -> bytes | None:
        """Return the key of an existing ledger.

        None if the ledger is to be created, or is only read and its key is absent.

        Args:
            path: The path of the ledger; its key file is next to it.
            readonly: Whether the ledger is only read.

        Raises:
            LedgerError: The ledger or its key is missing or cannot be used.
        """
        # The key gets its name only once the ledger is committed (see `_begin`). So if the
        # key is there, the ledger must be there too.
        if not path.parent.is_dir():
            raise LedgerError(f"The folder of the ledger, '{path.parent}', does not exist.")
        if path.is_dir():
            raise LedgerError(f"{self.name} cannot be used: it is a folder.")
        if path.exists() and not path.is_file():
            raise LedgerError(f"{self.name} cannot be used: it is a pipe or a device.")
        key_path, new_key_path = keys_of(path)
        try:
            has_key = key_path.exists()
            # A process is creating the ledger, or was killed while it did.
            is_begun = new_key_path.exists()
            exists = path.exists() and path.stat().st_size > 0
            if has_key and not exists:
                self._refuse_lost(path, key_path)
            if readonly and not exists:
                raise LedgerError(f"There is no ledger '{path}'.")
            # While another process creates the ledger, its file may be incomplete.
            is_complete = exists and (has_key or not is_begun)
            if is_complete and not _is_database(path):
                raise LedgerError(f"{self.name} cannot be used: the file is not a ledger.")
            if is_complete and not has_key and not readonly:
                self._refuse_missing(key_path)
            return _read_key(key_path) if has_key else None
        except OSError:
            raise LedgerError(
                f"{self.name} cannot be used: its key file cannot be read or written."
            ) from None

    def _begin(self, key_path: Path, new_key_path: Path) -> bytes:
        """Create a ledger, or finish what a killed or another process has begun.

        Args:
            key_path: The path of the key file.
            new_key_path: The path of the key file until the ledger is created.

        Returns:
            The key of the ledger.
        """
        # Inside one write turn, so in one process at a time, the key is written under a first
        # name and the tables are made. After the commit the key gets its own name; any
        # process that comes in between does that. A killed process always leaves a state from
        # which the next one can go on, and a key never exists under its own name before its
        # ledger.
        try:
            with self.writing():
                is_begun = self._application() == APPLICATION
                # Read before the key is looked for: another process may rename it meanwhile.
                waiting_key = read_file(new_key_path, 32) if new_key_path.exists() else b""
                if key_path.exists():
                    return _read_key(key_path)
                if is_begun and not waiting_key:
                    self._refuse_missing(key_path)
                self.key = waiting_key if is_begun else _make_key(new_key_path)
                if not is_begun:
                    self._make_tables()
            self.check()
            with suppress(FileNotFoundError):  # another was faster
                new_key_path.replace(key_path)
            return _read_key(key_path)
        except FileNotFoundError:  # another gave the key its name while we looked
            return self._begin(key_path, new_key_path)
        except OSError:
            raise LedgerError(
                f"{self.name} cannot be used: its key file cannot be read or written."
            ) from None

    def _refuse_lost(self, path: Path, key: Path) -> NoReturn:
        """Raise LedgerError: a new ledger would begin next to the key file of a lost one.

        ``path`` is the ledger's path, ``key`` that of its key file.
        """
        lost = "is empty" if path.exists() else "is gone"
        raise LedgerError(
            f"{self.name} {lost}, but its key file '{key.name}' is here: restore the ledger "
            "from a backup. Only if you mean to begin a new one, in which all earlier spends "
            "are forgotten, remove the key file too."
        )

    def _refuse_missing(self, key: Path) -> NoReturn:
        raise LedgerError(
            f"The key file '{key.name}' of the ledger is missing; restore it from a backup."
        )

    def _application(self) -> int:
        return self._pragma("application_id")

    def _pragma(self, name: str) -> int:
        return int(self._rows(f"PRAGMA {name}")[0][0])

    def _create(self) -> None:
        """Make the tables of a new ledger in memory; refuse a file that is not a ledger."""
        if self.path is not None:
            raise LedgerError(f"{self.name} cannot be used: the file is not a ledger.")
        with self.writing():
            self._make_tables()

    def _make_tables(self) -> None:
        """Make the tables of a new ledger, in the transaction that is open."""
        if self._rows("SELECT * FROM sqlite_master"):
            raise LedgerError(f"{self.name} cannot be used: the file is not a ledger.")
        create_form(self._connection)
        assert self.key is not None
        self._connection.execute(
            "INSERT INTO ending VALUES (?)", (chain.seal_end(None, self.key),)
        )
        if self.path is not None:
            self.path.chmod(0o600)

    @contextmanager
    def _explain(self, sentence: str = "cannot be used: {}.") -> Iterator[None]:
        """Turn errors of SQLite in a block of code into a LedgerError of one sentence.

        ``sentence`` follows the ledger's name, with a place for the reason.
        """
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # of names in a damaged schema
            # The lowest byte is the primary code, which the table of sentences has.
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            trouble = _TROUBLE_SENTENCES.get(code, "the file cannot be read or written")
            message = f"{self.name} {sentence.format(trouble)}"
        else:
            return
        # Raised outside the handler, so that no engine's message is chained to it.
        raise LedgerError(message)


def is_kept(event: Event, row: tuple[int, str, bytes]) -> bool:
    """Return whether an event seals exactly this stored value.

    ``row`` is the value as the ledger stores it: the number of its spend, its name within
    the spend, and its bytes.
    """
    spend, part, payload = row
    is_sealed = isinstance(payload, bytes) and event.kind == "kept"
    return is_sealed and event.content == kept_content(spend, part, payload)


def kept_content(spend: int, part: str, payload: bytes) -> Document:
    """Return the content of the event that seals a stored value, with its digest only."""
    return {"spend": spend, "part": part, "sha256": chain.digest(payload)}


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


def keys_of(path: Path) -> tuple[Path, Path]:
    """Return the path of a ledger's key file, and its path until the ledger is created.

    If you reach a ledger by a symbolic link, an existing key may be next to the link or next
    to the file. A new key is made next to the file.
    """
    candidates = [where.with_name(where.name + ".key") for where in (path, path.resolve())]
    existing = [path_of_key for path_of_key in candidates if path_of_key.exists()]
    key = existing[0] if existing else candidates[-1]
    return key, key.with_name(key.name + ".new")


def _read_key(path: Path) -> bytes:
    """Return the key of 32 bytes from its file; LedgerError if the file has another length.

    `OSError` is raised if the file cannot be read.
    """
    key = read_file(path, 32)
    if len(key) != 32:
        raise LedgerError(
            f"The key file '{path.name}' of the ledger is damaged; restore it from a backup."
        )
    return key


def _make_key(path: Path) -> bytes:
    """Write a new random key to a file, sync it to disk, and return it.

    A key that a killed process left there is replaced, as it never sealed anything.
    """
    key = bits.bits(32)
    path.unlink(missing_ok=True)
    # Only this user can read it, and it must be new: nobody can put another in its place.
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())
    return key
