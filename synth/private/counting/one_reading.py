"""Counts of rows and sums of their numbers, from one reading of a table. PRIVATE."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from synth import limits
from synth.domain import Domain
from synth.privacy import ROW, Unit
from synth.private.counting.adding import Adding, HeldCodes
from synth.private.counting.counts import CodedRows, CountedRows, Counts, Rows, count
from synth.private.counting.engines import ENGINES, Engine
from synth.private.table import PrivateTable
from synth.util import Ints, Private, SmallCodes

if TYPE_CHECKING:
    from synth.estimate import MomentSum
    from synth.private.counting.moments import AddedMoments

# Returns the columns of every marginal that may be asked for, by number.
Groups = Callable[[], Sequence[tuple[int, ...]]]


@dataclass(frozen=True)
class Needs:
    """What a release needs of the rows of a table.

    Attributes:
        domain: The columns to count by.
        sums: The definitions of sums of numbers, each with the columns whose cells it is by.
        unit: The protected unit.
    """

    domain: Domain
    sums: "Sequence[MomentSum]" = ()
    unit: Unit = ROW

    def name_sums(self, totals: Sequence[Ints]) -> "AddedMoments | None":
        """Return exact sums by their definitions; None if there are none. PRIVATE."""
        if not self.sums:
            return None
        from synth.private.counting.moments import AddedMoments

        return AddedMoments(self.domain, dict(zip(self.sums, totals, strict=True)), self.unit)


def count_and_add(
    table: PrivateTable, needs: Needs, *, engine: str = Engine.DUCKDB
) -> "tuple[Counts, AddedMoments | None]":
    """Count the rows by cell, as `count` does, and add numbers, as `add_moments` does.

    The rows are read once; if there are more cells than a release lists, once for the counts
    and once for the sums.

    Args:
        table: The confidential rows.
        needs: The columns, the sums and the protected unit.
        engine: The name of the engine that counts.

    Raises:
        TableError: A column is missing, or reading fails.
    """
    domain = needs.domain
    if domain.size > limits.LISTED_CELLS:
        counts = count(table, domain, needs.unit, engine=engine)
        if not needs.sums:
            return counts, None
        added = add_moments(table, domain, needs.sums, unit=needs.unit, engine=engine)
        return counts, added
    all_columns = tuple(range(len(domain.columns)))
    rows, moments = count_marginals(table, needs, [all_columns], engine=engine)
    return rows.count(all_columns), moments


def add_moments(
    table: PrivateTable,
    domain: Domain,
    sums: "Sequence[MomentSum]",
    *,
    unit: Unit = ROW,
    engine: str = Engine.DUCKDB,
) -> "AddedMoments":
    """Add up offsets of numbers, or products of two, over the rows of a table. PRIVATE.

    A row adds nothing if a number is missing, unknown, in the cell for values outside, or a
    code outside the bounds. A value that is moved to a bound adds what the bound does. With a
    person column the sums are over the used rows: see `count_sums`.

    Args:
        table: The confidential rows.
        domain: The declared columns.
        sums: The definitions of the sums, each with the columns whose cells it is by.
        unit: The protected unit.
        engine: The name of the engine that counts.

    Raises:
        TableError: A column is missing, or reading fails.
    """
    from synth.private.counting.moments import AddedMoments

    _, added = count_marginals(table, Needs(domain, sums, unit), (), engine=engine)
    return added or AddedMoments(domain, {}, unit)


def count_marginals(
    table: PrivateTable, needs: Needs, groups: Sequence[tuple[int, ...]], *, engine: str
) -> "tuple[CountedRows, AddedMoments | None]":
    """Count the marginals of groups of columns in few scans, without holding the rows.

    Args:
        table: The confidential rows.
        needs: The columns, the sums and the protected unit.
        groups: The columns of each marginal, by number, ascending.
        engine: The name of the engine that counts.

    Raises:
        TableError: A column is missing, or reading fails.
        LimitError: The marginals need more memory than there is.
    """
    domain = needs.domain
    unit = needs.unit
    table.positions(domain)
    with ENGINES[engine].start() as counter:
        added = counter.marginals(table, domain, groups, sums=needs.sums, unit=unit)
    rows = CountedRows(domain=domain, marginals=added.marginals, rows=added.rows, unit=unit)
    return rows, needs.name_sums(added.sums)


def read_rows(
    table: PrivateTable, needs: Needs, groups: Groups, *, engine: str = Engine.DUCKDB
) -> "tuple[Rows, AddedMoments | None]":
    """Read the rows once: return rows whose marginals can be counted, and sums of numbers.

    Rows are held as codes if they fit in memory. Otherwise all marginals that may be asked
    for are counted in the same reading.

    Args:
        table: The confidential rows.
        needs: The columns, the sums and the protected unit.
        groups: Returns the columns of every marginal that may be asked for. It is called only
            if the rows are not held, as a list of all groups may be long.
        engine: The name of the engine that counts.

    Raises:
        TableError: A column is missing, or reading fails.
        LimitError: The marginals need more memory than there is.
    """
    if not ENGINES[engine].holds_rows:
        return count_marginals(table, needs, groups(), engine=engine)
    from synth.private.counting.duckdb import DuckDB

    domain = needs.domain
    table.positions(domain)
    with DuckDB() as counter:
        taker, number, totals = counter.read(
            table,
            domain,
            lambda: _RowsThatFit(domain, groups),
            sums=needs.sums,
            unit=needs.unit,
        )
    return taker.rows(number, needs.unit), needs.name_sums(totals)


class _RowsThatFit(Private):
    """Rows of one reading: held as codes while they fit in memory, then counted.

    Args:
        domain: The declared columns.
        groups: Returns the columns of every marginal to count if the rows do not fit.
    """

    def __init__(self, domain: Domain, groups: Groups) -> None:
        """Begin without rows."""
        self._domain = domain
        self._groups = groups
        self._held = HeldCodes(domain.shape)
        self._adding: Adding | None = None

    def add(self, codes: Sequence[SmallCodes]) -> None:
        """Take the next rows."""
        if self._adding is not None:
            self._adding.add(codes)
            return
        self._held.add(codes)
        if _fits(self._held):
            return
        self._adding = Adding(self._domain.shape, self._groups())
        for piece in self._held.pieces():
            self._adding.add(piece)

    def rows(self, number: int, unit: Unit) -> Rows:
        """Return what was read, of so many rows of the table or of persons."""
        if self._adding is None:
            codes = self._held.columns()
            return CodedRows(domain=self._domain, codes=codes, rows=number, unit=unit)
        marginals = self._adding.marginals
        return CountedRows(domain=self._domain, marginals=marginals, rows=number, unit=unit)


def _fits(held: HeldCodes) -> bool:
    """Return whether three copies of the rows fit in memory: two are room for using them."""
    return 3 * held.bytes <= limits.memory_mb() * 2**20
