"""The ledger's file and its key: lost, cut, killed, locked, full, and raced for."""

import shutil
import sqlite3
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest

from synth import limits
from synth.door import Ledger
from synth.errors import LedgerError
from tests.ledger.ledgers import ledger_with_budget, spend, write_filled
from tests.processes import run


def test_without_its_key_a_ledger_can_be_read_and_not_spent_from(path: Path) -> None:
    """Without its key a ledger can be read, but is not sealed, and cannot be opened to spend.

    Its five entries can still be checked by their hashes.
    """
    write_filled(path).with_name("ledger.db.key").unlink()
    with Ledger(path, readonly=True) as ledger:
        assert (ledger.verify(), ledger.sealed) == (5, False)
    with pytest.raises(
        LedgerError, match=r"key file 'ledger.db.key' of the ledger is missing"
    ):
        Ledger(path)


LOST = (
    r"^The ledger 'ledger.db' is (gone|empty), but its key file 'ledger.db.key' is here: "
    r"restore "
)


@pytest.mark.parametrize("readonly", [False, True])
@pytest.mark.parametrize("remnant", ["gone", "empty"])
def test_a_ledger_that_was_cut_or_deleted_beside_its_key_is_refused(
    path: Path, remnant: str, readonly: bool
) -> None:
    """A ledger that is gone or empty beside its key is refused, and no new one is made.

    Otherwise all earlier spends would be forgotten. Who really wants that removes the key
    too: then a new ledger begins.
    """
    write_filled(path).unlink()
    if remnant == "empty":
        path.touch()

    for _ in range(2):
        with pytest.raises(
            LedgerError, match=LOST.replace("(gone|empty)", remnant)
        ) as caught:
            Ledger(path, readonly=readonly)

    assert "all earlier spends are forgotten, remove the key file too" in str(caught.value)
    assert path.exists() == (remnant == "empty"), "nothing is made"

    path.with_name("ledger.db.key").unlink()
    if not readonly:
        assert Ledger(path).datasets() == [], "a new one that was really meant"


def test_a_ledger_whose_tables_are_gone_is_not_begun_anew(path: Path) -> None:
    """A database without tables beside a ledger's key is refused, and not begun anew.

    VACUUM writes an empty database of more than 0 bytes.
    """
    write_filled(path).unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("VACUUM")
    assert path.stat().st_size > 0

    with pytest.raises(LedgerError, match="cannot be used: the file is not a ledger"):
        Ledger(path)


def test_a_ledger_cut_anywhere_never_opens_with_a_spend_less(path: Path) -> None:
    """A ledger that was cut to any size is refused, or still has both of its spends.

    Sizes are tried in steps, and more than 30 of them are refused.
    """
    content = write_filled(path).read_bytes()
    refused = 0
    troubles = "is empty, but|not a ledger|is damaged|was edited|cannot be read"

    for size in [*range(0, 32, 5), *range(32, len(content), 512), len(content) - 1]:
        path.write_bytes(content[:size])
        with suppress(LedgerError), Ledger(path) as ledger:
            assert len(ledger.verify() and ledger.entries()) == 2, size
            continue
        refused += 1
        with pytest.raises(LedgerError, match=troubles):
            Ledger(path).verify()

    assert refused > 30


