"""A served app at its end: whatever the signal, the files of its sessions go."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.sync.client import connect

from tests.e2e.browser import await_server
from tests.patience import SECONDS, port, signals_by_default, until
from tests.tables import ROOT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

PAGES = """
from pages.ui.frame import session
from synth.private.counting.duckdb import DuckDB
with DuckDB() as engine:
    assert session and engine
"""
"""What an app loads; warm, one of its modules, puts libraries out of the collector's
sight.
"""

SCRIPT = """
import io
import streamlit as st
from pages.ui.shell.private import PrivateFolder
if "folder" not in st.session_state:
    st.session_state["folder"] = PrivateFolder()
    st.session_state["folder"].keep(io.BytesIO(b"name,age\\nAda,36\\n"), "people.csv")
"""


@pytest.fixture
def server_process(tmp_path: Path) -> Iterator["tuple[subprocess.Popen[bytes], str, Path]"]:
    """A server, its address, and its temporary folder."""
    script = tmp_path / "script.py"
    away = tmp_path / "tmp"
    script.write_text(SCRIPT)
    away.mkdir()
    with port() as free:
        with signals_by_default():
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "streamlit",
                    "run",
                    str(script),
                    "--server.port",
                    str(free),
                ],
                cwd=ROOT,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "TMPDIR": str(away), "PYTHONPATH": str(ROOT)},
            )
        try:
            await_server(f"http://127.0.0.1:{free}", process)
            yield process, f"ws://127.0.0.1:{free}/_stcore/stream", away
        finally:
            process.kill()
            process.wait(SECONDS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL]
)
def test_no_signal_leaves_an_upload(
    server_process: "tuple[subprocess.Popen[bytes], str, Path]", number: signal.Signals
) -> None:
    """Whichever signal ends the server, the upload of an open session is removed from the
    disk. That holds even for SIGKILL, after which another process has to remove it. The page
    is opened by a message to the server, as a browser sends it.
    """
    process, address, away = server_process
    hello = BackMsg()
    hello.rerun_script.query_string = ""
    protocols: Any = ["streamlit"]

    with connect(address, subprotocols=protocols, open_timeout=SECONDS) as socket:
        socket.send(hello.SerializeToString())
        assert until(lambda: list(away.rglob("people.csv")))
        process.send_signal(number)
        process.wait(SECONDS)
    assert until(lambda: not list(away.rglob("people.csv")))


@pytest.mark.slow
def test_libraries_leave_without_a_word() -> None:
    """A process that loads the app's libraries ends without a complaint.

    A library in C++ lists at the end of a process whatever was not collected.
    """
    done = subprocess.run(
        [sys.executable, "-c", PAGES], cwd=ROOT, capture_output=True, text=True, check=True
    )
    complaints = [line for line in done.stderr.splitlines() if "ScriptRunContext" not in line]
    assert complaints == []
