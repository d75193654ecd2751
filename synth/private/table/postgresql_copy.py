"""Reads a table of PostgreSQL in one read-only transaction; runs in a child process. PRIVATE.

The table is locked against any change, looked at, read by its name, and looked at again. The
server returns stored columns. It computes nothing that could fail on a row, as a failure
would disclose something about that row, and nothing that the table's owner wrote, as that
would run with the steward's rights."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from synth import limits
from synth.errors import LimitError, TableError
from synth.foreign import TABLE, Fault, Pulse, Reply, Request
from synth.private.table.addresses import Address
from synth.private.table.arrow_copy import copy_batches, limit_batches
from synth.private.table.postgresql import LIST_FILE
from synth.private.table.postgresql_look import (
    Look,
    look_at,
    qualified_name,
    refuse_change,
    refuse_computed,
)

if TYPE_CHECKING:
    import pyarrow as pa

# They hold from the first query on, which the driver asks for itself. The owner of a database
# may have set a search path with functions in the place of PostgreSQL's own.
START_SETTINGS = (
    "-c search_path=pg_catalog -c default_transaction_read_only=on -c row_security=off"
)
# Each statement sees the tables as they are at that moment, so a later look sees a change.
# The rows come from one statement.
SETTINGS = (
    "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY",
    "SET LOCAL search_path = pg_catalog",
    "SET LOCAL row_security = off",
    "SET LOCAL constraint_exclusion = off",  # it would compute checks
    "SET LOCAL lock_timeout = '10s'",
    "SET LOCAL client_encoding = 'UTF8'",
    "SET LOCAL timezone = 'UTC'",
    "SET LOCAL datestyle = 'ISO, MDY'",
    "SET LOCAL intervalstyle = 'postgres'",
    "SET LOCAL bytea_output = 'hex'",
)
# Servers since August 2024 (12.20, 13.16, 14.13, 15.8, 16.4) refuse then to open what is no
# table.
REFUSE_OTHERS = """
SELECT pg_catalog.set_config(s.name, 'view, foreign-table', true)
FROM pg_catalog.pg_settings s WHERE s.name = 'restrict_nonsystem_relation_kind'
"""
LIST_READABLE = f"""
SELECT n.nspname::text, c.relname::text
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind::text IN ('r', 'p', 'm')
AND n.nspname::text NOT LIKE 'pg\\_%' AND n.nspname::text <> 'information_schema'
AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
ORDER BY 1, 2 LIMIT {limits.DATABASE_TABLES + 1}
"""
# The driver gathers so many bytes before it passes rows on, so a slow server is heard of in
# time.
HEARD_BYTES = 2**20
BATCH_BYTES_OPTION = "adbc.postgresql.batch_size_hint_bytes"
# Bytes of rows that are written at a time.
WRITTEN_BYTES = 2**24

# Reasons, by the beginning of PostgreSQL's error code.
SENTENCES = {
    "28": "The database refused the sign-in. Check the user name and the password file.",
    "3D": "The server has no such database.",
    "42501": "You may not read '{name}'.",
    "55P03": "Another program is changing '{name}'. Try again when it is done.",
    "57": "The database stopped the reading; try again later.",
}


def list_readable_tables(request: Request) -> Reply:
    """Write a JSON file of the tables of which the user may read a column.

    Args:
        request: Has the address of the ``server``, and the ``folder`` of the file.

    The file is a list of pairs of a schema and a name. The reply is empty.

    Raises:
        LimitError: There are more tables than the limit.
        TableError: The database refused, or stopped.
    """
    with _open_cursor(request) as cursor:
        cursor.execute(LIST_READABLE)  # at most one more than the limit
        names = cursor.fetchall()
    if len(names) > limits.DATABASE_TABLES:
        raise LimitError(
            f"You may read more than {limits.DATABASE_TABLES:,} tables of the database, the "
            "limit. Use a database user who may read fewer."
        )
    (Path(request["folder"]) / LIST_FILE).write_text(json.dumps(names), encoding="utf-8")
    return {}


def copy_stored_rows(request: Request) -> Reply:
    """Copy the rows of a table to Parquet, while nobody changes it.

    The table is looked at before it is locked, since a lock needs the names of all its
    partitions; then again, as it may have changed until the lock; and after the last row.

    Args:
        request: Has the ``server``, ``schema`` and ``table``, and the ``folder`` of the copy.

    The reply is empty.

    Raises:
        TableError: The table is refused, was changed, or the database stopped.
        LimitError: The table is larger than the limit.
    """
    address = Address(request["server"], request["schema"], request["table"])
    folder = Path(request["folder"])
    pulse = Pulse(folder)
    with _open_cursor(request) as cursor:
        first_look = look_at(cursor, address)
        refuse_computed(first_look, address.name)
        _lock(cursor, first_look)
        with _guard_plan(request, address, first_look):
            locked_look = look_at(cursor, address)
            refuse_computed(locked_look, address.name)
            refuse_change(locked_look, locked_look, address.name)  # refuses a missing lock
            pulse.beat()
            rows = _begin_rows(cursor, address, locked_look)
        batches = _join_batches(_note_each(rows, pulse))
        copy_batches(limit_batches(batches, address.name), rows.schema, folder / TABLE)
        refuse_change(locked_look, look_at(cursor, address), address.name)
    return {}


def protect_start(server: str) -> str:
    """Return the address of a server with the settings that hold from the start.

    The user's own settings stay: those of the address, or of the environment, which this
    changes. A service file's settings come before the environment's, and replace them.

    >>> protect_start("postgresql://db/clinic?options=-c%20role%3Dreader")[:53]
    'postgresql://db/clinic?options=-c%20role%3Dreader%20-'
    """
    parts = urlsplit(server)
    settings = dict(parse_qsl(parts.query, keep_blank_values=True))
    if "options" in settings:
        settings["options"] = f"{settings['options']} {START_SETTINGS}"
        return parts._replace(query=urlencode(settings, quote_via=quote)).geturl()
    # The settings may be there from a call before.
    set_before = os.environ.get("PGOPTIONS", "").removesuffix(START_SETTINGS).strip()
    os.environ["PGOPTIONS"] = f"{set_before} {START_SETTINGS}".strip()
    return server


@contextmanager
def _open_cursor(request: Request) -> Iterator[Any]:
    """Open a read-only transaction for the time of a ``with`` block, and yield its cursor.

    Args:
        request: Has the address of the ``server``, the ``name`` in messages, and the
            ``folder`` in which the process notes that it is alive.

    Raises:
        TableError: The database or its driver failed, within the block too. The message is a
            sentence without a cell.
    """
    from adbc_driver_manager import Error
    from adbc_driver_postgresql import dbapi
    from pyarrow import ArrowException

    pulse = Pulse(Path(request["folder"]))
    pulse.beat()
    try:
        with (
            closing(dbapi.connect(protect_start(request["server"]))) as connection,
            connection.cursor() as cursor,
        ):
            pulse.beat()
            for setting in SETTINGS:
                cursor.execute(setting)
            cursor.execute(REFUSE_OTHERS)
            cursor.fetchall()
            pulse.beat()
            yield cursor
    except Error as error:  # the driver's message may hold a cell
        _refuse(request["name"], error.sqlstate or "", str(error))
    except (ArrowException, OSError, Fault):
        _refuse(request["name"], "", "")


def _lock(cursor: Any, look: Look) -> None:
    """Keep others from changing or indexing the tables until the transaction ends.

    The server parses a statement that would delete rows, and never executes it. Parsing takes
    the lock that such a statement needs, whatever the reader may do. It stops neither readers
    nor writers, but CREATE INDEX, which a reader's own lock lets pass."""
    for number, member in enumerate(look.family):
        if member.can_be_named:
            name = qualified_name(member.schema, member.name)
            cursor.execute(f"PREPARE synth_lock_{number} AS DELETE FROM ONLY {name}")


