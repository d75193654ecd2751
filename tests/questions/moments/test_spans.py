"""Ranges of columns: their steps, and which values are rounded."""

import numpy as np
import pytest

from synth.questions.moments.spans import Span


@pytest.mark.parametrize("unit", [0.25, 1.0, 3.0])
def test_steps_are_those_of_all_values_of_a_column(unit: float) -> None:
    """The steps of a column are those of its nine values, from 2 to 10 units, around the
    middle.

    The values at both ends have the most steps.
    """
    span = Span(axis=0, low=2 * unit, high=10 * unit, unit=unit)
    steps = span.steps(20)
    middle = 6 * unit
    expected = [round((k * unit - middle) / steps.grid) for k in range(2, 11)]

    assert span.list_steps(steps).tolist() == expected
    assert np.max(np.abs(expected)) == steps.most


@pytest.mark.parametrize(("wanted_steps", "is_rounded"), [(3, True), (7, True), (8, False)])
def test_whole_numbers_are_rounded_where_steps_are_too_few(
    *, wanted_steps: int, is_rounded: bool
) -> None:
    """Whole numbers are rounded if their range has more units than there are steps to a side.

    From 0 to 8 there are eight half units to either side of the middle. With seven steps
    numbers are rounded, with eight they are not. Real numbers (no unit) always are.
    """
    span = Span(axis=0, low=0.0, high=8.0, unit=1.0)
    steps = span.steps(wanted_steps)

    assert span.is_rounded(steps) == is_rounded

    away = (np.arange(9) - steps.middle) / steps.grid
    assert bool(np.abs(away - np.round(away)).max() > 1e-9) == is_rounded
    assert Span(axis=0, low=0.0, high=8.0, unit=None).is_rounded(steps)
