"""Columns repaired with the help of their neighbouring cells."""

import numpy as np
import pytest

from synth.repair.column import repair_column
from synth.repair.histogram import project_to_simplex

ROWS = 50_000.0
REPEATS = 60


def gain(true, sigma, seed=0):
    """Error of smoothing over error of the projection alone, on average."""
    generator = np.random.default_rng(seed)
    smoothed = plain = 0.0
    for _ in range(REPEATS):
        noisy = true + generator.normal(0, sigma, true.size).round()
        smoothed += abs(repair_column(noisy, sigma**2, true.sum()) - true).sum()
        plain += abs(project_to_simplex(noisy, true.sum()) - true).sum()
    return smoothed / plain


def ages(cells=85):
    places = np.arange(cells)
    return ROWS * np.exp(-(((places - 20) / 22.0) ** 2) / 2) / 44


def categories(cells=40):
    return ROWS * np.random.default_rng(1).dirichlet(np.ones(cells))


def test_a_smooth_column_loses_half_of_its_error():
    assert gain(ages(), 150) < 0.5


def test_spikes_stay_and_the_rest_is_smoothed():
    true = ages()
    true[::10] *= 4
    noisy = true + np.random.default_rng(2).normal(0, 100, true.size).round()
    found = repair_column(noisy, 100.0**2, true.sum())
    assert abs(found - true)[::10].max() < 500
    assert gain(true, 100) < 0.8


@pytest.mark.parametrize("sigma", [3, 30, 300])
@pytest.mark.parametrize("cells", [8, 15, 40])
def test_categories_lose_nothing(sigma, cells):
    assert gain(categories(cells), sigma) < 1.1


@pytest.mark.parametrize("true", [ages(), categories(), np.eye(1, 50)[0] * ROWS])
def test_without_noise_to_speak_of_the_counts_come_back(true):
    found = repair_column(true, 1e-6, true.sum())
    assert found == pytest.approx(true, abs=1e-3)


def test_sum_sign_and_few_cells():
    noisy = np.array([-4.0, 9, 2, -1, 30, 31, 29, 33, 28, 30, 1, -2])
    found = repair_column(noisy, 25.0, 180.0)
    assert found.sum() == pytest.approx(180)
    assert found.min() >= 0
    assert repair_column(noisy[:7], 25.0, 60.0) == pytest.approx(project_to_simplex(noisy[:7], 60))


def test_equal_counts_are_no_trouble():
    assert repair_column(np.full(20, 5.0), 0.0, 100.0) == pytest.approx(np.full(20, 5.0))
