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
from tests.models.test_inference import FOUR_CYCLE, joint_of, random_model

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
def test_rows_agree_with_the_model_on_all_pairs(name, rows):
    """Total variation of each pair stays below what independent draws would give."""
    tree, potentials, _ = random_model(SHAPE, GRAPHS[name], 11, scale=1.0)
    beliefs = marginals(tree, potentials)
    codes = draw_from_junction(tree, beliefs, rows, generator=np.random.default_rng(3))
    joint = joint_of(tree, beliefs)
    for a, b in combinations(range(5), 2):
        p = project(joint, tuple(range(5)), (a, b))
        drawn = np.bincount(codes[:, a] * SHAPE[b] + codes[:, b], minlength=p.size) / rows
        iid = np.sqrt(p * (1 - p) / rows).sum() / 2
        assert abs(drawn - p.ravel()).sum() / 2 < 1.3 * iid + 6 / rows, (a, b)


def test_columns_are_closer_than_independent_draws_would_be():
    tree, potentials, _ = random_model(SHAPE, GRAPHS["tree"], 11, scale=1.0)
    beliefs = marginals(tree, potentials)
    codes = draw_from_junction(tree, beliefs, 20_000, generator=np.random.default_rng(4))
    joint = joint_of(tree, beliefs)
    for a in range(5):
        p = project(joint, tuple(range(5)), (a,))
        drawn = np.bincount(codes[:, a], minlength=p.size) / 20_000
        assert abs(drawn - p).sum() / 2 < 1e-3


def test_no_row_lands_in_an_impossible_cell():
    tree, potentials, _ = random_model((3, 4, 3), [(0, 1), (1, 2)], 5)
    potentials[tree.cliques.index((0, 1))][1, 2] = -np.inf
    codes = draw_from_junction(
        tree, marginals(tree, potentials), 50_000, generator=np.random.default_rng(5)
    )
    assert not ((codes[:, 0] == 1) & (codes[:, 1] == 2)).any()


def test_order_of_rows_says_nothing():
    tree, potentials, _ = random_model(SHAPE, GRAPHS["tree"], 11)
    codes = draw_from_junction(
        tree, marginals(tree, potentials), 20_000, generator=np.random.default_rng(6)
    )
    halves = [np.bincount(half[:, 4], minlength=6) for half in np.split(codes, 2)]
    assert abs(halves[0] - halves[1]).max() < 6 * np.sqrt(20_000) / 2


@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows(rows):
    tree, potentials, _ = random_model(SHAPE, GRAPHS["tree"], 11)
    codes = draw_from_junction(
        tree, marginals(tree, potentials), rows, generator=np.random.default_rng(6)
    )
    assert codes.shape == (rows, 5)


def test_systematic_rounding_is_exact_and_unbiased():
    generator = np.random.default_rng(7)
    weights = np.tile(generator.random(9) * (generator.random(9) > 0.3), (40_000, 1))
    counts = systematic(weights, np.full(40_000, 7), generator.random(40_000))
    expected = 7 * weights[0] / weights[0].sum()
    assert (counts.sum(axis=1) == 7).all()
    assert (abs(counts - expected) < 1).all()
    assert abs(counts.mean(axis=0) - expected).max() < 6 * 0.5 / 200


def test_a_line_without_weight_is_dealt_evenly():
    assert systematic(np.zeros((1, 3)), np.array([6]), np.array([0.5])).tolist() == [
        [2, 2, 2]
    ]


@pytest.mark.parametrize("rows", [0, 1, 1_000])
def test_rows_of_one_table_are_its_shares_rounded(rows):
    table = np.random.default_rng(7).dirichlet(np.full(60, 0.3)).reshape(3, 4, 5)
    codes = draw_from_table(table, rows, np.random.default_rng(8))
    assert codes.shape == (rows, 3)
    drawn = np.zeros(table.shape)
    np.add.at(drawn, tuple(codes.T), 1)
    assert (np.abs(drawn - rows * table) < 1).all()
    nothing = draw_from_table(np.zeros((3, 4)), 24, np.random.default_rng(9))
    assert (np.bincount(nothing[:, 0] * 4 + nothing[:, 1], minlength=12) == 2).all()
