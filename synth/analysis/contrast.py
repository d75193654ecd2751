"""Differences and ratios of two groups, from their two conclusions. PUBLIC.

Each of the two is taken at a level that leaves what is said of both the one that was asked for
(Bonferroni), so that the interval is right however their errors hang together; where both are
independent it is wider than need be.
"""

from dataclasses import replace

import numpy as np

from synth.analysis.conclusion import About, Conclusion
from synth.analysis.engine import conclusions
from synth.arrays import Floats
from synth.noisy.record import Record
from synth.questions.question import Question
from synth.questions.reach import LEVEL
from synth.questions.wording import refuse_question


def contrast(
    one: str | Question,
    other: str | Question,
    record: Record,
    *,
    ratio: bool = False,
    about: About = About.ROWS,
    confidence: float = LEVEL,
    digest: str = "",
) -> Conclusion:
    """The first less the other, or over it.

    Args:
        one, other: Questions of one kind with one number each, or with as many.
        record: What is public of the release.
        ratio: Whether it is their ratio.
        about: Whom it is about.
        confidence: Chance that the interval holds the truth.
        digest: Of the bundle, as of `conclusions`.

    Raises:
        QuestionError: One has no answer, they are of two kinds, or the other may be 0.
    """
    each = 1 - (1 - confidence) / 2
    first, second = conclusions([one, other], record, about=about, confidence=each, digest=digest)
    if first.unit != second.unit or first.labels != second.labels or first.chosen:
        refuse_question(
            f"'{first.question}' and '{second.question}' are not about the same number of "
            "two groups, and have no difference"
        )
    value, low, high = (_ratio if ratio else _difference)(first, second)
    return replace(
        first,
        question=f"{first.question} {'over' if ratio else 'less'} {second.question}",
        estimate=value,
        low=low,
        high=high,
        expected_error=np.nan,
        confidence=confidence,
        unit="ratio" if ratio else first.unit,
        how=f"two answers: {first.how}",
        bound=first.bound or second.bound,
        simulated=first.simulated or second.simulated,
        columns=(),
        remarks=tuple(dict.fromkeys((*first.remarks, *second.remarks))),
    )


ValueEnds = tuple[Floats, Floats, Floats]
"""Value, low and high."""


def _difference(first: Conclusion, second: Conclusion) -> ValueEnds:
    return (
        first.estimate - second.estimate,
        first.low - second.high,
        first.high - second.low,
    )


def _ratio(first: Conclusion, second: Conclusion) -> ValueEnds:
    if not ((second.low > 0) | (second.high < 0)).all():
        refuse_question(f"the noise could hide that '{second.question}' is 0")
    corners = [a / b for a in (first.low, first.high) for b in (second.low, second.high)]
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    return first.estimate / second.estimate, low, high
