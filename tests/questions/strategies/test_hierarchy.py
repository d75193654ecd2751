"""The tree over ordered cells, against dense linear algebra and every neighbour."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from synth.errors import ArgumentError
from synth.privacy import Guarantee, Neighbors, Unit
from synth.questions.strategies.hierarchy import Hierarchy, best_hierarchy
from synth.util import Ints

TREES = [
    Hierarchy(cells=cells, branching=branching, root=root, grain=grain)
    for cells, branching, root, grain in product(
        (1, 2, 5, 9, 13), (2, 3, 4), (True, False), (1, 7)
    )
]
PEOPLE = Unit("who", 3)


def matrix(tree: Hierarchy) -> Ints:
    """What each cell adds to every node, shape (size, cells)."""
    return tree.measure(np.eye(tree.cells, dtype=np.int64)).T


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_estimates_are_those_of_least_squares(tree: Hierarchy) -> None:
    """A tree estimates its cells by least squares, as NumPy does from the same
    noisy nodes.
    """
    a = matrix(tree).astype(float)
    noisy = np.random.default_rng(1).normal(size=(3, tree.size)) * 9
    expected = np.linalg.lstsq(a, noisy.T, rcond=None)[0].T
    assert np.allclose(tree.consistent(noisy), expected)


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_variances_of_ranges_are_exact(tree: Hierarchy) -> None:
    """The variance of each range of cells is that of least squares, by dense linear algebra.

    With a the nodes by cells and w a range, it is w (a'a)^-1 w', and the weights are w a^+.
    """
    cells = np.arange(tree.cells)
    ranges = np.array([(a <= cells) & (cells <= b) for a in cells for b in cells if a <= b])

    a, w = matrix(tree).astype(float), ranges.astype(float)
    assert np.allclose(tree.variances(ranges), np.diag(w @ np.linalg.inv(a.T @ a) @ w.T))
    assert np.allclose(tree.weights(ranges), w @ np.linalg.pinv(a))


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_no_neighbour_is_further_and_one_is_that_far(tree: Hierarchy) -> None:
    """The sensitivity of a tree is the largest difference of any two rows, times a person's
    rows.

    All rows, one of each cell, and a damaged one that adds nothing, are compared in three
    norms.
    """
    adds = [*matrix(tree).T, np.zeros(tree.size, np.int64)]  # a damaged row adds nothing
    for unit in (Unit(), PEOPLE):
        rows = unit.max_rows
        for neighbors in Neighbors:
            removals = adds if neighbors is Neighbors.REPLACE_ONE else adds[-1:]
            moves = [rows * (added - removed) for added in adds for removed in removals]

            sensitivity = tree.sensitivity(neighbors, unit)
            assert sensitivity.l1 == max(abs(move).sum() for move in moves)
            assert sensitivity.squared_l2 == max((move**2).sum() for move in moves)
            assert sensitivity.l_infinity == max(abs(move).max() for move in moves)


def test_noise_is_priced_at_what_it_may_cost() -> None:
    """The noise of a tree costs exactly the epsilon or rho that it was made for."""
    tree = Hierarchy(cells=100, branching=5, grain=64)
    for cost in (Guarantee.pure(Fraction(1, 3)), Guarantee.zcdp(Fraction(1, 7))):
        for neighbors in Neighbors:
            noise = tree.noise(cost, neighbors, PEOPLE)
            assert noise.price(tree.sensitivity(neighbors, PEOPLE)) == cost


def test_the_best_tree_is_no_worse_than_cells_or_binary_trees() -> None:
    """The best tree errs no more than a binary tree or a plain list of cells.

    This holds for the mean error of all 64 prefixes of 64 cells, under either guarantee. For
    single cells the best tree is one level of cells.
    """
    cells = np.arange(64)
    prefixes = cells[:, None] >= cells
    for cost in (Guarantee.pure(1), Guarantee.zcdp(1)):
        for neighbors in Neighbors:
            best = best_hierarchy(prefixes, cost, neighbors, unit=Unit())

            errors = [
                tree.noise(cost, neighbors, Unit()).variance * tree.variances(prefixes).mean()
                for tree in (
                    best,
                    Hierarchy(cells=64, branching=2),
                    Hierarchy(cells=64, branching=64, root=False),
                )
            ]
            assert errors[0] <= min(errors)

    best_for_cells = best_hierarchy(
        np.eye(64), Guarantee.pure(1), Neighbors.ADD_REMOVE, unit=Unit()
    )
    assert best_for_cells.levels == (64,)


def test_many_cells_are_worked_on_in_parts() -> None:
    """Variances of 1,500 ranges, computed part by part, are those of two of them alone."""
    tree = Hierarchy(cells=3_000, branching=8)
    ranges = np.tri(3_000, 3_000)[::2]
    variances = tree.variances(ranges)
    assert np.allclose(variances[[3, 700]], tree.variances(ranges[[3, 700]]))


def test_a_tree_that_is_none_is_refused() -> None:
    """A tree needs two branches or more, and at least one cell."""
    with pytest.raises(ArgumentError, match="branching must be a whole number of at least 2"):
        Hierarchy(cells=4, branching=1)
    with pytest.raises(ArgumentError, match="cells must be a whole number of at least 1"):
        Hierarchy(cells=0, branching=2)
