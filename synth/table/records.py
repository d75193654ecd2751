r"""Rows of delimited text by a plain rule that one damaged row cannot turn against the others.

A strict reader refuses the whole file where one row is damaged, which tells something about that
row. This one follows the same rule and leaves the row out. What the strict reader accepts, both
read alike.

1. Lines end as the first one does: by a line feed (a carriage return before it is no part of
   the last cell), or by a carriage return where that stands alone.
2. A cell is quoted where a quotation mark comes first, or behind one blank. It may hold delimiters
   and line ends. A doubled mark is one mark. Behind the closing mark come blanks at most, then a
   delimiter or the line's end.
3. Elsewhere a quotation mark is a character like any other.
4. A row has as many cells as there are columns; more of them must be empty. Empty lines are no
   rows, except in a table of one column. Where the steward asks for it (``fill``), cells that a row
   is short of are empty ones.
5. Where a row breaks rule 2 or 4, its first line is one row that is left out, and reading goes on
   with the next line. So is a line above `LINE` bytes, and the first line of a row over several
   that has more than `RECORD`.

What a cell holds is not looked at here: see `synth.table.plain_copy`.

>>> import io
>>> text = b'x,1\n"y,2\nz,"a ""b"" c"\n'
>>> [row.cells for row in records(io.BytesIO(text), delimiter=",", width=2)]
[[b'x', b'1'], None, [b'z', b'a "b" c']]
"""

import re
from collections import deque
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

BLOCK = 1 << 20
RECORD = 1 << 21
"""Most bytes of a row over several lines; above what the strict reader takes."""
LINE = 1 << 26
"""Most bytes of a line, so that memory is bounded."""

_OPENING, _AT_ONCE = re.compile(rb' ?"'), re.compile(rb'"')
_INSIDE = re.compile(rb'((?:[^"]++|" *")*+)(" *)?')
_STRICT = re.compile(rb'((?:[^"]++|"")*+)(")?')
_DOUBLED = re.compile(rb'"(.?)', re.DOTALL)

CELLS, QUOTES, LENGTH = "cells", "quotes", "length"
"""Why a row is left out: another number of cells, quotation marks, too many bytes."""


class TextRow(NamedTuple):
    """One row.

    Attributes:
        line: The line it starts on, from 1.
        cells: The bytes of each cell; None where the row is left out.
        trouble: Why it is.
        size: Bytes of its first line.
    """

    line: int
    cells: list[bytes] | None
    trouble: str = ""
    size: int = 0


def line_end(start: bytes) -> bytes:
    r"""How lines end, by the first line end outside quotes.

    >>> line_end(b'a,"b\rc"\r\n'), line_end(b"a,b\rc,d\n")
    (b'\n', b'\r')
    """
    found = re.match(rb'(?:[^"\r\n]++|"[^"]*+"?)*+(\r\n|\r)?', start)
    return b"\r" if found and found[1] == b"\r" else b"\n"


def records(
    file: BinaryIO,
    *,
    delimiter: str,
    width: int,
    end: bytes = b"\n",
    lead: int = 0,
    header: bool = False,
    fill: bool = False,
) -> Iterator[TextRow]:
    """The rows of a file, left out or not.

    Args:
        file: At its beginning.
        delimiter: One character.
        width: Number of columns.
        end: How lines end.
        lead: Lines before the header or the first row.
        header: Whether the first row beyond them is a header, which is skipped.
        fill: Whether a row that is short of cells has empty ones in their place.
    """
    lines = _Lines(file, end)
    for _ in range(lead):
        lines.take()
    mark, least = delimiter.encode(), 1 if fill else width
    if header and (line := lines.take()) is not None:
        _parse(lines, line, mark, (width, width), end)
    while (line := lines.take()) is not None:
        number = lines.number
        plain = _plain(line.removesuffix(b"\r"), mark)  # nearly all lines of nearly all files
        if plain is None or len(line) > LINE:
            cells, trouble = _parse(lines, line, mark, (least, width), end)
        else:
            cells, trouble = _fitted(plain, least, width)
            if width > 1 and line in (b"", b"\r"):
                continue
        yield TextRow(number, cells, trouble, len(line))


