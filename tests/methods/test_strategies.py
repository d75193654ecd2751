"""Strategies end to end: what they spend, what they draw, and tables that are hardly
tables.
"""

import numpy as np
import pytest

from synth.estimate import Method
from synth.privacy import Guarantee, Neighbors, in_rho
from tests.models.doors import (
    EPSILON_ONE,
    EPSILON_ONE_AND_DELTA,
    hold_rows,
    make_record,
    mean_pair_distance,
    release,
)
from tests.models.test_pieces import make_mixture

GROUPS = {"groups": ((0, 1), (2, 4, 5))}


@pytest.mark.parametrize("strategy", [m for m in Method if m != Method.DENSE])
@pytest.mark.parametrize("guarantee", [EPSILON_ONE, EPSILON_ONE_AND_DELTA])
@pytest.mark.parametrize("neighbors", Neighbors)
def test_every_strategy_spends_all_and_draws_rows_like_the_table(
    strategy: Method, guarantee: Guarantee, neighbors: Neighbors
) -> None:
    """Every method spends its budget exactly, and draws rows with all columns that are nearer
    to the table than independent columns, but for 2 %.

    An epsilon with a delta may be spent in rho. A public number of rows (replace-one) is
    kept.
    """
    codes, shape = make_mixture(rows=20_000)
    options = GROUPS if strategy == Method.GROUPS else {}
    fitted, session, door = release(
        hold_rows(codes, shape), strategy, guarantee, neighbors, **options
    )

    assert session.left == 0
    costs = [spend.cost for spend in session.evidence.spends]
    if door.spent.rho:
        assert sum(in_rho(cost, gaussian=True) for cost in costs) == door.spent.rho
    else:
        assert sum(cost.epsilon for cost in costs) == door.spent.epsilon

    assert fitted.codes.shape[1] == len(shape)
    if neighbors is Neighbors.REPLACE_ONE:
        assert len(fitted.codes) == len(codes)

    shuffle = np.random.default_rng(1).permutation
    independent = np.column_stack([shuffle(column) for column in codes.T])
    # Independent columns are what every strategy reaches, up to 2 % of noise.
    limit = mean_pair_distance(codes, independent, shape) + 0.02
    assert mean_pair_distance(codes, fitted.codes, shape) < limit


@pytest.mark.slow
@pytest.mark.usefixtures("whole_fits")
@pytest.mark.parametrize("guarantee", [EPSILON_ONE, EPSILON_ONE_AND_DELTA])
def test_pairs_are_better_than_columns_where_there_is_something_to_learn(
    guarantee: Guarantee,
) -> None:
    """Methods that measure pairs are nearer to a table with linked columns than independent
    columns.

    A mixture links all columns, so that independent ones miss every pair. A tree of pairs
    takes a fifth of the error away, methods with more pairs half of it.
    """
    codes, shape = make_mixture(rows=20_000)
    rows = hold_rows(codes, shape)
    errors = {
        method: mean_pair_distance(codes, release(rows, method, guarantee)[0].codes, shape)
        for method in (Method.INDEPENDENT, Method.TREE, Method.ONE_SHOT, Method.AUTO)
    }
    assert errors[Method.TREE] < 0.8 * errors[Method.INDEPENDENT]
    assert errors[Method.ONE_SHOT] < 0.5 * errors[Method.INDEPENDENT]
    assert errors[Method.AUTO] < 0.5 * errors[Method.INDEPENDENT]


@pytest.mark.parametrize("guarantee", [EPSILON_ONE, EPSILON_ONE_AND_DELTA])
def test_a_tree_keeps_columns_that_are_nearly_the_same(guarantee: Guarantee) -> None:
    """A tree keeps four equal columns equal in 85 % of the rows, though three others are
    random.

    Any two of the four are as far from independence as any other two. The tree takes pairs
    from which the others follow.
    """
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 6, (9_000, 7)).astype(np.int32)
    codes[:, 1:4] = codes[:, :1]
    drawn_codes = release(hold_rows(codes, (6,) * 7), Method.TREE, guarantee)[0].codes
    for column in (1, 2, 3):
        assert (drawn_codes[:, 0] == drawn_codes[:, column]).mean() > 0.85


