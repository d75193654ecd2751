"""Neighbours in files of other programs: one row's values replaced, the file written anew."""

import datetime as dt
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import openpyxl
import pandas as pd
import pyreadstat
from openpyxl.cell import WriteOnlyCell

from synth.foreign import child
from synth.table.csv_options import Format
from synth.table.private_table import PrivateTable, open_table
from tests.fuzz.neighbour_arrow import FROM, TO, Kind, Values, row_of, values_case
from tests.fuzz.neighbour_columns import ODD, WORDS, domain_of
from tests.fuzz.neighbours import Case

DAY = 86_400
SPSS_DAYS, SAS_DAYS = 141_428, 3_653
"""Days from the first day of SPSS, and of Stata and SAS, to 1970."""
TEXTS = (*ODD, 'a"\nb,c', "a\nb", "x" * 300, "y" * 3_000, '"', "a,b", " a ", "\x1a", "é" * 200)
FAR = (0.0, -1.0, 0.5, 1e9, -1e9, 1e12, -1e12, 2.5e11, 2.8e11, 2.534e14, 1e18, -1e18, 1e60, -1e60,
       2_932_896.0, 2_936_550.0, 3_000_000.0, -719_163.0, -1e6, 2.0**31, 2.0**63)  # fmt: skip


def read_here(request: dict[str, Any]) -> bool:
    """Do what the child process does, in this one: in place of `synth.foreign.parent._run`."""
    try:
        answer = child.TASKS[request["task"]](request)
    except child.Fault as fault:
        answer = fault.answer
    answer_file = Path(request["folder"]) / child.ANSWER
    answer_file.write_text(json.dumps(answer), encoding="utf-8")
    return False


# SPSS, Stata, SAS.


@dataclass(frozen=True)
class Program:
    """A format of pyreadstat.

    Attributes:
        write: Its writer.
        ending: Of its files.
        first_day: Days from its first day to 1970.
        dates: What a day is in each format of dates.
        largest: The largest number it holds.
        longest: Most bytes of a text.
        names: The names of its columns, of which only the number differs.
        options: Options of the writer, one of which is drawn.
        ascii: Whether it holds no other texts.
    """

    write: Callable[..., None]
    ending: str
    first_day: int
    dates: dict[str, int]
    largest: float
    longest: int
    names: str = "c"
    options: Sequence[dict[str, Any]] = ({},)
    ascii: bool = False

    def draw(self, draw: Random) -> Case:
        """A file with columns of texts, numbers and dates."""
        many = draw.randint(1, 3)
        formats = draw.choices(["text", "text", "", "", *self.dates], k=many)
        names = [f"{self.names}{i}" for i in range(many)]
        options = self.options_of(draw, dict(zip(names, formats, strict=True)))
        # This writer cannot write two columns of long texts.
        lengths = [self.longest, *[min(self.longest, 2_045)] * 2]
        kinds = [self.kind(one, longest) for one, longest in zip(formats, lengths, strict=False)]

        def save(rows: Sequence[Values], folder: Path) -> PrivateTable:
            columns = [kind.array([row[i] for row in rows]) for i, kind in enumerate(kinds)]
            path = folder / f"t{self.ending}"
            self.write(pd.DataFrame(dict(zip(names, columns, strict=True))), str(path), **options)
            return open_table(path)

        return values_case(draw, kinds, save, f"{self.ending} {formats} {options}", self.names)

    def options_of(self, draw: Random, formats: dict[str, str]) -> dict[str, Any]:
        """Options of the writer, for columns of some formats."""
        options = dict(draw.choice(self.options))
        shown = {name: one for name, one in formats.items() if one not in ("text", "")}
        if "missing_ranges" in options:
            numbers = [name for name, one in formats.items() if one == ""]
            options["missing_ranges"] = {name: [{"lo": 9, "hi": 99}] for name in numbers}
        return options | ({"variable_format": shown} if shown else {})

    def kind(self, shown_as: str, longest: int) -> Kind:
        """A kind of column by its format."""
        if shown_as == "text":
            text = partial(self.text, longest=longest)
            return Kind(text, lambda values: pd.Series(values, dtype=object), "list")
        per_day = self.dates.get(shown_as, 0)

        def value(draw: Random, near: bool) -> float:
            if near and per_day:
                return float(round((self.first_day + draw.uniform(FROM, TO)) * per_day))
            if near:
                return draw.choice([float(draw.randint(0, 10)), 0.5, round(draw.uniform(0, 10), 2)])
            odd = draw.choice(
                [*FAR, float("nan"), draw.uniform(-1e7, 1e7), 2.0**53 + 2, 0.1, 99, 9]
            )
            return min(max(odd, -self.largest), self.largest)

        series = partial(pd.Series, dtype="float64")
        return Kind(value, series, "date" if per_day else "num")

    def text(self, draw: Random, near: bool, longest: int) -> str:
        """A text that the format holds."""
        text = draw.choice(WORDS if near else TEXTS)
        if not near and draw.random() < 0.005:
            text = draw.choice(["a", "a\n", "a,", '"', "é"]) * 1_000_001
        if self.ascii:
            text = re.sub("[^ -~]", "", text)
        return text.encode(errors="ignore")[:longest].decode(errors="ignore")


