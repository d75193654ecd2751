"""Statistics of a column from a few scans, before anything is declared. PRIVATE.

A profile uses the different texts of a column and their numbers of rows. `sql` defines how
numbers and dates are read."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from synth import limits
from synth.domain import (
    UNREADABLE,
    Decimal,
    Reading,
    SpanReading,
    formats_of,
    midnight_form,
)
from synth.private.counting.sql import Dialect, is_one_of, value_of
from synth.private.table import Format

# Number of most common texts to keep; some may mean missing values.
COMMON_TEXTS = 270
# Most texts to keep of those that enough rows have to be listed.
MAX_LISTED = limits.LOOKED_UP_VALUES + 20
# From this share of rows on, numbers are whole, and the other ones are an exception.
WHOLE_SHARE = 0.99
# Most different numbers among dates that may be codes of missing values.
MAX_CODES = 3
# Number of random texts to keep.
SAMPLED_TEXTS = 200
# Number of values to keep at either end.
END_VALUES = 16
# Number of texts without a value to keep; some may be signs among numbers.
OTHERS = limits.MAX_SPIKES
# Groups of about equally many rows that sorted numbers are cut into.
RANK_GROUPS = 500
# Most characters of a stored text.
MAX_TEXT_LENGTH = 300
# Number of texts that decide whether a column holds dates at all.
DATE_SAMPLE_TEXTS = 12
# Dates of zeros or nines, which stand for none: 00000000, 0000-00-00, 99999999.
NO_DATE = re.compile(r"(0+|9+)([-/. :T]+(0+|9+))*")
# Another date format is tried if it can read this share of the texts that the best one can.
NEARLY_ALL = 0.98

# Texts or values, and the rows of each.
Counted: TypeAlias = list[tuple[Any, int]]


class RankGroup(NamedTuple):
    """A group of neighbouring numbers, of about equally many rows as any other.

    Attributes:
        low: The least number.
        high: The greatest number.
        rows: The rows of all.
        top: The number that most rows have.
        top_rows: The rows of that number.
    """

    low: float
    high: float
    rows: int
    top: float
    top_rows: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Readings:
    """The texts of a column read in one way: as numbers, or as dates of a format.

    Attributes:
        rows: Rows with a value.
        different: Number of different texts with a value.
        distinct: Number of different values.
        is_whole: Whether all values are whole numbers, or midnights.
        lowest: The least finite values, ascending, with their rows.
        highest: The greatest finite values, descending, with their rows.
        others: The most common texts that can't be read in this way.
        decade: Share of the different values that are multiples of ten.
        middle: Range of eight of ten different values.
        ranks: Sorted numbers; none for dates.
        fractional_rows: Rows with a number that is not whole, if nearly all are whole; the
            rows, the ends and `is_whole` are then those of the whole ones.
    """

    rows: int = 0
    different: int = 0
    distinct: int = 0
    is_whole: bool = False
    lowest: Counted = field(default_factory=list)
    highest: Counted = field(default_factory=list)
    others: Counted = field(default_factory=list)
    decade: float = 0.0
    middle: tuple[float, float] = (0.0, 0.0)
    ranks: Sequence[RankGroup] = ()
    fractional_rows: int = 0

    @property
    def smallest(self) -> float:
        """The least finite value."""
        return float(self.lowest[0][0])

    @property
    def greatest(self) -> float:
        """The greatest finite value."""
        return float(self.highest[0][0])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Profile:
    """The content of a column.

    Attributes:
        name: Name of the column.
        rows: All rows.
        blank: Rows whose cell is empty or declared missing.
        different: Number of different texts of the other rows.
        common: The most common texts and their rows, most common first: all that may be
            listed, and at least `COMMON_TEXTS` texts if there are as many.
        sample: Texts at random.
        longest: Characters of the longest text.
        decimals: Most digits after a decimal mark.
        zeros: Whether some whole number has leading zeros.
        numbers: The texts read as numbers.
        dates: The texts read as dates, by format.
        also: A second form, in which the dates of all formats are read, too.
        clocks: The texts read as times of day or durations, by how they are read.
        padded: Rows whose cell has blanks at an end.
        has_marks: Whether options of the file's format say which marks are in numbers.
        marks: Those of these options that the beginning of the whole file suggests.
        unreadable: Rows whose cell is no text: a list, an object, or bytes of no character.
    """

    name: str
    rows: int
    blank: int
    different: int
    common: Counted
    sample: list[str]
    longest: int
    decimals: int
    zeros: bool
    numbers: Readings
    dates: Mapping[str, Readings] = field(default_factory=dict)
    padded: int = 0
    also: str = ""
    clocks: Mapping[SpanReading, Readings] = field(default_factory=dict)
    has_marks: bool = True
    marks: tuple[str, ...] = ()
    unreadable: int = 0

    @property
    def filled_rows(self) -> int:
        """Rows whose cell holds a value."""
        return self.rows - self.blank

    @property
    def has_few_rows(self) -> bool:
        """Whether so few rows can be read that values of single rows would be proposed."""
        return self.rows < limits.LISTED_ROWS

    @property
    def is_listed(self) -> bool:
        """Whether all different texts are among the common ones."""
        return self.different <= len(self.common)

    @property
    def known_texts(self) -> list[str]:
        """Different texts of the column, the sample first."""
        return list(dict.fromkeys([*self.sample, *(text for text, _ in self.common)]))


def grouped_query(
    fields: Sequence[str],
    source: str,
    sql: Dialect,
    *,
    missing_texts: Sequence[str],
    missing_by_field: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return SQL of the different texts of some columns and their numbers of rows.

    A line has the column's field ``c``, the trimmed text ``t``, its rows ``n``, the rows
    whose cell has blanks at an end ``p``, and whether the cell cannot be read ``u``. A
    missing text is NULL.

    Args:
        fields: The columns, as fields of the source.
        source: SQL of the rows as texts.
        sql: The dialect of the statement.
        missing_texts: Spellings that are declared missing, and an unreadable cell.
        missing_by_field: The spellings of columns that have their own, instead of these.
    """
    is_missing = is_one_of("t", missing_texts, sql)
    if missing_by_field:
        cases = " ".join(
            f"WHEN c = {sql.bind(field)} THEN {is_one_of('t', texts, sql)}"
            for field, texts in missing_by_field.items()
        )
        is_missing = f"CASE {cases} ELSE {is_missing} END"
    text = sql.text("t")
    # First one line for each cell, then one for each text of a column.
    long = (
        f"SELECT c, t FROM (SELECT {', '.join(fields)} FROM {source}) "
        f"UNPIVOT INCLUDE NULLS (t FOR c IN ({', '.join(fields)}))"
    )
    return (
        f"SELECT c, CASE WHEN NOT ({is_missing}) THEN t END AS t, n, p, "
        f"COALESCE(t = {sql.bind(UNREADABLE)}, FALSE) AS u "
        f"FROM (SELECT c, {text} AS t, count(*) AS n, count(CASE WHEN t <> {text} THEN 1 "
        "END) AS p "
        f"FROM ({long}) GROUP BY ALL)"
    )


