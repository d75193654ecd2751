"""Variances and regressions by simulation: near the truth of the cells, and marked as
simulated.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from synth.analysis import About, conclusions, interval_from
from synth.domain import Categorical, Domain, building
from synth.errors import SynthError
from synth.estimate import MarginalsRecord, NoisyMarginal
from synth.noise import DiscreteGaussian, DiscreteLaplace
from synth.privacy import Guarantee
from synth.rows import draw_rows
from tests.analysis.releases import (
    DOMAIN,
    PAIRS,
    SHAPE,
    TRUE_COUNTS,
    histogram_release,
    marginals_release,
    nearly,
    record_of,
)

AGES, HOURS = 22 + 5 * np.arange(12), np.arange(10)
PAIR = TRUE_COUNTS.sum(axis=(2, 3))
N = PAIR.sum()


def true_slope() -> float:
    """Of hours on age, from the cells; five ages in a bin have the variance 2 within it."""
    x = AGES - (PAIR.sum(axis=1) @ AGES) / N
    y = HOURS - (PAIR.sum(axis=0) @ HOURS) / N
    return float((PAIR * np.outer(x, y)).sum() / (PAIR.sum(axis=1) @ (x**2 + 2)))


@pytest.mark.parametrize("make", [histogram_release, marginals_release])
def test_a_slope_is_within_its_interval(make: object) -> None:
    """The simulated interval of a slope holds the slope of the true counts.

    One release has the counts of all columns together, the other those of age and hours as a
    pair.
    """
    (conclusion,) = conclusions(["regression hours on age"], make())  # type: ignore[operator]
    assert conclusion.labels == ("(intercept)", "age")
    assert conclusion.simulated
    assert conclusion.low[1] < true_slope() < conclusion.high[1]


PLACES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "outward": lambda value, _: value > 50,
    "inward": lambda value, _: value < 50,
    "with the other": lambda _, other_value: other_value > 50,
    "against the other": lambda _, other_value: other_value < 50,
}
"""Whether a row is at the upper end of its bin, by its value and that of the other column."""


@pytest.mark.parametrize("bins", [4, 8, 25])
@pytest.mark.parametrize("place", PLACES)
def test_intervals_hold_wherever_rows_are_in_their_bins(place: str, bins: int) -> None:
    """Intervals hold the figures of the rows, wherever these are in their bins.

    9,000 rows of two numbers around 50, with deviation 20 and correlation 3/4, are each moved
    to an end of their bin. `place` says which end; it may depend on the other column. The
    release shows only how many rows are in each cell.
    """
    rng = np.random.default_rng(7)
    x, y, z = rng.multivariate_normal(
        [50, 50, 0], [[400, 300, 5], [300, 400, 9], [5, 9, 1]], 9000
    ).T
    x, y = np.clip(x, 0, 99.9), np.clip(y, 0, 99.9)
    width = 100 / bins
    group = (z > 0).astype(float)
    cells = [np.floor(column / width) for column in (x, y)]
    ends = [PLACES[place](x, y), PLACES[place](y, x)]  # 1 for the upper end, 0 for the lower
    x, y = (cell * width + 0.999 * width * end for cell, end in zip(cells, ends, strict=True))

    number = building.Number(0, 100, bins=bins)
    domain = Domain(x=number, y=number, z=building.Categorical("ab"))
    counts = np.zeros(domain.shape, np.int64)
    np.add.at(counts, (*(cell.astype(int) for cell in cells), group.astype(int)), 1)
    noisy = counts.reshape(-1) + DiscreteLaplace(Fraction(1)).draw(counts.size)
    release = record_of(domain, noisy, Fraction(1), len(x))

    # The truth is computed from the moved rows by NumPy.
    least_squares = [
        np.linalg.lstsq(np.stack([np.ones(len(x)), *regressors], axis=1), y, rcond=None)[0]
        for regressors in ([x], [x, group])
    ]
    truths = {
        "variance x": [x.var()],
        "covariance x, y": [np.cov(x, y, bias=True)[0, 1]],
        "correlation x, y": [np.corrcoef(x, y)[0, 1]],
        "regression y on x": least_squares[0],
        "regression y on x, z": least_squares[1],
    }
    for question, truth in truths.items():
        (conclusion,) = conclusions([question], release)
        assert (conclusion.low <= truth).all(), question
        assert (truth <= conclusion.high).all(), question


@pytest.mark.parametrize("question", ["correlation x, y", "regression y on x"])
def test_bins_that_bound_nothing_are_refused(question: str) -> None:
    """A question is refused if the bins of its columns are too coarse to bound the answer.

    Each column has two bins of width 50, so that its rows could all be at one value: no
    variance above 0 is sure.
    """
    number = building.Number(0, 100, bins=2)
    counts = np.array([700, 50, 40, 10])
    with pytest.raises(SynthError, match="its bins are too coarse"):
        conclusions(
            [question], record_of(Domain(x=number, y=number), counts, Fraction(1), 800)
        )


def test_a_condition_that_cuts_a_bin_is_refused() -> None:
    """Ages 40 to 44 share a bin, of which 41 is no edge."""
    with pytest.raises(SynthError, match="a condition on age cuts a bin"):
        conclusions(["variance hours where age > 41"], histogram_release())


def test_a_variance_is_that_of_the_cells() -> None:
    """The interval of a variance of hours is near that of the women in the true counts."""
    (conclusion,) = conclusions(["variance hours where sex = F"], marginals_release())

    counts = TRUE_COUNTS[:, :, 0].sum(
        axis=(0, 2)
    )  # women by hours, summed over ages and jobs
    mean = counts @ HOURS / counts.sum()
    truth = counts @ (HOURS - mean) ** 2 / counts.sum()
    assert nearly(conclusion.low[0], truth, conclusion.high[0])


def test_whole_numbers_are_estimated_as_rows_are_drawn() -> None:
    """A variance of whole numbers takes each number of a bin as equally likely, and drawn
    rows agree with it.

    The numbers 0 to 29, each as likely as the others, have the variance (30^2 - 1) / 12. The
    noise, of scale 1 / 100, is next to none.
    """
    domain = Domain(age=building.Integer(0, 29, bins=6))
    counts = np.full(6, 50_000)
    record = record_of(domain, counts, Fraction(1, 100), int(counts.sum()))
    (conclusion,) = conclusions(["variance age"], record)
    assert conclusion.estimate[0] == pytest.approx((30**2 - 1) / 12, abs=0.01)
    ages = draw_rows(record.distribution).table["age"].to_numpy()
    # The drawn rows are within six standard deviations of the estimate.
    assert ages.var() == pytest.approx(conclusion.estimate[0], abs=0.7)


def test_people_have_wider_intervals() -> None:
    """Intervals about people are wider than those about rows, as they add the sampling error.

    They are wider by 13 % on average. One simulated ratio differs from the next by 6 %, so
    that the mean of nine deviates by 2 %, and 1.02 leaves five such deviations.
    """
    ratios = []
    for _ in range(9):
        release = histogram_release()
        rows, people = (
            conclusions(["variance hours"], release, about=about)[0] for about in About
        )
        ratios.append((people.high[0] - people.low[0]) / (rows.high[0] - rows.low[0]))
    assert np.mean(ratios) > 1.02


def test_noise_that_hides_the_result_is_refused() -> None:
    """No interval is given where the noise could make the regression impossible.

    Noise of the variance 10^9 deviates by 31,623 rows in each cell; the table has 20,000
    rows. `interval_from` refuses likewise if no simulated result is a number.
    """
    with pytest.raises(SynthError, match=r"the noise could hide .* \(a singular design\)"):
        conclusions(["regression hours on age"], marginals_release(variance=10**9))
    with pytest.raises(SynthError, match="no such number"):
        interval_from(np.ones(1), np.full((10, 1), np.nan), 0.95)


def true_slopes_of_lists() -> np.ndarray:
    """Least squares of hours on sex and jobs against b, by cells."""
    counts = TRUE_COUNTS.sum(axis=0)
    hours, sex, job = np.indices(counts.shape).reshape(3, -1)
    codes = [(job == code).astype(float) for code in (0, 2, 3)]
    x = np.stack([np.ones(len(job)), sex, *codes], axis=1)
    n = counts.reshape(-1)
    return np.linalg.solve((x.T * n) @ x, x.T @ (n * hours))


def test_lists_are_regressors_against_a_reference_level() -> None:
    """A column of categories becomes one coefficient for each value but the reference.

    Each of them is near the least squares of the true counts, which NumPy computes.
    """
    (conclusion,) = conclusions(
        ["regression hours on sex, job reference b"], histogram_release()
    )
    assert conclusion.labels[1:3] == ("sex = M (against F)", "job = a (against b)")
    expected = true_slopes_of_lists()
    for low, coefficient, high in zip(conclusion.low, expected, conclusion.high, strict=True):
        assert nearly(low, coefficient, high)
    # Rows with another sex or job than those declared are left out.
    assert "left out" in conclusion.remarks[0]


def test_pairs_are_enough_for_a_linear_regression() -> None:
    """A model that measured two columns as a pair answers their regression and their
    correlation.
    """
    (regression,) = conclusions(["regression hours on age"], marginals_release(variance=1))
    (correlation,) = conclusions(["correlation age, hours"], marginals_release(variance=1))
    assert correlation.labels == ()

    shares = [PAIR.sum(axis=axis) / N for axis in (1, 0)]  # of rows by age, and by hours
    deviations = [
        np.sqrt(p @ values**2 - (p @ values) ** 2)
        for p, values in zip(shares, (AGES, HOURS), strict=True)
    ]
    # A correlation is a slope in standard deviations; 2 is the variance within a bin of ages.
    truth = true_slope() * (deviations[0] ** 2 + 2) ** 0.5 / deviations[1]
    assert correlation.estimate[0] == pytest.approx(truth, abs=0.01)
    assert np.sign(regression.estimate[1]) == np.sign(correlation.estimate[0])


def test_levels_that_the_noise_hides_are_named() -> None:
    """A regression on a column is refused if the noise could hide all rows of a value, and
    the message says how to leave that value out.
    """
    fewer = TRUE_COUNTS.copy()
    # The 360 cells of job d sum to -720. Their noise deviates by 54 in sum, so that the noisy
    # counts never show that job d has rows.
    fewer[..., 3] = -2
    release = histogram_release(fewer)
    with pytest.raises(SynthError, match=r"hide all rows of 1 .* 'where job not in \(d\)'"):
        conclusions(["regression hours on job"], release)

    (conclusion,) = conclusions(["regression hours on job where job not in (d)"], release)
    assert len(conclusion.labels) == 3  # the intercept, and two of a, b, c against the third


def measure_pairs(variance: int = 100) -> MarginalsRecord:
    """Age, hours and sex two at a time, without cells for other values."""
    sex = Categorical(name="sex", categories=("F", "M"))
    columns = (DOMAIN["age"], DOMAIN["hours"], sex)
    domain = Domain(columns)
    truth = TRUE_COUNTS.sum(axis=3)[:, :, :2]
    noise = DiscreteGaussian(Fraction(variance))
    measured = []
    for pair in PAIRS:
        (omitted,) = {0, 1, 2} - set(pair)
        counts = truth.sum(axis=omitted).reshape(-1)
        noisy = np.asarray(counts + noise.draw(counts.size))
        part = domain.project([domain.names[i] for i in pair])
        measured.append(
            (
                pair,
                NoisyMarginal(
                    domain=part,
                    values=noisy,
                    mechanism=noise,
                    guarantee=Guarantee.zcdp(1),
                    rows=int(N),
                ),
            )
        )
    return replace(marginals_release(), domain=domain, measured=tuple(measured))


def true_slopes_of_age_and_sex() -> np.ndarray:
    """Of hours on age, spread over its bins, and sex, by cells."""
    counts = TRUE_COUNTS.sum(axis=3)[:, :, :2]
    age, hours, sex = np.indices(counts.shape).reshape(3, -1)
    x = np.stack([np.ones(len(age)), AGES[age], sex], axis=1)
    n = counts.reshape(-1)
    square = (x.T * n) @ x
    square[1, 1] += 4 / 3 * n.sum()  # as rows are spread in bins of width 4
    return np.linalg.solve(square, x.T @ (n * hours))


def test_pairs_tell_of_three_columns() -> None:
    """Pairs are enough for a linear regression of three columns, but neither for a logistic
    one nor for one about people.

    `measure_pairs` has the noisy counts of age, hours and sex two at a time, never all three.
    Those other two questions need the counts of all three together.
    """
    (conclusion,) = conclusions(["regression hours on age, sex"], measure_pairs())
    assert conclusion.labels == ("(intercept)", "age", "sex = M (against F)")
    for low, coefficient, high in zip(
        conclusion.low, true_slopes_of_age_and_sex(), conclusion.high, strict=True
    ):
        assert nearly(low, coefficient, high)
    assert conclusion.low[2] > 0  # in the known counts men work more hours

    with pytest.raises(SynthError, match="says nothing of age and hours and sex together"):
        conclusions(["logistic sex on age, hours"], measure_pairs())
    with pytest.raises(SynthError, match="says nothing of age and hours and sex together"):
        conclusions(["regression hours on age, sex"], measure_pairs(), about=About.PEOPLE)


def test_an_estimate_is_the_mended_one_or_the_nearest_end() -> None:
    """The estimate comes from the repaired counts if that value is within the interval, and
    is the nearest end of the interval otherwise.

    `near` returns counts within the interval; `far` multiplies those of the hours 0 to 9 by 1
    to 1,000, so that their variance is beyond it. The digest makes both simulations the same.
    """
    release = histogram_release()
    noisy = release.noisy.values.reshape(SHAPE)
    nearer = (
        0.9 * noisy + 0.1 * TRUE_COUNTS
    )  # so near that it is within the interval in any case

    def near(place: tuple[int, ...]) -> np.ndarray:
        return nearer.sum(axis=tuple(i for i in range(4) if i not in place))

    def far(place: tuple[int, ...]) -> np.ndarray:
        return near(place) * np.arange(1, 11) ** 3

    within, beyond = (
        conclusions(["variance hours"], release, mended=mended, digest="ab")[0]
        for mended in (near, far)
    )
    counts = near((1,))
    mean = counts @ HOURS / counts.sum()
    assert within.estimate[0] == pytest.approx(counts @ (HOURS - mean) ** 2 / counts.sum())
    assert beyond.estimate[0] in (beyond.low[0], beyond.high[0])
    assert (beyond.low[0], beyond.high[0]) == (within.low[0], within.high[0])

    # Rows of a model err by more, so that its intervals are wider and hold the far counts.
    (modelled,) = conclusions(["variance hours"], marginals_release(), mended=far)
    assert modelled.low[0] < modelled.estimate[0] < modelled.high[0]
