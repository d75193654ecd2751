"""Columns that follow from others: real against synthetic, and whether real rows agree.
PRIVATE.

Both sides are computed by the same rule. If the confidential table has a column of that name,
its values are compared with the rule's."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from synth.domain import DAY, Column, Derived, Domain, Outside
from synth.private.comparison.tables import Compared, distance
from synth.private.counting import DuckDB
from synth.private.table import PrivateTable
from synth.rows import RowValues, derived_from, derived_values, encode_columns, write_derived
from synth.util import Codes, Floats, Private, normal, sum_by_cell

# Numbers with a smaller relative difference are the same.
CLOSE = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class DerivedComparison(Private):
    """A derived column, real against synthetic. PRIVATE.

    Attributes:
        rows: Number of real rows that fit the declaration. disagreeing: Number of them with
        another value than the rule's; None if the confidential
            table has no such column.
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
        if self.disagreeing is None:
            return f"'{self.name}' is not in the table; it was computed on both sides."
        return (
            f"'{self.name}': {self.disagreeing:,} of {self.rows:,} rows disagree with its "
            "rule."
        )


def compare_derived(seen: Compared) -> list[DerivedComparison]:
    """Compare every derived column of a release; it reads the table again.

    Raises:
        TableError: The table can't be read.
    """
    domain = seen.domain
    if not domain.derived:
        return []
    codes, real, wrong = _real(seen.table, domain)
    made = derived_values(domain, seen.result.synthetic.table)
    sides = [dict(zip(domain.names, rows, strict=True)) for rows in (codes, seen.synthetic)]
    for side, held in zip(sides, (real, made), strict=True):
        side |= {one.name: _code_values(one, held[one.name]) for one in domain.derived}
    identifiers = {
        one.name for one in domain.identifiers
    }  # nobody's: both sides have other ones
    counted = [column for column in domain.written_columns if column.name not in identifiers]
    sizes = {column.name: column.size for column in counted}
    rows = len(codes[0])
    return [
        DerivedComparison(
            name=one.name,
            rule=one.rule,
            rows=rows,
            disagreeing=wrong.get(one.name),
            error=_measure(sides, sizes, one.name),
            pairs={n: _measure(sides, sizes, one.name, n) for n in sizes if n != one.name},
        )
        for one in domain.derived
    ]


def _real(
    table: PrivateTable, domain: Domain
) -> tuple[list[Codes], dict[str, RowValues], dict[str, int]]:
    there = [one for one in domain.derived if one.name in table.header]
    extra = tuple(replace(one.column, outside=Outside.CELL) for one in there)
    with DuckDB() as engine:
        read = engine.readings(
            table, Domain((*domain.columns, *extra), domain.missing_values)
        )
    held = {
        column.name: _hold_values(column, *read[column.name]) for column in domain.columns
    }
    found = derived_from(domain, held, len(read[domain.names[0]][1]))
    wrong = {
        one.name: _count_disagreeing(found[one.name], column, *read[one.name])
        for one, column in zip(there, extra, strict=True)
    }
    return [read[name][1] for name in domain.names], found, wrong


def _hold_values(column: Column, values: Floats, codes: Codes) -> RowValues:
    gone = codes == (-1 if column.missing_code is None else column.missing_code)
    kind = column.formula_values.kind
    if kind == "truth":
        return RowValues(kind, codes == 1, gone | (codes > 1))
    if kind == "text":
        return RowValues(kind, np.array(column.cells, dtype=object)[codes], gone)
    gone |= ~np.isfinite(values) | (codes >= len(column.labels))
    kept = np.where(gone, 0.0, values)
    return RowValues(kind, np.floor(kept / DAY) if kind == "date" else kept, gone)


def _count_disagreeing(given: RowValues, column: Column, values: Floats, codes: Codes) -> int:
    gone = codes == column.missing_code
    if given.kind == "number":
        same = np.abs(values - given.data) <= CLOSE * np.maximum(1, np.abs(given.data))
    elif given.kind == "truth":
        same = codes == given.data
    else:
        same = np.array(column.cells, dtype=object)[codes] == given.data
    agree = np.where(given.missing | gone, given.missing & gone, same)
    return int(np.count_nonzero(~agree.astype(bool)))


def _code_values(one: Derived, held: RowValues) -> Codes:
    # Numbers beyond the limits of declared columns are in the last cells.
    if held.kind == "number":
        data = np.clip(held.data, one.expected.low, one.expected.high)
        held = RowValues(
            held.kind, np.where(held.missing, one.expected.low, data), held.missing
        )
    return encode_columns(
        Domain((one.column,)), pa.table({one.name: write_derived(one, held)})
    )[0]


def _measure(sides: list[dict[str, Codes]], sizes: Mapping[str, int], *names: str) -> float:
    shape = [sizes[name] for name in names]
    return distance(*(normal(sum_by_cell([side[n] for n in names], shape)) for side in sides))
