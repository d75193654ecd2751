"""Whose data a table is: a name that the ledger does not know is said, and confirmed if in doubt.

A name stands for a population. It gets a budget of its own only on request: an updated table often
has another name and the same people in it. DOOR.
"""

from typing import NamedTuple

from synth.door import Ledger
from synth.errors import LedgerError, name_some

LISTED = 10
"""Most datasets that a sentence names."""


class Wording(NamedTuple):
    """How a name is given, and how it is said to be new: on the command line, or in Python."""

    option: str
    given: str
    new: str


def check_name_known(
    ledger: Ledger, dataset: str, mark: str, wording: Wording, *, is_said: bool, is_new: bool
) -> list[str]:
    """Refuse a name that the ledger does not know, unless it was said and is no other's.

    Args:
        ledger: Where the spend is to be written.
        dataset: The name.
        mark: What the ledger knows the table again by; empty for nothing.
        wording: How sentences call the options.
        is_said: Whether the steward said the name.
        is_new: Whether the steward said that it is a new one.

    Returns:
        A remark where the name is new beside others.

    Raises:
        LedgerError: It was not said, or looks like another, or the table is known by another.
    """
    there = ledger.datasets()
    if dataset in there:
        return []
    if not is_said:
        raise LedgerError(
            f"The ledger knows no dataset '{dataset}': say by {wording.option} whose data it is, "
            f"the same for all tables about the same people; {_list_datasets(there)}."
        )
    held, alike = ledger.known_as(mark), ledger.look_alikes(dataset)
    if (held or alike) and not is_new:
        what = (
            f"The same table was released before as '{held[0]}'"
            if held
            else f"The ledger has a dataset '{alike[0]}', which looks like '{dataset}'"
        )
        raise LedgerError(
            f"{what}: give {wording.given.format((held or alike)[0])} to share its budget, or add "
            f"{wording.new} if '{dataset}' is to have one of its own all the same."
        )
    return [f"'{dataset}' is new in this ledger; {_list_datasets(there)}."] if there else []


def _list_datasets(datasets: list[str]) -> str:
    """Which datasets there are, in a few words."""
    if not datasets:
        return "it has none yet"
    return "it has " + name_some([f"'{name}'" for name in datasets], LISTED)
