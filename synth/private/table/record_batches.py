"""Record batches of Arrow of other libraries, copied once. PRIVATE.

They come from a cursor (``fetch_record_batch``), a relation of DuckDB, a reader, any object
with ``__arrow_c_stream__``, or an iterable of batches. They may be more than memory holds, so
they go into a private folder. As a database may give rows in any order, order makes no
difference.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from synth.errors import SynthError, TableError
from synth.foreign import TABLE, Fault, Folder
from synth.private.table.columns import nested_notes
from synth.private.table.private_table import (
    STREAM_NAME,
    PrivateTable,
    check_names,
    open_parquet,
)

if TYPE_CHECKING:
    import pyarrow as pa

# What gives the batches of a relation (DuckDB 2 calls the other one old) or a cursor.
BATCH_METHODS = ("to_arrow_reader", "fetch_record_batch")


def is_stream(source: Any) -> bool:
    """Return whether an object gives record batches, by its type and methods alone.

    A list, tuple or iterator counts, too; what it holds is looked at later.

    >>> import pyarrow as pa
    >>> is_stream(pa.table({"a": [1]}).to_reader()), is_stream({"a": [1]})
    (True, False)
    """
    gives = any(
        callable(getattr(source, n, None)) for n in (*BATCH_METHODS, "__arrow_c_stream__")
    )
    return gives or isinstance(source, Iterator | list | tuple)


def copy_stream(source: Any) -> PrivateTable:
    """Copy record batches into a private folder, to their end, and open the copy.

    Args:
        source: Gives the batches: see `is_stream`.

    Raises:
        TableError: It gives no batches, all columns are nested, or reading stops.
        LimitError: The table is larger than the limit.
    """
    from synth.private.table.arrow_copy import copy_batches, limit_batches

    folder = Folder()
    try:
        schema, batches = _read_batches(source)
        check_names(schema.names)
        target = folder.path / TABLE
        limited = limit_batches(batches, str(STREAM_NAME))
        nested_names = copy_batches(limited, schema, target)
        table = open_parquet(STREAM_NAME, target, folder)
        notes = (*table.notes, *nested_notes(nested_names))
        return replace(table, database=str(STREAM_NAME), notes=notes)
    except SynthError:  # its message holds no cell
        folder.remove()
        raise
    except Fault as fault:
        names = ", ".join(f"'{name}'" for name in fault.answer["columns"])  # type: ignore[attr-defined]
        refused = f"The table has nested columns, which are not supported: {names}."
    except Exception:  # noqa: BLE001 - whatever a library says; its message may hold a cell
        refused = "The record batches stopped before their end; nothing was spent."
    folder.remove()
    raise TableError(refused)


def _read_batches(source: Any) -> "tuple[pa.Schema, Iterable[pa.RecordBatch]]":
    """Return the schema of the batches, and the batches.

    Args:
        source: Gives the batches: see `is_stream`.

    Raises:
        TableError: The first element of an iterable is no batch, or there is none.
    """
    import pyarrow as pa

    # A relation or a cursor is replaced by the reader that its method returns.
    for name in BATCH_METHODS:
        read_batches = getattr(source, name, None)
        if callable(read_batches):
            source = read_batches()
            break
    if hasattr(source, "__arrow_c_stream__"):
        source = pa.RecordBatchReader.from_stream(source)
        return source.schema, source
    batches = iter(source)
    first = next(batches, None)
    if not isinstance(first, pa.RecordBatch):
        raise TableError("The table is an iterable without record batches of Arrow.")
    return first.schema, chain([first], batches)
