"""The pictures of single answers: their numbers against the notes, and their words."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from synth.lessons import noises
from synth.util import Picture
from tests.lessons.pictures import check_picture

ALL: list[Callable[[], Picture]] = [
    lambda: noises.noise_densities(0.05, 1e-9),
    lambda: noises.noise_densities(5.0, 1e-3),
    lambda: noises.privacy_loss(1.0, 1e-5),
    lambda: noises.privacy_loss(0.05, 1e-9),
    lambda: noises.privacy_loss(5.0, 1e-3),
    lambda: noises.radii(2),
    lambda: noises.radii(50),
    lambda: noises.ball_ratios(2, 0.05),
    lambda: noises.ball_ratios(50, 5.0),
    lambda: noises.k_norms(50, 1),
    lambda: noises.responses(0.05, 0.01, 100),
    lambda: noises.ellipses(1, 1),
    lambda: noises.ellipses(50, 20),
]


@pytest.mark.parametrize("draw", ALL)
def test_every_picture_has_words_and_finite_numbers(draw: Callable[[], Picture]) -> None:
    check_picture(draw())


def test_loss_curves_are_the_exact_ones() -> None:
    """The curves of delta are exact: at 0.5 for Laplace noise, and at 1 for Gaussian noise.

    Delta is the integral of max(0, p - e^epsilon q), where p and q are the densities of two
    neighbours. Laplace noise for epsilon 1 has delta 0 above 1, which is not drawn. Gaussian
    noise for epsilon 1 and delta 1e-5 has this delta at 1.
    """
    table = noises.privacy_loss(1.0, 1e-5).table
    epsilons = table["epsilon"].to_numpy()
    row = int(np.argmin(np.abs(epsilons - 0.5)))

    # The integral for Laplace noise of scale 1, and for the same noise moved by 1.
    x = np.linspace(-40, 40, 400_001)
    gap = np.exp(-np.abs(x)) / 2 - math.exp(epsilons[row]) * np.exp(-np.abs(x - 1)) / 2
    assert table["Laplace"][row] == pytest.approx(
        np.trapezoid(np.maximum(gap, 0), x), rel=1e-4
    )
    assert np.isnan(table["Laplace"][epsilons > 1]).all()

    assert np.interp(1.0, epsilons, table["Gaussian"]) == pytest.approx(1e-5, rel=0.05)


def test_ball_ratios_are_those_of_the_note() -> None:
    """With a wrong radius, answers near the truth are far likelier than from a neighbour
    (M4).

    The note gives the ratios 22, 112 and 772 in three dimensions at epsilon 1. An exponential
    radius is wrong, and an Erlang radius is right: its ratio stays below e.
    """
    for t, ratio in ((0.5, 22.48), (0.25, 111.8), (0.1, 772.2)):
        assert noises.ball_ratio(t, 3, 1.0, shape=1) == pytest.approx(ratio, rel=0.01)
    for dimension in (2, 3, 10, 50):
        table = noises.ball_ratios(dimension, 1.0).table
        assert (table["right: Erlang"] <= math.e * 1.001).all()
        assert table["wrong: exponential"].max() > 5 * math.e


def test_radii_are_densities() -> None:
    """The right radius of noise in 10 dimensions has the density of a Gamma law
    of shape 10.
    """
    table = noises.radii(10).table
    r = table.iloc[:, 0]
    assert table["right: Erlang"].to_numpy() == pytest.approx(stats.gamma(10).pdf(r))


def test_seen_errors_of_ellipses_are_near_their_formulas() -> None:
    """Simulated total variances of noise on a sum are near their formulas, by shape of the
    noise.

    Ranges of 10, 1, 1 and 1 have 412 for a sphere, 169 for the ellipse of least variance, and
    188 for that of least absolute error.
    """
    table = noises.ellipses(10, 3).table
    assert table["formula"].to_numpy() == pytest.approx([412, 169, 188], rel=0.01)
    # Means of 400 runs.
    assert table["seen"].to_numpy() == pytest.approx(table["formula"].to_numpy(), rel=0.5)
