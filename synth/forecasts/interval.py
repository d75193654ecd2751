"""The 80 % interval around a forecast. PUBLIC.

How far releases deviate was fitted to some tables and tested on others
(`tests/bench/fit_interval.py`, which writes `synth.forecasts.spreads`).

>>> found = widen(
...     "pairs", "independent", LikelyErrors(0.04, 0.1), shape=(8,) * 6, rows=10_000
... )
>>> 0 < found.low < found.likely < found.high < 1
True
"""

import math
from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

from synth.estimate import RECIPES, LikelyErrors
from synth.forecasts.spreads import LIMITS, SPREADS


class Range(NamedTuple):
    """An expected total variation, with its 80 % interval."""

    low: float
    likely: float
    high: float


def widen(
    what: str, method: str, points: LikelyErrors, *, shape: Sequence[int], rows: int
) -> Range:
    """Return the 80 % interval around a point.

    Args:
        what: ``columns`` or ``pairs``.
        points: Mean total variations from 0 to 1.
        shape: The cells of each column.
        rows: The rough number of rows; an error below half a row counts as 0.
    """
    point = points.columns if what == "columns" else points.pairs
    if not point:
        return Range(0.0, 0.0, 0.0)
    least = 0.5 / rows
    seen = [
        min(max(one, low), high)
        for one, (low, high) in zip(
            describe_point(what, points, shape), LIMITS[what], strict=True
        )
    ]
    low, likely, high = sorted(
        min(
            1.0,
            max(0.0, (point + least) * math.exp(level + sum(map(mul, slopes, seen))) - least),
        )
        for level, *slopes in SPREADS[what][RECIPES[method].spread or method]
    )
    return Range(low, likely, high)


def describe_point(
    what: str, points: LikelyErrors, shape: Sequence[int]
) -> tuple[float, ...]:
    """Return public numbers that tell how far releases deviate from a point.

    They are the mean log of columns' cells, the error, its log, and the share of the squared
    error of pairs that is noise. The rest depends on how strongly columns are linked, which
    no public number says."""
    error = points.columns if what == "columns" else points.pairs
    noise = min(1.0, (2 * points.columns / points.pairs) ** 2) if points.pairs else 1.0
    return (
        math.fsum(map(math.log, shape)) / len(shape),
        error,
        math.log(max(error, 1e-9)),
        noise,
    )
