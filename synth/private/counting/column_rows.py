"""The rows of some columns, to look for relations between them. PRIVATE."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from synth.domain import Column, Derived, Domain
from synth.errors import DomainError
from synth.private.counting.derived_rows import count_disagreeing, hold_values
from synth.private.counting.duckdb import DuckDB
from synth.private.table import PrivateTable
from synth.rows import RowValues, derived_from
from synth.util import Codes, Floats, Mask, Private


@dataclass(frozen=True, eq=False, kw_only=True)
class ColumnRows(Private):
    """The rows of one column. PRIVATE.

    Attributes:
        column: The declaration.
        values: Numbers, seconds since 1970, or places in a list; NaN where a text cannot be
            read; shape (rows,).
        codes: The cell of each row, shape (rows,).
    """

    column: Column
    values: Floats
    codes: Codes

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @property
    def kind(self) -> str:
        """What formulas read: ``number``, ``date``, ``text`` or ``truth``."""
        return self.column.formula_values.kind

    @property
    def is_axis(self) -> bool:
        """Whether its values are numbers or dates."""
        return self.kind in ("number", "date")

    @property
    def is_list(self) -> bool:
        """Whether its values are listed texts, or yes and no."""
        return self.kind in ("text", "truth")

    @cached_property
    def inputs(self) -> RowValues:
        """The values as formulas read them."""
        return hold_values(self.column, self.values, self.codes)

    @cached_property
    def has_value(self) -> Mask:
        """Whether each row has a described value: not missing, and not outside."""
        if self.is_axis:
            return ~np.asarray(self.inputs.missing, dtype=np.bool_)
        return np.asarray(self.codes < len(self.column.labels))

    @cached_property
    def amounts(self) -> Floats:
        """Numbers, or seconds since 1970, NaN where a row has no value, shape (rows,)."""
        return np.where(self.has_value, self.values, np.nan)

    @cached_property
    def days(self) -> Floats:
        """Days since 1970, NaN where a row has no date, shape (rows,)."""
        return np.where(self.has_value, self.inputs.data, np.nan)


# The rows of columns, by name.
RowsByName = Mapping[str, ColumnRows]


def read_columns(
    engine: DuckDB, table: PrivateTable, domain: Domain, *, sampled: int = 0
) -> dict[str, ColumnRows]:
    """Return the rows of all columns of a domain, by name. PRIVATE.

    Args:
        engine: Reads the rows.
        table: The confidential rows.
        domain: The declared columns.
        sampled: The number of random rows; 0 for all.
    """
    readings = engine.readings(table, domain, sampled=sampled)
    return {
        column.name: ColumnRows(
            column=column, values=readings[column.name][0], codes=readings[column.name][1]
        )
        for column in domain.columns
    }


def obeys(rule: Derived, rows: RowsByName, domain: Domain) -> bool:
    """Return whether a column has in all rows the value that a rule derives. PRIVATE.

    A rule that the domain does not allow, because it may give no value, is not obeyed. Nor is
    one of a column that holds more than a derived column can: labels of values, reasons for
    missing values, or signs such as "<5".

    Args:
        rule: The rule of a derived column, which is a declared column so far.
        rows: The rows of its sources and of the column.
        domain: The declared columns.
    """
    try:
        sources = tuple(column for column in domain.columns if column.name in rule.sources)
        deriving_domain = Domain(sources, domain.missing_values, derived=(rule,))
    except DomainError:
        return False
    target = rows[rule.name]
    column = target.column
    has_signs = bool(np.isin(target.codes, [*column.sign_codes.values()]).any())
    if has_signs or column.meanings or column.reasons:
        return False
    inputs = {name: rows[name].inputs for name in rule.sources}
    expected = derived_from(deriving_domain, inputs, len(target.codes))[rule.name]
    disagreeing = count_disagreeing(
        expected, target.column, values=target.values, codes=target.codes
    )
    return disagreeing == 0
