"""Both tables as codes, and the shares between them. PRIVATE.

Noisy shares are public: those of the repaired histogram, or a model's columns and pairs.
Whether the intervals of a release cover the real shares, and the real errors of all repairs,
are here too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from synth.bundle import Result
from synth.domain import Column, Derived, Domain, Outside
from synth.estimate import ColumnSet, Distribution, Repaired
from synth.private.comparison.distances import Comparison, compare
from synth.private.counting import DuckDB, Readings, codes
from synth.private.table import PrivateTable
from synth.util import Codes, Floats, Names, Private, normal, sum_by_cell

# Shares that are equal but for the rounding of doubles differ by less.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, kw_only=True)
class Compared(Private):
    """Real against synthetic; single tables are counted when needed. PRIVATE.

    Attributes:
        domain: The declared columns.
        errors: Distances of all columns, pairs and triples.
        real, synthetic: Codes of the rows, one array a column.
        used: Codes of the real rows that the release could use: at most k of each person.
        readings: Values and cells of the real rows by the name of a column, also of derived
            columns that the table has: see `read_real`.
        result: The release.
    """

    domain: Domain
    errors: Comparison
    real: list[Codes]
    used: list[Codes]
    synthetic: list[Codes]
    readings: Readings
    result: Result

    def place(self, names: Names) -> ColumnSet:
        """Return the places of some columns in the domain."""
        return tuple(self.domain.names.index(name) for name in names)

    def pair(self, *names: str) -> tuple[Floats, Floats]:
        """Return real and synthetic shares of the cells of some columns, in their shape."""
        place = self.place(names)
        real = normal(table_of(self.real, self.domain, place))
        synthetic = normal(table_of(self.synthetic, self.domain, place))
        return real, synthetic

    def noisy(self, names: Names) -> Floats | None:
        """Return the shares that the release estimates for the cells of some columns.

        They are those after the noise and before rows are drawn, in the columns' shape. It
        is None if a model does not cover these columns together.
        """
        rows = self.result.record.expected(self.place(names))
        return None if rows is None else normal(rows)

    def used_shares(self, names: Names) -> Floats:
        """Return shares of the cells of some columns over the rows that a release may use."""
        return normal(table_of(self.used, self.domain, self.place(names)))

    def shares(self, name: str) -> tuple[tuple[str, ...], Floats, Floats]:
        """Return the cells' titles, real and synthetic shares of a column, shape (cells,)."""
        return self.domain[name].titles, *self.pair(name)

    def gap(self, first: str, second: str) -> Floats:
        """Return synthetic minus real share of each pair of cells, in the columns' shape."""
        real, synthetic = self.pair(first, second)
        return synthetic - real

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The names of all compared pairs of columns."""
        return [(names[0], names[1]) for names in self.errors.two_way.by_table]

    def matrix(self, pairs: Mapping[Names, float] | None = None) -> Floats:
        """Return numbers of pairs of columns as a symmetric matrix, shape (columns, columns).

        It is NaN where there is no number.

        Args:
            pairs: A number for each pair, or column, by its names. None for the total
                variations of all pairs, with those of the columns on the diagonal.
        """
        names = self.domain.names
        if pairs is None:
            pairs = {**self.errors.one_way.by_table, **self.errors.two_way.by_table}
        matrix = np.full((len(names), len(names)), np.nan)
        # Of a single column the first name is the last one, too: it is on the diagonal.
        for table, value in pairs.items():
            first = names.index(table[0])
            last = names.index(table[-1])
            matrix[first, last] = matrix[last, first] = value
        return matrix


def distance(shares: Floats, other_shares: Floats) -> float:
    """Return the total variation of two tables of shares."""
    return float(np.abs(shares - other_shares).sum() / 2)


def compare_tables(table: PrivateTable, result: Result) -> Compared:
    """Read the confidential table once more and compare it with a release. PRIVATE.

    If rows are persons', those that the release could use are read apart.

    Args:
        table: The confidential rows.
        result: The release, with its plan and synthetic rows.

    Raises:
        TableError: It can't be read, or has no rows inside the domain.
    """
    domain = result.plan.domain
    unit = result.plan.unit
    readings = read_real(table, domain)
    real = [readings[name][1] for name in domain.names]
    synthetic = result.synthetic.codes
    # Only with a person column may rows be left unused: those beyond a person's limit.
    used = codes(table, domain, unit) if unit.person else real
    return Compared(
        domain=domain,
        errors=compare(domain, real, synthetic),
        real=real,
        used=used,
        synthetic=synthetic,
        readings=readings,
        result=result,
    )


def read_real(table: PrivateTable, domain: Domain) -> Readings:
    """Return values and cells of the rows that no rule leaves out, by column. PRIVATE.

    They are those of the declared columns, and of derived ones that the table has.

    Args:
        table: The confidential rows.
        domain: The declared and derived columns.

    Raises:
        TableError: The table can't be read, or lacks a column.
    """
    table.positions(domain)  # raises if a column is missing
    present = tuple(
        column_with_others(derived)
        for derived in domain.derived
        if derived.name in table.header
    )
    with DuckDB() as engine:
        return engine.readings(
            table, Domain((*domain.columns, *present), domain.missing_values)
        )


def column_with_others(derived: Derived) -> Column:
    """Return the column as which a table's own values of a derived column are read."""
    # A value that the rule could not give must not leave out its row, so it gets a cell.
    return replace(derived.column, outside=Outside.CELL)