SPSS = Program(
    pyreadstat.write_sav, ".sav", SPSS_DAYS,
    {"DATE11": DAY, "ADATE10": DAY, "DATETIME20": DAY, "TIME8": DAY, "MOYR8": DAY, "DTIME17": DAY},
    1e307, 32_000, options=({}, {"row_compress": True}, {"compress": True}, {"missing_ranges": {}}),
)  # fmt: skip
STATA = Program(
    pyreadstat.write_dta, ".dta", SAS_DAYS,
    {"%td": 1, "%tc": DAY * 1000, "%tC": DAY * 1000, "%tm": 1, "%tq": 1, "%ty": 1},
    8e307, 3_000_000, options=({}, {}, {"version": 14}, {"version": 13}),
)  # fmt: skip
PORTABLE = Program(
    pyreadstat.write_por, ".por", SPSS_DAYS, {"DATE11": DAY, "DATETIME20": DAY}, 1e60, 255,
    names="C", ascii=True,
)  # fmt: skip
SAS = Program(
    pyreadstat.write_xport, ".xpt", SAS_DAYS, {"DATE9": 1, "DATETIME20": DAY, "TIME8": DAY}, 7e70,
    200, options=({"file_format_version": 5}, {"file_format_version": 8}),
)  # fmt: skip


# Workbooks.

VALUES = (
    1, 1.0, 0.5, 6.25, -3, 10**15 + 0.5, 2**53 + 1, 1e300, float("nan"), float("inf"), True, False,
    None, None, "", " ", "a", "é", "1", "1_000", " 1", "#N/A", "#DIV/0!", "#REF!", "=1+1", "=A1",
    "NA", "x" * 40_000, 'a"\nb,c', "a\r\nb", "Out of Memory", "2021-03-04", "_x0041_", "\u2028",
    "'", "\t", Decimal("0.5"), dt.date(2021, 3, 4), dt.date(1900, 1, 1), dt.date(9999, 12, 31),
    dt.datetime(2021, 3, 4, 5, 6, 7), dt.datetime(1899, 12, 31), dt.time(5, 6, 7),
    dt.timedelta(days=1, hours=2), dt.timedelta(days=-1),
)  # fmt: skip
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
SERIALS = (-1, 0, 1, 59, 60, 61, 2_958_465, 2_958_466, 1e10, -1e10, 1e300, 44_259.5, 0.99999999)


@dataclass(frozen=True)
class Shown:
    """A number as a format of numbers shows it."""

    value: float
    number_format: str


@dataclass(frozen=True)
class Workbook:
    """How rows stand in a workbook: columns, blank rows between, lines above, another sheet."""

    width: int
    gap: int
    lead: int
    sheets: int
    form: Format = field(default_factory=Format)

    def save(self, rows: Sequence[Values], folder: Path) -> PrivateTable:
        """Write a workbook."""
        book = openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet("t")
        for _ in range(self.lead):
            sheet.append(["notes"])
        sheet.append([f"c{i}" for i in range(self.width)])
        for number, row in enumerate(rows):
            if self.gap and number % self.gap == 0:
                sheet.append([])
            sheet.append([shown(sheet, value) for value in row])
        for number in range(1, self.sheets):
            book.create_sheet(f"other {number}").append(["x"])
        path = folder / "t.xlsx"
        book.save(path)
        return open_table(path, self.form)


def shown(sheet: Any, value: Any) -> Any:
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
            return Shown(chance.choice([*SERIALS, chance.uniform(0, 60_000)]), chance.choice(SHOWN))
        if not near:
            return chance.choice(VALUES)
        day = dt.datetime(2020, 1, 1) + dt.timedelta(seconds=chance.randrange(1_500 * DAY))
        of_kind = {
            "list": chance.choice(WORDS), "bool": chance.random() < 0.5,
            "int": chance.randint(0, 90), "num": round(chance.uniform(0, 10), 2),
            "date": chance.choice([day, day.date()]),
        }  # fmt: skip
        return of_kind[usual]

    return Kind(value, list, usual)


def workbook(draw: Random) -> Case:
    """A workbook of openpyxl's; no row is blank in all cells."""
    kinds = [workbook_kind(draw) for _ in range(draw.randint(1, 4))]
    width, lead, sheets = len(kinds), draw.choice([0, 0, 0, 2]), draw.choice([1, 1, 2])
    form = Format(header=1 + lead, sheet=draw.choice(["", "t"]))
    made = Workbook(width, draw.choice([0, 0, 0, 1, 3]), lead, sheets, form)
    names = [f"c{i}" for i in range(width)]
    domain = domain_of(draw, names, [kind.reads for kind in kinds])
    rows = [uneven(draw, row_of(draw, kinds, 0.95)) for _ in range(draw.randint(0, 25))]
    versions = [uneven(draw, row_of(draw, kinds, 0.3)) for _ in range(6)]
    place = draw.randint(0, len(rows))
    about = f"workbook {[kind.reads for kind in kinds]} {made}"
    return Case(domain, tuple(rows), place, tuple(versions), made.save, about)


def uneven(draw: Random, row: Values) -> Values:
    """A row that is not blank, now and then with cells beyond the columns, or too few of them."""
    cells = list(row)
    if all(cell is None or (isinstance(cell, str) and not cell.strip()) for cell in cells):
        cells[draw.randrange(len(cells))] = draw.choice(["a", 1, 0.5, False])
    kind = draw.random()
    if kind < 0.05:
        cells += [None] * draw.choice([0, 1, 5, 300]) + [draw.choice(VALUES)]
    return tuple(cells)
