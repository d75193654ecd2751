"""The chain of entries: whoever edits, cuts or rewrites it is found out."""

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from synth import limits
from synth.door import Ledger
from synth.door.ledger import sqlite_store
from synth.door.ledger.chain import canonical
from synth.errors import LedgerError
from synth.privacy import parse_budget
from tests.ledger.ledgers import REPLACE, ledger_with_budget, spend, write_filled


def test_a_clock_set_back_changes_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A spend counts whatever the clock says, as entries are ordered by their numbers.

    The second spend is dated 1999. Both cost 1/2 of a budget of 1, so nothing is left.
    """
    ledger = ledger_with_budget(path)
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
    """An exported ledger's hashes can be recomputed without its key, and show no fingerprint.

    Each hash is SHA-256 of the hash before and of the entry's content. Fingerprints of tables
    are keyed and stay out.
    """
    ledger = ledger_with_budget(path)
    spend(ledger, table="fingerprint", request="r")
    export = ledger.export()

    before = "0" * 64
    for event in export["events"]:
        exported_lines = [
            before,
            *(event[k] for k in ("number", "time", "kind", "dataset", "content")),
        ]
        before = sha256(canonical(exported_lines).encode()).hexdigest()
        assert event["hash"] == before

    assert export["head"] == before
    assert "fingerprint" not in json.dumps(export)


def edit_file(path: Path, edit: str) -> None:
    """Change the ledger's database by SQL, without its key."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(edit)


EDITS = {
    "a cheaper spend": "UPDATE events SET content = replace(content, "
    "'1/4', '1/8') WHERE number=2",
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
    """A ledger that was edited without its key is refused, also by those who only read it.

    The sentence names the first entry that does not fit, or says that entries are missing at
    the end.
    """
    edit_file(write_filled(path), EDITS[edit])
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
    """Stored results that were edited, removed or added without the key are found by
    `verify`.
    """
    edit_file(write_filled(path), edit)
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
    """A stored result that was edited is neither returned nor replaced.

    Results are under the chain of hashes too, also if they change while the ledger is open.
    Entry 3 holds the result of the first spend.
    """
    ledger = Ledger(write_filled(path))
    edit_file(path, edit)
    ledger = ledger if under_an_open_ledger else Ledger(path)

    first = ledger.entries()[0]
    for act in (lambda: ledger.kept(first, "1"), lambda: ledger.keep(first, "1", b"fresh")):
        with pytest.raises(LedgerError, match="was edited: entry 3 is not as it was written"):
            act()


def test_an_edit_under_an_open_ledger_stops_the_next_spend(path: Path) -> None:
    """A ledger checks what others have appended since it was opened."""
    ledger = Ledger(write_filled(path))
    edit_file(path, "DELETE FROM events WHERE number = 5")
    edit_file(path, "UPDATE events SET dataset = 'x' WHERE number = 4")

    with pytest.raises(LedgerError, match="was edited: entry 4"):
        spend(ledger, "1/4")


def test_a_chain_written_anew_without_the_key_is_refused(path: Path) -> None:
    """A whole chain that was written with another key does not fit the key beside
    the ledger.
    """
    write_filled(path)

    forged = path.with_name("forged.db")
    write_filled(forged)
    forged.replace(path)

    with pytest.raises(LedgerError, match="was edited: entry 1"):
        Ledger(path)


def test_a_refusal_by_the_budget_is_in_the_chain_once(path: Path) -> None:
    """A request that the budget cannot pay is recorded once, until another entry follows.

    Three times 2 and once 3 are two refusals. They spend nothing. After a spend of 1/2, the
    request for 2 is recorded again: five entries in all.
    """
    ledger = ledger_with_budget(path)
    for _ in range(3):
        with pytest.raises(LedgerError, match="only 1 is left"):
            spend(ledger, "2", table="t", request="r")
    with pytest.raises(LedgerError, match="only 1 is left"):
        spend(ledger, "3", table="t", request="r")

    assert [event.kind for event in ledger.events()] == ["budget", "refusal", "refusal"]
    refused = ledger.events()[1]
    assert refused.content["guarantee"] == {"epsilon": "2"}
    assert ledger.balance("survey").left == 1
    assert ledger.entries() == []

    spend(ledger, "1/2", table="t", request="r")
    with pytest.raises(LedgerError, match=r"only 0\.5 is left"):
        spend(ledger, "2", table="t", request="r")

    assert [event.kind for event in ledger.events()][-2:] == ["spend", "refusal"]
    assert Ledger(path).verify() == 5


def test_refusals_do_not_fill_the_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 5 refusals in a row are recorded, until something else happens.

    The limit is lowered from 100. Of 18 refusals 5 are recorded, after the budget: six
    entries. After a change of the budget one more refusal is recorded.
    """
    monkeypatch.setattr(limits, "REFUSALS", 5)

    ledger = ledger_with_budget(path)
    for number in range(2, 20):
        with pytest.raises(LedgerError, match="only 1 is left"):
            spend(ledger, number)

    assert len(ledger.events()) == 6

    ledger.change_budget("survey", parse_budget("3/2", REPLACE), "a second wave")
    with pytest.raises(LedgerError, match=r"only 1\.5 is left"):
        spend(ledger, 9)
    assert ledger.events()[-1].kind == "refusal"


def test_only_a_budget_that_is_there_refuses_in_the_chain(path: Path) -> None:
    """A spend on a dataset without a budget is refused, but recorded nowhere.

    The ledger still has one entry, the budget of the other dataset.
    """
    ledger = ledger_with_budget(path)
    with pytest.raises(LedgerError, match="no budget for 'other' yet"):
        spend(ledger, "2", dataset="other")
    assert ledger.datasets() == ["survey"]
    assert len(ledger.events()) == 1


def test_lines_are_checked_by_themselves_and_hold_requests_by_digest(path: Path) -> None:
    """The lines of a ledger can be checked as docs/how-to/formats.md says, without Synth.

    Each hash is of the hash before and of five further keys in their order. Look, spend and
    refusal give their requests as three different digests, so no line tells a question or a
    fingerprint.
    """
    ledger = ledger_with_budget(path)
    ledger.note_look("survey", "fingerprint")
    spend(ledger, table="fingerprint", request="count where region = 'north'")
    with pytest.raises(LedgerError):
        spend(ledger, "9", table="fingerprint", request="region")

    lines = [json.loads(line) for line in ledger.lines()]
    assert [line["kind"] for line in lines] == ["budget", "look", "spend", "refusal"]

    before = "0" * 64
    for line in lines:
        exported_lines = [
            line[key] for key in ("before", "number", "time", "kind", "dataset", "content")
        ]
        text = json.dumps(exported_lines, sort_keys=True, separators=(",", ":"))
        assert line["hash"] == sha256(text.encode()).hexdigest()
        assert line["before"] == before
        before = line["hash"]

    assert before == ledger.head
    assert "request" not in lines[0]
    assert len({line["request"] for line in lines[1:]}) == 3

    text = "\n".join(ledger.lines())
    assert not any(word in text for word in ("north", "region", "fingerprint"))
