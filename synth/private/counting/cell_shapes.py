"""Rows by the shapes of their cells, column by column, and by value: the counts of a draft.
PRIVATE.

All cells are read as text. A scan counts many columns at once. With a person column it uses
the same rows of each person: those that come first by the MD5 of their drafted cells."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, zip_longest
from typing import Protocol

import numpy as np

from synth.domain import UNREADABLE, Categorical, Domain
from synth.drafting import (
    DATES,
    DECIMAL,
    ERAS,
    FOLLOWED,
    MISSING,
    SENTINELS,
    SIZE_CUTS,
    WHOLE,
    Cuts,
    Shapes,
    year_start,
)
from synth.limits import DRAFTED_TEXT
from synth.noise import LEAST
from synth.privacy import Unit
from synth.private.counting.duckdb import DuckDB, strict_first
from synth.private.counting.duckdb_files import rows_of_file
from synth.private.counting.duckdb_sql import Dialect
from synth.private.counting.sql import cut_bin, is_one_of, person_of, place_sql, point_sql
from synth.private.table import Format, PrivateTable
from synth.util import Ints, Private

SCANNED_COLUMNS = 32
# Form of dates; other texts are not tried.
DATED = "[0-9]{1,4}[-/. ].{3,26}|[A-Za-z]{3,9} [0-9]{1,2}, [0-9]{4}"
MAILBOX = "[^@ ]+@[^@ ]+[.][^@ ]+"


# SQL by name; each level can use the names of those before it.
Level = dict[str, str]


class Coding(Protocol):
    """A way to number the texts of a column."""

    @property
    def size(self) -> int:
        """Upper bound of the numbers, which start at 0."""

    def levels(self, i: int, sql: Dialect, form: Format) -> list[Level]:
        """Return SQL from the trimmed text ``t{i}`` to the number ``c{i}``, NULL if none."""


@dataclass(frozen=True)
class ShapeCoding:
    """Numbers of the shapes of texts.

    Attributes:
        shapes: The shapes.
    """

    shapes: Shapes

    @property
    def size(self) -> int:
        """Number of shapes."""
        return self.shapes.size

    def levels(self, i: int, sql: Dialect, form: Format) -> list[Level]:
        """Return SQL from the trimmed text ``t{i}`` to the number of its shape ``c{i}``.

        On the way are its number ``v{i}``, its place among listed texts ``w{i}``, the line of
        its form of dates ``d{i}``, the size of the number ``a{i}``, the moments by the form's
        two readings ``m{i}`` and ``o{i}``, and their era ``e{i}``.
        """
        text = f"t{i}"
        return [
            {
                f"v{i}": sql.number(point_sql(text, sql, form)),
                f"w{i}": _place(text, (*MISSING, *self.shapes.listed), sql),
                f"d{i}": _date_line(text, sql),
            },
            {
                f"a{i}": _away(f"v{i}"),
                f"m{i}": _moment(i, 0, sql),
                f"o{i}": _moment(i, 1, sql),
            },
            {f"e{i}": _era(f"COALESCE(m{i}, o{i})")},
            {f"c{i}": self._section(i, sql)},
        ]

    def _section(self, i: int, sql: Dialect) -> str:
        """Return SQL for the place of a text: blank, long, missing, number, date or other
        text.
        """
        start = self.shapes.start
        text = f"t{i}"
        zeros = sql.matches(text, "[+-]?0[0-9]+")
        return (
            f"CASE WHEN {text} = '' THEN {start('blank')} "
            f"WHEN length({text}) > {DRAFTED_TEXT} THEN {start('long')} "
            f"WHEN w{i} IS NOT NULL THEN {start('missing')} + w{i} "
            f"WHEN {zeros} THEN {start('zeros')} "
            f"WHEN v{i} IS NOT NULL THEN {self._number(i)} "
            f"WHEN e{i} IS NOT NULL THEN {self._date(i)} "
            f"WHEN {sql.matches(text, MAILBOX)} THEN {start('mailbox')} "
            f"ELSE {start('text')} END"
        )

    def _number(self, i: int) -> str:
        """Return SQL for the place of a number: sentinel, zero, or its sign and size."""
        start = self.shapes.start
        value = f"v{i}"
        sentinels = " ".join(
            f"WHEN {value} = {number} THEN {start('sentinel') + n}"
            for n, number in enumerate(SENTINELS)
        )
        sign = f"CASE WHEN {value} < 0 THEN -1 ELSE 1 END"
        ones = SIZE_CUTS.index(Fraction(1))
        zero = start("whole") + WHOLE.middle
        return (
            f"CASE WHEN a{i} = {len(SIZE_CUTS)} THEN {start('beyond')} {sentinels} "
            f"WHEN {value} = 0 THEN {zero} "
            f"WHEN {value} = floor({value}) THEN {zero} + ({sign}) * (a{i} - {ones}) "
            f"ELSE {start('decimal') + DECIMAL.middle} + ({sign}) * a{i} END"
        )

    def _date(self, i: int) -> str:
        """Return SQL for the place of a date, by the formats that can read it and its era."""
        firsts = [place for place, (_, which) in enumerate(FOLLOWED) if which == 1]
        whens = " ".join(f"WHEN {n} THEN {place}" for n, place in enumerate(firsts))
        which = f"CASE WHEN m{i} IS NULL THEN 1 WHEN o{i} IS NULL THEN 0 ELSE 2 END"
        place = f"(CASE d{i} {whens} END) + {which}"
        return f"{self.shapes.start('date')} + ({place}) * {len(ERAS) + 1} + e{i}"


def _place(text: str, texts: tuple[str, ...], sql: Dialect) -> str:
    """Return the place of a text in a list, from 0; NULL if it is not there.

    A failing cast to an enumeration would be slow.
    """
    return f"NULLIF(list_position({sql.bind(texts)}, {text}), 0) - 1"


def _date_line(text: str, sql: Dialect) -> str:
    """Return the line of `DATES` whose forms look like the text; NULL if none does."""
    years = f"regexp_replace({text}, '[0-9]{{4}}', 'Y', 'g')"
    numbers = f"regexp_replace({years}, '[0-9]+', '9', 'g')"
    look_of_text = f"regexp_replace({numbers}, '[A-XZa-z]+', 'a', 'g')"
    whens: list[str] = []
    for line, patterns in enumerate(DATES):
        looks = dict.fromkeys(chain(*map(_looks, patterns)))
        whens.extend(f"WHEN {sql.bind(look)} THEN {line}" for look in looks)
    line_of_look = f"CASE {look_of_text} {' '.join(whens)} END"
    return f"CASE WHEN {sql.matches(text, DATED)} THEN {line_of_look} END"


def _looks(pattern: str) -> list[str]:
    """Return how dates of a pattern look: Y is four digits, 9 another run, a is a word."""
    plain = re.sub("T|Z|%[bBp]", "a", pattern.replace("%Y", "Y"))
    plain = re.sub("%[^f]", "9", plain)
    return [plain.replace("%f", fraction) for fraction in ("9", "Y", "Y9")]


def _moment(i: int, which: int, sql: Dialect) -> str:
    """Return a date in seconds since 1970, by the first or the second form of its line."""
    whens = " ".join(
        f"WHEN {n} THEN epoch(try_strptime(t{i}, {sql.bind(dates[which])}))"
        for n, dates in enumerate(DATES)
        if which < len(dates)
    )
    return f"CASE d{i} {whens} END"


def _era(moment: str) -> str:
    """Return the number of the era of a moment."""
    ends = [place_sql(float(year_start(year))) for year in ERAS]
    era = cut_bin(moment, ends, list(range(len(ERAS) + 1)))
    return f"CASE WHEN {moment} IS NOT NULL THEN {era} END"


def _away(value: str) -> str:
    """Return the class of a number's size."""
    cuts = [place_sql(float(cut)) for cut in SIZE_CUTS]
    size = f"abs({value})"
    return f"CASE WHEN {value} IS NOT NULL THEN {cut_bin(size, cuts, list(range(65)))} END"


