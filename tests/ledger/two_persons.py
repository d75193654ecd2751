"""Ledgers that are set to two persons, for several tests."""

from pathlib import Path
from typing import Any

from synth.door import Entry, Ledger
from tests.ledger.ledgers import ledger_with_budget, spend

# The persons and their passphrases.
WORDS = {"ann": "four words in row", "bo": "some other words", "cy": "the third of them"}


def open_with_persons(path: Path | None, dataset: str = "survey", **budget: Any) -> Ledger:
    """Open a ledger with a budget, whose dataset is set to the persons of `WORDS`."""
    ledger = ledger_with_budget(path, **budget)
    ledger.persons.require(WORDS, dataset=dataset)
    return ledger


def act_as(ledger: Ledger, name: str) -> Ledger:
    """Let a person of `WORDS` act from now on, and return the ledger."""
    ledger.persons.identify(name, WORDS[name])
    return ledger


def ask(ledger: Ledger, epsilon: str = "1/4", **options: Any) -> Entry:
    """Spend as the one who acts, with something for the second person to see."""
    options.setdefault("dossier", {"purpose": "histogram"})
    return spend(ledger, epsilon, **options)
