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
    sums, cells = np.pad(values.astype(np.float64), room), np.pad(np.ones(shape), room)
    halves = []
    for axis in _halving_order(bits)[::-1]:
        pairs = (*sums.shape[:axis], sums.shape[axis] // 2, 2, *sums.shape[axis + 1 :])
        sums, cells = sums.reshape(pairs), cells.reshape(pairs)
        halves.append((axis, sums, cells))
        sums, cells = sums.sum(axis=axis + 1), cells.sum(axis=axis + 1)
    found = np.full(sums.shape, float(total))
    for axis, parts, sizes in reversed(halves):
        (one, other), (few, more) = (
            np.moveaxis(each, axis + 1, 0) for each in (parts, sizes)
        )
        share = np.divide(few, few + more, out=np.zeros_like(few), where=few > 0)
        first = np.clip(one + (found - one - other) * share, 0.0, found)
        first = np.where(more > 0, np.where(few > 0, first, 0.0), found)
        found = np.stack([first, found - first], axis=axis + 1)
        found = found.reshape([2 * n if a == axis else n for a, n in enumerate(first.shape)])
    return np.asarray(found[tuple(map(slice, shape))])


def _halving_order(bits: Sequence[int]) -> list[int]:
    left, order = list(bits), []
    while any(left):
        order.append(int(np.argmax(left)))
        left[order[-1]] -= 1
    return order


def read_means(places: Floats) -> Floats:
    """Return orthonormal columns that span rows, known places, and sums of places."""
    known = ~np.isnan(places)
    away = np.where(known, places - places[known].mean() if known.any() else 0.0, 0.0)
    away = away / max(float(np.abs(away).max()), 1e-300)
    _, sizes, rows = np.linalg.svd(
        np.stack([np.ones(len(places)), known * 1.0, away]), full_matrices=False
    )
    return np.asarray(rows[sizes > 1e-9 * sizes[0]].T)
