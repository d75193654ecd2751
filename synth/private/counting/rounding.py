"""Bounds and edges of numbers for a draft: trimmed, rounded outward, and no row's own.
PRIVATE.

>>> weights = Readings(
...     rows=100, different=99, distinct=99, lowest=[(41.5, 12)], highest=[(127.25, 11)]
... )
>>> found = round_bounds(weights, ())
>>> found.low, found.high
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
# Share of the rows beyond each end of a range in a sentence.
TAIL_SHARE = 0.005
# A tail this many widths (of 99 % of the rows) away is cut off.
FENCE_WIDTHS = 0.5
# Share of the rows from which a single number has a cell of its own.
SPIKE_SHARE = 0.1
# Largest share of the rows in one of equal bins; otherwise edges follow the rows.
CROWDED_SHARE = 0.3
# Largest share of the rows outside consecutive whole numbers.
MOST_BEYOND = 0.02
# Least number of edges that are better than equal bins.
MIN_EDGES = 4


@dataclass(frozen=True, kw_only=True)
class RoundBounds:
    """Bounds of numbers, with the range of 99 % of the rows, rounded outward.

    ``is_cut`` says whether a tail lies outside.
    """

    low: Decimal
    high: Decimal
    middle: tuple[Decimal, Decimal]
    is_cut: bool


def round_bounds(values: Readings, apart: Collection[float]) -> RoundBounds:
    """Return bounds, rounded outward, that contain all but a few rows, or all but a far tail.

    ``apart`` are codes that are no numbers.
    """
    lowest, highest = (
        [pair for pair in ends if pair[0] not in apart]
        for ends in (values.lowest, values.highest)
    )
    (low, low_rows), (high, high_rows) = (step_in(e, values.rows) for e in (lowest, highest))
    groups = [*_without(values.ranks, apart)]
    middle_low, middle_high = (
        (_quantile(groups, TAIL_SHARE), _quantile(groups, 1 - TAIL_SHARE))
        if groups
        else (low, high)
    )
    width = middle_high - middle_low
    is_cut = False
    fences = middle_low - FENCE_WIDTHS * width, middle_high + FENCE_WIDTHS * width
    if width and low < fences[0]:
        low, low_rows, is_cut = min(g.low for g in groups if g.low >= fences[0]), 0, True
    if width and high > fences[1]:
        high, high_rows, is_cut = max(g.high for g in groups if g.high <= fences[1]), 0, True
    step = _nice_step(max(high - low, abs(high) / 100, 0.0), whole=values.whole)
    ends = (
        _round_end(low, low_rows, lowest, step=step, up=False),
        _round_end(high, high_rows, highest, step=step, up=True),
    )
    fine = step / 5 if step >= 5 or not values.whole else Decimal(1)
    middle = _multiple(middle_low, fine, up=False), _multiple(middle_high, fine, up=True)
    if ends[0] == ends[1]:
        ends = ends[0], ends[1] + step
    low_end, high_end = ends
    return RoundBounds(low=low_end, high=high_end, middle=middle, is_cut=is_cut)


def step_in(ends: Counted, rows: int) -> tuple[float, int]:
    enough, upto = max(1, min(limits.LISTED_ROWS, rows // 100)), 0
    for value, many in ends:
        upto += many
        if upto >= enough:
            return float(value), many
    return float(ends[-1][0]), 0


def _round_end(end: float, rows: int, ends: Counted, *, step: Decimal, up: bool) -> Decimal:
    exact = _decimal(end)
    digits = exact.normalize().as_tuple().digits
    if rows >= limits.LISTED_ROWS and len(digits) <= 2:
        return exact
    found = _multiple(end, step, up=up)
    last, last_rows = ends[0]
    if found == _decimal(last) and found and last_rows < limits.LISTED_ROWS:
        found += step if up else -step
    return max(found, Decimal(0)) if last >= 0 and not up else found


def _nice_step(width: float, *, whole: bool) -> Decimal:
    # 1, 2 or 5 times a power of ten that cuts the width into about twenty steps.
    if not width:
        return Decimal(1)
    power = Decimal(10) ** math.floor(math.log10(width / STEPS))
    found = next(power * m for m in (1, 2, 5, 10) if float(power * m) >= width / STEPS)
    return max(found, Decimal(1)) if whole else found


def _multiple(value: float, step: Decimal, *, up: bool) -> Decimal:
    way = ROUND_CEILING if up else ROUND_FLOOR
    return (_decimal(value) / step).to_integral_value(way) * step


def _decimal(value: float) -> Decimal:
    return Decimal(repr(float(value)))


def _without(ranks: Collection[RankGroup], gone: Collection[float]) -> Iterator[RankGroup]:
    for group in ranks:
        rows = group.rows - (group.top_rows if group.top in gone else 0)
        low = group.high if group.low in gone else group.low
        high = group.low if group.high in gone else group.high
        if rows > 0 and low not in gone and high not in gone:
            yield group._replace(low=min(low, high), high=max(low, high), rows=rows)


def _quantile(groups: Collection[RankGroup], share: float) -> float:
    total, upto = sum(group.rows for group in groups), 0
    for group in groups:
        upto += group.rows
        if upto >= share * total:
            break
    return group.low if share < 1 / 2 else group.high


def find_run(counts: Counter[int], rows: int) -> tuple[int, int] | None:
    """Return consecutive whole numbers that all occur, with enough rows at both ends, or
    None.

    >>> find_run(Counter({1: 900, 2: 80, 3: 12, 4: 6, 7: 2}), 1_000)
    (1, 3)
    >>> find_run(Counter({1: 500, 9: 500}), 1_000) is None
    True
    """
    mode = max(counts, key=lambda value: counts[value])
    ends = []
    for way in (-1, 1):
        end = mode
        while counts[end + way]:
            end += way
        while (
            end != mode
            and sum(n for v, n in counts.items() if way * (v - end) >= 0) < limits.LISTED_ROWS
        ):
            end -= way
        ends.append(end)
    beyond = sum(n for value, n in counts.items() if not ends[0] <= value <= ends[1])
    return (ends[0], ends[1]) if beyond <= MOST_BEYOND * rows else None


def find_spikes(values: Readings, apart: Collection[float]) -> list[float]:
    least = max(limits.LISTED_ROWS, SPIKE_SHARE * values.rows)
    return [g.top for g in values.ranks if g.top_rows >= least and g.top not in apart]


def follow_shape(
    values: Readings, gone: Collection[float], bounds: RoundBounds, *, places: int | None
) -> list[Decimal]:
    """Return edges that follow the rows, if equal bins would have most of them in one; else
    none.

    Args:
        gone: Numbers with cells of their own.
        bounds: The bounds, which are the first and the last edge.
        places: Digits after the decimal mark of a value; None for any.
    """
    low, high = float(bounds.low), float(bounds.high)
    groups = [g for g in _without(values.ranks, gone) if g.high >= low and g.low <= high]
    bins, total = [0] * STEPS, sum(g.rows for g in groups)
    for group in groups:
        middle = (max(low, group.low) + min(high, group.high)) / 2
        bins[min(STEPS - 1, int((middle - low) / (high - low) * STEPS))] += group.rows
    if total < STEPS * limits.LISTED_ROWS or max(bins) <= CROWDED_SHARE * total:
        return []
    edges = {bounds.low, bounds.high}
    for i in range(1, STEPS):
        away = _decimal(_quantile(groups, i / STEPS)) - bounds.low
        if away > 0:
            away = round(away, 1 - away.adjusted())
        edge = bounds.low + away
        fits = places is None or edge == round(edge, places)
        if fits and bounds.low < edge < bounds.high:
            edges.add(edge)
    return sorted(edges) if len(edges) >= MIN_EDGES else []
