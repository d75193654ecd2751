"""The pictures of the Learn page: their numbers against the notes, their words, their speed."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from synth.lessons import notes
from synth.plots import Picture

ALL: list[Callable[[], Picture]] = [
    lambda: notes.noise_densities(0.05, 1e-9),
    lambda: notes.noise_densities(5.0, 1e-3),
    lambda: notes.privacy_loss(1.0, 1e-5),
    lambda: notes.privacy_loss(0.05, 1e-9),
    lambda: notes.privacy_loss(5.0, 1e-3),
    lambda: notes.radii(2),
    lambda: notes.radii(50),
    lambda: notes.ball_ratios(2, 0.05),
    lambda: notes.ball_ratios(50, 5.0),
    lambda: notes.k_norms(50, 1),
    lambda: notes.responses(0.05, 0.01, 100),
    lambda: notes.ellipses(1, 1),
    lambda: notes.ellipses(50, 20),
    lambda: notes.composition(1.0, 1e-6, 1_000),
    lambda: notes.selections(5.0, 1_000),
    lambda: notes.corner_bins(11, 100, 0.05),
    lambda: notes.corner_bins(1_001, 10_000, 5.0),
    lambda: notes.universes(0.05, 1_000_000),
    lambda: notes.theorem(0.05, 500),
    lambda: notes.means(100, 0.01),
    lambda: notes.lost_definiteness(0.01),
]


@pytest.mark.parametrize("draw", ALL)
def test_every_picture_has_words_and_finite_numbers(draw: Callable[[], Picture]) -> None:
    picture = draw()
    assert picture.alt.endswith(".")
    assert "nan" not in picture.alt
    numbers = picture.table.select_dtypes("number").to_numpy()
    assert not np.isinf(numbers).any()


def test_loss_curves_are_the_exact_ones() -> None:
    table = notes.privacy_loss(1.0, 1e-5).table
    at = table["epsilon"].to_numpy()
    row = int(np.argmin(np.abs(at - 0.5)))
    e = at[row]
    # integral of max(0, p - e^e q) for Laplace of scale 1 moved by 1
    x = np.linspace(-40, 40, 400_001)
    gap = np.exp(-np.abs(x)) / 2 - math.exp(e) * np.exp(-np.abs(x - 1)) / 2
    assert table["Laplace"][row] == pytest.approx(np.trapezoid(np.maximum(gap, 0), x), rel=1e-4)
    assert np.isnan(table["Laplace"][at > 1]).all()
    assert np.interp(1.0, at, table["Gaussian"]) == pytest.approx(1e-5, rel=0.05)


def test_ball_ratios_are_those_of_the_note() -> None:
    """M4: 22, 112 and 772 for the wrong radius; the right one keeps below e."""
    for t, ratio in ((0.5, 22.48), (0.25, 111.8), (0.1, 772.2)):
        assert notes._ball_ratio(t, 3, 1.0, 1) == pytest.approx(ratio, rel=0.01)
    for dimension in (2, 3, 10, 50):
        table = notes.ball_ratios(dimension, 1.0).table
        assert (table["right: Erlang"] <= math.e * 1.001).all()
        assert table["wrong: exponential"].max() > 5 * math.e


def test_radii_are_densities() -> None:
    table = notes.radii(10).table
    r = table.iloc[:, 0]
    assert table["right: Erlang"].to_numpy() == pytest.approx(stats.gamma(10).pdf(r))


def test_corner_bins_are_those_of_the_exercise() -> None:
    assert "20.72 expected, at most 29" in notes.corner_bins(11, 100, 1.0).alt
    assert "at most 34 with noise" in notes.corner_bins(11, 100, 1.0).alt
    assert "19.38 expected, at most 28" in notes.corner_bins(1_001, 10_000, 1.0).alt
    table = notes.corner_bins(11, 1_000, 1.0).table
    assert table["with noise"].sum() == pytest.approx(1, abs=1e-4)


def test_selection_chances_add_up_and_flips_do_no_worse() -> None:
    for epsilon in (0.05, 0.5, 5.0):
        table = notes.selections(epsilon, 100).table
        assert table["exponential"].sum() == pytest.approx(1)
        assert table["permute and flip"].sum() == pytest.approx(1)
        assert table["permute and flip"][0] >= table["exponential"][0] - 1e-9


def test_seen_errors_are_near_their_formulas() -> None:
    table = notes.ellipses(10, 3).table
    assert table["formula"].to_numpy() == pytest.approx([412, 169, 188], rel=0.01)
    assert table["seen"].to_numpy() == pytest.approx(table["formula"].to_numpy(), rel=0.5)
    theorem = notes.theorem(1.0, 200).table
    rule = theorem["rule: 1.08 b √(X ln k)"].to_numpy()
    assert theorem["as they come"].to_numpy() == pytest.approx(rule, rel=0.6)
    assert theorem["negative counts clamped"].iloc[-1] > 3 * theorem["as they come"].iloc[-1]


def test_means_and_matrices_are_those_of_the_exercises() -> None:
    """E1, E2, E4: a factor sqrt(n) in the error; few rows lose definiteness, 100 do not."""
    table = notes.means(1.0, 0.5).table
    ratio = table["noise on every point"] / table["noise on the mean"]
    assert ratio.to_numpy() == pytest.approx(np.sqrt(table.iloc[:, 0].to_numpy()))
    assert table["noise on the mean"].iloc[0] == pytest.approx(1.96 * math.sqrt(2 / 0.5) / 10)
    lost = notes.lost_definiteness(0.1).table.set_index("rows")["negative eigenvalue"]
    assert lost[10] == pytest.approx(0.47, abs=0.085)
    assert lost[30] == pytest.approx(0.034, abs=0.032)
    assert lost[100] < 0.01
