"""Who can write the ledger's file, but has not its key, cannot keep a spend from being
recorded.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from synth.door import Ledger
from synth.door.ledger import sqlite_store
from synth.door.ledger.sqlite_form import connect
from synth.errors import LedgerError
from tests.ledger.ledgers import ledger_with_budget, spend, write_filled

IGNORE = "BEGIN SELECT RAISE(IGNORE); END;"
IGNORE_ALL = (
    f"CREATE TRIGGER a BEFORE INSERT ON events {IGNORE}"
    f"CREATE TRIGGER b BEFORE UPDATE ON ending {IGNORE}"
    f"CREATE TRIGGER c BEFORE INSERT ON kept {IGNORE}"
)
EDITED_SCHEMA = (
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = '{}' WHERE name = '{}';"
    "PRAGMA writable_schema = OFF;"
)
PLANTED = {
    "all writes are ignored": IGNORE_ALL,
    "spends are ignored": (
        f"CREATE TRIGGER a BEFORE INSERT ON events WHEN new.kind = 'spend' {IGNORE}"
    ),
    "what was written is deleted": (
        "CREATE TRIGGER a AFTER INSERT ON kept BEGIN DELETE FROM events WHERE number > 1; "
        "END;"
    ),
    "a view in the place of a table": (
        "ALTER TABLE events RENAME TO e2; CREATE VIEW events AS SELECT * FROM e2;"
        "CREATE TRIGGER a INSTEAD OF INSERT ON events BEGIN SELECT 1; END;"
    ),
    "the end of the chain stays behind": f"CREATE TRIGGER a BEFORE UPDATE ON ending {IGNORE}",
    "a view beside the tables": "CREATE VIEW more AS SELECT * FROM events;",
    "a table more": "CREATE TABLE more (x);",
    "statistics": "ANALYZE;",
    "an index": "CREATE INDEX more ON events (kind);",
    "an index of an expression": "CREATE INDEX more ON events (length(kind));",
    "a virtual table": "CREATE VIRTUAL TABLE more USING fts5(x);",
    "a column more": "ALTER TABLE kept ADD COLUMN more;",
    "a generated column": "ALTER TABLE kept ADD COLUMN more AS (length(payload));",
    "a default": EDITED_SCHEMA.format("CREATE TABLE ending (seal TEXT DEFAULT 1)", "ending"),
    "a blank more": EDITED_SCHEMA.format("CREATE TABLE ending  (seal TEXT)", "ending"),
    "two tables on one page": (
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = "
        "(SELECT rootpage FROM sqlite_master WHERE name = 'kept') WHERE name = 'ending';"
    ),
    "an older number": "PRAGMA user_version = 0;",
    "a log": "PRAGMA journal_mode = WAL;",
}
SENTENCE = (
    r"^The ledger 'ledger.db' was edited: its file has other tables, triggers, views, "
    r"indexes or "
    r"settings than Synth makes, so its entries are not reliable; restore it from a "
    r"backup\.$"
)


def edit_without_key(path: Path, statements: str) -> None:
    """Change the file of a ledger without its key."""
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.executescript(statements)


@pytest.mark.parametrize("planted", PLANTED)
@pytest.mark.parametrize("readonly", [False, True])
def test_what_synth_does_not_make_is_refused_at_opening(
    path: Path, planted: str, readonly: bool
) -> None:
    """A ledger's file with anything that Synth does not make is refused when it is opened.

    The parameter names what was planted without the key: triggers, views, indexes, other
    tables, columns or settings. They might keep a spend from being recorded.
    """
    edit_without_key(write_filled(path), PLANTED[planted])
    with pytest.raises(LedgerError, match=SENTENCE):
        Ledger(path, readonly=readonly)


def test_it_is_refused_without_the_key_as_well(path: Path) -> None:
    """A planted trigger is found without the ledger's key too, by those who only read."""
    edit_without_key(write_filled(path), IGNORE_ALL)
    path.with_name("ledger.db.key").unlink()
    with pytest.raises(LedgerError, match=SENTENCE):
        Ledger(path, readonly=True)


@pytest.mark.parametrize("planted", PLANTED)
def test_what_is_planted_while_a_ledger_is_open_stops_the_next_spend(
    path: Path, planted: str
) -> None:
    """What is planted while a ledger is open stops its next spend, so nothing is released."""
    with Ledger(write_filled(path)) as ledger:
        edit_without_key(path, PLANTED[planted])
        with pytest.raises(
            LedgerError, match=r"was edited|lacks an entry that was just written|locked"
        ):
            spend(ledger, "1/4")


@pytest.mark.parametrize(
    "planted",
    [
        "all writes are ignored",
        "spends are ignored",
        "what was written is deleted",
        "the end of the chain stays behind",
    ],
)
def test_what_was_written_is_read_back(
    path: Path, planted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After it has written an entry, a ledger reads it back, and refuses if it is not there.

    The check of the file's form, which would see the triggers, is switched off here. The
    ledger in memory does not count what was not written. Unless the trigger deletes entries
    itself, no byte of the file changes.
    """
    edit_without_key(write_filled(path), PLANTED[planted])

    monkeypatch.setattr(sqlite_store, "has_known_form", lambda _: True)
    monkeypatch.setattr("synth.door.ledger.sqlite_form.has_known_form", lambda _: True)

    before = path.read_bytes()
    sentence = "lacks an entry that was just written, so nothing was released"

    with Ledger(path) as ledger:
        with pytest.raises(LedgerError, match=sentence):
            ledger.keep(spend(ledger, "1/4", table="t", request="c"), "1", b"noisy")
        assert ledger.verify() in (5, 6), "nothing in memory says that more was written"

    if planted != "what was written is deleted":
        assert path.read_bytes() == before


def test_a_spend_in_another_file_than_the_one_of_the_name_is_refused(path: Path) -> None:
    """A spend is refused if the ledger's file was replaced while it was open.

    An earlier copy lies in its place, so the spend would go into a file without a name.
    """
    ledger_with_budget(path).close()
    earlier = path.read_bytes()

    with Ledger(path) as ledger:
        path.unlink()
        path.write_bytes(earlier)
        with pytest.raises(LedgerError, match="so nothing was released"):
            spend(ledger, "1/4")


def test_a_ledger_that_sqlite_wrote_anew_is_the_ledger(path: Path) -> None:
    """A ledger that SQLite has written anew, by VACUUM, is still valid.

    After its five entries one more spend makes six.
    """
    edit_without_key(write_filled(path), "VACUUM;")
    with Ledger(path) as ledger:
        spend(ledger, "1/4")
        assert ledger.verify() == 6


def test_a_ledger_stays_the_same_file_in_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An open ledger writes to the same file after the process changes its folder."""
    monkeypatch.chdir(tmp_path)

    ledger = ledger_with_budget(Path("l.db"), "3", "survey")

    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    spend(ledger)

    assert len(Ledger(tmp_path / "l.db", readonly=True).entries()) == 1
    assert not [*(tmp_path / "work").iterdir()]


@pytest.mark.parametrize("readonly", [False, True])
def test_each_commit_waits_for_the_disk(tmp_path: Path, *, readonly: bool) -> None:
    """A spend that is reported as recorded survives a power cut: SQLite syncs the file, and
    the folder after the journal is gone (mode 3, EXTRA).
    """
    path = tmp_path / "ledger.sqlite"
    path.touch()
    with closing(connect(path, readonly=readonly)) as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (3,)
