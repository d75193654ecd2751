"""Rows of linked tables, by their declared rules and under their parents. PRIVATE.

Which rows count follows from the keys and the contents of all rows with one root's key, and
never from a place in a file or from another root's rows (docs/proofs/linked-counts.md):

- rows without the root's key, or that a rule of a column leaves out, are not there;
- of several root rows with one key, of several rows with one key within a root, and of rows
that
  must not repeat, the one with the first hash of its content counts;
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
    def kept(
        self, table: PrivateTable, one: LinkedTable, looked: "Sequence[pa.Table]" = ()
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
    for one in package.tables:
        joined = [look.column[0] for look in one.lookups]
        _check_columns(tables, one.name, (*one.own.names, *one.key_columns, *joined))
        for look in one.lookups:
            _check_columns(tables, look.table, (look.key[0], *look.domain.names))
    with LinkedDuckDB() as joining:
        for number, one in enumerate(package.tables):
            looked = [_look_up(tables[look.table], look) for look in one.lookups]
            with start() as engine:
                joining.put_under(package, number, engine.kept(tables[one.name], one, looked))
        return LinkedCodes(package=package, levels=tuple(joining.levels))


def _check_columns(
    tables: Mapping[str, PrivateTable], name: str, columns: Sequence[str]
) -> None:
    for column in columns:
        try:
            tables[name].position(column)
        except TableError as error:
            raise TableError(f"'{name}' is not the declared table. {error}") from None


def _look_up(table: PrivateTable, look: Lookup) -> "pa.Table":
    # Codes and values by key, ``k0``, and those of no key, an empty text. The table is
    # public, so that a refusal may rest on its rows.
    with LinkedDuckDB() as engine:
        found = engine.looked(table, look)
    if len(found) > len(found["k0"].unique()):
        raise TableError(f"Two rows of the public table '{look.table}' have one key.")
    return found


class LinkedDuckDB(DuckDB):
    def __init__(self) -> None:
        super().__init__()
        self.levels: list[TableCodes] = []

    @strict_first
    def looked(self, table: PrivateTable, look: Lookup) -> "pa.Table":
        domain, key = look.domain, table.position(look.key[0])
        sql = Dialect(self.enum, plain_numbers(table, domain))
        places = ", ".join(f"f{p}" for p in dict.fromkeys((key, *table.positions(domain))))
        nobody = ", ".join(f"NULL AS {place}" for place in places.split(", "))
        rows = rows_of_file(table, domain, sql, None, key)
        source = f"(SELECT {places} FROM {rows} UNION ALL SELECT {nobody})"
        positions = table.positions(domain)
        rows_there = RowSource(
            domain=domain, positions=positions, rows=source, dialect=sql, form=table.form
        )
        codes = codes_query(rows_there, values=True, keys=[key])
        return self._fetch_arrow(table, sql.query(f"SELECT DISTINCT * FROM ({codes})"))

    @strict_first
    def kept(
        self, table: PrivateTable, one: LinkedTable, looked: "Sequence[pa.Table]" = ()
    ) -> "pa.Table":
        sql = Dialect(self.enum, plain_numbers(table, one.own))
        source = rows_of_file(table, one.own, sql, None, *_key_positions(table, one))
        for number, rows in enumerate(looked):
            self._connection.register(f"{PUBLIC_VIEW}{number}", rows)
        rows = _linked_rows(table, one, source, sql=sql)
        names = ", ".join(
            f"CAST({c} AS {SMALL[kind.itemsize]}) AS {c}" for c, kind in _kinds(one)
        )
        return self._fetch_arrow(
            table, sql.query(f"SELECT * REPLACE ({names}) FROM ({rows})")
        )

    def _fetch_arrow(self, table: PrivateTable, query: Statement) -> "pa.Table":
        import pyarrow as pa

        return self._guard(
            table, lambda: self._read(table, query).read_all(), pa.ArrowException, OSError
        )

    def put_under(self, package: LinkedPackage, number: int, rows: "pa.Table") -> None:
        one, short = package.tables[number], False
        codes = [f"c{i}" for i in range(len(one.domain.columns))]
        on = " AND ".join(f"r.k{i} = p.own{i}" for i in range(1 + len(one.link)))
        above = "SELECT r.*, 0 AS parent FROM held AS r"
        if one.parent is not None:
            above = (
                f"SELECT r.*, p.place AS parent FROM held AS r JOIN t{one.parent} AS p "
                f"ON {on}"
            )
        own = [0, *range(1 + len(one.link), len(one.key_columns))]
        names = ", ".join(
            [*(f"k{k} AS own{i}" for i, k in enumerate(own)), "parent", "n", *codes]
        )
        place = "row_number() OVER (ORDER BY parent, turn, k0) - 1 AS place"
        shown = ", ".join(["parent", "n", *codes])
        try:
            self._connection.register("held", rows)
            with interruptible(self._connection.interrupt):
                self._connection.execute(
                    f"CREATE TABLE t{number} AS SELECT {names}, {place} FROM ({above})"
                )
                query = f"SELECT {shown} FROM t{number} ORDER BY place"
                found = self._connection.execute(query).fetchnumpy()
            self._connection.unregister("held")
        except duckdb.Error:
            short = True
        check_deadline()
        if short:  # outside the handler, so that no engine message is chained to ours
            raise LimitError(
                f"{limits.memory_mb():,} MB of memory are not enough to link these tables "
                "(SYNTH_MEMORY_MB); leave out columns, or allow more."
            )
        parent = np.asarray(found["parent"], dtype=np.int64)
        counted: Ints | None = None
        if one.parent is not None:
            counted = np.zeros(self.levels[one.parent].rows, dtype=np.int64)
            counted[parent] = np.asarray(found["n"], dtype=np.int64)
        columns = tuple(np.asarray(found[name]) for name in codes)
        self.levels.append(TableCodes(columns, parent, counted))


class LinkedSpark(Spark):
    def kept(
        self, table: PrivateTable, one: LinkedTable, looked: "Sequence[pa.Table]" = ()
    ) -> "pa.Table":
        import pyarrow as pa

        table, sql = with_copy(table), SparkDialect()
        frame = self._session.createDataFrame
        public = {f"{PUBLIC_VIEW}{number}": frame(rows) for number, rows in enumerate(looked)}
        query = sql.query(_linked_rows(table, one, sql.source, sql=sql))
        with self.shown(public):
            found = self.read(table, one.own, sql.source, query)
        small = [pa.field(c, pa.from_numpy_dtype(kind)) for c, kind in _kinds(one)]
        return found.cast(pa.schema([*[*found.schema][: -len(small)], *small]))


def _key_positions(table: PrivateTable, one: LinkedTable) -> list[int]:
    links = [look.column[0] for look in one.lookups]
    return [table.position(name) for name in (*one.key_columns, *links)]


def _kinds(one: LinkedTable) -> "list[tuple[str, np.dtype[Any]]]":
    # The columns of codes, and the smallest types of them.
    return [(f"c{i}", small_type([size])) for i, size in enumerate(one.domain.shape)]


def _linked_rows(
    table: PrivateTable, one: LinkedTable, source: str, *, sql: AnyDialect
) -> str:
    positions, keys = table.positions(one.own), _key_positions(table, one)
    rows = RowSource(
        domain=one.own, positions=positions, rows=source, dialect=sql, form=table.form
    )
    codes = codes_query(rows, values=True, keys=keys)
    return kept_rows_query(_join_query(codes, one), one)


def _join_query(codes: str, one: LinkedTable) -> str:
    # SQL of rows with columns of their public tables, ``looked0``, ...; one whose key is not
    # there gets what the public table has for an empty key.
    columns, first = len(one.own.columns), len(one.key_columns)
    for number, look in enumerate(one.lookups):
        there, key = f"{PUBLIC_VIEW}{number}", f"k{first + number}"
        cells = [(i, part) for i in range(len(look.domain.columns)) for part in "cv"]
        names = ", ".join(f"l.{part}{i} AS {part}{columns + i}" for i, part in cells)
        outer = f"LEFT JOIN {there} AS o ON o.k0 = r.{key}"
        rows = f"SELECT r.*, coalesce(o.k0, '') AS at{number} FROM ({codes}) AS r {outer}"
        codes = (
            f"SELECT r.*, {names} FROM ({rows}) AS r JOIN {there} AS l ON l.k0 = r.at{number}"
        )
        columns += len(look.domain.columns)
    return codes


def kept_rows_query(codes: str, one: LinkedTable) -> str:
    # SQL of the rows that count: keys ``k0``, ..., ``turn``, ``n`` before any was left out,
    # codes; from the result of `codes_query`, with keys and values.
    names, keys = one.domain.names, [f"k{i}" for i in range(len(one.key_columns))]
    cells = [f"c{i}" for i in range(len(names))]
    parts = [*keys, *(f"CAST({cell} AS STRING)" for cell in cells)]
    there = [*(f"{key} <> ''" for key in keys), *(f"{cell} IS NOT NULL" for cell in cells)]
    content = f"md5({' || chr(31) || '.join(parts)}) AS h"
    rows = f"SELECT *, {content} FROM ({codes}) WHERE {' AND '.join(there)}"
    parent, own = keys[: 1 + len(one.link)], keys[1 + len(one.link) :]
    by_content = ", ".join(["h", *cells, *keys])
    once: list[str] = []
    if one.parent is None or own:
        once = ["k0", *own]
    elif one.unique:
        once = [*parent, *(cells[names.index(name)] for name in one.unique)]
    if once:
        first = (
            f"row_number() OVER (PARTITION BY {', '.join(once)} ORDER BY {by_content}) AS o"
        )
        rows = f"SELECT * FROM (SELECT *, {first} FROM ({rows})) WHERE o = 1"
    order = [f"v{names.index(name)} NULLS LAST" for name in one.first_by]
    window = f"PARTITION BY {', '.join(parent)}"
    turn = (
        f"row_number() OVER ({window} ORDER BY {', '.join([*order, by_content])}) - 1 AS turn"
    )
    ranked = f"SELECT *, {turn}, count(*) OVER ({window}) AS n FROM ({rows})"
    shown = ", ".join([*keys, "turn", "n", *cells])
    return f"SELECT {shown} FROM ({ranked}) WHERE turn < {one.most}"
