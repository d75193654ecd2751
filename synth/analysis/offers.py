"""Free answers from a release, beside forecasts of asking the table. PUBLIC.

>>> from fractions import Fraction
>>> import numpy as np
>>> from synth.domain import Categorical
>>> from synth.estimate.noisy.counts import NoisyCounts
>>> from synth.estimate import Repair, repair_counts
>>> from synth.estimate.repair.record import HistogramRecord
>>> from synth.privacy import Guarantee, Neighbors
>>> domain = Domain((Categorical(name="sex", categories=("F", "M"), missing=True),))
>>> pure = Guarantee.pure(1)
>>> noisy = NoisyCounts(
...     domain=domain,
...     values=np.array([60, 38, 3]),
...     scale=Fraction(2),
...     neighbors=Neighbors.REPLACE_ONE,
...     guarantee=pure,
...     rows=100,
... )
>>> record = HistogramRecord(noisy=noisy, distribution=repair_counts(noisy, Repair.CLAMP))
>>> (answer,) = free_answers(Inquiry.read(["count where sex = F"], domain, pure), record)
>>> answer.value.round(1).tolist(), answer.low.tolist(), answer.high.tolist()
([59.7], [55.0], [64.0])
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from synth.analysis.linear import NO_ANSWER, answer_question, from_release, refuse_answer
from synth.analysis.release_view import ReleaseView
from synth.domain import Domain
from synth.errors import ReleaseError
from synth.estimate import Record
from synth.questions import Answer, Inquiry

NOT_ANSWERABLE = (
    NO_ANSWER + "it lacks a column of the question, or declares it in another way"
)


def free_answers(inquiry: Inquiry, record: Record, *, partly: bool = False) -> list[Answer]:
    """Return a release's answers to the questions of an inquiry, in order, at no cost.

    Args:
        inquiry: The questions, read by a domain.
        record: The public part of the release.
        partly: Whether the release may have other columns. Then a question about a column
            that it lacks, or declares otherwise, has no answer (NaN).

    Raises:
        ReleaseError: The release declares other columns, and ``partly`` is false.
    """
    view = ReleaseView(record=record)
    if partly:
        return [
            answer_question(question, view)
            if _declares_alike(inquiry.domain, record.domain, question.uses)
            else refuse_answer(question, NOT_ANSWERABLE)
            for question in inquiry.questions
        ]
    if record.domain.without_words() != inquiry.domain.without_words():
        raise ReleaseError(
            "The release has other columns than the questions, or declares them in another "
            "way; ask with the domain of its bundle."
        )
    return from_release(inquiry.questions, view)


def _declares_alike(first: Domain, second: Domain, names: Sequence[str]) -> bool:
    """Return whether two domains declare these columns alike, apart from descriptions."""
    if not set(names) <= set(first.names) & set(second.names):
        return False
    columns = [[d.without_words()[name] for name in names] for d in (first, second)]
    return columns[0] == columns[1] and first.missing_values == second.missing_values


@dataclass(frozen=True, eq=False)
class Offer:
    """One question, answered for nothing or by asking.

    Attributes:
        free: The answer of the release; its average error is NaN if it has none.
        asked: The forecast of asking the table, with all other questions.
    """

    free: Answer
    asked: Answer

    @property
    def is_better(self) -> bool:
        """Whether the release's average error is at most that of asking; NaN is unknown."""
        free_error = self.free.expected_error
        asked_error = self.asked.expected_error
        return not math.isnan(free_error) and (
            math.isnan(asked_error) or free_error <= asked_error
        )


def with_release(
    inquiry: Inquiry, record: Record, rows: int | None = None, *, partly: bool = False
) -> list[Offer]:
    """Return the free answer to every question next to a forecast of asking it, in order.

    Nothing is spent and no table is opened.

    Args:
        inquiry: The questions, with the price of asking them.
        record: The public part of the release.
        rows: Approximate number of the table's rows; by default from the release.
        partly: Whether the release may have only some columns, and answer some questions.

    Raises:
        ReleaseError: The release declares other columns, and ``partly`` is false.
    """
    free = free_answers(inquiry, record, partly=partly)
    forecasts = inquiry.forecast(max(1, round(record.total)) if rows is None else rows)
    return [Offer(*both) for both in zip(free, forecasts, strict=True)]


def still_asked(inquiry: Inquiry, offers: Sequence[Offer]) -> Inquiry | None:
    """Return the questions left to ask the table, at the whole price; None for nothing."""
    questions = tuple(offer.free.question for offer in offers if not offer.is_better)
    return replace(inquiry, questions=questions) if questions else None


def put_together(offers: Sequence[Offer], answers: Sequence[Answer]) -> list[Answer]:
    """Return free answers if they are better, otherwise the asked ones."""
    paid = iter(answers)
    return [offer.free if offer.is_better else next(paid) for offer in offers]
