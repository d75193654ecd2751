"""What is asked as one thing: its JSON, its request, its refusals."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from synth.errors import ArgumentError, QuestionError, SynthError
from synth.privacy import ROW, Guarantee, Neighbors, Unit
from synth.questions import Inquiry, WayName
from synth.questions.inquiry import way_named
from tests.questions.survey import PERSON, SURVEY, some_question

ONE = Guarantee.pure(1)
ASKED = ("count where age >= 65 and sex = F", "mean hours by sex")


def inquiry(*texts: str, **more: object) -> Inquiry:
    return Inquiry.read(texts or ASKED, SURVEY, ONE, **more)  # type: ignore[arg-type]


def test_random_inquiries_are_read_again() -> None:
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
        made = Inquiry.read(
            [some_question(random, unit) for _ in range(3)],
            SURVEY,
            claim,
            neighbors=random.choice(list(Neighbors)),
            unit=unit,
            way=random.choice((None, "laplace", WayName.CUBE)),
        )
        again = Inquiry.from_json(made.to_json())
        assert again == made
        assert again.request == made.request


def test_the_request_is_all_that_answers_depend_on() -> None:
    one = inquiry()
    alike = inquiry(
        "count where sex = F and (age >= 65.0 and age >= 65)", ASKED[1], dataset="other"
    )
    assert alike.request == one.request
    others = (
        inquiry(*ASKED[::-1]),
        inquiry(ASKED[0]),
        inquiry("count where age > 65 and sex = F", ASKED[1]),
        inquiry(ASKED[0], ASKED[1] + " weight 2"),
        inquiry(neighbors=Neighbors.ADD_REMOVE),
        inquiry(unit=Unit(PERSON)),
        inquiry(unit=Unit(PERSON, 2)),
        inquiry(way="laplace"),
        replace(one, guarantee=Guarantee.pure(Fraction(1, 2))),
        replace(one, guarantee=Guarantee.zcdp(1)),
        replace(one, domain=SURVEY.project(("sex", "age", "hours"))),
    )
    assert len({each.request for each in (one, *others)}) == 1 + len(others)


def test_equal_requests_are_arranged_alike() -> None:
    """Kept noise is found by its request, so that its totals have one order."""
    texts = (
        "count where age < 70 and not age >= 33",
        "count where not age >= 33 and age < 70",
    )
    one, other = (inquiry(text, way="histogram") for text in texts)
    assert one.request == other.request
    for mine, its in zip(one.arrangement.portions, other.arrangement.portions, strict=True):
        a, b = mine.way.cells, its.way.cells
        assert [c.tolist() for c in a.tally.classes] == [c.tolist() for c in b.tally.classes]
        assert [m.tolist() for m in a.members] == [m.tolist() for m in b.members]


def test_no_question_is_refused() -> None:
    with pytest.raises(
        QuestionError, match="There is no question; ask one, such as 'count where"
    ):
        Inquiry.read([], SURVEY, ONE)


def test_a_question_about_what_is_not_declared_is_refused() -> None:
    with pytest.raises(
        QuestionError, match="Column 'agee' is not declared; did you mean 'age'"
    ):
        inquiry("mean agee")


@pytest.mark.parametrize("broken", [{}, {"questions": 3}, {"questions": [], "domain": {}}])
def test_what_is_no_inquiry_is_refused(broken: dict[str, object]) -> None:
    with pytest.raises(SynthError):
        Inquiry.from_json(broken)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="This is no inquiry of Synth"):
        Inquiry.from_json({**inquiry().to_json(), "neighbors": "cousins"})


def test_ways_are_named() -> None:
    assert way_named("auto") is way_named(None) is None
    assert way_named("l2") is WayName.BALL
    for name in ("known", "magic"):
        with pytest.raises(
            QuestionError, match=f"There is no way '{name}'; choose auto or one of"
        ):
            way_named(name)


def test_forecasts_come_in_the_order_of_the_questions() -> None:
    asked = ("mean hours", "count where sex = F", "count", "top 1 sex")
    found = inquiry(*asked).forecast(500)
    assert [str(answer.question) for answer in found] == list(asked)
    assert found[2].expected_error == 0
    assert all(answer.expected_error > 0 for answer in found if answer is not found[2])


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
    with pytest.raises(QuestionError, match=rf"^{why}.* on the page 'Use a release'\.$"):
        inquiry(text)
