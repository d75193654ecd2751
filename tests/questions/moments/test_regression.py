"""Intervals hold the numbers of the rows as often as they say."""

import pytest

from synth.privacy.guarantee import Guarantee, Neighbors
from tests.conftest import Report
from tests.questions.moments.coverage import ASKED, Case, cases, covered

FEW, RUNS = 600, 2_000


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_slopes_are_in_their_intervals(neighbors: Neighbors) -> None:
    found = covered(Case(ASKED[0], Guarantee.pure(1), neighbors, 5_000), FEW)
    assert found.is_right, str(found)
    assert found.told > 0.99
    assert found.least < 0.998 * FEW, "and they are not idle"


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_all_intervals_hold_as_often_as_they_say(report: Report) -> None:
    for case in cases():
        found = covered(case, RUNS)
        assert found.is_right, str(found)
        report(str(found))
