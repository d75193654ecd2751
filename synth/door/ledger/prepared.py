"""Drafts and checks of a declaration, stored in the ledger with their spends. PUBLIC.

A later release of the same table under the same name finds the checks made before.
"""

import json

from synth.door.ledger.entries import Entry
from synth.door.ledger.ledger import PREPARED, Ledger
from synth.errors import ArgumentError, LedgerError
from synth.estimate import Preparation
from synth.util import read_json


def keep_preparation(ledger: Ledger, entry: Entry, preparation: Preparation) -> Preparation:
    """Store a result with its spend; the first one stays. LedgerError if it can't be written."""
    if ledger.path is None:
        return preparation
    kept, _ = ledger.keep(entry, PREPARED, json.dumps(preparation.to_json()).encode())
    return _read(kept)


def preparations_of(ledger: Ledger, dataset: str, table: str) -> list[tuple[Entry, Preparation]]:
    """Return the drafts and checks of a table under a name, oldest first, with their spends.

    ``table`` is its `fingerprint`; if empty, there are none.
    """
    entries = ledger.spends_of(dataset, table) if table else []
    kept = ((entry, ledger.kept(entry, PREPARED)) for entry in entries)
    return [(entry, _read(found[0])) for entry, found in kept if found is not None]


def checks_before(ledger: Ledger, entry: Entry) -> list[Preparation]:
    """Return the checks of a spend's tables, under its name, that were paid before it."""
    found = {
        paid.number: one
        for table in ledger.tables_of(entry.number)
        for paid, one in preparations_of(ledger, entry.dataset, table)
        if paid.number < entry.number and one.kind == "check"
    }
    return list(found.values())


def _read(payload: bytes) -> Preparation:
    try:
        return Preparation.from_json(read_json(payload, "The preparation"))
    except ArgumentError:
        raise LedgerError(
            "The ledger keeps a preparation that cannot be read; restore a backup."
        ) from None
