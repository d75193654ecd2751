"""How far neighbours move sums of products: no less than is claimed, and never further."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from synth.domain import Domain, Integer, Steps, steps_of
from synth.privacy import Guarantee, Neighbors
from synth.questions import Grain, Inquiry, Portion
from synth.questions.moments.sensitivity import joint_of_moments
from synth.util import Ints

FAINT = Guarantee.pure(Fraction(1, 10_000))
"""Noise so large that steps are few, and some whole numbers are halfway between two of
them.
"""


def components(cost: Guarantee, *largest_values: int) -> Portion:
    """Directions of columns from 0 up to these numbers, under replace-one."""
    columns = tuple(
        Integer(name=f"x{i}", minimum=0, maximum=largest)
        for i, largest in enumerate(largest_values)
    )
    question = ["components " + ", ".join(column.name for column in columns)]
    inquiry = Inquiry.read(question, Domain(columns), cost, neighbors=Neighbors.REPLACE_ONE)
    (portion,) = inquiry.arrangement.portions
    return portion


def addends(rows: Ints, weight: int) -> Ints:
    """What rows of steps add to sums, products and squares, shape (rows, numbers)."""
    pairs = combinations(range(rows.shape[1]), 2)
    products = [rows[:, first] * rows[:, second] for first, second in pairs]
    return np.stack([*(weight * rows.T), *products, *(rows.T**2)], axis=1)


def farthest(grains: tuple[Grain, ...], largest_values: tuple[int, ...]) -> int:
    """The largest distance in L1 of any row from one with all its numbers at ends."""
    grids = [grain.steps for grain in grains if grain.steps is not None][
        : len(largest_values)
    ]
    lists = [
        steps_of(np.arange(top + 1.0), grid)
        for top, grid in zip(largest_values, grids, strict=True)
    ]
    rows = addends(np.array(list(product(*lists))), grains[0].weight)
    ends = addends(
        np.array(list(product(*(steps_of_column[[0, -1]] for steps_of_column in lists)))),
        grains[0].weight,
    )
    return max(int(np.abs(rows - end).sum(axis=1).max()) for end in ends)


@pytest.mark.slow
@pytest.mark.parametrize("largest_values", [(144, 93, 128), (148, 148, 40), (8, 300, 12)])
def test_two_rows_are_as_far_apart_as_is_claimed(largest_values: tuple[int, ...]) -> None:
    """The claimed L1 sensitivity of principal components is the largest distance of two rows.

    `farthest` searches all rows of columns from 0 up to these numbers. The guarantee is so
    small that grids have few steps, and some whole numbers are halfway between two of them.
    """
    way = components(FAINT, *largest_values).way
    assert way.joint.exact
    assert way.joint.sensitivity.l1 == farthest(way.grains, largest_values)


@pytest.mark.parametrize("shift", [Fraction(1, 4), Fraction(1, 2), Fraction(-1, 3)])
def test_uneven_grids_get_a_bound_that_is_not_called_exact(shift: Fraction) -> None:
    """A grid whose middle is not that of the range has a valid bound, which is not called
    exact.

    A certificate may hold such grids. `shift` moves the middle, in steps of the grid.
    """
    largest_values = (144, 128)
    portion = components(FAINT, *largest_values)

    def moved(steps: Steps | None) -> Steps | None:
        return steps and replace(steps, middle=steps.middle + float(shift) * steps.grid)

    even = portion.way.grains
    grains = tuple(
        Grain(grain.weight, moved(grain.steps), moved(grain.times)) for grain in even
    )

    joint = joint_of_moments(portion.block, grains)

    assert not joint.exact
    assert joint.sensitivity.l1 >= farthest(grains, largest_values)
