"""Columns repaired with the help of their neighbouring cells."""

import numpy as np
import pytest

from synth.estimate import project_to_simplex
from synth.estimate.repair import column
from synth.estimate.repair.column import dense_sums, repair_column, sliding_sums
from synth.util import Floats, normal

ROWS = 50_000.0
REPEATS = 60


def relative_error(true: Floats, sigma: float, seed: int = 0) -> float:
    """Error of smoothing over error of the projection alone, on average."""
    generator = np.random.default_rng(seed)
    smoothed = projected = 0.0
    for _ in range(REPEATS):
        noisy = true + generator.normal(0, sigma, true.size).round()
        smoothed += abs(repair_column(noisy, sigma**2, true.sum()) - true).sum()
        projected += abs(project_to_simplex(noisy, true.sum()) - true).sum()
    return smoothed / projected


def bell_of_ages(cells: int = 85) -> Floats:
    places = np.arange(cells)
    return ROWS * np.exp(-(((places - 20) / 22.0) ** 2) / 2) / 44


def unordered_counts(cells: int = 40) -> Floats:
    return ROWS * np.random.default_rng(1).dirichlet(np.ones(cells))


def test_a_smooth_column_loses_half_of_its_error() -> None:
    assert relative_error(bell_of_ages(), 150) < 0.5


def test_spikes_stay_and_the_rest_is_smoothed() -> None:
    """Cells far above their neighbours keep their counts, and the cells between are smoothed.

    Every tenth age is four times as frequent as its neighbours, as if ages were rounded. Each
    such count is off by fewer than 500 rows. The error is at most 0.8 of that without
    smoothing.
    """
    true = bell_of_ages()
    true[::10] *= 4

    noisy = true + np.random.default_rng(2).normal(0, 100, true.size).round()
    repaired = repair_column(noisy, 100.0**2, true.sum())

    assert abs(repaired - true)[::10].max() < 500
    assert relative_error(true, 100) < 0.8


@pytest.mark.parametrize("sigma", [3, 30, 300])
@pytest.mark.parametrize("cells", [8, 15, 40])
def test_smoothing_costs_categories_at_most_a_tenth(sigma: float, cells: int) -> None:
    assert relative_error(unordered_counts(cells), sigma) < 1.1


@pytest.mark.parametrize(
    "true", [bell_of_ages(), unordered_counts(), np.eye(1, 50)[0] * ROWS]
)
def test_without_noise_to_speak_of_the_counts_come_back(true: Floats) -> None:
    repaired = repair_column(true, 1e-6, true.sum())
    assert repaired == pytest.approx(true, abs=1e-3)


def test_a_repaired_column_adds_up_and_a_short_one_is_projected() -> None:
    """A repaired column adds up to its total and has no negative count.

    Fewer than eight cells are too few to smooth, so they are only projected.
    """
    noisy = np.array([-4.0, 9, 2, -1, 30, 31, 29, 33, 28, 30, 1, -2])

    repaired = repair_column(noisy, variance=25.0, total=180.0)
    assert repaired.sum() == pytest.approx(180)
    assert repaired.min() >= 0

    assert repair_column(noisy[:7], variance=25.0, total=60.0) == pytest.approx(
        project_to_simplex(noisy[:7], 60)
    )


def test_equal_counts_are_no_trouble() -> None:
    assert repair_column(np.full(20, 5.0), 0.0, 100.0) == pytest.approx(np.full(20, 5.0))


@pytest.mark.parametrize("times", [5, 30])
@pytest.mark.parametrize("cells", [3, 8, 40])
def test_where_noise_is_all_there_is_no_column_is_made_of_it(
    times: float, cells: int
) -> None:
    """Projected noise is one or two cells; what is likely is nearer, and as wide as a
    column.
    """
    assert relative_error(unordered_counts(cells), times * ROWS / cells) < 0.95


def make_two_humps(cells: int = 1_500) -> Floats:
    places = np.arange(cells) / cells
    return np.exp(-(((places - 0.3) / 0.08) ** 2) / 2) + np.exp(
        -(((places - 0.65) / 0.15) ** 2)
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "scale"), [("normal", 14.0), ("laplace", 10.0)], ids=["normal", "laplace"]
)
@pytest.mark.parametrize(
    ("shape", "largest_ratio"),
    [(make_two_humps(), 0.75), (bell_of_ages(1_500)[::-1], 1.1)],
    ids=["wide", "narrow"],
)
def test_columns_of_thousands_of_cells_are_smoothed_widely_if_they_are_smooth(
    law: str,
    scale: float,
    shape: Floats,
    largest_ratio: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Long smooth columns gain from wide windows of smoothing, and narrow ones lose little.

    The comparison is with windows of at most 4 cells. On two wide humps, wider windows take
    off a quarter of the error at least. On a narrow bell they add a tenth at most. The
    columns have 3,000 rows in this ``shape``, and noise of a variance of about 200.
    """
    rows = 3_000
    wide_error = narrow_error = 0.0
    for seed in range(4):
        generator = np.random.default_rng(seed)
        true = generator.multinomial(rows, normal(shape)).astype(float)
        draw_noise = {"normal": generator.normal, "laplace": generator.laplace}[law]
        noisy = true + draw_noise(0, scale, true.size).round()

        wide_error += abs(repair_column(noisy, 200.0, rows) - true).sum()
        with monkeypatch.context() as patched:
            patched.setattr(column, "_widths", lambda _: [0.5, 1.0, 2.0, 4.0])
            narrow_error += abs(repair_column(noisy, 200.0, rows) - true).sum()

    assert wide_error < largest_ratio * narrow_error


def test_sums_by_transforms_are_those_by_a_matrix() -> None:
    """Smoothing sums are the same by Fourier transforms, for long columns, and by
    a matrix.
    """
    generator = np.random.default_rng(1)
    noisy, is_counted = generator.normal(5, 9, 600), generator.random(600) < 0.9

    for width in (0.7, 6.0, 75.0):
        sliding, dense = (
            make_sums(600, width)(noisy, is_counted)
            for make_sums in (sliding_sums, dense_sums)
        )
        assert sliding == pytest.approx(dense, rel=1e-6, abs=1e-6)
