"""A server that stalls once the rows come: nothing waits for it for ever, and Ctrl-C is
heard.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from synth.errors import ReleaseError, TableError
from synth.private.table import open_table
from synth.util import Watch
from tests.databases.conftest import Server
from tests.databases.stalling import StallingServer, stalling
from tests.house.rules import ROOT
from tests.patience import SECONDS, signals_by_default

pytestmark = [pytest.mark.databases, pytest.mark.slow]

DOMAIN = """{"fields": [
  {"name": "id", "type": "integer", "constraints": {"minimum": 0, "maximum": 89}, "synth:bins": 9}
]}"""  # noqa: E501


@pytest.fixture
def stalled(server: Server) -> Iterator[StallingServer]:
    """A server that falls silent once rows of the table endless are sent."""
    server.run("CREATE TABLE endless AS SELECT i AS id FROM generate_series(1, 1000) i")
    with stalling(server.port, b'FROM "public"."endless"') as stalling_server:
        yield stalling_server
    server.run("DROP TABLE endless")


def address_of(stalling_server: StallingServer) -> str:
    return f"postgresql://owner@127.0.0.1:{stalling_server.port}/postgres?table=endless"


def test_its_silence_has_a_limit(
    stalled: StallingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a server stalls amid the rows, the reading ends after the limit, here 2 seconds."""
    monkeypatch.setenv("SYNTH_DATABASE_SECONDS", "2")
    with pytest.raises(TableError, match=r"sent nothing of 'public\.endless' for 2 seconds"):
        open_table(address_of(stalled))
    assert stalled.has_stalled.is_set()


def test_a_wish_to_stop_is_heard(stalled: StallingServer) -> None:
    """The app's Stop ends the reading of a server that has stalled amid the rows."""
    with (
        pytest.raises(ReleaseError, match="Stopped; nothing was spent"),
        Watch(stopped=stalled.has_stalled.is_set).watch(),
    ):
        open_table(address_of(stalled))


def test_an_interrupt_ends_a_command(stalled: StallingServer, tmp_path: Path) -> None:
    """Ctrl-C ends a command that waits for a stalled server, with code 2 and no traceback."""
    domain = tmp_path / "domain.json"
    domain.write_text(DOMAIN)
    command = [
        sys.executable,
        "-m",
        "synth",
        "check",
        address_of(stalled),
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
        assert stalled.has_stalled.wait(SECONDS)
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=SECONDS)
    assert (process.returncode, messages) == (2, b"Stopped.\n")
