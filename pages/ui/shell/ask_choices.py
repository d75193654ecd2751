"""The choices of the step Ask, a part of the draft: questions, guarantee, way."""

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from synth.errors import QuestionError, SynthError
from synth.estimate import WayName
from synth.privacy import Guarantee, parse_epsilon, parse_rational, parse_rho
from synth.questions import Question, parse_weight
from synth.util import omitted


class Measure(StrEnum):
    """The measures in which the cost of answers is typed."""

    EPSILON = "epsilon"
    RHO = "rho"


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Choices of the step Ask.

    Attributes:
        line: The question that is being written.
        questions: The questions so far.
        measure: The measure of the cost.
        amount: The cost, as typed.
        delta: As typed; empty for pure epsilon.
        way: The way to answer; None for the best.
        wanted: Text of the largest error; empty if epsilon is given.
        free: Whether to take the release's answers if they are as good.
        asker: Who has a claimed figure checked, by a request; empty for nobody.
    """

    line: str = ""
    questions: tuple[Question, ...] = ()
    measure: Measure = Measure.EPSILON
    amount: str = "0.2"
    delta: str = ""
    way: WayName | None = None
    wanted: str = ""
    free: bool = True
    asker: str = omitted("")

    @property
    def guarantee(self) -> Guarantee:
        """Return the cost of all answers together, from the typed measure, amount and delta.

        SynthError if a text is no number, or outside the limits.
        """
        if self.measure is Measure.RHO:
            return Guarantee.zcdp(parse_rho(self.amount))
        epsilon = parse_epsilon(self.amount)
        return Guarantee.of(epsilon, parse_rational(self.delta.strip() or "0", name="delta"))

    def add_questions(self, questions: tuple[Question, ...]) -> "Choices":
        """Return the choices with more questions, and the way to answer left open again.

        QuestionError if a question exists already, whatever its weight.
        """
        existing_questions = {remove_weight(question) for question in self.questions}
        for question in questions:
            if remove_weight(question) in existing_questions:
                raise QuestionError(f"The question '{question}' is there already.")
            existing_questions.add(remove_weight(question))
        return replace(self, questions=(*self.questions, *questions), way=None)

    def remove_question(self, number: int) -> "Choices":
        """Return the choices without the question at this position, counted from 0."""
        remaining = (*self.questions[:number], *self.questions[number + 1 :])
        has_check = any(question.claimed is not None for question in remaining)
        asker = self.asker if has_check else ""
        return replace(self, questions=remaining, way=None, asker=asker)

    def weighing(self, number: int, weight: str) -> "Choices":
        """Return the choices with another weight of the question at this position, from 0.

        An empty text means 1. QuestionError if the weight is invalid.
        """
        questions = list(self.questions)
        questions[number] = replace(
            questions[number], weight=parse_weight(weight.strip() or "1")
        )
        return replace(self, questions=tuple(questions), way=None)


def remove_weight(question: Question) -> Question:
    """Return the question with weight one, so that equal questions compare as equal."""
    return replace(question, weight=Fraction(1))


def find_fault(choices: Choices) -> str:
    """Return the fault of the typed cost as a sentence; empty without one."""
    try:
        _ = choices.guarantee
    except SynthError as error:
        return str(error)
    return ""
