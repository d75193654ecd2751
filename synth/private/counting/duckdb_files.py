"""How DuckDB reads a table: a SQL source whose columns are texts.

The text of a cell follows from its value: whole numbers have the same texts in columns of
integers, of floats and of decimal numbers."""

import re
from collections.abc import Sequence

from synth.domain import UNREADABLE, Categorical, Column, Date, Decimal, Domain, Moment, Whole
from synth.private.counting.duckdb_sql import Dialect, number_text
from synth.private.table import CELL, PrivateTable, has_group_without_values

# Types whose texts, read as doubles, are the nearest doubles; `float` is not one.
EXACT = frozenset(
    ["double", *(f"{s}int{bits}" for s in ("", "u") for bits in (8, 16, 32, 64))]
)

# Types of Parquet whose cells this engine reads right, or refuses.
NATIVE = EXACT | {"bool", "float", "date32[day]", "timestamp[us]", "timestamp[ms]"}


def paths(table: PrivateTable, *, plain: bool = False) -> list[str]:
    """Return the files of a table as DuckDB's patterns, or with ``plain`` as they are."""
    if table.held is not None:
        return []
    names = [str(path.resolve()) for path in table.parts or (table.data,)]
    return names if plain else [as_pattern(name) for name in names]


def as_pattern(name: str) -> str:
    """Return the pattern that matches one file's name only.

    >>> as_pattern("t[1].csv"), as_pattern("all*.csv")
    ('t[[]1].csv', 'all[*].csv')
    """
    return re.sub(r"([*?[])", r"[\1]", name)


def rows_of_file(
    table: PrivateTable,
    domain: Domain,
    sql: Dialect,
    *,
    person: int | None = None,
    keys: Sequence[int] = (),
) -> str:
    """Return SQL of the rows as texts, ``f0``, ``f1``, ... by the columns' positions.

    Args:
        domain: The columns to read, and how.
        sql: The dialect of the statement.
        person: The position of the column that identifies persons.
        keys: The positions of other columns to read.
    """
    if table.types:
        positions = [key for key in (person, *keys) if key is not None]
        return _typed_source(table, domain, sql, keys=positions)
    columns = ", ".join(f"'f{i}': 'VARCHAR'" for i in range(len(table.header)))
    return (
        f"read_csv({sql.bind(tuple(paths(table)))}, auto_detect=false, header=false, "
        f"skip={table.skip}, delim={sql.bind(table.form.delimiter)}, quote='\"', "
        f"escape='\"', columns={{{columns}}}, compression='none', hive_partitioning=false)"
    )


def text_source(table: PrivateTable, names: Sequence[str], sql: Dialect) -> str:
    """Return columns of the table as texts, moments in ISO 8601."""
    return rows_of_file(table, Domain(tuple(_as_text(table, name) for name in names)), sql)


def _as_text(table: PrivateTable, name: str) -> Column:
    """Return a column whose cells are all read as text, dates in ISO 8601."""
    kind = table.types[table.position(name)] if table.types else ""
    if kind.startswith(("timestamp", "date")):
        timed = kind.startswith("timestamp")
        return Date(name=name, time=timed, minimum="2000-01-01", maximum="2000-01-31")
    return Categorical(name=name, categories=("-",))


def _typed_source(
    table: PrivateTable, domain: Domain, sql: Dialect, *, keys: Sequence[int]
) -> str:
    """Return SQL of a typed table's rows, read by DuckDB itself or by Arrow."""
    columns: dict[int, Column | None] = dict.fromkeys(keys)
    positions = table.positions(domain)
    columns |= zip(positions, domain.columns, strict=True)
    fields = {
        position: _field(f"p{position}", table.types[position], column, sql=sql)
        for position, column in columns.items()
    }
    for i, position in enumerate(positions):
        if f"t{i}" in sql.numeric:
            fields[position] = f"p{position}"
    selected = ", ".join(f"{field} AS f{position}" for position, field in fields.items())
    source = _native(table, list(fields), sql) or sql.typed_rows(list(fields))
    return f"(SELECT {selected} FROM {source})"


