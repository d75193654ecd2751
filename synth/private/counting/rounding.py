"""Bounds and edges of numbers for a draft, rounded outward and no row's own. PRIVATE.

>>> weights = Readings(
...     rows=100, different=99, distinct=99, lowest=[(41.5, 12)], highest=[(127.25, 11)]
... )
>>> bounds = round_bounds(weights, ())
>>> bounds.low, bounds.high
(Decimal('40'), Decimal('130'))
"""

import math
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from synth import limits
from synth.private.counting.profiles import Counted, RankGroup, Readings

# Least number of steps in a rounded range, and number of bins if edges follow rows.
STEPS = 20
# Share of the rows beyond each end of a range in a sentence, and most beyond a bound.
TAIL_SHARE = 0.005
# A tail this many widths (of 99 % of the rows) away is cut off.
FENCE_WIDTHS = 0.5
# Share of the rows from which a single number has a cell of its own.
SPIKE_SHARE = 0.1
# Largest share of the rows in one of equal bins; otherwise edges follow the rows.
CROWDED_SHARE = 0.3
# Largest share of the rows outside consecutive whole numbers.
MOST_BEYOND = 0.01
# Least number of edges that are better than equal bins.
MIN_EDGES = 4
# A step is at least this share of the upper end, so that a narrow range is not cut too fine.
LEAST_WIDTH_SHARE = 1 / 100


@dataclass(frozen=True, kw_only=True)
class RoundBounds:
    """Bounds of numbers, rounded outward.

    Attributes:
        low, high: The bounds.
        middle: The range of 99 % of the rows.
        is_cut: Whether a tail lies outside.
    """

    low: Decimal
    high: Decimal
    middle: tuple[Decimal, Decimal]
    is_cut: bool


def round_bounds(values: Readings, codes: Collection[float]) -> RoundBounds:
    """Return bounds, rounded outward, that contain all but a few rows, or all but a far tail.

    A few rows at each end are stepped over, so that no end is a single row's own value. A
    tail is far if it lies beyond a fence: `FENCE_WIDTHS` widths of the middle range away.

    Args:
        values: Statistics of the numbers: the values at both ends, and sorted groups.
        codes: Numbers that are codes, such as 999 for a missing value, and do not count.
    """
    lowest = [pair for pair in values.lowest if pair[0] not in codes]
    highest = [pair for pair in values.highest if pair[0] not in codes]
    low, low_rows = step_in(lowest, values.rows)
    high, high_rows = step_in(highest, values.rows)
    groups = [*_without(values.ranks, codes)]
    middle_low = _quantile(groups, TAIL_SHARE) if groups else low
    middle_high = _quantile(groups, 1 - TAIL_SHARE) if groups else high
    width = middle_high - middle_low
    is_cut = False
    # A tail beyond a fence is cut off: the end becomes that of the last group within. Its own
    # rows are not known; 0 of them means that it is rounded in any case.
    low_fence = middle_low - FENCE_WIDTHS * width
    high_fence = middle_high + FENCE_WIDTHS * width
    if width and low < low_fence:
        low = min(group.low for group in groups if group.low >= low_fence)
        low_rows = 0
        is_cut = True
    if width and high > high_fence:
        high = max(group.high for group in groups if group.high <= high_fence)
        high_rows = 0
        is_cut = True
    width_to_cut = max(high - low, abs(high) * LEAST_WIDTH_SHARE, 0.0)
    step = _nice_step(width_to_cut, is_whole=values.is_whole)
    low_end = _round_end(low, low_rows, lowest, step=step, up=False)
    high_end = _round_end(high, high_rows, highest, step=step, up=True)
    if low_end == high_end:  # a range needs a width
        high_end += step
    # The range of most rows is rounded to a fifth of a step, but not below whole numbers.
    fine_step = step / 5 if step >= 5 or not values.is_whole else Decimal(1)
    middle = (
        _multiple(middle_low, fine_step, up=False),
        _multiple(middle_high, fine_step, up=True),
    )
    return RoundBounds(low=low_end, high=high_end, middle=middle, is_cut=is_cut)


