"""Workbooks of Office Open XML (.xlsx, .xlsm), read as a stream of cells.

No cell changes the reading of another, or the memory: a sheet is never laid out as a
rectangle. An unreadable cell is `UNREADABLE`; a cell with an error is empty.
"""

import posixpath
import re
import zipfile
from collections.abc import Iterator

from synth.foreign.cells import MAX_SHEET_COLUMNS, SheetRow, finite_text, iso_text
from synth.foreign.fault import UNREADABLE
from synth.foreign.numbers import BUILT_IN, MAC_EPOCH_DAYS, format_kind, moment_text
from synth.foreign.sheet_facts import TRUE_WORDS, SheetFacts
from synth.foreign.xml_parts import Attributes, Reader

_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")


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
        self._contents = _Contents()
        self._contents.read_all(archive, main)
        self.sheets = tuple(self._contents.sheets)
        self.merged = False
        self.facts = SheetFacts(hidden_sheets=len(self._contents.hidden_sheets))

    def rows(self, sheet: str) -> Iterator[tuple[int, SheetRow]]:
        """Yield the non-empty rows of a sheet, each as its number from 1 and its cells.

        The cells are texts by column, counted from 0; an empty text stands for an error.
        """
        shared = _Shared()
        shared.read_all(self._archive, self._parts.find_part("sharedStrings"))
        styles = _Styles()
        styles.read_all(self._archive, self._parts.find_part("styles"))
        self.facts.is_hidden = sheet in self._contents.hidden_sheets
        reader = _Sheet(shared.texts, styles.kinds, self._contents.first_day)
        reader.facts = self.facts
        for _ in reader.read(self._archive, self._parts.paths[self._contents.sheets[sheet]]):
            yield from reader.rows
            reader.rows = []
        self.merged = reader.merged


def column_number(letters: str) -> int:
    """Return the number of a column, from 0, by its letters.

    >>> column_number("A"), column_number("AA"), column_number("XFD")
    (0, 26, 16383)
    """
    number = 0
    for letter in letters:
        # "A" has the code 65 and counts as 1.
        number = 26 * number + ord(letter) - 64
    return number - 1


def related_parts(archive: zipfile.ZipFile, part: str) -> "Relations":
    """Return the parts to which a part refers; those of the whole archive if ``part`` is
    empty.
    """
    # The references of a part stand in a file of its name in a folder beside it.
    folder, name = posixpath.split(part)
    relations = Relations(folder)
    relations.read_all(archive, posixpath.join(folder, "_rels", f"{name}.rels"))
    return relations


class Relations(Reader):
    """The parts to which a part of a workbook refers.

    Attributes:
        paths: The path of each part by its name in the references.
    """

    def __init__(self, folder: str) -> None:
        """Begin without any part; paths in the file are relative to this folder of the
        zip.
        """
        super().__init__()
        self.begins = {"Relationship": self._relate}
        self._folder = folder
        self.paths: dict[str, str] = {}
        self._kinds: dict[str, str] = {}

    def find_part(self, kind: str) -> str:
        """Return the path of the part of a kind; empty if there is none."""
        return self._kinds.get(kind, "")

    def _relate(self, attributes: Attributes) -> None:
        """Note the path of a part, by its identifier and by the last word of its type."""
        path = posixpath.normpath(posixpath.join("/", self._folder, attributes["Target"]))
        self.paths[attributes["Id"]] = path.lstrip("/")
        self._kinds[attributes["Type"].rpartition("/")[2]] = path.lstrip("/")


class _Contents(Reader):
    """Reads the list of sheets, and from which day dates are counted."""

    def __init__(self) -> None:
        """Handle the elements that list a sheet, or set the first day."""
        super().__init__()
        self.begins = {"sheet": self._list, "workbookPr": self._date}
        # The identifier of each sheet's part, by the name of the sheet.
        self.sheets: dict[str, str] = {}
        self.hidden_sheets: set[str] = set()
        self.first_day = 0

    def _list(self, attributes: Attributes) -> None:
        """Note a sheet: its name, the identifier of its part, and whether it is hidden."""
        # The prefix of "id" differs between files.
        (identifier,) = (value for key, value in attributes.items() if key.endswith(":id"))
        self.sheets[attributes["name"]] = identifier
        if attributes.get("state", "visible") != "visible":
            self.hidden_sheets.add(attributes["name"])

    def _date(self, attributes: Attributes) -> None:
        """Note from which day dates are counted."""
        is_mac = attributes.get("date1904") in ("1", "true")
        self.first_day = MAC_EPOCH_DAYS if is_mac else 0


class _Styles(Reader):
    """Reads what the number format of each style of cells means."""

    def __init__(self) -> None:
        """Handle the elements of number formats and of styles."""
        super().__init__()
        self.begins = {"numFmt": self._name, "cellXfs": self._open, "xf": self._list}
        self.ends = {"cellXfs": self._close}
        # The meaning of each style's format, and that of each format by its number.
        self.kinds: list[str] = []
        self._own: dict[str, str] = {}
        self._are_cells = False

    def _name(self, attributes: Attributes) -> None:
        self._own[attributes["numFmtId"]] = format_kind(attributes["formatCode"])

    def _open(self, _: Attributes) -> None:
        self._are_cells = True

    def _close(self) -> None:
        self._are_cells = False

    def _list(self, attributes: Attributes) -> None:
        """Note what the format of a style means; only those within "cellXfs" are cells'."""
        number = attributes.get("numFmtId", "0")
        if self._are_cells:
            self.kinds.append(self._own.get(number, BUILT_IN.get(number, "")))


