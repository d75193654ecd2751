"""What the steward chose in the step Ask: questions, guarantee, way. Part of the draft."""

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from synth.errors import QuestionError, SynthError
from synth.privacy import Guarantee, parse_epsilon, parse_rational, parse_rho
from synth.questions import Question, WayName, parse_weight


class Measure(StrEnum):
    """What a spend is counted in."""

    EPSILON = "epsilon"
    RHO = "rho"


@dataclass(frozen=True)
class Choices:
    """Choices of the step Ask.

    Attributes:
        line: The question that is being written.
        questions: What is asked.
        measure: What the spend is counted in.
        amount: How much of it, as typed.
        delta: As typed; empty for pure epsilon.
        way: The way to answer; None for the best.
        wanted: Text of the error that is wanted; empty where epsilon is given.
        free: Whether answers of the release at hand are taken where they are as good.
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
        """What all answers together may cost.

        Raises:
            SynthError: It is no number, or beyond the limits.
        """
        if self.measure is Measure.RHO:
            return Guarantee.zcdp(parse_rho(self.amount))
        epsilon = parse_epsilon(self.amount)
        delta = parse_rational(self.delta.strip() or "0", name="delta")
        return Guarantee.of(epsilon, delta)

    def add_questions(self, questions: tuple[Question, ...]) -> "Choices":
        """With more questions; one that is there already, but for its weight, is not added twice.

        Raises:
            QuestionError: One of them is there already.
        """
        known = {remove_weight(question) for question in self.questions}
        for question in questions:
            if remove_weight(question) in known:
                raise QuestionError(f"The question '{question}' is there already.")
            known.add(remove_weight(question))
        return replace(self, questions=(*self.questions, *questions), way=None)

    def remove_question(self, number: int) -> "Choices":
        """Without one of the questions, counted from 0."""
        rest = (q for i, q in enumerate(self.questions) if i != number)
        return replace(self, questions=tuple(rest), way=None)

    def weighing(self, number: int, weight: str) -> "Choices":
        """With another weight of one of the questions.

        Raises:
            QuestionError: It is no weight.
        """
        share = parse_weight(weight.strip() or "1")
        changed = (
            replace(q, weight=share) if i == number else q for i, q in enumerate(self.questions)
        )
        return replace(self, questions=tuple(changed), way=None)


def remove_weight(question: Question) -> Question:
    """The question without its weight."""
    return replace(question, weight=Fraction(1))


def find_fault(choices: Choices) -> str:
    """What is wrong with the guarantee, in one sentence; empty if nothing is."""
    try:
        _ = choices.guarantee
    except SynthError as error:
        return str(error)
    return ""
