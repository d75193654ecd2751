"""DuckDB, in this process: reads files larger than memory and never talks to a network."""

import os
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar, cast

import duckdb
import numpy as np
import numpy.typing as npt

from synth import limits
from synth.domain import Domain
from synth.errors import ArgumentError, LimitError
from synth.foreign import Folder
from synth.privacy import ROW, Unit
from synth.private.counting.adding import Added, Adding, HeldCodes, RowTaker
from synth.private.counting.duckdb_files import (
    paths,
    plain_numbers,
    rows_of_file,
    text_source,
)
from synth.private.counting.duckdb_sql import TYPED_ROWS, Dialect
from synth.private.counting.sql import (
    RowSource,
    cell_query,
    coded_query,
    codes_query,
)
from synth.private.counting.statements import Statement
from synth.private.table import (
    PrivateTable,
    Setting,
    Unreadable,
    copy_plain,
    explain_failure,
    open_duckdb,
    reads_strictly,
)
from synth.util import (
    Cells,
    Codes,
    Floats,
    Ints,
    SmallCodes,
    ascending,
    check_deadline,
    interruptible,
    pack,
    small_type,
)

if TYPE_CHECKING:
    from pyarrow import RecordBatchReader

    from synth.domain import Summand
    from synth.estimate import MomentSum

# Columns by name, masked where they hold NULL.
Fetched = dict[str, npt.NDArray[np.generic]]

# Values and codes of each column, by its name: see `DuckDB.readings`.
Readings = dict[str, tuple[Floats, Codes]]

# Types of codes by their number of bytes.
SMALL = {1: "UTINYINT", 2: "USMALLINT", 4: "UINTEGER"}

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")
_Self = TypeVar("_Self", bound="DuckDB")
_Taker = TypeVar("_Taker", bound=RowTaker)
_Method = Callable[Concatenate[_Self, PrivateTable, _Asked], _Answer]


def strict_first(method: _Method[_Self, _Asked, _Answer]) -> _Method[_Self, _Asked, _Answer]:
    """Make a method query the table's own file, and a private copy if that query fails.

    DuckDB reads some files only roughly, or not at all. The copy has the same cells in a
    form that it reads exactly: see `synth.private.table.plain_copy`.

    Args:
        method: A method of the engine; its first argument is the table.

    The new method raises TableError with one sentence if the copy cannot be read either.
    """

    @wraps(method)
    def ask(
        self: _Self, table: PrivateTable, /, *args: _Asked.args, **options: _Asked.kwargs
    ) -> _Answer:
        """Answer from a table's own file, or from a plain copy if DuckDB can't read that."""
        # A table of a catalog has no file to copy; the method refuses it with a sentence.
        if table.catalog or reads_strictly(table):
            try:
                return method(self, table, *args, **options)
            except Unreadable:
                self._renew()  # the old connection may read no other file
        copy = copy_plain(table)
        try:
            return method(self, copy, *args, **options)
        except Unreadable:
            pass  # explained below, so that no engine message is chained to the sentence
        explain_failure(table)  # raises

    return ask


