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
    """Exact sums in steps by the cells of ``by``, shape (cells,) for each. PRIVATE."""

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
    """Add numbers of the rows that are counted; sums over all rows in a scan of their own.

    A row adds nothing if a number is missing, unknown, in the cell for values outside, or a
    code outside the bounds. A value that is moved to a bound adds what the bound does. With a
    person column the sums are over the used rows: see `count_sums`.

    Raises:
        TableError: A column is missing, or reading fails.
    """
    table.positions(domain)
    found: dict[MomentSum, Ints] = {}
    for some in ([one for one in sums if not one.by], [one for one in sums if one.by]):
        if some:
            with ENGINES[engine].start() as counter:
                lines = counter.moments(table, domain, some, unit)
            found |= {one: _read(one, domain, some, lines=lines) for one in some}
    return AddedMoments(domain, found, unit)


def _read(
    one: MomentSum, domain: Domain, sums: Sequence[MomentSum], *, lines: Sequence[Ints]
) -> Ints:
    columns = sorted({column for other in sums for column in other.by})
    codes, added = lines[: len(columns)], lines[len(columns) + sums.index(one)]
    own = np.ones(len(added), dtype=bool)
    for number, code in zip(columns, codes, strict=True):
        own &= (code >= 0) == (number in one.by)
    cells = np.zeros(int(own.sum()), dtype=np.int64)
    for column in one.by:
        cells = cells * domain.shape[column] + codes[columns.index(column)][own]
    found = np.zeros(math.prod(one.shape(domain)), dtype=np.int64)
    np.add.at(found, cells, added[own])
    return found
