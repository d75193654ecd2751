"""Counts without negative ones that keep sums over ranges, and means. PUBLIC.

The nearest vector without negative numbers takes a little from every full cell, so that sums of
many cells are off to the same side by more than their noise. Here Synth halves the total along the
longest axis, and each half again: a part that would be negative is empty, and its neighbour makes
up for it. Means and mean squares of each column, and mean products of two, are met as well.
"""

from collections.abc import Sequence

import numpy as np

from synth.estimate.repair.marginal import rake
from synth.util import Floats

ROUNDS = 100
"""Of projections."""
TILTS, MOST_TILT, CLOSE = 25, 3.0, 1e-4
"""Most steps of a tilt, the largest of one, and how near a mean product has to come."""
FAR = 2.5
"""Deviations beyond which places count alike: noise in empty cells far away would count most."""
START = 0.01
"""Share of the rows that is spread as if columns were independent, so that no cell stays empty."""


def fit_ranges(values: Floats, total: float) -> Floats:
    """Return counts, none negative, whose sums over halves, quarters and so on are nearest.

    Args:
        values: Noisy counts, one axis a column.
        total: Their sum, at least 0.

    Source: Abowd et al. 2022, "The 2020 Census Disclosure Avoidance System TopDown Algorithm", for
        totals that are split from above.

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
        (one, other), (few, more) = (np.moveaxis(each, axis + 1, 0) for each in (parts, sizes))
        share = np.divide(few, few + more, out=np.zeros_like(few), where=few > 0)
        first = np.clip(one + (found - one - other) * share, 0.0, found)
        first = np.where(more > 0, np.where(few > 0, first, 0.0), found)
        found = np.stack([first, found - first], axis=axis + 1)
        found = found.reshape([2 * n if a == axis else n for a, n in enumerate(first.shape)])
    return np.asarray(found[tuple(map(slice, shape))])


def _halving_order(bits: Sequence[int]) -> list[int]:
    """Which axis is halved next, the longest first."""
    left, order = list(bits), []
    while any(left):
        order.append(int(np.argmax(left)))
        left[order[-1]] -= 1
    return order


def fit_column(values: Floats, total: float, places: Floats) -> Floats:
    """Return counts as `fit_ranges` does, with the mean and the mean square of noisy ones.

    Args:
        values: Noisy counts, shape (k,).
        total: Their sum, at least 0.
        places: Where the cells lie, shape (k,); NaN: nowhere.
    """
    found, seen = fit_ranges(values, total), read_means(places, 2)
    for _ in range(ROUNDS):
        found = np.maximum(found + seen @ (seen.T @ (values - found)), 0.0)
    return np.asarray(found * (total / max(float(found.sum()), 1e-300)))


def fit_pair(
    values: Floats, margins: tuple[Floats, Floats], places: tuple[Floats, Floats]
) -> Floats:
    """Return counts as `fit_ranges` does, with these margins and the product of noisy ones.

    They are tilted by exp(t x y), x and y the places, until the mean product is met.

    Args:
        values: Noisy counts, shape (r, c).
        margins: Rows by cell of either column, none negative, shapes (r,) and (c,).
        places: Where the cells of either column lie, in the same shapes; NaN: nowhere.
    """
    total = max(float(margins[0].sum()), 1e-300)
    spread = np.outer(*margins) / total
    found = rake((1 - START) * fit_ranges(values, total) + START * spread, *margins)
    scores = [_standard(*pair) for pair in zip(margins, places, strict=True)]
    product = np.outer(*scores)
    wanted = float((product * values).sum())
    for _ in range(TILTS):
        gap = wanted - float((product * found).sum())
        slope = float((product**2 * found).sum()) - float((product * found).sum()) ** 2 / total
        if abs(gap) < total * CLOSE or slope <= 0:
            break
        tilt = np.clip(gap / slope * product, -MOST_TILT, MOST_TILT)
        found = rake(found * np.exp(tilt), *margins)
    return found


def _standard(rows: Floats, places: Floats) -> Floats:
    """Places less their mean, in standard deviations up to `FAR`; 0 for cells that lie nowhere."""
    known = ~np.isnan(places)
    weights, off = np.where(known, rows, 0.0), np.where(known, places, 0.0)
    if weights.sum() <= 0:
        return np.zeros(len(rows))
    off = np.where(known, off - np.average(off, weights=weights), 0.0)
    spread = float(np.average(off**2, weights=weights)) ** 0.5
    return np.clip(off / spread, -FAR, FAR) if spread > 1e-9 else 0.0 * off


def read_means(places: Floats, power: int = 1) -> Floats:
    """Return orthonormal columns that span rows, those that lie somewhere, and powers of places."""
    known = ~np.isnan(places)
    away = np.where(known, places - places[known].mean() if known.any() else 0.0, 0.0)
    away = away / max(float(np.abs(away).max()), 1e-300)
    seen = np.stack([np.ones(len(places)), known * 1.0, *(away**n for n in range(1, power + 1))])
    _, sizes, rows = np.linalg.svd(seen, full_matrices=False)
    return np.asarray(rows[sizes > 1e-9 * sizes[0]].T)
