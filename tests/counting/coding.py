"""Rows held as codes, where they fit."""

from synth.domain.domain import Domain
from synth.privacy.guarantee import ROW, Unit
from synth.private.counting.counts import CodedRows, rows_for
from synth.private.table.private_table import PrivateTable


def coded(table: PrivateTable, domain: Domain, unit: Unit = ROW) -> CodedRows:
    rows = rows_for(table, domain, tuple, unit)
    assert isinstance(rows, CodedRows), "rows of a test fit in memory"
    return rows
