"""A table of a DuckDB file as a private copy in Parquet. PRIVATE.

A file can hold names that take the place of DuckDB's own: functions, operators, views,
schemas. So it is attached to an empty database that is ours, in which alone names are looked
up. What it holds is asked of DuckDB's own catalogue, without conditions; Python picks from
the answer. Only base tables of plain columns are read, and a file with functions is refused.
"""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.foreign import (
    TABLE,
    Fault,
    Reply,
    Request,
    choose_table,
    quote_name,
    refuse_damage,
)
from synth.private.table.arrow_copy import BATCH_ROWS, copy_batches
from synth.private.table.duckdb_session import Setting, open_duckdb

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Types that are copied unchanged; others become texts.
COPIED_TYPES = re.compile(
    r"BOOLEAN|U?(TINY|SMALL|BIG)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\)|VARCHAR|BLOB|UUID|DATE|TIME"
    r"|TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?"
)
# The name of the file's database in ours.
ATTACHED = "attached_file"
# The only schema that is read.
SCHEMA = "main"
# DuckDB's own text of a definition. Its versions before `is_generated` tell by it alone.
COMPUTED = "GENERATED ALWAYS AS("
# What DuckDB says if another process writes the file.
LOCKED = "Could not set lock on file"

CatalogRow = dict[str, Any]


def copy_duckdb_table(request: Request) -> Reply:
    """Copy the requested table of a DuckDB file to Parquet, by default the first.

    Args:
        request: Has the file as ``source``, the ``folder`` of the copy, the table's name as
            ``sheet``, and the memory in MB.

    Returns the name of the table, and how many tables the file has.

    Raises:
        Fault: The file is damaged, in use or has functions, or the table can't be read.
    """
    import duckdb

    with refuse_damage(duckdb.OutOfMemoryException), _attach_file(request) as database:
        # Until DuckDB 2 every database also lists those of DuckDB itself.
        if not all(row["internal"] for row in _list_catalog(database, "duckdb_functions")):
            raise Fault("functions")
        tables = _list_catalog(database, "duckdb_tables")
        tables = [row for row in tables if row["schema_name"] == SCHEMA]
        names = [
            row["table_name"] for row in sorted(tables, key=lambda row: row["table_oid"])
        ]
        table = choose_table(names, request)
        # Older versions of DuckDB show only there whether a column is computed.
        definition = next(row["sql"] for row in tables if row["table_name"] == table)
        columns = [
            row
            for row in _list_catalog(database, "duckdb_columns")
            if (row["schema_name"], row["table_name"]) == (SCHEMA, table)
        ]
        # An old version says only that some column is computed, not which one.
        if any("is_generated" not in row for row in columns) and COMPUTED in definition:
            raise Fault("computed")
        columns.sort(key=lambda row: row["column_index"])
        computed_names = [row["column_name"] for row in columns if row.get("is_generated")]
        columns = [row for row in columns if not row.get("is_generated")]
        if not columns:
            raise Fault("computed")
        fields = ", ".join(map(_write_field, columns))
        source = f"{ATTACHED}.{SCHEMA}.{quote_name(table)}"
        rows = database.sql(f"SELECT {fields} FROM {source} AS source")
        # The second name is that of versions before DuckDB 2.
        read_batches = getattr(rows, "to_arrow_reader", None) or rows.fetch_arrow_reader
        batches = read_batches(BATCH_ROWS)
        target = Path(request["folder"]) / TABLE
        nested_names = copy_batches(batches, batches.schema, target)
    return {
        "sheet": table,
        "sheets": len(names),
        "nested": nested_names,
        "computed": computed_names,
    }


@contextmanager
def _attach_file(request: Request) -> "Iterator[DuckDBPyConnection]":
    """Attach the file to an empty database, for the time of a ``with`` block.

    The database then reaches no other file.

    Args:
        request: Has the file as ``source``, and the memory in MB.

    Raises:
        Fault: Another process writes the file.
    """
    import duckdb

    # DuckDB may use a quarter of the process's memory.
    settings: dict[str, Setting] = {
        "threads": 1,
        "memory_limit": f"{request['memory_mb'] // 4}MB",
        "temp_directory": "",  # rows would go there
    }
    path = request["source"].replace("'", "''")
    with closing(open_duckdb(settings)) as database:
        try:
            database.execute(f"ATTACH '{path}' AS {ATTACHED} (TYPE duckdb, READ_ONLY)")
        except duckdb.IOException as error:
            if LOCKED in str(error):
                raise Fault("locked") from None
            raise
        # From here on no statement can reach another file, or change these settings.
        database.execute("SET enable_external_access = false")
        database.execute("SET lock_configuration = true")
        yield database


def _list_catalog(database: "DuckDBPyConnection", function: str) -> list[CatalogRow]:
    """Return the lines of DuckDB's own catalogue that are about the attached file.

    Args:
        database: The connection.
        function: A function of the catalogue, such as ``duckdb_tables``.

    A line maps the names of the catalogue's columns to its values.
    """
    answer = database.execute(f"SELECT * FROM system.main.{function}()")
    titles = [title for title, *_ in answer.description or ()]
    rows = [dict(zip(titles, row, strict=True)) for row in answer.fetchall()]
    return [row for row in rows if row["database_name"] == ATTACHED]


def _write_field(column: CatalogRow) -> str:
    """Return SQL of a column of the table ``source``; of a rare type as text."""
    name = quote_name(column["column_name"])
    if COPIED_TYPES.fullmatch(column["data_type"]):
        return f"source.{name}"
    return f"CAST(source.{name} AS VARCHAR) AS {name}"
