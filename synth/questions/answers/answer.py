"""An answer: numbers, their intervals and average errors, and how they are shown. PUBLIC."""

import math
from dataclasses import dataclass, field
from itertools import product

from synth.domain import Column, Domain
from synth.errors import name_some
from synth.estimate import WayName
from synth.questions.answers.numbers import Numbers
from synth.questions.wording.candidates import quantile_text
from synth.questions.wording.question import Question
from synth.util import (
    Document,
    Floats,
    Json,
    Rounding,
    paragraph_html,
    table_html,
    write_number,
    write_probability,
    write_share,
)

# Numbers in the `repr` of an answer.
MAX_SHOWN = 3
NO_VALUE = "no answer"
NO_INTERVAL = "no interval"
HIDDEN = "no answer if the noise could hide all rows of a group"


class ShownNumbers:
    """Numbers for display; dates as texts.

    Attributes:
        labels: Empty for a single number.
        chosen: The most frequent values, if these are the answer.
        columns: Columns whose values the numbers are, one for all or one for each; empty for
            rows.
    """

    labels: tuple[str, ...]
    low: Floats
    high: Floats
    chosen: tuple[str, ...]
    columns: tuple[Column | None, ...]

    @property
    def question_text(self) -> str:
        """The question in words."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """Return the question, and the first numbers with their intervals."""
        shown = [f"{label} {text}".strip() for label, text in self._labelled]
        numbers = name_some(shown, MAX_SHOWN)
        return f"{type(self).__name__}({self.question_text}: {numbers})"

    def _repr_html_(self) -> str:
        """Return the question, and each number with its interval, for a notebook."""
        title = paragraph_html(f"{self.question_text}.", title=type(self).__name__)
        return title + table_html(("label", "answer"), self._labelled)

    @property
    def _labelled(self) -> list[tuple[str, str]]:
        """Each label with its number as text; empty labels if there are none."""
        return [*zip(self.labels or ("" for _ in self.texts), self.texts, strict=True)]

    @property
    def middles(self) -> Floats:
        """The numbers; NaN for no answer."""
        raise NotImplementedError

    @property
    def is_share(self) -> bool:
        """Whether the numbers are shares, written as percentages."""
        raise NotImplementedError

    @property
    def texts(self) -> tuple[str, ...]:
        """Each number with its interval; chosen values unchanged."""
        return self.chosen or tuple(map(self.text, range(len(self.middles))))

    def text(self, number: int = 0) -> str:
        """Write a number with its interval, such as "9.0 % (8.4 to 9.5 %)".

        ``number`` is its position. Without a value it writes "between" and the interval;
        without an interval, the value alone.
        """
        value = self.value_text(number)
        within = self.interval_text(number)
        if within == NO_INTERVAL:
            return value
        return f"between {within}" if value == NO_VALUE else f"{value} ({within})"

    def value_text(self, number: int = 0) -> str:
        """Write a number, by its position, with the digits that its interval allows."""
        value = float(self.middles[number])
        return NO_VALUE if math.isnan(value) else self._write(value, number, round)

    def interval_text(self, number: int = 0) -> str:
        """Write the interval of a number, by its position, with its ends rounded outwards.

        It says that there is none if the ends are NaN, or equal as for an exact number.
        """
        low = float(self.low[number])
        high = float(self.high[number])
        if math.isnan(low) or low == high:
            return NO_INTERVAL
        first = self._write(low, number, math.floor).removesuffix(" %")
        return f"{first} to {self._write(high, number, math.ceil)}"

    def _write(self, value: float, number: int, end: Rounding) -> str:
        """Return a value as text, with the digits that the interval of its number allows.

        Args:
            value: The number itself, or an end of its interval.
            number: The position of the number.
            end: How the last digit is rounded: `round`, `math.floor` or `math.ceil`.
        """
        # A date is a text already.
        text = self.write_number(value, number, end)
        if isinstance(text, str):
            return text
        width = float(self.high[number] - self.low[number])
        # Without an interval, digits are as if the value were off by one percent.
        half = width / 2 if math.isfinite(width) else abs(value) / 100
        return (write_share if self.is_share else write_number)(value, half, end)

    def numbers_json(self, value: Floats) -> Document:
        """Return a JSON object with the numbers as "value" and their intervals as "low" and
        "high".

        Each is a list if there are labels, else a single number. If values were chosen, these
        are the "value". ``value`` holds the numbers, shape (numbers,).
        """
        document: Document = {
            "value": self._json(value, round),
            "low": self._json(self.low, math.floor),
            "high": self._json(self.high, math.ceil),
        }
        return document | ({"value": list(self.chosen)} if self.chosen else {})

    @property
    def column(self) -> Column | None:
        """The column whose values all numbers are.

        None for numbers of rows, shares, or numbers of several columns.
        """
        return self.columns[0] if len(set(self.columns)) == 1 else None

    def column_of(self, number: int) -> Column | None:
        """Return the column whose value a number is, by its position; None for rows and
        shares.
        """
        if not self.columns:
            return None
        return self.columns[number] if len(self.columns) > 1 else self.columns[0]

    def _json(self, values: Floats, end: Rounding) -> Json:
        """Return numbers as a JSON list, or a single one if there are no labels."""
        numbers = [
            self.write_number(value, i, end) for i, value in enumerate(values.tolist())
        ]
        return numbers if self.labels else numbers[0]

    def write_number(self, value: float, number: int = 0, end: Rounding = round) -> Json:
        """Return a number as JSON: a number, a text for a date, or None for no answer.

        Args:
            value: The number itself, or an end of its interval.
            number: Its position, which decides its column.
            end: How a date is rounded to its unit: `round`, `math.floor` or `math.ceil`.
        """
        if math.isnan(value):
            return None
        column = self.column_of(number)
        # `tell` writes a date as a text, and leaves a number.
        text_or_number = value if column is None else column.tell(value, end)
        return (
            round_digits(text_or_number)
            if isinstance(text_or_number, float)
            else text_or_number
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Answer(ShownNumbers):
    """The answer to one question: one number, or several with labels. PUBLIC.

    Attributes:
        way: How it was answered.
        value: Shape (numbers,); NaN for "no answer", or in a forecast.
        low, high: Ends of the intervals, same shape; NaN if there are none.
        expected_error: The average error of a number, over the noise. For dates in days, for
            dates with a time in seconds; for most frequent values at most the rows by which
            they fall short. For a yes or no, the probability that it is wrong if the real
            figure is the claimed one, which bounds it if that is twice the tolerance away.
        remarks: Remarks that you must know.
    """

    question: Question
    way: WayName
    labels: tuple[str, ...]
    value: Floats
    low: Floats
    high: Floats
    expected_error: float
    chosen: tuple[str, ...] = ()
    columns: tuple[Column | None, ...] = ()
    remarks: tuple[str, ...] = field(default=())

    @classmethod
    def from_numbers(
        cls,
        question: Question,
        labels: tuple[str, ...],
        numbers: Numbers,
        *,
        columns: tuple[Column | None, ...] = (),
        way: WayName = WayName.RELEASE,
    ) -> "Answer":
        """Return an answer from numbers with their intervals and average errors.

        Args:
            question: The answered question.
            labels: The label of each number; none for a single number.
            numbers: The numbers; their errors are in the unit of display, such as days.
            columns: The columns whose values the numbers are: one for all, or one for each.
            way: How the question was answered.
        """
        return cls(
            question=question,
            way=way,
            labels=labels,
            value=numbers.value,
            low=numbers.low,
            high=numbers.high,
            expected_error=numbers.mean_error,
            chosen=(),
            columns=columns,
            remarks=numbers.remarks,
        )

    @property
    def question_text(self) -> str:
        """The question in words."""
        return str(self.question)

    @property
    def middles(self) -> Floats:
        """The estimates, which the intervals surround."""
        return self.value

    @property
    def is_share(self) -> bool:
        """Whether the numbers are shares, which are shown as percentages."""
        return self.question.kind.is_share

    @property
    def is_public(self) -> bool:
        """Whether the answer was already public."""
        return self.way is WayName.KNOWN

    @property
    def error_unit(self) -> str:
        """The unit of the average error, for a message, such as "rows" or "of income"."""
        kind = self.question.kind
        if kind.error_unit or self.column is None:
            return kind.error_unit or "in its own unit"
        # For dates the unit of a difference, such as "days"; empty for numbers.
        return self.column.told_in or f"of {self.column.name}"

    @property
    def error_text(self) -> str:
        """The expected size of the error of a number, in words, such as "± 12 rows each"."""
        if self.is_public:
            return "exact: it is public"
        if math.isnan(self.expected_error):
            return "likely no answer: the noise could hide all rows of a group"
        if self.question.claimed is not None:
            # A yes or no is wrong with a probability.
            return f"a wrong answer: {write_probability(self.expected_error)}"
        # Errors of shares are shown in percentage points.
        factor = 100 if self.is_share else 1
        error = f"{write_number(self.expected_error * factor)} {self.error_unit}"
        # Without numbers of rows, the error is how far the chosen value may fall short.
        if self.question.is_bare:
            return f"up to {error} short"
        return self.question.kind.error_sentence(
            error, labels=len(self.labels), numbers=len(self.value)
        )

    def to_json(self, *, with_values: bool = True) -> Document:
        """Return the answer as JSON: numbers, or lists of them with "labels"; dates are
        texts.

        Without ``with_values``, as for a forecast, there are no values and no intervals.
        """
        document: Document = {"question": str(self.question)}
        if self.labels:
            document["labels"] = list(self.labels)
        if with_values:
            document |= self.numbers_json(self.value)
        document |= {
            "expected_error": round_digits(self.expected_error, 6),
            "way": self.way.value,
        }
        if self.remarks:
            document["remarks"] = list(self.remarks)
        return document


def round_digits(value: float, digits: int = 12) -> Json:
    """Round a number to this many significant digits; whole numbers stay unchanged.

    None if it is infinite or NaN, which JSON cannot hold.
    """
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) else float(f"{value:.{digits}g}")


def shown_units(column: Column | None) -> float:
    """Return the divisor of an error for display: days, for dates in seconds."""
    return 1.0 if column is None else column.told_unit


def group_labels(question: Question, domain: Domain) -> tuple[str, ...]:
    """Return the label of each number of the question's answer, in order; empty for a single
    one.

    Labels are those of the kind of question, its quantiles, its candidates, or the cells of
    its groups, as in "female, 20 to 29".
    """
    if question.kind.labels is not None:
        return question.kind.labels(question.columns)
    if question.quantiles:
        return tuple(map(quantile_text, question.quantiles))
    if question.candidates:
        return tuple(map(str, question.candidates))
    names = question.group_columns
    cells = product(*(domain[name].titles for name in names))
    # Without groups the product has one empty cell, which has no label.
    return tuple(", ".join(cell) for cell in cells if names)


def furthest(answers: list[Answer]) -> float:
    """Return the largest average error of some answers.

    It is infinite if an error is NaN, which means that there would be no answer.
    """
    errors = [answer.expected_error for answer in answers]
    return math.inf if any(map(math.isnan, errors)) else max(errors)
