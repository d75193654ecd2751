"""Layer 4 on many canaries in each release, under both relations; `test_bounds` is on one
row.

``pytest -m audit`` throws as many coins as it takes to see noise of half the scale;
``SYNTH_CANARIES=10`` throws ten times as many (``make evidence``).
"""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from synth.estimate import Order
from synth.noise import DiscreteLaplace
from synth.noise.mechanism import add
from synth.plans import Method, Plan
from synth.privacy import Guarantee, Neighbors, Unit
from tests.audit import tally
from tests.audit.canaries import (
    Array,
    Clique,
    Field,
    Guesses,
    Released,
    guess,
    guessed,
    log_ratio,
    measured,
    planted,
    rows_for,
    synthesized,
)

TIMES = int(os.environ.get("SYNTH_CANARIES", "1"))
"""How many times the coins of the short form are thrown."""
SURE, ALARM = 0.01, 1e-6
"""Levels of the bounds that are printed, and of those that are held against the claim."""
EPSILON = 1
BOUNDS = "empirical bounds of epsilon, at 99 %"


def histogram(neighbors: Neighbors) -> Field:
    """A cell for each row, in a universe of no other rows."""
    size = rows_for(4_000, neighbors)
    rows = np.stack(np.divmod(np.arange(size), 100), axis=1)
    return planted((size // 100, 100), rows, neighbors)


def listed(neighbors: Neighbors) -> Field:
    """Cells that are heard over the public threshold, among four million."""
    size = rows_for(3_000, neighbors)
    rows = np.stack(np.divmod(np.arange(size) * 601, 2_000), axis=1)
    return planted((2_000, 2_000), rows, neighbors, np.repeat(rows, 9, axis=0))


def alone(neighbors: Neighbors) -> Field:
    """Two columns with a category for each row."""
    every = np.arange(rows_for(1_000, neighbors))
    return planted((len(every),) * 2, np.stack([every, every], axis=1), neighbors)


def grouped(neighbors: Neighbors) -> Field:
    """Two groups of two columns, each with a cell for each row."""
    every = np.arange(rows_for(1_000, neighbors))
    digits = np.divmod(every, 20)
    return planted(
        (len(every) // 20, 20) * 2, np.stack([*digits, *digits], axis=1), neighbors
    )


def paired(neighbors: Neighbors, crowd: int = 3_000) -> Field:
    """Two columns with a category for each row that say the same of a crowd; and a third
    one.
    """
    every = np.arange(rows_for(80, neighbors))
    rows = np.stack([every, every, 0 * every], axis=1)
    rows_of_crowd = np.repeat(rows, crowd, axis=0)
    rows_of_crowd[:, 2] = np.arange(len(rows_of_crowd)) % 2
    return planted((len(every), len(every), 2), rows, neighbors, rows_of_crowd)


def persons(neighbors: Neighbors) -> Field:
    """A person for each cell, with a row more than the three that are used."""
    field = histogram(neighbors)
    return replace(field, unit=Unit("pid", 3), kept={})


@dataclass(frozen=True)
class Attack:
    """How a strategy is attacked.

    Attributes:
        name: In the summary.
        field: The table, for either relation.
        order: What is asked of the session; None where a histogram is made from a file.
        sees: Columns of which a histogram must be released, so that it is this that is
            attacked.
        least: The share of epsilon from which on a coin is guessed.
        canaries: Coins for add-remove and replace-one: about as many as it takes that noise
            of half the scale is overlooked once in a million times.
    """

    name: str
    field: Callable[[Neighbors], Field]
    order: Order | None
    sees: Clique
    least: float
    canaries: tuple[int, int]

    def guesses(self, neighbors: Neighbors, folder: Path) -> Guesses:
        """What comes of it."""
        field, order = self.field(neighbors), self.order
        guarantee = Guarantee.pure(EPSILON)
        plan = Plan(
            domain=field.domain,
            epsilon=Fraction(EPSILON),
            neighbors=neighbors,
            method=Method.HISTOGRAM,
            unit=field.unit,
        )

        def release(field: Field, coins: Array) -> list[Released]:
            if order is None:
                releases = synthesized(field, coins, plan, folder)
            else:
                releases = measured(field, coins, order, guarantee)
            assert self.sees in {released.columns for released in releases}
            return releases

        number_of_canaries = self.canaries[neighbors is Neighbors.REPLACE_ONE] * TIMES
        return guessed(field, release, self.least * EPSILON, number_of_canaries)


GROUPS = Order(strategy=Method.GROUPS, rows=None, groups=((0, 1), (2, 3)))
ALONE, WHOLE, PAIR = (1,), (0, 1, 2), (0, 1)
ATTACKS = [
    Attack("histogram", histogram, None, PAIR, 0.9, (4_000, 8_000)),
    Attack("histogram, listed", listed, None, PAIR, 0.9, (3_000, 6_000)),
    Attack("histogram, persons", persons, None, PAIR, 0.9, (4_000, 8_000)),
    Attack("groups", grouped, GROUPS, (2, 3), 0.9, (6_000, 20_000)),
    Attack(
        "independent", alone, Order(strategy=Method.INDEPENDENT), ALONE, 0.9, (6_000, 20_000)
    ),
    Attack(
        "auto, a histogram", paired, Order(strategy=Method.AUTO), WHOLE, 0.9, (4_000, 4_000)
    ),
]
"""What lets all of its budget be seen at once; `test_bounds` attacks all else."""
BOTH = pytest.mark.parametrize("neighbors", list(Neighbors))
EACH = pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)


def line(attack: Attack, neighbors: Neighbors, guesses: Guesses) -> str:
    """What is to be said of an attack."""
    bound = guesses.at_least(SURE)
    return (
        f"{attack.name:20} {neighbors:12} at least {bound:.2f} of epsilon {EPSILON}: "
        f"{guesses.right:,} of {guesses.made:,} guesses right, {guesses.canaries:,} canaries"
    )


@EACH
@BOTH
@pytest.mark.timeout(3600)
def test_no_more_can_be_told_of_a_row_than_is_claimed(
    attack: Attack, neighbors: Neighbors, tmp_path: Path
) -> None:
    """Guesses about planted rows (canaries) show no more than the claimed epsilon of 1.

    Each canary is in the table or not by a coin, and is guessed from the release. The lower
    bound at 1e-6 stays below the claim, and that at 99 % is above half of it, so the attack
    has power.
    """
    guesses = attack.guesses(neighbors, tmp_path)
    tally.record(BOUNDS, line(attack, neighbors, guesses))
    assert guesses.at_least(ALARM) <= EPSILON
    assert guesses.at_least(SURE) >= 0.5 * EPSILON


def _half_the_scale(mechanism: DiscreteLaplace, values: Any) -> Any:
    return add(values, DiscreteLaplace(mechanism.scale / 2).chunks)


@pytest.mark.slow
@EACH
@BOTH
@pytest.mark.mutant
@pytest.mark.timeout(3600)
def test_half_the_noise_is_seen(
    attack: Attack, neighbors: Neighbors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack by canaries notices noise of half the scale at the same price.

    Its lower bound, which is wrong once in a million times, is then above the claim.
    """
    monkeypatch.setattr(DiscreteLaplace, "release", _half_the_scale)
    guesses = attack.guesses(neighbors, tmp_path)

    tally.record("empirical bounds, with half the noise", line(attack, neighbors, guesses))
    tally.add("mutants", tried=1, caught=int(guesses.at_least(ALARM) > EPSILON))
    assert guesses.at_least(ALARM) > EPSILON


# The auditor itself.


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("guesses", [1, 30, 300])
def test_the_bound_is_wrong_no_more_often_than_it_says(epsilon: float, guesses: int) -> None:
    """The lower bound of epsilon exceeds the true epsilon no more often than its level says:
    0.01 (SURE) or 1e-6 (ALARM). All numbers of right guesses that randomised response can
    bring are counted by the exact binomial law. The bound grows with that number.
    """
    law = stats.binom(guesses, 1 / (1 + math.exp(-epsilon)))
    for beta in (SURE, ALARM):
        bounds = [Guesses(guesses, guesses, v).at_least(beta) for v in range(guesses + 1)]
        assert bounds == sorted(bounds)
        wrong = [v for v, bound in enumerate(bounds) if bound > epsilon]
        assert sum(law.pmf(wrong)) <= beta * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_the_bound_comes_near_to_epsilon_from_below(epsilon: float) -> None:
    """With more guesses the lower bound comes near the true epsilon, and stays below it.

    The number of right guesses is the average of randomised response, which is right with a
    chance of 1 / (1 + e^-epsilon).
    """
    right = [round(n / (1 + math.exp(-epsilon))) for n in (10**3, 10**5, 10**7)]
    bounds = [
        Guesses(n, n, v).at_least(SURE) / epsilon
        for n, v in zip((10**3, 10**5, 10**7), right, strict=True)
    ]
    assert bounds == sorted(bounds)
    assert 0.97 < bounds[-1] < 1


def test_a_count_with_discrete_laplace_noise_is_randomised_response() -> None:
    """Guesses from a count with noise of scale 1/2 are right as often as epsilon 2 allows.

    Every coin is guessed, because each outcome has a loss of 2 or -2, and so exceeds the cut
    at 1.999. So nothing of epsilon 2 is lost.
    """
    coins = np.random.default_rng().integers(0, 2, 200_000).astype(bool)
    noise = DiscreteLaplace(Fraction(1, 2))
    guesses = guess(log_ratio(noise.release(coins.astype(int)), noise), coins, 1.999)

    assert guesses.made == 200_000
    assert 1.9 < guesses.at_least(ALARM) <= 2


def test_the_theorem_holds_where_canaries_speak_through_one_another() -> None:
    """The p-value of right guesses holds even if all canaries are seen through one noisy sum.

    Three coins are thrown, and all outcomes of the sum are counted, with noise of epsilon 1.
    Given what is guessed, right guesses are at most as many as the binomial law has.
    """
    q = math.exp(-1.0)
    shares = {}
    for coins in product((0, 1), repeat=3):
        for noise in range(-60, 61):
            guessed_coin = sum(coins) + noise >= 2
            chance = (1 - q) / (1 + q) * q ** abs(noise) / 8
            key = guessed_coin, sum(coin == guessed_coin for coin in coins)
            shares[key] = shares.get(key, 0.0) + chance

    for guessed_coin in (False, True):
        chance_of_guess = sum(
            shares[guessed_coin, right_guesses] for right_guesses in range(4)
        )
        for right_guesses in range(1, 4):
            tail = (
                sum(
                    shares[guessed_coin, more_right_guesses]
                    for more_right_guesses in range(right_guesses, 4)
                )
                / chance_of_guess
            )
            assert tail <= Guesses(3, 3, right_guesses).p_value(1.0) + 1e-12


def test_bounds_are_those_of_the_paper() -> None:
    """The bounds are those that Steinke, Nasr and Jagielski (2023) print.

    The first number is from the program of their Appendix D, the second from section 7, where
    unsure guesses are left out.
    """
    assert Guesses(1_000, 100, 75).at_least(0.05, 1e-4) == pytest.approx(0.673, abs=5e-4)
    assert Guesses(100_000, 1_510, 1_439).at_least(0.05, 1e-5) == pytest.approx(
        2.675, abs=1e-3
    )
