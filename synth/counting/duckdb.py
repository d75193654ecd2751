"""DuckDB, in this process: reads files larger than memory and never talks to a network."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, Self, TypeVar, cast

import duckdb
import numpy as np
import numpy.typing as npt

from synth import limits
from synth.arrays import Cells, Ints, ascending, pack
from synth.counting.duckdb_sql import Dialect
from synth.counting.profiles import (
    Profile,
    date_patterns,
    dates_query,
    empty_profile,
    grouped_query,
    profiles_query,
    read_profile,
    read_values,
)
from synth.counting.sql import cell_query, codes_query, kept_query
from synth.counting.statements import Statement
from synth.deadline import check, interruptible
from synth.domain.domain import UNREADABLE, Categorical, Column, Date, Domain
from synth.domain.reading import Decimal, Moment, Whole
from synth.domain.steps import Summand
from synth.errors import ArgumentError, LimitError
from synth.foreign.folders import Folder
from synth.privacy.guarantee import ROW, Unit
from synth.table.frames import FLOATS
from synth.table.plain_copy import Unreadable, plain_copy, reads_strictly
from synth.table.private_table import PrivateTable, explain_failure

Settings = dict[str, str | bool | int | float | list[str]]
Fetched = dict[str, npt.NDArray[np.generic]]
"""Columns by name, masked where they hold NULL."""

LOOKED_AT = 1_000
"""Columns that are profiled in one scan at most."""

EXACT = frozenset(
    ["double", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))]
)
"""Types of Parquet whose texts, read as doubles, are the nearest doubles; `float` is none."""

HELD = "held"
"""What SQL calls a table in memory."""

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")
_Self = TypeVar("_Self", bound="DuckDB")
_Method = Callable[Concatenate[_Self, PrivateTable, _Asked], _Answer]


def connect(settings: Settings) -> duckdb.DuckDBPyConnection:
    """A database in memory that prints no progress bar amid the command line's output."""
    connection = duckdb.connect(config=settings)
    connection.execute("SET enable_progress_bar = false")
    return connection


def strict_first(method: _Method[_Self, _Asked, _Answer]) -> _Method[_Self, _Asked, _Answer]:
    """Ask the table as it is, and where that fails its copy: see `synth.table.plain_copy`."""

    @wraps(method)
    def ask(
        self: _Self, table: PrivateTable, /, *args: _Asked.args, **options: _Asked.kwargs
    ) -> _Answer:
        if table.catalog or reads_strictly(table):
            try:
                return method(self, table, *args, **options)
            except Unreadable:
                self._renew()
        copy = plain_copy(table)
        try:
            return method(self, copy, *args, **options)
        except Unreadable:
            pass
        explain_failure(table)

    return ask


