"""The rows of a typed table, some at a time: of Parquet files, or in memory. PRIVATE.

They are the only way from such a table to the engine of this process, and to a private copy.
A column is identified by its position alone, and the name of a folder is no column."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from synth.foreign import READ_BYTES, Folder
from synth.private.table.columns import read_column, read_type
from synth.private.table.private_table import PrivateTable
from synth.private.table.remarks import NAMED_LINES, Remarks

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet

# Rows read at a time.
BATCH_ROWS = 1 << 16
# Cells read at a time.
BATCH_CELLS = 1 << 21
_TROUBLES_BY_TABLE: WeakKeyDictionary[Folder, dict[int, Remarks]] = WeakKeyDictionary()
_LOCK = Lock()


def read_typed_rows(
    table: PrivateTable, positions: Sequence[int]
) -> "pa.RecordBatchReader | pa.Table":
    """Return some columns of a typed table, called p0, p1, ... by their positions.

    For rows in memory the result is a table, otherwise a reader of batches.

    Raises:
        OSError: A file can't be opened; the reader raises later errors.
        ArrowException: It is damaged.
    """
    import pyarrow as pa

    names = [f"p{i}" for i in positions]
    if table.held is not None:
        return table.held.select(list(positions)).rename_columns(names)
    with closing(_open_parquet(_parts(table)[0])) as file:
        kinds = [read_type(file.schema_arrow.field(i).type) for i in positions]
    schema = pa.schema(list(zip(names, kinds, strict=True)))
    return pa.RecordBatchReader.from_batches(schema, _batches(table, positions, schema))


def has_group_without_values(table: PrivateTable, positions: Sequence[int]) -> bool:
    """Return whether a footer says that a column is missing in all of a group of rows.

    DuckDB believes it, right or wrong, and does not look at the rows.

    Args:
        table: A table of Parquet files.
        positions: The columns to check.

    Raises:
        OSError: A file can't be opened.
        ArrowException: It is damaged.
    """
    for part in _parts(table):
        with closing(_open_parquet(part)) as file:
            footer = file.metadata
        for number in range(footer.num_row_groups):
            group = footer.row_group(number)
            if any(_says_all_missing(group.column(position)) for position in positions):
                return True
    return False


def _says_all_missing(column: "parquet.ColumnChunkMetaData") -> bool:
    """Return whether a column's statistics say that all its values in a group are missing.

    They may lack the number of missing values: then they say nothing.
    """
    statistics = column.statistics
    if not statistics or not statistics.has_null_count:
        return False
    return bool(statistics.null_count >= column.num_values)


def troubles(table: PrivateTable) -> Remarks:
    """Return the faults of a typed table's cells, of all columns together.

    A fault has the number of its cells, and the first rows that have one.
    """
    joined = Remarks(has_bytes=False)
    for remarks in _TROUBLES_BY_TABLE.get(table.keeper, {}).values():
        joined.faults += remarks.faults
        for why, rows in remarks.lines.items():
            joined.lines[why] = sorted({*joined.lines[why], *rows})[: NAMED_LINES + 1]
    return joined


def _parts(table: PrivateTable) -> tuple[Path, ...]:
    return table.parts or (table.data,)


def _open_parquet(path: Path) -> "parquet.ParquetFile":
    """Open a Parquet file for reading it bit by bit."""
    from pyarrow import parquet

    # Old moments (INT96) come as nanoseconds otherwise, and those far out as others.
    return parquet.ParquetFile(path, buffer_size=READ_BYTES, coerce_int96_timestamp_unit="us")


def _batches(
    table: PrivateTable, positions: Sequence[int], schema: "pa.Schema"
) -> "Iterator[pa.RecordBatch]":
    """Yield some columns of a table's Parquet files in batches, one file after the other.

    Faults of cells are noted by column.

    Args:
        table: The table.
        positions: The positions of the columns.
        schema: The names and types of the columns in the result.
    """
    import pyarrow as pa

    remarks_of_columns = _collect_remarks(table, positions)
    # Fewer rows at a time if there are many columns.
    step = max(1, min(BATCH_ROWS, BATCH_CELLS // len(positions)))
    first = 1  # the number of the batch's first row in the table
    for part in _parts(table):
        with closing(_open_parquet(part)) as file:
            names = file.schema_arrow.names
            # Columns are asked for by names, in which a point has a meaning. With odd names
            # all are read, and taken by position.
            plain = len(set(names)) == len(names) and not any("." in name for name in names)
            read_names = [names[i] for i in positions] if plain else None
            for batch in file.iter_batches(step, columns=read_names):
                columns = [
                    read_column(batch.column(names[i] if plain else i), remarks.add, first)
                    for i, remarks in zip(positions, remarks_of_columns, strict=True)
                ]
                yield pa.record_batch(columns, schema=schema)
                first += len(columns[0])


def _collect_remarks(table: PrivateTable, positions: Sequence[int]) -> list[Remarks]:
    """Return the table's remarks on each of these columns, emptied for a new reading."""
    with _LOCK:
        remarks_by_column = _TROUBLES_BY_TABLE.setdefault(table.keeper, {})
        remarks_by_column |= {i: Remarks(has_bytes=False) for i in positions}
        return [remarks_by_column[i] for i in positions]
