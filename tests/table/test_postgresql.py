"""A database that falls silent: a limit of time, Ctrl-C and the app's Stop all end the
reading.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest

from synth.errors import ReleaseError, TableError
from synth.private.table import open_table
from synth.private.table.postgresql import list_tables
from synth.util import Watch
from tests.house.rules import ROOT
from tests.patience import SECONDS, signals_by_default, until
from tests.processes import is_alive
from tests.table.silent_driver import SilentDriver, use_silent_driver

SERVER = "postgresql://steward@db.example/clinic"
DOMAIN = (
    '{"fields": [{"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}}]}'
)


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SilentDriver:
    """A driver of PostgreSQL that connects and then waits for the server for ever."""
    return use_silent_driver(tmp_path / "packages", monkeypatch)


def test_a_silent_server_is_one_sentence(
    driver: SilentDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that sends nothing for the limit of time is refused with one sentence.

    The limit is lowered to 1 second. The process that waited for the server is gone.
    """
    monkeypatch.setenv("SYNTH_DATABASE_SECONDS", "1")
    with pytest.raises(TableError) as error:
        open_table(f"{SERVER}?table=visits")

    assert str(error.value) == (
        "The database sent nothing of 'public.visits' for 1 seconds, the limit "
        "(SYNTH_DATABASE_SECONDS); nothing was spent. Try again later, or allow more time."
    )
    assert not is_alive(driver.process())


def test_the_list_of_tables_does_not_wait_either(
    driver: SilentDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Listing the tables of a silent database ends at the same limit of time: 1 second."""
    monkeypatch.setenv("SYNTH_DATABASE_SECONDS", "1")
    with pytest.raises(
        TableError, match="sent nothing of 'the list of tables' for 1 seconds"
    ):
        list_tables(SERVER)
    assert not is_alive(driver.process())


def test_a_wish_to_stop_is_heard(driver: SilentDriver) -> None:
    """The app's Stop, or a page that is closed, ends the reading of a silent database.

    A thread sets the wish to stop once the child process waits for the server. Afterwards
    that process is gone.
    """
    wish = Event()

    def stop_when_waiting() -> None:
        driver.process()
        wish.set()

    Thread(target=stop_when_waiting, daemon=True).start()
    with (
        pytest.raises(ReleaseError, match=r"^Stopped; nothing was spent\.$"),
        Watch(stopped=wish.is_set).watch(),
    ):
        open_table(f"{SERVER}?table=visits")
    assert not is_alive(driver.process())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="an interrupt is another thing there")
def test_an_interrupt_ends_a_command(driver: SilentDriver, tmp_path: Path) -> None:
    """Ctrl-C ends a command that waits for a silent database, with code 2 and no traceback.

    The process that waited for the server, a child of the command, ends as well.
    """
    domain = tmp_path / "domain.json"
    domain.write_text(DOMAIN)
    command = [
        sys.executable,
        "-m",
        "synth",
        "check",
        f"{SERVER}?table=visits",
        "--domain",
        str(domain),
        "--epsilon",
        "1",
    ]
    environment = {**os.environ, "SYNTH_HOME": str(tmp_path / "home")}
    with (
        signals_by_default(),
        subprocess.Popen(
            command, cwd=ROOT, env=environment, stderr=subprocess.PIPE
        ) as process,
    ):
        child = driver.process()
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=SECONDS)

    assert (process.returncode, messages) == (2, b"Stopped.\n")
    assert until(lambda: not is_alive(child))
