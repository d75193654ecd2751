"""DuckDB's dialect: its own readers, restricted to the common grammar."""

from collections.abc import Callable, Mapping, Sequence

from synth.domain import SHORT_YEARS, Moment, plain_mark, plain_pattern, split_pattern
from synth.private.counting.spelling import (
    DECIMAL,
    INFINITE,
    OFFSET,
    SPACE,
    offset_seconds,
    spelled_date,
    spelled_mark,
)
from synth.private.counting.statements import Values
from synth.private.table import MAX_EXACT_WHOLE

# Name of a typed table in SQL (`synth.private.table.typed_rows`).
TYPED_ROWS = "held"

# Starts of the years 1 and 1000, in seconds since 1970.
FIRST_YEARS = (-62_135_596_800, -30_610_224_000)


def number_text(field: str, kind: str) -> str:
    """Return SQL of the text of a field; whole numbers have no decimals in any type.

    Args:
        field: The field in SQL.
        kind: The Arrow type of the field, such as ``double`` or ``decimal128(9, 2)``.
    """
    text = f"CAST({field} AS VARCHAR)"
    if kind in ("float", "double"):
        is_whole = f"abs({field}) < {MAX_EXACT_WHOLE} AND {field} = trunc({field})"
        whole_text = f"CAST(CAST({field} AS BIGINT) AS VARCHAR)"
        return f"CASE WHEN {is_whole} THEN {whole_text} ELSE {text} END"
    # A decimal type with places writes them all; zeros at the end go, and a bare point.
    if kind.startswith("decimal") and not kind.endswith(", 0)"):
        return f"regexp_replace({text}, '[.]?0+$', '')"
    return text


