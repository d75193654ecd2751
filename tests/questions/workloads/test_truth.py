"""Conditions against every row of a small domain, by a second implementation."""

import operator
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.domain import Domain
from synth.domain.building import Categorical, Integer, Number
from synth.errors import QuestionError
from synth.questions import And, Condition, Missing, Not, Or, Question, columns_of
from synth.questions.wording.condition import Compare, OneOf, Sign
from synth.questions.workloads.truth import can_hold, cut_for
from synth.questions.workloads.workload import Workload

DOMAIN = Domain(
    n=Integer(1, 4, bins=2, spikes=(3, 9), missing=True),
    c=Categorical(["3", "1", "2"], ordered=True, outside="cell"),
    x=Number("0", "1", bins=2),
)
ROWS = {
    "n": ["1", "2", "3", "4", "9", None],
    "c": ["3", "1", "2", "(other)"],
    "x": [str(Fraction(i, 40)) for i in range(41)],
}
VALUES = {
    "n": ("0", "1", "2", "2.5", "3", "4", "5", "9"),
    "c": ("3", "1", "2", "(other)"),
    "x": ("-1", "0", "0.1", "0.5", "1", "2"),
}
SIGNS = {
    Sign.BELOW: operator.lt,
    Sign.AT_MOST: operator.le,
    Sign.ABOVE: operator.gt,
    Sign.AT_LEAST: operator.ge,
}


def is_met(condition: Condition, row: dict[str, str | None]) -> bool:
    """Whether a row of texts meets a condition."""
    match condition:
        case Missing():
            return row[condition.column] is None
        case Not():
            return not is_met(condition.part, row)
        case And():
            return all(is_met(part, row) for part in condition.parts)
        case Or():
            return any(is_met(part, row) for part in condition.parts)
        case OneOf():
            values = condition.values
            return any(is_met(Compare(condition.column, Sign.EQUAL, v), row) for v in values)
    text, value = row[condition.column], condition.value
    if condition.sign in SIGNS:
        if text is None or text == "(other)" or (condition.column, text) == ("n", "9"):
            return False
        return SIGNS[condition.sign](
            _place(condition.column, text), _place(condition.column, value)
        )
    same = text is not None and (
        text == value if "(other)" in (text, value) else Fraction(text) == Fraction(value)
    )
    return same is (condition.sign is Sign.EQUAL)


def _place(column: str, text: str) -> Fraction:
    return Fraction(["3", "1", "2"].index(text)) if column == "c" else Fraction(text)


@st.composite
def leaf(draw: st.DrawFn, column: str) -> Condition:
    form = draw(st.integers(0, 3))
    if form == 0:
        return Missing(column)
    if form == 1:
        values = st.lists(st.sampled_from(VALUES[column]), min_size=1, max_size=3)
        return OneOf(column, tuple(draw(values)))
    sign = draw(st.sampled_from(Sign))
    values = tuple(v for v in VALUES[column] if not (sign.orders and v == "(other)"))
    return Compare(column, sign, draw(st.sampled_from(values)))


def trees(*columns: str) -> st.SearchStrategy[Condition]:
    leaves = st.one_of(*(leaf(column) for column in columns))
    return st.recursive(leaves, _joined, max_leaves=6).filter(
        lambda condition: condition.depth <= 5
    )


def _joined(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.builds(And, several) | st.builds(Or, several) | st.builds(Not, inner)


def _some_row_meets(condition: Condition) -> bool:
    """Whether a row of the small domain meets a condition, by trying all of them."""
    names = columns_of(condition)
    rows = product(*(ROWS[name] for name in names))
    return any(is_met(condition, dict(zip(names, row, strict=True))) for row in rows)


@given(st.one_of(trees("n"), trees("c"), trees("x")))
@settings(max_examples=200, deadline=None)
def test_on_one_column_the_answer_is_exact(condition: Condition) -> None:
    """`can_hold` says of a condition on one column exactly whether some row can meet it."""
    assert can_hold(condition, cut_for(condition, DOMAIN)) is _some_row_meets(condition)


@given(trees("n", "c", "x"))
@settings(max_examples=200, deadline=None)
def test_on_several_columns_no_is_never_wrong(condition: Condition) -> None:
    """`can_hold` says no of a condition on several columns only if really no row meets it."""
    assert can_hold(condition, cut_for(condition, DOMAIN)) or not _some_row_meets(condition)


@given(st.one_of(trees("n"), trees("c"), trees("x")))
@settings(max_examples=200, deadline=None)
def test_what_is_refused_here_has_no_atom_in_a_workload(condition: Condition) -> None:
    """A count is refused exactly if `can_hold` says that no row can meet its condition."""
    question = Question.count_where(condition)
    if can_hold(condition, cut_for(condition, DOMAIN)):
        assert Workload.build([question], DOMAIN).tallies
    else:
        with pytest.raises(QuestionError, match="no declared value can meet"):
            Workload.build([question], DOMAIN)
