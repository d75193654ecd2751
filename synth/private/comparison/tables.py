"""Both tables as codes, and the shares between them. PRIVATE.

Noisy shares are public: those of the repaired histogram, or a model's columns and pairs.
Whether the intervals of a release cover the real shares, and the real errors of all repairs,
are here too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from synth.bundle import Result
from synth.domain import Domain
from synth.estimate import ColumnSet, Distribution, Repaired
from synth.private.comparison.distances import Comparison, compare
from synth.private.counting import codes
from synth.private.table import PrivateTable
from synth.util import Codes, Floats, Names, Private, normal, sum_by_cell


@dataclass(frozen=True, eq=False, kw_only=True)
class Compared(Private):
    """Real against synthetic; single tables are counted when needed. PRIVATE.

    Attributes:
        errors: Distances of all columns, pairs and triples.
        real, synthetic: Codes of the rows, one array a column.
        kept: Codes of the real rows that the release could use: at most k of each person.
    """

    domain: Domain
    errors: Comparison
    real: list[Codes]
    kept: list[Codes]
    synthetic: list[Codes]
    table: PrivateTable
    result: Result

    def place(self, names: Names) -> ColumnSet:
        return tuple(self.domain.names.index(name) for name in names)

    def pair(self, *names: str) -> tuple[Floats, Floats]:
        """Return real and synthetic shares of the cells of some columns, in the columns'
        shape.
        """
        place = self.place(names)
        real, synthetic = (
            normal(table_of(rows, self.domain, place)) for rows in (self.real, self.synthetic)
        )
        return real, synthetic

    def noisy(self, names: Names) -> Floats | None:
        """Return shares of the cells of some columns, in their shape, before rows are drawn.

        None if a model does not cover these columns together.
        """
        rows = self.result.record.expected(self.place(names))
        return None if rows is None else normal(rows)

    def used_shares(self, names: Names) -> Floats:
        """Return shares of the cells of some columns over the rows that a release may use."""
        return normal(table_of(self.kept, self.domain, self.place(names)))

    def shares(self, name: str) -> tuple[tuple[str, ...], Floats, Floats]:
        """Return titles of the cells of a column, and real and synthetic shares, shape
        (cells,).
        """
        return self.domain[name].titles, *self.pair(name)

    def gap(self, first: str, second: str) -> Floats:
        """Return synthetic minus real share of each pair of cells, in the columns' shape."""
        real, synthetic = self.pair(first, second)
        return synthetic - real

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        return [(names[0], names[1]) for names in self.errors.two_way.by_table]

    def matrix(self, pairs: Mapping[Names, float] | None = None) -> Floats:
        """Return numbers of pairs, shape (columns, columns), NaN if there is none.

        By default total variations of the pairs, with those of the columns on the diagonal.
        """
        names = self.domain.names
        matrix = np.full((len(names), len(names)), np.nan)
        found = [self.errors.one_way.by_table, self.errors.two_way.by_table]
        for by_table in found if pairs is None else [pairs]:
            for table, value in by_table.items():
                i, j = names.index(table[0]), names.index(table[-1])
                matrix[i, j] = matrix[j, i] = value
        return matrix


def distance(one: Floats, other: Floats) -> float:
    """Return the total variation of two tables of shares."""
    return float(np.abs(one - other).sum() / 2)


def compare_tables(table: PrivateTable, result: Result) -> Compared:
    """Read the confidential table once more and compare it with a release.

    Raises:
        TableError: It can't be read, or has no rows inside the domain.
    """
    domain, unit = result.plan.domain, result.plan.unit
    real, synthetic = codes(table, domain), result.synthetic.codes
    kept = codes(table, domain, unit) if unit.person else real
    return Compared(
        domain=domain,
        errors=compare(domain, real, synthetic),
        real=real,
        kept=kept,
        synthetic=synthetic,
        table=table,
        result=result,
    )


def table_of(rows: Sequence[Codes], domain: Domain, place: ColumnSet) -> Floats:
    """Count the rows in each cell of some columns, in the columns' shape.

    Codes are one array of shape (rows,) a column of the domain.

    >>> from synth.domain import Categorical
    >>> domain = Domain(tuple(Categorical(name=n, categories=("x", "y")) for n in "ab"))
    >>> table_of([np.array([0, 0, 1]), np.array([1, 1, 0])], domain, (0, 1)).tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    """
    return sum_by_cell([rows[i] for i in place], [domain.shape[i] for i in place])


@dataclass(frozen=True)
class Coverage:
    within: int
    bars: int


def measure_coverage(seen: Compared) -> Coverage:
    """Count the cells of all columns whose real share is in its interval. PRIVATE."""
    within = bars = 0
    for name in seen.domain.names:
        found = seen.result.interval(name)
        if found is not None:
            real = seen.pair(name)[0]
            inside = (found.low <= real + 1e-12) & (real <= found.high + 1e-12)
            within, bars = within + int(inside.sum()), bars + len(real)
    return Coverage(within, bars)


def covered_pairs(seen: Compared) -> Coverage:
    """Count the pairs whose real error is below their limit. PRIVATE."""
    errors = seen.errors.two_way.by_table
    known = [(errors[b.names], b.reach) for b in seen.result.pair_bars if b.names in errors]
    return Coverage(sum(error <= reach for error, reach in known), len(known))


@dataclass(frozen=True)
class RealError:
    """Mean total variation under a repair, before rows are drawn. PRIVATE."""

    one_way: float
    two_way: float


def real_errors(seen: Compared, repairs: list[Repaired]) -> dict[str, RealError]:
    """Return the mean total variation of columns and pairs under each repair. PRIVATE."""
    found = {}
    columns: list[Names] = [(name,) for name in seen.domain.names]
    for one in repairs:
        made = replace(one.distribution)  # a copy: the codes that it keeps go with it
        found[one.name] = RealError(
            _mean(seen, made, columns), _mean(seen, made, [*seen.pairs])
        )
    return found


def _mean(seen: Compared, made: Distribution, tables: list[Names]) -> float:
    errors = [
        distance(seen.pair(*names)[0], normal(made.expected(seen.place(names))))
        for names in tables
    ]
    return float(np.mean(errors)) if errors else 0.0
