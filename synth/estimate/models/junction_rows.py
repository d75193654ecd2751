"""Rows, as codes, drawn from a junction tree.

Each column is drawn given its drawn neighbours in the *triangulated* graph, where P(column |
parents) is exact. Values of rows with equal parents are rounded systematically and shuffled.
So conditional independence holds in the rows."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from synth.estimate.models.junction import Clique, JunctionTree
from synth.util import Codes, Floats

# Cells of expected counts in memory at once.
CHUNK_CELLS = 2**22

# Multiples of the golden ratio modulo 1 are spread evenly, however many there are.
GOLDEN = (5**0.5 - 1) / 2


def draw_from_junction(
    tree: JunctionTree,
    beliefs: Sequence[Floats],
    rows: int,
    *,
    generator: np.random.Generator,
) -> Codes:
    """Draw codes from a model, shape (rows, columns), in random order.

    Args:
        tree: The junction tree of the model.
        beliefs: Probabilities of the tree's cliques, with an axis for each column.
        rows: Number of rows.
        generator: Source of randomness; nothing private depends on it.
    """
    codes = np.zeros((rows, len(tree.shape)), dtype=np.int32)
    for column, parents, table in _steps(tree, beliefs):
        order, starts, groups = _group(
            codes[:, list(parents)], tree.shape, parents, generator=generator
        )
        codes[order, column] = deal(
            table, groups, np.diff(starts).astype(np.int64), generator=generator
        )
    return codes[generator.permutation(rows)]


def draw_from_table(table: Floats, rows: int, generator: np.random.Generator) -> Codes:
    """Draw codes, shape (rows, columns), in random order, from weights of all cells.

    Args:
        table: Weights, not negative, with an axis for each column.
        rows: Number of rows.
        generator: Source of randomness.

    >>> draw_from_table(
    ...     np.array([[0.0, 2.0], [0.0, 0.0]]), 2, np.random.default_rng()
    ... ).tolist()
    [[0, 1], [0, 1]]
    """
    cells = deal(
        table.reshape(1, -1), np.zeros(1, np.int64), np.array([rows]), generator=generator
    )
    codes = np.unravel_index(generator.permutation(cells), table.shape)
    return np.column_stack(codes).astype(np.int32)


def _steps(
    tree: JunctionTree, beliefs: Sequence[Floats]
) -> Iterator[tuple[int, Clique, Floats]]:
    """Yield every column of the model in the order of drawing, with its law given others.

    Args:
        tree: The junction tree of the model.
        beliefs: Probabilities of the tree's cliques, with an axis for each column.

    Yields:
        The column's number; the numbers of its parents, ascending, which were drawn before;
        and P(parents, column), shape (cells of all parents together, cells of the column).
    """
    from synth.estimate.models.inference import project

    for clique, separator, belief in zip(tree.cliques, tree.separators, beliefs, strict=True):
        placed = list(separator)
        for column in sorted(set(clique) - set(separator)):
            joint = project(belief, clique, {*placed, column})
            axis = sorted([*placed, column]).index(column)
            table = np.moveaxis(joint, axis, -1).reshape(-1, tree.shape[column])
            yield column, tuple(sorted(placed)), table
            placed.append(column)


def _group(
    codes: Codes, shape: Sequence[int], parents: Clique, *, generator: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]]:
    """Return the rows grouped by the cells of the parent columns.

    Args:
        codes: Codes of the parents, shape (rows, parents).
        shape: Number of cells of every column of the table.
        parents: Numbers of the parent columns.
        generator: Source of randomness, which orders the rows of a group.

    Returns:
        The rows' places, group after group, shape (rows,); the start of each group among
        them, with their end as the last number, shape (groups + 1,); and each group's cell of
        all parents together, shape (groups,).
    """
    # The cell of all parents together, with the last parent varying fastest.
    key = np.zeros(len(codes), dtype=np.int64)
    for position, column in enumerate(parents):
        key = key * shape[column] + codes[:, position]
    shuffled = generator.permutation(len(codes))
    order = shuffled[np.argsort(key[shuffled], kind="stable")]
    groups, firsts = np.unique(key[order], return_index=True)
    return order, np.append(firsts, len(codes)), groups


def deal(
    table: Floats,
    groups: NDArray[np.int64],
    sizes: NDArray[np.int64],
    *,
    generator: np.random.Generator,
) -> NDArray[np.int32]:
    """Return values for the rows of each group, group after group, shape (rows,).

    In each group every value appears as often as its weight says, rounded down or up. Rows of
    a value are next to each other.

    Args:
        table: Weights of the values, shape (lines, cells); a value is the number of a cell.
        groups: The line of the table for each group, shape (groups,).
        sizes: Number of rows of each group, shape (groups,).
        generator: Source of randomness.
    """
    width = table.shape[1]
    # Values in random order, so that rounding favours none.
    values = generator.permutation(width).astype(np.int32)
    # The random offset of rounding in each group; together they are spread evenly.
    offsets = np.mod(generator.random() + GOLDEN * np.arange(len(groups)), 1.0)
    dealt = [np.zeros(0, dtype=np.int32)]  # so that no groups give an empty array
    step = max(1, CHUNK_CELLS // width)
    for chunk in (slice(i, i + step) for i in range(0, len(groups), step)):
        counts = systematic(table[groups[chunk]][:, values], sizes[chunk], offsets[chunk])
        dealt.append(np.repeat(np.tile(values, len(counts)), counts.ravel()))
    return np.concatenate(dealt)


def systematic(
    weights: Floats, sizes: NDArray[np.int64], offsets: Floats
) -> NDArray[np.int64]:
    """Return each line of weights rounded to counts that sum exactly to its size.

    The result has shape (lines, cells). Every count is the floor or the ceiling of its share,
    and right on average if the offsets u are uniform. It is floor(C_j + u) -
    floor(C_{j-1} + u), with C the running sum. A line without weight is dealt evenly.

    Args:
        weights: Shape (lines, cells), not negative.
        sizes: Sum of each line, shape (lines,).
        offsets: u of each line, shape (lines,), from 0 to 1.

    >>> systematic(np.array([[1.0, 3.0]]), np.array([10]), np.array([0.2]))
    array([[2, 8]])
    """
    running = np.cumsum(weights, axis=1, dtype=np.float64)
    empty = running[:, -1] <= 0
    running[empty] = np.arange(1, weights.shape[1] + 1)  # as if all weights were 1
    running *= (sizes / running[:, -1])[:, None]
    ends = np.floor(running + offsets[:, None]).astype(np.int64)  # floor(C_j + u)
    # Exactly the size, whatever rounding did to the running sum.
    ends[:, -1] = sizes
    np.minimum(ends, sizes[:, None], out=ends)
    return np.diff(ends, axis=1, prepend=0)
