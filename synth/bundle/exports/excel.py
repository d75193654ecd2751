"""Excel: a sheet of rows, and one that describes the columns. PUBLIC.

Rows are written one after the other, not held in memory. Texts are text cells, which no
program runs. Texts that a spreadsheet would take for a formula after an edit are marked as
text.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synth.bundle.exports.columns import HeldColumn, Storage
from synth.bundle.exports.format import FileFormat
from synth.domain import DAY, Binned, Domain
from synth.errors import LimitError, ReleaseError
from synth.foreign import Folder
from synth.util import check_deadline

if TYPE_CHECKING:
    from synth.rows import SyntheticTable


DICTIONARY_HEADER = ("column", "about", "kind", "values", "value", "stands for")
# The steward may stop the writing after so many rows.
ROWS_BETWEEN_CHECKS = 1_000
# Rows of a sheet of Excel, without the head.
_SHEET_ROWS = 2**20 - 1


@dataclass(frozen=True, eq=False)
class Excel(FileFormat):
    """Workbooks of Excel, with a sheet of rows and one of columns."""

    def check(self, domain: Domain, rows: int) -> None:
        """Check that the rows, and the values that the columns list, fit in a sheet each.

        Args:
            domain: The declared columns.
            rows: The number of rows.

        Raises:
            LimitError: They are too many.
        """
        super().check(domain, rows)
        # The sheet of columns has a row for each column, and for each value that it lists.
        if sum(1 + column.list_size for column in domain.written_columns) > self.max_rows:
            raise LimitError(
                f"The columns list more than {self.max_rows:,} values, the rows of a sheet "
                "of Excel."
            )

    def hold_texts(self, variable: HeldColumn, column: Binned) -> HeldColumn:  # noqa: ARG002 - other formats use the column
        """Hold numbers, and the texts among them in cells of text.

        Args:
            variable: The column as texts, with its name.
            column: The declared column.
        """
        texts = variable.texts_among_values
        return replace(
            variable, storage=Storage.NUMBER, text_codes={text: text for text in texts}
        )

    def write(self, rows: "SyntheticTable", path: Path) -> None:
        """Write a workbook with a sheet of the rows and a sheet that describes the columns.

        Raises:
            ReleaseError: The file cannot be written; or the steward stopped it.
        """
        library: Any = import_module("xlsxwriter")
        with Folder() as folder:
            # Each row goes to a temporary file at once, in a private folder.
            book = library.Workbook(
                str(path), {"constant_memory": True, "tmpdir": str(folder)}
            )
            try:
                self._fill(book, rows)
                check_deadline()
                book.close()
            except library.exceptions.XlsxWriterException:
                raise ReleaseError(f"The file '{path}' cannot be written.") from None
            finally:
                # The library closes the files of its sheets only with a whole workbook.
                for sheet in book.worksheets():
                    sheet.row_data_fh.close()

    def _fill(self, book: Any, rows: "SyntheticTable") -> None:
        """Add the sheet of the rows and the sheet that describes the columns.

        Args:
            book: The empty workbook.
            rows: The rows.
        """
        # A fixed time, so that the same rows give the same bytes.
        book.set_properties({"title": "Synthetic rows", "created": datetime(1980, 1, 1)})
        styles = _Styles(book)
        self._write_rows(book.add_worksheet("rows"), rows, styles)
        sheet = book.add_worksheet("columns")
        sheet.freeze_panes(1, 0)
        for place, title in enumerate(DICTIONARY_HEADER):
            sheet.write_string(0, place, title, styles.head)
        for row, texts in enumerate(_describe_domain(rows.domain), 1):
            for place, text in enumerate(texts):
                if text:
                    _text(sheet, row, place, text=text, styles=styles)

    def _write_rows(self, sheet: Any, rows: "SyntheticTable", styles: "_Styles") -> None:
        """Write the names of the columns, then the rows; a missing value has no cell.

        Args:
            sheet: The empty sheet.
            rows: The rows.
            styles: The formats of cells in this workbook.
        """
        variables = self.hold(rows.domain)  # how Excel holds each column
        sheet.freeze_panes(1, 0)  # the names stay in view
        for place, variable in enumerate(variables):
            sheet.write_string(0, place, variable.name, styles.head)
        style_of = [styles.find_format(variable) for variable in variables]
        for row, cells in enumerate(self.list_rows(rows), 1):
            if row % ROWS_BETWEEN_CHECKS == 0:
                check_deadline()
            for place, cell in enumerate(cells):
                is_missing = cell is None or cell != cell  # only NaN differs from itself
                if is_missing:
                    continue
                # A column of numbers may have texts among them.
                if isinstance(cell, str):
                    _text(sheet, row, place, text=cell, styles=styles)
                else:
                    sheet.write_number(row, place, cell, style_of[place])


EXCEL = Excel(
    name="xlsx",
    title="Excel",
    mime="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    package="xlsxwriter",
    remarks=(
        f"A sheet holds {_SHEET_ROWS:,} rows below its head and no more.",
        "The sheet 'columns' explains the codes.",
    ),
    max_rows=_SHEET_ROWS,
    max_text=32_767,
    max_digits=15,
    keeps_control=True,
    # Excel counts a 29 February 1900 that never was, so its dates are right from March on.
    first_date=datetime(1900, 3, 1),
    epoch=datetime(1899, 12, 30),
    date_units=(DAY, DAY),
)


class _Styles:
    """The formats of cells in a workbook."""

    def __init__(self, book: Any) -> None:
        """Add the formats to a workbook of xlsxwriter.

        Texts with ``quote_prefix`` stay texts when somebody edits them.
        """
        self.head = book.add_format({"bold": True})
        self.marked = book.add_format({"quote_prefix": True})
        self.date = book.add_format({"num_format": "yyyy-mm-dd"})
        self.time = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})

    def find_format(self, variable: HeldColumn) -> Any:
        """Return xlsxwriter's format of a column's cells; None for all but dates.

        Dates without a time of day have a format of their own.
        """
        if variable.storage is not Storage.DATE:
            return None
        assert isinstance(variable.column, Binned)
        return self.date if variable.column.step == DAY else self.time


def _describe_domain(domain: Domain) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the sheet that describes the columns.

    A row has a text for each part of `DICTIONARY_HEADER`. Each column has one row, and one
    more for each value that it lists or explains.
    """
    for column in domain.written_columns:
        values = "" if column.list_size else column.in_words
        yield column.name, column.description, column.kind, values, "", ""
        for label in column.labels if column.list_size else column.meanings:
            yield column.name, "", "", "", label, column.meanings.get(label, "")


def _text(sheet: Any, row: int, place: int, *, text: str, styles: _Styles) -> None:
    """Write a text into a cell, marked if a spreadsheet would take it for a formula.

    Args:
        sheet: The sheet.
        row: The number of the row, from 0.
        place: The number of the column, from 0.
        text: The text.
        styles: The formats of cells in this workbook.
    """
    from synth.bundle.guard import guard_cell

    sheet.write_string(row, place, text, styles.marked if guard_cell(text) != text else None)
