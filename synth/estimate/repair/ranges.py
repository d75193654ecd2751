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
        total: The sum of the result, at least 0.

    Source: Abowd et al. 2022, "The 2020 Census Disclosure Avoidance System TopDown
    Algorithm".

    >>> fit_ranges(np.array([5.0, 1.0, -2.0, 4.0]), 8.0)
    array([5., 1., 0., 2.])
    """
    shape = values.shape
    # Every axis is padded to a power of two with cells that count as no cell.
    bits = [(size - 1).bit_length() for size in shape]
    padding = [(0, 2**bit - size) for bit, size in zip(bits, shape, strict=True)]
    sums = np.pad(values.astype(np.float64), padding)
    cells = np.pad(np.ones(shape), padding)
    # Upwards: neighbouring halves are added along one axis, until a single sum is left.
    halves = []
    for axis in _halving_order(bits)[::-1]:
        pairs = (*sums.shape[:axis], sums.shape[axis] // 2, 2, *sums.shape[axis + 1 :])
        sums = sums.reshape(pairs)
        cells = cells.reshape(pairs)
        halves.append((axis, sums, cells))
        sums = sums.sum(axis=axis + 1)
        cells = cells.sum(axis=axis + 1)
    # Downwards: each fitted total is split into two halves that are not negative.
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
        # A half of padding alone gets nothing, and the other half all.
        first = np.where(second_cells > 0, np.where(first_cells > 0, first, 0.0), totals)
        totals = np.stack([first, totals - first], axis=axis + 1)
        # The axis of the two halves merges into the halved axis, which is twice as long.
        totals = totals.reshape(
            [2 * n if a == axis else n for a, n in enumerate(first.shape)]
        )
    return np.asarray(totals[tuple(map(slice, shape))])


def _halving_order(bits: Sequence[int]) -> list[int]:
    """Return the axes in the order in which they are halved, the longest first.

    Args:
        bits: How often each axis can be halved. An axis appears that often in the result.
    """
    remaining = list(bits)
    order: list[int] = []
    while any(remaining):
        order.append(int(np.argmax(remaining)))
        remaining[order[-1]] -= 1
    return order


def read_means(places: Floats) -> Floats:
    """Return an orthonormal basis of the sums of counts that decide a column's mean.

    Projecting counts by cell on it keeps the number of rows, that of rows with a value, and
    their mean value.

    Args:
        places: Value at the middle of each cell, shape (cells,); NaN if a cell has none.

    Returns:
        The basis, shape (cells, at most 3): fewer if the three sums depend on each other.
    """
    has_place = ~np.isnan(places)
    middle = places[has_place].mean() if has_place.any() else 0.0
    # Distances from the middle, of at most 1, so that the three sums are alike in size.
    away = np.where(has_place, places - middle, 0.0)
    away = away / max(float(np.abs(away).max()), 1e-300)
    sums = np.stack([np.ones(len(places)), has_place * 1.0, away])
    _, sizes, basis = np.linalg.svd(sums, full_matrices=False)
    # Directions whose singular value is a rounding error are left out.
    return np.asarray(basis[sizes > 1e-9 * sizes[0]].T)
