"""The SQL that turns rows of text into cells, the same for every engine.

Each column's text is trimmed, compared with the declaration and turned into a code by a
``CASE`` expression; no engine ever sees a type. A row that a rule leaves out has a NULL cell.
What differs between engines (quoting, look-ups, casts) is asked of a `Dialect`.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Protocol

from synth.bins import Piece
from synth.cells import runs
from synth.domain import (
    Binned,
    Boolean,
    Categorical,
    Column,
    Date,
    Domain,
    Integer,
    Number,
    Outside,
)
from synth.formats import DEFAULT, Format

LINEAR_BINS = 8
"""Up to this many bins are told apart by one flat CASE; more by a balanced tree of them."""


class Dialect(Protocol):
    """What an engine must say about its SQL."""

    def text(self, position: int) -> str:
        """The trimmed text of the column at a position of the file, '' for an empty cell."""

    def lookup(self, text: str, categories: Sequence[str]) -> str:
        """The position of the text in a list, NULL where it is not there."""

    def matches(self, text: str, pattern: str) -> str:
        """Whether the whole text matches a regular expression."""

    def number(self, text: str) -> str:
        """The text as a double, NULL where it is no number (NaN included)."""

    def moment(self, text: str, pattern: str) -> str:
        """The text as seconds since 1970, NULL where it does not follow the pattern."""


def literal(text: str) -> str:
    """A text as a SQL literal.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def cell_query(
    domain: Domain,
    positions: Sequence[int],
    source: str,
    dialect: Dialect,
    form: Format = DEFAULT,
    *,
    person: int | None = None,
    max_rows: int = 1,
) -> str:
    """SQL that counts rows by cell: columns ``w0``, ``w1``, ... and ``n``.

    A cell is one number a run of columns (`synth.cells`), any NULL among them for rows left out.
    With the position of a ``person`` column, at most ``max_rows`` rows of each person count.
    """
    words, column = [], 0
    for i, run in enumerate(runs(domain.shape)):
        terms, stride = [], prod(run)
        for size in run:
            stride //= size
            terms.append(f"CAST(c{column} AS BIGINT) * {stride}")
            column += 1
        words.append(f"{' + '.join(terms)} AS w{i}")
    codes = codes_query(domain, positions, source, dialect, form, person)
    names = ", ".join(f"w{i}" for i in range(len(words)))
    if person is not None:
        words.append("who")
    cells = f"SELECT {', '.join(words)} FROM ({codes})"
    if person is not None:
        cells = _first_of_each(cells, names.split(", "), max_rows)
    return f"SELECT {names}, count(*) AS n FROM ({cells}) GROUP BY {names}"


def _first_of_each(cells: str, names: Sequence[str], max_rows: int) -> str:
    """The rows of each person that come first by the MD5 of their cell; no others' matter."""
    text = " || '/' || ".join(f"CAST({name} AS STRING)" for name in names)
    inside = " AND ".join(f"{name} IS NOT NULL" for name in names)
    turn = f"row_number() OVER (PARTITION BY who ORDER BY md5({text})) AS turn"
    ranked = f"SELECT *, {turn} FROM ({cells}) WHERE who <> '' AND {inside}"
    return f"SELECT * FROM ({ranked}) WHERE turn <= {max_rows}"


def codes_query(
    domain: Domain,
    positions: Sequence[int],
    source: str,
    dialect: Dialect,
    form: Format = DEFAULT,
    person: int | None = None,
) -> str:
    """SQL that gives each row's codes: columns ``c0``, ``c1``, ...; NULL leaves the row out.

    With the position of a ``person`` column, its text is there too, as ``who``.
    """
    who = "" if person is None else ", who"
    texts = ", ".join(f"{dialect.text(p)} AS t{i}" for i, p in enumerate(positions))
    reads = ", ".join(
        f"t{i}, {_reading(column, f't{i}', dialect, form)} AS v{i}"
        for i, column in enumerate(domain.columns)
    )
    codes = ", ".join(
        f"{_code(column, f't{i}', f'v{i}', domain.missing_values)} AS c{i}"
        for i, column in enumerate(domain.columns)
    )
    if person is not None:
        texts += f", {dialect.text(person)} AS who"
    return f"SELECT {codes}{who} FROM (SELECT {reads}{who} FROM (SELECT {texts} FROM {source}))"


def _reading(column: Column, text: str, dialect: Dialect, form: Format) -> str:
    match column:
        case Categorical():
            return dialect.lookup(text, column.categories)
        case Boolean():
            falses = f"WHEN {text} IN ({_listing(column.false_values)}) THEN 0"
            return f"CASE {falses} WHEN {text} IN ({_listing(column.true_values)}) THEN 1 END"
        case Date():
            return dialect.moment(text, column.pattern)
        case _:
            return dialect.number(_pointed(text, dialect, form))


