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
    """Store the result of a paid draft or check under its spend, and return what is stored.

    If a result is stored already, that one stays and is returned. A ledger in memory stores
    nothing.

    Raises:
        LedgerError: It can't be written.
    """
    if ledger.path is None:
        return preparation
    stored, _ = ledger.keep(entry, PREPARED, json.dumps(preparation.to_json()).encode())
    return _read(stored)


def tables_looked_at(
    ledger: Ledger, dataset: str, marks: Mapping[str, str], *, before: int | None = None
) -> list[str]:
    """Return the names of the tables of whose rows somebody may have seen exact numbers.

    A look, that is an event which records that somebody saw such numbers, may have been at
    any table of the dataset under whose name it was recorded.

    Args:
        ledger: The ledger that records the looks.
        dataset: The dataset's name, in any spelling.
        marks: The keyed digest of each table in the ledger, by the table's name; empty if
            unknown.
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
    """Return the paid drafts and checks of a dataset, in the order in which they were stored.

    Args:
        ledger: The ledger that stores them.
        dataset: The dataset's name, in any spelling.
        marks: The keyed digests of the tables in the ledger. Drafts and checks of one of
            these tables under another dataset's name are returned too.
        before: The number of an event: only results stored before it count. None for all.
    """
    known_marks = {*marks} - {""}
    # The event that stores the result of each spend, by the spend's number. In reverse order,
    # so that of several events the first one counts.
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
            preparations.append(RecordedPreparation(number, spend, _read(stored.payload)))
    return sorted(preparations, key=lambda recorded: recorded.stored_at)


def _read(payload: bytes) -> Preparation:
    """Read a stored draft or check; raise LedgerError if it cannot be read."""
    try:
        return Preparation.from_json(read_json(payload, "The preparation"))
    except ArgumentError:
        raise LedgerError(
            "The ledger keeps a preparation that cannot be read; restore a backup."
        ) from None
