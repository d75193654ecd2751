"""What `auto` chooses, from the plan alone or from what it measured, and what cannot be
chosen.
"""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, combinations

import numpy as np
import pytest

from synth.errors import DomainError, LimitError
from synth.estimate import (
    Account,
    Choice,
    Method,
    cells,
    choose,
    first_share,
    prospect,
    small_pairs,
)
from synth.estimate.models.choosing import TableSize
from synth.privacy import Guarantee, Neighbors, Unit
from synth.private.counting.counts import CountedRows
from tests.models.doors import (
    EPSILON_ONE,
    EPSILON_ONE_AND_DELTA,
    hold_rows,
    make_domain,
    make_record,
    mean_pair_distance,
    release,
)
from tests.models.test_pieces import make_mixture

ADULT = ((85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2), 48_842)

MASSACHUSETTS = ((20, 2, 7, 9, 3, 3, 13, 11, 7, 2), 7_634)


@pytest.mark.parametrize(
    ("table", "epsilon", "pure", "strategy"),
    [
        # What measured releases say: pairs lose, pairs win, in total variation.
        (MASSACHUSETTS, "3/20", True, Method.INDEPENDENT),  # .117 against .113
        (MASSACHUSETTS, "3/10", True, Method.ONE_SHOT),  # .080 against .094
        (MASSACHUSETTS, "1/2", True, Method.ONE_SHOT),  # .057 against .086
        (MASSACHUSETTS, "1/10", False, Method.INDEPENDENT),  # .126 against .116, pure
        (ADULT, "1/10", False, Method.ONE_SHOT),  # .088 against .100, pure
        (ADULT, "1/2", False, Method.ONE_SHOT),
    ],
)
def test_auto_goes_for_pairs_where_they_are_likely_to_be_worth_it(
    table: tuple[tuple[int, ...], int], epsilon: str, pure: bool, strategy: Method
) -> None:
    """`auto` measures pairs (one-shot) only if their noise is expected to harm less than
    taking columns as independent does.

    A table is its columns' numbers of cells, and its rows. Comments give measured total
    variations of pairs against columns alone; "pure" if they were measured without a delta.
    """
    shape, rows = table
    charged = (
        Guarantee.pure(Fraction(epsilon))
        if pure
        else Guarantee.approximate(Fraction(epsilon), EPSILON_ONE_AND_DELTA.delta)
    )
    accounts = [
        Account.open(charged, Neighbors.ADD_REMOVE, Unit(), pure=is_pure)
        for is_pure in (pure, True)
    ]
    size = TableSize(shape=shape, rows=rows, rows_are_public=False, most_cells=10**7)
    assert choose(*accounts, size, pairs=45)[0] is strategy


def test_few_columns_are_quieter_without_the_delta() -> None:
    """`auto` takes the account, in epsilon or in rho, whose noise on the pairs is lower.

    Both have the same guarantee. For five columns with ten pairs epsilon buys less noise than
    rho; for twenty columns with 190 pairs rho does.
    """
    charged = Guarantee.approximate(Fraction(1, 5), EPSILON_ONE_AND_DELTA.delta)
    rho, pure = (
        Account.open(charged, Neighbors.ADD_REMOVE, Unit(), pure=is_pure)
        for is_pure in (False, True)
    )
    options = {"rows_are_public": False, "most_cells": 1}
    few_columns = TableSize(shape=(3, 4, 2, 5, 6), rows=20_000, **options)
    many_columns = TableSize(shape=(6,) * 20, rows=100_000, **options)
    of_few_columns = choose(rho, pure, few_columns, pairs=10)
    of_many_columns = choose(rho, pure, many_columns, pairs=190)
    assert of_few_columns == (Method.ONE_SHOT, pure)
    assert of_many_columns == (Method.ONE_SHOT, rho)


TITANIC = ((2, 3, 2, 21, 4), 891)

FIVE = ((21, 16, 7, 2, 2), 32_561)

SOME = (FIVE[0], 2_000)


