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
MAX_SEARCH_STEPS = 2**32
# Most numbers that are looked up to distinguish rows.
MAX_LOOKUPS = 2**28
# Up to this many counts, every pattern is tried.
MAX_TRIED_COUNTS = 20
# Rows of a block of pairs, on either side.
BLOCK_ROWS = (64, 2048)
# Steps of a term that is no count.
TERM_STEPS = 8


def all_counts(parts: Sequence[LeanTerm]) -> bool:
    """Return whether all of them are counts, and few."""
    return len(parts) <= MAX_TRIED_COUNTS and all(part.is_count for part in parts)


def hypercube(grid: Grid) -> int:
    """Return the largest distance of the patterns of two cells, for a grid of few counts.

    The pattern of a cell has one bit for each count: whether a row of the cell adds 1 to it.
    All patterns are tried, so the result is exact.
    """
    # For each count: 2^bit for the classes of rows that it counts. The sum of these tables is
    # the pattern of each cell, as a number.
    bit_tables = (
        (count.axes, count.classes, count.value << bit)
        for bit, count in enumerate(grid.parts)
    )
    occurring = np.unique(sum_tables(grid.shape, bit_tables))
    pattern_count = 2 ** len(grid.parts)
    # The largest distance of each pattern from one that occurs. Patterns that do not occur
    # begin so low that no distance is counted from them.
    distances = np.full(pattern_count, -pattern_count)
    distances[occurring] = 0
    # Bit by bit, a pattern takes over the distance of the one with this bit flipped, plus 1,
    # if that is larger.
    for bit in range(len(grid.parts)):
        # The middle dimension is this bit, so reversing it flips the bit.
        by_bit = distances.reshape(-1, 2, 2**bit)
        distances = np.maximum(by_bit, by_bit[:, ::-1] + 1).ravel()
    return int(distances[occurring].max())


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
    """Return the largest distance of what rows of two of these cells add.

    It compares all pairs that may be farther apart than the best one so far. If that is too
    much work, it returns ``found`` unchanged. A term says for each class of rows to which
    number a row adds, and how much.

    Args:
        grid: The terms over the joint classes of their axes.
        cells: The numbers of the cells to compare.
        power: 1 for the L1 distance, 2 for the squared L2 distance.
        found: The bounds so far; its lower bound was reached by two cells.
        work: The most steps; a step compares a word of 64 counts.
    """
    # No cell can be in a pair that is farther apart than the best one.
    if not len(cells):
        return Extent(found.least, found.least)
    if len(cells) * len(grid.parts) > MAX_LOOKUPS:
        return found
    rows = _distinct(_rows_of(grid, cells))
    # Two equivalent forms of the rows; the one that leaves fewer pairs to compare.
    rows, radii = min(
        (_by_radius(form, power) for form in (rows, _from_the_middle(rows))),
        key=lambda rows_and_radii: _pairs_left(rows_and_radii[1], found.least, power),
    )
    if _pairs_left(radii, found.least, power) * rows.steps > work:
        return found
    best = found.least
    # Blocks of pairs; the first row of a block has the largest norm, so it sets the end.
    for start in range(0, len(radii), BLOCK_ROWS[0]):
        end = int(_ends(radii, radii[start], best, power=power))
        first_rows = rows.take(slice(start, min(end, start + BLOCK_ROWS[0])))
        for there in range(start, end, BLOCK_ROWS[1]):
            second_rows = rows.take(slice(there, min(end, there + BLOCK_ROWS[1])))
            best = max(best, _farthest_of(first_rows, second_rows, power))
    return Extent(best, best)


def _from_the_middle(rows: Vectors) -> Vectors:
    """Return equivalent rows that are closer to 0.

    Bits that more than half of the rows have are flipped in all rows. Distances of rows stay
    the same, but norms become smaller, so that fewer pairs must be compared.
    """
    frequent = [_frequent_bits(words_of_rows) for words_of_rows in rows.words.T]
    return Vectors(rows.words ^ np.array(frequent, dtype=np.uint64), rows.others)


