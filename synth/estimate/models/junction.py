"""Junction trees: columns that must be modelled together, and the size of that.

Sizes are Python integers, so a tree too large to exist can be weighed. A table of 1,000
columns has half a million pairs, so pairs are counted, and single ones found, without a list
of all where that is enough.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from heapq import heapify, heappop, heappush
from itertools import combinations_with_replacement
from math import comb, prod

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


def count_pairs_by_size(shape: Sequence[int]) -> list[tuple[int, int]]:
    """Return how many pairs of columns with several cells have how many cells together.

    Args:
        shape: Number of cells of every column.

    Returns:
        Cells of a pair, ascending, each with the number of such pairs.

    >>> count_pairs_by_size((2, 1, 3, 2))
    [(4, 1), (6, 2)]
    """
    columns_by_size = Counter(size for size in shape if size > 1)
    counts: Counter[int] = Counter()
    for first, second in combinations_with_replacement(sorted(columns_by_size), 2):
        columns = columns_by_size[first]
        is_same = first == second
        number = comb(columns, 2) if is_same else columns * columns_by_size[second]
        counts[first * second] += number
    return sorted((size, number) for size, number in counts.items() if number)


def count_small_pairs(shape: Sequence[int], most_cells: int) -> int:
    """Return how many pairs `small_pairs` lists.

    Args:
        shape: Number of cells of every column.
        most_cells: Most cells of all pairs together; the largest pairs are left out.

    >>> count_small_pairs((2, 1, 3, 50), 10)
    1
    """
    count = 0
    for size, number in count_pairs_by_size(shape):
        fitting = min(number, most_cells // size)
        count += fitting
        most_cells -= fitting * size
        if fitting < number:
            break
    return count


def pick_pairs(shape: Sequence[int], ranks: Sequence[int]) -> list[Clique]:
    """Return the pairs of some ranks in the order by size, and by columns among equal sizes.

    Args:
        shape: Number of cells of every column.
        ranks: Positions in that order, ascending from 0.

    >>> pick_pairs((2, 1, 3, 2), [0, 2])
    [(0, 3), (2, 3)]
    """
    sizes = np.array(shape, dtype=np.int64)
    pairs: list[Clique] = []
    before = 0  # pairs of smaller sizes
    for size, number in count_pairs_by_size(shape):
        last = before + number
        ranks_of_size = [rank - before for rank in ranks if before <= rank < last]
        if ranks_of_size:
            pairs += _pick_of_size(sizes, size, ranks_of_size)
        before = last
    return pairs


def _pick_of_size(sizes: Ints, size: int, ranks: Sequence[int]) -> list[Clique]:
    """Return pairs of one size by their ranks in the order of their columns.

    Args:
        sizes: Number of cells of every column, shape (columns,).
        size: Cells of each pair.
        ranks: Positions among the pairs of this size.
    """
    places = {int(cells): np.flatnonzero(sizes == cells) for cells in np.unique(sizes)}
    # How many later columns each column makes a pair of this size with.
    partners = np.zeros(len(sizes), dtype=np.int64)
    for cells, columns in places.items():
        if cells > 1 and size % cells == 0 and size // cells > 1:
            second = places.get(size // cells, np.empty(0, dtype=np.int64))
            partners[columns] = len(second) - np.searchsorted(second, columns, side="right")
    ends = np.cumsum(partners)
    pairs: list[Clique] = []
    for rank in ranks:
        first = int(np.searchsorted(ends, rank, side="right"))
        second = places[size // int(sizes[first])]
        later = second[second > first]
        pairs.append((first, int(later[rank - (ends[first] - partners[first])])))
    return pairs


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

    @cached_property
    def _places(self) -> list[list[int]]:
        """For each column the positions of the cliques that have it, ascending."""
        return _places_by_column(len(self.shape), self.cliques)

    def home(self, clique: Sequence[int]) -> int | None:
        """Return the position of the smallest clique with all these columns; None if none."""
        columns = set(clique)
        places = self._places[clique[0]] if clique else range(len(self.cliques))
        homes = [place for place in places if columns <= set(self.cliques[place])]
        return min(homes, key=lambda i: cells(self.shape, self.cliques[i]), default=None)

    def restrict(self, places: Sequence[int]) -> "JunctionTree":
        """Return the tree of some cliques, in their order.

        Args:
            places: Their positions, ascending. A clique that shares columns with its parent
                is there only with its parent.
        """
        new_places = {place: new_place for new_place, place in enumerate(places)}
        # Without shared columns any earlier clique may be the parent, such as the first.
        parents = [new_places.get(self.parents[place], 0) for place in places]
        return JunctionTree(
            shape=self.shape,
            cliques=tuple(self.cliques[place] for place in places),
            parents=(-1, *parents[1:]) if places else (),
            separators=tuple(self.separators[place] for place in places),
        )


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
    # The cheapest column is first, and of equally cheap ones that of the least number. Costs
    # that changed since are passed over.
    cheapest = [(cost, column) for column, cost in costs.items()]
    heapify(cheapest)
    maximal: list[set[int]] = []
    maximal_by_column: list[list[set[int]]] = [[] for _ in shape]
    while cheapest:
        cost, column = heappop(cheapest)
        if costs.get(column) != cost:
            continue
        del costs[column]
        touched = _remove(neighbors, column)
        clique = neighbors[column] | {column}
        if not any(clique <= larger for larger in maximal_by_column[column]):
            maximal.append(clique)
            for member in clique:
                maximal_by_column[member].append(clique)
        for neighbor in touched:
            costs[neighbor] = _cost(shape, neighbors, neighbor)
            heappush(cheapest, (costs[neighbor], neighbor))
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
    columns = 1 + max((column for clique in cliques for column in clique), default=-1)
    places = _places_by_column(columns, cliques)
    # For each clique outside the tree: how many columns it shares with the nearest clique in
    # the tree, and the position of that one.
    best = {i: (0, 0) for i in range(len(cliques)) if i != first}
    # The clique that shares most is first, and of several such the first of ``cliques``.
    # Entries that changed since are passed over.
    nearest = [(0, i) for i in best]
    order: list[int] = []
    parents: list[int] = []
    separators: list[Clique] = []

    def append(new: int, parent: int, separator: frozenset[int]) -> None:
        """Append a clique to the tree, and compare those outside with it."""
        order.append(new)
        parents.append(parent)
        separators.append(tuple(sorted(separator)))
        near = {i for column in sets[new] for i in places[column]}
        for i in near & best.keys():
            shared = len(sets[i] & sets[new])
            if shared > best[i][0]:
                best[i] = (shared, len(order) - 1)
                heappush(nearest, (-shared, i))

    append(first, -1, frozenset())
    while best:
        negative_shared, new = heappop(nearest)
        if new not in best or best[new][0] != -negative_shared:
            continue
        _, parent = best.pop(new)
        append(new, parent, sets[new] & sets[order[parent]])
    return [cliques[i] for i in order], parents, separators


def _places_by_column(columns: int, cliques: Sequence[Clique]) -> list[list[int]]:
    """Return for each column the positions of the cliques that have it, ascending.

    Args:
        columns: Number of columns.
        cliques: The columns of each clique.
    """
    places: list[list[int]] = [[] for _ in range(columns)]
    for place, clique in enumerate(cliques):
        for column in clique:
            places[column].append(place)
    return places
