"""A conclusion from a release: an estimate, its interval, and what the interval counts. PUBLIC.

>>> import numpy as np
>>> one, how = np.array([60.0]), "a sum of noisy counts"
>>> text = "count where age > 60"
>>> found = Conclusion(text, (), one, one - 6, one + 6, 2.5, 0.95, "rows", how, (NOISE_SOURCE,))
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
PLACE_IN_BIN = "where in its bin each row may be"
BIAS = "the bias of what mends the noise"
PEOPLE = "that the rows are a sample of more people"


class About(StrEnum):
    """Whom an answer is about."""

    ROWS = "rows"
    """The rows of the confidential table, and no one else."""
    PEOPLE = "people"
    """The larger population of which the rows are a random sample."""


@dataclass(frozen=True, eq=False)
class Conclusion(ShownNumbers):
    """What a release says to one question. PUBLIC.

    Attributes:
        question: What was asked, as text.
        labels: What each number is about; none where there is one.
        estimate: Shape (numbers,); NaN where there is a bound alone.
        low, high: Ends of the intervals, of the same shape.
        expected_error: Expected size of the error of a number, on average over them; NaN where
            it is not known.
        confidence: The chance, before the noise is drawn, that an interval holds the truth.
        unit: Of the numbers: "rows", "share", or the name of a column.
        how: How the estimate was found.
        counts: What the interval counts.
        about: Whom it is about.
        bound: Whether low and high are a proved bound, within which the release tells nothing.
        simulated: Whether the interval rests on a simulation rather than on a proof.
        remarks: What else has to be known of it.
        chosen: The most frequent values, where these are the answer.
        columns: Whose values the numbers are, one for all or one for each; None for rows.
        stamp: What is wrong with the bundle, where it was used all the same.
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
    def middles(self) -> Floats:
        """The estimates; NaN where there is a bound alone."""
        return self.estimate

    @property
    def is_share(self) -> bool:
        """Whether the numbers are shares."""
        return self.unit == "share"

    @property
    def population(self) -> bool:
        """Whether it is about the people that the rows stand for."""
        return self.about is About.PEOPLE

    @property
    def sentence(self) -> str:
        """What its interval counts, in words; of a bound, that it is one."""
        percent = f"{100 * self.confidence:g} %"
        if self.bound:
            what = f"A proved bound at {percent}: the release tells nothing of where within."
        elif not self.counts:
            what = "The number is public."
        else:
            what = f"The {percent} interval counts {_join_words(self.counts)}."
        return f"{what} It rests on a simulation." if self.simulated else what

    def to_json(self) -> Document:
        """The form of `ask`, and beside it what the interval is."""
        found: Document = {"question": self.question}
        if self.labels:
            found["labels"] = list(self.labels)
        found |= self.numbers_json(self.estimate) | {
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
            found["remarks"] = list(self.remarks)
        return found | ({"unverified": self.stamp} if self.stamp else {})


def _join_words(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
