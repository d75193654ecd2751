"""Which rows fit a declaration as it stands, before any rule for values outside. Private.

A row fits where every cell is a value inside the declaration; a missing value fits where the
column declares missing ones.

>>> from synth.domain import Integer
>>> age = Integer(name="age", minimum=0, maximum=99, bins=10, outside=Outside.NEAREST)
>>> require_fit(Domain((age,)))["age"].rule
<Outside.DROP: 'drop'>
"""

from dataclasses import dataclass, replace

from synth.domain import Domain, Outside
from synth.privacy import ROW, Unit
from synth.private.counting.counts import Counts, count
from synth.private.counting.duckdb import DuckDB
from synth.private.counting.engines import Engine
from synth.private.table import PrivateTable


@dataclass(frozen=True, repr=False)
class FitShares:
    """How many rows fit, exactly. PRIVATE: for the steward's eyes.

    Attributes:
        rows: Rows of the table.
        together: Rows that fit in all columns.
        columns: Rows that fit in each column, by its name.
    """

    rows: int
    together: int
    columns: dict[str, int]

    def __repr__(self) -> str:
        return "FitShares(private)"

    def share(self, rows: int) -> float:
        """What part some rows are of all, rounded down to a thousandth: all but one are not all.

        >>> FitShares(5_000, 4_999, {}).share(4_999), FitShares(2, 2, {}).share(2)
        (0.999, 1.0)
        """
        return 1_000 * rows // max(self.rows, 1) / 1_000


def require_fit(domain: Domain) -> Domain:
    """The declaration under which a value outside leaves its row out, whatever its rule was."""
    columns = tuple(replace(column, outside=Outside.DROP) for column in domain.columns)
    return replace(domain, columns=columns)


def count_fitting(
    table: PrivateTable, domain: Domain, unit: Unit = ROW, engine: str = Engine.DUCKDB
) -> Counts:
    """Count the rows that fit, by cell; of each person at most ``unit.max_rows`` of them.

    Raises:
        TableError: The table lacks a declared column or cannot be read.
    """
    return count(table, require_fit(domain), unit, engine)


def fit_shares(table: PrivateTable, domain: Domain) -> FitShares:
    """Exact numbers of rows that fit, in one scan; no person's rows are left out. PRIVATE.

    Raises:
        TableError: The table lacks a declared column or cannot be read.
    """
    table.positions(domain)
    with DuckDB() as engine:
        rows, together, columns = engine.fits(table, require_fit(domain))
    return FitShares(rows, together, dict(zip(domain.names, columns, strict=True)))
