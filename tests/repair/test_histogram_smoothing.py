"""Smoothing: what it gains where cells have an order, what it leaves where they have none."""

from fractions import Fraction

import numpy as np
import pytest

from synth.estimate import NoisyCounts, Repair, repair_counts
from synth.estimate.assumptions import is_lone, neighbours_help
from synth.estimate.repair.column import repair_column
from synth.estimate.repair.smoothing import smooth
from synth.noise import LaplaceLaw
from synth.privacy import Guarantee, Neighbors
from tests.repair.test_pooling import add_noise, mean_distance, repaired_weights
from tests.tables import universe

LOUD = Fraction(10)


def count_two_humps(rows: int, cells: int) -> np.ndarray:
    """Counts of a column with two humps."""
    rng = np.random.default_rng(5)
    is_first_hump, places = rng.random(rows) < 0.6, rng.normal(size=rows)
    values = np.where(
        is_first_hump, (0.3 + 0.08 * places) * cells, (0.65 + 0.15 * places) * cells
    )
    return np.bincount(np.clip(values.astype(int), 0, cells - 1), minlength=cells)


def count_list(rows: int, cells: int) -> np.ndarray:
    """Counts of a list whose order means nothing."""
    rng, shares = np.random.default_rng(5), np.arange(1, cells + 1) ** -1.2
    return rng.permutation(rng.multinomial(rows, shares / shares.sum()))


def mean_errors(counts: np.ndarray, scale: Fraction, times: int = 4) -> dict[str, float]:
    """Mean total variation under pooling, smoothing, and the repair of columns."""
    errors_by_repair: dict[str, list[float]] = {"pooled": [], "smoothed": [], "column": []}
    for _ in range(times):
        noisy = add_noise(counts, scale)
        variance = LaplaceLaw(float(scale)).variance
        weights_by_repair = {
            name: repaired_weights(noisy, Repair(name)) for name in ("pooled", "smoothed")
        }
        column = repair_column(noisy.values.astype(float), variance, counts.sum())
        weights_by_repair["column"] = column.reshape(counts.shape)
        for name, repaired in weights_by_repair.items():
            errors_by_repair[name].append(mean_distance(repaired, counts, 1))
    return {name: float(np.mean(values)) for name, values in errors_by_repair.items()}


@pytest.mark.slow
def test_an_ordered_column_gains_what_its_own_repair_gains() -> None:
    """On an ordered column smoothing is at least 15 % better than pooling.

    It is at most 15 % worse than the repair that is made for single columns.
    """
    errors = mean_errors(count_two_humps(10_000, 1_000), LOUD)

    assert errors["smoothed"] < 0.85 * errors["pooled"]
    assert errors["smoothed"] < 1.15 * errors["column"]


@pytest.mark.slow
def test_a_list_without_an_order_stays_as_it_was() -> None:
    """On a list whose order means nothing, smoothing makes the error at most 10 % larger."""
    errors = mean_errors(count_list(10_000, 500), LOUD)
    assert errors["smoothed"] < 1.1 * errors["pooled"]


def test_without_noise_to_speak_of_nothing_changes() -> None:
    counts = count_two_humps(10_000, 100)
    noisy = add_noise(counts, Fraction(1, 100))
    np.testing.assert_allclose(repaired_weights(noisy, Repair.SMOOTHED), counts, atol=1e-6)


@pytest.mark.slow
def test_a_long_column_among_others_is_smoothed_and_a_short_one_is_not() -> None:
    """A column of 500 cells beside another one gains at least 10 % from smoothing.

    A table of 20 by 15 cells has too few in order, so smoothing leaves it as pooling does.
    """
    pair = np.stack(
        [
            count_two_humps(2_000, 500),
            2 * count_two_humps(1_000, 500)[::-1],
            count_two_humps(800, 500),
        ],
        axis=1,
    )

    errors = mean_errors(pair, LOUD, 8)
    assert errors["smoothed"] < 0.9 * errors["pooled"]

    short = add_noise(pair[:100].reshape(20, 15), LOUD)
    np.testing.assert_array_equal(
        repaired_weights(short, Repair.POOLED), repaired_weights(short, Repair.SMOOTHED)
    )


def test_the_total_is_kept_and_no_count_is_negative() -> None:
    """Smoothed counts add up to the total and are never negative, whatever the
    table's shape.
    """
    counts = count_two_humps(500, 200)

    for shape in ((200,), (1, 200), (2, 100)):
        values = add_noise(counts, LOUD).values.reshape(shape)
        smoothed = smooth(values, scale=10.0, total=500).weights
        assert smoothed.shape == shape
        assert smoothed.min() >= 0
        assert smoothed.sum() == pytest.approx(500)


def test_which_universes_have_neighbours() -> None:
    """Only long columns are smoothed: a lone one from 8 cells on, one among others from more.

    A column is lone if all others have one cell.
    """
    smoothed = {(8,): True, (7,): False, (1, 8): True, (8, 2): False, (64, 2): True}
    assert {shape: neighbours_help(shape) for shape in smoothed} == smoothed

    lone = {(1,): True, (5,): True, (1, 5): True, (2, 2): False}
    assert {shape: is_lone(shape) for shape in lone} == lone


@pytest.mark.parametrize(
    ("counts", "now"),
    [
        (count_two_humps(20_000, 200), Repair.SMOOTHED),
        (np.outer(count_two_humps(8_000, 100), (3, 1, 1)), Repair.SMOOTHED),
        (np.outer(count_two_humps(8_000, 50), (3, 1, 1)), Repair.POOLED),
    ],
)
def test_auto_smooths_where_that_helps(counts: np.ndarray, now: Repair) -> None:
    noisy = add_noise(counts, LOUD)
    assert repair_counts(noisy, Repair.AUTO).repair == now


def test_a_table_without_rows_gets_none() -> None:
    """If all noisy counts are negative and the number of rows is private, repairs give no
    rows.
    """
    empty = NoisyCounts(
        domain=universe(200),
        values=np.full(200, -1),
        scale=Fraction(1),
        neighbors=Neighbors.ADD_REMOVE,
        guarantee=Guarantee.pure(1),
        rows=None,
    )

    assert repair_counts(empty, Repair.SMOOTHED).weights.sum() == 0
    assert repair_counts(empty, Repair.AUTO).repair == Repair.SMOOTHED
