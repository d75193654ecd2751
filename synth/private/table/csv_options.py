"""How to read a file: the steward's choices, and suggestions from its shape.

A suggestion is shown and never applied in silence.

>>> parse_format(["delimiter=;", "decimal=,"])
Format(delimiter=';', decimal=',')
>>> parse_format(["delimiter=;", "header=2"]).options
('delimiter=;', 'header=2')
"""

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import NoReturn

from synth.errors import ArgumentError
from synth.private.table.answer_splits import parse_split
from synth.private.table.choices import (
    ENCODINGS,
    encodings_of,
    excel_delimiter,
    marked_encoding,
)
from synth.private.table.header_doubts import (
    LEAST_ROWS,
    doubt_names,
    doubt_record,
    has_row_names,
)
from synth.private.table.lines_below import ask_lines_below, count_lines_below
from synth.private.table.number_marks import BLANKS, find_marks

DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
MARK_NAMES = DELIMITERS | BLANKS
FILL = "fill"
JSON_OBJECTS = "json"
RAGGED = ("", "leave_out", FILL)
# Bytes of a file's beginning that show its shape.
SIGHT = 1 << 16
# Lines among them.
SEEN_LINES = 200


@dataclass(frozen=True, repr=False, kw_only=True)
class Format:
    """Options of a reader; the defaults are a comma-separated UTF-8 file with a header.

    Attributes:
        delimiter: The character between cells.
        encoding: The encoding of the text.
        header: Number of the line that holds the column names; 0 if none does.
        row_names: Whether rows begin with a name of their own, for which the header has no
            name, as R's ``write.table`` writes them.
        below: How many rows follow the column names that hold no record, such as the texts of
            the questions; they are left out, and count for nothing.
        comment: Start of lines to skip; empty for none.
        decimal: The decimal mark of numbers, ``.`` or ``,``.
        thousands: The mark between groups of three digits; empty for none.
        sheet: Name of a workbook's sheet; empty for the first.
        ragged: The rule for rows with another number of cells than columns: ``leave_out``
            (the default), or ``fill``. Then missing cells are empty, and longer rows are left
            out.
        lines: ``one``, each line is a row; ``span``, quoted cells may hold line ends; or
            ``json``, each line is a JSON object.
        line_end: How lines of text end: ``lf``, ``cr``, or empty, as the header does.
        columns: Number of columns without a header; otherwise 0.
        split: Columns whose cells hold several answers, each with the mark between these and
            the options: see `parse_split`.
        names: The declared columns, for lines of JSON, which have no header.
    """

    delimiter: str = ","
    encoding: str = "utf-8"
    header: int = 1
    row_names: bool = False
    below: int = 0
    comment: str = ""
    decimal: str = "."
    thousands: str = ""
    sheet: str = ""
    ragged: str = ""
    lines: str = "one"
    line_end: str = ""
    columns: int = 0
    split: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse options that no file can have, or that do not go together.

        Raises:
            ArgumentError: An option is wrong; the message has the option and its rule.
        """
        self._check_marks()
        self._check_lines()
        if not is_offered(self.encoding):
            raise ArgumentError(
                f"There is no encoding '{self.encoding}'; known are {', '.join(ENCODINGS)}."
            )
        for text in self.split:
            parse_split(text)
        if self.header and self.columns:
            _refuse("columns", "is for a file without a header (header=0)")
        for option in ("below", "row_names"):
            if getattr(self, option) and not self.header:
                _refuse(option, "is for a file with a header")
        if not self.header and codecs.lookup(self.encoding).name in ("utf-16", "utf-32"):
            raise ArgumentError(
                "Without a header, name the byte order too: encoding=utf-16-le or utf-16-be."
            )

    def _check_marks(self) -> None:
        """Refuse a delimiter, a header line or a mark in numbers that cannot be.

        Raises:
            ArgumentError: An option is wrong; the message has the option and its rule.
        """
        if len(self.delimiter) != 1 or self.delimiter in '"\r\n':
            _refuse("delimiter", "must be one character, or the word tab")
        if self.header < 0:
            _refuse("header", "must be the number of a line, or 0 for none")
        if self.decimal not in (".", ","):
            _refuse("decimal", "must be a point or a comma")
        if (
            len(self.thousands) > 1
            or self.thousands == self.decimal
            or self.thousands.isdigit()
        ):
            _refuse("thousands", "must be one character, not the decimal mark")
        if self.thousands.isalpha() or self.thousands in ("+", "-"):
            _refuse("thousands", "must be a mark, not a letter or a sign")

    def _check_lines(self) -> None:
        """Refuse values that the options about lines and comments do not have.

        Raises:
            ArgumentError: An option is wrong; the message has the option and its rule.
        """
        if self.ragged not in RAGGED:
            _refuse("ragged", "must be leave_out or fill")
        if self.lines not in ("one", "span", JSON_OBJECTS):
            _refuse("lines", "must be one, span or json")
        if self.line_end not in ("", "lf", "cr"):
            _refuse("line_end", "must be lf or cr")
        if len(self.comment) > 1:
            _refuse("comment", "must be one character")

    @property
    def options(self) -> tuple[str, ...]:
        """The options that differ from the defaults, as `parse_format` reads them."""
        values = {name: getattr(self, name) for name in FORMAT_OPTIONS}
        return tuple(
            f"{name}={_spell_option(value)}"
            for name, value in values.items()
            if value != getattr(DEFAULT, name) and name != "split"
        ) + tuple(f"split={text}" for text in self.split)

    def __repr__(self) -> str:
        """Show the options that differ from the defaults."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        changed_options = [
            f"{name}={value!r}"
            for name, value in values.items()
            if value != getattr(DEFAULT, name, None)
        ]
        return f"Format({', '.join(changed_options)})"


