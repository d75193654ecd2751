"""Sums of offsets within bins and of products of numbers, by cells of columns. PRIVATE.

The engine adds whole steps of a public grid (`synth.domain.offsets`), as in `counts`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from synth.domain import Domain
from synth.estimate import MomentSum
from synth.privacy import ROW, Unit
from synth.private.counting.engines import ENGINES, Engine
from synth.private.table import PrivateTable
from synth.util import Ints, Private


@dataclass(frozen=True, eq=False)
class AddedMoments(Private):
    """Exact sums, each by the cells of the columns that it is by. PRIVATE.

    Attributes:
        domain: The columns.
        sums: Each sum in steps, shape (cells,).
        unit: The protected unit.
    """

    domain: Domain
    sums: Mapping[MomentSum, Ints]
    unit: Unit


def add_moments(
    table: PrivateTable,
    domain: Domain,
    sums: Sequence[MomentSum],
    *,
    unit: Unit = ROW,
    engine: str = Engine.DUCKDB,
) -> AddedMoments:
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
    table.positions(domain)
    added: dict[MomentSum, Ints] = {}
    over_all_rows = [moment_sum for moment_sum in sums if not moment_sum.by]
    by_cells = [moment_sum for moment_sum in sums if moment_sum.by]
    # Sums over all rows have a scan of their own. In one scan each sum is computed by every
    # set of columns that some sum is by.
    for sums_of_scan in (over_all_rows, by_cells):
        if sums_of_scan:
            with ENGINES[engine].start() as counter:
                lines = counter.moments(table, domain, sums_of_scan, unit=unit)
            added |= {
                moment_sum: _read(moment_sum, domain, sums_of_scan, lines=lines)
                for moment_sum in sums_of_scan
            }
    return AddedMoments(domain, added, unit)


def _read(
    moment_sum: MomentSum, domain: Domain, sums: Sequence[MomentSum], *, lines: Sequence[Ints]
) -> Ints:
    """Return one of the sums of a scan, in steps, shape (cells of its ``by`` columns,).

    Args:
        moment_sum: The wanted sum.
        domain: The declared columns.
        sums: All sums of the scan.
        lines: The columns of the engine's answer, each of shape (lines,): the codes of every
            column that some sum is by, ascending, and then each sum. A code is -1 if the line
            is not by that column.
    """
    columns = sorted({column for summed in sums for column in summed.by})
    codes = lines[: len(columns)]
    added = lines[len(columns) + sums.index(moment_sum)]
    # The lines of a sum have a code in each of its own columns, and in no others.
    is_of_sum = np.ones(len(added), dtype=bool)
    for number, code in zip(columns, codes, strict=True):
        is_of_sum &= (code >= 0) == (number in moment_sum.by)
    cells = np.zeros(int(is_of_sum.sum()), dtype=np.int64)  # in row-major order
    for column in moment_sum.by:
        cells = cells * domain.shape[column] + codes[columns.index(column)][is_of_sum]
    totals = np.zeros(math.prod(moment_sum.shape(domain)), dtype=np.int64)
    np.add.at(totals, cells, added[is_of_sum])
    return totals
