"""All pairs of rows' vectors, cell by cell. PUBLIC.

Counts are packed into words of 64; distances of them are counts of bits.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from synth.questions.moves.extents import Extent
from synth.questions.moves.grid import Grid, LeanTerm, differences, sum_tables
from synth.util import Floats, Ints

# Most steps of a search of all pairs; a step is a word of 64 counts.
WORK = 2**32
# Most numbers that are looked up to distinguish rows.
MAX_LOOKUPS = 2**28
# Up to this many counts, every pattern is tried.
CORNERS = 20
# Rows of a block of pairs, on either side.
SIDES = (64, 2048)
# Steps of a term that is no count.
TERM_STEPS = 8


def all_counts(parts: Sequence[LeanTerm]) -> bool:
    """Return whether all of them are counts, and few."""
    return len(parts) <= CORNERS and all(part.is_count for part in parts)


def hypercube(grid: Grid) -> int:
    """Return the largest distance of two cells' patterns of few counts."""
    # Bit by bit, every pattern learns the distance to one that occurs: it keeps the bit, or
    # gains 1.
    bits = ((p.axes, p.classes, p.value << bit) for bit, p in enumerate(grid.parts))
    corners = 2 ** len(grid.parts)
    away = np.full(corners, -corners)
    occur = np.unique(sum_tables(grid.shape, bits))
    away[occur] = 0
    for bit in range(len(grid.parts)):
        pairs = away.reshape(-1, 2, 2**bit)
        away = np.maximum(pairs, pairs[:, ::-1] + 1).ravel()
    return int(away[occur].max())


class Vectors(NamedTuple):
    """Vectors of rows: packed counts, shape (rows, words), and places and values of other
    terms.
    """

    words: NDArray[np.uint64]
    others: list[tuple[Ints, Ints]]

    def take(self, which: Ints | slice) -> "Vectors":
        """Return the vectors of some rows."""
        return Vectors(self.words[which], [(p[which], v[which]) for p, v in self.others])

    @property
    def steps(self) -> int:
        """Work of a comparison of two rows."""
        return int(self.words.shape[1]) + TERM_STEPS * len(self.others)


def farthest_pair(grid: Grid, cells: Ints, power: int, *, found: Extent, work: int) -> Extent:
    """Try all pairs of some cells that may be farther apart than ``found``, up to ``work``
    steps.

    ``power`` is 1 for the L1 norm, 2 for the squared L2 norm.
    """
    if not len(cells):
        return Extent(found.least, found.least)
    if len(cells) * len(grid.parts) > MAX_LOOKUPS:
        return found
    rows = _distinct(_rows_of(grid, cells))
    rows, radii = min(
        (_by_radius(some, power) for some in (rows, _from_the_middle(rows))),
        key=lambda pair: _pairs_left(pair[1], found.least, power),
    )
    if _pairs_left(radii, found.least, power) * rows.steps > work:
        return found
    best = found.least
    for start in range(0, len(radii), SIDES[0]):
        end = int(_ends(radii, radii[start], best, power=power))
        first_rows = rows.take(slice(start, min(end, start + SIDES[0])))
        for there in range(start, end, SIDES[1]):
            second_rows = rows.take(slice(there, min(end, there + SIDES[1])))
            best = max(best, _farthest_of(first_rows, second_rows, power))
    return Extent(best, best)


def _from_the_middle(rows: Vectors) -> Vectors:
    """Return the rows with as few set bits as a flip of whole columns brings.

    Flips bits that most rows have: distances stay, and rows are closer to 0.
    """
    often = [_frequent_bits(words_of_rows) for words_of_rows in rows.words.T]
    return Vectors(rows.words ^ np.array(often, dtype=np.uint64), rows.others)


