"""Workbooks in Excel's binary layout (.xlsb), read as a stream of cells.

They are packed like the workbooks of `synth.foreign.ooxml`, but their parts are records: a
kind, a length and this number of bytes.
"""

import io
import struct
import zipfile
from collections.abc import Iterator
from typing import IO, cast

from synth.foreign.cells import MAX_SHEET_COLUMNS, SheetRow, finite_text
from synth.foreign.fault import UNREADABLE
from synth.foreign.files import READ_BYTES
from synth.foreign.numbers import BUILT_IN, MAC_EPOCH_DAYS, format_kind, moment_text
from synth.foreign.ooxml import related_parts

# Kinds of records.
ROW = 0
SHARED = 19
FORMAT = 44
STYLE = 47
SETTINGS = 153
SHEET = 156
MERGED = 176
STYLES = 617
STYLES_END = 618
CELL_RECORDS = range(2, 12)
# Kinds of cells by their content; all others hold numbers of eight bytes.
SHORT = 2
REFERENCE = 7
ERRORS = (3, 11)
FLAGS = (4, 10)
TEXTS = (6, 8)
# Bytes before the value of a cell: its column and style.
CELL_HEADER_BYTES = 8
# Most bytes of a record that are read.
MAX_RECORD_BYTES = 1 << 26


class Workbook:
    """An open workbook, before any row is read.

    Attributes:
        sheets: Names of the sheets.
        merged: Whether the sheet that was read has merged cells.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        """Read the list of sheets."""
        self._archive = archive
        main = related_parts(archive, "").find_part("officeDocument")
        self._parts = related_parts(archive, main)
        self._places: dict[str, str] = {}
        self._first_day = 0
        self.merged = False
        for kind, record in self._records(main):
            if kind == SHEET:
                place, after = _text(record, 8)
                self._places[_text(record, after)[0]] = self._parts.paths[place]
            elif kind == SETTINGS and record[0] & 1:
                self._first_day = MAC_EPOCH_DAYS
        self.sheets = tuple(self._places)

    def rows(self, sheet: str) -> Iterator[tuple[int, SheetRow]]:
        """Yield the non-empty rows of a sheet, each with its number from 1."""
        records = self._records(self._parts.find_part("sharedStrings"))
        shared = [_text(record, 1)[0] for kind, record in records if kind == SHARED]
        styles = self._styles()
        number = 0
        cells = SheetRow()
        for kind, record in self._records(self._places[sheet]):
            if kind == ROW:
                if cells:
                    yield number, cells
                number = struct.unpack_from("<I", record)[0] + 1
                cells = SheetRow()
            elif kind in CELL_RECORDS:
                column, style = struct.unpack_from("<II", record)
                style &= 0xFFFFFF
                style_kind = styles[style] if style < len(styles) else ""
                text = self._value(kind, record, shared, style=style_kind)
                if (text or kind in ERRORS) and column < MAX_SHEET_COLUMNS:
                    cells[column] = text
            elif kind == MERGED:
                self.merged = True
        if cells:
            yield number, cells

    def _value(self, kind: int, record: bytes, shared: list[str], *, style: str) -> str:
        """Return the text of a cell, by the meaning of its style if it is a number."""
        try:
            if kind == REFERENCE:
                return shared[int(struct.unpack_from("<I", record, CELL_HEADER_BYTES)[0])]
            if kind in TEXTS:
                return _text(record, CELL_HEADER_BYTES)[0]
            if kind in ERRORS:
                return ""
            if kind in FLAGS:
                return "true" if record[CELL_HEADER_BYTES] else "false"
            if kind == SHORT:
                number = _short(struct.unpack_from("<I", record, CELL_HEADER_BYTES)[0])
            else:
                number = float(struct.unpack_from("<d", record, CELL_HEADER_BYTES)[0])
        except (IndexError, struct.error):
            return UNREADABLE
        return moment_text(number, style, self._first_day) if style else finite_text(number)

    def _styles(self) -> list[str]:
        """Return the meaning of the number format of each style."""
        kinds_by_number: dict[int, str] = {}
        styles: list[str] = []
        is_in_styles = False
        for kind, record in self._records(self._parts.find_part("styles")):
            if kind in (STYLES, STYLES_END):
                is_in_styles = kind == STYLES
            elif kind == FORMAT:
                number = struct.unpack_from("<H", record)[0]
                kinds_by_number[number] = format_kind(_text(record, 2)[0])
            elif kind == STYLE and is_in_styles:
                number = struct.unpack_from("<H", record, 2)[0]
                styles.append(kinds_by_number.get(number, BUILT_IN.get(str(number), "")))
        return styles

    def _records(self, part: str) -> Iterator[tuple[int, bytes]]:
        """Yield the records of a part: their type and content."""
        if not part:
            return
        # Byte by byte, what comes out of a zip is slow.
        with io.BufferedReader(
            cast("io.RawIOBase", self._archive.open(part)), READ_BYTES
        ) as file:
            while (kind := _number(file, 2)) is not None:
                length = _number(file, 4) or 0
                if length > MAX_RECORD_BYTES:
                    raise ValueError
                yield kind, file.read(length)


def _number(file: IO[bytes], max_bytes: int) -> int | None:
    """Read a number in bytes of seven bits, all but the last marked; None at the end."""
    number = 0
    for place in range(max_bytes):
        byte = file.read(1)
        if not byte:
            return None
        number |= (byte[0] & 0x7F) << 7 * place
        if byte[0] < 0x80:
            break
    return number


def _short(bits: int) -> float:
    """Read four bytes as a number (RkNumber of MS-XLSB).

    Bit 1 says whether it is a whole number of 30 bits or the start of a double; bit 0 whether
    it is divided by 100.
    """
    if bits & 2:
        number = float((bits - (bits >> 31 << 32)) >> 2)
    else:
        number = float(struct.unpack("<d", bytes(4) + (bits & ~3).to_bytes(4, "little"))[0])
    return number / 100 if bits & 1 else number


def _text(record: bytes, place: int) -> tuple[str, int]:
    """Return the text at a place of a record, and the place behind it."""
    length = struct.unpack_from("<I", record, place)[0]
    end = place + 4 + (0 if length == 0xFFFFFFFF else 2 * length)
    return record[place + 4 : end].decode("utf-16-le", "surrogatepass"), end
