"""Rows agree with their model on every pair, measured or not."""

from itertools import combinations

import numpy as np
import pytest

from synth.estimate.models.inference import marginals, project
from synth.estimate.models.junction_rows import (
    draw_from_junction,
    draw_from_table,
    systematic,
)
from tests.models.test_inference import FOUR_CYCLE, joint_of_beliefs, make_random_model

SHAPE = (4, 3, 5, 2, 6)
GRAPHS = {
    "independent": [],
    "tree": [(0, 1), (1, 2), (1, 3), (3, 4)],
    "four-cycle": FOUR_CYCLE,
    "five-cycle": [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)],
    "triples": [(0, 1, 2), (2, 3, 4)],
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("rows", [200, 20_000])
def test_rows_agree_with_the_model_on_all_pairs(name: str, rows: int) -> None:
    """Drawn rows have the model's shares in every pair, about as near as independent draws
    would be.

    The expected distance of independent draws is exceeded by at most 30 % and six rows.
    """
    tree, potentials, _ = make_random_model(SHAPE, GRAPHS[name], 11, scale=1.0)
    beliefs = marginals(tree, potentials)
    codes = draw_from_junction(tree, beliefs, rows, generator=np.random.default_rng(3))
    joint = joint_of_beliefs(tree, beliefs)
    for left, right in combinations(range(5), 2):
        expected = project(joint, tuple(range(5)), (left, right))
        shares = (
            np.bincount(
                codes[:, left] * SHAPE[right] + codes[:, right], minlength=expected.size
            )
            / rows
        )
        error_of_independent_draws = np.sqrt(expected * (1 - expected) / rows).sum() / 2
        assert (
            abs(shares - expected.ravel()).sum() / 2
            < 1.3 * error_of_independent_draws + 6 / rows
        ), (left, right)


def test_columns_are_closer_than_independent_draws_would_be() -> None:
    """Each column of 20,000 rows is within a total variation of .001 of the model.

    Counts are rounded systematically, so that a cell is off by a row or so. Independent draws
    would be off by several times as much.
    """
    tree, potentials, _ = make_random_model(SHAPE, GRAPHS["tree"], 11, scale=1.0)
    beliefs = marginals(tree, potentials)
    codes = draw_from_junction(tree, beliefs, 20_000, generator=np.random.default_rng(4))
    joint = joint_of_beliefs(tree, beliefs)
    for column in range(5):
        expected = project(joint, tuple(range(5)), (column,))
        shares = np.bincount(codes[:, column], minlength=expected.size) / 20_000
        assert abs(shares - expected).sum() / 2 < 1e-3


def test_no_row_lands_in_an_impossible_cell() -> None:
    """No row is drawn in a cell that the model makes impossible, here (1, 2) of a pair."""
    tree, potentials, _ = make_random_model((3, 4, 3), [(0, 1), (1, 2)], 5)
    potentials[tree.cliques.index((0, 1))][1, 2] = -np.inf  # a probability of 0
    codes = draw_from_junction(
        tree, marginals(tree, potentials), 50_000, generator=np.random.default_rng(5)
    )
    assert not ((codes[:, 0] == 1) & (codes[:, 1] == 2)).any()


def test_order_of_rows_says_nothing() -> None:
    """Drawn rows are shuffled: the first half has about the same counts as the second.

    A count differs by chance by at most root(20,000) / 2 = 71 as a deviation; six are
    allowed.
    """
    tree, potentials, _ = make_random_model(SHAPE, GRAPHS["tree"], 11)
    codes = draw_from_junction(
        tree, marginals(tree, potentials), 20_000, generator=np.random.default_rng(6)
    )
    halves = [np.bincount(half[:, 4], minlength=6) for half in np.split(codes, 2)]
    assert abs(halves[0] - halves[1]).max() < 6 * np.sqrt(20_000) / 2


@pytest.mark.parametrize("rows", [0, 1])
def test_no_row_and_one_row_have_all_columns(rows: int) -> None:
    """A table of no row or of one row still has all five columns of the model."""
    tree, potentials, _ = make_random_model(SHAPE, GRAPHS["tree"], 11)
    codes = draw_from_junction(
        tree, marginals(tree, potentials), rows, generator=np.random.default_rng(6)
    )
    assert codes.shape == (rows, 5)


def test_systematic_rounding_is_exact_and_unbiased() -> None:
    """Systematic rounding keeps the sum, moves no cell by a row or more, and has no bias.

    7 rows over 9 cells, 40,000 times with other random starts: each time exactly 7 rows, and
    each cell's expected number rounded up or down. Such a rounding has a deviation of at most
    .5, so the mean of 40,000 has .5 / 200; six of these are allowed.
    """
    generator = np.random.default_rng(7)
    weights = np.tile(generator.random(9) * (generator.random(9) > 0.3), (40_000, 1))
    counts = systematic(weights, np.full(40_000, 7), generator.random(40_000))
    expected = 7 * weights[0] / weights[0].sum()
    assert (counts.sum(axis=1) == 7).all()
    assert (abs(counts - expected) < 1).all()
    assert abs(counts.mean(axis=0) - expected).max() < 6 * 0.5 / 200


def test_a_line_without_weight_is_dealt_evenly() -> None:
    """Six rows over three cells of weight 0 are two in each."""
    assert systematic(np.zeros((1, 3)), np.array([6]), np.array([0.5])).tolist() == [
        [2, 2, 2]
    ]


@pytest.mark.parametrize("rows", [0, 1, 1_000])
def test_rows_of_one_table_are_its_shares_rounded(rows: int) -> None:
    """Rows drawn from one table have its shares in every cell, rounded up or down."""
    table = np.random.default_rng(7).dirichlet(np.full(60, 0.3)).reshape(3, 4, 5)
    codes = draw_from_table(table, rows, np.random.default_rng(8))
    assert codes.shape == (rows, 3)
    counts = np.zeros(table.shape)
    np.add.at(counts, tuple(codes.T), 1)
    assert (np.abs(counts - rows * table) < 1).all()


def test_a_table_without_counts_is_drawn_from_evenly() -> None:
    """A table of zeros is taken as even: 24 rows in 12 cells are two in each."""
    codes = draw_from_table(np.zeros((3, 4)), 24, np.random.default_rng(9))
    cells = np.ravel_multi_index(tuple(codes.T), (3, 4))
    assert np.bincount(cells, minlength=12).tolist() == [2] * 12
