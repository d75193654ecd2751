"""The tree of a condition: its text, its JSON, its limits."""

import json
import re

import pytest
from hypothesis import given

from synth import limits
from synth.errors import LimitError, QuestionError, SynthError
from synth.questions import And, Condition, Missing, Not, Or, columns_of, leaves
from synth.questions.wording.condition import (
    Compare,
    OneOf,
    Sign,
    compare_range,
    read_condition,
    sorted_condition,
)
from synth.util import Json
from tests.questions.conditions import parse_condition
from tests.questions.hostile import CONDITIONS

A, B, C = Compare("a", Sign.EQUAL, "1"), Missing("b"), OneOf("c", ("x", "y"))


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (A, "a = 1"),
        (B, "b is missing"),
        (C, "c in (x, y)"),
        (Not(A), "not a = 1"),
        (Not(B), "b is not missing"),
        (Not(C), "c not in (x, y)"),
        (Not(Not(C)), "not c not in (x, y)"),
        (Or((And((A, B)), C)), "(a = 1 and b is missing) or c in (x, y)"),
        (Not(Or((A, B))), "not (a = 1 or b is missing)"),
        (compare_range("a", "1", "9"), "a >= 1 and a <= 9"),
    ],
)
def test_a_condition_is_written_as_text_and_read_again(
    condition: Condition, text: str
) -> None:
    """A condition is written as exactly this text, and the text is read as the same
    condition.

    A is `a = 1`, B is `b is missing`, and C is `c in (x, y)`.
    """
    assert str(condition) == text
    assert parse_condition(text) == condition


@given(CONDITIONS)
def test_text_and_json_keep_everything(condition: Condition) -> None:
    """Any condition, also with hostile names and values, is the same after writing and
    reading.
    """
    assert parse_condition(str(condition)) == condition
    assert read_condition(json.loads(json.dumps(condition.to_json()))) == condition


def test_parts_that_are_said_twice_leave_nothing_unsorted() -> None:
    """A part that is said twice under `or` stands once, and its own parts are sorted with the
    others.

    The `or` of two equal parts becomes that part, an `and`, whose parts join the outer `and`.
    """
    twice = And((Missing("b"), Missing("a")))
    condition = sorted_condition(And((Missing("c"), Or((twice, twice)), Missing("aa"))))
    assert (
        str(condition) == "a is missing and aa is missing and b is missing and c is missing"
    )


@given(CONDITIONS)
def test_sorting_again_changes_nothing(condition: Condition) -> None:
    """Sorting a condition twice is the same as once, and no column is lost."""
    once = sorted_condition(condition)
    assert sorted_condition(once) == once
    assert set(columns_of(once)) == set(columns_of(condition))


def test_sorted_conditions_are_equal() -> None:
    """Conditions that differ only in order and repetitions are equal when sorted."""
    first = Or((And((A, B)), OneOf("c", ("y", "x")), A))
    second = Or((A, C, And((B, A)), C))
    assert first != second
    assert sorted_condition(first) == sorted_condition(second)
    assert sorted_condition(And((A, A))) == A


def test_the_same_word_is_taken_apart_and_values_stand_once() -> None:
    """An `and` inside an `and` joins it, one inside an `or` stays, and listed values stand
    once.

    A sign may be given as text.
    """
    assert And((And((A, B)), C)) == And((A, B, C))
    assert Or((And((A, B)), C)).parts == (And((A, B)), C)
    assert OneOf("c", ("x", "y", "x")) == C
    assert Compare("a", "=", "1") == A  # type: ignore[arg-type]


def test_columns_and_leaves_come_in_the_order_of_the_condition() -> None:
    """The columns of a condition, each once, and its comparisons come in the order of the
    text.
    """
    assert columns_of(None) == ()
    assert columns_of(Not(Or((B, And((A, B)))))) == ("b", "a")
    assert list(leaves(Not(Or((B, And((A, C))))))) == [B, A, C]


