"""What a ledger knows of a dataset before a release: looks at rows, drafts and checks.
PUBLIC.

All of it belongs to the dataset. It counts for every later release under the dataset's name,
whichever file was read: a table that was packed, or that has one row more, is about the same
people. So what a certificate says does not depend on whether a file has changed, which may
follow from a single row. An entry under another name counts too, if it was about the same
file, which the ledger recognises by its mark.

The order of the ledger's events decides which of them come before a release. A look counts
from its event on. A draft or a check counts from the event that stores its result, because
nobody has seen the result before."""

import json
from collections.abc import Collection, Mapping
from typing import NamedTuple, cast

from synth.door.ledger.entries import Entry
from synth.door.ledger.ledger import PREPARED, Ledger, tables_marked_by
from synth.door.ledger.names import standard
from synth.door.preparations import Preparation
from synth.errors import ArgumentError, LedgerError
from synth.util import read_json


class RecordedPreparation(NamedTuple):
    """A draft or a check in a ledger.

    Attributes:
        stored_at: The number of the event that stores its result.
        spend: The spend that paid for it.
        preparation: The result.
    """

    stored_at: int
    spend: Entry
    preparation: Preparation


def keep_preparation(ledger: Ledger, entry: Entry, preparation: Preparation) -> Preparation:
    """Store a result with its spend; the first one stays. LedgerError if it can't be
    written.
    """
    if ledger.path is None:
        return preparation
    stored, _ = ledger.keep(entry, PREPARED, json.dumps(preparation.to_json()).encode())
    return _read(stored)


def tables_looked_at(
    ledger: Ledger, dataset: str, marks: Mapping[str, str], *, before: int | None = None
) -> list[str]:
    """Return the names of the tables of whose rows somebody may have seen exact numbers.

    A look that was recorded under the dataset's name may have been at any of its tables.

    Args:
        marks: The ledger's mark of each table by name; empty if unknown.
        before: The number of an event: only looks before it count. None for all.
    """
    looks = [look for look in ledger.looks() if before is None or look.number < before]
    if any(standard(look.dataset) == standard(dataset) for look in looks):
        return [*marks]
    marks_looked_at = {mark for look in looks for mark in tables_marked_by(look)}
    return [name for name, mark in marks.items() if mark in marks_looked_at]


def preparations_of(
    ledger: Ledger, dataset: str, marks: Collection[str] = (), *, before: int | None = None
) -> list[RecordedPreparation]:
    """Return the drafts and checks of a dataset, in the order in which they were stored.

    Args:
        marks: The ledger's marks of the tables. Drafts and checks of one of them under
            another name are returned too.
        before: The number of an event: only results stored before it count. None for all.
    """
    known_marks = {*marks} - {""}
    stored_at = {
        cast("int", event.content["spend"]): event.number
        for event in reversed(ledger.events())
        if event.kind == "kept" and event.content["part"] == PREPARED
    }
    tables_of_spends = ledger.tables_of_spends()
    preparations = []
    for spend in ledger.entries():
        number = stored_at.get(spend.number)
        if number is None or (before is not None and number >= before):
            continue
        is_of_dataset = standard(spend.dataset) == standard(dataset)
        if is_of_dataset or known_marks & {*tables_of_spends.get(spend.number, ())}:
            stored = ledger.kept(spend, PREPARED)
            assert stored is not None
            preparations.append(RecordedPreparation(number, spend, _read(stored[0])))
    return sorted(preparations, key=lambda recorded: recorded.stored_at)


def _read(payload: bytes) -> Preparation:
    try:
        return Preparation.from_json(read_json(payload, "The preparation"))
    except ArgumentError:
        raise LedgerError(
            "The ledger keeps a preparation that cannot be read; restore a backup."
        ) from None
