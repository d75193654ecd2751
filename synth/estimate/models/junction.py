"""Junction trees: columns that must be modelled together, and the size of that.

Sizes are Python integers, so a tree too large to exist can be weighed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from synth.util import Ints

Clique = tuple[int, ...]


def cells(shape: Sequence[int], clique: Iterable[int]) -> int:
    """Return the number of cells of some columns together, given that of every column.

    >>> cells((2, 3, 4), (0, 2))
    8
    """
    return prod(shape[column] for column in clique)


def all_pairs(shape: Sequence[int]) -> tuple[Ints, Ints]:
    """Return all pairs of columns with several cells, and their numbers of cells.

    Args:
        shape: Number of cells of every column.

    Returns:
        Numbers of the two columns, ascending, shape (pairs, 2); and the number of cells of
        each pair, shape (pairs,).

    >>> [found.tolist() for found in all_pairs((2, 1, 3, 4))]
    [[[0, 2], [0, 3], [2, 3]], [6, 8, 12]]
    """
    sizes = np.array(shape, dtype=np.int64)
    several = np.flatnonzero(sizes > 1)
    first, second = (several[places] for places in np.triu_indices(len(several), 1))
    return np.stack((first, second), axis=1), sizes[first] * sizes[second]


@lru_cache(maxsize=4)  # every look at a plan asks for them
def small_pairs(shape: tuple[int, ...], most_cells: int) -> tuple[Clique, ...]:
    """Return pairs of columns with several cells, ascending.

    The largest pairs are left out, if all together have too many cells.

    Args:
        shape: Number of cells of every column.
        most_cells: Most cells of all pairs together.

    >>> small_pairs((2, 1, 3, 50), 10)
    ((0, 2),)
    """
    pairs, sizes = all_pairs(shape)
    smallest = np.argsort(sizes, kind="stable")
    small_enough = np.sort(smallest[np.cumsum(sizes[smallest]) <= most_cells])
    return tuple((a, b) for a, b in pairs[small_enough].tolist())


@dataclass(frozen=True, kw_only=True)
class JunctionTree:
    """A tree of cliques; the cliques of each column are connected (running intersection).

    Attributes:
        shape: Number of cells of every column.
        cliques: Maximal cliques of the triangulated graph, parents before children.
        parents: Positions of parents; -1 for the first.
        separators: Columns shared with the parent (empty between independent parts).
    """

    shape: tuple[int, ...]
    cliques: tuple[Clique, ...]
    parents: tuple[int, ...]
    separators: tuple[Clique, ...]

    @property
    def cells(self) -> int:
        """The cells of all cliques together."""
        return sum(cells(self.shape, clique) for clique in self.cliques)

    def home(self, clique: Iterable[int]) -> int | None:
        """Return the position of the smallest clique with all these columns; None if none."""
        columns = set(clique)
        homes = [
            place
            for place, tree_clique in enumerate(self.cliques)
            if columns <= set(tree_clique)
        ]
        return min(homes, key=lambda i: cells(self.shape, self.cliques[i]), default=None)


def junction_tree(shape: Sequence[int], cliques: Iterable[Clique]) -> JunctionTree:
    """Return a junction tree that covers the given sets of columns and every column.

    It triangulates by greedy elimination: first columns whose neighbours are all joined, then
    those of the smallest neighbourhood. A maximum spanning tree on shared columns joins the
    maximal cliques.

    Args:
        shape: Number of cells of every column.
        cliques: Ascending column numbers of each set that some clique must contain.

    >>> tree = junction_tree((2, 3, 4), [(0, 1), (1, 2)])
    >>> tree.cliques, tree.separators, tree.cells
    (((1, 2), (0, 1)), ((), (1,)), 18)
    """
    maximal = maximal_cliques(shape, cliques)
    first = max(maximal, key=lambda clique: cells(shape, clique))
    order, parents, separators = _span(maximal, maximal.index(first))
    return JunctionTree(
        shape=tuple(shape),
        cliques=tuple(order),
        parents=tuple(parents),
        separators=tuple(separators),
    )


def tree_cells(shape: Sequence[int], cliques: Iterable[Clique]) -> int:
    """Return the tree's cells without building it."""
    return sum(cells(shape, clique) for clique in maximal_cliques(shape, cliques))