def _spell_option(value: str | int) -> str:
    """Return the value of an option as `parse_format` reads it."""
    if value is True:
        return "yes"
    # Tabs and blanks are written by name, as they can't be seen.
    names = {mark: name for name, mark in MARK_NAMES.items() if mark.isspace()}
    return names.get(str(value), str(value))


def _refuse(option: str, rule: str) -> NoReturn:
    raise ArgumentError(f"The reading option '{option}' {rule}.")


# Options that are whole numbers, with what they count.
COUNTED = {
    "header": "a line, or 0 for none",
    "below": "rows below the header that hold no record",
    "columns": "columns",
}
# Answers of an option that is a question.
ANSWERS = {"yes": True, "true": True, "no": False, "false": False}
FORMAT_OPTIONS = tuple(f.name for f in fields(Format) if f.name != "names")


def parse_format(options: Iterable[str]) -> Format:
    """Return the format of options such as ``delimiter=;`` or ``header=3``.

    A mark may also be given by its name in `MARK_NAMES`.

    Raises:
        ArgumentError: An option is unknown or its value impossible.
    """
    values: dict[str, str | int] = {}
    splits: list[str] = []
    for option in options:
        name, equals, value = option.partition("=")
        if not equals or name not in FORMAT_OPTIONS:
            raise ArgumentError(
                f"'{option}' is no reading option; they are "
                f"{', '.join(sorted(FORMAT_OPTIONS))}."
            )
        if name in COUNTED:
            if not re.fullmatch("[0-9]{1,6}", value):
                _refuse(name, f"must be the number of {COUNTED[name]}")
            values[name] = int(value)
        elif name == "split":
            splits.append(value)
        elif name == "row_names":
            if value.lower() not in ANSWERS:
                _refuse(name, "must be yes or no")
            values[name] = ANSWERS[value.lower()]
        else:
            values[name] = MARK_NAMES.get(value, value)
    return Format(split=tuple(splits), **values)  # type: ignore[arg-type]


def suggest(start: bytes, form: "Format | None" = None) -> Format:
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
    lines = _filled_lines(text, form, is_cut_off=len(start) >= SIGHT)
    rows = _without_comments(lines)
    # Leaving out comments above the header would make another line the header.
    comment = ""
    if len(rows) < len(lines) and not _has_comment_above(text, header):
        comment = "#"
    delimiter, _, _ = _delimiter(rows)
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
    text, _ = _decode(start)
    lines = _filled_lines(text, form, is_cut_off=len(start) >= SIGHT)
    if not lines:
        return ""
    if excel_delimiter(lines[0]):
        return (
            "Its first line only says which mark is between the cells: if the column names "
            "are on the next line, choose header=2."
        )
    likely_delimiter, _, _ = _delimiter(lines)
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
        delimiter, _, _ = _delimiter(
            _filled_lines(text, form, is_cut_off=len(start) >= SIGHT)
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
    text, _ = _decode(start)
    lines = _filled_lines(text, form, is_cut_off=len(start) >= SIGHT)
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


def is_offered(encoding: str) -> bool:
    """Return whether a file may have this encoding, given by any name that Python knows.

    In all allowed encodings, line ends are single characters.
    """
    try:
        # A name that Python does not know, or that has a zero byte, raises an error.
        return codecs.lookup(encoding).name in _OFFERED
    except (LookupError, ValueError):
        return False


_OFFERED = {codecs.lookup(name).name for name in (*ENCODINGS, "ascii", "utf-8-sig")}


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
        start: The first bytes of the file, at most `SIGHT`.
    """
    if encoding := marked_encoding(start):
        # Whole characters of UTF-16 and of UTF-32.
        return start[: len(start) // 4 * 4].decode(encoding, "replace"), encoding
    try:
        return start.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError as error:
        # The end of what was read may cut a character of up to four bytes.
        if error.start > len(start) - 4 and len(start) == SIGHT:
            return start[: error.start].decode("utf-8-sig"), "utf-8"
    # A character that is cut off at the end would rule out the encoding it is in.
    likely = encodings_of(start if len(start) < SIGHT else start[: start.rfind(b"\n") + 1])
    encoding = likely[0].encoding if likely else "cp1252"
    return start.decode(encoding, "replace"), encoding


def _delimiter(lines: list[str]) -> tuple[str, int, int]:
    """Return the likeliest delimiter of some lines.

    It is the one by which most lines have the same number of cells, of at least two. Returns
    the delimiter, that number of cells, and the number of such lines; a comma, 1 and 0 if no
    delimiter makes several cells.
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
    return best[2], max(1, best[1]), best[0]


DEFAULT: Format = Format()
