"""The SQL that turns rows of text into cells, the same for every engine.

Each column's text is trimmed, compared with the declaration and turned into a code by a
``CASE`` expression; no engine ever sees a type. A row that a rule leaves out has a NULL cell.
Texts that stand there just as declared come first, so that few are trimmed and asked further.
What differs between engines (placeholders, look-ups, casts) is asked of a `Dialect`. No text of
a declaration is part of the SQL (`synth.counting.statements`), whose columns have names of our own.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Protocol

from synth.arrays import runs
from synth.counting.spelling import character
from synth.domain.bins import Piece
from synth.domain.domain import (
    UNREADABLE,
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
from synth.table.csv_options import DEFAULT, Format

LINEAR_BINS = 8
"""Up to this many bins are told apart by one flat CASE; more by a balanced tree of them."""

FEW_CATEGORIES = 8
"""Up to this many categories are compared one by one; more are looked up."""


class Dialect(Protocol):
    """What an engine must say about its SQL."""

    def bind(self, value: str) -> str:
        """The placeholder of a text."""

    def text(self, field: str) -> str:
        """The trimmed text of a field, '' for an empty cell."""

    def lookup(self, text: str, categories: Sequence[str]) -> str:
        """The position of the text in a list, NULL where it is not there."""

    def matches(self, text: str, pattern: str) -> str:
        """Whether the whole text matches a regular expression."""

    def number(self, field: str) -> str:
        """The trimmed text as a double, NULL where it is no number (NaN included)."""

    def moment(self, field: str, pattern: str) -> str:
        """The trimmed text as seconds since 1970, NULL where it does not follow the pattern."""


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

    A cell is one number a run of columns (`synth.arrays`), any NULL among them for rows left
    out. With the position of a ``person`` column, at most ``max_rows`` rows of each person count.
    """
    codes = codes_query(domain, positions, source, dialect, form, person)
    words = _words(domain)
    cells = f"SELECT {', '.join(words)} FROM ({codes})"
    if person is not None:
        cells = kept_query(codes, domain, max_rows)
    names = ", ".join(f"w{i}" for i in range(len(words)))
    return f"SELECT {names}, count(*) AS n FROM ({cells}) GROUP BY {names}"


def _words(domain: Domain) -> list[str]:
    """The cell of a row as numbers ``w0``, ``w1``, ..., made of its codes."""
    words, column = [], 0
    for i, run in enumerate(runs(domain.shape)):
        terms, stride = [], prod(run)
        kind = "INTEGER" if stride < 2**31 else "BIGINT"  # the smaller, the faster to group
        for size in run:
            stride //= size
            terms.append(f"CAST(c{column} AS {kind}) * {stride}")
            column += 1
        words.append(f"{' + '.join(terms)} AS w{i}")
    return words


def marginals_query(codes: str, columns: int, groups: Sequence[Sequence[int]]) -> str:
    """SQL that counts many marginals in one scan: columns ``c0``, ``c1``, ..., ``kept``, ``n``.

    A code is NULL where its column is not in the group. Rows that are left out count as such, in
    every group, with ``kept`` 0.

    Args:
        codes: What `codes_query` made.
        columns: Their number.
        groups: Columns of each marginal, by number.
    """
    names = [f"c{i}" for i in range(columns)]
    inside = " AND ".join(f"{name} IS NOT NULL" for name in names)
    plain = ", ".join(
        f"CASE WHEN {inside} THEN CAST({name} AS INTEGER) ELSE 0 END AS {name}" for name in names
    )
    rows = f"SELECT {plain}, CASE WHEN {inside} THEN 1 ELSE 0 END AS kept FROM ({codes})"
    sets = ", ".join(f"({', '.join(f'c{i}' for i in group)}, kept)" for group in groups)
    used = ", ".join([*(f"c{i}" for i in sorted({i for group in groups for i in group})), "kept"])
    return f"SELECT {used}, count(*) AS n FROM ({rows}) GROUP BY GROUPING SETS ({sets})"