class DuckDB:
    """An engine for the time of a ``with`` block. It can see one file and its spill folder.

    Args:
        threads: Number of threads; by default all processors.
        memory: DuckDB's memory limit, such as "2GB", by default `limits.memory_mb`; what
            exceeds it spills to a private folder that is removed with the engine.
        ordered: Whether rows come in the order of the file, which takes more memory.
    """

    def __init__(
        self, *, threads: int | None = None, memory: str = "", ordered: bool = False
    ) -> None:
        self._spill = Folder()
        settings: Settings = {
            "threads": threads or os.cpu_count() or 1,
            "memory_limit": memory or f"{limits.memory_mb()}MiB",
            "temp_directory": str(self._spill.path),
            "preserve_insertion_order": ordered,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        self._settings = settings
        self._connection = connect(settings)
        self._sees: Path | None = None
        self._enums: dict[tuple[str, ...], str] = {}

    def _renew(self) -> None:
        """Begin anew, to see another file."""
        self._connection.close()
        self._connection, self._sees, self._enums = connect(self._settings), None, {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()
        self._spill.remove()

    def count(
        self, table: PrivateTable, domain: Domain, unit: Unit = ROW
    ) -> tuple[Cells, Ints, int]:
        """Occupied cells in ascending order, their counts, and the rows the rules left out."""
        cells, counts, _, left_out = self.sums(table, domain, (), unit)
        return cells, counts, left_out

    @strict_first
    def sums(
        self, table: PrivateTable, domain: Domain, sums: Sequence[Summand], unit: Unit = ROW
    ) -> tuple[Cells, Ints, Ints, int]:
        """What `count` gives, and the sums of each cell, shape (cells, sums), after its counts."""
        person = table.position(unit.person) if unit.person else None
        sql = Dialect(self._enum, _numeric(table, domain, person))
        query = cell_query(
            domain,
            table.positions(domain),
            rows_of_file(table, domain, sql, person),
            sql,
            table.form,
            person=person,
            max_rows=unit.max_rows,
            sums=sums,
        )
        result = self._fetch(table, sql.query(query))
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
    def codes(
        self, table: PrivateTable, domain: Domain, unit: Unit = ROW
    ) -> list[npt.NDArray[np.int32]]:
        """The codes of every row that is used, one array a column."""
        person = table.position(unit.person) if unit.person else None
        names = [f"c{i}" for i in range(len(domain.columns))]
        casts = ", ".join(f"CAST({name} AS INTEGER) AS {name}" for name in names)
        sql = Dialect(self._enum, _numeric(table, domain, person))
        source = rows_of_file(table, domain, sql, person)
        codes = codes_query(domain, table.positions(domain), source, sql, table.form, person)
        if person is not None:
            codes = kept_query(codes, domain, unit.max_rows)
        kept = " AND ".join(f"{name} IS NOT NULL" for name in names)
        result = self._fetch(table, sql.query(f"SELECT {casts} FROM ({codes}) WHERE {kept}"))
        return [np.asarray(result[name], dtype=np.int32) for name in names]

    def values(
        self, table: PrivateTable, domain: Domain
    ) -> dict[str, tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]]:
        """The same of the columns of numbers and dates alone."""
        binned = [column.name for column in domain.columns if column.cutting is not None]
        found = self.readings(table, domain)
        return {name: found[name] for name in binned}

    @strict_first
    def readings(
        self, table: PrivateTable, domain: Domain
    ) -> dict[str, tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]]:
        """Readings and codes of every column, in the rows no rule leaves out.

        Numbers, or seconds since 1970, as they were before any was pulled to a bound; places in
        a list of what is listed.
        """
        sql = Dialect(self._enum, _numeric(table, domain))
        positions = table.positions(domain)
        query = codes_query(
            domain, positions, rows_of_file(table, domain, sql), sql, table.form, values=True
        )
        numbers = range(len(domain.columns))
        chosen = ", ".join(
            f"CAST(c{i} AS INTEGER) AS c{i}, CAST(v{i} AS DOUBLE) AS v{i}" for i in numbers
        )
        kept = " AND ".join(f"c{i} IS NOT NULL" for i in numbers)
        found = self._fetch(table, sql.query(f"SELECT {chosen} FROM ({query}) WHERE {kept}"))
        return {
            name: (
                np.ma.filled(found[f"v{i}"], np.nan).astype(np.float64),
                np.asarray(found[f"c{i}"], dtype=np.int32),
            )
            for i, name in enumerate(domain.names)
        }

    @strict_first
    def fits(self, table: PrivateTable, domain: Domain) -> tuple[int, int, list[int]]:
        """All rows, those that no rule leaves out, and those that each column's rule keeps."""
        sql = Dialect(self._enum, _numeric(table, domain))
        source = rows_of_file(table, domain, sql)
        codes = codes_query(domain, table.positions(domain), source, sql, table.form)
        names = [f"c{i}" for i in range(len(domain.columns))]
        inside = " AND ".join(f"{name} IS NOT NULL" for name in names)
        each = ", ".join(f"count({name}) AS {name}" for name in names)
        asked = f"count(*) AS n, count(CASE WHEN {inside} THEN 1 END) AS kept, {each}"
        found = self._fetch(table, sql.query(f"SELECT {asked} FROM ({codes})"))
        n, kept, *columns = (int(found[name][0]) for name in ("n", "kept", *names))
        return n + table.left_out, kept, columns

    @strict_first
    def profiles(
        self,
        table: PrivateTable,
        names: Sequence[str],
        gone: Sequence[str],
        dates: Mapping[str, str],
    ) -> list[Profile]:
        """What stands in some columns, read as texts a few scans at a time.

        Args:
            table: The table.
            names: The columns.
            gone: Spellings that are declared missing.
            dates: Formats of dates that are known, by column.
        """
        found: dict[str, Profile] = {}
        for some in _pieces(table, names):
            fields = {f"f{table.position(name)}": name for name in some}
            sql = Dialect(self._enum)
            source = _text_source(table, some, sql)
            query = grouped_query(list(fields), source, sql, ("", UNREADABLE, *gone))
            created = f"CREATE OR REPLACE TEMP TABLE grouped AS {query}"
            self._fetch(table, sql.query(created))
            found |= self._profiled(table, fields, dates)
        return [found.get(name) or empty_profile(name) for name in names]

    def _profiled(
        self, table: PrivateTable, fields: Mapping[str, str], dates: Mapping[str, str]
    ) -> dict[str, Profile]:
        """Profiles of the columns that were grouped, also of what they say as dates."""
        sql = Dialect(self._enum)
        rows = self._rows(table, sql.query(profiles_query("grouped", sql, table.form)))
        found = {field: read_profile(fields[field], row) for field, row in rows.items()}
        likely: dict[str, list[str]] = {}
        for field, profile in found.items():
            for pattern in date_patterns(profile, dates.get(profile.name, "")):
                likely.setdefault(pattern, []).append(field)
        for pattern, some in likely.items():
            sql = Dialect(self._enum)
            query = sql.query(dates_query("grouped", some, sql, pattern))
            for field, row in self._rows(table, query).items():
                known = {**found[field].dates, pattern: read_values(row)}
                found[field] = replace(found[field], dates=known)
        return {profile.name: profile for profile in found.values()}

    def _rows(self, table: PrivateTable, query: Statement) -> dict[str, dict[str, object]]:
        """The rows of a result by their column ``c``, None for NULL."""
        found = {n: np.ma.asarray(v).tolist() for n, v in self._fetch(table, query).items()}
        rows = (dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True))
        return {str(row["c"]): row for row in rows}

    def _enum(self, categories: tuple[str, ...]) -> str:
        """The name of a type that numbers the categories."""
        if categories not in self._enums:
            name = f"e{len(self._enums)}"
            listed = "SELECT unnest($categories)"
            self._connection.execute(
                f"CREATE TYPE {name} AS ENUM ({listed})", {"categories": list(categories)}
            )
            self._enums[categories] = name
        return self._enums[categories]

    def _fetch(self, table: PrivateTable, query: Statement) -> Fetched:
        """Run a query; an engine's error becomes one sentence without values."""
        if table.catalog:
            message = f"'{table.catalog}' is a table of Spark; choose the engine spark."
            raise ArgumentError(message)
        short = False
        try:
            if self._sees is None:  # from then on it can see nothing else
                seen = _paths(table) + _paths(table, plain=True)  # the pattern, and the file
                self._connection.execute("SET allowed_paths=$seen", {"seen": seen})
                self._connection.execute("SET enable_external_access=false")
                if table.held is not None:
                    self._connection.register(HELD, table.held)
                self._sees = table.data
            with interruptible(self._connection.interrupt):
                values = {
                    n: list(v) if isinstance(v, tuple) else v for n, v in query.values.items()
                }
                found = self._connection.execute(query.text, values)
                result: Fetched | None = cast("Fetched", found.fetchnumpy())
        except duckdb.OutOfMemoryException:
            result, short = None, True
        except duckdb.Error:
            result = None
        check()
        if short:
            message = (
                f"{limits.memory_mb():,} MB of memory are not enough to count this table "
                "(SYNTH_MEMORY_MB); leave out columns, or allow more."
            )
            raise LimitError(message)
        if result is None:  # outside the handler, so that no engine message is chained to ours
            raise Unreadable
        return result


