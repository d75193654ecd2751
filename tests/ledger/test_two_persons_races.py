"""Races and kills of ten users: nobody alone spends, and no approval is spent twice.

    SYNTH_RACES=2000 SYNTH_KILLS=200 python -m pytest -k nobody tests/ledger

makes more of them.
"""

import os
from pathlib import Path

import pytest

from tests.ledger.races import check_spends, kill_once, make_ledger, run_races

RACES = int(os.environ.get("SYNTH_RACES", "400"))
KILLS = int(os.environ.get("SYNTH_KILLS", "60"))


@pytest.mark.slow
def test_in_races_nobody_spends_alone_or_twice(tmp_path: Path) -> None:
    """Ten users at once ask, approve and refuse; two at a time compete for one approval."""
    spends = [check_spends(path) for path in run_races(tmp_path, RACES)]
    assert sum(spends) > RACES / 10


@pytest.mark.slow
def test_after_kills_nobody_has_spent_alone_or_twice(tmp_path: Path) -> None:
    """A process is killed at any step; the ledger then opens, and each spend has its two."""
    spends = 0
    for ledger in range(KILLS // 20):
        path = make_ledger(tmp_path / f"{ledger}.db")
        for kill in range(20):
            kill_once(path, seed=20 * ledger + kill)
            check_spends(path)
        spends += check_spends(path)
    assert spends > KILLS / 4
