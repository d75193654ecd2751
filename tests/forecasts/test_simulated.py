"""Noisy counts as they may come, before anything is spent."""

from fractions import Fraction

import numpy as np
import pytest

from synth.bundle import view_repaired
from synth.domain import Categorical, Domain
from synth.estimate import Repair, repair_counts
from synth.forecasts import simulate_counts
from synth.forecasts.simulated import SIMULATED_CELLS
from synth.noise import LaplaceLaw
from synth.plans import Plan


def plan_for(sizes: tuple[int, ...], epsilon: str = "1") -> Plan:
    """A plan for columns of so many values."""
    columns = tuple(
        Categorical(name=f"c{number}", categories=tuple(f"v{code}" for code in range(size)))
        for number, size in enumerate(sizes)
    )
    return Plan(domain=Domain(columns), epsilon=Fraction(epsilon))


def test_simulated_noise_has_the_law_of_the_plans_noise() -> None:
    """Of 4,096 cells of a table without rows, the noise has the chances of its law.

    Its quantiles are evenly spaced, so that no chance is off by more than one cell. Under
    replace-one, the scale at epsilon 1 is 2.
    """
    simulated = simulate_counts(plan_for((64, 64)), 0)
    assert simulated is not None
    law = LaplaceLaw(2.0)

    for count in range(-8, 9):
        share = np.mean(simulated.values == count)
        assert share == pytest.approx(law.chances(np.array([count]))[0], abs=1.01 / 4096)


def test_simulated_counts_have_the_rows_of_the_table() -> None:
    """At an epsilon of 100 the noise is 0, so that the counts are whole and sum to the rows.

    The largest cell has the largest share of both columns.
    """
    simulated = simulate_counts(plan_for((4, 8), epsilon="100"), 10_000)
    assert simulated is not None

    assert simulated.values.sum() == 10_000
    assert simulated.values.min() >= 0
    assert simulated.values.argmax() == 0


def test_a_smaller_epsilon_makes_more_counts_negative() -> None:
    """At epsilon .1 more of 1,000 cells fall below 0 than at 1, and at 10 hardly any does."""
    negative = []
    for epsilon in ("0.1", "1", "10"):
        simulated = simulate_counts(plan_for((10, 10, 10), epsilon=epsilon), 5_000)
        assert simulated is not None
        negative.append(int((simulated.values < 0).sum()))

    assert negative[0] > negative[1] > negative[2]
    assert negative[2] <= 10


def test_the_same_plan_gives_the_same_counts() -> None:
    """Nothing is random, so that the picture moves only with the slider."""
    first = simulate_counts(plan_for((7, 5)), 500)
    again = simulate_counts(plan_for((7, 5)), 500)
    assert first is not None
    assert again is not None

    assert (first.values == again.values).all()


def test_too_many_cells_are_not_simulated() -> None:
    """Their repair would hold up the slider."""
    assert simulate_counts(plan_for((SIMULATED_CELLS // 10, 11)), 500) is None


def test_the_simulated_picture_opens_with_the_counts_below_zero() -> None:
    """Its bars are sorted, so that the negative ones come first."""
    simulated = simulate_counts(plan_for((8, 8)), 200)
    assert simulated is not None
    assert (simulated.values < 0).any()
    view = view_repaired(simulated, repair_counts(simulated, Repair.NEAREST))
    bars = view.draw(sort=True, only_small=True).table["noisy count"]
    assert bars.iloc[0] == simulated.values.min() < 0
