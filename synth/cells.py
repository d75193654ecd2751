"""Cells and their addresses: from columns' codes to one number and back.

A cell is the mixed-radix number of its columns' codes, the first column being the slowest. A
universe may be larger than 64-bit integers; its columns are then cut into runs whose cells can
be numbered, and a cell is a record of several numbers. Both kinds compare, sort and index
alike, so that nothing else needs to know which of them it holds.

>>> shape = (2, 3)
>>> number_cells([np.array([1, 0]), np.array([2, 1])], shape)
array([5, 1])
>>> [codes.tolist() for codes in split_cells(np.array([5, 1]), shape)]
[[1, 0], [2, 1]]
>>> runs((10**12, 10**12, 10**5))
((1000000000000,), (1000000000000, 100000))
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Shape = Sequence[int]
Cells = npt.NDArray[Any]
"""Cell numbers: 64-bit integers, or records of them where the universe is larger."""
Codes = npt.NDArray[np.int32]

WORD = 2**63
"""Universes of fewer cells are numbered by one integer."""


def runs(shape: Shape) -> tuple[tuple[int, ...], ...]:
    """The sizes of the columns, cut into runs of fewer than 2^63 cells each."""
    found: list[list[int]] = [[]]
    for size in shape:
        if math.prod(found[-1]) * size >= WORD:
            found.append([])
        found[-1].append(size)
    return tuple(tuple(run) for run in found)


def pack(words: Sequence[npt.NDArray[np.int64]]) -> Cells:
    """One array of cells from one number a run."""
    if len(words) == 1:
        return words[0]
    cells = np.empty(len(words[0]), dtype=[(f"w{i}", np.int64) for i in range(len(words))])
    for i, word in enumerate(words):
        cells[f"w{i}"] = word
    return cells


def unpack(cells: Cells) -> list[npt.NDArray[np.int64]]:
    """The numbers that `pack` put together."""
    names = cells.dtype.names
    return [cells] if names is None else [cells[name] for name in names]


def number_cells(codes: Sequence[npt.NDArray[Any]], shape: Shape) -> Cells:
    """The cells of rows of codes, one array of codes a column."""
    words, rest = [], iter(codes)
    for run in runs(shape):
        word = np.zeros(len(codes[0]), dtype=np.int64)
        for size in run:
            word *= size
            word += next(rest)
        words.append(word)
    return pack(words)


def split_cells(cells: Cells, shape: Shape) -> list[Codes]:
    """The columns' codes of each cell, first column first."""
    codes: list[Codes] = []
    for run, word in zip(reversed(runs(shape)), reversed(unpack(cells)), strict=True):
        for size in reversed(run):
            rest = word // size
            codes.append((word - rest * size).astype(np.int32))
            word = rest
    return codes[::-1]


def is_in(cells: Cells, ordered: Cells) -> npt.NDArray[np.bool_]:
    """Which of the cells stand in an ascending list."""
    if not len(ordered):
        return np.zeros(len(cells), dtype=np.bool_)
    place = np.minimum(np.searchsorted(ordered, cells), len(ordered) - 1)
    found: npt.NDArray[np.bool_] = ordered[place] == cells
    return found


def distinct(cells: Cells) -> Cells:
    """The cells in ascending order, each one once."""
    cells = np.sort(cells)
    if not len(cells):
        return cells
    return cells[np.concatenate(([True], cells[1:] != cells[:-1]))]
