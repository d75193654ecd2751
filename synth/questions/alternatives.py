"""Costs and errors of every way to answer, next to the chosen one. PUBLIC.

>>> from synth.lessons.survey import survey_domain
>>> from synth.privacy.guarantee import Guarantee
>>> inquiry = Inquiry.read(["table sex"], survey_domain(), Guarantee.pure(1))
>>> [(str(one.way), one.taken) for one in list_alternatives(inquiry, 20_000)][:2]
[('l-infinity', True), ('laplace', False)]
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from synth.errors import QuestionError
from synth.estimate import ASKED_WAYS, WayName
from synth.questions.answers.answer import Answer, furthest
from synth.questions.inquiry import Inquiry


@dataclass(frozen=True, eq=False)
class Alternative:
    """An inquiry answered one way, which may be the chosen one (``taken``)."""

    inquiry: Inquiry
    rows: int
    taken: bool = False

    @property
    def way(self) -> WayName | None:
        """The way; None if each part has its own."""
        return self.inquiry.way

    @cached_property
    def answers(self) -> list[Answer]:
        """The forecast of its answers."""
        return self.inquiry.forecast(self.rows)

    @property
    def largest(self) -> float | None:
        """Expected largest error of all counts at once, in rows; None with sums."""
        return self.inquiry.arrangement.largest


def list_alternatives(inquiry: Inquiry, rows: int) -> list[Alternative]:
    """Return one alternative for each way that answers all questions, the best first.

    One of them is marked as taken: the way that the inquiry itself uses. If its blocks of
    questions use different ways, the inquiry itself comes first and is marked.

    Args:
        rows: The approximate number of rows, for the forecast of errors.
    """
    alternatives = sorted(_by_way(inquiry, rows), key=_badness)
    # Ways without a cost, for public numbers, are the same in all alternatives.
    ways = (portion.way for portion in inquiry.arrangement.portions)
    chosen_names = {way.name for way in ways if way.cost is not None}
    same = [alternative for alternative in alternatives if {alternative.way} == chosen_names]
    if not same:
        return [Alternative(inquiry, rows, taken=True), *alternatives]
    return [
        replace(alternative, taken=alternative is same[0]) for alternative in alternatives
    ]


def _by_way(inquiry: Inquiry, rows: int) -> Iterator[Alternative]:
    """Yield the inquiry with each single way forced that can answer all its questions."""
    for name in ASKED_WAYS:
        answered = inquiry.answered_by(name)
        try:
            # A property that is computed here, and raises if the way does not fit.
            assert answered.arrangement
        except QuestionError:
            continue
        yield Alternative(answered, rows)


def _badness(alternative: Alternative) -> float:
    """Return the expected largest error of all counts, or that of the worst answer for sums.

    Answers are sorted by it, the least first.
    """
    return (
        furthest(alternative.answers) if alternative.largest is None else alternative.largest
    )
