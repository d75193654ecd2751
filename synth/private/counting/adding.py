"""What takes rows that come piece by piece from one reading. PRIVATE.

`HeldCodes` keeps their codes. `Adding` only counts them, in small histograms:

>>> added = Adding((2, 3), [(0,), (0, 1)])
>>> added.add([np.array([0, 1, 1]), np.array([2, 0, 2])])
>>> added.add([np.array([1]), np.array([2])])
>>> {columns: counts.tolist() for columns, (_, counts) in added.marginals.items()}
{(0,): [1, 3], (0, 1): [1, 1, 2]}
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np

from synth import limits
from synth.errors import LimitError
from synth.util import Cells, Ints, Private, SmallCodes, number_cells, small_type

# Occupied cells, ascending, and their counts, by the numbers of the columns.
Marginals = dict[tuple[int, ...], tuple[Cells, Ints]]
# Memory for a cell: its count, and that of one piece.
BYTES = 16


class RowTaker(Protocol):
    """What takes the rows of one reading, piece by piece."""

    def add(self, codes: Sequence[SmallCodes]) -> None:
        """Take the next rows.

        Args:
            codes: For each column, the number of each row's cell along it, shape (rows,). The
                arrays are the engine's: whoever keeps them takes a copy.
        """


@dataclass(frozen=True, eq=False)
class Added(Private):
    """Histograms and sums of numbers from one reading. PRIVATE.

    Attributes:
        marginals: Occupied cells and their rows, by the columns of each histogram.
        rows: All rows of the table, left out or not; with a person column, the used ones.
        sums: Each sum of numbers in steps, by the cells of the columns that it is by.
    """

    marginals: Marginals
    rows: int
    sums: Sequence[Ints]


class HeldCodes(Private):
    """The codes of all rows, each column in the smallest type that holds them.

    Args:
        shape: Number of cells of each column.

    >>> held = HeldCodes((2, 3))
    >>> held.add([np.array([0, 1]), np.array([2, 0])])
    >>> held.rows, [column.tolist() for column in held.columns()]
    (2, [[0, 1], [2, 0]])
    """

    def __init__(self, shape: Sequence[int]) -> None:
        """Begin without rows."""
        self._types = [small_type([size]) for size in shape]
        # The pieces of each column; the first one says the type, also if there are no rows.
        self._pieces = [[np.zeros(0, dtype=kind)] for kind in self._types]
        self.rows = 0

    @property
    def bytes(self) -> int:
        """Memory of the rows so far."""
        return self.rows * sum(kind.itemsize for kind in self._types)

    def add(self, codes: Sequence[SmallCodes]) -> None:
        """Keep a copy of the next rows."""
        for pieces, kind, column in zip(self._pieces, self._types, codes, strict=True):
            pieces.append(column.astype(kind))
        self.rows += len(codes[0])

    def pieces(self) -> Iterator[list[SmallCodes]]:
        """Give the rows away as they came, and forget them."""
        while self._pieces[0]:
            yield [pieces.pop(0) for pieces in self._pieces]
        self.rows = 0

    def columns(self) -> list[SmallCodes]:
        """Give each column away as one array of shape (rows,), and forget the rows."""
        # The pieces of a column are freed before the next column is joined.
        return [np.concatenate(self._pieces.pop(0)) for _ in self._types]


class Adding(Private):
    """Histograms of groups of columns, added piece by piece.

    Args:
        shape: Number of cells of each column.
        groups: Columns of each histogram, by number, ascending.

    Raises:
        LimitError: They need more memory than there is.
    """

    def __init__(self, shape: Sequence[int], groups: Sequence[tuple[int, ...]]) -> None:
        """Make room for the histograms; LimitError if they do not fit in memory.

        A group is a tuple of column numbers; its histogram has a count for every cell.
        """
        self._shape = shape
        sizes = {group: prod(shape[column] for column in group) for group in groups}
        # A cell has two numbers of eight bytes: its count, and that of the piece to add.
        if BYTES * sum(sizes.values()) > limits.memory_mb() * 2**20:
            raise LimitError(
                f"The histograms of {len(groups):,} groups of columns do not fit in "
                f"{limits.memory_mb():,} MB of memory, the limit (SYNTH_MEMORY_MB); leave "
                "out columns, or allow more."
            )
        self._counts = {
            group: np.zeros(size, dtype=np.int64) for group, size in sizes.items()
        }

    def add(self, codes: Sequence[SmallCodes]) -> None:
        """Add rows to every histogram."""
        for group, counts in self._counts.items():
            # A cell of a group has one number, in row-major order over its columns.
            sizes = tuple(self._shape[column] for column in group)
            cells = number_cells([codes[column] for column in group], sizes)
            if len(cells) < counts.size:  # a count for every cell would cost more
                np.add.at(counts, cells, 1)
            else:
                counts += np.bincount(cells, minlength=counts.size)

    @property
    def marginals(self) -> Marginals:
        """The occupied cells of each histogram, ascending, and their rows; by its columns.

        Cells are numbered in row-major order over the columns of a group.
        """
        marginals: Marginals = {}
        for group, counts in self._counts.items():
            cells = np.flatnonzero(counts)
            marginals[group] = (cells, counts[cells])
        return marginals
