"""Ways to choose: the law that is used, scores, and what is said beforehand."""

from fractions import Fraction

import pytest

from synth.domain import Domain, Integer
from synth.errors import QuestionError
from synth.estimate import WayName
from synth.privacy import Guarantee, Neighbors
from synth.questions import Inquiry, is_monotone, least_epsilon, least_rho
from synth.questions.quantiles.choices import best_law
from tests.questions.quantiles.test_aims import DOMAIN

BEST = "best of [age < 30; age > 60; sex = F] by count where pay > 2"
"""A question that chooses the condition, of three, that most rows meet."""


@pytest.mark.parametrize("neighbors", Neighbors)
def test_added_rows_move_all_conditions_in_one_direction(neighbors: Neighbors) -> None:
    """The best of three conditions is chosen with half the error if rows are added or
    removed.

    An added row can only raise counts, so the rate is epsilon, 1. A replaced row may raise
    one and lower another, for a rate of 1/2. BEST asks for the one of three conditions that
    most rows meet.
    """
    inquiry = Inquiry.read([BEST], DOMAIN, Guarantee.pure(1), neighbors=neighbors)
    (portion,) = inquiry.arrangement.portions
    added = neighbors is Neighbors.ADD_REMOVE

    assert is_monotone(portion.block) is added
    assert best_law(portion.block, portion.way.joint, Guarantee.pure(1)).rate == (
        1 if added else 0.5
    )

    (forecast,) = inquiry.forecast(1_000)
    # By so much, over the rate, the largest of three exponential numbers exceeds any one
    # of them on average.
    expected = (1 + 1 / 2 + 1 / 3) - 1
    assert forecast.expected_error == pytest.approx(expected if added else 2 * expected)
    assert forecast.chosen == ()
    assert forecast.remarks[0].endswith("rows more than the one that was chosen")


def test_budgets_are_found_for_an_error_in_rows() -> None:
    """The least epsilon and the least rho for a median that is at most 20 ranks off keep that
    error.
    """
    inquiry = Inquiry.read(["median age"], DOMAIN, Guarantee.pure(1))
    epsilon = least_epsilon(inquiry, 20, rows=1_000)
    assert inquiry.priced_at(Guarantee.pure(epsilon)).forecast(1_000)[0].expected_error <= 20

    rho = least_rho(inquiry, 20, rows=1_000)
    assert inquiry.priced_at(Guarantee.zcdp(rho)).forecast(1_000)[0].expected_error <= 20


def test_choices_stand_beside_counts() -> None:
    """A count is answered with noise, and each choice beside it by a choice of its own.

    The four questions share epsilon 1, and two quantiles take two choices. Laplace noise
    makes no choice, so it cannot answer all of them.
    """
    texts = ["count where age >= 30", "median age", BEST, "quantiles .1, .9 of age"]
    inquiry = Inquiry.read(texts, DOMAIN, Guarantee.pure(1))
    portions = inquiry.arrangement.portions

    assert [portion.way.name for portion in portions] == [
        WayName.LAPLACE,
        *[WayName.CHOICE] * 3,
    ]
    assert all(portion.way.cost == Guarantee.pure(Fraction(1, 4)) for portion in portions)
    assert [portion.way.size for portion in portions] == [1, 1, 1, 2]

    with pytest.raises(
        QuestionError, match="The way 'laplace' does not answer these questions"
    ):
        assert inquiry.answered_by(WayName.LAPLACE).arrangement


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "median sex",
            "Column 'sex' (categorical) has no bounds, which a median needs; columns",
        ),
        (
            "quantiles .5 of sex",
            "Column 'sex' (categorical) has no bounds, which quantiles need;",
        ),
        ("median agee", "Column 'agee' is not declared; did you mean 'age'?"),
        ("median age where age is missing", "is a condition that no declared value can meet"),
        (
            "best of [age < 30; age > 200] by count",
            "'age > 200' is a condition that no declared",
        ),
        (
            "best of [age < 30; age < 30.0] by count",
            "The candidate 'age < 30' is there twice.",
        ),
        (
            "best of [age < 30; age > 60] by count where age = 40",
            "no declared value can meet",
        ),
    ],
)
def test_what_the_domain_does_not_hold_is_refused(text: str, message: str) -> None:
    """A median or a best condition that does not fit the declared columns is refused with a
    reason.

    Lists have no median, conditions must be possible, and candidates must differ.
    """
    with pytest.raises(QuestionError) as caught:
        assert Inquiry.read([text], DOMAIN, Guarantee.pure(1)).arrangement
    assert message in str(caught.value)


def test_an_interval_of_the_one_value_there_is_has_both_ends() -> None:
    """A column of one value has a median with an interval, for which three choices
    are paid.
    """
    domain = Domain((Integer(name="age", minimum=17, maximum=17),))
    inquiry = Inquiry.read(["median age with interval"], domain, Guarantee.pure(1))
    assert [portion.way.size for portion in inquiry.arrangement.portions] == [3]
    assert len(inquiry.forecast(100)) == 1
