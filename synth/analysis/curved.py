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
MAX_FAILED_SHARE = 0.02
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
    """Return a variance, a covariance, a correlation, or a linear regression.

    Args:
        question: One of these, for one group of rows.
        view: The release, and the level of the intervals.
        rng: Draws the noise of the simulation.

    Returns:
        Arrays of shape (numbers,); a regression has its intercept first, then its slopes.

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
    # The columns without the regressors, which are the last ones.
    outcomes = question.columns[: len(question.columns) - len(question.regressors)]
    regressors = factors_of(question.regressors, question.reference, view.domain, where=where)
    sums = Products(
        [*(DesignFactor(name=name) for name in outcomes), *regressors],
        view,
        question.where,
        where=where,
    )
    numbers = _simulate(sums, question, view.level, rng=rng)
    # Repaired counts would assume positions within bins; measured ones (`placed`) are better.
    if sums.placed is not None:
        return numbers
    mended = mended_columns(used_in(question.where, *sums.names), view)
    if mended is None:
        return numbers
    repaired_sums = Products(sums.factors, view, question.where, where=where, whole=mended)
    return moved_nearer(numbers, _estimate(repaired_sums, question.kind), view)


def moved_nearer(numbers: Numbers, value: Floats, view: ReleaseView) -> Numbers:
    """Return the numbers with other estimates, which must stay inside their intervals.

    An estimate outside its interval becomes the nearest end for a histogram. For a model,
    whose rows have further errors, it becomes the estimate from the noisy counts.

    Args:
        numbers: Estimates from the noisy counts, with their intervals.
        value: Other estimates, from repaired counts, shape (numbers,).
        view: The release.
    """
    nearest = np.clip(value, numbers.low, numbers.high)
    if view.record.histogram is None:
        nearest = np.where(nearest == value, value, numbers.value)
    return replace(numbers, value=nearest)


def _estimate(sums: Products, kind: QuestionKind) -> Floats:
    """Return a statistic's estimate from noisy sums of products, shape (numbers,).

    Rows count as uniform in their bins. In a bin of half width h, the mean squared distance
    from the middle is h^2 / 3 for real numbers. It is h (h + s) / 3 for values that are s
    apart, such as whole numbers or days.

    Args:
        sums: The sums over the rows of products of two columns.
        kind: The statistic, which is a function of these sums.
    """
    # Products of the middles, and of the half widths, of two columns each. The first row is
    # for a column of ones, so `halves[0]` are the sums of h.
    middles, halves = sums.matrices(sums.sums)
    # For each factor, the sum over the rows of h (h + s).
    squares = halves.diagonal() + sums.steps * halves[0]
    assert kind.of_products is not None
    return kind.of_products(middles + np.diag(squares) / 3)


def _simulate(
    sums: Products, question: Question, level: float, *, rng: np.random.Generator
) -> Numbers:
    """Return the statistic's estimate, and its interval by simulated noise.

    Computes the least and the greatest value over all positions of rows within their bins:
    for the released sums, and for ``DRAWS`` sums with noise drawn again. The quantiles of the
    latter give the interval around the former.

    Args:
        sums: The noisy sums of products of two columns, with their covariances.
        question: The question; its kind is the statistic.
        level: Probability that the interval contains the true value.
        rng: Draws the noise.

    Raises:
        QuestionError: The bins are too coarse, or too many draws have no result.
    """
    # Row 0 of `numbers` has the places of the numbers of rows among the sums.
    check_levels(sums.factors, sums.numbers[0], sums.sums, covariance=sums.covariance)
    drawn_sums = sums.sums + noise_drawn(sums.covariance, DRAWS, rng)
    if sums.placed is not None:
        return _simulate_placed(sums, question, level, drawn_sums=drawn_sums)
    kind = question.kind
    value = _estimate(sums, kind)
    # `of_bins` gives the least and the greatest value over all positions within bins, from
    # the products of the bins' middles and of their half widths (`Products.matrices`).
    assert kind.of_bins is not None
    least, greatest = kind.of_bins(*sums.matrices(sums.sums))
    least_drawn, greatest_drawn = kind.of_bins(*sums.matrices(drawn_sums))
    is_bounded = np.isfinite(least).all() and np.isfinite(greatest).all()
    # With a finite estimate it is not the noise but the bins that leave no bound.
    if not is_bounded and np.isfinite(value).all():
        refuse_question(COARSE)
    low = interval_from(least, least_drawn, level, why=kind.hidden)
    high = interval_from(greatest, greatest_drawn, level, why=kind.hidden)
    return Numbers(np.clip(value, low.low, high.high), low.low, high.high)


def _simulate_placed(
    sums: Products, question: Question, level: float, *, drawn_sums: Floats
) -> Numbers:
    """Return the statistic's estimate and interval, if positions within bins were measured.

    The sums then are exact but for noise, rounding and a bounded error. Computes the least
    and the greatest value within that error, for the released sums and for sums with noise
    drawn again.

    Args:
        sums: The noisy sums of products; numbers count from the middles of their ranges.
        question: The question; its kind is the statistic.
        level: Probability that the interval contains the true value.
        drawn_sums: The sums with noise drawn again, shape (draws, sums).

    Raises:
        QuestionError: The bins are too coarse, or too many draws have no result.
    """
    kind = question.kind
    assert sums.placed is not None
    assert kind.of_products is not None
    assert kind.within is not None
    # `within` gives the least and the greatest value for sums that may be wrong by `off`.
    off = sums.matrices(sums.off)[0]
    ends_now = kind.within(sums.matrices(sums.sums)[0], off)
    ends_drawn = kind.within(sums.matrices(drawn_sums)[0], off)
    value = kind.of_products(sums.matrices(sums.sums)[0])
    if not np.isfinite(ends_now).all() and np.isfinite(value).all():
        refuse_question(COARSE)
    if question.regressors:  # an intercept depends on where numbers are counted from
        ends_now = _count_from_zero(ends_now, sums.origins)
        ends_drawn = _count_from_zero(ends_drawn, sums.origins)
        value = _count_from_zero((value, value), sums.origins)[0]
    least, greatest = ends_now
    least_drawn, greatest_drawn = ends_drawn
    low = interval_from(least, least_drawn, level, why=kind.hidden)
    high = interval_from(greatest, greatest_drawn, level, why=kind.hidden)
    # `is_bounded`: the product of two offsets was not measured, and only a bound is known.
    remarks = [PLACES_BOUNDED if any(placed.is_bounded for placed in sums.placed) else PLACES]
    if sums.shares_sums:
        remarks.append(PLACES_SHARED)
    ends = np.minimum(low.low, high.low), np.maximum(low.high, high.high)
    return Numbers(np.clip(value, *ends), *ends, remarks=tuple(remarks))


def _count_from_zero(ends: tuple[Floats, Floats], origins: Floats) -> tuple[Floats, Floats]:
    """Return the ends of coefficients with numbers counted from 0 instead of their origins.

    Slopes stay. The intercept grows by the origin of the outcome, less each slope times the
    origin of its regressor.

    Args:
        ends: Low and high ends of the coefficients, each of shape (..., coefficients), the
            intercept first.
        origins: The origin of the outcome, then of each regressor.
    """
    middle = (ends[0] + ends[1]) / 2
    reach = (ends[1] - ends[0]) / 2
    # Half the widths of the slopes' intervals add up in the intercept at most.
    middle[..., 0] += origins[0] - middle[..., 1:] @ origins[1:]
    reach[..., 0] += reach[..., 1:] @ np.abs(origins[1:])
    return middle - reach, middle + reach


def noise_drawn(covariance: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draw normal noise of several sums, shape (draws, sums).

    Args:
        covariance: Covariances of the noise, shape (sums, sums).
        draws: How often the noise of all sums is drawn.
        rng: Draws it.
    """
    zero = np.zeros(len(covariance))
    # Rounding may make the matrix slightly indefinite, which "eigh" can take.
    return rng.multivariate_normal(
        zero, covariance, draws, check_valid="ignore", method="eigh"
    )


