"""The way that answers a question about a release. PUBLIC."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from synth.analysis.conclusion import NOISE_SOURCE, PEOPLE, PLACE_IN_BIN, About, Conclusion
from synth.analysis.fresh import NOT_ANSWERED, refuse_released
from synth.analysis.linear import EVENLY, NO_ANSWER, from_release, mended_values
from synth.analysis.release_view import Mended, ReleaseView
from synth.analysis.seeds import generator
from synth.analysis.sources import MODEL
from synth.errors import LimitError, QuestionError
from synth.estimate import ColumnSet, Record
from synth.noise import LEVEL
from synth.questions import (
    Answer,
    Numbers,
    Question,
    check_question,
    group_labels,
    read_question,
)
from synth.util import Floats, in_range

NOT_MEASURED = "the release says nothing of"
LEFT_OUT_REMARK = (
    "rows without a value in one of its columns, or with one outside, are left out"
)
SIZE = (
    "how many people there are is not known; ask a share or a mean of them, or ask about "
    "the rows"
)
SUMS = "the sum of all noisy histograms with its columns"
REPAIRED_ESTIMATE = (
    "the estimate comes from the repaired counts, more accurate on average; outside the "
    "interval it is the nearest end, or for a model the noisy count"
)
MENDED = (
    f"the interval comes from {SUMS}, without bias; the estimate comes from the repaired "
    "counts, which are more accurate on average, cut to the interval"
)


def conclusions(  # noqa: PLR0913 - public: those of `Analysis.ask`
    questions: Iterable[str | Question],
    record: Record,
    *,
    about: About = About.ROWS,
    confidence: float = LEVEL,
    mended: Mended | None = None,
    digest: str = "",
) -> list[Conclusion]:
    """Answer questions from a release, in their order.

    Args:
        questions: The questions, as texts or read already.
        record: The public part of the release.
        about: Whether intervals are about the rows, or about a population of which they are a
            random sample.
        confidence: Probability that an interval contains the true value, from 0.5 to 0.9999.
        mended: From the numbers of columns to their repaired counts, which choose the
            estimates within their intervals; by default those of a histogram.
        digest: Of the bundle, so that it always simulates the same interval; if empty,
            simulations differ.

    Raises:
        QuestionError: A question is invalid, or the release cannot answer it.
        ArgumentError: The confidence is outside its range.
    """
    in_range(0.5, 0.9999, confidence=confidence)
    check = partial(check_question, domain=record.domain)
    checked = [read_question(question, record.domain, check) for question in questions]
    if mended is None and record.histogram is not None:
        mended = partial(_repair_rows, record)
    view = ReleaseView(
        record=record, level=confidence, sampled=about is About.PEOPLE, mended=mended
    )
    return [
        _conclude(question, view, generator(digest, str(question), about.value))
        for question in checked
    ]


def _repair_rows(record: Record, place: ColumnSet) -> Floats:
    """Return a histogram's repaired counts of these columns, in the shape of their cells."""
    repaired = record.expected(place)
    assert repaired is not None
    return repaired


def _conclude(question: Question, view: ReleaseView, rng: np.random.Generator) -> Conclusion:
    """Answer one question by the method for its kind.

    Args:
        question: Checked against the domain of the release.
        view: The release, and the level of the intervals.
        rng: Draws the noise of intervals by simulation.

    Raises:
        QuestionError: The release cannot answer it; the message names the question.
    """
    kind = question.kind
    record = view.record
    if view.sampled and kind.grows_with_rows:  # counts and totals of a population
        raise QuestionError(f"{NOT_ANSWERED} '{question}': {SIZE}.")
    if question.claimed is not None:
        raise QuestionError(
            f"{NOT_ANSWERED} '{question}': a figure is compared with the confidential table. "
            f"Read the {question.claimed.of} off the release, or ask the table."
        )
    if question.over != "rows":
        refuse_released(question, record, "a release counts rows, not persons")
    try:
        if kind.is_ranked:
            return _conclude_ranks(question, view)
        # Variances, correlations and linear regressions; or, with an outcome, a logistic one.
        if kind.of_products or question.outcome:
            return _simulate(question, view, rng)
        if kind.adds_products or kind.is_single_choice:
            refuse_released(question, record, f"it has no {kind}")
        return _linear(question, view)
    except (QuestionError, LimitError) as error:
        why = str(error)
        if why.startswith(NOT_ANSWERED):  # names the question already
            raise
        refuse_released(question, record, why)


def _linear(question: Question, view: ReleaseView) -> Conclusion:
    """Answer a question of counts, shares, totals or means from the release.

    The interval comes from the noisy counts. If there are repaired counts, the estimate is
    theirs, cut to that interval. Columns that were not measured together get bounds.

    Raises:
        QuestionError: The release has no answer.
    """
    (answer,) = from_release([question], view)
    # A remark says if the release has no answer, or only the estimate of its model.
    refusals = [remark for remark in answer.remarks if remark.startswith(NO_ANSWER)]
    reason = refusals[0].removeprefix(NO_ANSWER) if refusals else ""
    if MODEL in answer.remarks or reason.startswith(NOT_MEASURED):
        return _conclude_bounds(question, view)
    if not reason and np.isnan(answer.value).all() and not answer.chosen:
        reason = "the noise could hide all of its rows"
    if reason:
        refuse_released(question, view.record, reason)
    if not answer.expected_error:  # such as the public number of rows
        return _conclusion(answer, view, how="public", counts=())
    # The errors that the interval covers, in words.
    error_sources: tuple[str, ...] = (NOISE_SOURCE,)
    if EVENLY in answer.remarks:
        error_sources = (NOISE_SOURCE, PLACE_IN_BIN)
    # The first remark names the source, as `how` does.
    answer = replace(answer, remarks=answer.remarks[1:])
    # The most frequent values were chosen by noisy counts, and keep these.
    if view.mended is None or answer.chosen or question.counts:
        return _conclusion(answer, view, how=SUMS, counts=error_sources)
    repaired = mended_values(question, view)
    within = np.clip(repaired, answer.low, answer.high)
    value = np.where(np.isnan(repaired), answer.value, within)
    answer = replace(answer, value=value)
    return _conclusion(answer, view, how=MENDED, counts=error_sources)


