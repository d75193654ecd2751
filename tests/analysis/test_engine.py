"""Which way answers: sums of noisy counts, and refusals that say what a fresh answer
costs.
"""

from fractions import Fraction

import numpy as np
import pytest

from synth.analysis import About, conclusions
from synth.domain import Domain
from synth.domain.building import Integer
from synth.errors import ArgumentError, SynthError
from tests.analysis.releases import (
    TRUE_COUNTS,
    histogram_release,
    marginals_release,
    record_of,
)
from tests.analysis.test_linear import histogram


def test_a_count_is_the_sum_of_its_cells() -> None:
    """A count is answered by the sum of the noisy counts of its cells, inside an interval
    that covers the noise.

    Women are 10 + 30 + 50 + 70 = 160 in the four bins of age.
    """
    (conclusion,) = conclusions(["count where sex = F"], histogram())
    assert conclusion.estimate.tolist() == [160.0]
    assert conclusion.low[0] < 160 < conclusion.high[0]
    assert conclusion.counts == ("the noise of the release",)
    assert conclusion.to_json()["bound"] is False


def test_people_have_wider_intervals_than_rows_and_no_counts() -> None:
    """An interval about people is wider than one about rows; a count of people is refused, as
    their number is not known.
    """
    release = histogram_release()
    (rows,) = conclusions(["share where sex = F"], release)
    (people,) = conclusions(["share where sex = F"], release, about=About.PEOPLE)
    assert people.population
    assert people.low[0] < rows.low[0] < rows.high[0] < people.high[0]
    # Wider than the binomial interval of a share, which knows of no noise.
    n = TRUE_COUNTS.sum()
    share = TRUE_COUNTS[:, :, 0].sum() / n
    assert people.high[0] - people.low[0] > 2 * 1.96 * (share * (1 - share) / n) ** 0.5

    with pytest.raises(
        SynthError, match=r"how many people there are is not known; ask a share"
    ):
        conclusions(["count where sex = F"], release, about=About.PEOPLE)


def test_a_higher_confidence_is_wider() -> None:
    """An interval at 99.9 % holds the one at 80 %, and says its level; a level of 1 is
    refused.
    """
    release = histogram_release()
    at_80_percent, at_999_of_1000 = (
        conclusions(["count where sex = F"], release, confidence=level)[0]
        for level in (0.8, 0.999)
    )
    assert (
        at_999_of_1000.low[0]
        < at_80_percent.low[0]
        < at_80_percent.high[0]
        < at_999_of_1000.high[0]
    )
    assert at_999_of_1000.sentence.startswith("The 99.9 % interval counts")
    with pytest.raises(ArgumentError, match="confidence"):
        conclusions(["count where sex = F"], release, confidence=1)


def test_a_release_counts_values_that_are_missing_for_any_reason() -> None:
    """A release counts values that are missing, and those that say why, as missing.

    There are 50 and 30 rows in the two bins of hours, 12 with the reason 98, and 8 in the
    missing cell.
    """
    hours = Integer(0, 9, bins=2, spikes=(98,), missing={"98": "refused"})
    domain = Domain(hours=hours)
    assert domain["hours"].titles[-2:] == ("98 · refused", "(missing)")
    release = record_of(domain, np.array([50, 30, 12, 8]), Fraction(1), 100)

    missing, present = conclusions(
        ["count where hours is missing", "count where hours is not missing"], release
    )

    assert (missing.estimate.tolist(), present.estimate.tolist()) == ([20.0], [80.0])


