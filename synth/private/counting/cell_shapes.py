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

from synth.domain import UNREADABLE, Categorical, Domain, Moment
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
        """How many numbers there are; they start at 0."""

    def levels(self, i: int, sql: Dialect, form: Format) -> list[Level]:
        """Return SQL from the trimmed text ``t{i}`` to the number ``c{i}``, NULL if none.

        Args:
            i: The place of the column among those of the same statement.
            sql: The dialect of the statement, which collects its texts.
            form: How numbers are written in the file.

        Each level of the list maps new names to SQL that may use the names of the levels
        before it.
        """


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

        See `Coding.levels`. The steps between are these names, NULL where they do not apply:
        the text read as a number ``v{i}``, its place among missing and listed texts ``w{i}``,
        the line of `DATES` that it looks like ``d{i}``, the class of the number's size
        ``a{i}``, the seconds since 1970 by the line's first and second format ``m{i}`` and
        ``o{i}``, and the number of their era ``e{i}``.
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
            # If both formats of the line read the text, the first one's moment counts.
            {f"e{i}": _era(f"COALESCE(m{i}, o{i})")},
            {f"c{i}": self._section(i, sql)},
        ]

    def _section(self, i: int, sql: Dialect) -> str:
        """Return SQL for the number of a text's shape.

        Shapes are numbered section by section: blank, long, missing or listed, leading zeros,
        number, date, mailbox (an e-mail address), and any other text. The first section that
        fits decides. The SQL uses the names of `levels`.
        """
        start = self.shapes.start  # returns the number of a section's first shape
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
        """Return SQL for the shape of a number: sentinel, zero, or its sign and size.

        A sentinel is a number that often means a missing value, such as 999. In the sections
        of whole and of decimal numbers 0 is in the middle, and larger sizes lie further away:
        negative ones before it and positive ones behind it. A number that reaches all cuts of
        sizes has the shape ``beyond``.
        """
        start = self.shapes.start
        value = f"v{i}"
        sentinels = " ".join(
            f"WHEN {value} = {number} THEN {start('sentinel') + n}"
            for n, number in enumerate(SENTINELS)
        )
        sign = f"CASE WHEN {value} < 0 THEN -1 ELSE 1 END"
        ones = SIZE_CUTS.index(Fraction(1))  # whole numbers have no sizes below 1
        zero = start("whole") + WHOLE.middle
        return (
            f"CASE WHEN a{i} = {len(SIZE_CUTS)} THEN {start('beyond')} {sentinels} "
            f"WHEN {value} = 0 THEN {zero} "
            f"WHEN {value} = floor({value}) THEN {zero} + ({sign}) * (a{i} - {ones}) "
            f"ELSE {start('decimal') + DECIMAL.middle} + ({sign}) * a{i} END"
        )

    def _date(self, i: int) -> str:
        """Return SQL for the shape of a date, by the formats that can read it and its era.

        A line of `DATES` has one or two formats, and `FOLLOWED` has an entry for each set of
        formats of a line that fit: the first alone, the second alone, or both.
        """
        # The entries of a line follow each other, and 1 marks the first: its first format.
        firsts = [place for place, (_, which) in enumerate(FOLLOWED) if which == 1]
        # NULL says that the text is no date of this format: how far to go from that entry.
        whens = " ".join(f"WHEN {n} THEN {place}" for n, place in enumerate(firsts))
        which = f"CASE WHEN m{i} IS NULL THEN 1 WHEN o{i} IS NULL THEN 0 ELSE 2 END"
        place = f"(CASE d{i} {whens} END) + {which}"
        # Each entry has a shape for every era: as many as there are cuts between eras, and 1.
        return f"{self.shapes.start('date')} + ({place}) * {len(ERAS) + 1} + e{i}"


def _place(text: str, texts: tuple[str, ...], sql: Dialect) -> str:
    """Return SQL for the place of a text in a list, from 0; NULL if it is not there.

    ``list_position`` counts from 1, and is 0 for a text that is not in the list. Most texts
    of a draft are not, and a failing cast to an enumeration would be slow.
    """
    return f"NULLIF(list_position({sql.bind(texts)}, {text}), 0) - 1"