@dataclass(frozen=True)
class StepCoding:
    """Numbers of the steps between cuts.

    Attributes:
        cuts: The cuts, and how the texts are read.
    """

    cuts: Cuts

    @property
    def size(self) -> int:
        """Number of steps."""
        return self.cuts.size

    def levels(self, i: int, sql: Dialect, form: Format) -> list[Level]:
        """Return SQL from the text ``t{i}`` to its value ``v{i}`` and step ``c{i}``."""
        text = f"t{i}"
        value = f"v{i}"
        value_sql = (
            sql.moment(text, self.cuts.format)
            if self.cuts.format
            else sql.number(point_sql(text, sql, form))
        )
        ends = [place_sql(float(cut)) for cut in self.cuts.cuts]
        inside = f"{value} >= {ends[0]} AND {value} < {ends[-1]}"
        step = cut_bin(value, ends[1:-1], list(range(self.size)))
        spelled = f"NOT {is_one_of(text, MISSING, sql)}"
        if self.cuts.apart:
            spelled += f" AND {value} NOT IN ({', '.join(map(str, self.cuts.apart))})"
        return [
            {value: value_sql},
            {f"c{i}": f"CASE WHEN {inside} AND {spelled} THEN {step} END"},
        ]


@dataclass(frozen=True)
class ListCoding:
    """Places in a list of values.

    Attributes:
        values: The values.
    """

    values: tuple[str, ...]

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.values)

    def levels(self, i: int, sql: Dialect, form: Format) -> list[Level]:  # noqa: ARG002
        """Return SQL from the trimmed text ``t{i}`` to its place ``c{i}``."""
        return [{f"c{i}": _place(f"t{i}", self.values, sql)}]


