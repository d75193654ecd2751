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


def components(cost: Guarantee, *most: int) -> Portion:
    """Directions of columns from 0 up to these numbers, under replace-one."""
    columns = tuple(
        Integer(name=f"x{i}", minimum=0, maximum=one) for i, one in enumerate(most)
    )
    asked = ["components " + ", ".join(one.name for one in columns)]
    inquiry = Inquiry.read(asked, Domain(columns), cost, neighbors=Neighbors.REPLACE_ONE)
    (portion,) = inquiry.arrangement.portions
    return portion


def added(rows: Ints, weight: int) -> Ints:
    """What rows of steps add to sums, products and squares, shape (rows, numbers)."""
    pairs = combinations(range(rows.shape[1]), 2)
    products = [rows[:, i] * rows[:, j] for i, j in pairs]
    return np.stack([*(weight * rows.T), *products, *(rows.T**2)], axis=1)


def farthest(grains: tuple[Grain, ...], most: tuple[int, ...]) -> int:
    """The largest distance in L1 of any row from one with all its numbers at ends."""
    grids = [grain.steps for grain in grains if grain.steps is not None][: len(most)]
    lists = [
        steps_of(np.arange(top + 1.0), one) for top, one in zip(most, grids, strict=True)
    ]
    rows = added(np.array(list(product(*lists))), grains[0].weight)
    ends = added(np.array(list(product(*(one[[0, -1]] for one in lists)))), grains[0].weight)
    return max(int(np.abs(rows - end).sum(axis=1).max()) for end in ends)


@pytest.mark.slow
@pytest.mark.parametrize("most", [(144, 93, 128), (148, 148, 40), (8, 300, 12)])
def test_two_rows_are_as_far_apart_as_is_claimed(most: tuple[int, ...]) -> None:
    way = components(FAINT, *most).way
    assert way.joint.exact
    assert way.joint.sensitivity.l1 == farthest(way.grains, most)


@pytest.mark.parametrize("shift", [Fraction(1, 4), Fraction(1, 2), Fraction(-1, 3)])
def test_uneven_grids_get_a_bound_that_is_not_called_exact(shift: Fraction) -> None:
    """A certificate may have them."""
    most = (144, 128)
    portion = components(FAINT, *most)

    def moved(steps: Steps | None) -> Steps | None:
        return steps and replace(steps, middle=steps.middle + float(shift) * steps.grid)

    even = portion.way.grains
    grains = tuple(Grain(one.weight, moved(one.steps), moved(one.times)) for one in even)
    joint = joint_of_moments(portion.block, grains)
    assert not joint.exact
    assert joint.sensitivity.l1 >= farthest(grains, most)