def _date_line(text: str, sql: Dialect) -> str:
    """Return SQL for the line of `DATES` whose formats look like the text; NULL if none does.

    The look of a text replaces its digits and words by placeholders: see `_looks`. It is
    much cheaper to compare than to try each format.
    """
    # The first step turns four digits into "Y", which the class of letters below leaves out.
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
    """Return how dates of a format look: Y is four digits, 9 another run, a is a word.

    A format such as ``%d %b %Y`` looks like ``9 a Y``. There are three looks, as a fraction
    of a second (``%f``) may have any number of digits; they are equal without one.
    """
    plain = re.sub("T|Z|%[bBp]", "a", pattern.replace("%Y", "Y"))
    plain = re.sub("%[^f]", "9", plain)
    return [plain.replace("%f", fraction) for fraction in ("9", "Y", "Y9")]


def _moment(i: int, which: int, sql: Dialect) -> str:
    """Return SQL for a date in seconds since 1970, by one format of its line of `DATES`.

    Args:
        i: The place of the column in the statement.
        which: 0 for the first format of the line, 1 for the second.
        sql: The dialect, which collects the formats.

    The result is NULL if the text is no such date, or if the line has no such format.
    """
    whens = " ".join(
        f"WHEN {n} THEN epoch(try_strptime(t{i}, {sql.bind(dates[which])}))"
        for n, dates in enumerate(DATES)
        if which < len(dates)
    )
    return f"CASE d{i} {whens} END"


def _era(moment: str) -> str:
    """Return SQL for the number of the era of a moment, in seconds since 1970.

    `ERAS` are the years that cut eras from each other; the first era, 0, is before them all.
    """
    ends = [place_sql(float(year_start(year))) for year in ERAS]
    # From `cut_bin` NULL would get the last era, so it is asked first.
    era = cut_bin(moment, ends, list(range(len(ERAS) + 1)))
    return f"CASE WHEN {moment} IS NOT NULL THEN {era} END"


def _away(value: str) -> str:
    """Return SQL for the class of a number's size: how many `SIZE_CUTS` it reaches."""
    cuts = [place_sql(float(cut)) for cut in SIZE_CUTS]
    classes = list(range(len(cuts) + 1))
    size_class = cut_bin(f"abs({value})", cuts, classes)
    # From `cut_bin` NULL would get the last class, so it is asked first.
    return f"CASE WHEN {value} IS NOT NULL THEN {size_class} END"


