"""A private copy of a table that has rows or cells no engine can read. PRIVATE.

An engine reads strictly and gives up on the whole table where one row is damaged. Whether that
happens must tell nobody anything: the table is then copied once, row by row, and the engine
reads the copy.

- A row whose cells cannot be told apart (`synth.table.records`) is left out, and still counts as a
  row of the table.
- A cell with bytes that are no text in the file's encoding, or with more than `CELL` bytes, holds
  the character `UNREADABLE` instead, which no domain declares: the column's rule for values that
  are not declared decides.

Rows and cells without such trouble are the same in both. Such remarks are for the steward alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NoReturn
from weakref import WeakKeyDictionary

from synth.deadline import check
from synth.domain.domain import UNREADABLE
from synth.errors import TableError
from synth.foreign.folders import Folder
from synth.table.columns import BYTES, CELL, LONG
from synth.table.csv_options import FILL
from synth.table.private_table import PrivateTable, explain_failure
from synth.table.records import BLOCK, CELLS, LENGTH, QUOTES, TextRow, line_end, records
from synth.table.typed_rows import troubles

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS, BATCH_BYTES = 1 << 16, 1 << 25
"""How much is written at a time."""
NAMED_LINES = 5
"""How many lines a remark names."""

ROWS_OUT = {
    CELLS: "another number of cells than columns",
    QUOTES: "a quotation mark that is opened and never closed, or not doubled inside quotes",
    LENGTH: "too many bytes",
}
CELLS_OUT = {
    BYTES: "bytes that are not text in the file's encoding",
    LONG: f"more than {CELL:,} bytes",
}


class Unreadable(Exception):
    """An engine gave up on the table; its own message would quote cells."""


@dataclass
class _Copy:
    """What is known of a table's rows: whether an engine may try them, the copy, the trouble."""

    lock: "Lock" = field(default_factory=Lock)
    strict: bool | None = None
    seen: bool = False
    rows: int = 0
    path: Path | None = None
    types: tuple[str, ...] = ()
    found: Counter[str] = field(default_factory=Counter)
    lines: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def forget(self) -> None:
        """Start to count anew."""
        self.rows = 0
        self.found.clear()
        self.lines.clear()

    def note(self, trouble: str, line: int) -> None:
        self.found[trouble] += 1
        if len(self.lines[trouble]) <= NAMED_LINES:
            self.lines[trouble].append(line)


_COPIES: WeakKeyDictionary[Folder, _Copy] = WeakKeyDictionary()
_LOCK = Lock()


def reads_strictly(table: PrivateTable) -> bool:
    """Whether an engine may read the table itself: not where it, or its line ends, failed before.

    Engines disagree with `synth.table.records`, and with each other, on carriage returns that stand
    elsewhere than the first line end has them.

    Raises:
        TableError: The file is no longer there.
    """
    known = _of(table)
    with known.lock:
        if table.types:
            return known.strict is not False
        if known.strict is None:
            known.strict = not table.loose and _may_be_strict(table)
        return known.strict and known.path is None


def plain_copy(table: PrivateTable) -> PrivateTable:
    """The table as its private copy in Parquet, which is made when it is first needed.

    A typed table needs none: its cells are then read one by one (`synth.table.typed_rows`).

    Raises:
        TableError: It is damaged as a whole, or cannot be copied.
    """
    if table.held is not None:
        explain_failure(table)
    known = _of(table)
    with known.lock:
        if table.types:
            known.strict = False
            return replace(table, careful=True)
        if known.path is None:
            known.forget()
            known.types = _copy(table, table.keeper.path / "readable.parquet", known)
            known.path = table.keeper.path / "readable.parquet"
    left_out = sum(known.found[trouble] for trouble in ROWS_OUT)
    types = known.types
    return replace(table, data=known.path, types=types, stored=types, skip=0, left_out=left_out)


def remarks(table: PrivateTable) -> list[str]:
    """What was amiss when the rows were read, a sentence each. PRIVATE."""
    known = _of(table)
    found, lines = known.found, known.lines
    if table.types:
        trouble = troubles(table)
        found, lines = trouble.found, trouble.rows
    said = []
    if known.rows and known.found[CELLS] == known.rows:
        few = "The only row" if known.rows == 1 else f"Every one of the {known.rows:,} rows"
        wide = len(table.header)
        said.append(
            f"{few} has another number of cells than the {wide:,} column{'s' * (wide > 1)} "
            f"that the first line names, so that nothing can be read.{table.hint()}"
        )
        return said
    for reasons, what, fate in (
        (ROWS_OUT, "row", "left out"),
        (CELLS_OUT, "cell", "counted as not declared"),
    ):
        for why, words in reasons.items():
            if many := found[why]:
                some = f"1 {what} is" if many == 1 else f"{many:,} {what}s are"
                said.append(f"{some} {fate} because of {words}, on {_on(lines[why])}.")
    if said and not table.types:
        said[-1] += table.hint()
    return said


def look_through(table: PrivateTable) -> None:
    """Read all rows of a text file for what `remarks` tell; nothing is kept of them. PRIVATE.

    Raises:
        TableError: The file is no longer there.
        LimitError: It takes more time than there is.
    """
    known = _of(table)
    with known.lock:
        if known.seen or known.path is not None or table.types or table.catalog:
            return
        known.forget()
        try:
            for lines, rows in _batches(_rows(table), known):
                check()
                for line, cells in zip(lines, rows, strict=True):
                    _check_cells(cells, line, known)
        except OSError:
            _refuse_absent(table)
        known.seen = True


