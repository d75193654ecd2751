"""Steps: rounding to a public grid is monotone, bounded and near, and bad grids are
refused.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.domain import (
    MOST_STEPS,
    Categorical,
    Date,
    Domain,
    Integer,
    Number,
    Steps,
    steps_of,
    summed_column,
)
from synth.errors import ArgumentError

numbers = st.floats(-1e15, 1e15)


@given(
    values=st.lists(numbers, min_size=1),
    middle=numbers,
    grid=st.floats(5e-324, 1e300),
    max_steps=st.integers(1, MOST_STEPS),
)
def test_steps_are_monotone_and_bounded(
    values: list[float], middle: float, grid: float, max_steps: int
) -> None:
    """A larger value never has fewer steps, and no value has more steps than allowed.

    Both hold for any grid, even one so fine that the division overflows.
    """
    steps = steps_of(
        np.sort(values), Steps(column=0, middle=middle, grid=grid, most=max_steps)
    )
    assert steps.dtype == np.int64
    assert (np.diff(steps) >= 0).all()
    assert np.abs(steps).max() <= max_steps


@given(value=st.floats(-100, 100), middle=st.floats(-100, 100))
def test_a_value_is_half_a_step_away_at_most(value: float, middle: float) -> None:
    """A value lies within half a step of the grid point to which it is rounded.

    1e-12 allows for the rounding of doubles; 1,000 steps of .25 reach all values.
    """
    grid = 0.25
    (steps,) = steps_of(
        np.array([value]), Steps(column=0, middle=middle, grid=grid, most=1000)
    )
    assert abs(middle + steps * grid - value) <= grid / 2 + 1e-12


@given(
    away=st.integers(-4000, 4000), middle=st.integers(-100, 100), grid=st.floats(0.01, 100)
)
def test_steps_are_as_many_to_both_sides(away: int, middle: int, grid: float) -> None:
    """Values at the same distance above and below the middle have equally many steps.

    The sensitivity that is claimed for sums of products needs this.
    """
    for grid_steps in (
        Steps(column=0, middle=middle, grid=grid, most=1000),
        Steps(column=0, middle=middle, grid=2.0, most=1000),
    ):
        above, below = steps_of(
            np.array([middle + away, middle - away], dtype=float), grid_steps
        )
        assert above == -below


def test_half_a_step_is_rounded_away_from_the_middle() -> None:
    """Half a step is rounded away from the middle, which is 7 here, on both sides."""
    halves = np.array([-2.5, -1.5, -0.5, 0.0, 0.5, 1.5, 2.5])
    assert steps_of(7 + halves, Steps(column=0, middle=7.0, grid=1.0, most=9)).tolist() == [
        -3,
        -2,
        -1,
        0,
        1,
        2,
        3,
    ]


@pytest.mark.parametrize(
    ("middle", "grid", "max_steps", "message"),
    [
        (
            0.0,
            0.0,
            1,
            "The grid of a sum must be a positive number, and its middle a finite one",
        ),
        (0.0, float("inf"), 1, "The grid of a sum must be a positive number"),
        (0.0, float("nan"), 1, "The grid of a sum must be a positive number"),
        (float("nan"), 1.0, 1, "The grid of a sum must be a positive number"),
        (0.0, 1.0, 0, r"A sum takes from 1 to 1,048,576 steps to each side\."),
        (0.0, 1.0, MOST_STEPS + 1, r"A sum takes from 1 to 1,048,576 steps to each side\."),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused(
    middle: float, grid: float, max_steps: int, message: str
) -> None:
    """A grid without size, an infinite middle, or too few or many steps is refused."""
    with pytest.raises(ArgumentError, match=message):
        Steps(column=0, middle=middle, grid=grid, most=max_steps)


def test_only_numbers_and_dates_are_summed() -> None:
    """Only a column of numbers or dates can be summed, and only one that is there."""
    age = Integer(name="age", minimum=0, maximum=99)
    domain = Domain((Categorical(name="sex", categories=("F", "M")), age))
    assert (
        summed_column(domain, Steps(column=1, middle=50.0, grid=1.0, most=50)) == age.summable
    )
    with pytest.raises(
        ArgumentError, match=r"^Column 'sex' \(.*\) holds no numbers and no dates"
    ):
        summed_column(domain, Steps(column=0, middle=50.0, grid=1.0, most=50))
    for number in (-1, 2):
        with pytest.raises(
            ArgumentError, match=f"There is no column number {number} to be summed"
        ):
            summed_column(domain, Steps(column=number, middle=50.0, grid=1.0, most=50))


def test_bounds_as_they_are_read() -> None:
    """A sum knows the bounds of its values as they are read, and the unit that they have.

    Dates are read as seconds since 1970: a day is 86,400 s, and their unit is a day, or a
    second with a time of day. Real numbers have no unit (None).
    """
    pay = Number(name="pay", minimum="0.1", maximum=10)
    day = Date(name="day", minimum="1970-01-02", maximum="1970-01-03")
    second = Date(name="at", minimum="1970-01-02", maximum="1970-01-03", time=True)
    assert pay.summable[:3] == (0.1, 10.0, None)
    assert day.summable[:3] == (86_400, 172_800, 86_400)
    assert second.summable[:3] == (86_400, 172_800, 1)
