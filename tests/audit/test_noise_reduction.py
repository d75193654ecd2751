"""Less noise on an answer that was released: the law of both answers, enumerated.

All values of the three geometric numbers and of the coin are put into the hands of
`DiscreteLaplace.reduce_noise`. What comes out is weighed by their exact chances, and compared
with the page docs/proofs/noise-reduction.md."""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from synth.noise import DiscreteLaplace, laplace, radius
from synth.noise.laws import OneSided, RatioCoin, TwoSided
from tests.audit import tally
from tests.audit.exact import WRONG, Chances, claimed_law, decimal, farthest, law_error
from tests.audit.mutate import catch, mutated
from tests.conftest import Report

NEAR = Decimal("1e-25")
"""Chances beyond the enumerated numbers; the rest is exact."""
SHOWN = 3
MOST = {"slow": 24, "fast": 13}
"""Enumerated geometric numbers of either rate."""
AFTER, BEFORE = Fraction(1, 5), Fraction(1, 2)
EXACT_VALUE = 40
with localcontext(prec=60):
    SMALLER, LOUDER = (claimed_law(TwoSided(1 / scale)) for scale in (AFTER, BEFORE))


def law_of_smaller_noise(louder: int) -> Chances:
    """The law of the smaller noise, given the louder: of each number by all that leads to
    it.
    """
    slow, fast = 1 / AFTER - 1 / BEFORE, 1 / AFTER + 1 / BEFORE
    sizes = [MOST["slow"], MOST["fast"], 2, MOST["fast"]]
    x, y, coin, above = (grid.ravel() for grid in np.indices(sizes))
    requests: list[Any] = []

    class Coin:
        def __init__(self, law: Any) -> None:
            requests.append(law)

        def draw(self, size: int) -> Any:
            return coin[:size]

    exact = np.full(x.size, EXACT_VALUE)

    def number(rate: Fraction, size: int) -> Any:
        place = sum(isinstance(request, Fraction) for request in requests)
        requests.append(rate)
        return (x, y, above)[place][:size]

    with (
        patch.object(radius, "geometric_numbers", number),
        patch.object(laplace, "sampler", Coin),
    ):
        smaller_noise = (
            DiscreteLaplace(AFTER).reduce_noise(exact, exact + louder, BEFORE) - exact
        )
    if requests != [slow, fast, RatioCoin(slow, fast), fast]:
        return {}
    laws = map(
        claimed_law, (OneSided(slow), OneSided(fast), RatioCoin(slow, fast), OneSided(fast))
    )
    chances = [[law(z) for z in range(size)] for law, size in zip(laws, sizes, strict=True)]
    found_law: Chances = {}
    grids = (grid.tolist() for grid in (x, y, coin, above))
    for value, *draws in zip(smaller_noise.tolist(), *grids, strict=True):
        if abs(value) <= SHOWN + 1:
            chance = math.prod(chances[i][draw] for i, draw in enumerate(draws))
            found_law[value] = found_law.get(value, Decimal(0)) + chance
    return found_law


def claimed_chance(louder: int, smaller: int) -> Decimal:
    """By the page: f2 of the smaller noise, times g of the difference, by f1 of the
    louder.
    """
    a, b = (-1 / decimal(BEFORE)).exp(), (-1 / decimal(AFTER)).exp()
    chance_of_none = b / a * ((1 - a) / (1 - b)) ** 2
    coupled = (1 - chance_of_none) * LOUDER(louder - smaller)
    coupled += chance_of_none if louder == smaller else 0
    return SMALLER(smaller) * coupled / LOUDER(louder)


def reduction_error() -> Decimal:
    with localcontext(prec=60):
        ratios = []
        for louder in range(-SHOWN, SHOWN + 1):
            law = law_of_smaller_noise(louder)
            if any(smaller not in law for smaller in range(-SHOWN, SHOWN + 1)):
                return WRONG
            ratios += [
                law[smaller] / claimed_chance(louder, smaller)
                for smaller in range(-SHOWN, SHOWN + 1)
            ]
        return farthest(ratios)


def largest_joint_loss() -> Decimal:
    """Of both answers about neighbours whose counts differ by one."""
    with localcontext(prec=60):
        laws = {louder: law_of_smaller_noise(louder) for louder in range(-SHOWN, SHOWN + 1)}
        joint = {
            (louder, smaller): LOUDER(louder) * laws[louder][smaller]
            for louder in laws
            for smaller in laws
        }
        shared = [
            (outcome, (outcome[0] + 1, outcome[1] + 1))
            for outcome in joint
            if max(outcome) < SHOWN
        ]
        return farthest(joint[outcome] / joint[shifted] for outcome, shifted in shared)


def test_the_smaller_noise_has_its_law_given_the_louder() -> None:
    """Given the larger noise of an earlier answer, the smaller noise has the law that the
    page of proof claims. `reduction_error` compares all enumerated chances; beyond them a
    chance below 1e-25 is left.
    """
    tally.add("exact laws", enumerated=1)
    assert reduction_error() < NEAR


def test_both_answers_cost_what_the_newer_costs() -> None:
    """An answer and its later version with less noise together cost only what the later one
    costs. The later noise has scale 1/5, so both lose 5 where a count differs by one.
    Independent noise of these scales would cost 7.
    """
    assert abs(largest_joint_loss() - decimal(1 / AFTER)) < NEAR


def is_reduction_wrong() -> bool:
    return bool(reduction_error() > NEAR)


def is_coin_wrong() -> bool:
    return bool(law_error(RatioCoin(Fraction(1, 3), Fraction(7, 2))) > NEAR)


MUTANTS: dict[str, tuple[Callable[[], bool], Any, str, str, str]] = {
    "fresh noise instead of less": (
        is_reduction_wrong,
        DiscreteLaplace,
        "reduce_noise",
        "np.where(inside < distance, inside, distance + beyond)",
        "inside",
    ),
    "the louder noise's sign forgotten": (
        is_reduction_wrong,
        DiscreteLaplace,
        "reduce_noise",
        "np.where(earlier_noise < 0, -noise, noise)",
        "noise",
    ),
    "the louder noise itself left out": (
        is_reduction_wrong,
        DiscreteLaplace,
        "reduce_noise",
        "inside < distance",
        "inside <= distance",
    ),
    "never beyond the louder noise": (
        is_reduction_wrong,
        DiscreteLaplace,
        "reduce_noise",
        "distance + beyond",
        "distance",
    ),
    "beyond the louder noise without a coin": (
        is_reduction_wrong,
        DiscreteLaplace,
        "reduce_noise",
        "sampler(RatioCoin(slow, fast)).draw(size) * ",
        "",
    ),
    "one rate for both sides": (
        is_reduction_wrong,
        DiscreteLaplace,
        "reduce_noise",
        "1 / self.scale + 1 / before",
        "1 / self.scale - 1 / before",
    ),
    "the coin of the wrong rates": (
        is_coin_wrong,
        RatioCoin,
        "thresholds",
        "exp_minus(self.fast, places)",
        "exp_minus(self.slow, places)",
    ),
}


@pytest.mark.mutant
@pytest.mark.parametrize("name", MUTANTS)
def test_a_slip_in_the_reduction_is_caught(name: str, report: Report) -> None:
    """The enumeration notices each deliberate mistake of MUTANTS in the reduction of noise.

    A mutant replaces a text in one function; its first entry is the check that must then
    fail.
    """
    sees, *slip = MUTANTS[name]
    with mutated(*slip):
        catch(name, "1 exact law", sees, report)