def profiles_query(grouped: str, sql: Dialect, form: Format) -> str:
    """Return SQL of the statistics of each column: see `read_profile`.

    Args:
        grouped: The name of a table with the result of `grouped_query`.
        sql: The dialect of the statement.
        form: How numbers are written.
    """
    number = value_of(Decimal(0), "t", sql, form=form)
    mark = sql.bind(form.decimal)
    zeros = sql.matches("t", "[+-]?0[0-9]+")
    facts = (
        f"SELECT c, t, n, p, u, CASE WHEN isfinite(x) THEN x END AS x, {zeros} AS zeros, "
        f"CASE WHEN x IS NOT NULL AND contains(t, {mark}) "
        f"THEN length(t) - instr(t, {mark}) ELSE 0 END AS decimals "
        f"FROM (SELECT c, t, n, p, u, {number} AS x FROM {grouped})"
    )
    # Of texts with equally many rows a hash decides, as a fraction of a row, so that the
    # order of the rows makes no difference.
    by_rows = "n + (hash(t) % 1000000) / 1e6"
    return (
        f"SELECT c, {_values('floor(x)')}, count(t) AS different, "
        f"arg_max({{'v': left(t, {MAX_TEXT_LENGTH}), 'n': n}}, {by_rows}, {COMMON_TEXTS}) "
        f"FILTER (t IS NOT NULL) AS common, "
        f"arg_max({{'v': left(t, {MAX_TEXT_LENGTH}), 'n': n}}, {by_rows}, {MAX_LISTED}) "
        f"FILTER (t IS NOT NULL AND n >= {limits.LISTED_ROWS}) AS listed, "
        f"arg_min(left(t, {MAX_TEXT_LENGTH}), hash(t), {SAMPLED_TEXTS}) "
        "FILTER (t IS NOT NULL) AS sample, "
        "max(length(t)) AS longest, max(decimals) AS decimals, bool_or(zeros) AS zeros, "
        "sum(n) AS rows_all, sum(n) FILTER (t IS NOT NULL) AS filled, "
        "sum(p) FILTER (t IS NOT NULL) AS padded, sum(n) FILTER (u) AS unreadable "
        f"FROM ({facts}) GROUP BY c"
    )


