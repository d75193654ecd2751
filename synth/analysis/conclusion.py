"""A conclusion from a release: an estimate, its interval, and the errors that it covers.
PUBLIC.

>>> import numpy as np
>>> one, how = np.array([60.0]), "a sum of noisy counts"
>>> text = "count where age > 60"
>>> found = Conclusion(
...     question=text,
...     labels=(),
...     estimate=one,
...     low=one - 6,
...     high=one + 6,
...     expected_error=2.5,
...     confidence=0.95,
...     unit="rows",
...     how=how,
...     counts=(NOISE_SOURCE,),
... )
>>> found.estimate.tolist(), found.low.tolist(), found.unit, found.population
([60.0], [54.0], 'rows', False)
>>> found.sentence
'The 95 % interval counts the noise of the release.'
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from synth.domain import Column
from synth.questions import ShownNumbers, round_digits
from synth.util import Document, Floats

NOISE_SOURCE = "the noise of the release"
PLACE_IN_BIN = "the position of each row within its bin"
BIAS = "the bias of the repair"
PEOPLE = "that the rows are a sample of a larger population"


class About(StrEnum):
    """What a conclusion is about: the rows of the table, or the people they represent."""

    ROWS = "rows"
    """Only the rows of the confidential table."""
    PEOPLE = "people"
    """The larger population, if the rows are a random sample of it."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Conclusion(ShownNumbers):
    """A release's answer to one question. PUBLIC.

    Attributes:
        question: The question in words.
        labels: One per number; empty if there is one number.
        estimate: Shape (numbers,); NaN if there is only a bound.
        low, high: Ends of the intervals, of the same shape.
        expected_error: The average error of a number; NaN if unknown.
        confidence: The probability, before the noise is drawn, that an interval contains the
            true value.
        unit: "rows", "share", or the name of a column.
        how: The way of the estimate.
        counts: The errors that the interval covers.
        about: What the intervals are about: the rows, or the people behind them.
        bound: Whether low and high are a proved bound, within which the release says nothing.
        simulated: Whether the interval comes from a simulation rather than a proof.
        remarks: What else a reader has to know, each a sentence.
        chosen: The most frequent values, if these are the answer.
        columns: The columns of the values, one for all or one for each; None for rows.
        stamp: The problem of a bundle that is used anyway.
    """

    question: str
    labels: tuple[str, ...]
    estimate: Floats
    low: Floats
    high: Floats
    expected_error: float
    confidence: float
    unit: str
    how: str
    counts: tuple[str, ...]
    about: About = About.ROWS
    bound: bool = False
    simulated: bool = False
    remarks: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    columns: tuple[Column | None, ...] = field(default=(), repr=False)
    stamp: str = ""

    @property
    def question_text(self) -> str:
        """The question in words."""
        return self.question

    @property
    def middles(self) -> Floats:
        """The estimates; NaN if there is only a bound."""
        return self.estimate

    @property
    def is_share(self) -> bool:
        """Whether the numbers are shares, which are shown as percentages."""
        return self.unit == "share"

    @property
    def population(self) -> bool:
        """Whether it is about the population that the rows are a sample of."""
        return self.about is About.PEOPLE

    @property
    def sentence(self) -> str:
        """A sentence for readers on what the interval covers, or that it is a proved bound.

        No covered errors mean that the number is public. Simulated intervals say so.
        """
        percent = f"{100 * self.confidence:g} %"
        if self.bound:
            sentence = (
                f"A proved bound at {percent}. The release does not say where between the "
                "ends."
            )
        elif not self.counts:
            sentence = "The number is public."
        else:
            sentence = f"The {percent} interval counts {_join_words(self.counts)}."
        return f"{sentence} It rests on a simulation." if self.simulated else sentence

    def to_json(self) -> Document:
        """Return the conclusion as a JSON object, as files hold it.

        Labels, remarks and the problem of an unverified bundle are left out if there are
        none.
        """
        document: Document = {"question": self.question}
        if self.labels:
            document["labels"] = list(self.labels)
        document |= self.numbers_json(self.estimate) | {
            "expected_error": round_digits(self.expected_error, 6),
            "way": "release",
            "confidence": self.confidence,
            "unit": self.unit,
            "about": self.about.value,
            "bound": self.bound,
            "simulated": self.simulated,
            "how": self.how,
            "counts": list(self.counts),
        }
        if self.remarks:
            document["remarks"] = list(self.remarks)
        return document | ({"unverified": self.stamp} if self.stamp else {})


def _join_words(words: Sequence[str]) -> str:
    """Join with commas, and "and" before the last."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
