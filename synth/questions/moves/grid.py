"""Terms over the grid of the classes that they distinguish together. PUBLIC.

A part, or lean term, has nothing superfluous: no axis without an effect, no two classes of
one effect. The joint classes of an axis are the sets of its atoms that no part distinguishes.

>>> halves, ends = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])
>>> first = Term(
...     axes=(4,), classes=(halves,), place=np.array([-1, 0]), value=np.ones(2, int), size=1
... )
>>> second = Term(
...     axes=(4,), classes=(ends,), place=np.array([0, -1]), value=np.ones(2, int), size=1
... )
>>> grid = grid_of([part_of(first), part_of(second)])
>>> grid.shape, add_up(grid, [part.value for part in grid.parts]).tolist()
((4,), [1, 0, 1, 2])
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from synth.questions.moves.terms import Term
from synth.util import Ints

# Terms whose classes are in memory at once.
AT_A_TIME = 32


class LeanTerm(NamedTuple):
    """A `Term` with ascending axes, an atom in every class, and place -1 exactly if value is
    0.
    """

    axes: tuple[int, ...]
    classes: tuple[Ints, ...]
    place: Ints
    value: Ints

    @property
    def is_count(self) -> bool:
        """Whether rows add 1 or nothing, in one place."""
        return bool(self.value.min() >= 0 and self.value.max() <= 1 and self.place.max() <= 0)


class Grid(NamedTuple):
    """Parts whose axes are numbered from 0 and whose atoms are the joint classes.

    Attributes:
        axes: The original axes, ascending.
        labels: The joint class of every atom of each, shape (atoms,).
    """

    axes: tuple[int, ...]
    labels: tuple[Ints, ...]
    shape: tuple[int, ...]
    parts: list[LeanTerm]

    @property
    def cells(self) -> int:
        """Number of cells."""
        return math.prod(self.shape)


def part_of(term: Term) -> LeanTerm:
    """Return a term without columns and classes that it does not distinguish."""
    adds = (term.value != 0) & (term.place >= 0)
    place = np.where(adds, term.place, -1)
    value = np.where(adds, term.value, 0)
    return _lean(LeanTerm(term.axes, term.classes, place, value))


def weight(part: LeanTerm, power: int) -> LeanTerm:
    """Return the size of what a row adds, to a power: a part of one number."""
    if part.is_count:
        return part
    value = np.abs(part.value) ** power
    return _lean(part._replace(place=np.where(value > 0, 0, -1), value=value))


def in_fixed_order(parts: Sequence[LeanTerm]) -> list[LeanTerm]:
    """Return parts and axes in an order that does not depend on the original one."""
    # The order decides which are searched and which only bounded. Axes that look the same in
    # all parts keep their order.
    looks: dict[int, list[bytes]] = {}
    for part in parts:
        values = np.sort(part.value, axis=None).tobytes()
        for axis, classes in zip(part.axes, part.classes, strict=True):
            looks.setdefault(axis, []).append(sha256(classes.tobytes() + values).digest())
    axes = sorted(looks, key=lambda axis: (sorted(looks[axis]), axis))
    ranks = {axis: rank for rank, axis in enumerate(axes)}
    renamed = [
        _sort_axes(part._replace(axes=tuple(ranks[a] for a in part.axes))) for part in parts
    ]
    return sorted(renamed, key=_key)


def _key(part: LeanTerm) -> tuple[object, ...]:
    tables = (*part.classes, part.place, part.value)
    return len(part.axes), part.axes, part.place.shape, [table.tobytes() for table in tables]


def _sort_axes(part: LeanTerm) -> LeanTerm:
    """Return a term with its axes in ascending order."""
    order = sorted(range(len(part.axes)), key=lambda number: part.axes[number])
    return LeanTerm(
        tuple(part.axes[number] for number in order),
        tuple(part.classes[number] for number in order),
        part.place.transpose(order),
        part.value.transpose(order),
    )


def _lean(part: LeanTerm) -> LeanTerm:
    """Return a term whose classes all differ, without axes of one class."""
    _, _, place, value = part = _sort_axes(part)
    axes: list[int] = []
    classes: list[Ints] = []
    for axis, labels_of_atoms in zip(part.axes, part.classes, strict=True):
        labels, first = _merge_alike(labels_of_atoms, [place, value], len(axes))
        representatives: Any = first if len(first) > 1 else first[0]
        place, value = (table.take(representatives, len(axes)) for table in (place, value))
        if len(first) > 1:
            axes.append(axis)
            classes.append(labels[labels_of_atoms])
    return LeanTerm(tuple(axes), tuple(classes), place, value)


def _merge_alike(classes: Ints, tables: Sequence[Ints], axis: int) -> tuple[Ints, Ints]:
    """Return classes of an axis whose cells are alike in all tables, and one of each.

    The labels are by old class, the second array has the first old class of each new one.
    """
    used = np.flatnonzero(np.bincount(classes))
    slices = [np.moveaxis(table, axis, 0)[used].reshape(len(used), -1) for table in tables]
    numbers, first = merge(np.concatenate(slices, axis=1))
    labels = np.zeros(int(used[-1]) + 1, dtype=np.int64)
    labels[used] = numbers
    return labels, used[first]


def merge(rows: NDArray[np.generic]) -> tuple[Ints, Ints]:
    """Number equal rows of shape (n, k) equally, in order; also return each number's first
    row.
    """
    numbers: dict[Hashable, int] = {}
    labels = np.array(
        [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows], np.int64
    )
    first = np.full(len(numbers), len(rows))
    np.minimum.at(first, labels, np.arange(len(rows)))
    return labels, first


def components(parts: Sequence[LeanTerm]) -> list[list[LeanTerm]]:
    """Group parts that share axes, directly or through others."""
    groups: list[tuple[set[int], list[LeanTerm]]] = []
    for part in parts:
        axes = set(part.axes)
        members = [part]
        separate = []
        for others, theirs in groups:
            if axes.isdisjoint(others):
                separate.append((others, theirs))
            else:
                axes = axes | others
                members = theirs + members
        groups = [*separate, (axes, members)]
    return [members for _, members in groups]


def grid_of(parts: Iterable[LeanTerm]) -> Grid:
    """Return the smallest grid whose cells decide what a row adds to every part."""
    parts = list(parts)
    axes = tuple(sorted({axis for part in parts for axis in part.axes}))
    joint = [_joint_classes(parts, axis) for axis in axes]
    firsts = {axis: first for axis, (_, first) in zip(axes, joint, strict=True)}
    numbers = {axis: number for number, axis in enumerate(axes)}

    def renumber(part: LeanTerm) -> LeanTerm:
        labels_by_axis = zip(part.axes, part.classes, strict=True)
        return part._replace(
            axes=tuple(numbers[axis] for axis in part.axes),
            classes=tuple(classes[firsts[axis]] for axis, classes in labels_by_axis),
        )

    renumbered = list(map(renumber, parts))
    labels = tuple(labels for labels, _ in joint)
    return Grid(axes, labels, tuple(len(first) for _, first in joint), renumbered)


def _joint_classes(parts: Sequence[LeanTerm], axis: int) -> tuple[Ints, Ints]:
    """Return the classes that all parts together tell apart on an axis, and one atom of
    each.
    """
    on_axis = [part.classes[part.axes.index(axis)] for part in parts if axis in part.axes]
    labels = np.zeros(len(on_axis[0]), dtype=np.int64)
    first = labels[:1]
    for start in range(0, len(on_axis), AT_A_TIME):
        labels, first = merge(np.stack([labels, *on_axis[start : start + AT_A_TIME]], axis=1))
    return labels, first


def add_up(grid: Grid, tables: Sequence[Ints]) -> Ints:
    """Return the sum of one table for each part, over its classes, in every cell of the
    grid.
    """
    placed = zip(grid.parts, tables, strict=True)
    return sum_tables(
        grid.shape, ((part.axes, part.classes, table) for part, table in placed)
    )


def spread(grid: Grid, part: LeanTerm, table: Ints) -> Ints:
    """Return a table over a part's classes, looked up in every cell of the grid, shape
    (cells,).
    """
    return sum_tables(grid.shape, [(part.axes, part.classes, table)]).ravel()


def sum_tables(
    shape: tuple[int, ...], tables: Iterable[tuple[Sequence[int], Sequence[Ints], Ints]]
) -> Ints:
    """Return the sum of tables in every cell of a grid of this shape.

    Tables come with their axes and the class of every atom.
    """
    scopes: dict[tuple[int, ...], Ints] = {}
    for axes, classes, table in tables:
        wide = table[np.ix_(*classes)] if axes else table
        scopes[tuple(axes)] = scopes[tuple(axes)] + wide if tuple(axes) in scopes else wide
    total = np.zeros(shape, dtype=np.int64)
    for axes, wide in scopes.items():
        total += wide.reshape(
            [shape[axis] if axis in axes else 1 for axis in range(len(shape))]
        )
    return total


def differences(
    first_effect: tuple[Ints, Ints], second_effect: tuple[Ints, Ints], power: int
) -> Ints:
    """Return the L1 (power 1) or squared L2 distance (power 2) of two rows in one term.

    Rows are given as places and values, whose shapes broadcast.
    """
    (place, value), (places, values) = first_effect, second_effect
    together = np.abs(value - values) ** power
    separate = np.abs(value) ** power + np.abs(values) ** power
    distances: Ints = np.where(place == places, together, separate)
    return distances


def effect_of(part: LeanTerm, cell: Sequence[int]) -> tuple[Ints, Ints]:
    """Return the place that a row in a cell of the part's grid adds to, and its value."""
    index = tuple(
        int(labels_of_atoms[cell[axis]])
        for axis, labels_of_atoms in zip(part.axes, part.classes, strict=True)
    )
    return part.place[index], part.value[index]


def measure_distance(
    grid: Grid, first_cell: Sequence[int], second_cell: Sequence[int], *, power: int
) -> int:
    """Return the distance of two rows in these cells, in L1 or squared L2."""
    pairs = (
        (effect_of(part, first_cell), effect_of(part, second_cell)) for part in grid.parts
    )
    return sum(int(differences(*pair, power)) for pair in pairs)


def distances_from(grid: Grid, cell: Sequence[int], power: int) -> Ints:
    """Return the distance of each cell from one cell, in the shape of the grid."""
    tables = [differences(effect_of(p, cell), (p.place, p.value), power) for p in grid.parts]
    return add_up(grid, tables)
