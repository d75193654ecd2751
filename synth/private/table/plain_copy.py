"""A private copy of a table that has rows or cells no engine can read. PRIVATE.

An engine refuses the whole table if one row is damaged. That must show nowhere: the table is
copied once, row by row, and the engine reads the copy.

- A row that `synth.private.table.records` leaves out still counts as a row of the table.
- A cell becomes the character `UNREADABLE`, which no domain declares, if its bytes are no
  text in the file's encoding or more than `CELL`. The column's rule for undeclared values
  then applies.

All other rows and cells are the same in both.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import NoReturn
from weakref import WeakKeyDictionary

from synth.errors import TableError
from synth.foreign import Folder
from synth.private.table.columns import CELL, decode_cell, decode_texts
from synth.private.table.csv_options import JSON_OBJECTS
from synth.private.table.private_table import PrivateTable, explain_failure
from synth.private.table.records import CELLS, records
from synth.private.table.regular import is_regular
from synth.private.table.remarks import Remarks, remarks_of
from synth.util import check_deadline

# Rows written at a time.
BATCH_ROWS = 1 << 16
# Bytes written at a time.
BATCH_BYTES = 1 << 25


class Unreadable(Exception):
    """An engine refused the table; its own message would quote cells."""


@dataclass(kw_only=True)
class _Copy:
    """The state of a table's private copy.

    Attributes:
        lock: Held while the rows are read.
        strict: Whether an engine may read the table itself; None if nobody looked.
        is_looked_through: Whether all rows were read for remarks.
        path: The copy, if it was made.
        types: Types of its columns.
    """

    lock: "Lock" = field(default_factory=Lock)
    strict: bool | None = None
    is_looked_through: bool = False
    path: Path | None = None
    types: tuple[str, ...] = ()


_COPIES: WeakKeyDictionary[Folder, _Copy] = WeakKeyDictionary()
_LOCK = Lock()


def reads_strictly(table: PrivateTable) -> bool:
    """Return whether an engine may read the table's own file instead of a private copy.

    It may if the engine reads the lines and cells of a text file as Synth does, and did not
    fail on the file before. The answer is remembered for the table.

    Raises:
        TableError: The file no longer exists.
    """
    copy = _copy_of(table)
    with copy.lock:
        if table.types:  # a typed table is read so unless an engine failed on it
            return copy.strict is not False
        if copy.strict is None:
            copy.strict = _is_regular(table)
        return copy.strict and copy.path is None  # there is a copy after a failure


def copy_plain(table: PrivateTable) -> PrivateTable:
    """Return the table's private copy in Parquet, made when first needed.

    A typed table needs none: it is returned with ``careful`` set, so that its cells are read
    one by one (`synth.private.table.typed_rows`).

    Raises:
        TableError: It is damaged as a whole, or can't be copied.
    """
    # Rows in memory are plain already; an engine that fails on them fails for good.
    if table.held is not None:
        explain_failure(table)
    copy = _copy_of(table)
    remarks = remarks_of(table.keeper)
    with copy.lock:
        if table.types:
            copy.strict = False
            return replace(table, careful=True)
        if copy.path is None:
            remarks.clear()
            copy.types = _copy(table, table.keeper.path / "readable.parquet", remarks)
            copy.path = table.keeper.path / "readable.parquet"
    types = copy.types
    # The copy has rows only: no lines above them, and none that could not be read.
    return replace(
        table, data=copy.path, types=types, stored=types, skip=0, left_out=remarks.left_out
    )


def list_remarks(table: PrivateTable) -> list[str]:
    """Return sentences about rows and cells that can't be read, for the steward. PRIVATE."""
    if table.types:
        from synth.private.table.typed_rows import troubles

        return [*table.remarks, *troubles(table).sentences(len(table.header))]
    remarks = remarks_of(table.keeper)
    sentences = remarks.sentences(len(table.header))
    if remarks.faults[CELLS]:  # rows of another width: perhaps the format is wrong
        sentences[-1] += table.hint()
    return [*sentences, *filter(None, [remarks.below_sentence])]


def breaks_in(table: PrivateTable) -> str:
    """Return a sentence about cells that seem to hold line breaks, else ''. PRIVATE."""
    remarks = remarks_of(table.keeper)
    return remarks.breaks_sentence if remarks.breaks.cells else ""


def look_through(table: PrivateTable) -> None:
    """Read all rows of a text file to note faults; nothing of the rows is kept. PRIVATE.

    It does nothing if the faults are known, or if the table is no text file.

    Raises:
        TableError: The file no longer exists.
        LimitError: It needs more time than there is.
    """
    copy = _copy_of(table)
    remarks = remarks_of(table.keeper)
    with copy.lock:
        if copy.is_looked_through or copy.path is not None or table.types or table.catalog:
            return
        remarks.clear()  # a reading before may have stopped halfway
        try:
            for lines, rows in _batches(table, remarks):
                check_deadline()
                for line, cells in zip(lines, rows, strict=True):
                    _check_cells(cells, line, remarks)
        except OSError:
            _refuse_absent(table)
        copy.is_looked_through = True


