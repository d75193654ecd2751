"""DuckDB, in this process: reads files larger than memory and never talks to a network."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar, cast

import duckdb
import numpy as np
import numpy.typing as npt

from synth import limits
from synth.domain import UNREADABLE, Domain, Summand
from synth.errors import ArgumentError, LimitError
from synth.estimate import MomentSum
from synth.foreign import Folder
from synth.privacy import ROW, Unit
from synth.private.counting.adding import Adding, Marginals
from synth.private.counting.duckdb_files import (
    HELD,
    paths,
    plain_numbers,
    rows_of_file,
    text_source,
)
from synth.private.counting.duckdb_sql import Dialect
from synth.private.counting.profiles import (
    Profile,
    date_patterns,
    dates_query,
    empty_profile,
    grouped_query,
    profiles_query,
    ranks_query,
    read_profile,
    read_ranks,
    read_values,
)
from synth.private.counting.sql import (
    RowSource,
    cell_query,
    codes_query,
    moments_query,
    used_query,
)
from synth.private.counting.statements import Statement
from synth.private.table import (
    PrivateTable,
    Setting,
    Unreadable,
    copy_plain,
    explain_failure,
    open_duckdb,
    read_typed_rows,
    reads_strictly,
)
from synth.util import (
    Cells,
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

# Columns by name, masked where they hold NULL.
Fetched = dict[str, npt.NDArray[np.generic]]

# Columns profiled in one scan at most.
MAX_PROFILED_COLUMNS = 1_000

# Types of codes by their number of bytes.
SMALL = {1: "UTINYINT", 2: "USMALLINT", 4: "UINTEGER"}

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")
_Self = TypeVar("_Self", bound="DuckDB")
_Method = Callable[Concatenate[_Self, PrivateTable, _Asked], _Answer]


def strict_first(method: _Method[_Self, _Asked, _Answer]) -> _Method[_Self, _Asked, _Answer]:
    """Query the table itself, and if that fails its copy: see
    `synth.private.table.plain_copy`.
    """

    @wraps(method)
    def ask(
        self: _Self, table: PrivateTable, /, *args: _Asked.args, **options: _Asked.kwargs
    ) -> _Answer:
        if table.catalog or reads_strictly(table):
            try:
                return method(self, table, *args, **options)
            except Unreadable:
                self._renew()
        copy = copy_plain(table)
        try:
            return method(self, copy, *args, **options)
        except Unreadable:
            pass
        explain_failure(table)

    return ask


class DuckDB:
    """An engine for the time of a ``with`` block. It can read one file and its spill folder.

    Args:
        threads: By default all processors. memory: DuckDB's memory limit, such as "2GB", by
        default `limits.memory_mb`; larger data
            spills to a private folder.
        ordered: Whether rows come in the order of the file, which needs more memory.
    """

    def __init__(
        self, *, threads: int | None = None, memory: str = "", ordered: bool = False
    ) -> None:
        self._spill = Folder()
        settings: dict[str, Setting] = {
            "threads": threads or os.cpu_count() or 1,
            "memory_limit": memory or f"{limits.memory_mb()}MiB",
            "temp_directory": str(self._spill.path),
            "preserve_insertion_order": ordered,
        }
        self._settings = settings
        self._connection = open_duckdb(settings)
        self._sees: Path | None = None
        self._enums: dict[tuple[str, ...], str] = {}

    def _renew(self) -> None:
        self._connection.close()
        self._connection = open_duckdb(self._settings)
        self._sees, self._enums = None, {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()
        self._spill.remove()

    @strict_first
    def sums(
        self, table: PrivateTable, domain: Domain, sums: Sequence[Summand], unit: Unit = ROW
    ) -> tuple[Cells, Ints, Ints, int]:
        source = self._source(table, domain, unit)
        result = self.fetch(table, source.dialect.query(cell_query(source, sums)))
        counts = np.asarray(result.pop("n"), dtype=np.int64)
        totals = np.array([result.pop(f"s{j}") for j in range(len(sums))], dtype=np.int64)
        added = totals.reshape(len(sums), len(counts)).T
        words = [np.ma.asarray(word) for word in result.values()]
        kept = ~np.logical_or.reduce([np.ma.getmaskarray(word) for word in words])
        cells = pack([word.data[kept].astype(np.int64) for word in words])
        order = ascending(cells)
        left_out = int(counts[~kept].sum()) + table.left_out
        return cells[order], counts[kept][order], added[kept][order], left_out

    @strict_first
    def moments(
        self, table: PrivateTable, domain: Domain, sums: Sequence[MomentSum], unit: Unit = ROW
    ) -> list[Ints]:
        source = self._source(table, domain, unit)
        found = self.fetch(table, source.dialect.query(moments_query(source, sums)))
        return [np.ma.filled(one, -1).astype(np.int64) for one in found.values()]

    @strict_first
    def codes(
        self, table: PrivateTable, domain: Domain, unit: Unit = ROW
    ) -> list[npt.NDArray[np.int32]]:
        query = self._codes_of_kept(
            table, domain, unit, types=["INTEGER"] * len(domain.columns)
        )
        found = self.fetch(table, query)
        return [np.asarray(found.pop(name), dtype=np.int32) for name in list(found)]

    @strict_first
    def small_codes(
        self, table: PrivateTable, domain: Domain, unit: Unit = ROW
    ) -> list[SmallCodes]:
        import pyarrow as pa  # what only reads answers does without

        types = [small_type([size]) for size in domain.shape]
        query = self._codes_of_kept(
            table, domain, unit, types=[SMALL[kind.itemsize] for kind in types]
        )
        pieces: list[list[SmallCodes]] = [[np.zeros(0, dtype=kind)] for kind in types]

        def hold() -> None:
            for piece in self._read(table, query):
                for held, column in zip(pieces, piece.columns, strict=True):
                    held.append(np.array(np.from_dlpack(column)))

        self._guard(table, hold, pa.ArrowException, OSError)
        return [np.concatenate(pieces.pop(0)) for _ in types]

    def _codes_of_kept(
        self, table: PrivateTable, domain: Domain, unit: Unit, *, types: Sequence[str]
    ) -> Statement:
        kept = " AND ".join(f"c{i} IS NOT NULL" for i in range(len(types)))
        return self._codes_of_used(table, domain, unit, types=types, where=f" WHERE {kept}")

    @strict_first
    def marginals(
        self,
        table: PrivateTable,
        domain: Domain,
        groups: Sequence[tuple[int, ...]],
        unit: Unit = ROW,
    ) -> tuple[Marginals, int]:
        """Rows pass by and are not kept."""
        import pyarrow as pa  # what only reads answers does without

        types = ["INTEGER"] * len(domain.columns)
        query, added = (
            self._codes_of_used(table, domain, unit, types=types),
            Adding(domain.shape, groups),
        )

        def add() -> int:
            passed = 0
            for piece in self._read(table, query):
                codes = [
                    np.asarray(one.fill_null(-1), dtype=np.int32) for one in piece.columns
                ]
                kept = np.logical_and.reduce([column >= 0 for column in codes])
                added.add([column[kept] for column in codes])
                passed += len(kept)
            return passed

        passed = self._guard(table, add, pa.ArrowException, OSError)
        return added.marginals, passed + (0 if unit.person else table.left_out)

    def _read(self, table: PrivateTable, query: Statement) -> "RecordBatchReader":
        import pyarrow as pa  # what only reads answers does without

        self._hold(table, query)
        found = self._connection.sql(query.text, params=_bound(query))
        return pa.RecordBatchReader.from_stream(found)

    def _codes_of_used(
        self,
        table: PrivateTable,
        domain: Domain,
        unit: Unit,
        *,
        types: Sequence[str],
        where: str = "",
    ) -> Statement:
        source = self._source(table, domain, unit)
        casts = ", ".join(f"CAST(c{i} AS {kind}) AS c{i}" for i, kind in enumerate(types))
        return source.dialect.query(f"SELECT {casts} FROM ({used_query(source)}){where}")

    def _source(self, table: PrivateTable, domain: Domain, unit: Unit = ROW) -> RowSource:
        person = table.position(unit.person) if unit.person else None
        sql = Dialect(self.enum, plain_numbers(table, domain, person))
        rows, positions = rows_of_file(table, domain, sql, person), table.positions(domain)
        return RowSource(
            domain=domain,
            positions=positions,
            rows=rows,
            dialect=sql,
            form=table.form,
            person=person,
            max_rows=unit.max_rows,
        )

    @strict_first
    def readings(
        self, table: PrivateTable, domain: Domain
    ) -> dict[str, tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]]:
        """Readings and codes of every column, in the rows no rule leaves out.

        Numbers, or seconds since 1970, before any was moved to a bound; for lists, positions.
        """
        source = self._source(table, domain)
        query = codes_query(source, values=True)
        numbers = range(len(domain.columns))
        chosen = ", ".join(
            f"CAST(c{i} AS INTEGER) AS c{i}, CAST(v{i} AS DOUBLE) AS v{i}" for i in numbers
        )
        kept = " AND ".join(f"c{i} IS NOT NULL" for i in numbers)
        found = self.fetch(
            table, source.dialect.query(f"SELECT {chosen} FROM ({query}) WHERE {kept}")
        )
        return {
            name: (
                np.ma.filled(found[f"v{i}"], np.nan).astype(np.float64),
                np.asarray(found[f"c{i}"], dtype=np.int32),
            )
            for i, name in enumerate(domain.names)
        }

    @strict_first
    def rows(self, table: PrivateTable) -> int:
        # Rows that cannot be split into cells count too.
        sql = Dialect(self.enum)
        source = text_source(table, table.header[:1], sql)
        found = self.fetch(table, sql.query(f"SELECT count(*) AS n FROM {source}"))
        return int(found["n"][0]) + table.left_out

    @strict_first
    def fits(
        self, table: PrivateTable, domain: Domain
    ) -> tuple[int, int, list[int], list[int]]:
        """All rows, those that no rule leaves out, and by column those kept, and those
        missing.
        """
        source = self._source(table, domain)
        names = [f"c{i}" for i in range(len(domain.columns))]
        inside = " AND ".join(f"{name} IS NOT NULL" for name in names)
        each = ", ".join(
            f"count({name}) AS {name}, count(CASE WHEN {name} = {code} THEN 1 END) AS m{name}"
            for name, column in zip(names, domain.columns, strict=True)
            for code in [-1 if column.missing_code is None else column.missing_code]
        )
        asked = f"count(*) AS n, count(CASE WHEN {inside} THEN 1 END) AS kept, {each}"
        query = source.dialect.query(f"SELECT {asked} FROM ({codes_query(source)})")
        found = self.fetch(table, query)
        n, kept, *columns = (
            int(found[name][0])
            for name in ("n", "kept", *names, *(f"m{name}" for name in names))
        )
        return n + table.left_out, kept, columns[: len(names)], columns[len(names) :]

    @strict_first
    def profiles(
        self,
        table: PrivateTable,
        names: Sequence[str],
        gone: Sequence[str],
        *,
        dates: Mapping[str, str],
    ) -> list[Profile]:
        """Profile some columns, read as texts a few scans at a time.

        Args:
            gone: Spellings that are declared missing.
            dates: Formats of dates that are known, by column.
        """
        found: dict[str, Profile] = {}
        # As many columns at a time as fit in a quarter of the memory.
        size = table.bytes
        share = limits.memory_mb() * 2**18 / max(1, size if not table.types else 8 * size)
        step = max(1, min(MAX_PROFILED_COLUMNS, int(share * len(table.header))))
        for some in (names[start : start + step] for start in range(0, len(names), step)):
            fields = {f"f{table.position(name)}": name for name in some}
            sql = Dialect(self.enum)
            source = text_source(table, some, sql)
            query = grouped_query(list(fields), source, sql, gone=("", UNREADABLE, *gone))
            self.fetch(table, sql.query(f"CREATE OR REPLACE TEMP TABLE grouped AS {query}"))
            found |= self._profile_columns(table, fields, dates)
        return [found.get(name) or empty_profile(name) for name in names]

    def _profile_columns(
        self, table: PrivateTable, fields: Mapping[str, str], dates: Mapping[str, str]
    ) -> dict[str, Profile]:
        sql = Dialect(self.enum)
        rows = self._rows(table, sql.query(profiles_query("grouped", sql, table.form)))
        # In the table's order, so that formats of dates are tried in the same one every time.
        found = {f: read_profile(fields[f], rows[f]) for f in fields if f in rows}
        some = [f for f, one in found.items() if 2 * one.numbers.rows >= one.filled_rows > 0]
        if some:
            sql = Dialect(self.enum)
            query = sql.query(ranks_query("grouped", some, sql, form=table.form))
            for field, row in self._rows(table, query).items():
                ranked = replace(found[field].numbers, ranks=read_ranks(row["ranks"]))
                found[field] = replace(found[field], numbers=ranked)
        likely: dict[str, list[str]] = {}
        for field, profile in found.items():
            for pattern in date_patterns(profile, dates.get(profile.name, "")):
                likely.setdefault(pattern, []).append(field)
        for pattern, some in likely.items():
            sql = Dialect(self.enum)
            query = sql.query(dates_query("grouped", some, sql, pattern=pattern))
            for field, row in self._rows(table, query).items():
                known = {**found[field].dates, pattern: read_values(row)}
                found[field] = replace(found[field], dates=known)
        return {profile.name: profile for profile in found.values()}

    @strict_first
    def count_pairs(self, table: PrivateTable, first: str, second: str) -> int:
        sql = Dialect(self.enum)
        texts = [sql.text(f"f{table.position(name)}") for name in (first, second)]
        source = text_source(table, (first, second), sql)
        pairs = f"SELECT DISTINCT {texts[0]}, {texts[1]} FROM {source}"
        return int(
            self.fetch(table, sql.query(f"SELECT count(*) AS n FROM ({pairs})"))["n"][0]
        )

    def _rows(self, table: PrivateTable, query: Statement) -> dict[str, dict[str, object]]:
        found = {n: np.ma.asarray(v).tolist() for n, v in self.fetch(table, query).items()}
        rows = (
            dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)
        )
        return {str(row["c"]): row for row in rows}

    def enum(self, categories: tuple[str, ...]) -> str:
        if categories not in self._enums:
            name = f"e{len(self._enums)}"
            created = f"CREATE TYPE {name} AS ENUM (SELECT unnest($categories))"
            self._connection.execute(created, {"categories": list(categories)})
            self._enums[categories] = name
        return self._enums[categories]

    def fetch(self, table: PrivateTable, query: Statement) -> Fetched:
        def ask() -> Fetched:
            self._hold(table, query)
            return cast(
                "Fetched", self._connection.execute(query.text, _bound(query)).fetchnumpy()
            )

        return self._guard(table, ask)

    def _guard(
        self, table: PrivateTable, ask: Callable[[], _Answer], *others: type[Exception]
    ) -> _Answer:
        # An engine's error, or another that its rows may come with, becomes one sentence.
        if table.catalog:
            raise ArgumentError(
                f"'{table.catalog}' is a table of Spark; choose the engine spark."
            )
        short, failed = False, False
        errors: tuple[type[Exception], ...] = (duckdb.Error, *others)
        try:
            self._see(table)
            with interruptible(self._connection.interrupt):
                found = ask()
        except errors as error:
            failed = True
            short = isinstance(error, duckdb.OutOfMemoryException)
        check_deadline()
        if short:
            raise LimitError(
                f"{limits.memory_mb():,} MB of memory are not enough to count this table "
                "(SYNTH_MEMORY_MB); leave out columns, or allow more."
            )
        if failed:  # outside the handler, so that no engine message is chained to ours
            raise Unreadable
        return found

    def _see(self, table: PrivateTable) -> None:
        """Allow the table's files, and from then on nothing else."""
        if self._sees is not None:
            return
        seen = paths(table) + paths(table, plain=True)  # the pattern, and the file
        self._connection.execute("SET allowed_paths=$seen", {"seen": seen})
        self._connection.execute("SET enable_external_access=false")
        self._sees = table.data

    def _hold(self, table: PrivateTable, query: Statement) -> None:
        if query.columns:
            self._connection.register(HELD, read_typed_rows(table, query.columns))


def _bound(query: Statement) -> dict[str, object]:
    return {n: list(v) if isinstance(v, tuple) else v for n, v in query.values.items()}
