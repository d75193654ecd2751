"""Names of datasets: a new name must be given, and confirmed if in doubt. DOOR.

A name means a population. It gets its own budget only on request: an updated table often has
another name and the same people in it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from synth.door import Ledger, list_datasets
from synth.errors import LedgerError


class Wording(NamedTuple):
    option: str
    given: str
    new: str


def check_name_known(
    ledger: Ledger,
    dataset: str,
    marks: Sequence[str],
    *,
    wording: Wording,
    is_said: bool,
    is_new: bool,
) -> list[str]:
    """Refuse an unknown name, unless the steward gave it and no other is similar.

    Args:
        marks: The ledger's marks of the tables; empty of those that it cannot recognise.
        is_said: Whether the steward gave the name.
        is_new: Whether the steward marked it as new.

    Returns:
        A remark if the ledger has other names only.

    Raises:
        LedgerError: The name was not given or looks like another, or the table has another
        name.
    """
    there = ledger.datasets()
    if dataset in there:
        return []
    if not is_said:
        raise LedgerError(
            f"The ledger knows no dataset '{dataset}': say by {wording.option} whose data it "
            f"is, the same for all tables about the same people; {list_datasets(there)}."
        )
    held = [name for mark in marks for name in ledger.known_as(mark)]
    alike = ledger.look_alikes(dataset)
    if (held or alike) and not is_new:
        what = (
            f"The same table was released before as '{held[0]}'"
            if held
            else f"The ledger has a dataset '{alike[0]}', which looks like '{dataset}'"
        )
        raise LedgerError(
            f"{what}: give {wording.given.format((held or alike)[0])} to share its budget, "
            f"or add {wording.new} if '{dataset}' is to have one of its own all the same."
        )
    return [f"'{dataset}' is new in this ledger; {list_datasets(there)}."] if there else []
