"""A question: what goes together, its text, its JSON, its canonical form."""

import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from synth.errors import LimitError, QuestionError
from synth.questions import KINDS, And, Missing, Question, QuestionKind, canonical_form, parse
from synth.questions.kinds import counts, sums
from synth.questions.wording.condition import Compare, Sign
from tests.questions.hostile import questions

WHERE = Compare("age", Sign.AT_LEAST, "65")
AGED = {"column": "age", "sign": ">=", "value": "65"}


@given(questions())
def test_text_and_json_keep_everything(question: Question) -> None:
    """Any question, also with hostile names and values, is the same after writing and
    reading.
    """
    assert parse(str(question)) == question
    assert Question.from_json(json.loads(json.dumps(question.to_json()))) == question


@pytest.mark.parametrize(
    ("question", "text", "content"),
    [
        (Question(kind=counts.COUNT), "count", {"kind": "count"}),
        (
            Question(kind=counts.TABLE, columns=("a", "b", "x y")),
            'table a by b, "x y"',
            {"kind": "table", "columns": ["a", "b", "x y"]},
        ),
        (
            Question(
                kind=sums.MEAN,
                columns=("age",),
                by=("sex",),
                over="persons",
                weight=Fraction(1, 3),
            ),
            "mean age by sex over persons weight 1/3",
            {
                "kind": "mean",
                "columns": ["age"],
                "by": ["sex"],
                "over": "persons",
                "weight": "1/3",
            },
        ),
        (
            Question(kind=counts.TOP, columns=("job",), where=WHERE, k=3, counts=True),
            "top 3 job with counts where age >= 65",
            {"kind": "top", "columns": ["job"], "where": AGED, "k": 3, "counts": True},
        ),
    ],
)
def test_a_question_is_written_as_text_and_as_json(
    question: Question, text: str, content: dict[str, Any]
) -> None:
    """A question is written as text and as JSON without what is usual, and read again."""
    assert str(question) == text
    assert question.to_json() == content
    assert Question.from_json(content) == question


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"kind": counts.COUNT, "columns": ("a",)},
            "'count' names no columns; say which rows",
        ),
        ({"kind": sums.TOTAL}, "'total' names exactly one column."),
        ({"kind": sums.MEAN, "columns": ("a", "b")}, "'mean' names exactly one column."),
        (
            {"kind": counts.TABLE, "columns": tuple("abcd")},
            "'table' names from 1 to 3 columns.",
        ),
        ({"kind": sums.MEANS}, "'means' names from 1 to 100 columns."),
        ({"kind": counts.COUNT, "by": ("a",)}, "'count' takes no groups with 'by'"),
        ({"kind": sums.MEAN, "columns": ("a",), "by": tuple("bcde")}, "at most 3 columns."),
        (
            {"kind": counts.TABLE, "columns": ("a", "a")},
            "'table' names the column 'a' twice.",
        ),
        ({"kind": sums.MEAN, "columns": ("a",), "by": ("a",)}, "names the column 'a' twice."),
        ({"kind": counts.SHARE}, "'share' needs a condition: share where age >= 65."),
        (
            {"kind": counts.COUNT, "k": 2},
            "'count' takes no number of values and no 'with counts'.",
        ),
        ({"kind": counts.COUNT, "counts": True}, "'count' takes no number of values"),
        (
            {"kind": counts.TOP, "columns": ("a",), "k": 0},
            "'top' takes a whole number from 1 to",
        ),
        (
            {"kind": counts.COUNT, "over": "persons"},
            "'count' cannot be over persons; 'mean' and",
        ),
        (
            {"kind": counts.COUNT, "over": "people"},
            "A mean is over 'rows' or over 'persons'.",
        ),
        ({"kind": counts.COUNT, "weight": Fraction(0)}, "The weight of a question must be a"),
        ({"kind": counts.COUNT, "weight": Fraction(1, 10**7)}, "of at most 6 digits."),
        ({"kind": counts.COUNT, "weight": Fraction(10**7)}, "of at most 6 digits."),
        (
            {"kind": counts.TABLE, "columns": (" ",)},
            "names a column by a text that is not empty.",
        ),
    ],
)
def test_parts_that_do_not_go_together_are_refused(
    arguments: dict[str, Any], message: str
) -> None:
    """A question whose parts do not fit its kind is refused, and the message says
    what does.
    """
    with pytest.raises(QuestionError, match=re.escape(message)):
        Question(**arguments)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (5, "A question must be a text or a JSON object with a 'kind'."),
        (["count"], "A question must be a text or a JSON object with a 'kind'."),
        (
            {},
            f"The 'kind' of a question must be one of {', '.join(list(KINDS)[:4])}",
        ),
        ({"kind": "mode"}, "The 'kind' of a question must be one of count"),
        (
            {"kind": "count", "Where": 1},
            "A question has no 'Where'; it has kind, columns, by, wh",
        ),
        ({"kind": "count", "where": "a = 1"}, "A condition must be a JSON object"),
        (
            {"kind": "table", "columns": "sex"},
            "'columns' of a question must be a list of names",
        ),
        ({"kind": "table", "columns": [5]}, "names a column by a text that is not empty"),
        (
            {"kind": "top", "columns": ["a"], "k": "3"},
            "'k' of a question must be a whole number.",
        ),
        (
            {"kind": "top", "columns": ["a"], "k": True},
            "'k' of a question must be a whole number.",
        ),
        (
            {"kind": "top", "columns": ["a"], "counts": 1},
            "'counts' of a question must be true or",
        ),
        (
            {"kind": "mean", "columns": ["a"], "over": 5},
            "A mean is over 'rows' or over 'persons'.",
        ),
        ({"kind": "count", "weight": "x"}, "The weight of a question must be a number"),
        ({"kind": "count", "weight": [1]}, "The weight of a question must be a number"),
    ],
)
def test_json_that_is_refused(content: Any, message: str) -> None:
    """JSON that is no question is refused, and the message names the wrong part."""
    with pytest.raises(QuestionError, match=re.escape(message)):
        Question.from_json(content)


