"""All pairs of rows' vectors, cell by cell. PUBLIC.

Counts are packed into words of 64; distances of them are counts of bits.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from synth.arrays import Ints
from synth.questions.extents import Extent
from synth.questions.grid import Grid, Part, distances, total

WORK = 2**33
"""Most steps of a search of all pairs; a step is a word of 64 counts."""
LISTED = 2**28
"""Most numbers that are looked up to tell rows apart."""
CORNERS = 20
"""Every pattern of up to so many counts is looked at."""
SIDES = (256, 4096)
"""Rows of a block of pairs, on either side."""
TERM_STEPS = 8
"""Steps that a term takes that is no count."""


def is_count(part: Part) -> bool:
    """Whether rows add 1 or nothing, in one place."""
    return bool(part.value.min() >= 0 and part.value.max() <= 1 and part.place.max() <= 0)


def all_counts(parts: Sequence[Part]) -> bool:
    """Whether all of them are counts, and few."""
    return len(parts) <= CORNERS and all(map(is_count, parts))


def hypercube(grid: Grid) -> int:
    """The largest distance of two cells' patterns of few counts.

    Bit by bit, every pattern learns how far one is that occurs: it keeps the bit, or gains 1.
    """
    bits = ((p.axes, p.classes, p.value << bit) for bit, p in enumerate(grid.parts))
    corners = 2 ** len(grid.parts)
    away = np.full(corners, -corners)
    occur = np.unique(total(grid.shape, bits))
    away[occur] = 0
    for bit in range(len(grid.parts)):
        pairs = away.reshape(-1, 2, 2**bit)
        away = np.maximum(pairs, pairs[:, ::-1] + 1).ravel()
    return int(away[occur].max())


class Rows(NamedTuple):
    """Vectors of rows: packed counts, shape (rows, words), and places and values of other terms."""

    words: NDArray[np.uint64]
    others: list[tuple[Ints, Ints]]

    def take(self, which: Ints | slice) -> "Rows":
        """Some of them."""
        return Rows(self.words[which], [(p[which], v[which]) for p, v in self.others])

    @property
    def steps(self) -> int:
        """How many steps a pair takes."""
        return int(self.words.shape[1]) + TERM_STEPS * len(self.others)


def farthest_pair(grid: Grid, cells: Ints, power: int, found: Extent, work: int) -> Extent:
    """All pairs of some cells, where they are not too many.

    Args:
        grid: Of all cells.
        cells: Numbers of those among which a pair may be farther than was found.
        power: 1 for the L1 norm, 2 for the squared L2 norm.
        found: The bound, and the best pair so far.
        work: Most steps.
    """
    if len(cells) * len(grid.parts) > LISTED:
        return found
    rows = _distinct(_rows_of(grid, cells))
    if len(rows.words) ** 2 // 2 * rows.steps > work:
        return found
    best = found.least
    for start in range(0, len(rows.words), SIDES[0]):
        one = rows.take(slice(start, start + SIDES[0]))
        for there in range(start, len(rows.words), SIDES[1]):
            other = rows.take(slice(there, there + SIDES[1]))
            best = max(best, int(_block(one, other, power).max()))
    return Extent(best, best)


def _rows_of(grid: Grid, cells: Ints) -> Rows:
    codes = np.unravel_index(cells, grid.shape)
    counts = [part for part in grid.parts if is_count(part)]
    words = np.zeros((len(cells), (len(counts) + 63) // 64), dtype=np.uint64)
    for number, part in enumerate(counts):
        bit = _looked_up(part, part.value, codes).astype(np.uint64)
        words[:, number // 64] |= bit << np.uint64(number % 64)
    others = [
        (_looked_up(part, part.place, codes), _looked_up(part, part.value, codes))
        for part in grid.parts
        if not is_count(part)
    ]
    return Rows(words, others)


def _looked_up(part: Part, table: Ints, codes: Sequence[Ints]) -> Ints:
    index = tuple(one[codes[axis]] for axis, one in zip(part.axes, part.classes, strict=True))
    return np.broadcast_to(table[index], codes[0].shape)


def _distinct(rows: Rows) -> Rows:
    """Every vector once."""
    labels = np.zeros(len(rows.words), dtype=np.int64)
    first = labels
    columns = [*rows.words.T, *(column for pair in rows.others for column in pair)]
    for column in columns:
        _, numbers = np.unique(column, return_inverse=True)
        together = labels * (int(numbers.max()) + 1) + numbers
        _, first, labels = np.unique(together, return_index=True, return_inverse=True)
    return rows.take(np.sort(first))


def _block(one: Rows, other: Rows, power: int) -> Ints:
    """The distances of all pairs, shape (rows of one, rows of the other)."""
    found = np.zeros((len(one.words), len(other.words)), dtype=np.int64)
    bits = np.zeros(found.shape, dtype=np.uint16)
    for word in range(one.words.shape[1]):
        bits += np.bitwise_count(one.words[:, None, word] ^ other.words[None, :, word])
    for (place, value), (places, values) in zip(one.others, other.others, strict=True):
        found += distances((place[:, None], value[:, None]), (places[None], values[None]), power)
    return found + bits