def is_looked_through(table: PrivateTable) -> bool:
    """Whether all that is amiss in the rows is known already."""
    known = _of(table)
    return known.seen or known.path is not None or bool(table.types or table.catalog)


def has_ragged_rows(table: PrivateTable) -> bool:
    """Whether a row was found to have another number of cells than columns. PRIVATE."""
    return _of(table).found[CELLS] > 0


def _check_cells(cells: list[bytes], line: int, known: _Copy) -> None:
    joined = b",".join(cells)
    if len(joined) <= CELL and joined.isascii():
        return
    for cell in cells:
        _readable(cell, line, known)


def _of(table: PrivateTable) -> _Copy:
    with _LOCK:
        return _COPIES.setdefault(table.keeper, _Copy())


def _on(lines: list[int]) -> str:
    if len(lines) > NAMED_LINES:
        return f"lines {', '.join(map(str, lines[:NAMED_LINES]))} and more"
    *first, last = map(str, lines)
    return f"lines {', '.join(first)} and {last}" if first else f"line {last}"


def _may_be_strict(table: PrivateTable) -> bool:
    try:
        return _has_even_ends(table.data)
    except OSError:
        pass
    _refuse_absent(table)


def _refuse_absent(table: PrivateTable) -> NoReturn:
    message = f"'{table.path.name}' is no longer there, or can no longer be opened."
    raise TableError(message) from None


def _has_even_ends(path: Path) -> bool:
    """Whether carriage returns stand before every line feed, or nowhere."""
    with path.open("rb") as file:
        first = file.readline(BLOCK)
        paired = first.endswith(b"\r\n")
        while block := file.read(BLOCK):
            if not paired and b"\r" in block:
                return False
            if paired and block.endswith(b"\r"):
                block += file.read(1)
            if paired and block.count(b"\r") != block.count(b"\r\n"):
                return False
    return first.count(b"\r") == first.count(b"\r\n")


def _copy(table: PrivateTable, target: Path, known: _Copy) -> tuple[str, ...]:
    """Write the copy, whole or not at all; the Arrow types of its columns."""
    from pyarrow import ArrowException

    part, done = target.with_suffix(".part"), None
    try:
        done = _copy_text(table, part, known)
        part.replace(target)
    except (ArrowException, OSError):
        done = None
    finally:
        part.unlink(missing_ok=True)
    if done is None:
        message = (
            "The table cannot be copied to read it; the disk of the temporary folder may be full."
        )
        raise TableError(message)
    return done


def _copy_text(table: PrivateTable, target: Path, known: _Copy) -> tuple[str, ...]:
    import pyarrow as pa
    from pyarrow import parquet

    schema = pa.schema([(f"f{i}", pa.string()) for i in range(len(table.header))])
    with parquet.ParquetWriter(target, schema) as writer:
        for lines, rows in _batches(_rows(table), known):
            check()
            columns = [
                _text(pa.array(column, pa.binary()), lines, known)
                for column in zip(*rows, strict=True)
            ]
            writer.write_batch(pa.record_batch(columns, schema=schema))
    return ("string",) * len(table.header)


def _rows(table: PrivateTable) -> Iterator[TextRow]:
    with table.data.open("rb") as file:
        end = line_end(file.read(BLOCK))
        file.seek(0)
        above = max(0, table.form.header - 1) if table.loose else table.skip
        yield from records(
            file,
            delimiter=table.form.delimiter,
            width=len(table.header),
            end=end,
            lead=above,
            header=table.loose and table.form.header > 0,
            fill=table.form.ragged == FILL,
        )


def _batches(
    found: Iterable[TextRow], known: _Copy
) -> Iterator[tuple[list[int], list[list[bytes]]]]:
    """Rows with their lines, some at a time; those left out are noted."""
    lines: list[int] = []
    rows: list[list[bytes]] = []
    size = 0
    for record in found:
        known.rows += 1
        if record.cells is None:
            known.note(record.trouble, record.line)
            continue
        lines.append(record.line)
        rows.append(record.cells)
        size += record.size
        if len(rows) == BATCH_ROWS or size > BATCH_BYTES:
            yield lines, rows
            lines, rows, size = [], [], 0
    if rows:
        yield lines, rows


def _text(column: "pa.Array", lines: Iterable[int], known: _Copy) -> "pa.Array":
    """A column of bytes as text; what cannot be read is replaced."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        if (pc.max(pc.binary_length(column)).as_py() or 0) <= CELL:
            return column.cast(pa.string())
    except pa.ArrowInvalid:
        pass
    pairs = zip(column.to_pylist(), lines, strict=True)
    return pa.array([_readable(cell, line, known) for cell, line in pairs], pa.string())


def _readable(cell: bytes | None, line: int, known: _Copy) -> str | None:
    if cell is None:
        return None
    if len(cell) > CELL:
        known.note(LONG, line)
        return UNREADABLE
    try:
        return cell.decode()
    except UnicodeDecodeError:
        known.note(BYTES, line)
        return UNREADABLE
