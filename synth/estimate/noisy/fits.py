"""Whether rows fit a declaration, by noisy numbers before a release. PUBLIC.

In a row that fits, every cell is a declared value or declared missing, before any rule for
values outside.

>>> suggested_epsilon(9_357), bar_of(1, suggested_epsilon(9_357))
(Fraction(13, 2000), 461)
>>> FitCount(("day",), 12, Fraction(13, 2000)).says_few(1, 9_357)
True
"""

import hashlib
import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self, cast

from synth import limits
from synth.domain import Domain, write_field
from synth.errors import ArgumentError
from synth.estimate.noisy.record import reach_of
from synth.noise import DiscreteLaplace
from synth.privacy import Guarantee, Neighbors, RowReading, Unit, parse_epsilon
from synth.util import Document, Json, check_whole

# Half width of the suggested epsilon's interval, as a share of the typed rows.
BAR = Fraction(1, 20)
# Few rows fit if surely fewer than this share of all rows do.
FEW_ROWS_SHARE = Fraction(1, 4)
# Noise, as a share of the rows, above which a number is hidden.
MAX_BAR_SHARE = 0.1
# Properties of a declared column that do not decide which values fit.
_NO_MATTER = {f"synth:{key}" for key in "bins edges period outside decimals cells".split()}


@dataclass(frozen=True, kw_only=True)
class FitCheck:
    """A check: how many rows fit in all columns, and in some of them.

    Attributes:
        domain: The declared columns.
        epsilon: The cost of each number.
        neighbors: Tables that the guarantee makes hard to tell apart.
        unit: What the guarantee protects: rows, or persons.
        dataset: The name under which the ledger charges the check.
        columns: Columns to check one by one too.
        rows: Typed approximate number of rows, if known.

    Raises:
        ArgumentError: Epsilon or the rows are impossible, or a column is named twice.
        DomainError: A column is not declared.
    """

    domain: Domain
    epsilon: Fraction
    neighbors: Neighbors
    unit: Unit
    dataset: str = "table"
    columns: tuple[str, ...] = ()
    rows: int | None = None

    def __post_init__(self) -> None:
        """Check epsilon, the columns and the number of rows.

        Raises:
            ArgumentError: Epsilon or the rows are impossible, or a column is named twice.
            DomainError: A column is not declared.
        """
        parse_epsilon(self.epsilon)
        if self.columns:
            self.domain.project(self.columns)  # raises for impossible columns
        if self.rows is not None:
            check_whole(1, rows=self.rows)

    def learn(self, _readings: Mapping[str, RowReading], _looked: Collection[str]) -> Self:
        """Return the request unchanged.

        Every request of the door has this method. Nothing in this one depends on how rows are
        read, or on whether somebody saw exact numbers of the table.
        """
        return self

    @property
    def column_sets(self) -> tuple[tuple[str, ...], ...]:
        """The column names of every noisy number: first all columns, then single ones.

        If the table has a single column, the number of all columns is not asked again.
        """
        single_columns = ((name,) for name in self.columns)
        return (
            self.domain.names,
            *(columns for columns in single_columns if columns != self.domain.names),
        )

    @property
    def guarantee(self) -> Guarantee:
        """The cost of all numbers together."""
        return Guarantee.pure(len(self.column_sets) * self.epsilon)

    @property
    def request(self) -> str:
        """JSON text of all that decides the numbers, apart from the table itself.

        Two checks with the same text ask the same of a table.
        """
        content: Json = {
            "check": 1,
            "declaration": digest_of(self.domain),
            "asked": [list(columns) for columns in self.column_sets],
            "epsilon": str(self.epsilon),
            "neighbors": self.neighbors.value,
            "person": self.unit.person,
            "max_rows": self.unit.max_rows,
        }
        return json.dumps(content, sort_keys=True)

    @property
    def noise(self) -> DiscreteLaplace:
        """The noise on each number."""
        return DiscreteLaplace(self.unit.max_rows / self.epsilon)


