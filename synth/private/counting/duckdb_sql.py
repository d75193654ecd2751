"""DuckDB's dialect: its own readers, restricted to the common grammar."""

from collections.abc import Callable, Mapping, Sequence

from synth.private.counting.spelling import DECIMAL, INFINITE, SPACE, spelled_date
from synth.private.counting.statements import Values
from synth.private.table import MAX_EXACT_WHOLE

# Name of a typed table in SQL (`synth.private.table.typed_rows`).
TYPED_ROWS = "held"

# Starts of the years 1 and 1000, in seconds since 1970.
FIRST_YEARS = (-62_135_596_800, -30_610_224_000)


def number_text(field: str, kind: str) -> str:
    """Return the text of a field of this type; whole numbers have no decimals."""
    text = f"CAST({field} AS VARCHAR)"
    if kind in ("float", "double"):
        is_whole = f"abs({field}) < {MAX_EXACT_WHOLE} AND {field} = trunc({field})"
        whole_text = f"CAST(CAST({field} AS BIGINT) AS VARCHAR)"
        return f"CASE WHEN {is_whole} THEN {whole_text} ELSE {text} END"
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
        """Begin a statement."""
        super().__init__("$")
        self._enum = enum
        self.numeric = numeric or {}

    def typed_rows(self, positions: Sequence[int]) -> str:
        """Return the name of a typed table whose columns the statement reads.

        As `bind` does for a text, the statement takes note of them.
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
        """Return the trimmed text as a double, NULL if it is no number (or NaN)."""
        if field in self.numeric:
            double = f"CAST({field} AS DOUBLE)"
            return f"CASE WHEN NOT isnan({double}) THEN {double} END"
        text = f"trim({field})"
        plain = f"TRY_CAST({field} AS DOUBLE)"
        trimmed = f"TRY_CAST({text} AS DOUBLE)"
        shape = f"{SPACE}*({DECIMAL}|{INFINITE}){SPACE}*"
        spelled = self.matches(f"replace({text}, '_', '')", shape)
        return (
            f"CASE WHEN {field} >= '+.' AND NOT isnan({plain}) THEN {plain} "
            f"WHEN NOT isnan({trimmed}) AND {spelled} THEN {trimmed} END"
        )

    def moment(self, field: str, pattern: str) -> str:
        """Return the trimmed text as seconds since 1970, NULL if it is no such date."""
        shape = spelled_date(pattern)
        bound = self.bind(pattern.strip())
        text = f"trim({field})"
        plain = f"epoch(try_strptime({field}, {bound}))"
        trimmed = f"epoch(try_strptime({text}, {bound}))"
        around = f"{SPACE}*{shape.text}{SPACE}*"
        spelled = f"{self.matches(text, around)} AND {trimmed} >= {FIRST_YEARS[0]}"
        checked = f"CASE WHEN {spelled} THEN {trimmed} END"
        if not shape.text.startswith("([0-9]"):
            return checked
        settled = f"{field} >= '0' AND {field} < ':' AND {plain} >= {FIRST_YEARS[1]}"
        return f"CASE WHEN {settled} THEN {plain} ELSE {checked} END"
