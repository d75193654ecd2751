"""Junction trees and their marginals, against brute force."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.estimate import cells
from synth.estimate.models.inference import Calibration, expand, marginals, project
from synth.estimate.models.junction import (
    JunctionTree,
    junction_tree,
    maximal_cliques,
    tree_cells,
)
from synth.util import Floats

FOUR_CYCLE = [(0, 1), (1, 2), (2, 3), (0, 3)]

Graph = tuple[tuple[int, ...], list[tuple[int, ...]], int]
"""The number of cells of each column, the columns measured together, and a seed."""


@st.composite
def draw_graph(draw: st.DrawFn) -> Graph:
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=6)))
    column = st.integers(0, len(shape) - 1)
    clique = st.sets(column, min_size=1, max_size=3).map(lambda s: tuple(sorted(s)))
    return shape, draw(st.lists(clique, max_size=7)), draw(st.integers(0, 2**32 - 1))


def make_random_model(
    shape: tuple[int, ...], cliques: Sequence[tuple[int, ...]], seed: int, scale: float = 2.0
) -> tuple[JunctionTree, list[Floats], Floats]:
    """A tree, random potentials, and the joint distribution they mean, by brute force."""
    generator = np.random.default_rng(seed)
    tree = junction_tree(shape, cliques)
    sizes = [tuple(shape[column] for column in clique) for clique in tree.cliques]
    potentials = [generator.normal(0, scale, size) for size in sizes]
    everything = tuple(range(len(shape)))
    total = sum(
        (
            expand(potential, clique, everything)
            for clique, potential in zip(tree.cliques, potentials, strict=True)
        ),
        np.zeros(shape),
    )
    joint = np.exp(total - total.max())
    return tree, potentials, joint / joint.sum()


def joint_of_beliefs(tree: JunctionTree, beliefs: Sequence[Floats]) -> Floats:
    """The joint distribution of a tree's marginals: each clique given its separator."""
    everything, joint = tuple(range(len(tree.shape))), np.ones(tree.shape)
    for clique, separator, belief in zip(tree.cliques, tree.separators, beliefs, strict=True):
        above = expand(project(belief, clique, separator), separator, clique)
        conditional = np.divide(belief, above, out=np.zeros_like(belief), where=above > 0)
        joint = joint * expand(conditional, clique, everything)
    return joint


@given(draw_graph())
@settings(max_examples=150)
def test_tree_is_a_junction_tree(graph: Graph) -> None:
    """Each measured set of columns is inside one clique of the tree, and what a clique shares
    with all earlier ones is its separator, inside its parent.
    """
    shape, cliques, _ = graph
    tree = junction_tree(shape, cliques)
    assert all(tree.home(clique) is not None for clique in cliques)
    assert all(tree.home((column,)) is not None for column in range(len(shape)))
    assert tree.cells == tree_cells(shape, cliques)
    for i in range(1, len(tree.cliques)):
        above = set(tree.cliques[tree.parents[i]])
        earlier = set().union(*tree.cliques[:i])
        assert set(tree.cliques[i]) & earlier == set(tree.separators[i]) <= above


@given(draw_graph())
@settings(max_examples=150)
def test_marginals_equal_brute_force_and_separators_agree(graph: Graph) -> None:
    """The marginals that a tree computes are those of the joint distribution by brute force,
    and two neighbours agree on the columns they share.
    """
    tree, potentials, joint = make_random_model(*graph)
    beliefs = marginals(tree, potentials)
    np.testing.assert_allclose(joint_of_beliefs(tree, beliefs), joint, atol=1e-12)

    everything = tuple(range(joint.ndim))
    for i, (clique, belief) in enumerate(zip(tree.cliques, beliefs, strict=True)):
        np.testing.assert_allclose(belief, project(joint, everything, clique), atol=1e-12)
        if i:  # all but the root of the tree
            above = tree.parents[i]
            np.testing.assert_allclose(
                project(belief, clique, tree.separators[i]),
                project(beliefs[above], tree.cliques[above], tree.separators[i]),
                atol=1e-13,
            )


def test_four_cycle_gets_one_chord() -> None:
    """A cycle of four pairs becomes two cliques of three columns, of 12 cells each."""
    tree = junction_tree((2, 3, 2, 3), FOUR_CYCLE)
    assert sorted(len(clique) for clique in tree.cliques) == [3, 3]
    assert tree.cells == 24


def test_potentials_of_any_size_stay_finite() -> None:
    """Marginals are finite and sum to 1 even if log weights are in the thousands."""
    tree, potentials, _ = make_random_model((3, 4, 3), [(0, 1), (1, 2)], 5)
    large_potentials = [4000.0 * p for p in potentials]
    beliefs = marginals(tree, large_potentials)
    assert all(np.isfinite(b).all() and abs(b.sum() - 1) < 1e-9 for b in beliefs)


def test_impossible_cells_stay_impossible() -> None:
    """A cell of weight 0 (a log weight of minus infinity) has the probability 0
    everywhere.
    """
    tree, potentials, _ = make_random_model((3, 4, 3), [(0, 1), (1, 2)], 5)
    where = tree.cliques.index((0, 1))
    potentials[where][1, :] = -np.inf
    beliefs = marginals(tree, potentials)
    assert beliefs[where][1].sum() == 0
    assert joint_of_beliefs(tree, beliefs)[1].sum() == 0
    assert all(abs(b.sum() - 1) < 1e-12 for b in beliefs)


def test_a_tree_too_large_to_exist_is_weighed_exactly() -> None:
    """The size of a tree is a whole number without overflow: 1,000^30 cells."""
    shape = (1000,) * 30
    everything = tuple(range(30))
    assert tree_cells(shape, [everything]) == 1000**30
    assert cells(shape, everything) == 1000**30


def test_two_hundred_columns_are_eliminated_quickly() -> None:
    """A path of 200 columns has 199 cliques, its pairs, and finding them takes no time to
    speak of.
    """
    shape = tuple(2 + v % 9 for v in range(200))
    path = [(v, v + 1) for v in range(199)]
    assert len(maximal_cliques(shape, path)) == 199


@given(draw_graph())
@settings(max_examples=150)
def test_one_potential_after_the_other_gives_the_same_marginals_to_the_last_bit(
    graph: Graph,
) -> None:
    """Changing one potential of a calibrated tree gives the same marginals, bit by bit, as
    computing all of them anew.
    """
    shape, cliques, seed = graph
    tree, potentials, _ = make_random_model(shape, cliques, seed)
    calibrated, generator = Calibration(tree, potentials), np.random.default_rng(seed)
    for _ in range(5):
        changed_index = int(generator.integers(len(potentials)))
        potentials[changed_index] = generator.normal(0, 2, potentials[changed_index].shape)
        calibrated.change(changed_index, potentials[changed_index])
        for clique_index, belief in enumerate(marginals(tree, potentials)):
            assert np.array_equal(calibrated.belief(clique_index), belief)
