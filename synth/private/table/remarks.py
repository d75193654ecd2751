"""Faults of the rows of a table, for the steward alone. PRIVATE.

Remarks are collected while the rows are read. They count rows and cells and name lines; they
hold no cell. The one exception is a sample of bytes that the encoding can't read. It is kept
in memory to find the encoding, and shown nowhere."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from weakref import WeakKeyDictionary

from synth.foreign import Folder
from synth.private.table.choices import RANKED, encodings_of
from synth.private.table.columns import BYTES, CELL, LONG
from synth.private.table.records import (
    BLANK,
    CELLS,
    COMMENT,
    LENGTH,
    OBJECT,
    QUOTES,
    TextRow,
    has_odd_marks,
    parse_cells,
)

# Most lines that a remark names.
NAMED_LINES = 5
# Bytes kept for finding an encoding.
SAMPLE_BYTES = 1 << 16
# Bytes beyond ASCII that distinguish encodings.
TELLING_BYTES = 12
# Most bytes of a row over several lines that is recognised while lines are rows.
MAX_RECORD_BYTES = 1 << 21

ROWS_OUT = {
    CELLS: "another number of cells than columns",
    QUOTES: "a quotation mark that is opened and never closed, or not doubled inside quotes",
    LENGTH: "too many bytes",
    BLANK: "a blank line",
    COMMENT: "the comment mark that it starts with",
    OBJECT: "text that is not one JSON object with different keys",
}
CELLS_OUT = {
    BYTES: "bytes that are not text in the file's encoding",
    LONG: f"more than {CELL:,} bytes",
}


SPANNING = " Choose lines=span if cells may hold line breaks."


@dataclass(kw_only=True)
class LineBreaks:
    """Quoted cells that seem to go on over a line end, in a file whose lines are rows.

    Attributes:
        cells: Number of such cells.
        first: The line on which the first row with one begins.
        left_out: Number of lines that are left out because of them.
        open_lines: The lines of a row that may go on.
    """

    cells: int = 0
    first: int = 0
    left_out: int = 0
    open_lines: list[bytes] = field(default_factory=list)
    # Of the open lines: the number of the first, how many are left out, and their bytes.
    _start: int = 0
    _out: int = 0
    _size: int = 0

    def add(self, row: TextRow, delimiter: str, width: int) -> None:
        """Look at a line as a row, which may begin, go on or end a row of several lines.

        A row of several lines begins with a line that opens a quotation mark and does not
        close it, and ends with the next line of an odd number of marks.

        Args:
            row: The line, read as a row.
            delimiter: The character between cells.
            width: The number of columns.
        """
        is_odd = has_odd_marks(row.raw)
        is_closed = False
        if self.open_lines:
            self.open_lines.append(row.raw)
            self._size += len(row.raw)
            self._out += row.cells is None
            is_closed = is_odd and self._close(delimiter, width)
            # Wait for more lines, unless there are too many bytes already.
            if not is_odd and self._size <= MAX_RECORD_BYTES:
                return
        # A line that did not close a row may begin another one. It is left out as it stands.
        begins = is_odd and row.trouble == QUOTES and not is_closed
        self.open_lines = [row.raw] if begins else []
        self._size = len(row.raw)
        self._out = 1
        self._start = row.line

    def _close(self, delimiter: str, width: int) -> bool:
        """Return whether the open lines are a row, and count its cells with line ends if so.

        Args:
            delimiter: The character between cells.
            width: The number of columns.
        """
        row = b"\n".join(self.open_lines).removesuffix(b"\r")  # lines may end by CR and LF
        cells = parse_cells(row, delimiter, width)
        if cells is None or len(cells) != width:
            return False
        self.first = self.first or self._start
        self.cells += sum(b"\n" in cell for cell in cells)
        self.left_out += self._out
        return True


@dataclass(kw_only=True)
class Remarks:
    """Faults found while the rows of one table were read.

    Attributes:
        rows: Number of rows that were read.
        faults: Rows and cells that could not be read, by fault.
        lines: The first lines of each.
        breaks: Cells that seem to hold line ends.
        below_rows: Number of rows that begin like a line below a table.
        below_lines: The first lines of such rows.
        has_bytes: Whether unreadable cells have the bytes of the file.
    """

    rows: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    lines: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    breaks: LineBreaks = field(default_factory=LineBreaks)
    below_rows: int = 0
    below_lines: list[int] = field(default_factory=list)
    has_bytes: bool = True
    _encodings: tuple[str, ...] = RANKED
    _sample: bytes = b""

    def clear(self) -> None:
        """Forget all faults, before the rows are read again; bytes for an encoding stay."""
        self.rows = 0
        self.breaks = LineBreaks()
        self.below_rows = 0
        self.below_lines = []
        self.faults.clear()
        self.lines.clear()

    def add(self, trouble: str, line: int, raw: bytes = b"") -> None:
        """Note that a row or a cell could not be read.

        Args:
            trouble: The fault, a key of `ROWS_OUT` or `CELLS_OUT`.
            line: The line that it is on.
            raw: The bytes of a cell that are no text.
        """
        self.faults[trouble] += 1
        # One more than is named, so that a sentence knows whether there are more.
        if len(self.lines[trouble]) <= NAMED_LINES:
            self.lines[trouble].append(line)
        if trouble == BYTES and self.has_bytes:
            self.add_bytes(raw)

    def add_bytes(self, raw: bytes) -> None:
        """Note bytes that the encoding can't read, to find one that reads them all.

        Encodings that do not read them are ruled out. The first `SAMPLE_BYTES` bytes are
        kept.
        """
        self._encodings = tuple(
            encoding for encoding in self._encodings if reads(encoding, raw)
        )
        self._sample += raw[: SAMPLE_BYTES - len(self._sample)]

    def add_below_table(self, line: int) -> None:
        """Note a row that begins like a line below a table, such as a total.

        Args:
            line: The line that it is on.
        """
        self.below_rows += 1
        if len(self.below_lines) <= NAMED_LINES:
            self.below_lines.append(line)

    @property
    def encoding(self) -> str:
        """The likeliest encoding that reads all noted bytes; empty if there is none.

        With too few letters beyond ASCII, it is the first of the list that does.
        """
        encodings = [*self._encodings]
        if sum(byte > 127 for byte in self._sample) >= TELLING_BYTES:
            likely = [candidate.encoding for candidate in encodings_of(self._sample)]
            encodings = [*likely, *encodings]
        return next((name for name in encodings if name in self._encodings), "")

    @property
    def left_out(self) -> int:
        """The number of rows that are left out."""
        return sum(self.faults[trouble] for trouble in ROWS_OUT)

    def sentences(self, width: int) -> list[str]:
        """Return sentences about faults of rows and cells, for the steward.

        Args:
            width: The number of columns.
        """
        # If no row has as many cells as there are columns, that is all that is said.
        if self.rows and self.faults[CELLS] == self.rows:
            few = "The only row" if self.rows == 1 else f"Every one of the {self.rows:,} rows"
            columns = "column" if width <= 1 else "columns"
            return [
                f"{few} has another number of cells than the {width:,} {columns} "
                "that the first line names, so that nothing can be read."
            ]
        sentences = []
        if self.breaks.cells:
            sentences.append(self.breaks_sentence + SPANNING)
        for troubles, noun, fate in (
            (ROWS_OUT, "row", "left out"),
            (CELLS_OUT, "cell", "counted as not declared"),
        ):
            for trouble, why in troubles.items():
                if times := self.faults[trouble]:
                    some = f"1 {noun} is" if times == 1 else f"{times:,} {noun}s are"
                    where = name_lines(self.lines[trouble])
                    sentences.append(f"{some} {fate} because of {why}, on {where}.")
                    if trouble == BYTES and self._sample and self.encoding:
                        sentences[-1] += f" The encoding {self.encoding} reads them all."
        return sentences

    @property
    def below_sentence(self) -> str:
        """A sentence about rows that begin like lines below a table; empty without such."""
        return say_below_table(self.below_rows, self.below_lines)

    @property
    def breaks_sentence(self) -> str:
        """A sentence about cells that seem to hold line breaks."""
        cells = self.breaks.cells
        left_out = self.breaks.left_out
        cells_seem = "cell seems" if cells == 1 else "cells seem"
        lines_are = "line is" if left_out == 1 else "lines are"
        return (
            f"{cells:,} {cells_seem} to hold line "
            f"breaks (first on line {self.breaks.first:,}). As the file is read now, "
            f"{left_out:,} {lines_are} left out."
        )


_REMARKS: WeakKeyDictionary[Folder, Remarks] = WeakKeyDictionary()
_LOCK = Lock()


def remarks_of(keeper: Folder) -> Remarks:
    """Return the remarks on a table, by the folder of its private copy."""
    with _LOCK:
        return _REMARKS.setdefault(keeper, Remarks())


def reads(encoding: str, raw: bytes) -> bool:
    """Return whether an encoding reads these bytes."""
    try:
        raw.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def say_below_table(rows: int, lines: Sequence[int]) -> str:
    """Return a sentence about rows that begin like lines below a table; empty without such.

    Args:
        rows: Their number.
        lines: The first lines that they are on, one more than is named if there are more.
    """
    if not rows:
        return ""
    rows_begin = "1 row begins" if rows == 1 else f"{rows:,} rows begin"
    fate = "It counts as a record" if rows == 1 else "They count as records"
    return (
        f"{rows_begin} like a line below the table, such as a total or a source, on "
        f"{name_lines(lines)}. {fate}: take such lines out of the file."
    )


def name_lines(lines: Sequence[int]) -> str:
    """Return the numbers of some lines in words; of many lines only the first."""
    if len(lines) > NAMED_LINES:
        return f"lines {', '.join(map(str, lines[:NAMED_LINES]))} and more"
    *first, last = map(str, lines)
    return f"lines {', '.join(first)} and {last}" if first else f"line {last}"
