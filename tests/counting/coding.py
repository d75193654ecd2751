"""Rows held as codes, where they fit."""

from synth.domain import Domain
from synth.privacy import ROW, Unit
from synth.private.counting import rows_for
from synth.private.counting.counts import CodedRows
from synth.private.table import PrivateTable


def coded(table: PrivateTable, domain: Domain, unit: Unit = ROW) -> CodedRows:
    """Hold the table's rows in memory as codes: for each column the number of a
    row's cell.
    """
    rows = rows_for(table, domain, tuple, unit=unit)
    assert isinstance(rows, CodedRows), "rows of a test fit in memory"
    return rows
