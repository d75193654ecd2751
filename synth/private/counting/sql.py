"""The SQL that turns rows of text into cells, the same for every engine.

Each column's text is trimmed, compared with the declaration and turned into a code by a
``CASE`` expression. A number in a file counts as its text. A row that a rule leaves out has a
NULL cell. No text of a declaration is part of the SQL (`synth.private.counting.statements`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import prod
from typing import TYPE_CHECKING, NamedTuple, Protocol

from synth.domain import (
    UNREADABLE,
    Bin,
    Column,
    Cutting,
    Decimal,
    Domain,
    Even,
    Listed,
    Moment,
    Outside,
    Position,
    Reading,
    Spike,
    Whole,
)
from synth.private.counting.spelling import SPACE, character
from synth.private.counting.statements import Statement
from synth.private.table import DEFAULT, Format
from synth.util import runs

if TYPE_CHECKING:
    from synth.domain import SpanReading

# Up to this many bins use one flat CASE; more use a balanced tree of them.
LINEAR_BINS = 8

# Bins in equal steps are found by arithmetic if their ends are at most so many steps from 0:
# rounding a double then moves it by less than a thousandth of a step.
MAX_STEPS = 2.0**40

# Up to this many categories are compared one by one; more are looked up.
FEW_CATEGORIES = 8


class Dialect(Protocol):
    """An engine's SQL of one statement, and its texts."""

    def bind(self, value: str) -> str:
        """Return the placeholder of a text."""

    def query(self, text: str) -> Statement:
        """Return a statement with the bound values."""

    def text(self, field: str) -> str:
        """Return the trimmed text of a field, '' for an empty cell."""

    def lookup(self, text: str, categories: Sequence[str]) -> str:
        """Return the position of the text in a list, NULL if it is not there."""

    def matches(self, text: str, pattern: str) -> str:
        """Return whether the whole text matches a regular expression."""

    def number(self, field: str) -> str:
        """Return the trimmed text as a double, NULL if it is no number (or NaN)."""

    def moment(self, field: str, reading: Moment) -> str:
        """Return the trimmed text as seconds since 1970, NULL if it is no such date."""


@dataclass(frozen=True, kw_only=True)
class RowSource:
    """The rows of a table in SQL.

    Attributes:
        domain: The columns.
        positions: Where the columns of the domain are in the table.
        rows: The rows as a table of texts, ``f0``, ``f1``, ...
        dialect: The SQL of the statement.
        form: How numbers are written.
        person: The position of the column that identifies persons, if rows are theirs.
        max_rows: Most rows of a person that count.
    """

    domain: Domain
    positions: Sequence[int]
    rows: str
    dialect: Dialect
    form: Format = DEFAULT
    person: int | None = None
    max_rows: int = 1


def cell_query(source: RowSource, summands: Sequence[str] = ()) -> str:
    """Return SQL that counts rows by cell, and adds numbers.

    Columns are the cell ``w0``, ``w1``, ..., its rows ``n`` and its sums in steps ``s0``, ...
    A cell is one number for each run of columns whose cells fit in 64 bits. If any of these
    is NULL, the line is about rows that a rule leaves out. If the source has a ``person``
    column, at most ``max_rows`` rows of each person count.

    Args:
        source: The declared columns, the rows and the dialect.
        summands: SQL of what a row adds to each sum (`sums_sql`).
    """
    domain = source.domain
    codes = codes_query(source, values=bool(summands))
    words = _words(domain)
    added = [f"{summand} AS s{j}" for j, summand in enumerate(summands)]
    cells = f"SELECT {', '.join(words + added)} FROM ({codes})"
    # With persons, the rows that count must be chosen; these come with the same columns.
    if source.person is not None:
        cells = kept_query(codes, domain, source.max_rows, added=added)
    names = ", ".join(f"w{i}" for i in range(len(words)))
    totals = "".join(f", CAST(sum(s{j}) AS BIGINT) AS s{j}" for j in range(len(added)))
    return f"SELECT {names}, count(*) AS n{totals} FROM ({cells}) GROUP BY {names}"


