"""The schema of inquiries: what Synth writes is right by it, and what it refuses, the reader
refuses, too.
"""

from fractions import Fraction
from typing import Any

import pytest

from synth.bundle.published import inquiry as inquiries
from synth.errors import ArgumentError
from synth.estimate import WayName
from synth.privacy import Guarantee, Neighbors, RowReading, Unit
from synth.questions import Inquiry
from synth.questions.wording.condition import Sign
from synth.questions.wording.question import _QUESTION_KEYS, OVER
from tests.bundle.asked import DOMAIN
from tests.published.changes import GONE, change, faults, is_read

QUESTIONS = (
    "count where age >= 65",
    "table job",
    "top 2 job with counts",
    "mean age by sex weight 2 where job in (tailor, clerk) "
    "and not (sex is missing or age > 20)",
    "quantiles 0.1, 0.9 of age with interval",
    "best of [age > 20; age < 30] by count",
)
COSTS = (
    Guarantee.pure(Fraction(1)),
    Guarantee.of(Fraction(1), Fraction(1, 10**9)),
    Guarantee.zcdp(Fraction(1, 2)),
)
INQUIRY: dict[str, Any] = (
    Inquiry.read(
        QUESTIONS,
        DOMAIN,
        COSTS[1],
        neighbors=Neighbors.ADD_REMOVE,
        unit=Unit("person", 3),
        way=WayName.LAPLACE,
        dataset="staff",
    )
    .learn({"staff": RowReading.TYPED}, ())
    .to_json()
)
WHERE = "questions/3/where/and"


@pytest.mark.parametrize("cost", COSTS, ids=str)
def test_every_written_inquiry_has_the_form(cost: Guarantee) -> None:
    """An inquiry has the form of its published JSON schema, and the reader takes it."""
    document = Inquiry.read(QUESTIONS, DOMAIN, cost).to_json()
    for written in (document, INQUIRY):
        assert faults("inquiry", written) == []
        assert is_read(Inquiry.from_json, written)


def test_the_schema_has_the_words_of_the_reader() -> None:
    """The keys of a question, the signs of a condition, and what a mean may be over."""
    question: Any = inquiries._QUESTION
    assert set(question["properties"]) == set(_QUESTION_KEYS)
    assert tuple(question["properties"]["over"]["enum"]) == OVER
    assert list(inquiries._SIGNS) == [sign.value for sign in Sign]


REFUSED: list[tuple[str, Any]] = [
    ("questions", GONE),
    ("questions", []),
    ("questions/0", 5),
    ("questions/0/kind", GONE),
    ("questions/0/kind", "guess"),
    ("questions/0/later", 1),
    ("questions/0/where", "age >= 65"),
    ("questions/0/where/sign", "~"),
    ("questions/0/where/value", 6.5),
    ("questions/0/where/value", GONE),
    ("questions/0/where/column", ""),
    ("questions/1/columns", "job"),
    ("questions/1/columns/0", 5),
    ("questions/2/k", 0),
    ("questions/2/k", "2"),
    ("questions/2/counts", "yes"),
    ("questions/3/over", "people"),
    ("questions/3/weight", "much"),
    (f"{WHERE}", []),
    (f"{WHERE}/0/in", "tailor"),
    (f"{WHERE}/0/in", []),
    (f"{WHERE}/1/not", GONE),
    (f"{WHERE}/1/not/or/0/missing", False),
    ("questions/4/quantiles", 0.5),
    ("questions/4/quantiles/0", "a tenth"),
    ("questions/4/interval", 1),
    ("questions/5/candidates", {}),
    ("questions/5/candidates/0", "age > 20"),
    ("domain", GONE),
    ("domain", []),
    ("guarantee", GONE),
    ("guarantee", {}),
    ("guarantee/epsilon", GONE),
    ("guarantee/epsilon", 1),
    ("guarantee/epsilon", "-1"),
    ("guarantee/later", "1"),
    ("guarantee", {"mu_squared": "1"}),
    ("neighbors", "both"),
    ("person", None),
    ("person", GONE),
    ("person", ""),
    ("max_rows", 0),
    ("max_rows", "3"),
    ("way", "magic"),
    ("way", GONE),
    ("dataset", 5),
    ("reading", "words"),
    ("later", 1),
]


@pytest.mark.parametrize(("place", "value"), REFUSED)
def test_a_change_is_refused_by_the_schema_and_by_the_reader(place: str, value: Any) -> None:
    changed = change(INQUIRY, place, value)
    assert faults("inquiry", changed) != []
    assert not is_read(Inquiry.from_json, changed)


WIDER: list[tuple[str, Any]] = [
    # What a kind of question takes, what the declaration allows, and limits.
    ("questions/0/columns", ["job"]),
    ("questions/0/where/column", "wealth"),
    ("questions/4/quantiles/0", "2"),
    ("questions/3/weight", "-1"),
]


@pytest.mark.parametrize(("place", "value"), WIDER)
def test_the_reader_refuses_what_no_schema_can_state(place: str, value: Any) -> None:
    changed = change(INQUIRY, place, value)
    assert faults("inquiry", changed) == []
    assert not is_read(Inquiry.from_json, changed)


def test_an_inquiry_of_a_newer_version_is_refused_in_a_sentence() -> None:
    """The sentence says so, and does not quote the part."""
    with pytest.raises(
        ArgumentError, match="newer version wrote it, or it was edited"
    ) as info:
        Inquiry.from_json({**INQUIRY, "secret": 1})
    assert "secret" not in str(info.value)
