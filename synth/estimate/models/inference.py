"""Marginals of a junction tree from its log potentials.

Each clique is exponentiated once, relative to the largest entry of its separator slice, so neither
overflow nor underflow can empty a slice. The pass down multiplies conditionals: P(clique) =
P(clique | separator) P(separator).
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from synth.errors import LimitError
from synth.estimate.models.junction import Clique, JunctionTree, cells
from synth.util import Floats

# Cells of the largest table that one query builds.
QUERY_CELLS = 2**24


def project(array: Floats, clique: Clique, onto: Iterable[int]) -> Floats:
    """Sum an array, one axis a column of ``clique``, over the columns outside ``onto``.

    >>> project(np.ones((2, 3)), (4, 7), (7,))
    array([2., 2., 2.])
    """
    kept = set(onto)
    axes = tuple(i for i, column in enumerate(clique) if column not in kept)
    return np.asarray(array.sum(axis=axes))


def expand(array: Floats, clique: Clique, onto: Clique) -> Floats:
    """Return the array with one axis a column of ``onto``, of length 1 outside ``clique``."""
    lengths = iter(array.shape)
    return array.reshape([next(lengths) if column in clique else 1 for column in onto])


def marginals(tree: JunctionTree, potentials: Sequence[Floats]) -> list[Floats]:
    """Return the cliques' probabilities, which sum to 1 and agree on separators.

    Args:
        potentials: Log potentials; -inf marks an impossible cell.
    """
    arrays: list[Floats] = [np.array(p, dtype=np.float64) for p in potentials]
    for i in range(len(arrays) - 1, -1, -1):
        message = _condition(arrays[i], tree.cliques[i], tree.separators[i])
        if i:
            parent = tree.parents[i]
            arrays[parent] += expand(message, tree.separators[i], tree.cliques[parent])
    for i in range(1, len(arrays)):
        parent, separator = tree.parents[i], tree.separators[i]
        above = project(arrays[parent], tree.cliques[parent], separator)
        arrays[i] *= expand(above, separator, tree.cliques[i])
    return arrays


def _condition(array: Floats, clique: Clique, separator: Clique) -> Floats:
    # Turns log potentials in place into P(clique | separator); returns the log message up.
    axes = tuple(i for i, column in enumerate(clique) if column not in separator)
    top = array.max(axis=axes, keepdims=True)
    top[~np.isfinite(top)] = 0.0
    array -= top
    np.exp(array, out=array)
    mass = array.sum(axis=axes, keepdims=True)
    array /= np.where(mass > 0, mass, 1.0)
    with np.errstate(divide="ignore"):
        message: Floats = (np.log(mass) + top).squeeze(axis=axes)
    return message


def query(tree: JunctionTree, beliefs: Sequence[Floats], clique: Clique) -> Floats:
    """Return the probabilities of columns, in one clique or not, in their shape.

    Args:
        clique: Numbers of the columns, ascending.

    Raises:
        LimitError: If a table on the way would exceed ``QUERY_CELLS``.
    """
    home = tree.home(clique)
    if home is not None:
        return project(beliefs[home], tree.cliques[home], clique)
    top, *others = _subtree(tree, set(clique))
    factors = [(tree.cliques[top], beliefs[top])]
    factors += [(tree.cliques[i], _conditional(tree, beliefs, i)) for i in others]
    rest = {column for own, _ in factors for column in own} - set(clique)
    while rest:
        column = min(rest, key=lambda v: cells(tree.shape, _neighbors_of(factors, v)))
        factors = _eliminate(tree.shape, factors, column)
        rest.remove(column)
    return _multiply(factors, clique)


def _subtree(tree: JunctionTree, wanted: set[int]) -> list[int]:
    # Positions left, topmost first, without cliques that the query does not need.
    kept = list(range(len(tree.cliques)))
    for i in reversed(kept[1:]):
        own = set(tree.cliques[i]) - set(tree.separators[i])
        if not own & wanted and not any(tree.parents[j] == i for j in kept):
            kept.remove(i)
    while True:
        below = [i for i in kept if tree.parents[i] == kept[0]]
        needed = wanted & set(tree.cliques[kept[0]])
        if len(below) != 1 or not needed <= set(tree.separators[below[0]]):
            return kept
        kept = [below[0], *(i for i in kept[1:] if i != below[0])]


def _conditional(tree: JunctionTree, beliefs: Sequence[Floats], i: int) -> Floats:
    below = project(beliefs[i], tree.cliques[i], tree.separators[i])
    wide = expand(below, tree.separators[i], tree.cliques[i])
    return np.divide(beliefs[i], wide, out=np.zeros_like(beliefs[i]), where=wide > 0)


Factor = tuple[Clique, Floats]


def _neighbors_of(factors: list[Factor], column: int) -> set[int]:
    return {v for own, _ in factors if column in own for v in own}


def _eliminate(shape: Sequence[int], factors: list[Factor], column: int) -> list[Factor]:
    touched = [factor for factor in factors if column in factor[0]]
    clique = tuple(sorted(_neighbors_of(factors, column) - {column}))
    if cells(shape, clique) > QUERY_CELLS:
        raise LimitError(f"A query needs a table of {cells(shape, clique):,} cells.")
    rest = [factor for factor in factors if column not in factor[0]]
    return [*rest, (clique, _multiply(touched, clique))]


def _multiply(factors: list[Factor], onto: Clique) -> Floats:
    names = sorted({column for own, _ in factors for column in own})
    operands: list[Any] = []
    for own, array in factors:
        operands += [array, [names.index(column) for column in own]]
    kept = [names.index(column) for column in onto]
    return np.asarray(np.einsum(*operands, kept, optimize="greedy"))
