"""Discrete Laplace: its numbers, its refusals, its arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from synth.noise import MAX_VALUE, DiscreteLaplace


def _noises_and_chances(scale: Fraction, reach: int) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers up to a reach, and their chances by the discrete Laplace law."""
    noises = np.arange(-reach, reach + 1)
    q = np.exp(-1 / float(scale))
    return noises, (1 - q) / (1 + q) * q ** np.abs(noises)


@pytest.mark.parametrize("scale", [Fraction(1, 4), Fraction(2), Fraction(20)])
def test_moments_are_those_of_the_law(scale: Fraction) -> None:
    """The variance and the mean size of Laplace noise are those of its law, summed
    to 2,000.
    """
    mechanism = DiscreteLaplace(scale)
    noises, chances = _noises_and_chances(scale, 2_000)

    assert chances.sum() == pytest.approx(1)
    assert mechanism.variance == pytest.approx(float(chances @ noises**2))
    assert mechanism.mean_absolute == pytest.approx(float(chances @ np.abs(noises)))


def test_zeros_get_noise_too() -> None:
    # Noise of scale 20 is 0 with chance (1 - q) / (1 + q) = .025, where q = e^(-1/20).
    noisy = DiscreteLaplace(Fraction(20)).release(np.zeros(1_000, np.int64))
    assert 0.9 < np.mean(noisy != 0) <= 1


def test_no_sum_overflows() -> None:
    """T3: extreme counts are pulled in before noise; wrapping would raise the sensitivity."""
    noisy = DiscreteLaplace(Fraction(1)).release(np.array([2**64 - 1], np.uint64))
    assert noisy == pytest.approx([MAX_VALUE], rel=1e-6)


def test_empty_input_gives_empty_output() -> None:
    assert DiscreteLaplace(Fraction(2)).release(np.empty((0, 3), np.int64)).shape == (0, 3)
    assert DiscreteLaplace(Fraction(2)).draw(0).size == 0
