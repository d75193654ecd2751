"""Noisy sums of offsets: units, steps, and how far neighbours are apart."""

import numpy as np
import pytest

from synth.domain import (
    OFFSET_STEPS,
    PRODUCT_STEPS,
    Categorical,
    Date,
    Domain,
    Frame,
    Integer,
    Number,
    Offsets,
    has_offsets,
)
from synth.errors import ArgumentError
from synth.estimate import MomentSum, NoisyMoment, moment_sensitivity
from synth.estimate.noisy.moments import split_moments
from synth.noise import DiscreteLaplace
from synth.privacy import ROW, Neighbors, Unit
from tests.analysis.moments import steps_in
from tests.audit.path.sums import combining_sums, largest_moves

AGE = Integer(name="age", minimum=0, maximum=99, edges=(0, 20, 99), spikes=(30,))
WAGE = Number(name="wage", minimum=0, maximum=10, edges=(0, 4, 10), missing=True)
SEX = Categorical(name="sex", categories=("F", "M"))
DAY = Date(name="day", minimum="2020-01-01", maximum="2020-01-31", bins=2)
DOMAIN = Domain((AGE, WAGE, SEX, DAY))


def test_bins_end_where_values_do() -> None:
    """Each bin ends at the last value that it can hold.

    A bin of whole numbers ends one below the next edge, a bin of real numbers at the edge. A
    spike begins and ends at its value, and texts have no ends. The first of two bins of
    January has 15 days, each by its first second, so its ends are 14 days apart.
    """
    assert AGE.cell_ends == ((0, 19), (20, 29), (30, 30), (31, 99))
    assert WAGE.cell_ends == ((0, 4), (4, 10))
    assert SEX.cell_ends == ()
    (low, high), _ = DAY.cell_ends
    assert (high - low) / 86_400 == 14


@pytest.mark.parametrize(
    ("frame", "middles", "halves"),
    [
        (Frame.OWN, [9.5, 24.5, 30, 65], [9.5, 4.5, 0, 34]),
        (Frame.WIDEST, [9.5, 24.5, 30, 65], [34, 34, 0, 34]),
        (Frame.RANGE, [49.5] * 4, [49.5] * 4),
    ],
)
def test_offsets_are_counted_from_a_middle(
    frame: Frame, middles: list[float], halves: list[float]
) -> None:
    """Offsets of a value are counted from the middle of its bin, or of the whole range.

    `halves` are the widths that count as one whole offset: half of each bin, of the widest
    bin, or of the range. Bins of age are 0 to 19, 20 to 29, the spike 30, and 31 to 99; its
    range is 0 to 99. A spike has no width.
    """
    offsets = Offsets.build(DOMAIN, 0, frame)
    assert offsets.middles.tolist() == middles
    assert offsets.halves.tolist() == halves


def test_steps_are_symmetric_and_stay_within_their_bin() -> None:
    """Values are counted in steps from the middle of their bin, alike on both sides of it.

    The bin from 0 to 4 has `OFFSET_STEPS` = 4,096 steps on each side of 2. An eighth of its
    width is 1,024 steps. Values outside count as the end of the bin, and half a step is
    rounded away from the middle.
    """
    offsets = Offsets.build(DOMAIN, 1, Frame.OWN)
    codes = np.zeros(9, np.int32)
    values = np.linspace(0, 4, 9)

    steps = steps_in(offsets, values, codes)
    assert steps.tolist() == [*(-OFFSET_STEPS + 1024 * i for i in range(9))]
    assert (steps_in(offsets, 4 - values, codes) == -steps).all()

    steps_of_far_values = steps_in(offsets, np.array([-5.0, 50.0]), codes[:2])
    assert steps_of_far_values.tolist() == [-OFFSET_STEPS, OFFSET_STEPS]

    half = 2 / OFFSET_STEPS / 2
    assert steps_in(offsets, np.array([2 - half, 2 + half]), codes[:2]).tolist() == [-1, 1]


def test_a_cell_without_numbers_adds_nothing() -> None:
    """A missing value adds no steps, and a column of texts has none.

    Column 1 is the wage, whose cell 2 is the missing one; column 2 is the sex.
    """
    offsets = Offsets.build(DOMAIN, 1, Frame.OWN)
    assert steps_in(offsets, np.array([3.0]), np.array([2], np.int32)).tolist() == [0]

    assert not has_offsets(DOMAIN, 2)
    with pytest.raises(ArgumentError, match="'sex'"):
        Offsets.build(DOMAIN, 2, Frame.OWN)


def test_a_step_has_a_unit_in_each_cell() -> None:
    """A step is a part of half a bin's width, of the widest bin's, or of half the range.

    Half widths of age are 9.5, 4.5, 0 and 34, of its range 49.5; those of wage are 2 and
    3, of its range 5, and their squares 4 and 9.
    """
    step = 1 / OFFSET_STEPS
    units_by_cell = np.array([9.5, 4.5, 0, 34]) * step

    assert MomentSum(columns=(0,), by=(0,)).unit(DOMAIN) == pytest.approx(units_by_cell)
    assert MomentSum(columns=(0,), by=(2,)).unit(DOMAIN) == pytest.approx([34 * step] * 2)
    assert MomentSum(columns=(0,), by=(), ranged=True).unit(DOMAIN) == pytest.approx(
        49.5 * step
    )
    assert MomentSum(columns=(0, 1)).unit(DOMAIN) == pytest.approx(49.5 * 5 / PRODUCT_STEPS)
    assert MomentSum(columns=(1, 1), by=(1,)).unit(DOMAIN) == pytest.approx(
        [4 * step, 9 * step, 0]
    )

    grouped = MomentSum(columns=(0,), by=(0, 2)).unit(DOMAIN)
    assert grouped == pytest.approx(np.stack([units_by_cell, units_by_cell], axis=1))


