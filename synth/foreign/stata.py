"""The layout and the long texts of Stata files.

Long texts have their own part of the file. The library always reads them as UTF-8, and
refuses a file with any other text.
"""

import shutil
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from synth.foreign.fault import UNREADABLE, Fault

STATA_MAGIC = b"<stata_dta><header><release>"
MAP = b"<map>"
# Positions in the file's map.
MAP_ENTRIES = 14
LEGIBLE = "legible.dta"
# The type of a variable of long texts.
LONG_TEXT_TYPE = 32_768


class Layout(NamedTuple):
    """The positions of a file's parts.

    Attributes:
        order: The byte order, as in `struct`.
        release: The number of the layout.
        types: The start of the types of variables.
        texts: The start of the long texts.
        end: The end of the long texts.
    """

    order: str
    release: int
    types: int
    texts: int
    end: int


def release_of(path: Path) -> int:
    """Return the number of a Stata file's layout; texts are UTF-8 from 118 on."""
    with path.open("rb") as file:
        start = file.read(len(STATA_MAGIC) + 3)
    # New layouts have the number as three digits after the mark, old ones as the first byte.
    return int(start[len(STATA_MAGIC) :]) if start.startswith(STATA_MAGIC) else start[0]


def long_text_columns(path: Path, columns: int) -> set[int]:
    """Return the numbers, from 0, of a Stata file's columns of long texts.

    ``columns`` is how many columns the file has.
    """
    with _open_stata(path) as (file, layout):
        if layout is None:
            return set()
        file.seek(layout.types)
        types = struct.unpack(f"{layout.order}{columns}H", file.read(2 * columns))
    return {number for number, kind in enumerate(types) if kind == LONG_TEXT_TYPE}


def copy_legible(path: Path, folder: Path, max_bytes: int) -> Path:
    """Return the path of a private copy in which each unreadable long text is `UNREADABLE`.

    Args:
        path: The Stata file.
        folder: The folder for the copy.
        max_bytes: A text of more bytes counts as unreadable.
    """
    copy = folder / LEGIBLE
    shutil.copyfile(path, copy)
    with _open_stata(copy) as (file, layout):
        if layout is not None:
            _mark_unreadable(file, layout, max_bytes)
    return copy


@contextmanager
def _open_stata(path: Path) -> "Iterator[tuple[BinaryIO, Layout | None]]":
    """Yield the open file and its layout; None for old layouts, which have no long texts.

    Raises:
        Fault: The file is damaged.
    """
    with path.open("r+b") as file:
        # The header and the map of positions are within the first 64 KB.
        start = file.read(1 << 16)
        place = start.find(MAP) + len(MAP)
        try:
            if not start.startswith(STATA_MAGIC):
                yield file, None
                return
            order = ">" if b"<byteorder>MSF" in start[:place] else "<"
            places = struct.unpack_from(f"{order}{MAP_ENTRIES}q", start, place)
            # The map has the positions of all parts; each part begins with its mark. Entry 2
            # is the types, entry 10 the long texts, and entry 11 what follows these.
            layout = Layout(
                order=order,
                release=release_of(path),
                types=places[2] + len(b"<variable_types>"),
                texts=places[10] + len(b"<strls>"),
                end=places[11] - len(b"</strls>"),
            )
            yield file, layout
        except struct.error:
            raise Fault("damaged") from None


def _mark_unreadable(file: BinaryIO, layout: Layout, max_bytes: int) -> None:
    """Overwrite each long text that is too long or not UTF-8 with `UNREADABLE`, in place.

    Args:
        file: The file, open for reading and writing.
        layout: The positions of its parts.
        max_bytes: The most bytes of a text.
    """
    # Since layout 118 the row has eight bytes instead of four.
    row_number = "Q" if layout.release >= 118 else "I"
    # The mark "GSO", the column, the row, the kind of text and its length in bytes.
    header = struct.Struct(f"{layout.order}3sI{row_number}BI")
    place = layout.texts
    while place < layout.end:
        file.seek(place)
        *_, length = header.unpack(file.read(header.size))
        # A text ends at its first byte of 0. One byte more than allowed shows that it is too
        # long.
        text = file.read(min(length, max_bytes + 1)).partition(b"\0")[0]
        if len(text) > max_bytes or not _is_text(text):
            file.seek(place + header.size)
            file.write(f"{UNREADABLE}\0".encode()[:length])
        place += header.size + length


def _is_text(body: bytes) -> bool:
    """Return whether some bytes are a text in UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
