"""Sums of bounded numbers by cell, beside the counts. Private, like these.

A number becomes whole steps of a public grid (`synth.domain.steps`) before it is added up, and
the engine adds integers: no order of rows and no number of threads can change a sum.
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
    """How many rows fall into each cell, and what their numbers come to. PRIVATE.

    Attributes:
        counts: The occupied cells and their rows.
        sums: Steps of each occupied cell by sum, shape (cells, sums).
    """

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
    """Count the table by cell, as `synth.private.counting.counts.count` does, and add up numbers.

    A row adds the steps of its value. It adds nothing to a sum where that value is missing or
    unknown, in the cell for values outside, or a code outside the bounds; a value that the rule
    for values outside pulls to a bound adds what the bound adds. In columns of whole numbers and
    of dates a value adds the whole unit that it is in, as cells have it: 39.5 adds what 39 adds.
    To a sum of products a row adds the product of its steps.

    With a person column the sums are of the rows that count. Where some of one person share a
    cell but not their numbers, the MD5 of the person, the cell and these numbers says which count.

    Args:
        table: The confidential table.
        domain: The declared columns.
        sums: What is added up, one grid or two a sum; one column may have several.
        unit: Whose rows they are.
        engine: What counts them.

    Raises:
        ArgumentError: A column to be summed holds no numbers and no dates.
        TableError: The table lacks a declared column or cannot be read.
    """
    for summand in sums:
        for steps in summand if isinstance(summand, Product) else (summand,):
            summed_column(domain, steps)
    table.positions(domain)
    with ENGINES[engine].start() as counter:
        cells, counts, added, left_out = counter.sums(table, domain, sums, unit)
    rows = int(counts.sum()) + (0 if unit.person else left_out)
    return Summed(Counts(domain, cells, counts, rows, unit), added)
