"""Exact counts of the confidential table by cell.

PRIVATE: they leave only through the door.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from synth.domain import Domain, check_dense
from synth.privacy import ROW, Neighbors, Unit
from synth.private.counting.engines import ENGINES, Engine
from synth.private.table import DEFAULT, Format, PrivateTable
from synth.util import (
    COUNTED_CELLS,
    Blocks,
    Cells,
    Ints,
    Private,
    SmallCodes,
    each_part,
    sum_by_cell,
    sums_inside,
)

if TYPE_CHECKING:
    from synth.domain import Summand
    from synth.private.counting.adding import Marginals


def open_source(
    name: str, form: Format = DEFAULT, engine: str = Engine.DUCKDB, *, master: str = ""
) -> PrivateTable:
    """Open a table for an engine.

    Args:
        name: A file, a folder of Parquet files, or ``spark:database.table``.
        form: How a file is read.
        engine: The name of the engine that will count its rows.
        master: The cluster, if the engine is Spark; '' for the current session or this
            machine.

    Raises:
        ArgumentError: The engine can't read it, or there is no Spark.
        TableError: It is no table.
    """
    return ENGINES[engine].open(name, form, master)


@dataclass(frozen=True, eq=False, kw_only=True)
class Counts(Private):
    """How many rows fall into each cell. PRIVATE.

    Attributes:
        domain: The columns.
        cells: The occupied cells, ascending, shape (k,).
        counts: Rows in each of them, shape (k,).
        rows: All rows of the table, also those that a public rule leaves out; with a person
            column, the used rows.
        unit: The protected unit.
    """

    domain: Domain
    cells: Cells
    counts: npt.NDArray[np.int64]
    rows: int
    unit: Unit = ROW

    def dense(self) -> npt.NDArray[np.int64]:
        """Return the rows of every cell, also of empty ones, shape (domain.size,).

        Raises:
            LimitError: There are too many cells.
        """
        check_dense(self.domain)
        values = np.zeros(self.domain.size, dtype=np.int64)
        values[self.cells] = self.counts
        return values

    def sensitivity(self, neighbors: Neighbors) -> int:
        """Return how much one person can change the counts in all, in L1."""
        return self.unit.sensitivity(neighbors)

    def public_rows(self, neighbors: Neighbors) -> int | None:
        """Return the number of rows if neighbours share it, else None."""
        return self.rows if self.unit.shares_rows(neighbors) else None


def count(
    table: PrivateTable, domain: Domain, unit: Unit = ROW, *, engine: str = Engine.DUCKDB
) -> Counts:
    """Count the rows of a table by cell under the declared domain.

    With a person column at most ``unit.max_rows`` rows of each person are used: the ones that
    come first by the MD5 of their cell. The rule uses only the person's own rows. Rows that
    name no person are left out.

    Args:
        table: The confidential rows.
        domain: The columns to count by; a cell is a combination of their codes.
        unit: The protected unit: one row, or all rows of a person.
        engine: The name of the engine that counts.

    Raises:
        TableError: A column is missing, or reading fails.
    """
    return count_sums(table, domain, (), unit=unit, engine=engine).counts


@dataclass(frozen=True, eq=False)
class Summed(Private):
    """How many rows fall into each cell, and their sums. PRIVATE.

    Attributes:
        counts: The rows.
        sums: Sums in steps, shape (cells, sums).
    """

    counts: Counts
    sums: Ints


def count_sums(
    table: PrivateTable,
    domain: Domain,
    sums: Sequence["Summand"],
    *,
    unit: Unit = ROW,
    engine: str = Engine.DUCKDB,
) -> Summed:
    """Count the table by cell, as `count` does, and add numbers.

    The engine adds whole steps of a public grid (`synth.domain.offsets`): no order of rows
    and no number of threads can change a sum.

    A row adds the steps of its value, or the product of its steps. It adds nothing if a value
    is missing, unknown, in the cell for values outside, or a code outside the bounds. A value
    that is moved to a bound adds what the bound adds. In columns of whole numbers and of
    dates a value adds its whole unit: 39.5 adds what 39 adds.

    With a person column the sums are over the used rows. If rows of one person share a cell
    but not their numbers, the MD5 of person, cell and numbers decides which count.

    Args:
        table: The confidential rows.
        domain: The columns to count by.
        sums: For each sum, the grid of its column, or two grids for a product. Several sums
            may be of the same column.
        unit: The protected unit.
        engine: The name of the engine that counts.

    Raises:
        ArgumentError: A summed column has no numbers and no dates.
        TableError: A column is missing, or reading fails.
    """
    if sums:
        _check_summed(domain, sums)  # before any row is read
    table.positions(domain)
    with ENGINES[engine].start() as counter:
        cells, counts, added, left_out = counter.sums(table, domain, sums, unit=unit)
    rows = int(counts.sum())
    if not unit.person:
        rows += left_out  # without a person column, all rows of the table
    return Summed(
        Counts(domain=domain, cells=cells, counts=counts, rows=rows, unit=unit), added
    )


def _check_summed(domain: Domain, sums: Sequence["Summand"]) -> None:
    """Refuse sums of columns that have no numbers and no dates, by an `ArgumentError`."""
    from synth.domain import Product, summed_column

    for summand in sums:
        for steps in summand if isinstance(summand, Product) else (summand,):
            summed_column(domain, steps)


class Rows(Protocol):
    """The used rows of a table, which can be counted by some of their columns. PRIVATE."""

    @property
    def domain(self) -> Domain:
        """The declared columns."""

    @property
    def rows(self) -> int:
        """All rows of the table, also those left out; with a person column, the used ones."""

    @property
    def unit(self) -> Unit:
        """Whose rows they are."""

    def count(self, columns: Sequence[int]) -> Counts:
        """Count the rows by the cells of some columns, given by number, ascending."""


# Rows for each cell of a stored table of several columns, at least: its cells must be few
# compared with the rows, so that summing them is faster than counting the rows again.
FEW_CELLS = 8
# Most blocks of columns for which tables of two blocks are stored.
BLOCKS = 12
# Rows in memory that are counted at a time.
ROWS_COUNTED = 2**20


@dataclass(frozen=True, eq=False, kw_only=True)
class CodedRows(Private):
    """The rows as codes, without the ones that a rule leaves out. PRIVATE.

    Attributes:
        domain: The columns.
        codes: One array of shape (rows,) a column.
        rows: All rows of the table; with a person column, the used rows.
        unit: The protected unit.
    """

    domain: Domain
    codes: Sequence[SmallCodes]
    rows: int
    unit: Unit = ROW

    def count(self, columns: Sequence[int]) -> Counts:
        """Count the rows by the cells of some columns, given by number, ascending.

        Raises:
            LimitError: The columns have too many cells.
        """
        domain = self.domain.project(self.domain.names[column] for column in columns)
        check_dense(domain)
        dense = self._dense(tuple(columns))  # also of empty cells
        occupied = np.flatnonzero(dense)
        return Counts(
            domain=domain,
            cells=occupied,
            counts=dense[occupied],
            rows=self.rows,
            unit=self.unit,
        )

    def _dense(self, columns: tuple[int, ...]) -> Ints:
        """Return the rows of every cell of some columns, shape (cells,).

        Many pairs of columns are asked for. So the rows are counted by a few larger groups of
        columns, whose tables are stored; a pair inside such a group is summed from its table.

        Args:
            columns: The numbers of the columns, ascending.
        """
        table_columns = self._counted_with(columns)
        # Without a larger table, the columns are counted directly, and nothing is stored.
        if table_columns == columns:
            return self._count_columns(columns)
        if table_columns not in self._tables:
            self._tables[table_columns] = self._count_columns(table_columns)
        sizes = [self.domain.shape[column] for column in table_columns]
        table = self._tables[table_columns].reshape(sizes)
        return sums_inside(table, table_columns, columns).ravel()

    def _counted_with(self, columns: tuple[int, ...]) -> tuple[int, ...]:
        """Return the columns of the table from which these columns are summed.

        It is a stored table with all of them, or else the table of two blocks of columns that
        hold them. With too many blocks, or too large a table, it is these columns alone.
        """
        for columns_of_table in self._tables:
            if set(columns) <= set(columns_of_table):
                return columns_of_table
        blocks = self._blocks
        return columns if blocks.number > BLOCKS else blocks.columns_with(columns)

    @cached_property
    def _blocks(self) -> Blocks:
        """The columns in blocks, whose tables of two are quick to count and to sum."""
        return Blocks(self.domain.shape, min(COUNTED_CELLS, len(self.codes[0]) // FEW_CELLS))

    @cached_property
    def _tables(self) -> dict[tuple[int, ...], Ints]:
        return {}

    def _count_columns(self, columns: Sequence[int]) -> Ints:
        """Return the rows of every cell of some columns, shape (cells,).

        The rows are counted in parts, which may run in parallel.
        """
        chosen = [self.codes[column] for column in columns]
        shape = [self.domain.shape[column] for column in columns]
        # A part has at least as many rows as cells: adding up its result costs little then.
        step = max(ROWS_COUNTED, math.prod(shape))
        starts = range(0, max(1, len(chosen[0])), step)

        def count_from(start: int) -> Ints:
            """Return the counts of the part of the rows that starts here."""
            part = [codes[start : start + step] for codes in chosen]
            return sum_by_cell(part, shape).astype(np.int64).ravel()

        parts = each_part(count_from, starts) if len(starts) > 1 else map(count_from, starts)
        return sum(parts, np.zeros(math.prod(shape), dtype=np.int64))


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedRows(Private):
    """Marginals of rows that were too many for memory, counted in few scans. PRIVATE.

    Attributes:
        domain: The columns.
        marginals: Occupied cells and their counts, by group of columns.
        rows: All rows of the table; with a person column, the used rows.
        unit: The protected unit.
    """

    domain: Domain
    marginals: "Marginals"
    rows: int
    unit: Unit = ROW

    def count(self, columns: Sequence[int]) -> Counts:
        """Return the counts of some columns, given by number, which must be one group."""
        domain = self.domain.project(self.domain.names[column] for column in columns)
        universe, counts = self.marginals[tuple(columns)]
        return Counts(
            domain=domain, cells=universe, counts=counts, rows=self.rows, unit=self.unit
        )


def codes(
    table: PrivateTable, domain: Domain, unit: Unit = ROW, *, ordered: bool = False
) -> list[npt.NDArray[np.int32]]:
    """Return the codes of every used row, one array of shape (rows,) a column. PRIVATE.

    A code is the number of a row's cell along a column. `count` says which rows are used;
    the ones that a public rule leaves out are not there.

    Args:
        table: The confidential rows.
        domain: The declared columns.
        unit: The protected unit.
        ordered: Whether rows come as in the file, otherwise in any order.
    """
    from synth.private.counting.duckdb import DuckDB

    table.positions(domain)
    with DuckDB(ordered=ordered) as engine:
        return engine.codes(table, domain, unit)
