"""Tables in memory: pandas, Polars, Arrow. PRIVATE.

An engine reads them as Arrow, in place: nothing is written to a disk. The reading of a value
follows from that value and the type of its column alone, never from other rows. Types are
public, as the names of columns are; a column of objects is read cell by cell
(`synth.private.table.objects`).

>>> import pyarrow as pa
>>> held_table(pa.table({"age": [41, 35]})).header
('age',)
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from synth.errors import TableError, name_some
from synth.private.table.columns import (
    MAX_NAMED_COLUMNS,
    nested_notes,
    read_column,
    read_type,
    split_nested,
)
from synth.private.table.frame_types import read_frame_types, read_scales
from synth.private.table.objects import is_objects, object_column
from synth.private.table.private_table import PrivateTable, check_names, unique_names
from synth.private.table.record_batches import copy_stream, is_stream

if TYPE_CHECKING:
    import pyarrow as pa

# Name of a table without a file, in messages.
CALLED = Path("DataFrame")


def held_table(frame: Any) -> PrivateTable:
    """Open a table in memory, or one that comes as record batches, which are copied.

    Args:
        frame: A frame of pandas or Polars, an Arrow table, or a source of record batches.

    Raises:
        TableError: It is none, it has no columns, or these have names that are no texts or
            repeat.
    """
    import pyarrow as pa

    module = type(frame).__module__.partition(".")[0]
    is_held = module in ("pandas", "polars") or isinstance(
        frame, pa.Table | pa.RecordBatch | pa.ChunkedArray
    )
    if not is_held and is_stream(frame):
        return copy_stream(frame)
    arrow, notes = _arrow_of(frame)
    titles = arrow.schema.names
    arrow, nested = _without_nested(arrow)
    if not arrow.num_columns:
        raise TableError("The table has no columns.")
    notes += nested
    if not arrow.num_rows:
        notes.append("The table has no rows.")
    header, renamed = unique_names(arrow.schema.names)
    new_names = dict(zip(arrow.schema.names, header, strict=True))
    names = [new_names.get(title, title) for title in titles]
    arrow = pa.table([_plain_column(column) for column in arrow.columns], arrow.schema.names)
    kinds = tuple(str(field.type) for field in arrow.schema)
    return PrivateTable(
        path=CALLED,
        header=header,
        data=CALLED,
        types=kinds,
        notes=(*notes, *renamed),
        held=arrow,
        frame_types=read_frame_types(frame, names),
        scales=read_scales(frame, names),
    )


def _without_nested(table: "pa.Table") -> tuple["pa.Table", list[str]]:
    """Return a table without columns of lists or records, and a remark that names them.

    Raises:
        TableError: All columns are such.
    """
    positions, nested_names = split_nested(table.schema)
    # A column of objects with dates among them is stored as records of two parts.
    positions += [
        position for position, kind in enumerate(table.schema.types) if is_objects(kind)
    ]
    nested_names = [
        name for name in nested_names if not is_objects(table.schema.field(name).type)
    ]
    if nested_names and not positions:
        listing = name_some([f"'{name}'" for name in nested_names], MAX_NAMED_COLUMNS)
        raise TableError(f"The table has nested columns, which are not supported: {listing}.")
    return table.select(sorted(positions)), nested_notes(nested_names)


def content(table: "pa.Table") -> Iterator[memoryview]:
    """Yield the bytes of a table as Arrow writes them, the same for the same table.

    Rows are written in batches of one size, however the table was put together.
    """
    import pyarrow as pa

    sink = _Blocks()
    with pa.ipc.new_stream(pa.PythonFile(sink, "w"), table.schema) as stream:
        for batch in table.combine_chunks().to_batches(max_chunksize=1 << 16):
            stream.write_batch(batch)
            yield from sink.take_blocks()
    yield from sink.take_blocks()


class _Blocks:
    """A file that passes on its bytes block by block."""

    closed = False

    def __init__(self) -> None:
        self._blocks: list[memoryview] = []

    def write(self, block: Any) -> int:
        self._blocks.append(memoryview(bytes(block)))
        return len(block)

    def take_blocks(self) -> Iterator[memoryview]:
        blocks = self._blocks
        self._blocks = []
        yield from blocks

    def flush(self) -> None: ...

    def close(self) -> None: ...


def _arrow_of(frame: Any) -> tuple["pa.Table", list[str]]:
    """Return a frame of pandas, Polars or Arrow as an Arrow table, with remarks about it.

    Raises:
        TableError: It is no frame, or its names are no texts or repeat.
    """
    import pyarrow as pa

    kind = f"{type(frame).__module__.partition('.')[0]}.{type(frame).__name__}"
    if kind == "polars.LazyFrame":
        raise TableError("A LazyFrame has no rows yet; collect() it first.")
    if kind == "pandas.DataFrame":
        # It converts column by column, so that no error shows a value.
        check_names(frame.columns)
        arrays = [_pandas_column(frame[name]) for name in frame.columns]
        table = pa.table(arrays, [str(name) for name in frame.columns])
        return table, _index_note(frame.index)
    if kind == "polars.DataFrame":
        check_names(frame.columns)
        return pa.table([_polars_column(series) for series in frame], frame.columns), []
    if isinstance(frame, pa.RecordBatch):
        frame = pa.Table.from_batches([frame])
    if not isinstance(frame, pa.Table):
        raise TableError(
            "A table is a path, a DataFrame of pandas or Polars, an Arrow table or record "
            f"batches; this is a {type(frame).__name__}."
        )
    check_names(frame.schema.names)
    return frame, []


def _pandas_column(series: Any) -> "pa.ChunkedArray | pa.Array":
    """Return a pandas Series as an Arrow column; values of unusual types as texts."""
    import pyarrow as pa

    kind = str(series.dtype)
    if kind == "category":
        return _category_column(series)
    # Arrow would give a column of objects a type that depends on all of its values.
    if kind.startswith(("object", "period", "interval", "complex")):
        return object_column(series)
    try:
        array = pa.array(series, from_pandas=True)
    except Exception:  # noqa: BLE001 - whatever a type says; its message could hold a value
        return object_column(series)
    # Truth is spelled as Python does, as it is in a column of objects.
    if kind.startswith("bool"):
        truth = pa.chunked_array(array).combine_chunks()
        return pa.DictionaryArray.from_arrays(truth.cast(pa.int8()), ["False", "True"])
    return array


def _category_column(series: Any) -> "pa.Array":
    """Return a pandas Series of categories as a column of their texts.

    One odd value turns all categories of a column into objects. So all are always read as
    objects, and no value changes how others are read.
    """
    import pyarrow as pa

    categories = series.cat.categories
    # As an array, single floats keep their type, on which their text depends. As a list,
    # timestamps keep their time zone.
    is_float = categories.dtype.kind == "f"
    values = list(np.asarray(categories)) if is_float else list(categories)
    places = series.cat.codes.to_numpy()  # -1 of a missing value
    return object_column(values).take(pa.array(places, mask=places < 0))


def _polars_column(series: Any) -> "pa.ChunkedArray | pa.Array":
    """Return a Polars Series as an Arrow column; values of unusual types as texts."""
    import pyarrow as pa

    if str(series.dtype).startswith("Object"):  # Arrow would have their addresses
        return object_column(series.to_list())
    try:
        return pa.chunked_array(series)
    except (pa.ArrowException, TypeError):
        return object_column(series.to_list())


def _plain_column(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """Return an Arrow column in the type in which Synth reads it.

    A column of Python objects has its final type already: texts, and dates among them.
    """
    import pyarrow as pa

    if is_objects(column.type):
        return column
    return pa.chunked_array(
        [read_column(chunk) for chunk in column.chunks], read_type(column.type)
    )


def _index_note(index: Any) -> list[str]:
    """Return a remark that the index of a pandas frame is left out, if it means anything.

    An index of whole numbers without a name only counts the rows.
    """
    index_names = [name for name in index.names if name is not None]
    if not index_names and str(index.dtype).startswith(("int", "uint")):
        return []
    names = name_some([repr(str(name)) for name in index_names], MAX_NAMED_COLUMNS)
    subject = f"The index ({names})" if index_names else "The index"
    return [f"{subject} of the DataFrame is left out; reset_index() makes it a column."]
