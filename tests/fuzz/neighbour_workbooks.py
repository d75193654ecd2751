"""Neighbours in workbooks: one row's values replaced, neither blank in all cells."""

import datetime as dt
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import escape

import openpyxl
from openpyxl.cell import WriteOnlyCell
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from synth.private.table import Format, PrivateTable, open_table
from tests.fuzz.neighbour_arrow import DAY, Kind, Values, row_of
from tests.fuzz.neighbour_columns import WORDS, domain_of
from tests.fuzz.neighbours import Case

VALUES = (
    1,
    1.0,
    0.5,
    6.25,
    -3,
    10**15 + 0.5,
    2**53 + 1,
    1e300,
    float("nan"),
    float("inf"),
    True,
    False,
    None,
    None,
    "",
    " ",
    "a",
    "é",
    "1",
    "1_000",
    " 1",
    "#N/A",
    "#DIV/0!",
    "#REF!",
    "=1+1",
    "=A1",
    "NA",
    "x" * 40_000,
    'a"\nb,c',
    "a\r\nb",
    "Out of Memory",
    "2021-03-04",
    "_x0041_",
    "\u2028",
    "'",
    "\t",
    Decimal("0.5"),
    dt.date(2021, 3, 4),
    dt.date(1900, 1, 1),
    dt.date(9999, 12, 31),
    dt.datetime(2021, 3, 4, 5, 6, 7),
    dt.datetime(1899, 12, 31),
    dt.time(5, 6, 7),
    dt.timedelta(days=1, hours=2),
    dt.timedelta(days=-1),
)
SHOWN = (
    "General",
    "yyyy-mm-dd",
    "hh:mm:ss",
    "[h]:mm:ss",
    "0.00",
    "@",
    "d/m/yy h:mm",
    "0%",
    "General;@",
)
SERIALS = (
    -1,
    0,
    1,
    59,
    60,
    61,
    2_958_465,
    2_958_466,
    1e10,
    -1e10,
    1e300,
    44_259.5,
    0.99999999,
)


@dataclass(frozen=True)
class Shown:
    """A number as a format of numbers shows it."""

    value: float
    number_format: str


@dataclass(frozen=True)
class Workbook:
    """How rows stand in a workbook.

    Attributes:
        ending: Of its file.
        width: Number of columns.
        gap: After how many rows a blank one follows; 0 for none.
        lead: Lines above the header.
        sheets: Their number.
        old: Whether days are counted from 1904.
        form: The format that is asked for.
    """

    ending: str
    width: int
    gap: int
    lead: int
    sheets: int
    old: bool
    form: Format = field(default_factory=Format)

    def save(self, rows: Sequence[Values], folder: Path) -> PrivateTable:
        """Write a workbook."""
        lines: list[Values] = [("notes",)] * self.lead
        if self.form.header:
            lines.append(tuple(f"c{i}" for i in range(self.width)))
        lines += [("a text below the names",)] * self.form.below
        for number, row in enumerate(rows):
            if self.gap and number % self.gap == 0:
                lines.append(())
            lines.append(row)
        path = folder / f"t{self.ending}"
        (self.write_office if self.ending == ".xlsx" else self.write_open)(lines, path)
        return open_table(path, self.form)

    def write_office(self, lines: Sequence[Values], path: Path) -> None:
        """As openpyxl writes it."""
        book = openpyxl.Workbook(write_only=True)
        if self.old:
            book.epoch = CALENDAR_MAC_1904
        sheet = book.create_sheet("t")
        for line in lines:
            sheet.append([styled_cell(sheet, value) for value in line])
        for number in range(1, self.sheets):
            book.create_sheet(f"other {number}").append(["x"])
        book.save(path)

    def write_open(self, lines: Sequence[Values], path: Path) -> None:
        """As LibreOffice writes OpenDocument: equal rows that follow each other are one."""
        rows = []
        for line, equal_lines in groupby(
            lines, key=lambda line: "".join(map(open_cell, line))
        ):
            repeats = sum(1 for _ in equal_lines)
            rows.append(
                "<table:table-row "
                f'table:number-rows-repeated="{repeats}">{line}</table:table-row>'
            )
        sheets = [f'<table:table table:name="t">{"".join(rows)}</table:table>']
        for number in range(1, self.sheets):
            sheets.append(f'<table:table table:name="other {number}"/>')
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
            file.writestr("META-INF/manifest.xml", MANIFEST)
            file.writestr("content.xml", CONTENT.format("".join(sheets)))


