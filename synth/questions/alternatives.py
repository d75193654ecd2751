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
from synth.questions.answers import Answer
from synth.questions.inquiry import Inquiry
from synth.questions.solve import furthest
from synth.questions.way_names import ASKED, WayName


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
        return self.inquiry.forecast(self.rows)

    @property
    def largest(self) -> float | None:
        """Expected largest error of all counts at once, in rows; None with sums."""
        return self.inquiry.arrangement.largest


def list_alternatives(inquiry: Inquiry, rows: int) -> list[Alternative]:
    """Return the ways that answer all questions, the best first; the chosen one is marked."""
    found = sorted(_by_way(inquiry, rows), key=_badness)
    paid = (one.way for one in inquiry.arrangement.portions if one.way.cost is not None)
    named = {way.name for way in paid}
    same = [one for one in found if {one.way} == named]
    if not same:
        return [Alternative(inquiry, rows, taken=True), *found]
    return [replace(one, taken=one is same[0]) for one in found]


def _by_way(inquiry: Inquiry, rows: int) -> Iterator[Alternative]:
    for name in ASKED:
        one = inquiry.answered_by(name)
        try:
            assert one.arrangement
        except QuestionError:
            continue
        yield Alternative(one, rows)


def _badness(one: Alternative) -> float:
    return furthest(one.answers) if one.largest is None else one.largest
