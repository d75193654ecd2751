"""Marginals of a junction tree from its log potentials.

Each clique is exponentiated once, relative to the largest entry of its separator slice, so
neither overflow nor underflow can empty a slice. The pass down multiplies conditionals:
P(clique) = P(clique | separator) P(separator)."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.estimate.models.junction import Clique, JunctionTree
from synth.util import Floats


def project(array: Floats, clique: Clique, onto: Iterable[int]) -> Floats:
    """Sum an array, one axis a column of ``clique``, over the columns outside ``onto``.

    >>> project(np.ones((2, 3)), (4, 7), (7,))
    array([2., 2., 2.])
    """
    kept_columns = set(onto)
    axes = tuple(i for i, column in enumerate(clique) if column not in kept_columns)
    return np.asarray(array.sum(axis=axes))


def expand(array: NDArray[Any], clique: Clique, onto: Clique) -> NDArray[Any]:
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
        parent = tree.parents[i]
        separator = tree.separators[i]
        above = project(arrays[parent], tree.cliques[parent], separator)
        arrays[i] *= expand(above, separator, tree.cliques[i])
    return arrays


class Calibration:
    """A junction tree with its log potentials, which change one after the other.

    After a change, only the messages from that clique to the root are computed again. A
    belief needs only the cliques from the root to its own. So a fit of many independent
    columns takes time in proportion to their number. The numbers are those of `marginals`, to
    the last bit."""

    def __init__(self, tree: JunctionTree, potentials: Sequence[Floats]) -> None:
        """Send the messages of all cliques to the root."""
        self._tree = tree
        self._potentials = [np.array(potential, dtype=np.float64) for potential in potentials]
        self._children: list[list[int]] = [[] for _ in potentials]
        for i in range(len(potentials) - 1, 0, -1):
            self._children[tree.parents[i]].append(i)
        self._conditionals = list(self._potentials)
        self._messages = list(self._potentials)
        for i in range(len(potentials) - 1, -1, -1):
            self._send_up(i)

    def change(self, place: int, potential: Floats) -> None:
        """Replace the log potential of one clique."""
        self._potentials[place] = potential
        for i in self._path_to_root(place):
            self._send_up(i)

    def belief(self, place: int) -> Floats:
        """Return the probabilities of one clique."""
        tree = self._tree
        above, *others = reversed(self._path_to_root(place))
        array = self._conditionals[above]
        for i in others:
            mass = project(array, tree.cliques[above], tree.separators[i])
            array = self._conditionals[i] * expand(mass, tree.separators[i], tree.cliques[i])
            above = i
        return array

    def _path_to_root(self, place: int) -> list[int]:
        """Return a clique and those above it, up to the root."""
        path = [place]
        while path[-1]:
            path.append(self._tree.parents[path[-1]])
        return path

    def _send_up(self, i: int) -> None:
        """Collect the messages of a clique's children, and send one to its parent."""
        tree = self._tree
        array = self._potentials[i].copy()
        for child in self._children[i]:
            array += expand(self._messages[child], tree.separators[child], tree.cliques[i])
        self._messages[i] = _condition(array, tree.cliques[i], tree.separators[i])
        self._conditionals[i] = array


def _condition(array: Floats, clique: Clique, separator: Clique) -> Floats:
    """Normalise a clique's table given its separator, and return the message to its parent.

    Turns log potentials in place into P(clique | separator); returns the log message up.
    """
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
