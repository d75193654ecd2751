"""The writer for Excel: a sheet of rows, and one that says what the columns are. PUBLIC.

Rows are written one after the other and never held. Texts are cells of texts, which no program
runs; those that a spreadsheet would take for a formula once they are edited are marked as text.
"""

from collections.abc import Iterator
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from synth.bundle.exports.cells import cells_of, pieces_of
from synth.bundle.exports.formats import FileFormat
from synth.bundle.exports.variables import HeldColumn, Storage
from synth.bundle.guard import guarded
from synth.domain import DAY, Binned, Domain
from synth.errors import LimitError, ReleaseError
from synth.foreign import Folder
from synth.rows import SyntheticTable

DICTIONARY_HEADER = ("column", "about", "kind", "values", "value", "stands for")
MOST = FileFormat.XLSX.reach.rows


def check_workbook(domain: Domain, rows: int) -> None:
    """See that sheets can hold it, before anything is written.

    Raises:
        LimitError: There are more rows than a sheet has.
    """
    if rows > MOST:
        raise LimitError(
            f"{rows:,} rows do not fit in a sheet of Excel, which holds {MOST + 1:,} with its "
            "head; take Parquet or CSV."
        )
    if sum(1 + column.list_size for column in domain.written_columns) > MOST:
        raise LimitError(
            f"The columns list more than {MOST:,} values, the rows of a sheet of Excel."
        )


def write_workbook(rows: SyntheticTable, variables: tuple[HeldColumn, ...], path: Path) -> None:
    """Write the rows as a workbook; the same bytes each time.

    Raises:
        LimitError: There are more rows than a sheet has.
        ReleaseError: The file cannot be written.
    """
    check_workbook(rows.domain, rows.rows)
    library: Any = import_module("xlsxwriter")
    with Folder() as folder:
        book = library.Workbook(str(path), {"constant_memory": True, "tmpdir": str(folder)})
        book.set_properties({"title": "Synthetic rows", "created": datetime(1980, 1, 1)})
        looks = _Looks(book)
        _write_rows(book.add_worksheet("rows"), rows, variables, looks)
        _write_columns(book.add_worksheet("columns"), rows.domain, looks)
        try:
            book.close()
        except library.exceptions.XlsxWriterException:
            raise ReleaseError(f"The file '{path}' cannot be written.") from None


class _Looks:
    """How cells look."""

    def __init__(self, book: Any) -> None:
        self.head = book.add_format({"bold": True})
        self.marked = book.add_format({"quote_prefix": True})
        self.date = book.add_format({"num_format": "yyyy-mm-dd"})
        self.time = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})

    def find_format(self, one: HeldColumn) -> Any:
        """The look of a column of numbers."""
        if one.storage is not Storage.DATE:
            return None
        assert isinstance(one.column, Binned)
        return self.date if one.column.step == DAY else self.time


def _write_rows(
    sheet: Any, rows: SyntheticTable, variables: tuple[HeldColumn, ...], looks: _Looks
) -> None:
    sheet.freeze_panes(1, 0)
    for place, one in enumerate(variables):
        sheet.write_string(0, place, one.name, looks.head)
    styles = [looks.find_format(one) for one in variables]
    texts = [one.storage is Storage.TEXT for one in variables]
    for row, cells in enumerate(_rows(rows, variables), 1):
        for place, cell in enumerate(cells):
            if cell is None or cell != cell:
                continue
            if texts[place]:
                _text(sheet, row, place, cell, looks)
            else:
                sheet.write_number(row, place, cell, styles[place])


def _rows(rows: SyntheticTable, variables: tuple[HeldColumn, ...]) -> Iterator[tuple[Any, ...]]:
    for piece in rows.pieces():
        pairs = zip(pieces_of(piece), variables, strict=True)
        columns = [cells_of(values, one, FileFormat.XLSX).tolist() for values, one in pairs]
        yield from zip(*columns, strict=True)


def _write_columns(sheet: Any, domain: Domain, looks: _Looks) -> None:
    """The data dictionary: a row for each column, and below it one for each value it lists."""
    sheet.freeze_panes(1, 0)
    for place, title in enumerate(DICTIONARY_HEADER):
        sheet.write_string(0, place, title, looks.head)
    for row, texts in enumerate(_describe_domain(domain), 1):
        for place, text in enumerate(texts):
            if text:
                _text(sheet, row, place, text, looks)


def _describe_domain(domain: Domain) -> Iterator[tuple[str, ...]]:
    for column in domain.written_columns:
        values = "" if column.list_size else column.in_words
        yield column.name, column.description, column.kind, values, "", ""
        for label in column.labels if column.list_size else column.meanings:
            yield column.name, "", "", "", label, column.meanings.get(label, "")


def _text(sheet: Any, row: int, place: int, text: str, looks: _Looks) -> None:
    sheet.write_string(row, place, text, looks.marked if guarded(text) != text else None)
