"""Grids of sums: whole units fall on them exactly."""

import numpy as np
import pytest

from synth.domain import MOST_STEPS, Integer, Number, steps_of
from synth.questions.workloads.atoms import CutColumn, cut_column
from synth.questions.workloads.grains import (
    MAX_HALF_STEPS,
    half_units,
    steps_around,
    steps_from_zero,
)


def cut_integers(low: int, high: int) -> CutColumn:
    """A column of whole numbers that no condition cuts."""
    return cut_column(Integer(name="n", minimum=low, maximum=high), ())


REAL = cut_column(Number(name="x", minimum="-0.5", maximum=2), ())


@pytest.mark.parametrize("ends", [(17, 90), (0, 1), (0, 0), (-5, 20), (-9, -2), (1, 99999)])
@pytest.mark.parametrize("wanted_steps", [50_000, 100_003, MAX_HALF_STEPS])
def test_whole_numbers_are_whole_steps_from_the_middle(
    ends: tuple[int, int], wanted_steps: int
) -> None:
    """Whole numbers lie on the grid: their steps times its width give them back.

    Neighbouring numbers are equally many steps apart. `wanted_steps` are the most steps from
    the middle to either end; the range may be a single number.
    """
    steps, values = (
        steps_around(0, cut_integers(*ends), wanted_steps),
        np.arange(ends[0], ends[1] + 1.0),
    )

    step_numbers = steps_of(values, steps)
    assert np.abs(step_numbers * steps.grid + steps.middle - values).max() < 1e-6
    assert len(set(np.diff(step_numbers).tolist())) <= 1
    assert np.abs(step_numbers).max() <= steps.most <= MOST_STEPS


@pytest.mark.parametrize("ends", [(17, 90), (0, 1), (-5, 20), (-9, -2), (1, 99999)])
def test_totals_of_whole_numbers_are_exact(ends: tuple[int, int]) -> None:
    """Whole numbers are whole steps from 0, so totals of them are not rounded at all."""
    steps, values = steps_from_zero(0, cut_integers(*ends)), np.arange(ends[0], ends[1] + 1.0)
    assert (steps_of(values, steps) * steps.grid == values).all()
    assert steps.most == max(map(abs, ends))


def test_more_units_than_steps_are_rounded() -> None:
    """If a range has more whole numbers than steps, each is rounded by at most half a step.

    Ten steps are half the range of 1,000, so a step is 50, and half of it is 25.
    """
    steps, values = steps_around(0, cut_integers(0, 1000), 10), np.arange(1001.0)
    assert steps.most == 10
    assert np.abs(steps_of(values, steps) * steps.grid + steps.middle - values).max() <= 25


@pytest.mark.parametrize(
    "make", [lambda: steps_around(0, REAL, MAX_HALF_STEPS), lambda: steps_from_zero(0, REAL)]
)
def test_real_numbers_are_off_by_half_a_step_at_most(make: object) -> None:
    """Real numbers are rounded to the nearest step, on grids around the middle and from 0.

    The 1e-9 is for float errors.
    """
    steps, values = make(), np.linspace(-0.5, 2, 1001)  # type: ignore[operator]
    rounded = steps_of(values, steps) * steps.grid + steps.middle
    assert np.abs(rounded - values).max() <= steps.grid / 2 * (1 + 1e-9)
    assert steps.most == MAX_HALF_STEPS


def test_half_a_range_is_told_in_whole_units() -> None:
    assert half_units(cut_integers(17, 90)) == 37  # 73 / 2, rounded up
    assert half_units(cut_integers(3, 3)) == 1  # a constant has half a unit, too
    assert half_units(REAL) is None
