"""Differences and ratios of two groups. PUBLIC.

The joint noise gives the interval for counts, shares, totals or means of columns measured
together (`differences`). Otherwise each group gets a level at which both have the requested
one (Bonferroni): valid for any dependence, wider than needed without one."""

from dataclasses import replace
from functools import partial

import numpy as np

from synth.analysis.conclusion import About, Conclusion
from synth.analysis.differences import FIRST_ORDER, contrast_ends
from synth.analysis.engine import conclusions
from synth.analysis.release_view import Mended, ReleaseView
from synth.estimate import Record
from synth.noise import LEVEL
from synth.questions import Question, check_question, read_question, refuse_question
from synth.util import Floats


def contrast_groups(  # noqa: PLR0913 - public: those of `Analysis.contrast`
    first_question: str | Question,
    second_question: str | Question,
    record: Record,
    *,
    ratio: bool = False,
    about: About = About.ROWS,
    confidence: float = LEVEL,
    mended: Mended | None = None,
    digest: str = "",
) -> Conclusion:
    """Return the first group's answer minus the second's, or their ratio, with an interval.

    The questions are of one kind with one number each, or with equally many.

    Args:
        first_question, second_question: One for each group, as text or read.
        record: The public part of a release.
        ratio: Whether to divide instead of subtracting.
        about: Whether the interval is about the rows, or about a population of which they
            are a sample.
        confidence: Probability that the interval contains the true value.
        mended: From the numbers of columns to their repaired counts, which choose the
            estimates within their intervals; by default those of a histogram.
        digest: The digest of the bundle. It seeds the simulation, so that the same bundle
            always gives the same interval.

    Raises:
        QuestionError: One has no answer, they are of two kinds, or the second may be 0.
    """
    check = partial(check_question, domain=record.domain)
    questions = [
        read_question(text, record.domain, check)
        for text in (first_question, second_question)
    ]
    level = 1 - (1 - confidence) / 2  # Bonferroni: each answer has half of the error
    first, second = conclusions(
        questions, record, about=about, confidence=level, mended=mended, digest=digest
    )
    _check_alike(first, second)
    view = ReleaseView(record=record, level=confidence, sampled=about is About.PEOPLE)
    ends = contrast_ends(view, *questions, ratio=ratio)  # None if no joint noise is known
    combine = _ratio if ratio else _difference
    value, low, high = combine(first, second, ends)
    remarks = [*first.remarks, *second.remarks]
    if ends is not None and questions[0].kind.is_mean:
        remarks.append(FIRST_ORDER)
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
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _check_alike(first: Conclusion, second: Conclusion) -> None:
    """Refuse two answers that are not the same numbers of two groups.

    Raises:
        QuestionError: Units or labels differ, or the answers are most frequent values.
    """
    if first.unit != second.unit or first.labels != second.labels or first.chosen:
        refuse_question(
            f"'{first.question}' and '{second.question}' are not about the same number of "
            "two groups, and have no difference"
        )


ValueEnds = tuple[Floats, Floats, Floats]


def _difference(
    first: Conclusion, second: Conclusion, ends: tuple[float, float] | None
) -> ValueEnds:
    """Return the difference of two answers and its interval: value, low end, high end.

    Args:
        first, second: The answers, with intervals that hold together.
        ends: The ends by the joint noise of both answers; None if it is not known. Then the
            interval is as wide as both intervals together.
    """
    value = first.estimate - second.estimate
    if ends is None:
        return value, first.low - second.high, first.high - second.low
    return _clip_ends(value, *ends)


def _ratio(
    first: Conclusion, second: Conclusion, ends: tuple[float, float] | None
) -> ValueEnds:
    """Return the ratio of two answers and its interval: value, low end, high end.

    Args:
        first, second: The answers, with intervals that hold together.
        ends: The ends by the joint noise of both answers; None if it is not known. Then the
            interval has all ratios of values in both intervals.

    Raises:
        QuestionError: The interval of the second answer contains 0.
    """
    if ends is None and not ((second.low > 0) | (second.high < 0)).all():
        refuse_question(f"the noise could hide that '{second.question}' is 0")
    with np.errstate(divide="ignore", invalid="ignore"):
        value = first.estimate / second.estimate
        if ends is not None:
            return _clip_ends(value, *ends)
        # The second has one sign, so the extreme ratios are among those of the ends.
        of_ends = [a / b for a in (first.low, first.high) for b in (second.low, second.high)]
    return value, np.min(of_ends, axis=0), np.max(of_ends, axis=0)


def _clip_ends(value: Floats, low: float, high: float) -> ValueEnds:
    """Return the value cut to its interval, and both ends as arrays.

    A value that is not finite, as after a division by 0, becomes the interval's middle.

    Args:
        value: The estimate, shape (1,).
        low, high: The ends of its interval.
    """
    middle = np.where(np.isfinite(value), value, (low + high) / 2)
    return np.clip(middle, low, high), np.array([low]), np.array([high])