def table_of(rows: Sequence[Codes], domain: Domain, place: ColumnSet) -> Floats:
    """Count the rows in each cell of some columns, in the columns' shape.

    Args:
        rows: Codes of the rows, one array of shape (rows,) for each column of the domain.
        domain: All columns.
        place: The numbers of the columns to count by.

    >>> from synth.domain import Categorical
    >>> domain = Domain(tuple(Categorical(name=n, categories=("x", "y")) for n in "ab"))
    >>> table_of([np.array([0, 0, 1]), np.array([1, 1, 0])], domain, (0, 1)).tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    """
    return sum_by_cell([rows[i] for i in place], [domain.shape[i] for i in place])


@dataclass(frozen=True)
class Coverage:
    """How many real numbers lie within their bars.

    Attributes:
        within: Number of them that do.
        bars: Number of all.
    """

    within: int
    bars: int


def measure_coverage(compared: Compared) -> Coverage:
    """Count the cells of all columns, and those whose real share is in its interval. PRIVATE.

    Columns for which the release gives no intervals do not count.
    """
    within = bars = 0
    for name in compared.domain.names:
        interval = compared.result.interval(name)
        if interval is not None:
            real = compared.pair(name)[0]
            is_above = interval.low <= real + ROUNDING
            inside = is_above & (real <= interval.high + ROUNDING)
            within += int(inside.sum())
            bars += len(real)
    return Coverage(within, bars)


def covered_pairs(compared: Compared) -> Coverage:
    """Count the pairs whose real error is within the limit that the release says. PRIVATE."""
    errors = compared.errors.two_way.by_table
    # A pair's ``reach`` is that limit. Of very many columns not all pairs were compared.
    bars = [bar for bar in compared.result.pair_bars if bar.names in errors]
    return Coverage(sum(errors[bar.names] <= bar.reach for bar in bars), len(bars))


@dataclass(frozen=True)
class RealError:
    """Mean total variation under a repair, before rows are drawn. PRIVATE.

    Attributes:
        one_way: Over columns.
        two_way: Over pairs.
    """

    one_way: float
    two_way: float


def real_errors(compared: Compared, repairs: list[Repaired]) -> dict[str, RealError]:
    """Return the mean total variation of columns and pairs under each repair. PRIVATE.

    Args:
        compared: The real rows.
        repairs: The same noisy counts, made counts of cells in different ways.

    The result maps the name of a repair to its errors.
    """
    errors = {}
    columns: list[Names] = [(name,) for name in compared.domain.names]
    for repair in repairs:
        # A copy, so that the codes which it keeps are freed with it.
        distribution = replace(repair.distribution)
        errors[repair.name] = RealError(
            _mean(compared, distribution, columns),
            _mean(compared, distribution, [*compared.pairs]),
        )
    return errors


def _mean(compared: Compared, distribution: Distribution, tables: list[Names]) -> float:
    """Return the mean total variation between the real rows and a distribution.

    Args:
        compared: The real rows.
        distribution: Says how many rows are expected in the cells of some columns.
        tables: The names of the columns of each compared table; 0.0 if there are none.
    """
    errors = [
        distance(
            compared.pair(*names)[0], normal(distribution.expected(compared.place(names)))
        )
        for names in tables
    ]
    return float(np.mean(errors)) if errors else 0.0
