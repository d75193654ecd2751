r"""Code books as sheets: one row per column or per value, in any layout.

Each column of the sheet has a *role*. Synth guesses roles from the first row; the steward
corrects them.

>>> sheet = sheet_of("Variable;Code;Meaning\nsex;1;male\n;2;female\n")
>>> sheet.roles
{'name': 0, 'value': 1, 'label': 2}
>>> from_sheet(sheet)[0]["fields"][0]["constraints"]["enum"]
['1', '2']
"""

import csv
import io
import itertools
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn

from synth import limits
from synth.domain.codebooks.packed import split_codes, split_range
from synth.domain.codebooks.redcap import from_redcap, is_redcap
from synth.domain.codebooks.variables import (
    NUMBERS,
    Converted,
    Variable,
    as_schema,
    is_number,
    listed_codes,
    refuse_codebook,
)
from synth.errors import LimitError, name_some

_VOCABULARY = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
# Roles of a sheet's columns, with their titles.
ROLES: dict[str, str] = _VOCABULARY["roles"]
ROLES_BY_HEADER = {
    word: role for role, words in _VOCABULARY["headers"].items() for word in words
}
KINDS_BY_NAME = {word: kind for kind, words in _VOCABULARY["kinds"].items() for word in words}
ORDERED = ("ordinal", "ordered")
SHEET_DELIMITERS = (",", ";", "\t", "|")
# Roles that, with names, make a sheet a code book beyond doubt.
CERTAIN_ROLES = ({"value"}, {"values"}, {"type"}, {"minimum", "maximum"}, {"range"})
# Possible headers of a plain code book.
HEADERS = [
    {"column", "name", "variable", "field"},
    {"category", "value", "code"},
    {"label", "meaning", "description"},
]
# Number of first rows in which the header is searched, enough to set the roles.
ROLE_ROWS = 6
# Most columns of a code book that may lack a header: name, category and label.
PLAIN_WIDTH = 3
SHEET_COLUMNS = 200
UNTITLED = (
    "The code book has no line of titles: the first cell of each row is read as the name of "
    "a column, the second as a value."
)
# Most columns of a code book, and most cells if all rows are as long as the longest.
SHEET_CELLS = 4_000_000
# Most titles of a sheet's columns that a sentence names, and most characters of each.
SHOWN_TITLES = 12
TITLE_LENGTH = 60
_APOSTROPHE = re.compile(r"^'(?=['=+\-@\t])")


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A sheet of text.

    Attributes:
        rows: Its rows, padded to one width, without a header row.
        header: Titles of its columns; numbers if there is no header row.
        roles: The position of each role, as far as the header shows.
        has_titles: Whether the first row of the sheet was its header.
        left_out_rows: Number of rows that are not among `rows`.
    """

    rows: tuple[tuple[str, ...], ...]
    header: tuple[str, ...]
    roles: Mapping[str, int] = field(default_factory=dict)
    has_titles: bool = True
    left_out_rows: int = 0

    @property
    def count(self) -> int:
        """The number of rows, those left out included."""
        return len(self.rows) + self.left_out_rows

    @property
    def is_sure(self) -> bool:
        """Whether the roles of its columns make the sheet a code book beyond doubt.

        A code book names the table's columns, and says their values, types or bounds; or it
        describes each in a second and last column.
        """
        if self.roles.keys() == {"name", "description"} and len(self.header) == 2:
            return True
        has_certain_role = any(roles <= self.roles.keys() for roles in CERTAIN_ROLES)
        return "name" in self.roles and has_certain_role

    @property
    def is_plain(self) -> bool:
        """Whether the sheet is a code book beyond doubt, and every column has a role."""
        return self.is_sure and len(self.roles) == len(self.header)

    def name_titles(self) -> str:
        """Return words on the columns that name them, if they surely have titles.

        If no title is a known one, the first line may be a row of the confidential table,
        given by mistake. Then the columns are numbered.
        """
        if not self.roles or not self.has_titles:
            return f"columns 1 to {len(self.header)}, whose titles are none of the known ones"
        titles = [f"'{title[:TITLE_LENGTH]}'" for title in self.header]
        return name_some(titles, SHOWN_TITLES)

    def with_titles(self) -> "Sheet":
        """Return the sheet with its first row as its header."""
        if self.has_titles:
            return self
        return Sheet(
            rows=self.rows[1:],
            header=self.rows[0],
            roles=guess_roles(self.rows[0]),
            left_out_rows=self.left_out_rows,
        )

    def beginning(self) -> "Sheet":
        """Return the first rows with shortened cells, enough to choose the roles."""
        rows = tuple(map(_shorten_cells, self.rows[:ROLE_ROWS]))
        return replace(
            self,
            rows=rows,
            header=_shorten_cells(self.header),
            left_out_rows=self.count - len(rows),
        )


def _shorten_cells(row: Sequence[str]) -> tuple[str, ...]:
    return tuple(cell[: limits.NAME_LENGTH] for cell in row)


def sheet_of(text: str) -> Sheet:
    """Read a sheet from delimited text.

    Raises:
        DomainError: It is no sheet.
        LimitError: It has more columns or rows than a code book can have.
    """
    return arrange_sheet(_split_rows(text))


def arrange_sheet(rows: Sequence[Sequence[str]]) -> Sheet:
    """Return rows as a sheet with its header and the guessed roles of its columns.

    Rows of a title above the header are left out, and so are empty rows. Rows of up to three
    cells may have no header.

    Args:
        rows: The cells of each row; rows may differ in length.

    Raises:
        DomainError: It is empty.
        LimitError: It has more columns or cells than a code book can have.
    """
    filled = [[*map(str.strip, row)] for row in rows if any(cell.strip() for cell in row)]
    if not filled:
        refuse_codebook("The code book is empty.")
    width = max(map(len, filled))
    if width > SHEET_COLUMNS:
        raise LimitError(
            f"The code book has {width:,} columns; the limit is {SHEET_COLUMNS}."
        )
    if width * len(filled) > SHEET_CELLS:
        raise LimitError(
            f"The code book has {len(filled):,} rows, the longest of {width} cells; the "
            f"limit is {SHEET_CELLS:,} cells."
        )
    padded = [(*row, *itertools.repeat("", width - len(row))) for row in filled]
    padded = padded[_count_titles(padded) :]
    roles = guess_roles(padded[0])
    # The first row is a header if it has known titles, or if the sheet is too wide for one
    # without a header.
    if roles or width > PLAIN_WIDTH or is_redcap(padded[0]):
        return Sheet(rows=tuple(padded[1:]), header=padded[0], roles=roles)
    numbers = tuple(f"column {i}" for i in range(1, width + 1))
    roles = {"name": 0, "description": 1} if _are_descriptions(padded) else {}
    return Sheet(rows=tuple(padded), header=numbers, roles=roles, has_titles=False)


def _count_titles(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of rows above the header, which must fill fewer cells than it.

    The header is the first row that holds a title of names and another known title. It is 0
    if there is none among the first rows, or if a row above it is as full.
    """
    for place, row in enumerate(rows[:ROLE_ROWS]):
        roles = guess_roles(row)
        if "name" in roles and len(roles) > 1:
            are_titles = all(
                _count_filled(title) < _count_filled(row) for title in rows[:place]
            )
            return place if are_titles else 0
    return 0