def kept_query(codes: str, domain: Domain, max_rows: int) -> str:
    """SQL of the rows that are used where one person may have several, with their cells.

    Of each person these are the rows that come first by the MD5 of their cell; no others' rows
    matter. Which they are hangs on all columns of the domain, so that every marginal is of the
    same rows. Rows that name nobody, and those that a rule leaves out, are not there.

    Args:
        codes: What `codes_query` made, with ``who``.
        domain: The declared columns.
        max_rows: Most rows of one person.
    """
    words = _words(domain)
    names = [f"w{i}" for i in range(len(words))]
    text = " || '/' || ".join(f"CAST({name} AS STRING)" for name in names)
    inside = " AND ".join(f"{name} IS NOT NULL" for name in names)
    turn = f"row_number() OVER (PARTITION BY who ORDER BY md5({text})) AS turn"
    cells = f"SELECT *, {', '.join(words)} FROM ({codes})"
    ranked = f"SELECT *, {turn} FROM ({cells}) WHERE who <> '' AND {inside}"
    return f"SELECT * FROM ({ranked}) WHERE turn <= {max_rows}"


def codes_query(
    domain: Domain,
    positions: Sequence[int],
    source: str,
    dialect: Dialect,
    form: Format = DEFAULT,
    person: int | None = None,
    *,
    values: bool = False,
) -> str:
    """SQL that gives each row's codes: columns ``c0``, ``c1``, ...; NULL leaves the row out.

    With the position of a ``person`` column, its text is there too, as ``who``; with ``values``,
    what was read from each cell, as ``v0``, ``v1``, ...
    """
    fields, read, codes = [], [], []
    for i, (column, position) in enumerate(zip(domain.columns, positions, strict=True)):
        fields.append(f"f{position} AS t{i}")
        read.append(f"t{i}, {_reading(column, f't{i}', dialect, form)} AS v{i}")
        code = _binned if isinstance(column, Binned) else _listed
        codes.append(f"{code(column, i, domain.missing_values, dialect, form)} AS c{i}")
        if values:
            codes.append(f"v{i}")
    if person is not None:
        fields.append(f"{_named(f'f{person}', domain.missing_values, dialect)} AS who")
        read.append("who")
        codes.append("who")
    texts = f"SELECT {', '.join(fields)} FROM {source}"
    return f"SELECT {', '.join(codes)} FROM (SELECT {', '.join(read)} FROM ({texts}))"


def _named(field: str, missing_values: Sequence[str], dialect: Dialect) -> str:
    """Whose row it is; '' where the field is blank, declared missing or cannot be read."""
    text = dialect.text(field)
    nobody = _is_in(text, [*missing_values, UNREADABLE], dialect)
    return f"CASE WHEN {nobody} THEN '' ELSE {text} END"


def _reading(column: Column, field: str, dialect: Dialect, form: Format) -> str:
    """What a field says if it is read as declared; of a text, where it stands in the list."""
    match column:
        case Categorical(categories=categories) if len(categories) > FEW_CATEGORIES:
            return dialect.lookup(field, categories)
        case Categorical() | Boolean():
            return _compared(column, field, dialect)
        case Date():
            return dialect.moment(field, column.pattern)
        case _:
            return dialect.number(_pointed(field, dialect, form))


def _compared(column: Column, text: str, dialect: Dialect) -> str:
    """The code of a text by comparison, NULL where it is not declared."""
    if isinstance(column, Boolean):
        spellings = [column.false_values, column.true_values]
    else:
        assert isinstance(column, Categorical)
        spellings = [(category,) for category in column.categories]
    whens = (f"WHEN {_is_in(text, same, dialect)} THEN {i}" for i, same in enumerate(spellings))
    return f"CASE {' '.join(whens)} END"


