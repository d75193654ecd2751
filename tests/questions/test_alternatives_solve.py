"""What has to be spent for an error: the least number of three digits, and no less."""

from fractions import Fraction

import pytest

from synth.errors import ArgumentError, QuestionError
from synth.lessons import survey_domain
from synth.privacy import Guarantee
from synth.questions import Inquiry, least_epsilon, least_rho
from synth.questions.answers.answer import furthest
from synth.questions.least_costs import digits_place, least_place, number_at

DOMAIN = survey_domain()
ROWS = 20_000


def read_inquiry(
    *texts: str, guarantee: Guarantee | None = None, way: str | None = None
) -> Inquiry:
    """The questions about the survey of the lessons, at epsilon 1 unless told otherwise."""
    return Inquiry.read(texts, DOMAIN, guarantee or Guarantee.pure(1), way=way)


def next_below(number: Fraction) -> Fraction:
    """The next smaller number of three significant digits."""
    return number_at(digits_place(number) - 1)


@pytest.mark.parametrize(
    ("texts", "error"),
    [
        (("count where age >= 65",), 7),
        (("mean age", "share where sex = female"), 0.03),
        (("mean interview_date",), 0.05),
    ],
)
def test_the_least_budget_keeps_the_error_and_the_next_below_does_not(
    texts: tuple[str, ...], error: float
) -> None:
    """The least epsilon and rho keep the allowed error, and the next smaller numbers do not.

    `next_below` is the next smaller number of three significant digits. `furthest` is the
    largest average error of a forecast, in the unit of the answers: rows, shares, or days of
    a date.
    """
    inquiry = read_inquiry(*texts)
    epsilon, rho = least_epsilon(inquiry, error, ROWS), least_rho(inquiry, error, ROWS)

    for number, guarantee_of in ((epsilon, Guarantee.pure), (rho, Guarantee.zcdp)):
        assert furthest(inquiry.priced_at(guarantee_of(number)).forecast(ROWS)) <= error
        assert (
            furthest(inquiry.priced_at(guarantee_of(next_below(number))).forecast(ROWS))
            > error
        )


def test_a_delta_is_kept() -> None:
    """The least epsilon for an error is found at the delta of the inquiry, 1e-5.

    Epsilon is rounded up to three digits, so the error is at most 2 % below the allowed one.
    """
    delta = Fraction(1, 10**5)
    inquiry = read_inquiry(
        "mean age", guarantee=Guarantee.approximate(1, delta), way="gaussian"
    )

    epsilon = least_epsilon(inquiry, 0.01, ROWS)
    forecast = inquiry.priced_at(Guarantee.approximate(epsilon, delta)).forecast(ROWS)

    assert 0.0098 < furthest(forecast) <= 0.01


def test_a_public_number_is_free_and_an_error_may_be_out_of_reach() -> None:
    """The search returns 0 for a free answer and None where no epsilon is enough.

    The number of rows is public under replace-one, so it is free. A way that does not answer
    the question and an error of 0 are refused.
    """
    assert least_epsilon(read_inquiry("count"), 1, ROWS) == 0
    assert least_epsilon(read_inquiry("mean age"), 1e-9, ROWS) is None

    with pytest.raises(QuestionError, match="The way 'gaussian' does not answer"):
        least_epsilon(
            read_inquiry("mean age", guarantee=Guarantee.zcdp(1), way="gaussian"), 1, ROWS
        )
    with pytest.raises(ArgumentError, match="error must be above 0"):
        least_epsilon(read_inquiry("mean age"), 0, ROWS)


@pytest.mark.parametrize("target", [0, 1, 30, 59])
def test_the_search_finds_the_least_place_from_any_guess(target: int) -> None:
    """From every guess, also one outside 0 to 60, the search ends at the least number that is
    enough.
    """
    for guess in range(-3, 65):
        assert least_place(lambda place: place >= target, guess, 0, last=60) == target


def test_a_place_stands_for_a_number_of_three_digits() -> None:
    """`digits_place` inverts `number_at`, and rounds a number between two places up.

    Numbers of three significant digits are numbered in ascending order. A number that is
    larger by a factor of 1.0001 has more digits, so it belongs to the next place.
    """
    for place in range(-4_000, 2_000, 7):
        assert digits_place(number_at(place)) == place
        assert digits_place(number_at(place) * Fraction(10_001, 10_000)) == place + 1
