"""One sheet of a workbook, read row by row in the child.

A row with only blank cells is not a row, anywhere. The header ends at its last name; cells to
the right of it are not part of the table."""

import zipfile
from collections.abc import Iterator, Sequence
from importlib import import_module

from synth.foreign import binary_ooxml, ooxml, open_document
from synth.foreign.cells import SheetRow, Text, cell_text, kept_text, write_table
from synth.foreign.fault import UNREADABLE, Fault, Reply, Request, refuse_damage
from synth.foreign.packed import opened_zip


def read_workbook(request: Request) -> Reply:
    book, sheet = _open_sheet(request)
    with refuse_damage():
        rows, line, names = book.rows(sheet), request["header"], [""] * request["columns"]
        if line:
            number, cells = next((row for row in rows if row[0] >= line), (0, {}))
            named = [column for column, text in cells.items() if text.strip()]
            if number != line or not named:
                raise Fault("names")
            names = [cells.get(column, "") for column in range(max(named) + 1)]
        write_table(request, names, _fill_rows(rows, len(names), request["cell_bytes"]))
    return {"sheet": sheet, "sheets": len(book.sheets), "merged": book.merged}


def first_sheet(request: Request, most: int) -> list[list[str]]:
    """Return the rows of the first sheet: a code book.

    ``most`` is in characters of all cells, each cell counted with one extra.
    """
    book, sheet = _open_sheet({**request, "sheet": ""})
    rows: list[list[str]] = []
    with refuse_damage():
        for _, cells in book.rows(sheet):
            most -= max(cells) + sum(map(len, cells.values()))
            if most < 0:
                raise Fault("size", mb=0)
            wide = range(max(cells) + 1)
            rows.append(
                [kept_text(cells.get(i, ""), request["cell_bytes"]) or "" for i in wide]
            )
    return rows


def _open_sheet(request: Request) -> "tuple[Workbook, str]":
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
    rows: Iterator[tuple[int, SheetRow]], width: int, most: int
) -> Iterator[Sequence[Text]]:
    for _, cells in rows:
        if any(i < width and (not text or text.strip()) for i, text in cells.items()):
            yield [kept_text(cells[i], most) if i in cells else None for i in range(width)]


class OldWorkbook:
    """A workbook of Excel until 2003 (.xls), as the library reads it.

    It has few columns and rows, so its farthest cell needs little memory. If a cell breaks
    the library, its whole row is unreadable."""

    def __init__(self, source: str) -> None:
        self._book = import_module("python_calamine").CalamineWorkbook.from_path(source)
        self.sheets = tuple(self._book.sheet_names)
        self.merged = False

    def rows(self, sheet: str) -> Iterator[tuple[int, SheetRow]]:
        found = self._book.get_sheet_by_name(sheet)
        self.merged = bool(getattr(found, "merged_cell_ranges", None))
        first = (found.start or (0, 0))[1]
        rows, number = found.iter_rows(), 0
        while True:
            number += 1
            try:
                row = next(rows)
            except StopIteration:
                return
            except BaseException as error:  # the library panics at a cell
                if isinstance(error, MemoryError):
                    raise
                row = [UNREADABLE] * found.width
            texts = (cell_text(cell) for cell in row)
            cells = {column: text for column, text in enumerate(texts, first) if text}
            if cells:
                yield number, cells


# An open workbook, before any row is read.
Workbook = OldWorkbook | ooxml.Workbook | binary_ooxml.Workbook | open_document.Workbook