def ranks_query(grouped: str, fields: Sequence[str], sql: Dialect, *, form: Format) -> str:
    """Return SQL of the sorted numbers of columns, cut into groups of about equal rows.

    A line has the column's field ``c`` and the list ``ranks`` of its groups: see `RankGroup`.

    Args:
        grouped: The name of a table with the result of `grouped_query`.
        fields: The columns of numbers, as fields.
        sql: The dialect of the statement.
        form: How numbers are written.
    """
    number = value_of(Decimal(0), "t", sql, form=form)
    names = ", ".join(map(sql.bind, fields))
    values = (
        f"SELECT c, x, sum(n) AS n FROM (SELECT c, n, {number} AS x FROM {grouped} "
        f"WHERE c IN ({names})) WHERE isfinite(x) GROUP BY c, x"
    )
    # ``upto`` are the rows up to and with a number; they decide about its group.
    placed = (
        "SELECT c, x, n, sum(n) OVER (PARTITION BY c ORDER BY x) AS upto, "
        f"sum(n) OVER (PARTITION BY c) AS total FROM ({values})"
    )
    groups = (
        "SELECT c, min(x) AS low, max(x) AS high, CAST(sum(n) AS BIGINT) AS rows, "
        "arg_max(x, n) AS top, CAST(max(n) AS BIGINT) AS top_rows "
        f"FROM ({placed}) GROUP BY c, floor((upto - 1) * {RANK_GROUPS} / total)"
    )
    pack = "{'low': low, 'high': high, 'rows': rows, 'top': top, 'top_rows': top_rows}"
    return f"SELECT c, list({pack} ORDER BY low) AS ranks FROM ({groups}) GROUP BY c"


def read_ranks(ranks: Any) -> list[RankGroup]:
    """Return the groups of a column from its answer to `ranks_query`, in ascending order."""
    return [RankGroup(**pair) for pair in _list_of(ranks)]


def times_query(
    grouped: str, fields: Sequence[str], sql: Dialect, *, reading: Reading
) -> str:
    """Return SQL of the statistics of texts read as dates or times: see `read_values`.

    Args:
        grouped: The name of a table with the result of `grouped_query`.
        fields: The columns to read, as fields.
        sql: The dialect of the statement.
        reading: How the texts are read.
    """
    moment = value_of(reading, "t", sql, form=Format())
    names = ", ".join(map(sql.bind, fields))
    facts = f"SELECT c, t, n, {moment} AS x FROM {grouped} WHERE c IN ({names})"
    return f"SELECT c, {_values('floor(x / 86400) * 86400')} FROM ({facts}) GROUP BY c"


