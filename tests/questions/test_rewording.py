"""Everyday words become a question of the declared columns, or nothing."""

import re

import pytest

from synth.domain import Categorical, Domain, Integer
from synth.errors import QuestionError
from synth.lessons import survey_domain
from synth.privacy import Guarantee
from synth.questions import (
    Inquiry,
    Question,
    check_question,
    parse,
    read_listed,
    suggest_questions,
)


@pytest.mark.parametrize(
    ("words", "question"),
    [
        ("how many people older than 65 by sex", "table sex where age > 65"),
        ("How many people are over 65 years of age?", "count where age > 65"),
        ("how many people with age over 65", "count where age > 65"),
        ("how many people with age equal to 65", "count where age = 65"),
        ("count where age equal to 65", "count where age = 65"),
        ("how many people whose age is equal to 65", "count where age = 65"),
        ("how many people whose age is 65", "count where age = 65"),
        ("how many people with age unequal to 65", "count where age != 65"),
        ("how many with region equal to north", "count where region = North"),
        ("how many with sex female", "count where sex = female"),
        ("count by sex", "table sex"),
        ("count where age >= 65 by sex", "table sex where age >= 65"),
        ("count by sex where age >= 65", "table sex where age >= 65"),
        ("count sex by region", "table region by sex"),
        ("number of smokers per region", "table region by smoker"),
        ("average income of women by region", "mean income by region where sex = female"),
        (
            "what is the mean income of people with an age between 30 and 40",
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
        ("how many with an age between young and old", ""),
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
    suggested = suggest_questions(words, domain)
    assert suggested.questions == ((question,) if question else ())
    assert not suggested.unclear

    if question:
        check_question(parse(question), domain)


def test_the_message_is_the_same_wherever_it_is_said() -> None:
    """Words that are no question are refused with the same suggestion by all readers.

    Without declared columns the message suggests nothing.
    """
    domain, words = survey_domain(), "how many people older than 65 by sex"
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
    for words, question in (
        ("count with k = yes", "count where k = 1"),
        ("average age where k = 2", "mean age where k = 2"),
    ):
        assert suggest_questions(words, domain).questions == (question,)


@pytest.mark.parametrize(
    ("words", "unclear", "columns"),
    [
        ("how many over 65", "over 65", ("age", "weight")),
        ("patients 65 or older by sex", "", ()),  # "older" speaks of the only age
        ("patients 65 or more by sex", "65 or more", ("age", "weight")),
        ("how many are equal to 65", "equal to 65", ("age", "weight")),
        ("count where > 65", "> 65", ("age", "weight")),
        ("mean age of people between 120 and 130", "between 120 and 130", ("weight",)),
        ("how many over 150", "over 150", ("weight",)),  # an age is 100 at most
        ("how many over 900", "", ()),  # nobody has such a number
        ("how many over 65 and under 70", "over 65", ("age", "weight")),
        ("how many say yes", "yes", ("smoker", "diabetic")),
        ("share of yes", "yes", ("smoker", "diabetic")),
    ],
)
def test_words_beside_no_column_go_to_none_by_themselves(
    words: str, unclear: str, columns: tuple[str, ...]
) -> None:
    """A number or a value without a column is given to none: the reader is asked which.

    The columns that can have it are named, those of ages first. A column that cannot have
    such a number is left out.
    """
    yes_no = ("yes", "no")
    domain = Domain(
        (
            Integer(name="weight", minimum=30, maximum=200),
            Integer(name="age", minimum=0, maximum=100),
            Categorical(name="sex", categories=("female", "male")),
            Categorical(name="smoker", categories=yes_no),
            Categorical(name="diabetic", categories=yes_no),
        )
    )

    suggested = suggest_questions(words, domain)

    assert (suggested.unclear, suggested.columns) == (unclear, columns)
    for question in suggested.questions:
        check_question(parse(question), domain)
    if unclear:
        assert all(name in suggested.sentence for name in (unclear, *columns))
        with pytest.raises(QuestionError, match=re.escape(suggested.sentence)):
            Inquiry.read([words], domain, Guarantee.pure(1))


def test_each_column_that_may_be_meant_has_a_question() -> None:
    """For each column there is a question; with two unclear numbers there is none yet.

    The age of patients was once taken for the only other number of the table, which is hours.
    """
    hours = Integer(name="hours", minimum=0, maximum=80)
    income = Integer(name="income", minimum=0, maximum=90_000)
    domain = Domain((hours, income))
    assert suggest_questions("patients over 65", domain).questions == (
        "count where hours > 65",
        "count where income > 65",
    )
    assert suggest_questions("over 65 and under 70", domain).questions == ()
    assert suggest_questions("patients over 65", Domain((hours,))).sentence == (
        "'over 65' names no column. If you mean hours, name it."
    )


def test_only_some_of_many_columns_are_named() -> None:
    """Of many columns that a number may be about, six are named, and that there are others.

    No question that the check refuses is suggested, here one about q0.
    """
    domain = Domain(tuple(Integer(name=f"q{n}", minimum=0, maximum=99) for n in range(30)))

    def check(question: Question) -> Question:
        """Refuse a question about q0."""
        if "q0" in question.uses:
            raise QuestionError
        return question

    suggested = suggest_questions("how many over 60", domain, check)
    assert suggested.questions == tuple(f"count where q{n} > 60" for n in range(1, 7))
    assert suggested.sentence.endswith("q1, q2, q3, q4, q5, q6 or another one?")