@contextmanager
def _guard_plan(request: Request, address: Address, look: Look) -> Iterator[None]:
    """Keep others from adding statistics and partitions, for the time of a ``with`` block.

    It does nothing if the reader may not do that. A connection of its own holds the lock, so
    that VACUUM and other readers of this kind wait for the plan of the statement only, and
    not for its rows.

    Args:
        request: Has what opens a connection: see `_open_cursor`.
        address: The table.
        look: What the catalogue says of it.
    """
    if not look.may_guard:
        yield
        return
    with _open_cursor(request) as cursor:
        name = qualified_name(address.schema, address.table)
        cursor.execute(f"LOCK TABLE {name} IN SHARE UPDATE EXCLUSIVE MODE")
        yield


def _begin_rows(cursor: Any, address: Address, look: Look) -> "pa.RecordBatchReader":
    """Start to read a table, and return a reader of its rows.

    The server has made its plan of the statement when this returns.

    Args:
        cursor: The cursor of the transaction.
        address: The table.
        look: What the catalogue says of it: the columns to read.
    """
    cursor.adbc_statement.set_options(**{BATCH_BYTES_OPTION: str(HEARD_BYTES)})
    name = qualified_name(address.schema, address.table)
    cursor.execute(f"SELECT {look.fields} FROM {name}")
    rows: pa.RecordBatchReader = cursor.fetch_record_batch()
    return rows


def _note_each(
    batches: "Iterable[pa.RecordBatch]", pulse: Pulse
) -> "Iterator[pa.RecordBatch]":
    """Pass batches on, and note each time that the server has sent something."""
    for batch in batches:
        pulse.beat()
        yield batch


def _join_batches(batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
    """Yield the same rows in larger batches, of at least `WRITTEN_BYTES` but for the last."""
    import pyarrow as pa

    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(part.nbytes for part in waiting) >= WRITTEN_BYTES:
            yield pa.concat_batches(waiting)
            waiting = []
    if waiting:
        yield pa.concat_batches(waiting)


def _refuse(name: str, state: str, message: str) -> NoReturn:
    """Refuse a table with a sentence that fits the database's error.

    Args:
        name: What the sentence calls the table.
        state: PostgreSQL's error code of five characters; empty if there is none.
        message: The driver's message, of which nothing is shown.

    Raises:
        TableError: Always.
    """
    sentence = next((SENTENCES[code] for code in SENTENCES if state.startswith(code)), "")
    # Without such a code, the driver's own words tell what failed.
    if not sentence and "unsupported startup parameter" in message:
        sentence = (
            "A program between Synth and the database refuses Synth's settings ('options'), "
            "which keep other users' functions out. Use an address of the database itself."
        )
    if not sentence and ("connect" in message or "could not translate" in message):
        sentence = (
            "Synth cannot connect to the database, or the sign-in failed. Check the address, "
            "the user name and the password file."
        )
    sentence = (
        sentence or "The database stopped before the end of '{name}'; nothing was spent."
    )
    raise TableError(sentence.format(name=name)) from None
