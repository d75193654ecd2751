"""The encoding and the long texts of Stata files.

Long texts have their own part of the file. The library always reads them as UTF-8, and refuses a
file with any other text.
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
        texts, end: The start and end of the long texts.
    """

    order: str
    release: int
    types: int
    texts: int
    end: int


def release_of(path: Path) -> int:
    """Return the number of a file's layout; texts are UTF-8 from 118 on."""
    with path.open("rb") as file:
        start = file.read(len(STATA_MAGIC) + 3)
    return int(start[len(STATA_MAGIC) :]) if start.startswith(STATA_MAGIC) else start[0]


def long_columns(path: Path, columns: int) -> set[int]:
    with _open_stata(path) as (file, layout):
        if layout is None:
            return set()
        file.seek(layout.types)
        kinds = struct.unpack(f"{layout.order}{columns}H", file.read(2 * columns))
    return {place for place, kind in enumerate(kinds) if kind == LONG_TEXT_TYPE}


def legible(path: Path, folder: Path, most: int) -> Path:
    """Return a private copy in which each unreadable long text is `UNREADABLE`.

    ``most`` is in bytes of a text.
    """
    copy = folder / LEGIBLE
    shutil.copyfile(path, copy)
    with _open_stata(copy) as (file, layout):
        if layout is not None:
            _mark(file, layout, most)
    return copy


@contextmanager
def _open_stata(path: Path) -> "Iterator[tuple[BinaryIO, Layout | None]]":
    """Yield the file and its layout, None for layouts without long texts; Fault if damaged."""
    with path.open("r+b") as file:
        start = file.read(1 << 16)
        place = start.find(MAP) + len(MAP)
        try:
            if not start.startswith(STATA_MAGIC):
                yield file, None
                return
            order = ">" if b"<byteorder>MSF" in start[:place] else "<"
            places = struct.unpack_from(f"{order}{MAP_ENTRIES}q", start, place)
            types, texts = places[2] + len(b"<variable_types>"), places[10] + len(b"<strls>")
            yield file, Layout(order, release_of(path), types, texts, places[11] - len(b"</strls>"))
        except struct.error:
            raise Fault("damaged") from None


def _mark(file: BinaryIO, layout: Layout, most: int) -> None:
    head = f"{layout.order}3sI{'Q' if layout.release >= 118 else 'I'}BI"
    size, place = struct.calcsize(head), layout.texts
    while place < layout.end:
        file.seek(place)
        length = struct.unpack(head, file.read(size))[-1]
        text = file.read(min(length, most + 1)).partition(b"\0")[0]
        if len(text) > most or not _is_text(text):
            file.seek(place + size)
            file.write(f"{UNREADABLE}\0".encode()[:length])
        place += size + length


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True