@dataclass(frozen=True, eq=False)
class ValueRows(Private):
    """Rows of each value of a column that has at least `LEAST`. PRIVATE.

    Attributes:
        texts: The values.
        counts: Their rows, shape (values,).
    """

    texts: tuple[str, ...]
    counts: Ints


@dataclass(frozen=True)
class Scan(Private):
    """The counts of a draft of one table, always of the same rows. PRIVATE.

    Attributes:
        table: The table.
        names: The drafted columns.
        unit: The protected unit.
    """

    table: PrivateTable
    names: tuple[str, ...]
    unit: Unit

    def tallies(self, codings: Mapping[str, Coding]) -> dict[str, Ints]:
        """Count rows by the code of each column, shape (size,) each."""
        return self.tallies_and_damaged(codings)[0]

    def tallies_and_damaged(
        self, codings: Mapping[str, Coding]
    ) -> tuple[dict[str, Ints], int]:
        """Return `tallies`, and the number of rows that could not be split into cells."""
        tallies: dict[str, Ints] = {}
        damaged = 0
        with _Engine() as engine:
            for names in _batches(list(codings)):
                chosen = {name: codings[name] for name in names}
                some_tallies, damaged = engine.tallies(self.table, self, chosen)
                tallies |= some_tallies
        return tallies, damaged

    def values(self, names: Sequence[str]) -> dict[str, ValueRows]:
        """Count the rows of each value that enough rows have, by column."""
        values: dict[str, ValueRows] = {}
        with _Engine() as engine:
            for some_names in _batches(list(names)):
                values |= engine.frequent_values(self.table, self, some_names)
        return values

    def distinct(self, names: Sequence[str]) -> dict[str, int]:
        """Count the different texts of each column."""
        with _Engine() as engine:
            return engine.distinct(self.table, self, list(names)) if names else {}


class _Engine(DuckDB):
    """DuckDB, with the queries of a draft."""

    @strict_first
    def tallies(
        self, table: PrivateTable, scan: Scan, codings: Mapping[str, Coding]
    ) -> tuple[dict[str, Ints], int]:
        """Count rows by the code of each column, and those without cells."""
        sql = Dialect(self.enum)
        rows = _texts(table, scan, codings, sql=sql)
        levels_by_column = [
            coding.levels(i, sql, table.form) for i, coding in enumerate(codings.values())
        ]
        for columns_of_level in zip_longest(*levels_by_column, fillvalue=dict[str, str]()):
            expressions = [
                f"{expression} AS {name}"
                for column in columns_of_level
                for name, expression in column.items()
            ]
            rows = f"(SELECT *, {', '.join(expressions)} FROM {rows})"
        columns = [f"c{i}" for i in range(len(codings))]
        fetched = self.fetch(table, sql.query(_group_sql(columns, rows, ", ".join(columns))))
        tallies = {
            name: _dense(fetched[f"c{i}"], fetched["n"], coding.size)
            for i, (name, coding) in enumerate(codings.items())
        }
        return tallies, table.left_out

    @strict_first
    def frequent_values(
        self, table: PrivateTable, scan: Scan, names: Sequence[str]
    ) -> dict[str, ValueRows]:
        """Count the rows of each value that enough rows have, by column."""
        sql = Dialect(self.enum)
        texts = _texts(table, scan, names, sql=sql)
        chosen = ", ".join(
            f"CASE WHEN NOT {is_one_of(f't{i}', ['', UNREADABLE, *MISSING], sql)} "
            f"AND length(t{i}) <= {DRAFTED_TEXT} THEN t{i} END AS x{i}"
            for i in range(len(names))
        )
        columns = [f"x{i}" for i in range(len(names))]
        either = f"COALESCE({', '.join(columns)})" if len(columns) > 1 else "x0"
        selected = f"GROUPING({', '.join(columns)}) AS g, {either} AS t"
        query = _group_sql(columns, f"(SELECT {chosen} FROM {texts})", selected)
        query += f" HAVING {either} IS NOT NULL AND count(*) >= {LEAST} ORDER BY g, t"
        fetched = self.fetch(table, sql.query(query))
        # GROUPING has a bit for each column, 0 for the one that a line is grouped by.
        all_bits = (1 << len(names)) - 1
        groups = [all_bits ^ (1 << (len(names) - 1 - i)) for i in range(len(names))]
        return {
            name: _of_group(fetched, group) for name, group in zip(names, groups, strict=True)
        }

    @strict_first
    def distinct(
        self, table: PrivateTable, scan: Scan, names: Sequence[str]
    ) -> dict[str, int]:
        """Count the different texts of each column."""
        sql = Dialect(self.enum)
        texts = _texts(table, scan, names, sql=sql)
        counts = ", ".join(f"count(DISTINCT t{i}) AS n{i}" for i in range(len(names)))
        fetched = self.fetch(table, sql.query(f"SELECT {counts} FROM {texts}"))
        return {name: int(fetched[f"n{i}"][0]) for i, name in enumerate(names)}


