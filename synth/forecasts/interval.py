"""The interval around a forecast that four of five releases keep. PUBLIC.

A forecast is a point that rests on typical tables; how far releases were from it is fitted for
each method and size of error to releases of some tables and tried on others
(`tests/bench/fit_interval.py`, which writes `synth.forecasts.spreads`).

>>> found = widen("pairs", "independent", 0.1, rows=10_000)
>>> 0 < found.low < found.likely < found.high < 1
True
"""

import math
from typing import NamedTuple

from synth.estimate import RECIPES
from synth.forecasts.spreads import SPREADS

LEAST, MOST = 0.003, 0.6
"""Errors between which the spread changes with their size."""


class Range(NamedTuple):
    """An expected total variation, and the ends of the interval that four of five releases keep."""

    low: float
    likely: float
    high: float


def widen(what: str, method: str, point: float, rows: int) -> Range:
    """The interval around a point.

    Args:
        what: ``columns`` or ``pairs``.
        method: The method that is followed in the end.
        point: The point, a mean total variation from 0 to 1.
        rows: About how many rows the table has; errors of less than half a row are as good as 0.
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
