"""Every way beside the one that is taken."""

import pytest

from synth.estimate import WayName
from synth.lessons import survey_domain
from synth.privacy import Guarantee
from synth.questions import Inquiry, list_alternatives
from synth.questions.way.arrangement import largest_of

DOMAIN = survey_domain()
TEN = [f"count where age >= {start}" for start in range(20, 90, 7)]


def test_the_best_is_taken_and_the_others_are_worse() -> None:
    """The list of ways to answer begins with the one that is taken, and errors grow along it.

    A replaced row moves each of the ten nested counts by at most 1. So noise from a cube has
    an expected largest size of 10 at epsilon 1. Laplace noise of scale 10 on each has one of
    10 (1 + 1/2 + ... + 1/10) = 29.29.
    """
    alternatives = list_alternatives(Inquiry.read(TEN, DOMAIN, Guarantee.pure(1)), 20_000)
    assert [alternative.taken for alternative in alternatives] == [True] + [False] * (
        len(alternatives) - 1
    )

    assert alternatives[0].way is WayName.CUBE

    largest_errors = [
        alternative.largest for alternative in alternatives if alternative.largest is not None
    ]
    assert largest_errors == sorted(largest_errors)
    assert largest_errors[0] == pytest.approx(10, rel=0.01)

    laplace = next(
        alternative for alternative in alternatives if alternative.way is WayName.LAPLACE
    )
    assert laplace.largest == pytest.approx(29.29, rel=0.01)


def test_parts_of_their_own_ways_stand_first() -> None:
    """Where counts and a mean are answered in different ways, that mixture is listed first.

    It has no single way and no largest error of counts. Of the single ways only Laplace noise
    answers both kinds of question, and it is listed after the mixture.
    """
    inquiry = Inquiry.read([*TEN, "mean age"], DOMAIN, Guarantee.pure(1))
    alternatives = list_alternatives(inquiry, 20_000)

    by_parts, *by_one_way = alternatives
    assert by_parts.taken
    assert by_parts.way is None
    assert by_parts.largest is None

    assert not any(alternative.taken for alternative in by_one_way)
    assert {alternative.way for alternative in by_one_way} == {WayName.LAPLACE}


def test_the_number_of_rows_costs_nothing_where_it_is_public() -> None:
    """Asking for the number of rows as well leaves the other answer as exact as before.

    Replace-one is the default, under which the number of rows is public. So `count` takes no
    part of epsilon from the count of older people.
    """
    older = "count where age >= 65"
    (single,) = Inquiry.read([older], DOMAIN, Guarantee.pure(1)).forecast(9)
    _, with_rows = Inquiry.read(["count", older], DOMAIN, Guarantee.pure(1)).forecast(9)
    assert with_rows.expected_error == single.expected_error


def test_counts_with_noise_of_their_own_are_judged_by_the_largest_of_all() -> None:
    """`largest_of` is the expected largest error of blocks given as pairs (error, size).

    The largest of ten Laplace numbers of scale 10 is 10 (1 + 1/2 + ... + 1/10) = 29.29.
    """
    assert largest_of([(10, 1)] * 10) == pytest.approx(29.29, rel=1e-3)
    assert largest_of([(7.0, 3)]) == 7
    assert 10 < largest_of([(10, 1), (1, 1)]) < 10.2