def _words(domain: Domain) -> list[str]:
    """Return SQL of a cell as numbers ``w0``, ``w1``, ..., from a row's codes ``c0``, ...

    A run is the longest series of columns whose cells fit in 64 bits; most domains have only
    one. The number of a cell is in row-major order over the columns of its run.
    """
    words = []
    column = 0
    for i, run in enumerate(runs(domain.shape)):
        terms = []
        stride = prod(run)
        kind = "INTEGER" if stride < 2**31 else "BIGINT"  # the smaller, the faster to group
        for size in run:
            stride //= size
            terms.append(f"CAST(c{column} AS {kind}) * {stride}")
            column += 1
        words.append(f"{' + '.join(terms)} AS w{i}")
    return words


def coded_query(
    source: RowSource,
    *,
    types: Sequence[str],
    valued: Sequence[int] = (),
    added: Sequence[str] = (),
) -> str:
    """Return SQL of the used rows, as codes and the numbers that are summed.

    Columns are the codes ``c0``, ``c1``, ...; then ``used``, 1 or 0 where a rule leaves out
    the row, whose codes do not matter then; and the values ``v{i}`` as doubles. Nothing is
    NULL.

    Args:
        source: The declared columns, the rows and the dialect.
        types: For each column, the SQL type of its codes.
        valued: The numbers of the columns whose values are read.
        added: What a row adds to sums, which chooses among rows of a person: `kept_query`.
    """
    codes = codes_query(source, values=bool(valued))
    if source.person is not None:
        codes = kept_query(codes, source.domain, source.max_rows, added=added)
    is_used = " AND ".join(f"c{i} IS NOT NULL" for i in range(len(types)))
    columns = [f"CAST(COALESCE(c{i}, 0) AS {kind}) AS c{i}" for i, kind in enumerate(types)]
    columns.append(f"CAST({is_used} AS UTINYINT) AS used")
    columns += [f"COALESCE(CAST(v{i} AS DOUBLE), 0) AS v{i}" for i in valued]
    return f"SELECT {', '.join(columns)} FROM ({codes})"


def marginals_query(codes: str, columns: int, groups: Sequence[Sequence[int]]) -> str:
    """Return SQL of many marginals in one scan: columns ``c0``, ``c1``, ..., ``kept``, ``n``.

    A code is NULL if its column is not in the group. Rows that are left out count in every
    group, with ``kept`` 0.

    Args:
        codes: Result of `codes_query`.
        columns: Number of columns.
        groups: Columns of each marginal, by number.
    """
    # A code that is left out becomes 0, as NULL says here that a line is not by a column.
    names = [f"c{i}" for i in range(columns)]
    inside = " AND ".join(f"{name} IS NOT NULL" for name in names)
    plain = ", ".join(
        f"CASE WHEN {inside} THEN CAST({name} AS INTEGER) ELSE 0 END AS {name}"
        for name in names
    )
    rows = f"SELECT {plain}, CASE WHEN {inside} THEN 1 ELSE 0 END AS kept FROM ({codes})"
    sets = ", ".join(f"({', '.join(f'c{i}' for i in group)}, kept)" for group in groups)
    used = ", ".join([*(f"c{i}" for i in sorted({*chain(*groups)})), "kept"])
    return f"SELECT {used}, count(*) AS n FROM ({rows}) GROUP BY GROUPING SETS ({sets})"


def kept_query(
    codes: str, domain: Domain, max_rows: int, *, added: Sequence[str] = ()
) -> str:
    """Return SQL of the used rows if one person may have several, with their cells.

    For each person these are the rows that come first by the MD5 of their cell; other
    persons' rows do not matter. They depend on all columns of the domain, so every marginal
    has the same rows. Rows without a person, and the ones that a rule leaves out, are not
    included. Rows of one person and cell may add different numbers to a sum. The MD5 of the
    person, the cell and these numbers decides which come first, so no order of rows matters.

    Args:
        codes: Result of `codes_query`, with ``who``.
        domain: The declared columns.
        max_rows: Most rows of one person that count.
        added: What a row adds to sums, ``... AS s0``, ``... AS s1``, ...
    """
    words = _words(domain)
    names = [f"w{i}" for i in range(len(words))]
    text = " || '/' || ".join(f"CAST({name} AS STRING)" for name in names)
    inside = " AND ".join(f"{name} IS NOT NULL" for name in names)
    # The cell decides first, so the same cells count whatever is added up.
    order = f"md5({text})"
    if added:
        summands = "".join(f" || '/' || CAST(s{j} AS STRING)" for j in range(len(added)))
        order += f", md5(who || '/' || {text}{summands})"
    turn = f"row_number() OVER (PARTITION BY who ORDER BY {order}) AS turn"
    cells = f"SELECT *, {', '.join([*words, *added])} FROM ({codes})"
    ranked = f"SELECT *, {turn} FROM ({cells}) WHERE who <> '' AND {inside}"
    return f"SELECT * FROM ({ranked}) WHERE turn <= {max_rows}"