def maximal_cliques(shape: Sequence[int], cliques: Iterable[Clique]) -> list[Clique]:
    """Return the maximal cliques of the columns' graph after greedy elimination.

    Columns are joined if they share a given clique. One column after the other is removed,
    the cheapest first, and its neighbours are joined with each other.

    Args:
        shape: Number of cells of every column.
        cliques: Sets of columns that some clique of the result must contain.

    Returns:
        Ascending columns of each clique; every column is in some.
    """
    neighbors = _graph(len(shape), cliques)
    costs = {column: _cost(shape, neighbors, column) for column in range(len(shape))}
    maximal: list[set[int]] = []
    while costs:
        column = min(costs, key=costs.__getitem__)
        touched = _remove(neighbors, column)
        clique = neighbors[column] | {column}
        if not any(clique <= larger for larger in maximal):
            maximal.append(clique)
        del costs[column]
        costs.update({neighbor: _cost(shape, neighbors, neighbor) for neighbor in touched})
    return [tuple(sorted(clique)) for clique in maximal]


def _cost(shape: Sequence[int], neighbors: list[set[int]], column: int) -> tuple[bool, int]:
    """Return what it costs to eliminate a column; the cheapest is eliminated first.

    Args:
        shape: Number of cells of every column.
        neighbors: The neighbours of each column in the graph.
        column: The column's number.

    Returns:
        Whether some of its neighbours are not joined yet, so that elimination adds edges; and
        the number of cells of the column and its neighbours together.
    """
    near = neighbors[column]
    joined = all(near - neighbors[neighbor] == {neighbor} for neighbor in near)
    return not joined, cells(shape, near) * shape[column]


def _remove(neighbors: list[set[int]], column: int) -> set[int]:
    """Remove a column from the graph, and join all its neighbours with each other.

    Args:
        neighbors: The neighbours of each column; changed in place.
        column: The column to remove.

    Returns:
        Columns whose cost of elimination may have changed.
    """
    near = neighbors[column]
    touched = set(near)
    for neighbor in near:
        if not near - {neighbor} <= neighbors[neighbor]:
            # A new link between neighbours matters to the columns around it too.
            touched |= neighbors[neighbor]
        neighbors[neighbor] |= near
        neighbors[neighbor] -= {column, neighbor}
    return touched - {column}


def _graph(columns: int, cliques: Iterable[Clique]) -> list[set[int]]:
    """Return, for each column, the other columns that share a clique with it.

    Args:
        columns: Number of columns.
        cliques: Sets of column numbers.
    """
    neighbors: list[set[int]] = [set() for _ in range(columns)]
    for clique in cliques:
        for column in clique:
            neighbors[column].update(clique)
    for column, near in enumerate(neighbors):
        near.discard(column)
    return neighbors


def _span(cliques: list[Clique], first: int) -> tuple[list[Clique], list[int], list[Clique]]:
    """Return maximal cliques as a tree, by Prim's algorithm.

    The clique that shares most columns with one in the tree comes next.

    Args:
        cliques: The maximal cliques.
        first: Position of the root among them.

    Returns:
        The cliques from the root on; the position of each one's parent in that order, -1 for
        the root; and the columns that each shares with its parent.
    """
    sets = [frozenset(clique) for clique in cliques]
    # For each clique outside the tree: how many columns it shares with the nearest clique in
    # the tree, and the position of that one.
    best = {i: (len(sets[i] & sets[first]), 0) for i in range(len(cliques)) if i != first}
    order = [first]
    parents = [-1]
    separators = [frozenset[int]()]
    while best:
        new = max(best, key=lambda i: best[i][0])
        parent = best.pop(new)[1]
        separators.append(sets[new] & sets[order[parent]])
        parents.append(parent)
        order.append(new)
        for i, (shared, _) in best.items():
            if len(sets[i] & sets[new]) > shared:
                best[i] = (len(sets[i] & sets[new]), len(order) - 1)
    return [cliques[i] for i in order], parents, [tuple(sorted(s)) for s in separators]
