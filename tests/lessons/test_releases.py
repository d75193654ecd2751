"""The pictures of many answers: their numbers against the notes, and their words."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from synth.lessons import releases
from synth.util import Picture
from tests.lessons.pictures import check_picture

ALL: list[Callable[[], Picture]] = [
    lambda: releases.composition(1.0, 1e-6, 1_000),
    lambda: releases.selections(5.0, 1_000),
    lambda: releases.corner_bins(11, 100, 0.05),
    lambda: releases.corner_bins(1_001, 10_000, 5.0),
    lambda: releases.universes(0.05, 1_000_000),
    lambda: releases.theorem(0.05, 500),
    lambda: releases.means(100, 0.01),
    lambda: releases.lost_definiteness(0.01),
]


@pytest.mark.parametrize("draw", ALL)
def test_every_picture_has_words_and_finite_numbers(draw: Callable[[], Picture]) -> None:
    check_picture(draw())


def test_corner_bins_are_those_of_the_exercise() -> None:
    """The picture says how many rows four outer bins of [-1, 1] hold, as the exercise prints
    it.

    Its rows are normal numbers. Of 11 bins, 100 rows are expected to leave 100 * 2
    (Phi(-0.636) - Phi(-1)) = 20.72 there. With 1,001 bins it is 10,000 rows, hence 19.38.
    """
    assert "20.72 expected, at most 29" in releases.corner_bins(11, 100, 1.0).alt
    assert "at most 34 with noise" in releases.corner_bins(11, 100, 1.0).alt
    assert "19.38 expected, at most 28" in releases.corner_bins(1_001, 10_000, 1.0).alt
    table = releases.corner_bins(11, 1_000, 1.0).table
    assert table["with noise"].sum() == pytest.approx(1, abs=1e-4)


def test_selection_chances_add_up_and_flips_do_no_worse() -> None:
    """Permute-and-flip chooses the best candidate at least as often as the exponential
    mechanism.
    """
    for epsilon in (0.05, 0.5, 5.0):
        table = releases.selections(epsilon, 100).table
        assert table["exponential"].sum() == pytest.approx(1)
        assert table["permute and flip"].sum() == pytest.approx(1)
        assert table["permute and flip"][0] >= table["exponential"][0] - 1e-9


def test_seen_errors_of_the_theorem_are_near_its_rule() -> None:
    """The simulated largest error of k queries follows the rule of the theorem, 1.08 b sqrt(X
    ln k).

    Here b is the scale of the noise on each of X cells. It is a mean of 12 runs, hence the
    tolerance of 60 %.

    Clamping negative counts to 0 gives noise with a mean above 0. It adds up over many cells,
    so the last error is more than three times as large.
    """
    theorem = releases.theorem(1.0, 200).table
    rule = theorem["rule: 1.08 b √(X ln k)"].to_numpy()
    assert theorem["as they come"].to_numpy() == pytest.approx(rule, rel=0.6)
    assert theorem["negative counts clamped"].iloc[-1] > 3 * theorem["as they come"].iloc[-1]


def test_means_and_matrices_are_those_of_the_exercises() -> None:
    """Noise on every point has sqrt(n) times the error of noise on the mean, as in E1 and E2.

    With 100 rows, points in [-1, 1] and rho 0.5, 95 % of the errors of the mean are within
    1.96 sqrt(2 / 0.5) / 10.

    By E4, a noisy matrix of 10 rows often has a negative eigenvalue, and one of 100 rows
    hardly ever.
    """
    table = releases.means(1.0, 0.5).table
    ratio = table["noise on every point"] / table["noise on the mean"]
    assert ratio.to_numpy() == pytest.approx(np.sqrt(table.iloc[:, 0].to_numpy()))
    assert table["noise on the mean"].iloc[0] == pytest.approx(1.96 * math.sqrt(2 / 0.5) / 10)

    # Shares of 1,000 runs; the tolerances are more than 5 standard deviations.
    lost = releases.lost_definiteness(0.1).table.set_index("rows")["negative eigenvalue"]
    assert lost[10] == pytest.approx(0.47, abs=0.085)
    assert lost[30] == pytest.approx(0.034, abs=0.032)
    assert lost[100] < 0.01
