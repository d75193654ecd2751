"""What a strategy measured becomes, with the seed of its drawing, the rows that it drew."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synth.estimate import Choice, Favour, Method, Redrawing, finish_again
from tests.models.doors import open_door, release_model
from tests.recipes.test_record_reconstruct import RULES, SHAPE, linked_rows

# Strategies with options that change how rows are drawn.
KINDS: list[tuple[Method, dict[str, Any]]] = [
    (Method.AUTO, {}),
    (Method.INDEPENDENT, {}),
    (Method.TREE, {"rules": RULES}),
    (Method.ONE_SHOT, {"delta": Fraction(1, 10**9)}),
    (Method.ONE_SHOT, {"rules": RULES, "favour": Favour.ASSOCIATIONS}),
    (Method.GROUPS, {"groups": (("c0", "c1", "c2"), ("c3", "c4"))}),
    (Method.HISTOGRAM, {}),
]


@pytest.mark.parametrize(("strategy", "options"), KINDS)
def test_the_rows_of_a_release_are_drawn_again(
    strategy: Method, options: dict[str, Any]
) -> None:
    """The record of a release and the seed of its drawing give the same 700 rows again.

    `release_model` returns the record, the columns of codes and the seed; `finish_again` uses
    no private rows.
    """
    choice = Choice(method=strategy, **options)
    door = open_door(choice.guarantee(Fraction(4)))
    record, codes, seed = release_model(choice, linked_rows(), door, wanted=700)

    again = finish_again(
        choice, record, Redrawing(rows=700, seed=np.random.default_rng(seed))
    ).codes
    assert again.shape == (700, len(SHAPE))
    np.testing.assert_array_equal(again.T, np.stack(codes))
