"""Sheets of OpenDocument (.ods), read as a stream of cells."""

import re
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta

from synth.foreign.cells import MAX_SHEET_COLUMNS, SheetRow, cell_text, finite_text, iso_text
from synth.foreign.fault import UNREADABLE
from synth.foreign.sheet_facts import SheetFacts
from synth.foreign.xml_parts import Attributes, Reader

CONTENT = "content.xml"
# Elements of a cell that are not its text.
ASIDE = ("annotation", "frame", "custom-shape", "shapes")
CELLS = ("table-cell", "covered-table-cell")
_TIME = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")


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
        self.merged = False
        contents = _Contents()
        contents.read_all(archive, CONTENT)
        self.sheets = tuple(contents.sheets)
        self._hidden_sheets = contents.hidden_sheets
        self.facts = SheetFacts(hidden_sheets=len(self._hidden_sheets))

    def rows(self, sheet: str) -> Iterator[tuple[int, SheetRow]]:
        """Yield the non-empty rows of a sheet, each as its number from 1 and its cells.

        The cells are texts by column, counted from 0.
        """
        self.facts.is_hidden = sheet in self._hidden_sheets
        reader = _Sheet(sheet)
        reader.facts = self.facts
        number = 0
        for _ in reader.read(self._archive, CONTENT):
            for times, cells in reader.rows:
                if not cells:  # an empty row may be repeated to the end of the sheet
                    number += times
                    continue
                for _ in range(times):
                    number += 1
                    yield number, cells
            reader.rows = []
        self.merged = reader.merged


class _Contents(Reader):
    """Reads the names of the sheets, and which of them are hidden."""

    def __init__(self) -> None:
        """Handle the elements of sheets, and of styles, which stand before them."""
        super().__init__()
        self.begins = {
            "style": self._open_style,
            "table-properties": self._note_display,
            "table": self._list,
        }
        self.sheets: list[str] = []
        self.hidden_sheets: set[str] = set()
        self._style = ""
        self._hiding_styles: set[str] = set()

    def _open_style(self, attributes: Attributes) -> None:
        self._style = attributes.get("style:name", "")

    def _note_display(self, attributes: Attributes) -> None:
        if attributes.get("table:display") == "false":
            self._hiding_styles.add(self._style)

    def _list(self, attributes: Attributes) -> None:
        self.sheets.append(_name(attributes))
        if attributes.get("table:style-name") in self._hiding_styles:
            self.hidden_sheets.add(_name(attributes))