class DuckDB:
    """An engine for the time of a ``with`` block. It can read one file and its spill folder.

    Args:
        threads: By default all processors.
        memory: DuckDB's memory limit, such as "2GB", by default `limits.memory_mb`; larger
            data spills to a private folder.
        ordered: Whether rows come in the order of the file, which needs more memory.
    """

    def __init__(
        self, *, threads: int | None = None, memory: str = "", ordered: bool = False
    ) -> None:
        """Open a connection to an empty database, which may not read any file yet."""
        self._spill = Folder()
        settings: dict[str, Setting] = {
            "threads": threads or os.cpu_count() or 1,
            "memory_limit": memory or f"{limits.memory_mb()}MiB",
            "temp_directory": str(self._spill.path),
            "preserve_insertion_order": ordered,
        }
        self._settings = settings
        self._connection = open_duckdb(settings)
        # The file that the connection may read, once there is one; and its types that number
        # categories.
        self._readable: Path | None = None
        self._enums: dict[tuple[str, ...], str] = {}

    def _renew(self) -> None:
        """Open another connection, which may be allowed the files of another table.

        A connection cannot take back that external access was disabled. Its types of
        enumerations are lost with it.
        """
        self._connection.close()
        self._connection = open_duckdb(self._settings)
        self._readable = None
        self._enums = {}

    def __enter__(self) -> Self:
        """Return the engine."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the connection and remove the spilled files."""
        self._connection.close()
        self._spill.remove()

    @strict_first
    def sums(
        self,
        table: PrivateTable,
        domain: Domain,
        sums: Sequence["Summand"],
        *,
        unit: Unit = ROW,
    ) -> tuple[Cells, Ints, Ints, int]:
        """Count rows by cell, and add numbers: see `RowCounter.sums`. PRIVATE.

        Returns the occupied cells, ascending; their rows, shape (cells,); their sums in steps
        of the grids, shape (cells, sums); and the rows that a rule leaves out.
        """
        source = self._source(table, domain, unit)
        if sums:
            from synth.private.counting.sums_sql import summed_query

            query = summed_query(source, sums)
        else:
            query = cell_query(source)
        result = self.fetch(table, source.dialect.query(query))
        counts = np.asarray(result.pop("n"), dtype=np.int64)
        totals = np.array([result.pop(f"s{j}") for j in range(len(sums))], dtype=np.int64)
        # With its shape named, an array of no sums has as many lines as there are cells, too.
        added = totals.reshape(len(sums), len(counts)).T
        # What remains are the numbers of the cell: one for each run of columns whose cells
        # fit in 64 bits. They are NULL for rows that a rule leaves out.
        words = [np.ma.asarray(word) for word in result.values()]
        is_inside = ~np.logical_or.reduce([np.ma.getmaskarray(word) for word in words])
        cells = pack([word.data[is_inside].astype(np.int64) for word in words])
        order = ascending(cells)
        left_out = int(counts[~is_inside].sum()) + table.left_out
        return cells[order], counts[is_inside][order], added[is_inside][order], left_out

    @strict_first
    def codes(
        self, table: PrivateTable, domain: Domain, unit: Unit = ROW
    ) -> list[npt.NDArray[np.int32]]:
        """Return the codes of the used rows, one array of shape (rows,) a column. PRIVATE."""
        held, _, _ = self._take(table, domain, HeldCodes(domain.shape), unit=unit)
        return [column.astype(np.int32) for column in held.columns()]

    @strict_first
    def marginals(
        self,
        table: PrivateTable,
        domain: Domain,
        groups: Sequence[tuple[int, ...]],
        *,
        sums: Sequence["MomentSum"] = (),
        unit: Unit = ROW,
    ) -> Added:
        """Count the marginals of groups of columns, and add numbers. PRIVATE.

        The rows are read once and not held in memory: see `RowCounter.marginals`.
        """
        adding, rows, totals = self._take(
            table, domain, Adding(domain.shape, groups), sums=sums, unit=unit
        )
        return Added(adding.marginals, rows, totals)

    @strict_first
    def read(
        self,
        table: PrivateTable,
        domain: Domain,
        begin: Callable[[], _Taker],
        *,
        sums: Sequence["MomentSum"] = (),
        unit: Unit = ROW,
    ) -> tuple[_Taker, int, list[Ints]]:
        """Read the rows once, in pieces: pass on their codes, and add numbers. PRIVATE.

        Pieces come in any order, or in that of the file if the engine is ordered.

        Args:
            table: The confidential rows.
            domain: The declared columns.
            begin: Returns what takes the codes of the rows that no rule leaves out. It is
                called again if a reading fails and the private copy is read instead.
            sums: The definitions of sums of numbers, which are added over the same rows.
            unit: The protected unit.

        Returns what took the codes; the number of all rows, or of the used rows with a person
        column; and each sum in steps, by the cells of the columns that it is by.
        """
        return self._take(table, domain, begin(), sums=sums, unit=unit)

    def _take(
        self,
        table: PrivateTable,
        domain: Domain,
        taker: _Taker,
        *,
        sums: Sequence["MomentSum"] = (),
        unit: Unit,
    ) -> tuple[_Taker, int, list[Ints]]:
        """Do what `read` does, with what takes the codes."""
        import pyarrow as pa  # what only reads answers does without

        source = self._source(table, domain, unit)
        types = [SMALL[small_type([size]).itemsize] for size in domain.shape]
        added = None
        query = coded_query(source, types=types)
        if sums:
            from synth.private.counting.moments import AddedSteps
            from synth.private.counting.sums_sql import steps_of_row

            added = AddedSteps(domain, sums)
            query = coded_query(
                source,
                types=types,
                valued=added.columns,
                added=steps_of_row(domain, sums),
            )
        statement = source.dialect.query(query)
        width = len(domain.columns)

        def take() -> int:
            """Pass on the rows that are used, and return how many rows there are in all.

            A piece of the query's answer has a column of codes for each declared column, then
            whether a row is used, then the steps of the rows for the sums.
            """
            rows = 0
            for piece in self._read(table, statement):
                arrays = [np.from_dlpack(column) for column in piece.columns]
                is_used = arrays[width].astype(bool)
                rows += len(is_used)
                if not is_used.all():
                    arrays = [array[is_used] for array in arrays]
                codes = cast("list[SmallCodes]", arrays[:width])
                taker.add(codes)
                if added is not None:
                    added.add(codes, cast("list[Floats]", arrays[width + 1 :]))
            return rows

        rows = self._guard(table, take, pa.ArrowException, OSError)
        # Without a person column all rows count, also those that were not split into cells.
        if not unit.person:
            rows += table.left_out
        return taker, rows, [] if added is None else added.totals

    def _read(self, table: PrivateTable, query: Statement) -> "RecordBatchReader":
        """Begin a query, and return a reader of its rows, which come piece by piece."""
        import pyarrow as pa  # what only reads answers does without

        self._register_rows(table, query)
        result = self._connection.sql(query.text, params=_bound(query))
        return pa.RecordBatchReader.from_stream(result)

    def _source(self, table: PrivateTable, domain: Domain, unit: Unit = ROW) -> RowSource:
        """Return what the SQL of a table's rows needs: columns, positions and person column.

        Args:
            table: The confidential rows.
            domain: The declared columns.
            unit: The protected unit; its person column need not be declared.
        """
        person = table.position(unit.person) if unit.person else None
        sql = Dialect(self.enum, plain_numbers(table, domain, person))
        return RowSource(
            domain=domain,
            positions=table.positions(domain),
            rows=rows_of_file(table, domain, sql, person=person),
            dialect=sql,
            form=table.form,
            person=person,
            max_rows=unit.max_rows,
        )

    @strict_first
    def readings(self, table: PrivateTable, domain: Domain, *, sampled: int = 0) -> Readings:
        """Return readings and codes of every column, in the rows that no rule leaves out.

        Both have the shape (rows,); the result maps a column's name to the pair of them. A
        reading is a number, or seconds since 1970, before any was moved to a bound; for a
        list it is a position. It is NaN where the text cannot be read. PRIVATE.

        Args:
            table: The confidential rows.
            domain: The declared columns.
            sampled: The number of random rows to read; 0 for all.
        """
        import pyarrow as pa  # what only reads answers does without

        source = self._source(table, domain)
        query = codes_query(source, values=True)
        # The reading of column i is v{i}, and its code is c{i}.
        numbers = range(len(domain.columns))
        chosen = ", ".join(
            f"COALESCE(CAST(v{i} AS DOUBLE), CAST('nan' AS DOUBLE)) AS v{i}, "
            f"CAST(c{i} AS INTEGER) AS c{i}"
            for i in numbers
        )
        is_inside = " AND ".join(f"c{i} IS NOT NULL" for i in numbers)
        text = f"SELECT {chosen} FROM ({query}) WHERE {is_inside}"
        if sampled:
            text = f"SELECT * FROM ({text}) USING SAMPLE reservoir({int(sampled)} ROWS)"
        kinds = [np.float64, np.int32] * len(domain.columns)
        pieces: list[list[npt.NDArray[np.generic]]] = [[np.zeros(0, kind)] for kind in kinds]

        def hold() -> None:
            """Copy the columns of each piece of the rows."""
            for piece in self._read(table, source.dialect.query(text)):
                for pieces_of_column, column in zip(pieces, piece.columns, strict=True):
                    pieces_of_column.append(np.array(np.from_dlpack(column)))

        self._guard(table, hold, pa.ArrowException, OSError)
        # The pieces of a column are freed before the next column is joined.
        joined = (np.concatenate(pieces.pop(0)) for _ in kinds)
        return {
            name: (cast("Floats", next(joined)), cast("Codes", next(joined)))
            for name in domain.names
        }

    @strict_first
    def rows(self, table: PrivateTable) -> int:
        """Return the number of rows, including rows that cannot be split into cells."""
        sql = Dialect(self.enum)
        # Any one column will do; a source needs at least one.
        source = text_source(table, table.header[:1], sql)
        fetched = self.fetch(table, sql.query(f"SELECT count(*) AS n FROM {source}"))
        return int(fetched["n"][0]) + table.left_out

    @strict_first
    def first_rows(
        self, table: PrivateTable, names: Sequence[str], most: int
    ) -> list[tuple[str | None, ...]]:
        """Return the first rows as texts, in the order of the file. PRIVATE.

        The engine must be ordered. A cell without a value is None.

        Args:
            table: The confidential table.
            names: The columns to read, at least one.
            most: How many rows.
        """
        sql = Dialect(self.enum)
        source = text_source(table, names, sql)
        fields = ", ".join(f"f{table.position(name)}" for name in names)
        query = sql.query(f"SELECT {fields} FROM {source} LIMIT {int(most)}")
        columns = [_texts_of(column) for column in self.fetch(table, query).values()]
        return list(zip(*columns, strict=True))

    @strict_first
    def fits(
        self, table: PrivateTable, domain: Domain
    ) -> tuple[int, int, list[int], list[int]]:
        """Count the rows that fit a declaration, in one scan. PRIVATE.

        Returns the number of all rows; the rows that no rule leaves out; for each column the
        rows that its own rule does not leave out; and for each column the rows with a missing
        value.
        """
        source = self._source(table, domain)
        names = [f"c{i}" for i in range(len(domain.columns))]
        inside = " AND ".join(f"{name} IS NOT NULL" for name in names)
        counts = ["count(*) AS n", f"count(CASE WHEN {inside} THEN 1 END) AS kept"]
        for name, column in zip(names, domain.columns, strict=True):
            # No code is -1, so a column that declares no missing values counts none.
            missing = -1 if column.missing_code is None else column.missing_code
            counts.append(f"count({name}) AS {name}")
            counts.append(f"count(CASE WHEN {name} = {missing} THEN 1 END) AS m{name}")
        rows = codes_query(source)
        query = source.dialect.query(f"SELECT {', '.join(counts)} FROM ({rows})")
        fetched = self.fetch(table, query)
        number = {name: int(values[0]) for name, values in fetched.items()}
        fitting_by_column = [number[name] for name in names]
        missing_by_column = [number[f"m{name}"] for name in names]
        all_rows = number["n"] + table.left_out
        return all_rows, number["kept"], fitting_by_column, missing_by_column

    @strict_first
    def count_pairs(self, table: PrivateTable, first: str, second: str) -> int:
        """Return how many different pairs of trimmed texts the rows have in two columns.

        Args:
            table: The confidential rows.
            first, second: The names of the columns.
        """
        sql = Dialect(self.enum)
        texts = [sql.text(f"f{table.position(name)}") for name in (first, second)]
        source = text_source(table, (first, second), sql)
        pairs = f"SELECT DISTINCT {texts[0]}, {texts[1]} FROM {source}"
        fetched = self.fetch(table, sql.query(f"SELECT count(*) AS n FROM ({pairs})"))
        return int(fetched["n"][0])

    @strict_first
    def count_key_rows(
        self, table: PrivateTable, name: str, *, with_digit: bool = False
    ) -> dict[int, int]:
        """Return how many keys have so many rows, by the number of rows, ascending. PRIVATE.

        Args:
            table: The confidential rows.
            name: The column of keys, which are compared as trimmed texts. An empty one is
                none.
            with_digit: Whether only texts with a digit count, as names of things have none.
        """
        sql = Dialect(self.enum)
        key = sql.text(f"f{table.position(name)}")
        source = text_source(table, (name,), sql)
        is_key = f"regexp_matches({key}, '[0-9]')" if with_digit else f"{key} <> ''"
        counts = f"SELECT count(*) AS n FROM {source} WHERE {is_key} GROUP BY {key}"
        query = f"SELECT n, count(*) AS keys FROM ({counts}) GROUP BY n ORDER BY n"
        fetched = self.fetch(table, sql.query(query))
        return dict(zip(fetched["n"].tolist(), fetched["keys"].tolist(), strict=True))

    @strict_first
    def count_shared(self, table: PrivateTable, keys: str, column: str) -> int:
        """Return how many rows have in one column a trimmed text that another column has.

        Args:
            table: The confidential rows.
            keys: The name of the other column.
            column: The name of the column whose rows are counted.
        """
        sql = Dialect(self.enum)
        key_text, text = [sql.text(f"f{table.position(name)}") for name in (keys, column)]
        source = text_source(table, (keys, column), sql)
        query = (
            f"WITH texts AS (SELECT {key_text} AS key, {text} AS t FROM {source}) "
            "SELECT count(*) AS n FROM texts WHERE t IN (SELECT key FROM texts)"
        )
        fetched = self.fetch(table, sql.query(query))
        return int(fetched["n"][0])

    def enum(self, categories: tuple[str, ...]) -> str:
        """Return the name of a SQL type that numbers these categories, from 0.

        It is created once for each list of categories of a connection.
        """
        if categories not in self._enums:
            name = f"e{len(self._enums)}"
            created = f"CREATE TYPE {name} AS ENUM (SELECT unnest($categories))"
            self._connection.execute(created, {"categories": list(categories)})
            self._enums[categories] = name
        return self._enums[categories]

    def fetch(self, table: PrivateTable, query: Statement) -> Fetched:
        """Return the columns of an answer, by name, masked where they hold NULL.

        Raises:
            Unreadable: DuckDB fails on the table.
            LimitError: It needs more memory or time than there is.
        """

        def ask() -> Fetched:
            """Run the query, and return the columns of its answer by name."""
            self._register_rows(table, query)
            return cast(
                "Fetched", self._connection.execute(query.text, _bound(query)).fetchnumpy()
            )

        return self._guard(table, ask)

    def _guard(
        self, table: PrivateTable, ask: Callable[[], _Answer], *others: type[Exception]
    ) -> _Answer:
        """Return DuckDB's answer about a table, and hide its messages, which may show rows.

        Args:
            table: The table, whose files are allowed before the question.
            ask: Asks the connection, and returns the answer.
            others: Other types of errors that reading rows may raise.

        Raises:
            Unreadable: DuckDB fails on the table.
            LimitError: It needs more memory or time than there is.
            ArgumentError: The table is one of Spark.
        """
        if table.catalog:
            raise ArgumentError(
                f"'{table.catalog}' is a table of Spark; choose the engine spark."
            )
        lacks_memory = False
        failed = False
        errors: tuple[type[Exception], ...] = (duckdb.Error, *others)
        try:
            self._allow_files(table)
            with interruptible(self._connection.interrupt):
                answer = ask()
        except errors as error:
            failed = True
            lacks_memory = isinstance(error, duckdb.OutOfMemoryException)
        check_deadline()
        if lacks_memory:
            raise LimitError(
                f"{limits.memory_mb():,} MB of memory are not enough to count this table "
                "(SYNTH_MEMORY_MB); leave out columns, or allow more."
            )
        if failed:  # outside the handler, so that no engine message is chained to ours
            raise Unreadable
        return answer

    def _allow_files(self, table: PrivateTable) -> None:
        """Allow the table's files, and from then on nothing else.

        A connection does this once: after that, it cannot be allowed other files.
        """
        if self._readable is not None:
            return
        # DuckDB compares both the pattern in the SQL and the name of the file.
        allowed = paths(table) + paths(table, plain=True)
        self._connection.execute("SET allowed_paths=$allowed", {"allowed": allowed})
        self._connection.execute("SET enable_external_access=false")
        self._readable = table.data

    def _register_rows(self, table: PrivateTable, query: Statement) -> None:
        """Let a statement read the rows of a typed table, if it needs them."""
        if query.columns:
            from synth.private.table import read_typed_rows

            self._connection.register(TYPED_ROWS, read_typed_rows(table, query.columns))


def _bound(query: Statement) -> dict[str, object]:
    """Return the values of a statement's placeholders by name, with lists for tuples.

    DuckDB takes a Python list for a list of texts.
    """
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in query.values.items()
    }


def _texts_of(column: npt.NDArray[np.generic]) -> list[str | None]:
    """Return the cells of a fetched column of texts; None where they are masked."""
    is_empty = np.ma.getmaskarray(column)
    return [
        None if empty else str(cell)
        for cell, empty in zip(np.ma.getdata(column), is_empty, strict=True)
    ]
