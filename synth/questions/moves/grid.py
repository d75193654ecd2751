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
    """Return a term without what has no effect: places that add 0, and needless axes and
    classes.

    A term says for each class of rows to which number a row adds, and how much.
    """
    adds = (term.value != 0) & (term.place >= 0)
    place = np.where(adds, term.place, -1)
    value = np.where(adds, term.value, 0)
    return _lean(LeanTerm(term.axes, term.classes, place, value))


def weight(part: LeanTerm, power: int) -> LeanTerm:
    """Return the size of what a row adds to a term, to a power, as a term of one number.

    ``power`` is 1 for the L1 norm, 2 for the squared L2 norm. A term says for each class of
    rows to which number a row adds, and how much.
    """
    if part.is_count:
        return part
    value = np.abs(part.value) ** power
    return _lean(part._replace(place=np.where(value > 0, 0, -1), value=value))


def in_fixed_order(parts: Sequence[LeanTerm]) -> list[LeanTerm]:
    """Return terms in an order, of axes too, that does not depend on the original one.

    Axes are renumbered from 0. So equal workloads are searched equally. A term says for each
    class of rows to which number a row adds, and how much.
    """
    # The order decides which are searched and which only bounded. Axes that look the same in
    # all parts keep their order.
    prints: dict[int, list[bytes]] = {}
    for part in parts:
        values = np.sort(part.value, axis=None).tobytes()
        for axis, classes in zip(part.axes, part.classes, strict=True):
            fingerprint = sha256(classes.tobytes() + values).digest()
            prints.setdefault(axis, []).append(fingerprint)
    axes = sorted(prints, key=lambda axis: (sorted(prints[axis]), axis))
    ranks = {axis: rank for rank, axis in enumerate(axes)}
    renamed = [
        _sort_axes(part._replace(axes=tuple(ranks[a] for a in part.axes))) for part in parts
    ]
    return sorted(renamed, key=_key)


def _key(part: LeanTerm) -> tuple[object, ...]:
    # By which terms are sorted: few axes first, and their contents last.
    tables = (*part.classes, part.place, part.value)
    return len(part.axes), part.axes, part.place.shape, [table.tobytes() for table in tables]


def _sort_axes(part: LeanTerm) -> LeanTerm:
    """Return a term with its axes in ascending order, and its tables transposed accordingly.

    A term says for each class of rows to which number a row adds, and how much.
    """
    order = sorted(range(len(part.axes)), key=lambda number: part.axes[number])
    return LeanTerm(
        tuple(part.axes[number] for number in order),
        tuple(part.classes[number] for number in order),
        part.place.transpose(order),
        part.value.transpose(order),
    )


def _lean(part: LeanTerm) -> LeanTerm:
    """Return a term with ascending axes whose classes all differ, without axes of one class.

    A term says for each class of rows to which number a row adds, and how much.
    """
    _, _, place, value = part = _sort_axes(part)
    axes: list[int] = []
    classes: list[Ints] = []
    for axis, labels_of_atoms in zip(part.axes, part.classes, strict=True):
        # Axes before this one are finished, so its dimension is their number.
        labels, first = _merge_alike(labels_of_atoms, [place, value], len(axes))
        # A single index instead of an array removes the dimension.
        representatives: Any = first if len(first) > 1 else first[0]
        place, value = (table.take(representatives, len(axes)) for table in (place, value))
        if len(first) > 1:
            axes.append(axis)
            classes.append(labels[labels_of_atoms])
    return LeanTerm(tuple(axes), tuple(classes), place, value)


def _merge_alike(classes: Ints, tables: Sequence[Ints], axis: int) -> tuple[Ints, Ints]:
    """Merge classes of an axis whose slices are alike in all tables.

    Returns the new class of each old class, and the first old class of each new one. Old
    classes without an atom get no class of their own.

    Args:
        classes: The class of every atom of the axis.
        tables: Tables over the grid of classes.
        axis: The dimension of the tables to which the classes belong.
    """
    used = np.flatnonzero(np.bincount(classes))
    slices = [np.moveaxis(table, axis, 0)[used].reshape(len(used), -1) for table in tables]
    numbers, first = merge(np.concatenate(slices, axis=1))
    labels = np.zeros(int(used[-1]) + 1, dtype=np.int64)
    labels[used] = numbers
    return labels, used[first]


def merge(rows: NDArray[np.generic]) -> tuple[Ints, Ints]:
    """Number equal rows equally, in the order of their first occurrence.

    Returns the number of each row, shape (n,), and the first row of each number.

    Args:
        rows: An array of shape (n, k), whose rows are compared byte by byte.
    """
    numbers: dict[Hashable, int] = {}
    labels = np.array(
        [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows], np.int64
    )
    first = np.full(len(numbers), len(rows))
    np.minimum.at(first, labels, np.arange(len(rows)))
    return labels, first


def components(parts: Sequence[LeanTerm]) -> list[list[LeanTerm]]:
    """Return terms in groups that share no axis; members of a group share axes, or are
    linked.

    A term says for each class of rows to which number a row adds, and how much.
    """
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
    """Return the smallest grid whose cells decide what a row adds to every term.

    The classes of an axis are the sets of atoms that no term distinguishes. A term says for
    each class of rows to which number a row adds, and how much.
    """
    parts = list(parts)
    axes = tuple(sorted({axis for part in parts for axis in part.axes}))
    # For each axis the joint class of every atom, and the first atom of every joint class.
    joint = [_joint_classes(parts, axis) for axis in axes]
    first_atoms = {axis: first for axis, (_, first) in zip(axes, joint, strict=True)}
    numbers = {axis: number for number, axis in enumerate(axes)}

    def renumber(part: LeanTerm) -> LeanTerm:
        """Return a term over joint classes, whose axes are numbered from 0.

        A term says for each class of rows to which number a row adds, and how much.
        """
        labels_by_axis = zip(part.axes, part.classes, strict=True)
        return part._replace(
            axes=tuple(numbers[axis] for axis in part.axes),
            classes=tuple(classes[first_atoms[axis]] for axis, classes in labels_by_axis),
        )

    renumbered = list(map(renumber, parts))
    labels = tuple(labels for labels, _ in joint)
    return Grid(axes, labels, tuple(len(first) for _, first in joint), renumbered)