@dataclass(frozen=True)
class StepCoding:
    """Numbers of the intervals between successive cuts of numbers or dates.

    Attributes:
        cuts: The cuts, and how the texts are read.
    """

    cuts: Cuts

    @property
    def size(self) -> int:
        """Number of steps."""
        return self.cuts.size

    def levels(self, i: int, sql: Dialect, form: Format) -> list[Level]:
        """Return SQL from the trimmed text ``t{i}`` to its value and its interval ``c{i}``.

        See `Coding.levels`. The value ``v{i}`` is a number, or seconds since 1970. The
        interval is NULL outside the cuts, for spellings of a missing value, and for the
        separate numbers of ``cuts.apart``.
        """
        text = f"t{i}"
        value = f"v{i}"
        value_sql = (
            sql.moment(text, Moment(self.cuts.format, 1))
            if self.cuts.format
            else sql.number(point_sql(text, sql, form))
        )
        ends = [place_sql(float(cut)) for cut in self.cuts.cuts]
        inside = f"{value} >= {ends[0]} AND {value} < {ends[-1]}"
        # Only the inner cuts separate intervals.
        step = cut_bin(value, ends[1:-1], list(range(self.size)))
        counts_here = f"NOT {is_one_of(text, MISSING, sql)}"
        if self.cuts.apart:
            counts_here += f" AND {value} NOT IN ({', '.join(map(str, self.cuts.apart))})"
        return [
            {value: value_sql},
            {f"c{i}": f"CASE WHEN {inside} AND {counts_here} THEN {step} END"},
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
        """Return SQL from the trimmed text ``t{i}`` to its place in the list ``c{i}``."""
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
        """Count rows by the code of each column.

        Args:
            codings: How the texts of each column are numbered, by its name.

        Returns an array of shape (coding.size,) for each column, by its name. PRIVATE.
        """
        return self.tallies_and_damaged(codings)[0]

    def tallies_and_damaged(
        self, codings: Mapping[str, Coding]
    ) -> tuple[dict[str, Ints], int]:
        """Return `tallies`, and the number of rows that could not be split into cells.

        Both are PRIVATE. The columns are counted in batches, as a statement with very many
        columns is slow; each batch finds the same number of damaged rows.
        """
        tallies: dict[str, Ints] = {}
        damaged = 0
        with _Engine() as engine:
            for names in _batches(list(codings)):
                chosen = {name: codings[name] for name in names}
                some_tallies, damaged = engine.tallies(self.table, self, chosen)
                tallies |= some_tallies
        return tallies, damaged

    def values(self, names: Sequence[str]) -> dict[str, ValueRows]:
        """Count the rows of each text that at least `LEAST` rows have, by column. PRIVATE."""
        values: dict[str, ValueRows] = {}
        with _Engine() as engine:
            for some_names in _batches(list(names)):
                values |= engine.frequent_values(self.table, self, some_names)
        return values

    def distinct(self, names: Sequence[str]) -> dict[str, int]:
        """Count the different trimmed texts of each column, by its name. PRIVATE."""
        with _Engine() as engine:
            return engine.distinct(self.table, self, list(names)) if names else {}


class _Engine(DuckDB):
    """DuckDB, with the queries of a draft."""

    @strict_first
    def tallies(
        self, table: PrivateTable, scan: Scan, codings: Mapping[str, Coding]
    ) -> tuple[dict[str, Ints], int]:
        """Count rows by the code of each column, and rows that were not split into cells.

        Args:
            table: The table to read: that of the scan, or its private copy.
            scan: The drafted columns and the protected unit.
            codings: How the texts of each column are numbered, by its name.

        Returns the counts of each column by its name, shape (coding.size,), and the number
        of damaged rows.
        """
        sql = Dialect(self.enum)
        rows = _texts(table, scan, codings, sql=sql)
        levels_by_column = [
            coding.levels(i, sql, table.form) for i, coding in enumerate(codings.values())
        ]
        # Each level is a nested SELECT, as SQL cannot use a new name in the same one.
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
        """Count the rows of each text that at least `LEAST` rows have, by column.

        Blank cells, spellings of a missing value and texts of more than `DRAFTED_TEXT`
        characters do not count.

        Args:
            table: The table to read: that of the scan, or its private copy.
            scan: The drafted columns and the protected unit.
            names: The columns to count.
        """
        sql = Dialect(self.enum)
        texts = _texts(table, scan, names, sql=sql)
        chosen = ", ".join(
            f"CASE WHEN NOT {is_one_of(f't{i}', ['', UNREADABLE, *MISSING], sql)} "
            f"AND length(t{i}) <= {DRAFTED_TEXT} THEN t{i} END AS x{i}"
            for i in range(len(names))
        )
        columns = [f"x{i}" for i in range(len(names))]
        # An answer line is about one column: its text, as all others are NULL in it.
        either = f"COALESCE({', '.join(columns)})" if len(columns) > 1 else "x0"
        selected = f"GROUPING({', '.join(columns)}) AS g, {either} AS t"
        query = _group_sql(columns, f"(SELECT {chosen} FROM {texts})", selected)
        query += f" HAVING {either} IS NOT NULL AND count(*) >= {LEAST} ORDER BY g, t"
        fetched = self.fetch(table, sql.query(query))
        # GROUPING has a bit for each column, 0 for the one that a line is grouped by.
        all_bits = (1 << len(names)) - 1
        groups = [all_bits ^ (1 << (len(names) - 1 - i)) for i in range(len(names))]
        return {
            name: _values_of_group(fetched, group)
            for name, group in zip(names, groups, strict=True)
        }

    @strict_first
    def distinct(
        self, table: PrivateTable, scan: Scan, names: Sequence[str]
    ) -> dict[str, int]:
        """Count the different trimmed texts of each column, by its name.

        Args:
            table: The table to read: that of the scan, or its private copy.
            scan: The drafted columns and the protected unit.
            names: The columns to count.
        """
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
    """Return SQL of the trimmed texts of some columns, in the rows that a draft uses.

    Args:
        table: The table to read.
        scan: The drafted columns and the protected unit.
        names: The columns, or a mapping from them; they become ``t0``, ``t1``, ... in order.
        sql: The dialect of the statement.
    """
    person = table.position(scan.unit.person) if scan.unit.person else None
    # Which rows of a person count depends on all drafted columns, so all of them are read.
    read_names = list(scan.names) if scan.unit.person else list(names)
    # The category does not matter: the domain only says which columns to read, and as texts.
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
    """Return SQL of the rows of each person that count: at most ``max_rows`` of the unit.

    These are the rows that come first by the MD5 of their drafted cells, so the rule uses
    only the person's own rows. Rows that name no person are left out.

    Args:
        table: The table to read.
        scan: The drafted columns and the protected unit.
        person: The position of the column that identifies persons.
        source: SQL of the rows as texts ``f0``, ``f1``, ... by the columns' positions.
        sql: The dialect of the statement.
    """
    fields = [f"f{table.position(name)}" for name in scan.names]
    # The lengths tell where a cell ends, so that no two rows are spelled alike by chance.
    spelled = " || ".join(f"length({sql.text(f)}) || ':' || {sql.text(f)}" for f in fields)
    who = person_of(f"f{person}", MISSING, sql)
    turn = f"row_number() OVER (PARTITION BY who ORDER BY md5({spelled})) AS turn"
    rows = f"SELECT *, {who} AS who FROM {source}"
    ranked = f"SELECT *, {turn} FROM ({rows}) WHERE who <> ''"
    return f"(SELECT * FROM ({ranked}) WHERE turn <= {scan.unit.max_rows})"


def _group_sql(columns: Sequence[str], source: str, selected: str) -> str:
    """Return SQL that counts rows by each single column, as ``n``.

    Args:
        columns: The names of the columns to count by, one at a time.
        source: SQL of the rows.
        selected: SQL of the columns of the answer in addition to ``n``.

    An answer line is about one column; the others are NULL in it.
    """
    sets = ", ".join(f"({column})" for column in columns)
    return f"SELECT {selected}, count(*) AS n FROM {source} GROUP BY GROUPING SETS ({sets})"


def _dense(codes: np.ndarray, counts: np.ndarray, size: int) -> Ints:
    """Return the counts of all codes from an answer's lines, shape (size,).

    Args:
        codes: The code of each line, masked where it is NULL: no code, or another column.
        counts: The rows of each line, same shape.
        size: The number of codes.
    """
    has_code = ~np.ma.getmaskarray(codes)
    dense = np.zeros(size, np.int64)
    dense[np.ma.getdata(codes)[has_code].astype(np.int64)] = counts[has_code]
    return dense


def _values_of_group(fetched: Mapping[str, np.ndarray], group: int) -> ValueRows:
    """Return the values of one column, and their rows, from the answer about all columns.

    Args:
        fetched: The answer: which column a line is about ``g``, as SQL's ``GROUPING``
            numbers it, its text ``t`` and its rows ``n``.
        group: The number of the wanted column.
    """
    places = np.flatnonzero(np.ma.getdata(fetched["g"]) == group)
    texts = np.ma.getdata(fetched["t"])
    counts = np.asarray(fetched["n"])[places].astype(np.int64)
    return ValueRows(tuple(str(texts[i]) for i in places), counts)


def _batches(names: list[str]) -> Iterator[list[str]]:
    return (names[i : i + SCANNED_COLUMNS] for i in range(0, len(names), SCANNED_COLUMNS))
