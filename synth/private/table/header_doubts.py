"""Doubts whether the first line of a text file holds names, and which. PRIVATE.

A question about the first line depends on what most rows in sight have in common, and never
decides anything: the steward answers it by a reading option.

>>> has_row_names([["age", "sex"], *[[str(n), "41", "f"] for n in range(1, 10)]])
True
>>> doubt_names([["41", "f"], *[["35", "m"], ["53", "f"]] * 4])
'The cells of its first line look like those of a record: if no line holds the column names, choose header=0 and columns=2.'
"""  # noqa: E501

import re
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from synth.foreign import BELOW_WORDS, is_line_below

# More rows than this, and two thirds of those in sight, must say the same.
LEAST_ROWS = 3
# Numbers and dates, as programs write them.
VALUE = re.compile(
    r"[+-]?[\d.,]*\d([eE][+-]?\d+)?%?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T]\d\d?:\d\d.*)?"
)
# A text that other rows have so often, at least, is one of its column's values.
LEAST_REPEATS = 2
# Options that say at once whether the first line holds names.
OPTIONS_OF_HEADER = re.compile(r"\b(?:header=[012]|columns=\d+|comment=#)(?![^., ])")
# The beginning of a row whose first filled cell may be a word of a line below the table.
BELOW_START = re.compile(rf"[\s\",;|]*({BELOW_WORDS})".encode(), re.IGNORECASE)

Cells: TypeAlias = Sequence[str]


def has_row_names(rows: Sequence[Cells]) -> bool:
    """Return whether most rows have one cell more than the first line, as R writes row names.

    Further cells that are empty, as after a separator at the end of each row, are none.

    Args:
        rows: The cells of the first lines; the first line should hold the names.
    """
    names, *records = rows
    longer = [cells for cells in records if len(cells) == len(names) + 1 and cells[-1]]
    if not _is_most(len(longer), len(records)):
        return False
    if len(names) > 1:
        return True
    # A single cell may be a title above the names: the names of rows must be their numbers.
    first_cells = [cells[0] for cells in records]
    return first_cells == [str(number) for number in range(1, len(records) + 1)]


def doubt_names(rows: Sequence[Cells]) -> str:
    """Return a question if the first line looks like a record; empty if it does not.

    It does if at least half of its cells look like values of their columns: a number among
    numbers, or a text that other rows have, too.

    Args:
        rows: The cells of the first lines; the first line should hold the names.
    """
    names, *records = rows
    filled_places = [place for place, name in enumerate(names) if name.strip()]
    value_like = [place for place in filled_places if _is_value_of(records, place, names)]
    if len(records) <= LEAST_ROWS or 2 * len(value_like) < max(1, len(filled_places)):
        return ""
    return (
        "The cells of its first line look like those of a record: if no line holds the "
        f"column names, choose header=0 and columns={len(names)}."
    )


def doubt_record(rows: Sequence[Cells]) -> str:
    """Return a question if a first line that is read as a record looks like names.

    It does if it has texts, all different, where nearly all other rows have numbers or dates.

    Args:
        rows: The cells of the first lines of a file that is read without a header.
    """
    names, *records = rows
    filled_names = [name.strip() for name in names if name.strip()]
    if len(records) <= LEAST_ROWS or len({*filled_names}) < len(names):
        return ""
    columns_of_values = [place for place in range(len(names)) if holds_values(records, place)]
    if not columns_of_values or any(VALUE.fullmatch(name) for name in filled_names):
        return ""
    return "Its first line looks like column names: if it holds them, choose header=1."


def split_doubt(doubt: str) -> tuple[str, tuple[str, ...]]:
    """Return what a doubt says was seen, and the options that answer it at once.

    Options that the steward has to complete, such as the number of another line, are none.

    >>> split_doubt("It looks like names: if it holds them, choose header=1.")
    ('It looks like names.', ('header=1',))
    >>> split_doubt("Most lines have 3 cells: choose the line, such as header=3.")
    ('Most lines have 3 cells: choose the line, such as header=3.', ())
    """
    seen, _, advice = doubt.partition(": if ")
    options = OPTIONS_OF_HEADER.findall(advice)
    return (f"{seen}.", tuple(options)) if options else (doubt, ())


def begins_below_table(row: bytes) -> bool:
    """Return whether a row may be a line below a table; quick, for `is_below_table` decides.

    >>> begins_below_table(b'"Total",981'), begins_below_table(b"41,f")
    (True, False)
    """
    return BELOW_START.match(row) is not None


def is_below_table(cells: Sequence[bytes | None]) -> bool:
    """Return whether a row begins like a line below a table, such as a total or a source.

    It depends on this row alone.

    >>> is_below_table([b"Total", b"981"]), is_below_table([b"Totals Ltd", b"981"])
    (True, False)
    """
    return is_line_below(cell.decode(errors="replace") for cell in cells if cell)


def _is_most(times: int, rows: int) -> bool:
    """Return whether more than a few rows, and more than two thirds of all, say the same."""
    return times > LEAST_ROWS and 3 * times > 2 * rows


def _cells_at(records: Sequence[Cells], place: int) -> list[str]:
    """Return the cells of one column that are not blank."""
    cells = [record[place].strip() for record in records if len(record) > place]
    return [cell for cell in cells if cell]


def holds_values(records: Sequence[Cells], place: int) -> bool:
    """Return whether most cells of a column are numbers or dates."""
    cells = _cells_at(records, place)
    return _is_most(sum(bool(VALUE.fullmatch(cell)) for cell in cells), len(cells))


def _is_value_of(records: Sequence[Cells], place: int, names: Cells) -> bool:
    """Return whether the name of a column looks like one of its values."""
    name = names[place].strip()
    if VALUE.fullmatch(name):
        return holds_values(records, place)
    return Counter(_cells_at(records, place))[name] >= LEAST_REPEATS