APART = [
    *(f"{kind} age by job" for kind in ("mean", "total", "variance")),
    *(f"{kind} hours by job" for kind in ("mean", "total", "variance")),
    *(f"mean {name} where job = {job}" for name in ("age", "hours") for job in "abcd"),
    *(f"total {name} where job = {job}" for name in ("age", "hours") for job in "ab"),
    *(f"median {name} where job = {job}" for name in ("age", "hours") for job in "ab"),
    *(f"variance {name} where job = {job}" for name in ("age", "hours") for job in "cd"),
    *(f"quantiles .1, .9 of {name} where job = a" for name in ("age", "hours")),
    "means age, hours where job = a",
    "mean age by sex, job",
    "mean age by sex where hours > 4",
    "mean hours where age > 40 and sex = F",
    "median age where hours > 4 and sex = F",
    "variance age where hours > 4 and sex = F",
    "covariance age, hours where sex = F",
    "covariance age, hours where job = a",
    "regression hours on age where sex = F",
    "regression age on hours where job = b",
    "components age, hours",
    "best of [age < 30; age > 60] by count",
    "best of [age < 30; hours > 6] by count where job = a",
    "total hours where age > 40 and sex = M",
    "total age by sex, job",
    "table age by job where sex = F",
    "table sex by job where age > 40",
    "table hours where age > 40 and sex = F",
    "top 2 job where age > 40",
    "top 2 job with counts where sex = F",
    "variance hours by sex, job",
    "covariance age, hours by sex",
    "covariance age, hours by job",
    "count where (age < 22 or job = a) and (hours = 0 or sex = F)",
    "mean age where age > 40 and job = a",
    "correlation age, hours where sex = F",
    "regression hours on age, job",
    "regression age on sex, job",
    "regression hours on age, sex",  # rows of another sex cannot be left out of pairs
    "logistic sex on age, hours",
    "logistic sex on job",
    "logistic hours > 4 on age, sex",
    "logistic (age > 40 and sex = F) on hours",
    "logistic hours > 4 on age where sex = F",
]


def test_fifty_questions_that_a_model_cannot_answer_are_refused() -> None:
    """A model refuses each question whose columns it did not measure together, or that no
    noisy counts can answer, such as components.

    `marginals_release` measured age, hours and sex by pairs, and job by itself.
    """
    release = marginals_release()
    assert len(set(APART)) >= 50
    for question in APART:
        with pytest.raises(SynthError, match=r"^The release cannot answer "):
            conclusions([question], release)


def test_what_was_measured_together_is_answered() -> None:
    """Questions about one or two columns that the model measured together have finite
    estimates, not only bounds.

    The model measured age, hours and sex by pairs, and each column by itself.
    """
    release = marginals_release()
    for question in (
        "count where age > 49 and sex = F",
        "mean hours where sex = M",
        "table hours by sex",
        "median age where sex = F",
        "regression hours on age",
        "variance age where sex = F",
    ):
        (conclusion,) = conclusions([question], release)
        assert not conclusion.bound
        assert np.isfinite(conclusion.estimate).all()


def test_what_a_release_lacks_is_refused_with_a_price() -> None:
    """A release that lists only counts from 5 up refuses a count, and states the expected
    error of asking the table instead.
    """
    with pytest.raises(SynthError, match=r"^The release cannot .* average error would be ± "):
        conclusions(["count where sex = F"], histogram(threshold=5))


def test_an_estimate_is_the_mended_count_where_the_noise_allows_it() -> None:
    """A repaired count within its interval is the estimate; beyond it, the nearest end
    is.

    The repaired counts are the true ones of F, M and other, moved by 1, 10,000 and 2
    rows.
    """
    release = histogram_release()
    truth = TRUE_COUNTS.sum(axis=(0, 1, 3)).astype(float)
    moved = np.array([1, 10**4, 2])
    (conclusion,) = conclusions(["table sex"], release, mended=lambda _: truth + moved)

    within = np.clip(truth + moved, conclusion.low, conclusion.high)
    assert conclusion.estimate.tolist() == pytest.approx(within.tolist())
    assert conclusion.estimate[1] == conclusion.high[1]
    # 10,000 more is more than the noise allows.
    assert abs(conclusion.estimate[1] - truth[1]) < 1_000
    assert "repaired counts" in conclusion.how
