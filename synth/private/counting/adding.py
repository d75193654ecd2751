"""Small histograms of rows that come piece by piece and are not kept. PRIVATE.

>>> added = Adding((2, 3), [(0,), (0, 1)])
>>> added.add([np.array([0, 1, 1]), np.array([2, 0, 2])])
>>> added.add([np.array([1]), np.array([2])])
>>> {columns: counts.tolist() for columns, (_, counts) in added.marginals.items()}
{(0,): [1, 3], (0, 1): [1, 1, 2]}
"""

from collections.abc import Sequence
from math import prod

import numpy as np

from synth import limits
from synth.errors import LimitError
from synth.util import Cells, Codes, Ints, Private, number_cells

# Occupied cells, ascending, and their counts, by the numbers of the columns.
Marginals = dict[tuple[int, ...], tuple[Cells, Ints]]
# Memory for a cell: its count, and that of one piece.
BYTES = 16


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

    def add(self, codes: Sequence[Codes]) -> None:
        """Add rows to every histogram.

        Args:
            codes: For each column, the number of each row's cell along it, shape (rows,).
        """
        for group, counts in self._counts.items():
            # A cell of a group has one number, in row-major order over its columns.
            sizes = tuple(self._shape[column] for column in group)
            cells = number_cells([codes[column] for column in group], sizes)
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
