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
        """Return the rows that may count: their keys, turn, number and codes."""


def settle_tables(
    package: LinkedPackage,
    tables: Mapping[str, PrivateTable],
    start: Callable[[], AbstractContextManager[LinkedCounter]],
) -> LinkedCodes:
    """Read all tables and put each row that counts under its parent.

    Raises:
        TableError: A table lacks a declared column, or cannot be read.
        LimitError: They need more memory than there is.
    """
    for linked in package.tables:
        links = [lookup.column[0] for lookup in linked.lookups]
        _check_columns(tables, linked.name, (*linked.own.names, *linked.key_columns, *links))
        for lookup in linked.lookups:
            _check_columns(tables, lookup.table, (lookup.key[0], *lookup.domain.names))
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
    """Refuse a table that lacks a declared column."""
    for column in columns:
        try:
            tables[name].position(column)
        except TableError as error:
            raise TableError(f"'{name}' is not the declared table. {error}") from None


def _look_up(table: PrivateTable, lookup: Lookup) -> "pa.Table":
    """Return codes and values of a public table by key, ``k0``, and those of no key, ''.

    The table is public, so that a refusal may rest on its rows.
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
        """Return codes and values of a public table by key, and those of no key."""
        domain = lookup.domain
        key = table.position(lookup.key[0])
        sql = Dialect(self.enum, plain_numbers(table, domain))
        places = ", ".join(f"f{p}" for p in dict.fromkeys((key, *table.positions(domain))))
        nobody = ", ".join(f"NULL AS {place}" for place in places.split(", "))
        rows = rows_of_file(table, domain, sql, keys=[key])
        source = f"(SELECT {places} FROM {rows} UNION ALL SELECT {nobody})"
        positions = table.positions(domain)
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
        """Return the rows that may count: their keys, turn, number and codes."""
        sql = Dialect(self.enum, plain_numbers(table, linked.own))
        keys = _key_positions(table, linked)
        source = rows_of_file(table, linked.own, sql, keys=keys)
        for number, rows in enumerate(public_tables):
            self._connection.register(f"{PUBLIC_VIEW}{number}", rows)
        rows = _linked_rows(table, linked, source, sql=sql)
        names = ", ".join(
            f"CAST({c} AS {SMALL[kind.itemsize]}) AS {c}" for c, kind in _kinds(linked)
        )
        return self._fetch_arrow(
            table, sql.query(f"SELECT * REPLACE ({names}) FROM ({rows})")
        )

    def _fetch_arrow(self, table: PrivateTable, query: Statement) -> "pa.Table":
        """Return the result of a query as Arrow; errors become sentences."""
        import pyarrow as pa

        return self._guard(
            table, lambda: self._read(table, query).read_all(), pa.ArrowException, OSError
        )

    def put_under(self, package: LinkedPackage, number: int, rows: "pa.Table") -> None:
        """Put the rows of a table under those of its parent, and append them as a level.

        Args:
            number: The number of the table in the package.
            rows: The rows that may count, as `read_linked` returns them.
        """
        linked = package.tables[number]
        lacks_memory = False
        codes = [f"c{i}" for i in range(len(linked.domain.columns))]
        on = " AND ".join(f"r.k{i} = p.own{i}" for i in range(1 + len(linked.link)))
        above = "SELECT r.*, 0 AS parent FROM held AS r"
        if linked.parent is not None:
            above = (
                f"SELECT r.*, p.place AS parent FROM held AS r JOIN t{linked.parent} AS p "
                f"ON {on}"
            )
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
        counted: Ints | None = None
        if linked.parent is not None:
            counted = np.zeros(self.levels[linked.parent].rows, dtype=np.int64)
            counted[parent] = np.asarray(fetched["n"], dtype=np.int64)
        columns = tuple(np.asarray(fetched[name]) for name in codes)
        self.levels.append(TableCodes(columns, parent, counted))


class LinkedSpark(Spark):
    """Spark, which reads linked tables."""

    def read_linked(
        self,
        table: PrivateTable,
        linked: LinkedTable,
        public_tables: "Sequence[pa.Table]" = (),
    ) -> "pa.Table":
        """Return the rows that may count: their keys, turn, number and codes."""
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
        small = [pa.field(c, pa.from_numpy_dtype(kind)) for c, kind in _kinds(linked)]
        return fetched.cast(pa.schema([*[*fetched.schema][: -len(small)], *small]))


def _key_positions(table: PrivateTable, linked: LinkedTable) -> list[int]:
    links = [lookup.column[0] for lookup in linked.lookups]
    return [table.position(name) for name in (*linked.key_columns, *links)]


def _kinds(linked: LinkedTable) -> "list[tuple[str, np.dtype[Any]]]":
    """Return the columns of codes, and the smallest types of them."""
    return [(f"c{i}", small_type([size])) for i, size in enumerate(linked.domain.shape)]


def _linked_rows(
    table: PrivateTable, linked: LinkedTable, source: str, *, sql: AnyDialect
) -> str:
    """Return SQL of the rows that may count, with columns of their public tables."""
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
    """Return SQL of rows with columns of their public tables, ``looked0``, ...

    A row with an unknown key gets the public table's values for an empty key.
    """
    columns = len(linked.own.columns)
    first = len(linked.key_columns)
    for number, lookup in enumerate(linked.lookups):
        view = f"{PUBLIC_VIEW}{number}"
        key = f"k{first + number}"
        cells = [(i, part) for i in range(len(lookup.domain.columns)) for part in "cv"]
        names = ", ".join(f"l.{part}{i} AS {part}{columns + i}" for i, part in cells)
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
    the parent's rows before any was left out, and the codes.
    """
    names = linked.domain.names
    keys = [f"k{i}" for i in range(len(linked.key_columns))]
    cells = [f"c{i}" for i in range(len(names))]
    parts = [*keys, *(f"CAST({cell} AS STRING)" for cell in cells)]
    conditions = [
        *(f"{key} <> ''" for key in keys),
        *(f"{cell} IS NOT NULL" for cell in cells),
    ]
    content = f"md5({' || chr(31) || '.join(parts)}) AS h"
    rows = f"SELECT *, {content} FROM ({codes}) WHERE {' AND '.join(conditions)}"
    parent_keys = keys[: 1 + len(linked.link)]
    own_keys = keys[1 + len(linked.link) :]
    by_content = ", ".join(["h", *cells, *keys])
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
