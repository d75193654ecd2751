"""Variances, correlations and regressions from noisy sums of products. PUBLIC.

The effect of bins is bounded by proof; that of noise is simulated (Bernstein, Sheldon 2019;
Ferrando, Wang, Sheldon 2022).
"""
# The joint noise of all sums is close to normal, with known covariances, also across
# histograms. Each draw gives the smallest and largest number over all positions of rows
# within their bins. Percentiles of both, and their mirror images, which remove the bias, make
# the interval.

from dataclasses import replace

import numpy as np

from synth.analysis.factors import DesignFactor, factors_of
from synth.analysis.products import Products
from synth.analysis.release_view import ReleaseView
from synth.analysis.selection import mended_columns, refuse_cuts, select_cells, used_in
from synth.questions import (
    Numbers,
    Question,
    QuestionKind,
    name_text,
    refuse_question,
    value_text,
)
from synth.util import Floats, Ints

DRAWS = 600
# Largest share of draws without a result.
FAILING = 0.02
# A level may be empty if its count is within this many standard deviations of 0.
EMPTY_LEVEL_DEVIATIONS = 3.0
COARSE = "its bins are too coarse: almost any number is possible"
PLACES = (
    "measured: positions within bins, by noisy sums of offsets and products; bounded: their "
    "rounding"
)
PLACES_BOUNDED = (
    "measured: positions within bins, by noisy sums of offsets; bounded: products of two "
    "offsets, by a quarter of the product of the bins' widths"
)
PLACES_SHARED = (
    "bounded: positions within bins of rows that are in the noisy sums and do not count "
    "here, such as rows without one of the numbers"
)


def conclude_curved(
    question: Question, view: ReleaseView, rng: np.random.Generator
) -> Numbers:
    """Return a variance, a covariance, a correlation, or a regression.

    Raises:
        QuestionError: Columns were not measured together, or the noise hides the result.
    """
    if question.by:
        refuse_question(
            f"a {question.kind.noun} by group is read off a release by 'where', one group at "
            "a time"
        )
    where = select_cells(question.where, view)
    refuse_cuts(where)
    outcomes = question.columns[: len(question.columns) - len(question.regressors)]
    regressors = factors_of(question.regressors, question.reference, view.domain, where=where)
    sums = Products(
        [*(DesignFactor(name=name) for name in outcomes), *regressors],
        view,
        question.where,
        where=where,
    )
    numbers = _simulate(sums, question, view.level, rng=rng)
    if sums.placed is not None:
        return numbers
    mended = mended_columns(used_in(question.where, *sums.names), view)
    if mended is None:
        return numbers
    nearer = Products(sums.factors, view, question.where, where=where, whole=mended)
    return moved_nearer(numbers, _estimate(nearer, question.kind), view)


def moved_nearer(numbers: Numbers, value: Floats, view: ReleaseView) -> Numbers:
    """Return other estimates, with a likely value for each that is outside its interval."""
    # For a histogram that is the nearest end; for a model, whose rows have further errors,
    # the estimate from the noisy counts.
    nearest = np.clip(value, numbers.low, numbers.high)
    if view.record.histogram is None:
        nearest = np.where(nearest == value, value, numbers.value)
    return replace(numbers, value=nearest)


def _estimate(sums: Products, kind: QuestionKind) -> Floats:
    """Return the estimate of a curved statistic from the noisy sums.

    For rows uniform in their bins. The mean squared offset is h^2 / 3 of real numbers, and h
    (h + s) / 3 of values that are s apart, such as whole numbers or days.
    """
    middles, halves = sums.matrices(sums.sums)
    squares = halves.diagonal() + sums.steps * halves[0]
    assert kind.of_products is not None
    return kind.of_products(middles + np.diag(squares) / 3)


def _simulate(
    sums: Products, question: Question, level: float, *, rng: np.random.Generator
) -> Numbers:
    """Return the statistic's estimate, and its interval by simulated noise.

    Computes the least and the greatest value over the places that rows may have in their
    bins, for the released sums and for sums with noise drawn again; the spread of the latter
    widens the former.
    """
    check_levels(sums.factors, sums.numbers[0], sums.sums, covariance=sums.covariance)
    drawn_sums = sums.sums + noise_drawn(sums.covariance, DRAWS, rng)
    if sums.placed is not None:
        return _simulate_placed(sums, question, level, drawn_sums=drawn_sums)
    kind = question.kind
    value = _estimate(sums, kind)
    assert kind.of_bins is not None
    least, greatest = kind.of_bins(*sums.matrices(sums.sums))
    least_drawn, greatest_drawn = kind.of_bins(*sums.matrices(drawn_sums))
    is_bounded = np.isfinite(least).all() and np.isfinite(greatest).all()
    if not is_bounded and np.isfinite(value).all():
        refuse_question(COARSE)
    low = interval_from(least, least_drawn, level, why=kind.hidden)
    high = interval_from(greatest, greatest_drawn, level, why=kind.hidden)
    return Numbers(np.clip(value, low.low, high.high), low.low, high.high)