def used_query(source: RowSource) -> str:
    """Return SQL of the codes ``c0``, ``c1``, ... of the rows that count.

    With a person column these are at most ``max_rows`` rows of each person. Without one they
    are all rows; the ones that a rule leaves out have a NULL code.
    """
    codes = codes_query(source)
    if source.person is None:
        return codes
    return kept_query(codes, source.domain, source.max_rows)


def codes_query(source: RowSource, *, values: bool = False, keys: Sequence[int] = ()) -> str:
    """Return SQL of each row's codes: columns ``c0``, ``c1``, ...; NULL leaves the row out.

    A code is the number of the row's cell along a column. If the source has a ``person``
    column, the text that names the person is ``who``.

    Args:
        source: The declared columns, the rows and the dialect.
        values: Whether the result also has the cells as read, ``v0``, ``v1``, ...: numbers,
            seconds since 1970, or places in a list; NULL if they can't be read.
        keys: Positions of columns whose texts the result also has, as ``k0``, ...; they are
            '' where a key is missing.
    """
    domain = source.domain
    dialect = source.dialect
    form = source.form
    fields = []
    readings = []
    codes = []
    for i, (column, position) in enumerate(
        zip(domain.columns, source.positions, strict=True)
    ):
        fields.append(f"f{position} AS t{i}")
        readings.append(
            f"t{i}, {value_of(column.reading, f't{i}', dialect, form=form)} AS v{i}"
        )
        # A reason why a value is missing has a cell of its own.
        missing_values = [
            text for text in domain.spellings_of_missing(column) if text not in column.reasons
        ]
        code = _code(column, i, missing_values, dialect=dialect, form=form)
        codes.append(f"{code} AS c{i}")
        if values:
            codes.append(f"v{i}")
    if source.person is not None:
        fields.append(
            f"{person_of(f'f{source.person}', domain.missing_values, dialect)} AS who"
        )
        readings.append("who")
        codes.append("who")
    for j, key in enumerate(keys):
        fields.append(f"{person_of(f'f{key}', domain.missing_values, dialect)} AS k{j}")
        readings.append(f"k{j}")
        codes.append(f"k{j}")
    # Three nested steps, as a code uses the value, and the value the text.
    texts = f"SELECT {', '.join(fields)} FROM {source.rows}"
    return f"SELECT {', '.join(codes)} FROM (SELECT {', '.join(readings)} FROM ({texts}))"


def person_of(field: str, missing_values: Sequence[str], dialect: Dialect) -> str:
    """Return SQL of the trimmed text that names a person, '' for nobody.

    A missing or an unreadable cell names nobody.

    Args:
        field: The field of the person column.
        missing_values: Spellings of a missing value.
        dialect: The SQL of the statement.
    """
    text = dialect.text(field)
    nobody = is_one_of(text, [*missing_values, UNREADABLE], dialect)
    return f"CASE WHEN {nobody} THEN '' ELSE {text} END"


def value_of(reading: Reading, field: str, dialect: Dialect, *, form: Format) -> str:
    """Return SQL of the value of a text: a number, seconds since 1970, or a place in a list.

    It is NULL if the text can't be read.

    Args:
        reading: How the column reads its texts.
        field: SQL of the text.
        dialect: The SQL of the statement.
        form: How numbers are written.
    """
    match reading:
        case Listed(spellings):
            return _place_in_list(spellings, field, dialect)
        case Moment():
            readings = [
                replace(reading, pattern=p) for p in (reading.pattern, *reading.others)
            ]
            moments = [dialect.moment(field, each) for each in readings]
            return moments[0] if len(moments) == 1 else f"COALESCE({', '.join(moments)})"
        case Whole() | Decimal():
            return dialect.number(point_sql(field, dialect, form))
    from synth.domain import SpanReading  # of times of day and durations, which are rare

    if isinstance(reading, SpanReading):
        return _seconds_of(reading, field, dialect)
    raise TypeError(reading)  # a reading for which there is no SQL yet


