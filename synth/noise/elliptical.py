"""Gaussian noise whose size differs by coordinate, for coordinates of different ranges.

>>> [round(s, 2) for s in allocation([10, 1, 1, 1], Least.VARIANCE)]
[11.4, 3.61, 3.61, 3.61]
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from synth import check
from synth.errors import ArgumentError
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.mechanism import exact
from synth.privacy.guarantee import Guarantee


class Least(StrEnum):
    """What the noise of all coordinates together is least in."""

    LARGEST = "largest error"
    """The same noise everywhere: a sphere."""
    VARIANCE = "total variance"
    ABSOLUTE = "total absolute error"


def allocation(ranges: Sequence[float], least: Least) -> list[float]:
    """Standard deviations s_j, in units of the sigma for sensitivity 1, with
    sum (range_j / s_j)^2 = 1 (Pagh, Lebeda 2022).

    Least variance: s_j^2 = range_j sum(ranges). Least absolute error: s_j ~ range_j^(2/3).

    Raises:
        ArgumentError: If there is no range or one is not above 0.
    """
    if len(ranges) == 0:
        message = "ranges must hold at least one coordinate, but they are empty."
        raise ArgumentError(message)
    for width in ranges:
        check.positive(range=width)
    widths = [float(width) for width in ranges]
    if least is Least.LARGEST:
        return [math.hypot(*widths)] * len(widths)
    if least is Least.VARIANCE:
        return [math.sqrt(width * sum(widths)) for width in widths]
    shares = [width ** (2 / 3) for width in widths]
    return [share * math.sqrt(sum(shares)) for share in shares]


@dataclass(frozen=True)
class EllipticalGaussian:
    """Discrete Gaussian noise on a lattice whose steps are longer where the noise is larger.

    Coordinate j is counted in grid steps of its own; one person moves it by at most
    ``steps[j]`` of them. With noise of sigma2 = sum(steps^2) / (2 rho) steps on each the vector
    is rho-zCDP; what turns steps back into units is post-processing.

    Attributes:
        steps: Sensitivity of each coordinate in its own grid, whole numbers.
        grids: Size of a step in units of the coordinate, exact.
        rho: Exact rational.
    """

    steps: tuple[int, ...]
    grids: tuple[Fraction, ...]
    rho: Fraction

    bias = 0.0

    def __post_init__(self) -> None:
        exact(rho=self.rho)
        if len(self.steps) != len(self.grids) or not self.steps:
            message = "steps and grids must be of the same length, at least 1."
            raise ArgumentError(message)
        for step, grid in zip(self.steps, self.grids, strict=True):
            check.whole(1, step=step)
            exact(grid=grid)

    @classmethod
    def for_ranges(
        cls,
        ranges: Sequence[Fraction | int],
        *,
        rho: Fraction | int,
        least: Least = Least.VARIANCE,
        resolution: int = 1 << 16,
    ) -> Self:
        """Choose grids in proportion to the allocation; every range is a whole number of steps.

        ``resolution`` is the number of steps of the coordinate that has most of them.
        """
        sizes = allocation([float(width) for width in ranges], least)
        ratios = [float(width) / size for width, size in zip(ranges, sizes, strict=True)]
        steps = [max(1, round(resolution * ratio / max(ratios))) for ratio in ratios]
        grids = [exact(range=width) / step for width, step in zip(ranges, steps, strict=True)]
        return cls(tuple(steps), tuple(grids), Fraction(rho))

    @cached_property
    def noise(self) -> DiscreteGaussian:
        """The noise on every coordinate, in steps."""
        return DiscreteGaussian.for_rho(self.rho, sensitivity2=sum(s * s for s in self.steps))

    def guarantee(self, sensitivity: Fraction | int = 1) -> Guarantee:
        """rho-zCDP; ``sensitivity`` scales all steps, for a person with several rows."""
        return Guarantee.zcdp(self.rho * exact(sensitivity=sensitivity) ** 2)

    @property
    def deviations(self) -> NDArray[np.float64]:
        """Standard deviation of the noise of each coordinate, in its units."""
        return math.sqrt(self.noise.variance) * np.array([float(grid) for grid in self.grids])

    @property
    def variance(self) -> float:
        """Total variance, in units."""
        return float((self.deviations**2).sum())

    def tail(self, t: float) -> float:
        """Upper bound of P(any coordinate is off by t units): a union of sub-Gaussian tails."""
        each = [math.exp(-((t / s) ** 2) / 2) for s in self.deviations]
        return min(1.0, 2 * sum(each)) if t > 0 else 1.0

    def release(self, values: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return counts of steps plus noise, shape (len(steps),).

        Raises:
            ArgumentError: If the vector has another length.
        """
        shape = np.shape(values)
        if shape != (len(self.steps),):
            message = f"values must have shape ({len(self.steps)},), but it is {shape}."
            raise ArgumentError(message)
        return self.noise.release(values)
