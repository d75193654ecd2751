"""How a cell is read under a declaration, in plain Python: slow, and without any SQL.

The rules, where the declaration alone does not settle them:

- A text is compared as it stands, then without the blanks around it: the spaces of Unicode
  (category Zs). Letters, accents and every other character count, NUL among them; what looks
  alike is not alike. A missing value is compared without the blanks, an empty cell is ''.
- A number is what ``float`` reads of ASCII text, so ``1_000``, ``5.``, ``+.5`` and ``1e5``
are
  numbers, too large ones infinite, and NaN, ``0x10`` and digits of other scripts are not.
  Tabs and line ends inside of the blanks do not matter. Where decimal or thousands marks are
  declared, a number has nothing but digits, these marks, a sign and an exponent.
- Dates, times of day and durations are read as `tests.fuzz.reference_times` says.
- A person's key is compared in the same way; blank or declared missing, it names nobody.
- A sign of a column of numbers or dates is compared without the blanks, and comes first,
  also where its text is declared missing.
- A declared missing value is missing, even if it lies within the bounds. Where there is no
  missing cell, it goes where values outside go.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from math import floor, isnan

from synth.domain import (
    Binned,
    Boolean,
    Categorical,
    Column,
    Date,
    Domain,
    Duration,
    Integer,
    Number,
    Outside,
    Steps,
    TimeOfDay,
)
from synth.private.table import Format
from tests.fuzz.hostile import Table
from tests.fuzz.reference_times import WHITE, second_of

SPACES = " \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
SPACES += "\u202f\u205f\u3000"


def codes(
    domain: Domain, rows: Sequence[Sequence[str | None]], form: Format
) -> list[list[int | None]]:
    """The codes of each row's cells; None leaves the row out."""
    return [
        [
            code(c, cell, domain.spellings_of_missing(c), form)
            for c, cell in zip(domain.columns, row, strict=False)
        ]
        for row in rows
    ]


def code(
    column: Column, cell: str | None, missing_values: Sequence[str], form: Format
) -> int | None:
    """The code of one cell."""
    raw, text = cell or "", (cell or "").strip(SPACES)
    unknown = {
        Outside.CELL: column.other_code,
        Outside.DROP: None,
        Outside.MISSING: column.missing_code,
        Outside.NEAREST: column.missing_code,
    }[column.rule]
    missing = column.missing_code if column.missing else unknown
    if not isinstance(column, Binned):
        code_by_text = spellings(column)
        for spelling in (raw, text):
            if cell is not None and spelling in code_by_text:
                return code_by_text[spelling]
        if cell is None and "" in code_by_text:
            return code_by_text[""]
        return missing if text in missing_values else unknown
    if text in column.signs:
        return len(column.pieces) + column.signs.index(text)
    if text in missing_values and text not in column.reasons:
        return missing
    value = value_of(column, text, form)
    return unknown if value is None else place(column, value, unknown)


def value_of(column: Binned, text: str, form: Format) -> float | None:
    """The number that a text spells, or the second of a date, a time of day or a duration."""
    is_time = isinstance(column, Date | TimeOfDay | Duration)
    return second_of(column, text) if is_time else number(text, form)


def unit_of(column: Binned) -> int:
    """The seconds of a step of times; 1 of numbers."""
    is_time = isinstance(column, Date | TimeOfDay | Duration)
    return column.reading.seconds if is_time else 1


def spellings(column: Column) -> dict[str, int]:
    """The code of every declared text."""
    if isinstance(column, Categorical):
        return {category: i for i, category in enumerate(column.categories)}
    assert isinstance(column, Boolean)
    return dict.fromkeys(column.true_values, 1) | dict.fromkeys(column.false_values, 0)


def place(column: Binned, value: float, unknown: int | None) -> int | None:
    """The code of a number, or of seconds since 1970."""
    size = unit_of(column)
    real = isinstance(column, Number)
    for i, piece in enumerate(column.pieces):
        low, high = float(piece.low) * size, float(piece.high) * size
        if piece.spike and (value == low if real else low <= value < high):
            return i
    first, last = (float(bound) * size for bound in column.bounds)
    is_number = isinstance(column, Integer | Number)
    inside = value <= last if is_number else value < last + size
    if value >= first and inside:
        bins = [(float(p.low) * size, i) for i, p in enumerate(column.pieces) if not p.spike]
        return next((i for low, i in reversed(bins) if value >= low), bins[0][1])
    if column.rule is not Outside.NEAREST:
        return unknown
    return column.end_codes[0 if value < first else 1]