FORMS = "A condition must be a JSON object with 'column', 'sign' and 'value', with"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (5, FORMS),
        ({}, FORMS),
        ({"column": "a"}, FORMS),
        ({"column": 5, "missing": True}, FORMS),
        ({"column": "a", "missing": False}, FORMS),
        ({"column": "a", "missing": 1}, FORMS),
        ({"column": "a", "sign": "=", "value": "1", "note": ""}, FORMS),
        ({"and": [], "or": []}, FORMS),
        ({"column": " ", "missing": True}, "names a column by a text that is not empty"),
        (
            {"column": "a", "sign": "~", "value": "1"},
            "'a': 'sign' must be one of =, !=, <, <=,",
        ),
        (
            {"column": "a", "sign": "=", "value": 1.5},
            "a value must be a text or a whole number",
        ),
        (
            {"column": "a", "sign": "=", "value": True},
            "a value must be a text or a whole number",
        ),
        ({"column": "a", "sign": "=", "value": 10**5000}, "a value is too long"),
        ({"column": "a", "in": "xy"}, "'a': 'in' must be a list of values"),
        ({"column": "a", "in": []}, "'in' needs at least one value"),
        ({"and": {"column": "a"}}, "'and' in a condition must be a list of conditions"),
        ({"or": [{"column": "a", "missing": True}]}, "'or' joins at least two conditions"),
        ({"column": "a\ud800", "missing": True}, "half a character"),
        ({"column": "a", "sign": "=", "value": "\ud800"}, "half a character"),
    ],
)
def test_json_that_is_refused(content: Json, message: str) -> None:
    """JSON that is no condition is refused, and the message says which form it should have.

    Among the cases are further keys, numbers that are not whole or too long, and half a
    character (a lone surrogate).
    """
    with pytest.raises(QuestionError, match=re.escape(message)):
        read_condition(content)


def test_whole_numbers_are_values() -> None:
    assert read_condition({"column": "a", "sign": "=", "value": 1}) == A


def test_a_wrong_sign_or_value_is_refused() -> None:
    """An unknown sign, and a value that is no text, are refused with the name of
    the column.
    """
    with pytest.raises(
        QuestionError, match=r"^Column 'a' is compared by one of =, !=, <, <=, >"
    ):
        Compare("a", "~", "1")  # type: ignore[arg-type]
    with pytest.raises(QuestionError, match=r"^Column 'a': a value must be a text\.$"):
        Compare("a", Sign.EQUAL, 1)  # type: ignore[arg-type]


def test_too_many_values_and_too_long_names_are_refused() -> None:
    """A condition of more than 1,000 comparisons and values is refused, and so are long
    texts.

    1,000 values are allowed. A name may have 1,000 characters, and a value 10,000.
    """
    values = tuple(map(str, range(limits.CONDITION_VALUES)))
    assert OneOf("a", values).size == limits.CONDITION_VALUES

    for too_many in (lambda: OneOf("a", (*values, "x")), lambda: Or((OneOf("a", values), B))):
        with pytest.raises(
            LimitError, match=r"^A condition holds 1,001 comparisons and values; "
        ):
            too_many()

    with pytest.raises(LimitError, match=r"the limit is 1,000\.$"):
        read_condition({"or": [B.to_json()] * 1001})

    with pytest.raises(
        LimitError, match=r"^The name of a column in a question has 1,001 charac"
    ):
        Missing("a" * 1001)
    with pytest.raises(
        LimitError, match=r"^Column 'a': a value in a question has 10,001 charac"
    ):
        Compare("a", Sign.EQUAL, "a" * 10_001)


def test_depth_is_limited() -> None:
    """A condition may be 10 levels deep; deeper text, JSON and trees are refused.

    JSON of 100,000 levels is refused as well, rather than ending in a RecursionError.
    """
    condition: Condition = A
    content: Json = A.to_json()
    for _ in range(limits.CONDITION_DEPTH):
        condition, content = Not(condition), {"not": content}

    assert parse_condition(str(condition)) == read_condition(content) == condition

    with pytest.raises(
        LimitError, match=r"nests 'and', 'or', 'not' and parentheses more than 10"
    ):
        Not(condition)

    for _ in range(100_000):
        content = {"not": content}
    with pytest.raises(LimitError, match="more than 10 deep"):
        read_condition(content)

    # `condition` has ten levels, so an `and` around it has eleven.
    with pytest.raises(SynthError):
        And((Not(condition.part), condition))  # type: ignore[union-attr]
