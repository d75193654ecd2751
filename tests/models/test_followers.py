"""Columns that follow from another one: found, left unmeasured, and drawn from it."""

from fractions import Fraction

import numpy as np
import pytest

from synth.models.evidence import Evidence
from synth.models.followers import followers, unexplained
from synth.models.names import Strategy
from synth.noise.laplace import DiscreteLaplace
from synth.privacy.guarantee import Guarantee
from synth.privacy.sensitivity import GRID
from tests.models.doors import coded_rows, distance, domain_of, release

ROWS = 6_000
AGE = np.random.default_rng(3).integers(0, 12, ROWS)
CODES = np.column_stack([AGE // 4, AGE, AGE % 2, np.random.default_rng(4).integers(0, 3, ROWS)])
SHAPE = (3, 12, 2, 3)


def evidence_of(noise: int = 1) -> Evidence:
    """All that could be known of `CODES`."""
    found = Evidence(domain_of(SHAPE))
    found.total = ROWS
    counts = [np.bincount(c, minlength=n) for c, n in zip(CODES.T, SHAPE, strict=True)]
    found.columns = [count.astype(float) for count in counts]
    found.variances = [1.0] * 4
    apart = [
        np.abs(
            np.bincount(CODES[:, a] * SHAPE[b] + CODES[:, b], minlength=SHAPE[a] * SHAPE[b])
            - found.guess((a, b)).reshape(-1)
        ).sum()
        for a, b in found.pairs
    ]
    mechanism = DiscreteLaplace(Fraction(noise))
    found.take_distances([int(GRID * one) for one in apart], mechanism)
    return found


def test_groups_of_ages_follow_age_and_what_is_random_does_not() -> None:
    assert followers(evidence_of()) == {0: 1, 2: 1}


def test_noise_is_not_taken_for_a_column_that_follows() -> None:
    assert followers(evidence_of(noise=10**7)) == {}


def test_only_a_measured_pair_tells_how_a_column_follows() -> None:
    assert followers(evidence_of(), [(0, 1)]) == {0: 1}


def test_a_pair_of_followers_is_explained_by_what_they_follow() -> None:
    found = evidence_of()
    left = unexplained(found)
    assert left[0, 1] == pytest.approx(found.distances[0, 1], rel=0.01)
    assert left[0, 2] < 0.02 * ROWS


@pytest.mark.usefixtures("whole_fits")
def test_followers_come_out_as_functions_of_what_they_follow() -> None:
    fitted, _, _ = release(
        coded_rows(CODES.astype(np.int32), SHAPE), Strategy.ONE_SHOT, Guarantee.pure(20)
    )
    assert fitted.strategy is Strategy.ONE_SHOT
    assert distance(CODES, fitted.codes, SHAPE) < 0.02
    assert (fitted.codes[:, 1] // 4 == fitted.codes[:, 0]).mean() > 0.98
