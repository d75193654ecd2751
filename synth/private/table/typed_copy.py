"""A private copy of Parquet files, in the types in which they are read. PRIVATE.

It is for an engine that must read files itself, if it does not know one of their types, or
fails on a cell. Its cells are those of `synth.private.table.typed_rows`."""

from dataclasses import replace
from pathlib import Path
from threading import Lock

from synth.foreign import start_copy
from synth.private.table.private_table import PrivateTable, explain_failure
from synth.private.table.typed_rows import read_typed_rows
from synth.util import check_deadline

_ONE_AT_A_TIME = Lock()


def copy_typed(table: PrivateTable) -> PrivateTable:
    """Return a typed table with a private Parquet copy as its data, made when first needed.

    Raises:
        TableError: It can't be made.
    """
    target = table.keeper.path / "typed.parquet"
    with _ONE_AT_A_TIME:
        if not target.exists() and not _write_copy(table, target):
            explain_failure(table)
    return replace(table, data=target, parts=(), stored=table.types)


def _write_copy(table: PrivateTable, target: Path) -> bool:
    """Write a table's rows as a plain Parquet file; return whether that worked.

    The file has its name only when it is complete.
    """
    from pyarrow import ArrowException

    part = target.with_suffix(".part")
    try:
        rows = read_typed_rows(table, range(len(table.header)))
        with start_copy(part, rows.schema) as writer:
            for batch in rows:
                check_deadline()
                writer.write_batch(batch)
        part.replace(target)
    except (ArrowException, OSError):
        return False
    finally:
        part.unlink(missing_ok=True)
    return True
