"""The shape of each column as a few bars, for the eyes of the steward alone. PRIVATE.

The bars are exact counts of rows. They are shown next to the description of a column, and
never written, stored or sent.

>>> from synth.domain import Integer
>>> age = Integer(name="age", minimum=0, maximum=39, bins=4)
>>> list_bars(age, [10, 20, 5, 1])
(10, 20, 5, 1)
>>> list_bars(Integer(name="n", minimum=0, maximum=23, bins=24), [2] * 24)
(4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4)
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from synth.domain import Column, Domain, Outside
from synth.private.counting.duckdb import DuckDB
from synth.private.table import PrivateTable

# Most bars of a picture.
MAX_BARS = 12


def count_bars(table: PrivateTable, columns: Sequence[Column]) -> dict[str, tuple[int, ...]]:
    """Return the bars of each column by its name, from one scan of the rows. PRIVATE.

    Args:
        table: The confidential table.
        columns: Declared columns of the table.

    Raises:
        SynthError: The table cannot be read, or the counts do not fit in memory.
    """
    if not columns:
        return {}
    domain = Domain(tuple(_keep_rows(column) for column in columns))
    with DuckDB() as engine:
        groups = [(place,) for place in range(len(columns))]
        marginals = engine.marginals(table, domain, groups).marginals
    bars = {}
    for place, column in enumerate(domain.columns):
        cells, rows = marginals[place,]
        counts = np.zeros(column.size, dtype=np.int64)
        counts[np.asarray(cells, dtype=np.int64)] = rows
        bars[column.name] = list_bars(column, counts.tolist())
    return bars


def _keep_rows(column: Column) -> Column:
    """Return a column whose rule for values outside leaves out no row of other columns."""
    if column.rule is not Outside.DROP:
        return column
    return replace(column, missing=True, outside=Outside.MISSING)


def list_bars(column: Column, counts: Sequence[int]) -> tuple[int, ...]:
    """Return at most `MAX_BARS` bars of a column: rows, from the least value to the greatest.

    Neighbouring categories share a bar where there are many. Bins may have any width, so
    their rows are spread evenly over them, and each bar is as wide as any other.

    Args:
        column: The declared column.
        counts: The rows of each cell. Missing values, signs and others come last, and have
            no bar.
    """
    rows = np.asarray(counts[: column.value_cells], dtype=float)
    if len(rows) <= MAX_BARS:
        return tuple(int(number) for number in rows)
    if column.cutting is None or not column.cell_ends:
        pieces = np.array_split(rows, MAX_BARS)
        return tuple(round(float(piece.sum())) for piece in pieces)
    lows, highs = np.asarray(column.cell_ends, dtype=float).T
    bins = [piece.code for piece in column.cutting.bins]
    # Codes such as 999 beyond the bounds have a cell each, and would squeeze the picture.
    inside = np.flatnonzero((lows >= lows[bins].min()) & (highs <= highs[bins].max()))
    order = inside[np.argsort(lows[inside], kind="stable")]
    starts = lows[order]
    # A cell of one whole number is as wide as the one before.
    end = max(highs[order[-1]], 2 * starts[-1] - starts[-2])
    places = np.append(starts, end)
    totals = np.concatenate([[0.0], np.cumsum(rows[order])])
    upto = np.interp(np.linspace(starts[0], end, MAX_BARS + 1), places, totals)
    # Rounded before they are parted, so that no row is lost or counted twice.
    return tuple(int(number) for number in np.diff(np.round(upto)))