class _Lines:
    """Lines of a file without their ends, some of which were put back."""

    def __init__(self, file: BinaryIO, end: bytes) -> None:
        self._lines = split_lines(file, end)
        self._ahead: deque[bytes] = deque()
        self.number = 0

    def take(self) -> bytes | None:
        """The next line, None at the end."""
        line = self._ahead.popleft() if self._ahead else next(self._lines, None)
        self.number += line is not None
        return line

    def put_back(self, lines: list[bytes]) -> None:
        """Lines that are to come again."""
        self._ahead.extendleft(reversed(lines))
        self.number -= len(lines)


def split_lines(file: BinaryIO, end: bytes) -> Iterator[bytes]:
    """The lines of a file without their ends; of one above `LINE` bytes, a little more than that.

    A byte order mark is left out.
    """
    rest, cut, block = file.read(3).removeprefix(b"\xef\xbb\xbf"), b"", b"-"
    while block:
        block = file.read(BLOCK)
        *whole, rest = (rest + block).split(end)
        if cut and whole:
            whole[0], cut = cut, b""
        yield from whole
        if cut or len(rest) > LINE:
            cut, rest = cut or rest, b""
    if rest or cut:
        yield cut or rest


def _plain(line: bytes, mark: bytes) -> list[bytes] | None:
    """The cells of a line whose quotation marks are all around whole cells, else None."""
    if b'"' not in line:
        return line.split(mark)
    cells: list[bytes] = []
    parts = line.split(b'"')
    last = len(parts) - 1
    if last % 2:
        return None
    for i in range(0, last, 2):
        outside = parts[i].split(mark)
        if outside[-1] or (i and (outside[0] or len(outside) < 2)):
            return None
        cells += outside[bool(i) : -1]
        cells.append(parts[i + 1])
    rest = parts[last].split(mark)
    return None if rest[0] else cells + rest[1:]


def _parse(
    lines: _Lines, line: bytes, mark: bytes, widths: tuple[int, int], end: bytes
) -> tuple[list[bytes] | None, str]:
    """The cells of the row that a line starts; of a damaged one, no further line is taken."""
    if len(line) > LINE:
        return None, LENGTH
    more: list[bytes] = []
    cells, trouble = _quoted(lines, line, more, mark, widths[1], end)
    if cells is not None:
        cells, trouble = _fitted(cells, *widths)
    if cells is None:
        lines.put_back(more)
    return cells, trouble


def _fitted(cells: list[bytes], least: int, width: int) -> tuple[list[bytes] | None, str]:
    if least <= len(cells) <= width:
        return cells + [b""] * (width - len(cells)), ""
    if len(cells) > width and not any(cells[width:]):
        return cells[:width], ""
    return None, CELLS


def _quoted(
    lines: _Lines, line: bytes, more: list[bytes], mark: bytes, width: int, end: bytes
) -> tuple[list[bytes] | None, str]:
    """The cells of a row some of which may be quoted; lines taken beyond its first go to more."""
    cells: list[bytes] = []
    opening, inside = (_AT_ONCE, _STRICT) if mark == b" " else (_OPENING, _INSIDE)
    place, size = 0, len(line)
    while len(cells) <= width or not cells[-1]:
        opened = opening.match(line, place)
        if opened is None:
            stop = line.find(mark, place)
            cells.append(line[place:stop] if stop >= 0 else line[place:].removesuffix(b"\r"))
        else:
            parts, place = [], opened.end()
            while (found := inside.match(line, place)) and found[2] is None:
                parts.append(found[1])
                following = lines.take()
                if following is None:
                    return None, QUOTES
                more.append(following)
                line, place, size = following, 0, size + len(following)
                if size > RECORD:
                    return None, LENGTH
            assert found is not None
            cells.append(_DOUBLED.sub(rb"\1", end.join([*parts, found[1]])))
            stop = found.end()
            if line[stop:] in (b"", b"\r"):
                stop = -1
            elif line[stop : stop + len(mark)] != mark:
                return None, QUOTES
        if stop < 0:
            return cells, ""
        place = stop + len(mark)
    return None, CELLS