def _seconds_of(reading: "SpanReading", field: str, dialect: Dialect) -> str:
    """Return SQL of a time of day or a duration in seconds, NULL if the text is none.

    Args:
        reading: How the text is read.
        field: SQL of the text.
        dialect: The SQL of the statement.
    """
    text = dialect.text(field)
    around = f"{SPACE}*{reading.shape}{SPACE}*"
    bound = dialect.bind(f"^{around}$")
    groups = [
        f"regexp_extract({text}, {bound}, {group})"
        for group in range(1, len(reading.factors) + 1 + reading.is_half_day)
    ]
    parts = [
        f"COALESCE(TRY_CAST({group} AS BIGINT), 0) * {factor}"
        for group, factor in zip(groups, reading.factors, strict=False)
    ]
    second = " + ".join(parts)
    if reading.is_half_day:
        noon = f"CASE WHEN lower({groups[-1]}) = 'pm' THEN 43200 ELSE 0 END"
        second = f"({second}) % 43200 + {noon}"
    # In a duration such as PT5M a unit comes last.
    has_no_unit = dialect.matches(text, f".*[PT]{SPACE}*")
    is_read = f"{dialect.matches(text, around)} AND NOT {has_no_unit}"
    return f"CASE WHEN {is_read} THEN {second} END"


def _place_in_list(spellings: Sequence[Sequence[str]], text: str, dialect: Dialect) -> str:
    """Return SQL of the place of a text in a list of values, from 0; NULL if it is none.

    Args:
        spellings: For each value in order, the texts that mean it.
        text: SQL of the text.
        dialect: The SQL of the statement.
    """
    # Many values with one spelling each are looked up at once, which is faster.
    if len(spellings) > FEW_CATEGORIES and all(len(texts) == 1 for texts in spellings):
        return dialect.lookup(text, [only for (only,) in spellings])
    whens = (
        f"WHEN {is_one_of(text, same, dialect)} THEN {i}" for i, same in enumerate(spellings)
    )
    return f"CASE {' '.join(whens)} END"


def point_sql(field: str, dialect: Dialect, form: Format) -> str:
    """Return SQL of a number's text with a decimal point, and without marks of thousands.

    It is NULL if the text is no number of this format. With the usual format, it is the text
    as it stands.
    """
    if (form.decimal, form.thousands) == (".", ""):
        return field
    text = dialect.text(field)
    decimal = "[.]" if form.decimal == "." else ","  # there are no other decimal marks
    group = ""
    plain = text
    if form.thousands:
        group = f"|[0-9]{{1,3}}({character(form.thousands)}[0-9]{{3}})+"
        plain = f"replace({text}, {dialect.bind(form.thousands)}, '')"
    pattern = f"[+-]?([0-9]+{group})?({decimal}[0-9]*)?([eE][+-]?[0-9]+)?"
    pointed = f"replace({plain}, {dialect.bind(form.decimal)}, '.')"
    return f"CASE WHEN {dialect.matches(text, pattern)} THEN {pointed} END"


