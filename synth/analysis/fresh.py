"""What a fresh answer would cost, where a release has none: the forecast of `ask`. PUBLIC."""

import math
from fractions import Fraction
from typing import NoReturn

from synth.errors import QuestionError, SynthError
from synth.estimate import Record
from synth.privacy import Guarantee
from synth.questions import Inquiry, Question

PRICE = Fraction(1, 10)
"""Epsilon that the forecast is for."""


def fresh_answer(question: Question, record: Record) -> str:
    """A sentence: the expected error of asking the table itself; empty where it cannot be asked."""
    try:
        inquiry = Inquiry.read([question], record.domain, Guarantee.pure(PRICE), record.neighbors)
        (answer,) = inquiry.forecast(max(1, round(record.total)))
    except SynthError:
        return ""
    if math.isnan(answer.expected_error):
        return ""
    return (
        f" Asked of the table itself, for epsilon {float(PRICE):g} more, its expected error would "
        f"be {answer.error_text}."
    )


def refuse_released(question: Question, record: Record, why: str) -> NoReturn:
    """Say that a release has no answer, why, and what a fresh one would cost.

    Raises:
        QuestionError: Always.
    """
    raise QuestionError(
        f"Not from this release: {why.rstrip('.')}.{fresh_answer(question, record)}"
    )
