"""Spark's dialect: its texts are bound, its dates are read by one regular expression."""

import json
import re
from collections.abc import Sequence
from itertools import count

from synth.domain import MONTH_NAMES, Moment, plain_pattern
from synth.private.counting.spelling import (
    BLANKS,
    DECIMAL,
    INFINITE,
    STRAY,
    WHITE,
    offset_seconds,
    spelled_date,
)
from synth.private.counting.statements import Value, Values

# Directives as Java writes them.
MOMENTS = {
    "%Y": "yyyy",
    "%y": "yy",
    "%m": "MM",
    "%d": "dd",
    "%H": "HH",
    "%M": "mm",
    "%S": "ss",
    "%b": "MMM",
    "%B": "MMMM",
    "%I": "hh",
    "%p": "a",
    "%j": "DDD",
    "%f": "SSSSSS",
    "%a": "EEE",
    "%A": "EEEE",
    "%%": "%",
}

# The least and the most of what a directive stands for.
DIRECTIVE_RANGES = {
    "%Y": (1, 9999),
    "%j": (1, 366),
    "%H": (0, 23),
    "%I": (1, 12),
    "%M": (0, 59),
    "%S": (0, 59),
}

_VIEWS = count()


class Dialect(Values):
    """Spark's SQL of one statement, its texts, and the name of the view that it reads.

    From version 4.1 Spark writes a bound text into the statement, wrongly with
    ``escapedStringLiterals``. So texts are bound as hexadecimal digits (`digits`).
    """

    def __init__(self) -> None:
        """Begin a statement that reads a view of its own."""
        super().__init__(":")
        self.source = f"synth_source_{next(_VIEWS)}"

    def bind(self, value: Value) -> str:
        """Return SQL of a text, or of a list of texts, decoded from its placeholder.

        The placeholder holds hexadecimal digits, for a list those of its JSON: see `digits`.
        """
        text = f"decode(unhex({super().bind(value)}), 'UTF-8')"
        return text if isinstance(value, str) else f"from_json({text}, 'array<string>')"

    def text(self, field: str) -> str:
        """Return the trimmed text of a field, '' for an empty cell."""
        return f"COALESCE(trim(BOTH {self.bind(BLANKS)} FROM {field}), '')"

    def _bare(self, field: str) -> str:
        """Return the text of a field without blanks, tabs and line ends around it."""
        return (
            f"trim(BOTH {self.bind(WHITE)} FROM trim(BOTH {self.bind(BLANKS)} FROM {field}))"
        )

    def lookup(self, text: str, categories: Sequence[str]) -> str:
        """Return the position of the text in a list, NULL if it is not there."""
        return f"NULLIF(array_position({self.bind(tuple(categories))}, {text}), 0) - 1"

    def matches(self, text: str, pattern: str) -> str:
        """Return whether the whole text matches a regular expression."""
        anchored = rf"\A(?:{pattern})\z"
        return f"{text} RLIKE {self.bind(anchored)}"

    def number(self, field: str) -> str:
        """Return SQL of the trimmed text as a double, NULL if it is no number (or NaN).

        Spark's cast does not know ``_`` between digits, nor ``inf``. So underscores are taken
        out where they may stand, and infinity is written as Spark does.
        """
        text = self._bare(field)
        plain = f"replace({text}, '_', '')"
        sign = f"CASE WHEN startswith({text}, '-') THEN '-Infinity' ELSE 'Infinity' END"
        return (
            f"CASE WHEN {self.matches(plain, DECIMAL)} AND NOT {text} RLIKE "
            f"{self.bind(STRAY)} THEN TRY_CAST({plain} AS DOUBLE) WHEN "
            f"{self.matches(text, INFINITE)} THEN CAST({sign} AS DOUBLE) END"
        )

    def moment(self, field: str, reading: Moment) -> str:
        """Return SQL of the trimmed text as seconds since 1970, NULL if it is no such date.

        Spark's own readers accept other dates than the common grammar. So a regular
        expression cuts the text into parts, and SQL computes the seconds from these.

        Args:
            field: The text in SQL.
            reading: The format of the date, and what its two digits of a year mean.
        """
        shape = spelled_date(reading.pattern, possessive=True)
        text = self._bare(field)
        part = {
            mark: f"regexp_extract({text}, {self.bind(shape.text)}, {i})"
            for i, mark in enumerate(shape.directives, 1)
        }
        return (
            f"CASE WHEN {self.matches(text, shape.text)} AND {_check_ranges(part)} "
            f"THEN unix_date({_day(part, reading.first_year)}) * 86400L + {_second(part)} END"
        )


