"""Which quantiles, and which conditions: what is refused, and that it is written as it is
read.
"""

import re
from fractions import Fraction
from typing import Any

import pytest

from synth import limits
from synth.errors import LimitError, QuestionError
from synth.questions import Question, parse
from synth.questions.kinds import choices
from synth.questions.wording.candidates import quantile_text, told_candidates


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("median age where sex = Male", None),
        ("quantiles .1, .5, .9 of age", "quantiles 0.1, 0.5, 0.9 of age"),
        ("QUANTILES 1/3,2/3 OF age with interval weight 2", None),
        ('quantiles 0.000001 of "of" where x > .5', None),
        (
            "best of [age < 30; sex in (F, 'a;b') and not x = 1] by count where y is missing",
            None,
        ),
    ],
)
def test_what_is_written_is_read_again(text: str, again: str | None) -> None:
    """Written as text or JSON and read, a question of quantiles or of the best condition is
    the same.

    `again` is how it is written as text; None where that is not checked.
    """
    question = parse(text)
    assert parse(str(question)) == question
    assert Question.from_json(question.to_json()) == question
    assert again is None or str(question) == again


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "quantiles 1.2 of age",
            "Quantiles are numbers above 0 and below 1, such as 0.1 or 1/3.",
        ),
        ("quantiles 0, .5 of age", "Quantiles are numbers above 0 and below 1"),
        ("quantiles -.5 of age", "Quantiles are numbers above 0 and below 1"),
        ("quantiles .5, .5 of age", "The quantile 0.5 is asked for twice."),
        ("quantiles .5, 1/3 of age", "in ascending order; 0.5 comes before 1/3."),
        ("quantiles 0.1234567 of age", "with at most 6 digits after the point"),
        ("quantiles of age", "write a number after 'quantiles', such as 0.1, 0.5 or 1/3"),
        ("quantiles .5 age", "write 'of' here, as in quantiles 0.1, 0.5, 0.9 of age"),
        ("quantiles .5/ of age", "A quantile must be a number"),
        ("median a, b", "'median' names exactly one column."),
        ("median a by b", "'median' takes no groups with 'by'"),
        ("median a with counts", "'median' takes no number of values and no 'with counts'."),
        ("mean a with interval", "'mean' takes no 'with interval'; 'median' and such do."),
        ("best of [] by count", "a candidate is missing before it"),
        ("best of [a = 1; ] by count", "a candidate is missing before it"),
        ("best of [a = 1] by count", "'best' needs two candidates or more"),
        ("best of [a = 1; b = 1 or c = 1; c = 1 or b = 1] by count", "is there twice."),
        ("best of [a = 1; b = 1", "']' closes the list of candidates"),
        ("best of [a = 1; b = 1] by size", "write 'count' here, as in best of"),
        ("best a", "write 'of' here, as in best of"),
    ],
)
def test_what_cannot_be_asked_is_refused(text: str, message: str) -> None:
    """Quantiles and candidates that make no sense are refused, and the message says what to
    write.
    """
    with pytest.raises(QuestionError, match=re.escape(message)):
        parse(text)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"kind": "quantiles", "columns": ["a"]}, "'quantiles' says which: quantiles 0.1,"),
        (
            {"kind": "quantiles", "quantiles": "1/2"},
            "'quantiles' of a question must be a list.",
        ),
        ({"kind": "quantiles", "quantiles": [[]]}, "A quantile must be a number"),
        (
            {"kind": "median", "columns": ["a"], "interval": 1},
            "'interval' of a question must be",
        ),
        ({"kind": "count", "quantiles": ["1/2"]}, "Only 'quantiles' says which"),
        (
            {"kind": "count", "candidates": [{"column": "a", "missing": True}]},
            "Only 'best' has",
        ),
        ({"kind": "best", "candidates": ["a = 1"]}, "A condition must be a JSON object"),
    ],
)
def test_json_that_is_refused(content: Any, message: str) -> None:
    """JSON of a question with a wrong or misplaced part is refused, and the message names the
    part.
    """
    with pytest.raises(QuestionError, match=re.escape(message)):
        Question.from_json(content)


def test_too_many_quantiles_and_candidates_are_refused() -> None:
    """More than 100 quantiles, or more than 1,000 candidate conditions, are refused.

    Candidates are counted alike whether they come as JSON or as conditions. Six digits are
    written exactly, and no candidates are written as nothing.
    """
    quantiles = tuple(Fraction(i, 1000) for i in range(1, limits.QUANTILES + 2))
    with pytest.raises(LimitError, match=r"There are 101 quantiles; the limit is 100."):
        Question(kind=choices.QUANTILES, columns=("a",), quantiles=quantiles)

    candidates = [
        {"column": "a", "sign": "=", "value": str(i)} for i in range(limits.CANDIDATES + 1)
    ]
    with pytest.raises(LimitError, match=r"There are 1,001 candidates; the limit is 1,000."):
        Question.from_json({"kind": "best", "candidates": candidates})  # type: ignore[dict-item]

    conditions = tuple(
        parse(f"count where a = {i}").where for i in range(limits.CANDIDATES + 1)
    )
    with pytest.raises(LimitError, match=r"There are 1,001 candidates; the limit is 1,000."):
        Question(
            kind=choices.BEST,
            candidates=tuple(condition for condition in conditions if condition is not None),
        )

    assert quantile_text(Fraction(999_999, 1_000_000)) == "0.999999"
    assert told_candidates((), ()) == []
