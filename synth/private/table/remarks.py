"""Faults of the rows of a table, for the steward alone. PRIVATE.

Remarks are collected while the rows are read. They count rows and cells and name lines; they
hold no cell. The one exception is a sample of bytes that the encoding can't read. It is kept
in memory to find the encoding, and shown nowhere."""

from collections import Counter, defaultdict
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
SAMPLE = 1 << 16
# Bytes beyond ASCII that distinguish encodings.
TELLING = 12
# Most bytes of a row over several lines that is recognised while lines are rows.
RECORD = 1 << 21

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

    ``held`` are the lines of a row that may go on.
    """

    cells: int = 0
    first: int = 0
    left_out: int = 0
    held: list[bytes] = field(default_factory=list)
    _start: int = 0
    _out: int = 0
    _size: int = 0

    def add(self, row: TextRow, delimiter: str, width: int) -> None:
        is_odd, is_closed = has_odd_marks(row.raw), False
        if self.held:
            self.held.append(row.raw)
            self._size += len(row.raw)
            self._out += row.cells is None
            is_closed = is_odd and self._close(delimiter, width)
            if not is_odd and self._size <= RECORD:
                return
        begins = is_odd and row.trouble == QUOTES and not is_closed
        self.held, self._size, self._out = [row.raw] * begins, len(row.raw), 1
        self._start = row.line

    def _close(self, delimiter: str, width: int) -> bool:
        cells = parse_cells(b"\n".join(self.held).removesuffix(b"\r"), delimiter, width)
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
        found: Rows and cells that could not be read, by fault.
        lines: The first lines of each.
        has_bytes: Whether unreadable cells have the bytes of the file.
    """

    rows: int = 0
    found: Counter[str] = field(default_factory=Counter)
    lines: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    breaks: LineBreaks = field(default_factory=LineBreaks)
    has_bytes: bool = True
    _encodings: tuple[str, ...] = RANKED
    _sample: bytes = b""

    def clear(self) -> None:
        self.rows, self.breaks = 0, LineBreaks()
        self.found.clear()
        self.lines.clear()

    def add(self, trouble: str, line: int, raw: bytes = b"") -> None:
        self.found[trouble] += 1
        if len(self.lines[trouble]) <= NAMED_LINES:
            self.lines[trouble].append(line)
        if trouble == BYTES and self.has_bytes:
            self.add_bytes(raw)

    def add_bytes(self, raw: bytes) -> None:
        self._encodings = tuple(one for one in self._encodings if reads(one, raw))
        self._sample += raw[: SAMPLE - len(self._sample)]

    @property
    def encoding(self) -> str:
        is_telling = sum(byte > 127 for byte in self._sample) >= TELLING
        ranked = [one.encoding for one in encodings_of(self._sample)] if is_telling else []
        return next(
            (one for one in [*ranked, *self._encodings] if one in self._encodings), ""
        )

    @property
    def left_out(self) -> int:
        return sum(self.found[trouble] for trouble in ROWS_OUT)

    def sentences(self, width: int) -> list[str]:
        if self.rows and self.found[CELLS] == self.rows:
            few = "The only row" if self.rows == 1 else f"Every one of the {self.rows:,} rows"
            return [
                f"{few} has another number of cells than the {width:,} "
                f"column{'s' * (width > 1)} "
                "that the first line names, so that nothing can be read."
            ]
        said = [self.breaks_sentence + SPANNING] * bool(self.breaks.cells)
        for troubles, what, fate in (
            (ROWS_OUT, "row", "left out"),
            (CELLS_OUT, "cell", "counted as not declared"),
        ):
            for trouble, why in troubles.items():
                if many := self.found[trouble]:
                    some = f"1 {what} is" if many == 1 else f"{many:,} {what}s are"
                    said.append(
                        f"{some} {fate} because of {why}, on {_on(self.lines[trouble])}."
                    )
        if self.found[BYTES] and self._sample and self.encoding:
            said[-1] += f" The encoding {self.encoding} reads them all."
        return said

    @property
    def breaks_sentence(self) -> str:
        one, many = self.breaks.cells == 1, self.breaks.left_out
        return (
            f"{self.breaks.cells:,} cell{'' if one else 's'} seem{'s' * one} to hold line "
            f"breaks (first on line {self.breaks.first:,}). As the file is read now, "
            f"{many:,} line{'s are' if many != 1 else ' is'} left out."
        )


_REMARKS: WeakKeyDictionary[Folder, Remarks] = WeakKeyDictionary()
_LOCK = Lock()


def remarks_of(keeper: Folder) -> Remarks:
    with _LOCK:
        return _REMARKS.setdefault(keeper, Remarks())


def reads(encoding: str, raw: bytes) -> bool:
    try:
        raw.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _on(lines: list[int]) -> str:
    if len(lines) > NAMED_LINES:
        return f"lines {', '.join(map(str, lines[:NAMED_LINES]))} and more"
    *first, last = map(str, lines)
    return f"lines {', '.join(first)} and {last}" if first else f"line {last}"
