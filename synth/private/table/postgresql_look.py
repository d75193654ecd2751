"""What the catalogue of PostgreSQL says of a table, and why Synth refuses one. PRIVATE.

A reader runs code of a table's owner unless everything that is computed for a reader is
excluded: views, row policies, types with functions of their own, foreign tables among the
partitions, and functions in indexes, which the server calls while it plans any query."""

from dataclasses import dataclass, field
from typing import Any

from synth.errors import TableError, name_some
from synth.foreign import quote_name
from synth.private.table.addresses import Address
from synth.private.table.postgresql_types import (
    StoredColumn,
    collect_columns,
    read_column_sql,
)

# Encodings of a server whose texts can all be sent as UTF-8, so that none stops the reading.
SERVER_ENCODINGS = ("UTF8", "SQL_ASCII", "LATIN1")
# Tables, partitioned ones, materialized views; other views compute rows and may fail on one.
STORED = frozenset("rpm")
# Most names that a sentence lists.
MAX_SHOWN_NAMES = 5

# Whether the reader may keep others from adding statistics and partitions to a table.
MAY_GUARD = """c.relkind IN ('r', 'p') AND NOT pg_catalog.pg_is_in_recovery()
  AND pg_catalog.has_table_privilege(c.oid, 'UPDATE, DELETE, TRUNCATE')"""
FIND_TABLE = f"""
SELECT c.oid, c.relkind::text, pg_catalog.current_setting('server_encoding'),
  pg_catalog.row_security_active(c.oid), {MAY_GUARD}
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = $2
"""
# The types of each column, in order: of a domain the type that it is of, of an array its
# element.
LIST_TYPES = """
WITH RECURSIVE chain (place, step, type) AS (
  SELECT a.attnum, 0, a.atttypid FROM pg_catalog.pg_attribute a
  WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped
  AND a.attgenerated IN ('', 's')
  AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
  UNION ALL
  SELECT s.place, s.step + 1, part.oid
  FROM chain s JOIN pg_catalog.pg_type whole ON whole.oid = s.type
  JOIN pg_catalog.pg_type part ON
    (whole.typtype = 'd' AND part.oid = whole.typbasetype) OR part.typarray = whole.oid)
SELECT a.attname::text, t.oid, t.typtype::text, pg_catalog.format_type(t.oid, NULL)
FROM chain s JOIN pg_catalog.pg_attribute a ON a.attrelid = $1::oid AND a.attnum = s.place
JOIN pg_catalog.pg_type t ON t.oid = s.type
ORDER BY s.place, s.step
"""
# The table with its partitions and all tables that inherit from it: they give rows, too.
FAMILY = """
WITH RECURSIVE family (number) AS (
  SELECT $1::oid UNION
  SELECT i.inhrelid FROM family f JOIN pg_catalog.pg_inherits i ON i.inhparent = f.number)
"""
LIST_FAMILY = f"""{FAMILY}
SELECT c.oid, n.nspname::text, c.relname::text, c.relkind::text,
  pg_catalog.has_schema_privilege(n.oid, 'USAGE'), EXISTS (
    SELECT FROM pg_catalog.pg_locks l
    WHERE l.locktype = 'relation' AND l.relation = c.oid AND l.granted
    AND l.mode = 'RowExclusiveLock' AND l.pid = pg_catalog.pg_backend_pid()
    AND l.database = (
      SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()))
FROM family f JOIN pg_catalog.pg_class c ON c.oid = f.number
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
ORDER BY 1
"""  # noqa: E501
# Indexes, statistics and keys of partitions with an expression in which the owner of the
# table can have hidden a function. The server computes its constant parts for whoever plans a
# query. Functions of a superuser, so those of an extension, and of the reader are no danger.
LIST_COMPUTED = f"""{FAMILY},
computed (class, number, name) AS (
  SELECT 'pg_catalog.pg_class'::regclass, c.oid, c.relname::text
  FROM family f JOIN pg_catalog.pg_index i ON i.indrelid = f.number
  JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
  WHERE i.indexprs IS NOT NULL OR i.indpred IS NOT NULL
  UNION ALL
  SELECT 'pg_catalog.pg_statistic_ext'::regclass, s.oid, s.stxname::text
  FROM family f JOIN pg_catalog.pg_statistic_ext s ON s.stxrelid = f.number
  UNION ALL
  SELECT 'pg_catalog.pg_class'::regclass, c.oid, c.relname::text
  FROM family f JOIN pg_catalog.pg_partitioned_table p ON p.partrelid = f.number
  JOIN pg_catalog.pg_class c ON c.oid = f.number
  WHERE p.partexprs IS NOT NULL),
owned (class, number, owner) AS (
  SELECT 'pg_catalog.pg_proc'::regclass, p.oid, p.proowner FROM pg_catalog.pg_proc p
  UNION ALL
  SELECT 'pg_catalog.pg_operator'::regclass, o.oid, p.proowner
  FROM pg_catalog.pg_operator o JOIN pg_catalog.pg_proc p ON p.oid = o.oprcode
  UNION ALL
  SELECT 'pg_catalog.pg_type'::regclass, t.oid, t.typowner FROM pg_catalog.pg_type t
  WHERE t.typtype <> 'e')
SELECT DISTINCT c.name FROM computed c
JOIN pg_catalog.pg_depend d ON d.classid = c.class AND d.objid = c.number AND d.objsubid = 0
JOIN owned o ON o.class = d.refclassid AND o.number = d.refobjid
JOIN pg_catalog.pg_roles r ON r.oid = o.owner
WHERE NOT r.rolsuper AND r.rolname <> current_user
ORDER BY 1
"""


