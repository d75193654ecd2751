"""The marks in numbers of a file of text: the decimal mark, and the one between thousands.

They are guessed from the beginning of a file, for a suggestion to the steward. PRIVATE.

>>> find_marks(["1'250.5;f", "80;m"], ";")
('.', "'")
"""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

from synth.private.table.csv_options import BLANKS

# Blanks and apostrophes between thousands; commas and points may be decimal marks, too.
GROUP_MARKS = (*BLANKS.values(), "'", "\u2019")


def find_marks(lines: list[str], delimiter: str) -> tuple[str, str]:
    """Return the likeliest decimal mark, and the mark between thousands or ''.

    Each column is judged by itself, since a column may hold lists of codes such as ``1,3``,
    in which commas are no decimal marks.

    Args:
        lines: Some rows of a file.
        delimiter: The character between their cells.
    """
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]
    marks = Counter(
        guess_marks(cells, may_be_codes=delimiter == ",")
        for cells in zip_longest(*rows, fillvalue="")
    )
    for likely in ((",", "."), (".", ",")):
        if marks[likely]:
            return likely
    decimal = "," if any(mark == "," for mark, _ in marks) else "."
    thousands = next((guess[1] for guess in marks if guess[1]), "")
    return decimal, thousands


def guess_marks(cells: Sequence[str], *, may_be_codes: bool) -> tuple[str, str]:
    """Return the decimal mark of a column's numbers, and the mark between thousands or ''.

    Args:
        cells: The cells of the column.
        may_be_codes: Whether a comma in a few cells may stand between codes. Programs that
            write decimal commas seldom have commas between cells, too.
    """
    # SAP writes the minus behind a number.
    numbers = [
        cell.removesuffix("-")
        for cell in cells
        if re.fullmatch(r"[+-]?[\d.,]*\d(e[+-]?\d+)?|[\d.,]*\d-", cell)
    ]
    comma = sum(bool(re.fullmatch(r"[+-]?\d+,\d+(e[+-]?\d+)?", cell)) for cell in numbers)
    grouped = sum(
        bool(re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?", cell)) for cell in numbers
    )
    # Two groups at least or a comma behind, as 1.234 is more likely a decimal number.
    dotted = sum(
        bool(re.fullmatch(r"[+-]?\d{1,3}((\.\d{3}){2,}(,\d+)?|\.\d{3},\d+)", cell))
        for cell in numbers
    )
    if dotted:
        return ",", "."
    if grouped and grouped >= comma:
        return ".", ","
    if not comma:
        decimal, thousands = _guess_group_marks(cells)
        if thousands:
            return decimal, thousands
    # Codes in a list are several in some cells, and one without a comma in many others.
    is_rare = may_be_codes and 2 * comma <= len(numbers)
    is_list = is_rare or any(cell.count(",") > 1 for cell in numbers)
    return ("," if comma and not is_list else "."), ""


def _guess_group_marks(cells: Sequence[str]) -> tuple[str, str]:
    """Return the decimal mark of numbers with blanks or apostrophes, and this mark; or ''.

    More than two thirds of the filled cells must be such numbers, or have three digits at
    most. No number begins with 0, as telephone numbers do.

    Args:
        cells: The cells of a column.
    """
    filled = [cell for cell in cells if cell]
    for mark in GROUP_MARKS:
        grouped = re.compile(rf"[+-]?[1-9]\d{{0,2}}({mark}\d{{3}})+([.,]\d+)?", re.ASCII)
        numbers = [cell for cell in filled if grouped.fullmatch(cell)]
        if not numbers:
            continue
        numbers += [cell for cell in filled if re.fullmatch(r"[+-]?\d{1,3}([.,]\d+)?", cell)]
        if 3 * len(numbers) > 2 * len(filled):
            return ("," if any("," in cell for cell in numbers) else "."), mark
    return ".", ""
