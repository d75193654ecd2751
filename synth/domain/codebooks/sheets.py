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
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

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
from synth.errors import LimitError

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
SHEET_COLUMNS = 200
# Most columns of a code book, and most cells if all rows are as long as the longest.
SHEET_CELLS = 4_000_000
_APOSTROPHE = re.compile(r"^'(?=['=+\-@\t])")


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A sheet of text.

    Attributes:
        rows: Its rows, padded to one width, without a header row.
        header: Titles of its columns; numbers if there is no header row.
        roles: The position of each role, as far as the header shows.
        more: Number of rows left out here.
    """

    rows: tuple[tuple[str, ...], ...]
    header: tuple[str, ...]
    roles: Mapping[str, int] = field(default_factory=dict)
    has_titles: bool = True
    more: int = 0

    @property
    def count(self) -> int:
        return len(self.rows) + self.more

    @property
    def is_sure(self) -> bool:
        if self.roles.keys() == {"name", "description"} and len(self.header) == len(
            self.roles
        ):
            return True
        return "name" in self.roles and any(
            needed <= self.roles.keys() for needed in CERTAIN_ROLES
        )

    @property
    def is_plain(self) -> bool:
        return self.is_sure and len(self.roles) == len(self.header)

    def with_titles(self) -> "Sheet":
        if self.has_titles:
            return self
        return Sheet(
            rows=self.rows[1:],
            header=self.rows[0],
            roles=guess_roles(self.rows[0]),
            more=self.more,
        )

    def beginning(self) -> "Sheet":
        first = (self.header, *self.rows[:ROLE_ROWS])
        header, *rows = (tuple(cell[: limits.NAME_LENGTH] for cell in row) for row in first)
        return replace(self, rows=tuple(rows), header=header, more=self.count - len(rows))


def sheet_of(text: str) -> Sheet:
    """Read a sheet from delimited text.

    Raises:
        DomainError: It is no sheet.
        LimitError: It has more columns or rows than a code book can have.
    """
    return arrange_sheet(_rows(text))


def arrange_sheet(rows: Sequence[Sequence[str]]) -> Sheet:
    """Find the header of rows, and guess their roles.

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
    even = [tuple(row + [""] * (width - len(row))) for row in filled]
    even = even[_count_titles(even) :]
    roles = guess_roles(even[0])
    if roles or width > 3 or is_redcap(even[0]):
        return Sheet(rows=tuple(even[1:]), header=even[0], roles=roles)
    numbers = tuple(f"column {i}" for i in range(1, width + 1))
    roles = {"name": 0, "description": 1} if _are_descriptions(even) else {}
    return Sheet(rows=tuple(even), header=numbers, roles=roles, has_titles=False)


def _count_titles(rows: Sequence[Sequence[str]]) -> int:
    for place, row in enumerate(rows[:ROLE_ROWS]):
        roles, cells = guess_roles(row), sum(map(bool, row))
        if "name" in roles and len(roles) > 1:
            return (
                place if all(sum(map(bool, title)) < cells for title in rows[:place]) else 0
            )
    return 0


def _are_descriptions(rows: Sequence[Sequence[str]]) -> bool:
    names = {row[0] for row in rows}
    sentences = sum(len(row[1].split()) > 1 for row in rows if len(row) == 2)
    return len(names) == len(rows) > 1 and 2 * sentences > len(rows)


def guess_roles(header: Sequence[str]) -> dict[str, int]:
    titles = [" ".join(re.sub(r"[_.\W]+", " ", cell).lower().split()) for cell in header]
    roles: dict[str, int] = {}
    for place, title in enumerate(titles):
        role = ROLES_BY_HEADER.get(title)
        if role is not None and role not in roles:
            roles[role] = place
    if "value" in roles and "label" not in roles and "description" in roles:
        roles["label"] = roles.pop("description")
    if "label" in roles and not {"value", "values"} & roles.keys():
        roles.setdefault("description", roles.pop("label"))
    return dict(sorted(roles.items(), key=lambda item: item[1]))


