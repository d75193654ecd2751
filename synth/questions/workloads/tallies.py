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
        """Return the total that rows of each cell add to, shape (cells,); -1 for none.

        An atom is a piece of a column that no question cuts.

        Args:
            codes: For every column of the universe the atom of each cell, each of shape
                (cells,).
        """
        places = tuple(
            labels[codes[axis]] for axis, labels in zip(self.axes, self.classes, strict=True)
        )
        cells = len(codes[0]) if len(codes) else 1
        return np.broadcast_to(self.place[places], (cells,))

    def totals_of(self, axes: Sequence[int], atoms: Sequence[Ints]) -> Ints:
        """Return the total that each cell of a grid adds to, flattened; -1 for none.

        An atom is a piece of a column that no question cuts.

        Args:
            axes: The columns of the grid, by number; they include all columns of the tally.
            atoms: For each column of the grid, the atoms along it.
        """
        # Indices that broadcast along the grid, so that axes that the tally lacks repeat it.
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
        """The summand of a row: steps of one column, or products of two; None if rows are
        counted.

        A step is the unit to which values are rounded.
        """
        if self.steps is None or self.times is None:
            return self.steps
        return Product(self.steps, self.times)


def joint_classes(
    tallies: Sequence[Tally], axes: Sequence[int], *, by_first: bool
) -> tuple[list[Ints], list[Ints]]:
    """Return, for each axis, the joint class of every atom, and one atom of each joint class.

    Two atoms of an axis have one joint class if every tally puts them into the same class.
    Both lists have one array per axis: shapes (atoms,) and (joint classes,). An atom is a
    piece of a column that no question cuts.

    Args:
        tallies: Sums over the rows, each with the class of every atom on its axes.
        axes: The columns to return, by number; each is an axis of some tally.
        by_first: Whether joint classes are numbered by their first atoms. Otherwise they are
            in lexicographic order of the tallies' classes.
    """
    joint = []
    atoms = []
    for axis in axes:
        # One row a tally, one column an atom; equal columns are one joint class.
        stacked = np.stack([t.classes[t.axes.index(axis)] for t in tallies if axis in t.axes])
        _, first, which = np.unique(stacked, axis=1, return_index=True, return_inverse=True)
        order = np.argsort(first) if by_first else np.arange(len(first))
        # The second argsort turns the order of classes into the new number of each.
        joint.append(np.argsort(order)[which.reshape(-1)])
        atoms.append(first[order])
    return joint, atoms


def doubled_classes(tally: Tally, doubled: frozenset[int]) -> tuple[Ints, ...]:
    """Return the class of every atom on each axis of a tally, with some atoms repeated.

    On the ``doubled`` axes each atom stands twice in a row, so those arrays are twice as
    long. An atom is a piece of a column that no question cuts.
    """
    pairs = zip(tally.axes, tally.classes, strict=True)
    return tuple(
        np.repeat(labels, 2) if axis in doubled else labels for axis, labels in pairs
    )


def sum_term_of(
    tally: Tally, column: CutColumn, steps: Steps, *, doubled: frozenset[int]
) -> Term:
    """Return the term of a tally that adds the numbers of a column, in grid steps.

    A term says, for each combination of classes, to which total a row adds how much. Along
    the summed column each atom stands twice, with its least and its greatest value, and each
    of these is a class of its own. An atom is a piece of a column that no question cuts.

    Args:
        tally: The sum; ``tally.summed`` is the number of the column.
        column: The summed column, cut into atoms.
        steps: The grid that its values are rounded to.
        doubled: The axes on which each atom stands twice; the summed column is one.
    """
    # The dimension of the summed column, which such a tally always has.
    at = tally.axes.index(tally.summed if tally.summed is not None else -1)
    classes = list(doubled_classes(tally, doubled))
    ends = column_ends(column, steps)
    # From classes to doubled atoms along the summed column's axis.
    place = np.take(tally.place, classes[at], axis=at)
    shape = [1] * len(tally.axes)
    shape[at] = len(ends)
    value = np.broadcast_to(ends.reshape(shape), place.shape)
    classes[at] = np.arange(len(ends))
    return Term(
        axes=tally.axes, classes=tuple(classes), place=place, value=value, size=tally.size
    )


def column_ends(column: CutColumn, steps: Steps) -> Ints:
    """Return the least and the greatest value of every atom in turn, in grid steps.

    The shape is (2 * atoms,). Both are 0 for an atom without numbers, such as missing values.
    An atom is a piece of a column that no question cuts.
    """
    low, high = column.ends
    ends = np.zeros((column.size, 2), dtype=np.int64)
    ends[: column.intervals, 0] = steps_of(low, steps)
    ends[: column.intervals, 1] = steps_of(high, steps)
    return ends.reshape(-1)
