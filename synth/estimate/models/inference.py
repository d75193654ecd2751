"""Marginals of a junction tree from its log potentials.

Each clique is exponentiated once, relative to the largest entry of its separator slice, so
neither overflow nor underflow can empty a slice. The pass down multiplies conditionals:
P(clique) = P(clique | separator) P(separator). A clique that shares no column with its parent
is independent of it, so nothing passes between the two: P(clique | nothing) is its law."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.estimate.models.junction import Clique, JunctionTree
from synth.util import Floats


def project(array: Floats, clique: Clique, onto: Iterable[int]) -> Floats:
    """Return an array summed over the columns outside ``onto``.

    Args:
        array: Numbers by the cells of some columns, with an axis for each.
        clique: Those columns, ascending.
        onto: Columns whose axes are left.

    >>> project(np.ones((2, 3)), (4, 7), (7,))
    array([2., 2., 2.])
    """
    kept_columns = set(onto)
    axes = tuple(i for i, column in enumerate(clique) if column not in kept_columns)
    return np.asarray(array.sum(axis=axes))


def expand(array: NDArray[Any], clique: Clique, onto: Clique) -> NDArray[Any]:
    """Return an array with axes for further columns, of length 1, so that it broadcasts.

    Args:
        array: Numbers by the cells of some columns, with an axis for each.
        clique: Those columns, ascending.
        onto: The columns of the result's axes, ascending, which contain them.
    """
    lengths = iter(array.shape)
    return array.reshape([next(lengths) if column in clique else 1 for column in onto])


def marginals(tree: JunctionTree, potentials: Sequence[Floats]) -> list[Floats]:
    """Return the cliques' probabilities, which sum to 1 and agree on separators.

    Args:
        tree: The junction tree, whose parents come before their children.
        potentials: Log potentials of its cliques, with an axis for each column; -inf marks an
            impossible cell.

    Returns:
        The probabilities, in the same shapes.
    """
    arrays: list[Floats] = [np.array(p, dtype=np.float64) for p in potentials]
    # Up, from the leaves: each clique becomes P(clique | separator), and what it sums to goes
    # to its parent.
    for i in range(len(arrays) - 1, -1, -1):
        message = _condition(arrays[i], tree.cliques[i], tree.separators[i])
        if tree.separators[i]:
            parent = tree.parents[i]
            arrays[parent] += expand(message, tree.separators[i], tree.cliques[parent])
    # Down, from the root: each is multiplied by the parent's probability of the separator.
    for i, separator in enumerate(tree.separators):
        if not separator:
            continue
        parent = tree.parents[i]
        above = project(arrays[parent], tree.cliques[parent], separator)
        arrays[i] *= expand(above, separator, tree.cliques[i])
    return arrays


class Calibration:
    """A junction tree with its log potentials, which change one after the other.

    After a change, only the messages from that clique up are computed again, as far as
    cliques share columns. A belief needs only the cliques on the same path. So a fit of many
    independent parts takes time in proportion to their number. The numbers are those of
    `marginals`, to the last bit."""

    def __init__(self, tree: JunctionTree, potentials: Sequence[Floats]) -> None:
        """Send the messages of all cliques to their parents.

        Args:
            tree: The junction tree.
            potentials: Log potentials of its cliques, with an axis for each column.
        """
        self._tree = tree
        self._potentials = [np.array(potential, dtype=np.float64) for potential in potentials]
        self._children: list[list[int]] = [[] for _ in potentials]
        for i in range(len(potentials) - 1, 0, -1):
            if tree.separators[i]:
                self._children[tree.parents[i]].append(i)
        # Placeholders, which the messages below replace.
        self._conditionals = list(self._potentials)
        self._messages = list(self._potentials)
        for i in range(len(potentials) - 1, -1, -1):
            self._send_up(i)

    def change(self, place: int, potential: Floats) -> None:
        """Replace the log potential of one clique, and send its messages up again.

        Args:
            place: Position of the clique in the tree.
            potential: The new log potential, with an axis for each of its columns.
        """
        self._potentials[place] = potential
        for i in self._path_to_root(place):
            self._send_up(i)

    def belief(self, place: int) -> Floats:
        """Return the probabilities of one clique, with an axis for each of its columns.

        Args:
            place: Position of the clique in the tree.
        """
        tree = self._tree
        # From the root down, each P(clique | separator) times the probability of the
        # separator by the clique above.
        above, *others = reversed(self._path_to_root(place))
        array = self._conditionals[above]
        for i in others:
            mass = project(array, tree.cliques[above], tree.separators[i])
            array = self._conditionals[i] * expand(mass, tree.separators[i], tree.cliques[i])
            above = i
        return array

    def _path_to_root(self, place: int) -> list[int]:
        """Return the positions of a clique and of those above it that depend on it.

        They end with the first one that shares no column with its parent.
        """
        path = [place]
        while self._tree.separators[path[-1]]:
            path.append(self._tree.parents[path[-1]])
        return path

    def _send_up(self, i: int) -> None:
        """Collect the messages of a clique's children, and compute that to its parent.

        Args:
            i: Position of the clique in the tree.
        """
        tree = self._tree
        array = self._potentials[i].copy()
        for child in self._children[i]:
            array += expand(self._messages[child], tree.separators[child], tree.cliques[i])
        # The message is the log of what the clique sums to; ``array`` itself becomes
        # P(clique | separator).
        self._messages[i] = _condition(array, tree.cliques[i], tree.separators[i])
        self._conditionals[i] = array


def _condition(array: Floats, clique: Clique, separator: Clique) -> Floats:
    """Turn log potentials in place into P(clique | separator), and return the log message.

    Args:
        array: Log potentials of a clique, with an axis for each column; overwritten.
        clique: The numbers of its columns.
        separator: Those that it shares with its parent.

    Returns:
        The log of what the clique sums to, by the cells of the separator.
    """
    axes = tuple(i for i, column in enumerate(clique) if column not in separator)
    # Relative to the largest entry for each separator cell, so that exp neither overflows nor
    # turns all of them into 0. If all are impossible, -inf minus -inf would be NaN.
    top = array.max(axis=axes, keepdims=True)
    top[~np.isfinite(top)] = 0.0
    array -= top
    np.exp(array, out=array)
    mass = array.sum(axis=axes, keepdims=True)
    array /= np.where(mass > 0, mass, 1.0)
    with np.errstate(divide="ignore"):
        message: Floats = (np.log(mass) + top).squeeze(axis=axes)
    return message
