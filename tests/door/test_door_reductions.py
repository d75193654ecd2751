"""Reduced noise at the door: what it costs beside every other answer, and that it is
coupled.
"""

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from synth.door import Door, Ledger
from synth.errors import ReleaseError
from synth.noise import DiscreteGaussian, DiscreteLaplace
from synth.privacy import ROW, Guarantee, Neighbors
from synth.private import queries
from tests.audit.path import reductions
from tests.audit.path.reductions import (
    CALLS,
    COUNTS,
    GUARANTEES,
    find_sequences,
    price_sequence,
)
from tests.audit.path.tables import door_of
from tests.ledger.test_sqlite_store_damage import list_ways_out

ADD = Neighbors.ADD_REMOVE
DELTA = Fraction(1, 10**6)


def open_door(guarantee: Guarantee) -> Door:
    """A door under add-remove that protects rows, with this guarantee."""
    return door_of(ADD, ROW, guarantee)


def laplace_for(epsilon: Fraction | int) -> DiscreteLaplace:
    """Laplace noise for a sensitivity of 1."""
    return DiscreteLaplace.for_epsilon(epsilon, sensitivity=1)


def test_every_way_out_of_a_door_has_a_true_cost() -> None:
    ways = {name.split()[0] for name in CALLS}
    assert ways == {"measure", "reduce", "number", "choose", "select", "seed"}
    assert {"measure", "reduce_noise", "choose", "select", "seed"} == set(list_ways_out())


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", GUARANTEES, ids=str)
def test_every_order_of_three_calls_is_refused_or_charged_its_true_cost(
    guarantee: Guarantee,
) -> None:
    """In any order of three calls, a door charges at least the true cost of all answers.

    Otherwise it refuses a call. More than 50 orders are answered in full, so the test does
    not pass by refusals.
    """
    answered = Counter[int]()

    for names in find_sequences():
        broken, answers = price_sequence(guarantee, names)
        assert broken == ""
        answered[answers] += 1

    assert answered[3] > 50, "not nearly all orders are refused"


def test_noise_is_not_reduced_where_anything_is_paid_as_a_rho() -> None:
    """The door refuses to reduce noise once an answer was paid as a rho.

    The difference of two epsilons is no bound there; its square is far too little. A refusal
    costs nothing, and a fresh measurement is still possible.
    """
    approximate = Guarantee.approximate(4, DELTA)
    for guarantee in (approximate, Guarantee.zcdp(1), Guarantee.gaussian(1)):
        door, marginal = open_door(guarantee), queries.marginal(COUNTS, ADD)

        claim = guarantee if guarantee.is_gaussian else None
        door.measure(queries.rows(COUNTS, ADD), DiscreteGaussian(Fraction(100)), claim)
        door.measure(marginal, laplace_for(Fraction(1, 10)))

        before = door.spent
        with pytest.raises(ReleaseError, match="only while all is paid in epsilon"):
            door.reduce_noise(marginal, laplace_for(Fraction(2, 10)))
        assert door.spent == before
        door.measure(marginal, laplace_for(Fraction(2, 10)))


def test_a_rho_after_reduced_noise_needs_the_squares_of_all_steps() -> None:
    """After noise was reduced, an answer that is paid as a rho may be refused.

    Whoever reduces noise or adds Gaussian noise, as the earlier answer is, tells more than
    either. After a pure answer for 1/8 more it is granted. What was paid in epsilon, 1/2 +
    1/8, then counts as half the square of 5/8. That is more than the squares of all steps.
    """
    guarantee, rho = Guarantee.approximate(4, DELTA), Fraction(1, 1000)
    marginal, rows = queries.marginal(COUNTS, ADD), queries.rows(COUNTS, ADD)

    door = open_door(guarantee)
    door.measure(marginal, laplace_for(Fraction(1, 4)))
    door.reduce_noise(marginal, laplace_for(Fraction(1, 2)))

    noise = DiscreteGaussian.for_rho(rho, sensitivity2=1)
    with pytest.raises(ReleaseError, match="Noise was reduced in this release, so that its"):
        door.measure(rows, noise)
    assert door.spent == Guarantee.pure(Fraction(1, 2))

    # 1/4^2 + 1/2^2 + 1/8^2 is less than (1/2 + 1/8)^2.
    door.measure(rows, laplace_for(Fraction(1, 8)))
    door.measure(rows, noise)
    assert door.spent == Guarantee.zcdp(Fraction(5, 8) ** 2 / 2 + rho)


def test_only_laplace_noise_is_reduced() -> None:
    """The door refuses to change Laplace noise into Gaussian noise."""
    door, marginal = open_door(Guarantee.pure(1)), queries.marginal(COUNTS, ADD)
    door.measure(marginal, laplace_for(Fraction(1, 4)))

    gaussian: Any = DiscreteGaussian(Fraction(1))
    with pytest.raises(ReleaseError, match="reduces Laplace noise only"):
        door.reduce_noise(marginal, gaussian)


def test_the_newer_noise_follows_the_older() -> None:
    """Reduced noise depends on the older noise as the proof says, so that both cost the newer
    epsilon.

    The audit compares shares of equal noise: at once, in a release that goes on, and forty
    scales from the middle.
    """
    assert reductions.coupling() == ""


def test_a_refused_answer_leaves_no_gap_in_the_ledger() -> None:
    """Answers behind a gap would not be counted by whoever goes on with the release."""
    assert reductions.filling_gaps() == ""


def test_a_door_of_its_own_ledger_counts_after_a_refusal() -> None:
    """After a refused answer, a door still counts what it lets out.

    Of epsilon 1 an answer for 2 is refused, one for 1 is paid, and then nothing is left.
    """
    door = Door(
        ledger=Ledger(),
        dataset="d",
        neighbors=ADD,
        guarantee=Guarantee.pure(1),
        purpose="test",
    )

    marginal = queries.marginal(COUNTS, ADD)
    with pytest.raises(ReleaseError, match="more than is left"):
        door.measure(marginal, laplace_for(2))

    door.measure(marginal, laplace_for(1))
    with pytest.raises(ReleaseError, match="more than is left"):
        door.measure(marginal, laplace_for(1))