def number(text: str, form: Format) -> float | None:
    """The number that a text spells."""
    if (form.decimal, form.thousands) != (".", ""):
        sign, unsigned = re.fullmatch(r"([+-]?)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
        mantissa, e, exponent = re.fullmatch(
            r"((?:(?![eE][+-]?[0-9]+\Z).)*)([eE]?)(.*)", unsigned, re.DOTALL
        ).groups()  # type: ignore[union-attr]
        integer_part, point, part = mantissa.partition(form.decimal)
        groups = integer_part.split(form.thousands) if form.thousands else [integer_part]
        if len(groups) > 1:
            if not 1 <= len(groups[0]) <= 3 or any(len(group) != 3 for group in groups[1:]):
                return None
        if any(not re.fullmatch("[0-9]*", digits) for digits in (*groups, part)):
            return None
        text = f"{sign}{''.join(groups)}{'.' * len(point)}{part}{e}{exponent}"
    if not text.isascii() or re.search("[^\t-\r -~]", text):
        return None
    try:
        value = float(text.strip(WHITE))
    except ValueError:
        return None
    return None if isnan(value) else value


def cells(domain: Domain, rows: Sequence[Sequence[int | None]]) -> list[int]:
    """The number of each row's cell; rows that are left out are not there."""
    numbers = []
    for row in rows:
        cell = 0
        for size, digit in zip(domain.shape, row, strict=True):
            cell = cell * size + (digit or 0)
        if None not in row:
            numbers.append(cell)
    return numbers


def summand(
    column: Column,
    cell: str | None,
    missing_values: Sequence[str],
    form: Format,
    steps: Steps,
) -> int:
    """What one cell adds to a sum."""
    cell_code = code(column, cell, missing_values, form)
    assert isinstance(column, Binned)
    if cell_code is None or cell_code >= len(column.pieces):
        return 0
    low, high = column.bounds
    if not low <= column.pieces[cell_code].low <= high:
        return 0
    text = (cell or "").strip(SPACES)
    value = value_of(column, text, form)
    assert value is not None
    size = unit_of(column)
    value = min(max(value, float(low) * size), float(high) * size)
    value = value if isinstance(column, Number) else float(value // size * size)
    whole_steps = floor((value - steps.middle) / steps.grid + 0.5)
    return min(max(whole_steps, -steps.most), steps.most)


def _summand_of(table: Table, row: Sequence[str | None], grid: Steps) -> int:
    column = table.domain.columns[grid.column]
    missing = table.domain.spellings_of_missing(column)
    return summand(column, row[grid.column], missing, table.form, grid)


def sums(
    table: Table,
    grids: Sequence[Steps],
    people: Sequence[str | None] | None = None,
    max_rows: int = 1,
) -> dict[int, list[int]]:
    """The count and the sums of each cell; with people, of the rows that each of them has."""
    domain, missing = table.domain, table.domain.missing_values
    rows_by_person = defaultdict(list)
    for i, row in enumerate(table.rows):
        row_codes = codes(domain, [row], table.form)
        added = [_summand_of(table, row, grid) for grid in grids]
        person = "x" if people is None else (people[i] or "").strip(SPACES)
        rows_by_person[person] += [(cell, *added) for cell in cells(domain, row_codes)]
    for nobody in ("", *missing) if people is not None else ():
        rows_by_person.pop(nobody, None)
    sums_by_cell: dict[int, list[int]] = {}
    for person, rows in rows_by_person.items():
        ordered_rows = sorted(rows, key=lambda row: _turn(person, row))
        for cell, *added in ordered_rows if people is None else ordered_rows[:max_rows]:
            so_far = sums_by_cell.get(cell, [0] * (1 + len(added)))
            sums_by_cell[cell] = [a + b for a, b in zip(so_far, [1, *added], strict=True)]
    return sums_by_cell


def _turn(person: str, row: Sequence[int]) -> tuple[str, str]:
    keys = str(row[0]), "/".join([person, *map(str, row)])
    return tuple(hashlib.md5(text.encode()).hexdigest() for text in keys)


def persons_cells(
    domain: Domain,
    rows: Sequence[Sequence[int | None]],
    people: Sequence[str | None],
    max_rows: int,
) -> list[int]:
    """The cells of each person's first rows by the MD5 of their cell; nobody's are left
    out.
    """
    cells_by_person = defaultdict(list)
    for row, person in zip(rows, people, strict=True):
        cells_by_person[(person or "").strip(SPACES)] += cells(domain, [row])
    for nobody in ("", *domain.missing_values):
        cells_by_person.pop(nobody, None)
    turn = lambda cell: hashlib.md5(str(cell).encode()).hexdigest()  # noqa: E731
    return [
        cell
        for person_cells in cells_by_person.values()
        for cell in sorted(person_cells, key=turn)[:max_rows]
    ]