def step_in(ends: Counted, rows: int) -> tuple[float, int]:
    """Return the first value at an end that has enough rows at or beyond it, and its rows.

    If no listed value has enough, it is the innermost one, with 0 rows.

    Args:
        ends: The values at the end, from the end inwards, with their rows; not empty.
        rows: The rows of all values.
    """
    # A small column may lose at most this share of its rows beyond either end.
    enough_rows = max(1, min(limits.LISTED_ROWS, int(TAIL_SHARE * rows)))
    rows_so_far = 0
    for value, rows_of_value in ends:
        rows_so_far += rows_of_value
        if rows_so_far >= enough_rows:
            return float(value), rows_of_value
    return float(ends[-1][0]), 0


def _round_end(end: float, rows: int, ends: Counted, *, step: Decimal, up: bool) -> Decimal:
    """Return an end of a range, rounded outward, that is no single row's own value.

    An end of enough rows and at most two digits stays as it is.

    Args:
        end: The least or the greatest number of the range.
        rows: The rows of the end itself.
        ends: The values at this end, from the end inwards, with their rows.
        step: The distance of round numbers.
        up: Whether it is the upper end.
    """
    exact = _decimal(end)
    digits = exact.normalize().as_tuple().digits
    if rows >= limits.LISTED_ROWS and len(digits) <= 2:
        return exact
    rounded = _multiple(end, step, up=up)
    extreme, extreme_rows = ends[0]
    # A round number may still be the extreme value of a few rows: then take the next one.
    if rounded == _decimal(extreme) and rounded and extreme_rows < limits.LISTED_ROWS:
        rounded += step if up else -step
    # Numbers that are never negative get no negative bound.
    return max(rounded, Decimal(0)) if extreme >= 0 and not up else rounded


def _nice_step(width: float, *, is_whole: bool) -> Decimal:
    """Return 1, 2 or 5 times a power of ten that cuts a width into about `STEPS` steps.

    It is 1 for a width of 0, and at least 1 for whole numbers.
    """
    if not width:
        return Decimal(1)
    power = Decimal(10) ** math.floor(math.log10(width / STEPS))
    steps = [power * factor for factor in (1, 2, 5, 10)]
    step = next(step for step in steps if float(step) >= width / STEPS)
    return max(step, Decimal(1)) if is_whole else step


def _multiple(value: float, step: Decimal, *, up: bool) -> Decimal:
    """Return the nearest multiple of a step at or above a value (``up``), or at or below."""
    rounding = ROUND_CEILING if up else ROUND_FLOOR
    return (_decimal(value) / step).to_integral_value(rounding) * step


def _decimal(value: float) -> Decimal:
    return Decimal(repr(float(value)))


def _without(
    ranks: Collection[RankGroup], left_out_numbers: Collection[float]
) -> Iterator[RankGroup]:
    """Yield the groups of sorted numbers without some numbers.

    A group is dropped if nothing remains of it. Only the rows of its most common number are
    known, so only these are subtracted.

    Args:
        ranks: Groups of neighbouring numbers, ascending.
        left_out_numbers: The numbers that do not count.
    """
    for group in ranks:
        rows = group.rows - (group.top_rows if group.top in left_out_numbers else 0)
        # A left-out end of a group is replaced by its other end.
        low = group.high if group.low in left_out_numbers else group.low
        high = group.low if group.high in left_out_numbers else group.high
        if rows > 0 and low not in left_out_numbers and high not in left_out_numbers:
            yield group._replace(low=min(low, high), high=max(low, high), rows=rows)


def _quantile(groups: Collection[RankGroup], share: float) -> float:
    """Return the number below which about a share of the rows lies.

    It is the outer end of the group that holds it: the lower one for a share below 1/2, else
    the upper one.

    Args:
        groups: Groups of neighbouring numbers, ascending, at least one.
        share: The share, from 0 to 1.
    """
    total = sum(group.rows for group in groups)
    rows_so_far = 0
    for group in groups:
        rows_so_far += group.rows
        if rows_so_far >= share * total:
            break
    return group.low if share < 1 / 2 else group.high


