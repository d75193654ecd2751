"""The 80 % interval around a forecast. PUBLIC.

Releases' deviation, by method and by the sizes of columns, was fitted to some tables and tested on
others (`tests/bench/fit_interval.py`, which writes `synth.forecasts.spreads`).

>>> found = widen("pairs", "independent", 0.1, (8,) * 6, rows=10_000)
>>> 0 < found.low < found.likely < found.high < 1
True
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from synth.estimate import RECIPES
from synth.forecasts.spreads import SPREADS

# Mean logs of columns' cells of the tables that the spread was fitted to.
LEAST_LOG_CELLS, MOST_LOG_CELLS = 0.7, 3.7


class Range(NamedTuple):
    """An expected total variation, with its 80 % interval."""

    low: float
    likely: float
    high: float


def widen(what: str, method: str, point: float, shape: Sequence[int], rows: int) -> Range:
    """Return the 80 % interval around a point.

    Args:
        what: ``columns`` or ``pairs``.
        point: A mean total variation from 0 to 1.
        shape: The cells of each column.
        rows: The rough number of rows; an error below half a row counts as 0.
    """
    if not point:
        return Range(0.0, 0.0, 0.0)
    bends = SPREADS[what][RECIPES[method].spread or method]
    least, size = 0.5 / rows, mean_log_cells(shape)
    low, likely, high = sorted(
        min(1.0, max(0.0, (point + least) * math.exp(level + slope * size) - least))
        for level, slope in bends
    )
    return Range(low, likely, high)


def mean_log_cells(shape: Sequence[int]) -> float:
    """Return the mean log of columns' cells, within the range of the fitted tables."""
    found = math.fsum(map(math.log, shape)) / len(shape)
    return min(max(found, LEAST_LOG_CELLS), MOST_LOG_CELLS)
