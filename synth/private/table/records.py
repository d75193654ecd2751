r"""Rows of delimited text, by rules under which no row depends on another. PRIVATE.

1. A line ends at the line end of the file: LF (with a CR before it, if any), or otherwise CR.
   All other CR, LF and NUL are bytes of their cell.
2. ``lines=one``: every line is a row. ``lines=span``: a row ends at the first line end after
   an even number of its quotation marks. Lines above the header are lines in both.
3. A cell is quoted if it starts with a quotation mark, or with one blank and the mark. A
   doubled mark means one mark. After the closing mark only blanks may precede the delimiter
   or the end of the row. Elsewhere a quotation mark is an ordinary character.
4. A row has one cell per column; further cells must be empty. With ``fill``, missing cells of
   a row are empty.
5. ``lines=json``: every line is a row and a JSON object, by `synth.private.table.json_lines`.
6. Synth leaves out rows that break rule 3 or 4, comments, blank rows (except in a table of
   one column) and rows above `ROW_LIMIT` bytes, but counts them as rows of the table.

`synth.private.table.plain_copy` interprets the cells.

>>> import io
>>> text = b'a,b\nx,1\n"y,2\nz,"a ""b"" c"\n'
>>> [row.cells for row in records(io.BytesIO(text), Format(), width=2)]
[[b'x', b'1'], None, [b'z', b'a "b" c']]
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import BinaryIO, NamedTuple

from synth.foreign import READ_BYTES
from synth.private.table.csv_options import FILL, JSON_OBJECTS, Format

# Most bytes of a row, so that memory is bounded.
ROW_LIMIT = 1 << 26
UTF8_MARK = b"\xef\xbb\xbf"

# Why a row is left out.
CELLS = "cells"
QUOTES = "quotes"
LENGTH = "length"
BLANK = "blank"
COMMENT = "comment"
OBJECT = "object"

# A quoted cell, and the beginning of one.
_CLOSED = re.compile(rb' ?"((?:[^"]++|"")*+)" *')
_OPENING = re.compile(rb' ?"')
# The same if the delimiter is a blank.
_CLOSED_AT_ONCE = re.compile(rb'"((?:[^"]++|"")*+)"')
_OPENING_AT_ONCE = re.compile(rb'"')
_LINE_END = re.compile(rb"[^\r\n]*+(\r\n|\r)?")
_LINE_END_OUTSIDE = re.compile(rb'(?:[^"\r\n]++|"[^"]*+"?)*+(\r\n|\r)?')


class TextRow(NamedTuple):
    """One row.

    Attributes:
        line: The line it starts on, from 1.
        cells: The bytes of each cell, None of a missing one; None if the row is left out.
        trouble: Why it is left out.
        raw: The bytes of the line.
    """

    line: int
    cells: Sequence[bytes | None] | None
    trouble: str
    raw: bytes


def line_end(start: bytes, form: Format) -> bytes:
    r"""Return the line end: as declared, or that of the first line, also above the header.

    >>> line_end(b'a,"b\rc"\r\n', Format(lines="span")), line_end(b"a,b\rc,d\n", Format())
    (b'\n', b'\r')
    """
    if form.line_end or not form.header:
        return b"\r" if form.line_end == "cr" else b"\n"
    is_header = form.header == 1 and not _is_comment(start, form)
    pattern = _LINE_END_OUTSIDE if form.lines == "span" and is_header else _LINE_END
    line_match = pattern.match(start)
    return b"\r" if line_match and line_match[1] == b"\r" else b"\n"


def read_header(
    file: BinaryIO, form: Format, end: bytes = b"\n"
) -> tuple[list[bytes] | None, int]:
    """Return the cells of the header, and the number of lines above the first record.

    These are the lines down to the header's end, and those of the rows below it that the
    format leaves out. The cells are None if the header can't be read, and empty if there is
    none.

    Args:
        file: The file, open at its beginning.
        form: On which line the header is, and how it is read.
        end: The bytes at the end of a line.
    """
    above = form.header  # lines to pass, with the header; comments do not count
    lines = 0
    rows = _raw_rows(file, form, end)
    for row, line_count in rows:
        lines += line_count
        above -= not _is_comment(row, form)
        if not above:
            first = row.partition(end)[0].removesuffix(b"\r")
            if line_count > 1 and parse_cells(first, form.delimiter) is not None:
                # A stray mark in a name, not a quoted name over several lines, holds it open:
                # rows would become names.
                return None, lines
            # Comments count, too: else a record that looks like one would move the others.
            lines += sum(line_count for _, line_count in islice(rows, form.below))
            return parse_cells(row.removesuffix(b"\r"), form.delimiter), lines
    return [], lines


def records(
    file: BinaryIO, form: Format, *, width: int, end: bytes = b"\n"
) -> Iterator[TextRow]:
    """Yield all rows below the header, including rows that are left out.

    Args:
        file: The file, open at its beginning.
        form: How it is read.
        width: The number of columns.
        end: The bytes at the end of a line.
    """
    above = form.header  # lines to pass, with the header; comments do not count
    below = form.below  # rows to pass below it, also comments
    line = 1
    mark = form.delimiter.encode()
    least = 1 if form.ragged == FILL else width  # the fewest cells of a row
    for raw, line_count in _raw_rows(file, form, end):
        if above:
            above -= not _is_comment(raw, form)
        elif below:
            below -= 1
        elif form.lines == JSON_OBJECTS:
            yield _read_object(line, raw, form.names)
        else:
            # Most rows are plain, and are cut up quickly; others are parsed cell by cell.
            cells = _split_plain_row(raw.removesuffix(b"\r"), mark, width)
            # The only cell of a row may be empty: whether the row counts is asked below.
            is_whole = cells is not None and len(cells) == width and width > 1
            is_comment = bool(form.comment) and _is_comment(raw, form)
            trouble = ""
            if not is_whole or len(raw) > ROW_LIMIT or is_comment:
                cells, trouble = _read_row(raw, form, cells, least=least, width=width)
            yield TextRow(line, cells, trouble, raw)
        line += line_count


def _read_object(line: int, raw: bytes, names: Sequence[str]) -> TextRow:
    """Return a line of JSON as a row; without cells and with a reason if it is none.

    Args:
        line: The number of the line, from 1.
        raw: The bytes of the line.
        names: The declared columns.
    """
    from synth.private.table.json_lines import MAX_LINE_BYTES, parse_object

    if not raw.strip():
        return TextRow(line, None, BLANK, raw)
    if len(raw) > MAX_LINE_BYTES:
        return TextRow(line, None, LENGTH, raw)
    cells = parse_object(raw.removeprefix(UTF8_MARK), names)
    return TextRow(line, cells, OBJECT if cells is None else "", raw)


def _read_row(
    raw: bytes, form: Format, cells: list[bytes] | None, *, least: int, width: int
) -> tuple[list[bytes] | None, str]:
    """Return a row's cells and ''; or None and the reason why it is left out.

    Args:
        raw: The bytes of the row.
        form: How the file is read.
        cells: The cells if they are known already; None if the row has to be parsed.
        least: The fewest cells that the row may have; missing ones are filled up.
        width: The number of columns.
    """
    if _is_comment(raw, form):
        return None, COMMENT
    row = raw.removesuffix(b"\r")
    if not row and width > 1:
        return None, BLANK
    if len(raw) > ROW_LIMIT:
        return None, LENGTH
    if cells is None:
        cells = parse_cells(row, form.delimiter, width)
    if cells is None:
        return None, QUOTES
    if not least <= len(cells) <= width:
        return None, CELLS
    return cells + [b""] * (width - len(cells)), ""


def parse_cells(row: bytes, delimiter: str, width: int = 1 << 30) -> list[bytes] | None:
    """Return the cells of a row, or None if its quotation marks are wrong.

    Quoted cells are without their marks, by rule 3 of this module. Of empty cells beyond
    ``width`` none is kept, and of others one, by which the row is known to be too long.

    Args:
        row: The bytes of the row, without its end.
        delimiter: The character between cells.
        width: The number of columns.

    >>> parse_cells(b'a, "b,""c" ,6"', ",")
    [b'a', b'b,"c', b'6"']
    """
    mark = delimiter.encode()
    closed, opening = (
        (_CLOSED, _OPENING) if mark != b" " else (_CLOSED_AT_ONCE, _OPENING_AT_ONCE)
    )
    cells: list[bytes] = []
    place = 0
    while True:
        if quoted := closed.match(row, place):
            cell = quoted[1].replace(b'""', b'"')
            place = quoted.end()
        elif opening.match(row, place):
            return None
        else:
            stop = row.find(mark, place)
            stop = len(row) if stop < 0 else stop
            cell = row[place:stop]
            place = stop
        if len(cells) < width or (cell and len(cells) == width):
            cells.append(cell)
        if place == len(row):
            return cells
        if not row.startswith(mark, place):
            return None
        place += len(mark)


def has_odd_marks(raw: bytes) -> bool:
    """Return whether the number of quotation marks is odd."""
    return bool(raw.count(b'"') & 1)


def line_blocks(
    file: BinaryIO, end: bytes, *, aligned: bool = False
) -> Iterator[tuple[bytes, bool]]:
    """Yield blocks of whole lines, and pieces of lines above `ROW_LIMIT` bytes.

    With each block comes whether it ends its last line; only a piece does not.

    Args:
        file: The file.
        end: The bytes at the end of a line.
        aligned: Whether an end counts only at a multiple of its length from the line's
            beginning.
    """
    pending = b""
    step = len(end) if aligned else 1
    while block := file.read(READ_BYTES):
        pending += block
        cut = pending.rfind(end)
        # Not aligned: look for an end before it, which may overlap with it.
        while cut > 0 and cut % step:
            cut = pending.rfind(end, 0, cut + len(end) - 1)
        if cut >= 0:
            yield pending[: cut + len(end)], True
            pending = pending[cut + len(end) :]
        elif len(pending) > ROW_LIMIT:
            # Some bytes stay, as they may be the beginning of a line end.
            cut = (len(pending) - len(end)) // step * step
            yield pending[:cut], False
            pending = pending[cut:]
    if pending:
        yield pending, True


def _raw_rows(file: BinaryIO, form: Format, end: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield the bytes of each row without its end, and its number of lines.

    The header and the lines above it come, too. If the format says that cells may span lines,
    a row with an odd number of quotation marks so far has an open cell, and goes on in the
    next line. The file is read in pieces; the pieces of an unfinished row are collected. Of a
    row above `ROW_LIMIT` bytes only the beginning is passed on.

    Args:
        file: The file, open at its beginning.
        form: How it is read.
        end: The bytes at the end of a line.
    """
    above = form.header  # lines to pass, with the header; comments do not count
    span = form.lines == "span"
    mark = UTF8_MARK  # only the first piece of the file may begin with it
    pending: list[bytes] = []  # the pieces of a row that goes on
    size = 0  # of the pending pieces, in bytes
    lines = 1  # of the row, with the line that is read
    is_odd = False  # whether the row has an odd number of quotation marks so far
    is_title = False  # whether the line is above the header or a comment there
    for part, has_end in _pieces(file, end):
        piece = part.removeprefix(mark)
        mark = b""
        if above and not pending:
            is_comment = _is_comment(piece, form)
            is_title = is_comment or above > 1
            above -= not is_comment
        elif not pending:
            is_title = False
        if span and not is_title:
            is_odd ^= has_odd_marks(piece)
        if has_end and not is_odd and not pending:
            yield piece, 1
        elif not has_end or is_odd:
            if size <= ROW_LIMIT:
                pending.append(piece)
                size += len(piece)
                if has_end:
                    pending.append(end)
                    size += len(end)
            lines += has_end
            continue
        else:
            yield b"".join([*pending, piece[: max(0, ROW_LIMIT + 1 - size)]]), lines
            pending = []
            size = 0
            lines = 1
    if pending:
        yield b"".join(pending).removesuffix(end), lines - 1


