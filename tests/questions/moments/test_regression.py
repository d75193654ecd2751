"""Intervals hold the numbers of the rows as often as they say."""

import pytest

from synth.privacy import Guarantee, Neighbors
from tests.questions.coverage import Case, measure_coverage

RUNS = 3_000
"""Of which some 18 lie outside: fewer than 2 do with a chance below 1e-6."""


@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.first_case
@pytest.mark.slow
def test_slopes_are_in_their_intervals(neighbors: Neighbors) -> None:
    """Intervals of slopes hold the true ones in at least 95 % of runs, by a binomial test.

    Nor are they idle: about 18 of 3,000 runs miss the slope that is covered least, and fewer
    than 2 do with a chance below 1e-6. All cases are in `tests.statistical.test_intervals`.
    """
    coverage = measure_coverage(Case("slopes", "", Guarantee.pure(1), neighbors), RUNS)
    assert coverage.is_right, str(coverage)
    assert coverage.answered > 0.99
    assert coverage.least <= RUNS - 2, "and they are not idle"
