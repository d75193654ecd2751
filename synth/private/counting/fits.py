"""Rows that fit a declaration, before any rule for values outside. PRIVATE.

A row fits if every cell is a value inside the declaration; a missing value fits if the column
declares missing ones.

>>> from synth.domain import Integer
>>> age = Integer(name="age", minimum=0, maximum=99, bins=10, outside=Outside.NEAREST)
>>> require_fit(Domain((age,)))["age"].rule
<Outside.DROP: 'drop'>
"""

from dataclasses import dataclass, field, replace

from synth.domain import Domain, Outside
from synth.privacy import ROW, Unit
from synth.private.counting.counts import Counts, count
from synth.private.counting.duckdb import DuckDB
from synth.private.counting.engines import Engine
from synth.private.table import PrivateTable
from synth.util import Private

# A column is named if more than this share of the rows does not fit it.
MISFIT_SHARE = 0.25
# The same share if the others have a declared cell, as for rare values.
OTHERS_SHARE = 0.5
# A column with values in more than this share of the rows is not nearly empty.
MAX_EMPTY_SHARE = 0.1
# Assumed error of a column's counts, as a share of the rows, before a release is planned.
LIKELY_ERROR = 0.025
# What happens to values outside a declaration, by the rule of their column.
_FATES = {
    Outside.CELL: "puts the others into a cell of their own",
    Outside.NEAREST: "takes the nearest bound for the others, or a missing value",
    Outside.MISSING: "takes the others for missing values",
    Outside.DROP: "leaves out the others",
}


@dataclass(frozen=True, kw_only=True)
class FitShares(Private):
    """Exact numbers of rows that fit. PRIVATE: for the steward's eyes.

    Attributes:
        rows: All rows.
        together: Rows that fit in all columns.
        columns: Rows that fit in each column, by its name.
        missing: Rows that fit because their value is missing, by the name of the column.
    """

    rows: int
    together: int
    columns: dict[str, int]
    missing: dict[str, int] = field(default_factory=dict)

    def share(self, rows: int) -> float:
        """Return the share of all rows that some rows are, rounded down to a thousandth.

        As it is rounded down, all rows but one are never 100 %.

        >>> (
        ...     FitShares(rows=5_000, together=4_999, columns={}).share(4_999),
        ...     FitShares(rows=2, together=2, columns={}).share(2),
        ... )
        (0.999, 1.0)
        """
        return 1_000 * rows // max(self.rows, 1) / 1_000

    def misfits(self, domain: Domain) -> list[str]:
        """Return a sentence for each column of the domain that many rows do not fit.

        >>> from synth.domain import Categorical
        >>> domain = Domain((Categorical(name="sex", categories=("F", "M")),))
        >>> FitShares(rows=4_000, together=12, columns={"sex": 12}).misfits(domain)
        ["Only 12 of 4,000 rows (0.3 %) fit column 'sex'; Synth leaves out the others."]
        """
        sentences = []
        for column in domain.columns:
            fitting = self.columns[column.name]
            # More may lie outside if they have a cell, as rare values of a list do.
            largest_share = OTHERS_SHARE if column.rule is Outside.CELL else MISFIT_SHARE
            if self.rows - fitting > self.rows * largest_share:
                sentences.append(
                    f"Only {fitting:,} of {self.rows:,} rows "
                    f"({100 * self.share(fitting):.1f} %) fit column "
                    f"'{column.name}'; Synth {_FATES[column.rule]}."
                )
        return sentences

    def empty_columns(self, error: float = LIKELY_ERROR) -> list[str]:
        """Name the columns that are nearly empty, so that noise outweighs their values.

        These have values in less than twice the error's share of the rows.

        Args:
            error: The average error of a column's counts, as a share of the rows.

        >>> FitShares(
        ...     rows=5_000,
        ...     together=5_000,
        ...     columns={"closed": 5_000},
        ...     missing={"closed": 4_950},
        ... ).empty_columns(0.02)
        ['closed']
        """
        max_filled_rows = min(2 * error, MAX_EMPTY_SHARE) * self.rows
        return [
            name
            for name, missing in self.missing.items()
            if 0 < missing and self.columns[name] - missing < max_filled_rows
        ]

    def describe_empty(self, name: str) -> str:
        """Say what a nearly empty column means for a release.

        >>> FitShares(
        ...     rows=9, together=9, columns=dict.fromkeys("abc", 9), missing={"a": 9}
        ... ).describe_empty("a")
        "'a' is about 100 % empty; its values will be mostly noise. The others are not affected."
        """  # noqa: E501
        share = 100 * self.missing[name] / self.rows
        return (
            f"'{name}' is about {share:.0f} % empty; its values will be mostly noise. The "
            "others are not affected."
        )


def require_fit(domain: Domain) -> Domain:
    """Return a domain that leaves out all rows that do not fit."""
    columns = tuple(replace(column, outside=Outside.DROP) for column in domain.columns)
    return replace(domain, columns=columns)


def count_fitting(
    table: PrivateTable, domain: Domain, unit: Unit = ROW, *, engine: str = Engine.DUCKDB
) -> Counts:
    """Count the rows that fit, by cell; at most ``unit.max_rows`` of each person.

    Raises:
        TableError: A column is missing, or reading fails.
    """
    return count(table, require_fit(domain), unit, engine=engine)


def count_all_rows(table: PrivateTable) -> int:
    """Count the rows; TableError if that fails. PRIVATE, unless neighbours share them."""
    with DuckDB() as engine:
        return engine.rows(table)


def fit_shares(table: PrivateTable, domain: Domain) -> FitShares:
    """Return exact numbers of rows that fit a declaration, in one scan. PRIVATE.

    All rows are counted, however many a person has.

    Raises:
        TableError: A column is missing, or reading fails.
    """
    table.positions(domain)
    with DuckDB() as engine:
        rows, together, *by_column = engine.fits(table, require_fit(domain))
    # Two lists by column remain: its fitting rows, and those with a missing value.
    fit, missing = (dict(zip(domain.names, counts, strict=True)) for counts in by_column)
    return FitShares(rows=rows, together=together, columns=fit, missing=missing)
