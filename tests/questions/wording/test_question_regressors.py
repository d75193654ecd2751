"""Outcomes and reference levels: what does not go with a question is refused in one
sentence.
"""

import re
from typing import Any

import pytest

from synth.errors import QuestionError
from synth.questions import Missing, Question
from synth.questions.kinds import moments, regressions


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"kind": "logistic", "columns": ["a"]}, "'logistic' names an outcome, and a column"),
        (
            {"kind": "count", "outcome": {"column": "a", "missing": True}},
            "Only 'logistic' has an",
        ),
        (
            {"kind": "variance", "columns": ["a"], "reference": {"a": "x"}},
            "no regression is on it",
        ),
        (
            {"kind": "regression", "columns": ["a", "b"], "reference": {"a": "x"}},
            "'a' has a reference level, but no regression is on it",
        ),
        (
            {"kind": "regression", "columns": ["a", "b"], "reference": ["b"]},
            "'reference' of a question must be an object: a value by column.",
        ),
        (
            {"kind": "regression", "columns": ["a", "b"], "reference": {"b": 1}},
            "Column 'b': a value must be a text.",
        ),
    ],
)
def test_json_that_is_refused(content: Any, why: str) -> None:
    """An outcome or a reference level that does not fit the question is refused with a
    reason.
    """
    with pytest.raises(QuestionError, match=re.escape(why)):
        Question.from_json(content)


def test_two_reference_levels_of_one_list_are_refused() -> None:
    """A column can have one reference level only, the level that the others are compared
    with.
    """
    with pytest.raises(QuestionError, match=r"^'b' has two reference levels"):
        Question(
            kind=regressions.REGRESSION,
            columns=("a", "b"),
            reference=(("b", "x"), ("b", "y")),
        )


def test_regressors_are_what_follows_the_outcome() -> None:
    """The regressors are the columns after the outcome.

    If the outcome is a condition, all columns are regressors. A covariance has none.
    """
    assert Question(kind=regressions.LOGISTIC, columns=("a", "b")).regressors == ("b",)
    assert Question(
        kind=regressions.LOGISTIC, columns=("b",), outcome=Missing("a")
    ).regressors == ("b",)
    assert Question(kind=moments.COVARIANCE, columns=("a", "b")).regressors == ()
