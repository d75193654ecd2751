r"""How a file may have to be read: suggestions and doubts from its shape. PRIVATE.

A suggestion is shown and never applied in silence.

>>> suggest(b"age;income\n41;1234,5\n").options
('delimiter=;', 'decimal=,')
"""

import csv
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from synth.private.table.choices import (
    SIGHT_BYTES,
    encodings_of,
    excel_delimiter,
    marked_encoding,
)
from synth.private.table.csv_options import DEFAULT, Format
from synth.private.table.header_doubts import (
    LEAST_ROWS,
    doubt_names,
    doubt_record,
    has_row_names,
)
from synth.private.table.lines_below import ask_lines_below, count_lines_below
from synth.private.table.number_marks import find_marks

# Lines of a file's beginning that show its shape.
SEEN_LINES = 200


def suggest(start: bytes, form: Format | None = None) -> Format:
    """Guess the format from the beginning of a text file. PRIVATE: it reads rows.

    It names no line of column names: a record could be on that line, and a click on the
    suggestion would publish it as names. `doubt_header` asks the steward instead.

    Args:
        start: The first bytes of the file.
        form: How the file is read now.
    """
    form = form or DEFAULT
    header = form.header
    text, encoding = _decode(start)
    lines = _filled_lines(text, form, is_cut_off=len(start) >= SIGHT_BYTES)
    rows = _without_comments(lines)
    # Leaving out comments above the header would make another line the header.
    comment = ""
    if len(rows) < len(lines) and not _has_comment_above(text, header):
        comment = "#"
    delimiter = _delimiter(rows)
    if form.delimiter == " ":  # which is never guessed
        delimiter = form.delimiter
    decimal, thousands = find_marks(rows[1:], delimiter)
    has_names = header == 1 and bool(rows) and not excel_delimiter(lines[0])
    suggested = Format(
        delimiter=delimiter,
        encoding=encoding,
        header=1,
        row_names=has_names and has_row_names(_rows_of(rows, delimiter)),
        below=_count_below(text, form, delimiter) if has_names else 0,
        comment=comment,
        decimal=decimal,
        thousands=thousands,
    )
    # If the first line looks like a row of values, the file has no header. Then the byte
    # order, the line end and the number of columns must be said.
    if header == 1 and rows[:1] == lines[:1] and _is_data(lines[:1], delimiter):
        order = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(encoding, encoding)
        end = "cr" if "\r" in text and "\n" not in text else ""
        columns = len(_cells_of(lines[0], delimiter))
        suggested = replace(
            suggested,
            encoding=order,
            header=0,
            row_names=False,
            below=0,
            line_end=end,
            columns=columns,
        )
    return suggested


def doubt_header(start: bytes, form: Format) -> str:
    """Ask whether the column names are on another line than the first.

    PRIVATE: it reads rows.

    Args:
        start: The first bytes of the file.
        form: How the file is read.

    Returns:
        One sentence that says what is seen and what to do; empty if there is no doubt.
    """
    lines = _lines_in_sight(start, form)
    if not lines:
        return ""
    if excel_delimiter(lines[0]):
        return (
            "Its first line only says which mark is between the cells: if the column names "
            "are on the next line, choose header=2."
        )
    likely_delimiter = _delimiter(lines)
    if lines[0].startswith("#"):
        return (
            "Its first line begins with #: if such lines are comments and the first other "
            "line holds the column names, choose comment=#."
        )
    is_chosen = form.delimiter != DEFAULT.delimiter
    delimiter = form.delimiter if is_chosen else likely_delimiter
    return _doubt_width(lines, delimiter) or doubt_names(_rows_of(lines, delimiter))


def doubt_below(start: bytes, form: Format) -> str:
    """Ask whether some rows right below the column names hold records.

    PRIVATE: it reads rows.

    Args:
        start: The first bytes of the file.
        form: How the file is read.

    Returns:
        One sentence with the option; empty if there is no doubt.
    """
    text, _ = _decode(start)
    delimiter = form.delimiter
    if delimiter == DEFAULT.delimiter:
        delimiter = _delimiter(
            _filled_lines(text, form, is_cut_off=len(start) >= SIGHT_BYTES)
        )
    return ask_lines_below(_count_below(text, form, delimiter))


def _count_below(text: str, form: Format, delimiter: str) -> int:
    """Return how many rows right below the column names look like no records.

    Comments count as rows there, but not above, so with comments nothing is said.

    Args:
        text: The beginning of a file.
        form: How the file is read.
        delimiter: The character between cells.
    """
    lines = re.split("\r\n|\n|\r", text)[form.header - 1 : SEEN_LINES]
    if form.comment or len(lines) < LEAST_ROWS:
        return 0
    rows = _rows_of(lines, delimiter)
    if form.lines == "span":
        try:
            rows = list(csv.reader([f"{line}\n" for line in lines], delimiter=delimiter))
        except csv.Error:
            return 0
    # The last row may be cut off by the end of what was read.
    names, *below = rows[:-1]
    return count_lines_below([["", *names] if form.row_names else names, *below])


def doubt_first_record(start: bytes, form: Format) -> str:
    """Ask whether the first line of a file that is read without a header holds names.

    PRIVATE: it reads rows.

    Args:
        start: The first bytes of the file.
        form: How the file is read.

    Returns:
        One sentence with the reason and the option; empty if there is no doubt.
    """
    lines = _lines_in_sight(start, form)
    return doubt_record(_rows_of(lines, form.delimiter)) if lines else ""


