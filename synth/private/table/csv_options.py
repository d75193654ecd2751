"""How to read a file: the steward's choices.

>>> parse_format(["delimiter=;", "decimal=,"])
Format(delimiter=';', decimal=',')
>>> parse_format(["delimiter=;", "header=2"]).options
('delimiter=;', 'header=2')
"""

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import NoReturn

from synth.errors import ArgumentError
from synth.private.table.choices import ENCODINGS

DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
# Blanks between groups of three digits, by name, as no screen tells them apart.
BLANKS = {"space": " ", "nbsp": "\u00a0", "narrow": "\u202f", "thin": "\u2009"}
MARK_NAMES = DELIMITERS | BLANKS
FILL = "fill"
JSON_OBJECTS = "json"
RAGGED = ("", "leave_out", FILL)


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
            the options: see `answer_splits`.
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
        if self.split:
            from synth.private.table.answer_splits import parse_split

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
            names = ", ".join(DELIMITERS)
            _refuse("delimiter", f"must be one character, or one of the words {names}")
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


DEFAULT: Format = Format()