def _frequent_bits(words: NDArray[np.uint64]) -> np.uint64:
    # Return the word of all bits that more than half of the words have.
    one = np.uint64(1)
    word = np.uint64(0)
    for bit in np.arange(64, dtype=np.uint64):
        words_with_bit = int(((words >> bit) & one).sum())
        if 2 * words_with_bit > len(words):
            word |= one << bit
    return word


def _by_radius(rows: Vectors, power: int) -> tuple[Vectors, Floats]:
    """Return the rows by their norm, the largest first, and these norms."""
    sizes = np.bitwise_count(rows.words).sum(axis=1, dtype=np.int64)
    for _, value in rows.others:
        sizes = sizes + np.abs(value) ** power
    order = np.argsort(-sizes, kind="stable")
    return rows.take(order), np.asarray(sizes[order] ** (1 / power))


def _pairs_left(radii: Floats, best: int, power: int) -> int:
    ends = np.asarray(_ends(radii, radii, best, power=power))
    return int(np.maximum(ends - np.arange(len(radii)), 0).sum())


def _ends(radii: Floats, radius: Floats, best: int, *, power: int) -> Ints:
    """Return how many of the first rows each row must be compared with.

    How many of the first rows may be farther than the best pair from one of this radius. By
    the triangle inequality two norms must sum to more than that; floats get some margin.
    """
    least = best ** (1 / power) * (1 - 1e-9) - radius
    return np.asarray(np.searchsorted(-radii, -least, side="right"))


def _rows_of(grid: Grid, cells: Ints) -> Vectors:
    """Return what each cell adds to the parts: a bit for each count, place and value else."""
    codes = np.unravel_index(cells, grid.shape)
    counts = [part for part in grid.parts if part.is_count]
    words = np.zeros((len(cells), (len(counts) + 63) // 64), dtype=np.uint64)
    for number, part in enumerate(counts):
        bit = _looked_up(part, part.value, codes).astype(np.uint64)
        words[:, number // 64] |= bit << np.uint64(number % 64)
    others = [
        (_looked_up(part, part.place, codes), _looked_up(part, part.value, codes))
        for part in grid.parts
        if not part.is_count
    ]
    return Vectors(words, others)


def _looked_up(part: LeanTerm, table: Ints, codes: Sequence[Ints]) -> Ints:
    """Return the entries of a part's table at the cells, shape (cells,)."""
    index = tuple(
        labels_of_atoms[codes[axis]]
        for axis, labels_of_atoms in zip(part.axes, part.classes, strict=True)
    )
    return np.broadcast_to(np.asarray(table[index]), codes[0].shape)


def _distinct(rows: Vectors) -> Vectors:
    """Return the rows without repetitions, in the order of their first occurrence."""
    labels = np.zeros(len(rows.words), dtype=np.int64)
    first = labels
    for column in [*rows.words.T, *(column for pair in rows.others for column in pair)]:
        _, numbers = np.unique(column, return_inverse=True)
        together = labels * (int(numbers.max()) + 1) + numbers
        _, first, labels = np.unique(together, return_index=True, return_inverse=True)
    return rows.take(np.sort(first))


def _farthest_of(first_rows: Vectors, second_rows: Vectors, power: int) -> int:
    """Return the largest distance, to this power, of a row of one set from one of the
    other.
    """
    shape = len(first_rows.words), len(second_rows.words)
    differ = np.empty(shape, dtype=np.uint64)
    bits = np.empty(shape, dtype=np.uint8)
    small = not first_rows.others and first_rows.steps < 1_000
    distances = np.zeros(shape, dtype=np.uint16 if small else np.int64)
    for word in range(first_rows.words.shape[1]):
        np.bitwise_xor(
            first_rows.words[:, None, word], second_rows.words[None, :, word], out=differ
        )
        distances += np.bitwise_count(differ, out=bits)
    for (place, value), (places, values) in zip(
        first_rows.others, second_rows.others, strict=True
    ):
        distances += differences(
            (place[:, None], value[:, None]), (places[None], values[None]), power
        )
    return int(distances.max(initial=0))