def _paths(table: PrivateTable, *, plain: bool = False) -> list[str]:
    """The files as patterns that only they follow, or as they are; none of a table in memory."""
    if table.held is not None:
        return []
    names = [str(path.resolve()) for path in table.parts or (table.data,)]
    return names if plain else [as_pattern(name) for name in names]


def as_pattern(name: str) -> str:
    """The pattern of one file's name.

    >>> as_pattern("t[1].csv"), as_pattern("all*.csv")
    ('t[[]1].csv', 'all[*].csv')
    """
    return re.sub(r"([*?[])", r"[\1]", name)


def rows_of_file(
    table: PrivateTable, domain: Domain, sql: Dialect, person: int | None = None
) -> str:
    """The table as a SQL source whose columns are texts called f0, f1, ..."""
    if table.types:
        return _parquet(table, domain, sql, person)
    columns = ", ".join(f"'f{i}': 'VARCHAR'" for i in range(len(table.header)))
    return (
        f"read_csv({sql.bind(tuple(_paths(table)))}, auto_detect=false, header=false, "
        f"skip={table.skip}, delim={sql.bind(table.form.delimiter)}, quote='\"', escape='\"', "
        f"columns={{{columns}}})"
    )


def _text_source(table: PrivateTable, names: Sequence[str], sql: Dialect) -> str:
    """Columns of the table as texts, moments in ISO 8601."""
    return rows_of_file(table, Domain(tuple(_as_text(table, name) for name in names)), sql)


