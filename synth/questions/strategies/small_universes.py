"""The cells that counts distinguish, by groups of counts that share columns. PUBLIC.

Cells in the same counts are one cell, and cells in none are left out. So a row is in at most
one cell of each small universe, and its cells in two of them are independent."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from synth import limits
from synth.questions.workloads.block import Block
from synth.questions.workloads.tallies import Tally, joint_classes
from synth.util import Ints, Mask

MAX_UNIVERSE_CELLS = 4_096
# Most answers times the cells of one.
MAX_ANSWER_CELLS = 1 << 24


@dataclass(frozen=True, eq=False)
class SmallUniverse:
    """Cells, and the counts that are sums of them.

    Attributes:
        tally: The cell of every row.
        wanted: Whether every count contains each cell, shape (counts, cells), 0 or 1.
        totals: Numbers of the counts in their block, shape (counts,).
    """

    tally: Tally
    wanted: Ints
    totals: Ints

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.tally.size


def small_universes(block: Block) -> list[SmallUniverse] | None:
    """Return the cells that a block of counts distinguishes, by groups that share no column.

    None if a group has too many cells. A block is a set of questions that one noisy vector
    answers.
    """
    universes = []
    for numbers in _groups(block):
        universe = _universe(block, numbers)
        if universe is None:
            return None
        universes.append(universe)
    return universes


def _groups(block: Block) -> list[list[int]]:
    """Return the numbers of a block's tallies (sums over the rows) in groups that share no
    column.

    Tallies of no column, such as that of all rows, join the first group. Each group and the
    list of groups are in ascending order. A block is a set of questions that one noisy vector
    answers.
    """
    tallies = block.workload.tallies
    # The columns of each group, and its tallies.
    groups: list[tuple[set[int], list[int]]] = []
    # Tallies without columns come last, when there is a group that they can join.
    for number in sorted(block.tallies, key=lambda number: not tallies[number].axes):
        joined_axes = set(tallies[number].axes)
        members = [number]
        to_join = [axes for axes, _ in groups if axes & joined_axes]
        if not joined_axes:
            to_join = [axes for axes, _ in groups[:1]]
        others: list[tuple[set[int], list[int]]] = []
        for axes, members_of_group in groups:
            if axes in to_join:
                joined_axes = joined_axes | axes
                members += members_of_group
            else:
                others.append((axes, members_of_group))
        groups = [*others, (joined_axes, sorted(members))]
    return sorted(members for _, members in groups)


def _universe(block: Block, numbers: Sequence[int]) -> SmallUniverse | None:
    """Return the cells that some tallies distinguish, and which cells each count adds up.

    Combinations of classes that are in the same totals become one cell. None if there are too
    many cells, or none.

    Args:
        block: Questions that one noisy vector answers.
        numbers: The numbers of the tallies (sums over the rows) that share columns.
    """
    tallies = [block.workload.tallies[number] for number in numbers]
    axes = tuple(sorted({axis for tally in tallies for axis in tally.axes}))
    answers = sum(tally.size for tally in tallies)
    classes, atoms = joint_classes(tallies, axes, by_first=True)
    shape = tuple(map(len, atoms))
    size = math.prod(shape)
    if size > limits.QUESTION_CELLS or size * answers > MAX_ANSWER_CELLS:
        return None
    # Which totals, one a row of this matrix, contain each combination of classes.
    members: Mask = np.concatenate(
        [tally.totals_of(axes, atoms) == np.arange(tally.size)[:, None] for tally in tallies]
    )
    place, firsts = _kinds(members)
    if not 1 <= len(firsts) <= MAX_UNIVERSE_CELLS:
        return None
    tally = Tally(
        axes=axes, classes=tuple(classes), place=place.reshape(shape), size=len(firsts)
    )
    slices = [block.slices[number] for number in numbers]
    totals = np.concatenate([np.arange(place.start, place.stop) for place in slices])
    return SmallUniverse(tally, members[:, firsts].astype(np.int64), totals)


def _kinds(members: Mask) -> tuple[Ints, Ints]:
    """Return the kind of each cell, and the first cell of each kind.

    Cells in the same totals are of one kind; -1 is for cells in no total. Kinds are numbered
    by their first cells, so that the order of a column's cells is kept.

    Args:
        members: Which totals contain each cell, shape (totals, cells).
    """
    # Each cell's totals as a string of bytes, so that equal ones are found by sorting.
    packed = np.ascontiguousarray(np.packbits(members, axis=0).T)
    keys = packed.view([("", packed.dtype, packed.shape[1])]).reshape(-1)
    # The kinds in the order of their keys: the first cell of each, and the kind of each cell.
    _, first_cells, kind_of_cell = np.unique(keys, return_index=True, return_inverse=True)
    # Kinds that are in some total, in the order of their first cells.
    by_first_cell = np.argsort(first_cells)
    is_counted = members[:, first_cells[by_first_cell]].any(axis=0)
    counted_kinds = by_first_cell[is_counted]
    number_of_kind = np.full(len(first_cells), -1, dtype=np.int64)
    number_of_kind[counted_kinds] = np.arange(len(counted_kinds))
    return number_of_kind[kind_of_cell.reshape(-1)], first_cells[counted_kinds]
