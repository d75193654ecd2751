"""Ledgers that several tests begin with."""

from fractions import Fraction
from pathlib import Path
from typing import Any

from synth.door import Entry, Ledger
from synth.privacy import Guarantee, Neighbors, parse_budget

REPLACE = Neighbors.REPLACE_ONE
ADD = Neighbors.ADD_REMOVE


def ledger_with_budget(
    path: Path | None,
    text: str = "1",
    dataset: str = "survey",
    neighbors: Neighbors = REPLACE,
) -> Ledger:
    """Open a ledger, in memory or in a file, with a budget, by default epsilon 1 for
    'survey'.
    """
    ledger = Ledger(path)
    ledger.set_budget(dataset, parse_budget(text, neighbors))
    return ledger


def spend(
    ledger: Ledger, epsilon: Any = "1/2", dataset: str = "survey", **options: Any
) -> Entry:
    """Record a spend, by default epsilon 1/2 of the dataset 'survey' under replace-one."""
    return ledger.spend(
        dataset=dataset,
        guarantee=options.pop("guarantee", None) or Guarantee.pure(Fraction(epsilon)),
        neighbors=options.pop("neighbors", REPLACE),
        purpose="histogram",
        **options,
    )


def write_filled(path: Path) -> Path:
    """Write a ledger of five entries, closed: a budget of 1, and twice a spend and its
    result.

    Each spend is 1/4, so 1/2 is left.
    """
    with ledger_with_budget(path) as ledger:
        for request in "ab":
            ledger.keep(spend(ledger, "1/4", table="t", request=request), "1", b"noisy")
    return path
