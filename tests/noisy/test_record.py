"""Intervals of noisy counts hold with at least their probability, by laws computed here."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import synth
from synth.estimate.noisy.record import reach_of
from synth.noise import DiscreteGaussian, DiscreteLaplace
from synth.util import Floats


def laplace_shares(scale: float) -> Floats:
    """Probabilities of discrete Laplace noise, from -40 to 40 scales."""
    size = int(40 * scale) + 40
    shares = np.exp(-np.abs(np.arange(-size, size + 1)) / scale)
    return np.asarray(shares / shares.sum())


def inside(shares: Floats, half_width: int) -> float:
    """The probability within a half width, of noise whose middle share is that of 0."""
    middle = len(shares) // 2
    return float(shares[middle - half_width : middle + half_width + 1].sum())


@pytest.mark.parametrize("scale", ["1/3", "2", "20"])
@pytest.mark.parametrize("cells", [1, 2, 3, 12])
def test_an_interval_of_summed_laplace_noise_is_the_smallest_that_holds(
    cells: int, scale: str
) -> None:
    """The half width of an interval is the least whole number that holds 95 % of the noise.

    It follows from the exact law of a sum of Laplace noise. A normal law in its place would
    hold less: 93.8 % for one cell, 94.1 % for two.
    """
    one_cell = laplace_shares(float(Fraction(scale)))
    shares = one_cell
    for _ in range(cells - 1):
        shares = np.convolve(shares, one_cell)

    half_width = int(reach_of(DiscreteLaplace(Fraction(scale)), cells))

    assert inside(shares, half_width) >= 0.95
    assert half_width == 0 or inside(shares, half_width - 1) < 0.95


def test_many_cells_have_the_interval_of_normal_noise() -> None:
    """Of 10,000 cells the sum is nearly normal: 1.96 standard deviations of the root of 2."""
    many = reach_of(DiscreteLaplace(Fraction(50)), 10_000)
    assert many == pytest.approx(1.96 * np.sqrt(2 * 10_000) * 50, rel=1e-3)
    gaussian = reach_of(DiscreteGaussian(Fraction(10_000)), 9)
    assert gaussian == pytest.approx(1.96 * 100 * 3, rel=1e-2)


@pytest.mark.parametrize("method", ["dense", "independent", "one-shot"])
def test_a_release_gives_its_columns_the_exact_interval(method: str) -> None:
    """A column has one noisy number a cell, or sums over the three cells of the other."""
    frame = pd.DataFrame({"a": ["x", "y"] * 60, "b": ["u", "v", "w"] * 40})
    domain = {"a": ["x", "y"], "b": ["u", "v", "w"]}
    made = synth.release(frame, domain, epsilon=1, method=method, anyway=True)
    record = made.result.record

    first_column = record.columns()[0]

    if method == "dense":
        expected = reach_of(DiscreteLaplace(record.scale), 3)
    else:
        ((_, noisy),) = [pair for pair in record.measured if pair[0] == (0,)]
        expected = reach_of(noisy.mechanism, 1)
    assert first_column.reach == expected
    interval = record.interval(0)
    assert interval is not None
    assert interval.reach == pytest.approx(expected / record.total)
