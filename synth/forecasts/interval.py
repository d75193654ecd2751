"""The 80 % interval around a forecast. PUBLIC.

Releases' deviation, by method and size of error, was fitted to some tables and tested on others
(`tests/bench/fit_interval.py`, which writes `synth.forecasts.spreads`).

>>> found = widen("pairs", "independent", 0.1, rows=10_000)
>>> 0 < found.low < found.likely < found.high < 1
True
"""

import math
from typing import NamedTuple

from synth.estimate import RECIPES
from synth.forecasts.spreads import SPREADS

# The range of errors in which the spread depends on the error.
LEAST, MOST = 0.003, 0.6


class Range(NamedTuple):
    """An expected total variation, with its 80 % interval."""

    low: float
    likely: float
    high: float


def widen(what: str, method: str, point: float, rows: int) -> Range:
    """Return the 80 % interval around a point.

    Args:
        what: ``columns`` or ``pairs``.
        point: A mean total variation from 0 to 1.
        rows: The rough number of rows; an error below half a row counts as 0.
    """
    if not point:
        return Range(0.0, 0.0, 0.0)
    bends = SPREADS[what][RECIPES[method].spread or method]
    least = 0.5 / rows
    size = math.log(min(max(point, LEAST), MOST))
    low, likely, high = sorted(
        min(1.0, max(0.0, (point + least) * math.exp(level + slope * size) - least))
        for level, slope in bends
    )
    return Range(low, likely, high)
