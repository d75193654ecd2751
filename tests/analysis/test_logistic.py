"""Logistic regressions: those of the cells, within their intervals, or refused in one
sentence.
"""

from fractions import Fraction

import numpy as np
import pytest

from synth.analysis import About, conclusions
from synth.errors import SynthError
from tests.analysis.releases import TRUTH, dense, model, nearly


def fitted(counts: np.ndarray, columns: list[np.ndarray], true: np.ndarray) -> np.ndarray:
    """By Newton's steps on whole rows, apart from the package."""
    x, n, y = np.stack([np.ones(len(true)), *columns], axis=1), counts.reshape(-1), true
    slopes = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ slopes))
        slopes = slopes + np.linalg.solve((x.T * (n * p * (1 - p))) @ x, x.T @ (n * (y - p)))
    return slopes


def truth() -> np.ndarray:
    """Of being M, on hours and jobs against the third."""
    counts = TRUTH.sum(axis=0)
    hours, true, job = np.indices(counts.shape).reshape(3, -1)
    jobs = [(job == code).astype(float) for code in (0, 1, 3)]
    return fitted(counts, [hours.astype(float), *jobs], true.astype(float))


def test_slopes_are_those_of_the_cells() -> None:
    (found,) = conclusions(["logistic sex on hours, job reference c"], dense())
    assert found.labels == (
        "(intercept)",
        "hours",
        "job = a (against c)",
        "job = b (against c)",
        "job = d (against c)",
    )
    assert (found.unit, found.simulated) == ("log odds", True)
    wanted = truth()
    for low, one, high in zip(found.low, wanted, found.high, strict=True):
        assert nearly(low, one, high)
    assert found.low[1] > 0
    assert found.high[1] - found.low[1] < 0.2 * wanted[1] + 0.02


def test_numbers_in_bins_are_refused() -> None:
    with pytest.raises(SynthError, match="rows may be anywhere in the bins of age"):
        conclusions(["logistic sex on age, hours"], dense())
    with pytest.raises(SynthError, match="a condition on age cuts a bin"):
        conclusions(["logistic age > 41 on sex"], dense())


def test_without_noise_only_bins_are_left_open() -> None:
    (found,) = conclusions(
        ["logistic hours > 4 on sex, job reference c"], dense(scale=Fraction(1, 99))
    )
    counts = np.stack([TRUTH[:, :5].sum(axis=(0, 1)), TRUTH[:, 5:].sum(axis=(0, 1))], axis=-1)
    sex, job, true = np.indices(counts.shape).reshape(3, -1)
    jobs = [(job == code).astype(float) for code in (0, 1, 3)]
    wanted = fitted(counts, [sex.astype(float), *jobs], true.astype(float))
    assert found.estimate == pytest.approx(wanted, abs=1e-6)
    assert found.high - found.low == pytest.approx(0, abs=1e-6)


def test_a_list_of_two_and_a_condition_are_the_same_outcome() -> None:
    release = dense()
    one, other = (
        conclusions([text], release, digest="ab")[0]
        for text in ("logistic sex on hours", "logistic sex = M on hours")
    )
    assert one.to_json() == other.to_json()


def test_people_have_wider_intervals() -> None:
    release = dense(scale=Fraction(1, 9))
    rows, people = (
        conclusions(["logistic sex on hours"], release, about=a, digest="ab")[0]
        for a in About
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
    with pytest.raises(SynthError, match=f"^The release cannot answer .*{why} .* together"):
        conclusions([question], model())


def test_separation_is_refused_in_one_sentence() -> None:
    apart = np.zeros_like(TRUTH)
    apart[:, :5, 0], apart[:, 5:, 1] = 100, 100
    release = dense(apart, Fraction(1, 99))
    with pytest.raises(SynthError, match=r"separate the outcome"):
        conclusions(["logistic sex on hours"], release)


def test_slopes_that_other_noise_would_not_determine_are_refused() -> None:
    with pytest.raises(SynthError, match=r"or would with other noise"):
        conclusions(["logistic sex on hours"], dense(scale=Fraction(500)))
