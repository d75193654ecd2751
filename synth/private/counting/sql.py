"""The SQL that turns rows of text into cells, the same for every engine.

Each column's text is trimmed, compared with the declaration and turned into a code by a
``CASE`` expression. A number in a file counts as its text. A row that a rule leaves out has a
NULL cell. No text of a declaration is part of the SQL (`synth.private.counting.statements`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np

from synth.domain import (
    UNREADABLE,
    Column,
    Cutting,
    Decimal,
    Domain,
    Even,
    Frame,
    Listed,
    Moment,
    Offsets,
    Outside,
    Position,
    Product,
    Reading,
    Spike,
    Steps,
    Summable,
    Summand,
    Whole,
    summed_column,
)
from synth.estimate import MomentSum
from synth.private.counting.spelling import character
from synth.private.counting.statements import Statement
from synth.private.table import DEFAULT, Format
from synth.util import runs

# Up to this many bins use one flat CASE; more use a balanced tree of them.
LINEAR_BINS = 8

# Up to this many categories are compared one by one; more are looked up.
FEW_CATEGORIES = 8


class Dialect(Protocol):
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

    def moment(self, field: str, pattern: str) -> str:
        """Return the trimmed text as seconds since 1970, NULL if it does not match the
        pattern.
        """


@dataclass(frozen=True, kw_only=True)
class RowSource:
    """The rows of a table in SQL.

    Attributes:
        positions: Where the columns of the domain are in the table.
        rows: The rows as a table of texts, ``f0``, ``f1``, ...
        person: The position of the column that identifies persons, if rows are theirs.
    """

    domain: Domain
    positions: Sequence[int]
    rows: str
    dialect: Dialect
    form: Format = DEFAULT
    person: int | None = None
    max_rows: int = 1


def cell_query(source: RowSource, sums: Sequence[Summand] = ()) -> str:
    """Return SQL that counts rows by cell: columns ``w0``, ``w1``, ..., ``n`` and sums
    ``s0``, ...

    A cell is one number a run of columns (`synth.util.arrays`), any NULL among them for rows
    left out. With the position of a ``person`` column, at most ``max_rows`` rows of each
    person count."""
    domain, codes = source.domain, codes_query(source, values=bool(sums))
    words, added = (
        _words(domain),
        [f"{_sum_sql(domain, s)} AS s{j}" for j, s in enumerate(sums)],
    )
    cells = f"SELECT {', '.join(words + added)} FROM ({codes})"
    if source.person is not None:
        cells = kept_query(codes, domain, source.max_rows, added=added)
    names = ", ".join(f"w{i}" for i in range(len(words)))
    totals = "".join(f", CAST(sum(s{j}) AS BIGINT) AS s{j}" for j in range(len(sums)))
    return f"SELECT {names}, count(*) AS n{totals} FROM ({cells}) GROUP BY {names}"


def _sum_sql(domain: Domain, summand: Summand) -> str:
    if isinstance(summand, Product):
        first, second = (f"CAST({_steps_sql(domain, one)} AS BIGINT)" for one in summand)
        return f"{first} * {second}"
    return _steps_sql(domain, summand)


def _steps_sql(domain: Domain, steps: Steps) -> str:
    """Return the steps of a row, by the operations of `synth.domain.offsets.steps_of`."""
    # A code outside the bounds, a missing or an undeclared value adds nothing; a value that
    # is moved to a bound adds what the bound does.
    column, code = summed_column(domain, steps), f"c{steps.column}"
    middle, grid = place_sql(float(steps.middle)), place_sql(float(steps.grid))
    inside = f"{code} BETWEEN {column.first} AND {column.last}"
    whole = _whole_sql(
        f"({_value_sql(column, steps.column)} - {middle}) / {grid}", steps.most
    )
    return f"CASE WHEN {inside} THEN {whole} ELSE 0 END"


def _value_sql(column: Summable, number: int) -> str:
    """Return a value for sums: within the bounds, and in whole units if the column has
    them.
    """
    value = _clamp_sql(f"CAST(v{number} AS DOUBLE)", column.low, column.high)
    if column.unit is not None:  # as the cells have it: 39.5 is one of those from 35 to 39
        unit = place_sql(column.unit)
        value = f"floor({value} / {unit}) * {unit}"
    return value


def _whole_sql(away: str, most: int) -> str:
    """Return a double rounded to whole steps, half a step away from 0, clipped to [-most,
    most].
    """
    whole = f"sign({away}) * floor(abs({away}) + {place_sql(0.5)})"
    return f"CAST({_clamp_sql(whole, -float(most), float(most))} AS INTEGER)"


def moments_query(source: RowSource, sums: Sequence[MomentSum]) -> str:
    """Return SQL that adds offsets and products by cells: ``c0``, ..., and ``m0``, ``m1``,
    ...

    The lines of a sum are those with codes in its own columns, and in no others.
    """
    domain = source.domain
    factors = list(dict.fromkeys(pair for one in sums for pair in one.factor_keys))
    built = (Offsets.build(domain, *pair) for pair in factors)
    added = [f"{_offset_sql(domain, one)} AS s{j}" for j, one in enumerate(built)]
    given = sorted({column for one in sums for column in one.given})
    added += [
        f"{_given_sql(domain, one)} AS s{j}" for j, one in enumerate(given, len(factors))
    ]
    codes = codes_query(source, values=True)
    if source.person is None:
        inside = " AND ".join(f"c{i} IS NOT NULL" for i in range(len(domain.columns)))
        rows = f"SELECT *, {', '.join(added)} FROM ({codes}) WHERE {inside}"
    else:
        rows = kept_query(codes, domain, source.max_rows, added=added)
    shown = []
    for j, one in enumerate(sums):
        each = [f"CAST(s{factors.index(pair)} AS DOUBLE)" for pair in one.factor_keys]
        away = f"({' * '.join(each)} / {place_sql(float(one.steps))})"
        step = (
            _whole_sql(away, one.steps) if len(each) == 2 else (each or [str(one.steps)])[0]
        )
        step = " * ".join([step, *(f"s{len(factors) + given.index(c)}" for c in one.given)])
        shown.append(f"CAST(COALESCE(sum(CAST({step} AS BIGINT)), 0) AS BIGINT) AS m{j}")
    groups = list(dict.fromkeys(one.by for one in sums))
    names = [f"c{i}" for i in sorted({i for group in groups for i in group})]
    sets = ", ".join(f"({', '.join(f'c{i}' for i in group)})" for group in groups)
    typed = [f"CAST({name} AS INTEGER) AS {name}" for name in names]
    steps = ", ".join([*typed, *(f"s{j}" for j in range(len(added)))])
    chosen = ", ".join([*names, *shown])
    return (
        f"SELECT {chosen} FROM (SELECT {steps} FROM ({rows})) GROUP BY GROUPING SETS ({sets})"
    )


def _given_sql(domain: Domain, column: int) -> str:
    codes = np.flatnonzero(Offsets.build(domain, column, Frame.RANGE).halves).tolist()
    return f"CASE WHEN c{column} IN ({', '.join(map(str, codes))}) THEN 1 ELSE 0 END"


def _offset_sql(domain: Domain, offsets: Offsets) -> str:
    column, code = domain.columns[offsets.column].summable, f"c{offsets.column}"
    assert column is not None
    codes = np.flatnonzero(offsets.halves).tolist()
    middle = _by_code(code, {one: float(offsets.middles[one]) for one in codes})
    grid = _by_code(code, {one: float(offsets.halves[one]) / offsets.most for one in codes})
    whole = _whole_sql(
        f"({_value_sql(column, offsets.column)} - {middle}) / {grid}", offsets.most
    )
    return f"CASE WHEN {code} IN ({', '.join(map(str, codes))}) THEN {whole} ELSE 0 END"


def _by_code(code: str, values: Mapping[int, float]) -> str:
    first, *others = dict.fromkeys(values.values())
    if not others:
        return place_sql(first)
    whens = " ".join(f"WHEN {one} THEN {place_sql(value)}" for one, value in values.items())
    return f"CASE {code} {whens} END"


def _clamp_sql(value: str, low: float, high: float) -> str:
    return f"least(greatest({value}, {place_sql(low)}), {place_sql(high)})"


def _words(domain: Domain) -> list[str]:
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
    """Return SQL of many marginals in one scan: columns ``c0``, ``c1``, ..., ``kept``, ``n``.

    A code is NULL if its column is not in the group. Rows that are left out count in every
    group, with ``kept`` 0. ``codes`` is the result of `codes_query`."""
    names = [f"c{i}" for i in range(columns)]
    inside = " AND ".join(f"{name} IS NOT NULL" for name in names)
    plain = ", ".join(
        f"CASE WHEN {inside} THEN CAST({name} AS INTEGER) ELSE 0 END AS {name}"
        for name in names
    )
    rows = f"SELECT {plain}, CASE WHEN {inside} THEN 1 ELSE 0 END AS kept FROM ({codes})"
    sets = ", ".join(f"({', '.join(f'c{i}' for i in group)}, kept)" for group in groups)
    used = ", ".join(
        [*(f"c{i}" for i in sorted({i for group in groups for i in group})), "kept"]
    )
    return f"SELECT {used}, count(*) AS n FROM ({rows}) GROUP BY GROUPING SETS ({sets})"


def kept_query(
    codes: str, domain: Domain, max_rows: int, *, added: Sequence[str] = ()
) -> str:
    """Return SQL of the used rows if one person may have several, with their cells.

    For each person these are the rows that come first by the MD5 of their cell; other
    persons' rows do not matter. They depend on all columns of the domain, so every marginal
    has the same rows. Rows without a person, and those that a rule leaves out, are not
    included. Rows of one person and cell may add different numbers to a sum. The MD5 of the
    person, the cell and these numbers decides which come first, so no order of rows matters.

    Args:
        codes: Result of `codes_query`, with ``who``.
        added: What a row adds to sums, ``... AS s0``, ``... AS s1``, ...
    """
    words = _words(domain)
    names = [f"w{i}" for i in range(len(words))]
    text = " || '/' || ".join(f"CAST({name} AS STRING)" for name in names)
    inside = " AND ".join(f"{name} IS NOT NULL" for name in names)
    order = f"md5({text})"
    if added:
        summands = "".join(f" || '/' || CAST(s{j} AS STRING)" for j in range(len(added)))
        order += f", md5(who || '/' || {text}{summands})"
    turn = f"row_number() OVER (PARTITION BY who ORDER BY {order}) AS turn"
    cells = f"SELECT *, {', '.join([*words, *added])} FROM ({codes})"
    ranked = f"SELECT *, {turn} FROM ({cells}) WHERE who <> '' AND {inside}"
    return f"SELECT * FROM ({ranked}) WHERE turn <= {max_rows}"


def used_query(source: RowSource) -> str:
    """Return SQL of the codes of the rows that count: of those of a person, so many."""
    codes = codes_query(source)
    if source.person is None:
        return codes
    return kept_query(codes, source.domain, source.max_rows)


def codes_query(source: RowSource, *, values: bool = False, keys: Sequence[int] = ()) -> str:
    """Return SQL of each row's codes: columns ``c0``, ``c1``, ...; NULL leaves the row out.

    With the position of a ``person`` column, its text is ``who``. With ``values``, the value
    of each cell is ``v0``, ``v1``, ... Texts of ``keys`` are ``k0``, ..., empty as
    `person_of` has it."""
    domain, dialect, form = source.domain, source.dialect, source.form
    fields, read, codes = [], [], []
    for i, (column, position) in enumerate(
        zip(domain.columns, source.positions, strict=True)
    ):
        fields.append(f"f{position} AS t{i}")
        read.append(f"t{i}, {value_of(column.reading, f't{i}', dialect, form=form)} AS v{i}")
        codes.append(
            f"{_code(column, i, domain.missing_values, dialect=dialect, form=form)} AS c{i}"
        )
        if values:
            codes.append(f"v{i}")
    if source.person is not None:
        fields.append(
            f"{person_of(f'f{source.person}', domain.missing_values, dialect)} AS who"
        )
        read.append("who")
        codes.append("who")
    for j, key in enumerate(keys):
        fields.append(f"{person_of(f'f{key}', domain.missing_values, dialect)} AS k{j}")
        read.append(f"k{j}")
        codes.append(f"k{j}")
    texts = f"SELECT {', '.join(fields)} FROM {source.rows}"
    return f"SELECT {', '.join(codes)} FROM (SELECT {', '.join(read)} FROM ({texts}))"


def person_of(field: str, missing_values: Sequence[str], dialect: Dialect) -> str:
    text = dialect.text(field)
    nobody = is_one_of(text, [*missing_values, UNREADABLE], dialect)
    return f"CASE WHEN {nobody} THEN '' ELSE {text} END"


def value_of(reading: Reading, field: str, dialect: Dialect, *, form: Format) -> str:
    match reading:
        case Listed(spellings):
            return _place_in_list(spellings, field, dialect)
        case Moment():
            return dialect.moment(field, reading.pattern)
        case Whole() | Decimal():
            return dialect.number(point_sql(field, dialect, form))
    raise TypeError(reading)


def _place_in_list(spellings: Sequence[Sequence[str]], text: str, dialect: Dialect) -> str:
    if len(spellings) > FEW_CATEGORIES and all(len(texts) == 1 for texts in spellings):
        return dialect.lookup(text, [only for (only,) in spellings])
    whens = (
        f"WHEN {is_one_of(text, same, dialect)} THEN {i}" for i, same in enumerate(spellings)
    )
    return f"CASE {' '.join(whens)} END"


def point_sql(field: str, dialect: Dialect, form: Format) -> str:
    if (form.decimal, form.thousands) == (".", ""):
        return field
    text = dialect.text(field)
    decimal = "[.]" if form.decimal == "." else ","
    group = f"|[0-9]{{1,3}}({character(form.thousands)}[0-9]{{3}})+" if form.thousands else ""
    pattern = f"[+-]?([0-9]+{group})?({decimal}[0-9]*)?([eE][+-]?[0-9]+)?"
    plain = f"replace({text}, {dialect.bind(form.thousands)}, '')" if form.thousands else text
    pointed = f"replace({plain}, {dialect.bind(form.decimal)}, '.')"
    return f"CASE WHEN {dialect.matches(text, pattern)} THEN {pointed} END"


def _code(
    column: Column, i: int, missing_values: Sequence[str], *, dialect: Dialect, form: Format
) -> str:
    value, text, cutting = f"v{i}", dialect.text(f"t{i}"), column.cutting
    missing, unknown = _other_codes(column)
    if cutting is None:
        # Texts exactly as declared come first, so few are trimmed and compared further.
        again = value_of(column.reading, text, dialect, form=form)
        return (
            f"CASE WHEN {value} IS NOT NULL THEN {value} WHEN {again} IS NOT NULL THEN "
            f"{again} WHEN {is_one_of(text, missing_values, dialect)} THEN {missing} ELSE "
            f"{unknown} END"
        )
    # A declared missing value has no bin, even within the bounds.
    below, above = (unknown, unknown) if cutting.ends is None else map(str, cutting.ends)
    low, high = place_sql(cutting.low), place_sql(cutting.high)
    spelled = [dialect.bind(m) for m in missing_values if column.reading.may_read(m)]
    read = ", ".join(
        value_of(column.reading, spelling, dialect, form=form) for spelling in spelled
    )
    like_value = (
        f"WHEN {value} IN ({read}) AND {text} IN ({', '.join(spelled)}) THEN {missing} "
    )
    return (
        f"CASE {like_value if spelled else ''}{_spikes(cutting.spikes, value)}"
        f"WHEN {value} >= {low} AND NOT {value} {'>=' if cutting.open_above else '>'} {high} "
        f"THEN {_bin(cutting, value)} "
        f"WHEN {is_one_of(text, missing_values, dialect)} THEN {missing} "
        f"WHEN {value} IS NULL THEN {unknown} "
        f"WHEN {value} < {low} THEN {below} ELSE {above} END"
    )


def _other_codes(column: Column) -> tuple[str, str]:
    unknown = _null(column.other_code if column.rule == Outside.CELL else column.missing_code)
    if column.rule == Outside.DROP:
        unknown = "NULL"
    return _null(column.missing_code) if column.missing else unknown, unknown


def is_one_of(text: str, listed: Sequence[str], dialect: Dialect) -> str:
    return f"{text} IN ({', '.join(map(dialect.bind, listed))})" if listed else "FALSE"


def _spikes(spikes: Sequence[Spike], value: str) -> str:
    return "".join(f"WHEN {_is_spike(spike, value)} THEN {spike.code} " for spike in spikes)


def _is_spike(spike: Spike, value: str) -> str:
    low = place_sql(spike.low)
    if spike.high is None:
        return f"{value} = {low}"
    return f"{value} >= {low} AND {value} < {place_sql(spike.high)}"


def _bin(cutting: Cutting, value: str) -> str:
    even = cutting.even
    if even and len(cutting.bins) > LINEAR_BINS and even.values * even.bins < 2**52:
        return _even_bin(even, value)  # in doubles, which are exact so far
    cuts = [place_sql(bin.low) for bin in cutting.bins[1:]]
    return cut_bin(value, cuts, [bin.code for bin in cutting.bins])


def _even_bin(even: Even, value: str) -> str:
    moved = f"({value} - ({even.offset}))" if even.offset else value
    unit = f"floor({moved} / {even.unit})" + (f" - {even.first}" if even.first else "")
    if even.bins == even.values:
        return f"CAST({unit} AS INTEGER)"
    return f"CAST(floor((({unit} + 1) * {even.bins} - 1) / {even.values}) AS INTEGER)"


def cut_bin(value: str, cuts: Sequence[str], codes: Sequence[int]) -> str:
    """Return the code at the number of cuts at or below the value, by nested CASEs of log
    depth.
    """
    if not cuts:
        return str(codes[0])
    if len(cuts) <= LINEAR_BINS:
        whens = " ".join(
            f"WHEN {value} < {cut} THEN {code}"
            for cut, code in zip(cuts, codes, strict=False)
        )
        return f"CASE {whens} ELSE {codes[-1]} END"
    middle = len(cuts) // 2
    left = cut_bin(value, cuts[:middle], codes[: middle + 1])
    right = cut_bin(value, cuts[middle + 1 :], codes[middle + 1 :])
    return f"CASE WHEN {value} < {cuts[middle]} THEN {left} ELSE {right} END"


def place_sql(place: Position) -> str:
    return f"CAST('{float(place)!r}' AS DOUBLE)" if isinstance(place, float) else str(place)


def _null(code: int | None) -> str:
    return "NULL" if code is None else str(code)
