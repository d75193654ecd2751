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
from synth.foreign.sheet_facts import SheetFacts

# Kinds of records.
ROW = 0
SHARED = 19
FORMAT = 44
COLUMNS = 60
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
# Places of the flags of a row and of a group of columns, and the flag of a hidden row.
ROW_FLAGS = 11
HIDDEN = 0x10
COLUMN_FLAGS = 16
# Bytes before the value of a cell: its column and style.
CELL_HEADER_BYTES = 8
# Most bytes of a record that are read.
MAX_RECORD_BYTES = 1 << 26


class Workbook:
    """An open workbook, before any row is read.

    Attributes:
        sheets: Names of the sheets.
        merged: Whether the sheet that was read has merged cells.
        facts: Counts of hidden things.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        """Read the list of sheets from the open zip of the workbook."""
        self._archive = archive
        main = related_parts(archive, "").find_part("officeDocument")
        self._parts = related_parts(archive, main)
        self._places: dict[str, str] = {}
        self._first_day = 0
        self.merged = False
        self.facts = SheetFacts()
        self._hidden_sheets: set[str] = set()
        for kind, record in self._records(main):
            if kind == SHEET:
                # After eight bytes the name of the reference to the sheet's part, then the
                # name of the sheet.
                place, after = _text(record, 8)
                name, _ = _text(record, after)
                self._places[name] = self._parts.paths[place]
                if struct.unpack_from("<I", record)[0]:
                    self._hidden_sheets.add(name)
            # The lowest bit says that dates are counted from 1904.
            elif kind == SETTINGS and record[0] & 1:
                self._first_day = MAC_EPOCH_DAYS
        self.sheets = tuple(self._places)
        self.facts.hidden_sheets = len(self._hidden_sheets)

    def rows(self, sheet: str) -> Iterator[tuple[int, SheetRow]]:
        """Yield the non-empty rows of a sheet, each as its number from 1 and its cells.

        The cells are texts by column, counted from 0; an empty text stands for an error. On
        the way, `facts` and `merged` note what is hidden or merged in the sheet.
        """
        shared = self._shared_texts()
        styles = self._styles()
        self.facts.is_hidden = sheet in self._hidden_sheets
        # The record of a row comes before those of its cells, so that a row is complete when
        # the next one begins.
        number = 0
        is_hidden_row = False
        cells = SheetRow()
        for kind, record in self._records(self._places[sheet]):
            if kind == ROW:
                if cells:
                    self.facts.hidden_rows += is_hidden_row
                    yield number, cells
                number = struct.unpack_from("<I", record)[0] + 1
                is_hidden_row = len(record) > ROW_FLAGS and bool(record[ROW_FLAGS] & HIDDEN)
                cells = SheetRow()
            elif kind in CELL_RECORDS:
                self._add_cell(cells, kind, record, shared=shared, styles=styles)
            elif kind == MERGED:
                self.merged = True
            elif kind == COLUMNS and record[COLUMN_FLAGS] & 1:  # the lowest bit: hidden
                self.facts.hidden_columns.append(struct.unpack_from("<II", record))
        if cells:
            self.facts.hidden_rows += is_hidden_row
            yield number, cells

    def _shared_texts(self) -> list[str]:
        """Return the texts to which cells refer by number."""
        records = self._records(self._parts.find_part("sharedStrings"))
        texts: list[str] = []
        for kind, record in records:
            if kind == SHARED:
                text, _ = _text(record, 1)  # after a byte of flags
                texts.append(text)
        return texts

    def _add_cell(
        self,
        cells: SheetRow,
        kind: int,
        record: bytes,
        *,
        shared: list[str],
        styles: list[str],
    ) -> None:
        """Add the text of a cell to its row, unless the cell is empty.

        Args:
            cells: The cells of the row so far, by column; changed in place.
            kind: The kind of the record, which gives the type of the content.
            record: The record of the cell: its column, its style, its content.
            shared: The texts to which cells refer by number.
            styles: What the number format of each style means (`_styles`).
        """
        column, style_and_flags = struct.unpack_from("<II", record)
        style = style_and_flags & 0xFFFFFF  # the upper byte holds flags
        style_kind = styles[style] if style < len(styles) else ""
        text = self._value(kind, record, shared, style=style_kind)
        if (text or kind in ERRORS) and column < MAX_SHEET_COLUMNS:
            cells[column] = text

    def _value(self, kind: int, record: bytes, shared: list[str], *, style: str) -> str:
        """Return the text of a cell; `UNREADABLE` if its content cannot be read.

        Args:
            kind: The kind of the record, which gives the type of the content.
            record: The record of the cell.
            shared: The texts that cells refer to by number.
            style: What the format of a number means: a date, a duration, or "" for a plain
                number.
        """
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
                number = _read_rk_number(
                    struct.unpack_from("<I", record, CELL_HEADER_BYTES)[0]
                )
            else:
                number = float(struct.unpack_from("<d", record, CELL_HEADER_BYTES)[0])
        except (IndexError, struct.error):
            return UNREADABLE
        return moment_text(number, style, self._first_day) if style else finite_text(number)

    def _styles(self) -> list[str]:
        """Return what the number format of each style means, by the number of the style.

        It is a date, a duration, or "" for plain numbers.
        """
        kinds_by_number: dict[int, str] = {}
        styles: list[str] = []
        # The same records describe other styles too; only those between two marks are cells'.
        is_in_styles = False
        for kind, record in self._records(self._parts.find_part("styles")):
            if kind in (STYLES, STYLES_END):
                is_in_styles = kind == STYLES
            # The number of a format and its text; the format of a style is behind two bytes.
            elif kind == FORMAT:
                number = struct.unpack_from("<H", record)[0]
                kinds_by_number[number] = format_kind(_text(record, 2)[0])
            elif kind == STYLE and is_in_styles:
                number = struct.unpack_from("<H", record, 2)[0]
                styles.append(kinds_by_number.get(number, BUILT_IN.get(str(number), "")))
        return styles

    def _records(self, part: str) -> Iterator[tuple[int, bytes]]:
        """Yield the kind and the content of each record in a part of the workbook.

        An empty name stands for a part that the workbook lacks, which has no records.

        Raises:
            ValueError: A record is longer than any that Synth reads.
        """
        if not part:
            return
        # Reading byte by byte from a zip is slow, so a buffer lies between.
        with io.BufferedReader(
            cast("io.RawIOBase", self._archive.open(part)), READ_BYTES
        ) as file:
            while (kind := _number(file, 2)) is not None:
                length = _number(file, 4) or 0
                if length > MAX_RECORD_BYTES:
                    raise ValueError
                yield kind, file.read(length)


def _number(file: IO[bytes], max_bytes: int) -> int | None:
    """Read a whole number that is written in groups of seven bits, the lowest first.

    In all bytes but the last, the highest bit is set. None at the end of the file.

    Args:
        file: The file, which is read up to the end of the number.
        max_bytes: The most bytes of the number.
    """
    number = 0
    for place in range(max_bytes):
        byte = file.read(1)
        if not byte:
            return None
        number |= (byte[0] & 0x7F) << (7 * place)
        if byte[0] < 0x80:
            break
    return number


def _read_rk_number(bits: int) -> float:
    """Return the number in four bytes (RkNumber of MS-XLSB).

    If bit 1 is set, the upper 30 bits are a signed whole number, else the start of a double.
    If bit 0 is set, the number is divided by 100.
    """
    if bits & 2:
        # Subtracting 2^32 from numbers with the highest bit gives their negative values.
        number = float((bits - (bits >> 31 << 32)) >> 2)
    else:
        number = float(struct.unpack("<d", bytes(4) + (bits & ~3).to_bytes(4, "little"))[0])
    return number / 100 if bits & 1 else number


def _text(record: bytes, place: int) -> tuple[str, int]:
    """Return the text at a place of a record, and the place behind it.

    A text has its number of characters in four bytes, and then two bytes for each. The number
    0xFFFFFFFF stands for no text.
    """
    length = struct.unpack_from("<I", record, place)[0]
    end = place + 4 + (0 if length == 0xFFFFFFFF else 2 * length)
    return record[place + 4 : end].decode("utf-16-le", "surrogatepass"), end