@dataclass(frozen=True, kw_only=True)
class Member:
    """A table that gives rows to the one that is read, or that one itself.

    Attributes:
        number: Its oid.
        schema: Its schema.
        name: Its name.
        kind: The letter in ``relkind``.
        can_be_named: Whether the reader may use its schema.
        is_locked: Whether this transaction keeps others from changing it and from adding
            indexes.
    """

    number: int
    schema: str
    name: str
    kind: str
    can_be_named: bool
    is_locked: bool = field(compare=False)


@dataclass(frozen=True, kw_only=True)
class Look:
    """All facts of a table on which the reading rests. Two are equal with or without a lock.

    Attributes:
        number: The table's oid.
        kind: The letter in ``relkind``.
        encoding: The encoding of the server.
        is_filtered: Whether policies compute which rows the reader gets.
        may_guard: Whether the reader may keep others from adding statistics and partitions.
        columns: The columns that the reader may read.
        family: The table, its partitions and all tables that inherit from it.
        computed: Names of indexes and the like in which a function of the owner may be.
    """

    number: int
    kind: str
    encoding: str
    is_filtered: bool
    may_guard: bool
    columns: tuple[StoredColumn, ...]
    family: tuple[Member, ...]
    computed: tuple[str, ...]

    @property
    def fields(self) -> str:
        """The columns as SQL."""
        return ", ".join(map(read_column_sql, self.columns))


def look_at(cursor: Any, address: Address) -> Look:
    """Return what the catalogue says of a table at this moment.

    Args:
        cursor: The cursor of the transaction.
        address: The table's schema and name.

    Raises:
        TableError: There is none of this name.
    """
    cursor.execute(FIND_TABLE, parameters=(address.schema, address.table))
    facts = cursor.fetchone()
    if facts is None:
        raise TableError(f"The database has no table '{address.name}'.")
    # PostgreSQL knows the table by its number (oid); the attributes of `Look` say the rest.
    number, kind, encoding, is_filtered, may_guard = facts
    cursor.execute(LIST_TYPES, parameters=(number,))
    columns = collect_columns(cursor.fetchall())
    cursor.execute(LIST_FAMILY, parameters=(number,))
    family = [
        Member(
            number=number,
            schema=schema,
            name=name,
            kind=kind,
            can_be_named=can_be_named,
            is_locked=is_locked,
        )
        for number, schema, name, kind, can_be_named, is_locked in cursor.fetchall()
    ]
    cursor.execute(LIST_COMPUTED, parameters=(number,))
    computed = [name for (name,) in cursor.fetchall()]
    return Look(
        number=number,
        kind=kind,
        encoding=encoding,
        is_filtered=is_filtered,
        may_guard=may_guard,
        columns=tuple(columns),
        family=tuple(family),
        computed=tuple(computed),
    )


def refuse_computed(look: Look, name: str) -> None:
    """Refuse a table whose rows are computed, or for whose reader its owner's code would run.

    Args:
        look: What the catalogue says of the table.
        name: What messages call it.

    Raises:
        TableError: The table is refused; the message says why.
    """
    if look.kind not in STORED:
        raise TableError(
            f"'{name}' is a view or the like, which computes its rows; name a table or a "
            "materialized view."
        )
    if look.is_filtered:
        raise TableError(
            f"Policies of '{name}' compute which rows you may read. Read it as a user to "
            "whom no policy applies, or name a materialized view."
        )
    if look.encoding not in SERVER_ENCODINGS:
        raise TableError(
            f"The database stores text as {look.encoding}; Synth reads "
            f"{', '.join(SERVER_ENCODINGS)}."
        )
    if not look.columns:
        raise TableError(f"You may not read any column of '{name}'.")
    unread = [
        f"'{column.name}' ({column.base.name})"
        for column in look.columns
        if not column.is_readable
    ]
    if unread:
        raise TableError(
            f"Columns of '{name}' have types that Synth does not read: "
            f"{name_some(unread, MAX_SHOWN_NAMES)}. It reads PostgreSQL's own types, "
            "enumerations, and arrays and domains of these. Store the columns as text, such "
            "as in a materialized view."
        )
    _refuse_family(look, name)


def _refuse_family(look: Look, name: str) -> None:
    """Refuse a table if a partition or an index would run code of its owner.

    Args:
        look: What the catalogue says of the table, its partitions and heirs.
        name: What messages call it.

    Raises:
        TableError: The table is refused; the message says why.
    """
    foreign = [f"'{member.name}'" for member in look.family if member.kind not in STORED]
    if foreign:
        raise TableError(
            f"Some rows of '{name}' are in foreign tables, which fetch or compute them: "
            f"{name_some(foreign, MAX_SHOWN_NAMES)}. Copy them into a table or a "
            "materialized view."
        )
    if look.computed:
        listing = name_some([f"'{index}'" for index in look.computed], MAX_SHOWN_NAMES)
        raise TableError(
            f"Indexes, statistics or partitions of '{name}' use functions of other users, "
            f"which the database would run with your rights: {listing}. Copy the rows into a "
            "table or a materialized view without them."
        )


def refuse_change(before: Look, now: Look, name: str) -> None:
    """Refuse a table that is not the one that was looked at, or that is not locked.

    Args:
        before: What the catalogue said of it.
        now: What it says at present, with the locks that are held.
        name: What messages call the table.

    Raises:
        TableError: Something is different.
    """
    # A table whose schema the reader may not use cannot be named, and so not locked.
    locks = [member.is_locked for member in now.family if member.can_be_named]
    if before != now or not locks or not all(locks):
        raise TableError(
            f"'{name}' was changed while it was read; nothing was spent. Try again."
        )


def qualified_name(schema: str, table: str) -> str:
    """Return the name of a table with its schema, quoted for SQL."""
    return f"{quote_name(schema)}.{quote_name(table)}"