def check_levels(
    factors: tuple[DesignFactor, ...], numbers: Ints, sums: Floats, *, covariance: Floats
) -> None:
    """Refuse values of listed columns that no row may have, as far as the noise shows.

    A level is a value of such a column; it has a factor that is 1 for its rows, except for
    the reference level.

    Args:
        factors: The factors of a regression.
        numbers: Positions in ``sums``: first of the number of all rows, then for each factor
            of the number of its rows. Those of factors without a level are not used.
        sums: Noisy sums over the rows, shape (sums,).
        covariance: Covariances of their noise, shape (sums, sums).

    Raises:
        QuestionError: Some level may have no rows; the message has those of the first such
            list.
    """
    for name in dict.fromkeys(factor.name for factor in factors if factor.level):
        places = {
            factor.level: place
            for factor, place in zip(factors, numbers[1:].tolist(), strict=True)
            if factor.name == name
        }
        weights = {level: np.eye(len(sums))[place] for level, place in places.items()}
        # Rows of the reference level are all rows without those of the other levels.
        reference_weights = np.zeros(len(sums))
        reference_weights[numbers[0]] = 1.0
        reference_weights[[*places.values()]] = -1.0
        reference = next(factor.reference for factor in factors if factor.name == name)
        weights[reference] = reference_weights
        hidden = []
        for level, level_weights in weights.items():
            variance = max(level_weights @ covariance @ level_weights, 0.0)
            if level_weights @ sums <= EMPTY_LEVEL_DEVIATIONS * variance**0.5:
                hidden.append(level)
        if hidden:
            levels = ", ".join(map(value_text, hidden))
            refuse_question(
                f"the noise could hide all rows of {len(hidden)} of the values of '{name}'; "
                f"add 'where {name_text(name)} not in ({levels})'"
            )


def interval_from(
    value: Floats, simulated: Floats, level: float, *, why: str = QuestionKind.hidden
) -> Numbers:
    """Return intervals from simulated results: their percentiles and mirror images.

    Each interval contains the percentile interval of the bootstrap, and the basic one, which
    mirrors the percentiles at the estimate and so corrects a bias.

    Args:
        value: Estimates, shape (numbers,).
        simulated: Results with noise drawn again, shape (draws, numbers); NaN for a draw
            without a result.
        level: Probability that an interval contains the true value.
        why: The reason for a refusal.

    Raises:
        QuestionError: An estimate is not finite, or too many draws have no result.
    """
    failed = ~np.isfinite(simulated).all(axis=1)
    if failed.mean() > MAX_FAILED_SHARE or not np.isfinite(value).all():
        refuse_question(why)
    low, high = np.quantile(simulated[~failed], [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Numbers(
        value, np.minimum(low, 2 * value - high), np.maximum(high, 2 * value - low)
    )
