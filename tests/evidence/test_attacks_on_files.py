"""The attacks of `tests.audit.test_canaries` on whole releases of models, from file to file.

One release of each kind in ``make slow``; ``SYNTH_CANARIES=10`` makes ten.
"""

from fractions import Fraction
from pathlib import Path

import pytest

from synth.plans import Method, Plan
from synth.privacy import Neighbors
from tests.audit.canaries import Array, Field, Released, guessed, synthesized
from tests.audit.test_canaries import ALARM, SURE, TIMES, paired
from tests.conftest import Report

EPSILON = 2
METHODS = [
    Method.INDEPENDENT,
    Method.GROUPS,
    Method.TREE,
    Method.ONE_SHOT,
    Method.ADAPTIVE,
    Method.AUTO,
]


@pytest.mark.slow
@pytest.mark.audit
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize("method", METHODS)
def test_no_more_can_be_told_from_a_whole_release(
    method: Method, neighbors: Neighbors, tmp_path: Path, report: Report
) -> None:
    """An attacker who guesses rows from the files of a release shows no larger loss than
    epsilon.

    A fair coin decides whether each of some rows is in the table, or which of two is. The
    attacker guesses coins that the released rows make likely. `at_least` is the epsilon that
    the right guesses prove; it is too high with a chance of at most ALARM, 10^-6, or SURE,
    .01.
    """
    field = paired(neighbors, crowd=300)
    groups = (("c0", "c1"),) if method == Method.GROUPS else ()
    plan = Plan(
        domain=field.domain,
        epsilon=Fraction(EPSILON),
        neighbors=neighbors,
        method=method,
        groups=groups,
    )

    def release(field: Field, coins: Array) -> list[Released]:
        return synthesized(field, coins, plan, tmp_path)

    guesses = guessed(field, release, 0.4 * EPSILON, len(field.heads) * TIMES)
    assert guesses.made > 0
    assert guesses.at_least(ALARM) <= EPSILON
    loss_shown = guesses.at_least(SURE)
    report(
        f"{method:12} {neighbors:12} from a file: at least {loss_shown:.2f} of epsilon "
        f"{EPSILON}: {guesses.right:,} of {guesses.made:,} guesses right"
    )
