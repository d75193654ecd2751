"""What every mechanism answers."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from synth.errors import ArgumentError
from synth.noise.sampler import Chunks
from synth.privacy.guarantee import Guarantee
from synth.privacy.sensitivity import Sensitivity
from synth.util import check

LARGEST = 1 << 62
"""Values are pulled into [-2^62, 2^62] before noise, so that no sum overflows. Clipping is a
contraction: it never raises a sensitivity."""

FEW = 24
"""Numbers up to which Python's integers are quicker than NumPy's arrays."""


class Mechanism(Protocol):
    """Adds noise to integers; knows its own price and variance.

    ``law`` is its name in ledgers and certificates.
    """

    law: ClassVar[str]

    def __hash__(self) -> int: ...

    @property
    def variance(self) -> float:
        """Variance of the noise."""

    def price(self, moves: Sensitivity) -> Guarantee:
        """The guarantee for values of this sensitivity, by the norm of the noise."""

    def fits(self, size: int) -> bool:
        """Whether it is noise for so many values."""

    def describe(self) -> dict[str, str]:
        """The law with its exact parameters, as JSON."""

    @classmethod
    def read(cls, told: Mapping[str, str]) -> "Mechanism":
        """The mechanism that `describe` told of."""

    def release(self, values: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the values plus fresh noise, in their shape."""


def integers(values: Any) -> NDArray[np.int64]:
    """Return the values as 64-bit integers of the same shape, pulled into [-2^62, 2^62].

    Raises:
        ArgumentError: If the values are not integers. The message holds no value.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "iu":
        raise ArgumentError(f"values must be an array of integers, but its type is {array.dtype}.")
    if array.dtype.itemsize == 8 and array.size:
        few = array.ravel().tolist() if array.size <= FEW else ()
        low, high = (min(few), max(few)) if few else (int(array.min()), int(array.max()))
        if low < -LARGEST or high > LARGEST:
            return np.array([min(max(int(v), -LARGEST), LARGEST) for v in array.flat]).reshape(
                array.shape
            )
    return array.astype(np.int64, copy=False)


def add(values: Any, chunks: Callable[[int], Chunks]) -> NDArray[np.int64]:
    """Return integers plus noise that comes in chunks, in an array of the same shape.

    Raises:
        ArgumentError: If the values are not integers.
    """
    whole = integers(values)
    flat = whole.reshape(-1)
    result = np.empty_like(flat)
    for start, noise in chunks(flat.size):
        if noise.size == flat.size:
            return (flat + noise).reshape(whole.shape)
        part = slice(start, start + noise.size)
        np.add(flat[part], noise, out=result[part])
    return result.reshape(whole.shape)


def exact(**values: Any) -> Fraction:
    """Return the one keyword's value as a Fraction above 0.

    Raises:
        ArgumentError: If it is a float (its decimal text is not what it holds), or not above 0.
    """
    ((name, value),) = values.items()
    if isinstance(value, bool) or not isinstance(value, int | Fraction | np.integer):
        raise ArgumentError(f"{name} must be a whole number or a Fraction, but it is {value!r}.")
    check.positive(**values)
    return Fraction(int(value)) if isinstance(value, np.integer) else Fraction(value)
