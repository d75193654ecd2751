"""The choices of the step Ask, a part of the draft: questions, guarantee, way."""

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from synth.errors import QuestionError, SynthError
from synth.privacy import Guarantee, parse_epsilon, parse_rational, parse_rho
from synth.questions import Question, WayName, parse_weight


class Measure(StrEnum):
    """The measure of a spend."""

    EPSILON = "epsilon"
    RHO = "rho"


@dataclass(frozen=True)
class Choices:
    """Choices of the step Ask.

    Attributes:
        line: The question in progress.
        questions: The added questions.
        measure: The measure of the spend.
        amount: Of the spend, as typed.
        delta: As typed; empty for pure epsilon.
        way: The way to answer; None for the best.
        wanted: Text of the wanted error; empty if epsilon is given.
        free: Whether to take the release's answers if they are as good.
    """

    line: str = ""
    questions: tuple[Question, ...] = ()
    measure: Measure = Measure.EPSILON
    amount: str = "0.2"
    delta: str = ""
    way: WayName | None = None
    wanted: str = ""
    free: bool = True

    @property
    def guarantee(self) -> Guarantee:
        """Return the cost of all answers together.

        Raises:
            SynthError: It is not a number, or outside the limits.
        """
        if self.measure is Measure.RHO:
            return Guarantee.zcdp(parse_rho(self.amount))
        epsilon = parse_epsilon(self.amount)
        delta = parse_rational(self.delta.strip() or "0", name="delta")
        return Guarantee.of(epsilon, delta)

    def add_questions(self, questions: tuple[Question, ...]) -> "Choices":
        """Return the choices with more questions; an equal question is not added again.

        Raises:
            QuestionError: One of them exists already (weights do not matter).
        """
        known = {remove_weight(question) for question in self.questions}
        for question in questions:
            if remove_weight(question) in known:
                raise QuestionError(f"The question '{question}' is there already.")
            known.add(remove_weight(question))
        return replace(self, questions=(*self.questions, *questions), way=None)

    def remove_question(self, number: int) -> "Choices":
        """Return the choices without a question, counted from 0."""
        rest = (q for i, q in enumerate(self.questions) if i != number)
        return replace(self, questions=tuple(rest), way=None)

    def weighing(self, number: int, weight: str) -> "Choices":
        """Return the choices with another weight of a question.

        Raises:
            QuestionError: The weight is invalid.
        """
        share = parse_weight(weight.strip() or "1")
        changed = (
            replace(q, weight=share) if i == number else q for i, q in enumerate(self.questions)
        )
        return replace(self, questions=tuple(changed), way=None)


def remove_weight(question: Question) -> Question:
    return replace(question, weight=Fraction(1))


def find_fault(choices: Choices) -> str:
    """Return the fault of the guarantee as one sentence; empty without a fault."""
    try:
        _ = choices.guarantee
    except SynthError as error:
        return str(error)
    return ""
