"""A form: closed questions, and one epsilon for each person. PUBLIC.

>>> design = FormDesign((ClosedQuestion("Do you smoke?"),), Fraction(1))
>>> design.identifier[:12], str(design.loss)
('5c98205fc5f9', '0.999999999999999999985087')
"""

import hashlib
import json
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import cast

from synth import limits
from synth.collecting.probabilities import ResponseWeights, certified_loss
from synth.domain import first_repeat, set_field
from synth.errors import CollectError, LimitError, QuestionError
from synth.foreign import line
from synth.privacy import parse_epsilon
from synth.util import Document, Json

YES_NO_OPTIONS = ("yes", "no")
TITLE = "A few questions"
# Another version gives a form another identifier.
MECHANISM_VERSION = 1


@dataclass(frozen=True)
class ClosedQuestion:
    """A question with a list of answers to choose from.

    Attributes:
        text: Blanks are squeezed, and invisible characters are marked.
        options: At least two; yes and no by default.

    Raises:
        QuestionError: A text is empty or repeated.
        LimitError: A text is too long, or there are too many options.
    """

    text: str
    options: tuple[str, ...] = YES_NO_OPTIONS

    def __post_init__(self) -> None:
        """Check the question and its options; store each text on one line.

        `set_field` sets a field although the class is frozen.
        The errors are those in the description of the class.
        """
        set_field(self, "text", _clean_line("The text of a question", self.text))
        subject = f"Question '{line(self.text, 60)}'"
        options = tuple(
            _clean_line(f"{subject}: an option", option) for option in self.options
        )
        set_field(self, "options", options)
        if len(options) < 2:
            raise QuestionError(f"{subject} needs at least two options.")
        if len(options) > limits.FORM_OPTIONS:
            raise LimitError(
                f"{subject} has {len(options):,} options; the limit is {limits.FORM_OPTIONS}."
            )
        # Options that differ in capitals only count as the same.
        repeated = first_repeat(map(str.casefold, options))
        if repeated is not None:
            raise QuestionError(f"{subject} lists the option '{repeated}' twice.")

    def to_json(self) -> Document:
        """Return the question and its options as a JSON object."""
        return {"question": self.text, "options": list(self.options)}


@dataclass(frozen=True)
class FormDesign:
    """A form: its questions, and the epsilon that one person spends over all of them.

    Each question gets an equal share. In the local model, neighbours are any two sets of
    answers of one person.

    Attributes:
        questions: The questions, at least one.
        epsilon: The privacy loss of one person over all questions.
        title: The title of the page; it is not part of the identifier.

    Raises:
        QuestionError: There is no question, or one is repeated.
        ArgumentError: Epsilon, an exact rational, is out of range.
        LimitError: There are too many questions.
    """

    questions: tuple[ClosedQuestion, ...]
    epsilon: Fraction
    title: str = TITLE

    def __post_init__(self) -> None:
        """Check the questions, the epsilon and the title; store the checked values.

        The errors are those in the description of the class.
        """
        set_field(self, "epsilon", parse_epsilon(self.epsilon))  # the class is frozen
        set_field(self, "title", _clean_line("The title", self.title))
        if not self.questions:
            raise QuestionError("There is no question.")
        if len(self.questions) > limits.FORM_QUESTIONS:
            raise LimitError(
                f"There are {len(self.questions):,} questions; the limit of a form is "
                f"{limits.FORM_QUESTIONS}."
            )
        repeated = first_repeat(question.text.casefold() for question in self.questions)
        if repeated is not None:
            raise QuestionError(f"The question '{line(repeated, 60)}' is asked twice.")

    @cached_property
    def weights(self) -> tuple[ResponseWeights, ...]:
        """The probabilities with which the answers to each question are drawn, in order.

        Each question gets an equal share of epsilon.
        """
        share = self.epsilon / len(self.questions)
        return tuple(
            ResponseWeights.for_share(share, len(question.options))
            for question in self.questions
        )

    @property
    def loss(self) -> Decimal:
        """The certified loss of one person, at most epsilon."""
        return certified_loss(self.weights, self.epsilon)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of options of each question."""
        return tuple(len(question.options) for question in self.questions)

    @cached_property
    def identifier(self) -> str:
        """SHA-256 of the questions, the epsilon and the version of the mechanism, in hex.

        Answers name it, so that they are read with the form to which they belong.
        """
        questions = [question.to_json() for question in self.questions]
        content = {
            "epsilon": str(self.epsilon),
            "questions": questions,
            "version": MECHANISM_VERSION,
        }
        text = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def to_json(self) -> Document:
        """Return the design as a JSON object, with the exact weights of the answers.

        For each question, ``keep`` is the weight of the true answer, ``lie`` of each other
        one.
        """
        return {
            "form": self.identifier,
            "title": self.title,
            "epsilon": str(self.epsilon),
            "questions": [
                {**question.to_json(), "keep": str(weights.keep), "lie": str(weights.lie)}
                for question, weights in zip(self.questions, self.weights, strict=True)
            ],
        }

    @classmethod
    def from_json(cls, document: Json) -> "FormDesign":
        """Read the design that `to_json` wrote.

        Raises:
            CollectError: It is not a design, or was changed.
            SynthError: A question or the epsilon is invalid.
        """
        try:
            entries = cast("Document", document)
            questions = tuple(
                _from_json(question)
                for question in cast("list[Document]", entries["questions"])
            )
            design = cls(questions, parse_epsilon(entries["epsilon"]), str(entries["title"]))
        except (KeyError, TypeError, AttributeError):
            raise CollectError("The design of the form is not whole.") from None
        # The identifier and the weights follow from the rest, so any change shows here.
        if design.to_json() != document:
            raise CollectError(
                "The design of the form was changed since it was made: its questions, "
                "epsilon and probabilities do not go together."
            )
        return design


def _from_json(document: Document) -> ClosedQuestion:
    """Return a question from its JSON object; TypeError or KeyError if the form is wrong."""
    options = document["options"]
    if not isinstance(options, list):
        raise TypeError
    return ClosedQuestion(str(document["question"]), tuple(map(str, options)))


def _clean_line(subject: str, text: object) -> str:
    """Return a text on one line, with invisible characters marked.

    ``subject`` begins the message of an error, such as "The title".

    Raises:
        QuestionError: It is not a text, or empty.
        LimitError: It is too long.
    """
    if not isinstance(text, str):
        raise QuestionError(f"{subject} must be a text.")
    if len(text) > limits.FORM_TEXT:
        raise LimitError(
            f"{subject} has {len(text):,} characters; the limit is {limits.FORM_TEXT}."
        )
    plain_text = line(text, limits.FORM_TEXT)
    if not plain_text:
        raise QuestionError(f"{subject} is empty.")
    return plain_text