def _code(
    column: Column, i: int, missing_values: Sequence[str], *, dialect: Dialect, form: Format
) -> str:
    """Return SQL of the code of a cell, from its value ``v{i}`` and its text ``t{i}``.

    The code is NULL if a rule leaves out the row.

    Args:
        column: The declaration of the column.
        i: The column's number, from 0.
        missing_values: Spellings of a missing value.
        dialect: The SQL of the statement.
        form: How numbers are written.
    """
    value = f"v{i}"
    text = dialect.text(f"t{i}")
    cutting = column.cutting
    missing, unknown = _other_codes(column)
    if cutting is None:  # a list of values, whose places are the codes
        # Texts exactly as declared come first, so few are trimmed and compared further.
        again = value_of(column.reading, text, dialect, form=form)
        return (
            f"CASE WHEN {value} IS NOT NULL THEN {value} WHEN {again} IS NOT NULL THEN "
            f"{again} WHEN {is_one_of(text, missing_values, dialect)} THEN {missing} ELSE "
            f"{unknown} END"
        )
    # Signs come first, as a text among them is no value, whatever else it may look like.
    signs = "".join(
        f"WHEN {text} = {dialect.bind(sign)} THEN {code} "
        for sign, code in column.sign_codes.items()
    )
    # ``ends`` are codes for values beyond the bounds, if the rule is to take the nearest.
    below, above = (unknown, unknown) if cutting.ends is None else map(str, cutting.ends)
    low = place_sql(cutting.low)
    high = place_sql(cutting.high)
    exceeds = ">=" if cutting.open_above else ">"
    # A missing value that is spelled like a value, such as 999, has no bin, even within the
    # bounds. Only its declared spelling counts: 999.0 is a value then.
    spelled = [dialect.bind(text) for text in missing_values if column.reading.may_read(text)]
    like_value = ""
    if spelled:
        numbers = ", ".join(
            value_of(column.reading, spelling, dialect, form=form) for spelling in spelled
        )
        like_value = (
            f"WHEN {value} IN ({numbers}) AND {text} IN ({', '.join(spelled)}) "
            f"THEN {missing} "
        )
    return (
        f"CASE {signs}{like_value}{_spikes(cutting.spikes, value)}"
        f"WHEN {value} >= {low} AND NOT {value} {exceeds} {high} "
        f"THEN {_bin(cutting, value)} "
        f"WHEN {is_one_of(text, missing_values, dialect)} THEN {missing} "
        f"WHEN {value} IS NULL THEN {unknown} "
        f"WHEN {value} < {low} THEN {below} ELSE {above} END"
    )


def _other_codes(column: Column) -> tuple[str, str]:
    """Return SQL of the codes of a missing and of an undeclared value.

    The column's rule says what becomes of an undeclared one: its row is left out (NULL), it
    has a cell of its own, or it counts as missing. If no missing value is declared, a missing
    one counts as undeclared.
    """
    if column.rule == Outside.DROP:
        unknown = "NULL"
    elif column.rule == Outside.CELL:
        unknown = _null(column.other_code)
    else:
        unknown = _null(column.missing_code)
    missing = _null(column.missing_code) if column.missing else unknown
    return missing, unknown


def is_one_of(text: str, texts: Sequence[str], dialect: Dialect) -> str:
    """Return SQL for whether a text is one of some bound texts; FALSE if there are none."""
    if not texts:
        return "FALSE"
    return f"{text} IN ({', '.join(map(dialect.bind, texts))})"


def _spikes(spikes: Sequence[Spike], value: str) -> str:
    return "".join(f"WHEN {_is_spike(spike, value)} THEN {spike.code} " for spike in spikes)


def _is_spike(spike: Spike, value: str) -> str:
    """Return SQL for whether a value has a separate cell: it is a number, or in a range."""
    low = place_sql(spike.low)
    if spike.high is None:
        return f"{value} = {low}"
    return f"{value} >= {low} AND {value} < {place_sql(spike.high)}"


def _bin(cutting: Cutting, value: str) -> str:
    """Return SQL for the code of the bin that holds a value within the bounds.

    Args:
        cutting: Where the column's values are cut into bins.
        value: SQL of the value.
    """
    even = cutting.even
    if even and len(cutting.bins) > LINEAR_BINS and even.values * even.bins < 2**52:
        return _even_bin(even, value)  # in doubles, which are exact so far
    steps = _equal_steps(cutting.bins)
    if steps is not None:
        return _step_bin(steps, value)
    cuts = [place_sql(bin.low) for bin in cutting.bins[1:]]
    return cut_bin(value, cuts, [bin.code for bin in cutting.bins])


class _EqualSteps(NamedTuple):
    """Bins of real numbers whose lower ends are ``k * size + low`` in doubles, k = 0, 1, ...

    Attributes:
        low: The lower end of the first bin.
        size: The distance of two lower ends.
        bins: The number of bins.
        first: The code of the first bin; the others follow.
    """

    low: float
    size: float
    bins: int
    first: int


