"""Columns that follow from others: real against synthetic, and whether real rows agree.
PRIVATE.

Both sides are computed by the same rule. If the confidential table has a column of that name,
its values are compared with the rule's."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from synth.domain import Derived, Domain
from synth.private.comparison.tables import Compared, column_with_others, distance
from synth.private.counting import Readings, count_disagreeing, hold_values
from synth.rows import RowValues, derived_from, derived_values, encode_columns, write_derived
from synth.util import Codes, Private, normal, sum_by_cell


@dataclass(frozen=True, eq=False, kw_only=True)
class DerivedComparison(Private):
    """A derived column, real against synthetic. PRIVATE.

    Attributes:
        name: Name of the column.
        rule: The rule by which it follows from others.
        rows: Number of real rows that fit the declaration.
        disagreeing: Number of them with another value than the rule's; None if the
            confidential table has no such column.
        error: Total variation of the column.
        pairs: Total variation of its pair with each other column, by name.
    """

    name: str
    rule: str
    rows: int
    disagreeing: int | None
    error: float
    pairs: Mapping[str, float]

    @property
    def sentence(self) -> str:
        """A sentence that says how many real rows disagree with the column's rule."""
        if self.disagreeing is None:
            return f"'{self.name}' is not in the table; it was computed on both sides."
        return (
            f"'{self.name}': {self.disagreeing:,} of {self.rows:,} rows disagree with its "
            "rule."
        )


def compare_derived(compared: Compared) -> list[DerivedComparison]:
    """Compare every derived column of a release, real against synthetic. PRIVATE.

    Values of both sides are computed by the column's rule.

    Args:
        compared: The confidential rows and the release.
    """
    domain = compared.domain
    if not domain.derived:
        return []
    codes = compared.real
    real, disagreeing = _derive_real(compared.readings, domain)
    synthetic = derived_values(domain, compared.result.synthetic.table)
    sides = [
        _codes_by_name(domain, codes, real),
        _codes_by_name(domain, compared.synthetic, synthetic),
    ]
    # Identifiers are nobody's: both sides have other ones.
    identifiers = {identifier.name for identifier in domain.identifiers}
    sizes = {
        column.name: column.size
        for column in domain.written_columns
        if column.name not in identifiers
    }
    rows = len(codes[0])
    return [
        DerivedComparison(
            name=derived.name,
            rule=derived.rule,
            rows=rows,
            disagreeing=disagreeing.get(derived.name),
            error=_measure(sides, sizes, derived.name),
            pairs={
                name: _measure(sides, sizes, derived.name, name)
                for name in sizes
                if name != derived.name
            },
        )
        for derived in domain.derived
    ]


def _codes_by_name(
    domain: Domain, codes: list[Codes], derived_rows: Mapping[str, RowValues]
) -> dict[str, Codes]:
    """Return the codes of declared and of derived columns by name, shape (rows,) each.

    Args:
        domain: The declared and derived columns.
        codes: The codes of the declared columns, in the domain's order.
        derived_rows: The values of the derived columns, by name.
    """
    codes_by_name = dict(zip(domain.names, codes, strict=True))
    for derived in domain.derived:
        codes_by_name[derived.name] = _code_values(derived, derived_rows[derived.name])
    return codes_by_name


def _derive_real(
    readings: Readings, domain: Domain
) -> tuple[dict[str, RowValues], dict[str, int]]:
    """Compute the derived columns of the confidential rows by their rules. PRIVATE.

    Args:
        readings: The confidential values and their cells, by the name of a column.
        domain: The declared and derived columns.

    Returns:
        Values of the derived columns by name; and in how many rows the table's own derived
        columns disagree with the rule.
    """
    row_values = {
        column.name: hold_values(column, *readings[column.name]) for column in domain.columns
    }
    # The codes of any column say how many rows there are.
    derived_rows = derived_from(domain, row_values, len(readings[domain.names[0]][1]))
    disagreeing = {}
    for derived in domain.derived:
        if derived.name not in readings:
            continue
        values, codes = readings[derived.name]
        column = column_with_others(derived)
        disagreeing[derived.name] = count_disagreeing(
            derived_rows[derived.name], column, values=values, codes=codes
        )
    return derived_rows, disagreeing


def _code_values(derived: Derived, row_values: RowValues) -> Codes:
    """Return the cell of each value of a derived column, shape (rows,).

    Numbers beyond the expected bounds go to the nearest bound's cell.

    Args:
        derived: The column.
        row_values: The values that the rule gives the column.
    """
    if row_values.kind == "number":
        expected = derived.expected
        numbers = np.clip(row_values.data, expected.low, expected.high)
        # Missing values stay missing, but their place must hold a number that can be written.
        numbers = np.where(row_values.missing, expected.low, numbers)
        row_values = RowValues(row_values.kind, numbers, row_values.missing)
    # Written and read again, as values in a synthetic table are; the only column is returned.
    table = pa.table({derived.name: write_derived(derived, row_values)})
    return encode_columns(Domain((derived.column,)), table)[0]


def _measure(sides: list[dict[str, Codes]], sizes: Mapping[str, int], *names: str) -> float:
    """Return the total variation of some columns between real and synthetic rows.

    Args:
        sides: The codes of real and of synthetic rows, by name of the column.
        sizes: The number of cells of each column, by name.
        names: The columns whose joint shares are compared.
    """
    shape = [sizes[name] for name in names]
    real, synthetic = (
        normal(sum_by_cell([side[name] for name in names], shape)) for side in sides
    )
    return distance(real, synthetic)
