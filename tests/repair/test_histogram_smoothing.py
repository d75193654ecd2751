"""Smoothing: what it gains where cells have an order, what it leaves where they have none."""

from fractions import Fraction

import numpy as np
import pytest

from synth.estimate import NoisyCounts, Repair, repair_counts
from synth.estimate.repair.column import repair_column
from synth.estimate.repair.smoothing import helps, is_lone, smooth
from synth.noise import LaplaceLaw
from synth.privacy import Guarantee, Neighbors
from tests.repair.test_pooling import distance, released, weights
from tests.tables import universe

LOUD = Fraction(10)


def humps(rows: int, cells: int) -> np.ndarray:
    """Counts of a column with two humps."""
    rng = np.random.default_rng(5)
    first, places = rng.random(rows) < 0.6, rng.normal(size=rows)
    both = np.where(first, (0.3 + 0.08 * places) * cells, (0.65 + 0.15 * places) * cells)
    return np.bincount(np.clip(both.astype(int), 0, cells - 1), minlength=cells)


def listed(rows: int, cells: int) -> np.ndarray:
    """Counts of a list whose order means nothing."""
    rng, shares = np.random.default_rng(5), np.arange(1, cells + 1) ** -1.2
    return rng.permutation(rng.multinomial(rows, shares / shares.sum()))


def errors(counts: np.ndarray, scale: Fraction, times: int = 4) -> dict[str, float]:
    """Mean total variation under pooling, smoothing, and the repair of columns."""
    found: dict[str, list[float]] = {"pooled": [], "smoothed": [], "column": []}
    for _ in range(times):
        noisy = released(counts, scale)
        variance = LaplaceLaw(float(scale)).variance
        made = {name: weights(noisy, Repair(name)) for name in ("pooled", "smoothed")}
        column = repair_column(noisy.values.astype(float), variance, counts.sum())
        made["column"] = column.reshape(counts.shape)
        for name, found_weights in made.items():
            found[name].append(distance(found_weights, counts, 1))
    return {name: float(np.mean(values)) for name, values in found.items()}


@pytest.mark.slow
def test_an_ordered_column_gains_what_its_own_repair_gains() -> None:
    found = errors(humps(10_000, 1_000), LOUD)
    assert found["smoothed"] < 0.85 * found["pooled"]
    assert found["smoothed"] < 1.15 * found["column"]


@pytest.mark.slow
def test_a_list_without_an_order_stays_as_it_was() -> None:
    found = errors(listed(10_000, 500), LOUD)
    assert found["smoothed"] < 1.1 * found["pooled"]


def test_without_noise_to_speak_of_nothing_changes() -> None:
    counts = humps(10_000, 100)
    noisy = released(counts, Fraction(1, 100))
    np.testing.assert_allclose(weights(noisy, Repair.SMOOTHED), counts, atol=1e-6)


@pytest.mark.slow
def test_a_long_column_among_others_is_smoothed_and_a_short_one_is_not() -> None:
    pair = np.stack([humps(2_000, 500), 2 * humps(1_000, 500)[::-1], humps(800, 500)], axis=1)
    found = errors(pair, LOUD, 8)
    assert found["smoothed"] < 0.9 * found["pooled"]
    short = released(pair[:100].reshape(20, 15), LOUD)
    np.testing.assert_array_equal(
        weights(short, Repair.POOLED), weights(short, Repair.SMOOTHED)
    )


def test_the_total_is_kept_and_no_count_is_negative() -> None:
    counts = humps(500, 200)
    for shape in ((200,), (1, 200), (2, 100)):
        values = released(counts, LOUD).values.reshape(shape)
        made = smooth(values, scale=10.0, total=500).weights
        assert made.shape == shape
        assert made.min() >= 0
        assert made.sum() == pytest.approx(500)


def test_which_universes_have_neighbours() -> None:
    assert [helps(shape) for shape in ((8,), (7,), (1, 8), (8, 2), (64, 2))] == [
        True,
        False,
        True,
        False,
        True,
    ]
    assert [is_lone(shape) for shape in ((1,), (5,), (1, 5), (2, 2))] == [True] * 3 + [False]


@pytest.mark.parametrize(
    ("counts", "now"),
    [
        (humps(20_000, 200), Repair.SMOOTHED),
        (np.outer(humps(8_000, 100), (3, 1, 1)), Repair.SMOOTHED),
        (np.outer(humps(8_000, 50), (3, 1, 1)), Repair.POOLED),
    ],
)
def test_auto_smooths_where_that_helps(counts: np.ndarray, now: Repair) -> None:
    noisy = released(counts, LOUD)
    assert repair_counts(noisy, Repair.AUTO).repair == now


def test_a_table_without_rows_gets_none() -> None:
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
