"""Which way answers a question of a release. PUBLIC."""

from collections.abc import Iterable

import numpy as np

from synth.analysis.conclusion import BINS, NOISE, About, Conclusion
from synth.analysis.fresh import refuse_released
from synth.noisy.record import Record
from synth.questions.checking import check_question
from synth.questions.language import parse
from synth.questions.question import Question
from synth.questions.reach import LEVEL
from synth.questions.released import EVENLY, from_release
from synth.questions.sources import MODEL

NO_ANSWER = "no answer from this release: "


def conclusions(
    questions: Iterable[str | Question],
    record: Record,
    *,
    about: About = About.ROWS,
    confidence: float = LEVEL,
) -> list[Conclusion]:
    """What a release says to questions, in their order.

    Args:
        questions: As texts or read.
        record: What is public of the release.
        about: Whom the answers are about.
        confidence: Chance that an interval holds the truth.

    Raises:
        QuestionError: One of them is none, or the release has no answer to it.
    """
    asked = [parse(one) if isinstance(one, str) else one for one in questions]
    checked = [check_question(one, record.domain) for one in asked]
    return [_concluded(one, record, about, confidence) for one in checked]


def _concluded(question: Question, record: Record, about: About, level: float) -> Conclusion:
    (answer,) = from_release([question], record, level)
    none = [one for one in answer.remarks if one.startswith(NO_ANSWER)]
    if none or (np.isnan(answer.value).all() and not answer.chosen):
        why = none[0].removeprefix(NO_ANSWER) if none else "the noise could hide all of its rows"
        refuse_released(question, record, why)
    if MODEL in answer.remarks:
        refuse_released(question, record, "its columns were not measured together")
    counts = (NOISE, *[BINS] * (EVENLY in answer.remarks)) if answer.expected_error else ()
    how = "a sum of noisy counts" if counts else "public"
    return Conclusion.of(answer, how=how, counts=counts, confidence=level, about=about)
