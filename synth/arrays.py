"""Arrays by what they hold, and the three things that many modules do with them. PUBLIC.

>>> table = marginal([np.array([0, 1, 1]), np.array([2, 0, 0])], (2, 3))
>>> table.tolist()
[[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]]
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synth.cells import number_cells

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
"""Codes of rows: of one column, shape (rows,), or of all, shape (rows, columns)."""
Mask = NDArray[np.bool_]


def marginal(
    codes: Sequence[NDArray[Any]], shape: Sequence[int], weights: NDArray[Any] | None = None
) -> Floats:
    """How many rows fall into each cell of some columns, or the sum of their weights.

    Args:
        codes: Codes of the rows, one array of shape (rows,) a column.
        shape: Cells of each of these columns.
        weights: Weight of each row, shape (rows,); 1 by default.

    Returns:
        Rows by cell, of the given shape.
    """
    counts = np.bincount(number_cells(codes, shape), weights, minlength=math.prod(shape))
    return np.asarray(counts.reshape(tuple(shape)), dtype=np.float64)


def bisect(
    too_low: Callable[[float], bool],
    low: float,
    high: float,
    *,
    steps: int,
    middle: Callable[[float, float], float] | None = None,
) -> tuple[float, float]:
    """The two sides of the point up to which a number is too low, after some halvings.

    Args:
        too_low: True below the point, False above it.
        low, high: The interval that holds it.
        steps: How often the interval is halved.
        middle: Where an interval is cut; at its arithmetic mean by default.

    >>> bisect(lambda x: x * x < 2, 0.0, 2.0, steps=3)
    (1.25, 1.5)
    """
    for _ in range(steps):
        cut = middle(low, high) if middle else (low + high) / 2
        low, high = (cut, high) if too_low(cut) else (low, cut)
    return low, high


def geometric_mean(low: float, high: float) -> float:
    """The middle of two positive numbers on a logarithmic scale."""
    return math.sqrt(low * high)


def maximize_mixture(
    likelihood: Floats,
    weights: Floats,
    shares: Floats,
    *,
    rounds: int,
    adjust: Callable[[int, Floats], Floats] | None = None,
) -> Floats:
    """Shares of a mixture's components by expectation-maximisation (Dempster, Laird, Rubin 1977).

    Args:
        likelihood: Of each observation under each component, shape (observations, components).
        weights: Weight of each observation, shape (observations,), of sum 1.
        shares: Where it starts, shape (components,), of sum 1. It is overwritten.
        rounds: How many.
        adjust: Changes the shares after a round, told the number of the round from 1 up.

    Returns:
        The shares, shape (components,).
    """
    for step in range(1, rounds + 1):
        shares *= (weights / (likelihood @ shares)) @ likelihood
        if adjust is not None:
            shares = adjust(step, shares)
    return shares


def log_factorials(counts: Floats) -> Floats:
    """ln c! of each count, shape of the counts."""
    return np.array([math.lgamma(count + 1) for count in counts])
