"""Example questions: each can be asked of a table with these columns."""

import pytest

from synth.domain import Categorical, Domain, Integer
from synth.errors import QuestionError
from synth.lessons import survey_domain
from synth.privacy import Guarantee
from synth.questions import (
    Inquiry,
    Question,
    answerable,
    check_asked,
    check_question,
    example_questions,
    measures,
    parse,
    questions_about,
    questions_about_both,
)

ODD = Domain(
    (
        Categorical(name="by", categories=("it's", "a b")),
        Integer(name="hours-per-week", minimum=-3, maximum=99),
    )
)


@pytest.mark.parametrize("domain", [survey_domain(), ODD], ids=["survey", "odd names"])
def test_every_example_can_be_asked(domain: Domain) -> None:
    """Every example is a valid question, even for columns with odd names and categories."""
    examples = example_questions(domain)
    assert examples
    for question in examples:
        check_asked(parse(question), domain)
    assert Inquiry.read(examples, domain, Guarantee.pure(1)).arrangement.portions

    for name in domain.names:
        for question in questions_about(name, domain):
            assert name in check_question(parse(question), domain).uses
        for other in domain.names:
            if other != name:
                for question in questions_about_both(name, other, domain):
                    assert set(check_question(parse(question), domain).uses) == {name, other}


def test_a_question_that_cannot_be_asked_is_no_example() -> None:
    """A question that is refused when it is tried is left out, and each is there once."""

    def try_question(question: str) -> Question:
        """Refuse questions about b."""
        if question.endswith("b"):
            raise QuestionError
        return parse(question)

    questions = ["table a", "table b", "mean a", "table a"]
    assert answerable(questions, try_question) == ["table a", "mean a"]


def test_codes_are_no_measures() -> None:
    """No sums are taken of columns of codes, of flags, and of numbers with labels."""
    weight = Integer(name="weight", minimum=0, maximum=200)
    codes = (
        Integer(name="patient_id", minimum=0, maximum=99_999),
        Integer(name="zip", minimum=0, maximum=99_999),
        Integer(name="flag", minimum=0, maximum=1),
        Integer(name="scale", minimum=1, maximum=9, meanings={"1": "never"}),
        Categorical(name="k", categories=("1", "2")),
    )
    assert measures([*codes, weight]) == [weight]
    assert questions_about("flag", Domain((*codes, weight))) == ["share where flag >= 0"]


@pytest.mark.parametrize(
    ("first", "second", "questions"),
    [
        ("age", "income", ["correlation age, income"]),
        ("age", "sex", ["mean age by sex"]),
        ("region", "sex", ["table region by sex", "logistic sex on region"]),
        ("age", "zip", []),
    ],
)
def test_columns_are_asked_about_together(
    first: str, second: str, questions: list[str]
) -> None:
    """Two numbers have a correlation, a number has means by a list, and lists have a table.

    A list of two values may be the outcome of a logistic regression. Codes have nothing.
    """
    domain = Domain(
        (
            Integer(name="age", minimum=0, maximum=99),
            Integer(name="income", minimum=0, maximum=99_999),
            Integer(name="zip", minimum=0, maximum=99_999),
            Categorical(name="sex", categories=("f", "m")),
            Categorical(name="region", categories=("n", "s", "w")),
        )
    )
    assert questions_about_both(first, second, domain) == questions
