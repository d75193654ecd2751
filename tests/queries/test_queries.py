"""Real-valued queries and workloads: sensitivities by search, answers, refusals."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from synth import queries
from synth.door import Door
from synth.errors import ArgumentError, ReleaseError
from synth.ledger.ledger import Ledger
from synth.noise.elliptical import Least
from synth.noise.knorm import Norm
from synth.privacy.guarantee import Guarantee, Neighbors
from synth.queries.workloads import CountingQueries

LOOSE = Guarantee.pure(10**5)


def test_statistics_are_right_up_to_the_grid() -> None:
    x = np.array([0.1, 0.5, 0.9, 7.0, -3.0])
    pulled = np.clip(x, -1, 1)
    near = {"abs": 0.01}
    assert queries.mean(x, low=-1, high=1).release(LOOSE).value == pytest.approx(
        pulled.mean(), **near
    )
    assert queries.total(x, low=-1, high=1).release(LOOSE).value == pytest.approx(
        pulled.sum(), **near
    )
    squares = queries.sum_of_squares(x, bound=1).release(LOOSE).value
    assert squares == pytest.approx((pulled**2).sum(), **near)


@pytest.mark.parametrize("shape", [*Norm, *Least])
def test_vector_mean_for_every_noise(shape: Norm | Least) -> None:
    rows = np.array([[0.25, 10.0], [0.75, 30.0]])
    bounds = [(0, 1), ("0", "50")]
    query = queries.vector_mean(rows, bounds=bounds, shape=shape)
    guarantee = Guarantee.zcdp(10**6) if isinstance(shape, Least) else Guarantee.pure(10**3)
    answer = query.release(guarantee)
    assert answer.value == pytest.approx([0.5, 20], abs=0.6)
    assert answer.hardened
    assert answer.deviation.shape == (2,)


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_one_row_never_moves_a_sum_by_more_than_its_steps(neighbors: Neighbors) -> None:
    """T3, T8: the integers that get the noise, over rows at, in and far outside the bounds."""
    bounds = [(-1, "0.3"), (2, 7)]
    corners = list(product([-1e300, -1, -0.2, 0.3, 5, math.inf], [-math.inf, 2, 4.44, 7, 1e9]))
    rest = np.array([[0.1, 3.0]] * 4)
    totals = []
    for corner in corners:
        rows = np.vstack([rest, corner])
        totals.append(queries.vector_sum(rows, bounds=bounds, neighbors=neighbors))
    fewer = queries.vector_sum(rest, bounds=bounds, neighbors=neighbors)
    others = [fewer] if neighbors is Neighbors.ADD_REMOVE else totals
    for one in totals:
        for other in others:
            assert (np.abs(one.total - other.total) <= one.steps).all()
    moves = np.max([np.abs(a.total - b.total) for a in totals for b in others], axis=0)
    assert (moves >= np.array(fewer.steps) - 1).all()


def test_the_order_of_rows_changes_nothing() -> None:
    """T3: integers add up the same in every order, floats do not."""
    rows = np.random.default_rng(1).normal(size=(1_000, 1)) * 1e6
    one = queries.vector_sum(rows, bounds=[(-(10**6), 10**6)]).total
    other = queries.vector_sum(rows[::-1], bounds=[(-(10**6), 10**6)]).total
    assert np.array_equal(one, other)
    assert rows.sum() != rows[::-1].cumsum()[-1]


def test_deviation_follows_the_declared_bounds() -> None:
    """Laplace scale (high - low)/(n eps); Gaussian sigma (high - low)/(n sqrt(2 rho))."""
    x = np.linspace(0, 1, 100)
    query = queries.mean(x, low=-2, high=2)
    laplace = query.release(Guarantee.pure(Fraction(1, 2))).deviation
    assert laplace == pytest.approx(math.sqrt(2) * 4 / 50, rel=1e-3)
    gaussian = query.release(Guarantee.zcdp(Fraction(1, 8))).deviation
    assert gaussian == pytest.approx(4 / 100 * 2, rel=1e-6)
    approximate = query.release(Guarantee.approximate(1, Fraction(1, 10**5))).deviation
    assert approximate == pytest.approx(4 / 100 * 3.7306, rel=1e-4)
    pair = queries.vector_mean(np.zeros((100, 2)), bounds=[(-2, 2)] * 2)
    both = pair.release(Guarantee.approximate(1, Fraction(1, 10**5))).deviation
    assert both == pytest.approx(4 / 100 * math.sqrt(2) / math.sqrt(2 * 0.0305566), rel=1e-3)


def test_floats_in_the_noise_are_marked() -> None:
    rows = np.zeros((4, 20))
    query = queries.vector_sum(rows, bounds=[(0, 1)] * 20, shape=Norm.L2, resolution=16)
    assert not query.release(Guarantee.pure(1)).hardened


def test_gram_is_close_and_never_negative() -> None:
    x = np.random.default_rng(2).uniform(-1, 1, (200, 2))
    design = np.column_stack([np.ones(200), x])
    near = queries.gram(x, bounds=[1, 1], guarantee=Guarantee.zcdp(10**6))
    assert near == pytest.approx(design.T @ design, abs=0.5)
    assert near[0, 0] == pytest.approx(200, abs=0.01)
    for _ in range(50):
        rough = queries.gram(x[:10], bounds=[1, 1], guarantee=Guarantee.zcdp(Fraction(1, 10)))
        assert np.linalg.eigvalsh(rough).min() > -1e-9
        assert np.array_equal(rough, rough.T) or np.allclose(rough, rough.T)


def test_clipping_eigenvalues_is_the_nearest_repair() -> None:
    matrix = np.array([[1.0, 2.0], [2.0, 1.0]])
    assert queries.clip_eigenvalues(matrix) == pytest.approx(np.full((2, 2), 1.5))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: queries.mean([1.0, math.nan], low=0, high=1),
            "values must be numbers, but NaN is among them.",
        ),
        (
            lambda: queries.mean([1.0], low=1, high=0),
            "low must be below high, but they are 1 and 0.",
        ),
        (
            lambda: queries.mean([1.0], low=1, high=math.inf),
            "high must be a number such as 1, 0.1 or 1/3, but it is 'inf'.",
        ),
        (
            lambda: queries.mean([], low=0, high=1),
            "rows must be a whole number of at least 1, but it is 0.",
        ),
        (
            lambda: queries.sum_of_squares([1.0], bound=0),
            "bound must be above 0, but it is 0.",
        ),
        (
            lambda: queries.vector_sum(np.zeros((2, 3)), bounds=[(0, 1)]),
            "values must have shape (rows, 1), but it is (2, 3).",
        ),
        (
            lambda: queries.vector_sum(np.zeros((2, 1)), bounds=[(0, 1)], resolution=-1),
            "resolution must be a whole number of at least 1, but it is -1.",
        ),
        (
            lambda: CountingQueries(np.zeros((0, 3), bool)),
            "members must be a boolean array of shape (queries, cells), not empty.",
        ),
        (
            lambda: CountingQueries(np.zeros((2, 3))),  # type: ignore[arg-type]
            "members must be a boolean array of shape (queries, cells), not empty.",
        ),
        (
            lambda: CountingQueries(np.ones((2, 3), bool)).answers(np.zeros(4)),
            "counts must have shape (3,), but it is (4,).",
        ),
        (
            lambda: CountingQueries(np.ones((2, 3), bool)).histogram_error(
                1, Neighbors.ADD_REMOVE, beta=2.0
            ),
            "beta must be between 1e-300 and 1, but it is 2.0.",
        ),
    ],
)
def test_bad_arguments_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_workload_sensitivity_by_search(neighbors: Neighbors) -> None:
    random = np.random.default_rng(3)
    for _ in range(20):
        workload = CountingQueries(random.random((4, 5)) < 0.4)
        rows = np.eye(5, dtype=int)
        pairs = [(a, np.zeros(5, int)) for a in rows]  # left out, or not there
        if neighbors is Neighbors.REPLACE_ONE:
            pairs += [(a, b) for a in rows for b in rows]
        moved = max(np.abs(workload.answers(a) - workload.answers(b)).sum() for a, b in pairs)
        assert workload.sensitivity(neighbors) == moved


def test_bounds_hold_and_the_advice_follows_them() -> None:
    random = np.random.default_rng(4)
    workload = CountingQueries(random.random((50, 400)) < 0.5)
    beta, epsilon = 0.1, Fraction(1)
    bound = workload.histogram_error(epsilon, Neighbors.REPLACE_ONE, beta=beta)
    direct = workload.direct_error(epsilon, Neighbors.REPLACE_ONE, beta=beta)
    from synth.noise.laplace import DiscreteLaplace

    noise = DiscreteLaplace(Fraction(2)).draw(400 * 300).reshape(300, 400).astype(float)
    worst = np.abs(noise @ workload.members.T).max(axis=1)
    assert np.mean(worst > bound) <= beta
    assert np.mean(worst > bound / 3) > beta
    mechanism = workload.direct(epsilon, Neighbors.REPLACE_ONE)
    one_by_one = np.abs(mechanism.draw(50 * 300).reshape(300, 50)).max(axis=1)
    assert np.mean(one_by_one > direct) <= 0.2
    words = workload.advice(epsilon, Neighbors.REPLACE_ONE, beta=beta)
    assert ("one by one" in words) == (direct < bound)
    few = CountingQueries(np.ones((1, 10_000), bool))
    assert "one by one" in few.advice(epsilon, Neighbors.ADD_REMOVE)


def _door(guarantee: Guarantee, neighbors: Neighbors = Neighbors.REPLACE_ONE) -> Door:
    return Door(
        ledger=Ledger(), dataset="x", neighbors=neighbors, guarantee=guarantee, purpose="test"
    )


def test_queries_leave_by_the_door() -> None:
    """Half for the mean, half for X'X, and then nothing is left."""
    door = _door(Guarantee.zcdp(10**6))
    x = np.linspace(0, 1, 50)
    half = Guarantee.zcdp(5 * 10**5)
    mean = queries.mean(x, low=0, high=1)
    assert mean.through(door, half).value == pytest.approx(0.5, abs=0.01)

    def by_the_door(statistic: queries.Statistic, part: Guarantee) -> queries.NoisyStatistic:
        return statistic.through(door, part)

    matrix = queries.gram(x[:, None], bounds=[1], guarantee=half, release=by_the_door)
    assert matrix[0, 1] == pytest.approx(25, abs=0.1)
    with pytest.raises(ReleaseError, match="more than is left"):
        mean.through(door, Guarantee.zcdp(1))


def test_the_door_knows_its_neighbors() -> None:
    query = queries.total([0.5], low=0, high=1, neighbors=Neighbors.ADD_REMOVE)
    with pytest.raises(ReleaseError) as caught:
        query.through(_door(Guarantee.pure(1)), Guarantee.pure(1))
    assert str(caught.value) == "The query is about add-remove, this release about replace-one."
    assert "0.5" not in repr(query)


def test_a_workload_is_answered_one_by_one() -> None:
    """A partition of any size costs 2, in the squared l2 norm too."""
    workload = CountingQueries(np.eye(6, dtype=bool))
    query = workload.statistic(np.arange(6), Neighbors.REPLACE_ONE)
    assert [query.sensitivity(norm) for norm in (Norm.L1, Norm.MAX)] == [2, 1]
    assert query.square == 2
    answer = query.through(_door(Guarantee.pure(100)), Guarantee.pure(100))
    assert answer.value == pytest.approx(np.arange(6), abs=1)
    assert answer.deviation[0] == pytest.approx(
        workload.direct(100, query.neighbors).variance ** 0.5
    )
