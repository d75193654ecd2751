"""Random workloads, and their sensitivity by trying all rows, pairs of rows and persons."""

import math
from collections.abc import Sequence
from itertools import combinations_with_replacement, product

import numpy as np

from synth.privacy import Neighbors, Unit
from synth.questions.moves.terms import Term


def table_term(axes: Sequence[int], classes: Sequence[np.ndarray]) -> Term:
    """The number of rows in every cell of a grid of classes, the first axis being the
    slowest.
    """
    shape = tuple(int(np.max(classes_of_axis)) + 1 for classes_of_axis in classes)
    size = math.prod(shape)
    place = np.arange(size).reshape(shape)
    return Term(
        axes=tuple(axes),
        classes=tuple(classes),
        place=place,
        value=np.ones_like(place),
        size=size,
    )


def sum_term(
    axes: Sequence[int],
    classes: Sequence[np.ndarray],
    value: np.ndarray,
    place: np.ndarray | None = None,
) -> Term:
    """What a row adds by the grid of classes, to one sum, or to that of its group (-1: to
    none).
    """
    groups = np.zeros_like(value) if place is None else place
    return Term(
        axes=tuple(axes),
        classes=tuple(classes),
        place=groups,
        value=value,
        size=max(1, int(np.max(groups)) + 1),
    )


def count_term(
    axes: Sequence[int], classes: Sequence[np.ndarray], counted: np.ndarray
) -> Term:
    """The number of rows in some cells.

    Args:
        axes: The axes it depends on.
        classes: The class of every atom of each of them, shape (atoms,).
        counted: Over the grid of classes: whether a row there counts.
    """
    place = np.where(np.asarray(counted, dtype=bool), 0, -1)
    return Term(
        axes=tuple(axes),
        classes=tuple(classes),
        place=place,
        value=np.ones_like(place),
        size=1,
    )


def some_term(random: np.random.Generator, sizes: list[int]) -> Term:
    """A count, a table, a sum or sums by group over some of the axes."""
    axes = random.permutation(len(sizes))[: random.integers(0, 4)].tolist()
    shape = [int(random.integers(1, sizes[axis] + 1)) for axis in axes]
    classes = [
        random.integers(0, n, sizes[axis]) for axis, n in zip(axes, shape, strict=True)
    ]
    values = random.integers(-3, 4, shape)
    match random.integers(6):
        case 0:
            return table_term(axes, classes)
        case 1:
            return sum_term(axes, classes, np.asarray(values))
        case 2:
            groups = np.asarray(random.integers(-1, 3, shape))
            return sum_term(axes, classes, np.asarray(values), groups)
        case _:
            return count_term(axes, classes, np.asarray(values > 0))


def workload(seed: int) -> tuple[list[Term], list[int]]:
    """Up to seven terms over up to four axes of up to three atoms."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 4, random.integers(1, 5)).tolist()
    return [some_term(random, sizes) for _ in range(random.integers(1, 8))], sizes


def vectors(terms: list[Term], sizes: list[int]) -> np.ndarray:
    """What a row of every cell adds to all numbers, shape (cells, numbers)."""
    rows = []
    for cell in product(*map(range, sizes)):
        row: list[int] = []
        for term in terms:
            numbers = [0] * term.size
            classes = zip(term.axes, term.classes, strict=True)
            index = tuple(
                int(classes_of_axis[cell[axis]]) for axis, classes_of_axis in classes
            )
            if term.place[index] >= 0:
                numbers[int(term.place[index])] = int(term.value[index])
            row += numbers
        rows.append(row)
    return np.array(rows)


def search_neighbours(
    rows: np.ndarray, neighbors: Neighbors, unit: Unit
) -> tuple[int, int, int]:
    """The largest move in every norm among all neighbours: up to K rows, or none."""
    rows = np.unique(rows, axis=0)
    numbers = range(1, unit.max_rows + 1)
    people = [sum(p) for n in numbers for p in combinations_with_replacement(rows, n)]
    rows = np.unique(np.array([0 * rows[0], *people]), axis=0)
    if neighbors is Neighbors.ADD_REMOVE:
        gaps = np.abs(rows)
    else:
        gaps = np.abs(rows[:, None] - rows[None]).reshape(-1, rows.shape[1])
    largest = gaps.sum(axis=1).max(), (gaps**2).sum(axis=1).max(), gaps.max()
    return tuple(map(int, largest))  # type: ignore[return-value]
