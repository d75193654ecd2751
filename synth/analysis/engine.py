"""Which way answers a question of a release. PUBLIC."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from synth.analysis.bounds import bound_of
from synth.analysis.conclusion import BINS, NOISE, PEOPLE, About, Conclusion
from synth.analysis.curved import curved
from synth.analysis.factors import cell_numbers, factors_of
from synth.analysis.fresh import refuse_released
from synth.analysis.logistic import logistic
from synth.analysis.ranks import released_quantiles
from synth.analysis.seeds import generator
from synth.analysis.selection import selected
from synth.domain.domain import Domain
from synth.errors import LimitError, QuestionError
from synth.estimate.noisy.record import Place, Record
from synth.noise.floats.law import LEVEL
from synth.questions.answers import Answer, group_labels
from synth.questions.checking import check_question
from synth.questions.language import parse
from synth.questions.question import Question
from synth.questions.released import EVENLY, Mended, from_release, mended_values
from synth.questions.sources import MODEL
from synth.questions.way_names import WayName
from synth.util.arrays import Floats
from synth.util.check import in_range

NO_ANSWER = "no answer from this release: "
APART = "the release says nothing of"
ALONE = (
    "assumed: within their bins, rows of each bin may be anywhere, but lie alike at every value of "
    "the other columns"
)
LEFT_OUT = "rows without a value in one of its columns, or with one outside, are left out"
SIZE = (
    "how many people there are is not known; ask a share or a mean of them, or ask about the rows"
)
SUMS = "the sum of all noisy histograms that tell of its columns"
NEARER = (
    "the estimate by the mended counts, which are nearer to the truth on average; where these are "
    "outside, the nearest end of the interval, or of a model what the noisy counts say"
)
MENDED = (
    f"the interval by {SUMS}, which has no bias; "
    "the estimate by the mended counts, which are nearer to the truth on average, or the end of "
    "the interval where these are outside"
)


def conclusions(
    questions: Iterable[str | Question],
    record: Record,
    *,
    about: About = About.ROWS,
    confidence: float = LEVEL,
    mended: Mended | None = None,
    digest: str = "",
) -> list[Conclusion]:
    """What a release says to questions, in their order.

    Args:
        questions: As texts or read.
        record: What is public of the release.
        about: Whom the answers are about.
        confidence: Chance that an interval holds the truth, from 0.5 to 0.9999.
        mended: Counts with the noise mended, by which estimates are chosen within their intervals;
            of a histogram its repaired ones, where none are given.
        digest: Of the bundle, so that the same one simulates the same interval again; where it is
            empty, simulations differ from one to the next.

    Raises:
        QuestionError: One of them is none, or the release has no answer to it.
        ArgumentError: The confidence is none.
    """
    in_range(0.5, 0.9999, confidence=confidence)
    asked = [parse(one) if isinstance(one, str) else one for one in questions]
    checked = [check_question(one, record.domain) for one in asked]
    if mended is None and record.histogram is not None:
        mended = partial(_repaired, record)
    return [
        _concluded(one, record, about, confidence, mended, generator(digest, str(one), about.value))
        for one in checked
    ]


def _repaired(record: Record, place: Place) -> Floats:
    """Rows by cell after the repair of a histogram."""
    found = record.expected(place)
    assert found is not None
    return found


def _concluded(
    question: Question,
    record: Record,
    about: About,
    level: float,
    mended: Mended | None,
    rng: np.random.Generator,
) -> Conclusion:
    if about is About.PEOPLE and question.kind.is_whole:
        raise QuestionError(f"Not from this release: {SIZE}.")
    if question.over != "rows":
        refuse_released(question, record, "a release tells rows, not persons")
    try:
        if question.kind.ranked:
            return _ranked(question, record, about, level, mended)
        if question.kind.of_products or question.outcome:
            return _simulated(question, record, about, level, rng, mended)
        if question.kind.multiplies or question.kind.alone:
            refuse_released(question, record, f"it tells no {question.kind}")
        return _linear(question, record, about, level, mended)
    except (QuestionError, LimitError) as error:
        why = str(error)
        if why.startswith("Not from this release"):
            raise
        refuse_released(question, record, why)


def _linear(
    question: Question, record: Record, about: About, level: float, mended: Mended | None
) -> Conclusion:
    sampled = about is About.PEOPLE
    (answer,) = from_release([question], record, level, sampled=sampled)
    none = [one for one in answer.remarks if one.startswith(NO_ANSWER)]
    why = none[0].removeprefix(NO_ANSWER) if none else ""
    if MODEL in answer.remarks or why.startswith(APART):
        return _bounded(question, record, about, level)
    if why or (np.isnan(answer.value).all() and not answer.chosen):
        refuse_released(question, record, why or "the noise could hide all of its rows")
    if not answer.expected_error:
        return Conclusion.of(answer, how="public", counts=(), confidence=level, about=about)
    counts = _counts(sampled=sampled, bins=EVENLY in answer.remarks)
    remarks = answer.remarks[1:]  # the first says where it is from, as `how` does
    answer, how = replace(answer, remarks=remarks), SUMS
    if mended is not None and not answer.chosen and not question.kind.picks:
        found = mended_values(question, record, mended)
        within = np.clip(found, answer.low, answer.high)
        value = np.where(np.isnan(found), answer.value, within)
        answer, how = replace(answer, value=value), MENDED
    return Conclusion.of(answer, how=how, counts=counts, confidence=level, about=about)


def _counts(*, sampled: bool, bins: bool) -> tuple[str, ...]:
    return (NOISE, *[BINS] * bins, *[PEOPLE] * sampled)


def _bounded(question: Question, record: Record, about: About, level: float) -> Conclusion:
    low, high = bound_of(question, record, level, sampled=about is About.PEOPLE)
    none = np.full(len(low), np.nan)
    labels = group_labels(question, record.domain)
    answer = Answer(question, WayName.RELEASE, labels, none, low, high, np.nan)
    return Conclusion.of(
        answer,
        how="what each of its columns, and any two that were measured together, leave possible",
        counts=(NOISE,),
        confidence=level,
        about=about,
        bound=True,
    )


def _ranked(
    question: Question, record: Record, about: About, level: float, mended: Mended | None
) -> Conclusion:
    sampled = about is About.PEOPLE
    found = released_quantiles(question, record, level, sampled=sampled, mended=mended)
    column = record.domain[question.columns[0]]
    answer = _answer(
        question, group_labels(question, record.domain), found.value, found.low, found.high
    )
    return Conclusion.of(
        replace(answer, columns=(column,)),
        how="the bins that the noisy counts cannot rule out, and where in them ranks are by the "
        "mended counts if rows are spread evenly",
        counts=_counts(sampled=sampled, bins=True),
        confidence=level,
        about=about,
    )


_BY_PRODUCTS = "sums of products over the noisy histograms of its columns"
_BY_ODDS = "iteratively reweighted least squares on the noisy counts of its columns"


def _simulated(
    question: Question,
    record: Record,
    about: About,
    level: float,
    rng: np.random.Generator,
    mended: Mended | None,
) -> Conclusion:
    simulate, by = (logistic, _BY_ODDS) if question.outcome else (curved, _BY_PRODUCTS)
    sampled = about is About.PEOPLE
    found = simulate(question, record, level, rng, sampled=sampled, mended=mended)
    ends = (np.clip(one, *question.kind.ends) for one in (found.value, found.low, found.high))
    answer = _answer(question, _coefficients(question, record), *ends)
    left_out = (LEFT_OUT,) * _leaves_out(question, record.domain)
    return Conclusion.of(
        replace(answer, remarks=(ALONE, *left_out)),
        how=f"the interval by {by}; {NEARER}",
        counts=_counts(sampled=sampled, bins=True),
        confidence=level,
        about=about,
        simulated=True,
    )


def _coefficients(question: Question, record: Record) -> tuple[str, ...]:
    if not question.regressors:
        return ()
    where = selected(question.where, record)
    factors = factors_of(question.regressors, question.reference, record.domain, where)
    return ("(intercept)", *(one.label for one in factors))


def _leaves_out(question: Question, domain: Domain) -> bool:
    """Whether some column has a cell of rows that are not counted."""
    return any(not cell_numbers(domain, name).held.all() for name in question.used)


def _answer(
    question: Question, labels: tuple[str, ...], value: Floats, low: Floats, high: Floats
) -> Answer:
    return Answer(question, WayName.RELEASE, labels, value, low, high, np.nan)