@dataclass(frozen=True)
class FitCount:
    """A noisy number of rows that fit in some columns.

    Attributes:
        columns: The columns.
        noisy: The noisy number, perhaps negative.
        epsilon: Its cost.
    """

    columns: tuple[str, ...]
    noisy: int
    epsilon: Fraction

    def says_few(self, max_rows: int, rows: int | None) -> bool:
        """Return whether the noisy number shows that few rows fit, or none.

        Args:
            max_rows: Most rows of one person that count.
            rows: Public or typed number of rows, if known.
        """
        return is_few(self.noisy, bar_of(max_rows, self.epsilon), rows)


@dataclass(frozen=True, kw_only=True)
class FitsSaid:
    """The result of a check.

    Attributes:
        declaration: Digest of the checked declaration.
        counts: The noisy numbers, all columns first.
        max_rows: Most rows of one person that count.
        rows: Public or typed number of rows, if known.
        is_public: Whether the number of rows is public.
    """

    declaration: str
    counts: tuple[FitCount, ...]
    max_rows: int
    rows: int | None
    is_public: bool

    @property
    def is_few(self) -> bool:
        """Whether few rows fit in all columns, or none."""
        return self.counts[0].says_few(self.max_rows, self.rows)

    @property
    def sentence(self) -> str:
        """How many rows fit in all columns."""
        return self.said_of(self.counts[0])

    def said_of(self, count: FitCount) -> str:
        """Return a sentence on how many rows fit, with the half width of its interval.

        Args:
            count: One of the noisy numbers of this check, of all columns or of one.
        """
        bar = bar_of(self.max_rows, count.epsilon)
        where = f"column '{count.columns[0]}'" if len(count.columns) == 1 else "all columns"
        about = "" if self.is_public else "about "
        # The number shown is never below 0, nor above a public number of rows. Any other
        # number of rows is no bound.
        upper = self.rows if self.is_public and self.rows is not None else count.noisy
        number = max(0, min(count.noisy, upper))
        rows = "the rows" if self.rows is None else f"{about}{self.rows:,} rows"
        is_too_noisy = self.rows is not None and bar > MAX_BAR_SHARE * self.rows
        if is_too_noisy and not count.says_few(self.max_rows, self.rows):
            return f"noise (± {bar:,}) hides how many of {rows} fit in {where}"
        return f"about {number:,} of {rows} fit in {where} (± {bar:,} in 95 of 100 cases)"

    def to_json(self) -> Document:
        """Return the result as a JSON object, which `from_json` reads."""
        return {
            "declaration": self.declaration,
            "counts": [
                {
                    "columns": list(count.columns),
                    "noisy": count.noisy,
                    "epsilon": str(count.epsilon),
                }
                for count in self.counts
            ],
            "max_rows": self.max_rows,
            "rows": self.rows,
            "is_public": self.is_public,
        }

    @classmethod
    def from_json(cls, content: Document) -> "FitsSaid":
        """Return the result that `to_json` wrote.

        Raises:
            ArgumentError: The content has another form.
        """
        try:
            return cls._read(content)
        # Whatever a malformed object makes fail, people get one sentence.
        except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError):
            raise ArgumentError(
                "The check of the declaration does not have the form that Synth writes."
            ) from None

    @classmethod
    def _read(cls, content: Document) -> "FitsSaid":
        """Return the result that `to_json` wrote.

        Raises:
            ValueError: No number is listed, or a field has an impossible value. Missing
                fields and wrong types raise what Python raises for them.
        """
        counts = tuple(
            FitCount(
                tuple(map(str, cast("Sequence[str]", count["columns"]))),
                _read_whole(count["noisy"]),
                parse_epsilon(count["epsilon"]),
            )
            for count in cast("Sequence[Document]", content["counts"])
        )
        rows = None if content["rows"] is None else _read_whole(content["rows"])
        is_public = content["is_public"]
        if not counts or is_public not in (True, False):
            raise ValueError
        declaration = str(content["declaration"])
        return cls(
            declaration=declaration,
            counts=counts,
            max_rows=_read_whole(content["max_rows"]),
            rows=rows,
            is_public=bool(is_public),
        )