def from_sheet(sheet: Sheet, roles: Mapping[str, int] | None = None) -> Converted:
    """Return a Table Schema of a sheet; the roles are guessed by default.

    Raises:
        DomainError: The roles are not enough, or a value is listed twice.
    """
    if roles is None and is_redcap(sheet.header):
        return from_redcap([sheet.header, *sheet.rows])
    roles = sheet.roles if roles is None else roles
    if "name" not in roles:
        refuse_codebook("Say which column of the code book holds the names of the columns.")
    found: dict[str, Variable] = {}
    name = ""
    for number, row in enumerate(sheet.rows, 2):
        said = {role: row[place] for role, place in roles.items() if row[place]}
        name = " ".join(_APOSTROPHE.sub("", said.get("name", name)).split())
        if not name:
            refuse_codebook(f"Row {number} of the code book names no column.")
        one = found.setdefault(name, Variable(name=name, required=True))
        _add(one, said)
    if len(found) > limits.FIELDS:
        raise LimitError(
            f"The code book has {len(found):,} columns; the limit is {limits.FIELDS:,}."
        )
    for one in found.values():
        _settle(one)
    return as_schema([*found.values()])


def _add(one: Variable, said: Mapping[str, str]) -> None:
    if "type" in said:
        word = said["type"].lower().split("(")[0].strip()
        one.kind, one.ordered = KINDS_BY_NAME.get(word, one.kind), word in ORDERED
    one.description = one.description or said.get("description", "")
    one.form = one.form or said.get("format", "")
    one.low = said.get("minimum", one.low)
    one.high = said.get("maximum", one.high)
    if "missing" in said:
        one.missing |= split_codes(said["missing"])
    for role in ("range", "values"):
        if (
            role in said
            and (ends := split_range(said[role]))
            and not said.get("label", "").strip()
        ):
            one.low, one.high = ends
            said = {key: text for key, text in said.items() if key != role}
    listed = split_codes(said["values"]) if "values" in said else {}
    if "value" in said:
        code = " ".join(_APOSTROPHE.sub("", said["value"]).split())
        listed[code] = said.get("label", "")
    for code, label in listed.items():
        if code in one.codes:
            refuse_codebook(f"The code book lists '{code}' of column '{one.name}' twice.")
        one.codes[code] = label


def _settle(one: Variable) -> None:
    spans = [code for code, label in one.codes.items() if not label and split_range(code)]
    others = [code for code in one.codes if code not in spans]
    if len(spans) == 1 and not one.low and all(map(is_number, others)):
        del one.codes[spans[0]]
        one.low, one.high = split_range(spans[0]) or ("", "")
    for code in one.missing:
        one.missing[code] = one.codes.pop(code, "") or one.missing[code]
    one.required = not one.missing
    if one.kind in NUMBERS and one.codes and not all(map(is_number, one.codes)) and one.low:
        words = [code for code in one.codes if not is_number(code)]
        one.missing |= {code: one.codes.pop(code) for code in words}
        one.required = False


def _rows(text: str) -> list[list[str]]:
    best: tuple[int, int, list[list[str]]] = (0, 0, [])
    for mark in SHEET_DELIMITERS:
        try:
            rows = [
                r
                for r in csv.reader(io.StringIO(text), delimiter=mark)
                if any(map(str.strip, r))
            ]
        except csv.Error:
            continue
        widths = Counter(map(len, rows))
        width, times = max(
            widths.items(), key=lambda item: (item[0] > 1, item[1]), default=(0, 0)
        )
        best = max(best, (times if width > 1 else 0, width, rows), key=lambda one: one[:2])
    if not best[2] and text.strip():
        refuse_codebook(
            "The code book has one column only; expected names and possible values."
        )
    return best[2]


def read_codebook(text: str) -> Converted:
    """Return the Table Schema of a code book: names, categories, optional labels and header.

    >>> read_codebook("column,category\\nsex,F\\nsex,M")[0]["fields"][0]["constraints"][
    ...     "enum"
    ... ]
    ['F', 'M']
    """
    rows = [row for row in csv.reader(io.StringIO(text)) if any(cell.strip() for cell in row)]
    wide = len(rows[0]) if rows else 0
    wrong = [
        number for number, row in enumerate(rows, 1) if len(row) != wide or not row[0].strip()
    ]
    if wide not in (2, 3) or wrong:
        where = f" in row {wrong[0]}" if wrong else ""
        refuse_codebook(
            "A code book has two columns, a name and a category, and perhaps a third for the "
            f"label; expected both{where}."
        )
    if all(
        cell.strip().lower() in known for cell, known in zip(rows[0], HEADERS, strict=False)
    ):
        rows = rows[1:]
    books: dict[str, dict[str, str]] = {}
    for name, code, *label in rows:
        book = books.setdefault(name.strip(), {})
        if code.strip() in book:
            refuse_codebook(
                f"The code book lists '{code.strip()}' of column '{name.strip()}' twice."
            )
        book[code.strip()] = label[0].strip() if label else ""
    return {
        "fields": [{"name": name, **listed_codes(book)} for name, book in books.items()]
    }, []