def _pieces(file: BinaryIO, end: bytes) -> Iterator[tuple[bytes, bool]]:
    """Yield lines without their ends, or pieces of long ones, and whether each ends its line.

    Args:
        file: The file.
        end: The bytes at the end of a line.
    """
    for block, is_complete in line_blocks(file, end):
        if not is_complete:
            yield block, False
            continue
        lines = block.split(end)
        if not lines[-1]:
            lines.pop()
        for line in lines:
            yield line, True


def _is_comment(row: bytes, form: Format) -> bool:
    return bool(form.comment) and row.startswith(form.comment.encode())


def _split_plain_row(row: bytes, mark: bytes, width: int) -> list[bytes] | None:
    """Return the cells of a row quickly; None if it has to be parsed cell by cell.

    It can be cut up at its quotation marks if these enclose whole cells, and none is doubled
    inside. Empty cells beyond the width are left out.

    Args:
        row: The bytes of the row, without its end.
        mark: The delimiter.
        width: The number of columns.
    """
    if b'"' not in row:
        cells = row.split(mark, width)  # the last one is all that is beyond the width
        if len(cells) > width and not cells[width].replace(mark, b""):
            cells.pop()
        return cells
    # Between marks, parts are in turn outside of quoted cells and inside. A part outside must
    # end with a delimiter, and begin with one unless it is the first.
    cells = []
    parts = row.split(b'"')
    last = len(parts) - 1
    if last % 2:
        return None
    for i in range(0, last, 2):
        outside = parts[i].split(mark)
        if outside[-1] or (i and (outside[0] or len(outside) < 2)):
            return None
        cells += outside[bool(i) : -1]
        cells.append(parts[i + 1])
    behind = parts[last].split(mark)
    if behind[0]:
        return None
    cells += behind[1:]
    while len(cells) > width and not cells[-1]:
        cells.pop()
    return cells