def _as_text(table: PrivateTable, name: str) -> Column:
    """A column that is read as what it spells."""
    kind = table.types[table.position(name)] if table.types else ""
    if kind.startswith(("timestamp", "date")):
        timed = kind.startswith("timestamp")
        return Date(name=name, time=timed, minimum="2000-01-01", maximum="2000-01-31")
    return Categorical(name=name, categories=("-",))


def _pieces(table: PrivateTable, names: Sequence[str]) -> Iterator[Sequence[str]]:
    """So many columns at a time that their texts take a part of the memory there is."""
    size = table.bytes
    share = limits.memory_mb() * 2**18 / max(1, size if not table.types else 8 * size)
    step = max(1, min(LOOKED_AT, int(share * len(table.header))))
    return (names[start : start + step] for start in range(0, len(names), step))


def _parquet(table: PrivateTable, domain: Domain, sql: Dialect, person: int | None) -> str:
    """Declared columns of a Parquet file as text; moments as the domain writes them."""
    columns: dict[int, Column | None] = {} if person is None else {person: None}
    positions = table.positions(domain)
    columns |= zip(positions, domain.columns, strict=True)
    field = _field if table.held is None else _held_field
    fields = {p: field(p, table.types[p], column, sql) for p, column in columns.items()}
    fields |= {p: f"p{p}" for i, p in enumerate(positions) if f"t{i}" in sql.numeric}
    parts = [f"{field} AS f{p}" for p, field in fields.items()]
    names = ", ".join(f"p{i}" for i in range(len(table.header)))
    rows = HELD if table.held is not None else f"read_parquet({sql.bind(tuple(_paths(table)))})"
    return f"(SELECT {', '.join(parts)} FROM {rows} AS t({names}))"


def _numeric(table: PrivateTable, domain: Domain, person: int | None = None) -> set[str]:
    """The fields of `codes_query` that stay numbers, where their text would be read as the same."""
    if not table.types or (table.form.decimal, table.form.thousands) != (".", ""):
        return set()
    pairs = enumerate(zip(table.positions(domain), domain.columns, strict=True))
    return {
        f"t{i}"
        for i, (p, column) in pairs
        if p != person and table.types[p] in EXACT and isinstance(column.reading, Whole | Decimal)
    }


def _field(position: int, kind: str, column: Column | None, sql: Dialect) -> str:
    """A field as text; a moment in no year from 1 to 9999 is not declared."""
    field = f"p{position}"
    reading = None if column is None else column.reading
    if kind.startswith(("timestamp", "date")) and isinstance(reading, Moment):
        written = f"strftime({field}, {sql.bind(reading.pattern.strip())})"
        return (
            f"CASE WHEN year({field}) BETWEEN 1 AND 9999 THEN {written} "
            f"WHEN {field} IS NOT NULL THEN {sql.bind(UNREADABLE)} END"
        )
    if kind in ("binary", "large_binary"):
        return f"decode({field})"
    return f"CAST({field} AS VARCHAR)"


def _held_field(position: int, kind: str, column: Column | None, sql: Dialect) -> str:
    """A field of a table in memory as text; of a float that is whole, the text of that integer.

    pandas makes floats of integers where one is missing: the texts of the others stay as they are.
    """
    text = _field(position, kind, column, sql)
    return f"regexp_replace({text}, '[.]0$', '')" if kind in FLOATS else text
