"""Doubts whether the rows right below the column names hold records. PRIVATE.

Programs write more lines of a header there: texts and IDs of questions, kinds of answers,
units of measurement, further levels of names. Such a doubt is a question to the steward
alone, who answers it by the option ``below``; nothing is left out before.

>>> count_lines_below([["age", "sex"], ["years", ""], *[[str(n), "f"] for n in range(9)]])
1
"""

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import TypeAlias

from synth.private.table.header_doubts import VALUE, holds_values

# Most rows below the names that are no records.
MAX_BELOW = 3
# Rows that must follow these, at least, to tell what records look like.
LEAST_RECORDS = 5
# Texts of a missing value, in small letters; they may be in any record.
MISSING_WORDS = frozenset("na n/a nan null none . .. - -- ? missing unknown n.d. nd".split())
# What SurveyMonkey writes below the names of questions.
ANSWER_WORDS = frozenset({"response", "open-ended response", "other (please specify)"})
# A number with a sign or a unit, such as <5 or 12 kg, which a record may hold.
STARTS_AS_NUMBER = re.compile(r"[<>=≤≥~±$€£]*\s*[+-]?[.,]?\d")
IMPORT_ID = re.compile(r'\{"ImportId"\s*:')

Cells: TypeAlias = Sequence[str]


def count_lines_below(rows: Sequence[Cells]) -> int:
    """Return how many rows right below the names look like no records.

    Args:
        rows: The cells of the first rows of a table, of which the first holds the names.
    """
    names, *below = rows
    for number, cells in enumerate(below[:MAX_BELOW], start=1):
        # The last line of Qualtrics has a JSON object for each column: the question's ID.
        if cells and all(IMPORT_ID.match(cell.strip()) for cell in cells):
            return number
    if len(below) < LEAST_RECORDS + 1:
        return 0
    # Records are what all these lines are compared with, so none of these is among them.
    records = below[MAX_BELOW:]
    longer = sum(any(cells[len(names) :]) for cells in records)
    if 2 * longer > len(records):  # then another line holds the names
        return 0
    places = [place for place in range(len(names)) if holds_values(records, place)]
    candidates = [[*cells, *[""] * (len(names) - len(cells))] for cells in below[:MAX_BELOW]]
    if not _begins_lines([names, candidates[0]], records, places):
        return 0
    goes_on = (_goes_on(cells, records, places) for cells in candidates[1:])
    return 1 + sum(1 for _ in takewhile(bool, goes_on))


def ask_lines_below(count: int) -> str:
    """Return the question about so many rows below the names; empty for none."""
    if not count:
        return ""
    if count == 1:
        return (
            "The first row below the header is not like the others: if it holds no record "
            "but units, kinds of answers or texts of the questions, choose below=1 to leave "
            "it out."
        )
    return (
        f"The first {count} rows below the header are not like the others: if they hold no "
        f"records but more names, units or texts of the questions, choose below={count} to "
        "leave them out."
    )


def _begins_lines(
    first_rows: Sequence[Cells], records: Sequence[Cells], places: Sequence[int]
) -> bool:
    """Return whether a row below the names is the first of some that hold no records.

    Args:
        first_rows: The names, and the cells of that row, as many.
        records: The cells of the rows below.
        places: The columns in which nearly all of these have numbers or dates.
    """
    names, cells = first_rows
    if any(_may_be_value(cells[place]) for place in places):
        return False
    words = [cell.strip().casefold() for cell in cells if cell.strip()]
    if any(word in ANSWER_WORDS for word in words):
        return True
    others = [place for place in range(len(names)) if place not in {*places}]
    # Below a column without a name stands the answer that all its filled cells repeat.
    unnamed = [place for place in others if not names[place].strip()]
    if unnamed and all(
        cells[place].strip() and _fills_alone(cells[place], records, place)
        for place in unnamed
    ):
        return True
    texts = sum(bool(cells[place].strip()) for place in places)
    is_filled = 2 * texts >= max(1, len(places))
    return is_filled and not any(_repeats(cells[place], records, place) for place in others)


def _goes_on(cells: Cells, records: Sequence[Cells], places: Sequence[int]) -> bool:
    """Return whether a row below one that holds no record holds none either.

    It is blank or a text wherever records have numbers or dates, and no value of a list.
    """
    filled = [place for place, cell in enumerate(cells) if cell.strip()]
    if not filled or any(_may_be_value(cells[place]) for place in places):
        return False
    return not any(_repeats(cells[place], records, place) for place in filled)


def _may_be_value(cell: str) -> bool:
    """Return whether a cell may be one of a record in a column of numbers or dates."""
    text = cell.strip()
    if not text:
        return False
    is_value = VALUE.fullmatch(text) or STARTS_AS_NUMBER.match(text)
    return bool(is_value) or text.casefold() in MISSING_WORDS


def _repeats(cell: str, records: Sequence[Cells], place: int) -> bool:
    """Return whether a text is in its column again, as values of a list are."""
    text = cell.strip()
    return bool(text) and text in _cells_of(records, place)


def _fills_alone(cell: str, records: Sequence[Cells], place: int) -> bool:
    """Return whether all filled cells of a column below hold this text."""
    return {*_cells_of(records, place)} <= {cell.strip()}


def _cells_of(records: Iterable[Cells], place: int) -> list[str]:
    cells = [record[place].strip() for record in records if len(record) > place]
    return [cell for cell in cells if cell]
