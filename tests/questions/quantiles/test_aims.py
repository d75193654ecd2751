"""Ranks that are aimed at, their moves, their budget, and the columns they are counted
over.
"""

from fractions import Fraction

import pytest

from synth.domain import Domain
from synth.domain.building import Integer
from synth.estimate import WayName
from synth.privacy import ROW, Guarantee, Neighbors, Unit
from synth.questions import Aim, Inquiry, Portion, aims_of, universe_of

DOMAIN = Domain(sex=["F", "M"], age=Integer(0, 99, missing=True), pay=Integer(0, 9, bins=2))


def portion_of(
    text: str, claim: Guarantee, neighbors: Neighbors, unit: Unit = ROW
) -> Portion:
    """The question's only block, with the way by which it is answered."""
    inquiry = Inquiry.read([text], DOMAIN, claim, neighbors=neighbors, unit=unit)
    (answered,) = inquiry.arrangement.portions
    return answered


def test_a_person_moves_ranks_by_all_his_rows() -> None:
    """A person of up to three rows moves the score of a rank three times as far as one row.

    Scores are in units of the denominator b of the quantile a/b. A replaced row moves them by
    b, an added one by at most max(a, b - a): 1 for the median 1/2, and 9 for 1/10.
    """
    people = Unit("pid", 3)
    for quantile, replaced, added in ((Fraction(1, 2), 2, 1), (Fraction(1, 10), 10, 9)):
        assert Aim(quantile).moves(Neighbors.REPLACE_ONE, people) == 3 * replaced
        assert Aim(quantile).moves(Neighbors.ADD_REMOVE, people) == 3 * added


def test_budgets_are_shared_and_intervals_take_two_more_choices() -> None:
    """Two quantiles and two interval ends of each are six choices, each at 1/6 of epsilon.

    Ends are aimed 91 ranks off, the least number that a choice among 100 values misses by
    with a chance of at most 1/40.
    """
    text = "quantiles 1/4, 3/4 of age with interval where sex = F"
    answered = portion_of(text, Guarantee.pure(1), Neighbors.REPLACE_ONE)
    aims = aims_of(answered.block, Guarantee.pure(1))

    assert [aim.quantile for aim in aims.each] == [Fraction(1, 4)] * 3 + [Fraction(3, 4)] * 3
    assert [aim.shift for aim in aims.each] == [0, -91, 91] * 2
    assert aims.cost == Guarantee.pure(Fraction(1, 6))
    assert aims.candidates == 100
    assert all(law.tail(91) <= 0.025 < law.tail(90) for law in aims.laws)


@pytest.mark.parametrize(
    ("claim", "pure"),
    [
        (Guarantee.pure(1), True),
        (Guarantee.zcdp(Fraction(1, 2)), False),
        (Guarantee(epsilon=Fraction(1), delta=Fraction(1, 10**6)), True),
    ],
)
def test_a_choice_costs_an_epsilon_or_a_rho(claim: Guarantee, pure: bool) -> None:
    """A choice spends a pure epsilon, or a rho under zCDP, and never a delta.

    Its rate is that of the exponential law of the error, in ranks: 1 at epsilon 1, and sqrt(8
    rho) = 2 at rho 1/2. An added row moves the score of the median by 1, in units of half a
    row.
    """
    answered = portion_of("median age", claim, Neighbors.ADD_REMOVE)

    assert answered.way.name is WayName.CHOICE
    assert (answered.way.cost.epsilon is not None, answered.way.cost.delta) == (pure, 0)

    aims = aims_of(answered.block, answered.way.cost)
    assert [law.pure for law in aims.laws] == [pure]
    assert aims.laws[0].rate == pytest.approx(1 if pure else 2)


def test_ages_are_counted_by_value_and_other_columns_are_cut() -> None:
    """To choose a median of age, rows are counted at each of its values; pay is only cut.

    Age has 100 values, a missing cell, and one for what a rule leaves out: 102 cells. Pay has
    numbers below 3, from 3 on, and what is left out.
    """
    answered = portion_of(
        "median age where pay >= 3 and age < 50", Guarantee.pure(1), Neighbors.ADD_REMOVE
    )

    universe = universe_of(answered.block.workload.questions[0], DOMAIN)
    assert universe.names == ("age", "pay")
    assert universe.shape == (102, 3)
    assert answered.block.workload.universe.shape == (4, 3)  # for the rows that it is about
