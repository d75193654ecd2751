"""Rows of linked tables, by their declared rules and under their parents. PRIVATE.

Which rows count follows from the keys and the contents of all rows with one root's key, and
never from a place in a file or from another root's rows (docs/proofs/linked-counts.md):

- rows without the root's key, or that a rule of a column leaves out, are not there;
- of several root rows with one key, of several rows with one key within a root, and of rows
  that must not repeat, the one with the first hash of its content counts;
- rows without a parent that counts are left out;
- of the rows of one parent the first ones count, by the declared order or by the hash.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

import duckdb
import numpy as np

from synth import limits
from synth.domain import LinkedPackage, LinkedTable, Lookup
from synth.errors import LimitError, TableError
from synth.linked import LinkedCodes, TableCodes
from synth.private.counting.duckdb import SMALL, DuckDB, strict_first
from synth.private.counting.duckdb_files import plain_numbers, rows_of_file
from synth.private.counting.duckdb_sql import Dialect
from synth.private.counting.spark import Spark, with_copy
from synth.private.counting.spark_sql import Dialect as SparkDialect
from synth.private.counting.sql import Dialect as AnyDialect
from synth.private.counting.sql import RowSource, codes_query
from synth.private.counting.statements import Statement
from synth.private.table import PrivateTable
from synth.util import Ints, check_deadline, interruptible, small_type

if TYPE_CHECKING:
    import pyarrow as pa


# Public tables in SQL, before their numbers.
PUBLIC_VIEW = "looked"


class LinkedCounter(Protocol):
    """What reads the rows of one linked table, for the time of a ``with`` block."""

    def read_linked(
        self,
        table: PrivateTable,
        linked: LinkedTable,
        public_tables: "Sequence[pa.Table]" = (),
    ) -> "pa.Table":
        """Return the rows that may count, by the rules of their own table alone. PRIVATE.

        Args:
            table: The confidential rows.
            linked: The declaration of the table, with its keys and limits.
            public_tables: Codes and values of the public tables whose columns it looks up.

        Columns are the keys ``k0``, ..., the row's ``turn`` under its parent, the number
        ``n`` of the parent's rows before any was left out, and the codes ``c0``, ...
        """


def settle_tables(
    package: LinkedPackage,
    tables: Mapping[str, PrivateTable],
    start: Callable[[], AbstractContextManager[LinkedCounter]],
) -> LinkedCodes:
    """Read all tables of a package, and put each row that counts under its parent. PRIVATE.

    Args:
        package: The declared tables, each after its parent.
        tables: The tables to read by name, public ones too.
        start: Starts the engine that reads a table, for the time of a ``with`` block.

    Raises:
        TableError: A table lacks a declared column, or cannot be read.
        LimitError: They need more memory than there is.
    """
    for linked in package.tables:
        links = [lookup.column[0] for lookup in linked.lookups]
        _check_columns(tables, linked.name, (*linked.own.names, *linked.key_columns, *links))
        for lookup in linked.lookups:
            _check_columns(tables, lookup.table, (lookup.key[0], *lookup.domain.names))
    # One connection keeps the placed rows of all tables; each table is read by an engine of
    # its own.
    with LinkedDuckDB() as joining:
        for number, linked in enumerate(package.tables):
            public_tables = [
                _look_up(tables[lookup.table], lookup) for lookup in linked.lookups
            ]
            with start() as engine:
                rows = engine.read_linked(tables[linked.name], linked, public_tables)
                joining.put_under(package, number, rows)
        return LinkedCodes(package=package, levels=tuple(joining.levels))


def _check_columns(
    tables: Mapping[str, PrivateTable], name: str, columns: Sequence[str]
) -> None:
    """Refuse a table that lacks a declared column.

    Args:
        tables: The tables by name.
        name: The table to check.
        columns: The declared columns.

    Raises:
        TableError: A column is missing.
    """
    for column in columns:
        try:
            tables[name].position(column)
        except TableError as error:
            raise TableError(f"'{name}' is not the declared table. {error}") from None


def _look_up(table: PrivateTable, lookup: Lookup) -> "pa.Table":
    """Return codes and values of a public table by key, and those of an empty key.

    The columns are the codes ``c0``, ..., the values ``v0``, ..., and the key ``k0``. The
    line with the key '' stands for rows whose key the table does not have.

    Raises:
        TableError: Two rows have one key. The table is public, so this may be said.
    """
    with LinkedDuckDB() as engine:
        rows = engine.read_public(table, lookup)
    if len(rows) > len(rows["k0"].unique()):
        raise TableError(f"Two rows of the public table '{lookup.table}' have one key.")
    return rows


class LinkedDuckDB(DuckDB):
    """DuckDB, which reads linked tables and puts their rows under each other.

    Attributes:
        levels: The tables whose rows have found their parents, in order.
    """

    def __init__(self) -> None:
        """Open a connection, without any table."""
        super().__init__()
        self.levels: list[TableCodes] = []

    @strict_first
    def read_public(self, table: PrivateTable, lookup: Lookup) -> "pa.Table":
        """Return codes and values of a public table by key, and those of an empty key.

        See `_look_up` for the columns; lines that are wholly equal are there once.
        """
        domain = lookup.domain
        key = table.position(lookup.key[0])
        sql = Dialect(self.enum, plain_numbers(table, domain))
        positions = table.positions(domain)
        fields = [f"f{position}" for position in dict.fromkeys((key, *positions))]
        # A row of empty cells gets the codes of an empty key, as any other row would.
        empty_row = ", ".join(f"NULL AS {field}" for field in fields)
        rows = rows_of_file(table, domain, sql, keys=[key])
        source = f"(SELECT {', '.join(fields)} FROM {rows} UNION ALL SELECT {empty_row})"
        public_rows = RowSource(
            domain=domain, positions=positions, rows=source, dialect=sql, form=table.form
        )
        codes = codes_query(public_rows, values=True, keys=[key])
        return self._fetch_arrow(table, sql.query(f"SELECT DISTINCT * FROM ({codes})"))

    @strict_first
    def read_linked(
        self,
        table: PrivateTable,
        linked: LinkedTable,
        public_tables: "Sequence[pa.Table]" = (),
    ) -> "pa.Table":
        """Return the rows that may count: their keys, turn, number and codes.

        See `LinkedCounter.read_linked` for the arguments and the columns.
        """
        sql = Dialect(self.enum, plain_numbers(table, linked.own))
        keys = _key_positions(table, linked)
        source = rows_of_file(table, linked.own, sql, keys=keys)
        for number, rows in enumerate(public_tables):
            self._connection.register(f"{PUBLIC_VIEW}{number}", rows)
        rows = _linked_rows(table, linked, source, sql=sql)
        # The codes are cast to small types, as all rows are held in memory.
        names = ", ".join(
            f"CAST({c} AS {SMALL[kind.itemsize]}) AS {c}" for c, kind in _kinds(linked)
        )
        return self._fetch_arrow(
            table, sql.query(f"SELECT * REPLACE ({names}) FROM ({rows})")
        )

    def _fetch_arrow(self, table: PrivateTable, query: Statement) -> "pa.Table":
        """Return the result of a query as an Arrow table; see `_guard` for the errors."""
        import pyarrow as pa

        return self._guard(
            table, lambda: self._read(table, query).read_all(), pa.ArrowException, OSError
        )

    def put_under(self, package: LinkedPackage, number: int, rows: "pa.Table") -> None:
        """Put the rows of a table under those of its parent, and append them as a level.

        Rows whose parent does not count are left out. The connection holds the placed rows of
        each table as ``t0``, ``t1``, ..., with their own keys ``own0``, ... and their place,
        as the tables below need them.

        Args:
            package: The declared tables.
            number: The number of the table in the package.
            rows: The rows that may count, as `read_linked` returns them.

        Raises:
            LimitError: It needs more memory or time than there is.
        """
        linked = package.tables[number]
        lacks_memory = False
        codes = [f"c{i}" for i in range(len(linked.domain.columns))]
        # A row's first keys are the root's key and those that name its parent row.
        on = " AND ".join(f"r.k{i} = p.own{i}" for i in range(1 + len(linked.link)))
        # Rows of the top table have no parent, which is written as 0.
        above = "SELECT r.*, 0 AS parent FROM held AS r"
        if linked.parent is not None:
            above = (
                f"SELECT r.*, p.place AS parent FROM held AS r JOIN t{linked.parent} AS p "
                f"ON {on}"
            )
        # A row is known to the tables below by the root's key and its own further keys.
        own_keys = [0, *range(1 + len(linked.link), len(linked.key_columns))]
        names = ", ".join(
            [*(f"k{k} AS own{i}" for i, k in enumerate(own_keys)), "parent", "n", *codes]
        )
        place = "row_number() OVER (ORDER BY parent, turn, k0) - 1 AS place"
        selected = ", ".join(["parent", "n", *codes])
        try:
            self._connection.register("held", rows)
            with interruptible(self._connection.interrupt):
                self._connection.execute(
                    f"CREATE TABLE t{number} AS SELECT {names}, {place} FROM ({above})"
                )
                query = f"SELECT {selected} FROM t{number} ORDER BY place"
                fetched = self._connection.execute(query).fetchnumpy()
            self._connection.unregister("held")
        except duckdb.Error:
            lacks_memory = True
        check_deadline()
        if lacks_memory:  # outside the handler, so that no engine message is chained to ours
            raise LimitError(
                f"{limits.memory_mb():,} MB of memory are not enough to link these tables "
                "(SYNTH_MEMORY_MB); leave out columns, or allow more."
            )
        parent = np.asarray(fetched["parent"], dtype=np.int64)
        original_numbers: Ints | None = None
        if linked.parent is not None:
            # Each row carries its parent's number of rows; parents without a row have 0.
            original_numbers = np.zeros(self.levels[linked.parent].rows, dtype=np.int64)
            original_numbers[parent] = np.asarray(fetched["n"], dtype=np.int64)
        columns = tuple(np.asarray(fetched[name]) for name in codes)
        self.levels.append(TableCodes(columns, parent, original_numbers))


class LinkedSpark(Spark):
    """Spark, which reads linked tables."""

    def read_linked(
        self,
        table: PrivateTable,
        linked: LinkedTable,
        public_tables: "Sequence[pa.Table]" = (),
    ) -> "pa.Table":
        """Return the rows that may count: their keys, turn, number and codes.

        See `LinkedCounter.read_linked` for the arguments and the columns.
        """
        import pyarrow as pa

        table = with_copy(table)
        sql = SparkDialect()
        frame = self._session.createDataFrame
        public = {
            f"{PUBLIC_VIEW}{number}": frame(rows) for number, rows in enumerate(public_tables)
        }
        query = sql.query(_linked_rows(table, linked, sql.source, sql=sql))
        with self.shown(public):
            fetched = self.read(table, linked.own, sql.source, query=query)
        # The codes are the last columns; they are cast to small types, to save memory.
        small = [pa.field(c, pa.from_numpy_dtype(kind)) for c, kind in _kinds(linked)]
        other_fields = [*fetched.schema][: -len(small)]
        return fetched.cast(pa.schema([*other_fields, *small]))


def _key_positions(table: PrivateTable, linked: LinkedTable) -> list[int]:
    links = [lookup.column[0] for lookup in linked.lookups]
    return [table.position(name) for name in (*linked.key_columns, *links)]


def _kinds(linked: LinkedTable) -> "list[tuple[str, np.dtype[Any]]]":
    """Return the columns of codes, and the smallest types of them."""
    return [(f"c{i}", small_type([size])) for i, size in enumerate(linked.domain.shape)]


def _linked_rows(
    table: PrivateTable, linked: LinkedTable, source: str, *, sql: AnyDialect
) -> str:
    """Return SQL of the rows that may count, with columns of their public tables.

    See `kept_rows_query` for the columns of the result.

    Args:
        table: The confidential rows.
        linked: The declaration of the table.
        source: SQL of the rows as texts ``f0``, ``f1``, ... by the columns' positions.
        sql: The dialect of the statement.
    """
    rows = RowSource(
        domain=linked.own,
        positions=table.positions(linked.own),
        rows=source,
        dialect=sql,
        form=table.form,
    )
    codes = codes_query(rows, values=True, keys=_key_positions(table, linked))
    return kept_rows_query(_join_query(codes, linked), linked)


def _join_query(codes: str, linked: LinkedTable) -> str:
    """Return SQL of rows with the codes and values of their public tables' columns added.

    The public tables are views ``looked0``, ``looked1``, ... A row whose key a public table
    does not have gets its values for an empty key.

    Args:
        codes: SQL of the rows' codes, values and keys.
        linked: The declaration of the table, with its lookups.
    """
    columns = len(linked.own.columns)  # columns so far; those of a lookup follow them
    first = len(linked.key_columns)  # the keys of the lookups follow the table's own keys
    for number, lookup in enumerate(linked.lookups):
        view = f"{PUBLIC_VIEW}{number}"
        key = f"k{first + number}"
        names = ", ".join(
            f"l.c{i} AS c{columns + i}, l.v{i} AS v{columns + i}"
            for i in range(len(lookup.domain.columns))
        )
        # First find the key, or '' if it is unknown; then every row finds a line of the view.
        outer = f"LEFT JOIN {view} AS o ON o.k0 = r.{key}"
        rows = f"SELECT r.*, coalesce(o.k0, '') AS at{number} FROM ({codes}) AS r {outer}"
        codes = (
            f"SELECT r.*, {names} FROM ({rows}) AS r JOIN {view} AS l ON l.k0 = r.at{number}"
        )
        columns += len(lookup.domain.columns)
    return codes


def kept_rows_query(codes: str, linked: LinkedTable) -> str:
    """Return SQL of the rows that count, from the result of `codes_query` with keys.

    Columns are the keys ``k0``, ..., the row's ``turn`` under its parent, the number ``n`` of
    the parent's rows before those beyond the limit are left out, and the codes. The turn says
    in which order the rows of one parent count, from 0: by the declared columns, then by a
    hash of the row's content. Of repeated rows the one with the first hash counts.

    Args:
        codes: SQL of the rows' codes, values and keys.
        linked: The declaration of the table: its keys, order and limit of rows.
    """
    names = linked.domain.names
    keys = [f"k{i}" for i in range(len(linked.key_columns))]
    cells = [f"c{i}" for i in range(len(names))]
    parts = [*keys, *(f"CAST({cell} AS STRING)" for cell in cells)]
    # A row counts only if it has all keys, and if no column's rule leaves it out.
    conditions = [
        *(f"{key} <> ''" for key in keys),
        *(f"{cell} IS NOT NULL" for cell in cells),
    ]
    # A hash of the whole row, so that no row's place in the file decides anything. The
    # character 31 is ASCII's separator of units.
    content = f"md5({' || chr(31) || '.join(parts)}) AS h"
    rows = f"SELECT *, {content} FROM ({codes}) WHERE {' AND '.join(conditions)}"
    parent_keys = keys[: 1 + len(linked.link)]
    own_keys = keys[1 + len(linked.link) :]
    by_content = ", ".join(["h", *cells, *keys])
    # A root row, and a row with keys of its own, must not repeat within its root; other rows
    # only if the declaration says so, and then under their parent.
    unique_columns: list[str] = []
    if linked.parent is None or own_keys:
        unique_columns = ["k0", *own_keys]
    elif linked.unique:
        unique_columns = [*parent_keys, *(cells[names.index(name)] for name in linked.unique)]
    if unique_columns:
        partition = ", ".join(unique_columns)
        first = f"row_number() OVER (PARTITION BY {partition} ORDER BY {by_content}) AS o"
        rows = f"SELECT * FROM (SELECT *, {first} FROM ({rows})) WHERE o = 1"
    order = [f"v{names.index(name)} NULLS LAST" for name in linked.first_by]
    window = f"PARTITION BY {', '.join(parent_keys)}"
    turn = (
        f"row_number() OVER ({window} ORDER BY {', '.join([*order, by_content])}) - 1 AS turn"
    )
    ranked = f"SELECT *, {turn}, count(*) OVER ({window}) AS n FROM ({rows})"
    selected = ", ".join([*keys, "turn", "n", *cells])
    return f"SELECT {selected} FROM ({ranked}) WHERE turn < {linked.most}"
