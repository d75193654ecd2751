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


def inquiry(
    *texts: str, guarantee: Guarantee | None = None, way: str | None = None
) -> Inquiry:
    return Inquiry.read(texts, DOMAIN, guarantee or Guarantee.pure(1), way=way)


def below(number: Fraction) -> Fraction:
    return number_at(digits_place(number) - 1)


@pytest.mark.parametrize(
    ("texts", "error"),
    [
        (("count where age >= 65",), 7),
        (("mean age", "share where sex = female"), 0.03),
        (("mean interview_date",), 0.05),
    ],
)
def test_it_is_the_least(texts: tuple[str, ...], error: float) -> None:
    asked = inquiry(*texts)
    epsilon, rho = least_epsilon(asked, error, ROWS), least_rho(asked, error, ROWS)
    for number, at in ((epsilon, Guarantee.pure), (rho, Guarantee.zcdp)):
        assert furthest(asked.priced_at(at(number)).forecast(ROWS)) <= error
        assert furthest(asked.priced_at(at(below(number))).forecast(ROWS)) > error


def test_a_delta_is_kept() -> None:
    delta = Fraction(1, 10**5)
    asked = inquiry("mean age", guarantee=Guarantee.approximate(1, delta), way="gaussian")
    epsilon = least_epsilon(asked, 0.01, ROWS)
    found = asked.priced_at(Guarantee.approximate(epsilon, delta)).forecast(ROWS)
    assert 0.0098 < furthest(found) <= 0.01


def test_nothing_to_spend_and_never_enough() -> None:
    assert least_epsilon(inquiry("count"), 1, ROWS) == 0
    assert least_epsilon(inquiry("mean age"), 1e-9, ROWS) is None
    with pytest.raises(QuestionError, match="The way 'gaussian' does not answer"):
        least_epsilon(
            inquiry("mean age", guarantee=Guarantee.zcdp(1), way="gaussian"), 1, ROWS
        )
    with pytest.raises(ArgumentError, match="error must be above 0"):
        least_epsilon(inquiry("mean age"), 0, ROWS)


@pytest.mark.parametrize("target", [0, 1, 30, 59])
def test_the_search_finds_it_from_anywhere(target: int) -> None:
    for guess in range(-3, 65):
        assert least_place(lambda place: place >= target, guess, 0, last=60) == target


def test_places_are_of_three_digits() -> None:
    for place in range(-4_000, 2_000, 7):
        assert digits_place(number_at(place)) == place
        assert digits_place(number_at(place) * Fraction(10_001, 10_000)) == place + 1