def _pointed(field: str, dialect: Dialect, form: Format) -> str:
    """The text with a decimal point and no other marks, NULL where it uses them wrongly."""
    if (form.decimal, form.thousands) == (".", ""):
        return field
    text = dialect.text(field)
    decimal = "[.]" if form.decimal == "." else ","
    group = f"|[0-9]{{1,3}}({character(form.thousands)}[0-9]{{3}})+" if form.thousands else ""
    pattern = f"[+-]?([0-9]+{group})?({decimal}[0-9]*)?([eE][+-]?[0-9]+)?"
    plain = f"replace({text}, {dialect.bind(form.thousands)}, '')" if form.thousands else text
    pointed = f"replace({plain}, {dialect.bind(form.decimal)}, '.')"
    return f"CASE WHEN {dialect.matches(text, pattern)} THEN {pointed} END"


def _listed(
    column: Column, i: int, missing_values: Sequence[str], dialect: Dialect, form: Format
) -> str:
    """The code of a category: as it stands there, or trimmed."""
    text = dialect.text(f"t{i}")
    missing, unknown = _else(column)
    again = _reading(column, text, dialect, form)
    return (
        f"CASE WHEN v{i} IS NOT NULL THEN v{i} WHEN {again} IS NOT NULL THEN {again} "
        f"WHEN {_is_in(text, missing_values, dialect)} THEN {missing} ELSE {unknown} END"
    )


def _binned(
    column: Column, i: int, missing_values: Sequence[str], dialect: Dialect, form: Format
) -> str:
    """The bin of a value; a declared missing value is none, even if it lies within the bounds."""
    assert isinstance(column, Binned)
    value, text = f"v{i}", dialect.text(f"t{i}")
    missing, unknown = _else(column)
    low, high = _ends(column)
    below, above = unknown, unknown
    if column.rule == Outside.NEAREST:
        below, above = (str(code) for code in column.end_codes)
    spelled = [dialect.bind(m) for m in missing_values if any(map(str.isdigit, m))]
    read = ", ".join(_reading(column, spelling, dialect, form) for spelling in spelled)
    like_value = f"WHEN {value} IN ({read}) AND {text} IN ({', '.join(spelled)}) THEN {missing} "
    return (
        f"CASE {like_value if spelled else ''}{_spikes(column, value)}"
        f"WHEN {value} >= {low} AND NOT {value} {high} "
        f"THEN {_even_bin(column, value) or _cut_bin(column, value)} "
        f"WHEN {_is_in(text, missing_values, dialect)} THEN {missing} "
        f"WHEN {value} IS NULL THEN {unknown} "
        f"WHEN {value} < {low} THEN {below} ELSE {above} END"
    )


def _else(column: Column) -> tuple[str, str]:
    """The codes of a missing value and of one that is not declared."""
    unknown = _null(column.other_code if column.rule == Outside.CELL else column.missing_code)
    if column.rule == Outside.DROP:
        unknown = "NULL"
    return _null(column.missing_code) if column.missing else unknown, unknown


def _is_in(text: str, listed: Sequence[str], dialect: Dialect) -> str:
    return f"{text} IN ({', '.join(map(dialect.bind, listed))})" if listed else "FALSE"


def _ends(column: Binned) -> tuple[str, str]:
    """The lower bound, and the comparison that tells what lies above the upper one."""
    low, high = column.bounds
    if isinstance(column, Date):
        return _place(column, low), f">= {_place(column, high + 1)}"
    return _double(low), f"> {_double(high)}"


def _spikes(column: Binned, value: str) -> str:
    """The codes of the values that have a cell of their own, ahead of all bins and bounds."""
    return "".join(
        f"WHEN {_is_spike(column, value, piece)} THEN {code} "
        for code, piece in enumerate(column.pieces)
        if piece.spike
    )


def _is_spike(column: Binned, value: str, spike: Piece) -> str:
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


def _null(code: int | None) -> str:
    return "NULL" if code is None else str(code)
