"""The interface of every mechanism."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth import limits
from synth.errors import ArgumentError, NoiseError, describe_value
from synth.noise.floats.law import NoiseLaw
from synth.noise.floats.sums import CellLaw
from synth.noise.sampler import Chunks, join_chunks
from synth.privacy import Guarantee, Sensitivity
from synth.util import check

MAX_VALUE = 1 << 62
"""Values are clipped to [-2^62, 2^62] before noise, so that no sum overflows. Clipping is a
contraction: it never raises a sensitivity.
"""

# Array size up to which Python's integers are faster than NumPy.
SMALL_ARRAY = 24


@dataclass(frozen=True)
class Mechanism(ABC):
    """Adds noise to integers; knows its price, its law and its form in a certificate.

    Its fields are exact and define it completely.

    Attributes:
        law: Its name in ledgers and certificates.
        is_joint: Whether all its numbers are drawn together, as one vector.
    """

    law: ClassVar[str]
    is_joint: ClassVar[bool] = False

    @abstractmethod
    def price(self, moves: Sensitivity, claim: Guarantee | None = None) -> Guarantee:
        """Return the guarantee for values of this sensitivity, by the norm of the noise.

        ``moves`` says how much the values may differ between neighbours. ``claim`` is the
        kind of guarantee you ask for, if the noise offers several.
        """

    def meets(self, _claim: Guarantee, _moves: Sensitivity) -> bool:
        """Return whether one number of this sensitivity has the claimed (epsilon, delta)."""
        return False

    @abstractmethod
    def draw(self, size: int) -> NDArray[np.integer]:
        """Draw noise independently ``size`` times, without values; that is the first axis."""

    @abstractmethod
    def release(self, values: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the values plus fresh noise, in their shape.

        Raises:
            ArgumentError: The values are not integers.
        """

    @abstractmethod
    def fits(self, size: int) -> bool:
        """Return whether the mechanism draws noise for this many values."""

    @property
    @abstractmethod
    def number_law(self) -> NoiseLaw:
        """Law of the noise on one number, in floats."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Variance of the noise on one number, to leading order in its scale."""

    @property
    @abstractmethod
    def mean_absolute(self) -> float:
        """Expected size of the noise on one number, to leading order."""

    @property
    def laplace_scale(self) -> Fraction | None:
        """The scale, if the noise is discrete Laplace on each number; else None."""
        return None

    @property
    def cell_noise(self) -> "CellNoise":
        """This mechanism as a `CellNoise`, if it draws noise for each number independently.

        Raises:
            ArgumentError: It does not, as here by default.
        """
        raise ArgumentError(f"The coordinates of {self.law} noise are not independent.")

    def describe(self) -> dict[str, str]:
        """Return the name of the law and its exact parameters as texts, by name."""
        return {"law": self.law} | {
            field.name: str(getattr(self, field.name)) for field in fields(self)
        }

    @classmethod
    @abstractmethod
    def read(cls, description: Mapping[str, str]) -> "Mechanism":
        """Read the mechanism from what `describe` wrote."""


