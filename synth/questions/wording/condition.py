"""Conditions on rows: comparisons of columns with values, joined by and, or, not.

They hold *after* the declaration's rules for outside and missing values, and are true or
false for every row. A missing value meets `Missing`, every ``!=`` and no other comparison;
`Not` swaps true and false. Values in the cell for values outside, written ``(other)``, equal
only that. A spike outside the bounds is a code: it equals itself and has no order. A value
that says why one is missing, such as 98 for "refused", meets `Missing`, and equals itself.

>>> str(And((Compare("age", Sign.AT_LEAST, "65"), Not(OneOf("sex", ("F", "not said"))))))
"age >= 65 and sex not in (F, 'not said')"
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TypeAlias

from synth import limits
from synth.domain import set_field
from synth.errors import LimitError
from synth.questions.wording.spelling import (
    check_column_name,
    check_value,
    name_column,
    name_text,
    refuse_question,
    value_text,
)
from synth.util import Document, Json


class Sign(StrEnum):
    """A sign that compares a column with a value."""

    EQUAL = "="
    UNEQUAL = "!="
    BELOW = "<"
    AT_MOST = "<="
    ABOVE = ">"
    AT_LEAST = ">="

    @property
    def orders(self) -> bool:
        """Whether it needs an order of values."""
        return self not in (Sign.EQUAL, Sign.UNEQUAL)


class _Plain:
    """A condition on one column, which has no parts."""

    depth = 0

    @property
    def parts(self) -> tuple["Condition", ...]:
        return ()

    @property
    def size(self) -> int:
        return 1

    @property
    def comparisons(self) -> tuple[tuple["Sign", str], ...]:
        return ()


@dataclass(frozen=True)
class Compare(_Plain):
    """A column compared with a value; the value is the text as typed."""

    column: str
    sign: Sign
    value: str

    def __post_init__(self) -> None:
        """Refuse names, values and signs that no condition can have."""
        check_column_name(self.column)
        check_value(self.column, self.value)
        if self.sign not in tuple(Sign):
            refuse_question(
                f"{name_column(self.column)} is compared by one of {', '.join(Sign)}."
            )
        set_field(self, "sign", Sign(self.sign))

    @property
    def comparisons(self) -> tuple[tuple[Sign, str], ...]:
        """The comparison as a pair of a sign and a value."""
        return ((self.sign, self.value),)

    def __str__(self) -> str:
        """Return the condition as a question has it."""
        return f"{name_text(self.column)} {self.sign} {value_text(self.value)}"

    def to_json(self) -> Document:
        """Return the condition as JSON."""
        return {"column": self.column, "sign": self.sign.value, "value": self.value}


@dataclass(frozen=True)
class OneOf(_Plain):
    """A column whose value is one of a list without repetitions."""

    column: str
    values: tuple[str, ...]

    def __post_init__(self) -> None:
        """Drop repeated values; refuse an empty list, and names and values that none can
        have.
        """
        check_column_name(self.column)
        for value in self.values:
            check_value(self.column, value)
        set_field(self, "values", tuple(dict.fromkeys(self.values)))
        if not self.values:
            refuse_question(
                f"{name_column(self.column)}: 'in' needs at least one value in parentheses."
            )
        _check_size(self.size)

    @property
    def size(self) -> int:
        """Number of listed values."""
        return len(self.values)

    @property
    def comparisons(self) -> tuple[tuple[Sign, str], ...]:
        """The comparisons of which one must hold."""
        return tuple((Sign.EQUAL, value) for value in self.values)

    def __str__(self) -> str:
        """Return the condition as a question has it."""
        return _write_list(self, "in")

    def to_json(self) -> Document:
        """Return the condition as JSON."""
        return {"column": self.column, "in": list(self.values)}


@dataclass(frozen=True)
class Missing(_Plain):
    """A column without a value: missing, for whatever reason.

    It is in the cell of missing values, or has a value that says why, such as "refused".
    """

    column: str

    def __post_init__(self) -> None:
        """Refuse a name that no column can have."""
        check_column_name(self.column)

    def __str__(self) -> str:
        """Return the condition as a question has it."""
        return f"{name_text(self.column)} is missing"

    def to_json(self) -> Document:
        """Return the condition as JSON."""
        return {"column": self.column, "missing": True}


class _Joined:
    # A part joined by the same word is merged.

    word = ""
    parts: tuple["Condition", ...]

    def __post_init__(self) -> None:
        """Replace parts that the same word joins by their own parts, and refuse bad ones."""
        flat: list[Condition] = []
        for part in self.parts:
            flat += part.parts if type(part) is type(self) else (part,)
        set_field(self, "parts", tuple(flat))
        if len(self.parts) < 2:
            refuse_question(f"'{self.word}' joins at least two conditions.")
        _check_size(self.size)
        check_depth(self.depth)

    @cached_property
    def depth(self) -> int:
        return 1 + max(part.depth for part in self.parts)

    @cached_property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    def __str__(self) -> str:
        return f" {self.word} ".join(map(_write_part, self.parts))

    def to_json(self) -> Document:
        return {self.word: [part.to_json() for part in self.parts]}


@dataclass(frozen=True)
class And(_Joined):
    """Conditions that must all hold."""

    word = "and"
    parts: tuple["Condition", ...]


@dataclass(frozen=True)
class Or(_Joined):
    """Conditions of which at least one must hold."""

    word = "or"
    parts: tuple["Condition", ...]


@dataclass(frozen=True)
class Not:
    """A condition that must not hold."""

    part: "Condition"

    def __post_init__(self) -> None:
        """Refuse a condition that is nested too deeply."""
        check_depth(self.depth)

    @property
    def parts(self) -> tuple["Condition", ...]:
        """The condition that must not hold."""
        return (self.part,)

    @cached_property
    def depth(self) -> int:
        """Number of conditions within each other."""
        return 1 + self.part.depth

    @property
    def size(self) -> int:
        """Number of comparisons."""
        return self.part.size

    def __str__(self) -> str:
        """Return the condition as a question has it; "not in" and "is not missing" are short
        forms.
        """
        if isinstance(self.part, OneOf):
            return _write_list(self.part, "not in")
        if isinstance(self.part, Missing):
            return f"{name_text(self.part.column)} is not missing"
        return f"not {_write_part(self.part)}"

    def to_json(self) -> Document:
        """Return the condition as JSON."""
        return {"not": self.part.to_json()}


Plain: TypeAlias = Compare | OneOf | Missing
Condition: TypeAlias = Compare | OneOf | Missing | And | Or | Not


def compare_range(column: str, low: str, high: str) -> And:
    """Return the condition of a range, both ends inside."""
    return And((Compare(column, Sign.AT_LEAST, low), Compare(column, Sign.AT_MOST, high)))


def columns_of(condition: Condition | None) -> tuple[str, ...]:
    """Return the columns of a condition, each once, in order of appearance.

    None is a question without a condition, which names none.

    >>> columns_of(Or((Missing("b"), compare_range("a", "1", "2"))))
    ('b', 'a')
    """
    return tuple(dict.fromkeys(leaf.column for leaf in leaves(condition)))


def leaves(condition: Condition | None) -> Iterable[Plain]:
    """Yield the comparisons of a condition, in order of appearance; none for None.

    A comparison is a column with a sign and a value, with a list of values, or "is missing".
    """
    if isinstance(condition, Compare | OneOf | Missing):
        yield condition
    elif condition is not None:
        for part in condition.parts:
            yield from leaves(part)


def sorted_condition(condition: Condition) -> Condition:
    """Return the condition with its parts and listed values sorted, without repetitions.

    So conditions that differ only in order become equal. A single remaining part stands
    alone.

    >>> str(sorted_condition(Or((Missing("b"), Missing("a"), Missing("b")))))
    'a is missing or b is missing'
    """
    match condition:
        case OneOf():
            return replace(condition, values=tuple(sorted(condition.values)))
        case Not():
            return Not(sorted_condition(condition.part))
        case And() | Or():
            kind = type(condition)
            # A part that became one of the same kind is merged into this one.
            distinct = set[Condition]()
            for part in map(sorted_condition, condition.parts):
                distinct |= set(part.parts) if isinstance(part, kind) else {part}
            parts = sorted(distinct, key=str)
            return kind(tuple(parts)) if len(parts) > 1 else parts[0]
    return condition


def read_condition(content: Json, depth: int = 0) -> Condition:
    """Return the condition from JSON as `to_json` writes it; values may be whole numbers too.

    ``depth`` is how many conditions are around this one.

    Raises:
        QuestionError: It is anything else.
        LimitError: It is nested too deeply, or too long.
    """
    check_depth(depth)
    if not isinstance(content, Mapping):
        refuse_question(f"A condition must be a JSON object {_CONDITION_FORMS}.")
    match sorted(content):
        case ["and"]:
            return And(_read_parts(content, "and", depth))
        case ["or"]:
            return Or(_read_parts(content, "or", depth))
        case ["not"]:
            return Not(read_condition(content["not"], depth + 1))
    return _read_comparison(content)


def _read_parts(content: Mapping[str, Json], word: str, depth: int) -> tuple[Condition, ...]:
    """Return the parts of a condition in JSON.

    Args:
        content: A JSON object with one key.
        word: That key, "and" or "or"; its value must be a list of conditions.
        depth: How many conditions are around this one.
    """
    parts = content[word]
    if not isinstance(parts, list | tuple):
        refuse_question(f"'{word}' in a condition must be a list of conditions.")
    # Before the parts are read, so that a huge list is refused at once.
    if len(parts) > limits.CONDITION_VALUES:
        _check_size(len(parts))
    return tuple(read_condition(part, depth + 1) for part in parts)


def _read_comparison(content: Mapping[str, Json]) -> Plain:
    """Return a comparison, a list of values or "is missing" from a JSON object.

    Raises:
        QuestionError: It is none of these.
    """
    column = content.get("column")
    if not isinstance(column, str):
        refuse_question(f"A condition must be a JSON object {_CONDITION_FORMS}.")
    check_column_name(column)
    match sorted(content):
        case ["column", "sign", "value"]:
            sign = content["sign"]
            if not isinstance(sign, str) or sign not in tuple(Sign):
                refuse_question(
                    f"{name_column(column)}: 'sign' must be one of {', '.join(Sign)}."
                )
            return Compare(column, Sign(sign), _value(column, content["value"]))
        case ["column", "in"]:
            values = content["in"]
            if not isinstance(values, list | tuple):
                refuse_question(f"{name_column(column)}: 'in' must be a list of values.")
            return OneOf(column, tuple(_value(column, value) for value in values))
        case ["column", "missing"] if content["missing"] is True:
            return Missing(column)
    return refuse_question(f"A condition must be a JSON object {_CONDITION_FORMS}.")


_CONDITION_FORMS = (
    "with 'column', 'sign' and 'value', with 'column' and 'in', with 'column' and 'missing', "
    "or with one of 'and', 'or' and 'not'"
)


def _value(column: str, value: Json) -> str:
    """Return a value of a condition in JSON as a text; ``column`` is named in messages."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        refuse_question(f"{name_column(column)}: a value must be a text or a whole number.")
    try:
        return str(value)
    except ValueError:  # Python writes no whole number of thousands of digits
        return refuse_question(f"{name_column(column)}: a value is too long.")


def _write_list(condition: OneOf, word: str) -> str:
    values = ", ".join(map(value_text, condition.values))
    return f"{name_text(condition.column)} {word} ({values})"


def _write_part(part: Condition) -> str:
    return f"({part})" if isinstance(part, And | Or) else str(part)


def _check_size(size: int) -> None:
    """Refuse a condition with more comparisons and values than the limit.

    Raises:
        LimitError: It has ``size`` of them, which is too many.
    """
    if size > limits.CONDITION_VALUES:
        raise LimitError(
            f"A condition holds {size:,} comparisons and values; "
            f"the limit is {limits.CONDITION_VALUES:,}."
        )


def check_depth(depth: int) -> None:
    """Refuse a condition that is nested too deeply.

    ``depth`` is how many conditions lie within each other.

    Raises:
        LimitError: It is.
    """
    if depth > limits.CONDITION_DEPTH:
        raise LimitError(
            "A condition nests 'and', 'or', 'not' and parentheses more than "
            f"{limits.CONDITION_DEPTH} deep."
        )