def _pointed(text: str, dialect: Dialect, form: Format) -> str:
    """The text with a decimal point and no other marks, NULL where it uses them wrongly."""
    if (form.decimal, form.thousands) == (".", ""):
        return text
    decimal = "[.]" if form.decimal == "." else ","
    group = f"|[0-9]{{1,3}}([{form.thousands}][0-9]{{3}})+" if form.thousands else ""
    pattern = f"[+-]?([0-9]+{group})?({decimal}[0-9]*)?([eE][+-]?[0-9]+)?"
    plain = f"replace({text}, {literal(form.thousands)}, '')" if form.thousands else text
    pointed = f"replace({plain}, {literal(form.decimal)}, '.')"
    return f"CASE WHEN {dialect.matches(text, pattern)} THEN {pointed} END"


def _code(column: Column, text: str, value: str, missing_values: Sequence[str]) -> str:
    """A CASE expression over the column's text and its reading."""
    unknown = _null(column.other_code if column.rule == Outside.CELL else column.missing_code)
    if column.rule == Outside.DROP:
        unknown = "NULL"
    missing = _null(column.missing_code) if column.missing else unknown
    is_missing = f"{text} IN ({_listing(missing_values)})" if missing_values else "FALSE"
    if not isinstance(column, Binned):
        return (
            f"CASE WHEN {value} IS NOT NULL THEN {value} "
            f"WHEN {is_missing} THEN {missing} ELSE {unknown} END"
        )
    low, high = _ends(column)
    below, above = unknown, unknown
    if column.rule == Outside.NEAREST:
        below, above = (str(code) for code in column.end_codes)
    return (
        f"CASE WHEN {is_missing} THEN {missing} WHEN {value} IS NULL THEN {unknown} "
        f"{_spikes(column, value)}"
        f"WHEN {value} < {low} THEN {below} WHEN {value} {high} THEN {above} "
        f"ELSE {_even_bin(column, value) or _cut_bin(column, value)} END"
    )


def _ends(column: Binned) -> tuple[str, str]:
    """The lower bound, and the comparison that tells what lies above the upper one."""
    low, high = column.bounds
    if isinstance(column, Date):
        return _place(column, low), f">= {_place(column, high + 1)}"
    return _double(low), f"> {_double(high)}"


def _spikes(column: Binned, value: str) -> str:
    """The codes of the values that have a cell of their own, ahead of all bins and bounds."""
    return "".join(
        f"WHEN {_is_in(column, value, piece)} THEN {code} "
        for code, piece in enumerate(column.pieces)
        if piece.spike
    )


def _is_in(column: Binned, value: str, spike: Piece) -> str:
    low = _place(column, spike.low)
    if isinstance(column, Number):
        return f"{value} = {low}"
    return f"{value} >= {low} AND {value} < {_place(column, spike.high)}"


def _even_bin(column: Binned, value: str) -> str | None:
    """The bin of a value inside the bounds by arithmetic, where the bins are even and many.

    Bin i of n starts at unit floor(i * values / n), so unit d is in bin
    floor(((d + 1) n - 1) / values); in doubles that is exact below 2^52.
    """
    if not isinstance(column, Date | Integer) or column.edges or column.spikes:
        return None
    if column.bin_count <= LINEAR_BINS or column.values * column.bin_count >= 2**52:
        return None
    if isinstance(column, Date) and column.period:
        if column.grid is None:
            return None
        start, length = column.grid
        return f"CAST(floor(({value} - ({start})) / {length}) AS INTEGER)"
    seconds = column.seconds if isinstance(column, Date) else 1
    unit = f"(floor({value} / {seconds}) - {column.starts[0]})"
    return f"CAST(floor((({unit} + 1) * {column.bin_count} - 1) / {column.values}) AS INTEGER)"


def _cut_bin(column: Binned, value: str) -> str:
    """The bin of a value inside the bounds that is no spike, by where the bins begin."""
    bins = [(code, piece.low) for code, piece in enumerate(column.pieces) if not piece.spike]
    cuts = [_place(column, low) for _, low in bins[1:]]
    return _bin(value, cuts, [code for code, _ in bins])


def _place(column: Binned, position: Fraction) -> str:
    """A position on the column's axis as its values are read."""
    if isinstance(column, Number):
        return _double(position)
    return str(int(position) * (column.seconds if isinstance(column, Date) else 1))


def _bin(value: str, cuts: Sequence[str], codes: Sequence[int]) -> str:
    """The code at the number of cuts at or below the value: nested CASEs of logarithmic depth."""
    if not cuts:
        return str(codes[0])
    if len(cuts) <= LINEAR_BINS:
        whens = " ".join(
            f"WHEN {value} < {cut} THEN {code}" for cut, code in zip(cuts, codes, strict=False)
        )
        return f"CASE {whens} ELSE {codes[-1]} END"
    middle = len(cuts) // 2
    left = _bin(value, cuts[:middle], codes[: middle + 1])
    right = _bin(value, cuts[middle + 1 :], codes[middle + 1 :])
    return f"CASE WHEN {value} < {cuts[middle]} THEN {left} ELSE {right} END"


def _double(exact: object) -> str:
    return f"CAST('{float(exact)!r}' AS DOUBLE)"  # type: ignore[arg-type]


def _listing(texts: Sequence[str]) -> str:
    return ", ".join(literal(text) for text in texts)


def _null(code: int | None) -> str:
    return "NULL" if code is None else str(code)
