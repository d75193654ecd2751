"""How DuckDB reads a table: a SQL source whose columns are texts.

The text of a cell follows from its value: whole numbers have the same texts in columns of
integers, of floats and of decimal numbers."""

import re
from collections.abc import Sequence

from synth.domain import (
    UNREADABLE,
    Categorical,
    Column,
    Decimal,
    Domain,
    Moment,
    Whole,
    plain_pattern,
)
from synth.private.counting.duckdb_sql import Dialect, number_text
from synth.private.counting.sql import is_one_of, place_sql
from synth.private.table import CELL, PrivateTable

# Types whose texts, read as doubles, are the nearest doubles; `float` is not one.
EXACT = frozenset(
    ["double", *(f"{s}int{bits}" for s in ("", "u") for bits in (8, 16, 32, 64))]
)

# Types of Parquet whose cells this engine reads right, or refuses.
NATIVE = EXACT | {"bool", "float", "date32[day]", "timestamp[us]", "timestamp[ms]"}


def paths(table: PrivateTable, *, plain: bool = False) -> list[str]:
    """Return the absolute names of a table's files, empty for a table in memory.

    They are escaped, as DuckDB takes names for patterns, or unchanged with ``plain``.
    """
    if table.held is not None:
        return []
    names = [str(path.resolve()) for path in table.parts or (table.data,)]
    return names if plain else [as_pattern(name) for name in names]


def as_pattern(name: str) -> str:
    """Return the pattern that matches one file's name only, by escaping ``*``, ``?``, ``[``.

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

    A text file is read with all its columns. Of a typed table, such as Parquet, only the
    columns that are named here are read, and some of them stay numbers: ``sql.numeric``.

    Args:
        table: The confidential rows.
        domain: The columns to read, and how.
        sql: The dialect of the statement.
        person: The position of the column that identifies persons.
        keys: The positions of other columns to read.
    """
    if table.types:
        positions = [key for key in (person, *keys) if key is not None]
        return _typed_source(table, domain, sql, keys=positions)
    columns = ", ".join(f"'f{i}': 'VARCHAR'" for i in range(len(table.header)))
    # DuckDB guesses nothing of the file; a quotation mark within a cell is doubled.
    return (
        f"read_csv({sql.bind(tuple(paths(table)))}, auto_detect=false, header=false, "
        f"skip={table.skip}, delim={sql.bind(table.form.delimiter)}, quote='\"', "
        f"escape='\"', columns={{{columns}}}, compression='none', hive_partitioning=false)"
    )


def text_source(table: PrivateTable, names: Sequence[str], sql: Dialect) -> str:
    """Return SQL of some columns as texts, dates and times in ISO 8601.

    The fields are ``f0``, ``f1``, ... by the columns' positions in the table.
    """
    return rows_of_file(table, Domain(tuple(_as_text(table, name) for name in names)), sql)


def _as_text(table: PrivateTable, name: str) -> Column:
    """Return a declaration by which all cells are read as text, dates in ISO 8601.

    Its bounds or categories do not matter, as no cell is compared with them.
    """
    kind = table.types[table.position(name)] if table.types else ""
    if kind.startswith(("timestamp", "date")):
        from synth.domain import Date

        timed = kind.startswith("timestamp")
        return Date(name=name, time=timed, minimum="2000-01-01", maximum="2000-01-31")
    return Categorical(name=name, categories=("-",))


def _typed_source(
    table: PrivateTable, domain: Domain, sql: Dialect, *, keys: Sequence[int]
) -> str:
    """Return SQL of a typed table's rows, read by DuckDB itself or by Arrow.

    The fields are ``f{position}``, texts but for those of ``sql.numeric``.

    Args:
        table: The table, with an Arrow type for each column.
        domain: The declared columns to read.
        sql: The dialect; Arrow's reader is registered with the statement.
        keys: The positions of other columns to read as plain texts.
    """
    # A key that is declared too is read as it is declared.
    columns: dict[int, Column | None] = dict.fromkeys(keys)
    positions = table.positions(domain)
    columns |= zip(positions, domain.columns, strict=True)
    fields = {
        position: _empty_kinds(
            _field(f"p{position}", table.types[position], column, sql=sql),
            column,
            kinds=table.missing_kinds,
            sql=sql,
        )
        for position, column in columns.items()
    }
    # These columns are declared as numbers and stored as numbers, so no text is needed.
    for i, position in enumerate(positions):
        if f"t{i}" in sql.numeric:
            fields[position] = f"p{position}"
    selected = ", ".join(f"{field} AS f{position}" for position, field in fields.items())
    source = _native(table, list(fields), sql) or sql.typed_rows(list(fields))
    return f"(SELECT {selected} FROM {source})"


def _empty_kinds(
    text: str, column: Column | None, *, kinds: Sequence[str], sql: Dialect
) -> str:
    """Return SQL of a text that is NULL for a missing kind that its column does not declare.

    Args:
        text: SQL of the text.
        column: The declaration; None for a key.
        kinds: The missing values of the file that say why one is missing, such as ``.a``.
        sql: The dialect of the statement.
    """
    undeclared = [kind for kind in kinds if column is None or not column.declares(kind)]
    if not undeclared:
        return text
    return f"CASE WHEN NOT ({is_one_of(text, undeclared, sql)}) THEN {text} END"


