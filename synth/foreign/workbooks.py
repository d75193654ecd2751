"""One sheet of a workbook, read row by row in the child.

A row with only blank cells is not a row, anywhere. The header ends at its last name; cells to
the right of it are not part of the table.
"""

import zipfile
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice, repeat
from typing import Any

from synth.foreign import binary_ooxml, ooxml, open_document
from synth.foreign.cells import SheetRow, Text, cell_text, kept_text, write_table
from synth.foreign.fault import UNREADABLE, Fault, Reply, Request, refuse_damage
from synth.foreign.packed import opened_zip
from synth.foreign.sheet_facts import SheetFacts


def read_workbook(request: Request) -> Reply:
    """Copy the rows of a sheet, below its header if it has one, as a table of texts.

    The answer has the name of the sheet, the number of "sheets", whether cells are "merged",
    and the "facts" of hidden and further things.

    Args:
        request: The file ("source"), the name of the "sheet" or "" for the first, and the
            number of the "header" row or 0 for none, with the number of filled rows "below"
            it that hold no record. Without a header it has the number of "columns".

    Raises:
        Fault: The sheet cannot be read, or has no such header.
    """
    book, sheet = _open_sheet(request)
    with refuse_damage():
        rows = book.rows(sheet)
        if request["header"]:
            names = _read_header(rows, request["header"])
            for _ in islice(rows, request["below"]):
                pass  # rows that hold no record
        else:
            names = [*repeat("", request["columns"])]
        width = len(names)
        filled = _fill_rows(rows, width, request["cell_bytes"], facts=book.facts)
        write_table(request, names, filled)
    return {
        "sheet": sheet,
        "sheets": len(book.sheets),
        "merged": book.merged,
        "facts": book.facts.to_reply(width),
    }


def _read_header(rows: Iterator[tuple[int, SheetRow]], line: int) -> list[str]:
    """Return the names in the header row, up to the last one; "" for a column without a name.

    Args:
        rows: The rows of the sheet, each as its number and its cells; those up to the header
            are consumed.
        line: The number of the header row, from 1.

    Raises:
        Fault: The row has no names.
    """
    for number, cells in rows:
        if number < line:
            continue
        named_columns = [column for column, text in cells.items() if text.strip()]
        if number > line or not named_columns:
            break
        return [cells.get(column, "") for column in range(max(named_columns) + 1)]
    raise Fault("names")


def first_sheet(request: Request, max_characters: int) -> list[list[str]]:
    """Return the rows of the first sheet of a workbook as lists of texts: a code book.

    Args:
        request: The file ("source"), and its limits.
        max_characters: The most characters of all rows together; a row also costs the number
            of its last column.

    Raises:
        Fault: There are more characters, or the workbook cannot be read.
    """
    free_characters = max_characters
    book, sheet = _open_sheet({**request, "sheet": ""})
    rows: list[list[str]] = []
    with refuse_damage():
        for _, cells in book.rows(sheet):
            free_characters -= max(cells) + sum(map(len, cells.values()))
            if free_characters < 0:
                raise Fault("size", mb=0)
            row = [cells.get(column, "") for column in range(max(cells) + 1)]
            rows.append([kept_text(text, request["cell_bytes"]) or "" for text in row])
    return rows


def _open_sheet(request: Request) -> "tuple[Workbook, str]":
    """Return a workbook of any format, and the name of the sheet to read, by default the
    first.

    Raises:
        Fault: The workbook is damaged, or has no such sheet.
    """
    source = request["source"]
    with refuse_damage():
        if not zipfile.is_zipfile(source):
            book: Workbook = OldWorkbook(source)
        else:
            archive = opened_zip(request)
            if open_document.CONTENT in archive.namelist():
                book = open_document.Workbook(archive)
            elif any(name.endswith("workbook.bin") for name in archive.namelist()):
                book = binary_ooxml.Workbook(archive)
            else:
                book = ooxml.Workbook(archive)
    if not book.sheets:
        raise Fault("damaged")
    if request["sheet"] and request["sheet"] not in book.sheets:
        raise Fault("sheet", sheets=list(book.sheets))
    return book, request["sheet"] or book.sheets[0]


def _fill_rows(
    rows: Iterator[tuple[int, SheetRow]], width: int, max_bytes: int, *, facts: SheetFacts
) -> Iterator[Sequence[Text]]:
    """Yield the cells of the table's columns, for each row that is not blank there.

    Args:
        rows: Rows, each as its number and its texts by column.
        width: The number of columns of the table.
        max_bytes: The most bytes of a text.
        facts: Where filled rows are counted.
    """
    for line, cells in rows:
        # An empty text stands for an error, which is no blank.
        is_filled = any(
            column < width and (not text or text.strip()) for column, text in cells.items()
        )
        if is_filled:
            facts.add_row(line, cells, width)
            yield [
                kept_text(cells[column], max_bytes) if column in cells else None
                for column in range(width)
            ]


class OldWorkbook:
    """A workbook of Excel until 2003 (.xls), as the library reads it.

    It has few columns and rows, so its farthest cell needs little memory. If a cell breaks
    the library, its whole row is unreadable.

    Attributes:
        sheets: Names of the sheets.
        merged: Whether the sheet that was read has merged cells.
        facts: Counts of hidden things, as far as the library says them.
    """

    def __init__(self, source: str) -> None:
        """Open the workbook at this path and read the list of its sheets."""
        self._book = import_module("python_calamine").CalamineWorkbook.from_path(source)
        self.sheets = tuple(self._book.sheet_names)
        self.merged = False
        self.facts = SheetFacts(
            hidden_sheets=sum(map(_is_hidden, self._book.sheets_metadata))
        )

    def rows(self, sheet: str) -> Iterator[tuple[int, SheetRow]]:
        """Yield the non-empty rows of a sheet, each as its number from 1 and its cells.

        The cells are texts by column, counted from 0.
        """
        self.facts.is_hidden = any(
            _is_hidden(entry) for entry in self._book.sheets_metadata if entry.name == sheet
        )
        sheet_cells = self._book.get_sheet_by_name(sheet)
        self.merged = bool(getattr(sheet_cells, "merged_cell_ranges", None))
        first_column = (sheet_cells.start or (0, 0))[1]
        rows = sheet_cells.iter_rows()
        number = 0
        while True:
            number += 1
            try:
                row = next(rows)
            except StopIteration:
                return
            except BaseException as error:  # the library panics at a cell
                if isinstance(error, MemoryError):
                    raise
                row = [*repeat(UNREADABLE, sheet_cells.width)]
            texts = (cell_text(cell) for cell in row)
            cells = {column: text for column, text in enumerate(texts, first_column) if text}
            if cells:
                yield number, cells


def _is_hidden(entry: Any) -> bool:
    """Return whether an entry of the library's list of sheets is one of a hidden sheet."""
    return not str(entry.visible).endswith(".Visible")


# An open workbook, before any row is read.
Workbook = OldWorkbook | ooxml.Workbook | binary_ooxml.Workbook | open_document.Workbook
