"""Types of arrays, numbers of cells, and sums by cell. PUBLIC.

A cell is the mixed-radix number of its columns' codes; the first column is the slowest.

>>> shape = (2, 3)
>>> number_cells([np.array([1, 0]), np.array([2, 1])], shape)
array([5, 1])
>>> [codes.tolist() for codes in split_cells(np.array([5, 1]), shape)]
[[1, 0], [2, 1]]
>>> runs((10**12, 10**12, 10**5))
((1000000000000,), (1000000000000, 100000))
>>> sum_by_cell([np.array([0, 1, 1]), np.array([2, 0, 0])], shape).tolist()
[[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]
"""
# A universe may exceed 64-bit integers: then its columns are cut into runs, and a cell is a
# record of several numbers. Both kinds compare, sort and index in the same way, so no other
# code needs to distinguish them.

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
"""Codes of rows: of one column, shape (rows,), or of all, shape (rows, columns)."""
SmallCodes = NDArray[np.integer[Any]]
"""Codes of many rows in the smallest type that holds them: see `small_type`."""
Mask = NDArray[np.bool_]
Cells = NDArray[Any]
"""Numbers of cells, shape (cells,): 64-bit integers, or records of them in larger
universes.
"""
Shape = Sequence[int]

COUNTED_CELLS = 2**16
"""Largest table that is quick to count: two bytes number its cells, and it fits the cache."""
# Universes with fewer cells are numbered by one integer.
MAX_NUMBERED_CELLS = 2**63


def small_type(shape: Shape) -> np.dtype[Any]:
    """Return the smallest unsigned type that holds the codes of these columns.

    >>> small_type((2, 256)).name, small_type((257,)).name
    ('uint8', 'uint16')
    """
    return np.min_scalar_type(max(shape, default=1) - 1)


def runs(shape: Shape) -> tuple[tuple[int, ...], ...]:
    """Cut the sizes of the columns into runs of fewer than 2^63 cells each."""
    found: list[list[int]] = [[]]
    for size in shape:
        if math.prod(found[-1]) * size >= MAX_NUMBERED_CELLS:
            found.append([])
        found[-1].append(size)
    return tuple(tuple(run) for run in found)


def pack(words: Sequence[Ints]) -> Cells:
    """Combine the numbers in each run, one array of shape (cells,) a run, into cells."""
    if len(words) == 1:
        return words[0]
    cells = np.empty(len(words[0]), dtype=[(f"w{i}", np.int64) for i in range(len(words))])
    for i, word in enumerate(words):
        cells[f"w{i}"] = word
    return cells


def unpack(cells: Cells) -> list[Ints]:
    """Return the numbers that `pack` combined: one array a run, shape of the cells."""
    names = cells.dtype.names
    return [cells] if names is None else [cells[name] for name in names]


def number_cells(codes: Sequence[NDArray[Any]], shape: Shape) -> Cells:
    """Return the cell of each row, shape (rows,), from one array of codes (rows,) a
    column.
    """
    words, rest = [], iter(codes)
    for run in runs(shape):
        word = np.zeros(len(codes[0]), dtype=np.int64)
        for size in run:
            word *= size
            word += next(rest)
        words.append(word)
    return pack(words)


def split_cells(cells: Cells, shape: Shape) -> list[Codes]:
    """Return the codes of each cell: one array a column, shape of the cells."""
    codes: list[Codes] = []
    for run, word in zip(reversed(runs(shape)), reversed(unpack(cells)), strict=True):
        for size in reversed(run):
            rest = word // size
            codes.append((word - rest * size).astype(np.int32))
            word = rest
    return codes[::-1]


def ascending(cells: Cells) -> NDArray[np.intp]:
    """Return the order that sorts the cells; faster than sorting records.

    >>> ascending(pack([np.array([1, 0, 1]), np.array([0, 9, -1])])).tolist()
    [1, 2, 0]
    """
    words = unpack(cells)
    return np.argsort(words[0]) if len(words) == 1 else np.lexsort(words[::-1])


def is_in(cells: Cells, ordered: Cells) -> Mask:
    """Return a mask of the cells that are in an ascending list of shape (k,)."""
    if not len(ordered):
        return np.zeros(len(cells), dtype=np.bool_)
    place = np.minimum(np.searchsorted(ordered, cells), len(ordered) - 1)
    found: Mask = ordered[place] == cells
    return found


def distinct(cells: Cells) -> Cells:
    # Ascending, shape (k,).
    cells = np.sort(cells) if cells.dtype.names is None else cells[ascending(cells)]
    if not len(cells):
        return cells
    return cells[np.concatenate(([True], cells[1:] != cells[:-1]))]


def _small_numbers(codes: Sequence[NDArray[Any]], shape: Shape) -> NDArray[Any]:
    # As `number_cells` in two bytes a row, which is faster.
    number = np.zeros(len(codes[0]), dtype=np.uint16)
    for column, size in zip(codes, shape, strict=True):
        number *= np.uint16(size % COUNTED_CELLS)
        np.add(number, column, out=number, casting="unsafe")
    return number


def sum_by_cell(
    codes: Sequence[NDArray[Any]], shape: Sequence[int], weights: NDArray[Any] | None = None
) -> Floats:
    """Count the rows in each cell of some columns, or sum their weights, in the given shape.

    Codes are one array of shape (rows,) a column; weights have that shape too.
    """
    cells = math.prod(shape)
    small = cells <= COUNTED_CELLS and all(column.dtype.kind == "u" for column in codes)
    number = _small_numbers(codes, shape) if small else number_cells(codes, shape)
    counts = np.bincount(number, weights, minlength=cells)
    return np.asarray(counts.reshape(tuple(shape)), dtype=np.float64)


