"""Draw: from a distribution over cells to synthetic rows.

Everything here happens after the door, on public numbers; NumPy's generator, freshly seeded
by the operating system, is good enough for it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from synth import limits
from synth.cells import Codes, split_cells
from synth.check import whole
from synth.domain import OTHER_LABEL, Binned, Column, Date, Domain, Integer, Number
from synth.engines.duckdb import connect
from synth.engines.sql import literal
from synth.errors import LimitError, ReleaseError
from synth.repair import Distribution

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SyntheticTable:
    """Synthetic rows. PUBLIC.

    Attributes:
        domain: The declared columns.
        codes: The code of every row, one array of shape (rows,) a column.
        table: The same rows as values, one column each.
    """

    domain: Domain
    codes: list[Codes]
    table: pa.Table

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.table.num_rows)

    def write_csv(self, path: str | Path) -> None:
        """Write the rows with a header; missing values as the domain's first marker.

        Raises:
            ReleaseError: The file cannot be written.
        """
        write_csv(self.table, path, missing=self.domain.missing_marker)


def draw(
    distribution: Distribution, rows: int | None = None, *, seed: int | None = None
) -> SyntheticTable:
    """Draw rows in random order.

    Args:
        distribution: Expected rows by cell.
        rows: How many rows; None stands for the distribution's total.
        seed: A public seed, fresh from the system, that lets the drawing be repeated; by
            default one that nobody knows.

    Raises:
        ArgumentError: ``rows`` is no whole number from 0 up.
        LimitError: ``rows`` is above the limit.
    """
    rows = distribution.total if rows is None else rows
    whole(0, rows=rows)
    if rows > limits.ROWS_MAX:
        message = f"{rows:,} rows are more than the limit of {limits.ROWS_MAX:,}."
        raise LimitError(message)
    rng = np.random.default_rng(seed)
    return decode(distribution.domain, draw_codes(distribution, int(rows), rng), rng)


def draw_codes(distribution: Distribution, rows: int, rng: np.random.Generator) -> list[Codes]:
    """The codes of rows in random order; of any cell alike where no weight is above 0."""
    shape = distribution.domain.shape
    positive = distribution.weights > 0
    if not positive.any():
        return [rng.integers(0, size, rows, dtype=np.int32) for size in shape]
    copies = round_systematically(distribution.weights[positive], rows, rng)
    drawn = copies > 0
    codes = split_cells(distribution.cells[positive][drawn], shape)
    picked = np.repeat(np.arange(drawn.sum(), dtype=np.int32), copies[drawn])
    rng.shuffle(picked)
    return [code[picked] for code in codes]


def round_systematically(
    weights: npt.NDArray[np.float64], total: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Whole numbers proportional to the weights that sum to the total.

    Systematic sampling: the weights are laid on a line in random order and counted by a comb
    of unit spacing with one random offset. Each number is the floor or the ceiling of its
    share, its expectation is the share, and the sum is exact.

    >>> rng = np.random.default_rng()
    >>> round_systematically(np.array([2.0, 1.0, 1.0]), 8, rng)
    array([4, 2, 2])
    """
    order = rng.permutation(len(weights))
    line = np.cumsum(weights[order])
    line *= total / line[-1]
    line[-1] = total  # whatever the rounding errors of the sum
    teeth = np.floor(line + rng.random()).astype(np.int64)
    copies = np.empty(len(weights), dtype=np.int64)
    copies[order] = np.diff(teeth, prepend=0)
    return copies


def decode(domain: Domain, codes: list[Codes], rng: np.random.Generator) -> SyntheticTable:
    """Turn codes into values: categories as declared, the rest uniform within its bin."""
    arrays = [
        _values(column, code, rng) for column, code in zip(domain.columns, codes, strict=True)
    ]
    return SyntheticTable(domain, codes, pa.Table.from_arrays(arrays, names=list(domain.names)))


def write_csv(table: pa.Table, path: str | Path, *, missing: str = "") -> None:
    """Write a table as CSV, quoting only where it is needed.

    Raises:
        ReleaseError: The file cannot be written.
    """
    connection = connect({"temp_directory": ""})
    try:
        connection.register("rows", table)
        connection.execute(
            f"COPY rows TO {literal(str(path))} (FORMAT csv, HEADER, NULLSTR {literal(missing)})"
        )
    except duckdb.Error:
        message = f"The file '{path}' cannot be written."
        raise ReleaseError(message) from None
    finally:
        connection.close()


def _values(column: Column, codes: Codes, rng: np.random.Generator) -> pa.Array:
    missing = codes == column.missing_code if column.missing else None
    if not isinstance(column, Binned):
        return _spelled(column.cells, codes, missing)
    values = _within(column, np.where(codes < column.bin_count, codes, 0), missing, rng)
    if column.other_code is None:
        return values
    return pc.if_else(pa.array(codes == column.other_code), OTHER_LABEL, values.cast(pa.string()))


def _within(
    column: Binned, codes: Codes, missing: Mask | None, rng: np.random.Generator
) -> pa.Array:
    """Values uniform within the bins of the codes; missing where the mask is set."""
    match column:
        case Integer():
            return pa.array(_uniform(column, codes, rng), mask=missing)
        case Date():
            return _dates(column, _uniform(column, codes, rng), missing)
        case Number():
            first, last = np.asarray(column.ticks).T
            ticks = rng.integers(first[codes], last[codes], endpoint=True)
            return pa.array(ticks / 10**column.places if column.places else ticks, mask=missing)
    raise TypeError(column.kind)


def _uniform(
    column: Integer | Date, codes: Codes, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    starts = np.asarray(column.starts)
    return rng.integers(starts[codes], starts[codes + 1])


def _dates(column: Date, units: npt.NDArray[np.int64], missing: Mask | None) -> pa.Array:
    """Days or seconds since 1970 in the column's format; each different one is written once."""
    first, end = column.starts[0], column.starts[-1]
    few = end - first < len(units)
    seen = np.arange(first, end) if few else units
    moments = pa.array(seen * column.seconds, mask=None if few else missing)
    texts = pc.strftime(moments.cast(pa.timestamp("s")), format=column.pattern)
    return _spelled(texts, units - first, missing) if few else texts


def _spelled(
    labels: Any, codes: npt.NDArray[np.integer[Any]], missing: Mask | None
) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=missing), pa.array(labels))