def test_a_killed_writers_journal_is_rolled_back(path: Path) -> None:
    """What a process wrote before it was killed in the middle of a transaction does not
    count.

    A tiny cache makes SQLite write to the file before the end, so that a journal stays. The
    next reader rolls it back: the ledger has its five entries.
    """
    write_filled(path)

    code = (
        "import os, signal, sys; from tests.ledger.ledgers import *\n"
        "ledger = Ledger(sys.argv[1])\n"
        "ledger._store._connection.execute('PRAGMA cache_size = 1')\n"
        "with ledger._store.writing():\n"
        "    spend = [ledger._store.append('spend', 'x' * 3000, {}) for _ in range(9)]\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )

    run(code, path)
    journal = path.with_name("ledger.db-journal")
    assert journal.stat().st_size > 0

    with Ledger(path, readonly=True) as ledger:
        assert ledger.verify() == 5
    assert not journal.exists()


@pytest.mark.parametrize("spent", [False, True])
def test_the_key_of_another_ledger(path: Path, tmp_path: Path, spent: bool) -> None:
    """A ledger beside the key of another one is refused, whether it is empty or
    has spends.
    """
    other_path = tmp_path / "other.db"
    (write_filled if spent else lambda p: Ledger(p).close())(path)
    Ledger(other_path).close()

    shutil.copy(tmp_path / "other.db.key", tmp_path / "ledger.db.key")

    with pytest.raises(
        LedgerError, match="or its key file belongs to another ledger; restore bot"
    ):
        Ledger(path)


@pytest.mark.parametrize("content", [b"", b"short", bytes(33)])
def test_a_key_of_another_length(path: Path, content: bytes) -> None:
    """A key file of other than 32 bytes is called damaged, for writers and for readers."""
    write_filled(path).with_name("ledger.db.key").write_bytes(content)
    for readonly in (False, True):
        with pytest.raises(
            LedgerError, match=r"'ledger\.db\.key' of the ledger is damaged; rest"
        ):
            Ledger(path, readonly=readonly)


def test_folders_and_links_in_the_place_of_a_ledger(path: Path, tmp_path: Path) -> None:
    """A folder is no ledger; a link is followed, and its key lies beside the real file.

    If the real file is empty, a key beside it or beside the link says that spends were lost.
    """
    with pytest.raises(LedgerError, match="cannot be used: it is a folder"):
        Ledger(tmp_path)

    (tmp_path / "far").mkdir()
    path.symlink_to(tmp_path / "far" / "real.db")
    write_filled(path)
    assert (tmp_path / "far" / "real.db.key").exists()
    assert Ledger(path).verify() == Ledger(tmp_path / "far" / "real.db").verify() == 5

    (tmp_path / "far" / "real.db").write_bytes(b"")
    with pytest.raises(
        LedgerError, match=r"is empty, but its key file 'real\.db\.key' is here"
    ):
        Ledger(path)

    (tmp_path / "far" / "real.db.key").rename(tmp_path / "ledger.db.key")
    with pytest.raises(
        LedgerError, match=r"is empty, but its key file 'ledger\.db\.key' is here"
    ):
        Ledger(path)

    (tmp_path / "ledger.db.key").unlink()
    (tmp_path / "ledger.db.key").mkdir()
    with pytest.raises(
        LedgerError, match=r"is empty, but|its key file cannot be read or written"
    ):
        Ledger(path)


def test_a_newer_version_is_refused(path: Path) -> None:
    """A ledger in a newer form than this version reads is refused, with both numbers."""
    connection = sqlite3.connect(write_filled(path))
    connection.execute("PRAGMA user_version = 7")
    connection.close()

    with pytest.raises(
        LedgerError, match=r"newer version of Synth \(form 7; this one reads up to"
    ):
        Ledger(path)


def test_other_files_are_no_ledgers(path: Path, tmp_path: Path) -> None:
    """A text file, another database, and missing files or folders are refused as ledgers.

    A file that is none is left alone, even beside a key.
    """
    path.write_text("age,sex\n41,F\n")
    with pytest.raises(LedgerError, match="the file is not a ledger"):
        Ledger(path)
    assert path.read_text().startswith("age"), "and is left alone"

    other_path = tmp_path / "other.db"
    connection = sqlite3.connect(other_path)
    connection.execute("CREATE TABLE mine (x)")
    connection.commit()
    connection.close()
    shutil.copy(tmp_path / "other.db", path)
    path.with_name("ledger.db.key").write_bytes(bytes(32))
    with pytest.raises(LedgerError, match="the file is not a ledger"):
        Ledger(path)

    with pytest.raises(
        LedgerError, match=r"The folder of the ledger, '.*nowhere', does not exist"
    ):
        Ledger(tmp_path / "nowhere" / "ledger.db")

    with pytest.raises(LedgerError, match=r"There is no ledger '.*absent.db'"):
        Ledger(tmp_path / "absent.db", readonly=True)


def test_a_damaged_file_is_refused(path: Path) -> None:
    """A ledger whose content is overwritten after its first 4,096 bytes is refused."""
    write_filled(path)

    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * len(content[4096:])
    path.write_bytes(content)

    with pytest.raises(LedgerError, match=r"is damaged|was edited|cannot be read"):
        Ledger(path)


def test_a_locked_file_is_waited_for_and_then_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ledger that another process has locked is waited for and then refused.

    The wait of 30 seconds is cut to 0.05 here; the sentence still says 30. Once the lock is
    gone, the spend succeeds.
    """
    monkeypatch.setattr(limits, "LEDGER_WAIT_SECONDS", 0.05)

    ledger = Ledger(write_filled(path))
    other_connection = sqlite3.connect(path, isolation_level=None)
    other_connection.execute("BEGIN EXCLUSIVE")

    with pytest.raises(LedgerError, match="another process has locked it for 30 seconds"):
        spend(ledger, "1/4")

    other_connection.execute("ROLLBACK")
    spend(ledger, "1/4")


def test_a_full_disk_spends_nothing_and_keeps_the_ledger_whole(path: Path) -> None:
    """On a full disk a spend is refused, and the ledger stays as it was.

    SQLite is told that the file may not grow by a page. A ledger that is opened anew has the
    same rest of the budget, and can spend.
    """
    ledger = Ledger(write_filled(path))
    pages = ledger._store._rows("PRAGMA page_count")[0][0]
    ledger._store._rows(f"PRAGMA max_page_count = {pages}")

    def spend_on() -> None:
        for _ in range(400):
            spend(ledger, "1/10000")

    sentence = r"'ledger.db' cannot be written, so nothing was released: the disk is full\."
    with pytest.raises(LedgerError, match=sentence):
        spend_on()

    budget_left = ledger.balance("survey").left

    with Ledger(path) as again:
        again.verify()
        assert again.balance("survey").left == budget_left
        spend(again, "1/10000")


def test_a_file_that_may_not_grow(path: Path) -> None:
    """If the system refuses a write in the middle of a spend, nothing is released or spent.

    Another process limits the size of its files to 2,048 bytes and ignores the signal for it.
    Of the budget of 1, 1/2 is left as before.
    """
    write_filled(path)

    code = (
        "import resource, signal, sys; from synth.errors import LedgerError\n"
        "from tests.ledger.ledgers import *\n"
        "ledger = Ledger(sys.argv[1]); signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))\n"
        "try: spend(ledger, '1/4')\n"
        "except LedgerError as error: print(error)\n"
    )

    sentence = "The ledger 'ledger.db' cannot be written, so nothing was released: the disk "
    assert run(code, path).stdout.startswith(sentence)

    assert Ledger(path).balance("survey").left == Fraction(1, 2)


def test_a_read_only_file(path: Path) -> None:
    """A ledger that cannot be written refuses a spend in words, and nothing is spent.

    SQLite is told to refuse all writes, as for a read-only file. Of the budget of 1, 1/2 is
    left as before.
    """
    ledger = Ledger(write_filled(path))
    ledger._store._rows("PRAGMA query_only = 1")

    with pytest.raises(LedgerError, match="so nothing was released: the file is read-only"):
        spend(ledger, "1/4")

    assert Ledger(path, readonly=True).balance("survey").left == Fraction(1, 2)


# Races.


RACER = """
import os, sys
from synth import limits
from synth.errors import LedgerError
from tests.ledger.ledgers import *
limits.LEDGER_WAIT_SECONDS = 600  # a busy machine may leave one of them waiting
children = []
for _ in range(8):
    child = os.fork()
    if child:
        children.append(child)
        continue
    ledger, granted = Ledger(sys.argv[1]), 0
    for _ in range(300):
        try:
            spend(ledger, "1/100")
            granted += 1
        except LedgerError as error:
            assert "only 0 is left" in str(error), error
    os.write(1, f"{granted}\\n".encode())
    os._exit(0)
for child in children:
    assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.slow
def test_eight_processes_share_a_budget_of_a_hundred(path: Path) -> None:
    """Eight processes that spend at once are granted exactly what the budget allows.

    Each tries 300 spends of 1/100 of a budget of 1: a hundred succeed. The chain has the
    budget, the spends and one refusal, which is the same for all: 102 entries.
    """
    ledger_with_budget(path).close()
    granted = [int(line) for line in run(RACER, path).stdout.split()]

    assert (len(granted), sum(granted)) == (8, 100)

    with Ledger(path) as ledger:
        assert ledger.verify() == 102, "and one refusal, however often"
        assert ledger.balance("survey").left == 0


MAKER = """
import os, sys; from synth import limits; from tests.ledger.ledgers import *
limits.LEDGER_WAIT_SECONDS = 600
for _ in range(4):
    if not os.fork():
        mark = Ledger(sys.argv[1]).fingerprint(Path(sys.argv[1] + ".key"))
        os.write(1, f"{mark}\\n".encode())
        os._exit(0)
for _ in range(4):
    assert os.wait()[1] == 0
"""


def test_processes_that_make_the_ledger_at_once_share_one_key(path: Path) -> None:
    """Four processes that make the same ledger at once end up with one file and one key.

    All give a file the same fingerprint, which depends on the key.
    """
    marks = run(MAKER, path).stdout.split()
    assert len(marks) == 4
    assert len(set(marks)) == 1
    assert {p.name for p in path.parent.iterdir()} == {"ledger.db", "ledger.db.key"}


STARTS = {
    "before the key": ("_make_key", False),
    "after the key": ("_make_key", True),
    "before the tables": ("_make_tables", False),
    "after the tables": ("_make_tables", True),
    "before it is checked": ("check", False),
    "after it is checked": ("check", True),
    "while the key is read": ("_read_key", False),
}


@pytest.mark.slow
@pytest.mark.parametrize("moment", STARTS)
def test_a_start_that_was_killed_goes_on_and_loses_nothing_later(
    path: Path, moment: str
) -> None:
    """A process that is killed while it makes a ledger leaves one that the next can use.

    The parameter says before or after which step it is killed, by signal 9. Later the ledger
    is guarded as any other: if it is emptied, it is refused.
    """
    name, after = STARTS[moment]

    code = (
        "import sys; from synth.door.ledger import sqlite_store\n"
        "from synth.door.ledger.sqlite_store import Store\n"
        "from tests.ledger.ledgers import *\n"
        "from tests.audit.test_crash import die_at_call\n"
        f"owner = Store if hasattr(Store, {name!r}) else sqlite_store\n"
        f"die_at_call(owner, {name!r}, 1, {after})\n"
        "Ledger(sys.argv[1])\n"
    )

    assert run(code, path).returncode == -9
    assert write_filled(path).stat().st_size > 0
    assert {p.name for p in path.parent.iterdir()} == {"ledger.db", "ledger.db.key"}
    assert Ledger(path).verify() == 5

    path.write_bytes(b"")
    with pytest.raises(LedgerError, match=LOST):
        Ledger(path)