class Blocks:
    """Columns in blocks; a table of two blocks contains all pairs of their columns.

    Such a table has at most ``most`` cells.

    >>> blocks = Blocks((2, 3, 4, 5), 40)
    >>> blocks.number, blocks.columns_with((0, 3)), blocks.columns_with((1, 2))
    (3, (0, 1, 3), (0, 1, 2))
    """

    def __init__(self, shape: Shape, most: int) -> None:
        self.shape, self.most = shape, most
        blocks = _blocks(shape, math.isqrt(max(1, most)))
        self.number, self._blocks = len(blocks), blocks
        self._place = {
            column: place for place, block in enumerate(blocks) for column in block
        }

    def columns_with(self, group: Sequence[int]) -> tuple[int, ...]:
        """Return the columns of the two blocks that hold a group, or the group if they are
        too many."""
        places = {self._place[column] for column in group}
        if len(places) == 1:
            places |= {(place + 1) % self.number for place in places}
        whole = tuple(sorted(column for place in places for column in self._blocks[place]))
        cells = math.prod(self.shape[column] for column in whole)
        return whole if cells <= self.most else tuple(group)


def _blocks(shape: Shape, most: int) -> list[list[int]]:
    # First fit.
    blocks: list[list[int]] = []
    for column in sorted(range(len(shape)), key=lambda column: -shape[column]):
        sizes = [math.prod(shape[one] for one in block) * shape[column] for block in blocks]
        fits = next(
            (block for block, size in zip(blocks, sizes, strict=True) if size <= most), []
        )
        if not fits:
            blocks.append(fits)
        fits.append(column)
    return blocks


def sums_by_cell(
    codes: Sequence[NDArray[Any]], shape: Shape, groups: Iterable[tuple[int, ...]]
) -> dict[tuple[int, ...], Floats]:
    """Count the rows by cell for many groups of columns with few passes; see `sum_by_cell`.

    ``groups`` are ascending columns.

    >>> found = sums_by_cell([np.array([1, 0]), np.array([2, 1])], (2, 3), [(0,), (0, 1)])
    >>> {group: sums.tolist() for group, sums in found.items()}
    {(0,): [1.0, 1.0], (0, 1): [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]}
    """
    wanted = list(groups)
    found: dict[tuple[int, ...], Floats] = {}
    for whole, some in _together(
        wanted, Blocks(shape, min(COUNTED_CELLS, len(codes[0])))
    ).items():
        counts = sum_by_cell([codes[a] for a in whole], [shape[a] for a in whole])
        found |= {group: sums_inside(counts, whole, group) for group in some}
    return {group: found[group] for group in wanted}


def _together(
    groups: Iterable[tuple[int, ...]], blocks: Blocks
) -> dict[tuple[int, ...], list[tuple[int, ...]]]:
    found: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    holding: dict[int, tuple[int, ...]] = {}
    for group in sorted(groups, key=len, reverse=True):
        whole = holding.get(group[0]) if len(group) == 1 else None
        whole = whole or blocks.columns_with(group)
        found.setdefault(whole, []).append(group)
        holding |= dict.fromkeys(whole, whole)
    return found


def sums_inside(
    counts: NDArray[Any], whole: Sequence[int], group: Sequence[int]
) -> NDArray[Any]:
    """Sum a table over the columns outside a group, in the group's shape."""
    others = tuple(place for place, column in enumerate(whole) if column not in group)
    return counts.sum(axis=others) if others else counts


def softmax(logs: Floats) -> Floats:
    """Return shares within each line of a table from their logarithms up to a constant, same
    shape.

    >>> softmax(np.log([[1.0, 3.0], [2.0, 2.0]])).round(2).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    powers = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def normal(table: Floats) -> Floats:
    """Return the shares of a table of rows, same shape; equal shares if it has no rows."""
    total = float(table.sum())
    return np.asarray(table / total) if total > 0 else np.full(table.shape, 1 / table.size)


def bisect(
    too_low: Callable[[float], bool],
    low: float,
    high: float,
    *,
    steps: int,
    middle: Callable[[float, float], float] | None = None,
) -> tuple[float, float]:
    """Return the two sides of the point below which a number is too low, after some halvings.

    ``low`` and ``high`` hold the point; ``middle`` cuts an interval, by default at its
    arithmetic mean.

    >>> bisect(lambda x: x * x < 2, 0.0, 2.0, steps=3)
    (1.25, 1.5)
    """
    for _ in range(steps):
        cut = middle(low, high) if middle else (low + high) / 2
        low, high = (cut, high) if too_low(cut) else (low, cut)
    return low, high


def geometric_mean(low: float, high: float) -> float:
    return math.sqrt(low * high)


def maximize_mixture(
    likelihood: Floats,
    weights: Floats,
    shares: Floats,
    *,
    rounds: int,
    adjust: Callable[[int, Floats], Floats] | None = None,
) -> Floats:
    """Fit the shares of a mixture's components by expectation-maximisation.

    Source: Dempster, Laird, Rubin 1977.

    Args:
        likelihood: Of each observation under each component, shape (observations,
        components). weights: Of the observations, of sum 1. shares: Start, shape
        (components,), of sum 1. It is overwritten. adjust: Changes the shares after a round;
        gets its number, from 1 up.
    """
    for step in range(1, rounds + 1):
        shares *= (weights / (likelihood @ shares)) @ likelihood
        if adjust is not None:
            shares = adjust(step, shares)
    return shares


def log_factorials(counts: Floats) -> Floats:
    """Return ln c! of each count, shape of the counts."""
    return np.array([math.lgamma(count + 1) for count in counts])
