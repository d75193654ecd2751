"""A served app at its end: whatever the signal, the files of its sessions go."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.sync.client import connect

from tests.e2e.browser import _await, _free_port
from tests.tables import ROOT

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

SCRIPT = """
import io
import streamlit as st
from pages.ui.shell.private import PrivateFolder
if "folder" not in st.session_state:
    st.session_state["folder"] = PrivateFolder()
    st.session_state["folder"].keep(io.BytesIO(b"name,age\\nAda,36\\n"), "people.csv")
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator["tuple[subprocess.Popen[bytes], str, Path]"]:
    """A server, its address, and its temporary folder."""
    script, away = tmp_path / "script.py", tmp_path / "tmp"
    script.write_text(SCRIPT)
    away.mkdir()
    port = _free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port)],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(away), "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    try:
        _await(f"http://127.0.0.1:{port}/_stcore/health", process)
        yield process, f"ws://127.0.0.1:{port}/_stcore/stream", away
    finally:
        process.kill()
        process.wait(20)


def is_gone(folder: Path) -> bool:
    for _ in range(600):
        if not list(folder.rglob("people.csv")):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_no_signal_leaves_an_upload(
    served: "tuple[subprocess.Popen[bytes], str, Path]", number: signal.Signals
) -> None:
    process, address, away = served
    hello = BackMsg()
    hello.rerun_script.query_string = ""
    with connect(address, subprotocols=["streamlit"]) as socket:  # type: ignore[list-item]
        socket.send(hello.SerializeToString())
        for _ in range(600):
            if list(away.rglob("people.csv")):
                break
            time.sleep(0.05)
        assert list(away.rglob("people.csv"))
        process.send_signal(number)
        process.wait(60)
    assert is_gone(away)
