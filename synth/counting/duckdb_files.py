"""How DuckDB reads a table: files, or rows in memory, as SQL sources whose columns are texts."""

import re
from collections.abc import Sequence

from synth.counting.duckdb_sql import Dialect
from synth.domain.domain import UNREADABLE, Categorical, Column, Date, Domain
from synth.domain.reading import Decimal, Moment, Whole
from synth.table.frames import FLOATS
from synth.table.private_table import PrivateTable

EXACT = frozenset(
    ["double", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))]
)
"""Types of Parquet whose texts, read as doubles, are the nearest doubles; `float` is none."""

HELD = "held"
"""What SQL calls a table in memory."""


def paths(table: PrivateTable, *, plain: bool = False) -> list[str]:
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
        f"read_csv({sql.bind(tuple(paths(table)))}, auto_detect=false, header=false, "
        f"skip={table.skip}, delim={sql.bind(table.form.delimiter)}, quote='\"', escape='\"', "
        f"columns={{{columns}}}, compression='none', hive_partitioning=false)"
    )


def text_source(table: PrivateTable, names: Sequence[str], sql: Dialect) -> str:
    """Columns of the table as texts, moments in ISO 8601."""
    return rows_of_file(table, Domain(tuple(_as_text(table, name) for name in names)), sql)


def _as_text(table: PrivateTable, name: str) -> Column:
    """A column that is read as what it spells."""
    kind = table.types[table.position(name)] if table.types else ""
    if kind.startswith(("timestamp", "date")):
        timed = kind.startswith("timestamp")
        return Date(name=name, time=timed, minimum="2000-01-01", maximum="2000-01-31")
    return Categorical(name=name, categories=("-",))


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
    rows = HELD if table.held is not None else f"read_parquet({sql.bind(tuple(paths(table)))})"
    return f"(SELECT {', '.join(parts)} FROM {rows} AS t({names}))"


def plain_numbers(table: PrivateTable, domain: Domain, person: int | None = None) -> set[str]:
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
