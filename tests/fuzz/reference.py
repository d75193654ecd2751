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
- A date is read from left to right: a number takes as many digits as stand there, at most two
  (``%j`` three, ``%f`` six), and ``%Y`` exactly four. ``%y`` from 69 on is of the last
  century. Names of months and days are English, in capital letters or not. Other characters
  stand for themselves, and a run of blanks for one or more.
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
from datetime import date as day
from datetime import timedelta
from math import floor, isnan

from synth.domain import (
    Binned,
    Boolean,
    Categorical,
    Column,
    Date,
    Domain,
    Number,
    Outside,
    Steps,
)
from synth.private.table import Format
from tests.fuzz.hostile import Table

SPACES = " \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
SPACES += "\u202f\u205f\u3000"
WHITE = " \t\n\v\f\r"
MONTHS = (
    "january february march april may june july august september october november december"
)
DAYS = "monday tuesday wednesday thursday friday saturday sunday"


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
    value = moment(text, column.pattern) if isinstance(column, Date) else number(text, form)
    return unknown if value is None else place(column, value, unknown)


def spellings(column: Column) -> dict[str, int]:
    """The code of every declared text."""
    if isinstance(column, Categorical):
        return {category: i for i, category in enumerate(column.categories)}
    assert isinstance(column, Boolean)
    return dict.fromkeys(column.true_values, 1) | dict.fromkeys(column.false_values, 0)


def place(column: Binned, value: float, unknown: int | None) -> int | None:
    """The code of a number, or of seconds since 1970."""
    size = column.seconds if isinstance(column, Date) else 1
    real = isinstance(column, Number)
    for i, piece in enumerate(column.pieces):
        low, high = float(piece.low) * size, float(piece.high) * size
        if piece.spike and (value == low if real else low <= value < high):
            return i
    first, last = (float(bound) * size for bound in column.bounds)
    inside = value < last + size if isinstance(column, Date) else value <= last
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


def moment(text: str, pattern: str) -> float | None:
    """The second since 1970 that a text spells."""
    parts: dict[str, int] = {}
    unread, marks = text.strip(WHITE), pattern.strip()
    while marks:
        mark, marks = (marks[:2], marks[2:]) if marks[0] == "%" else (marks[0], marks[1:])
        if mark in WHITE:
            marks, trimmed = marks.lstrip(WHITE), unread.lstrip(WHITE)
            if trimmed == unread:
                return None
            unread = trimmed
        elif mark in ("%b", "%B", "%a", "%A", "%p"):
            names = {"%b": MONTHS, "%B": MONTHS, "%p": "am pm"}.get(mark, DAYS).split()
            names = [name[:3] for name in names] if mark in ("%b", "%a") else names
            index = next(
                (i for i, name in enumerate(names) if unread[: len(name)].lower() == name),
                None,
            )
            if index is None:
                return None
            parts[mark], unread = index, unread[len(names[index]) :]
        elif len(mark) == 2 and mark != "%%":
            max_digits = {"%Y": 4, "%j": 3, "%f": 6}.get(mark, 2)
            digits = re.match(f"[0-9]{{1,{max_digits}}}", unread)
            if digits is None or (mark == "%Y" and len(digits[0]) < 4):
                return None
            parts[mark], unread = int(digits[0]), unread[len(digits[0]) :]
        elif unread[:1] == mark[0]:
            unread = unread[1:]
        else:
            return None
    return None if unread else _second(parts)


def _second(parts: dict[str, int]) -> float | None:
    limits = {"%H": (0, 23), "%I": (1, 12), "%M": (0, 59), "%S": (0, 59), "%j": (1, 366)}
    if any(
        not low <= parts[mark] <= high
        for mark, (low, high) in limits.items()
        if mark in parts
    ):
        return None
    short = parts.get("%y", 0)
    year = parts.get("%Y", short + (1900 if short >= 69 else 2000))
    month = parts.get("%m", parts.get("%b", parts.get("%B", 0)) + 1)
    try:
        date = day(year, 1, 1) if "%j" in parts else day(year, month, parts.get("%d", 1))
        date += timedelta(days=parts.get("%j", 1) - 1)
    except (ValueError, OverflowError):
        return None
    hour = parts.get("%H", parts.get("%I", 0) % 12 + 12 * parts.get("%p", 0))
    hours = (date - day(1970, 1, 1)).days * 24 + hour
    return hours * 3600 + parts.get("%M", 0) * 60 + parts.get("%S", 0)


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
    value = moment(text, column.pattern) if isinstance(column, Date) else number(text, form)
    assert value is not None
    size = column.seconds if isinstance(column, Date) else 1
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