class _Texts(Reader):
    """Takes the texts and values of elements, but no phonetic hints ("rPh")."""

    def __init__(self) -> None:
        """Handle the elements that begin and end a text, a value or a hint."""
        super().__init__()
        self.begins = {"t": self._open_text, "v": self._open_text, "rPh": self._leave}
        self.ends = {"t": self._close_text, "v": self._close_text, "rPh": self._come_back}
        # Whether the reader is within a phonetic hint.
        self._aside = False

    def _open_text(self, _: Attributes) -> None:
        self.takes = not self._aside

    def _close_text(self) -> None:
        self.takes = False

    def _leave(self, _: Attributes) -> None:
        self._aside = True

    def _come_back(self) -> None:
        self._aside = False


class _Shared(_Texts):
    """Reads the texts that cells refer to by number."""

    def __init__(self) -> None:
        super().__init__()
        self.ends |= {"si": self._list}
        self.texts: list[str] = []

    def _list(self) -> None:
        self.texts.append(_unescape("".join(self.text)))
        self.text = []


class _Sheet(_Texts):
    """Reads the rows of a sheet, by its shared texts and the meanings of its styles."""

    def __init__(self, shared: list[str], kinds: list[str], first_day: int) -> None:
        """Begin before the first row.

        Args:
            shared: The texts that cells refer to by number.
            kinds: What the number format of each style means, by the number of the style.
            first_day: Days to add to dates, in workbooks that count from another day.
        """
        super().__init__()
        self.begins |= {"row": self._open_row, "c": self._open_cell, "mergeCell": self._merge}
        self.begins |= {"f": self._note_formula, "v": self._open_value, "col": self._hide}
        self.ends |= {"row": self._close_row, "c": self._close_cell}
        self.rows: list[tuple[int, SheetRow]] = []
        self.merged = False
        self.facts = SheetFacts()
        self._shared = shared
        self._kinds = kinds
        self._first_day = first_day
        # The number of each column by its letters.
        self._columns: dict[str, int] = {}
        self._row = 0
        self._column = -1
        self._cells: SheetRow = {}
        self._cell: Attributes = {}
        # Whether the cell has a formula, or a value of another type than text.
        self._holds_more = False
        # Whether the cell has a formula; whether the row is hidden, or has any cells, be they
        # blank.
        self._has_formula = False
        self._is_hidden_row = False
        self._has_cells = False

    def _hide(self, attributes: Attributes) -> None:
        """Note a group of columns if it is hidden."""
        if attributes.get("hidden") in TRUE_WORDS:
            group = (int(attributes["min"]) - 1, int(attributes["max"]) - 1)
            self.facts.hidden_columns.append(group)

    def _note_formula(self, _: Attributes) -> None:
        self._holds_more = True
        self._has_formula = True

    def _open_value(self, attributes: Attributes) -> None:
        # A value of another type than text is no blank, even if its text is empty.
        self._holds_more |= self._cell.get("t", "n") not in ("s", "str", "inlineStr")
        self._open_text(attributes)

    def _merge(self, _: Attributes) -> None:
        self.merged = True

    def _open_row(self, attributes: Attributes) -> None:
        """Begin a row, at its declared number or after the row before."""
        number = attributes.get("r", "")
        self._row = int(number) if number.isdecimal() else self._row + 1
        self._cells = {}
        self._column = -1
        self._is_hidden_row = attributes.get("hidden") in TRUE_WORDS
        self._has_cells = False

    def _close_row(self) -> None:
        """Store the row if it has texts; else count it as blank if it has empty cells."""
        if self._cells:
            self.rows.append((self._row, self._cells))
            self.facts.hidden_rows += self._is_hidden_row
        else:
            self.facts.blank_rows += self._has_cells

    def _open_cell(self, attributes: Attributes) -> None:
        """Begin a cell, at its declared column or after the cell before."""
        self._cell = attributes
        self.text = []
        self._holds_more = False
        self._has_formula = False
        self._has_cells = True
        letters = attributes.get("r", "").rstrip("0123456789")
        # Numbers of columns are stored, as they are needed in every row; -1 for none.
        if letters not in self._columns:
            self._columns[letters] = column_number(letters) if letters else -1
        column = self._columns[letters]
        self._column = self._column + 1 if column < 0 else column

    def _close_cell(self) -> None:
        """Store the cell's text; an empty one only if the cell is not blank."""
        text = self._value("".join(self.text)) if self.text else ""
        # A formula may give a text that is empty.
        is_text = self._cell.get("t", "n") == "str"
        self.facts.unsaved_formulas += self._has_formula and not self.text and not is_text
        if (text or self._holds_more) and self._column < MAX_SHEET_COLUMNS:
            self._cells[self._column] = text

    def _value(self, text: str) -> str:
        """Return the text of a cell from its content, by its type and its number format.

        `UNREADABLE` if the content does not fit the type, and empty for an error.
        """
        try:
            # A shared text, a text, a truth value, an error or a date; else a number.
            match self._cell.get("t", "n"):
                case "s":
                    return self._shared[int(text)]
                case "str" | "inlineStr":
                    return _unescape(text)
                case "b":
                    return "false" if text in ("0", "false") else "true"
                case "e":
                    return ""
                case "d":
                    return iso_text(text)
            # What the cell's style says of the number: a date, a duration, or "" for neither.
            kind = self._kinds[int(self._cell["s"])] if "s" in self._cell else ""
            number = float(text)
        except (ValueError, IndexError):
            return UNREADABLE
        return moment_text(number, kind, self._first_day) if kind else finite_text(number)


def _unescape(text: str) -> str:
    """Return a text with escaped characters, such as ``_x000A_``, as themselves.

    The escape has the code of the character as four hexadecimal digits.
    """
    if "_x" not in text:  # as in most texts; the search is quicker than the expression
        return text
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