def _frequent_bits(words: NDArray[np.uint64]) -> np.uint64:
    """Return a word of 64 bits: those set in more than half of the words."""
    one = np.uint64(1)
    word = np.uint64(0)
    for bit in np.arange(64, dtype=np.uint64):
        words_with_bit = int(((words >> bit) & one).sum())
        if 2 * words_with_bit > len(words):
            word |= one << bit
    return word


def _by_radius(rows: Vectors, power: int) -> tuple[Vectors, Floats]:
    """Return the rows sorted by their norms, the largest first, and these norms.

    ``power`` is 1 for the L1 norm, 2 for the L2 norm, whose root is taken.
    """
    sizes = np.bitwise_count(rows.words).sum(axis=1, dtype=np.int64)
    for _, value in rows.others:
        sizes = sizes + np.abs(value) ** power
    order = np.argsort(-sizes, kind="stable")
    return rows.take(order), np.asarray(sizes[order] ** (1 / power))


def _pairs_left(radii: Floats, best: int, power: int) -> int:
    """Return how many pairs of rows may be farther apart than the best pair so far."""
    ends = np.asarray(_ends(radii, radii, best, power=power))
    return int(np.maximum(ends - np.arange(len(radii)), 0).sum())


def _ends(radii: Floats, radius: Floats, best: int, *, power: int) -> Ints:
    """Return with how many of the first rows each row must be compared.

    These are the rows that may be farther from it than the best pair. By the triangle
    inequality the two norms must then sum to more than the distance of that pair.

    Args:
        radii: The norms of all rows, descending.
        radius: The norms of the rows to compare with them.
        best: The largest distance so far, to the power.
        power: 1 for L1 distances, 2 for squared L2 distances.
    """
    # The least norm that another row must have, with a margin for the rounding of floats.
    least = best ** (1 / power) * (1 - 1e-9) - radius
    return np.asarray(np.searchsorted(-radii, -least, side="right"))


def _rows_of(grid: Grid, cells: Ints) -> Vectors:
    """Return what a row of each cell adds: a bit for each count, place and value for other
    terms.

    A term says for each class of rows to which number a row adds, and how much.

    Args:
        grid: Terms over the joint classes of their axes.
        cells: The numbers of the cells of the grid.
    """
    codes = np.unravel_index(cells, grid.shape)
    counts = [part for part in grid.parts if part.is_count]
    # 64 bits a word, rounded up.
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
    """Return the entries of a term's table at some cells, shape (cells,).

    A term says for each class of rows to which number a row adds, and how much.

    Args:
        part: The term.
        table: Its places or its values, over its classes.
        codes: For each axis of the grid the class of every cell.
    """
    index = tuple(
        labels_of_atoms[codes[axis]]
        for axis, labels_of_atoms in zip(part.axes, part.classes, strict=True)
    )
    return np.broadcast_to(np.asarray(table[index]), codes[0].shape)


def _distinct(rows: Vectors) -> Vectors:
    """Return the rows without repetitions, in the order of their first occurrence.

    Rows are equal if they add the same: all counts, and all places and values.
    """
    # Rows get equal labels as long as they are equal in all columns so far.
    labels = np.zeros(len(rows.words), dtype=np.int64)
    first = labels
    for column in [*rows.words.T, *(column for pair in rows.others for column in pair)]:
        _, numbers = np.unique(column, return_inverse=True)
        together = labels * (int(numbers.max()) + 1) + numbers
        _, first, labels = np.unique(together, return_index=True, return_inverse=True)
    return rows.take(np.sort(first))


def _farthest_of(first_rows: Vectors, second_rows: Vectors, power: int) -> int:
    """Return the largest distance of a row of one set from a row of another.

    Args:
        first_rows, second_rows: What rows add: packed counts, and places and values.
        power: 1 for L1 distances, 2 for squared L2 distances. For counts these are equal: the
            number of different bits.
    """
    shape = len(first_rows.words), len(second_rows.words)
    differ = np.empty(shape, dtype=np.uint64)
    bits = np.empty(shape, dtype=np.uint8)
    # 1,000 words have 64,000 bits, so that their distances fit into 16 bits.
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
