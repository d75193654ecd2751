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
    """Return whole counts in proportion to a column's, with a given sum, shape (cells,).

    Each is the floor of its share, or the ceiling for the largest remainders. A column
    without rows is split evenly.

    Args:
        column: Expected rows by cell, not negative, shape (cells,).
        rows: The wanted sum.

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
    """Change cells of rows, in place, until columns have their expected counts, to the row.

    A large table is stored in parts, and every part closes its share of the gaps. If a part
    lacks the rows for it, single parts then close what is left, one after the other.

    Args:
        table: The rows.
        columns: Expected rows by cell, shape (cells,), by number of the column.
        generator: Source of randomness.
    """
    targets = {number: round_column(column, table.rows) for number, column in columns.items()}
    # First all parts together (None), then each part alone.
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
    """What is to be changed in a table.

    Attributes:
        gaps: Wanted less present rows by cell, shape (cells,), by number of the column.
        rows: Number of rows of the whole table.
        lone_part: The part that closes all gaps alone; None if each part closes its share.
    """

    gaps: Mapping[int, Floats]
    rows: int
    lone_part: slice | None


def _change(
    codes: SmallCodes, part: slice, generator: np.random.Generator, *, change: _Change
) -> None:
    """Change cells of a part's rows, in place, to close gaps of the table's column counts.

    A cell that lacks rows gets them from cells with a surplus, at random.

    Args:
        codes: The part's rows, shape (columns, rows).
        part: Where in the table they are.
        generator: Source of randomness.
        change: The gaps; either the part closes its share of them, or a lone part closes as
            many as it can.
    """
    rows = change.rows
    lone_part = change.lone_part
    for number, gap in change.gaps.items():
        cells_of_rows = codes[number]
        # By default each part closes its share; otherwise only the lone part does anything.
        if lone_part is None:
            gap = share_of(gap, part.start / rows, part.stop / rows)
        if not gap.any() or lone_part not in (None, part):
            continue
        surplus = np.maximum(-gap, 0).astype(np.int64)
        # Rows in cells with a surplus, cell by cell, in random order within each.
        candidates = generator.permutation(np.flatnonzero(surplus[cells_of_rows]))
        candidates = candidates[np.argsort(cells_of_rows[candidates], kind="stable")]
        # The first rows of each cell leave it, as many as its surplus. ``starts`` has where
        # each cell's candidates begin.
        starts = np.searchsorted(cells_of_rows[candidates], np.arange(len(gap)))
        leaving = candidates[
            np.arange(len(candidates)) - starts[cells_of_rows[candidates]]
            < surplus[cells_of_rows[candidates]]
        ]
        # The cells that lack rows, each as often as it lacks one.
        coming = np.repeat(np.arange(len(gap)), np.maximum(gap, 0).astype(np.int64))
        changed = min(len(leaving), len(coming))
        cells_of_rows[generator.permutation(leaving)[:changed]] = generator.permutation(
            coming
        )[:changed]
