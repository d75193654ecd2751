"""The cost of a fresh answer, if a release has none: the forecast of `ask`. PUBLIC."""

import math
from contextlib import suppress
from fractions import Fraction
from itertools import combinations
from typing import NoReturn

from synth.domain import Domain, has_offsets
from synth.errors import QuestionError, SynthError
from synth.estimate import Record, moment_share
from synth.privacy import Guarantee
from synth.questions import Question

NOT_ANSWERED = "The release cannot answer"
# Epsilon of the forecast.
PRICE = Fraction(1, 10)


def fresh_answer(question: Question, record: Record) -> str:
    """Return a sentence on how else a question could be answered, for the end of a refusal.

    It names the average error of asking the table itself, or else what a new release would
    have to measure. It is empty if neither answers the question.
    """
    from synth.questions import Inquiry

    with suppress(SynthError):  # the table itself may not answer such a question either
        inquiry = Inquiry.read(
            [question], record.domain, Guarantee.pure(PRICE), neighbors=record.neighbors
        )
        (answer,) = inquiry.forecast(max(1, round(record.total)))
        if not math.isnan(answer.expected_error):
            return (
                f" Asked of the table itself, for epsilon {float(PRICE):g} more, its "
                f"average error would be {answer.error_text}."
            )
    return _measure_sums(question, record.domain)


def _measure_sums(question: Question, domain: Domain) -> str:
    """Return a sentence on a release that measures this question's sums.

    It is empty if the question is no variance, covariance, correlation or linear regression
    of all rows, or if every cell of its columns is one number.
    """
    places = map(domain.names.index, question.uses)
    names = [domain.names[place] for place in sorted(places) if has_offsets(domain, place)]
    if question.kind.of_products is None or question.where is not None or not names:
        return ""
    # Products of any two columns; a single column is named by itself.
    terms = [f"{a}*{b}" for a, b in combinations(names, 2)] or names
    share = 100 * float(moment_share(terms, domain))
    return (
        f" A release with --moments {','.join(terms)} measures it, for {share:.0f} % of its "
        "epsilon; 'synth forecast' says how sharply."
    )


def refuse_released(question: Question, record: Record, why: str) -> NoReturn:
    """Say that a release has no answer, why, and the cost of a fresh one.

    Args:
        why: The reason, as a clause after a colon.

    Raises:
        QuestionError: Always.
    """
    advice = fresh_answer(question, record)
    raise QuestionError(f"{NOT_ANSWERED} '{question}': {why.rstrip('.')}.{advice}")
