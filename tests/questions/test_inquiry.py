"""What is asked as one thing: its JSON, its request, its refusals."""

import json
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from synth.errors import ArgumentError, QuestionError, SynthError
from synth.estimate import WayName
from synth.privacy import ROW, Guarantee, Neighbors, Unit
from synth.questions import Inquiry
from synth.questions.inquiry import way_named
from tests.questions.survey import PERSON, SURVEY, some_question

ONE = Guarantee.pure(1)
ASKED = ("count where age >= 65 and sex = F", "mean hours by sex")


def read_inquiry(*texts: str, **options: object) -> Inquiry:
    """An inquiry about the test survey at epsilon 1, of the questions in ASKED by default."""
    return Inquiry.read(texts or ASKED, SURVEY, ONE, **options)  # type: ignore[arg-type]


def test_random_inquiries_are_read_again() -> None:
    """Written as JSON and read, an inquiry is the same, and so is its request.

    60 inquiries of random questions, units, guarantees, neighbors and ways are tried.
    """
    random = Random(5)
    for _ in range(60):
        unit = random.choice((ROW, Unit(PERSON, 2)))
        claim = random.choice(
            (
                ONE,
                Guarantee.zcdp(Fraction(1, 3)),
                Guarantee(epsilon=Fraction(1), delta=Fraction(1, 10**6)),
            )
        )
        random_inquiry = Inquiry.read(
            [some_question(random, unit) for _ in range(3)],
            SURVEY,
            claim,
            neighbors=random.choice(list(Neighbors)),
            unit=unit,
            way=random.choice((None, "laplace", WayName.CUBE)),
        )

        again = Inquiry.from_json(random_inquiry.to_json())
        assert again == random_inquiry
        assert again.request == random_inquiry.request


def test_the_request_is_all_that_answers_depend_on() -> None:
    """Equal answers are recognised by the request, the text that identifies an inquiry.

    Another spelling, or another name of the dataset, leaves the request as it is. Every
    change of a question, its order or weight, or of the privacy makes another request.
    """
    base = read_inquiry()
    alike = read_inquiry(
        "count where sex = F and (age >= 65.0 and age >= 65)", ASKED[1], dataset="other"
    )
    assert alike.request == base.request

    others = (
        read_inquiry(*ASKED[::-1]),
        read_inquiry(ASKED[0]),
        read_inquiry("count where age > 65 and sex = F", ASKED[1]),
        read_inquiry(ASKED[0], ASKED[1] + " weight 2"),
        read_inquiry(neighbors=Neighbors.ADD_REMOVE),
        read_inquiry(unit=Unit(PERSON)),
        read_inquiry(unit=Unit(PERSON, 2)),
        read_inquiry(way="laplace"),
        replace(base, guarantee=Guarantee.pure(Fraction(1, 2))),
        replace(base, guarantee=Guarantee.zcdp(1)),
        replace(base, domain=SURVEY.project(("sex", "age", "hours"))),
    )

    # All requests differ from each other and from the first one.
    assert len({variant.request for variant in (base, *others)}) == 1 + len(others)


def test_equal_requests_are_arranged_alike() -> None:
    """Two spellings of one condition have the same request, and the same histogram cells.

    Stored noise is found by its request, so the totals must come in one order. `list_cells`
    gives the cells that are measured, and which of them each total adds up.
    """
    texts = (
        "count where age < 70 and not age >= 33",
        "count where not age >= 33 and age < 70",
    )
    first, second = (read_inquiry(text, way="histogram") for text in texts)

    assert first.request == second.request
    assert list_cells(first) == list_cells(second)


def list_cells(inquiry: Inquiry) -> list[tuple[list[list[int]], list[list[int]]]]:
    """By portion: the classes of the measured cells, and which cells each total adds up."""
    found_cells = [portion.way.cells for portion in inquiry.arrangement.portions]
    return [
        (
            [classes.tolist() for classes in cells.tally.classes],
            [members.tolist() for members in cells.members],
        )
        for cells in found_cells
    ]


def test_an_inquiry_without_a_question_is_refused() -> None:
    """An inquiry without a question is refused, and the message shows what one looks like."""
    with pytest.raises(
        QuestionError, match="There is no question; ask one, such as 'count where"
    ):
        Inquiry.read([], SURVEY, ONE)


def test_a_question_about_what_is_not_declared_is_refused() -> None:
    """A question about an undeclared column is refused, and a similar name is suggested."""
    with pytest.raises(
        QuestionError, match="Column 'agee' is not declared; did you mean 'age'"
    ):
        read_inquiry("mean agee")


@pytest.mark.parametrize("broken", [{}, {"questions": 3}, {"questions": [], "domain": {}}])
def test_what_is_no_inquiry_is_refused(broken: dict[str, object]) -> None:
    """JSON that lacks a part of an inquiry, or has an unknown relation of neighbors, is
    refused.
    """
    with pytest.raises(SynthError):
        Inquiry.from_json(broken)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="This is no inquiry of Synth"):
        Inquiry.from_json({**read_inquiry().to_json(), "neighbors": "cousins"})


def test_ways_are_found_by_their_names() -> None:
    """A way is found by its name; `auto` and None leave the choice to Synth.

    `known` is the way of public numbers, which nobody can ask for, and `magic` does not
    exist.
    """
    assert way_named("auto") is way_named(None) is None
    assert way_named("l2") is WayName.BALL

    for name in ("known", "magic"):
        with pytest.raises(
            QuestionError, match=f"There is no way '{name}'; choose auto or one of"
        ):
            way_named(name)


def test_forecasts_come_in_the_order_of_the_questions() -> None:
    """A forecast has one answer for each question, in the order in which they were asked.

    Only the number of rows, the third question, has no error, since it is public.
    """
    texts = ("mean hours", "count where sex = F", "count", "top 1 sex")
    forecasts = read_inquiry(*texts).forecast(500)

    assert [str(answer.question) for answer in forecasts] == list(texts)
    assert forecasts[2].expected_error == 0
    assert all(
        answer.expected_error > 0 for answer in forecasts if answer is not forecasts[2]
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "correlation age, hours",
            r"A correlation is not asked of the table itself; its covar",
        ),
        (
            "logistic age > 40 on hours",
            r"A logistic regression is not asked of the table itself\.",
        ),
        (
            "regression hours on sex",
            r"Column 'sex' \(categorical\) has no bounds, which a regr",
        ),
    ],
)
def test_what_is_asked_of_a_release_alone_is_refused(text: str, why: str) -> None:
    """Questions that only a synthetic table answers are refused, and the message says where
    to ask.

    A correlation, a logistic regression, and a regression on a list cannot be asked of the
    table itself.
    """
    with pytest.raises(QuestionError, match=rf"^{why}.* on the page 'Use a release'\.$"):
        read_inquiry(text)


def test_a_question_for_missing_values_with_reasons_is_another_request() -> None:
    """A ledger repeats no answer to "is missing" from before it counted reasons.

    Of the columns of SURVEY, age and sex have reasons, and day has a missing cell alone.
    """
    marked = {
        question: "reasons" in json.loads(read_inquiry(question).request)
        for question in (
            "count where age is missing",
            "count where not (sex is missing or day is missing)",
            "best of [sex is missing; age > 9] by count",
            "count where day is missing",
            "count where age = 999",
        )
    }
    assert list(marked.values()) == [True, True, True, False, False]
