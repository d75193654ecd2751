"""Non-negative counts that keep sums over ranges. PUBLIC.

Projection takes a little from every full cell, which biases large sums by more than their
noise. Here Synth halves the longest axis again and again; neighbours make up for negative
parts."""

from collections.abc import Sequence

import numpy as np

from synth.util import Floats


def fit_ranges(values: Floats, total: float) -> Floats:
    """Return non-negative counts whose sums over halves, quarters and so on are nearest.

    Args:
        values: Noisy counts, one axis a column.
        total: Their sum, at least 0.

    Source: Abowd et al. 2022, "The 2020 Census Disclosure Avoidance System TopDown
    Algorithm".

    >>> fit_ranges(np.array([5.0, 1.0, -2.0, 4.0]), 8.0)
    array([5., 1., 0., 2.])
    """
    shape = values.shape
    bits = [(size - 1).bit_length() for size in shape]
    room = [(0, 2**bit - size) for bit, size in zip(bits, shape, strict=True)]
    sums = np.pad(values.astype(np.float64), room)
    cells = np.pad(np.ones(shape), room)
    halves = []
    for axis in _halving_order(bits)[::-1]:
        pairs = (*sums.shape[:axis], sums.shape[axis] // 2, 2, *sums.shape[axis + 1 :])
        sums = sums.reshape(pairs)
        cells = cells.reshape(pairs)
        halves.append((axis, sums, cells))
        sums = sums.sum(axis=axis + 1)
        cells = cells.sum(axis=axis + 1)
    totals = np.full(sums.shape, float(total))
    for axis, parts, sizes in reversed(halves):
        first_sums, second_sums = np.moveaxis(parts, axis + 1, 0)
        first_cells, second_cells = np.moveaxis(sizes, axis + 1, 0)
        # What both halves' sums lack is shared by their numbers of cells.
        both_cells = first_cells + second_cells
        share = np.zeros_like(first_cells)
        np.divide(first_cells, both_cells, out=share, where=first_cells > 0)
        lacking = totals - first_sums - second_sums
        first = np.clip(first_sums + lacking * share, 0.0, totals)
        first = np.where(second_cells > 0, np.where(first_cells > 0, first, 0.0), totals)
        totals = np.stack([first, totals - first], axis=axis + 1)
        totals = totals.reshape(
            [2 * n if a == axis else n for a, n in enumerate(first.shape)]
        )
    return np.asarray(totals[tuple(map(slice, shape))])


def _halving_order(bits: Sequence[int]) -> list[int]:
    """Return the axes in the order in which they are halved, those with most bits left
    first.
    """
    remaining = list(bits)
    order: list[int] = []
    while any(remaining):
        order.append(int(np.argmax(remaining)))
        remaining[order[-1]] -= 1
    return order


def read_means(places: Floats) -> Floats:
    """Return orthonormal columns that span rows, known places, and sums of places.

    Projecting counts by cell on them keeps the number of rows, that of rows with a place, and
    their mean place. Shape (cells, 3 or fewer).
    """
    has_place = ~np.isnan(places)
    away = np.where(
        has_place, places - places[has_place].mean() if has_place.any() else 0.0, 0.0
    )
    away = away / max(float(np.abs(away).max()), 1e-300)
    _, sizes, rows = np.linalg.svd(
        np.stack([np.ones(len(places)), has_place * 1.0, away]), full_matrices=False
    )
    return np.asarray(rows[sizes > 1e-9 * sizes[0]].T)