def _values(rounded: str) -> str:
    """Return SQL of the statistics of values ``x`` of texts ``t`` with ``n`` rows each.

    A text that cannot be read in this way has the value NULL.

    Args:
        rounded: SQL of the value rounded down to a whole number, or to midnight.
    """
    return (
        "sum(n) FILTER (x IS NOT NULL) AS rows, count(x) AS values, "
        "count(DISTINCT x) AS different_values, "
        f"bool_and(x = {rounded}) AS whole, sum(n) FILTER (x = {rounded}) AS whole_rows, "
        "avg(CAST(x % 10 = 0 AS INTEGER)) AS decade, "
        f"arg_min({{'v': x, 'n': n}}, x, {END_VALUES}) AS lowest, "
        f"arg_max({{'v': x, 'n': n}}, x, {END_VALUES}) AS highest, "
        f"arg_max({{'v': left(t, {MAX_TEXT_LENGTH}), 'n': n}}, n, {OTHERS}) "
        "FILTER (x IS NULL AND t IS NOT NULL) AS others, "
        "quantile_disc(x, [0.1, 0.9]) AS middle"
    )


def read_values(row: Mapping[str, Any]) -> Readings:
    """Return statistics of a column's texts read in one way, as numbers or as dates.

    Args:
        row: The line of an answer to `profiles_query` or `times_query` about the column.
    """
    if not row["values"]:  # no text can be read in this way
        return Readings(others=_read_counts(row["others"]))
    return Readings(
        rows=int(row["rows"]),
        different=int(row["values"]),
        distinct=int(row["different_values"]),
        is_whole=bool(row["whole"]),
        lowest=_merge_spellings(_read_counts(row["lowest"])),
        highest=_merge_spellings(_read_counts(row["highest"])),
        others=_read_counts(row["others"]),
        decade=float(row["decade"]),
        middle=(float(row["middle"][0]), float(row["middle"][1])),
    )


def _read_common(row: Mapping[str, Any]) -> Counted:
    """Return the most common texts and their rows, most common first.

    They are the texts of enough rows, and others up to a number.

    Args:
        row: The line of an answer to `profiles_query` about the column.
    """
    rows_by_text = dict([*_read_counts(row["common"]), *_read_counts(row["listed"])])
    return sorted(rows_by_text.items(), key=lambda pair: (-pair[1], pair[0]))


def _read_nearly_whole(row: Mapping[str, Any]) -> Readings:
    """Return statistics of texts read as numbers; those of whole ones if nearly all are.

    Ages in whole years are whole numbers, although some of babies are in tenths of a year.

    Args:
        row: The line of an answer to `profiles_query` about the column.
    """
    values = read_values(row)
    whole_rows = int(row["whole_rows"] or 0)
    lowest = [pair for pair in values.lowest if pair[0] == math.floor(pair[0])]
    highest = [pair for pair in values.highest if pair[0] == math.floor(pair[0])]
    is_exception = 0 < values.rows - whole_rows <= (1 - WHOLE_SHARE) * values.rows
    if not is_exception or not lowest or not highest:
        return values
    return replace(
        values,
        rows=whole_rows,
        is_whole=True,
        lowest=lowest,
        highest=highest,
        fractional_rows=values.rows - whole_rows,
    )


def empty_profile(name: str) -> Profile:
    """Return the profile of a column without rows."""
    return Profile(
        name=name,
        rows=0,
        blank=0,
        different=0,
        common=[],
        sample=[],
        longest=0,
        decimals=0,
        zeros=False,
        numbers=Readings(),
    )


def read_profile(name: str, row: Mapping[str, Any]) -> Profile:
    """Return a column's profile, from a line of the answer to `profiles_query`.

    Args:
        name: The column.
        row: The values of the line by name; NULL is None.
    """
    rows = int(row["rows_all"] or 0)
    filled = int(row["filled"] or 0)
    return Profile(
        name=name,
        rows=rows,
        blank=rows - filled,
        different=int(row["different"]),
        common=_read_common(row),
        sample=sorted(map(str, _list_of(row["sample"]))),
        longest=int(row["longest"] or 0),
        decimals=int(row["decimals"] or 0),
        zeros=bool(row["zeros"]),
        numbers=_read_nearly_whole(row),
        padded=int(row["padded"] or 0),
        unreadable=int(row["unreadable"] or 0),
    )


