"""What many spends come to: enforced sums, and the theorems for spends fixed in advance."""

import math
from fractions import Fraction

import numpy as np
import pytest

from synth.privacy import Guarantee, PrivacyLoss, compose, in_advance, sum_up, zcdp_epsilon
from synth.privacy.accounting import compose_unequal
from tests.privacy.losses import composed, loss_of

MILLIONTH = Fraction(1, 10**6)
THIRD = Guarantee.pure(Fraction(1, 3))
RHO = Guarantee.zcdp(Fraction(1, 8))
APPROXIMATE = Guarantee.approximate(1, Fraction(1, 10**9))


def test_sums_that_are_enforced_are_exact() -> None:
    """The sum of spends is exact, and there is none where the kinds cannot be added.

    Epsilons add up, and beside a rho each counts as half its square: 1/8 for 1/2. An
    (epsilon, delta) has no rho that it could count as, so beside a rho there is no sum.
    """
    assert sum_up([THIRD] * 3) == Guarantee.pure(1)
    assert sum_up([APPROXIMATE, THIRD]) == Guarantee.approximate(
        Fraction(4, 3), Fraction(1, 10**9)
    )
    assert sum_up([RHO, Guarantee.pure(Fraction(1, 2))]) == Guarantee.zcdp(Fraction(1, 4))
    assert sum_up([Guarantee.pure(Fraction(1, 2)), RHO, RHO]) == Guarantee.zcdp(
        Fraction(3, 8)
    )

    assert sum_up([RHO, APPROXIMATE]) is None
    assert sum_up([]) is None


@pytest.mark.parametrize("k", [2, 10, 50, 1_000])
def test_equal_spends_cost_the_same_by_both_formulas(k: int) -> None:
    """Equal spends cost the same by the formulas for equal ones and for unequal ones."""
    equal = compose(0.1, k, delta=1e-6)
    unequal = compose_unequal([0.1] * k, delta=1e-6)

    for name in ("basic", "advanced", "zcdp"):
        assert getattr(equal, name) == pytest.approx(getattr(unequal, name), rel=1e-12)


def test_unequal_spends_cost_what_the_formulas_say() -> None:
    """The totals of unequal spends that were fixed in advance are those of three formulas.

    For spends of 0.1, 0.5 and 2 they are the sum, the advanced composition theorem, and zCDP
    by half the sum of squares. The sum is the least of them here.
    """
    epsilons = [Fraction(1, 10), Fraction(1, 2), Fraction(2)]
    totals = in_advance([Guarantee.pure(epsilon) for epsilon in epsilons], MILLIONTH)

    floats = np.array([0.1, 0.5, 2.0])
    slack = math.sqrt(2 * math.log(1e6) * float(floats @ floats))

    assert totals.basic == pytest.approx(2.6)
    assert totals.advanced == pytest.approx(slack + float(floats @ (np.exp(floats) - 1)))
    assert totals.zcdp == pytest.approx(zcdp_epsilon(float(floats @ floats) / 2, 1e-6))
    assert totals.least == totals.basic
    assert totals.delta == MILLIONTH


def test_all_three_hold_for_randomised_response() -> None:
    """The totals hold for the worst case of pure spends, randomised response.

    A hundred releases of epsilon 0.1 and a hundred of 0.2 are composed exactly. At each total
    their delta is at most 1e-6; at half of the least total it is more.
    """
    laws = []
    for epsilon in (0.1, 0.2):
        keep = 1 / (1 + math.exp(-epsilon))
        laws.append(composed(loss_of([keep, 1 - keep], [1 - keep, keep]), 100))

    tenths, fifths = laws
    losses = np.add.outer(tenths.losses, fifths.losses).ravel()
    masses = np.multiply.outer(tenths.masses, fifths.masses).ravel()
    order = np.argsort(losses)
    exact = PrivacyLoss(losses[order], masses[order])

    total = compose_unequal([0.1] * 100 + [0.2] * 100, delta=1e-6)
    assert total.basic > total.advanced > total.zcdp

    for epsilon in (total.advanced, total.zcdp):
        assert exact.delta(epsilon) <= 1e-6

    assert exact.delta(total.zcdp / 2) > 1e-6, "the test would see a total that is too small"


def test_deltas_add_up_and_have_no_rho() -> None:
    """Spends with a delta have a total of their deltas, but none by zCDP.

    Four spends of epsilon 1 and delta 1e-9 are composed with a delta of 1e-6. Their plain
    sum, 4, is the least total.
    """
    totals = in_advance([APPROXIMATE] * 4, MILLIONTH)

    assert totals.delta == MILLIONTH + Fraction(4, 10**9)
    assert totals.zcdp is None
    assert totals.least == totals.basic == 4
    assert "zCDP" not in str(totals)


@pytest.mark.parametrize("spends", [[], [THIRD], [RHO, RHO], [RHO, THIRD, THIRD]])
def test_spends_without_a_better_total_get_none(spends: list[Guarantee]) -> None:
    assert in_advance(spends, MILLIONTH) is None


def test_deltas_of_one_in_all_promise_nothing() -> None:
    half = Guarantee.approximate(1, Fraction(1, 2))
    assert in_advance([half, half], MILLIONTH) is None
