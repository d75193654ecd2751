"""Rows whose columns have the repaired counts, to the row. PUBLIC.

Synth changes single cells of fewer than one row in a hundred, at random among those with a
too frequent value. So columns follow from the noisy counts alone, and `verify` can recognise
rows of another origin."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from synth.estimate.models.large_rows import PartedRows
from synth.estimate.models.refine_parts import share_of
from synth.util import Floats, Ints, SmallCodes


def round_column(column: Floats, rows: int) -> Ints:
    """Return whole numbers proportional to a column's, shape (cells,), that sum to the rows.

    Each is the floor of its share, or the ceiling for the largest remainders.

    >>> round_column(np.array([1.6, 0.9, 0.5]), 3)
    array([2, 1, 0])
    """
    total = float(column.sum())
    shares = (
        column * (rows / total) if total > 0 else np.full(len(column), rows / len(column))
    )
    counts = np.floor(shares).astype(np.int64)
    largest = np.argsort(counts - shares, kind="stable")
    counts[largest[: rows - int(counts.sum())]] += 1
    return counts


def match_columns(
    table: PartedRows, columns: Mapping[int, Floats], generator: np.random.Generator
) -> None:
    """Change cells, in place, until columns have their counts.

    Every part changes its share. A part may lack the rows for it; the first part that has
    them changes the rest.

    Args:
        columns: Expected rows by cell of columns, shape (cells,), by number.
    """
    targets = {number: round_column(column, table.rows) for number, column in columns.items()}
    for lone_part in (None, *table.parts):
        counts = table.count([(number,) for number in targets])
        gaps = {number: target - counts[number,] for number, target in targets.items()}
        if not any(gap.any() for gap in gaps.values()):
            return
        change = _Change(gaps=gaps, rows=table.rows, lone_part=lone_part)
        step = partial(_change, change=change)
        table.change(step, generator.spawn(len(table.parts)))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Change:
    # Gaps by column, to be closed in a table of so many rows; all by one part, if it is lone.
    gaps: Mapping[int, Floats]
    rows: int
    lone_part: slice | None


def _change(
    codes: SmallCodes, part: slice, generator: np.random.Generator, *, change: _Change
) -> None:
    """Change cells of some rows, so that the rows' column counts lose their gaps.

    ``gaps`` has, by column, the wanted less the present rows of each cell; a lack is filled
    from cells with a surplus, chosen at random.

    Closes a part's share of the gaps, or as much of all gaps as a part can alone.
    """
    rows = change.rows
    lone_part = change.lone_part
    for number, gap in change.gaps.items():
        cells_of_rows = codes[number]
        if lone_part is None:
            gap = share_of(gap, part.start / rows, part.stop / rows)
        if not gap.any() or lone_part not in (None, part):
            continue
        surplus = np.maximum(-gap, 0).astype(np.int64)
        candidates = generator.permutation(np.flatnonzero(surplus[cells_of_rows]))
        candidates = candidates[np.argsort(cells_of_rows[candidates], kind="stable")]
        starts = np.searchsorted(cells_of_rows[candidates], np.arange(len(gap)))
        leaving = candidates[
            np.arange(len(candidates)) - starts[cells_of_rows[candidates]]
            < surplus[cells_of_rows[candidates]]
        ]
        coming = np.repeat(np.arange(len(gap)), np.maximum(gap, 0).astype(np.int64))
        changed = min(len(leaving), len(coming))
        cells_of_rows[generator.permutation(leaving)[:changed]] = generator.permutation(
            coming
        )[:changed]