class _Sheet(Reader):
    """Reads the rows of one sheet."""

    def __init__(self, sheet: str) -> None:
        """Begin before the first row of the sheet of this name."""
        super().__init__()
        self.begins = {"table": self._open_table}
        # How often each row is repeated, and its cells.
        self.rows: list[tuple[int, SheetRow]] = []
        self.merged = False
        self.facts = SheetFacts()
        self._sheet = sheet
        self._is_hidden_row = False
        # The number of columns whose declarations were read.
        self._declared_columns = 0
        # How many elements that are not the cell's text are open, such as notes; paragraphs
        # of the cell so far; and the column of the next cell.
        self._aside = self._paragraphs = self._column = 0
        self._times = 1
        self._cells: SheetRow = {}
        self._cell: Attributes = {}

    def _open_table(self, attributes: Attributes) -> None:
        """Handle the elements of a table from now on, if it is the sheet to read."""
        if _name(attributes) != self._sheet:
            return
        self.begins |= dict.fromkeys(CELLS, self._open_cell) | dict.fromkeys(
            ASIDE, self._leave
        )
        self.begins |= {"table-column": self._open_columns}
        self.begins |= {"table-row": self._open_row, "p": self._open_text, "s": self._space}
        # Elements that stand for a character; their attributes say nothing.
        self.begins |= {
            "tab": lambda _: self._add("\t"),
            "line-break": lambda _: self._add("\n"),
        }
        self.ends |= dict.fromkeys(CELLS, self._close_cell) | dict.fromkeys(
            ASIDE, self._come_back
        )
        self.ends |= {"table-row": self._close_row, "p": self._close_text}
        self.ends |= {"table": self._close_table}

    def _close_table(self) -> None:
        self.begins = {}
        self.ends = {}

    def _open_columns(self, attributes: Attributes) -> None:
        """Note a group of columns if it is hidden."""
        first = self._declared_columns
        self._declared_columns += int(attributes.get("table:number-columns-repeated", 1))
        if _is_hidden(attributes):
            self.facts.hidden_columns.append((first, self._declared_columns - 1))

    def _open_row(self, attributes: Attributes) -> None:
        """Begin a row, which the file may repeat."""
        self._is_hidden_row = _is_hidden(attributes)
        self._times = int(attributes.get("table:number-rows-repeated", 1))
        self._cells = {}
        self._column = 0

    def _close_row(self) -> None:
        """Store the row with the number of its repetitions."""
        if self._cells and self._is_hidden_row:
            self.facts.hidden_rows += self._times
        self.rows.append((self._times, self._cells))

    def _open_cell(self, attributes: Attributes) -> None:
        """Begin a cell, and note whether it is merged or has a formula without a value."""
        self._cell = attributes
        self.text = []
        self._paragraphs = 0
        spans = ("table:number-columns-spanned", "table:number-rows-spanned")
        self.merged |= any(attributes.get(span, "1") != "1" for span in spans)
        if "table:formula" in attributes and "office:value-type" not in attributes:
            self.facts.unsaved_formulas += 1

    def _close_cell(self) -> None:
        """Store the cell's text in as many columns as the cell is repeated; a blank one is
        not stored.
        """
        times = int(self._cell.get("table:number-columns-repeated", 1))
        if text := self._value():
            last = min(self._column + times, MAX_SHEET_COLUMNS)
            self._cells |= dict.fromkeys(range(self._column, last), text)
        self._column += times

    def _leave(self, _: Attributes) -> None:
        self._aside += 1
        self.takes = False

    def _come_back(self) -> None:
        self._aside -= 1

    def _open_text(self, _: Attributes) -> None:
        """Take the text of a paragraph; every paragraph of a cell after the first is on a new
        line.
        """
        if not self._aside:
            if self._paragraphs:
                self._add("\n")
            self._paragraphs += 1
            self.takes = True

    def _close_text(self) -> None:
        self.takes = False

    def _space(self, attributes: Attributes) -> None:
        self._add(" " * min(MAX_SHEET_COLUMNS, int(attributes.get("text:c", 1))))

    def _add(self, text: str) -> None:
        if not self._aside:
            self.text.append(text)

    def _value(self) -> str:
        """Return the text of a cell by its type; `UNREADABLE` if its value does not fit the
        type.
        """
        cell = self._cell
        try:
            match cell.get("office:value-type", ""):
                case "float" | "percentage" | "currency":
                    return finite_text(float(cell["office:value"]))
                case "date":
                    return iso_text(cell["office:date-value"])
                case "time":
                    return _time_text(cell["office:time-value"])
                case "boolean":
                    return cell["office:boolean-value"]
                case "string":
                    return cell.get("office:string-value") or "".join(self.text)
        except (KeyError, ValueError, OverflowError):
            return UNREADABLE
        return ""


def _is_hidden(attributes: Attributes) -> bool:
    """Return whether a row or a group of columns is hidden, by hand or by a filter."""
    return attributes.get("table:visibility", "visible") != "visible"


def _name(attributes: Attributes) -> str:
    return attributes.get("table:name", "")


def _time_text(text: str) -> str:
    """Return the text of a time of day; a duration of a day or more stays unchanged.

    Raises:
        ValueError: It is no duration of hours, minutes and seconds in ISO 8601.
    """
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError
    hours, minutes, seconds = (float(part or 0) for part in match.groups())
    duration = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return text if duration.days else cell_text((datetime.min + duration).time())