def _texts(
    table: PrivateTable,
    scan: Scan,
    names: Sequence[str] | Mapping[str, Coding],
    *,
    sql: Dialect,
) -> str:
    """Return SQL of the trimmed texts ``t0``, ``t1``, ... of the rows that a draft uses."""
    person = table.position(scan.unit.person) if scan.unit.person else None
    read_names = list(scan.names) if scan.unit.person else list(names)
    placeholder = Domain(
        tuple(Categorical(name=name, categories=("-",)) for name in read_names)
    )
    source = rows_of_file(table, placeholder, sql, person=person)
    if person is not None:
        source = _first_of_each(table, scan, person, source=source, sql=sql)
    fields = ", ".join(
        f"{sql.text(f'f{table.position(n)}')} AS t{i}" for i, n in enumerate(names)
    )
    return f"(SELECT {fields} FROM {source})"


def _first_of_each(
    table: PrivateTable, scan: Scan, person: int, *, source: str, sql: Dialect
) -> str:
    """Return SQL of the rows of each person that count.

    The rule uses only the person's own rows.
    """
    fields = [f"f{table.position(name)}" for name in scan.names]
    spelled = " || ".join(f"length({sql.text(f)}) || ':' || {sql.text(f)}" for f in fields)
    who = person_of(f"f{person}", MISSING, sql)
    turn = f"row_number() OVER (PARTITION BY who ORDER BY md5({spelled})) AS turn"
    rows = f"SELECT *, {who} AS who FROM {source}"
    ranked = f"SELECT *, {turn} FROM ({rows}) WHERE who <> ''"
    return f"(SELECT * FROM ({ranked}) WHERE turn <= {scan.unit.max_rows})"


def _group_sql(columns: Sequence[str], source: str, selected: str) -> str:
    """Return SQL that counts rows by each single column."""
    sets = ", ".join(f"({column})" for column in columns)
    return f"SELECT {selected}, count(*) AS n FROM {source} GROUP BY GROUPING SETS ({sets})"


def _dense(codes: np.ndarray, counts: np.ndarray, size: int) -> Ints:
    """Return the counts of all codes, shape (size,); NULL is no code."""
    has_code = ~np.ma.getmaskarray(codes)
    dense = np.zeros(size, np.int64)
    dense[np.ma.getdata(codes)[has_code].astype(np.int64)] = counts[has_code]
    return dense


def _of_group(fetched: Mapping[str, np.ndarray], group: int) -> ValueRows:
    """Return the lines of one column, by its number of `GROUPING`."""
    places = np.flatnonzero(np.ma.getdata(fetched["g"]) == group)
    texts = np.ma.getdata(fetched["t"])
    counts = np.asarray(fetched["n"])[places].astype(np.int64)
    return ValueRows(tuple(str(texts[i]) for i in places), counts)


def _batches(names: list[str]) -> Iterator[list[str]]:
    return (names[i : i + SCANNED_COLUMNS] for i in range(0, len(names), SCANNED_COLUMNS))
