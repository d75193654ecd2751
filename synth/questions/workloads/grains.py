"""How sums become whole numbers: grids as fine as the noise allows. PUBLIC.

Whole numbers and dates fall on the grid exactly if possible; for other numbers a step is a
millionth of the range.

>>> from synth.domain import Integer
>>> from synth.questions.workloads.atoms import cut_column
>>> age = cut_column(Integer(name="age", minimum=17, maximum=90), ())
>>> steps_around(0, age, 1_000)
Steps(column=0, middle=53.0, grid=0.037037037037037035, most=999)
"""

import math

from synth.domain import MOST_STEPS, Steps, Summable
from synth.questions.workloads.atoms import CutColumn

# Steps from the middle of a real number's range to its end.
MAX_HALF_STEPS = MOST_STEPS // 2


def steps_around(number: int, column: CutColumn, half_steps: int) -> Steps:
    """Return steps from near the middle of a column's range.

    About ``half_steps`` of them to each end; whole units are cut into as many as fit.
    """
    low, high, unit, *_ = summable(column)
    half = (high - low) / 2
    units = half_units(column)
    if unit is None or units is None or units > half_steps:
        return Steps(
            column=number, middle=low + half, grid=(half or 1.0) / half_steps, most=half_steps
        )
    fine = max(1, half_steps // units)
    middle = low + unit * math.floor(half / unit)
    return Steps(column=number, middle=middle, grid=unit / fine, most=fine * units)


def steps_from_zero(number: int, column: CutColumn) -> Steps:
    """Return steps from 0, for totals of rows whose number is private."""
    low, high, unit, *_ = summable(column)
    farthest = max(abs(low), abs(high)) or 1.0
    if unit is None or farthest / unit > MAX_HALF_STEPS:
        return Steps(
            column=number, middle=0.0, grid=farthest / MAX_HALF_STEPS, most=MAX_HALF_STEPS
        )
    return Steps(column=number, middle=0.0, grid=unit, most=max(1, round(farthest / unit)))


def half_units(column: CutColumn) -> int | None:
    """Return units from the middle of whole numbers to the far end; None for real numbers."""
    column_range = summable(column)
    if column_range.unit is None:
        return None
    return max(1, math.ceil((column_range.high - column_range.low) / column_range.unit / 2))


def summable(column: CutColumn) -> Summable:
    """Return the range and the unit of a column whose values add up."""
    assert column.summable is not None
    return column.summable
