"""A private copy of a table that has rows or cells no engine can read. PRIVATE.

An engine refuses the whole table if one row is damaged. That must show nowhere: the table is
copied once, row by row, and the engine reads the copy.

- A row that `synth.private.table.records` leaves out still counts as a row of the table.
- A cell becomes the character `UNREADABLE`, which no domain declares, if its bytes are no
text in
  the file's encoding or more than `CELL`. The column's rule for undeclared values then
  applies.

All other rows and cells are the same in both.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import NoReturn
from weakref import WeakKeyDictionary

from synth.errors import TableError
from synth.foreign import Folder, start_copy
from synth.private.table.columns import CELL, decode_cell, decode_texts
from synth.private.table.csv_options import JSON_OBJECTS
from synth.private.table.private_table import PrivateTable, explain_failure
from synth.private.table.records import CELLS, records
from synth.private.table.regular import is_regular
from synth.private.table.remarks import Remarks, remarks_of
from synth.private.table.typed_rows import troubles
from synth.util import check_deadline

# Rows and bytes written at a time.
BATCH_ROWS, BATCH_BYTES = 1 << 16, 1 << 25


class Unreadable(Exception):
    """An engine refused the table; its own message would quote cells."""


@dataclass(kw_only=True)
class _Copy:
    lock: "Lock" = field(default_factory=Lock)
    strict: bool | None = None
    seen: bool = False
    path: Path | None = None
    types: tuple[str, ...] = ()


_COPIES: WeakKeyDictionary[Folder, _Copy] = WeakKeyDictionary()
_LOCK = Lock()


def reads_strictly(table: PrivateTable) -> bool:
    """Return whether an engine may read the table itself: it is regular, and did not fail
    before.

    Raises:
        TableError: The file no longer exists.
    """
    known = _copy_of(table)
    with known.lock:
        if table.types:
            return known.strict is not False
        if known.strict is None:
            known.strict = bool(table.types) or _is_regular(table)
        return known.strict and known.path is None


def copy_plain(table: PrivateTable) -> PrivateTable:
    """Return the table's private copy in Parquet, made when first needed.

    A typed table needs none: its cells are then read one by one
    (`synth.private.table.typed_rows`).

    Raises:
        TableError: It is damaged as a whole, or can't be copied.
    """
    if table.held is not None:
        explain_failure(table)
    known, found = _copy_of(table), remarks_of(table.keeper)
    with known.lock:
        if table.types:
            known.strict = False
            return replace(table, careful=True)
        if known.path is None:
            found.clear()
            known.types = _copy(table, table.keeper.path / "readable.parquet", found)
            known.path = table.keeper.path / "readable.parquet"
    kind = known.types
    return replace(
        table, data=known.path, types=kind, stored=kind, skip=0, left_out=found.left_out
    )


def list_remarks(table: PrivateTable) -> list[str]:
    if table.types:
        return troubles(table).sentences(len(table.header))
    found = remarks_of(table.keeper)
    said = found.sentences(len(table.header))
    if found.found[CELLS]:
        said[-1] += table.hint()
    return said


def breaks_in(table: PrivateTable) -> str:
    found = remarks_of(table.keeper)
    return found.breaks_sentence if found.breaks.cells else ""


def look_through(table: PrivateTable) -> None:
    """Read all rows of a text file for `remarks`; nothing of them is kept. PRIVATE.

    Raises:
        TableError: The file no longer exists.
        LimitError: It needs more time than there is.
    """
    known, found = _copy_of(table), remarks_of(table.keeper)
    with known.lock:
        if known.seen or known.path is not None or table.types or table.catalog:
            return
        found.clear()
        try:
            for lines, rows in _batches(table, found):
                check_deadline()
                for line, cells in zip(lines, rows, strict=True):
                    _check_cells(cells, line, found)
        except OSError:
            _refuse_absent(table)
        known.seen = True


def look_at_irregular(table: PrivateTable) -> None:
    """Copy a file that no engine may read itself, so that `remarks` knows its faults.
    PRIVATE.

    A regular file costs only a look at its bytes. TableError if there is no file or copy.
    """
    if not (table.catalog or reads_strictly(table)):
        copy_plain(table)


def is_looked_through(table: PrivateTable) -> bool:
    known = _copy_of(table)
    return known.seen or known.path is not None or bool(table.types or table.catalog)


def has_ragged_rows(table: PrivateTable) -> bool:
    return remarks_of(table.keeper).found[CELLS] > 0


def _check_cells(cells: Sequence[bytes | None], line: int, found: Remarks) -> None:
    joined = b",".join(filter(None, cells))
    if len(joined) <= CELL and joined.isascii():
        return
    for cell in cells:
        decode_cell(cell, line, found.add)


def _copy_of(table: PrivateTable) -> _Copy:
    with _LOCK:
        return _COPIES.setdefault(table.keeper, _Copy())


def _is_regular(table: PrivateTable) -> bool:
    if table.line_end != b"\n" or table.form.lines == JSON_OBJECTS:
        return False
    try:
        with table.data.open("rb") as file:
            return is_regular(file, table.form, table.skip)
    except OSError:
        pass
    _refuse_absent(table)


def _refuse_absent(table: PrivateTable) -> NoReturn:
    raise TableError(
        f"'{table.path.name}' is no longer there, or can no longer be opened."
    ) from None


def _copy(table: PrivateTable, target: Path, found: Remarks) -> tuple[str, ...]:
    from pyarrow import ArrowException

    part, done = target.with_suffix(".part"), None
    try:
        done = copy_text(table, part, found)
        part.replace(target)
    except (ArrowException, OSError):
        done = None
    finally:
        part.unlink(missing_ok=True)
    if done is None and not all(path.exists() for path in table.parts or (table.data,)):
        _refuse_absent(table)
    if done is None:
        raise TableError(
            "The table cannot be copied to read it; the disk of the temporary folder may be "
            "full."
        )
    return done


def copy_text(table: PrivateTable, target: Path, found: Remarks) -> tuple[str, ...]:
    import pyarrow as pa

    schema = pa.schema([(f"f{i}", pa.string()) for i in range(len(table.header))])
    with start_copy(target, schema) as writer:
        for lines, rows in _batches(table, found):
            check_deadline()
            columns = [
                decode_texts(
                    pa.array(column, pa.binary()), pa.string(), found.add, rows=lines
                )
                for column in zip(*rows, strict=True)
            ]
            writer.write_batch(pa.record_batch(columns, schema=schema))
    return ("string",) * len(table.header)


def _batches(
    table: PrivateTable, found: Remarks
) -> Iterator[tuple[list[int], list[Sequence[bytes | None]]]]:
    lines: list[int] = []
    rows: list[Sequence[bytes | None]] = []
    form, width, size = table.form, len(table.header), 0
    with table.data.open("rb") as file:
        for row in records(file, form, width=width, end=table.line_end):
            found.rows += 1
            if form.lines == "one" and (row.trouble or found.breaks.held):
                found.breaks.add(row, form.delimiter, width)
            if row.cells is None:
                found.add(row.trouble, row.line)
                continue
            lines.append(row.line)
            rows.append(row.cells)
            size += len(row.raw)
            if len(rows) == BATCH_ROWS or size > BATCH_BYTES:
                yield lines, rows
                lines, rows, size = [], [], 0
    if rows:
        yield lines, rows