class Dialect(Values):
    """DuckDB's SQL of one statement, and its texts.

    Its own readers are faster than regular expressions, and accept a little more than
    `synth.private.counting.spelling` does. A cell that begins with a digit, sign or point is
    safe; other cells must match the spelling first.

    Args:
        enum: Returns the name of a type that numbers the categories.
        numeric: Fields that stay numbers, with their Arrow types: texts would be slow.
    """

    def __init__(
        self, enum: Callable[[tuple[str, ...]], str], numeric: Mapping[str, str] | None = None
    ) -> None:
        """Begin a statement, whose placeholders have names such as ``$p0``."""
        super().__init__("$")
        self._enum = enum
        self.numeric = numeric or {}

    def typed_rows(self, positions: Sequence[int]) -> str:
        """Return the name of a typed table in SQL, and note which columns it must have.

        Whoever runs the statement registers a reader of these columns under that name.

        Args:
            positions: The positions of the columns in the table.
        """
        self.columns = tuple(positions)
        return TYPED_ROWS

    def text(self, field: str) -> str:
        """Return the trimmed text of a field, '' for an empty cell."""
        if field in self.numeric:
            field = number_text(field, self.numeric[field])
        return f"COALESCE(trim({field}), '')"

    def lookup(self, text: str, categories: Sequence[str]) -> str:
        """Return the position of the text in a list, NULL if it is not there."""
        return f"enum_code(TRY_CAST({text} AS {self._enum(tuple(categories))}))"

    def matches(self, text: str, pattern: str) -> str:
        """Return whether the whole text matches a regular expression."""
        return f"regexp_full_match({text}, {self.bind(pattern)})"

    def number(self, field: str) -> str:
        """Return SQL of the trimmed text as a double, NULL if it is no number (or NaN).

        DuckDB's cast also takes some texts that the grammar of all engines lacks, but only
        such as begin otherwise than a number. So there are two cases: a text that begins as a
        number does is cast at once, which is fast. Any other text is trimmed, and must match
        the grammar.
        """
        if field in self.numeric:
            double = f"CAST({field} AS DOUBLE)"
            return f"CASE WHEN NOT isnan({double}) THEN {double} END"
        # In the order of characters '+.' comes before digits, signs and points, and before
        # letters. Of words only infinity and NaN are cast to numbers, and NaN is left out.
        begins_as_number = f"{field} >= '+.'"
        cast = f"TRY_CAST({field} AS DOUBLE)"
        text = f"trim({field})"
        cast_of_trimmed = f"TRY_CAST({text} AS DOUBLE)"
        grammar = f"{SPACE}*({DECIMAL}|{INFINITE}){SPACE}*"
        # Underscores may stand between digits; the cast checks where.
        matches_grammar = self.matches(f"replace({text}, '_', '')", grammar)
        return (
            f"CASE WHEN {begins_as_number} AND NOT isnan({cast}) THEN {cast} "
            f"WHEN NOT isnan({cast_of_trimmed}) AND {matches_grammar} "
            f"THEN {cast_of_trimmed} END"
        )

    def moment(self, field: str, reading: Moment) -> str:
        """Return SQL of the trimmed text as seconds since 1970, NULL if it is no such date.

        Args:
            field: The text in SQL.
            reading: The format of the date, and what its two digits of a year mean.

        DuckDB's reader accepts a little more than the common grammar. A text that begins with
        a digit and gives a year from 1000 on is surely right, and is read at once. Any other
        must match the regular expression of the format.
        """
        is_short = "%y" in plain_pattern(reading.pattern)
        if reading.has_offsets or (is_short and reading.first_year != SHORT_YEARS[0]):
            return self._respelled_moment(field, reading)
        shape = spelled_date(reading.pattern)
        bound = self.bind(plain_pattern(reading.pattern))
        text = f"trim({field})"
        plain = f"epoch(try_strptime({field}, {bound}))"
        trimmed = f"epoch(try_strptime({text}, {bound}))"
        around = f"{SPACE}*{shape.text}{SPACE}*"
        spelled = f"{self.matches(text, around)} AND {trimmed} >= {FIRST_YEARS[0]}"
        checked = f"CASE WHEN {spelled} THEN {trimmed} END"
        # Only a format that begins with digits can be read at once.
        if not shape.text.startswith("([0-9]"):
            return checked
        # ':' is the character after '9'.
        settled = f"{field} >= '0' AND {field} < ':' AND {plain} >= {FIRST_YEARS[1]}"
        return f"CASE WHEN {settled} THEN {plain} ELSE {checked} END"

    def _respelled_moment(self, field: str, reading: Moment) -> str:
        """Return what `moment` does, from a text with four digits of a year and no offset.

        DuckDB takes two digits for years from 1969 on only, and offsets need an extension.
        """
        marks = [plain_mark(mark) for mark in split_pattern(reading.pattern)]
        if reading.has_offsets:
            marks.pop()
        place = marks.index("%y") if "%y" in marks else len(marks)
        # Four parts of the text: before the year, the year, after it, and the offset.
        parts_of_marks = (marks[:place], marks[place : place + 1], marks[place + 1 :])
        shapes = ["".join(map(_ungrouped_shape, part)) for part in parts_of_marks]
        shapes.append(OFFSET if reading.has_offsets else "")
        shape = "".join(f"({part_shape})" for part_shape in shapes)
        text = f"trim({field})"
        around = self.bind(f"^{SPACE}*{shape}{SPACE}*$")
        before, year, after, offset = (
            f"regexp_extract({text}, {around}, {group})" for group in range(1, 5)
        )
        if "%y" in marks:
            year = _four_digits(year, reading.years[0])
            marks[place] = "%Y"
        bound = self.bind("".join(marks).strip())
        clock = f"epoch(try_strptime(trim({before} || {year} || {after}), {bound}))"
        second = f"{clock} - {offset_seconds(offset)}" if reading.has_offsets else clock
        is_spelled = f"regexp_matches({text}, {around}) AND {clock} >= {FIRST_YEARS[0]}"
        return f"CASE WHEN {is_spelled} THEN {second} END"


def _ungrouped_shape(mark: str) -> str:
    """Return a regular expression for a part of a pattern, in a group that has no number."""
    shape = spelled_mark(mark)
    return f"(?:{shape[1:-1]})" if mark[0] == "%" and mark != "%%" else shape


def _four_digits(year: str, first_year: int) -> str:
    """Return SQL of four digits of a year from one or two.

    Args:
        year: SQL of the digits as text.
        first_year: The first of the hundred years that they may mean.
    """
    century, first_short = divmod(first_year, 100)
    is_next = f"TRY_CAST({year} AS INT) < {first_short}"
    digits = f"CASE WHEN {is_next} THEN '{century + 1:02d}' ELSE '{century:02d}' END"
    return f"({digits}) || lpad({year}, 2, '0')"
