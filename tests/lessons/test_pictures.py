"""Every picture of the lessons has words, and numbers that are finite."""

from collections.abc import Callable

import numpy as np
import pytest

from synth.lessons import noises, releases
from synth.util.plots import Picture

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
    lambda: releases.composition(1.0, 1e-6, 1_000),
    lambda: releases.selections(5.0, 1_000),
    lambda: releases.corner_bins(11, 100, 0.05),
    lambda: releases.corner_bins(1_001, 10_000, 5.0),
    lambda: releases.universes(0.05, 1_000_000),
    lambda: releases.theorem(0.05, 500),
    lambda: releases.means(100, 0.01),
    lambda: releases.lost_definiteness(0.01),
]


def check(picture: Picture) -> None:
    assert picture.alt.endswith(".")
    assert "nan" not in picture.alt
    numbers = picture.table.select_dtypes("number").to_numpy()
    assert not np.isinf(numbers).any()


@pytest.mark.parametrize("draw", ALL)
def test_every_picture_has_words_and_finite_numbers(draw: Callable[[], Picture]) -> None:
    check(draw())