def _conclusion(
    answer: Answer,
    view: ReleaseView,
    *,
    how: str,
    counts: tuple[str, ...] = (NOISE_SOURCE, PLACE_IN_BIN),
    bound: bool = False,
) -> Conclusion:
    """Return an answer as a conclusion, with its method and its sources of error.

    If the rows count as a sample of people, the sampling is added to the sources, except for
    a bound.

    Args:
        how: The method in words.
        counts: The errors that the interval covers, in words; none for a public number.
        bound: Whether the interval is a proved bound without an estimate inside.
    """
    if counts and view.sampled and not bound:
        counts = (*counts, PEOPLE)
    question = answer.question
    # The unit of a kind may hold ``{}`` for the names of its columns.
    return Conclusion(
        question=str(question),
        labels=answer.labels,
        estimate=answer.value,
        low=answer.low,
        high=answer.high,
        expected_error=answer.expected_error,
        confidence=view.level,
        unit=question.kind.unit.format(", ".join(question.columns)),
        how=how,
        counts=counts,
        about=About.PEOPLE if view.sampled else About.ROWS,
        bound=bound,
        remarks=answer.remarks,
        chosen=answer.chosen,
        columns=answer.columns,
    )


def _conclude_bounds(question: Question, view: ReleaseView) -> Conclusion:
    """Return bounds, without an estimate, if columns were not measured together.

    The bounds follow from what was measured of single columns and of pairs.

    Raises:
        QuestionError: There is no useful bound.
    """
    from synth.analysis.bounds import bound_of

    low, high = bound_of(question, view)
    numbers = Numbers(np.full(len(low), np.nan), low, high)
    return _conclusion(
        Answer.from_numbers(question, group_labels(question, view.domain), numbers),
        view,
        how="what each of its columns, and any two that were measured together, leave "
        "possible",
        counts=(NOISE_SOURCE,),
        bound=True,
    )


def _conclude_ranks(question: Question, view: ReleaseView) -> Conclusion:
    """Answer a question about a median or about quantiles, with their intervals."""
    from synth.analysis.ranks import released_quantiles

    quantiles = released_quantiles(question, view)
    labels = group_labels(question, view.domain)
    return _conclusion(
        Answer.from_numbers(
            question, labels, quantiles, columns=(view.domain[question.columns[0]],)
        ),
        view,
        how="the bins that the noisy counts cannot rule out; within them, the repaired "
        "counts, with rows spread evenly",
    )


_BY_PRODUCTS = "sums of products over the noisy histograms of its columns"
_BY_ODDS = "iteratively reweighted least squares on the noisy counts of its columns"


def _simulate(question: Question, view: ReleaseView, rng: np.random.Generator) -> Conclusion:
    """Answer a question that is not linear in the counts, by simulated noise.

    These are variances, covariances, correlations and regressions. The intervals are cut to
    the possible numbers of the kind, such as -1 to 1 for a correlation.
    """
    from synth.analysis.curved import PLACES, conclude_curved
    from synth.analysis.factors import cell_numbers
    from synth.analysis.logistic import logistic

    simulate, method = (
        (logistic, _BY_ODDS) if question.outcome else (conclude_curved, _BY_PRODUCTS)
    )
    simulated = simulate(question, view, rng)
    ends = (
        np.clip(values, *question.kind.ends)
        for values in (simulated.value, simulated.low, simulated.high)
    )
    left_out = any(not cell_numbers(view.domain, name).held.all() for name in question.uses)
    remarks = simulated.remarks
    if left_out:
        remarks = (*remarks, LEFT_OUT_REMARK)
    numbers = Numbers(*ends, remarks=remarks)
    # With all positions within bins measured, their noise is that of the release.
    counts = (
        (NOISE_SOURCE, PLACE_IN_BIN) if PLACES not in simulated.remarks else (NOISE_SOURCE,)
    )
    conclusion = _conclusion(
        Answer.from_numbers(question, _coefficients(question, view), numbers),
        view,
        how=f"the interval by {method}; {REPAIRED_ESTIMATE}",
        counts=counts,
    )
    return replace(conclusion, simulated=True)


def _coefficients(question: Question, view: ReleaseView) -> tuple[str, ...]:
    """Return the labels of a regression's intercept and slopes; none for other questions."""
    if not question.regressors:
        return ()
    from synth.analysis.factors import factors_of
    from synth.analysis.selection import select_cells

    where = select_cells(question.where, view)
    factors = factors_of(question.regressors, question.reference, view.domain, where=where)
    return ("(intercept)", *(factor.label for factor in factors))