def digest_of(domain: Domain) -> str:
    """Return a SHA-256 digest of all that decides which rows fit a declaration.

    That is names, kinds, bounds, listed values and missing values. Bins, and the rules for
    values outside, do not matter; neither does the order of the columns.

    >>> from synth.domain import Integer
    >>> one, other = (Integer(name="age", minimum=0, maximum=99, bins=n) for n in (5, 10))
    >>> digest_of(Domain((one,))) == digest_of(Domain((other,)))
    True
    """
    deciding = []
    for column in domain.without_words().columns:
        field = write_field(column)
        deciding.append({key: value for key, value in field.items() if key not in _NO_MATTER})
    content: Json = [
        # Sorted, so that the order of the columns does not matter.
        sorted(json.dumps(field, sort_keys=True) for field in deciding),
        [*domain.missing_values],
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def suggested_epsilon(rows: int, unit: Unit | None = None) -> Fraction:
    """Return the least epsilon of two digits that tells well how many rows fit.

    The noisy number's 95 % interval then has a half width of at most `BAR` of the rows. The
    result lies within the limits of epsilon, even if that makes the interval wider.

    Args:
        rows: Typed approximate number of rows, at least 1.
        unit: What the guarantee protects; by default one row.
    """
    check_whole(1, rows=rows)
    max_rows = 1 if unit is None else unit.max_rows
    target = max(1, math.floor(rows * BAR))
    # Laplace noise exceeds 3 times its scale in exp(-3), or 5 %, of cases: a first guess.
    # From there one digit at a time, up until the interval is short enough, then down.
    epsilon = _two_digits(3 * max_rows / max(rows * float(BAR), 1))
    while bar_of(max_rows, epsilon) > target and epsilon < limits.EPSILON_MAX:
        # Slightly more, which is rounded up to the next number of two digits.
        epsilon = _two_digits(float(epsilon) * 1.0001)
    while (
        bar_of(max_rows, lower := _next_below(epsilon)) <= target
        and lower >= limits.EPSILON_MIN
    ):
        epsilon = lower
    return min(max(epsilon, limits.EPSILON_MIN), limits.EPSILON_MAX)


def bar_of(max_rows: int, epsilon: Fraction) -> int:
    """Return the half width, in rows, of the 95 % interval of a noisy number of rows.

    Args:
        max_rows: Most rows of one person that count.
        epsilon: The number's cost.
    """
    return int(reach_of(DiscreteLaplace(max_rows / epsilon), 1))


def is_few(noisy: float, bar: float, rows: float | None) -> bool:
    """Return whether a noisy number of rows shows, in spite of its noise, few rows or none.

    Few rows are fewer than `FEW_ROWS_SHARE` of all. Noise so wide that it could hide them
    shows nothing, and the answer is False.

    Args:
        noisy: The noisy number of rows, perhaps negative.
        bar: Half width of its 95 % interval.
        rows: Number of all rows. If it is None, the question is only whether noise alone
            explains the number.

    >>> is_few(12, 460, 9_357), is_few(12, 460, None), is_few(-9, 9_357, 9_357)
    (True, True, False)
    """
    if rows is None:
        return noisy <= bar
    few = rows * float(FEW_ROWS_SHARE)
    return bar <= few and noisy + bar < few


def _two_digits(number: float) -> Fraction:
    """Return the least number of two significant digits above a positive number."""
    unit = Fraction(10) ** (math.floor(math.log10(number)) - 1)
    return (math.floor(Fraction(number) / unit) + 1) * unit


def _next_below(number: Fraction) -> Fraction:
    """Return the next smaller number of two significant digits, as .99 below 1."""
    unit = Fraction(10) ** (math.floor(math.log10(number)) - 1)
    lower = number - unit
    # Below a power of ten, the second digit is worth a tenth as much.
    return lower if lower >= 10 * unit else number - unit / 10


def _read_whole(value: object) -> int:
    """Return a value of JSON that must be a whole number.

    Raises:
        TypeError: It is something else, such as a truth value, which Python counts as int.
    """
    if type(value) is not int:
        raise TypeError(value)
    return value
