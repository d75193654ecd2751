"""Private copies of Arrow tables as Parquet, each cell read by itself. PRIVATE.

The child process of `synth.foreign` copies Arrow files.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from synth import limits
from synth.errors import LimitError
from synth.foreign import TABLE, Fault, Reply, Request, refuse_damage, start_copy
from synth.private.table.columns import read_column, read_type, split_nested
from synth.util import check_deadline

if TYPE_CHECKING:
    import pyarrow as pa

# Rows copied at a time.
BATCH_ROWS = 1 << 16


def copy_batches(
    batches: "Iterable[pa.RecordBatch]", schema: "pa.Schema", target: Path
) -> list[str]:
    """Write the rows of some batches to a Parquet file, in the types that an engine reads.

    Columns of lists or records are left out, and their names are returned.

    Args:
        batches: The rows.
        schema: The names and types of their columns.
        target: The file.

    Raises:
        Fault: All columns hold lists or records; with their names.
        OSError: They can't be written.
    """
    import pyarrow as pa

    positions, nested_names = split_nested(schema)
    if nested_names and not positions:
        raise Fault("nested", columns=nested_names)
    fields = [schema.field(position) for position in positions]
    # Each column in the type in which Synth reads it, which the cells are converted to.
    plain = pa.schema([(field.name, read_type(field.type)) for field in fields])
    with start_copy(target, plain) as writer:
        for batch in batches:
            check_deadline()
            columns = [read_column(batch.column(position)) for position in positions]
            writer.write_batch(pa.record_batch(columns, schema=plain))
    return nested_names


def copy_flat_parquet(source: Path, target: Path, name: str) -> None:
    """Copy a Parquet file without its columns of lists or records.

    Args:
        source: The file.
        target: The copy.
        name: The table in messages.

    Raises:
        Fault: All columns hold lists or records; with their names.
        LimitError: It would be larger than the limit.
        OSError: It can't be read or written.
        ArrowException: It is damaged.
    """
    import pyarrow as pa
    from pyarrow import parquet

    with parquet.ParquetFile(source, coerce_int96_timestamp_unit="us") as file:
        schema = file.schema_arrow
        positions, nested_names = split_nested(schema)
        if not positions:
            raise Fault("nested", columns=nested_names)
        # Columns are asked for by names, in which a point has a meaning. With odd names all
        # are read, and taken by position.
        has_points = any("." in title for title in schema.names)
        names = None
        if not has_points and len({*schema.names}) == len(schema.names):
            names = [schema.names[position] for position in positions]
            schema = pa.schema([schema.field(position) for position in positions])
        batches = file.iter_batches(BATCH_ROWS, columns=names)
        copy_batches(limit_batches(batches, name), schema, target)


def limit_batches(
    batches: "Iterable[pa.RecordBatch]", name: str
) -> "Iterator[pa.RecordBatch]":
    """Yield the batches unchanged, up to the limit of a table's size.

    Args:
        batches: The rows.
        name: The table in messages.

    Raises:
        LimitError: The table has more than `UNPACKED_MB` MB; said when that is reached.
    """
    bytes_left = limits.UNPACKED_MB * 2**20
    for batch in batches:
        bytes_left -= batch.nbytes
        if bytes_left < 0:
            raise LimitError(f"'{name}' has more than {limits.UNPACKED_MB:,} MB, the limit.")
        yield batch


def copy_arrow_file(request: Request) -> Reply:
    """Copy an Arrow file to Parquet, whether it has the file or the stream format.

    Args:
        request: Has the file as ``source``, and the ``folder`` of the copy.

    Returns the reply of a reader: it names no table, as such a file has only one.

    Raises:
        Fault: It can't be read, or has nested columns alone.
    """
    import pyarrow as pa

    with refuse_damage(), pa.memory_map(request["source"]) as source:
        if source.read(6) == b"ARROW1":  # with which the file format begins
            file = pa.ipc.open_file(source)
            batches: Iterator[pa.RecordBatch] = map(
                file.get_batch, range(file.num_record_batches)
            )
            schema = file.schema
        else:
            source.seek(0)
            batches = stream = pa.ipc.open_stream(source)
            schema = stream.schema
        nested_names = copy_batches(batches, schema, Path(request["folder"]) / TABLE)
    return {"sheet": "", "sheets": 1, "nested": nested_names}