def test_a_pure_release_inside_epsilon_and_delta_where_columns_are_all_there_is() -> None:
    """With ten rows `auto` measures columns only, in epsilon, and claims no delta though one
    was allowed.

    The relation is replace-one, so that ten is known: a noisy ten is taken for 440 or more
    once in 500 times.
    """
    codes, shape = make_mixture(rows=10)
    rows = hold_rows(codes, shape)
    fitted, session, door = release(
        rows, Method.AUTO, EPSILON_ONE_AND_DELTA, Neighbors.REPLACE_ONE
    )
    assert fitted.strategy == Method.INDEPENDENT
    assert door.spent == EPSILON_ONE
    assert make_record(session, fitted, shape, EPSILON_ONE_AND_DELTA).spent == EPSILON_ONE


# Tables that are hardly tables.


@pytest.mark.parametrize("strategy", [m for m in Method if m != Method.DENSE])
@pytest.mark.parametrize("shape", [(4,), (1,), (3, 1), (1, 1, 1), (2, 3)])
@pytest.mark.parametrize("count", [0, 1, 50])
def test_tables_of_one_column_one_value_or_no_rows_are_released(
    strategy: Method, shape: tuple[int, ...], count: int
) -> None:
    """Every method releases tables of one column, of one value or of no rows, spends all, and
    draws codes that are cells.
    """
    codes = np.zeros((count, len(shape)), dtype=np.int32)
    options = {"groups": ((0,),)} if strategy == Method.GROUPS else {}
    fitted, session, _ = release(hold_rows(codes, shape), strategy, **options)
    assert session.left == 0
    assert fitted.codes.shape[1] == len(shape)
    assert (fitted.codes < np.array(shape)).all()


@pytest.mark.slow
def test_a_table_of_two_hundred_columns_is_released() -> None:
    """`auto` releases a table of 200 columns: all of the budget is spent, and rows have all
    columns.
    """
    generator = np.random.default_rng(2)
    shape = tuple(int(n) for n in generator.integers(2, 6, 200))
    codes = np.column_stack([generator.integers(0, n, 2_000) for n in shape]).astype(np.int32)
    fitted, session, _ = release(hold_rows(codes, shape), Method.AUTO)
    assert session.left == 0
    assert fitted.codes.shape[1] == 200


@pytest.mark.parametrize("strategy", [Method.INDEPENDENT, Method.GROUPS, Method.ONE_SHOT])
def test_with_delta_what_was_asked_for_is_no_louder_than_without_it(strategy: Method) -> None:
    """A method spends epsilon alone if that needs less noise than rho, and claims no
    delta.

    Three columns are quieter in epsilon.
    """
    codes, shape = make_mixture(rows=20_000)
    rows = hold_rows(codes[:, :3], shape[:3])
    options = {"groups": ((0, 1),)} if strategy == Method.GROUPS else {}
    _, _, door = release(
        rows, strategy, EPSILON_ONE_AND_DELTA, Neighbors.ADD_REMOVE, **options
    )
    assert door.spent == EPSILON_ONE


@pytest.mark.parametrize("strategy", [Method.INDEPENDENT, Method.ONE_SHOT])
@pytest.mark.first_case
def test_many_columns_are_quieter_in_rho(strategy: Method) -> None:
    """48 columns need less noise in rho, so that the allowed delta is spent."""
    codes, shape = make_mixture(rows=20_000)
    wide_codes, wide_shape = np.tile(codes, 8), tuple(shape) * 8
    _, _, door = release(
        hold_rows(wide_codes, wide_shape),
        strategy,
        EPSILON_ONE_AND_DELTA,
        Neighbors.ADD_REMOVE,
    )
    assert door.spent.rho is not None
