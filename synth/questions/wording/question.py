"""One question to a table: its kind, columns, groups and condition. PUBLIC.

The same question is a `Question`, a text (`synth.questions.wording.language`) and a JSON
object.

>>> from synth.questions.wording.condition import Compare, Sign
>>> from synth.questions.kinds.sums import MEAN
>>> question = Question(
...     kind=MEAN, columns=("age",), by=("sex",), where=Compare("hours", Sign.ABOVE, "0")
... )
>>> str(question)
'mean age by sex where hours > 0'
>>> Question.from_json(question.to_json()) == question
True
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

from synth import limits
from synth.domain import first_repeat, set_field
from synth.errors import ArgumentError, LimitError
from synth.privacy import parse_rational
from synth.questions.kinds.counts import COUNT
from synth.questions.kinds.kind import Option, QuestionKind
from synth.questions.kinds.registry import KINDS
from synth.questions.wording.candidates import (
    check_candidates,
    check_quantiles,
    quantile_text,
    read_conditions,
    read_quantiles,
    told_candidates,
)
from synth.questions.wording.claimed import ClaimedFigure, check_claimed
from synth.questions.wording.condition import (
    Condition,
    columns_of,
    read_condition,
    sorted_condition,
)
from synth.questions.wording.regression import (
    check_outcome,
    check_references,
    read_references,
    told_regression,
)
from synth.questions.wording.spelling import (
    check_column_name,
    name_text,
    refuse_question,
)
from synth.util import Document, Json

# What a mean may be over; the first is the usual one.
OVER = ("rows", "persons")

_QUESTION_KEYS = (
    *("kind", "columns", "by", "where", "k", "counts", "over", "weight"),
    *("quantiles", "interval", "candidates", "claimed", "outcome", "reference"),
)


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question.

    Attributes:
        columns: Columns of a table, a sum or means, or whose most frequent values are asked
            for. A regression has its outcome first, a logistic one only if no condition is
            its outcome.
        by: The columns whose values are the groups of a total, a mean, a variance or a
            covariance.
        where: The condition on rows; None for all rows.
        k: Number of most frequent values.
        counts: Whether the most frequent values come with their counts.
        over: Whether a mean is over rows or over persons.
        weight: Its share of the budget, relative to the other questions.
        quantiles: Ascending; none for a median.
        interval: Whether quantiles come with an interval.
        candidates: The conditions; the answer is the one that most rows meet.
        claimed: The figure that is compared with the real one.
        outcome: The condition whose odds a logistic regression explains.
        reference: For regressors that are lists, the value that the others are compared with.

    Raises:
        QuestionError: Its parts do not match its kind.
        LimitError: It is too long.
    """

    kind: QuestionKind
    columns: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    where: Condition | None = None
    k: int = 1
    counts: bool = False
    over: str = "rows"
    weight: Fraction = Fraction(1)
    quantiles: tuple[Fraction, ...] = ()
    interval: bool = False
    candidates: tuple[Condition, ...] = ()
    claimed: ClaimedFigure | None = None
    outcome: Condition | None = None
    reference: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Refuse a question that contradicts itself; that its columns exist is not
        checked.
        """
        for items in ("columns", "by", "quantiles", "candidates"):
            set_field(self, items, tuple(getattr(self, items)))
        set_field(self, "weight", Fraction(self.weight))
        self._check_columns()
        self._check_rest()
        check_quantiles(self.quantiles, are_taken="quantiles" in self.kind.takes)
        check_candidates(self.candidates, are_taken="candidates" in self.kind.takes)
        check_claimed(self.claimed, is_taken="claimed" in self.kind.takes)
        check_outcome(self.outcome, self.columns, is_taken="outcome" in self.kind.takes)
        check_references(self.reference, self.regressors)
        if self.interval:
            self._require_option("interval", "takes no 'with interval'; 'median' and such do")

    def _require_option(self, option: Option, refusal: str) -> None:
        """Refuse the question if its kind does not take an option.

        ``refusal`` says so, in words that follow the name of the kind.
        """
        if option not in self.kind.takes:
            refuse_question(f"'{self.kind}' {refusal}.")

    def _check_columns(self) -> None:
        """Refuse columns that are too many, too few, or named twice, and groups if it takes
        none.
        """
        for name in (*self.columns, *self.by):
            check_column_name(name)
        fewest, greatest = self.kind.columns
        if not fewest <= len(self.columns) <= greatest:
            refuse_question(f"'{self.kind}' {_count_columns(fewest, greatest)}.")
        if self.by:
            self._require_option(
                "by",
                "takes no groups with 'by', as 'total' and 'mean' do; counts by groups are a "
                "'table'",
            )
        if len(self.by) > limits.QUESTION_COLUMNS:
            refuse_question(f"'by' takes at most {limits.QUESTION_COLUMNS} columns.")
        twice = first_repeat((*self.columns, *self.by))
        if twice is not None:
            refuse_question(f"'{self.kind}' names the column '{twice}' twice.")

    def _check_rest(self) -> None:
        """Refuse a lacking condition, and values that its other options may not have."""
        if self.kind.needs_condition and self.where is None:
            example = "where age >= 65" if self.claimed is None else self.kind.example
            refuse_question(f"'{self.kind}' needs a condition: {self.kind} {example}.")
        if self.k != 1 or self.counts:
            self._require_option("counts", "takes no number of values and no 'with counts'")
        if type(self.k) is not int or not 1 <= self.k <= limits.CATEGORIES:
            refuse_question(f"'top' takes a whole number from 1 to {limits.CATEGORIES:,}.")
        if self.over not in OVER:
            refuse_question("A mean is over 'rows' or over 'persons'.")
        if self.over != OVER[0]:
            self._require_option("over", "cannot be over persons; 'mean' and 'means' can")
        if not Fraction(1, limits.WEIGHT_MAX) <= self.weight <= limits.WEIGHT_MAX or (
            self.weight.denominator > limits.WEIGHT_MAX
        ):
            refuse_question(
                "The weight of a question must be a number above 0 such as 2, 0.5 or 1/3, of "
                f"at most {len(str(limits.WEIGHT_MAX)) - 1} digits."
            )

    @property
    def uses(self) -> tuple[str, ...]:
        """The names of all columns that it needs, each once.

        They are its own columns, its groups, and those of its conditions.
        """
        conditions = (*self.candidates, self.outcome, self.where)
        in_conditions = (name for condition in conditions for name in columns_of(condition))
        return tuple(dict.fromkeys((*self.columns, *self.by, *in_conditions)))

    @property
    def regressors(self) -> tuple[str, ...]:
        """The columns on which a regression depends."""
        return self.kind.regressors(self.columns, has_outcome=self.outcome is not None)

    @property
    def listed_columns(self) -> tuple[str, ...]:
        """Its columns if each of their cells has a number in the answer; else none."""
        return self.kind.listed_columns(self.columns)

    @property
    def group_columns(self) -> tuple[str, ...]:
        """The columns each of whose cells has a number in the answer, its groups too."""
        return (*self.by, *self.listed_columns)

    @property
    def is_bare(self) -> bool:
        """Whether its answer names values or conditions, without numbers of rows."""
        return self.kind.hides_numbers(counts=self.counts)

    @property
    def is_choice(self) -> bool:
        """Whether its answer may be a choice that shows only the chosen candidate."""
        return self.kind.is_choice(self.k, counts=self.counts)

    def __str__(self) -> str:
        """Return the question in the language of questions; `parse` reads it again."""
        words = [str(self.kind)]
        if "counts" in self.kind.takes:
            words.append(str(self.k))
        words += told_candidates(self.quantiles, self.candidates, self.claimed)
        if self.regressors:
            words += told_regression(
                self.columns, self.regressors, self.outcome, references=self.reference
            )
        elif self.columns:
            joined = f" {self.kind.joined} " if self.kind.joined else ", "
            words.append(_names(self.columns, joined))
        if self.by:
            words.append(f"by {_names(self.by)}")
        if self.counts:
            words.append("with counts")
        if self.interval:
            words.append("with interval")
        if self.over != OVER[0]:
            words.append(f"over {self.over}")
        if self.weight != 1:
            words.append(f"weight {self.weight}")
        if self.where is not None:
            words.append(f"where {self.where}")
        return " ".join(words)

    def to_json(self) -> Document:
        """Return the question as a JSON object; what is empty or a default is left out."""
        top = self.kind.top_fields(self.k, counts=self.counts)
        fields: Document = {
            "kind": self.kind.name,
            "columns": list(self.columns),
            "by": list(self.by),
            "where": None if self.where is None else self.where.to_json(),
            **top,
            "quantiles": list(map(quantile_text, self.quantiles)),
            "interval": self.interval,
            "candidates": [candidate.to_json() for candidate in self.candidates],
            "claimed": None if self.claimed is None else self.claimed.to_json(),
            "outcome": None if self.outcome is None else self.outcome.to_json(),
            "reference": dict(self.reference),
            "over": self.over if self.over != OVER[0] else None,
            "weight": str(self.weight) if self.weight != 1 else None,
        }
        # The fields about frequent values are written even if they are False.
        return {name: value for name, value in fields.items() if value or name in top}

    @classmethod
    def count_where(cls, where: Condition) -> Self:
        """Return the question how many rows meet a condition."""
        return cls(kind=COUNT, where=where)

    @classmethod
    def from_json(cls, content: Json) -> Self:
        """Return the question from a JSON object as `to_json` writes it.

        Raises:
            QuestionError: It is anything else.
            LimitError: It is too long.
        """
        if not isinstance(content, Mapping):
            refuse_question("A question must be a text or a JSON object with a 'kind'.")
        unknown = [key for key in content if key not in _QUESTION_KEYS]
        if unknown:
            refuse_question(
                f"A question has no '{str(unknown[0])[:40]}'; it has "
                f"{', '.join(_QUESTION_KEYS)}."
            )
        kind = content.get("kind")
        over = content.get("over", OVER[0])
        where = content.get("where")
        if not isinstance(kind, str) or kind not in KINDS:
            refuse_question(f"The 'kind' of a question must be one of {', '.join(KINDS)}.")
        if not isinstance(over, str):
            refuse_question("A mean is over 'rows' or over 'persons'.")
        return cls(
            kind=KINDS[kind],
            columns=_texts(content, "columns"),
            by=_texts(content, "by"),
            where=None if where is None else read_condition(where),
            k=_read_whole(content),
            counts=_flag(content, "counts"),
            over=over,
            weight=parse_weight(content.get("weight", 1)),
            quantiles=read_quantiles(content),
            interval=_flag(content, "interval"),
            candidates=read_conditions(content),
            claimed=None
            if content.get("claimed") is None
            else ClaimedFigure.from_json(content["claimed"]),
            outcome=None
            if content.get("outcome") is None
            else read_condition(content["outcome"]),
            reference=read_references(content),
        )


def in_canonical_form(question: Question) -> Question:
    """Return the question with its conditions sorted, as their order has no meaning.

    >>> from synth.questions.kinds.counts import TABLE
    >>> asked = Question(kind=TABLE, columns=("sex", "age"))
    >>> in_canonical_form(asked) == asked  # cells come in this order
    True
    """
    where = question.where and sorted_condition(question.where)
    candidates = tuple(map(sorted_condition, question.candidates))
    outcome = question.outcome and sorted_condition(question.outcome)
    return replace(question, where=where, candidates=candidates, outcome=outcome)


def canonical_form(questions: Iterable[Question]) -> str:
    """Return the JSON text that identifies questions, each in canonical form, in their order.

    Checked questions are equal for every spelling of numbers, dates and labels.

    >>> from synth.questions.wording.condition import Compare, Sign
    >>> one = Question.count_where(Compare("sex", Sign.EQUAL, "F"))
    >>> canonical_form([one])
    '[{"kind":"count","where":{"column":"sex","sign":"=","value":"F"}}]'
    """
    written = [in_canonical_form(question).to_json() for question in questions]
    return json.dumps(written, separators=(",", ":"), sort_keys=True)


def parse_weight(value: object) -> Fraction:
    """Return the weight of a question from a text such as "2" or "1/3", or from a number.

    Raises:
        QuestionError: It is no number.
    """
    try:
        return parse_rational(value, name="The weight of a question")
    except ArgumentError as error:
        return refuse_question(str(error))


def _count_columns(fewest: int, greatest: int) -> str:
    """Return, for a message, how many columns a kind of question names.

    ``fewest`` and ``greatest`` are the bounds of that number.
    """
    if greatest == 0:
        return "names no columns; say which rows with 'where'"
    if fewest == greatest:
        return f"names exactly {('one column', 'two columns')[greatest - 1]}"
    return f"names from {fewest} to {greatest} columns"


def _names(names: tuple[str, ...], joined: str = ", ") -> str:
    """Return names of columns as text, the first one joined to the others by ``joined``."""
    first, *others = map(name_text, names)
    return joined.join((first, ", ".join(others))) if others else first


def _texts(content: Mapping[str, Json], key: str) -> tuple[str, ...]:
    """Return the list of columns' names under a key of a question in JSON; empty if
    absent.
    """
    names = content.get(key, [])
    if not isinstance(names, list | tuple):
        refuse_question(f"'{key}' of a question must be a list of names of columns.")
    # The most columns that any kind of question names.
    if len(names) > limits.QUESTION_MEANS:
        raise LimitError(f"'{key}' of a question holds over {limits.QUESTION_MEANS} columns.")
    for name in names:
        check_column_name(name)
    return tuple(map(str, names))


def _read_whole(content: Mapping[str, Json]) -> int:
    """Return the number of most frequent values from JSON; 1 if there is none."""
    k = content.get("k", 1)
    if isinstance(k, bool) or not isinstance(k, int):
        refuse_question("'k' of a question must be a whole number.")
    return k


def _flag(content: Mapping[str, Json], key: str) -> bool:
    """Return the truth value under a key of a question in JSON; False if it is absent."""
    flag = content.get(key, False)
    if not isinstance(flag, bool):
        refuse_question(f"'{key}' of a question must be true or false.")
    return flag