def test_sums_that_were_measured_together_are_told_apart() -> None:
    """The values of sums that were measured together are given to each sum in order.

    The first sum has one value for each of the four cells of age, the second has one.
    """
    sums = (MomentSum(columns=(0,), by=(0,)), MomentSum(columns=(0, 1)))
    first, second = split_moments(sums, [1, 2, 3, 4, 5], DiscreteLaplace(2), domain=DOMAIN)

    assert isinstance(first, NoisyMoment)
    assert first.values.tolist() == [1, 2, 3, 4]
    assert second.what == sums[1]
    assert second.values.tolist() == [5]


CASES = {
    (MomentSum(columns=(0,), by=(0,)),): ((1, 1), (2, 4)),
    (MomentSum(columns=(0, 0), by=(0,)),): ((1, 1), (2, 2)),
    (MomentSum(columns=(0,), by=(0,)), MomentSum(columns=(0, 0), by=(0,))): ((2, 2), (4, 4)),
    (MomentSum(columns=(0,)), MomentSum(columns=(1,))): ((2, 2), (4, 8)),
    (MomentSum(columns=(0, 1)), MomentSum(columns=(0, 0))): ((2, 2), (3, 5)),
}
"""L1 and squared L2 of sums in units of a whole offset: add-remove, then replace-one."""


@pytest.mark.parametrize("sums", CASES)
@pytest.mark.parametrize("unit", [ROW, Unit("pid", 3)])
def test_the_sensitivity_is_the_one_of_the_page(
    sums: tuple[MomentSum, ...], unit: Unit
) -> None:
    """The sensitivities of sums of offsets are those of the documentation, in L1 and squared
    L2.

    `CASES` lists both in whole offsets, for add-remove and then for replace-one. A person
    with three rows moves the sums three times as far.
    """
    max_steps = sums[0].steps * unit.max_rows

    for neighbors, (l1, squared) in zip(reversed(Neighbors), CASES[sums], strict=True):
        sensitivity = moment_sensitivity(sums, unit, neighbors)
        assert (sensitivity.l1, sensitivity.squared_l2) == (
            max_steps * l1,
            max_steps**2 * squared,
        )


TOGETHER = {
    (MomentSum(columns=(0,), by=(0,)), MomentSum(columns=(0, 0), by=(0,), given=(1,))): (
        5,
        6,
    ),
    (
        MomentSum(columns=(0,), by=(0,)),
        MomentSum(columns=(0, 0), by=(0,)),
        MomentSum(columns=(0, 0), by=(0,)),
    ): (6, 6),
    (MomentSum(columns=(0,), by=(2,)), MomentSum(columns=(0, 0), by=(2,))): (4, 4),
    (
        MomentSum(columns=(0,), by=(2,), given=(1,)),
        MomentSum(columns=(0, 0), by=(2,), given=(1,)),
    ): (4, 4),
    (MomentSum(columns=(0,), by=(0,)), MomentSum(columns=(0, 0), by=(2,))): (6, 6),
    (
        MomentSum(columns=(0,), by=(0,)),
        MomentSum(columns=(0,), by=(2,)),
        MomentSum(columns=(0, 0), by=(0,)),
    ): (8, 8),
}
"""The largest squared move if a row is replaced, and the one that is declared, in whole
offsets.
"""


@pytest.mark.parametrize("sums", TOGETHER)
def test_squares_are_free_only_beside_offsets_of_their_own(
    sums: tuple[MomentSum, ...],
) -> None:
    """The declared squared sensitivity of several sums is at least the largest move.

    `TOGETHER` lists the largest squared move of a replaced row, found by search, and the
    declared one, in whole offsets. Squares of offsets add nothing beside offsets of the same
    column and groups.
    """
    unit = sums[0].steps ** 2
    largest = largest_moves(sums, Neighbors.REPLACE_ONE)[1] / unit
    declared = moment_sensitivity(sums, ROW, Neighbors.REPLACE_ONE).squared_l2 / unit

    assert (largest, declared) == TOGETHER[sums]


def test_no_combination_of_sums_moves_by_more_than_it_declares() -> None:
    assert combining_sums() == ""


def square_offsets(steps: np.ndarray) -> np.ndarray:
    """Squares of offsets in steps, half a step rounded up."""
    return np.floor(steps**2 / OFFSET_STEPS + 0.5).astype(np.int64)


def test_an_offset_and_its_square_are_at_most_two_offsets_apart() -> None:
    """Two offsets and their squares are at most two whole offsets apart in L2.

    All steps are compared with all others in the same bin. Two rows in different bins are at
    most as far apart.
    """
    steps = np.arange(-OFFSET_STEPS, OFFSET_STEPS + 1)
    squares = square_offsets(steps)

    largest_distance = max(
        int(((steps - step) ** 2 + (squares - square) ** 2).max())
        for step, square in zip(steps, squares, strict=True)
    )

    assert largest_distance == 4 * OFFSET_STEPS**2
    assert 2 * int((steps**2 + squares**2).max()) == 4 * OFFSET_STEPS**2
