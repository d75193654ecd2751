"""The 80 % interval around a forecast. PUBLIC.

How far releases deviate was fitted to some tables and tested on others
(`tests/bench/fit_interval.py`, which writes `synth.forecasts.spreads`).

>>> interval = widen(
...     "pairs", "independent", LikelyErrors(0.04, 0.1), shape=(8,) * 6, rows=10_000
... )
>>> 0 < interval.low < interval.likely < interval.high < 1
True
"""

import math
from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

from synth.domain import Domain
from synth.errors import name_some
from synth.estimate import RECIPES, USUAL_CELLS, LikelyErrors, is_long
from synth.forecasts.spreads import LIMITS, SPREADS

MAX_NAMES = 3


class Range(NamedTuple):
    """An expected total variation, with its 80 % interval.

    Attributes:
        low: The low end.
        likely: The expected value.
        high: The high end.
    """

    low: float
    likely: float
    high: float


def widen(
    target: str, method: str, points: LikelyErrors, *, shape: Sequence[int], rows: int
) -> Range:
    """Return an expected error with the 80 % interval around it.

    With numbers x that describe the error, each end is error * exp(level + slopes . x).
    Levels and slopes were fitted to releases.

    Args:
        target: "columns" or "pairs": whose error it is.
        method: The method of the release.
        points: The expected mean total variations of columns and of pairs, from 0 to 1.
        shape: The number of cells of each column.
        rows: The rough number of rows; an error below half a row counts as 0.
    """
    point = points.columns if target == "columns" else points.pairs
    if not point:
        return Range(0.0, 0.0, 0.0)
    # The fit holds within the range of what was seen, so each number is cut to its limits.
    numbers = [
        min(max(number, low), high)
        for number, (low, high) in zip(
            describe_point(target, points, shape), LIMITS[target], strict=True
        )
    ]
    # As in the fit, the factor is one of the error plus half a row, whose logarithm always
    # exists. The half row is taken off again, and a negative result counts as 0.
    half_row = 0.5 / rows
    ends = []
    # A method may share the constants of another one, its `spread`.
    for level, *slopes in SPREADS[target][RECIPES[method].spread or method]:
        factor = math.exp(level + sum(map(mul, slopes, numbers)))
        error = (point + half_row) * factor - half_row
        ends.append(min(1.0, max(0.0, error)))
    low, likely, high = sorted(ends)
    return Range(low, likely, high)


def widen_for_lists(
    usual: Range, point: float, extremes: Sequence[float], *, rows: int
) -> Range:
    """Return the range of an error, if it also depends on how even a long list is.

    What a list is like and what else distinguishes tables are independent. So the squares of
    both distances from the likely error add up, as ratios on a log scale.

    Args:
        usual: The range around the likely error, for lists that are as even as assumed.
        point: The expected error of such lists.
        extremes: The expected errors of more and of less even lists; may be empty.
        rows: The rough number of rows.

    >>> widen_for_lists(Range(0.05, 0.1, 0.2), 0.1, [0.1, 0.3], rows=10**9).high.__round__(2)
    0.37
    """
    if not extremes:
        return usual
    # Half a row is added to each error, so that its logarithm always exists, and is taken off
    # the result again.
    half_row = 0.5 / rows
    likely = usual.likely + half_row
    log_to_low = math.log(likely / (usual.low + half_row))
    log_to_high = math.log((usual.high + half_row) / likely)
    log_shifts = [math.log((error + half_row) / (point + half_row)) for error in extremes]
    least_shift = min([0.0, *log_shifts])
    greatest_shift = max([0.0, *log_shifts])
    # Independent distances: the root of the sum of their squares.
    low = likely * math.exp(-math.hypot(log_to_low, least_shift)) - half_row
    high = likely * math.exp(math.hypot(log_to_high, greatest_shift)) - half_row
    return Range(max(0.0, low), usual.likely, min(1.0, high))


def explain_lists(domain: Domain) -> str:
    """Return the sentence that long lists make ranges wide, and an empty text without any.

    Args:
        domain: The declared columns.

    >>> from synth.domain import Categorical
    >>> codes = Categorical(name="code", categories=tuple(map(str, range(900))))
    >>> explain_lists(Domain((codes,))).partition(" because ")[2]
    "nobody knows how evenly rows spread over the values of 'code'."
    """
    names = [f"'{column.name}'" for column in domain.columns if is_long(column.size)]
    if not names:
        return ""
    return (
        "These ranges are wide because nobody knows how evenly rows spread over the values "
        f"of {name_some(names, MAX_NAMES)}."
    )


def describe_point(
    target: str, points: LikelyErrors, shape: Sequence[int]
) -> tuple[float, ...]:
    """Return public numbers that tell how far releases deviate from an expected error.

    They are the mean logarithm of the columns' cells, the error, its logarithm, and the share
    of noise in the squared error of pairs. The rest depends on how strongly columns are
    linked, which no public number says. Long lists count as lists of `USUAL_CELLS` cells, as
    `widen_for_lists` allows for what is particular to them.

    Args:
        target: "columns" or "pairs": whose error it is.
        points: The expected mean total variations of columns and of pairs, from 0 to 1.
        shape: The number of cells of each column.
    """
    error = points.columns if target == "columns" else points.pairs
    # Twice the error of columns stands for the noise of pairs.
    noise = min(1.0, (2 * points.columns / points.pairs) ** 2) if points.pairs else 1.0
    # An error of 0 has no logarithm; a billionth stands for it.
    log_error = math.log(max(error, 1e-9))
    logs = [math.log(min(size, USUAL_CELLS)) for size in shape]
    return math.fsum(logs) / len(logs), error, log_error, noise
