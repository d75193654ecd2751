r"""The spelling of numbers and dates in cells: one grammar for all engines.

Engines strip the spaces of Unicode (category Zs) around a cell; for numbers and dates then
also tabs and line ends. Numbers are in the syntax of Python's ``float`` with ASCII digits,
without NaN. A date is read from left to right by its pattern:

- a number takes all digits that follow, at most two; ``%Y`` takes exactly four, ``%j`` up to
  three and ``%f`` up to six;
- names of months and days are English, in upper or lower case;
- an offset ``%z``, always at the end, is Z, UTC, GMT, +02, +0200 or +02:00;
- blanks of the pattern match one or more ASCII blanks; other characters match themselves.

Regular expressions are in the language that RE2 and Java share.

>>> spelled_date("%d.%m.%Y").text
'([0-9]{1,2})\\x{2e}([0-9]{1,2})\\x{2e}([0-9]{4})'
"""

from typing import NamedTuple

from synth.domain import MONTH_NAMES, WEEKDAYS, plain_mark, split_pattern

BLANKS = " \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
BLANKS += "\u202f\u205f\u3000"
# Further characters that may be around a number or a date.
WHITE = " \t\n\v\f\r"
SPACE = r"[ \t\n\x0B\f\r]"

# A finite number; single ``_`` between its digits are removed first.
DECIMAL = "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?"
INFINITE = "[+-]?([iI][nN][fF]|[iI][nN][fF][iI][nN][iI][tT][yY])"
# A ``_`` that is not between two digits.
STRAY = "(^|[^0-9])_|_([^0-9]|$)"

# An offset from UTC; other letters in front or behind make it none.
OFFSET = "(?i:Z|UTC|GMT)|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?"

DIGITS_BY_DIRECTIVE = {"%Y": "{4}", "%j": "{1,3}", "%f": "{1,6}"}
NAMES_BY_DIRECTIVE = {
    "%b": [name[:3] for name in MONTH_NAMES],
    "%B": MONTH_NAMES,
    "%a": [name[:3] for name in WEEKDAYS],
    "%A": WEEKDAYS,
    "%p": ("am", "pm"),
}


class Spelled(NamedTuple):
    """The spelling of dates.

    Attributes:
        text: A regular expression with one group for each directive.
        directives: The directives, in order.
    """

    text: str
    directives: tuple[str, ...]


def spelled_date(pattern: str, *, possessive: bool = False) -> Spelled:
    """Return a regular expression for dates of a format, and the format's directives.

    Args:
        pattern: The strptime pattern of the dates.
        possessive: Whether a number takes all digits that it can and never gives one back.
            RE2, which DuckDB uses, does not have that.
    """
    marks = [plain_mark(mark) for mark in split_pattern(pattern)]
    text = "".join(spelled_mark(mark, possessive=possessive) for mark in marks)
    return Spelled(text, tuple(mark for mark in marks if mark[0] == "%" and mark != "%%"))


def spelled_mark(mark: str, *, possessive: bool = False) -> str:
    """Return a regular expression for a part of a pattern; a group if it is a directive.

    Args:
        mark: A directive without a flag, a run of blanks, or a single character; "%%" means
            one, too.
        possessive: Whether a number takes all digits that it can: see `spelled_date`.
    """
    if mark == "%z":
        return f"({OFFSET})"
    if mark in NAMES_BY_DIRECTIVE:
        return f"((?i:{'|'.join(NAMES_BY_DIRECTIVE[mark])}))"
    if mark[0] == "%" and mark != "%%":
        repeated = "+" if possessive else ""
        return f"([0-9]{DIGITS_BY_DIRECTIVE.get(mark, '{1,2}')}{repeated})"
    return f"{SPACE}+" if mark[0] in WHITE else character(mark[0])


def character(char: str) -> str:
    r"""Return one character as a regular expression, also valid within brackets.

    >>> character("-"), character("x")
    ('\\x{2d}', 'x')
    """
    return char if char.isascii() and char.isalnum() else rf"\x{{{ord(char):x}}}"


def offset_seconds(offset: str) -> str:
    """Return SQL of the seconds of an offset from UTC, in the spelling of `OFFSET`.

    ``offset`` is SQL of its text: a name such as Z, which means none, or a sign, two digits
    of hours, and perhaps a colon and two digits of minutes.
    """
    hours = f"COALESCE(TRY_CAST(substr({offset}, 2, 2) AS INT), 0)"
    minutes = f"COALESCE(TRY_CAST(right({offset}, 2) AS INT), 0)"
    minutes = f"CASE WHEN length({offset}) > 3 THEN {minutes} ELSE 0 END"
    sign = f"CASE WHEN {offset} LIKE '-%' THEN -1 ELSE 1 END"
    return f"({sign}) * ({hours} * 3600 + ({minutes}) * 60)"