def _joint_classes(parts: Sequence[LeanTerm], axis: int) -> tuple[Ints, Ints]:
    """Return the joint class of every atom of an axis, and one atom of each joint class.

    Atoms have one joint class if no term distinguishes them. ``axis`` is an axis of some
    term. A term says for each class of rows to which number a row adds, and how much.
    """
    on_axis = [part.classes[part.axes.index(axis)] for part in parts if axis in part.axes]
    labels = np.zeros(len(on_axis[0]), dtype=np.int64)
    first = labels[:1]
    for start in range(0, len(on_axis), AT_A_TIME):
        labels, first = merge(np.stack([labels, *on_axis[start : start + AT_A_TIME]], axis=1))
    return labels, first


def add_up(grid: Grid, tables: Sequence[Ints]) -> Ints:
    """Return the sum of the terms' tables in every cell of the grid, in the grid's shape.

    ``tables`` has one table for each term, over the term's own classes. A term says for each
    class of rows to which number a row adds, and how much.
    """
    placed = zip(grid.parts, tables, strict=True)
    return sum_tables(
        grid.shape, ((part.axes, part.classes, table) for part, table in placed)
    )


def spread(grid: Grid, part: LeanTerm, table: Ints) -> Ints:
    """Return a table over a term's own classes, looked up in every cell, shape (cells,).

    A term says for each class of rows to which number a row adds, and how much.

    Args:
        grid: Terms over the joint classes of their axes.
        part: One of its terms.
        table: A number for each combination of the term's classes.
    """
    return sum_tables(grid.shape, [(part.axes, part.classes, table)]).ravel()


def sum_tables(
    shape: tuple[int, ...], tables: Iterable[tuple[Sequence[int], Sequence[Ints], Ints]]
) -> Ints:
    """Return the sum of tables in every cell of a grid.

    Args:
        shape: The number of classes of each axis of the grid.
        tables: For each table its axes in ascending order, the class of every class of the
            grid on each of these, and the table over the former classes.
    """
    # Tables on the same axes are added first, while they are small.
    sums: dict[tuple[int, ...], Ints] = {}
    for axes, classes, table in tables:
        key = tuple(axes)
        # The table, looked up for the classes of the grid on its axes.
        wide = table[np.ix_(*classes)] if axes else table
        sums[key] = sums[key] + wide if key in sums else wide
    total = np.zeros(shape, dtype=np.int64)
    for axes, wide in sums.items():
        total += wide.reshape(
            [shape[axis] if axis in axes else 1 for axis in range(len(shape))]
        )
    return total


def differences(
    first_effect: tuple[Ints, Ints], second_effect: tuple[Ints, Ints], power: int
) -> Ints:
    """Return the distances of what rows add to one term.

    A row is the place (the number) to which it adds, and the value that it adds. Two rows at
    one place differ by the difference of their values, otherwise by both values. A term says
    for each class of rows to which number a row adds, and how much.

    Args:
        first_effect: Places and values of rows.
        second_effect: Those of other rows; the shapes must broadcast.
        power: 1 for L1 distances, 2 for squared L2 distances.
    """
    (place, value), (places, values) = first_effect, second_effect
    together = np.abs(value - values) ** power
    separate = np.abs(value) ** power + np.abs(values) ** power
    distances: Ints = np.where(place == places, together, separate)
    return distances


def effect_of(part: LeanTerm, cell: Sequence[int]) -> tuple[Ints, Ints]:
    """Return the place to which a row adds in a term, and the value that it adds.

    ``cell`` is the row's class on each axis of the grid to which the term belongs. A term
    says for each class of rows to which number a row adds, and how much.
    """
    index = tuple(
        int(labels_of_atoms[cell[axis]])
        for axis, labels_of_atoms in zip(part.axes, part.classes, strict=True)
    )
    return part.place[index], part.value[index]


def measure_distance(
    grid: Grid, first_cell: Sequence[int], second_cell: Sequence[int], *, power: int
) -> int:
    """Return the distance of what rows of two cells add to all terms of a grid.

    A term says for each class of rows to which number a row adds, and how much.

    Args:
        grid: The terms over the joint classes of their axes.
        first_cell, second_cell: The class of each row on each axis.
        power: 1 for the L1 distance, 2 for the squared L2 distance.
    """
    pairs = (
        (effect_of(part, first_cell), effect_of(part, second_cell)) for part in grid.parts
    )
    return sum(int(differences(*pair, power)) for pair in pairs)


def distances_from(grid: Grid, cell: Sequence[int], power: int) -> Ints:
    """Return the distance of each cell from one cell, in the shape of the grid.

    ``power`` is 1 for L1 distances, 2 for squared L2 distances. A term says for each class of
    rows to which number a row adds, and how much.
    """
    tables = [differences(effect_of(p, cell), (p.place, p.value), power) for p in grid.parts]
    return add_up(grid, tables)
