"""Intervals from noisy matrices that are made up: each bound holds for the worst noise."""

import math
from fractions import Fraction

import numpy as np
import pytest

from synth.domain import Steps
from synth.noise import DiscreteLaplace, norm_reach
from synth.questions import parse
from synth.questions.answers.moments import COLLINEAR, directions, lines, spreads
from synth.questions.answers.noisy_moments import NoisySums
from synth.questions.moments.spans import Span
from synth.util import Floats

WEIGHT, ROWS, LEVEL = 1_000, 1_000.0, 0.95
SCALE = Fraction(2 * WEIGHT**2)
"""Of noise in steps: about two rows."""


def made_up(question: str, matrix: Floats, *, rows_are_public: bool = True) -> NoisySums:
    """Noisy sums of 1,000 rows, of columns with real numbers from -1 to 1, as this matrix."""
    columns = len(matrix) - 1
    return NoisySums(
        question=parse(question),
        matrix=matrix[None],
        rows_are_public=rows_are_public,
        weight=WEIGHT,
        steps=tuple(
            Steps(column=i, middle=0.0, grid=1 / WEIGHT, most=WEIGHT) for i in range(columns)
        ),
        spans=tuple(Span(axis=i, low=-1.0, high=1.0, unit=None) for i in range(columns)),
        noise=DiscreteLaplace(SCALE),
    )


def reach_in_rows(level: float) -> float:
    """The least size that noise stays within, by P(|Z| >= t) = 2 q^t / (1 + q)."""
    q = math.exp(-1 / float(SCALE))
    return math.ceil(math.log((1 - level) * (1 + q) / 2) / math.log(q) - 1) / WEIGHT**2


@pytest.mark.parametrize("mean", [0.0, 0.5, 0.9])
def test_the_interval_of_a_variance_holds_for_the_worst_mean_within_the_noise(
    mean: float,
) -> None:
    """Half the interval of a variance allows for the worst true mean, and for hardly more.

    `made_up` gives noisy sums of 1,000 rows, here of one column from -1 to 1 of variance 0.1.
    Noise that is off by `off` counts once with twice the true mean, and once squared. Values
    are rounded by half a step each. The interval may exceed this by terms of second order, 3
    off^2.
    """
    square = mean**2 + 0.1
    matrix = ROWS * np.array([[1, mean], [mean, square]])
    interval = spreads(made_up("variance x", matrix), LEVEL)

    off = reach_in_rows(LEVEL) / ROWS
    linear = off * math.sqrt(1 + 4 * (mean + off) ** 2)
    rounding = 2 * math.sqrt(0.1) / (2 * WEIGHT) + 1 / (2 * WEIGHT) ** 2
    needed = linear + off**2 + rounding

    assert interval.value[0] == pytest.approx(0.1)
    half = float(interval.high[0] - interval.value[0])
    assert needed <= half <= needed + 3 * off**2
    assert float(interval.value[0] - interval.low[0]) == pytest.approx(half)


def regression_with_least_eigenvalue(least: float) -> NoisySums:
    """Sums of an outcome and a column, of which the second hardly varies."""
    matrix = np.array([[ROWS, 0, 0], [0, np.nan, 0.5 * least], [0, 0.5 * least, least]])
    return made_up("regression y on x", matrix)


@pytest.mark.parametrize("times", [0.6, 0.99])
def test_slopes_of_a_matrix_that_noise_could_make_singular_have_no_intervals(
    times: float,
) -> None:
    """Slopes have no intervals if noise could make the matrix of the regressors singular.

    `times` is its least eigenvalue over the reach of the noise's norm: below 1 the intervals
    are missing, and the remark COLLINEAR says why. With twice the reach there are intervals.
    """
    noisy = np.array([[False, True], [True, True]])
    norm = norm_reach(made_up("variance x", np.eye(2)).law, noisy, LEVEL) / WEIGHT**2

    hidden = lines(regression_with_least_eigenvalue(times * norm), LEVEL)
    assert np.isnan(hidden.low).all()
    assert np.isnan(hidden.high).all()
    assert COLLINEAR in hidden.remarks

    clear = lines(regression_with_least_eigenvalue(2 * norm), LEVEL)
    assert (clear.low < clear.value).all()
    assert (clear.value < clear.high).all()
    assert COLLINEAR not in clear.remarks


@pytest.mark.parametrize("rows_are_public", [True, False])
def test_directions_are_unit_vectors_whose_largest_coordinate_is_positive(
    *, rows_are_public: bool
) -> None:
    """Directions are unit vectors, oriented by their largest coordinate, and in the right
    order.

    `made_up` gives the noisy sums of a matrix: 20 random rotations of the variances 0.7, 0.4
    and 0.1. Each of the three axes has five numbers: its variance, three coordinates, and a
    bound on its angle.
    """
    random = np.random.default_rng(8)
    for _ in range(20):
        turned = np.linalg.qr(random.normal(size=(3, 3)))[0]
        variances = np.array([0.7, 0.4, 0.1])
        matrix = np.zeros((4, 4))
        matrix[0, 0] = ROWS
        matrix[1:, 1:] = ROWS * (turned * variances) @ turned.T

        sums = made_up("components x, y, z", matrix, rows_are_public=rows_are_public)
        intervals = directions(sums, LEVEL)
        value, low, high = (
            numbers.reshape(3, 5)
            for numbers in (intervals.value, intervals.low, intervals.high)
        )

        assert value[:, 0] == pytest.approx(variances)
        assert (low[:, 0] < variances).all()
        assert (variances < high[:, 0]).all()

        vectors = value[:, 1:4]
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3))
        assert (vectors.max(axis=1) == np.abs(vectors).max(axis=1)).all()
        # Up to their signs the directions are the columns of the rotation.
        assert np.abs((vectors * turned.T).sum(axis=1)) == pytest.approx(np.ones(3))


def test_the_reach_of_noise_has_a_highest_level() -> None:
    """Noise stays within `reach` with the level's chance, which is at most 1 - 1e-7.

    Any higher level has the reach of that one.
    """
    sums = made_up("variance x", ROWS * np.eye(2))
    assert sums.reach(LEVEL) == pytest.approx(reach_in_rows(LEVEL))
    assert sums.reach(1 - 1e-12) == pytest.approx(reach_in_rows(1 - 1e-7), rel=1e-6)
