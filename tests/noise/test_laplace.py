"""Discrete Laplace: its numbers, its refusals, its arithmetic."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synth.errors import ArgumentError
from synth.noise.laplace import DiscreteLaplace
from synth.noise.mechanism import LARGEST


def _pmf(scale: Fraction, reach: int) -> tuple[np.ndarray, np.ndarray]:
    z = np.arange(-reach, reach + 1)
    q = np.exp(-1 / float(scale))
    return z, (1 - q) / (1 + q) * q ** np.abs(z)


@pytest.mark.parametrize("scale", [Fraction(1, 4), Fraction(2), Fraction(20)])
def test_moments_and_tail_are_those_of_the_law(scale: Fraction) -> None:
    mechanism = DiscreteLaplace(scale)
    z, p = _pmf(scale, 2_000)
    assert p.sum() == pytest.approx(1)
    assert mechanism.bias == 0
    assert mechanism.variance == pytest.approx(float(p @ z**2))
    assert mechanism.mean_absolute == pytest.approx(float(p @ np.abs(z)))
    for t in (0, 1, 2.5, 7):
        assert mechanism.tail(t) == pytest.approx(float(p[np.abs(z) >= t].sum()))


def test_scale_and_guarantee_are_exact() -> None:
    mechanism = DiscreteLaplace.for_epsilon(Fraction("0.1"), sensitivity=2)
    assert mechanism.scale == 20
    assert mechanism.guarantee(2).epsilon == Fraction(1, 10)
    assert mechanism.guarantee(1).epsilon == Fraction(1, 20)


@pytest.mark.parametrize("scale", [2, 200, 10**6, 10**9])
def test_release_adds_noise_of_the_scale_and_leaves_its_input(scale: int) -> None:
    mechanism = DiscreteLaplace(Fraction(scale))
    values = np.arange(90_000).reshape(300, 300)
    noisy = mechanism.release(values)
    assert noisy.dtype == np.int64
    assert noisy.shape == values.shape
    assert np.array_equal(values, np.arange(90_000).reshape(300, 300))
    assert np.abs(noisy - values).mean() == pytest.approx(mechanism.mean_absolute, rel=0.05)
    assert not np.array_equal(mechanism.release(values), noisy)


def test_zeros_get_noise_too() -> None:
    noisy = DiscreteLaplace(Fraction(20)).release(np.zeros(1_000, np.int64))
    assert 0.9 < np.mean(noisy != 0) <= 1


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.uint64])
def test_any_integer_type_is_accepted(dtype: Any) -> None:
    noisy = DiscreteLaplace(Fraction(1)).release(np.full(100, 7, dtype))
    assert noisy.dtype == np.int64
    assert abs(noisy.mean() - 7) < 2


def test_no_sum_overflows() -> None:
    """T3: extreme counts are pulled in before noise; wrapping would raise the sensitivity."""
    extremes = np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max])
    noisy = DiscreteLaplace(Fraction(10**9)).release(extremes)
    assert noisy == pytest.approx([-LARGEST, LARGEST], rel=1e-6)
    huge = DiscreteLaplace(Fraction(1)).release(np.array([2**64 - 1], np.uint64))
    assert huge == pytest.approx([LARGEST], rel=1e-6)


def test_empty_input_gives_empty_output() -> None:
    assert DiscreteLaplace(Fraction(2)).release(np.empty((0, 3), np.int64)).shape == (0, 3)
    assert DiscreteLaplace(Fraction(2)).draw(0).size == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DiscreteLaplace(Fraction(0)), "scale must be above 0, but it is 0."),
        (lambda: DiscreteLaplace(Fraction(-2)), "scale must be above 0, but it is -2."),
        (
            lambda: DiscreteLaplace(0.5),  # type: ignore[arg-type]
            "scale must be a whole number or a Fraction, but it is 0.5.",
        ),
        (
            lambda: DiscreteLaplace(Fraction(10**9 + 1)),
            "scale must be between 1/10000 and 1000000000, but it is 1000000001.",
        ),
        (
            lambda: DiscreteLaplace.for_epsilon(Fraction(1), sensitivity=0),
            "sensitivity must be above 0, but it is 0.",
        ),
        (
            lambda: DiscreteLaplace.for_epsilon(float("nan"), sensitivity=1),  # type: ignore[arg-type]
            "epsilon must be a whole number or a Fraction, but it is nan.",
        ),
        (
            lambda: DiscreteLaplace(Fraction(1)).guarantee(Fraction(-1)),
            "sensitivity must be above 0, but it is -1.",
        ),
        (
            lambda: DiscreteLaplace(Fraction(1)).draw(-1),
            "size must be a whole number of at least 0, but it is -1.",
        ),
    ],
)
def test_bad_arguments_are_refused(call: Any, message: str) -> None:
    """T7: no zero, negative or unfinished scale."""
    with pytest.raises(ArgumentError) as caught:
        call()
    assert str(caught.value) == message


def test_values_that_are_not_integers_are_refused_without_showing_them() -> None:
    with pytest.raises(ArgumentError) as caught:
        DiscreteLaplace(Fraction(1)).release(np.array([41.5]))  # type: ignore[arg-type]
    assert str(caught.value) == "values must be an array of integers, but its type is float64."