def look_at_irregular(table: PrivateTable) -> None:
    """Copy a file that no engine reads as Synth does, so that its faults are noted. PRIVATE.

    Of a regular file only the bytes are looked at, and nothing is copied.

    Raises:
        TableError: The file no longer exists, or can't be copied.
    """
    if not (table.catalog or reads_strictly(table)):
        copy_plain(table)


def is_looked_through(table: PrivateTable) -> bool:
    """Return whether the faults of all rows are known.

    They are if the rows were read for them or copied. Other tables than text files have none
    that reading all rows would show.
    """
    copy = _copy_of(table)
    if copy.is_looked_through or copy.path is not None:
        return True
    return bool(table.types or table.catalog)


def has_ragged_rows(table: PrivateTable) -> bool:
    """Return whether rows with another number of cells than columns were seen. PRIVATE."""
    return remarks_of(table.keeper).faults[CELLS] > 0


def _check_cells(cells: Sequence[bytes | None], line: int, remarks: Remarks) -> None:
    """Note the cells of a row that can't be read.

    Args:
        cells: The bytes of each cell, None of a missing one.
        line: The line on which the row begins.
        remarks: Where faults are noted.
    """
    # Cells of plain letters that are together not too long can all be read.
    joined = b",".join(filter(None, cells))
    if len(joined) <= CELL and joined.isascii():
        return
    for cell in cells:
        decode_cell(cell, line, remarks.add)


def _copy_of(table: PrivateTable) -> _Copy:
    with _LOCK:
        return _COPIES.setdefault(table.keeper, _Copy())


def _is_regular(table: PrivateTable) -> bool:
    """Return whether an engine reads the file's lines and cells as Synth does.

    Raises:
        TableError: The file no longer exists.
    """
    if table.line_end != b"\n" or table.form.lines == JSON_OBJECTS:
        return False
    try:
        with table.data.open("rb") as file:
            return is_regular(file, table.form, table.skip)
    except OSError:
        pass  # refused below, outside the handler
    _refuse_absent(table)


def _refuse_absent(table: PrivateTable) -> NoReturn:
    raise TableError(
        f"'{table.path.name}' is no longer there, or can no longer be opened."
    ) from None


def _copy(table: PrivateTable, target: Path, remarks: Remarks) -> tuple[str, ...]:
    """Copy the rows that can be read to Parquet, and return the Arrow types of the columns.

    The copy has its name only when it is complete.

    Args:
        table: A text file.
        target: The copy.
        remarks: Where faults of rows and cells are noted.

    Raises:
        TableError: The file is gone, or can't be copied.
    """
    from pyarrow import ArrowException

    part = target.with_suffix(".part")
    try:
        types = copy_text(table, part, remarks)
        part.replace(target)
        return types
    except (ArrowException, OSError):
        pass  # explained below, outside the handler
    finally:
        part.unlink(missing_ok=True)
    if not all(path.exists() for path in table.parts or (table.data,)):
        _refuse_absent(table)
    raise TableError(
        "The table cannot be copied to read it; the disk of the temporary folder may be full."
    )


def copy_text(table: PrivateTable, target: Path, remarks: Remarks) -> tuple[str, ...]:
    """Write the rows of a text file as texts to Parquet.

    Args:
        table: The text file.
        target: The copy; its columns are ``f0``, ``f1``, ... by their positions.
        remarks: Where faults of rows and cells are noted.

    Returns the Arrow type of each column, which is always ``string``.
    """
    import pyarrow as pa

    from synth.foreign import start_copy

    schema = pa.schema([(f"f{i}", pa.string()) for i in range(len(table.header))])
    with start_copy(target, schema) as writer:
        for lines, rows in _batches(table, remarks):
            check_deadline()
            columns = [
                decode_texts(
                    pa.array(column, pa.binary()), pa.string(), remarks.add, rows=lines
                )
                for column in zip(*rows, strict=True)
            ]
            writer.write_batch(pa.record_batch(columns, schema=schema))
    return ("string",) * len(table.header)


def _batches(
    table: PrivateTable, remarks: Remarks
) -> Iterator[tuple[list[int], list[Sequence[bytes | None]]]]:
    """Yield the readable rows of a text file, some at a time, and note the others.

    A batch is two lists: the line on which each row begins, and the bytes of its cells, None
    of a missing one.

    Args:
        table: The text file.
        remarks: Where rows that can't be read are noted.

    Raises:
        OSError: The file can't be opened.
    """
    from synth.private.table.header_doubts import begins_below_table, is_below_table

    lines: list[int] = []
    rows: list[Sequence[bytes | None]] = []
    form = table.form
    width = len(table.header)
    size = 0
    with table.data.open("rb") as file:
        for row in records(file, form, width=width, end=table.line_end):
            remarks.rows += 1
            # Lines that are no rows may be parts of one whose cells hold line breaks.
            if form.lines == "one" and (row.trouble or remarks.breaks.open_lines):
                remarks.breaks.add(row, form.delimiter, width)
            if row.cells is None:
                remarks.add(row.trouble, row.line)
                continue
            if begins_below_table(row.raw) and is_below_table(row.cells):
                remarks.add_below_table(row.line)
            lines.append(row.line)
            rows.append(row.cells)
            size += len(row.raw)
            if len(rows) == BATCH_ROWS or size > BATCH_BYTES:
                yield lines, rows
                lines = []
                rows = []
                size = 0
    if rows:
        yield lines, rows
