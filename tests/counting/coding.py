"""Rows held as codes, where they fit."""

from collections.abc import Sequence

from synth.domain import Domain
from synth.privacy import ROW, Unit
from synth.private.counting import Needs, one_reading
from synth.private.counting.counts import CodedRows, CountedRows
from synth.private.table import PrivateTable


def coded(table: PrivateTable, domain: Domain, unit: Unit = ROW) -> CodedRows:
    """Hold the table's rows in memory as codes: for each column the number of a
    row's cell.
    """
    rows, _ = one_reading.read_rows(table, Needs(domain, unit=unit), tuple)
    assert isinstance(rows, CodedRows), "rows of a test fit in memory"
    return rows


def passing(
    table: PrivateTable,
    domain: Domain,
    groups: Sequence[tuple[int, ...]],
    *,
    unit: Unit = ROW,
    engine: str,
) -> CountedRows:
    """Count the marginals of rows that pass by and are not held."""
    needs = Needs(domain, unit=unit)
    rows, _ = one_reading.count_marginals(table, needs, groups, engine=engine)
    return rows
