"""The 80 % interval around a forecast. PUBLIC.

A forecast is a point that assumes typical tables. The deviation of releases from it was fitted, for
each method and size of error, to releases of some tables and tested on others
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
"""The range of errors in which the spread depends on the error."""


class Range(NamedTuple):
    """An expected total variation, with the ends of its 80 % interval."""

    low: float
    likely: float
    high: float


def widen(what: str, method: str, point: float, rows: int) -> Range:
    """Return the 80 % interval around a point.

    Args:
        what: ``columns`` or ``pairs``.
        method: The method that Synth will use.
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
