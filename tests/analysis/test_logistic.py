"""Logistic regressions: those of the cells, within their intervals, or refused in one
sentence.
"""

from fractions import Fraction

import numpy as np
import pytest

from synth.analysis import About, conclusions
from synth.errors import SynthError
from tests.analysis.releases import TRUE_COUNTS, histogram_release, marginals_release, nearly


def fit_logistic(
    counts: np.ndarray, columns: list[np.ndarray], true: np.ndarray
) -> np.ndarray:
    """By Newton's steps on whole rows, apart from the package."""
    x = np.stack([np.ones(len(true)), *columns], axis=1)
    n = counts.reshape(-1)
    slopes = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ slopes))
        information = (x.T * (n * p * (1 - p))) @ x
        slopes = slopes + np.linalg.solve(information, x.T @ (n * (true - p)))
    return slopes


def true_slopes() -> np.ndarray:
    """Of being M, on hours and jobs against the third."""
    counts = TRUE_COUNTS.sum(axis=0)
    hours, true, job = np.indices(counts.shape).reshape(3, -1)
    jobs = [(job == code).astype(float) for code in (0, 1, 3)]
    return fit_logistic(counts, [hours.astype(float), *jobs], true.astype(float))


def test_slopes_are_those_of_the_cells() -> None:
    """The coefficients of a logistic regression are near those of the true counts.

    `true_slopes` fits the counts by Newton's method, apart from the package. The interval of
    hours excludes 0, and is at most about a fifth of the slope wide.
    """
    (conclusion,) = conclusions(
        ["logistic sex on hours, job reference c"], histogram_release()
    )
    assert conclusion.labels == (
        "(intercept)",
        "hours",
        "job = a (against c)",
        "job = b (against c)",
        "job = d (against c)",
    )
    assert (conclusion.unit, conclusion.simulated) == ("log odds", True)
    expected = true_slopes()
    for low, coefficient, high in zip(conclusion.low, expected, conclusion.high, strict=True):
        assert nearly(low, coefficient, high)
    assert conclusion.low[1] > 0
    assert conclusion.high[1] - conclusion.low[1] < 0.2 * expected[1] + 0.02


def test_numbers_in_bins_are_refused() -> None:
    """A logistic regression is refused if it needs to know where in its bin an age is.

    Ages are released in bins of five years. 41 is no edge of them, hours have a bin each.
    """
    with pytest.raises(SynthError, match="rows may be anywhere in the bins of age"):
        conclusions(["logistic sex on age, hours"], histogram_release())
    with pytest.raises(SynthError, match="a condition on age cuts a bin"):
        conclusions(["logistic age > 41 on sex"], histogram_release())


def test_without_noise_only_bins_are_left_open() -> None:
    """With next to no noise the interval shrinks to the coefficients of the true counts.

    Hours, sex and job have one value in each cell, so that no position in a bin is left open.
    The noise, of scale 1 / 99, is nearly always 0.
    """
    (conclusion,) = conclusions(
        ["logistic hours > 4 on sex, job reference c"],
        histogram_release(scale=Fraction(1, 99)),
    )
    counts = np.stack(
        [TRUE_COUNTS[:, :5].sum(axis=(0, 1)), TRUE_COUNTS[:, 5:].sum(axis=(0, 1))], axis=-1
    )
    sex, job, true = np.indices(counts.shape).reshape(3, -1)
    jobs = [(job == code).astype(float) for code in (0, 1, 3)]
    expected = fit_logistic(counts, [sex.astype(float), *jobs], true.astype(float))
    assert conclusion.estimate == pytest.approx(expected, abs=1e-6)
    assert conclusion.high - conclusion.low == pytest.approx(0, abs=1e-6)


def test_a_list_of_two_and_a_condition_are_the_same_outcome() -> None:
    """ "sex" with the values F and M is the same outcome as the condition "sex = M".

    The digest seeds both simulations alike, so that the whole conclusions are equal.
    """
    release = histogram_release()
    by_list, by_condition = (
        conclusions([question], release, digest="ab")[0]
        for question in ("logistic sex on hours", "logistic sex = M on hours")
    )
    assert by_list.to_json() == by_condition.to_json()


def test_people_have_wider_intervals() -> None:
    """Intervals about people are more than twice as wide as those about rows if noise is low.

    The noise has the scale 1 / 9. The interval about rows has only this noise; the one about
    people adds the sampling error, which is far larger.
    """
    release = histogram_release(scale=Fraction(1, 9))
    rows, people = (
        conclusions(["logistic sex on hours"], release, about=about, digest="ab")[0]
        for about in About
    )
    assert (people.high - people.low > 2 * (rows.high - rows.low)).all()


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("logistic sex on age, hours", "the release says nothing of"),
        ("logistic hours > 4 on age, sex", "the release says nothing of"),
        ("logistic hours > 4 on job", "the release says nothing of"),
    ],
)
def test_pairs_do_not_tell_of_three(question: str, why: str) -> None:
    """A logistic regression is refused if the model did not measure its columns all together.

    `marginals_release` measured pairs of age, hours and sex, and job by itself.
    """
    with pytest.raises(SynthError, match=f"^The release cannot answer .*{why} .* together"):
        conclusions([question], marginals_release())


def test_separation_is_refused_in_one_sentence() -> None:
    """A logistic regression is refused if its slopes would be infinite, as hours tell the sex
    for sure.
    """
    separated = np.zeros_like(TRUE_COUNTS)
    separated[:, :5, 0] = 100  # women work fewer than five hours
    separated[:, 5:, 1] = 100  # men work five or more
    release = histogram_release(separated, Fraction(1, 99))
    with pytest.raises(SynthError, match=r"separate the outcome"):
        conclusions(["logistic sex on hours"], release)


def test_slopes_that_other_noise_would_not_determine_are_refused() -> None:
    """No slopes are given if the same counts with other noise could have none.

    The noise has the scale 500 in each of 1,800 cells, for 20,000 rows.
    """
    with pytest.raises(SynthError, match=r"or would with other noise"):
        conclusions(["logistic sex on hours"], histogram_release(scale=Fraction(500)))