def _count_filled(row: Sequence[str]) -> int:
    return sum(cell != "" for cell in row)


def _are_descriptions(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether rows without a header seem to be names and their descriptions.

    Then the first cells all differ, and most of the second cells have several words.
    """
    names = {row[0] for row in rows}
    sentences = sum(len(row[1].split()) > 1 for row in rows if len(row) == 2)
    all_differ = len(names) == len(rows) > 1
    return all_differ and 2 * sentences > len(rows)


def guess_roles(header: Sequence[str]) -> dict[str, int]:
    """Return the position of the column for each role that a known title names.

    Roles are "name", "value", "label" and so on, in the order of their columns.
    """
    # "Variable_Name" and "variable name" are the same title.
    titles = [" ".join(re.sub(r"[_.\W]+", " ", cell).lower().split()) for cell in header]
    roles: dict[str, int] = {}
    for place, title in enumerate(titles):
        role = ROLES_BY_HEADER.get(title)
        if role is not None and role not in roles:
            roles[role] = place
    # With one row for each value, its text is the label of the value, not of the column.
    if "value" in roles and "label" not in roles and "description" in roles:
        roles["label"] = roles.pop("description")
    if "label" in roles and not {"value", "values"} & roles.keys():
        roles.setdefault("description", roles.pop("label"))
    return dict(sorted(roles.items(), key=lambda item: item[1]))


def from_sheet(sheet: Sheet, roles: Mapping[str, int] | None = None) -> Converted:
    """Return a Table Schema of a sheet, and notes on missing information.

    Args:
        sheet: The sheet, with one row for each column of the table or for each value.
        roles: The position of its column for each role; None for the ones that were guessed.

    Raises:
        DomainError: The roles are not enough, or a value is listed twice.
    """
    if roles is None and is_redcap(sheet.header):
        return from_redcap([sheet.header, *sheet.rows])
    roles = sheet.roles if roles is None else roles
    if "name" not in roles:
        refuse_codebook("Say which column of the code book holds the names of the columns.")
    variables: dict[str, Variable] = {}
    name = ""
    # In messages the header, if there is one, is row 1.
    for number, row in enumerate(sheet.rows, 1 + sheet.has_titles):
        cells = {role: row[place] for role, place in roles.items() if row[place]}
        # A row without a name goes on with the column above.
        name = _plain_text(cells.get("name", name))
        if not name:
            refuse_codebook(f"Row {number} of the code book names no column.")
        # A row of the code book that names a missing value makes it optional.
        variable = variables.setdefault(name, Variable(name=name, required=True))
        _add(variable, cells, number)
    if len(variables) > limits.FIELDS:
        raise LimitError(
            f"The code book has {len(variables):,} columns; the limit is {limits.FIELDS:,}."
        )
    for variable in variables.values():
        _settle(variable)
    return as_schema([*variables.values()])


def _plain_text(cell: str) -> str:
    """Return a cell without extra blanks and the apostrophe that guards a formula."""
    return " ".join(_APOSTROPHE.sub("", cell).split())


def _add(variable: Variable, cells: Mapping[str, str], row_number: int) -> None:
    """Add to the description of a column what a row of the sheet says, in place.

    Args:
        variable: The column.
        cells: The cells of the row that are not empty, by role.
        row_number: Its number, from 1 with the header.

    Raises:
        DomainError: The row lists a value that an earlier one lists.
    """
    if "type" in cells:
        # "decimal(10, 2)" is a decimal.
        type_name = cells["type"].lower().split("(")[0].strip()
        variable.kind = KINDS_BY_NAME.get(type_name, variable.kind)
        variable.ordered = type_name in ORDERED
    variable.description = variable.description or cells.get("description", "")
    variable.form = variable.form or cells.get("format", "")
    # Of several rows the first description and format count, and the last bounds.
    variable.low = cells.get("minimum", variable.low)
    variable.high = cells.get("maximum", variable.high)
    if "missing" in cells:
        variable.missing |= split_codes(cells["missing"])
    has_label = bool(cells.get("label", "").strip())
    # A cell such as "1-5" is a range, unless it has a label: then it is a category.
    values = cells.get("values", "")
    for range_text in (cells.get("range", ""), values):
        ends = split_range(range_text)
        if ends and not has_label:
            variable.low, variable.high = ends
    codes: dict[str, str] = {}
    if values and (has_label or not split_range(values)):
        codes = split_codes(values)
    if "value" in cells:
        codes[_plain_text(cells["value"])] = cells.get("label", "")
    for code, label in codes.items():
        if code in variable.codes:
            _refuse_repeat(row_number)
        variable.codes[code] = label


def _settle(variable: Variable) -> None:
    """Sort a column's codes into its range, its codes for missing values and its values.

    The column is changed in place, after all rows of the sheet were added to it.
    """
    ranges = [
        code for code, label in variable.codes.items() if not label and split_range(code)
    ]
    others = [code for code in variable.codes if code not in ranges]
    # One code such as "1-99" among numbers is the column's range, and no category.
    if len(ranges) == 1 and not variable.low and all(map(is_number, others)):
        del variable.codes[ranges[0]]
        variable.low, variable.high = split_range(ranges[0]) or ("", "")
    for code in variable.missing:
        # Its label in the list of values counts before that in the cell of missing codes.
        variable.missing[code] = variable.codes.pop(code, "") or variable.missing[code]
    variable.required = not variable.missing
    words = [code for code in variable.codes if not is_number(code)]
    if variable.kind in NUMBERS and variable.low and words:
        # Words among the codes of a number with a range can only stand for missing values.
        variable.missing |= {code: variable.codes.pop(code) for code in words}
        variable.required = False


def _split_rows(text: str) -> list[list[str]]:
    """Return the rows of delimited text, without empty ones.

    The delimiter is the one that gives most rows of the same width of 2 or more. Of two such
    delimiters, the one with wider rows counts; then the first. DomainError is raised if no
    delimiter fits.
    """
    most_rows = 0
    widest = 0
    best_rows: list[list[str]] = []
    for delimiter in SHEET_DELIMITERS:
        try:
            rows = [*csv.reader(io.StringIO(text), delimiter=delimiter)]
        except csv.Error:
            continue
        filled = [row for row in rows if any(map(str.strip, row))]
        width, count = _commonest_width(filled)
        if (count, width) > (most_rows, widest):
            most_rows = count
            widest = width
            best_rows = filled
    if not best_rows and text.strip():
        refuse_codebook(
            "The code book has one column only; expected names and possible values."
        )
    return best_rows


def _commonest_width(rows: Sequence[Sequence[str]]) -> tuple[int, int]:
    """Return the commonest width of rows of 2 cells or more, and the number of such rows.

    Of two widths that are as common, the first counts. If all rows have one cell, it returns
    the width 1 and no rows, so that any other delimiter is better.
    """
    counts = Counter(len(row) for row in rows if len(row) > 1)
    if counts:
        return counts.most_common(1)[0]
    return (1 if rows else 0), 0


def read_codebook(text: str) -> Converted:
    """Return a Table Schema of a code book of two or three columns as CSV text, with a note.

    Each row holds the name of a column, a category and perhaps its label. The first row may
    be a header. Without one the file may be the confidential table by mistake. So no message
    shows a cell then, and the rows of a column must follow each other.

    Raises:
        DomainError: Rows are other ones, or list a category twice, or look like those of a
            table.

    >>> read_codebook("column,category\\nsex,F\\nsex,M")[0]["fields"][0]["constraints"][
    ...     "enum"
    ... ]
    ['F', 'M']
    """
    rows = [row for row in csv.reader(io.StringIO(text)) if any(cell.strip() for cell in row)]
    width = len(rows[0]) if rows else 0
    wrong_rows = [
        number
        for number, row in enumerate(rows, 1)
        if len(row) != width or not row[0].strip()
    ]
    if width not in (2, 3) or wrong_rows:
        where = f" in row {wrong_rows[0]}" if wrong_rows else ""
        refuse_codebook(
            "A code book has two columns, a name and a category, and perhaps a third for the "
            f"label; expected both{where}."
        )
    has_titles = all(
        cell.strip().lower() in possible_titles
        for cell, possible_titles in zip(rows[0], HEADERS, strict=False)
    )
    if has_titles:
        rows = rows[1:]
    elif not _are_grouped([row[0].strip() for row in rows]):
        refuse_codebook(
            "The code book has no line of titles, and its rows are not grouped by the column "
            "that they describe, so it may be the table itself: write the titles name, value "
            "and label above its rows if it is a code book."
        )
    labels_by_column: dict[str, dict[str, str]] = {}
    # The label is a list of one text or none.
    for number, (name, code, *label) in enumerate(rows, 1 + has_titles):
        labels = labels_by_column.setdefault(name.strip(), {})
        if code.strip() in labels:
            _refuse_repeat(number)
        labels[code.strip()] = label[0].strip() if label else ""
    fields = [
        {"name": name, **listed_codes(labels)} for name, labels in labels_by_column.items()
    ]
    return {"fields": fields}, [] if has_titles else [UNTITLED]


def _are_grouped(names: Sequence[str]) -> bool:
    """Return whether rows of one name follow each other, and some name has several.

    Rows of a table are seldom in such an order.
    """
    groups = [name for name, _ in itertools.groupby(names)]
    return len({*groups}) == len(groups) < len(names)


def _refuse_repeat(row_number: int) -> NoReturn:
    """Refuse a code book with a value that an earlier row lists; no cell is shown.

    Args:
        row_number: The number of the row, from 1 with the header.
    """
    refuse_codebook(
        f"Row {row_number:,} of the code book lists a value that an earlier row lists for "
        "the same column."
    )
