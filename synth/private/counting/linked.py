"""Rows of linked tables, settled by their declared rules and put under their parents. PRIVATE.

Which rows count follows from the keys and the contents of all rows with one root's key, and never
from a place in a file or from another root's rows (docs/proofs/linked-counts.md):

- rows without the root's key, or that a rule of a column leaves out, are not there;
- of several root rows with one key, of several rows with one key within a root, and of rows that
  must not repeat, the one with the first hash of its content counts;
- rows without a parent that counts are left out;
- of the rows of one parent the first ones count, by the declared order or by the hash.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import duckdb
import numpy as np

from synth import limits
from synth.domain import LinkedPackage, LinkedTable
from synth.errors import LimitError, TableError
from synth.estimate import LinkedCodes, TableCodes
from synth.private.counting.duckdb import SMALL, DuckDB, strict_first
from synth.private.counting.duckdb_files import plain_numbers, rows_of_file
from synth.private.counting.duckdb_sql import Dialect
from synth.private.counting.sql import codes_query
from synth.private.table import PrivateTable
from synth.util import Ints, check_deadline, interruptible, small_type

if TYPE_CHECKING:
    import pyarrow as pa


def settle_tables(package: LinkedPackage, tables: Mapping[str, PrivateTable]) -> LinkedCodes:
    """Read all tables and put each row that counts under its parent.

    Args:
        package: The declared tables.
        tables: Those with the rows, by name.

    Raises:
        TableError: A table lacks a declared column, or cannot be read.
        LimitError: They need more memory than there is.
    """
    for one in package.tables:
        for name in (*one.domain.names, *one.key_columns):
            try:
                tables[one.name].position(name)
            except TableError as error:
                raise TableError(f"'{one.name}' is not the declared table. {error}") from None
    with LinkedDuckDB() as joined:
        for number, one in enumerate(package.tables):
            with LinkedDuckDB() as engine:
                joined.put_under(package, number, engine.kept(tables[one.name], one))
        return LinkedCodes(package, tuple(joined.levels))


class LinkedDuckDB(DuckDB):
    """An engine that reads the rows of one table, or one that joins those of all.

    Attributes:
        levels: The rows of the tables that were joined.
    """

    def __init__(self) -> None:
        super().__init__()
        self.levels: list[TableCodes] = []

    @strict_first
    def kept(self, table: PrivateTable, one: LinkedTable) -> "pa.Table":
        """The rows that count as far as this table alone can tell: keys, turn, number, codes."""
        import pyarrow as pa

        domain = one.domain
        keys = [table.position(name) for name in one.key_columns]
        sql = Dialect(self.enum, plain_numbers(table, domain))
        source = rows_of_file(table, domain, sql, None, *keys)
        codes = codes_query(
            domain, table.positions(domain), source, sql, table.form, values=True, keys=keys
        )
        query = sql.query(kept_rows_query(codes, one))
        found: list[pa.Table] = []

        def collect() -> None:
            self._hold(table, query)
            values = {n: list(v) if isinstance(v, tuple) else v for n, v in query.values.items()}
            asked = self._connection.sql(query.text, params=values)
            found.append(pa.RecordBatchReader.from_stream(asked).read_all())

        self._guard(table, collect, pa.ArrowException, OSError)
        return found[0]

    def put_under(self, package: LinkedPackage, number: int, rows: "pa.Table") -> None:
        """Put the rows of a table under their parents; those without one are left out."""
        one, short = package.tables[number], False
        codes = [f"c{i}" for i in range(len(one.domain.columns))]
        on = " AND ".join(f"r.k{i} = p.own{i}" for i in range(1 + len(one.link)))
        above = "SELECT r.*, 0 AS parent FROM held AS r"
        if one.parent is not None:
            above = f"SELECT r.*, p.place AS parent FROM held AS r JOIN t{one.parent} AS p ON {on}"
        own = [0, *range(1 + len(one.link), len(one.key_columns))]
        names = ", ".join([*(f"k{k} AS own{i}" for i, k in enumerate(own)), "parent", "n", *codes])
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


def kept_rows_query(codes: str, one: LinkedTable) -> str:
    """SQL of the rows that count: keys ``k0``, ..., ``turn``, ``n`` before any was left out, codes.

    Args:
        codes: What `codes_query` made, with keys and values.
        one: The table.
    """
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
        first = f"row_number() OVER (PARTITION BY {', '.join(once)} ORDER BY {by_content}) AS o"
        rows = f"SELECT * FROM (SELECT *, {first} FROM ({rows})) WHERE o = 1"
    order = [f"v{names.index(name)} NULLS LAST" for name in one.first_by]
    window = f"PARTITION BY {', '.join(parent)}"
    turn = f"row_number() OVER ({window} ORDER BY {', '.join([*order, by_content])}) - 1 AS turn"
    ranked = f"SELECT *, {turn}, count(*) OVER ({window}) AS n FROM ({rows})"
    kinds = [small_type([size]) for size in one.domain.shape]
    small = [f"CAST({c} AS {SMALL[k.itemsize]}) AS {c}" for c, k in zip(cells, kinds, strict=True)]
    shown = ", ".join([*keys, "turn", "n", *small])
    return f"SELECT {shown} FROM ({ranked}) WHERE turn < {one.most}"