def _rows_of(lines: list[str], delimiter: str) -> list[list[str]]:
    """Return the cells of lines, each line by itself."""
    return [_cells_of(line, delimiter) for line in lines]


def _doubt_width(lines: list[str], delimiter: str) -> str:
    """Return a sentence if most rows have more cells than the first line; empty otherwise.

    Args:
        lines: The first lines of the file, at least one.
        delimiter: The character between cells.
    """
    names, *rows = _rows_of(lines, delimiter)
    # Further cells that are empty, as after a separator at the end of each row, are no cells.
    widths = Counter(len(row) for row in rows if any(row[len(names) :]))
    width, times = max(widths.items(), key=lambda item: item[1], default=(0, 0))
    # More than a few rows, and more than two thirds of all, must have this width.
    if times <= LEAST_ROWS or 3 * times <= 2 * len(rows):
        return ""
    if has_row_names([names, *rows]):
        return (
            "Most of its rows have one cell more than its first line has names, as R writes "
            "names of rows: choose row_names=yes to read them as a column of their own."
        )
    few = "1 cell" if len(names) == 1 else f"{len(names):,} cells"
    return (
        f"Its first line has {few}, and most other lines have {width:,}: if another line "
        "holds the column names, choose it by its number, such as header=3."
    )


def _lines_in_sight(start: bytes, form: Format) -> list[str]:
    """Return the filled lines of the first bytes of a file, as `_filled_lines` does."""
    text, _ = _decode(start)
    return _filled_lines(text, form, is_cut_off=len(start) >= SIGHT_BYTES)


def _filled_lines(text: str, form: Format, *, is_cut_off: bool) -> list[str]:
    """Return the first lines of a text that are not blank; rows where cells may hold lines.

    Args:
        text: The beginning of a file.
        form: How the file is read.
        is_cut_off: Whether the text may end within a line; the last line is left out then.
    """
    lines = re.split("\r\n|\n|\r", text)[:SEEN_LINES]
    if form.lines == "span":
        lines = _join_lines(lines)
    filled = [line for line in lines if line.strip()]
    return filled[:-1] if is_cut_off else filled


def _join_lines(lines: Iterable[str]) -> list[str]:
    """Return the rows of some lines; a row ends where its quotation marks are even.

    A blank stands for each line end within a row.
    """
    rows: list[str] = []
    is_open = False
    for line in lines:
        if is_open:
            rows[-1] += f" {line}"
        else:
            rows.append(line)
        is_open ^= line.count('"') % 2 == 1
    return rows


def _without_comments(lines: list[str]) -> list[str]:
    return [line for line in lines if not line.startswith("#")]


def _has_comment_above(text: str, header: int) -> bool:
    """Return whether a line up to the header is a comment.

    Leaving out comments would then make another line the header.

    Args:
        text: The beginning of a file.
        header: The number of the line that holds the column names; 0 if none does.
    """
    above = re.split("\r\n|\n|\r", text)[:header]
    return len(_without_comments(above)) < len(above)


def _cells_of(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter), [])


def _all_cells(lines: list[str], delimiter: str) -> list[str]:
    """Return the cells of all lines, without blanks around them."""
    return [cell.strip() for cell in chain(*csv.reader(lines, delimiter=delimiter))]


def _is_data(lines: list[str], delimiter: str) -> bool:
    """Return whether some lines look like rows of values, and not like column names.

    They do if a cell is a date or a decimal number. They also do if several cells are whole
    numbers and all others are blank or missing.
    """
    cells = _all_cells(lines, delimiter)
    has_value = any(re.fullmatch(r"[+-]?\d+\.\d+|\d{4}-\d\d-\d\d", cell) for cell in cells)
    numbers = sum(bool(re.fullmatch(r"[+-]?\d+", cell)) for cell in cells)
    blank = sum(cell.lower() in ("", "null", "na", "nan", "none") for cell in cells)
    return has_value or (numbers > 1 and numbers + blank == len(cells))


def _decode(start: bytes) -> tuple[str, str]:
    """Return the beginning of a file as text, and its likeliest encoding.

    Args:
        start: The first bytes of the file, at most `SIGHT_BYTES`.
    """
    if encoding := marked_encoding(start):
        # Whole characters of UTF-16 and of UTF-32.
        return start[: len(start) // 4 * 4].decode(encoding, "replace"), encoding
    try:
        return start.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError as error:
        # The end of what was read may cut a character of up to four bytes.
        if error.start > len(start) - 4 and len(start) == SIGHT_BYTES:
            return start[: error.start].decode("utf-8-sig"), "utf-8"
    # A character that is cut off at the end would rule out the encoding it is in.
    likely = encodings_of(
        start if len(start) < SIGHT_BYTES else start[: start.rfind(b"\n") + 1]
    )
    encoding = likely[0].encoding if likely else "cp1252"
    return start.decode(encoding, "replace"), encoding


def _delimiter(lines: list[str]) -> str:
    """Return the likeliest delimiter of some lines.

    It is the one by which most lines have the same number of cells, of at least two; a comma
    if none makes several cells.
    """
    best = (0, 0, ",")
    for mark in (",", ";", "\t", "|"):
        widths = Counter(len(row) for row in csv.reader(lines, delimiter=mark))
        # The most common width; of equally common ones the largest.
        width, times = max(
            widths.items(), key=lambda item: (item[1], item[0]), default=(1, 0)
        )
        if width > 1:
            best = max(best, (times, width, mark))
    return best[2]