def digits(value: Value) -> str:
    """Return the hexadecimal digits of a text in UTF-8, or of a list as JSON in UTF-8."""
    return (value if isinstance(value, str) else json.dumps(value)).encode().hex()


def _check_ranges(part: dict[str, str]) -> str:
    """Return SQL for whether all parts of a date are in their ranges.

    Args:
        part: SQL of the text of each directive of the format, such as ``%H``.

    Days and months are not checked here: an impossible day gives NULL.
    """
    checks = [
        f"CAST({part[mark]} AS INT) BETWEEN {low} AND {high}"
        for mark, (low, high) in DIRECTIVE_RANGES.items()
        if mark in part
    ]
    return " AND ".join(checks) or "TRUE"


def _day(part: dict[str, str], first_year: int) -> str:
    """Return Spark SQL for the day of a date, NULL if there is no such day.

    Args:
        first_year: The first of the hundred years that two digits may mean.
        part: SQL of the text of each directive of the format. A day of the year ``%j`` goes
            before month and day; a missing month or day is the first.
    """
    year = f"CAST({part.get('%Y', part.get('%y'))} AS INT)"
    if "%Y" not in part:
        first_short = first_year % 100
        century = first_year - first_short
        centuries = (
            f"CASE WHEN {year} < {first_short} THEN {century + 100} ELSE {century} END"
        )
        year = f"({year} + {centuries})"
    if "%j" in part:
        return f"date_add(make_date({year}, 1, 1), CAST({part['%j']} AS INT) - 1)"
    month = f"CAST({part.get('%m', '1')} AS INT)"
    # Names of months are cut to three letters, or not at all: the longest has nine.
    for mark, size in (("%b", 3), ("%B", 9)):
        if mark in part:
            names = ", ".join(f"'{name[:size]}'" for name in MONTH_NAMES)
            month = f"array_position(array({names}), lower({part[mark]}))"
    return f"make_date({year}, CAST({month} AS INT), CAST({part.get('%d', '1')} AS INT))"


def _second(part: dict[str, str]) -> str:
    """Return Spark SQL for the second of the day; fractions of a second are left out.

    Args:
        part: SQL of the text of each directive of the format; a missing part is 0. An hour
            of twelve ``%I`` is in the morning unless ``%p`` says otherwise.
    """
    hour = f"CAST({part['%H']} AS INT)" if "%H" in part else "0"
    if "%I" in part:
        noon = (
            f"CASE WHEN lower({part['%p']}) = 'pm' THEN 12 ELSE 0 END"
            if "%p" in part
            else "0"
        )
        hour = f"(CAST({part['%I']} AS INT) % 12 + {noon})"
    minute = f"CAST({part['%M']} AS INT)" if "%M" in part else "0"
    second = f"CAST({part['%S']} AS INT)" if "%S" in part else "0"
    second_of_day = f"{hour} * 3600 + {minute} * 60 + {second}"
    return (
        f"{second_of_day} - {offset_seconds(part['%z'])}" if "%z" in part else second_of_day
    )


def java_pattern(pattern: str) -> str:
    """Return a strftime pattern as Java writes it, with other texts in quotes.

    >>> java_pattern("%d.%m.%Y at %H:%M")
    "dd.MM.yyyy 'at' HH:mm"
    """

    def translate(part: re.Match[str]) -> str:
        """Return a directive in Java's letters, or a text in quotes."""
        return MOMENTS.get(part[0]) or _write_pattern_text(part[0])

    return re.sub("%.|[^%.,:/ -]+", translate, plain_pattern(pattern))


def _write_pattern_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
