"""Text that an engine's own reader reads as `synth.private.table.records` does. PRIVATE.

An engine reads such a file directly, which is fast; every other file is copied first.
"""

from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from synth.private.table.csv_options import Format
from synth.private.table.records import UTF8_MARK
from synth.private.table.remarks import reads
from synth.util import check_deadline

# Bytes examined together; every line of a regular file is shorter.
LINE_BLOCK_BYTES = 1_000_000

LF, CR, QUOTE = b'\n\r"'


def is_regular(file: BinaryIO, form: Format, skip: int) -> bool:
    """Return whether each row is one line of UTF-8 with marks around whole cells only.

    Lines end by LF, or all of them by CR and LF.

    Args:
        file: The file, open at its beginning.
        form: How it is read.
        skip: The number of lines above the first row.
    """
    if skip:
        head = b"".join(file.readline() for _ in range(skip))
        paired = head.endswith(b"\r\n")
        if not _has_plain_head(head, form, paired=paired):
            return False
        file.seek(len(head))
    else:
        # Without a header, Synth drops a byte order mark from the first row; engines may not.
        head = file.read(len(UTF8_MARK))
        paired = head.endswith(b"\r\n")
        if head == UTF8_MARK:
            return False
        file.seek(0)
    pending = b""  # the beginning of a line whose end was not read yet
    while block := file.read(LINE_BLOCK_BYTES):
        check_deadline()
        # Whole lines are looked at. A block without a line end counts as too long a line.
        cut = block.rfind(b"\n") + 1
        if not cut or not _is_plain(pending + block[:cut], form, paired=paired):
            return False
        pending = block[cut:]
    # The last line may lack its end.
    line_end = b"\r\n" if paired else b"\n"
    return not pending or _is_plain(pending + line_end, form, paired=paired)


def _has_plain_head(head: bytes, form: Format, *, paired: bool) -> bool:
    """Return whether no quotation mark misleads an engine that skips these lines.

    Args:
        head: The lines above the first row, with their ends.
        form: How the file is read.
        paired: Whether lines end by CR and LF, and not by LF alone.
    """
    if not head.endswith(b"\n"):
        head += b"\n"  # a file of a header alone may lack the end of its last line
    if b"\0" in head or not _has_even_ends(head, paired=paired):
        return False
    if b'"' not in head:
        return True
    head_bytes = np.frombuffer(b"\n" + head, dtype=np.uint8)
    # A byte order mark hides a first quotation mark from an engine; doubled marks may, too.
    is_hidden = head.startswith(UTF8_MARK) or b'""' in head
    return not is_hidden and _has_regular_marks(head_bytes, form.delimiter.encode())


def _is_plain(lines: bytes, form: Format, *, paired: bool) -> bool:
    """Return whether an engine reads these lines as Synth does.

    They must have no zero byte, stray line end, byte that is no UTF-8, comment, blank line,
    or quotation mark within a cell.

    Args:
        lines: Whole lines, with their ends.
        form: How the file is read.
        paired: Whether lines end by CR and LF, and not by LF alone.
    """
    if b"\0" in lines or not _has_even_ends(lines, paired=paired):
        return False
    if not (lines.isascii() or reads("utf-8", lines)):
        return False
    comment = form.comment.encode()
    if comment and (lines.startswith(comment) or b"\n" + comment in lines):
        return False
    line_bytes = np.frombuffer(b"\n" + lines, dtype=np.uint8)
    ends = line_bytes == LF
    if (ends[:-1] & (line_bytes[1:] == (CR if paired else LF))).any():  # a blank line
        return False
    return b'"' not in lines or _has_regular_marks(line_bytes, form.delimiter.encode())


def _has_even_ends(lines: bytes, *, paired: bool) -> bool:
    """Return whether CR stands before every LF and nowhere else (``paired``), or nowhere."""
    if not paired:
        return b"\r" not in lines
    return lines.count(b"\r\n") == lines.count(b"\r") == lines.count(b"\n")


def _has_regular_marks(text_bytes: npt.NDArray[np.uint8], delimiter: bytes) -> bool:
    """Return whether quotation marks enclose whole cells of one line, and are doubled inside.

    Every second mark opens, the others close. An opening mark follows a delimiter, the start
    of a line, or the closing mark that it doubles; a closing one likewise.

    Args:
        text_bytes: The codes of the bytes of whole lines, with an LF before the first.
        delimiter: The character between cells.
    """
    if len(delimiter) > 1:  # of several bytes; below, single bytes are compared
        return False
    marks_or_ends = text_bytes[(text_bytes == QUOTE) | (text_bytes == LF)]
    is_end = marks_or_ends == LF
    # No line end may be within quotation marks: after an odd number of them.
    if (np.cumsum(~is_end)[is_end] % 2).any():
        return False
    # So the number of marks is even, as the last line ends too; and each mark has a
    # neighbour on both sides.
    places = np.flatnonzero(text_bytes == QUOTE)
    opening = places[::2]
    closing = places[1::2]
    before = text_bytes[opening - 1]
    behind = text_bytes[closing + 1]
    doubled = opening[1:] == closing[:-1] + 1
    opens = (before == delimiter[0]) | (before == LF)
    closes = (behind == delimiter[0]) | (behind == LF) | (behind == CR)
    opens[1:] |= doubled
    closes[:-1] |= doubled
    return bool(opens.all() and closes.all())