@pytest.mark.parametrize(
    ("table", "neighbors", "epsilon", "strategy"),
    [
        # What measured releases say of histogram, pairs and columns, in total variation.
        (TITANIC, Neighbors.REPLACE_ONE, "3/10", Method.INDEPENDENT),  # .300, .207, .172
        (TITANIC, Neighbors.REPLACE_ONE, "1", Method.HISTOGRAM),  # .103, .117, .123
        (TITANIC, Neighbors.ADD_REMOVE, "3/10", Method.INDEPENDENT),  # .173, .124, .133
        (TITANIC, Neighbors.ADD_REMOVE, "1", Method.HISTOGRAM),  # .050, .070, .118
        (FIVE, Neighbors.REPLACE_ONE, "3/10", Method.ONE_SHOT),  # .045, .039, .127
        (FIVE, Neighbors.REPLACE_ONE, "1", Method.HISTOGRAM),  # .016, .017, .127
        (FIVE, Neighbors.ADD_REMOVE, "1/10", Method.ONE_SHOT),  # .068, .050, .128
        (FIVE, Neighbors.ADD_REMOVE, "3", Method.HISTOGRAM),  # .002, .004, .127
        (SOME, Neighbors.REPLACE_ONE, "1", Method.ONE_SHOT),  # .147, .120, .151
        (SOME, Neighbors.REPLACE_ONE, "10", Method.HISTOGRAM),  # .011, .027, .144
    ],
)
def test_auto_takes_the_histogram_where_rows_are_heard_through_its_noise(
    table: tuple[tuple[int, ...], int], neighbors: Neighbors, epsilon: str, strategy: Method
) -> None:
    """`auto` measures the histogram of all columns if that is expected to be nearest, and
    never if it is too large or if only rho is available.

    Tables are the Titanic's 891 passengers, Adult's 32,561 rows of five columns, and 2,000
    rows like these. Comments give measured total variations of histogram, pairs and columns.
    """
    shape, rows = table
    account = Account(Guarantee.pure(Fraction(epsilon)), neighbors)
    public = neighbors is Neighbors.REPLACE_ONE
    size = TableSize(shape=shape, rows=rows, rows_are_public=public, most_cells=10**7)
    assert choose(account, account, size, pairs=10) == (strategy, account)

    # 1,007 cells are one less than the smaller of the tables has; None: no budget in epsilon.
    large = choose(account, account, replace(size, most_cells=1_007), pairs=10)[0]
    assert Method.HISTOGRAM not in (large, choose(account, None, size, pairs=10)[0])


def test_columns_get_most_of_their_share_at_once() -> None:
    """Columns are first measured with three quarters of their likely share of the budget.

    The forecast knows only cells and rows; the rest follows once distances are known. With 30
    rows no pair is worth its cost, an error of infinity; columns then get three quarters of
    the whole budget of 1.
    """
    pure, rho = (
        Account(g, Neighbors.ADD_REMOVE)
        for g in (EPSILON_ONE, Guarantee.zcdp(Fraction(1, 50)))
    )
    shape, rows = (6,) * 8, 20_000.0
    for account in (pure, rho):
        likely = prospect(account, shape, rows)
        assert first_share(account, shape, rows) == Fraction(3, 4) * likely.columns > 0

    few = prospect(pure, shape, 30.0)
    assert (few.columns, few.pairs) == (0, math.inf), "pairs are not worth it"
    assert first_share(pure, shape, 30.0) == Fraction(3, 4)


def test_distances_are_told_again_when_columns_are() -> None:
    """When columns are repaired from fewer measurements, the distances of pairs are estimated
    again, as they depend on how diverse the columns are.
    """
    codes, shape = make_mixture(rows=3_000)
    evidence = release(hold_rows(codes, shape), Method.ONE_SHOT)[1].evidence
    distances_before = dict(evidence.distances)

    evidence.measured[:] = evidence.measured[:8]  # as if no more had been measured
    evidence.repair_columns()
    assert evidence.distances != distances_before


@pytest.mark.parametrize("guarantee", [EPSILON_ONE, EPSILON_ONE_AND_DELTA])
@pytest.mark.parametrize("neighbors", Neighbors)
def test_auto_measures_all_columns_in_one_with_all_that_is_left(
    guarantee: Guarantee, neighbors: Neighbors
) -> None:
    """With 20,000 rows `auto` spends all its budget on one histogram of all columns; with 200
    rows it measures one or two columns at a time.

    If the number of rows is not public, a fiftieth of epsilon first measures it, by the
    smallest column, c3. A noisy 20,000 is not taken for 3,750, nor 200 for 2,500: the noise
    would have to be 130 and 18 deviations.
    """
    codes, shape = make_mixture(rows=20_000)
    _, session, door = release(hold_rows(codes, shape), Method.AUTO, guarantee, neighbors)
    public = neighbors is Neighbors.REPLACE_ONE
    assert [spend.columns for spend in session.evidence.spends] == [("c3",)] * (
        not public
    ) + [("c0", "c1", "c2", "c3", "c4", "c5")]
    assert session.evidence.spends[-1].cost == Guarantee.pure(
        1 if public else Fraction(49, 50)
    )
    assert door.spent == EPSILON_ONE

    few = release(hold_rows(codes[:200], shape), Method.AUTO, guarantee, neighbors)[1]
    assert all(len(spend.columns) < 3 for spend in few.evidence.spends)


