"""How far a choice may be from the best candidate: over all scores, and reached."""

import math
from itertools import product

import numpy as np
import pytest

from synth.errors import ArgumentError
from synth.noise import ChoiceLaw
from tests.noise.test_exponential import exponential_law, permute_and_flip_law

LAWS = {True: permute_and_flip_law, False: exponential_law}


@pytest.mark.parametrize("pure", [True, False])
def test_no_scores_fall_shorter_than_the_bounds(pure: bool) -> None:
    """No scores make a choice fall shorter of the best one than ChoiceLaw says, and some
    reach it.

    All scores from -4 to 0 beside a best one of 0 are tried, by the exact law of the choice.
    The worst case is that all others are equally bad.
    """
    rate = 0.7
    for candidates in (2, 3, 4):
        law = ChoiceLaw(candidates, rate, pure)
        for scores in product(range(-4, 1), repeat=candidates - 1):
            chances = LAWS[pure]((0, *scores), rate)
            shortfalls = -np.array([0, *scores])
            assert chances @ shortfalls <= law.expected + 1e-12
            for shortfall in (1, 2, 3, 4):
                assert chances[shortfalls >= shortfall].sum() <= law.tail(shortfall) + 1e-12

        for shortfall in (1, 4):
            worst = LAWS[pure]((0, *[-shortfall] * (candidates - 1)), rate)
            assert worst[1:].sum() == pytest.approx(law.tail(shortfall), abs=1e-12), (
                "it is reached"
            )


@pytest.mark.parametrize("candidates", [2, 74, 20_000, 2_000_000])
@pytest.mark.parametrize("pure", [True, False])
def test_the_expected_shortfall_is_the_sum_of_the_tails(candidates: int, pure: bool) -> None:
    """The expected shortfall is the integral of its tails.

    The reach is the least shortfall that is met or exceeded with a chance of 5 % at most.
    """
    law = ChoiceLaw(candidates, 0.01, pure)
    shortfalls = np.arange(0, 6_000, 0.5)
    tails = [law.tail(shortfall) for shortfall in shortfalls]
    assert law.expected == pytest.approx(np.trapezoid(tails, shortfalls), rel=1e-3)

    reach = law.reach(0.95)
    assert law.tail(reach) <= 0.05 < law.tail(reach - 1)


def test_the_law_holds_at_its_ends() -> None:
    """The bound on a choice is right for one candidate, for no shortfall, and far out.

    Of one candidate the best is chosen; of nine, at worst each with chance 1/9. Far out,
    permute-and-flip has half the chance of the exponential mechanism.
    """
    assert ChoiceLaw(1, 1.0, pure=True).tail(0) == 0
    assert ChoiceLaw(1, 1.0, pure=True).reach(0.95) == 0

    assert ChoiceLaw(9, 1.0, pure=True).tail(0) == pytest.approx(8 / 9)
    assert ChoiceLaw(9, 1.0, pure=True).tail(-1) == 1

    far_tail = ChoiceLaw(10**6, 1.0, pure=True).tail(60)
    assert far_tail == pytest.approx(10**6 * math.exp(-60) / 2, rel=1e-3)

    with pytest.raises(ArgumentError, match="level"):
        ChoiceLaw(9, 1.0, pure=True).reach(1)
