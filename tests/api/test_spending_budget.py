"""``budget=`` of every function that spends: set once, and never changed in silence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import synth
from synth.door import Ledger
from synth.errors import LedgerError
from synth.privacy import Neighbors, parse_budget
from tests.linked.households import DOCUMENT, Files

FRAME = pd.DataFrame({"sex": ["f", "m"] * 300})
DOMAIN = synth.Domain(sex=["f", "m"])
HOUSEHOLDS = Files({"homes": [("1", "x")], "persons": [], "events": [], "cars": []})

CALLS: dict[str, Callable[..., Any]] = {
    "release": lambda **where: synth.release(FRAME, DOMAIN, epsilon=1, **where),
    "ask": lambda **where: synth.ask(FRAME, DOMAIN, ["count"], 1, **where),
    "check": lambda **where: synth.check(FRAME, DOMAIN, 1, **where),
    "look": lambda **where: synth.check(FRAME, DOMAIN, **where),
    "draft": lambda **where: synth.draft(FRAME, 1, **where),
    "linked": lambda **where: synth.release_linked(HOUSEHOLDS.tables(), DOCUMENT, 1, **where),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("budget", [9, 2, "epsilon=3,delta=1e-6"])
def test_another_budget_is_refused_and_nothing_is_recorded(
    name: str, budget: Any, tmp_path: Path
) -> None:
    """Every function that spends refuses a budget other than that of the ledger, which is 3.

    The ledger's file stays the same to the byte.
    """
    path = tmp_path / "l.db"
    with Ledger(path) as ledger:
        ledger.set_budget("P", parse_budget("3", Neighbors.REPLACE_ONE))
    before = path.read_bytes()
    with pytest.raises(
        LedgerError, match="of 'P' is epsilon = 3, replace-one, and not epsilon"
    ):
        CALLS[name](ledger=path, dataset="P", budget=budget)
    assert path.read_bytes() == before


def test_a_look_sets_no_budget_of_its_own(tmp_path: Path) -> None:
    """A look is recorded without a budget, so that the first release can still set one.

    Of a budget of 9, a release leaves 8. After the change to 10, a call with budget 10 is
    accepted.
    """
    path = tmp_path / "l.db"
    CALLS["look"](ledger=path, dataset="P")
    CALLS["release"](ledger=path, dataset="P", budget=9)
    with Ledger(path) as ledger:
        assert ledger.balance("P").left == 8
        ledger.change_budget("P", parse_budget("10", Neighbors.REPLACE_ONE), "a second wave")
    CALLS["check"](ledger=path, dataset="P", budget="10")


def test_after_a_look_alone_the_budget_is_the_default(tmp_path: Path) -> None:
    """If only a look was recorded, the first release without budget= gets the
    default of 3.
    """
    path = tmp_path / "l.db"
    CALLS["look"](ledger=path, dataset="P")
    with pytest.warns(UserWarning, match="budget of 'P' is now epsilon 3"):
        CALLS["release"](ledger=path, dataset="P")