def test_a_histogram_says_how_far_off_each_pair_inside_will_be() -> None:
    """A release by histogram states an expected error for the histogram and for each of its
    15 pairs, and the drawn pairs are off by about that.

    A pair inside the histogram is marked as measured. The mean is between .4 and 1.6 of the
    forecast.
    """
    codes, shape = make_mixture(rows=20_000)
    fitted, session, _ = release(hold_rows(codes, shape), Method.HISTOGRAM)
    bars = {bar.names: bar for bar in make_record(session, fitted, shape, EPSILON_ONE).bars}
    assert len(bars) == 1 + 15  # all six columns, and their pairs
    names = make_domain(shape).names
    assert bars[names].measured
    assert all(bars[pair].measured for pair in combinations(names, 2))

    expected = np.mean([bars[pair].expected for pair in combinations(names, 2)])
    assert 0.4 < mean_pair_distance(codes, fitted.codes, shape) / expected < 1.6


def test_marginals_counted_beforehand_hold_what_auto_may_ask_for() -> None:
    """A cluster counts all marginals beforehand that a method may ask for: columns, pairs,
    and, for `auto`, the histogram of all columns if it is small enough to be measured.

    5 by 4 by 6 cells are; 150 by 150 by 150 are not. One-shot never needs the histogram.
    """
    for shape, sizes in (((5, 4, 6), {1, 2, 3}), ((150,) * 3, {1, 2})):
        of_auto = Choice(method=Method.AUTO).marginals(make_domain(shape))
        assert len(of_auto) == len(set(of_auto))
        assert {len(clique) for clique in of_auto} == sizes
        of_one_shot = Choice(method=Method.ONE_SHOT).marginals(make_domain(shape))
        assert {len(clique) for clique in of_one_shot} == {1, 2}


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", Neighbors)
def test_marginals_counted_beforehand_give_all_that_auto_asks_for(
    neighbors: Neighbors,
) -> None:
    """Marginals that were counted beforehand, as a cluster does, are all that `auto`
    needs.

    `CountedRows` has no rows: it fails on a marginal that was not counted beforehand. 20,000
    rows are enough for the histogram of all columns, 2,000 are not and lead to pairs.
    """
    strategies = set()
    for count in (20_000, 2_000):
        codes, shape = make_mixture(rows=count)
        rows = hold_rows(codes, shape)
        counts_of_marginals = {
            group: rows.count(group) for group in Choice().marginals(rows.domain)
        }
        cells = {
            group: (counts.cells, counts.counts)
            for group, counts in counts_of_marginals.items()
        }
        fitted, session, _ = release(
            CountedRows(domain=rows.domain, marginals=cells, rows=count),
            Method.AUTO,
            EPSILON_ONE,
            neighbors,
        )
        assert session.left == 0
        strategies.add(fitted.strategy)
    assert strategies == {Method.HISTOGRAM, Method.ONE_SHOT}


# Choices that cannot be.


def test_what_cannot_be_chosen_is_refused_before_anything_is_spent() -> None:
    """A plan whose model is too large, or whose groups name wrong columns, is refused before
    anything is measured.

    The columns have 3,000, 3,000 and 2,000 cells; a model may take 1 MB. The smallest pair
    has 3,000 * 2,000 cells; the group of c0 and c1, with c2, has 3,000 * 3,000 + 2,000.
    `auto` can do without pairs.
    """
    wide = make_domain((3_000, 3_000, 2_000))
    with pytest.raises(
        LimitError, match=r"Even one pair needs 6,000,000 cells.*Coarsen 'c0'"
    ):
        Choice(method=Method.TREE, max_model_mb=1).check_model(wide)
    with pytest.raises(LimitError, match=r"The groups need a model of 9,002,000 cells"):
        Choice(method=Method.GROUPS, groups=(("c0", "c1"),), max_model_mb=1).check_model(wide)
    Choice(method=Method.AUTO, max_model_mb=1).check_model(wide)

    for groups, message in [
        ((), "needs groups"),
        ((("c0", "x"),), "names the column 'x'"),
        ((("c0", "c0"),), "names a column twice"),
        ((("c0", "c1"), ("c1", "c0")), "hold the same columns"),
    ]:
        with pytest.raises(DomainError, match=message):
            Choice(method=Method.GROUPS, groups=groups).check_model(wide)


def test_small_pairs_are_those_of_the_definition() -> None:
    """`small_pairs` returns the smallest pairs whose cells together are within the limit.

    A column of one cell, here column 1, has no pairs. The limits take none, some and all
    pairs.
    """
    shape = (7, 1, 3, 3, 90, 2, 41, 7)
    pairs = sorted(
        combinations([0, 2, 3, 4, 5, 6, 7], 2), key=lambda pair: cells(shape, pair)
    )
    for max_cells in (0, 5, 60, 700, 10**6):
        sums = accumulate(cells(shape, pair) for pair in pairs)
        expected = sorted(
            pair for pair, total in zip(pairs, sums, strict=True) if total <= max_cells
        )
        assert small_pairs(shape, max_cells) == tuple(expected)
