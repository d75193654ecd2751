"""Free answers from a release, next to forecasts of asking the table. PUBLIC."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from synth.estimate import Record
from synth.questions.answers import Answer
from synth.questions.inquiry import Inquiry
from synth.questions.released import free_answers


@dataclass(frozen=True, eq=False)
class Offer:
    """One question, answered for nothing or by asking.

    Attributes:
        free: The answer of the release; its expected error is NaN if it has none.
        asked: The forecast of asking the table, with all other questions.
    """

    free: Answer
    asked: Answer

    @property
    def is_better(self) -> bool:
        """Whether the release is expected to be at least as close as asking."""
        free, asked = self.free.expected_error, self.asked.expected_error
        return not math.isnan(free) and (math.isnan(asked) or free <= asked)


def with_release(
    inquiry: Inquiry, record: Record, rows: int | None = None, *, partly: bool = False
) -> list[Offer]:
    """Return both for every question, in order; nothing is spent and no table is opened.

    Args:
        rows: Approximate number; by default from the release.
        partly: Whether the release may have only some columns, and answer some questions.

    Raises:
        ReleaseError: The release has other columns, and may not.
    """
    free = free_answers(inquiry, record, partly=partly)
    asked = inquiry.forecast(max(1, round(record.total)) if rows is None else rows)
    return [Offer(*both) for both in zip(free, asked, strict=True)]


def still_asked(inquiry: Inquiry, offers: Sequence[Offer]) -> Inquiry | None:
    """Return the questions left to ask the table, at the whole price; None for nothing."""
    left = tuple(offer.free.question for offer in offers if not offer.is_better)
    return replace(inquiry, questions=left) if left else None


def put_together(offers: Sequence[Offer], answers: Sequence[Answer]) -> list[Answer]:
    """Return free answers if they are better, otherwise the asked ones."""
    paid = iter(answers)
    return [offer.free if offer.is_better else next(paid) for offer in offers]