def test_too_many_columns_are_refused() -> None:
    """A question of more than 100 columns is refused as soon as it is read."""
    with pytest.raises(
        LimitError, match=r"^'columns' of a question holds over 100 columns\.$"
    ):
        Question.from_json({"kind": "means", "columns": ["a"] * 101})


def test_a_question_uses_the_columns_that_it_names_anywhere() -> None:
    question = parse("mean age by sex where sex = F and hours > 3")
    assert question.uses == ("age", "sex", "hours")
    assert parse("count").uses == ()


KNOWN = (
    "count share table total mean means top variance covariance regression components median "
    "quantiles best correlation logistic"
).split()
"""Kinds whose properties the next test knows; a kind that is added has no place here."""


def _names_of_kinds(holds: Callable[[QuestionKind], object]) -> str:
    return " ".join(name for name in KNOWN if holds(KINDS[name]))


def test_properties_hold_of_just_these_kinds() -> None:
    """Each property of a kind of question holds for exactly the kinds listed here.

    `_names_of_kinds` gives the names of all kinds that have a property, in a fixed order.
    `not_asked` marks the kinds that only a release answers, and `takes` lists the words that
    may follow.
    """
    products = "variance covariance regression components"
    released = "correlation logistic"

    assert _names_of_kinds(lambda kind: kind.adds_products) == f"{products} {released}"
    assert (
        _names_of_kinds(lambda kind: kind.adds_numbers)
        == f"total mean means {products} {released}"
    )
    assert _names_of_kinds(lambda kind: kind.is_mean) == "mean means"
    assert _names_of_kinds(lambda kind: kind.not_asked) == released
    assert _names_of_kinds(lambda kind: "on" in kind.takes) == "regression logistic"
    assert (
        _names_of_kinds(lambda kind: "by" in kind.takes) == "total mean variance covariance"
    )
    assert _names_of_kinds(lambda kind: kind.grows_with_rows) == "count table total top"
    assert _names_of_kinds(lambda kind: kind.is_linear) == "count share total mean"

    in_rows = _names_of_kinds(lambda kind: kind.error_unit == "rows")
    assert in_rows == "count table top median quantiles best"


def test_the_order_of_a_condition_is_not_in_the_canonical_form_and_that_of_columns_is() -> (
    None
):
    """The canonical form of questions ignores the order within a condition, and keeps that of
    columns.

    It is the JSON text that identifies them. It keeps the number and the order of questions,
    and their weights.
    """
    a, b = Missing("a"), Missing("b")
    a_and_b = Question(kind=counts.COUNT, where=And((a, b)))
    b_and_a = Question(kind=counts.COUNT, where=And((b, a)))

    assert canonical_form([a_and_b]) == canonical_form([b_and_a])
    assert canonical_form([a_and_b, b_and_a]) != canonical_form([a_and_b])

    tables = (
        Question(kind=counts.TABLE, columns=("a", "b")),
        Question(kind=counts.TABLE, columns=("b", "a")),
    )
    assert canonical_form(tables) != canonical_form(tables[::-1])

    assert canonical_form([Question(kind=counts.COUNT, weight=Fraction(2))]) == (
        '[{"kind":"count","weight":"2"}]'
    )