def _native(table: PrivateTable, positions: Sequence[int], sql: Dialect) -> str:
    """Return SQL of columns ``p{position}`` of Parquet files, read by DuckDB itself.

    It is '' if DuckDB would read a column's type otherwise than Synth does
    (`synth.private.table.columns`). Where that depends on a cell, the SQL raises an error.
    Arrow reads such tables, which is slower.

    Args:
        table: The table; ``stored`` are the Arrow types of the columns in its files.
        positions: The columns to read.
        sql: The dialect of the statement.
    """
    # ``careful`` says that DuckDB failed on the table before. ``stored`` is empty if the
    # table's files differ in their types.
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
        from synth.private.table import has_group_without_values

        return has_group_without_values(table, positions)
    except (ArrowException, OSError):
        return False


def _stored_field(field: str, kind: str) -> str:
    """Return SQL of a field of a Parquet file, or '' if DuckDB reads its type otherwise.

    A text that is longer than a cell may be raises an error. Nanoseconds are cut to
    microseconds, downwards also before 1970.

    Args:
        field: The name of the field in SQL.
        kind: The Arrow type of the column in the file.
    """
    if re.fullmatch("(dictionary<values=)?(large_)?string(_view)?(, indices=.*)?", kind):
        return f"CASE WHEN strlen({field}) > {CELL} THEN error('') ELSE {field} END"
    if kind == "timestamp[ns]":
        number = f"epoch_ns({field})"
        # The remainder of a negative number may be negative; this one is in 0 to 999.
        remainder = f"({number} % 1000 + 1000) % 1000"
        return _finite(field, f"({number} - {remainder}) // 1000")
    if kind in ("timestamp[us, tz=UTC]", "timestamp[ms, tz=UTC]"):
        return _finite(field, f"epoch_us({field})")
    return field if kind in NATIVE else ""


def _finite(field: str, microseconds: str) -> str:
    """Return SQL of a field's timestamp from its microseconds, an error if it is infinite.

    NULL stays NULL. After an error Arrow reads the table: see `_native`.
    """
    return (
        f"CASE WHEN isfinite({field}) THEN make_timestamp({microseconds}) "
        f"WHEN {field} IS NOT NULL THEN error('') END"
    )


def plain_numbers(
    table: PrivateTable, domain: Domain, person: int | None = None
) -> dict[str, str]:
    """Return the columns that SQL may read as numbers instead of texts, with Arrow types.

    Their texts would be read as the same numbers, but more slowly. The result maps a field
    ``t{i}`` of `codes_query` to a type; i is the number of the column in the domain.

    Args:
        table: The table.
        domain: The declared columns.
        person: The position of the column that identifies persons, which stays a text.
    """
    # With other marks in numbers, the text of a stored number is no number of this format.
    if not table.types or (table.form.decimal, table.form.thousands) != (".", ""):
        return {}
    numeric: dict[str, str] = {}
    for i, (position, column) in enumerate(
        zip(table.positions(domain), domain.columns, strict=True)
    ):
        kind = table.types[position]
        is_number = isinstance(column.reading, Whole | Decimal)
        if position != person and kind in EXACT and is_number:
            numeric[f"t{i}"] = kind
    return numeric


def _field(field: str, kind: str, column: Column | None, *, sql: Dialect) -> str:
    """Return SQL of the text of a typed field, as the declared column expects it.

    Args:
        field: The field in SQL.
        kind: The Arrow type of the column.
        column: The declaration; None for a key, whose dates are written in ISO 8601.
        sql: The dialect of the statement.
    """
    reading = column.reading if column and isinstance(column.reading, Moment) else None
    if kind.startswith("struct"):  # objects: texts, and the moments among them
        text = f"{field}.text"
        moment = f"{field}.moment"
        if reading is None:
            return text
        written = _moment(moment, reading, sql)
        return f"CASE WHEN {moment} IS NULL THEN {text} ELSE {written} END"
    if kind.startswith(("timestamp", "date")):
        return _moment(field, reading, sql)
    return number_text(field, kind)


def _moment(field: str, reading: Moment | None, sql: Dialect) -> str:
    """Return SQL of a date or timestamp as text; NULL stays NULL.

    Years that the text cannot say become a text that counts as an undeclared value. With
    offsets, the timestamp is a time by the clock of the declared zone.

    Args:
        field: The field in SQL.
        reading: How the text will be read; None for DuckDB's ISO 8601.
        sql: The dialect, which collects the texts of the statement.
    """
    written = f"CAST({field} AS VARCHAR)"
    years = range(1, 10_000)
    if reading is not None:
        years = reading.years
        pattern = plain_pattern(reading.pattern).removesuffix("%z")
        written = f"strftime({field}, {sql.bind(pattern)})"
        if reading.has_offsets:
            written += f" || {_offset_text(f'epoch({field})', reading)}"
    return (
        f"CASE WHEN year({field}) BETWEEN {years[0]} AND {years[-1]} THEN {written} "
        f"WHEN {field} IS NOT NULL THEN {sql.bind(UNREADABLE)} END"
    )


def _offset_text(second: str, reading: Moment) -> str:
    """Return SQL of the text of the offset that a zone has at a time by its clock.

    Args:
        second: SQL of the time, in seconds since 1970-01-01 of that clock.
        reading: A reading with offsets, and its zone.
    """
    from synth.domain import offset_text

    first, *changes = reading.clock_changes
    offsets = ", ".join(f"'{offset_text(change.offset)}'" for change in (first, *changes))
    # Short, as DuckDB repeats it wherever the text is used: as cases, the some 270 changes of
    # a zone took seconds to plan.
    cuts = ", ".join(place_sql(change.clock_second) for change in changes)
    passed = f"[cut for cut in [{cuts}] if cut <= {second}]"
    return f"list_extract([{offsets}], 1 + len({passed}))"