@dataclass(frozen=True)
class CellNoise(Mechanism):
    """Noise that is drawn for each number independently."""

    @property
    @abstractmethod
    def number_law(self) -> CellLaw:
        """Law of the noise on one number, in floats; it gives the laws of sums."""

    @abstractmethod
    def chunks(self, size: int) -> Chunks:
        """Yield ``size`` noise values in pieces, as pairs of a piece's start and its values.

        A piece may be overwritten by the next one, so use or copy it at once.
        """

    @property
    def variance(self) -> float:
        """Variance of the noise on one number."""
        return self.number_law.variance

    @property
    def mean_absolute(self) -> float:
        """Expected size of the noise on one number, or close to it."""
        return self.number_law.mean_absolute

    @property
    def cell_noise(self) -> "CellNoise":
        """This mechanism."""
        return self

    def fits(self, size: int) -> bool:
        """Return whether the size is one of an array."""
        return size >= 0

    def draw(self, size: int) -> NDArray[np.integer]:
        """Return independent values, shape (size,), in 16-bit integers if they fit."""
        check.check_whole(0, size=size)
        return join_chunks(self.chunks(int(size)), int(size))

    def release(self, values: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the values plus fresh noise, in their shape.

        Raises:
            ArgumentError: The values are not integers.
        """
        return add(values, self.chunks)

    @classmethod
    def read(cls, description: Mapping[str, str]) -> Self:
        """Return the mechanism that `describe` described, from its parameters as texts."""
        parameters = {field.name: Fraction(description[field.name]) for field in fields(cls)}
        return cls(**parameters)


@lru_cache(maxsize=256)
def law_of(mechanism: Mechanism) -> NoiseLaw:
    """Return the law of a mechanism's noise on one number, cached."""
    return mechanism.number_law


def expected_largest(mechanism: Mechanism, numbers: int) -> float:
    """Return the expected largest absolute noise on the numbers of one vector.

    ``numbers`` is the length of the vector.

    Raises:
        ArgumentError: The mechanism does not draw noise for this many numbers.
    """
    check.check_whole(1, numbers=numbers)
    if not mechanism.fits(numbers):
        raise ArgumentError(f"It is no noise for {numbers} numbers.")
    return law_of(mechanism).largest(numbers)


def check_scale(
    scale: Fraction, least: Fraction = limits.SCALE_MIN, largest: Fraction = limits.MAX_SCALE
) -> None:
    """Refuse a scale of noise that Synth does not draw, in words about epsilon.

    Args:
        scale: The scale, in steps of the integer grid.
        least: The least scale that can be drawn.
        largest: The largest one.

    Raises:
        NoiseError: The scale is below the least or above the most.

    >>> check_scale(Fraction(10**15))
    Traceback (most recent call last):
    synth.errors.NoiseError: The epsilon is too small for this: its noise would have a scale of \
1e+15, and Synth draws noise of a scale of up to 1e+14. Take a larger epsilon, or ask for \
less.
    """  # noqa: E501
    _check_size(float(scale), "scale", float(least), largest=float(largest))


def check_deviation(variance: Fraction) -> None:
    """Refuse Gaussian noise of a variance that Synth does not draw, in words about epsilon.

    ``variance`` is in squared steps of the integer grid.

    Raises:
        NoiseError: The variance is too small, or too large.
    """
    least = math.sqrt(limits.SCALE_MIN)
    largest = float(limits.MAX_SCALE)
    _check_size(math.sqrt(variance), "standard deviation", least, largest=largest)


def _check_size(size: float, measure: str, least: float, *, largest: float) -> None:
    """Raise NoiseError for noise that is larger or smaller than Synth can draw.

    Args:
        size: How large the noise is, by the measure.
        measure: What is measured, in words, such as "scale".
        least: The least size that can be drawn.
        largest: The largest one.
    """
    if size > largest:
        raise NoiseError(
            f"The epsilon is too small for this: its noise would have a {measure} of "
            f"{size:.3g}, and Synth draws noise of a {measure} of up to {largest:.3g}. "
            "Take a larger epsilon, or ask for less."
        )
    if size < least:
        raise NoiseError(
            f"The epsilon is too large for this: its noise would have a {measure} of "
            f"{size:.3g}, and Synth draws noise of a {measure} from {least:.3g} on. Take a "
            "smaller epsilon."
        )


def integers(values: Any) -> NDArray[np.int64]:
    """Return the values as 64-bit integers of the same shape, clipped to [-2^62, 2^62].

    Raises:
        ArgumentError: The values are not integers. The message shows no value.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        raise ArgumentError(
            f"values must be an array of integers, but its type is {array.dtype}."
        )
    if array.dtype.itemsize == 8 and array.size:  # shorter integers are within the bounds
        if array.size <= SMALL_ARRAY:
            numbers = array.ravel().tolist()
            least, largest = min(numbers), max(numbers)
        else:
            least, largest = int(array.min()), int(array.max())
        if least < -MAX_VALUE or largest > MAX_VALUE:
            # With Python's integers, as 2^64 - 1 of an unsigned array fits no signed one.
            clipped = [min(max(int(v), -MAX_VALUE), MAX_VALUE) for v in array.flat]
            return np.array(clipped).reshape(array.shape)
    return array.astype(np.int64, copy=False)


def add(values: Any, chunks: Callable[[int], Chunks]) -> NDArray[np.int64]:
    """Return integers plus noise, in their shape.

    Args:
        values: The integers, any shape.
        chunks: Yields a number of noise values in pieces, each with its start. A piece may be
            overwritten by the next one.

    Raises:
        ArgumentError: The values are not integers.
    """
    exact_values = integers(values)
    flat = exact_values.reshape(-1)
    result = np.empty_like(flat)
    for start, noise in chunks(flat.size):
        if noise.size == flat.size:  # one piece for all
            return (flat + noise).reshape(exact_values.shape)
        part = slice(start, start + noise.size)
        np.add(flat[part], noise, out=result[part])
    return result.reshape(exact_values.shape)


def exact(**values: Any) -> Fraction:
    """Return the value of the one keyword argument as a Fraction; it must be above 0.

    The keyword's name is that of the number in errors.

    Raises:
        ArgumentError: The value is a float (its decimal text differs from its value), or not
            above 0.
    """
    ((name, value),) = values.items()
    if isinstance(value, bool) or not isinstance(value, int | Fraction | np.integer):
        raise ArgumentError(
            f"{name} must be a whole number or a Fraction, but it is {describe_value(value)}."
        )
    check.positive(**values)
    return Fraction(int(value)) if isinstance(value, np.integer) else Fraction(value)