def _equal_steps(bins: Sequence[Bin]) -> _EqualSteps | None:
    """Return the steps of bins; None if they are few, or not exactly in equal steps.

    A quotient of doubles then names a value's bin, or a neighbour: the ends are so near that
    rounding moves none of them by more than a small part of a step.
    """
    lows = [bin.low for bin in bins]
    first = bins[0].code
    if len(bins) <= LINEAR_BINS or not all(isinstance(low, float) for low in lows):
        return None
    if [bin.code for bin in bins] != list(range(first, first + len(bins))):
        return None
    size = (lows[-1] - lows[0]) / (len(lows) - 1)
    ends = [k * size + lows[0] for k in range(len(lows))]
    if ends != lows or max(map(abs, lows)) > MAX_STEPS * size:
        return None
    return _EqualSteps(float(lows[0]), float(size), len(lows), first)


def _step_bin(steps: _EqualSteps, value: str) -> str:
    """Return SQL for the code of a value's bin among equal steps, by arithmetic.

    A quotient proposes a bin. It is compared with the same doubles as all bins are otherwise:
    a value below its lower end is in the bin before, one from the next bin's on in the next.

    Args:
        steps: The bins.
        value: SQL of the value, within the bounds.
    """
    low = place_sql(steps.low)
    size = place_sql(steps.size)
    last = place_sql(float(steps.bins - 1))
    zero = place_sql(0.0)
    proposed = f"least(greatest(floor(({value} - {low}) / {size}), {zero}), {last})"
    correction = (
        f"CASE WHEN {proposed} > {zero} AND {value} < {proposed} * {size} + {low} THEN -1 "
        f"WHEN {proposed} < {last} AND {value} >= ({proposed} + 1) * {size} + {low} THEN 1 "
        "ELSE 0 END"
    )
    return f"CAST({proposed} + {correction} AS INTEGER) + {steps.first}"


def _even_bin(even: Even, value: str) -> str:
    """Return SQL for the number of a value's bin, from 0, among equal bins, by arithmetic.

    With d for the number of units from the first one, the bin is floor(((d + 1) bins - 1) /
    units): see `Even`.

    Args:
        even: Where units begin, their size, the first one, and the numbers of bins and units.
        value: SQL of the value.
    """
    moved = f"({value} - ({even.offset}))" if even.offset else value
    unit = f"floor({moved} / {even.unit})"
    if even.first:
        unit += f" - {even.first}"
    if even.bins == even.values:  # each bin is one unit
        return f"CAST({unit} AS INTEGER)"
    return f"CAST(floor((({unit} + 1) * {even.bins} - 1) / {even.values}) AS INTEGER)"


def cut_bin(value: str, cuts: Sequence[str], codes: Sequence[int]) -> str:
    """Return SQL for the code of a value by the number of cuts at or below it.

    The CASEs are nested to a depth of the logarithm of the number of cuts.

    Args:
        value: SQL of the value.
        cuts: SQL of the cuts, ascending.
        codes: The code below the first cut, and from each cut on: one more than cuts.
    """
    if not cuts:
        return str(codes[0])
    if len(cuts) <= LINEAR_BINS:
        whens = " ".join(
            f"WHEN {value} < {cut} THEN {code}"
            for cut, code in zip(cuts, codes, strict=False)
        )
        return f"CASE {whens} ELSE {codes[-1]} END"
    # The middle cut is compared first, and then those on its side.
    middle = len(cuts) // 2
    below = cut_bin(value, cuts[:middle], codes[: middle + 1])
    above = cut_bin(value, cuts[middle + 1 :], codes[middle + 1 :])
    return f"CASE WHEN {value} < {cuts[middle]} THEN {below} ELSE {above} END"


def place_sql(place: Position) -> str:
    """Return a number in SQL: a double with all its digits, or a whole number."""
    if isinstance(place, float):
        return f"CAST('{float(place)!r}' AS DOUBLE)"  # NumPy's doubles show their type
    return str(place)


def _null(code: int | None) -> str:
    return "NULL" if code is None else str(code)
