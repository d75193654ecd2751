"""Rows by the shapes of their cells, column by column, and by value: the counts of a draft.
PRIVATE.

All cells are read as text. A scan counts many columns at once. With a person column it uses
the same rows of each person: those that come first by the MD5 of their drafted cells."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
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
    @property
    def size(self) -> int:
        """Upper bound of the numbers, which start at 0."""

    def levels(self, i: int, sql: Dialect, form: Format) -> list[Level]:
        """Return SQL from the trimmed text ``t{i}`` to the number ``c{i}``, NULL if none."""


@dataclass(frozen=True)
class ShapeCoding:
    shapes: Shapes

    @property
    def size(self) -> int:
        return self.shapes.size

    def levels(self, i: int, sql: Dialect, form: Format) -> list[Level]:
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
        start, text = self.shapes.start, f"t{i}"
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
        start, value = self.shapes.start, f"v{i}"
        sentinels = " ".join(
            f"WHEN {value} = {number} THEN {start('sentinel') + n}"
            for n, number in enumerate(SENTINELS)
        )
        sign, ones = f"CASE WHEN {value} < 0 THEN -1 ELSE 1 END", SIZE_CUTS.index(Fraction(1))
        zero = start("whole") + WHOLE.middle
        return (
            f"CASE WHEN a{i} = {len(SIZE_CUTS)} THEN {start('beyond')} {sentinels} "
            f"WHEN {value} = 0 THEN {zero} "
            f"WHEN {value} = floor({value}) THEN {zero} + ({sign}) * (a{i} - {ones}) "
            f"ELSE {start('decimal') + DECIMAL.middle} + ({sign}) * a{i} END"
        )

    def _date(self, i: int) -> str:
        firsts = [place for place, (_, which) in enumerate(FOLLOWED) if which == 1]
        whens = " ".join(f"WHEN {n} THEN {place}" for n, place in enumerate(firsts))
        which = f"CASE WHEN m{i} IS NULL THEN 1 WHEN o{i} IS NULL THEN 0 ELSE 2 END"
        place = f"(CASE d{i} {whens} END) + {which}"
        return f"{self.shapes.start('date')} + ({place}) * {len(ERAS) + 1} + e{i}"


def _place(text: str, listed: tuple[str, ...], sql: Dialect) -> str:
    # A failing cast to an enumeration would be slow.
    return f"NULLIF(list_position({sql.bind(listed)}, {text}), 0) - 1"


def _date_line(text: str, sql: Dialect) -> str:
    years = f"regexp_replace({text}, '[0-9]{{4}}', 'Y', 'g')"
    numbers = f"regexp_replace({years}, '[0-9]+', '9', 'g')"
    look = f"regexp_replace({numbers}, '[A-XZa-z]+', 'a', 'g')"
    whens = " ".join(
        f"WHEN {sql.bind(shown)} THEN {n}"
        for n, dates in enumerate(DATES)
        for shown in dict.fromkeys(one for pattern in dates for one in _looks(pattern))
    )
    return f"CASE WHEN {sql.matches(text, DATED)} THEN CASE {look} {whens} END END"


def _looks(pattern: str) -> list[str]:
    # Y stands for four digits, 9 for other runs, a for a word.
    plain = re.sub("T|Z|%[bBp]", "a", pattern.replace("%Y", "Y"))
    plain = re.sub("%[^f]", "9", plain)
    return [plain.replace("%f", fraction) for fraction in ("9", "Y", "Y9")]


def _moment(i: int, which: int, sql: Dialect) -> str:
    # In seconds since 1970.
    whens = " ".join(
        f"WHEN {n} THEN epoch(try_strptime(t{i}, {sql.bind(dates[which])}))"
        for n, dates in enumerate(DATES)
        if which < len(dates)
    )
    return f"CASE d{i} {whens} END"


def _era(moment: str) -> str:
    ends = [place_sql(float(year_start(year))) for year in ERAS]
    era = cut_bin(moment, ends, list(range(len(ERAS) + 1)))
    return f"CASE WHEN {moment} IS NOT NULL THEN {era} END"


def _away(value: str) -> str:
    cuts, size = [place_sql(float(cut)) for cut in SIZE_CUTS], f"abs({value})"
    return f"CASE WHEN {value} IS NOT NULL THEN {cut_bin(size, cuts, list(range(65)))} END"


@dataclass(frozen=True)
class StepCoding:
    cuts: Cuts

    @property
    def size(self) -> int:
        return self.cuts.size

    def levels(self, i: int, sql: Dialect, form: Format) -> list[Level]:
        text, value = f"t{i}", f"v{i}"
        read = (
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
        return [{value: read}, {f"c{i}": f"CASE WHEN {inside} AND {spelled} THEN {step} END"}]


@dataclass(frozen=True)
class ListCoding:
    listed: tuple[str, ...]

    @property
    def size(self) -> int:
        return len(self.listed)

    def levels(self, i: int, sql: Dialect, form: Format) -> list[Level]:  # noqa: ARG002
        return [{f"c{i}": _place(f"t{i}", self.listed, sql)}]


@dataclass(frozen=True, eq=False)
class ValueRows(Private):
    """Rows of each value of a column that has at least `LEAST`. PRIVATE."""

    texts: tuple[str, ...]
    counts: Ints


@dataclass(frozen=True)
class Scan(Private):
    """The counts of a draft of one table, always of the same rows. PRIVATE."""

    table: PrivateTable
    names: tuple[str, ...]
    unit: Unit

    def tallies(self, codings: Mapping[str, Coding]) -> dict[str, Ints]:
        """Count rows by the code of each column, shape (size,) each."""
        return self.tallies_and_damaged(codings)[0]

    def tallies_and_damaged(
        self, codings: Mapping[str, Coding]
    ) -> tuple[dict[str, Ints], int]:
        found, damaged = dict[str, Ints](), 0
        with _Engine() as engine:
            for some in _batches(list(codings)):
                chosen = {name: codings[name] for name in some}
                tallies, damaged = engine.tallies(self.table, self, chosen)
                found |= tallies
        return found, damaged

    def values(self, names: Sequence[str]) -> dict[str, ValueRows]:
        found: dict[str, ValueRows] = {}
        with _Engine() as engine:
            for some in _batches(list(names)):
                found |= engine.listed(self.table, self, some)
        return found

    def distinct(self, names: Sequence[str]) -> dict[str, int]:
        with _Engine() as engine:
            return engine.distinct(self.table, self, list(names)) if names else {}


class _Engine(DuckDB):
    @strict_first
    def tallies(
        self, table: PrivateTable, scan: Scan, codings: Mapping[str, Coding]
    ) -> tuple[dict[str, Ints], int]:
        sql, form = Dialect(self.enum), table.form
        texts = _texts(table, scan, codings, sql=sql)
        coded = [c.levels(i, sql, form) for i, c in enumerate(codings.values())]
        rows = texts
        for deep in range(max(map(len, coded))):
            level = [one for levels in coded for one in levels[deep : deep + 1]]
            made = ", ".join(f"{v} AS {name}" for one in level for name, v in one.items())
            rows = f"(SELECT *, {made} FROM {rows})"
        columns = [f"c{i}" for i in range(len(coded))]
        found = self.fetch(table, sql.query(_group_sql(columns, rows, ", ".join(columns))))
        tallies = {
            name: _dense(found[f"c{i}"], found["n"], coding.size)
            for i, (name, coding) in enumerate(codings.items())
        }
        return tallies, table.left_out

    @strict_first
    def listed(
        self, table: PrivateTable, scan: Scan, names: Sequence[str]
    ) -> dict[str, ValueRows]:
        sql = Dialect(self.enum)
        texts = _texts(table, scan, names, sql=sql)
        chosen = ", ".join(
            f"CASE WHEN NOT {is_one_of(f't{i}', ['', UNREADABLE, *MISSING], sql)} "
            f"AND length(t{i}) <= {DRAFTED_TEXT} THEN t{i} END AS x{i}"
            for i in range(len(names))
        )
        columns = [f"x{i}" for i in range(len(names))]
        either = f"COALESCE({', '.join(columns)})" if len(columns) > 1 else "x0"
        shown = f"GROUPING({', '.join(columns)}) AS g, {either} AS t"
        query = _group_sql(columns, f"(SELECT {chosen} FROM {texts})", shown)
        query += f" HAVING {either} IS NOT NULL AND count(*) >= {LEAST} ORDER BY g, t"
        found = self.fetch(table, sql.query(query))
        every = (1 << len(names)) - 1
        groups = [every ^ (1 << (len(names) - 1 - i)) for i in range(len(names))]
        return {name: _of_group(found, g) for name, g in zip(names, groups, strict=True)}

    @strict_first
    def distinct(
        self, table: PrivateTable, scan: Scan, names: Sequence[str]
    ) -> dict[str, int]:
        sql = Dialect(self.enum)
        texts = _texts(table, scan, names, sql=sql)
        counts = ", ".join(f"count(DISTINCT t{i}) AS n{i}" for i in range(len(names)))
        found = self.fetch(table, sql.query(f"SELECT {counts} FROM {texts}"))
        return {name: int(found[f"n{i}"][0]) for i, name in enumerate(names)}


def _texts(
    table: PrivateTable,
    scan: Scan,
    names: Sequence[str] | Mapping[str, Coding],
    *,
    sql: Dialect,
) -> str:
    person = table.position(scan.unit.person) if scan.unit.person else None
    every = list(scan.names) if scan.unit.person else list(names)
    placeholder = Domain(tuple(Categorical(name=name, categories=("-",)) for name in every))
    source = rows_of_file(table, placeholder, sql, person)
    if person is not None:
        source = _first_of_each(table, scan, person, source=source, sql=sql)
    fields = ", ".join(
        f"{sql.text(f'f{table.position(n)}')} AS t{i}" for i, n in enumerate(names)
    )
    return f"(SELECT {fields} FROM {source})"


def _first_of_each(
    table: PrivateTable, scan: Scan, person: int, *, source: str, sql: Dialect
) -> str:
    """Return SQL for at most this many rows of each person, by a rule that uses only their
    own.
    """
    fields = [f"f{table.position(name)}" for name in scan.names]
    spelled = " || ".join(f"length({sql.text(f)}) || ':' || {sql.text(f)}" for f in fields)
    who = person_of(f"f{person}", MISSING, sql)
    turn = f"row_number() OVER (PARTITION BY who ORDER BY md5({spelled})) AS turn"
    rows = f"SELECT *, {who} AS who FROM {source}"
    ranked = f"SELECT *, {turn} FROM ({rows}) WHERE who <> ''"
    return f"(SELECT * FROM ({ranked}) WHERE turn <= {scan.unit.max_rows})"


def _group_sql(columns: Sequence[str], source: str, shown: str) -> str:
    sets = ", ".join(f"({column})" for column in columns)
    return f"SELECT {shown}, count(*) AS n FROM {source} GROUP BY GROUPING SETS ({sets})"


def _dense(codes: np.ndarray, counts: np.ndarray, size: int) -> Ints:
    known = ~np.ma.getmaskarray(codes)
    dense = np.zeros(size, np.int64)
    dense[np.ma.getdata(codes)[known].astype(np.int64)] = counts[known]
    return dense


def _of_group(found: Mapping[str, np.ndarray], group: int) -> ValueRows:
    mine = np.flatnonzero(np.ma.getdata(found["g"]) == group)
    texts = np.ma.getdata(found["t"])
    counts = np.asarray(found["n"])[mine].astype(np.int64)
    return ValueRows(tuple(str(texts[i]) for i in mine), counts)


def _batches(names: list[str]) -> Iterator[list[str]]:
    return (names[i : i + SCANNED_COLUMNS] for i in range(0, len(names), SCANNED_COLUMNS))
