"""The chain of entries: whoever edits, cuts or rewrites it is found out."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from synth.door import Ledger
from synth.door.ledger import sqlite_store
from synth.door.ledger.chain import canonical
from synth.errors import LedgerError
from tests.ledger.ledgers import budgeted, filled, spend


def test_a_clock_set_back_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = budgeted(path)
    spend(ledger)

    class Yesterday(datetime):
        @classmethod
        def now(cls, _zone: Any = None) -> datetime:
            return datetime(1999, 1, 1, tzinfo=UTC)

    monkeypatch.setattr(sqlite_store, "datetime", Yesterday)
    spend(ledger)
    assert [e.time[:4] for e in Ledger(path).entries()][-1] == "1999"
    with pytest.raises(LedgerError, match="only 0 is left"):
        spend(ledger)


def test_an_export_can_be_checked_by_anybody_and_shows_no_digest(path: Path) -> None:
    ledger = budgeted(path)
    spend(ledger, table="fingerprint", request="r")
    export = ledger.export()
    before = "0" * 64
    for event in export["events"]:
        shown = [before, *(event[k] for k in ("number", "time", "kind", "dataset", "content"))]
        before = sha256(canonical(shown).encode()).hexdigest()
        assert event["hash"] == before
    assert export["head"] == before
    assert "fingerprint" not in json.dumps(export)


def edited(path: Path, edit: str) -> None:
    """Edit a ledger behind its back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(edit)


EDITS = {
    "a cheaper spend": "UPDATE events SET content = replace(content, '1/4', '1/8') WHERE number=2",
    "a larger budget": """UPDATE events SET content = replace(content, '"1"', '"9"')""",
    "another name": "UPDATE events SET dataset = 'x' WHERE number = 2",
    "another time": "UPDATE events SET time = '2000-01-01' WHERE number = 3",
    "another table": "UPDATE events SET mark = 'u v' WHERE number = 2",
    "a spend less": "DELETE FROM events WHERE number = 2",
    "the first less": "DELETE FROM events WHERE number = 1",
    "the last less": "DELETE FROM events WHERE number = 5",
    "all less": "DELETE FROM events",
    "an end less": "DELETE FROM ending",
    "two swapped": "UPDATE events SET number = -number WHERE number > 3",
    "no JSON": "UPDATE events SET content = 'oops' WHERE number = 4",
    "a new hash": "UPDATE events SET hash = lower(hex(randomblob(32))) WHERE number = 5",
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_ledger_is_refused(path: Path, edit: str) -> None:
    edited(filled(path), EDITS[edit])
    for readonly in (False, True):
        with pytest.raises(
            LedgerError, match=r"'ledger.db' was edited: ent(ry \d|ries at its end)"
        ):
            Ledger(path, readonly=readonly)


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE kept SET payload = 'other'",
        "UPDATE kept SET part = '2'",
        "DELETE FROM kept WHERE number = 3",
        "INSERT INTO kept VALUES (9, 2, '2', 'more')",
    ],
)
def test_edited_kept_values_are_found(path: Path, edit: str) -> None:
    edited(filled(path), edit)
    with pytest.raises(LedgerError, match=r"was edited: entry \d is not as it was written"):
        Ledger(path).verify()


@pytest.mark.parametrize("under_an_open_ledger", [False, True])
@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE kept SET payload = X'00'",
        "UPDATE kept SET payload = 'noisy'",
        "UPDATE kept SET part = '2'",
        "UPDATE kept SET number = 9 WHERE number = 3",
        "DELETE FROM kept",
    ],
)
def test_what_was_kept_leaves_as_it_was_or_is_refused(
    path: Path, edit: str, under_an_open_ledger: bool
) -> None:
    ledger = Ledger(filled(path))
    edited(path, edit)
    ledger = ledger if under_an_open_ledger else Ledger(path)
    first = ledger.entries()[0]
    for act in (lambda: ledger.kept(first, "1"), lambda: ledger.keep(first, "1", b"fresh")):
        with pytest.raises(LedgerError, match="was edited: entry 3 is not as it was written"):
            act()


def test_an_edit_under_an_open_ledger_stops_the_next_spend(path: Path) -> None:
    ledger = Ledger(filled(path))
    edited(path, "DELETE FROM events WHERE number = 5")
    edited(path, "UPDATE events SET dataset = 'x' WHERE number = 4")
    with pytest.raises(LedgerError, match="was edited: entry 4"):
        spend(ledger, "1/4")


def test_a_chain_written_anew_without_the_key_is_refused(path: Path) -> None:
    filled(path)
    forged = path.with_name("forged.db")
    filled(forged)
    forged.replace(path)
    with pytest.raises(LedgerError, match="was edited: entry 1"):
        Ledger(path)
