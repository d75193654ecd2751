"""Every way beside the one that is taken."""

import pytest

from synth.lessons import survey_domain
from synth.privacy import Guarantee
from synth.questions import Inquiry, WayName, list_alternatives
from synth.questions.way.arrangement import largest_of

DOMAIN = survey_domain()
TEN = [f"count where age >= {start}" for start in range(20, 90, 7)]


def test_the_best_is_taken_and_the_others_are_worse() -> None:
    found = list_alternatives(Inquiry.read(TEN, DOMAIN, Guarantee.pure(1)), 20_000)
    assert [one.taken for one in found] == [True] + [False] * (len(found) - 1)
    assert found[0].way is WayName.CUBE
    largest = [one.largest for one in found if one.largest is not None]
    assert largest == sorted(largest)
    assert largest[0] == pytest.approx(10, rel=0.01)
    laplace = next(one for one in found if one.way is WayName.LAPLACE)
    assert laplace.largest == pytest.approx(29.29, rel=0.01)


def test_parts_of_their_own_ways_stand_first() -> None:
    inquiry = Inquiry.read([*TEN, "mean age"], DOMAIN, Guarantee.pure(1))
    found = list_alternatives(inquiry, 20_000)
    assert (found[0].way, found[0].taken, found[0].largest) == (None, True, None)
    assert not any(one.taken for one in found[1:])
    assert {one.way for one in found[1:]} == {WayName.LAPLACE}


def test_the_number_of_rows_costs_nothing_where_it_is_public() -> None:
    alone, beside = (
        Inquiry.read(texts, DOMAIN, Guarantee.pure(1)).forecast(9)[-1]
        for texts in (["count where age >= 65"], ["count", "count where age >= 65"])
    )
    assert beside.expected_error == alone.expected_error


def test_counts_apart_are_judged_by_the_largest_of_all() -> None:
    assert largest_of([(10, 1)] * 10) == pytest.approx(29.29, rel=1e-3)
    assert largest_of([(7.0, 3)]) == 7
    assert 10 < largest_of([(10, 1), (1, 1)]) < 10.2
