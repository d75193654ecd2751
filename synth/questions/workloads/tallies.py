"""Sums over the rows, by group, and how they become whole numbers. PUBLIC."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from synth.domain import Product, Steps, Summand, steps_of
from synth.questions.moves.terms import Term
from synth.questions.workloads.atoms import CutColumn
from synth.util import Ints


@dataclass(frozen=True, eq=False, kw_only=True)
class Tally:
    """A sum over the rows, by group: of rows, or of the numbers of a column.

    Attributes:
        axes: The columns of the universe that it depends on, by number.
        classes: The class of every atom of each of these axes, shape (atoms,).
        place: Over the grid of classes: the total that a row adds to, -1 for none.
        size: Number of totals.
        summed, times: Numbers of the summed column and of its factor; None for none.
    """

    axes: tuple[int, ...]
    classes: tuple[Ints, ...]
    place: Ints
    size: int
    summed: int | None = None
    times: int | None = None

    def place_of(self, codes: Sequence[Ints]) -> Ints:
        """Return the total that rows of each cell add to, from their codes by column; shape
        (cells,).
        """
        places = tuple(
            labels[codes[axis]] for axis, labels in zip(self.axes, self.classes, strict=True)
        )
        cells = len(codes[0]) if len(codes) else 1
        return np.broadcast_to(self.place[places], (cells,))

    def totals_of(self, axes: Sequence[int], atoms: Sequence[Ints]) -> Ints:
        """Return the total that each cell of a grid of some atoms of these axes adds to."""
        index = []
        for axis, classes in zip(self.axes, self.classes, strict=True):
            along = [1] * len(axes)
            along[axes.index(axis)] = -1
            index.append(classes[atoms[axes.index(axis)]].reshape(along))
        return np.broadcast_to(self.place[tuple(index)], tuple(map(len, atoms))).reshape(-1)


@dataclass(frozen=True)
class Grain:
    """How a tally becomes whole numbers.

    Attributes:
        weight: Steps for a row, or for a step of a number.
        steps, times: Grids of the summed numbers and of their factors; None for none.
    """

    weight: int = 1
    steps: Steps | None = None
    times: Steps | None = field(default=None, repr=False)  # as ledgers know the others

    @property
    def summand(self) -> Summand | None:
        """The engine's summand; None if rows are counted."""
        if self.steps is None or self.times is None:
            return self.steps
        return Product(self.steps, self.times)


def joint_classes(
    tallies: Sequence[Tally], axes: Sequence[int], *, by_first: bool
) -> tuple[list[Ints], list[Ints]]:
    """Return by axis the joint class of every atom, and one atom of each joint class.

    Atoms in the same class of every tally are of one joint class; these are in order of the
    tallies' classes, or ``by_first`` of their first atoms.
    """
    joint = []
    atoms = []
    for axis in axes:
        ones = np.stack([t.classes[t.axes.index(axis)] for t in tallies if axis in t.axes])
        _, first, which = np.unique(ones, axis=1, return_index=True, return_inverse=True)
        order = np.argsort(first) if by_first else np.arange(len(first))
        joint.append(np.argsort(order)[which.reshape(-1)])
        atoms.append(first[order])
    return joint, atoms


def doubled_classes(tally: Tally, doubled: frozenset[int]) -> tuple[Ints, ...]:
    """Return the classes of a tally, if each atom of some columns is two in turn."""
    pairs = zip(tally.axes, tally.classes, strict=True)
    return tuple(
        np.repeat(labels, 2) if axis in doubled else labels for axis, labels in pairs
    )


def sum_term_of(
    tally: Tally, column: CutColumn, steps: Steps, *, doubled: frozenset[int]
) -> Term:
    """Return a sum as a term: along its own axis every end of every atom is a class of its
    own.
    """
    at = tally.axes.index(tally.summed if tally.summed is not None else -1)
    classes = list(doubled_classes(tally, doubled))
    ends = column_ends(column, steps)
    place = np.take(tally.place, classes[at], axis=at)
    shape = [1] * len(tally.axes)
    shape[at] = len(ends)
    value = np.broadcast_to(ends.reshape(shape), place.shape)
    classes[at] = np.arange(len(ends))
    return Term(
        axes=tally.axes, classes=tuple(classes), place=place, value=value, size=tally.size
    )


def column_ends(column: CutColumn, steps: Steps) -> Ints:
    """Return steps of the least and the greatest value of every atom in turn, 0 if it has
    none.

    Shape (2 * atoms,).
    """
    low, high = column.ends
    ends = np.zeros((column.size, 2), dtype=np.int64)
    ends[: column.intervals, 0] = steps_of(low, steps)
    ends[: column.intervals, 1] = steps_of(high, steps)
    return ends.reshape(-1)
