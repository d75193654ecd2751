"""Everyday words become a question of the declared columns, or nothing."""

import pytest

from synth.domain import Categorical, Domain, Integer
from synth.errors import QuestionError
from synth.lessons import survey_domain
from synth.privacy import Guarantee
from synth.questions import Inquiry, check_question, parse, read_listed, suggest_question


@pytest.mark.parametrize(
    ("words", "question"),
    [
        ("how many people over 65 by sex", "table sex where age > 65"),
        ("How many people are over 65?", "count where age > 65"),
        ("count by sex", "table sex"),
        ("count where age >= 65 by sex", "table sex where age >= 65"),
        ("count by sex where age >= 65", "table sex where age >= 65"),
        ("count sex by region", "table region by sex"),
        ("number of smokers per region", "table region by smoker"),
        ("average income of women by region", "mean income by region where sex = female"),
        (
            "what is the mean income of people between 30 and 40",
            "mean income where age >= 30 and age <= 40",
        ),
        ("how many people have an income over 50000", "count where income > 50000"),
        ("avg hours", "mean hours"),
        ("average of income and hours", "means income, hours"),
        ("total household size", "total household_size"),
        ("median income of retired people", "median income where employment = retired"),
        ("share of women", "share where sex = female"),
        ("what percentage of people is younger than 30", "share where age < 30"),
        ("most common region", "top 1 region"),
        ("top 3 most common regions", "top 3 region"),
        ("people 65 or older in the north", "count where age >= 65 and region = North"),
        ("how many patients by region and sex", "table region by sex"),
        ("share of women by region", ""),  # no kind of question has shares by group
        ("how many people are not women", ""),
        ("how many women or men", ""),
        ("how tall are they", ""),
        ("hello", ""),
        ("", ""),
        ("'; drop table x", ""),
        ("count where age > 900", ""),  # beyond what is declared
    ],
)
def test_what_is_said_and_what_is_meant(words: str, question: str) -> None:
    """Everyday words become a question of the declared columns, or nothing where they are
    unclear.

    The columns are those of the survey of the lessons, such as age, sex, region and income.
    Each suggestion fits them.
    """
    domain = survey_domain()
    assert suggest_question(words, domain) == question

    if question:
        check_question(parse(question), domain)


def test_the_message_is_the_same_wherever_it_is_said() -> None:
    """Words that are no question are refused with the same suggestion by all readers.

    Without declared columns the message suggests nothing.
    """
    domain, words = survey_domain(), "how many people over 65 by sex"
    tail = r"Did you mean: table sex where age > 65$"

    with pytest.raises(QuestionError, match=tail):
        Inquiry.read([words], domain, Guarantee.pure(1))
    with pytest.raises(QuestionError, match=tail):
        list(read_listed([words], domain))

    with pytest.raises(QuestionError, match="begin a question with one of") as caught:
        list(read_listed([words]))  # without a domain nothing is suggested
    assert "Did you mean" not in str(caught.value)


def test_codes_are_known_by_their_labels() -> None:
    """A word that labels a code is suggested as that code, and a code is left as it is.

    Column k has the codes 1 (yes) and 2 (no).
    """
    column = Categorical(name="k", categories=("1", "2"), meanings={"1": "yes", "2": "no"})
    domain = Domain((column, Integer(name="age", minimum=0, maximum=9)))
    assert suggest_question("count with k = yes", domain) == "count where k = 1"
    assert suggest_question("average age where k = 2", domain) == "mean age where k = 2"


def test_a_number_goes_to_the_only_column_that_may_hold_it() -> None:
    """A number without a column is compared with the only column whose range holds it.

    60 is beyond a (0 to 9) and within b (50 to 99). With a further column c of the same range
    as b, nothing is suggested.
    """
    columns = (
        Integer(name="a", minimum=0, maximum=9),
        Integer(name="b", minimum=50, maximum=99),
    )
    assert suggest_question("how many over 60", Domain(columns)) == "count where b > 60"

    both = (*columns, Integer(name="c", minimum=50, maximum=99))
    assert suggest_question("how many over 60", Domain(both)) == ""
