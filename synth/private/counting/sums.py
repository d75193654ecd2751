"""Sums of bounded numbers by cell, with the counts. PRIVATE.

The engine adds whole steps of a public grid (`synth.domain.steps`): no order of rows and no number
of threads can change a sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from synth.domain import Domain, Product, Summand, summed_column
from synth.privacy import ROW, Unit
from synth.private.counting.counts import Counts
from synth.private.counting.engines import ENGINES, Engine
from synth.private.table import PrivateTable
from synth.util import Ints


@dataclass(frozen=True, eq=False)
class Summed:
    """How many rows fall into each cell, and their sums in steps, shape (cells, sums). PRIVATE."""

    counts: Counts
    sums: Ints

    def __repr__(self) -> str:
        return "Summed(private)"


def count_sums(
    table: PrivateTable,
    domain: Domain,
    sums: Sequence[Summand],
    unit: Unit = ROW,
    engine: str = Engine.DUCKDB,
) -> Summed:
    """Count the table by cell, as `synth.private.counting.counts.count` does, and add numbers.

    A row adds the steps of its value, or the product of its steps. It adds nothing if a value is
    missing, unknown, in the cell for values outside, or a code outside the bounds. A value that is
    moved to a bound adds what the bound adds. In columns of whole numbers and of dates a value adds
    its whole unit: 39.5 adds what 39 adds.

    With a person column the sums are over the used rows. If rows of one person share a cell but not
    their numbers, the MD5 of person, cell and numbers decides which count.

    ``sums`` has one grid or two for each sum; one column may have several.

    Raises:
        ArgumentError: A summed column has no numbers and no dates.
        TableError: A column is missing, or reading fails.
    """
    for summand in sums:
        for steps in summand if isinstance(summand, Product) else (summand,):
            summed_column(domain, steps)
    table.positions(domain)
    with ENGINES[engine].start() as counter:
        cells, counts, added, left_out = counter.sums(table, domain, sums, unit)
    rows = int(counts.sum()) + (0 if unit.person else left_out)
    return Summed(Counts(domain, cells, counts, rows, unit), added)
