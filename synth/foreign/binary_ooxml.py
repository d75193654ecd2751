"""Workbooks in Excel's binary layout (.xlsb), read as a stream of cells.

They are packed like the workbooks of `synth.foreign.ooxml`, but their parts are records: a
kind, a length and this number of bytes."""

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

ROW, SHEET, SETTINGS, MERGED = 0, 156, 153, 176
SHARED, FORMAT, STYLE, STYLES, STYLES_END = 19, 44, 47, 617, 618
CELL_RECORDS = range(2, 12)
# Kinds of records; for cells by content, and all other kinds hold numbers.
SHORT, REFERENCE, ERRORS, FLAGS, TEXTS = 2, 7, (3, 11), (4, 10), (6, 8)
# Bytes before the value of a cell: its column and style.
CELL_HEADER_BYTES = 8
# Most bytes of a record that are read.
MAX_RECORD_BYTES = 1 << 26


class Workbook:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        main = related_parts(archive, "").find_part("officeDocument")
        self._parts = related_parts(archive, main)
        self._places: dict[str, str] = {}
        self._first, self.merged = 0, False
        for kind, record in self._records(main):
            if kind == SHEET:
                place, after = _text(record, 8)
                self._places[_text(record, after)[0]] = self._parts.paths[place]
            elif kind == SETTINGS and record[0] & 1:
                self._first = MAC_EPOCH_DAYS
        self.sheets = tuple(self._places)

    def rows(self, sheet: str) -> Iterator[tuple[int, SheetRow]]:
        parts = self._records(self._parts.find_part("sharedStrings"))
        shared = [_text(record, 1)[0] for kind, record in parts if kind == SHARED]
        styles = self._styles()
        number, cells = 0, SheetRow()
        for kind, record in self._records(self._places[sheet]):
            if kind == ROW:
                if cells:
                    yield number, cells
                number, cells = struct.unpack_from("<I", record)[0] + 1, SheetRow()
            elif kind in CELL_RECORDS:
                column, style = struct.unpack_from("<II", record)
                own = styles[style & 0xFFFFFF] if style & 0xFFFFFF < len(styles) else ""
                text = self._value(kind, record, shared, own)
                if (text or kind in ERRORS) and column < MAX_SHEET_COLUMNS:
                    cells[column] = text
            elif kind == MERGED:
                self.merged = True
        if cells:
            yield number, cells

    def _value(self, kind: int, record: bytes, shared: list[str], style: str) -> str:
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
        return moment_text(number, style, self._first) if style else finite_text(number)

    def _styles(self) -> list[str]:
        own: dict[int, str] = {}
        styles: list[str] = []
        inside = False
        for kind, record in self._records(self._parts.find_part("styles")):
            inside = kind == STYLES or (inside and kind != STYLES_END)
            if kind == FORMAT:
                own[struct.unpack_from("<H", record)[0]] = format_kind(_text(record, 2)[0])
            elif kind == STYLE and inside:
                number = struct.unpack_from("<H", record, 2)[0]
                styles.append(own.get(number, BUILT_IN.get(str(number), "")))
        return styles

    def _records(self, part: str) -> Iterator[tuple[int, bytes]]:
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


def _number(file: IO[bytes], most: int) -> int | None:
    """Read a number in bytes of seven bits, all but the last marked; None at the end."""
    number = 0
    for place in range(most):
        byte = file.read(1)
        if not byte:
            return None
        number |= (byte[0] & 0x7F) << 7 * place
        if byte[0] < 0x80:
            break
    return number


def _short(bits: int) -> float:
    """Read four bytes: a whole number or the start of a double, or a hundred times one."""
    if bits & 2:
        number = float((bits - (bits >> 31 << 32)) >> 2)
    else:
        number = float(struct.unpack("<d", bytes(4) + (bits & ~3).to_bytes(4, "little"))[0])
    return number / 100 if bits & 1 else number


def _text(record: bytes, place: int) -> tuple[str, int]:
    length = struct.unpack_from("<I", record, place)[0]
    end = place + 4 + (0 if length == 0xFFFFFFFF else 2 * length)
    return record[place + 4 : end].decode("utf-16-le", "surrogatepass"), end
