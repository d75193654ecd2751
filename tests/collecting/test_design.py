"""What a form asks: identifiers, limits, and texts that are empty, repeated or hostile."""

from fractions import Fraction

import pytest

from synth import limits
from synth.collecting import FormDesign
from synth.collecting.design import ClosedQuestion
from synth.errors import CollectError, LimitError, QuestionError, SynthError
from tests.collecting.forms import make_design

SMOKE = ClosedQuestion("Do you smoke?")


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("  ", ("yes", "no"), "The text of a question is empty."),
        ("So?", ("yes",), "Question 'So?' needs at least two options."),
        ("So?", ("yes", " "), "Question 'So?': an option is empty."),
        ("So?", ("yes", "Yes "), "Question 'So?' lists the option 'yes' twice."),
        (7, ("yes", "no"), "The text of a question must be a text."),
    ],
)
def test_what_cannot_be_asked(text: str, options: tuple[str, ...], says: str) -> None:
    """A question without a text, or with too few, empty or repeated options, is refused in a
    sentence.

    Options that differ in capitals or blanks alone count as repeated.
    """
    with pytest.raises(QuestionError) as caught:
        ClosedQuestion(text, options)

    assert str(caught.value) == says


def test_forms_that_cannot_be() -> None:
    """No question, a repeated one, a wrong epsilon, and too much of anything are refused in
    words.
    """
    with pytest.raises(QuestionError, match="There is no question"):
        FormDesign((), Fraction(1))
    with pytest.raises(QuestionError, match="'do you smoke\\?' is asked twice"):
        FormDesign((SMOKE, ClosedQuestion(" do you  SMOKE? ")), Fraction(1))

    with pytest.raises(SynthError, match="epsilon must be between"):
        FormDesign((SMOKE,), Fraction(101))

    with pytest.raises(LimitError, match="the limit is 500"):
        ClosedQuestion("x" * 501)
    with pytest.raises(LimitError, match="101 options; the limit is 100"):
        ClosedQuestion("So?", tuple(map(str, range(101))))
    with pytest.raises(LimitError, match="101 questions; the limit of a form is 100"):
        FormDesign(tuple(ClosedQuestion(str(i)) for i in range(101)), Fraction(1))


def test_the_identifier_is_of_questions_and_epsilon() -> None:
    """A form has another identifier if its questions, options or epsilon differ, but not its
    title.

    By the identifier an answer belongs to its form. The form and three others have four.
    """
    first_design = FormDesign((SMOKE,), Fraction(1))
    assert (
        first_design.identifier
        == FormDesign((SMOKE,), Fraction(1), "Another title").identifier
    )

    others = [
        FormDesign((SMOKE,), Fraction(2)),
        FormDesign((ClosedQuestion("Do you smoke?", ("no", "yes")),), Fraction(1)),
        FormDesign((SMOKE, ClosedQuestion("Do you swim?")), Fraction(1)),
    ]
    identifiers = {design.identifier for design in (first_design, *others)}
    assert len(identifiers) == 4


def test_what_cannot_be_seen_is_marked() -> None:
    question = ClosedQuestion("Are\u202e you\n\there?\x1a", ("y\u200bes", "no"))
    assert question.text == "Are\ufffd you here?\ufffd"
    assert question.options == ("y\ufffdes", "no")


def test_a_design_that_was_changed_is_refused() -> None:
    """A design that was changed by hand, or lacks a part, is refused.

    Its identifier follows from its questions and epsilon, so another epsilon shows.
    """
    form = make_design()
    assert FormDesign.from_json(form.to_json()) == form

    content = form.to_json()
    content["epsilon"] = "1"
    with pytest.raises(CollectError, match="was changed since it was made"):
        FormDesign.from_json(content)

    for broken in (
        [],
        {},
        {**form.to_json(), "questions": [{}]},
        {"questions": 1, "epsilon": 1},
    ):
        with pytest.raises(CollectError, match="is not whole"):
            FormDesign.from_json(broken)

    assert limits.FORM_QUESTIONS == limits.FORM_OPTIONS == 100
