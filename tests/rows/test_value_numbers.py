"""Months and years are drawn by their numbers."""

import numpy as np

from synth.domain import Date, Integer
from synth.rows.value_numbers import steps_of_values, value_spans, values_at_steps

MONTHS = Date(name="m", minimum="11/1968", maximum="04/1972", format="%m/%Y", bins=3)


def test_every_month_has_its_first_day() -> None:
    """Each month of a column has a number, and stands for its first day.

    Months are numbered from January 1970: November 1968 is -14, and April 1972 is 27. Steps
    of the column are days.
    """
    first, last = value_spans(MONTHS)[0, 0], value_spans(MONTHS)[-1, 1]
    numbers = np.arange(first, last + 1)
    steps = steps_of_values(MONTHS, numbers)
    assert (first, last, len(numbers)) == (-14, 27, MONTHS.values)
    assert steps.tolist() == [
        MONTHS.reading.first_step(number) for number in numbers.tolist()
    ]
    assert values_at_steps(MONTHS, steps.astype(float)).tolist() == numbers.tolist()


def test_a_day_between_two_months_is_between_their_numbers() -> None:
    """A day within a month lies halfway between the number of its month and the next.

    Day 0 is 1 January 1970, the first day of month 0, and day 31 the first of month 1.
    """
    days = np.array([-1.0, 0.0, 0.5, 1.0, 30.0, 31.0])
    assert values_at_steps(MONTHS, days).tolist() == [-0.5, 0.0, 0.5, 0.5, 0.5, 1.0]


def test_other_columns_are_drawn_by_their_steps() -> None:
    """In a column without months, the number of a value is its step.

    The whole numbers from -3 to 8 are cut into four bins of three.
    """
    column = Integer(name="x", minimum=-3, maximum=8, bins=4)
    assert value_spans(column).tolist() == [[-3, -1], [0, 2], [3, 5], [6, 8]]
    assert steps_of_values(column, np.array([5])).tolist() == [5]
    assert values_at_steps(column, np.array([5.5])).tolist() == [5.5]