def _simulate_placed(
    sums: Products, question: Question, level: float, *, drawn_sums: Floats
) -> Numbers:
    """Return the statistic's estimate and interval, of sums whose places in bins were
    measured.

    Computes the least and the greatest value with rows off by what rounding and unmeasured
    places allow, for the released sums and for sums with noise drawn again.
    """
    kind = question.kind
    assert sums.placed is not None
    assert kind.of_products is not None
    assert kind.within is not None
    off = sums.matrices(sums.off)[0]
    ends_now = kind.within(sums.matrices(sums.sums)[0], off)
    ends_drawn = kind.within(sums.matrices(drawn_sums)[0], off)
    value = kind.of_products(sums.matrices(sums.sums)[0])
    if not np.isfinite(ends_now).all() and np.isfinite(value).all():
        refuse_question(COARSE)
    if question.regressors:
        ends_now = _from_zero(ends_now, sums.origins)
        ends_drawn = _from_zero(ends_drawn, sums.origins)
        value = _from_zero((value, value), sums.origins)[0]
    least, greatest = ends_now
    least_drawn, greatest_drawn = ends_drawn
    low = interval_from(least, least_drawn, level, why=kind.hidden)
    high = interval_from(greatest, greatest_drawn, level, why=kind.hidden)
    remarks = [PLACES_BOUNDED if any(placed.is_bounded for placed in sums.placed) else PLACES]
    if sums.shares_sums:
        remarks.append(PLACES_SHARED)
    ends = np.minimum(low.low, high.low), np.maximum(low.high, high.high)
    return Numbers(np.clip(value, *ends), *ends, remarks=tuple(remarks))


def _from_zero(ends: tuple[Floats, Floats], origins: Floats) -> tuple[Floats, Floats]:
    """Return the ends of coefficients with numbers counted from 0 instead of an origin.

    Slopes stay; intercepts change by the slopes times the origins.
    """
    middle = (ends[0] + ends[1]) / 2
    reach = (ends[1] - ends[0]) / 2
    middle[..., 0] += origins[0] - middle[..., 1:] @ origins[1:]
    reach[..., 0] += reach[..., 1:] @ np.abs(origins[1:])
    return middle - reach, middle + reach


def noise_drawn(covariance: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draw normal noise with these covariances, shape (draws, sums)."""
    zero = np.zeros(len(covariance))
    return rng.multivariate_normal(
        zero, covariance, draws, check_valid="ignore", method="eigh"
    )


def check_levels(
    factors: tuple[DesignFactor, ...], numbers: Ints, sums: Floats, *, covariance: Floats
) -> None:
    """Refuse levels of lists that could be empty under the noise.

    ``numbers`` are the sum that counts all rows, and those that count the rows of each
    factor.

    Raises:
        QuestionError: With the empty levels of the first such list.
    """
    for name in dict.fromkeys(factor.name for factor in factors if factor.level):
        places = {
            factor.level: place
            for factor, place in zip(factors, numbers[1:].tolist(), strict=True)
            if factor.name == name
        }
        reference_weights = np.zeros(len(sums))
        reference_weights[numbers[0]], reference_weights[[*places.values()]] = 1.0, -1.0
        weights = {level: np.eye(len(sums))[place] for level, place in places.items()}
        weights[next(factor.reference for factor in factors if factor.name == name)] = (
            reference_weights
        )
        hidden = [
            level
            for level, level_weights in weights.items()
            if level_weights @ sums
            <= EMPTY_LEVEL_DEVIATIONS
            * max(level_weights @ covariance @ level_weights, 0.0) ** 0.5
        ]
        if hidden:
            levels = ", ".join(map(value_text, hidden))
            refuse_question(
                f"the noise could hide all rows of {len(hidden)} of the values of '{name}'; "
                f"add 'where {name_text(name)} not in ({levels})'"
            )


def interval_from(
    value: Floats, simulated: Floats, level: float, *, why: str = QuestionKind.hidden
) -> Numbers:
    """Return an interval from simulated results: percentiles and their mirror image.

    ``simulated`` has shape (draws, numbers), NaN without a result.

    Raises:
        QuestionError: Too many draws have no result, with ``why``.
    """
    failed = ~np.isfinite(simulated).all(axis=1)
    if failed.mean() > FAILING or not np.isfinite(value).all():
        refuse_question(why)
    low, high = np.quantile(simulated[~failed], [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Numbers(
        value, np.minimum(low, 2 * value - high), np.maximum(high, 2 * value - low)
    )