def find_run(counts: Counter[int], rows: int) -> tuple[int, int] | None:
    """Return the first and last of a run of successive whole numbers that all occur.

    The run is around the most common number. Each end, unless it is that number, has at
    least `LISTED_ROWS` rows at or beyond it. The result is None if more than a few rows lie
    outside the run.

    Args:
        counts: The rows of each number, at least one.
        rows: The rows of all numbers.

    >>> find_run(Counter({1: 900, 2: 80, 3: 12, 4: 6, 7: 2}), 1_000)
    (1, 3)
    >>> find_run(Counter({1: 500, 9: 500}), 1_000) is None
    True
    """
    mode = max(counts, key=lambda value: counts[value])
    ends = []
    for direction in (-1, 1):
        end = mode
        while counts[end + direction]:
            end += direction
        # A number at the end that only a few rows have would be these rows' own.
        while end != mode and _rows_beyond(counts, end, direction) < limits.LISTED_ROWS:
            end -= direction
        ends.append(end)
    beyond = sum(
        rows_of_value
        for value, rows_of_value in counts.items()
        if not ends[0] <= value <= ends[1]
    )
    return (ends[0], ends[1]) if beyond <= MOST_BEYOND * rows else None


def _rows_beyond(counts: Counter[int], end: int, direction: int) -> int:
    """Return the rows of all numbers at or beyond an end, upwards (1) or downwards (-1)."""
    return sum(rows for value, rows in counts.items() if direction * (value - end) >= 0)


def find_spikes(values: Readings, codes: Collection[float]) -> list[float]:
    """Return the numbers that so many rows have that each gets a cell of its own.

    Args:
        values: Statistics of the numbers.
        codes: Numbers that have cells of their own already.
    """
    least_rows = max(limits.LISTED_ROWS, SPIKE_SHARE * values.rows)
    return [
        group.top
        for group in values.ranks
        if group.top_rows >= least_rows and group.top not in codes
    ]


def follow_shape(
    values: Readings,
    separate_numbers: Collection[float],
    bounds: RoundBounds,
    *,
    places: int | None,
) -> list[Decimal]:
    """Return edges of bins of about equal rows, ascending, if equal widths suit badly.

    That is so if one of `STEPS` bins of equal width had too many of the rows. Otherwise the
    list is empty. Edges are rounded to two digits from the lower bound on.

    Args:
        values: Statistics of the numbers.
        separate_numbers: Numbers with cells of their own.
        bounds: The bounds, which are the first and the last edge.
        places: Digits after the decimal mark of a value; None for any.
    """
    low = float(bounds.low)
    high = float(bounds.high)
    groups = [
        g for g in _without(values.ranks, separate_numbers) if g.high >= low and g.low <= high
    ]
    total = sum(group.rows for group in groups)
    rows_by_bin = [0 for _ in range(STEPS)]  # of equal width
    # All rows of a group count in the bin of its middle.
    for group in groups:
        middle = (max(low, group.low) + min(high, group.high)) / 2
        number = int((middle - low) / (high - low) * STEPS)
        rows_by_bin[min(STEPS - 1, number)] += group.rows
    if total < STEPS * limits.LISTED_ROWS or max(rows_by_bin) <= CROWDED_SHARE * total:
        return []
    # Quantiles of the rows, rounded; those that coincide or need more digits drop out.
    edges = {bounds.low, bounds.high}
    for i in range(1, STEPS):
        away = _decimal(_quantile(groups, i / STEPS)) - bounds.low
        if away > 0:
            away = round(away, 1 - away.adjusted())  # to two digits
        edge = bounds.low + away
        fits = places is None or edge == round(edge, places)
        if fits and bounds.low < edge < bounds.high:
            edges.add(edge)
    return sorted(edges) if len(edges) >= MIN_EDGES else []