def _native(table: PrivateTable, positions: Sequence[int], sql: Dialect) -> str:
    """Return columns of Parquet files that the engine reads itself; '' if it can't.

    It is faster, and refuses if a cell differs from what `synth.private.table.columns` would
    read.
    """
    if table.careful or not table.stored:
        return ""
    fields = {p: _stored_field(f"n{p}", table.stored[p]) for p in positions}
    if not all(fields.values()) or _may_skip_rows(table, positions):
        return ""
    parts = ", ".join(f"{field} AS p{p}" for p, field in fields.items())
    names = ", ".join(f"n{i}" for i in range(len(table.header)))
    rows = f"read_parquet({sql.bind(tuple(paths(table)))}, hive_partitioning=false)"
    return f"(SELECT {parts} FROM {rows} AS t({names}))"


def _may_skip_rows(table: PrivateTable, positions: Sequence[int]) -> bool:
    """Return whether DuckDB may skip rows by what a file's footer says.

    A footer that can't be read is left to the engine, whose failure becomes one sentence.
    """
    from pyarrow import ArrowException

    try:
        return has_group_without_values(table, positions)
    except (ArrowException, OSError):
        return False


def _stored_field(field: str, kind: str) -> str:
    """Return a field of a Parquet file as it is read; '' if DuckDB reads it otherwise."""
    if re.fullmatch("(dictionary<values=)?(large_)?string(_view)?(, indices=.*)?", kind):
        return f"CASE WHEN strlen({field}) > {CELL} THEN error('') ELSE {field} END"
    if kind == "timestamp[ns]":
        number = f"epoch_ns({field})"
        return _finite(field, f"({number} - ({number} % 1000 + 1000) % 1000) // 1000")
    if kind in ("timestamp[us, tz=UTC]", "timestamp[ms, tz=UTC]"):
        return _finite(field, f"epoch_us({field})")
    return field if kind in NATIVE else ""


def _finite(field: str, microseconds: str) -> str:
    """Return a moment of a field, which fails if it is infinite."""
    return (
        f"CASE WHEN isfinite({field}) THEN make_timestamp({microseconds}) "
        f"WHEN {field} IS NOT NULL THEN error('') END"
    )


def plain_numbers(
    table: PrivateTable, domain: Domain, person: int | None = None
) -> dict[str, str]:
    """Return the fields of `codes_query` that stay numbers, and their types.

    Their texts would be read as the same numbers.
    """
    if not table.types or (table.form.decimal, table.form.thousands) != (".", ""):
        return {}
    return {
        f"t{i}": table.types[p]
        for i, (p, column) in enumerate(
            zip(table.positions(domain), domain.columns, strict=True)
        )
        if p != person
        and table.types[p] in EXACT
        and isinstance(column.reading, Whole | Decimal)
    }


def _field(field: str, kind: str, column: Column | None, *, sql: Dialect) -> str:
    """Return the text of a typed field, as the declared column reads it."""
    reading = None if column is None else column.reading
    pattern = reading.pattern.strip() if isinstance(reading, Moment) else ""
    if kind.startswith("struct"):  # objects: texts, and the moments among them
        text = f"{field}.text"
        moment = f"{field}.moment"
        if not pattern:
            return text
        written = _moment(moment, pattern, sql)
        return f"CASE WHEN {moment} IS NULL THEN {text} ELSE {written} END"
    if kind.startswith(("timestamp", "date")):
        return _moment(field, pattern, sql)
    return number_text(field, kind)


def _moment(field: str, pattern: str, sql: Dialect) -> str:
    """Return a moment as text; outside the years 1 to 9999 it counts as undeclared."""
    written = f"CAST({field} AS VARCHAR)"
    if pattern:
        written = f"strftime({field}, {sql.bind(pattern)})"
    return (
        f"CASE WHEN year({field}) BETWEEN 1 AND 9999 THEN {written} "
        f"WHEN {field} IS NOT NULL THEN {sql.bind(UNREADABLE)} END"
    )