def _list_of(values: Any) -> list[Any]:
    return [] if values is None else list(values)


def _read_counts(pairs: Any) -> Counted:
    return [(pair["v"], int(pair["n"])) for pair in _list_of(pairs)]


def _merge_spellings(pairs: Counted) -> Counted:
    """Return each value once, in order, with the rows of all its spellings such as 1 and 1.0.

    The pairs are a value and the rows of one of its spellings.
    """
    added: Counter[Any] = Counter()
    for value, rows in pairs:
        added[value] += rows
    return list(added.items())


def date_patterns(profile: Profile, declared: str = "") -> list[str]:
    """Return the date formats to read a column in, as strptime patterns.

    These are the formats that fit nearly as many texts as the best one, with an offset in the
    text as ``%z``. There are none if the best one fits less than half of the texts. Among
    texts that are numbers it must fit all, unless these are a few codes such as 98; dates of
    zeros or nines do not count.

    Args:
        profile: The statistics of the column.
        declared: The only format, if it is known.
    """
    if declared:
        return [declared]
    texts = [
        text
        for text in profile.known_texts
        if text[:1].isalnum() and not NO_DATE.fullmatch(text)
    ]
    # Trying formats is slow, so a few texts decide whether any is worth trying.
    if not any(formats_of(text, zoned=True) for text in texts[:DATE_SAMPLE_TEXTS]):
        return []
    # For each format, the number of texts that it fits.
    support = Counter(chain(*_forms_of_texts(texts)))
    largest_support = max(support.values(), default=0)
    if 2 * largest_support < len(texts) or (
        profile.numbers.different > MAX_CODES and largest_support < len(texts)
    ):
        return []
    least_support = NEARLY_ALL * largest_support
    return [pattern for pattern, times in support.items() if times >= least_support]


def _forms_of_texts(texts: Sequence[str]) -> list[list[str]]:
    """Return for each text the date formats that fit it, as strptime patterns.

    Where most texts have a time of day, a day alone is a midnight, and also has their format.
    """
    forms_of_texts = [list(formats_of(text, zoned=True)) for text in texts]
    support = Counter(chain(*forms_of_texts))
    timed_forms: dict[str, list[str]] = {}
    for form, times in support.items():
        day_form = midnight_form(form)
        if day_form and times >= support[day_form]:
            timed_forms.setdefault(day_form, []).append(form)
    return [
        [*forms, *chain(*(timed_forms.get(form, ()) for form in forms))]
        for forms in forms_of_texts
    ]


def find_second_form(profile: Profile) -> tuple[str, str] | None:
    """Return two date formats that together fit nearly all texts, if one alone does not.

    A workbook may hold some dates as such and others as texts. The first format is ISO 8601
    if it is one of the two. None if no two fit, or if others would fit as well.

    Args:
        profile: The statistics of the column.
    """
    texts = [text for text in profile.known_texts if text[:1].isalnum()]
    if not texts or profile.numbers.rows:
        return None
    forms_of_texts = _forms_of_texts(texts)
    support = Counter(form for forms in forms_of_texts for form in forms)
    if not support or max(support.values()) >= NEARLY_ALL * len(texts):
        return None
    # As a key, whether a format begins as ISO 8601 does, and the texts that it fits.
    first = max(
        sorted(support), key=lambda form: (form.startswith("%Y-%m-%d"), support[form])
    )
    # The other texts decide about the second format.
    remaining = [forms for forms in forms_of_texts if first not in forms]
    seconds = Counter(form for forms in remaining for form in forms)
    fitting = [
        form for form, times in seconds.items() if times >= NEARLY_ALL * len(remaining)
    ]
    if len(fitting) != 1 or "%z" in first + fitting[0]:
        return None
    return first, fitting[0]
