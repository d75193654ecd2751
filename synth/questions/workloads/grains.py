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
    """Return the grid for the values of a column, with step 0 near the middle of its range.

    The grid has about ``half_steps`` steps to each end of the range. If the column's values
    are whole units that fit, each unit is cut into as many steps as possible, so nothing is
    rounded.

    Args:
        number: The number of the column among the questions' columns.
        column: The column, whose values must add up.
        half_steps: The most steps from the middle to either end.
    """
    low, high, unit, *_ = summable(column)
    half = (high - low) / 2
    units = half_units(column)
    if unit is None or units is None or units > half_steps:
        # A range of one value has no width; any width of a step is right then.
        return Steps(
            column=number, middle=low + half, grid=(half or 1.0) / half_steps, most=half_steps
        )
    # Steps of a unit.
    fine = max(1, half_steps // units)
    middle = low + unit * math.floor(half / unit)
    return Steps(column=number, middle=middle, grid=unit / fine, most=fine * units)


def steps_from_zero(number: int, column: CutColumn) -> Steps:
    """Return the grid for the values of a column, with step 0 at the value 0.

    It is used if the number of rows is private: then a row that adds nothing must add 0.
    Whole units are steps, unless there are too many of them.

    Args:
        number: The number of the column among the questions' columns.
        column: The column, whose values must add up.
    """
    low, high, unit, *_ = summable(column)
    farthest = max(abs(low), abs(high)) or 1.0
    if unit is None or farthest / unit > MAX_HALF_STEPS:
        return Steps(
            column=number, middle=0.0, grid=farthest / MAX_HALF_STEPS, most=MAX_HALF_STEPS
        )
    return Steps(column=number, middle=0.0, grid=unit, most=max(1, round(farthest / unit)))


def half_units(column: CutColumn) -> int | None:
    """Return how many units lie between the middle of a column's range and its far end.

    At least 1; None if the values are real numbers.
    """
    column_range = summable(column)
    if column_range.unit is None:
        return None
    return max(1, math.ceil((column_range.high - column_range.low) / column_range.unit / 2))


def summable(column: CutColumn) -> Summable:
    """Return the range and the unit of a column whose values add up."""
    assert column.summable is not None
    return column.summable
