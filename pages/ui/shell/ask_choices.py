"""The choices of the step Ask, a part of the draft: questions, guarantee, way."""

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from synth.errors import QuestionError, SynthError
from synth.privacy import Guarantee, parse_epsilon, parse_rational, parse_rho
from synth.questions import Question, WayName, parse_weight


class Measure(StrEnum):
    EPSILON = "epsilon"
    RHO = "rho"


@dataclass(frozen=True, kw_only=True)
class Choices:
    """Choices of the step Ask.

    Attributes:
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
        """Return the cost of all answers together; SynthError if it is no number, or outside
        the limits."""
        if self.measure is Measure.RHO:
            return Guarantee.zcdp(parse_rho(self.amount))
        epsilon = parse_epsilon(self.amount)
        return Guarantee.of(epsilon, parse_rational(self.delta.strip() or "0", name="delta"))

    def add_questions(self, questions: tuple[Question, ...]) -> "Choices":
        """Add questions; QuestionError if one exists already, whatever its weight."""
        known = {remove_weight(question) for question in self.questions}
        for question in questions:
            if remove_weight(question) in known:
                raise QuestionError(f"The question '{question}' is there already.")
            known.add(remove_weight(question))
        return replace(self, questions=(*self.questions, *questions), way=None)

    def remove_question(self, number: int) -> "Choices":
        rest = (q for i, q in enumerate(self.questions) if i != number)
        return replace(self, questions=tuple(rest), way=None)

    def weighing(self, number: int, weight: str) -> "Choices":
        """Change the weight of a question; QuestionError if it is invalid."""
        share = parse_weight(weight.strip() or "1")
        changed = (
            replace(q, weight=share) if i == number else q
            for i, q in enumerate(self.questions)
        )
        return replace(self, questions=tuple(changed), way=None)


def remove_weight(question: Question) -> Question:
    return replace(question, weight=Fraction(1))


def find_fault(choices: Choices) -> str:
    try:
        _ = choices.guarantee
    except SynthError as error:
        return str(error)
    return ""
