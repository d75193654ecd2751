"""Bounds of weighted sums of noisy cells: means and totals read off a histogram. PUBLIC.

>>> from fractions import Fraction
>>> noise = DiscreteLaplace(Fraction(2))
>>> weighted_reach(noise, np.ones(4), 1), weighted_reach(noise, np.full(4, 2.5), 1)
(11.0, 27.5)
>>> round(weighted_reach(noise, np.array([1.0, 2.0, 3.0]), 1), 1)
38.3
"""

import math
from functools import lru_cache

import numpy as np

from synth.arrays import Floats
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.laplace import DiscreteLaplace
from synth.questions.laws import log_moment, sum_law
from synth.questions.reach import LEVEL, expected_size, reach

CellNoise = DiscreteLaplace | DiscreteGaussian
"""Noise that is drawn for every cell by itself."""
_SHARES = np.geomspace(1e-4, 0.99, 64)
"""Of the largest exponent at which the Laplace law has a moment."""


def weighted_reach(noise: CellNoise, weights: Floats, each: int, level: float = LEVEL) -> float:
    """What a weighted sum of noise stays within, to either side with chance (1 + level) / 2.

    By the exact law where all weights are of one size; else by Chernoff's bound, which is wider.

    Args:
        noise: Of every cell.
        weights: Shape (k,); those that are 0 do not count.
        each: Cells that share a weight, each with noise of its own.
        level: Between 0 and 1.
    """
    sizes, many = _sizes(weights)
    if not len(sizes):
        return 0.0
    if len(sizes) == 1:
        return float(sizes[0]) * _reach(noise, int(many[0]) * each, level)
    wanted, many = math.log(2 / (1 - level)), many * each
    if isinstance(noise, DiscreteGaussian):  # ln E exp(u Z) <= u^2 sigma2 / 2
        return math.sqrt(2 * float(noise.sigma2) * float(many @ sizes**2) * wanted)
    top = float(sizes[-1])
    moments = log_moment(_SHARES[:, None] * (sizes / top), noise.scale) @ many
    return float(noise.scale) * top * float(((moments + wanted) / _SHARES).min())


def weighted_size(noise: CellNoise, weights: Floats, each: int) -> float:
    """The expected size of a weighted sum of noise: exact, or that of a normal number."""
    sizes, many = _sizes(weights)
    if not len(sizes):
        return 0.0
    if len(sizes) == 1:
        return float(sizes[0]) * _size(noise, int(many[0]) * each)
    return math.sqrt(2 / math.pi * noise.variance * each * float(many @ sizes**2))


def _sizes(weights: Floats) -> tuple[Floats, Floats]:
    """The sizes of the weights that are not 0, ascending, and how many there are of each."""
    found = np.abs(weights[weights != 0])
    sizes, many = np.unique(found, return_counts=True)
    return sizes, many.astype(np.float64)


@lru_cache(maxsize=4096)
def _reach(noise: CellNoise, cells: int, level: float) -> int:
    return reach(sum_law(noise, cells), level)


@lru_cache(maxsize=4096)
def _size(noise: CellNoise, cells: int) -> float:
    return expected_size(sum_law(noise, cells))
