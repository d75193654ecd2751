"""Rows whose columns have the repaired counts, to the row. PUBLIC.

Synth changes single cells of fewer than one row in a hundred, at random among those with a
too frequent value. So columns follow from the noisy counts alone, and `verify` can recognise
rows of another origin."""

from collections.abc import Mapping
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
    whole = np.floor(shares).astype(np.int64)
    largest = np.argsort(whole - shares, kind="stable")
    whole[largest[: rows - int(whole.sum())]] += 1
    return whole


def match_columns(
    drawn: PartedRows, columns: Mapping[int, Floats], generator: np.random.Generator
) -> None:
    """Change cells, in place, until columns have their counts.

    Every part changes its share. A part may lack the rows for it; the first part that has
    them changes the rest.

    Args:
        columns: Expected rows by cell of columns, shape (cells,), by number.
    """
    wanted = {number: round_column(column, drawn.rows) for number, column in columns.items()}
    for alone in (None, *drawn.parts):
        counts = drawn.count([(number,) for number in wanted])
        gaps = {number: whole - counts[number,] for number, whole in wanted.items()}
        if not any(gap.any() for gap in gaps.values()):
            return
        step = partial(_change, gaps=gaps, rows=drawn.rows, alone=alone)
        drawn.change(step, generator.spawn(len(drawn.parts)))


def _change(
    codes: SmallCodes,
    part: slice,
    generator: np.random.Generator,
    *,
    gaps: Mapping[int, Floats],
    rows: int,
    alone: slice | None,
) -> None:
    # Closes a part's share of the gaps, or as much of all gaps as a part can alone.
    for number, gap in gaps.items():
        own = codes[number]
        if alone is None:
            gap = share_of(gap, part.start / rows, part.stop / rows)
        if not gap.any() or alone not in (None, part):
            continue
        most = np.maximum(-gap, 0).astype(np.int64)
        many = generator.permutation(np.flatnonzero(most[own]))
        many = many[np.argsort(own[many], kind="stable")]
        starts = np.searchsorted(own[many], np.arange(len(gap)))
        leaving = many[np.arange(len(many)) - starts[own[many]] < most[own[many]]]
        coming = np.repeat(np.arange(len(gap)), np.maximum(gap, 0).astype(np.int64))
        changed = min(len(leaving), len(coming))
        own[generator.permutation(leaving)[:changed]] = generator.permutation(coming)[
            :changed
        ]