MANIFEST = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
)
CONTENT = (
    "<office:document-content "
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body>'
    "<office:spreadsheet>{}</office:spreadsheet></office:body></office:document-content>"
)


def open_cell(value: Any) -> str:
    """A cell of OpenDocument."""
    value = value.value if isinstance(value, Shown) else value
    match value:
        case None | "":
            return "<table:table-cell/>"
        case bool():
            kind = f'boolean" office:boolean-value="{str(value).lower()}'
        case int() | float() | Decimal():
            kind = f'float" office:value="{value}'
        case dt.date():
            kind = f'date" office:date-value="{value.isoformat()}'
        case dt.time() | dt.timedelta():
            hours = (
                value.total_seconds()
                if isinstance(value, dt.timedelta)
                else value.hour * 3600
            )
            kind = f'time" office:time-value="PT{int(hours // 3600)}H00M00S'
        case _:
            kind = "string"
    lines = "".join(f"<text:p>{escape(line)}</text:p>" for line in str(value).split("\n"))
    return f'<table:table-cell office:value-type="{kind}">{lines}</table:table-cell>'


def styled_cell(sheet: Any, value: Any) -> Any:
    """What is appended to a sheet."""
    if not isinstance(value, Shown):
        return value
    cell = WriteOnlyCell(sheet, value.value)
    cell.number_format = value.number_format
    return cell


def workbook_kind(draw: Random) -> Kind:
    """A column of a workbook, in which anything may stand."""
    usual = draw.choice(["list", "int", "num", "date", "bool"])

    def value(chance: Random, near: bool) -> Any:
        if not near and chance.random() < 0.3:
            return Shown(
                chance.choice([*SERIALS, chance.uniform(0, 60_000)]), chance.choice(SHOWN)
            )
        if not near:
            return chance.choice(VALUES)
        day = dt.datetime(2020, 1, 1) + dt.timedelta(seconds=chance.randrange(1_500 * DAY))
        of_kind = {
            "list": chance.choice(WORDS),
            "bool": chance.random() < 0.5,
            "int": chance.randint(0, 90),
            "num": round(chance.uniform(0, 10), 2),
            "date": chance.choice([day, day.date()]),
        }
        return of_kind[usual]

    return Kind(value, list, usual)


def workbook(draw: Random, ending: str) -> Case:
    """A workbook, in which no row is blank in all cells."""
    kinds = [workbook_kind(draw) for _ in range(draw.randint(1, 4))]
    has_header = draw.random() < 0.9
    lead = draw.choice([0, 0, 0, 2]) if has_header else 0
    names = [f"c{i}" if has_header else f"column_{i + 1}" for i in range(len(kinds))]
    layout = Workbook(
        ending,
        len(kinds),
        draw.choice([0, 0, 0, 1, 3]),
        lead,
        draw.choice([1, 1, 2]),
        draw.random() < 0.1,
        Format(
            header=1 + lead if has_header else 0,
            columns=0 if has_header else len(kinds),
            below=draw.choice([0, 0, 1, 2]) if has_header else 0,
            sheet=draw.choice(["", "t"]),
        ),
    )
    domain = domain_of(draw, names, [kind.reads for kind in kinds])
    rows = [make_uneven(draw, row_of(draw, kinds, 0.95)) for _ in range(draw.randint(0, 25))]
    versions = [make_uneven(draw, row_of(draw, kinds, 0.3)) for _ in range(6)]
    place = draw.randint(0, len(rows))
    about = f"{layout} {[kind.reads for kind in kinds]}"
    return Case(domain, tuple(rows), place, tuple(versions), layout.save, about)


def make_uneven(draw: Random, row: Values) -> Values:
    """A row that is not blank, now and then with cells beyond the columns, or too few of
    them.
    """
    cells = list(row)
    if all(cell is None or (isinstance(cell, str) and not cell.strip()) for cell in cells):
        cells[draw.randrange(len(cells))] = draw.choice(["a", 1, 0.5, False])
    kind = draw.random()
    if kind < 0.05:
        cells += [None] * draw.choice([0, 1, 5, 300]) + [draw.choice(VALUES)]
    return tuple(cells)
